-- I/O of every data file and temporary file over some minutes, with the time per read and per
-- write. Written by `awrlens sql io-timing`; it reads V$FILESTAT and V$TEMPSTAT twice, prints, and
-- changes nothing. Reports before 12.2 have no write time per file ("Write Accelerator", figures 7,
-- 17 and 18, have it from these views). TIMED_STATISTICS must be TRUE.
--
--   sqlplus / as sysdba @io_timing.sql
--   awrlens facts awrlens_io_timing.lst undo      # or temp; placement of files in both
--   cat awrlens_io_timing.lst >> REPORT.txt       # a text report of the same instance, then analyze
--
-- As another user: SELECT on V_$FILESTAT, V_$TEMPSTAT, V_$DATAFILE, V_$TEMPFILE, V_$INSTANCE,
-- V_$DATABASE, DBA_DATA_FILES and DBA_TEMP_FILES, and EXECUTE on DBMS_LOCK before 18c.
-- In RAC run it on each instance; in a multitenant database, in each container.

DEFINE seconds = '600'

SET ECHO OFF VERIFY OFF FEEDBACK OFF HEADING OFF PAGESIZE 0 LINESIZE 400 TRIMSPOOL ON TAB OFF
SET SERVEROUTPUT ON SIZE UNLIMITED FORMAT WRAPPED
WHENEVER SQLERROR EXIT SQL.SQLCODE
SPOOL awrlens_io_timing.lst

DECLARE
    CURSOR file_stats IS
        SELECT f.id, f.filename, f.tablespace_name, f.reads, f.writes, f.read_cs, f.write_cs
        FROM (
            SELECT
                'data ' || s.file# AS id,
                d.name AS filename,
                t.tablespace_name AS tablespace_name,
                s.phyrds AS reads,
                s.phywrts AS writes,
                s.readtim AS read_cs,
                s.writetim AS write_cs
            FROM v$filestat s
            INNER JOIN v$datafile d ON s.file# = d.file#
            LEFT OUTER JOIN dba_data_files t ON s.file# = t.file_id
            UNION ALL
            SELECT
                'temp ' || s.file# AS id,
                d.name AS filename,
                t.tablespace_name AS tablespace_name,
                s.phyrds AS reads,
                s.phywrts AS writes,
                s.readtim AS read_cs,
                s.writetim AS write_cs
            FROM v$tempstat s
            INNER JOIN v$tempfile d ON s.file# = d.file#
            LEFT OUTER JOIN dba_temp_files t ON s.file# = t.file_id
        ) f
        ORDER BY f.id;

    TYPE t_stats IS TABLE OF file_stats%ROWTYPE INDEX BY VARCHAR2(64);
    first_stats t_stats;
    who VARCHAR2(200);
    width PLS_INTEGER := 8;
    reads NUMBER;
    writes NUMBER;

    FUNCTION each_ms(centiseconds IN NUMBER, operations IN NUMBER) RETURN VARCHAR2 IS
    BEGIN
        IF operations > 0 THEN
            RETURN TO_CHAR(centiseconds * 10 / operations, 'FM9999990.000', 'NLS_NUMERIC_CHARACTERS=''.,''');
        END IF;
        RETURN NULL;
    END each_ms;

    PROCEDURE print_row(tablespace_name IN VARCHAR2, filename IN VARCHAR2, a IN VARCHAR2, b IN VARCHAR2, c IN VARCHAR2, d IN VARCHAR2) IS
    BEGIN
        dbms_output.put_line(
            RPAD(COALESCE(tablespace_name, ' '), 30) || ' ' || RPAD(filename, width)
            || LPAD(COALESCE(a, ' '), 12) || LPAD(COALESCE(b, ' '), 12)
            || LPAD(COALESCE(c, ' '), 13) || LPAD(COALESCE(d, ' '), 13)
        );
    END print_row;
BEGIN
    SELECT d.name || '/' || i.instance_name INTO who FROM v$database d CROSS JOIN v$instance i;
    FOR each_file IN file_stats LOOP
        first_stats(each_file.id) := each_file;
        width := GREATEST(width, LENGTH(each_file.filename));
    END LOOP;
    IF dbms_db_version.version >= 18 THEN
        EXECUTE IMMEDIATE 'BEGIN dbms_session.sleep(:seconds); END;' USING &seconds;
    ELSE
        EXECUTE IMMEDIATE 'BEGIN dbms_lock.sleep(:seconds); END;' USING &seconds;
    END IF;
    dbms_output.put_line('IO Timing Analysis  DB/Inst: ' || who);
    dbms_output.put_line('-> From V$FILESTAT and V$TEMPSTAT over &seconds seconds; times are in ms');
    dbms_output.put_line(' ');
    print_row('Tablespace', 'FILENAME', 'PHYRDS', 'PHYWRTS', 'AVE_RD_TIM', 'AVE_WRT_TIM');
    dbms_output.put_line(
        RPAD('-', 30, '-') || ' ' || RPAD('-', width, '-') || ' ' || RPAD('-', 11, '-') || ' '
        || RPAD('-', 11, '-') || ' ' || RPAD('-', 12, '-') || ' ' || RPAD('-', 12, '-')
    );
    FOR each_file IN file_stats LOOP
        IF first_stats.EXISTS(each_file.id) THEN
            reads := each_file.reads - first_stats(each_file.id).reads;
            writes := each_file.writes - first_stats(each_file.id).writes;
            print_row(
                each_file.tablespace_name,
                each_file.filename,
                TO_CHAR(reads),
                TO_CHAR(writes),
                each_ms(each_file.read_cs - first_stats(each_file.id).read_cs, reads),
                each_ms(each_file.write_cs - first_stats(each_file.id).write_cs, writes)
            );
        END IF;
    END LOOP;
    dbms_output.put_line(RPAD(' ', 10) || RPAD('-', 61, '-'));
END;
/

SPOOL OFF
EXIT
