#!/bin/sh
# Compares the capture of a new build with the previous build's.
#
#     compare.sh BASE NEW OUT
#
# In OUT: diff.html, diff.md, diff.junit.xml, diff.json.
#
#     RECOUNT      the command                                          recount
#     TOLERANCES   file that says how much worse each counter may get   tolerances.toml beside this script
#     ALIGN        where both captures begin: start, or marker (the     start
#                  first mark)
#
# Exit codes: 0 within the tolerances; 1 a regression; 2 failed, for instance because there is nothing to compare with, or no counter for
# a tolerance; 3 no regression, but parts of the captures could not be read.
set -eu

failed() {
    echo "compare: $*" >&2
    exit 2
}

[ $# -eq 3 ] || failed "expected BASE NEW OUT"
base=$1 new=$2 out=$3
recount=${RECOUNT:-recount}
tolerances=${TOLERANCES:-$(dirname "$0")/tolerances.toml}
command -v "$recount" >/dev/null || failed "$recount: no such command: set RECOUNT to its path"
for input in "$base" "$new" "$tolerances"; do
    [ -r "$input" ] || failed "$input: no such file"
done
mkdir -p "$out" || failed "$out: cannot make the folder"

# What an earlier run left must not be taken for what this one found.
for written in diff.html diff.md diff.junit.xml diff.json; do
    rm -f "$out/$written"
done
status=0
"$recount" diff --quiet "$base" "$new" --align "${ALIGN:-start}" --rules "$tolerances" --html "$out/diff.html" \
    --markdown "$out/diff.md" --junit "$out/diff.junit.xml" --json "$out/diff.json" || status=$?
case $status in
0) ;;
1) echo "compare: a regression: $out/diff.md" >&2 ;;
3) echo "compare: no regression, but parts of the captures could not be read: $out/diff.md" >&2 ;;
*) failed "recount diff: exit code $status" ;;
esac
for written in diff.html diff.md diff.junit.xml diff.json; do
    [ -s "$out/$written" ] || failed "recount diff: exit code $status, but $out/$written isn't there"
done
exit "$status"
