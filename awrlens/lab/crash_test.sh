#!/bin/sh
# One run of a crash test. Printed by `awrlens recovery plan --script crash`.
#
# THIS CRASHES THE INSTANCE $ORACLE_SID: it kills its process PMON. Use it only on a test system
# with a backup, under the load of the test, as the operating system user who owns the instance.
#
#   ./crash_test.sh 300        samples every 5 s for 300 s, then crashes the instance
#   ./crash_test.sh 300 keep   only samples: the same without the crash
#
# Every run has its own file, awrlens_samples_$ORACLE_SID_<time>.txt: `awrlens recovery samples` reads
# them. A single instance has to be started again afterwards; in RAC another instance recovers at once.
set -eu

: "${ORACLE_SID:?set ORACLE_SID to the instance}"
seconds=${1:?seconds of sampling before the crash}
mode=${2:-crash}
every=5
here=$(dirname "$0")
out="awrlens_samples_${ORACLE_SID}_$(date +%Y%m%dT%H%M%S).txt"

pmon() {
  ps -eo pid=,args= | awk -v name="ora_pmon_$ORACLE_SID" '$2 == name { print $1 }'
}

if [ "$mode" = crash ]; then
  printf 'This kills PMON of %s. Type the name of the instance to go on: ' "$ORACLE_SID"
  read -r answer
  [ "$answer" = "$ORACLE_SID" ] || { echo 'Nothing was done.'; exit 1; }
fi

passed=0
while [ "$passed" -lt "$seconds" ]; do
  sqlplus -s / as sysdba "@$here/sample.sql" >> "$out"
  sleep "$every"
  passed=$((passed + every))
done

[ "$mode" = crash ] || exit 0
process=$(pmon)
[ -n "$process" ] || { echo "PMON of $ORACLE_SID was not found."; exit 1; }
echo "AWRLENS_CRASH;$(date +%Y-%m-%dT%H:%M:%S);$ORACLE_SID" >> "$out"
kill -9 "$process"
