-- One sample of recovery and writes for a crash test. Printed by `awrlens recovery plan --script
-- sample`; it reads five views and changes nothing. crash_test.sh runs it every few seconds; the
-- lines that begin with AWRLENS_SAMPLE are what `awrlens recovery samples` reads.

SET ECHO OFF VERIFY OFF FEEDBACK OFF HEADING OFF PAGESIZE 0 LINESIZE 300 TRIMSPOOL ON TAB OFF
SELECT 'AWRLENS_SAMPLE;' || TO_CHAR(SYSDATE, 'YYYY-MM-DD"T"HH24:MI:SS') || ';' || i.instance_name
    || ';' || r.target_mttr || ';' || r.estimated_mttr || ';' || r.recovery_estimated_ios
    || ';' || r.actual_redo_blks || ';' || r.target_redo_blks || ';' || w.value
    || ';' || e.total_waits || ';' || e.time_waited || ';' || p.value
  FROM v$instance i
 CROSS JOIN v$instance_recovery r
 CROSS JOIN (SELECT value FROM v$sysstat WHERE name = 'physical writes') w
 CROSS JOIN (SELECT SUM(total_waits) AS total_waits, SUM(time_waited) AS time_waited
               FROM v$system_event WHERE event = 'db file parallel write') e
 CROSS JOIN (SELECT value FROM v$parameter WHERE name = 'fast_start_mttr_target') p;
EXIT
