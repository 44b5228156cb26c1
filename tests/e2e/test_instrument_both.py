#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: memory
"""C and Fortran in one command: arrays that either passes to the other, COMMON, BIND(C), variables
of modules, pointers and procedures that are passed. What the program does with each variable is
listed here, access by access; what is asked for in either language is seen in both, in one
trace."""
import re
import subprocess

import harness as h
import test_instrument as i

h.link_fast()
suite = h.Suite("instrument both")
NAMES = {"shared_": None, "counter": "state::counter", "level": "state::level",
         "given": "state::result", "x": "/shared/x", "n": "/shared/n", "w": "w in fill",
         "local": "local in start", "mine": "mine in main", "heap": "*heap in main",
         "here": "here in with_callback", "pair": "pair in main"}
# In the order of the run: C counts from 0, Fortran from 1; here all from 0.
DOES = """
    x=0 x=1 x=2 x=3 n=0 local=0 local=1 local=2
    local?0 local=0 local?1 local=1 local?2 local=2 local?2 x=0
    counter?0 counter=0 level?0 level=0
    here=0:16 here?0 here?1 here=1 here?1 given=0 given?0 given=1
    x?1 x=2 n?0 n=0 counter?0 counter=0 level=0
    mine=0 mine=1 mine=2 mine=3 mine=4 w=0 w=1 w=2 w?0 w=0 w?1 w=1 w?2 w=2 w?0 mine=0 mine?0 mine=4
    mine?0 mine?1 mine?2 mine?3 mine=4 mine?1 mine=1 mine?2 mine=2
    heap=0 heap=1 heap=2 heap?1 heap=1 heap?1 given=2 pair=0 pair?0 pair=1
""".split()
# A compiler evaluates the arguments of printf in what order it likes.
LAST = "mine?0 mine?1 mine?2 mine?3 mine?4 heap?1 given?0 given?2 x?2 n?0 counter?0 level?0".split()


def rows(trace, names):
    out = []
    for line in h.run([h.BOBBIN, "replay", "--mem", "--subscripts", trace],
                      env=h.environment()).out.decode().splitlines():
        m = re.match(r"([LS]) 0x\w+ (\d+) \S+ (.*?)(?:([\[(])(\d+)[\])])?$", line)
        if not m:
            h.check(line.startswith("#"), line)
            continue
        kind, size, name, bracket, at = m.groups()
        if name == "heap in main":
            continue
        short = next((k for k in names if name in (k, NAMES[k], f"__state_MOD_{k}")), None)
        h.check(short, f"{name} was not asked for")
        index = int(at) - (bracket == "(") if at else 0
        size = f":{size}" if int(size) != (4 if short in ("n", "counter", "level") else 8) else ""
        out.append(f"{short}{'?' if kind == 'L' else '='}{index}{size}")
    return out


def ask(c, fortran, flags=(), how=()):
    requests = ["trace file both/main.c", *(f"trace variable {n}" for n in c),
                "trace file both/parts.f90", *(f"trace variable {n}" for n in fortran)]
    return i.instrument("both", requests, ["main.c", "parts.f90", "parts_probes.c"], *flags,
                        how=how)


def check(c, fortran, compilers=(("gcc", "-O2"),), **kw):
    h.need("gfortran")
    out = ask(c, fortran, **kw)
    names = [n.split(":")[-1].split("%")[-1] for n in (*c, *fortran)]
    names = ["given" if n == "result" else n.removeprefix("__state_MOD_") for n in names]
    plain = out / "plain"
    source = h.PROG / "source" / "both"
    subprocess.run(["gcc", "-c", str(source / "main.c"), "-o", "plain.o"], check=True, cwd=out)
    subprocess.run(["gfortran", "-w", str(source / "parts.f90"), "plain.o", "-o", str(plain)],
                   check=True, cwd=out)
    want = subprocess.run([str(plain)], capture_output=True, text=True, check=True).stdout
    for cc, level in compilers:
        subprocess.run([cc, level, f"-I{out}", "-c", "main.c"], check=True, cwd=out)
        subprocess.run(["gcc", level, f"-I{out}", "-c", "parts_probes.c"], check=True, cwd=out)
        subprocess.run(["gfortran", "-w", level, "parts.f90", "main.o", "parts_probes.o", "-o",
                        "program"], check=True, cwd=out)
        trace, text = i.accesses(out / "program", [], f"t{cc}{level}")
        h.check(text == want, (text, want))
        got = rows(trace, names)
        wanted = [a for a in DOES if re.match(r"\w+", a)[0] in names]
        last = sorted(a for a in LAST if re.match(r"\w+", a)[0] in names)
        h.check(got[:len(wanted)] == wanted, f"{cc} {level}: "
                f"{next(((k, a, b) for k, (a, b) in enumerate(zip(got, wanted)) if a != b), got)}")
        h.check(sorted(got[len(wanted):]) == last,
                f"{cc} {level}: at the end {got[len(wanted):]}, not {last}")


