#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
# ctest: memory
"""Fortran text that the preprocessor has in two branches: procedures of one name, or one body with
two first statements. Both are instrumented at once, and whichever is compiled, the trace is the one
that its branch gives alone: the same variables, and the same accesses in the same order."""

import re

import harness as h
from copies_reported import run

h.link_fast()
suite = h.Suite("source variants")

PROCEDURES = """module pl
  implicit none
  integer :: n = 0
  real :: common_one
  common /blk/ common_one
contains
#ifdef MPI
  subroutine one(k)
    integer, intent(in) :: k
    integer :: w(3)
    w = k
    n = n + w(1)
  end subroutine one
  integer function two(k) result(r)
    integer, intent(in) :: k
    integer :: w(2)
    w(1) = k
    r = w(1) + 1
  end function two
  subroutine passed(a, b)
    real, intent(inout) :: a(:), b(:)
    b(2) = b(2) + a(1)
  end subroutine passed
#else
  subroutine one(k)
    integer, intent(in) :: k
    integer :: w(3)
    w = 2 * k
    n = n + w(2) + w(3)
  end subroutine one
  subroutine empty(k)
    integer, intent(in) :: k
  end subroutine empty
  integer function two(k)
    integer, intent(in) :: k
    integer :: w(2), v
    v = k
    w(2) = v
    two = w(2)
  end function two
  subroutine passed(b, a)
    real, intent(inout) :: a(:), b(:)
    b(1) = b(3) + a(2)
  end subroutine passed
#endif
end module pl
#ifdef MPI
module grid
  real :: x(4) = 1
contains
  subroutine step()
    x(2) = x(1)
  end subroutine step
end module grid
#else
module grid
  real :: x(5) = 2
contains
  subroutine step()
    x(3) = x(5)
    call outer(x)
  end subroutine step
end module grid
#endif
#ifdef MPI
subroutine outer(a)
  real a(4)
  a(4) = 1
end subroutine outer
#else
subroutine outer(a)
  real a(5), c
  common /blk/ c
  a(5) = 2
  c = a(5)
end subroutine outer
#endif
program main
  use pl
  use grid
  implicit none
  real :: p(3), q(3)
  p = 1
  q = 2
  call one(2)
  n = n + two(3)
  call passed(p, q)
  call step()
  call outer(x)
  print *, n, p, q, x
end program main
"""

HEADERS = """module pl
  implicit none
  integer :: calls = 0
contains
#ifdef MPI
  subroutine send(a, n, rank)
    integer, intent(in) :: rank
#else
  subroutine send(n, a)
#endif
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    integer :: i
#ifndef MPI
    integer :: rank
#endif
#ifndef MPI
    rank = 3
#endif
    do i = 1, n
      a(i) = a(i) + rank
    end do
    calls = calls + 1
  end subroutine send
#ifdef MPI
  real function first(a) result(r)
    real, intent(in) :: a(:)
#else
  real function first(b, a) result(r)
    real, intent(in) :: a(:), b(:)
#endif
    r = a(1)
#ifndef MPI
    r = r + b(2)
#endif
  end function first
end module pl
#ifdef MPI
      subroutine work_p(a, c)
#else
      subroutine work_s(c, a)
#endif
      implicit none
      real a(3), c
      a(2) = a(1) + c
      end
program main
  use pl
  implicit none
  real :: p(3)
  p = 1
#ifdef MPI
  call send(p, 3, 7)
  p(3) = first(p)
  call work_p(p, 2.0)
#else
  call send(3, p)
  p(3) = first(p, p)
  call work_s(2.0, p)
#endif
  print *, p, calls
end program main
"""


# No line can be after all declarations and before what runs, in either branch.
MIXED = """subroutine mixed(a)
  implicit none
  real a(3)
#ifdef MPI
  integer k
  k = 3
  a(k) = 1
#endif
  a(1) = 2
end subroutine mixed
program main
  implicit none
  real :: p(3)
  p = 1
  call mixed(p)
  print *, p
end program main
"""

