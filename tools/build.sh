#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Configure (once) and build one preset: tools/build.sh [release|dev|asan|...] [target...]
set -eu
cd "$(dirname "$0")/.."
preset=${1:-release}
[ $# -gt 0 ] && shift

if [ ! -f "build/$preset/build.ninja" ]; then
	cmake --preset "$preset" >"/tmp/bobbin-cmake.$$" 2>&1 || {
		cat "/tmp/bobbin-cmake.$$" >&2
		rm -f "/tmp/bobbin-cmake.$$"
		exit 1
	}
	rm -f "/tmp/bobbin-cmake.$$"
fi
[ $# -eq 0 ] && set -- all
exec ninja -C "build/$preset" --quiet "$@"
