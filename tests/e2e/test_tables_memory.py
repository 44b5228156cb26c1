#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of memory accesses, caches, instrumented variables and processes: text, CSV and JSON have
the same numbers, sums are those of `bobbin info`, options mean what docs/tables.md says."""

import re
import sys

import harness as h
from tables import agree, common, lines, objects, out

suite = h.Suite("tables_memory")


@h.cached
def trace():
    program = h.compile("cache_walk", ["cache_walk.c"], "gcc", ["-O1", "-g", "-pthread"])
    r = h.record([program, "threads"], ["--mem"])
    h.check(r.status == 0, f"recording\n{r}")
    return r.trace


@suite.case("report: accesses by function, instruction, line, variable")
def accesses():
    total = h.info(trace())["accesses"]
    for by in ("function", "instruction", "line", "variable"):
        rows = common("report", [f"--by={by}"], trace(), "accesses")
        h.check(sum(int(r["accesses"]) for r in rows) == total, f"by {by}: not {total}\n{rows}")
        h.check(all(int(r["loads"]) + int(r["stores"]) == int(r["accesses"]) for r in rows),
                f"{rows}")
        h.check(abs(sum(float(r["share"]) for r in rows) - 1) < 1e-4, f"{rows}")
    text = out("report", "--no-pager", "--limit=1", trace())
    rest = total - int(lines(out("report", "-f", "csv", trace()))[0]["accesses"])
    h.check(f" more functions with {rest:,} accesses (" in text, text)
    words = out("report", "--by=help")
    h.check("variable" in words and "sync" in words, words)


@suite.case("report: places have parts")
def places():
    rows = lines(out("report", "--by=line", "-f", "csv", trace()))
    known = [r for r in rows if r["line"]]
    h.check(known and all(r["place"]
                          == f"{r['file'].rsplit('/', 1)[-1]}:{r['line']}  {r['function']}"
                          for r in known), f"{rows}")
    rows = lines(out("report", "--by=sync", "-f", "csv", trace()))
    h.check(any(r["function"] == "main" and r["line"] and r["address"] for r in rows), f"{rows}")


@suite.case("report: synchronisation")
def syncs():
    rows = common("report", ["--by=sync"], trace(), "marks")
    text = out("report", "--by=sync", trace())
    h.check(f": {sum(int(r['marks']) for r in rows)} marks of synchronisation" in text, text)


@suite.case("cache: rows, levels and lines that are shared")
def cache():
    total = h.info(trace())["accesses"]
    levels = common("cache", ["--by=level"], trace(), "accesses")
    h.check([r["level"] for r in levels] == ["L1", "L2", "L3"], f"{levels}")
    for by in ("function", "instruction", "line"):
        rows = common("cache", [f"--by={by}"], trace(), "accesses")
        h.check(sum(int(r["accesses"]) for r in rows) == total, f"by {by}: not {total}\n{rows}")
        for level in levels:
            h.check(sum(int(r[level["level"]]) for r in rows) == int(level["misses"]),
                    f"by {by}: {level}\n{rows}")
    order = [int(r["L1"]) for r in lines(out("cache", "--sort=L1", "-f", "csv", trace()))]
    h.check(order == sorted(order, reverse=True), f"{order}")
    shared = common("cache", ["--by=sharing"], trace(), "misses")
    h.check(sum(int(r["misses"]) for r in shared) == sum(int(r["sharing"]) for r in rows),
            f"{shared}\n{rows}")
    h.check({r["variables"] for r in shared} == {"together"}, f"{shared}")
    h.check(out("cache", "--by=help").split()
            == ["function", "instruction", "line", "variable", "level", "sharing"], "--by=help")


@suite.case("arrays: statements, and elements as they come")
def arrays():
    program = h.compile("arrays", ["source/arrays.c"], "gcc", ["-O2", f"-I{h.ROOT / 'include'}"])
    of = h.record([program], ["--source"]).trace
    common("arrays", ["--by=statement", "-v", "a"], of, "accesses")
    rows = lines(out("arrays", "--by=statement", "-f", "csv", of))
    cells, found = lines(out("arrays", "-f", "csv", of)), objects(out("arrays", "-f", "json", of))
    agree(cells, found, "elements")
    names = {r["variable"] for r in rows}
    h.check(names == {r["variable"] for r in cells}, f"{names}\n{cells}")
    some = lines(out("arrays", "-f", "csv", "--columns=writes,name", of))
    h.check(some == [{"writes": r["writes"], "variable": r["variable"]} for r in cells], f"{some}")
    h.check("columns of the table elements" in out("arrays", "-f", "json", "--columns=help", of),
            "help")
    for wrong in (["-f", "csv", "--sort=reads"], ["--by=element"], ["-f", "csv", "--columns=x"]):
        h.check(out("arrays", *wrong, of, status=2).count("\n") == 1, f"{wrong}")


@suite.case("info: processes, and the same object by both names")
def info():
    program = h.compile("cache_walk", ["cache_walk.c"], "gcc", ["-O1", "-g", "-pthread"])
    of = h.record(["sh", "-c", f"{program} & {program}; wait"], ["--mem"]).trace
    rows, whole = lines(out("info", "-f", "csv", of)), h.info(of)
    h.check(out("info", "-f", "json", of) == out("info", "--json", of), "json")
    h.check(len(rows) == whole["processes"]
            and sum(int(r["accesses"]) for r in rows) == whole["accesses"], f"{rows}")
    h.check([int(r["pid"]) for r in rows] == [p["pid"] for p in whole["process_list"]], f"{rows}")
    some = out("info", "-f", "csv", "--sort=-accesses", "--columns=name", "--limit=1", of)
    least = min(rows, key=lambda r: int(r["accesses"]))
    h.check(some == f"program\n{least['program']}\n", some)
    text = out("info", "--limit=1", of)
    h.check(re.search(r"(?m)^\.\.\. \d+ more process(es)? with [\d,]+ accesses \(", text), text)
    h.check(out("info", "--all", of) == out("info", "--limit=0", of), "--all")
    file = h.fresh("out") / "x"
    h.check("no column 'call'; did you mean 'calls'?" in out("info", "-o", file, "--columns=call",
                                                             of, status=2), "columns")
    h.check(not file.exists(), "a file was left")
    h.check("\n  bytes_each " in out("info", "--columns=help", of), "help")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
