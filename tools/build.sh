#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Configure (once) and build one preset: tools/build.sh [release|dev|asan|...] [target...]
# Two builds of the same preset at a time wait for each other.
set -eu
cd "$(dirname "$0")/.."
preset=${1:-release}
[ $# -gt 0 ] && shift
mkdir -p "build/$preset"
exec 9>"build/$preset/.lock"
flock 9

log=build/$preset/configure.log
if [ ! -f "build/$preset/build.ninja" ] && ! cmake --preset "$preset" >"$log" 2>&1; then
	cat "$log" >&2
	exit 1
fi
[ $# -eq 0 ] && set -- all
# On a terminal ninja's one line of progress is welcome.
quiet=--quiet
[ -t 1 ] && quiet=
ninja -C "build/$preset" $quiet "$@"
