#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""Loops of Fortran that hoist the negative caches of their sites record and count what --no-hold
does, whose probes are calls."""

import re
import sys

import harness as h

h.link_fast()
suite = h.Suite("source fortran held")

TEXT = """
module store
  implicit none
  integer, parameter :: n = 400
  type item
    real(8) :: d(3)
    integer :: next
    character(4) :: name
  end type
  real(8), target :: x(n), y(n)
  real(8) :: v(0:n - 1)
  integer :: at(n)
  type(item) :: list(n)
  real(8), pointer :: p(:), one
  real(8), allocatable :: late(:)
end module

program held
  use store
  implicit none
  integer :: k, t, seed, c
  real(8) :: s
  real(8), external :: sparse, own
  seed = 5
  do k = 1, n
    seed = mod(seed*221 + 2113, 65536)
    at(k) = 1 + mod(seed, n)
    x(k) = mod(k, 7)
    v(k - 1) = mod(k, 3)
    list(k)%d = k
    list(k)%next = 1 + mod(k*7, n)
    list(k)%name = 'abcd'
  end do
  y = 0
  s = 0
  do t = 1, 5
    s = s + sparse(n/4)
    call find(at(n), c)
    s = s + c
    call find(-1, c)
    call skip(real(t, 8), c)
    s = s + c
    call jump(t, c)
    s = s + c
    call follow(s)
    call mixed(90)
    if (mod(t, 2) == 0) then
      allocate (late(n))
    end if
    call pointed(s, y)
    if (allocated(late)) deallocate (late)
    s = s + own(20) + own(7)
  end do
  do k = n, 1, -3
    if (k < 0) go to 20
    do c = 1, 3
      s = s + list(at(k))%d(c)
      if (list(k)%name(2:3) /= 'bc') exit
      if (x(k) > 5) cycle
      v(at(k) - 1) = v(at(k) - 1) + 1
    end do
  end do
20 print '(f0.3)', s
  call last(c)
  stop
contains
  subroutine last(from)
    integer, intent(in) :: from
    integer :: k
    do k = from, n
      x(at(k)) = 1
      if (at(k) > 300) stop
    end do
  end subroutine
end program

function sparse(rows) result(s)
  use store
  implicit none
  integer, intent(in) :: rows
  integer :: i, k
  real(8) :: s
  s = 0
  do i = 1, rows
    do k = 4*i - 3, 4*i
      s = s + v(k - 1)*x(at(k))
      if (s < 3) cycle
      y(i) = s
    end do
  end do
end function

subroutine find(what, where)
  use store
  implicit none
  integer, intent(in) :: what
  integer, intent(out) :: where
  do where = 1, n
    if (at(where) == what) return
    if (x(where) > 6) v(where - 1) = v(where - 1) + 1
  end do
  where = -1
end subroutine

subroutine skip(most, i)
  use store
  implicit none
  real(8), intent(in) :: most
  integer, intent(out) :: i
  i = 1
  do while (i <= n)
    if (x(at(i)) > most .and. v(i - 1) > 1) exit
    i = i + 1 + iand(at(i), 3)
  end do
end subroutine

subroutine jump(from, c)
  use store
  implicit none
  integer, intent(in) :: from
  integer, intent(out) :: c
  integer :: i
  i = from
  c = 0
  outer: do c = 1, 50
    select case (mod(at(i), 4))
    case (0)
      x(i) = x(i) + 1
    case (1)
      v(i - 1) = v(i - 1) - x(at(i))
    case (2)
      if (c > 19) goto 30
    case default
      do
        if (v(mod(i, n)) > 2) cycle outer
        if (x(at(i)) < 3) exit
        i = mod(i, n) + 1
        if (c > 30) exit outer
      end do
    end select
    i = mod(i + 7, n) + 1
  end do outer
30 continue
end subroutine

subroutine follow(s)
  use store
  implicit none
  real(8), intent(inout) :: s
  integer :: i, c
  i = 1
  do
    do c = 1, 3
      s = s + list(i)%d(c)
      if (s > 1d6 .and. c > 1) go to 40
    end do
    i = list(i)%next
    if (i == 1) exit
  end do
40 s = mod(s, 1000d0)
end subroutine

