#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The long tests:
#   - plans of all programs and libraries below /usr, checked by tools/check_plans.py
#   - the torture corpus (CORPUS: options of tests/torture/run.py, default all of it)
#   - end-to-end tests repeated (ROUNDS, default 5), those of calls by --mem, too
#   - those of which make check takes a share, all cases
#   - each fuzz target by libFuzzer, MINUTES (default 120) altogether, starting from its corpus; new
#     inputs and crashes stay in build/fuzz/found. Half of the time is for traces (fuzz.trace), the
#     rest is shared evenly
set -u
cd "$(dirname "$0")/.."
minutes=${MINUTES:-120}
failed=0

echo "-- plans of all programs and libraries below /usr"
tools/check_plans.py /usr || failed=1
echo "-- torture corpus"
# shellcheck disable=SC2086 # a list of options
python3 tests/torture/run.py ${CORPUS-} || failed=1
tools/check.sh --loop "${ROUNDS:-5}" || failed=1
# Of these make check runs a part by --mem.
for script in $(grep -l "^# ctest: memory" tests/e2e/test_*.py); do
	echo "-- $script --mem"
	python3 "$script" --mem || failed=1
done
# Of what these repeat make check runs a share.
for script in $(grep -lE "h\.(LONG|share\()" tests/e2e/test_*.py); do
	echo "-- $script, all cases"
	BOBBIN_TEST_LONG=1 python3 "$script" || failed=1
done
tools/build.sh fuzz || exit 1
targets=$(ls build/fuzz/tests/fuzz.* 2>/dev/null)
others=$(($(echo "$targets" | wc -w) - 1))
[ "$others" -gt 0 ] || { echo "no fuzz targets"; exit 1; }
for target in $targets; do
	name=${target##*/fuzz.}
	found=build/fuzz/found/$name
	mkdir -p "$found"
	seconds=$((minutes * 30 / others))
	corpus=tests/fuzz/corpus/$name
	[ "$name" = trace ] && seconds=$((minutes * 30))
	[ "$name" = verbs ] && corpus=tests/fuzz/corpus/trace
	echo "-- fuzz $name, $seconds s"
	"$target" -max_total_time="$seconds" -malloc_limit_mb=1024 -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix="$found/" -verbosity=0 -print_final_stats=1 \
		"$found" "$corpus" 2>&1 | tail -n 12
	ls "$found"/crash-* "$found"/timeout-* "$found"/oom-* >/dev/null 2>&1 && failed=1
done
exit "$failed"
