#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: memory
"""Fortran that has places without probes: the program does what it did, and each place is said."""
import os
import subprocess

import harness as h
import test_instrument as i

h.link_fast()
suite = h.Suite("instrument_said")
os.environ["OMP_NUM_THREADS"] = "1"


def run(name, files, requests, *lines, flags=()):
    """The first file is instrumented: what is said has these lines. Gives the accesses."""
    h.need("gfortran")
    folder = h.fresh("instrument_said") / name
    folder.mkdir()
    for path, text in files.items():
        (folder / path).write_text(text)
    main = next(iter(files))
    commands = "".join(f"{c}\n" for c in [f"trace file {main}", *(f"trace {w}" for w in requests)])
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", "out"], input=commands, text=True,
                       capture_output=True, cwd=folder)
    assert r.returncode == 0, r.stderr
    for line in lines:
        assert f"{main}:{line}\n" in r.stdout, (line, r.stdout)
    subprocess.run(["gfortran", "-w", *flags, main, "-o", "plain"], check=True, cwd=folder)
    want = subprocess.run(["./plain"], capture_output=True, text=True, check=True,
                          cwd=folder).stdout
    out = folder / "out"
    exe = i.build_fortran(out, main, ("-I..", *flags))
    trace, text = i.accesses(exe, [], "t")
    assert text == want, (text, want)
    return i.replayed(trace)


LOOP = "      DO 5 I = 1, N\n    5 X(I) = X(I) + 1\n"
INCLUDES = """      SUBROUTINE A(X, N)
      REAL X(N)
      INCLUDE 'loop.inc'
      X(1) = 0
      END
      PROGRAM M
      REAL Y(5)
      Y = 1
      CALL A(Y, 5)
      PRINT *, Y
      END
"""


@suite.case("an INCLUDE of statements that run, as the first of them")
def includes():
    rows = run("code", {"i.f": INCLUDES, "loop.inc": LOOP}, ["variable y"],
               "3: no probe at 1 place: statements of a file that is included there")
    assert [r[0] for r in rows] == ["store"] * 6 + ["load"] * 5, rows
    rows = run("both", {"i.f": INCLUDES, "loop.inc": "      INTEGER I\n" + LOOP}, ["variable y"],
               "3: a file is included that declares and runs: the unit that it is in stays as it "
               "is")
    assert [r[0] for r in rows] == ["store"] * 5 + ["load"] * 5, rows
    functions = INCLUDES.replace("X(1) = 0", "X(1) = F(X(2))")
    rows = run("functions", {"i.f": functions, "loop.inc": "      F(Z) = Z + 1\n"}, ["variable y"])
    assert [r[0] for r in rows] == ["store"] * 5 + ["load", "store"] + ["load"] * 5, rows


@suite.case("what statement functions read")
def statement_functions():
    text = """      PROGRAM S
      REAL A(4), B(4), F, G, X
      F(X) = X + B(2)
      G(X) = 2 * F(X)
      A = 1
      B = 2
      A(1) = G(A(2))
      PRINT *, A
      END
"""
    rows = run("f", {"s.f": text}, ["variable b"],
               "7: no probe at 1 place: what a statement function reads")
    assert len(rows) == 4, rows


SUBMODULES = """module parent
  real(8), private :: v(4) = 1
  interface
    module subroutine go(x)
      real(8), intent(inout) :: x(:)
    end subroutine
    module subroutine on(x)
      real(8), intent(inout) :: x(:)
    end subroutine
  end interface
end module
submodule (parent) child
contains
  module subroutine go(x)
    real(8), intent(inout) :: x(:)
    x(1) = x(2) + v(1)
  end subroutine
  module procedure on
    v(3) = 2
    x(1) = v(3)
  end procedure
end submodule
program p
  use parent
  real(8) :: y(4) = 2
  call go(y)
  call on(y)
  print *, y
end program
"""


@suite.case("variables of a module in its submodules")
def submodules():
    rows = run("s", {"s.f90": SUBMODULES}, ["variable v", "variable y"])
    assert [(r[0], r[2], r[3]) for r in rows] == [("load", 1, 8), ("load", 0, 0), ("store", 1, 0),
                                                  ("store", 0, 16), ("load", 0, 16)] + [
        ("load", 1, 8 * k) for k in range(4)], rows


