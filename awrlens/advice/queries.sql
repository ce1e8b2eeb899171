-- Queries of recommendations; {…} is filled in.

-- name: lgwr_waits
SELECT e.event, e.total_waits, e.time_waited FROM v$session_event e, v$session s WHERE e.sid =
s.sid AND s.program LIKE '%(LGWR)%' ORDER BY e.time_waited DESC;

-- name: archive_destinations
SELECT dest_id, transmit_mode, affirm, destination FROM v$archive_dest WHERE status = 'VALID';

-- name: acknowledgements
SELECT inst_id, name, value FROM gv$sysstat WHERE name LIKE 'redo write broadcast%' OR name LIKE
'redo synch%';

-- name: sql_by_cpu
SELECT * FROM (SELECT sql_id, ROUND(cpu_time/1e6) cpu_s, executions, module FROM v$sql ORDER BY
cpu_time DESC) WHERE ROWNUM <= 10;

-- name: writes_of_the_last_minute
SELECT n.name, m.wait_count, ROUND(m.time_waited*10/NULLIF(m.wait_count, 0), 2) ms FROM
v$eventmetric m JOIN v$event_name n ON n.event_id = m.event_id WHERE n.name IN ({events}); -- the
last minute

-- name: writes_since_startup
SELECT event, total_waits, time_waited FROM v$system_event WHERE event IN ({events}); -- twice:
the averages are the differences (time_waited is in 1/100 s)

-- name: readers_of_redo_logs
SELECT s.program, s.module, e.total_waits, e.time_waited FROM v$session_event e, v$session s WHERE
e.sid = s.sid AND e.event = 'log file sequential read' ORDER BY e.time_waited DESC;

-- name: growing_files
SELECT tablespace_name, file_name, bytes/1048576 mb, increment_by FROM dba_data_files WHERE
autoextensible = 'YES';

-- name: mttr_averages
SELECT init_time_avg, fopen_time_avg FROM x$estimated_mttr; -- as SYS, in microseconds

-- name: switches_by_hour
SELECT TRUNC(first_time, 'HH') hour, thread#, COUNT(*) switches FROM v$log_history GROUP BY
TRUNC(first_time, 'HH'), thread# ORDER BY 3 DESC;

-- name: pga_advice
SELECT ROUND(pga_target_for_estimate/1048576) mb, ROUND(estd_extra_bytes_rw/1048576) extra_mb,
estd_overalloc_count FROM v$pga_target_advice ORDER BY 1;

-- name: work_areas
SELECT sql_id, operation_type, onepass_executions, multipasses_executions,
ROUND(last_tempseg_size/1048576) temp_mb FROM v$sql_workarea WHERE {which} ORDER BY
last_tempseg_size DESC NULLS LAST;

-- name: spills
SELECT s.module, u.sql_id, u.segtype, SUM(u.blocks) blocks FROM v$tempseg_usage u JOIN v$session s
ON s.saddr = u.session_addr GROUP BY s.module, u.sql_id, u.segtype ORDER BY 4 DESC;

-- name: spills_8i
SELECT s.module, u.sqlhash, u.segtype, SUM(u.blocks) blocks FROM v$sort_usage u, v$session s WHERE
s.saddr = u.session_addr GROUP BY s.module, u.sqlhash, u.segtype ORDER BY 4 DESC;

-- name: pga_users
SELECT s.sid, s.username, s.sql_id, ROUND(p.pga_used_mem/1048576) pga_used_mb FROM v$process p
JOIN v$session s ON s.paddr = p.addr ORDER BY p.pga_used_mem DESC;

-- name: sort_segments
SELECT inst_id, tablespace_name, total_blocks, used_blocks, free_blocks, free_requests FROM
gv$sort_segment ORDER BY 2, 1;

-- name: tempfiles
SELECT tablespace_name, file_name, bytes/1048576 mb, autoextensible FROM dba_temp_files ORDER BY
1, 2;

-- name: undo_need
SELECT MAX(undoblks/((end_time-begin_time)*86400)) undo_blocks_per_s, MAX(maxquerylen) FROM
v$undostat;

-- name: statistic_by_module
SELECT s.module, SUM(t.value) FROM v$sesstat t, v$statname n, v$session s WHERE n.statistic# =
t.statistic# AND s.sid = t.sid AND n.name = '{}' GROUP BY s.module ORDER BY 2 DESC;

-- name: undo_of_containers
SELECT con_id, tablespace_name FROM cdb_tablespaces WHERE contents = 'UNDO';

-- name: rollback_segments
SELECT status, COUNT(*) FROM dba_rollback_segs GROUP BY status;

-- name: recovering_transactions
SELECT usn, state, undoblocksdone, undoblockstotal, pid FROM v$fast_start_transactions;
