#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of calls: functions, call paths and arcs in text, CSV and JSON have the same numbers, sums are those of
`bobbin info`, options mean what docs/tables.md says."""

import re
import sys

import harness as h
from tables import common, lines, out

suite = h.Suite("tables_calls")


@h.cached
def trace():
    program = h.compile("tables_calls", ["reading.c"], "gcc", ["-O0", "-g", "-pthread"])
    r = h.record([program])
    h.check(r.status == 0, f"recording\n{r}")
    return r.trace


def calls_of(rows):
    return sum(int(r["calls"]) for r in rows)


@suite.case("report: functions and images")
def functions():
    total = h.info(trace())["events"]
    for by in ("function", "image"):
        rows = lines(out("report", f"--by={by}", "-f", "csv", trace()))
        h.check(calls_of(rows) == total, f"by {by}: not {total}\n{rows}")
    common("report", [], trace(), "calls")


@suite.case("graph: call paths")
def paths():
    total = h.info(trace())["events"]
    rows = common("graph", [], trace(), "calls")
    h.check(calls_of(rows) == total, f"not {total}\n{rows}")
    of = {r["number"]: r for r in rows}
    h.check([int(r["number"]) for r in rows] == [*range(1, len(rows) + 1)], f"{rows}")
    for r in rows:
        parent = of.get(r["parent"])
        h.check(int(r["depth"]) == (int(parent["depth"]) + 1 if parent else 0), f"{r}")
        h.check(not r["parent"] or int(r["parent"]) < int(r["number"]), f"{r}")
        below = sum(int(c["calls"]) + int(c["below"]) for c in rows if c["parent"] == r["number"])
        h.check(below == int(r["below"]), f"{r}: {below} below")
        h.check(abs(float(r["share"]) - (int(r["calls"]) + int(r["below"])) / total) < 1e-5, f"{r}")
    tree = re.findall(r"(?m)^ *([\d,]+)  +[\d.]+%  ( *)(\S+)$", out("graph", "--no-pager", "--min=0", "--depth=0", trace()))
    h.check([(int(r["calls"]), 2 * int(r["depth"]), r["function"]) for r in rows] ==
            [(int(c.replace(",", "")), len(i), f) for c, i, f in tree], f"{tree}\n{rows}")
    for options in (["--depth=2"], ["--min=1"]):
        some = lines(out("graph", "-f", "csv", *options, trace()))
        want = [r for r in rows if int(r["depth"]) < 2] if "depth" in options[0] else \
            [r for r in rows if int(r["calls"]) + int(r["below"]) >= total // 100]
        h.check([r["function"] for r in some] == [r["function"] for r in want] and len(some) < len(rows), f"{some}")


@suite.case("graph: arcs")
def arcs():
    rows = common("graph", ["--by=arc"], trace(), "calls")
    h.check(calls_of(rows) == h.info(trace())["events"], f"{rows}")
    dot = dict(re.findall(r'(?m)^\t(f\d+) \[label="([^"]*)"', out("graph", "--dot", trace())))
    found = {(dot[a], dot[b], int(n)) for a, b, n in
             re.findall(r'(?m)^\t(f\d+) -> (f\d+) \[label="(\d+)"', out("graph", "-f", "dot", "--limit=0", trace()))}
    h.check(found == {(r["caller"], r["callee"], int(r["calls"])) for r in rows}, f"{found}\n{rows}")
    text = out("graph", "--no-pager", "--by=arc", "--limit=2", trace())
    h.check(f"... {len(rows) - 2} more arcs with " in text, text)


@suite.case("graph: options that do not fit are refused")
def refused():
    for args, want in ((["--dot", "--sort=calls"], "not for dot"), (["--by=arc", "--min=1"], "not for arcs"),
                       (["--by=line"], "one of path|arc")):
        h.check(want in out("graph", *args, trace(), status=2), f"{args}")
    h.check(out("graph", "--by=help").split() == ["path", "arc"], "--by=help")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