subroutine mixed(times)
  use store
  implicit none
  integer, intent(in) :: times
  integer :: t, j
  do t = 1, times
    do j = 1, 9
      y(j) = y(j) + x(j)
    end do
    x(at(t)) = mod(x(at(t)) + y(mod(t, 9) + 1), 1d3)
    y(10:14) = x(1:9:2)
  end do
end subroutine

subroutine pointed(s, z)
  use store
  implicit none
  real(8), intent(inout) :: s
  real(8), intent(inout) :: z(*)
  integer :: k
  p => x(n:1:-2)
  one => y(17)
  do k = 1, size(p)
    if (allocated(late)) late(at(k)) = p(k)
    s = s + p(mod(at(k), size(p)) + 1)
    one = one + 1
    z(at(k)) = s
  end do
end subroutine

function own(m) result(s)
  implicit none
  integer, intent(in) :: m
  integer :: k, c
  real(8) :: s, a(m)
  real(8), external :: total
  do k = 1, m
    a(k) = k
  end do
  s = 0
  do c = 1, 3
    s = s + total(a, m)
  end do
end function

function total(a, m) result(s)
  use store
  implicit none
  integer, intent(in) :: m
  real(8), intent(in) :: a(m)
  integer :: k
  real(8) :: s
  s = 0
  k = 1
  do while (k <= m)
    s = s + a(k) + x(k)
    k = k + 1 + iand(at(k), 1)
  end do
end function
"""
FIXED = """
      PROGRAM HELD
      INTEGER I, J, K, M
      DOUBLE PRECISION A(30,20), B(600), S
      COMMON /BLK/ A, S
      EQUIVALENCE (B(1), A(1,1))
      DO 10 J = 1, 20
      DO 10 I = 1, 30
   10 A(I,J) = I*J
      S = 0
      DO 40 K = 1, 9
        DO 30 J = 1, 20
          M = MOD(J*K, 20) + 1
          IF (A(K,M) .GT. 99) GO TO 30
          DO 20 I = 1, 30
            IF (B(MOD(I*M, 600) + 1) .GE. S) GO TO 20
            S = S + B(MOD(I*M*K, 600) + 1)
   20     CONTINUE
          IF (S .GT. 1D5) GO TO 50
          B(MOD(M*31, 600) + 1) = S + A(MOD(M, 30) + 1, J)
   30   CONTINUE
   40 CONTINUE
   50 PRINT *, S
      DO 60 I = 1, 5
      DO 60 J = 1, 5
   60 A(MOD(I*J,7)+1,J) = 0
      END
