-- The three questions before redo logs are moved ("Write Accelerator", text on figure 2): what is
-- the run queue, are the redo logs on separate devices, has LGWR a higher priority? Written by
-- `awrlens sql redo-placement`; it reads, spools, and changes nothing.
--
--   sqlplus / as sysdba @redo_placement.sql
--
-- The last column of the second list must be 0 for every member: a data file, a temporary file, an
-- archive destination or the fast recovery area in the same disk group or directory shares devices
-- with the redo log.
-- Add what `ps` prints to the spool file, then: awrlens analyze REPORT --placement FILE
-- Different directories may be on one device: ask the storage administrator, or `df` and `lsblk`.

SET ECHO OFF VERIFY OFF FEEDBACK OFF PAGESIZE 100 LINESIZE 200 TRIMSPOOL ON TAB OFF
COLUMN member FORMAT A80
COLUMN place FORMAT A60
COLUMN stat_name FORMAT A20
COLUMN name FORMAT A40
COLUMN value FORMAT A60
SPOOL awrlens_redo_placement.lst

PROMPT 1. Run queue: LOAD is the processes that run or wait for a CPU; more than 2 per CPU is long.
PROMPT    Before 10g this says ORA-00942, which is no harm: use vmstat.
SELECT stat_name, ROUND(value, 2) AS amount
FROM v$osstat
WHERE stat_name IN ('LOAD', 'NUM_CPUS', 'NUM_CPU_CORES')
ORDER BY stat_name;

PROMPT 2. Members of the redo logs, and other files in the same disk group or directory.
WITH other_files AS (
    SELECT name FROM v$datafile
    UNION ALL
    SELECT name FROM v$tempfile
    UNION ALL
    SELECT CASE WHEN INSTR(destination, '\') > 0 THEN RTRIM(destination, '\') || '\'
        ELSE RTRIM(destination, '/') || '/' END
    FROM v$archive_dest
    WHERE status = 'VALID'
    UNION ALL
    SELECT CASE WHEN INSTR(value, '\') > 0 THEN RTRIM(value, '\') || '\'
        ELSE RTRIM(value, '/') || '/' END
    FROM v$parameter
    WHERE name = 'db_recovery_file_dest' AND value IS NOT NULL
),
other_places AS (
    SELECT CASE WHEN name LIKE '+%' THEN UPPER(SUBSTR(name, 1, INSTR(name || '/', '/') - 1))
        ELSE SUBSTR(name, 1, GREATEST(INSTR(name, '/', -1), INSTR(name, '\', -1))) END AS place
    FROM other_files
),
members AS (
    SELECT
        f.group#,
        l.thread#,
        f.member,
        CASE WHEN f.member LIKE '+%' THEN UPPER(SUBSTR(f.member, 1, INSTR(f.member || '/', '/') - 1))
            ELSE SUBSTR(f.member, 1, GREATEST(INSTR(f.member, '/', -1), INSTR(f.member, '\', -1))) END AS place
    FROM v$logfile f
    INNER JOIN v$log l ON f.group# = l.group#
)
SELECT
    m.group#,
    m.thread#,
    m.member,
    (SELECT COUNT(*) FROM other_places o WHERE o.place = m.place) AS other_files
FROM members m
ORDER BY m.group#, m.member;

PROMPT Archived redo logs go to:
SELECT destination AS member FROM v$archive_dest WHERE status = 'VALID';

PROMPT 3. LGWR: its process on the host. There, run: ps -o pid,cls,rtprio,ni,comm -p SPID
PROMPT    cls RR or FF, or a negative ni, is a raised priority.
SELECT p.spid, b.name AS name
FROM v$bgprocess b
INNER JOIN v$process p ON b.paddr = p.addr
WHERE b.name LIKE 'LG%'
ORDER BY b.name;

SPOOL OFF
EXIT