# Names that some branches declare.
NAMES = """module m
  implicit none
#ifdef MPI
  integer :: rank = 3
#else
  real :: alone(2) = 1
#endif
contains
  subroutine work(k)
    integer, intent(inout) :: k
#if defined(MPI) && MPI > 0
    integer :: parallel(2)
#ifdef MPI
    real :: inner
#endif
#elif defined(NEVER)
    integer :: never
#else
    integer, allocatable :: serial(:)
#endif
    k = k + 1
#ifdef MPI
    parallel(2) = k
    inner = parallel(2)
    if (k > 3) return
    k = rank + int(inner)
#else
    allocate(serial(k))
    serial(1) = k
    if (k > 1) return
    k = serial(1) + int(alone(2))
#endif
  end subroutine work
end module m
#ifdef MPI
module far
  real :: seen = 1
end module far
#endif
subroutine uses()
#ifdef MPI
  use far
#endif
  implicit none
  integer k
  k = 1
#ifdef MPI
  seen = seen + k
#endif
end subroutine uses
program main
  use m
  implicit none
  integer :: k
#ifdef MPI
  integer :: both
#else
  real :: both
#endif
  k = 0
  call work(k)
  call work(k)
  both = k
  call uses()
  print *, both
end program main
"""
FIXED = """      program main
      implicit none
      integer k
#ifdef MPI
      real*8 rank(2)
#endif
      k = 1
#ifdef MPI
      rank(k) = k
      k = int(rank(1))
#endif
      print *, k
      end
"""

FOREIGN = """module gen
  interface total
    module procedure total_of
  end interface
contains
  subroutine total_of(z)
    real z(3)
    z(1) = sum(z)
  end subroutine
end module
subroutine pass(x, y)
  real x(3), y(3)
  call inner(x)
  call elsewhere_1(y)
end subroutine
subroutine inner(x)
  real x(3)
  call total_of(x)
{}end subroutine
program main
  use gen
  real :: v(3), u(3), w(3), free
  v = 1
  call pass(v, u)
  call total(w)
end program
"""


# Two bodies that share their END.
BODIES = """#ifdef MPI
      subroutine again(a)
      real a(3)
      a(3) = 1
#else
      subroutine again(a)
      real a(3)
      a(1) = 2
#endif
      end
program main
  implicit none
  real :: p(3)
  p = 1
  call again(p)
  print *, p
end program main
"""


def reported(folder, source, commands, flags, more=()):
    """What was said, and the kind, name and bytes of each access of the program, which does what it
    did."""
    run("gfortran", "-w", "-cpp", *flags, folder / source, "-o", "plain", folder=folder)
    native = h.run([folder / "plain"], cwd=folder)
    said = run(h.BOBBIN, "instrument", *more, "-o", folder / "out", "--", "-cpp", folder=folder,
               text="\n".join([f"trace file {source}", *commands, ""]))
    probes = source.split(".")[0] + "_probes.c"
    run("gcc", "-Wall", "-Wextra", "-Werror", "-O1", "-Iout", "-c", folder / "out" / probes, "-o",
        "probes.o", folder=folder)
    run("gfortran", "-w", "-cpp", *flags, folder / "out" / source, "probes.o", "-o", "program",
        folder=folder)
    h.same(native, h.run([folder / "program"], cwd=folder), "not recorded")
    traced = h.record([folder / "program"], ["--source"], folder / "t", cwd=folder)
    h.same(native, traced, "recorded")
    r = h.bobbin("replay", "--mem", "--subscripts", traced.trace)
    if r.status == 1 and b"has no memory accesses" in r.err:
        return said, []
    h.check(r.status == 0, str(r))
    rows = [line.split(" ", 4) for line in r.out.decode().splitlines() if line[0] in "LS"]
    return said, [(row[0], row[2], re.sub(" in work_[ps]", " in work", row[4])) for row in rows]


def branches(name, text, *commands, more=()):
    """The accesses of both variants."""
    h.need("gfortran", "gcc")
    both = []
    for flags in ((), ("-DMPI",)):
        folder, alone = h.fresh("variants"), h.fresh("variant")
        (folder / name).write_text(text)
        run("gfortran", "-E", "-P", "-cpp", *flags, folder / name, "-o", alone / name,
            folder=folder)
        said, rows = reported(folder, name, commands, flags, more)
        _, want = reported(alone, name, commands, flags, more)
        h.check(rows == want, f"{flags}: {len(rows)} accesses, not {len(want)}: "
                f"{next(((n, g, w) for n, (g, w) in enumerate(zip(rows, want)) if g != w), '')}\n"
                f"{said}")
        both.append((said, rows))
    return both


def count(rows, name):
    return sum(r[2].split("(")[0] == name for r in rows)


