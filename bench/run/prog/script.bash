# SPDX-License-Identifier: BSD-3-Clause
# Functions, arithmetic, arrays and expansions; no other process.
fact() { (( $1 < 2 )) && { r=1; return; }; fact $(( $1 - 1 )); (( r *= $1 )); }
for (( i = 0; i < 3000; i++ )); do
	fact $(( i % 9 + 1 ))
	a[i % 97]=${r#1}${i/2/two}
	case $i in *7) b+=${a[i % 97]:0:3} ;; *) c=$(( c + ${#a[@]} )) ;; esac
done
echo "${#b} $c"
