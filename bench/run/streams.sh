#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bench/run/streams.sh [DIR]: records real programs with bobbin and leaves the longest stream of
# each in DIR/NAME.sym (default build/streams), at most MAX_SYMBOLS of it. NAME ends with the images
# recorded. What is there already is not made again; a program that is missing is said and left out.
# Then:  build/streams/bench_run build/streams/*.sym   (taskset -c 1 for times)
set -u
cd "$(dirname "$0")/../.." || exit 1
out=$(mkdir -p "${1:-build/streams}" && cd "${1:-build/streams}" && pwd)
bobbin=${BOBBIN:-$PWD/build/release/bin/bobbin}
lib=$PWD/build/release/lib
max=${MAX_SYMBOLS:-8000000}
root=$PWD
progs=$out/programs
mkdir -p "$progs"
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_ess_singleton_isolated=1 OMP_NUM_THREADS=1 BOBBIN_QUIET=1

gcc -std=gnu11 -O2 -Isrc -Iinclude bench/run/symbols.c -o "$out/symbols" \
	-L"$lib" -lbob_archive -lbob_mem -lbob_fold -lbob_run -lbob_base -lzstd || exit 1
# The codec compiled as the agent's is.
mkdir -p "$out/objects"
for f in src/run/*.c src/base/crc.c; do
	gcc -std=gnu11 -O2 -mgeneral-regs-only -fno-tree-vectorize -Isrc -Iinclude -c "$f" \
		-o "$out/objects/$(basename "$f" .c).o" || exit 1
done
gcc -std=gnu11 -O2 -Isrc -Iinclude bench/run/bench_run.c "$out"/objects/*.o \
	-lzstd -lm -o "$out/bench_run" || exit 1

# stream NAME IMAGES COMMAND...: record it, keep the symbols, drop the trace.
stream() {
	name=$1.$2 images=$2
	shift 2
	[ -s "$out/$name.sym" ] && return
	if ! command -v "$1" >/dev/null; then
		echo "$name: no $1 here, left out" >&2
		return
	fi
	"$bobbin" record -q --images="$images" -o "$out/trace" -- "$@" >/dev/null 2>"$out/errors"
	if ! "$out/symbols" "$out/trace" "$max" >"$out/$name.new"; then
		cat "$out/errors" >&2
		return
	fi
	mv "$out/$name.new" "$out/$name.sym"
	rm -rf "$out/trace" "$out/trace.old"
}

kernel() {
	[ -x "$progs/$1" ] || ( cd "$root/bench/calls/kernels" &&
		mpicc -std=gnu11 -O2 -g -I. -Wno-unknown-pragmas frame/frame.c frame/random.c \
			"$1"/*.c -lm -o "$progs/$1" ) || exit 1
}

fortran() {
	k=$1
	shift
	[ -x "$progs/$k" ] || ( cd "$root/bench/calls/kernels" &&
		mpif90 -O2 -g -J"$progs" frame/frame.f90 $(printf "$k/%s.f90 " "$@") \
			-o "$progs/$k" ) || exit 1
}

gcc -O1 -g "$root/bench/run/prog/sort.c" -o "$progs/sort" || exit 1
gcc -O1 -g "$root/bench/run/prog/interpreter.c" -o "$progs/interpreter" || exit 1
g++ -O0 -g "$root/bench/run/prog/containers.cpp" -o "$progs/stl0" || exit 1
g++ -O1 -g "$root/bench/run/prog/containers.cpp" -o "$progs/stl1" || exit 1
"$root/bench/calls/heavy/make_source" 80 >"$progs/source.c"
seq 300000 | sort -R --random-source="$root/LICENSE" >"$progs/lines"

stream sqlite3 app sqlite3 :memory: ".read $root/bench/calls/heavy/sqlite.sql"
stream python3 main /usr/bin/python3 "$root/bench/calls/heavy/script.py"
stream cc1 main "$(gcc -print-prog-name=cc1)" -quiet -O2 "$progs/source.c" -o /dev/null
stream cc1plus main "$(gcc -print-prog-name=cc1plus)" -quiet -O1 \
	"$root/bench/run/prog/containers.cpp" -o /dev/null
stream ls all ls -lR /usr/lib/python3
stream sort all sort "$progs/lines"
stream grep all grep -c '1.*2.*3' "$progs/lines"
stream perl all perl -e \
	'for (1..60000) { $h{$_ % 977} .= sprintf("%x", $_); } print join(",", sort keys %h)'
stream lua app lua5.4 "$root/bench/run/prog/script.lua"
stream gzip main gzip -c "$progs/lines"
stream bash main bash "$root/bench/run/prog/script.bash"
stream stl0 main "$progs/stl0"
stream stl1 main "$progs/stl1"
stream qsort main "$progs/sort"
stream interpreter main "$progs/interpreter"
for k in cg ep ft is mg sp; do
	kernel $k
	stream $k main "$progs/$k" S
done
fortran lu field block sweep norm main
fortran bt field block line change main
stream lu main "$progs/lu" S
stream bt main "$progs/bt" S
stream cg all "$progs/cg" S
stream mg all "$progs/mg" S
( cd "$progs" && cp -n /usr/share/doc/hpcc/examples/_hpccinf.txt hpccinf.txt 2>/dev/null )
cd "$progs" && stream hpcc main mpirun -q --oversubscribe -n 4 hpcc