"""
ALL = ["trace variable *"]
SELECTIONS = (
    ("a.f90", TEXT, ["trace variable x(1:40)", "trace variable v(10:20)"], 5),
    ("a.f90", TEXT, ["trace variable x", "trace variable at(100:119)", "trace variable late"], 5),
    ("a.f90", TEXT, ["trace variable own:a", "trace variable y(3:3)", "trace variable list(5:9)"],
     4),
    ("a.f90", TEXT, ALL, 7),
    ("a.f", FIXED, ["trace variable a(1:4,3:5)"], 1),
    ("a.f", FIXED, ALL, 1),
)


@h.cached
def plain(name, text, *flags):
    """The program as it is, and what it does."""
    folder = h.fresh("plain")
    (folder / name).write_text(text)
    r = h.run(["gfortran", "-w", *flags, name, "-o", "plain"], cwd=folder)
    h.check(r.status == 0, str(r))
    native = h.run([folder / "plain"])
    h.check(native.status == 0, str(native))
    return native


def recorded(name, text, requests, options, flags):
    """(accesses, how many were of nothing that is wanted, loops that hold)"""
    h.need("gfortran", "gcc")
    folder = h.fresh("held")
    (folder / name).write_text(text)
    r = h.run([h.BOBBIN, "instrument", *options, "-o", "out"], cwd=folder,
              stdin="\n".join([f"trace file {name}", *requests, ""]).encode())
    h.check(r.status == 0, str(r))
    for argv in (["gcc", "-Wall", "-Wextra", "-Werror", "-O1", "-Iout", "-c", "out/a_probes.c"],
                 ["gfortran", "-w", *flags, f"out/{name}", "a_probes.o", "-o", "a"]):
        r = h.run(argv, cwd=folder)
        h.check(r.status == 0, str(r))
    native = plain(name, text, *flags)
    h.same(native, h.run([folder / "a"]), f"{folder}, not recorded")
    r = h.record([str(folder / "a")], ["--source"])
    h.same(native, r, str(folder))
    reported = re.search(rb"probes counted (\d+) accesses to untraced data",
                         h.bobbin("info", r.trace).out)
    rows = h.bobbin("replay", "--mem", "--subscripts", r.trace).out
    return (rows, int(reported[1]) if reported else 0,
            (folder / "out" / name).read_text().count("intrinsic::loc,bge"))


for number, (file, program, chosen, count) in enumerate(SELECTIONS):
    @suite.case(f"what is recorded and counted is the same, selection {number + 1}")
    def _(file=file, program=program, chosen=chosen, count=count):
        for how, *flags in (([], ["-O2"], ["-O0", "-fcheck=all"]),
                            (["--flat"], ["-O3", "-fopenmp"])):
            want, outside, loops = recorded(file, program, chosen, [*how, "--no-hold"], ["-O2"])
            h.check(loops == 0, f"{loops} loops hold with --no-hold")
            h.check(want.count(b"\n") > 50 and (outside > 500 or chosen == ALL),
                    f"{len(want)} bytes, {outside} outside")
            for one in flags:
                rows, reported, loops = recorded(file, program, chosen, how, one)
                h.check(loops >= count, f"{loops} loops hold")
                h.check(rows == want, f"{how} {one}: accesses differ")
                h.check(reported == outside,
                        f"{how} {one}: {reported} accesses of nothing, {outside} without")


ONE = """
module other
  implicit none
  real(8), volatile :: now
  real(8), allocatable :: w(:), list(:)
  type t
    real(8) :: c, loc = 1
  end type
  type(t) :: item(99)
  logical :: l(99)
  character(2) :: c(99)
  complex(8) :: z(99)
  integer, parameter :: two = 2
  interface operator(.by.)
    module procedure by
  end interface
  interface operator(+)
    module procedure add
  end interface
  interface operator(==)
    module procedure same
  end interface
  interface operator(<)
    module procedure less
  end interface
  interface assignment(=)
    module procedure first
  end interface
contains
  real(8) function by(a, b)
    real(8), intent(in) :: a, b
    by = a*b
  end function
  real(8) function add(a, b)
    character(*), intent(in) :: a
    integer, intent(in) :: b
    add = ichar(a) + b
  end function
  logical function same(a, b)
    logical, intent(in) :: a, b
    same = a .eqv. b
  end function
  logical function less(a, b)
    complex(8), intent(in) :: a, b
    less = abs(a) < abs(b)
  end function
  subroutine first(a, b)
    real(8), intent(out) :: a
    real(8), intent(in) :: b(:)
    a = b(1)
  end subroutine
end module
BEGIN subroutine g(n, at, x, y)
  use other
  implicit none
  integer, intent(in) :: n, at(99)
  real(8), intent(inout) :: x(99), y(99)
  real(8), external :: f
  integer :: j, k
  DECLARE
