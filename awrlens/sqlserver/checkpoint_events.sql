/*  THIS SCRIPT CHANGES THE INSTANCE, but only after @apply is set to 1: it creates and starts an
    Extended Events session that records every checkpoint (checkpoint_begin, checkpoint_end).

    Printed by awrlens, which runs nothing. With @apply = 0 it only shows the statements.
    The session writes up to 50 files of 50 MB. It continues after a restart of the instance, until
    the last statement that the script shows removes it. Let it run for some hours before the change
    of TARGET_RECOVERY_TIME and for the same time after it, and note the time of the change of every
    database. Then read the files with the script `awrlens sql checkpoint-read`.

    Not for SQL Server before 2012, nor for Azure SQL Database, which has no sessions of the server.
    Needs ALTER ANY EVENT SESSION.                                                               */
SET NOCOUNT ON;
DECLARE @apply bit = 0;
DECLARE @databases nvarchar(4000) = N'';  -- database IDs, such as N'19, 78'; empty: all user databases
DECLARE @session sysname = N'CheckpointTracking';
DECLARE @file nvarchar(260) = N'CheckpointTracking.xel';  -- without a folder: that of the error log

DECLARE @version nvarchar(128) = CONVERT(nvarchar(128), SERVERPROPERTY(N'ProductVersion'));
DECLARE @major int = CONVERT(int, LEFT(@version, CHARINDEX(N'.', @version) - 1));
IF CONVERT(int, SERVERPROPERTY(N'EngineEdition')) IN (5, 6, 11, 12)
BEGIN
    PRINT N'Not applicable: Azure SQL Database, Synapse and Fabric have no event sessions of the server.';
    RETURN;
END;
IF @major < 11
BEGIN
    PRINT N'Not applicable: SQL Server ' + @version + N' has no target event_file (2012 and later).';
    RETURN;
END;
IF @databases LIKE N'%[^0-9, ]%'
BEGIN
    PRINT N'@databases must have database IDs with commas between them.';
    RETURN;
END;
IF EXISTS (SELECT 1 FROM sys.server_event_sessions WHERE name = @session)
BEGIN
    PRINT N'The session ' + QUOTENAME(@session) + N' exists already: nothing is changed.';
    RETURN;
END;

DECLARE @where nvarchar(max) = CASE
    WHEN REPLACE(@databases, N' ', N'') = N'' THEN N'sqlserver.database_id > 4'
    ELSE N'sqlserver.database_id = '
        + REPLACE(REPLACE(@databases, N' ', N''), N',', N' OR sqlserver.database_id = ')
END;
DECLARE @create nvarchar(max) = N'CREATE EVENT SESSION ' + QUOTENAME(@session) + N' ON SERVER
ADD EVENT sqlserver.checkpoint_begin (WHERE (' + @where + N')),
ADD EVENT sqlserver.checkpoint_end (WHERE (' + @where + N'))
ADD TARGET package0.event_file
(SET filename = N''' + REPLACE(@file, N'''', N'''''') + N''', max_file_size = 50, max_rollover_files = 50)
WITH (MAX_MEMORY = 4096 KB, MAX_DISPATCH_LATENCY = 30 SECONDS, TRACK_CAUSALITY = ON, STARTUP_STATE = ON);';
DECLARE @start nvarchar(max) = N'ALTER EVENT SESSION ' + QUOTENAME(@session) + N' ON SERVER STATE = START;';

PRINT @create;
PRINT @start;
PRINT N'-- to take it back: DROP EVENT SESSION ' + QUOTENAME(@session) + N' ON SERVER;';
IF @apply = 1
BEGIN
    EXECUTE sys.sp_executesql @create;
    EXECUTE sys.sp_executesql @start;
    PRINT N'-- created and started';
END;
