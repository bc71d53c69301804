#!/bin/sh
# Records this machine while a command runs, and reports what was found.
#
#     record-and-report.sh OUT -- COMMAND [ARGUMENT...]
#
# In OUT, which must not hold a capture yet: capture.rcap, report.html, report.md, report.junit.xml, report.json.
#
#     RECOUNT    the command                                        recount
#     INTERVAL   from sample to sample                              1s
#     FAIL_ON    severity from which findings fail: warning or      critical
#                critical
#     RULES      rule sets by name, and files, with spaces between   those that recount takes by itself
#
# COMMAND finds the capture in RECOUNT_CAPTURE, for `recount mark "$RECOUNT_CAPTURE" "second phase"`.
#
# Exit codes: 0 fine; 1 findings; 2 failed: no recording, no report, or COMMAND failed, so that there was no load to judge; 3 no findings,
# but parts of the capture could not be read.
set -eu

failed() {
    echo "record-and-report: $*" >&2
    exit 2
}

if [ $# -lt 3 ] || [ "$2" != -- ]; then
    failed "expected OUT -- COMMAND [ARGUMENT...]"
fi
recount=${RECOUNT:-recount}
out=$1
shift 2
command -v "$recount" >/dev/null || failed "$recount: no such command: set RECOUNT to its path"
mkdir -p "$out" || failed "$out: cannot make the folder"
[ ! -e "$out/capture.rcap" ] || failed "$out/capture.rcap already exists: give each run a directory of its own"
RECOUNT_CAPTURE=$(cd "$out" && pwd)/capture.rcap
export RECOUNT_CAPTURE

# `recount record` ends with the exit code of the command, and with 2 of its own. The command writes its own down, so that the two
# can't be taken for each other.
rm -f "$out/command.status"
status=0
# shellcheck disable=SC2016 # The inner shell is to expand it.
"$recount" record --quiet --output "$RECOUNT_CAPTURE" --interval "${INTERVAL:-1s}" -- \
    sh -c 'file=$1; shift; status=0; "$@" || status=$?; echo "$status" >"$file"; exit "$status"' sh "$out/command.status" "$@" ||
    status=$?
[ -s "$out/command.status" ] || failed "recount record: exit code $status before the command had ended"
command_status=$(cat "$out/command.status")
[ "$status" -eq "$command_status" ] || failed "recount record: exit code $status, though the command ended with $command_status"

# A load test that failed is reported, too: then one wants to know most.
set -- "$RECOUNT_CAPTURE" --output "$out/report.html" --markdown "$out/report.md" \
    --junit "$out/report.junit.xml" --json "$out/report.json" --fail-on "${FAIL_ON:-critical}"
for rules in ${RULES-}; do
    set -- "$@" --rules "$rules"
done
status=0
"$recount" report --quiet "$@" || status=$?
case $status in
0 | 1 | 3) ;;
*) failed "recount report: exit code $status" ;;
esac
for written in report.html report.md report.junit.xml report.json; do
    [ -s "$out/$written" ] || failed "recount report: exit code $status, but $out/$written isn't there"
done

[ "$command_status" -eq 0 ] || failed "the command failed with exit code $command_status; $out/report.md has what was found meanwhile"
case $status in
1) echo "record-and-report: findings from ${FAIL_ON:-critical} on: $out/report.md" >&2 ;;
3) echo "record-and-report: no findings, but parts of the capture could not be read: $out/report.md" >&2 ;;
esac
exit "$status"
