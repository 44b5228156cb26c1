#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bobbin instrument: loops with their trips, calls and messages as events, `trace code` and `trace
communication`. How often each of them runs is known; programs do what they did."""
import re

import harness as h

suite = h.Suite("instrument code")
SOURCE = h.PROG / "source"
KERNELS = h.ROOT / "bench" / "source" / "kernels"
OPENMPI = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "5"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*argv, folder, text=None, env=None):
    r = h.run(argv, env=h.environment(env), cwd=folder, stdin=(text or "").encode())
    h.check(r.status == 0, str(r))
    return r.out.decode()


def instrument(folder, path, *commands, flags=()):
    return run(h.BOBBIN, "instrument", "-o", "out", "--", *flags, folder=folder,
               text="\n".join([f"trace file {path}", *commands, ""]))


def report(folder):
    """{event: (how often, trips, fewest, most)}; of what is no loop None."""
    out = {}
    for line in run(h.BOBBIN, "report", "--mpi", "-n", "0", "t", folder=folder).splitlines():
        m = re.match(r" *([\d,]+) +[\d.]+% +\d+ +\S+(?: +([\d,]+|-) +([\d,]+|-) +([\d,]+|-))? "
                     r"+(?:[\d.]+ \w+|-)  (\S.*)$", line)
        if m:
            out[m[5]] = tuple(None if n in (None, "-") else int(n.replace(",", ""))
                              for n in m.groups()[:4])
    return out


# how often, trips, fewest, most
LOOPS = {
    "search 30": (2, 2 + 6, 2, 6), "search 31": (8, 2 + 2 + 2 + 3 + 4 + 5 + 6 + 6, 2, 6),
    "triangle 47": (1, 2, 2, 2), "triangle 48": (2, 6, 3, 3),
    "smooth 57": (1, 3, 3, 3), "smooth 58": (3, 18, 6, 6), "smooth 59": (18, 108, 6, 6),
    "leap 80": (1, None, None, None),
    "main 99": (1, 4, 4, 4), "main 103": (1, 2, 2, 2), "main 108": (1, 6, 6, 6),
    "main 109": (6, 36, 6, 6), "main 111": (1, 0, 0, 0),
}
CALLS = {"twice": 9, "both": 4, "descend": 6, "call 101 in main": 1, "search": 2, "triangle": 1,
         "duff": 1, "smooth": 1, "strlen": 2, "printf": 1, "leap": 1, "longjmp": 1}


@suite.case("C: loops that are left in all ways, and calls")
def code():
    folder = h.fresh("code")
    want = {f"loop {k.split()[1]} in {k.split()[0]}": v for k, v in LOOPS.items()}
    want.update({k: (n, None, None, None) for k, n in CALLS.items()})
    said = instrument(folder, SOURCE / "code.c", "trace variable a", "trace code at loop level",
                      "trace code at subroutine level")
    h.check("no probe at 1 place: jumped over" in said
            and "no probe at 1 place: a call that may come back twice" in said, said)
    run("gcc", SOURCE / "code.c", "-o", "plain", folder=folder)
    plain = run("./plain", folder=folder)
    for cc, level in (("gcc", "-O0"), ("gcc", "-O3"), ("clang", "-O2")):
        run(cc, level, "-Wall", "-Werror", "-Wno-parentheses", "-Iout", "out/code.c", "-o",
            "program", folder=folder)
        h.check(run("./program", folder=folder) == plain, "another output")
        run("rm", "-rf", "t", folder=folder)
        h.check(run(h.BOBBIN, "record", "-q", "--source", "--events", "-o", "t", "--", "./program",
                    folder=folder) == plain, "another output")
        got = report(folder)
        h.check(got == want, f"{cc} {level}: got {sorted(got.items() ^ want.items())}")


@suite.case("C: only what begins in these lines")
def lines():
    folder = h.fresh("lines")
    instrument(folder, SOURCE / "code.c", "trace code at loop level from 50 to 60",
               "trace code at subroutine level from 107 to 107")
    run("gcc", "-Iout", "out/code.c", "-o", "program", folder=folder)
    run(h.BOBBIN, "record", "-q", "--source", "--events", "-o", "t", "--", "./program",
        folder=folder)
    h.check(set(report(folder)) == {"loop 57 in smooth", "loop 58 in smooth", "loop 59 in smooth",
                                    "smooth"}, report(folder))


@suite.case("C: loops, and calls of pointers, that share a line have their columns")
def one_line():
    folder = h.fresh("line")
    (folder / "a.c").write_text("static int one(void) { return 1; }\n"
                                "static int two(void) { return 2; }\nint main(void)\n{\n"
                                "\tint (*f[2])(void) = { one, two }, s = 0;\n"
                                "\tfor (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) s += "
                                "f[0]() + f[1]() + f[0]();\n\treturn s != 48;\n}\n")
    instrument(folder, "a.c", "trace code at loop level", "trace code at subroutine level")
    run("gcc", "-Iout", "out/a.c", "-o", "program", folder=folder)
    run(h.BOBBIN, "record", "-q", "--source", "--events", "-o", "t", "--", "./program",
        folder=folder)
    want = {"loop 6 in main": (1, 3, 3, 3), "loop 6:30 in main": (3, 12, 4, 4)}
    want.update({f"call {k} in main": (12, None, None, None) for k in ("6", "6:72", "6:81")})
    h.check(report(folder) == want, report(folder))
    # The prediction takes what is in one line together: come by 4 times, 15 trips.
    said = run(h.BOBBIN, "instrument", "--profile", "t", "-o", "again", folder=folder,
               text="trace file a.c\ntrace variable s\n")
    h.check(re.search(r"probes +[0-9,]+ of one access", said) and "not come by" not in said, said)


def asked(folder, *argv, status=0):
    r = h.run([h.BOBBIN, *argv], cwd=folder)
    h.check(r.status == status, r)
    return (r.err if status else r.out).decode()


@suite.case("events alone: report and show have them; no accesses at all: why")
def alone():
    folder = h.fresh("alone")
    (folder / "a.c").write_text("double a[4];\nint main(int argc, char **argv)\n{\n\t(void)argv;\n"
                                "\tfor (int i = 1; i < argc; i++)\n\t\ta[i] = i;\n\treturn 0;\n}\n"
                                "")
    for request in ("code at loop level", "variable a"):
        run("rm", "-rf", "out", folder=folder)
        run(h.BOBBIN, "instrument", "-o", "out", folder=folder,
            text=f"trace file a.c\ntrace {request}\n")
        run("gcc", "-Iout", "out/a.c", "-o", request.split()[0], folder=folder)
    run(h.BOBBIN, "record", "-q", "--source", "--events", "-o", "t", "--", "./code", "1", "2",
        folder=folder)
    h.check("loop 5 in main" in asked(folder, "report", "t")
            and asked(folder, "report", "t") == asked(folder, "report", "--mpi", "t"), "report")
    h.check("trips=2" in asked(folder, "show", "t")
            and asked(folder, "show", "t") == asked(folder, "show", "--mpi", "t"), "show")
    h.check(asked(folder, "report", "--by=line", "t", status=1)
            == "bobbin: report: the trace has events alone, no accesses: bobbin report --mpi and "
            "bobbin show --mpi show them\n", "by line")
    h.check("\nevents      1\n" in asked(folder, "info", "t")
            and "variables" not in asked(folder, "info", "t"), "info")
    for program, trace, why in (("./variable", "none", "nothing that was asked for was accessed"),
                                ("true", "other", "no file with probes was in the program: it has "
                                 "to be built from what bobbin instrument writes")):
        run(h.BOBBIN, "record", "-q", "--source", "-o", trace, "--", program, folder=folder)
        for verb in ("report", "show"):
            h.check(asked(folder, verb, trace, status=1)
                    == f"bobbin: {verb}: the trace has no accesses: {why}\n", (verb, trace))
        info = asked(folder, "info", trace)
        h.check(f"\naccesses    none: {why}\n" in info and "calls" not in info, info)
    h.check("\nvariables   1: a\n" in asked(folder, "info", "none"), "variables")


@suite.case("Fortran: loops, calls")
def fortran():
    h.need("gfortran")
    folder = h.fresh("fortran")
    instrument(folder, SOURCE / "kernels" / "cg.f", "trace code at loop level",
               "trace code at subroutine level")
    run("gcc", "-Iout", "-c", "out/cg_probes.c", folder=folder)
    run("gfortran", "-w", "out/cg.f", "cg_probes.o", "-o", "program", folder=folder)
    out = run(h.BOBBIN, "record", "-q", "--source", "--events", "-o", "t", "--", "./program",
              folder=folder)
    got = report(folder)
    products, rows, nonzeros = (int(re.search(word + r" +(\d+)", out)[1])
                                for word in ("products", "rows", "nonzeros"))
    h.check(got["matvec"] == (products, None, None, None), got)
    h.check(got["loop 95 in matvec"] == (products, products * rows, rows, rows), got)
    h.check(got["loop 97 in matvec"][:2] == (products * rows, products * nonzeros), got)
    h.check(got["makea"][0] == 1, got)


@suite.case("files of which nothing is accessed: nothing is printed about them; their variables "
            "are declared")
def without_accesses():
    h.need("gfortran")
    folder = h.fresh("without")
    (folder / "loop.f90").write_text("program p\n integer :: i, s\n s = 0\n do i = 1, 10\n"
                                     "  s = s + i\n end do\n print *, s\nend\n")
    (folder / "loop.c").write_text("int main(void)\n{\n\tint s = 0;\n"
                                   "\tfor (int i = 0; i < 10; i++)\n\t\ts += i;\n"
                                   "\treturn s != 45;\n}\n")
    # what one file has is accessed by another one alone
    (folder / "has.f90").write_text("program p\n real(8) :: a(4)\n call fill(a)\nend\n")
    (folder / "fills.f90").write_text("subroutine fill(x)\n real(8) :: x(4)\n x(3) = 1\nend\n")
    (folder / "has.c").write_text("double a[4];\nvoid fill(double *);\nint main(void)\n{\n"
                                  "\tfill(a);\n\treturn 0;\n}\n")
    (folder / "fills.c").write_text("double own[2];\nvoid fill(double *p)\n{\n\tp[3] = 1;\n"
                                    "\town[1] = p[2];\n}\n")
    for names, text, want in (
            (["loop.f90"], "trace file loop.f90\ntrace code at loop level", None),
            (["loop.c"], "trace file loop.c\ntrace code at loop level", None),
            (["has.f90", "fills.f90"], "trace file has.f90\ntrace variable a\ntrace file fills.f90",
             ["a(3)"]),
            (["has.c", "fills.c"],
             "trace file has.c\ntrace variable a\ntrace file fills.c\ntrace variable own",
             ["a[3]", "a[2]", "own[1]"])):
        run("rm", "-rf", "out", "t", folder=folder)
        run(h.BOBBIN, "instrument", "-o", "out", folder=folder, text=text + "\n")
        sources = [f"out/{n}" for n in names]
        if names[0].endswith("90"):
            probes = [f"out/{n[:-4]}_probes.c" for n in names]
            run("gcc", "-Wall", "-Wextra", "-Werror", "-Iout", "-c", *probes, folder=folder)
            run("gfortran", "-w", *sources, *[p[4:-2] + ".o" for p in probes], "-o", "program",
                folder=folder)
        else:
            run("gcc", "-Wall", "-Werror", "-Iout", *sources, "-o", "program", folder=folder)
        run(h.BOBBIN, "record", "-q", "--source", *([] if want else ["--events"]), "-o", "t", "--",
            "./program", folder=folder)
        said = run(h.BOBBIN, "info", "t", folder=folder)
        h.check("not recorded" not in said, said)
        if want:
            rows = run(h.BOBBIN, "replay", "--mem", "--subscripts", "t", folder=folder).splitlines()
            got = [r.split()[-1] for r in rows if r[0] in "LS"]
            h.check(got == want, f"{names}: {rows}")
        else:
            h.check(len(report(folder)) == 1, f"{names}: {report(folder)}")


def messages(kernel, cc, upper):
    """A master and four slaves, ten steps."""
    h.need(cc, OPENMPI[0])
    folder = h.fresh("messages")
    flags = [f for f in run(cc, "-showme:compile", folder=folder).split() if f.startswith("-I")]
    instrument(folder, KERNELS / kernel, "trace communication", flags=flags)
    if kernel.endswith(".c"):
        run(cc, "-Iout", f"out/{kernel}", "-o", "program", folder=folder)
    else:
        run("gcc", "-Iout", "-c", "out/smooth_mpi_probes.c", folder=folder)
        run(cc, f"out/{kernel}", "smooth_mpi_probes.o", "-o", "program", folder=folder)
    run(*OPENMPI, h.BOBBIN, "record", "-q", "--source", "--events", "-o", "t", "--", "./program",
        "10", folder=folder, env=AS_ROOT)
    want = {"MPI_Sendrecv": 4 * 2 * 10, "MPI_Send": 8, "MPI_Recv": 8, "MPI_Init": 5,
            "MPI_Comm_rank": 5, "MPI_Comm_size": 5, "MPI_Finalize": 5}
    got = {k: v[0] for k, v in report(folder).items()}
    h.check(got == {k.upper() if upper else k: n for k, n in want.items()}, got)


suite.add("C: messages of five ranks", messages, "smooth_mpi.c", "mpicc.openmpi", False)
suite.add("Fortran: messages of five ranks", messages, "smooth_mpi.f90", "mpifort.openmpi", True)


if __name__ == "__main__":
    raise SystemExit(suite.run())
