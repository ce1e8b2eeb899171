/*  TARGET_RECOVERY_TIME for the user databases of one instance: indirect checkpoints.

    Printed by awrlens, which runs nothing. With @apply = 0 this script changes nothing either:
    it lists every database with a decision and its reason, the command and the command that
    takes it back. Read the list, keep the rollback column, then set @apply = 1.

    Changed are databases that
      - are the user's (database_id above 4: not master, tempdb, model, msdb),
      - are online, writable and not in standby,
      - are in no availability group, or are its primary here and can be updated,
      - have another target than @seconds.
    A secondary is named with a warning: it is changed on its primary. tempdb is never changed, nor
    is model, of which tempdb is made at the next start: builds before the fix of KB 4497928 may
    hang schedulers with indirect checkpoints in tempdb.
    Before SQL Server 2012 the setting does not exist; the script says so and ends. It also ends in
    Azure SQL Database; it runs in Azure SQL Managed Instance.
    Needs VIEW SERVER STATE, and ALTER on the databases that are changed.                        */
SET NOCOUNT ON;
DECLARE @seconds int = 60;
DECLARE @apply bit = 0;
DECLARE @only nvarchar(128) = NULL;  -- one database; NULL: all of them

DECLARE @version nvarchar(128) = CONVERT(nvarchar(128), SERVERPROPERTY(N'ProductVersion'));
DECLARE @major int = CONVERT(int, LEFT(@version, CHARINDEX(N'.', @version) - 1));
IF CONVERT(int, SERVERPROPERTY(N'EngineEdition')) IN (5, 6, 11, 12)
BEGIN
    PRINT N'Not applicable: in Azure SQL Database, Synapse and Fabric a connection sees one database, and';
    PRINT N'this script needs all of an instance. SQL Database uses indirect checkpoints by default.';
    RETURN;
END;
IF @major < 11
BEGIN
    PRINT N'Not applicable: SQL Server ' + @version + N' has no TARGET_RECOVERY_TIME (2012 and later).';
    RETURN;
END;
IF @seconds IS NULL OR @seconds < 0
BEGIN
    PRINT N'@seconds must be 0 (automatic checkpoints) or more.';
    RETURN;
END;

IF OBJECT_ID(N'tempdb..#decision') IS NOT NULL DROP TABLE #decision;
CREATE TABLE #decision
(
    database_id int NOT NULL,
    name sysname NOT NULL,
    present_s int NULL,
    decision nvarchar(20) NOT NULL,
    reason nvarchar(400) NOT NULL
);

-- dynamic, because releases before 2012 know neither the column nor the views
DECLARE @look nvarchar(max) = N'
SELECT d.database_id, d.name, d.target_recovery_time_in_seconds,
       CASE
         WHEN d.database_id <= 4 THEN N''leave''
         WHEN d.state <> 0 OR d.is_read_only = 1 OR d.is_in_standby = 1 THEN N''leave''
         WHEN d.source_database_id IS NOT NULL THEN N''leave''
         WHEN grp.role_desc IS NOT NULL AND grp.role_desc <> N''PRIMARY'' THEN N''warning''
         WHEN grp.role_desc = N''PRIMARY'' AND ISNULL(grp.updateability, N'''') <> N''READ_WRITE''
           THEN N''warning''
         WHEN d.target_recovery_time_in_seconds = @seconds THEN N''done''
         ELSE N''change''
       END,
       CASE
         WHEN d.database_id = 2 THEN N''tempdb is never changed here (KB 4497928)''
         WHEN d.database_id = 3 THEN N''model: tempdb is made of it at the next start''
         WHEN d.database_id <= 4 THEN N''a database of the system''
         WHEN d.state <> 0 THEN N''not online: '' + d.state_desc
         WHEN d.is_in_standby = 1 THEN N''in standby''
         WHEN d.is_read_only = 1 THEN N''read only''
         WHEN d.source_database_id IS NOT NULL THEN N''a database snapshot''
         WHEN grp.role_desc IS NOT NULL AND grp.role_desc <> N''PRIMARY''
           THEN N''not the primary of its availability group: change it there''
         WHEN grp.role_desc = N''PRIMARY'' AND ISNULL(grp.updateability, N'''') <> N''READ_WRITE''
           THEN N''primary, but not writable (distributed group): change it on the writable primary''
         WHEN d.target_recovery_time_in_seconds = @seconds THEN N''has this target''
         WHEN grp.role_desc = N''PRIMARY'' THEN N''primary of its availability group''
         ELSE N''in no availability group''
       END
FROM sys.databases AS d
OUTER APPLY
(
    SELECT TOP (1) s.role_desc,
           updateability = CONVERT(nvarchar(60), DATABASEPROPERTYEX(d.name, N''Updateability''))
    FROM sys.dm_hadr_availability_replica_states AS s
    INNER JOIN sys.availability_databases_cluster AS c ON c.group_id = s.group_id
    WHERE s.is_local = 1 AND c.database_name = d.name
    ORDER BY CASE s.role_desc WHEN N''PRIMARY'' THEN 0 ELSE 1 END
) AS grp
WHERE @only IS NULL OR d.name = @only;';

INSERT INTO #decision (database_id, name, present_s, decision, reason)
EXECUTE sys.sp_executesql @look, N'@seconds int, @only sysname', @seconds = @seconds, @only = @only;

SELECT database_id, name, present_s, decision, reason,
       command = CASE WHEN decision = N'change'
                      THEN N'ALTER DATABASE ' + QUOTENAME(name) + N' SET TARGET_RECOVERY_TIME = '
                           + CONVERT(nvarchar(11), @seconds) + N' SECONDS;' END,
       [rollback] = CASE WHEN decision = N'change'
                         THEN N'ALTER DATABASE ' + QUOTENAME(name) + N' SET TARGET_RECOVERY_TIME = '
                              + CONVERT(nvarchar(11), present_s) + N' SECONDS;' END
FROM #decision
ORDER BY CASE decision WHEN N'change' THEN 1 WHEN N'warning' THEN 2 WHEN N'done' THEN 3 ELSE 4 END, name;

IF @apply = 1
BEGIN
    DECLARE @name sysname, @present int, @command nvarchar(max);
    DECLARE each_database CURSOR LOCAL FAST_FORWARD FOR
        SELECT name, present_s FROM #decision WHERE decision = N'change' ORDER BY name;
    OPEN each_database;
    FETCH NEXT FROM each_database INTO @name, @present;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        SET @command = N'ALTER DATABASE ' + QUOTENAME(@name) + N' SET TARGET_RECOVERY_TIME = '
            + CONVERT(nvarchar(11), @seconds) + N' SECONDS;';
        BEGIN TRY
            EXECUTE sys.sp_executesql @command;
            PRINT N'-- to take it back: ALTER DATABASE ' + QUOTENAME(@name)
                + N' SET TARGET_RECOVERY_TIME = ' + CONVERT(nvarchar(11), @present) + N' SECONDS;';
        END TRY
        BEGIN CATCH
            PRINT N'-- not changed: ' + QUOTENAME(@name) + N': ' + ERROR_MESSAGE();
        END CATCH;
        FETCH NEXT FROM each_database INTO @name, @present;
    END;
    CLOSE each_database;
    DEALLOCATE each_database;
END;

DROP TABLE #decision;