OPENMP = """program o
  real(8) :: a(4), s, b(4)
  integer :: i
  s = 0
  b = 0
!$omp parallel do reduction(+:s) &
!$omp& firstprivate(b)
  do i = 1, 4
    b(1) = i
    a(i) = b(1)
    s = s + a(i)
  end do
  print *, a, s
end program
"""
GROUP = """program n
  integer :: a(2) = 1, b = 2, c = 3
  character(80) :: line(4)
  namelist /one/ a, b /two/ c
  write(line, nml=two)
  write(line, nml=one)
  read(line, nml=one)
  print *, a, b, c
end program
"""
DIVIDED = """program d
  integer :: i, j, l
  real :: a(4,4)
!$omp parallel do collapse(2)
  do i = 1, 4
    do j = 1, 4
      a(j,i) = 1
    end do
  end do
!$omp end parallel do
!$omp parallel
  do l = 1, 2
  end do
!$omp do
  do i = 1, 4
    a(i,1) = 1
  end do
!$omp end parallel
  do i = 1, 4
    a(i,2) = 1
  end do
  do l = 1, 2
  end do
end program
"""
KINDS = """module state
  use kinds, only: wp
  type cell
    real(wp) :: x
    real(8), allocatable :: y(:)
  end type
  real(wp) :: a(4)
  type(cell) :: c
end module
program k
  use state
  include 'sizes.h'
  real(8) :: b(2)
  b(1) = a(1)
end program
"""
PARTS = """module parts
  type inner
    real, pointer :: p(:)
  end type
  type field
    real, allocatable :: v(:)
    type(inner) :: in(2)
    integer :: n
  end type
  type(field) :: f(3)
end module
program m
  use parts
  allocate(f(2)%v(3))
  f(2)%v = 1
  f(2)%n = 3
  f(3)%n = 3
  print *, f(2)%v
end program
"""


@suite.case("copies that OpenMP makes, NAMELIST, what components lead to, dummies of an interface "
            "elsewhere")
def remarks():
    own = "no probe at 1 place: what a thread has for itself (private, reduction, ...)"
    run("o1", {"o.f90": OPENMP}, ["variable b"], f"7: {own}", flags=["-fopenmp"])
    run("o2", {"o.f90": OPENMP}, ["variable s"], f"6: {own}", flags=["-fopenmp"])
    counter = ("the counter of a loop that OpenMP divides, or of one in a parallel region: each "
               "thread has its own")
    run("d1", {"d.f90": DIVIDED}, ["variable i"], f"5: no probe at 2 places: {counter}",
        flags=["-fopenmp"])
    run("d2", {"d.f90": DIVIDED}, ["variable l"], f"12: no probe at 1 place: {counter}",
        flags=["-fopenmp"])
    group = "a NAMELIST, whose members are read or written"
    run("n1", {"n.f90": GROUP}, ["variable a"], f"6: no probe at 2 places: {group}")
    run("n2", {"n.f90": GROUP}, ["variable c"], f"5: no probe at 1 place: {group}")
    rows = run("m", {"m.f90": PARTS}, ["variable f(1:2)"],
               "10: parts::f%v is allocatable: its target is not traced",
               "10: parts::f%in%p is a pointer: its target is not traced")
    assert [(r[0], r[1]) for r in rows] == [("store", 4)], rows
    run("s", {"s.f90": SUBMODULES}, ["variable y"], "18: no probe at 1 place: what a procedure is "
        "passed whose arguments an interface in another unit declares")


@suite.case("what is not known because a module's file, or an INCLUDE, is missing")
def unknown():
    def said(*requests):
        folder = h.fresh("unknown")
        (folder / "k.f90").write_text(KINDS)
        text = "\n".join(["trace file k.f90", *(f"trace variable {w}" for w in requests), ""])
        r = subprocess.run([str(h.BOBBIN), "instrument", "-o", "out"], input=text, cwd=folder,
                           capture_output=True, text=True)
        return r.returncode, r.stdout + r.stderr
    wp = ("wp is not known here: no file of the command has module kinds; name its file, too "
          "(trace file F)")
    status, text = said("a", "b")
    assert status == 0 and f"k.f90:7: no probe at 1 place: {wp}" in text, text
    status, text = said("c%y")
    assert status == 1 and (f"k.f90: c%y cannot be traced: its component x has a size that is not "
                            f"known: {wp}") in text, text
    status, text = said("missing")
    assert status == 1 and ("there is no variable missing; the INCLUDE of line 12, which may "
                            "declare it, was not found (-I says where)") in text, text


if __name__ == "__main__":
    raise SystemExit(suite.run())
