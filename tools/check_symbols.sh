#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check the names we give to the world, in the release build (or the one named):
#   libraries   every external symbol starts with bob_ or verb_
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
[ "$bad" -eq 0 ] && echo "$libraries libraries and the agent keep to their names"
exit "$bad"
