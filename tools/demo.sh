#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make demo: record unmodified third-party programs, and print what was found.
# Act one: Debian's sqlite3 and a python3 script. Act two: the HPC Challenge under Open MPI.
# The traces are left in build/demo; look at them with the commands this prints.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
bobbin=$PWD/build/release/bin/bobbin
traces=$PWD/build/demo
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$traces"
mkdir -p "$traces"
cd "$work"

# say COMMAND...: print the command as a person would type it, then run it.
say() {
	printf '\n$ %s\n' "$*" | sed "s,$bobbin,bobbin,g; s,$traces/,,g"
	"$@"
}

# look DIR: what the README promises to see of one trace.
look() {
	say "$bobbin" report "$1" 2>&1 | head -n 24
	say "$bobbin" show "$1" 2>&1 | cut -c1-100 | head -n "${2:-30}"
	say "$bobbin" info "$1" 2>&1 | grep -E '^(what|calls|size|  +calls)'
	events=$("$bobbin" info --json "$1" 2>/dev/null |
		sed -n 's/^ *"events": *\([0-9]*\).*/\1/p' | head -n 1)
	if [ "${events:-0}" -eq 0 ]; then
		echo "demo: nothing was recorded in $1; bobbin check says:" >&2
		"$bobbin" check "$1" >&2 || true
		exit 1
	fi
}

cat >script.sql <<'SQL'
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
INSERT INTO item SELECT i, 'item ' || i, (i * 37 % 1000) / 10.0 FROM n;
CREATE INDEX by_price ON item(price);
SELECT count(*), round(avg(price), 2), max(price) FROM item WHERE price > 50;
SELECT name, price FROM item ORDER BY price DESC, id LIMIT 3;
SQL
cat >script.py <<'PY'
import json, re
words = re.findall(r"[a-z]+", " ".join(f"thread {i} winds bobbin {i * i}" for i in range(2000)))
counts = {}
for word in words:
    counts[word] = counts.get(word, 0) + 1
print(json.dumps(counts, sort_keys=True))
PY

echo "== Act one: sqlite3 and python3, as Debian ships them"
say "$bobbin" record -o "$traces/sqlite.bobbin" -- sqlite3 demo.db ".read script.sql"
look "$traces/sqlite.bobbin"
say "$bobbin" record -o "$traces/python.bobbin" -- /usr/bin/python3 script.py
look "$traces/python.bobbin"

echo
echo "== Act two: the HPC Challenge benchmark on two MPI ranks"
# Open MPI refuses root and busy-waits on machines with few cores by default.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
sed -e "s/@N@/200/; s/@P@/1/" "$root/tools/hpccinf.txt" >hpccinf.txt
say mpirun.openmpi --oversubscribe --mca mpi_yield_when_idle 1 -n 2 \
	"$bobbin" record -o "$traces/hpcc.bobbin" -- hpcc
grep -E '^(HPL_Tflops|StarSTREAM_Triad|Success)=' hpccoutf.txt
look "$traces/hpcc.bobbin" 40

printf '\nThe traces are in build/demo; for example:\n'
printf '    build/release/bin/bobbin show build/demo/hpcc.bobbin\n'
