#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The judge is judged: dumps written here from a log, right and wrong ones, go through the parser
and the comparison of the ground-truth tests. Needs no launcher."""

import pathlib
import re
import sys
import types

import harness as h
import truth

suite = h.Suite("truth")

TREE = [
    ("t_a", 0),
    ("t_b", 1),
    ("t_c", 2),
    ("t_b", 1),
    ("t_c", 2),
    ("t_c", 2),
    ("t_a", 0),
    ("t_b", 1),
]


def log(threads, handler=None, may_skip=()):
    return types.SimpleNamespace(
        threads=threads,
        handler=handler,
        may_skip=set(may_skip),
        without=lambda names: [truth.remove(t, names) for t in threads] if names else threads,
    )


def text(events, library=0, first="thread 0.0"):
    """The dump of a tree, with `library` other frames around every t_ frame."""
    lines, stack, number = [first], [], 0

    def close(to):
        while len(stack) > to:
            name = stack.pop()
            lines.append(f"{number} < {len(stack)} {name}")

    for name, depth in events:
        close(depth * (library + 1))
        for k in range(library):
            lines.append(f"{number} > {len(stack)} libc.so.6!frame{k}")
            stack.append(f"libc.so.6!frame{k}")
            number += 1
        lines.append(f"{number} > {len(stack)} prog!{name}")
        stack.append(f"prog!{name}")
        number += 1
    close(0)
    return "\n".join(lines) + "\n"


def judge(the_log, dumped):
    return truth.compare(the_log, h.parse_dump(dumped.encode()))


def rejects(the_log, dumped, why):
    try:
        judge(the_log, dumped)
    except h.Failure as e:
        h.check(why in str(e), f"rejected for another reason: {e}")
        return
    raise h.Failure("accepted a wrong trace")


@suite.case("a right trace is accepted, with any frames between")
def _():
    for library in range(3):
        judge(log([TREE]), text(TREE, library))


@suite.case("every single wrong depth, name, loss and repetition is found")
def _():
    for i, (name, depth) in enumerate(TREE):
        wrong = TREE[:i] + [("t_x", depth)] + TREE[i + 1 :]
        rejects(log([TREE]), text(wrong), "entries wrong")
        rejects(log([TREE]), text(TREE[:i] + TREE[i + 1 :]), "")
        rejects(log([TREE]), text(TREE[:i] + [TREE[i]] + TREE[i:]), "entries wrong")
        before = TREE[i - 1][1] if i else -1
        for other in set(range(0, before + 2)) - {depth}:
            rejects(log([TREE]), text(TREE[:i] + [(name, other)] + TREE[i + 1 :]), "")


@suite.case("a dump that contradicts itself is found")
def _():
    good = text(TREE, 1).splitlines()
    for i, line in enumerate(good):
        word = line.split()
        if len(word) == 4:
            word[2] = str(int(word[2]) + 1)
            bad = "\n".join([*good[:i], " ".join(word), *good[i + 1 :]])
            rejects(log([TREE]), bad, "contradicts itself")
    rejects(log([TREE]), "thread 0.0\nnonsense\n", "not understood")


@suite.case("threads may be numbered in any order but the first")
def _():
    a, b = TREE, [("t_z", 0)]
    both = text(a) + text(TREE[:3], 0, "thread 0.1") + text(b, 0, "thread 0.2")
    judge(log([a, b, TREE[:3]]), both)
    rejects(log([a, b]), both, "threads logged")
    rejects(log([b, a, TREE[:3]]), both, "entries wrong")


@suite.case("stacks: coroutines count on their own, handlers on the interrupted stack")
def _():
    dumped = """thread 0.0
