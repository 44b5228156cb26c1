#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""Copies of procedures for the calls that pass them what is traced: the trace is the one that
probes in the procedures themselves give (--in-place), access by access, and the program does what
it did.

Programs at random call each other with all kinds of arguments. BOB_TEST_SEEDS=N tries N of them
(default 2; BOBBIN_TEST_LONG=1: 4); BOB_TEST_TORTURE_EVERY=N takes every N-th of GCC's programs that
check themselves (default 24), half of their variables traced."""

import os
import random
import re

import harness as h
import test_gcc_torture as torture
from copies_reported import replay, run, said_of

h.link_fast()
suite = h.Suite("source clones")
SOURCE = h.PROG / "source"
SEEDS = int(os.environ.get("BOB_TEST_SEEDS", h.share(2, 4)))


def stem(name):
    return name.rsplit(".", 1)[0]


def tables(out, names):
    """{file: [(line, column, unit) of each site]}"""
    found = {}
    for name in names:
        text = (out / (stem(name) + "_probes.c")).read_text()
        units = re.findall(r'^"(.*)",$', text.split("units[] = {")[1].split("NULL}")[0], re.M)
        rows = re.findall(r"^\{(\d+),(\d+),\d,0,(\d+),\d+,\d+\},$",
                          text.split("sites[] = {")[1].split("{0,0,0,0,0,0")[0], re.M)
        found[name] = [(int(line), int(column), units[int(unit)]) for line, column, unit in rows]
    return found


def both_ways(folder, paths, commands, flags=("-O1",), events=False):
    """(copies of each file, what was said, accesses); the accesses are the same with copies and in
    place."""
    h.need("gfortran", "gcc")
    names = [p.name for p in paths]
    run("gfortran", "-w", *flags, *paths, "-o", "plain", folder=folder)
    native = h.run([folder / "plain"], cwd=folder)
    h.check(native.status == 0, str(native))
    rows, said, reported = {}, {}, {}
    for way in ("--in-place", "copies"):
        out = folder / way.strip("-")
        said[way] = run(h.BOBBIN, "instrument", *([way] if way[0] == "-" else []), "-o", out, "--",
                        *flags, folder=folder, text="\n".join([*commands, ""]))
        probes = [stem(n) + "_probes.c" for n in names]
        run("gcc", "-Wall", "-Wextra", "-Werror", "-O1", f"-I{out}", "-c", *probes, folder=out)
        run("gfortran", "-w", *flags, *names, *[stem(p) + ".o" for p in probes], "-o", "program",
            folder=out)
        h.same(native, h.run([out / "program"], cwd=folder), f"{way}, not recorded")
        traced = h.record([out / "program"], ["--source", *(["--events"] if events else [])],
                          out / "t", cwd=folder)
        h.same(native, traced, way)
        rows[way] = replay(traced.trace, tables(out, names))
        lines = run(h.BOBBIN, "report", "--mpi", "-n", "0", out / "t",
                    folder=folder).splitlines()[3:] if events else []
        reported[way] = sorted(re.sub(r" +[\d.]+ \w+  ", "  ", re.sub(r"  +", "  ", line))
                               for line in lines)
    want, got = rows["--in-place"], rows["copies"]
    first = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
    h.check(want == got, f"{folder}: {len(got)} accesses, not {len(want)}; first other one "
            f"{first}: {got[first:first + 3]}, not {want[first:first + 3]}")
    h.check(reported["--in-place"] == reported["copies"], str(reported))
    h.check(set(said_of(said["--in-place"]).values()) == {0}, said["--in-place"])
    return said_of(said["copies"]), said["copies"], got


def one(name, text, *commands, **kw):
    folder = h.fresh("clones")
    (folder / name).write_text(text)
    return both_ways(folder, [folder / name], [f"trace file {name}", *commands], **kw)


# --- every program that is there ---

INTERNAL = """
program p
  implicit none
  real(8) :: a(10), b(10), s, total
  integer :: i
  external :: total
  a = 1
  b = 2
  do i = 1, 3
    call axpy(10, 2d0, b, b)
    call axpy(10, 2d0, a, b)
  end do
  if (a(1) > 0) call axpy(10, 1d0, b, y=a)
  do i = 1, 2
    if (a(i) > 0) call axpy(&
      10, 1d0, a, a)
  end do
  s = total(10, a) + total(10, b)
  if (total(3, a) > 0) s = s + a(int(total(1, b(:1)) * 0) + 2)
  print *, s, a(3), b(4), total(2, a)
