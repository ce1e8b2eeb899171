-- What awrlens wants to know of recovery. Written by `awrlens sql recovery`; it reads and spools,
-- and changes nothing. Run it in SQL*Plus as SYS: X$ESTIMATED_MTTR (start-up and opening of the
-- files) is for SYS only. As another DBA the rest is spooled, and that statement says ORA-00942.
-- In RAC run it on each instance. A column that a release lacks says ORA-00904: that is no harm.
--
--   sqlplus / as sysdba @recovery.sql
--   awrlens mttr --from awrlens_recovery.lst --desired-mttr 120

WHENEVER SQLERROR CONTINUE NONE
SET ECHO OFF VERIFY OFF FEEDBACK OFF HEADING OFF PAGESIZE 0 LINESIZE 200 TRIMSPOOL ON TAB OFF
SPOOL awrlens_recovery.lst

PROMPT awrlens recovery spool 1
SELECT 'AWRLENS|instance|name|' || instance_name FROM v$instance;
SELECT 'AWRLENS|instance|release|' || version FROM v$instance;
SELECT 'AWRLENS|instance|parallel|' || parallel FROM v$instance;

-- what the instance aims at and expects
SELECT 'AWRLENS|instance_recovery|target_mttr_s|' || target_mttr FROM v$instance_recovery;
SELECT 'AWRLENS|instance_recovery|estimated_mttr_s|' || estimated_mttr FROM v$instance_recovery;
SELECT 'AWRLENS|instance_recovery|estimated_ios|' || recovery_estimated_ios FROM v$instance_recovery;
SELECT 'AWRLENS|instance_recovery|actual_redo_blocks|' || actual_redo_blks FROM v$instance_recovery;
SELECT 'AWRLENS|instance_recovery|target_redo_blocks|' || target_redo_blks FROM v$instance_recovery;
SELECT 'AWRLENS|instance_recovery|log_size_redo_blocks|' || log_file_size_redo_blks FROM v$instance_recovery;
SELECT 'AWRLENS|instance_recovery|optimal_log_mb|' || optimal_logfile_size FROM v$instance_recovery;

-- start-up and opening of one file, in microseconds; SYS only
SELECT 'AWRLENS|estimated_mttr|init_time_avg_us|' || init_time_avg FROM x$estimated_mttr;
SELECT 'AWRLENS|estimated_mttr|fopen_time_avg_us|' || fopen_time_avg FROM x$estimated_mttr;

-- what other targets would cost: target, dirty blocks allowed, cache writes, their factor
SELECT 'AWRLENS|mttr_advice|row|' || mttr_target_for_estimate || ';' || dirty_limit || ';'
    || estd_cache_writes || ';' || estd_cache_write_factor
  FROM v$mttr_target_advice ORDER BY mttr_target_for_estimate;

-- redo logs: group, thread, sequence, bytes, members, status
SELECT 'AWRLENS|log|row|' || group# || ';' || thread# || ';' || sequence# || ';' || bytes || ';'
    || members || ';' || status
  FROM v$log ORDER BY group#;

SELECT 'AWRLENS|datafiles|count|' || COUNT(*) FROM v$datafile;

SELECT 'AWRLENS|parameter|' || name || '|' || value FROM v$parameter
 WHERE name IN ('fast_start_mttr_target', 'fast_start_io_target', 'log_checkpoint_interval',
                'log_checkpoint_timeout', 'log_checkpoints_to_alert', 'recovery_parallelism',
                'fast_start_parallel_rollback', 'cluster_database', 'db_block_size')
 ORDER BY name;

PROMPT awrlens recovery spool ends
SPOOL OFF
EXIT
