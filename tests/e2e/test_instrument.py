#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bobbin instrument: from commands and sources to a trace. What a program does with its variables
is computed here again, access by access, and must be what `replay` has; the program's output must
not change."""
import os
import pty
import re
import subprocess

import harness as h
import test_gcc_torture as torture

h.link_fast()
suite = h.Suite("instrument")
N = 12


def instrument(name, commands, sources, *flags, fails=False, how=()):
    """A directory with the instrumented copies; or what was complained about."""
    out = h.fresh("instrument") / name
    r = subprocess.run([str(h.BOBBIN), "instrument", *how, "-o", str(out),
                        *(["--", *flags] if flags else [])], input="\n".join(commands) + "\n",
                       text=True, capture_output=True, cwd=h.PROG / "source")
    if fails:
        assert r.returncode == 1 and not out.exists(), (r, out.exists())
        assert len(r.stderr.splitlines()) == 1, r.stderr
        return r.stderr
    assert r.returncode == 0, r.stderr
    for s in sources:
        assert (out / s).exists()
    return out


def build(out, files, name, cc="gcc", flags=("-O2",)):
    exe = out / name
    subprocess.run([cc, *flags, f"-I{out}", *[str(out / f) for f in files], "-o", str(exe)],
                   check=True, cwd=out)
    return exe


def accesses(exe, args, name):
    """(variable number, offset, bytes, kind, line) of each access; the program's output."""
    trace = exe.parent / f"{name}.trace"
    plain = subprocess.run([str(exe), *args], capture_output=True, text=True, check=True)
    r = subprocess.run([str(h.BOBBIN), "record", "-q", "--source", "-o", str(trace), "--", str(exe),
                        *args], capture_output=True, text=True)
    assert (r.returncode, r.stdout) == (plain.returncode, plain.stdout), (r, plain)
    return trace, plain.stdout


def replayed(trace):
    out = subprocess.run([str(h.BOBBIN), "replay", "--mem", str(trace)], capture_output=True,
                         text=True, check=True).stdout
    rows = []
    for line in out.splitlines():
        m = re.match(r"([LS]) 0x([0-9a-f]+) (\d+) ", line)
        assert m or line.startswith("#"), line
        if m:
            a = int(m[2], 16)
            rows.append(({"L": "load", "S": "store"}[m[1]], int(m[3]), (a >> 36 & 0xfff) - 1,
                         a & (1 << 36) - 1))
    return rows


def stencil(steps):
    """What stencil.c does with a (0), b[2..5][..] (1), total (2) and s of sum (3)."""
    out = []

    def touch(kind, array, i, j):
        if array == 0 or 2 <= i <= 5:
            out.append((kind, 8, array, 8 * (N * i + j)))

    def smooth(to, source):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                touch("load", source, i - 1, j)
                touch("load", source, i + 1, j)
                touch("store", to, i, j)

    def total(array, row):
        out.append(("store", 8, 3, 0))
        for i in range(N):
            touch("load", array, row, i)
            out.append(("load", 8, 3, 0))
            out.append(("store", 8, 3, 0))
        out.append(("load", 8, 3, 0))
    for j in range(N):
        touch("store", 0, 0, j)
    for _ in range(steps):
        smooth(1, 0)
        smooth(0, 1)
    total(0, 1)
    total(1, 2)
    out += [("store", 8, 2, 0), ("load", 8, 2, 0)]
    return out


REQUESTS = ["trace file stencil.c", "trace variable a", "trace variable b[2..5][..]",
            "trace variable total", "trace variable sum:s", "bye"]


@suite.case("C: every access, in order, whatever compiles it")
def every_access():
    out = instrument("stencil", REQUESTS, ["stencil.c", "bobbin/probe.h"])
    want = None
    for cc in ("gcc", "clang"):
        for level in ("-O0", "-O3"):
            name = f"stencil{cc}{level}"
            trace, _ = accesses(build(out, ["stencil.c"], name, cc, (level,)), ["2"], name)
            rows = replayed(trace)
            want = want or by_name(out / "stencil.c", stencil(2))
            assert rows == want, next((i, g, w) for i, (g, w) in enumerate(zip(rows, want))
                                      if g != w)