contains
  subroutine axpy(n, c, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: c, x(n)
    real(8), intent(inout) :: y(n)
    integer :: k
    do k = 1, n
      y(k) = y(k) + c * x(k)
    end do
    call touch(x(1))
  end subroutine axpy
  subroutine touch(z)
    real(8), intent(in) :: z
    if (z > 1d300) print *, z
  end subroutine
end program
real(8) function total(n, v)
  integer :: n, k
  real(8) :: v(n)
  total = 0
  do k = 1, n
    total = total + v(k)
  end do
end function total
"""


@suite.case("internal procedures, functions, keywords, calls in IFs")
def internal():
    for flags in (("-O0", "-fcheck=all"), ("-O3",)):
        copies, _, rows = one("internal.f90", INTERNAL, "trace variable p:a", flags=flags)
        # axpy of x, of y, of both; touch; total
        h.check(copies == {"internal.f90": 5}, str(copies))
        h.check(len(rows) > 100, str(len(rows)))


@suite.case("calls and loops that are events have the same names and numbers")
def events():
    one("internal.f90", INTERNAL, "trace variable p:a", "trace code at loop level",
        "trace code at subroutine level", events=True)


FIXED = """
      PROGRAM FIXED
      INTEGER I
      REAL A(20), B(20), NORM
      COMMON /BLK/ A
      EXTERNAL NORM
      DO 10 I = 1, 20
         A(I) = I
         B(I) = 2 * I
   10 CONTINUE
      CALL TURN(A, 20, *30)
      CALL TURN(B, 20, *30)
      IF (NORM(A, 20) .GT. 0) CALL TURN(B(2), 10, *30)
   20 CALL DOWN(B, 3)
      CALL DOWN(A, 4)
   30 PRINT *, NORM(A, 20), NORM(B, 20), A(5), B(6)
      END
      SUBROUTINE TURN(X, N, *)
      REAL X(N), T
      INTEGER N, I
      DO 10 I = 1, N / 2
         T = X(I)
         X(I) = X(N + 1 - I)
   10 X(N + 1 - I) = T
      IF (X(1) .LT. 0) RETURN 1
      END
      REAL FUNCTION NORM(X, N)
      REAL X(N)
      NORM = 0
      DO 10 I = 1, N
   10 NORM = NORM + X(I) * X(I)
      RETURN
      END
      RECURSIVE SUBROUTINE DOWN(X, N)
      REAL X(*)
      IF (N .LE. 0) RETURN
      X(N) = X(N) + N
      CALL DOWN(X, N - 1)
      END SUBROUTINE
"""


@suite.case("fixed form: COMMON, alternate returns, recursion, results")
def fixed():
    for flags in (("-O0", "-fcheck=bounds"), ("-O2",)):
        folder = h.fresh("clones")
        (folder / "fixed.f").write_text(FIXED)
        copies, _, _ = both_ways(folder, [folder / "fixed.f"],
                                 ["trace file fixed.f", "trace variable fixed:a"], flags)
        h.check(copies == {"fixed.f": 3}, str(copies))
        # the procedures themselves are the same bytes
        new = (folder / "copies" / "fixed.f").read_text()
        for name in ("TURN", "NORM", "DOWN"):
            old = re.search(rf"^ +(?:REAL FUNCTION|SUBROUTINE|RECURSIVE SUBROUTINE) {name}\(.*?^   "
                            rf"   END[^\n]*\n", FIXED, re.M | re.S)[0]
            h.check(old in new, old)


MODULES = {
    "tools.f90": """
module tools
  implicit none
  private
  public :: scale, mean, outer
  real(8), save :: factor = 2
contains
  subroutine scale(x, by)
    real(8), intent(inout) :: x(:)
    real(8), intent(in), optional :: by
    if (present(by)) then
      x = x * by
    else
      x = x * factor
    end if
  end subroutine scale
  pure function mean(x) result(m)
    real(8), intent(in) :: x(:)
    real(8) :: m
    m = sum(x) / size(x)
  end function
  subroutine outer(x)
    real(8), intent(inout) :: x(:)
    call inner(x)
    x(1) = mean(x(2:))
  end subroutine
  subroutine inner(x)
    real(8), intent(inout) :: x(:)
    x(2) = x(1)
  end subroutine
end module
""",
    "main.f90": """
program main
  use tools, only: scale, mean
  implicit none
  real(8) :: a(6), b(6)
  a = 1
  b = 3
  call scale(a)
  call scale(b, by=2d0)
  call scale(a(2:4), 3d0)
  call work
  print *, a, b, mean(a), mean(b)
contains
  subroutine work
    use tools
    call outer(b)
    call outer(a)
    b(1) = mean(a) + mean(b)
  end subroutine
end program
"""}


@suite.case("several files: procedures of modules that say what is public")
def modules():
    folder = h.fresh("clones")
    for name, text in MODULES.items():
        (folder / name).write_text(text)
    commands = ["trace file tools.f90", "trace file main.f90", "trace variable a"]
    for order in (commands, commands[1:] + commands[:1]):
        for way in ("in-place", "copies"):
            run("rm", "-rf", way, folder=folder)
        copies, _, rows = both_ways(folder, [folder / n for n in MODULES], order)
        h.check(copies == {"tools.f90": 4, "main.f90": 0}, str(copies))
        h.check(rows, "nothing")


# What must stay in place, with a word of the reason. Each has a call that passes a and one that
# passes b.
REFUSED = {
    "it keeps variables": "subroutine f(x)\n real x(4)\n integer, save :: n = 0\n n = n + 1\n"
    " x(1) = n\nend\n",
    "it keeps variables from one call": "subroutine f(x)\n real x(4)\n"
    " procedure(), pointer, save :: p\n x(1) = x(2)\n if (x(3) > 1e9) call p\nend\n",
    "it keeps variables from one call to": "subroutine f(x)\n real x(4)\n"
    " procedure(), pointer :: p => null()\n external g\n x(1) = x(2)\n"
                                           " if (.not. associated(p)) x(1) = 7\n p => g\nend\n"
                                           "subroutine g\nend\n",
    "it keeps variables from one call to the": "subroutine f(x)\n save\n real x(4)\n"
    " procedure(), pointer :: p\n external g\n"
                                               " if (x(1) < 2) p => g\n x(1) = x(2)\n call p\nend\n"
                                               "subroutine g\nend\n",
    "it has an array that compilers keep": "subroutine f(x)\n real x(4), y(40000)\n integer i\n"
    " do i = 1, 4\n y(i) = x(i)\n end do\n x(1) = y(2)\nend\n",
    "it has an ENTRY": "subroutine f(x)\n real x(4)\n x(1) = x(2)\n entry g\nend\n",
    "C may call it": "subroutine f(x) bind(c,name='f_')\n real x(4)\n x(1) = x(2)\nend\n",
    "it contains procedures": "subroutine f(x)\n real x(4)\n call g\ncontains\n subroutine g\n"
    " x(1) = x(2)\n end\nend\n",
    "it is named elsewhere than in calls": "subroutine f(x)\n real x(4)\n x(1) = x(2)\nend\n"
    "subroutine other(g, x)\n real x(4)\n external g\n call g(x)\nend\n"
                                          "subroutine unused(x)\n real x(4)\n external f\n"
                                          " call other(f, x)\nend\n",
    "several procedures have its name": "subroutine f(x)\n real x(4)\n x(1) = x(2)\nend\nmodule m\n"
    "contains\nsubroutine f(x)\n real x(4)\n x(2) = 1\nend subroutine\nend module\n",
    "its interface is in an INTERFACE block": "subroutine f(x)\n real x(4)\n x(1) = x(2)\nend\n"
    "module m\n interface\n subroutine f(x)\n real x(4)\n end\n end interface\nend module\n",
    "may pass on traced variables": "subroutine f(x)\n real x(4)\n x(1) = x(2)\nend\n"
    "subroutine never(x)\n real x(4)\n call f(x)\n if (x(1) > 1e9) call abort_with(x)\nend\n",
    "the preprocessor has lines in it": "subroutine f(x)\n real x(4)\n#define ONE 1\n x(1) = x(2)\n"
    "end\n",
}


@suite.case("what may have no copy has its probes in place, and the reason is said")
def refused():
    main = ("program main\n real a(4), b(4)\n a = 1\n b = 2\n call f(a)\n call f(b)\n"
            "{}print *, a, b\nend\n")
    for why, text in REFUSED.items():
        folder = h.fresh("clones")
        late = "if (a(1) > 1e9) call never(a)\n" if "never" in text else ""
        name = "main.F90" if "preprocessor" in why else "main.f90"
        (folder / name).write_text(main.format(late) + text)
        (folder / "rest.f90").write_text("subroutine abort_with(x)\n real x(4)\n print *, x\nend\n")
        if "never" in text:  # of a file that the command does not name
            run("gfortran", "-c", "rest.f90", folder=folder)
            said = run(h.BOBBIN, "instrument", "-o", "out", folder=folder,
                       text=f"trace file {name}\ntrace variable main:a\n")
            h.check(said_of(said) == {name: 0}, said)
        else:
            copies, said, rows = both_ways(folder, [folder / name],
                                           [f"trace file {name}", "trace variable main:a"])
            h.check(copies == {name: 0} and rows, f"{why}: {said}")
        h.check(re.search(rf"^{name}:\d+: f has its probes in place, for all who call it: "
                          rf".*{re.escape(why)}", said, re.M), f"{why}: {said}")


@suite.case("an internal function whose type nothing declares has its probes in place")
def untyped():
    folder = h.fresh("untyped")
    (folder / "main.f90").write_text("program main\n real a(4), b(4)\n a = 1\n b = 2\n"
                                     " print *, f(a), f(b), g(a), g(b)\ncontains\n function f(x)\n"
                                     "  real x(4)\n  f = x(2)\n end\n function g(x)\n  real x(4)\n"
                                     "  real g\n  g = x(2)\n end\nend\n")
    copies, said, rows = both_ways(folder, [folder / "main.f90"],
                                   ["trace file main.f90", "trace variable main:a",
                                    "trace variable f:f", "trace variable g:g"])
    h.check(copies == {"main.f90": 1} and rows
            and "f has its probes in place, for all who call it: nothing declares the type of what "
            "it gives" in said, said)


WORDS = ("program main\n real a(4), b(4), subroutine_of\n external subroutine_of\n a = 1\n b = 2\n"
         "{}print *, a, b, subroutine_of(a) + subroutine_of(b)\nend\nsubroutine function_eval(x)\n"
         " real x(4)\n x(1) = x(2) + 1\n{}real function subroutine_of(x)\n real x(4)\n"
         " subroutine_of = x(1)\n{}")


@suite.case("names that begin with words of END")
def words():
    calls = "call function_eval(a)\ncall function_eval(b)\n"
    for ends in (("end subroutine function_eval\n", "end function subroutine_of\n"),
                 ("endsubroutine function_eval\n", "end function\n"), ("end\n", "end\n")):
        copies, said, rows = one("words.f90", WORDS.format(calls, *ends), "trace variable main:a")
        h.check(copies == {"words.f90": 2} and rows, said)
    text = "".join(f"      {line.strip()}\n"
                   for line in WORDS.format(calls, "end subroutine function_eval\n",
                                            "endfunctionsubroutine_of\n").splitlines())
    copies, said, rows = one("words.f", text, "trace variable main:a")
    h.check(copies == {"words.f": 2} and rows, said)


@suite.case("a procedure that has the name of an intrinsic one: compilers may call that")
def intrinsic():
    folder = h.fresh("clones")
    (folder / "main.f90").write_text("program main\n real a(4), b(4)\n a = 1\n b = 2\n"
                                     " call flush(a)\n call flush(b)\n print *, a, b\nend\n"
                                     "subroutine flush(x)\n real x(4)\n x(1) = x(2)\nend\n")
    said = run(h.BOBBIN, "instrument", "-o", "out", folder=folder,
               text="trace file main.f90\ntrace variable main:a\n")
    h.check(said_of(said) == {"main.f90": 0}
            and "main.f90:9: flush has its probes in place, for all who call it: an intrinsic "
            "procedure has its name" in said, said)


@suite.case("more sets of arguments than a procedure gets copies: one for all")
def many():
    arrays = "abcdef"
    calls = [f" call work({', '.join('t' if k >> i & 1 else c for i, c in enumerate(arrays))})"
             for k in range(64)]
    text = ("program main\n real t(4), " + ", ".join(f"{c}(4)" for c in arrays) + "\n t = 1\n"
            + "".join(f" {c} = 2\n" for c in arrays) + "\n".join(calls)
            + "\n print *, t, a\ncontains\n subroutine work(" + ", ".join(f"{c}{c}" for c in arrays)
            + ")\n" + "".join(f"  real {c}{c}(4)\n" for c in arrays)
            + "".join(f"  {c}{c}(1) = {c}{c}(2) + 1\n" for c in arrays) + " end subroutine\nend\n")
    copies, _, rows = one("main.f90", text, "trace variable t")
    h.check(copies == {"main.f90": 1} and len(rows) > 64, f"{copies} {len(rows)}")


@suite.case("all calls pass what is traced: no copies; the file is as with --in-place but for its "
            "names")
def needless():
    folder = h.fresh("clones")
    (folder / "main.f90").write_text("program main\n real a(4)\n a = 1\n call f(a)\n call f(a)\n"
                                     " print *, a\nend\nsubroutine f(x)\n real x(4)\n"
                                     " x(1) = x(1) + x(2)\n call g(x)\nend\nsubroutine g(y)\n"
                                     " real y(4)\n y(2) = 5\nend\n")
    copies, said, _ = both_ways(folder, [folder / "main.f90"],
                                ["trace file main.f90", "trace variable a"])
    h.check(copies == {"main.f90": 0} and "in place" not in said, said)
    texts = [re.sub(r"bobbin_[0-9a-f]{8}", "bobbin", (folder / way / "main.f90").read_text())
             for way in ("in-place", "copies")]
    h.check(texts[0] == texts[1], "another text")


@suite.case("kernels: cg and mg with an array that some calls pass")
def kernels():
    for name, commands in (("cg.f", ("trace variable conjgd:p(1:9)",)),
                           ("mg.f90", ("trace variable mg:exact",))):
        one(name, (SOURCE / "kernels" / name).read_text(), *commands)


# --- programs at random ---

class Writer:
    """Procedures that call later ones, or themselves, with arrays of 8; some of a module, some
    internal, some of no unit."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.kinds = [self.r.choice(["internal", "module", "external"]) for _ in range(7)]
        self.dummies = [self.r.randint(1, 3) for _ in self.kinds]
        self.is_function = [self.r.random() < 0.3 for _ in self.kinds]

    def may_call(self, caller, callee):
        """An internal procedure is known in the program alone."""
        return callee > caller and (self.kinds[callee] != "internal" or caller < 0
                                    or self.kinds[caller] == "internal")

    def call(self, caller, arrays):
        r = self.r
        known = [k for k in range(len(self.kinds)) if self.may_call(caller, k)]
        if not known:
            return [f"  {r.choice(arrays)}(1) = {r.choice(arrays)}(2)"]
        k = r.choice(known)
        # of arguments four elements are there, of others eight
        arguments = [r.choice([a, a, a if a[0] == "d" else f"{a}({r.randint(1, 5)})"])
                     if self.kinds[k] != "module" else r.choice([a, f"{a}(1:4)"])
                     for a in r.choices(arrays, k=self.dummies[k])]
        if self.kinds[k] != "external" and r.random() < 0.3:
            arguments = [f"d{i}={a}" for i, a in enumerate(arguments)]
        text = f"f{k}({', '.join(arguments)})"
        if self.is_function[k]:
            text = r.choice([f"s = s + {text}", f"if ({text} > 0) s = s + 1",
                             f"s = s + {text} * {r.choice(arrays)}(3)"])
        else:
            text = f"call {text}"
        if r.random() < 0.3:
            return ([f"  if ({r.choice(arrays)}(2) > 0) {text}"] if not text.startswith("if") else
                    [f"  {text}"])
        if r.random() < 0.2:
            return ["  do i = 1, 2", f"    {text}", "  end do"]
        return [f"  {text}"]

    def body(self, caller, arrays):
        r = self.r
        lines = []
        for _ in range(r.randint(2, 5)):
            a, b = r.choice(arrays), r.choice(arrays)
            lines += r.choice([
                lambda: [f"  {a}({r.randint(1, 4)}) = {b}({r.randint(1, 4)}) + 1"],
                lambda: ["  do i = 1, 4", f"    {a}(i) = {a}(i) * 0.5 + {b}(5 - i)", "  end do"],
                lambda: [f"  s = s + {a}(2)"],
                lambda: self.call(caller, arrays), lambda: self.call(caller, arrays)])()
        return lines

    def procedure(self, k):
        dummies = [f"d{i}" for i in range(self.dummies[k])]
        word = "function" if self.is_function[k] else "subroutine"
        shape = ":" if self.kinds[k] == "module" else "4"
        functions = ""
        if self.kinds[k] == "external":
            functions = ", ".join(f"f{j}" for j in range(len(self.kinds)) if self.is_function[j]
                                  and self.kinds[j] == "external" and j != k)
        return [f"{'real ' if self.is_function[k] else ''}{word} f{k}({', '.join(dummies)})",
                *(["  use m"] if self.kinds[k] == "external" else []),
                *(f"  real :: {d}({shape})" for d in dummies), "  real :: s", "  integer :: i",
                *([f"  real, external :: {functions}"] if functions else []), "  s = 0",
                *self.body(k, dummies + (["g"] if self.kinds[k] != "internal" else ["t"])),
                *([f"  f{k} = s"] if self.is_function[k] else []), f"end {word} f{k}"]

    def text(self):
        of = {kind: [line for k, one in enumerate(self.kinds) if one == kind
                     for line in self.procedure(k)] for kind in ("internal", "module", "external")}
        functions = ", ".join(f"f{j}" for j in range(len(self.kinds)) if self.is_function[j]
                              and self.kinds[j] == "external")
        main = ["program main", "  use m", "  implicit none", "  real :: t(8), u(8), v(8), s",
                "  integer :: i", *([f"  real, external :: {functions}"] if functions else []),
                "  t = 1", "  u = 2", "  v = 3", "  g = 4", "  s = 0"]
        for _ in range(3):
            main += self.body(-1, ["t", "u", "v", "g"])
        # module procedures are called by what has no unit, and the other way round: these are put
        # in the module's file after it
        return "\n".join(["module m", "  real :: g(8)", "contains", *of["module"], "end module",
                          *main, "  print *, t, u, v, g, s", "contains", *of["internal"],
                          "end program", *of["external"], ""])


COUNTS = {"copies": 0, "accesses": 0}


def at_random(seed):
    w = Writer(seed)
    r = random.Random(seed)
    commands = r.choice([["trace variable main:t"],
                         ["trace variable main:t", "trace variable main:u"], ["trace variable g"],
                         ["trace variable main:t(2:4)"]])
    # what they pass twice, they write
    copies, _, rows = one("main.f90", w.text(), *commands, flags=("-O0", "-fcheck=bounds"))
    COUNTS["copies"] += sum(copies.values())
    COUNTS["accesses"] += len(rows)


for number in range(SEEDS):
    suite.add(f"at random {number}", at_random, number)


# --- GCC's programs ---

def torture_one(path):
    folder = h.fresh("clones")
    if h.run(["gfortran", "-w", "-O1", path, "-o", folder / "plain"], cwd=folder).status:
        raise h.Skip("does not compile as it is")
    run(h.BOBBIN, "instrument", "-o", "all", folder=folder,
        text=f"trace file {path}\ntrace variable *\n")
    names = re.findall(
        r'^\{"(.*?)",',
        (folder / "all" / f"{path.stem}_probes.c").read_text().split(
            "variables[] = {")[1].split("{NULL")[0], re.M)
    r = random.Random(path.stem)
    requests = []
    for name in sorted(set(names)):
        m = re.fullmatch(r"(\w+) in (\w+)", name)
        if r.random() < 0.5 and re.fullmatch(r"\w+( in \w+)?|\w+::\w+|/\w+/\w+", name):
            requests.append(f"trace variable {m[2]}:{m[1]}" if m
                            else f"trace variable "
                            f"{name.replace('::', '%') if name[0] != '/' else name}")
    if not requests:
        raise h.Skip("has no variables")
    copies, _, rows = both_ways(folder, [path], [f"trace file {path}", *requests])
    COUNTS["copies"] += sum(copies.values())
    COUNTS["accesses"] += len(rows)


def main():
    for path in torture.fortran_programs(24):
        suite.add(f"torture {path.stem}", torture_one, path)
    status = suite.run()
    print(f"at random and torture: {COUNTS['copies']} copies, {COUNTS['accesses']} accesses")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