0 > 0 p!main
1 > 1 p!t_a
2 > 0 p!t_co !stack 1
3 > 1 p!t_leaf
3 < 1 p!t_leaf
4 > 2 p!t_b !stack 0
5 > 1 p!t_leaf !stack 1
6 > 0 p!t_h !signal !stack 2
6 < 0 p!t_h
7 > 1 p!t_a2 !stack 0
"""
    want = [("t_a", 0), ("t_co", 0), ("t_leaf", 1), ("t_b", 1), ("t_leaf", 1), ("t_h", 2)]
    rejects(log([want]), dumped, "contradicts itself")  # t_a2 at depth 1 beside an open t_a
    dumped = dumped.replace("7 > 1 p!t_a2 !stack 0", "7 > 3 p!t_a2 !stack 0")
    judge(log([want + [("t_a2", 2)]]), dumped)


@suite.case("handlers at unforeseen moments: one record and one level of freedom, no more")
def _():
    want = [("t_a", 0), ("t_b", 1), ("t_h", 2), ("t_i", 3), ("t_c", 2), ("t_a", 0)]
    near = [("t_a", 0), ("t_h", 1), ("t_i", 2), ("t_b", 1), ("t_c", 2), ("t_a", 0)]
    deeper = [("t_a", 0), ("t_b", 1), ("t_c", 2), ("t_h", 3), ("t_i", 4), ("t_a", 0)]
    far = [("t_a", 0), ("t_b", 1), ("t_c", 2), ("t_a", 0), ("t_h", 1), ("t_i", 2)]
    flat = [("t_a", 0), ("t_b", 1), ("t_h", 2), ("t_i", 2), ("t_c", 2), ("t_a", 0)]
    judge(log([want], "t_h"), text(want))
    judge(log([want], "t_h"), text(deeper))
    for wrong in (near, far, flat, want[:2] + want[4:]):
        rejects(log([want], "t_h"), text(wrong), "handler")


@suite.case("small functions may be missing always, never sometimes")
def _():
    small = log([TREE], may_skip=["t_c"])
    judge(small, text(TREE))
    note = judge(small, text([e for e in TREE if e[0] != "t_c"]))
    h.check("t_c" in note, "not said aloud")
    rejects(small, text(TREE[:2] + TREE[3:]), "entries wrong")


@suite.case("names: clones, Fortran modules, prototypes")
def _():
    for symbol, name in {
        "t_f": "t_f",
        "t_f.constprop.0": "t_f",
        "t_f.isra.0": "t_f",
        "t_inner.2": "t_inner",
        "__work_MOD_t_apply": "t_apply",
        "t_f_": "t_f",
        "t_less(int, t_thing)": "t_less",
        "sort_t_f": None,
        "main": None,
        "std::function<int t_x>": None,
        "t_sorts::{lambda(int)#1}::operator()(int) const": None,
        "t_f[abi:cxx11](int)": None,
        "prog+0x1234": None,
    }.items():
        got = truth.plain(symbol)
        h.check(got == name, f"{symbol}: {got}, not {name}")


@suite.case("pairs: every allowed pair occurs")
def _():
    factors = {"a": [1, 2, 3], "b": "xyz", "c": [True, False], "d": "pqrs"}

    def allowed(row):
        return not (row.get("a") == 1 and row.get("b") == "z")

    rows = h.all_pairs(factors, allowed)
    for f in factors:
        for g in factors:
            if f < g:
                for v in factors[f]:
                    for w in factors[g]:
                        if allowed({f: v, g: w}):
                            there = any(r[f] == v and r[g] == w for r in rows)
                            h.check(there, f"{f}={v} with {g}={w} is missing")
    h.check(len(rows) < 30 and all(allowed(r) for r in rows), f"{len(rows)} rows")


@suite.case("a suite that ends takes nothing away from those beside it")
def beside():
    first = h.fresh("beside")
    other = h.ROOT / "tests" / "e2e"
    r = h.run([sys.executable, "-c", f"import sys; sys.path.insert(0, '{other}')\n"
               f"import harness as h\ns = h.Suite('other')\n"
               "s.add('one', lambda: str(h.fresh('other')))\nsys.exit(s.run([]))"],
              env=h.environment({"BOB_TEST_DIR": str(h.WORK)}))
    h.check(r.status == 0 and b"1 passed" in r.out, f"{r}")
    h.check(first.is_dir(), "it took ours")
    its = pathlib.Path(re.search(r"ok +one: (\S+) ", r.out.decode())[1])
    h.check(its.parent == first.parent and not its.exists(), f"it left {its}")


if __name__ == "__main__":
    sys.exit(suite.run())