def by_name(file, rows):
    """Numbers of variables are the instrumenter's: its table has them."""
    table = file.read_text().split("struct bob_probe_variable")[1].split("};")[0]
    names = re.findall(r'\{"([^" ]+)[^"]*"', table)
    return [(k, n, names.index(("a", "b", "total", "s")[v]), o) for k, n, v, o in rows]


@suite.case("nests of which a part is traced: no address of the process is in the trace")
def apart():
    out = instrument("apart", ["trace file stencil.c", "trace variable a"], ["stencil.c"],
                     how=["--in-place"])
    trace, _ = accesses(build(out, ["stencil.c"], "program"), ["2"], "apart")
    shown = subprocess.run([str(h.BOBBIN), "show", str(trace)], capture_output=True, text=True,
                           check=True).stdout
    assert "sometimes" in shown, shown
    addresses = [int(a, 16) for a in re.findall(r"0x([0-9a-f]+)", shown)]
    assert all(a >> 49 == 1 or a < 1 << 20 for a in addresses), shown


@suite.case("the trace does not grow with the steps")
def constant():
    out = instrument("stencil", REQUESTS, ["stencil.c"])
    exe = build(out, ["stencil.c"], "program")
    sizes = []
    for steps in ("20", "2000"):
        trace, _ = accesses(exe, [steps], "steps" + steps)
        text = subprocess.run([str(h.BOBBIN), "info", "--json", str(trace)], capture_output=True,
                              text=True, check=True).stdout
        sizes.append(int(re.search(r'"stream_bytes": (\d+)', text)[1]))
    assert sizes[1] <= sizes[0] + 16, sizes


@suite.case("commands that are wrong")
def wrong():
    for commands, text in (
            (["trase file x"], "commands:1:1: trace, show, undo, help or bye was expected, not "
             "'trase'; did you mean trace?"),
            (["trace file stencil.c", "trace variable a[1.."], "commands:2:21: ']' was expected"),
            (["trace file missing.c"], "commands:1: missing.c: No such file"),
            (["trace file stencil.txt"], "not a C or Fortran file by its name"),
            (["# nothing", ""], "no file was named"),
            (["trace variable a"], "`trace file F` comes first"),
            (["trace file stencil.c", "trace file ../source/stencil.c"],
             "would have the same name")):
        got = instrument("wrong", commands, [], fails=True)
        assert text in got, (text, got)


@suite.case("a directory that is there, or cannot be made")
def places():
    out = instrument("there", REQUESTS, ["stencil.c"])
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", str(out)], input="\n".join(REQUESTS),
                       text=True, capture_output=True, cwd=h.PROG / "source")
    assert r.returncode == 1 and "is there already" in r.stderr
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", "/proc/none/x"],
                       input="\n".join(REQUESTS), text=True, capture_output=True,
                       cwd=h.PROG / "source")
    assert r.returncode == 1 and "cannot write" in r.stderr


@suite.case("commands of a file, show and undo")
def session():
    spec = h.fresh("instrument") / "spec"
    spec.write_text("trace file stencil.c\ntrace variable nothing\nundo\n"
                    "trace variable a from 1 to 99\nshow\nbye\nnot read\n")
    out = spec.parent / "session"
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", str(out), str(spec), "--", "-DUNUSED"],
                       text=True, capture_output=True, cwd=h.PROG / "source")
    assert r.returncode == 0, r.stderr
    assert r.stdout.startswith("trace file stencil.c\ntrace variable a from 1 to 99\n"), r.stdout
    assert f"cc -I{out} -DUNUSED -c {out}/stencil.c" in r.stdout


@suite.case("typed commands: the result of each is printed at once, mistakes are undone")
def typed():
    folder = h.fresh("instrument")
    (folder / "a.f").write_text("      subroutine adi(rhs)\n      real rhs(10)\n"
                                "      do 1 i = 1, 10\n    1 rhs(i) = 0\n      end\n")
    master, slave = pty.openpty()
    child = subprocess.Popen([str(h.BOBBIN), "instrument"], stdin=slave, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, cwd=folder)
    os.write(master, b"trace file a.f\ntrace variable rhz\ntrace variable rhs(1:2,3)\n"
             b"trace variable rhs\ntrace code at loop level\nshow\nbye\n")
    out = child.communicate(timeout=60)[0]
    os.close(master)
    os.close(slave)
    assert child.returncode == 0, out
    said = [line for line in out.replace("bobbin> ", "").splitlines() if line]
    assert said[:6] == ["bobbin: instrument: commands:2:16: a.f: there is no variable rhz; did you "
                        "mean rhs?", "bobbin: instrument: commands:3:16: a.f: there is no "
                        "subscript 2 of rhs: it has 1",
                        "1 variable; probes: 0 of one access, 1 of loops", "events at 1 place",
                        "trace file a.f", "trace variable rhs"], out


