/*  New and restored databases without the target: part of creation and restore, or of a job.

    Printed by awrlens, which runs nothing. Changes nothing. It lists user databases that were
    created or restored in the last @days days and whose TARGET_RECOVERY_TIME is not @seconds, with
    the command. A database that is restored or attached from a release before SQL Server 2016, or
    that was created there, keeps 0 (automatic checkpoints); a script may also set its own target.

    With @alert = 1, the script ends with an error if it finds one, so that the step of a SQL Server
    Agent job fails and notifies. After every CREATE DATABASE or RESTORE in your own scripts:
      ALTER DATABASE [name] SET TARGET_RECOVERY_TIME = 60 SECONDS;
    Databases of model's target: since 2016, new databases take 60 from model unless it was changed.

    Not for releases before 2012, nor for Azure SQL Database. Needs VIEW ANY DEFINITION and SELECT
    on msdb.dbo.restorehistory.                                                                  */
SET NOCOUNT ON;
DECLARE @seconds int = 60;
DECLARE @days int = 30;
DECLARE @alert bit = 0;

DECLARE @version nvarchar(128) = CONVERT(nvarchar(128), SERVERPROPERTY(N'ProductVersion'));
DECLARE @major int = CONVERT(int, LEFT(@version, CHARINDEX(N'.', @version) - 1));
IF CONVERT(int, SERVERPROPERTY(N'EngineEdition')) IN (5, 6, 11, 12)
BEGIN
    PRINT N'Not applicable: Azure SQL Database, Synapse and Fabric have no such instance.';
    RETURN;
END;
IF @major < 11
BEGIN
    PRINT N'Not applicable: SQL Server ' + @version + N' has no TARGET_RECOVERY_TIME (2012 and later).';
    RETURN;
END;

-- dynamic, because releases before 2012 do not know the column
DECLARE @list nvarchar(max) = N'
SELECT
    d.name,
    target_s = d.target_recovery_time_in_seconds,
    d.create_date,
    restored = r.restore_date,
    command = N''ALTER DATABASE '' + QUOTENAME(d.name) + N'' SET TARGET_RECOVERY_TIME = ''
        + CONVERT(nvarchar(11), @seconds) + N'' SECONDS;''
FROM sys.databases AS d
OUTER APPLY
(
    SELECT restore_date = MAX(h.restore_date)
    FROM msdb.dbo.restorehistory AS h
    WHERE h.destination_database_name = d.name
) AS r
WHERE d.database_id > 4
  AND d.state = 0
  AND d.is_read_only = 0
  AND d.is_in_standby = 0
  AND d.source_database_id IS NULL
  AND d.target_recovery_time_in_seconds <> @seconds
  AND (d.create_date >= DATEADD(DAY, -@days, GETDATE()) OR r.restore_date >= DATEADD(DAY, -@days, GETDATE()))
ORDER BY d.name;
SET @found = @@ROWCOUNT;';
DECLARE @found int;
EXECUTE sys.sp_executesql @list, N'@seconds int, @days int, @found int OUTPUT',
    @seconds = @seconds, @days = @days, @found = @found OUTPUT;
IF @alert = 1 AND @found > 0
BEGIN
    RAISERROR(N'%d new or restored databases have another TARGET_RECOVERY_TIME.', 16, 1, @found);
END;
