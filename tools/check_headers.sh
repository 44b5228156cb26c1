#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check that every header compiles alone and twice: the installed ones as C11 and as C++17, those of
# the parts as gnu11. Then tests/headers/*: users of the installed headers, in both languages.
set -eu
cd "$(dirname "$0")/.."
warn="-Wall -Wextra -Werror -Wundef -Wstrict-prototypes"
count=0
bad=0

# alone HEADER LANGUAGE COMPILER...
alone() {
	header=$1 language=$2
	shift 2
	count=$((count + 1))
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
		"$@" -x "$language" -fsyntax-only - || {
		echo "check_headers: $header does not compile alone ($*)"
		bad=1
	}
}

for path in include/bobbin/*.h; do
	alone "bobbin/${path##*/}" c gcc -std=c11 -pedantic $warn -Iinclude
	alone "bobbin/${path##*/}" c++ g++ -std=c++17 -Wall -Wextra -Werror -Iinclude
done
# The Valgrind tool needs the headers of Debian's package valgrind.
valgrind="-isystem /usr/include/valgrind -DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1"
valgrind="$valgrind -DVGPV_amd64_linux_vanilla=1"
# The MPI recorder needs an mpi.h.
mpi=$(mpicc -show 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I/-isystem /p' | tr '\n' ' ')
for path in $(find src -name '*.h' ! -path '*/runtime/*' | sort); do
	flags=
	case $path in
	src/valgrind/*)
		[ -d /usr/include/valgrind ] || continue
		flags=$valgrind
		;;
	src/mpi/*)
		[ -n "$mpi" ] || continue
		flags=$mpi
		;;
	src/wrap/opencl*)
		[ -e /usr/include/CL/cl.h ] || continue
		flags=-DCL_TARGET_OPENCL_VERSION=300
		;;
	src/source/c/*)
		[ -d /usr/lib/llvm-14/include/clang-c ] || continue
		flags="-isystem /usr/lib/llvm-14/include"
		;;
	esac
	alone "${path#src/}" c gcc -std=gnu11 $warn -Iinclude -Isrc $flags
done
# What becomes part of instrumented C files (src/source/runtime.h), after these headers. They may be
# in C90.
printf '#include "%s"\n' bobbin/probe.h bobbin/events.h source/c/runtime/probes.h |
	gcc -std=gnu90 -Dinline=__inline__ $warn -Iinclude -Isrc -x c -fsyntax-only - || bad=1
for path in tests/headers/*.c; do
	gcc -std=c11 -pedantic $warn -Iinclude -fsyntax-only "$path" || bad=1
done
for path in tests/headers/*.cc; do
	g++ -std=c++17 -Wall -Wextra -Werror -Iinclude -fsyntax-only "$path" || bad=1
done
[ "$bad" -eq 0 ] && echo "$count headers compile alone"
exit "$bad"
