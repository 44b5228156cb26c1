#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run the tests; the last line is "N passed, N failed" (", N skipped" may follow), the exit status 0
# only if nothing failed and nothing was skipped unannounced.
#   tools/check.sh           everything, in the release and the asan build
#   tools/check.sh --fast    dev build, unit tests, corpus replays and the checks of the tree
#   tools/check.sh --loop N  the end-to-end tests N times, to shake out races
#   tools/check.sh --beside  what runs beside the release build's tests: the asan build and its
#                            tests, the checks of the tree
set -u
cd "$(dirname "$0")/.."
jobs=$(nproc 2>/dev/null || echo 2)
passed=0 failed=0 skipped=0
# A tracer around the tests, or a user's settings, must not change what they see.
unset LD_PRELOAD MAKEFLAGS MAKELEVEL
for name in $(env | sed -n 's/^\(BOBBIN_[A-Z_]*\)=.*/\1/p'); do
	unset "$name"
done

# step NAME COMMAND...: one check that either passes or fails; its output is shown if it fails.
step() {
	name=$1
	shift
	if output=$("$@" 2>&1 </dev/null); then
		passed=$((passed + 1))
		echo "ok      $name"
	else
		failed=$((failed + 1))
		echo "FAILED  $name"
		echo "$output" | tail -n 60
	fi
}

# ctests PRESET RESULT ARGS...: runs the tests of one build in parallel, and counts their results in
# RESULT.xml. Many tests wait for a third of their time, so more of them run than there are
# processors.
ctests() {
	preset=$1
	result=$PWD/build/$preset/$2.xml
	shift 2
	rm -f "$result"
	echo "-- tests of build/$preset"
	ctest --test-dir "build/$preset" -j "$((jobs + (jobs + 1) / 2))" \
		--output-on-failure --no-tests=error --test-output-size-passed 1000000 \
		--output-junit "$result" "$@" </dev/null 2>&1 |
		grep -v -E '^(Internal ctest|Test project| *Start +[0-9]+:)'
	if [ ! -s "$result" ]; then
		failed=$((failed + 1))
		echo "FAILED  no test ran in build/$preset"
		return
	fi
	summary=$(tools/count_tests.py "$result" tests/skips.txt)
	# shellcheck disable=SC2046 # words
	count $(echo "$summary" | head -n 1)
	echo "$summary" | tail -n +2
}

# count PASSED FAILED SKIPPED
count() {
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0}))
}

finish() {
	if [ "$skipped" -gt 0 ]; then
		echo "$passed passed, $failed failed, $skipped skipped"
	else
		echo "$passed passed, $failed failed"
	fi
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
	exit
}

tree_checks() {
	step "includes follow the layers" tools/check_layers.py
	step "headers compile alone, C and C++" tools/check_headers.sh
	step "layout (clang-format)" tools/check_format.py
	step "no machine paths" tools/check_paths.sh
	step "no retired words" tools/check_words.py
	step "no code in string literals" tools/check_literals.py
}

case ${1-} in
--fast)
	step "build dev" tools/build.sh dev
	tree_checks
	ctests dev result -L 'unit|fuzz|build'
	finish
	;;
--loop)
	for i in $(seq "${2:-20}"); do
		echo "-- round $i"
		ctests release result -L e2e
		[ "$failed" -eq 0 ] || finish
	done
	finish
	;;
--beside)
	step "build asan" tools/build.sh asan test_programs
	tree_checks
	step "documents are true to the tree" tools/check_docs.py build/release/bin/bobbin
	step "exported symbols" tools/check_symbols.sh build/release
	ctests asan result -L 'unit|fuzz'
	finish
	;;
esac

# While the tests of the release build wait, they leave processors idle, which the rest uses.
# Tests that measure run when nothing else does.
step "build release" tools/build.sh release
setsid nice -n 5 tools/check.sh --beside >build/beside.log 2>&1 &
beside=$!
trap 'kill -- -$beside 2>/dev/null' EXIT
trap 'exit 1' HUP INT TERM
ctests release result -LE alone
wait "$beside"
trap - EXIT
closing='^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$'
grep -v -E "$closing" build/beside.log
line=$(tail -n 1 build/beside.log | grep -E "$closing") || line="0 1"
# shellcheck disable=SC2046 # words
count $(echo "$line" | tr -cd '0-9 ')
ctests release alone -L alone
finish
