-- LICENSE: AWR is part of the Oracle Diagnostics Pack, and reading it requires the license, too. Set
-- diagnostics_pack to YES only if this database has it. Without it, use Statspack, which is free:
-- `awrlens sql statspack-reports`.
--
-- Writes AWR reports of every instance into a folder. It reads DBA_HIST_SNAPSHOT and V$DATABASE, calls
-- DBMS_WORKLOAD_REPOSITORY, and changes nothing in the database.
--
--   mkdir /tmp/awrlens
--   sqlplus / as sysdba @awr_reports.sql          # in a multitenant database, in CDB$ROOT
--   awrlens analyze /tmp/awrlens
--
-- 1. All intervals that ended in the last days: set days. Run it again after an interruption, or every
--    day with days = 2: it writes only what is new. awrlens_done_DBID.sql in the folder has the last
--    snapshot; delete that file to begin again.
-- 2. One report from one snapshot to another: set begin_snap and end_snap.
-- 3. A compare-period report of two ranges: set earlier_begin_snap and earlier_end_snap as well.
--
-- An interval in which the instance was restarted has no report. As another user: SELECT_CATALOG_ROLE
-- and EXECUTE on DBMS_WORKLOAD_REPOSITORY.
--
-- The alert log of the same days, on the host of each instance (`adrci exec="show homes"` lists the homes):
--   adrci exec="set home diag/rdbms/orcl/orcl1; show alert -p \"originating_timestamp > systimestamp-7\" -term" > alert_orcl1.log

DEFINE diagnostics_pack = 'NO'
-- an existing folder, with its full path, without blanks; with / on Windows, too
DEFINE folder = '/tmp/awrlens'
-- html or text
DEFINE format = 'html'
-- YES: the report of the whole cluster as well (11.2 and later)
DEFINE cluster = 'NO'
DEFINE days = '1'
DEFINE begin_snap = '0'
DEFINE end_snap = '0'
DEFINE earlier_begin_snap = '0'
DEFINE earlier_end_snap = '0'

-- not settings: filled in below
DEFINE dbid = '0'
DEFINE db_name = ''
DEFINE done_snap = '0'

SET ECHO OFF VERIFY OFF FEEDBACK OFF HEADING OFF PAGESIZE 0 LINESIZE 8000 TRIMSPOOL ON TRIMOUT ON
SET TAB OFF WRAP ON RECSEP OFF NULL '' DEFINE '&' CONCAT '.' ESCAPE OFF TIMING OFF TIME OFF
SET AUTOTRACE OFF
SET SQLBLANKLINES OFF
SET MARKUP HTML OFF
TTITLE OFF
BTITLE OFF
WHENEVER OSERROR CONTINUE
WHENEVER SQLERROR EXIT SQL.SQLCODE

BEGIN
    IF '&diagnostics_pack' <> 'YES' THEN
        raise_application_error(-20001, 'Nothing was read: AWR requires the license of the Diagnostics Pack. With it, set diagnostics_pack to YES; without it, use Statspack (awrlens sql statspack-reports).');
    END IF;
END;
/

COLUMN dbid NEW_VALUE dbid
COLUMN db_name NEW_VALUE db_name
SELECT TO_CHAR(dbid) AS dbid, TRANSLATE(name, '$#', '__') AS db_name FROM v$database;

-- where an earlier run stopped; SP2-0310 means that there was none
@&folder/awrlens_done_&dbid..sql

PROMPT Writing the list of reports to &folder/awrlens_run_&dbid..sql
SPOOL &folder/awrlens_run_&dbid..sql
SET TERMOUT OFF