HERE
END subroutine
"""
COUNT = "do k = 1, n\n"
EACH = COUNT + "x(at(k)) = "
LOOPS = {
    EACH + "y(k)\nend do": True,
    EACH + "list(k) + item(at(k))%c + sqrt(y(k))\nend do": True,
    COUNT + "if (x(at(k)) > 0) return\nend do": True,
    COUNT + "do j = 1, 9\nif (x(at(k)) > 0) goto 10\nend do\n10 continue\nend do": True,
    COUNT + "if (x(at(k)) > 0) goto 10\nend do\nj = 1\n10 j = 2": True,
    "all: " + COUNT
    + "do while (x(at(k)) > 0)\ny(at(k)) = 1\nif (y(k) > 3) cycle all\nend do\nend do all": True,
    "if (n > 3) then\n" + EACH + "1\nend do\nelse if (n > 2) then\n" + EACH
    + "2\nend do\nend if": True,
    EACH + "1\nend do\nwrite (*, *, err=10) n\n10 continue": True,
    "!$omp parallel do private(j)\n" + COUNT + "do j = 1, 3\nx(at(j)) = 1\nend do\nend do": True,
    "!$omp parallel private(k)\nj = 1\n" + EACH + "1\nend do\n!$omp end parallel": True,
    EACH + "f(n)\nend do": False,
    EACH + "y(k) .by. y(1)\nend do": False,
    EACH + "now\nend do": False,
    COUNT + "w = x\nx(at(k)) = w(k)\nend do": False,
    COUNT + "item(at(k)) = t(x(at(k)))\nend do": False,
    EACH + "1\ncall abort\nend do": False,
    EACH + "1\nprint *, k\nend do": False,
    EACH + "1\nif (n < 0) allocate (w(n))\nend do": False,
    COUNT + "!$omp atomic\nx(at(k)) = x(at(k)) + 1\nend do": False,
    "!$omp parallel do\n" + EACH + "1\nend do": False,
    "!$omp parallel do collapse(2)\n" + COUNT + "do j = 1, 3\nx(at(j)) = 1\nend do\nend do": False,
    "#ifdef MORE\nj = 1\n#endif\n" + EACH + "1\nend do": False,
    "if (n > 3) goto 10\n" + COUNT + "j = 1\n10 x(at(k)) = 1\nend do": False,
    COUNT + "if (x(at(k))) 10, 20, 20\n10 x(at(k)) = 1\n20 continue\nend do": False,
    "do concurrent (k=1:n)\nx(at(k)) = 1\nend do": False,
    COUNT + "block\nx(at(k)) = 1\nend block\nend do": False,
    COUNT + "x(at(k)) = 1; end do": False,
    EACH + "c(k) + at(k)\nend do": False,
    EACH + "-(1 + (c(k)(1:1) + at(k)))\nend do": False,
    EACH + "y(int(c(k) + at(k)))\nend do": False,
    EACH + "abs(c(k) + at(k))\nend do": False,
    COUNT + "if (l(k) == l(at(k))) x(k) = 1\nend do": False,
    COUNT + "if (z(k) < z(at(k))) x(k) = 1\nend do": False,
    COUNT + "if (conjg(z(k)) < z(at(k))) x(k) = 1\nend do": False,
    EACH + "y\nend do": False,
    EACH + "y(2:3)\nend do": False,
    EACH + "y(at)\nend do": False,
    EACH + "y + 1\nend do": False,
    COUNT + "l(k) = at(k)\nend do": False,
    COUNT + "if (k > 3) l(k) = at(k)\nend do": False,
    EACH + "two**k - (y(k) + at(k))/3 + abs(z(k))\nend do": True,
    EACH
    + "sum(y(1:k)) + dot_product(y, y) + max(x(k), 1d0) + size(y) + maxval(abs(y + 1))\n"
    "end do": True,
    EACH + "y(lbound(x, 1) + ubound(y, 1) - at(k))\nend do": True,
    COUNT + "y = x(at(k))*y + cshift(x, 1) - 2\ny(2:3) = y(2:3) + [1, 2]\nend do": True,
    COUNT + "z(at(k)) = conjg(z(k))*2/x(k) + (1, 2) + sqrt(z(k))\nend do": True,
    COUNT
    + "c(at(k)) = achar(k)//'b'\nif (c(k)(1:1) <= trim(c(at(k))) .and. c(k) == 'ab') c(k) = 'a'\n"
    "end do": True,
    COUNT
    + "l(k) = x(at(k)) < 1 .or. .not. any(y > 0) .neqv. (l(at(k)) .and. z(k) == 1)\nend do": True,
    EACH + "item(at(k)) % loc + item(k)%loc\nend do": True,
    "loc: " + COUNT + "if (x(at(k)) > 0) cycle loc\nx(at(k)) = 1\nend do loc": False,
    "loc: do j = 1, 3\nprint *, j\n" + COUNT
    + "if (x(at(k)) > 0) cycle loc\nend do\nend do loc": False,
    "bge: if (n > 3) then\n" + COUNT + "if (x(at(k)) > 0) exit bge\nend do\nend if bge": False,
    COUNT
    + "bge: if (n > 3) then\nif (x(at(k)) > 0) exit bge\nx(at(k)) = 2\nend if bge\nend do": False,
}
ELSEWHERE = EACH + "1\nend do"


def holds(text, *options, flags=()):
    """Does the loop of g hoist negative caches? What is written compiles, unless an option makes
    gfortran reject LOC."""
    folder = h.fresh("held")
    (folder / "a.f90").write_text(text)
    r = h.run([h.BOBBIN, "instrument", "-o", "out", *options, "--", *flags], cwd=folder,
              stdin="trace file a.f90\ntrace variable *\n".encode())
    h.check(r.status == 0, str(r))
    new = (folder / "out" / "a.f90").read_text()
    new = new[new.index("subroutine g("):]
    h.check(re.search(r"call bobbin_\w+_a\(|bobbin_\w+_h\(\d", new), new)
    for more in ([], ["-fopenmp"]) if "omp" in text else ([],):
        r = h.run(["gfortran", "-w", "-cpp", *more, *flags, "-fsyntax-only", "out/a.f90"],
                  cwd=folder)
        h.check(r.status == 0, f"{text}{r}")
    return "intrinsic::loc,bge" in new


@suite.case("loops that call, wait, allocate, or are entered elsewhere hold nothing")
def _():
    h.need("gfortran", "gcc")
    whole = ONE.replace("BEGIN ", "").replace("DECLARE", "")
    for loop, wanted in LOOPS.items():
        h.check(holds(whole.replace("HERE", loop)) == wanted, loop)
    whole = whole.replace("HERE", ELSEWHERE)
    h.check(holds(whole, flags=["-std=gnu"])
            and holds(whole, flags=["-std=f2018", "-fall-intrinsics"])
            and holds(whole, flags=["-fmax-stack-var-size=16"]), "flags")
    for flag in ("-std=f2018", "-fno-automatic", "-fmax-stack-var-size=8"):
        h.check(not holds(whole, flags=[flag]), flag)
    for how in ("--no-hold", "--exact"):
        h.check(not holds(whole, how), how)
    for begin, declare in (("", "real(8) :: loc(9)"), ("", "real(8), external :: bge"),
                           ("pure", "")):
        text = ONE.replace("BEGIN", begin).replace("DECLARE", declare).replace("HERE", ELSEWHERE)
        h.check(not holds(text), f"{begin} {declare}")


GEOMETRY = """
module geometry
  implicit none
  integer :: loc(100) = 3, bge = 7