EVERY_C = ("main:mine", "main:pair", "heap", "with_callback:here")
EVERY_FORTRAN = ("start:x", "start:n", "start:local", "fill:w", "state%counter", "state%level",
                 "state%result")


@suite.case("everything, of both")
def everything():
    check(EVERY_C, EVERY_FORTRAN, (("gcc", "-O0"), ("gcc", "-O3"), ("clang", "-O2")))
    check(EVERY_C, EVERY_FORTRAN, how=["--flat"])
    check(EVERY_C, EVERY_FORTRAN, how=["--copies"])


@suite.case("what is asked for in C is seen in Fortran")
def of_c():
    for names in (("main:mine",), ("main:pair",), ("heap",), ("with_callback:here",), ("given",),
                  ("counter",), ("__state_MOD_level",), ("given", "counter", "__state_MOD_level")):
        check(names, ())


@suite.case("what is asked for in Fortran is seen in C")
def of_fortran():
    for names in EVERY_FORTRAN:
        check((), (names,))


@suite.case("a COMMON block as a struct of C: all of it, seen in both")
def common():
    h.need("gfortran")
    out = ask(("shared_",), ())
    for name in ("main.c", "parts_probes.c"):
        subprocess.run(["gcc", f"-I{out}", "-c", name], check=True, cwd=out)
    subprocess.run(["gfortran", "-w", "parts.f90", "main.o", "parts_probes.o", "-o", "program"],
                   check=True, cwd=out)
    trace, _ = i.accesses(out / "program", [], "t")
    want = [int(a[-1]) * 8 if a[0] == "x" else 32
            for a in (*DOES, *sorted(LAST)) if re.match("[xn][?=]", a)]
    got = [a[3] for a in i.replayed(trace)]
    h.check(got[:-2] == want[:-2] and sorted(got) == sorted(want), (got, want))


OLD = """subroutine fill
  common /old/ r1, r2(3)
  r1 = 2
  r2(2) = 3
end subroutine
"""
TAKES = """#include <stdio.h>
extern %s;
extern int nowhere;
void fill_(void);
void see(const void *p);
int main(void)
{
	fill_();
%s	return 0;
}
void see(const void *p) { printf("%%d\\n", p != 0); }
"""


@suite.case("a COMMON block that a C file declares, and does not use itself; other variables that "
            "it declares need not be there")
def only_declared():
    h.need("gfortran", "clang")
    block, open_array = "struct { float r[4]; } old_", "float old_[]"
    for declared, use, asked, said, want in (
            (block, "", "old_", False, ["S old_", "S old_ +8"]),
            (block, "\tsee(&old_);\n", "old_", False, ["S old_", "S old_ +8"]),
            (open_array, "", "old_[0..3]", False, ["S old_[0]", "S old_[2]"]),
            (open_array, "\tsee(old_);\n", "old_[2..9]", False, ["S old_[2]"]),
            (open_array, "\tprintf(\"%g\\n\", old_[2]);\n", "old_[0..3]", False,
             ["S old_[0]", "S old_[2]", "L old_[2]"]),
            (open_array, "\tsee(old_);\n", "old_", True, None)):
        folder = h.fresh("declared")
        (folder / "main.c").write_text(TAKES % (declared, use))
        (folder / "parts.f90").write_text(OLD)
        subprocess.run(["gfortran", "main.c", "parts.f90", "-o", "plain"], check=True, cwd=folder)
        plain = subprocess.run([str(folder / "plain")], capture_output=True, text=True,
                               check=True).stdout
        requests = ["trace file main.c", f"trace variable {asked}", "trace variable nowhere",
                    "trace file parts.f90"]
        r = subprocess.run([str(h.BOBBIN), "instrument", "-o", "out"],
                           input="\n".join(requests) + "\n", text=True, capture_output=True,
                           cwd=folder)
        h.check(not r.returncode and ("main.c: old_ is declared without its length" in r.stdout)
                == said, r)
        out = folder / "out"
        for cc in (("gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic"),
                   ("clang", "-O1", "-Wall", "-Werror")):
            subprocess.run([*cc, "-I.", "-c", "main.c"], check=True, cwd=out)
            subprocess.run(["gfortran", "-I.", "main.o", "parts.f90", "parts_probes.c", "-o",
                            "program"], check=True, cwd=out)
            got = []
            trace, text = i.accesses(out / "program", [], f"t{cc[0]}")
            h.check(text == plain, (text, plain))
            if want is not None:
                replayed = h.run([h.BOBBIN, "replay", "--mem", "--subscripts", trace],
                                 env=h.environment()).out.decode()
                got = [f"{kind} {name}" for kind, name in re.findall(r"^([LS]) 0x\w+ 4 \S+ (.*)$",
                                                                     replayed, re.M)]
            h.check(got == (want or []), (declared, use, got))