def legacy():
    """What legacy.f does with a, b, flat and k, each access by itself: kind, bytes, name,
    offset."""
    n, out, a, b = 6, [], {}, {}

    def touch(kind, name, *at, size=8):
        index = at[0] - 1 if len(at) == 1 else (at[0] - 1) + n * (at[1] - 1) if at else 0
        out.append((kind, size, name, index * {"k": 4, "flat": 4}.get(name, 8)))
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            a[j, i] = i * 10 + j
            touch("S", "a", j, i)
    for i in range(1, n + 1):
        touch("L", "a", i, i)
        touch("S", "b", i)
        b[i] = a[i, i]
        touch("L", "a", i, i)
        if a[i, i] > 30:
            touch("L", "b", i)
        touch("L", "b", i)
        if not b[i] < 20:
            touch("L", "b", i)
            if b[i] < 50 or i == 6:
                touch("L", "a", 1, i)
            else:
                touch("L", "a", 2, i)
    touch("S", "k", size=4)
    touch("L", "k", size=4)
    touch("L", "k", size=4)
    touch("L", "a", 3, 1)
    touch("S", "a", 1, 1)
    for i in range(1, n + 1):  # scale(a(1,2), ...)
        touch("L", "a", i, 2)
        touch("L", "a", i, 2)
        touch("S", "a", i, 2)
    touch("L", "a", 2, 2)  # other: q(8) is a(2,2), l is k
    touch("S", "b", 1)
    touch("L", "k", size=4)
    touch("S", "b", 6)
    touch("S", "flat", 3, size=4)
    touch("L", "flat", 3)  # pair(2), 8 bytes
    touch("S", "flat", 1)
    touch("L", "a", 1, 2)
    touch("L", "b", 6)
    touch("L", "flat", 1, size=4)
    return out


def build_fortran(out, name, flags):
    stem, suffix = name.rsplit(".", 1)
    exe = out / (stem + "".join(flags))
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", f"-I{out}", "-c", f"{stem}_probes.c"],
                   check=True, cwd=out)
    subprocess.run(["gfortran", "-w", *flags, name, f"{stem}_probes.o", "-o", str(exe)], check=True,
                   cwd=out)
    return exe


@suite.case("Fortran, fixed form: every access, through COMMON, EQUIVALENCE, arguments")
def fixed_form():
    h.need("gfortran")
    names = ["a", "b", "flat", "k"]
    out = instrument("legacy", ["trace file legacy.f", "trace variable legacy:a",
                                "trace variable b", "trace variable flat", "trace variable k",
                                "trace code at loop level from 40 to 60"],
                     ["legacy.f", "legacy_probes.c"])
    plain = out / "plain"
    subprocess.run(["gfortran", "-w", str(h.PROG / "source" / "legacy.f"), "-o", str(plain)],
                   check=True)
    want = [({"L": "load", "S": "store"}[k], n, names.index(v), o) for k, n, v, o in legacy()]
    for level in ("-O0", "-O3"):
        exe = build_fortran(out, "legacy.f", [level, "-fcheck=bounds"])
        trace, text = accesses(exe, [], "legacy" + level)
        assert text == subprocess.run([str(plain)], capture_output=True, text=True,
                                      check=True).stdout
        rows = replayed(trace)
        assert rows == want, next(((i, g, w) for i, (g, w) in enumerate(zip(rows, want)) if g != w),
                                  (len(rows), len(want)))
        shown = subprocess.run([str(h.BOBBIN), "show", str(trace)], capture_output=True, text=True,
                               check=True).stdout
        assert re.search(r"  scale .*\n(    .*\n)* +\w+ .*/blk/a\(1:6,2\)  legacy.f:48",
                         shown), shown


