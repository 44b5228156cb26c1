#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Lines executed per file by the unit tests and corpus replays: look at decoders and error branches.
# usage: tools/coverage.sh [PART]
set -eu
cd "$(dirname "$0")/.."
tools/build.sh cov
find build/cov -name '*.gcda' -delete
ctest --test-dir build/cov -L 'unit|fuzz' --output-on-failure >build/cov/tests.log 2>&1 || {
	tail -n 40 build/cov/tests.log
	exit 1
}
cd build/cov
find . -name '*.gcda' | while read -r data; do
	gcov -n "$data" 2>/dev/null
done | awk -v part="${1-}" '
	/^File / {
		name = $2; gsub(/\047/, "", name)
		keep = sub(/.*\/src\//, "", name) && index(name, part) == 1
	}
	/^Lines executed:/ && keep {
		split($2, p, /[:%]/); lines = $4; hit = p[2] / 100 * lines
		if (hit >= best[name]) { best[name] = hit; total[name] = lines }
		keep = 0
	}
	END {
		for (n in total)
			printf "%5.1f %% of %4d  %s\n", 100 * best[n] / total[n], total[n], n
	}' |
	sort -k5
