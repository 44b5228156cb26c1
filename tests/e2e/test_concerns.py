#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bobbin concerns: what it prints of one map and of two, in all formats; what it says of maps that
are wrong."""
import csv
import io
import json
import sys

import harness as h

suite = h.Suite("concerns")

# The lines of the thesis's table 4.1: 90 of perf at home, 43 and 4 in main beside 688 of sort.
MAP = """[component perf]
perf.c
[component main]
main.c
[concern perf]
perf.c
main.c every "perf"
[concern sort]
rest
"""

ONE = """naive/is.map: 821 lines of code, 2 annotations left out, in 2 files

concern perf    perf    main
SLOC              90      43
CONC          0.6767  0.3233
DOS           0.8751
CONC of home  1.0000  0.4778
DOS of home   0.4990

concern sort    perf    main
SLOC               0     688
CONC          0.0000  1.0000
DOS           0.0000
CONC of home  0.0000  1.0000
DOS of home   0.0000

component perf    perf    sort
SLOC                90       0
DEDI            1.0000  0.0000
DOF             1.0000

component main    perf    sort
SLOC                43     688
DEDI            0.0588  0.9412
DOF             0.7785
"""

TWO = """1: naive/is.map: 821 lines of code, 2 annotations left out, in 2 files
2: hooks/is.map: 782 lines of code, 2 annotations left out, in 2 files

concern perf  1: perf    main  2: perf    main   change
SLOC               90      43       90       4
CONC           0.6767  0.3233   0.9574  0.0426
DOS            0.8751           0.1630          -81.4 %
CONC of home   1.0000  0.4778   1.0000  0.0444
DOS of home    0.4990           0.0849          -83.0 %
"""


def project():
    d = h.fresh("concerns")
    for version, lines in (("naive", 43), ("hooks", 4)):
        p = d / version
        p.mkdir()
        (p / "is.map").write_text(MAP)
        (p / "perf.c").write_text("/* perf */\n" + "\tperf();\n\n" * 90)
        (p / "main.c").write_text("bob_event_begin(e);\n" + "\tperf(); // on\n" * lines
                                  + "\tsort();\n" * 688 + "bob_event_end(e);\n")
    return d


def text(r):
    h.check(r.status == 0 and not r.err, f"{r}")
    return "".join(line.rstrip() + "\n" for line in r.out.decode().splitlines())


@suite.case("tables")
def tables():
    d = project()
    one = text(h.bobbin("concerns", "naive/is.map", cwd=d))
    h.check(one == ONE, f"one map:\n{one}")
    two = text(h.bobbin("concerns", "naive/is.map", "hooks/is.map", cwd=d))
    h.check(two.startswith(TWO), f"two maps:\n{two}")
    h.check("DOF              0.7785           0.9770          +0.1985\n" in two,
            f"two maps:\n{two}")
    marks = text(h.bobbin("concerns", "--count-annotations", "naive/is.map", cwd=d))
    h.check("823 lines of code, 0 annotations" in marks and " 43     690\n" in marks,
            f"with annotations:\n{marks}")


@suite.case("csv and json say the same")
def formats():
    d = project()
    maps = ["naive/is.map", "hooks/is.map"]
    rows = list(csv.DictReader(
                               io.StringIO(text(h.bobbin("concerns", "--format=csv", *maps,
                                                         cwd=d)))))
    whole = json.loads(text(h.bobbin("concerns", "-f", "json", *maps, cwd=d)))
    h.check(len(rows) == 2 * (4 + 2 + 4 + 2) and [m["map"] for m in whole["maps"]] == maps,
            f"{rows}\n{whole}")
    value = {(r["map"], r["measure"], r["concern"], r["component"]): r for r in rows}
    for m in whole["maps"]:
        for c in m["concerns"]:
            r = value[m["map"], "DOS", c["concern"], ""]
            h.check(abs(float(r["value"]) - c["dos"]) < 2e-6
                    and abs(float(r["value_of_home"]) - c["dos_of_home"]) < 2e-6, f"{r} {c}")
            for k in c["conc"]:
                r = value[m["map"], "CONC", c["concern"], k["component"]]
                h.check(int(r["sloc"]) == k["sloc"] and abs(float(r["value"]) - k["value"]) < 2e-6,
                        f"{r} {k}")
        for c in m["components"]:
            r = value[m["map"], "DOF", "", c["component"]]
            h.check(int(r["sloc"]) == c["sloc"] and abs(float(r["value"]) - c["dof"]) < 2e-6,
                    f"{r} {c}")
    h.check(float(value[maps[0], "DOS", "perf", ""]["value"]) == round(4 * 90 * 43 / 133**2, 6),
            f"{rows}")


@suite.case("the table of all values: its columns and its order")
def flat():
    d = project()
    ask = lambda *options: h.bobbin("concerns", *options, "naive/is.map", cwd=d)
    some = text(ask("--columns=measure,concern,sloc", "--sort=-sloc,measure", "-f", "csv", "-n",
                    "2"))
    h.check(some == "measure,concern,sloc\nCONC,sort,0\nDEDI,sort,0\n", some)
    some = text(ask("--columns=name,component,value", "--sort=value", "-n", "1"))
    h.check(some.startswith("measure  component   value\nCONC     main       100.0%\n"
                            "... 11 more values; --limit=0"), some)
    h.check("\n  value_of_home " in text(ask("--columns=help")), "--columns=help")
    r = ask("--sort=values", "-o", d / "out")
    h.check(r.status == 2 and b"did you mean 'value'?" in r.err and not (d / "out").exists(),
            f"{r}")


@suite.case("maps that are wrong")
def wrong():
    d = project()
    where = d / "naive" / "is.map"

    def says(change, what):
        where.write_text(change(MAP))
        r = h.bobbin("concerns", "naive/is.map", cwd=d)
        h.check(r.status == 1 and not r.out and r.err.decode() == f"bobbin: concerns: {what}\n",
                f"{r}")

    says(lambda m: m.replace("[concern s", "[conecrn s"), "naive/is.map:8:2: section [conecrn] is "
         "not known; there are [component NAME], [concern NAME], [annotations]")
    says(lambda m: m.replace('"perf"', '"pref"'),
         "naive/is.map:7:8: no line of 'main.c' has \"pref\"")
    says(lambda m: m.replace("rest", "main.c 45-47"),
         "naive/main.c:1:1: the line belongs to no concern of naive/is.map")
    says(lambda m: m.replace("rest", "main.c 40-800"),
         "naive/is.map:9:8: 'main.c' has 733 lines, there is no line 800")
    says(lambda m: m.replace("rest", "main.c 40-700"), "naive/is.map:9:8: line 40 of 'main.c' "
         "belongs to concern 'perf' already (line 7 of the map)")
    says(lambda m: m.replace("main.c", "mian.c"),
         "cannot open naive/mian.c, No such file or directory")
    says(lambda m: m.replace('main.c every', './main.c every'),
         "naive/is.map: 'main.c' and './main.c' are the same file")
    says(lambda m: "x" * (1 << 20) + "\n",
         "naive/is.map is too large: no more than 1048576 bytes are read")
    r = h.bobbin("concerns", cwd=d)
    h.check(r.status == 2 and b"one map of concerns is needed" in r.err, f"{r}")
    r = h.bobbin("concerns", "a", "b", "c", cwd=d)
    h.check(r.status == 2, f"{r}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