@suite.case("Fortran, free form: modules, ALLOCATE, sections, locals in recursion")
def free_form():
    h.need("gfortran")
    out = instrument("modern", ["trace file modern.f90", "trace variable grid",
                                "trace variable down:local", "trace variable modern:total"],
                     ["modern.f90", "modern_probes.c"])
    traces = set()
    for level in ("-O0", "-O3"):
        exe = build_fortran(out, "modern.f90", [level])
        trace, text = accesses(exe, [], "modern" + level)
        assert text.split()[2] == "3", text
        rows = replayed(trace)
        grid = [r for r in rows if r[2] == 0]
        fill = [("store", 4, 0, 4 * (4 * j + i)) for j in range(3) for i in range(4)]
        section = [("load", 4, 0, 4 * i) for i in range(4)] + [("store", 4, 0, 16 + 4 * i)
                                                               for i in range(4)]
        assert grid == [*fill, *section, ("load", 4, 0, 4), ("load", 4, 0, 24),
                        ("load", 4, 0, 16)], grid
        locals_ = [r for r in rows if r[2] == 1]
        assert locals_ == [("store", 4, 1, 0)] * 3 + [("load", 4, 1, 0), ("store", 4, 1, 4),
                                                      ("load", 4, 1, 4)] * 3, locals_
        traces.add(tuple(rows))
    assert len(traces) == 1


@suite.case("Fortran: names that are not there, lines beyond the file")
def fortran_wrong():
    for commands, text in (
            (["trace variable grud"], "there is no variable grud; did you mean grid?"),
            (["trace variable girdle"], "there is no variable girdle"),
            (["trace variable gird"], "there is no variable gird; did you mean grid?"),
            (["trace variable down:lokal"],
             "there is no variable lokal in down; did you mean local?"),
            (["trace variable dawn:local"], "there is no unit dawn; did you mean down?"),
            (["trace variable k from 900 to 901"],
             ":16: modern.f90: there is no line 900: it has "),
            (["trace code at loop level from 900 to 901"],
             ":7: modern.f90: there is no line 900: it has "),
            (["trace variable grid(1:2,3,4:9)"], "there is no subscript 3 of grid: it has 2"),
            (["trace variable local(90:99)"],
             "there is no such part of local: its subscript 1 goes from "),
            (["trace variable k(3)"], "there is no subscript 1 of k: it has 0")):
        got = instrument("wrong", ["trace file modern.f90", *commands], [], fails=True)
        assert text in got and "commands:2:" in got and " modern.f90: " in got, (text, got)


@suite.case("Fortran: what .and. guards is not looked up")
def guarded():
    h.need("gfortran")
    out = h.fresh("instrument") / "guarded"
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", str(out)],
                       input="trace file guarded.f90\ntrace variable *\n", text=True,
                       capture_output=True, cwd=h.PROG / "source")
    assert r.returncode == 0, r.stderr
    assert "no probe at" not in r.stdout, r.stdout
    trace, text = accesses(build_fortran(out, "guarded.f90", ["-O0"]), [], "guarded")
    assert text.split() == ["6"], text
    text = subprocess.run([str(h.BOBBIN), "replay", "--mem", "--subscripts", str(trace)],
                          capture_output=True, text=True, check=True).stdout
    # a(i) is reported whether it is evaluated or not, what needs map(i) or p only where it is
    assert len(re.findall(r"^L .*\ba\(", text, re.M)) == 3 + 2, text
    assert len(re.findall(r"^L .*\bmap\(", text, re.M)) == 3, text


