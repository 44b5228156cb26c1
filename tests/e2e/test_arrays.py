#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Variables of instrumented sources where people read them: bounds in the trace, subscripts,
`bobbin arrays` against counting. The program is tests/prog/source/arrays.c."""

import csv
import io
import re
import sys
from xml.etree import ElementTree

import harness as h

suite = h.Suite("arrays")
SPEC = h.ROOT / "tools" / "spec_decoder.py"


def program():
    return h.compile("arrays", ["source/arrays.c"], "gcc",
                     ["-O2", f"-I{h.ROOT / 'include'}", "-Wall", "-Wextra", "-Werror"])


def record(*argv, status=0, options=()):
    r = h.record([program(), *argv], ["--source", *options])
    h.check(r.status == status, f"{r}")
    h.check_trace(r.trace)
    return r


def shapes(trace):
    """{process: [(variable, what is reported of it)]}, as the reader and the format's text have
    it."""
    reported = {}
    dump = h.bobbin("dump", trace).out
    spec = h.run([sys.executable, SPEC, trace])
    h.check(spec.status == 0 and spec.out == dump, f"the dumps differ\n{spec.err.decode()}")
    for line in dump.decode("latin-1").splitlines():
        if line.startswith("shape "):
            _, process, address, *rest = line.split()
            reported.setdefault(int(process),
                                []).append(((int(address, 16) >> 36) % 8192 - 1, " ".join(rest)))
    return reported


STATIC = [(0, "8 last 0:10 0:6"), (1, "4 first -1:4 1:3"), (2, "4 last 0:60"), (3, "8 last"),
          (5, "8 first 0:60")]
GROWN = [(4, f"8 first 1:5 1:{m}") for m in (2, 3, 4)]


@suite.case("bounds are reported once, those of the source first")
def bounds():
    h.check(shapes(record().trace) == {0: STATIC + GROWN}, "shapes")


@suite.case("in a trace that is not folded; folding keeps them")
def bounds_fold():
    r = record(options=["--codec=none"])
    h.check(shapes(r.trace) == {0: STATIC + GROWN}, "shapes")
    f = h.bobbin("fold", r.trace)
    h.check(f.status == 0, f"{f}")
    h.check(shapes(r.trace) == {0: STATIC + GROWN}, "folded")


@suite.case("at most 16 of a variable")
def bounds_many():
    want = [(4, f"8 first 1:{1 + k} 1:{2 + k}") for k in range(16)]
    h.check(shapes(record("many").trace) == {0: STATIC + want}, "shapes")


@suite.case("a child of fork begins with its parent's; merging keeps them")
def bounds_fork():
    r = record("fork")
    child = r.out.strip()
    want = {0: STATIC, 1: STATIC + GROWN}
    h.check(child and shapes(r.trace) == want, f"{shapes(r.trace)}")
    m = h.bobbin("merge", r.trace)
    h.check(m.status == 0 and (r.trace / "trace.bob").exists(), f"{m}")
    h.check(shapes(r.trace) == want, f"merged: {shapes(r.trace)}")


@suite.case("after kill -9")
def bounds_kill():
    h.check(shapes(record("kill", status=-9).trace) == {0: STATIC + GROWN}, "shapes")


# --- subscripts ---

LINE = re.compile(rb"([LS]) 0x([0-9a-f]+) (\d+) .*\+0x([0-9a-f]+)(?: (.*))?$")


def replay(trace):
    """[(store, variable, element, site, text after it)] of the one thread."""
    r = h.bobbin("replay", "--mem", "--subscripts", trace)
    h.check(r.status == 0, f"{r}")
    plain = h.bobbin("replay", "--mem", trace)
    rows = []
    for line, bare in zip(r.out.splitlines(), plain.out.splitlines()):
        h.check(line.startswith(bare), f"{line!r} is not {bare!r} and more")
        if line.startswith(b"#"):
            continue
        m = LINE.match(line)
        h.check(m, f"replay: {line!r}")
        at = int(m[2], 16) % (1 << 49)
        v = (at >> 36) - 1
        rows.append((m[1] == b"S", v, at % (1 << 36) // SIZE[v], int(m[4], 16) - 1,
                     (m[5] or b"").decode()))
    return rows


SIZE = {0: 8, 1: 4, 2: 4, 3: 8, 4: 8}
NAME = {0: "a", 1: "f", 2: "list", 3: "s in main", 4: "v in grow"}


def subscripts(v, n):
    """As the program's declarations have them, the fastest dimension first."""
    return {0: [n % 10, n // 10], 1: [n % 4 - 1, n // 4 + 1], 2: [n], 3: [],
            4: [n % 5 + 1, n // 5 + 1]}[v]


def written(v, n):
    s = subscripts(v, n)
    if v in (1, 4):
        return f"{NAME[v]}({','.join(map(str, s))})"
    return NAME[v] + "".join(f"[{k}]" for k in reversed(s))


@suite.case("replay --subscripts: variable and element of every access")
def replay_subscripts():
    rows = replay(record().trace)
    for _, v, n, _, text in rows:
        h.check(text == written(v, n), f"{text} is {written(v, n)}")
    return f"{len(rows)} accesses"


@suite.case("show: first element, and the box of a column")
def show():
    trace = record().trace
    out = h.bobbin("show", "--no-pager", trace).out.decode()
    for want in ("a[0][0] (60 x +8)   a[0..5][0..9]  arrays.c:10",
                 "f(-1,1) (12 x +4)   f(-1:2,1:3)  arrays.c:17", "s in main", "list[0..59]",
                 "  gather "):
        h.check(want in out, f"show has no {want!r}\n{out}")
    h.check("0x200" not in out, f"an address is left\n{out}")
    out = h.bobbin("show", "--no-pager", "--expand", "--lines=0", trace).out.decode()
    for want in ("a[5][9]   fill  arrays.c:10", "f(2,3)   main  arrays.c:17",
                 "v in grow(5,4)   grow  arrays.c:18"):
        h.check(want in out, f"show --expand has no {want!r}\n{out}")


TURNS = """double a[6], b[6], c[6];
static void fill(double *p)
{
	for (int i = 0; i < 6; i++)
		p[i] = i;
}
int main(void)
{
	double *const rows[3] = { a, b, c };
	for (int k = 0; k < 3; k++)
		rows[k][2] = k;
	for (int k = 0; k < 3; k++) {
		fill(a);
		fill(b);
	}
	return 0;
}
"""


@suite.case("show: one statement that goes from variable to variable")
def show_turns():
    where = h.fresh("turns")
    (where / "t.c").write_text(TURNS)
    (where / "commands").write_text("trace file t.c\n"
                                    + "".join(f"trace variable {v}\n" for v in "abc"))
    i = h.bobbin("instrument", "-o", "out", "commands", cwd=where)
    h.check(i.status == 0, f"{i}")
    c = h.run(["gcc", f"-I{h.ROOT / 'include'}", "t.c", "-o", "t"], cwd=where / "out")
    h.check(c.status == 0, f"{c}")
    r = h.record([where / "out" / "t"], ["--source"])
    out = h.bobbin("show", "--no-pager", r.trace).out.decode()
    for want in ("a[2] (3 x to b[2], ...)", "(2 x to b[0])"):
        h.check(want in out, f"show has no {want!r}\n{out}")
    h.check(not re.search(r"[+-]\d{8}", out), f"a distance between variables is left\n{out}")


@suite.case("bounds that changed in more than one dimension: only which element")
def varying():
    texts = {t for _, v, _, _, t in replay(record("many").trace) if v == 4}
    h.check(texts and all(re.fullmatch(r"v in grow\{\d+(, after)?\}", t) for t in texts),
            f"{sorted(texts)[:5]}")


# --- bobbin arrays ---


def arrays(trace, *options):
    r = h.bobbin("arrays", *options, trace)
    h.check(r.status == 0, f"{r}")
    return r.out.decode()


def table(trace, *options):
    """{(variable, window, subscripts as written): (reads, writes)}"""
    rows = list(csv.reader(io.StringIO(arrays(trace, "--format=csv", *options))))
    h.check(rows[0][:3] == ["variable", "source", "window"] and rows[0][-2:] == ["reads", "writes"],
            f"{rows[0]}")
    got = {}
    for name, source, window, *subs, reads, writes in rows[1:]:
        key = name, int(window), tuple(int(s) for s in subs if s)
        h.check(source == "arrays.c" and key not in got, f"{key} twice")
        got[key] = int(reads), int(writes)
    return got


def counted(rows, windows=1, wanted=lambda v, s: True):
    want = {}
    for i, (store, v, n, _, _) in enumerate(rows):
        s = subscripts(v, n)
        s = tuple(s if v in (1, 4) else reversed(s))
        if wanted(v, s):
            key = NAME[v], i * windows // len(rows) + 1, s
            reads, writes = want.get(key, (0, 0))
            want[key] = reads + (not store), writes + store
    return want


@suite.case("csv: every element as counted by hand, in windows and boxes")
def csv_exact():
    trace = record().trace
    rows = replay(trace)
    h.check(table(trace) == counted(rows), "all")
    for n in (2, 7):
        h.check(table(trace, f"--windows={n}") == counted(rows, n), f"{n} windows")
    third = {k: c for k, c in counted(rows, 5).items() if k[1] == 3}
    h.check(third and table(trace, "--window=3/5") == third, "window 3/5")
    box = counted(rows, 1, lambda v, s: v == 0 and 1 <= s[0] <= 3 and s[1] == 3)
    for text in ("a[1..3][3]", "a[1:3,3]", "a(1:3,3)"):
        h.check(box and table(trace, f"--variable={text}") == box, text)
    column = counted(rows, 1, lambda v, s: v == 4 and s[1] == 2)
    for text in ("v(*,2)", "v in grow(,2)"):
        h.check(column and table(trace, f"--variable={text}") == column, text)
    codec = record(options=["--codec=none"]).trace
    h.check(table(codec, "--windows=7") == counted(rows, 7), "not folded")
    return f"{len(rows)} accesses"


WIDE = """
struct part { double v[3]; };
struct four { char v[4]; };
double a[8], b[8];
int main(void)
{
	a[7] = 1;
	for (int i = 0; i < 3; i++)
		*(struct part *)&b[i] = *(struct part *)&a[2 * i];
	struct four *between = (struct four *)((char *)b + 38), four = { "abc" };
	*between = four;
	return b[0] != 0;
}
"""


@suite.case("accesses of more than an element, and between two")
def csv_wide():
    where = h.fresh("wide")
    (where / "wide.c").write_text(WIDE)
    (where / "commands").write_text("trace file wide.c\ntrace variable a\ntrace variable b\n")
    i = h.bobbin("instrument", "-o", "out", "commands", cwd=where)
    h.check(i.status == 0, f"{i}")
    c = h.run(["gcc", f"-I{h.ROOT / 'include'}", "wide.c", "-o", "wide"], cwd=where / "out")
    h.check(c.status == 0, f"{c}")
    r = h.record([where / "out" / "wide"], ["--source"])
    h.check(r.status == 0, f"{r}")
    h.check_trace(r.trace)
    found = list(csv.reader(io.StringIO(arrays(r.trace, "--format=csv"))))[1:]
    got = {(row[0], int(row[3])): (int(row[-2]), int(row[-1])) for row in found}
    want = {("a", i): (sum(2 * k <= i <= 2 * k + 2 for k in range(3)), int(i == 7))
            for i in range(8)}
    want.update({("b", i): (int(i == 0), sum(k <= i <= k + 2 for k in range(3)) + (i in (4, 5)))
                 for i in range(8)})
    want = {key: n for key, n in want.items() if any(n)}
    h.check(got == want, f"{got}, not {want}")
    out = arrays(r.trace)
    for text in ("3 reads, 1 write; touched 8 of 8 elements",
                 "1 read, 4 writes; touched 6 of 8 elements"):
        h.check(text in out, f"no {text!r}\n{out}")


@suite.case("threads of all processes together")
def csv_fork():
    trace = record("fork").trace
    whole = table(trace)
    parts = [table(trace, f"--group={k}.0") for k in (0, 1)]
    for key in set(whole) | set(parts[0]) | set(parts[1]):
        want = tuple(sum(p.get(key, (0, 0))[i] for p in parts) for i in (0, 1))
        h.check(whole[key] == want, f"{key}: {whole[key]}, {want} in the parts")


@suite.case("text: sums, first and last, statements and their moves")
def text():
    trace = record().trace
    rows = replay(trace)
    out = arrays(trace)
    for v, declared in ((0, "a[6][10]   8 B"), (1, "f(-1:2,3)   4 B"), (2, "list[60]   4 B"),
                        (4, "v in grow(5,4)   8 B")):
        of = [(i, r) for i, r in enumerate(rows) if r[1] == v]
        reads, writes = sum(not r[0] for _, r in of), sum(r[0] for _, r in of)
        touched = len({r[2] for _, r in of})
        block = out[out.index("\n" + declared):].split("\n\n")[0]
        for want in (f"{reads} reads, {writes} writes; touched {touched} of ",
                     f"first: {of[0][1][4]} ", f"access {of[0][0]:,} of thread 0.0\n",
                     f"last: {of[-1][1][4]} ", f"access {of[-1][0]:,} of thread 0.0\n"):
            h.check(want in block, f"{declared} has no {want!r}\n{out}")
    # a[i][j], i inside: five of six moves go down a column
    h.check(re.search(r"24 .* read +arrays.c:11  column_sum +\[\+1\]\[0\] 87.0%, \[-5\]\[\+3\] "
                      r"13.0%", out), out)
    h.check("never" not in out, "a variable that was not accessed")


@suite.case("millions of accesses: the same, but for what happened more often")
def csv_long():
    want = table(record().trace)
    for key, (reads, writes) in want.items():
        if key[0] == "a":
            want[key] = reads, writes + 33332
    h.check(table(record("long").trace) == want, "long")


@suite.case("svg: a square for each element that was touched")
def svg():
    trace = record().trace
    for options in ((), ("--windows=3",)):
        root = ElementTree.fromstring(arrays(trace, "--format=svg", *options))
        titles = [e.text for e in root.iter("{http://www.w3.org/2000/svg}title")]
        want = table(trace, *options)
        h.check(len(titles) == len(want), f"{len(titles)} squares, {len(want)} elements")
        got = sorted(re.sub(r": .*", "", t) for t in titles)
        names = sorted(f"{n}({','.join(map(str, s))})" if n[0] in "fv"
                       else n + "".join(f"[{k}]" for k in s) for n, _, s in want)
        h.check(got == names, "squares")
        reads = sum(int(re.search(r": (\d+) read", t)[1]) for t in titles)
        h.check(reads == sum(r for r, _ in want.values()), "reads")
    return f"{len(titles)} squares"


@suite.case("misuse and traces without variables")
def misuse():
    trace = record().trace
    for bad in ("--variable=", "--variable=a[1", "--variable=a[2..1]", "--variable=a[x]",
                "--windows=0", "--windows=65", "--window=3/2", "--window=1", "--format=png"):
        r = h.bobbin("arrays", bad, trace)
        h.check(r.status == 2 and not r.out and r.err.startswith(b"bobbin: arrays: "),
                f"{bad}\n{r}")
    there = "is in the trace, but no such element of it was accessed in the threads chosen"
    known = "the trace has a, f, list, s in main, v in grow, never"
    for none, said in (("nothing", f"no variable fits 'nothing': {known}"),
                       ("neverr", f"no variable fits 'neverr' (did you mean 'never'?): {known}"),
                       ("grow", f"no variable fits 'grow': {known}"), ("never", f"'never' {there}"),
                       ("a[100][0]", f"'a' {there}"), ("a[1]", "'a' has 2 subscripts, not 1")):
        r = h.bobbin("arrays", f"--variable={none}", "-o", trace / "out", trace)
        h.check(r.status == 1 and r.err == f"bobbin: arrays: {said}\n".encode()
                and not (trace / "out").exists(), f"{none}\n{r}")
    h.check(b"\nvariables   6: a, f, list, s in main, v in grow, never\n" in h.bobbin("info",
                                                                                      trace).out,
            "info")
    calls = h.record([program()])
    r = h.bobbin("arrays", calls.trace)
    h.check(r.status == 1 and b"has no variables" in r.err, f"{r}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