end module
program p
  call q(100)
end program
"""
HIDDEN = {
    "a.f90": """
subroutine q(n)
  use geometry
  implicit none
  integer :: n, k
  real(8) :: y(100)
  y = 1
  do k = 1, n
    y(k) = y(mod(k*7,n) + 1) + HERE
  end do
  print *, sum(y), y(1)
end subroutine
""",
    "a.f": """
      SUBROUTINE Q(N)
      USE GEOMETRY
      REAL*8 Y(100)
      INTEGER I
      Y = 1
      DO 10 I = 1, N
      DO 10 BGE = 1, 2
   10 Y(I) = Y(MOD(I*7,N) + 1) + HERE
      PRINT *, SUM(Y), Y(1)
      END
"""}


@suite.case("what a module of no file of the command calls loc or bge stays that")
def _():
    h.need("gfortran", "gcc")
    for name, text in HIDDEN.items():
        for here, wanted in (("loc(5)", 0), ("bge", 0), ("y(bge)", 0), ("n", name == "a.f90")):
            folder = h.fresh("held")
            (folder / "geometry.f90").write_text(GEOMETRY)
            (folder / name).write_text(text.replace("HERE", here))
            r = h.run([h.BOBBIN, "instrument", "-o", "out"], cwd=folder,
                      stdin=f"trace file {name}\ntrace variable y\n".encode())
            h.check(r.status == 0, str(r))
            h.check((folder / "out" / name).read_text().count("intrinsic::loc,bge") == wanted,
                    f"{name} {here}")
            for argv in (["gcc", "-Iout", "-c", "out/a_probes.c"],
                         ["gfortran", "-w", "geometry.f90", f"out/{name}", "a_probes.o", "-o", "a"],
                         ["gfortran", "-w", "geometry.f90", name, "-o", "plain"]):
                r = h.run(argv, cwd=folder)
                h.check(r.status == 0, str(r))
            h.same(h.run([folder / "plain"]), h.run([folder / "a"]), f"{name} {here}")


MOVED = """
module defined
  implicit none
  real(8), pointer :: late(:), pp(:)
  real(8), target :: early(400)
  interface assignment(=)
    module procedure give
  end interface
  interface operator(+)
    module procedure add
  end interface
contains
  subroutine move(i)
    integer, intent(in) :: i
    if (i == 1) pp => early
    if (i /= 200) return
    late = i
    pp => late
  end subroutine
  subroutine give(l, i)
    logical, intent(out) :: l
    integer, intent(in) :: i
    l = i > 0
    call move(i)
  end subroutine
  integer function add(c, i)
    character(*), intent(in) :: c
    integer, intent(in) :: i
    add = ichar(c) + i
    call move(i)
  end function
