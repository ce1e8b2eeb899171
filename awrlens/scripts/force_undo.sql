-- THIS SCRIPT CHANGES DATA. It creates the table awrlens_undo in your schema, inserts rows of a
-- table into it one by one, rolls back every 999 rows, and drops the table. It fills the undo
-- tablespace and writes redo. Run it on a test system, never in production.
--
-- Purpose: undo writes for a comparison of devices ("Write Accelerator", figure 10, corrected: the
-- procedure printed there inserts a record that it does not declare). The document inserted
-- 48,202,000 rows with 999 rows per rollback: 35.4 of 38.1 blocks written per second were undo.
--
--   1. Set source_table and row_limit below, and confirm to YES.
--   2. Take a snapshot: EXECUTE statspack.snap, or with the Diagnostics Pack
--      EXECUTE dbms_workload_repository.create_snapshot
--   3. sqlplus USER @force_undo.sql, and `awrlens sql io-timing` in a second session
--   4. Take a second snapshot, write the report, and give it to `awrlens analyze`.
--   5. Move the undo tablespace, repeat, and run `awrlens compare BEFORE AFTER`.
--
-- With rows_per_rollback = 0 nothing is rolled back until the end: the load of figure 18.

DEFINE confirm = 'NO'
DEFINE source_table = 'h_lineitem'
DEFINE row_limit = '1000000'
DEFINE rows_per_rollback = '999'

SET ECHO OFF VERIFY OFF FEEDBACK ON SERVEROUTPUT ON
WHENEVER SQLERROR EXIT SQL.SQLCODE ROLLBACK

BEGIN
    IF '&confirm' <> 'YES' THEN
        raise_application_error(-20001, 'Nothing was done: this script writes undo and creates awrlens_undo. Set confirm to YES.');
    END IF;
END;
/

CREATE TABLE awrlens_undo AS SELECT * FROM &source_table WHERE 1 = 0;

-- from here on, the table is dropped also after an error
WHENEVER SQLERROR CONTINUE

DECLARE
    CURSOR source_rows IS SELECT * FROM &source_table WHERE ROWNUM <= &row_limit;
    pending PLS_INTEGER := 0;
    total PLS_INTEGER := 0;
    rollbacks PLS_INTEGER := 0;
    begun NUMBER;
    undo_blocks NUMBER;

    FUNCTION counted(statistic IN VARCHAR2) RETURN NUMBER IS
        found NUMBER;
    BEGIN
        SELECT value INTO found FROM v$sysstat WHERE name = statistic;
        RETURN found;
    END counted;
BEGIN
    begun := dbms_utility.get_time;
    undo_blocks := counted('DBWR undo block writes');
    FOR source_row IN source_rows LOOP
        INSERT INTO awrlens_undo VALUES source_row;
        total := total + 1;
        pending := pending + 1;
        IF pending = &rows_per_rollback THEN
            ROLLBACK;
            rollbacks := rollbacks + 1;
            pending := 0;
        END IF;
    END LOOP;
    ROLLBACK;
    undo_blocks := counted('DBWR undo block writes') - undo_blocks;
    dbms_output.put_line(total || ' rows and ' || rollbacks || ' rollbacks in ' || (dbms_utility.get_time - begun) / 100 || ' s');
    dbms_output.put_line(undo_blocks || ' undo blocks written so far; DBWR writes the rest later');
END;
/

DROP TABLE awrlens_undo PURGE;

EXIT
