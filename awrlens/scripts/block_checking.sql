-- THIS SCRIPT CHANGES DATA AND SETTINGS. It creates the tables awrlens_bc_rows and awrlens_bc_copy
-- in your schema, changes rows of them, sets DB_BLOCK_CHECKSUM and DB_BLOCK_CHECKING of the whole
-- instance in memory (SCOPE=MEMORY), restores both, and drops the tables. Run it on a clone of the
-- database that nobody else uses. It does nothing until clone_name is the name of that database.
--
-- Purpose: the cost of block checking and checksums on your system, by the procedure of "Block
-- Checking Overhead": select all rows of a table one by one, insert 1 of 30 into another table,
-- update 1 of 30 by its key, delete 1 of 60; four pairs of settings, five runs each. The settings
-- take turns, so that a drift of the system affects all of them; each run is rolled back.
-- The safest way to measure is Database Replay (Real Application Testing) of a captured load on the
-- clone, once with each pair of settings: it has your own mix of SQL.
--
--   1. Set source_table, key_column (unique, not null), update_column and clone_name below.
--      Your own mix: insert_every, update_every and delete_every (selects per statement).
--   2. sqlplus USER @block_checking.sql            (needs ALTER SYSTEM and CREATE TABLE; hours)
--   3. awrlens integrity --measured awrlens_block_checking.lst [REPORT]

DEFINE clone_name = 'NONE'
DEFINE source_table = 'h_lineitem'
DEFINE key_column = 'l_id'
DEFINE update_column = 'l_comment'
DEFINE row_limit = '1000000'
DEFINE runs = '5'
DEFINE insert_every = '30'
DEFINE update_every = '30'
DEFINE delete_every = '60'

SET ECHO OFF VERIFY OFF FEEDBACK OFF HEADING OFF PAGESIZE 0 LINESIZE 200 TRIMSPOOL ON TAB OFF
SET SERVEROUTPUT ON SIZE UNLIMITED FORMAT WRAPPED
WHENEVER SQLERROR EXIT SQL.SQLCODE ROLLBACK

DECLARE
    here VARCHAR2(128);
    existing PLS_INTEGER;
BEGIN
    SELECT sys_context('USERENV', 'DB_NAME') INTO here FROM dual;
    SELECT COUNT(*) INTO existing FROM user_tables WHERE table_name IN ('AWRLENS_BC_ROWS', 'AWRLENS_BC_COPY');
    IF existing > 0 THEN
        raise_application_error(-20002, 'Nothing was done: AWRLENS_BC_ROWS or AWRLENS_BC_COPY exists. Drop what an earlier run left.');
    END IF;
    IF UPPER('&clone_name') <> UPPER(here) THEN
        raise_application_error(-20001, 'Nothing was done: this database is ' || here || '. If it is a clone that nobody uses, set clone_name to its name.');
    END IF;
END;
/

CREATE TABLE awrlens_bc_rows AS SELECT * FROM &source_table WHERE ROWNUM <= &row_limit;

-- from here on, the tables are dropped also after an error
WHENEVER SQLERROR CONTINUE

CREATE UNIQUE INDEX awrlens_bc_key ON awrlens_bc_rows (&key_column);
CREATE TABLE awrlens_bc_copy AS SELECT * FROM awrlens_bc_rows WHERE 1 = 0;

SPOOL awrlens_block_checking.lst