end module
program p
  use defined
  implicit none
  integer :: k, at(400)
  logical :: l(400)
  real(8) :: s
  s = 0
  early = 2
  allocate(late(400))
  at = [(k, k = 1, 400)]
  pp => early
  do k = 1, 400
    l(k) = at(k)
    s = s + pp(mod(at(k), 100) + 1)
  end do
  do k = 1, 400
    s = s + ('a' + at(k)) + pp(mod(at(k), 100) + 1)
  end do
  pp => early
  do k = 1, 400
    l(k) = at(k)
    s = s + pp(k)
  end do
  pp => early
  do k = 1, 400
    s = s + ('a' + at(k)) + pp(k)
  end do
  print *, s
end program
"""


@suite.case("assignments and operators between intrinsic types that the user defined are calls")
def _():
    for requests in (["trace variable late"], ["trace variable late", "trace variable early"], ALL):
        want, outside, loops = recorded("a.f90", MOVED, requests, ["--flat", "--no-hold"], ["-O2"])
        for how in ([], ["--flat"], ["--no-hold"]):
            rows, reported, loops = recorded("a.f90", MOVED, requests, how, ["-O2"])
            h.check(loops == 0 and rows == want, f"{requests} {how}: {loops} loops, accesses "
                    f"differ: {len(rows)} bytes, {len(want)}")


TEAM = """
program team
  implicit none
  integer :: i, k, t, seed
  integer :: at(1000)
  real(8) :: x(1000), y(1000), s
  seed = 5
  do k = 1, 1000
    seed = mod(seed*221 + 2113, 65536)
    at(k) = 1 + mod(seed, 1000)
    x(k) = k
  end do
  y = 0
  s = 0
  !$omp parallel default(none) shared(at, x, y) private(k, t) reduction(+:s)
  t = 0
  do k = 1, 1000
    if (x(at(k)) > 500) t = t + 1
  end do
  !$omp do
  do i = 1, 1000
    do k = i, 1000, 17
      if (x(at(k)) > 900) exit
      y(i) = y(i) + x(at(k))
    end do
    s = s + y(i)
  end do
  !$omp end do
  !$omp end parallel
  !$omp parallel do default(none) shared(at, x, y) schedule(dynamic, 7) private(k)
  do i = 1, 1000
    do k = 1, 5
      y(i) = y(i) + x(at(mod(i*k, 1000) + 1))
    end do
  end do
  print '(f0.3)', s + sum(y)
end program
"""


@suite.case("loops of a team's threads hoist their own negative caches")
def _():
    h.need("gfortran", "gcc")
    reported = []
    for options in (["--no-hold"], []):
        folder = h.fresh("held")
        (folder / "a.f90").write_text(TEAM)
        r = h.run([h.BOBBIN, "instrument", "--flat", "-o", "out", *options, "--", "-fopenmp"],
                  cwd=folder, stdin="trace file a.f90\ntrace variable x(1:40)\n".encode())
        h.check(r.status == 0, str(r))
        h.check((folder / "out" / "a.f90").read_text().count("intrinsic::loc,bge")
                == (0 if options else 4), "loops that hold")
        for argv in (["gcc", "-Iout", "-c", "out/a_probes.c"],
                     ["gfortran", "-w", "-O2", "-fopenmp", "out/a.f90", "a_probes.o", "-o", "a"],
                     ["gfortran", "-w", "-O2", "-fopenmp", "a.f90", "-o", "plain"]):
            r = h.run(argv, cwd=folder)
            h.check(r.status == 0, str(r))
        team = h.environment({"OMP_NUM_THREADS": "3"})
        native = h.run([folder / "plain"], env=team)
        r = h.record([str(folder / "a")], ["--source"], env=team)
        h.same(native, r)
        more = re.search(rb"probes counted (\d+) accesses to untraced data",
                         h.bobbin("info", r.trace).out)
        reported.append((int(more[1]),
                         h.bobbin("replay", "--mem", "--subscripts", r.trace).out.count(b"x(")))
    h.check(reported[0] == reported[1] and min(reported[0]) > 300,
            f"accesses of nothing and of x: {reported[0]}, held {reported[1]}")


if __name__ == "__main__":
    sys.exit(suite.run())