@suite.case("Fortran: what pointers lead to is reported; refusals are printed")
def indirect():
    h.need("gfortran")
    out = h.fresh("instrument") / "indirect"
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", str(out)],
                       input="trace file indirect.f90\ntrace variable a\n", text=True,
                       capture_output=True, cwd=h.PROG / "source")
    assert r.returncode == 0, r.stderr
    refused = {int(n): why for n, why in re.findall(r"indirect\.f90:(\d+): no probe at \d+ "
                                                    r"places?: (.*)", r.stdout)}
    assert set(refused) == {22} and "ASSOCIATE" in refused[22], r.stdout
    trace, text = accesses(build_fortran(out, "indirect.f90", ["-O0"]), [], "indirect")
    assert float(text) == 19, text
    info = subprocess.run([str(h.BOBBIN), "info", str(trace)], capture_output=True, text=True,
                          check=True).stdout
    assert f"indirect.f90: no probe at 2 places: {refused[22]}" in info, info
    want = [("store", 4, 0, 4 * i) for i in range(4)] + [("store", 4, 0, 4), ("store", 4, 0, 12),
                                                         ("store", 4, 0, 8)]
    # names of ASSOCIATE, then READ
    steps = ("l4 l8 s12 l4 l8 s4 s8 l0 s0 s4 l0 l4 l8 l12 l12 s12 l0 s0")
    want += [("load" if x[0] == "l" else "store", 4, 0, int(x[1:])) for x in steps.split()]
    want += [("load", 4, 0, 4 * i) for i in range(4)]
    got = replayed(trace)
    assert got == want, got


@suite.case("Fortran: an older standard is left out of how files are compiled")
def older_standard():
    folder = h.fresh("standard")
    for n, (flag, language, stays) in enumerate((("-std=f95", "functions.f90", False),
                                                 ("-std=f2008", "functions.f90", False),
                                                 ("-std=legacy", "functions.f90", True),
                                                 ("-std=f2018", "functions.f90", True),
                                                 ("-std=c11", "stencil.c", True))):
        r = subprocess.run([str(h.BOBBIN), "instrument", "-o", str(folder / f"out{n}"), "--", flag],
                           input=f"trace file {language}\ntrace variable *\n", text=True,
                           capture_output=True, cwd=h.PROG / "source")
        assert (r.returncode == 0 and (f" {flag} -c " in r.stdout) == stays
                and (f"(without {flag}: probes" in r.stdout) != stays), r


@suite.case("Fortran: what is printed compiles files that include what lies beside them; what the "
            "compiler has itself is found")
def printed_lines():
    h.need("gfortran", "gcc")
    texts = {
             "a.f": "      program p\n      include 'beside.h'\n      n = 1\n      call q(n)\n"
             "      end\n",
             "b.F90": "subroutine q(k)\n#include \"beside.h\"\n  include 'omp_lib.h'\n  integer k\n"
             "  n = k\n  print *, n, omp_lock_kind > 0\nend subroutine\n",
             "c.f90": "subroutine r()\n  integer n\n  n = 2\nend subroutine\n"}
    for place in (".", "src", "src/more"):
        folder = h.fresh("printed")
        (folder / place).mkdir(parents=True, exist_ok=True)
        for name, text in {**texts, "beside.h": "      integer n\n"}.items():
            (folder / place / name).write_text(text)
        names = [name if place == "." else f"{place}/{name}" for name in texts]
        r = subprocess.run([str(h.BOBBIN), "instrument", "-o", "out", "--", "-fopenmp"],
                           input="".join(f"trace file {n}\ntrace variable n\n" for n in names),
                           text=True, capture_output=True, cwd=folder)
        assert (r.returncode == 0 and "INCLUDE" not in r.stdout
                and "the size of its elements" not in r.stdout), r
        lines = [line for line in r.stdout.splitlines() if line.startswith("    ")
                 and " -c " in line]
        assert len(lines) == 6 and [f"-I{place} " in line for line in lines] == [True, False, True,
                                                                                 False, False,
                                                                                 False], lines
        for line in lines:
            subprocess.run(["sh", "-c", line], check=True, cwd=folder)
        subprocess.run(["sh", "-c", "gfortran -fopenmp *.o -o program"], check=True, cwd=folder)
        rows = replayed(accesses(folder / "program", [], "t")[0])
        assert [row[0] for row in rows] == ["store", "load", "store", "load"], rows


@suite.case("Fortran: units that begin with directives, loops and statements that OpenMP takes "
            "together")
