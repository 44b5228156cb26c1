# SPDX-License-Identifier: BSD-3-Clause
# A shell's work: traps, functions, pipelines, subshells, jobs, here documents.
trap 'echo usr1' USR1
trap 'echo exit' EXIT
kill -USR1 $$
f() { if [ "$1" -lt 2 ]; then echo "$1"; else echo $(($(f $(($1 - 1))) + $(f $(($1 - 2))))); fi; }
f 5
seq 1 2000 | sort -n | tail -n 3 | tr '\n' ' '
echo
(exit 4)
echo $?
yes | head -n 2
false | true
echo $?
cat <<X | wc -l
a
b
X
for i in 1 2 3; do (exit $i) & done
wait
sh -c 'kill -TERM $$'
echo $?
exit 3