DECLARE
    TYPE t_names IS TABLE OF VARCHAR2(20) INDEX BY PLS_INTEGER;
    checksums t_names;
    checkings t_names;
    checksum_before VARCHAR2(20);
    checking_before VARCHAR2(20);
    existing PLS_INTEGER;

    PROCEDURE set_checks(checksum IN VARCHAR2, checking IN VARCHAR2) IS
    BEGIN
        EXECUTE IMMEDIATE 'ALTER SYSTEM SET db_block_checksum = ' || checksum || ' SCOPE = MEMORY';
        EXECUTE IMMEDIATE 'ALTER SYSTEM SET db_block_checking = ' || checking || ' SCOPE = MEMORY';
    END set_checks;

    FUNCTION seconds_since(begun IN TIMESTAMP WITH TIME ZONE) RETURN NUMBER IS
        took INTERVAL DAY TO SECOND;
    BEGIN
        took := systimestamp - begun;
        RETURN EXTRACT(MINUTE FROM took) * 60 + EXTRACT(SECOND FROM took);
    END seconds_since;

    PROCEDURE measure(run_number IN PLS_INTEGER, checksum IN VARCHAR2, checking IN VARCHAR2) IS
        one_row awrlens_bc_rows%ROWTYPE;
        begun TIMESTAMP WITH TIME ZONE;
        selects PLS_INTEGER := 0;
        inserts PLS_INTEGER := 0;
        updates PLS_INTEGER := 0;
        deletes PLS_INTEGER := 0;
        select_s NUMBER := 0;
        insert_s NUMBER := 0;
        update_s NUMBER := 0;
        delete_s NUMBER := 0;
    BEGIN
        FOR each_key IN (SELECT &key_column AS id FROM awrlens_bc_rows ORDER BY &key_column) LOOP
            begun := systimestamp;
            SELECT * INTO one_row FROM awrlens_bc_rows WHERE &key_column = each_key.id;
            select_s := select_s + seconds_since(begun);
            selects := selects + 1;
            IF MOD(selects, &insert_every) = 0 THEN
                begun := systimestamp;
                INSERT INTO awrlens_bc_copy VALUES one_row;
                insert_s := insert_s + seconds_since(begun);
                inserts := inserts + 1;
            END IF;
            IF MOD(selects, &update_every) = 0 THEN
                begun := systimestamp;
                UPDATE awrlens_bc_rows SET &update_column = &update_column WHERE &key_column = each_key.id;
                update_s := update_s + seconds_since(begun);
                updates := updates + 1;
            END IF;
            IF MOD(selects, &delete_every) = 0 THEN
                begun := systimestamp;
                DELETE FROM awrlens_bc_rows WHERE &key_column = each_key.id;
                delete_s := delete_s + seconds_since(begun);
                deletes := deletes + 1;
            END IF;
        END LOOP;
        ROLLBACK;
        IF run_number > 0 THEN
            dbms_output.put_line(
                'AWRLENS|block_checking|run|' || run_number || ';' || checksum || ';' || checking
                || ';' || selects || ';' || inserts || ';' || updates || ';' || deletes
                || ';' || TO_CHAR(select_s, 'FM99999990.000', 'NLS_NUMERIC_CHARACTERS=''.,''')
                || ';' || TO_CHAR(insert_s, 'FM99999990.000', 'NLS_NUMERIC_CHARACTERS=''.,''')
                || ';' || TO_CHAR(update_s, 'FM99999990.000', 'NLS_NUMERIC_CHARACTERS=''.,''')
                || ';' || TO_CHAR(delete_s, 'FM99999990.000', 'NLS_NUMERIC_CHARACTERS=''.,''')
            );
        END IF;
    END measure;
BEGIN
    checksums(1) := 'TYPICAL';
    checkings(1) := 'FALSE';
    checksums(2) := 'TYPICAL';
    checkings(2) := 'LOW';
    checksums(3) := 'TYPICAL';
    checkings(3) := 'MEDIUM';
    checksums(4) := 'FULL';
    checkings(4) := 'MEDIUM';
    SELECT COUNT(*) INTO existing FROM user_indexes WHERE index_name = 'AWRLENS_BC_KEY';
    IF existing = 0 THEN
        raise_application_error(-20003, 'Nothing was measured: &key_column is not unique in the rows.');
    END IF;
    SELECT value INTO checksum_before FROM v$parameter WHERE name = 'db_block_checksum';
    SELECT value INTO checking_before FROM v$parameter WHERE name = 'db_block_checking';
    dbms_output.put_line('awrlens block checking 1');
    -- run 0 fills the cache and is not counted
    FOR run_number IN 0 .. &runs LOOP
        FOR pair IN 1 .. 4 LOOP
            set_checks(checksums(pair), checkings(pair));
            measure(run_number, checksums(pair), checkings(pair));
        END LOOP;
    END LOOP;
    set_checks(checksum_before, checking_before);
    dbms_output.put_line('awrlens block checking ends');
EXCEPTION
    WHEN OTHERS THEN
        ROLLBACK;
        IF checking_before IS NOT NULL THEN
            set_checks(checksum_before, checking_before);
        END IF;
        RAISE;
END;
/

SPOOL OFF
DROP TABLE awrlens_bc_copy PURGE;
DROP TABLE awrlens_bc_rows PURGE;

EXIT
