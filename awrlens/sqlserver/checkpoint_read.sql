/*  The checkpoints that the Extended Events session of `awrlens sql checkpoint-events` recorded.

    Printed by awrlens, which runs nothing. Changes nothing. Save the result as CSV with headings,
    in Management Studio by "Save Results As" (headings: Tools, Options, Query Results), or with
    sqlcmd -s"," -W. Then:
      awrlens analyze checkpoints.csv
      awrlens sqlserver compare checkpoints.csv --changed "19=2020-03-05 10:30"
    Needs VIEW SERVER STATE.                                                                     */
SET NOCOUNT ON;
DECLARE @files nvarchar(260) = N'CheckpointTracking*.xel';  -- without a folder: that of the error log

SELECT
    read_file.name,
    [timestamp (UTC)] = CONVERT(nvarchar(30), read_file.happened, 121),
    read_file.database_id,
    database_name = DB_NAME(read_file.database_id)
FROM
(
    SELECT
        name = found.event.value('(event/@name)[1]', 'nvarchar(60)'),
        happened = found.event.value('(event/@timestamp)[1]', 'datetime2(3)'),
        database_id = found.event.value('(event/data[@name="database_id"]/value)[1]', 'int')
    FROM
    (
        SELECT event = CONVERT(xml, target.event_data)
        FROM sys.fn_xe_file_target_read_file(@files, NULL, NULL, NULL) AS target
        WHERE target.object_name IN (N'checkpoint_begin', N'checkpoint_end')
    ) AS found
) AS read_file
ORDER BY read_file.happened;
