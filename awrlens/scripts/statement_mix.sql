-- The mix of SQL in the cursor cache by elapsed time, as an option of `awrlens integrity`. Written
-- by `awrlens sql statement-mix`; it reads V$SQL, prints one line, and changes nothing. MERGE counts
-- as an update; PL/SQL blocks do not count, because they contain other SQL. The cache loses old
-- cursors: run it after a typical day.
--
--   sqlplus / as sysdba @statement_mix.sql

SET ECHO OFF VERIFY OFF FEEDBACK OFF HEADING OFF PAGESIZE 0 LINESIZE 200

SELECT
    'awrlens integrity --mix select=' || ROUND(SUM(CASE WHEN command_type = 3 THEN elapsed_time ELSE 0 END) / 1E6)
    || ',insert=' || ROUND(SUM(CASE WHEN command_type = 2 THEN elapsed_time ELSE 0 END) / 1E6)
    || ',update=' || ROUND(SUM(CASE WHEN command_type IN (6, 189) THEN elapsed_time ELSE 0 END) / 1E6)
    || ',delete=' || ROUND(SUM(CASE WHEN command_type = 7 THEN elapsed_time ELSE 0 END) / 1E6)
FROM v$sql;

EXIT
