#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check the names we give to the world, in the release build (or the one named):
#   parts       every external symbol starts with bob_ or verb_
#   libbobbin   the shared and the static library have the functions that include/bobbin marks with
#               BOB_API and no other symbols, and no data that can change; no program of ours needs
#               the shared one
#   agent       needs no library, has no undefined symbol but weak ones, and exports exactly what
#               its version script lists
# usage: tools/check_symbols.sh [BUILD_DIR]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
bad=0

complain() {
	echo "check_symbols: $*"
	bad=1
}

libraries=0
for lib in "$build"/lib/libbob*.a; do
	[ -f "$lib" ] || continue
	libraries=$((libraries + 1))
	strange=$(nm -g --defined-only "$lib" 2>/dev/null |
		awk 'NF == 3 && $3 !~ /^(bob_|verb_)/ { print $3 }')
	[ -z "$strange" ] || complain "$lib defines" $strange
done
[ "$libraries" -gt 0 ] || complain "no libraries in $build/lib: build first"

# same_api LIBRARY: the names in the file "has" are those of the headers.
same_api() {
	missing=$(comm -23 "$temporary/api" "$temporary/has")
	extra=$(comm -13 "$temporary/api" "$temporary/has")
	[ -z "$missing" ] || complain "$1 lacks" $missing
	[ -z "$extra" ] || complain "$1 has, and no header declares," $extra
}

api_count=0
shared=$build/lib/libbobbin.so
static=$build/lib/libbobbin.a
if [ -f CMakeLists.txt ] || [ -f "$shared" ]; then
	temporary=$(mktemp -d)
	trap 'rm -rf "$temporary"' EXIT
	# What the compiler makes of BOB_API, so that the list of the build is checked by another.
	for header in include/bobbin/*.h; do
		echo "#include \"$header\""
	done | gcc -E -P -I. -Iinclude - | tr -s ' \n' '  ' |
		grep -o 'visibility("default"))) [^;({]*[ *]bob_[a-z0-9_]* *(' |
		sed 's/.*[ *]\(bob_[a-z0-9_]*\) *($/\1/' | sort -u >"$temporary/api"
	api_count=$(wc -l <"$temporary/api")
	[ "$api_count" -gt 0 ] || complain "include/bobbin declares no function"
	# Type A is the name of the version itself.
	nm -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
		sort -u >"$temporary/has"
	same_api "$shared"
	nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | sort -u >"$temporary/has"
	same_api "$static"
	[ "$(ar t "$static" | wc -l)" -eq 1 ] || complain "$static is not one object"
	changing=$(objdump -h "$static" |
		awk '$2 ~ /^\.(data|bss|tdata|tbss)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0*$/ {
			print $2 }')
	[ -z "$changing" ] || complain "$static has data that can change, in" $changing
	readelf -dW "$shared" | grep -q 'SONAME.*\[libbobbin\.so\.[0-9.]*\]' ||
		complain "$shared has no SONAME"
	for program in "$build"/bin/bobbin "$build"/lib/bobbin/*; do
		! readelf -dW "$program" 2>/dev/null | grep -q 'NEEDED.*libbobbin\.so' ||
			complain "$program needs libbobbin.so"
	done
fi

agent=$build/lib/bobbin/libbobbin-agent.so
if ls src/agent/*.c >/dev/null 2>&1 && [ ! -f "$agent" ]; then
	complain "there is no $agent"
fi
if [ -f "$agent" ]; then
	needed=$(readelf -dW "$agent" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	[ -z "$needed" ] || complain "the agent needs" $needed
	undefined=$(nm -D --undefined-only "$agent" | awk '$1 != "w" { print $2 }')
	[ -z "$undefined" ] || complain "the agent leaves undefined" $undefined
	if readelf -dW "$agent" | grep -q TEXTREL; then
		complain "the agent has text relocations"
	fi
	exports=$(nm -D --defined-only "$agent" | awk '{ print $3 }' | sed 's/@.*//' | sort -u)
	# The names between "global:" and "local:" of the version script.
	listed=$(cat src/agent/*.map 2>/dev/null |
		sed -e 's,/\*[^*]*\*/,,g' | tr -s ' \t\n{}' '\n' |
		sed -n '/^global:/,/^local:/p' | sed -n 's/;$//p' | sort -u)
	if [ "$exports" != "$listed" ]; then
		complain "the agent exports:" $exports "but its version script lists:" $listed
	fi
fi
[ "$bad" -eq 0 ] &&
	echo "$libraries libraries and the agent keep to their names;" \
		"libbobbin has $api_count functions"
exit "$bad"