WITH pairs AS (
    SELECT
        s.instance_number,
        s.snap_id AS end_snap,
        s.end_interval_time AS end_time,
        LAG(s.snap_id) OVER (PARTITION BY s.instance_number, s.startup_time ORDER BY s.snap_id) AS begin_snap
    FROM dba_hist_snapshot s
    WHERE s.dbid = &dbid AND (&end_snap = 0 OR s.snap_id IN (&begin_snap, &end_snap))
),
intervals AS (
    SELECT p.instance_number, p.begin_snap, p.end_snap
    FROM pairs p
    WHERE
        p.begin_snap IS NOT NULL
        AND (&end_snap > 0 OR (p.end_snap > &done_snap AND p.end_time > SYSDATE - &days))
),
reports AS (
    SELECT
        i.end_snap,
        1 AS step,
        i.instance_number,
        'awr_&db_name._' || i.instance_number || '_' || i.begin_snap || '_' || i.end_snap AS name,
        'awr_report_&format.(&dbid, ' || i.instance_number || ', ' || i.begin_snap || ', ' || i.end_snap || ')' AS source
    FROM intervals i
    UNION ALL
    SELECT
        i.end_snap,
        2 AS step,
        0 AS instance_number,
        'awr_&db_name._cluster_' || i.begin_snap || '_' || i.end_snap AS name,
        'awr_global_report_&format.(&dbid, CAST(NULL AS VARCHAR2(10)), ' || i.begin_snap || ', ' || i.end_snap || ')' AS source
    FROM intervals i
    WHERE '&cluster' = 'YES'
    GROUP BY i.begin_snap, i.end_snap
    UNION ALL
    SELECT
        i.end_snap,
        3 AS step,
        i.instance_number,
        'awr_diff_&db_name._' || i.instance_number || '_&earlier_begin_snap._&earlier_end_snap._' || i.begin_snap || '_' || i.end_snap AS name,
        'awr_diff_report_&format.(&dbid, ' || i.instance_number || ', &earlier_begin_snap, &earlier_end_snap, &dbid, ' || i.instance_number || ', ' || i.begin_snap || ', ' || i.end_snap || ')' AS source
    FROM intervals i
    WHERE &earlier_end_snap > 0 AND &end_snap > 0
    UNION ALL
    SELECT
        i.end_snap,
        4 AS step,
        0 AS instance_number,
        'awr_diff_&db_name._cluster_&earlier_begin_snap._&earlier_end_snap._' || i.begin_snap || '_' || i.end_snap AS name,
        'awr_global_diff_report_&format.(&dbid, CAST(NULL AS VARCHAR2(10)), &earlier_begin_snap, &earlier_end_snap, &dbid, CAST(NULL AS VARCHAR2(10)), ' || i.begin_snap || ', ' || i.end_snap || ')' AS source
    FROM intervals i
    WHERE '&cluster' = 'YES' AND &earlier_end_snap > 0 AND &end_snap > 0
    GROUP BY i.begin_snap, i.end_snap
),
lines AS (
    SELECT
        r.end_snap,
        r.step,
        r.instance_number,
        'SET TERMOUT ON' || CHR(10)
        || 'PROMPT ' || r.name || CHR(10)
        || 'SET TERMOUT OFF' || CHR(10)
        || 'SPOOL &folder/' || r.name || CASE WHEN '&format' = 'html' THEN '.html' ELSE '.txt' END || CHR(10)
        || 'SELECT output FROM TABLE(dbms_workload_repository.' || r.source || ');' || CHR(10)
        || 'SPOOL OFF' AS line
    FROM reports r
    UNION ALL
    SELECT
        i.end_snap,
        9 AS step,
        0 AS instance_number,
        'SPOOL &folder/awrlens_done_&dbid..sql' || CHR(10)
        || 'PROMPT DEFINE done_snap = ' || i.end_snap || CHR(10)
        || 'SPOOL OFF' AS line
    FROM intervals i
    WHERE &end_snap = 0
    GROUP BY i.end_snap
)
SELECT l.line FROM lines l ORDER BY l.end_snap, l.step, l.instance_number;

SPOOL OFF
SET TERMOUT ON
@&folder/awrlens_run_&dbid..sql
SET TERMOUT ON
PROMPT No name above: there is no new interval without a restart. Next: awrlens analyze &folder

EXIT
