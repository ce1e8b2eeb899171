-- Writes Statspack reports of every instance into a folder. Statspack needs no license. The script reads
-- STATS$SNAPSHOT and V$DATABASE, calls Oracle's report script (sprepins.sql), and changes nothing.
--
--   mkdir /tmp/awrlens
--   sqlplus perfstat @statspack_reports.sql       # on the host of the database: it needs ?/rdbms/admin
--   awrlens analyze /tmp/awrlens
--
-- 1. All intervals that ended in the last days: set days. Run it again after an interruption, or every
--    day with days = 2: it writes only what is new. awrlens_done_DBID_INSTANCE.sql in the folder has the
--    last snapshot of an instance; delete these files to begin again.
-- 2. One report from one snapshot to another: set begin_snap and end_snap.
--
-- Statspack not installed: as SYSDBA, @?/rdbms/admin/spcreate. Snapshots: EXECUTE statspack.snap, every
-- hour with @?/rdbms/admin/spauto. An interval in which the instance was restarted has no report.
--
-- The alert log of the same days, on the host of each instance (`adrci exec="show homes"` lists the homes):
--   adrci exec="set home diag/rdbms/orcl/orcl1; show alert -p \"originating_timestamp > systimestamp-7\" -term" > alert_orcl1.log

-- an existing folder, with its full path, without blanks; with / on Windows, too
DEFINE folder = '/tmp/awrlens'
DEFINE days = '1'
DEFINE begin_snap = '0'
DEFINE end_snap = '0'

-- not settings: filled in below
DEFINE dbid = '0'
DEFINE db_name = ''
DEFINE done_snap = '0'
-- instances, each followed by its last snapshot
DEFINE done_snaps = '0, 0'

SET ECHO OFF VERIFY OFF FEEDBACK OFF HEADING OFF PAGESIZE 0 LINESIZE 8000 TRIMSPOOL ON TRIMOUT ON
SET TAB OFF WRAP ON RECSEP OFF NULL '' DEFINE '&' CONCAT '.' ESCAPE OFF TIMING OFF TIME OFF
SET AUTOTRACE OFF
SET SQLBLANKLINES OFF
SET MARKUP HTML OFF
TTITLE OFF
BTITLE OFF
WHENEVER OSERROR CONTINUE
WHENEVER SQLERROR EXIT SQL.SQLCODE

COLUMN dbid NEW_VALUE dbid
COLUMN db_name NEW_VALUE db_name
SELECT TO_CHAR(dbid) AS dbid, TRANSLATE(name, '$#', '__') AS db_name FROM v$database;

-- where an earlier run stopped; SP2-0310 means that there was none. Every instance has numbers of its
-- own, because each takes ten at a time from the sequence of the snapshots.
SPOOL &folder/awrlens_marks_&dbid..sql
SET TERMOUT OFF

SELECT
    'DEFINE done_snap = 0' || CHR(10)
    || '@&folder/awrlens_done_&dbid._' || i.instance_number || '.sql' || CHR(10)
    || 'DEFINE done_snaps = ''' || CHR(38) || 'done_snaps, ' || i.instance_number || ', ' || CHR(38) || 'done_snap''' AS line
FROM (SELECT DISTINCT s.instance_number FROM stats$snapshot s WHERE s.dbid = &dbid) i;

SPOOL OFF
SET TERMOUT ON
@&folder/awrlens_marks_&dbid..sql

PROMPT Writing the list of reports to &folder/awrlens_run_&dbid..sql
SPOOL &folder/awrlens_run_&dbid..sql
SET TERMOUT OFF

SELECT l.line
FROM (
    SELECT
        p.end_snap,
        1 AS step,
        p.instance_number,
        'DEFINE dbid = &dbid' || CHR(10)
        || 'DEFINE inst_num = ' || p.instance_number || CHR(10)
        || 'DEFINE num_days = 0' || CHR(10)
        || 'DEFINE begin_snap = ' || p.begin_snap || CHR(10)
        || 'DEFINE end_snap = ' || p.end_snap || CHR(10)
        || 'DEFINE report_name = &folder/sp_&db_name._' || p.instance_number || '_' || p.begin_snap || '_' || p.end_snap || '.lst' || CHR(10)
        || '@?/rdbms/admin/sprepins' AS line
    FROM (
        SELECT
            s.instance_number,
            s.snap_id AS end_snap,
            s.snap_time AS end_time,
            LAG(s.snap_id) OVER (PARTITION BY s.instance_number, s.startup_time ORDER BY s.snap_id) AS begin_snap
        FROM stats$snapshot s
        WHERE s.dbid = &dbid AND (&end_snap = 0 OR s.snap_id IN (&begin_snap, &end_snap))
    ) p
    WHERE
        p.begin_snap IS NOT NULL
        AND (&end_snap > 0 OR (p.end_snap > DECODE(p.instance_number, &done_snaps) AND p.end_time > SYSDATE - &days))
    UNION ALL
    SELECT
        s.snap_id AS end_snap,
        9 AS step,
        s.instance_number,
        'SPOOL &folder/awrlens_done_&dbid._' || s.instance_number || '.sql' || CHR(10)
        || 'PROMPT DEFINE done_snap = ' || s.snap_id || CHR(10)
        || 'SPOOL OFF' AS line
    FROM stats$snapshot s
    WHERE
        s.dbid = &dbid
        AND &end_snap = 0
        AND s.snap_time > SYSDATE - &days
        AND s.snap_id > DECODE(s.instance_number, &done_snaps)
) l
ORDER BY l.instance_number, l.end_snap, l.step;

SPOOL OFF
SET TERMOUT ON
@&folder/awrlens_run_&dbid..sql
SET TERMOUT ON
PROMPT No report: there is no new interval without a restart. Next: awrlens analyze &folder

EXIT