@suite.case("what cannot lead to anything that is asked for has no probe")
def apart():
    out = ask(("counter",), ())     # of type int: no array of doubles may be that
    text = (out / "main.c").read_text()
    h.check("s += v[i]" in text and "v[i] /= 2" in text, text)
    out = ask((), ("state%level",))
    text = (out / "main.c").read_text()
    h.check("s += v[i]" in text and "__state_MOD_level" in text, text)


@suite.case("what is asked for in one file, and how, makes other images of the others")
def images():
    def of(name, *args, **kw):
        text = (ask(*args, **kw) / name).read_text()
        found = re.findall(r'main.c",(0x[0-9a-f]+)ULL',
                           text) or re.findall(r"\b(bobbin_[0-9a-f]{8})_", text)
        h.check(found, name)
        return found[0]

    def differ(name, *asked):
        got = [of(name, c, fortran, how=how) for c, fortran, how in asked]
        h.check(len(set(got)) == len(got), (name, got))
    # alone an argument differs from what is no argument, of the same type and seen by no name
    differ("main.c", ((), ("fill:w",), ()), ((), ("fill:v",), ()), ((), ("fill:v",), ["--flat"]),
           ((), ("fill:v",), ["--copies"]))
    differ("parts.f90", (("main:mine",), ("fill:w",), ()), (("c_sum:v",), ("fill:w",), ()),
           (("main:mine",), ("fill:w",), ["--flat"]), (("main:mine",), ("fill:w",), ["--in-place"]))


CALLS_C = """program p
  use iso_c_binding
  real(8) :: x(10)
  interface
    subroutine fill(p, n) bind(c)
      import
      real(8) :: p(*)
      integer(c_int), value :: n
    end subroutine
    subroutine named(p) bind(c, name="Other_name")
      import
      real(8) :: p(*)
    end subroutine
  end interface
  call fill(x, 10)
  call named(x)
  call other(x)
  print *, x
end program
"""
CALLED_C = """void fill(double *p, int n) { for (int i = 0; i < n; i++) p[i] = i; }
void Other_name(double *p) { p[1] = 1; }
void other_(double *p) { p[2] = 2; }
"""


@suite.case("procedures that a C file of the command defines are known; others are unknown, and so "
            "are those of no file")
def known():
    h.need("gfortran")

    def said(c):
        folder = h.fresh("known")
        (folder / "p.f90").write_text(CALLS_C)
        (folder / "c.c").write_text(c)
        r = subprocess.run([str(h.BOBBIN), "instrument", "-o", "out"],
                           input="trace file p.f90\ntrace variable x\ntrace file c.c\n", text=True,
                           capture_output=True, cwd=folder)
        h.check(not r.returncode, r)
        return [line for line in r.stdout.splitlines()
                if "no file of the command" in line], folder / "out"
    rest = "which no file of the command has: what is done with it there is not recorded"
    for name, other in (("fill", "fill2"), ("named", "Other_name2"), ("other", "other")):
        lines, _ = said(CALLED_C.replace({"named": "Other_name(", "other": "other_("}.get(name,
                                                                                          "fill("),
                                         other + "("))
        h.check(lines == [f"p.f90:3: x may be passed to {name}, {rest}"], lines)
    lines, out = said(CALLED_C)
    h.check(not lines, lines)
    subprocess.run(["gfortran", "-I.", "p.f90", "p_probes.c", "c.c", "-o", "program"], check=True,
                   cwd=out)
    trace, _ = i.accesses(out / "program", [], "t")
    stores = [r[3] for r in i.replayed(trace) if r[0] == "store"]
    h.check(stores == [8 * k for k in range(10)] + [8, 16], stores)


if __name__ == "__main__":
    raise SystemExit(suite.run())