def parallel():
    source = h.PROG / "source/parallel.F90"
    folder = h.fresh("instrument")
    env = h.environment({"OMP_NUM_THREADS": "3"})

    def run(*argv, **kw):
        r = subprocess.run([str(a) for a in argv], capture_output=True, text=True, cwd=folder,
                           env=env, **kw)
        assert r.returncode == 0, r
        return r.stdout
    said = run(h.BOBBIN, "instrument",
               input="\n".join([f"trace file {source}",
                                *(f"trace variable {x}"
                                  for x in ("a", "b", "c", "d", "e", "seen"))]))
    lines = source.read_text().splitlines()
    line = lines.index("    d(1, :) = 5") + 1
    assert re.findall(r"F90:(\d+): no probe at (\d+) places?: (.*)",
                      said) == [(str(line), "5", "no line can precede this statement")], said
    run("gcc", "-Iinstrumented", "-c", "instrumented/parallel_probes.c")
    want = {"a(i) = i": [0, 12], "total = total + a(i)": [12, 0], "print *, sum(a)": [12, 0],
            "b(i) = i": [0, 12], "b(1:3) = b(1:3) + 1": [3, 3],
            "forall (i = 1:n) b(i) = 2": [0, 36], "print *, sum(b)": [12, 0], "c = 3": [0, 12],
            "print *, sum(c)": [12, 0], "d = 0": [0, 144], "seen = 0": [0, 1],
            "d(i, j) = i": [0, 144], "j = seen": [12, 0], "seen = seen + 1": [12, 12],
            "print *, sum(d), seen": [145, 0], "e(i) = i": [0, 12], "e(i) = e(i) + 1": [12, 12],
            "e(2) = e(2) + 3": [1, 1], "print *, sum(e)": [12, 0]}
    alone = {"forall (i = 1:n) b(i) = 2": [0, 12], "e(1) = 2": [0, 1]}
    for flags, wanted in ((["-fopenmp"], want), ([], {**want, **alone})):
        run("gfortran", *flags, "-O1", source, "-o", "plain")
        run("gfortran", *flags, "-O1", "-c", "instrumented/parallel.F90")
        run("gfortran", *flags, "parallel.o", "parallel_probes.o", "-o", "traced")
        assert run(h.BOBBIN, "record", "-q", "--source", "-o", "t", "--",
                   "./traced") == run("./plain")
        rows = re.findall(r"(?m)^ *\d+ +[\d.]+% +(\d+) +(\d+) .*parallel\.F90:(\d+) ",
                          run(h.BOBBIN, "report", "--by=line", "t"))
        found = {lines[int(at) - 1].strip(): [int(loads), int(stores)]
                 for loads, stores, at in rows}
        assert found == wanted, (flags, found, wanted)


def torture_one(path, *options):
    """A program that checks itself, every variable, loop and call of it traced: it compiles, and
    does what it did."""
    folder = h.fresh("fortran")

    def run(*argv, **kw):
        return subprocess.run([str(a) for a in argv], capture_output=True, text=True, cwd=folder,
                              timeout=100, **kw)
    if run("gfortran", "-w", "-O1", path, "-o", "plain").returncode:
        raise h.Skip("does not compile as it is")
    want = run("./plain")
    r = run(h.BOBBIN, "instrument", *options, "-o", "out", input=f"trace file {path}\n"
            f"trace variable *\ntrace code at loop level\ntrace code at subroutine level\n")
    h.check(r.returncode == 0, r.stderr)
    stem = path.stem
    r = run("gcc", "-Iout", "-c", f"out/{stem}_probes.c")
    h.check(r.returncode == 0, r.stderr)
    r = run("gfortran", "-w", "-O1", f"out/{path.name}", f"{stem}_probes.o", "-o", "new")
    h.check(r.returncode == 0, r.stderr)
    for argv in (["./new"], [h.BOBBIN, "record", "-q", "--source", "-o", "t", "--", "./new"]):
        got = run(*argv)
        h.check((got.returncode, got.stdout) == (want.returncode, want.stdout),
                f"{argv}: {got} {want}")


def add_torture(suite, *options):
    """Every 24th of GCC's programs (BOBBIN_TEST_LONG=1: every 8th), or every
    BOB_TEST_TORTURE_EVERYth, as cases."""
    for path in torture.fortran_programs(h.share(24, 8)):
        suite.add(f"torture {path.stem}", torture_one, path, *options)


def main():
    add_torture(suite)
    return suite.run()


if __name__ == "__main__":
    raise SystemExit(main())
