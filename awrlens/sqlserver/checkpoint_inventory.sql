/*  How many databases use automatic checkpoints, and which: run it over all instances first.

    Printed by awrlens, which runs nothing. Changes nothing. In a query window of a Central
    Management Server it runs on every instance of a group. The first result has one row per
    instance: the number of databases and the version come first. The second result lists the
    databases whose target is not @seconds.

    Databases that were created before SQL Server 2016 keep a target of 0 (automatic checkpoints)
    after every upgrade, restore and attach: the default of 60 is only for databases created in 2016
    and later. So an instance of a current release may have many of them.

    Releases before 2012 have no target; the script says so. Also for Azure SQL Managed Instance;
    not for Azure SQL Database. Needs VIEW SERVER STATE, VIEW ANY DEFINITION and SELECT on
    msdb.dbo.restorehistory.                                                                     */
SET NOCOUNT ON;
DECLARE @seconds int = 60;

DECLARE @version nvarchar(128) = CONVERT(nvarchar(128), SERVERPROPERTY(N'ProductVersion'));
DECLARE @major int = CONVERT(int, LEFT(@version, CHARINDEX(N'.', @version) - 1));
IF CONVERT(int, SERVERPROPERTY(N'EngineEdition')) IN (5, 6, 11, 12)
BEGIN
    PRINT N'Not applicable: Azure SQL Database, Synapse and Fabric have no such instance.';
    RETURN;
END;
IF @major < 11
BEGIN
    SELECT
        database_count = COUNT(*),
        automatic = COUNT(*),
        version = @@VERSION,
        note = N'no TARGET_RECOVERY_TIME before SQL Server 2012'
    FROM sys.databases
    WHERE database_id > 4;
    RETURN;
END;

-- dynamic, because releases before 2012 know neither the columns nor the views
DECLARE @count nvarchar(max) = N'
SELECT
    database_count = COUNT(*),
    automatic = SUM(CASE WHEN d.target_recovery_time_in_seconds = 0 THEN 1 ELSE 0 END),
    other_target = SUM(CASE WHEN d.target_recovery_time_in_seconds NOT IN (0, @seconds) THEN 1 ELSE 0 END),
    version = @@VERSION,
    memory_gb = (SELECT physical_memory_kb / 1048576 FROM sys.dm_os_sys_info),
    lazy_writers = (SELECT COUNT(*) FROM sys.dm_exec_requests WHERE command = N''LAZY WRITER''),
    tempdb_target_s = (SELECT target_recovery_time_in_seconds FROM sys.databases WHERE database_id = 2),
    model_target_s = (SELECT target_recovery_time_in_seconds FROM sys.databases WHERE database_id = 3)
FROM sys.databases AS d
WHERE d.database_id > 4;';
EXECUTE sys.sp_executesql @count, N'@seconds int', @seconds = @seconds;

DECLARE @list nvarchar(max) = N'
SELECT
    d.name,
    target_s = d.target_recovery_time_in_seconds,
    d.state_desc,
    d.is_read_only,
    d.is_in_standby,
    d.create_date,
    restored = (SELECT MAX(r.restore_date) FROM msdb.dbo.restorehistory AS r
                WHERE r.destination_database_name = d.name),
    d.compatibility_level
FROM sys.databases AS d
WHERE d.database_id > 4 AND d.target_recovery_time_in_seconds <> @seconds
ORDER BY d.name;';
EXECUTE sys.sp_executesql @list, N'@seconds int', @seconds = @seconds;
