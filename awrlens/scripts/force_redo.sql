-- THIS SCRIPT CHANGES DATA. It creates the table awrlens_redo in your schema, copies rows of a
-- table into it one by one, commits every few rows, and drops the table. Its redo goes to the redo
-- logs, the archive and every standby of the database. Run it on a test system, never in production.
--
-- Purpose: redo writes for a comparison of devices ("Write Accelerator", figure 3, corrected: the
-- procedure printed there does not compile). The document copied 48,220,000 rows with a commit
-- after every 9 (i from 1 to 10): 18.7 ms per redo write on disks, 0.104 ms on the accelerator.
--
--   1. Set source_table and row_limit below, and confirm to YES.
--   2. Take a snapshot: EXECUTE statspack.snap, or with the Diagnostics Pack
--      EXECUTE dbms_workload_repository.create_snapshot
--   3. sqlplus USER @force_redo.sql
--   4. Take a second snapshot, write the report, and give it to `awrlens analyze`.
--   5. Move the redo logs, repeat, and run `awrlens compare BEFORE AFTER`.
--
-- The source table must not have virtual or identity columns.

DEFINE confirm = 'NO'
DEFINE source_table = 'h_lineitem'
DEFINE row_limit = '1000000'
DEFINE rows_per_commit = '9'

SET ECHO OFF VERIFY OFF FEEDBACK ON SERVEROUTPUT ON
WHENEVER SQLERROR EXIT SQL.SQLCODE ROLLBACK

BEGIN
    IF '&confirm' <> 'YES' THEN
        raise_application_error(-20001, 'Nothing was done: this script writes redo and creates awrlens_redo. Set confirm to YES.');
    END IF;
END;
/

CREATE TABLE awrlens_redo AS SELECT * FROM &source_table WHERE 1 = 0;

-- from here on, the table is dropped also after an error
WHENEVER SQLERROR CONTINUE

DECLARE
    CURSOR source_rows IS SELECT * FROM &source_table WHERE ROWNUM <= &row_limit;
    pending PLS_INTEGER := 0;
    total PLS_INTEGER := 0;
    begun NUMBER;
    writes NUMBER;
    write_cs NUMBER;
    redo_size NUMBER;

    FUNCTION counted(statistic IN VARCHAR2) RETURN NUMBER IS
        found NUMBER;
    BEGIN
        SELECT value INTO found FROM v$sysstat WHERE name = statistic;
        RETURN found;
    END counted;
BEGIN
    begun := dbms_utility.get_time;
    writes := counted('redo writes');
    write_cs := counted('redo write time');
    redo_size := counted('redo size');
    FOR source_row IN source_rows LOOP
        INSERT INTO awrlens_redo VALUES source_row;
        total := total + 1;
        pending := pending + 1;
        IF pending >= &rows_per_commit THEN
            COMMIT;
            pending := 0;
        END IF;
    END LOOP;
    COMMIT;
    writes := counted('redo writes') - writes;
    write_cs := counted('redo write time') - write_cs;
    redo_size := counted('redo size') - redo_size;
    dbms_output.put_line(total || ' rows in ' || (dbms_utility.get_time - begun) / 100 || ' s');
    dbms_output.put_line(ROUND(redo_size / 1048576) || ' MB of redo in ' || writes || ' redo writes');
    IF writes > 0 THEN
        dbms_output.put_line('redo write time / redo writes: ' || ROUND(write_cs * 10 / writes, 3) || ' ms');
    END IF;
END;
/

DROP TABLE awrlens_redo PURGE;

EXIT
