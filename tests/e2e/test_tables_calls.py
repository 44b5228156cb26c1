#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of calls: functions, call paths and arcs in text, CSV and JSON have the same numbers, sums
are those of `bobbin info`, options mean what docs/tables.md says."""

import itertools
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
    tree = re.findall(r"(?m)^ *([\d,]+)  +[\d.]+%  ( *)(\S+)$",
                      out("graph", "--no-pager", "--min=0", "--depth=0", trace()))
    h.check([(int(r["calls"]), 2 * int(r["depth"]), r["function"]) for r in rows] ==
            [(int(c.replace(",", "")), len(i), f) for c, i, f in tree], f"{tree}\n{rows}")
    for options in (["--depth=2"], ["--min=1"]):
        some = lines(out("graph", "-f", "csv", *options, trace()))
        want = [r for r in rows if int(r["depth"]) < 2] if "depth" in options[0] else \
            [r for r in rows if int(r["calls"]) + int(r["below"]) >= total // 100]
        h.check([r["function"] for r in some] == [r["function"] for r in want]
                and len(some) < len(rows), f"{some}")


@suite.case("graph: arcs")
def arcs():
    rows = common("graph", ["--by=arc"], trace(), "calls")
    h.check(calls_of(rows) == h.info(trace())["events"], f"{rows}")
    dot = dict(re.findall(r'(?m)^\t(f\d+) \[label="([^"]*)"', out("graph", "--dot", trace())))
    found = {(dot[a], dot[b], int(n)) for a, b, n in re.findall(r'(?m)^\t(f\d+) -> (f\d+) '
                                                                r'\[label="(\d+)"',
                                                                out("graph", "-f", "dot",
                                                                    "--limit=0", trace()))}
    h.check(found == {(r["caller"], r["callee"], int(r["calls"])) for r in rows},
            f"{found}\n{rows}")
    text = out("graph", "--no-pager", "--by=arc", "--limit=2", trace())
    h.check(f"... {len(rows) - 2} more arcs with " in text, text)


def tree_of(rows):
    """The lines of the tree that these rows of `show` are."""
    lines, stack = [], "0"
    for r in rows:
        if r["stack"] != stack:
            stack = r["stack"]
            lines.append(f"{'':12}  stack {stack} of the thread")
        number = f"{int(r['call']):,}" if r["call"] else ""
        repeat = f"  x {int(r['repeat']):,}" if r["repeat"] != "1" else ""
        notes = f"  ({r['notes']})" if r["notes"] else ""
        what = "repeated" if r["kind"] == "repeated" else r["function"]
        lines.append(f"{number:>12}  {'  ' * int(r['depth'])}{what}{repeat}{notes}")
    return lines


def same_tree(of, *options):
    """Text and rows of `show` are the same tree; the calls of its rows by thread."""
    text = out("show", "--no-pager", "-n", "0", "--depth=0", *options, of)
    trees = [t.splitlines()[2:] for t in re.split(r"(?m)^(?=thread )", text)[1:]]
    calls, found = {}, []
    for thread, rows in itertools.groupby(lines(out("show", "-f", "csv", *options, of)),
                                          lambda r: r["thread"]):
        rows = list(rows)
        found.append(tree_of(rows))
        calls[thread] = sum(int(r["calls"] or 0) for r in rows if r["kind"] == "call")
    trees = [t for t in ([x for x in t if x and "nothing to show" not in x] for t in trees) if t]
    h.check(trees == found, f"{options}: {str(trees)[:3000]}\n{str(found)[:3000]}")
    return calls


def events_of(of):
    return {f"{i}.{t['number']}": t["events"] for i, p in enumerate(h.info(of)["process_list"])
            for t in p["thread_list"]}


@suite.case("show: the tree as rows")
def tree():
    rows = common("show", ["-g", "0.0"], trace(), "repeat")
    h.check({r["kind"] for r in rows} == {"call", "repeated"}
            and all(r["image"] == "tables_calls" for r in rows if r["image"]), f"{rows}")
    for options in ([], ["--no-fold"]):
        h.check(same_tree(trace(), *options) == events_of(trace()), f"{options}: not all calls")
    for options in (["-F", "t_step"], ["-F", "t_*", "-N", "t_leaf"], ["-e", "1520..1530"],
                    ["-g", "0.1"]):
        same_tree(trace(), *options)
    limited = lines(out("show", "-f", "csv", "--no-fold", "-n", "7", trace()))
    h.check([sum(r["thread"] == t for r in limited) for t in ("0.0", "0.1")] == [7, 5],
            f"{limited}")
    largest = lines(out("show", "-f", "csv", "--sort=calls", "-n", "1", "-g", "0.0", trace()))
    h.check([r["function"] for r in largest] == ["t_leaf"] and largest[0]["repeat"] == "1500",
            f"{largest}")
    text = out("show", "--no-pager", "--columns=calls,function", "--sort=calls", "-n", "1", "-g",
               "0.0", trace())
    h.check(re.search(r"\ncalls  function\n1,500  t_leaf\n\.\.\. \d+ more rows with \d+ calls ",
                      text), text)


@suite.case("show: rows of a tree that is too large to keep, on two stacks")
def large():
    program = h.compile("irregular", ["irregular.c"], "gcc", ["-O1"])
    of = h.record([program, "18000"], ["--images=main"]).trace
    h.check(same_tree(of) == events_of(of), "not all calls")
    peaks = []
    for more in ([], ["-e", "..999"]):
        command = [h.BOBBIN, "show", "--no-fold", "-f", "csv", "-o", h.fresh("rows") / "x", *more,
                   of]
        r = h.run([sys.executable, "-c", "import resource, subprocess, sys; "
                   "subprocess.run(sys.argv[1:], check=True); "
                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)", *command])
        h.check(r.status == 0, f"{r}")
        peaks.append(int(r.out))
    h.check(peaks[0] < peaks[1] + (160 << 10),
            f"{peaks} KiB for {h.info(of)['events']} rows and for 1000")


@suite.case("show: what has no rows is refused")
def no_rows():
    memory = h.record([h.compile("no_rows", ["cache_walk.c"], "gcc", ["-O1", "-pthread"]),
                       "threads"], ["--mem", "--images=main"]).trace
    for args in (["-f", "csv"], ["-x", "-f", "json"], ["--signatures", "--columns=calls"],
                 ["--sort=calls"]):
        text = out("show", *args, memory, status=2)
        h.check("are for calls; " in text and text.count("\n") == 1, text)
    text = out("show", "-f", "csv", "--stack-at=3", trace(), status=2)
    h.check("not a table" in text and text.count("\n") == 1, text)


@suite.case("graph: options that do not fit are refused")
def refused():
    for args, want in ((["--dot", "--sort=calls"], "not for dot"),
                       (["--by=arc", "--min=1"], "not for arcs"),
                       (["--by=line"], "one of path|arc")):
        h.check(want in out("graph", *args, trace(), status=2), f"{args}")
    h.check(out("graph", "--by=help").split() == ["path", "arc"], "--by=help")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