@suite.case("procedures and modules of one name: every variable of both")
def procedures():
    for more in ((), ("--in-place",), ("--flat",)):
        (_, serial), (_, parallel) = branches("both.F90", PROCEDURES, "trace variable *", more=more)
        h.check((count(serial, "k in one"), count(parallel, "k in one")) == (1, 1),
                str((serial, parallel)))
        h.check((count(serial, "v in two"), count(parallel, "v in two")) == (2, 0), str(serial))


@suite.case("... those that are named: a unit's name means both; what is passed is followed into "
            "both")
def named():
    (_, serial), (_, parallel) = branches("named.F90", PROCEDURES, "trace variable one:w",
                                          "trace variable main:q")
    h.check((count(serial, "w in one"), count(parallel, "w in one")) == (5, 4),
            str((serial, parallel)))
    h.check((count(serial, "q"), count(parallel, "q")) == (7, 8), str((serial, parallel)))
    branches("module.F90", PROCEDURES, "trace variable x")
    branches("block.F90", PROCEDURES, "trace variable /blk/*")


@suite.case("two first statements and one body")
def headers():
    for more in ((), ("--in-place",), ("--flat",)):
        for command in ("variable *", "variable main:p", "variable send:rank", "variable send:a"):
            (_, serial), (_, parallel) = branches("headers.F90", HEADERS, f"trace {command}",
                                                  more=more)
            h.check(serial and (parallel or "send" in command), command)


@suite.case("names that only some branches declare")
def names():
    for more in ((), ("--in-place",), ("--flat",)):
        (_, serial), (_, parallel) = branches("names.F90", NAMES, "trace variable *", more=more)
        h.check((count(serial, "serial in work"), count(parallel, "parallel in work"),
                 count(serial, "both"), count(parallel, "both")) == (3, 4, 2, 2),
                str((serial, parallel)))
        h.check((count(serial, "m::alone"), count(parallel, "m::rank")) == (1, 1),
                str((serial, parallel)))
    branches("fixed.F", FIXED, "trace variable *")


@suite.case("... two bodies that share their END: what cannot be traced is said")
def bodies():
    h.need("gfortran", "gcc")
    for flags, want in ((), 2), (("-DMPI",), 1):
        folder = h.fresh("variants")
        (folder / "bodies.F90").write_text(BODIES)
        said, rows = reported(folder, "bodies.F90", ["trace variable main:p"], flags)
        h.check("bodies.F90:2: the END of this unit is missing: it is not instrumented" in said,
                said)
        h.check(rows == [("S", "4", f"p({k})") for k in (1, 2, 3, *((1,) if want == 2 else ()))]
                + [("L", "4", f"p({k})") for k in (1, 2, 3)], str(rows))


@suite.case("... declarations and what runs in one branch")
def mixed():
    h.need("gfortran", "gcc")
    for flags in ((), ("-DMPI",)):
        folder = h.fresh("variants")
        (folder / "mixed.F90").write_text(MIXED)
        said, rows = reported(folder, "mixed.F90", ["trace variable *"], flags)
        h.check("mixed.F90:6: a branch of an #if has declarations and statements that run: the "
                "unit that it is in stays as it is" in said, said)
        h.check(rows == [(kind, "4", f"p({k})") for kind in "SL" for k in (1, 2, 3)], str(rows))


@suite.case("what is passed to procedures of no file is said, a line for each variable; a name for "
            "several is one of the files")
def foreign():
    folder = h.fresh("variants")
    (folder / "f.f90").write_text(
                                  FOREIGN.format("".join(f"  call far_{k}(x)\n"
                                                         for k in range(10))))
    end = ", which no file of the command has: what is done with it there is not recorded"
    for requests, want in ((("v", "u", "w", "free"), {f"v may be passed to "
                                                      f"{', '.join(f'far_{k}' for k in range(8))} "
                                                      f"and 2 more{end}",
                                                      f"u may be passed to elsewhere_1{end}"}),
                           (("w",), set())):
        said = run(h.BOBBIN, "instrument", "-o", f"out{len(want)}", folder=folder,
                   text="\n".join(["trace file f.f90",
                                   *(f"trace variable main:{n}" for n in requests), ""]))
        h.check({line.split(": ", 1)[1] for line in said.splitlines() if "may be passed" in line}
                == want, said)
        h.check("total, which no file" not in said, said)


if __name__ == "__main__":
    raise SystemExit(suite.run())
