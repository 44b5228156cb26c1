#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""Short loops of Fortran that are laid out in the nest around them: the trace is the one that a
probe for each access gives, and which nests there are.

Programs at random have bodies of statements and loops of constant trips, side by side and in each
other. BOB_TEST_SEEDS=N tries N of them (default 6)."""

import re
import sys

import harness as h
import test_source_fortran as loops

suite = h.Suite("source fortran laid out")

HEAD = """
module sizes
  implicit none
  integer, parameter :: top = 3, low = -1, by = 2
  integer :: far
end module

program laid
  use sizes
  implicit none
  integer, parameter :: n = 6
  real(8) :: a(0:40, 0:40), b(0:40, 0:40), c(5, 6, 6, 6), x(0:40), s
  integer :: i, j, k, m, same, other, idx(0:9)
  integer(1) :: tiny
  integer(8) :: huge_one
  equivalence (same, other)
  common /blk/ x, m
  a = 1
  b = 2
  c = 3
  x = 4
  s = 0
  idx = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
"""

# (name, text, accesses and loops of each nest, what else is traced)
CASES = [
    ("statements before, between and after loops that have one counter", """
  do i = 1, n
    x(i) = b(i, 1)
    do j = 1, 3
      a(j, i) = x(i)
    end do
    x(i) = x(i) + 1
    do j = 4, 2, -2
      a(j, i) = a(j - 1, i) + j
    end do
    b(i, 2) = x(i)
  end do""", [(2 + 6 + 2 + 4 + 2, 1)]),
    ("rows of three in loops that are short, too", """
  do m = 1, n
    do i = 1, 3
      a(i, m) = b(i, m)
      do j = 1, 3
        a(i, m) = a(i, m) + c(j, i, m, 1)*a(j, m - 1)
      end do
    end do
  end do""", [(42, 1)]),
    ("five components of each point", """
  do k = 2, n
    do j = 1, n
      do i = 1, n
        do m = 1, 5
          c(m, i, j, k) = c(m, i, j, k - 1) + a(i, j)
        end do
      end do
    end do
  end do""", [(15, 3)]),
    ("constants with names, steps downwards", """
  do i = 1, n
    do j = top, low, -by
      a(j + 1, i) = b(2*j + 2, i)
    end do
    do j = low + 1, top*by - 1, by + 1
      b(j, i) = a(i, j + i)
    end do
  end do""", [(6 + 4, 1)]),
    ("loops in each other", """
  do i = 1, n
    do j = 1, 2
      x(j) = a(j, i)
      do k = 2, 6, 2
        a(j + k, i) = x(j)
        b(k, i) = i
      end do
      x(j + 9) = j
    end do
  end do""", [(2 * (2 + 9 + 1), 1)]),
    ("a perfect nest is laid out as far as it fits, and one loop is left", """
  do i = 1, 3
    do j = 1, 2
      do k = 1, 2
        a(k, j) = b(i, k)
      end do
    end do
  end do
  do i = 1, 2
    do j = 1, 2
      a(j, i) = 5
    end do
  end do
  do i = 1, 30
    x(i) = i
  end do""", [(8, 1), (2, 1), (1, 1)]),
    ("56 accesses fit, with places in the text 62; 31 if they do not move alike", """
  do i = 1, n
    do j = 1, 28
      a(j, i) = b(i, j + 3)
    end do
  end do
  do i = 1, n
    x(i) = i
    do j = 1, 28
      a(j, i) = b(i, j + 3)
    end do
  end do
  do i = 1, n
    do j = 1, 3
      a(j, i) = a(i, j) + b(i, j) + x(j) + x(i) + x(1) + a(1, i) + a(2, i) + a(3, i) \
+ a(4, i) + a(5, i) + a(6, i) + a(7, i)
    end do
  end do
  do i = 1, n
    do j = 1, 4
      a(j, i) = a(i, j) + b(i, j) + x(j) + x(i) + x(1) + a(1, i) + a(2, i) + a(3, i) \
+ a(4, i) + a(5, i) + a(6, i) + a(7, i)
    end do
  end do
  do i = 1, n
    x(i) = i
    do j = 1, 15
      a(j, i) = b(j, 1 + i*(j/8))
    end do
  end do
  do i = 1, n
    do j = 1, 16
      a(j, i) = b(j, 1 + (i - 1)*(j/8))
    end do
  end do""", [(56, 1), (2, 1), (39, 1), (13, 2), (31, 1)]),
    ("subscripts that are no affine functions of what is laid out", """
  do i = 1, n
    do j = 1, 3
      a(idx(j), i) = b(j*j, i*j)
      a(mod(j, 2), i + idx(idx(j))) = x(max(j, 2))
    end do
  end do""", [(12, 1)]),
    ("a counter that is used after its loop, or before it", """
  do i = 1, n
    do j = 1, 3
      a(j, i) = i
    end do
    x(j) = i
  end do
  do i = 1, n
    x(j) = i
    do j = 1, 3
      a(j, i) = i
    end do
  end do
  do i = 1, n
    s = s + j
    x(i) = i
    do j = 1, 3
      a(j, i) = i
    end do
    s = s*2 + j
  end do""", [(1, 1), (1, 1), (4, 1)]),
    ("a counter that something else may change", """
  do i = 1, n
    x(i) = i
    do same = 1, 3
      a(same, i) = i
    end do
    other = i
  end do
  do i = 1, n
    x(i) = i
    do far = 1, 3
      a(far, i) = i
    end do
  end do
  do i = 1, n
    do tiny = 1_1, 3_1
      a(tiny, i) = i
    end do
    do huge_one = 5_8, 3_8, -2_8
      a(huge_one, i) = i
    end do
  end do""", [(1, 1), (4, 1), (5, 1)]),
    ("loops that are left, or go on, and conditions", """
  do i = 1, n
    x(i) = i
    do j = 1, 3
      if (i == j + 1) exit
      a(j, i) = i
    end do
  end do
  do i = 1, n
    x(i) = i
    do j = 1, 3
      if (i == j + 1) cycle
      a(j, i) = i
    end do
  end do
  do i = 1, n
    x(i) = i
    if (i > 3) then
      do j = 1, 3
        a(j, i) = i
      end do
    end if
  end do
  do i = 1, n
    x(i) = i
    do concurrent (j = 1:3)
      a(j, i) = i
    end do
  end do
  do i = 1, n
    x(i) = i
    do j = 1, i
      a(j, i) = i
    end do
  end do""", [(1, 1), (1, 1)]),
    ("no trips", """
  do i = 1, n
    x(i) = i
    do j = 3, 1
      a(j, i) = i
    end do
  end do
  do i = n, 1
    x(i) = i
    do j = 1, 3
      a(j, i) = i
    end do
  end do""", [(1, 1), (4, 1)]),
    ("what is not reported may be in loops of any kind", """
  do i = 1, n
    do j = 1, i
      s = s + j
    end do
    do j = 1, 2
      x(j + i) = x(j) + s
      do k = 1, j
        s = s - 1
      end do
    end do
    if (s > 1d6) s = 0
  end do""", [(4, 1)]),
    ("triangles around loops that are laid out", """
  do i = 1, n
    do j = 1, i
      x(j) = a(j, i)
      do k = 3, 1, -1
        a(k + j, i) = b(j - k + 3, i)
      end do
    end do
  end do
  do i = 1, 2
    do j = i, 3
      do k = 1, 4
        a(k, j) = b(i, k + j)
      end do
    end do
  end do""", [(8, 2), (8, 2)]),
    ("a counter that is reported", """
  do m = 1, n
    x(m) = 1
    do j = 1, 3
      a(j, m) = m
    end do
  end do""", [(1 + 2 + 3 * 3, 1)], "laid:m"),
    ("a counter of a short loop that is reported", """
  do i = 1, n
    x(i) = 1
    do m = 1, 3
      a(m, i) = i
    end do
  end do""", [(3, 1)], "laid:m"),
]


def nests(out):
    """(accesses, loops) of each nest that is not an array or section: those begin with one site
    that has a box."""
    text = (out / "laid_probes.c").read_text()
    rows = [tuple(int(n) for n in m)
            for m in re.findall(r"\{(\d+),(\d+),(\d+)\}",
                                text.split("nests[] = {")[1].split("};")[0])]
    boxed = {int(n) - 1 for n in text.split("boxes[] = {")[1].split("}")[0].split(",")
             if n.strip() not in ("", "0")}
    return [(count, depth) for i, (_, count, depth) in enumerate(rows) if i not in boxed and count]


def by_hand(body, want, also=None):
    path = h.fresh("laid") / "laid.f90"
    path.write_text(HEAD + body
                    + "\n  print *, s, sum(a), sum(b), sum(c), sum(x), i, j, k, m\nend program\n")
    commands = [f"trace variable {v}"
                for v in ["laid:a", "laid:b", "laid:c", "laid:x"] + ([also] if also else [])]
    for flags in (("-O0", "-fcheck=all"), ("-O2",)):
        outs = []
        loops.both_ways(path, commands, flags, outs)
        h.check(nests(outs[0]) == want, f"{outs[0]}: {nests(outs[0])}, not {want}")


for case in CASES:
    suite.add(case[0], by_hand, *case[1:])

FIXED = """
      PROGRAM LAID
      INTEGER I, J, K
      REAL A(0:9,0:9), X(9)
      COMMON /BLK/ A, X
      A = 1
      X = 2
      DO 10 I = 1, 9
      X(I) = I
      DO 10 J = 1, 3
   10 A(J,I) = A(J,I-1) + X(I)
      DO 20 I = 9, 2, -2
        DO 30 J = 1, 2
          DO 30 K = 1, 3
   30   A(J*K,I) = X(J)
        DO 40, J = 1, 2
          X(J) = A(J,I)
   40   CONTINUE
   20 CONTINUE
      PRINT *, A, X, I, J, K
      END
"""


@suite.case("fixed form: labels that loops share")
def labels():
    path = h.fresh("laid") / "laid.f"
    path.write_text(FIXED)
    outs = []
    loops.both_ways(path, ["trace variable *"], ("-O0", "-fcheck=all"))
    loops.both_ways(path, ["trace variable a", "trace variable x"], ("-O2",), outs)
    h.check(nests(outs[0]) == [(10, 1), (16, 1)], str(nests(outs[0])))


BRANCHES = """
module sizes
  implicit none
#ifdef LONG
  integer, parameter :: n = 4
#else
  integer, parameter :: n = 2
#endif
  integer, parameter :: next = n + 1, same = 2
end module
program laid
  use sizes
  implicit none
  real :: a(9, 9), x(9)
  integer :: i, j
  x = 0
  do i = 1, 5
    x(i) = i
    do j = 1, n
      a(j, i) = i
    end do
  end do
  do i = 1, 5
    x(i) = i
    do j = 1, next
      a(j, i) = i
    end do
  end do
  do i = 1, 5
    x(i) = i
    do j = 1, same
      a(j, i) = i
    end do
  end do
end program
"""


@suite.case("constants that have one value in each branch of an #if are not constant")
def branches():
    path = h.fresh("laid") / "laid.F90"
    path.write_text(BRANCHES)
    for flags in (("-O1",), ("-O1", "-DLONG")):
        outs = []
        loops.both_ways(path, ["trace variable a", "trace variable x"], flags, outs)
        h.check(nests(outs[0]) == [(1, 1), (1, 1), (3, 1)], str(nests(outs[0])))


@suite.case("what components lead to moves otherwise for each of them")
def components():
    path = h.fresh("laid") / "laid.f90"
    path.write_text("""
program laid
  implicit none
  type row
    real(8), pointer :: q(:)
    real(8) :: own(9)
  end type
  type(row) :: p(3)
  real(8), target :: a(0:20, 0:20)
  integer :: i, j
  a = 1
  p(1)%q => a(1, :)
  p(2)%q => a(:, 2)
  p(3)%q => a(20:0:-2, 3)
  do j = 1, 3
    p(j)%own = j
  end do
  do i = 1, 9
    a(0, i) = i
    do j = 1, 3
      p(j)%q(i) = p(j)%own(i)
    end do
  end do
  print *, sum(a)
end program
""")
    for flags in (("-O0", "-fcheck=all"), ("-O2",)):
        outs = []
        loops.both_ways(path, ["trace variable a", "trace variable p"], flags, outs)
        h.check((1 + 3 * 2, 1) in nests(outs[0]) or (1 + 3 * 3, 1) in nests(outs[0]),
                str(nests(outs[0])))


@suite.case("parts of what is laid out, and lines")
def part():
    path = h.fresh("laid") / "laid.f90"
    path.write_text(HEAD + CASES[0][1] + CASES[2][1] + CASES[4][1]
                    + "\n  print *, s\nend program\n")
    loops.both_ways(path, ["trace variable laid:a(2:4,3:5)", "trace variable laid:c(3:4,:,:,2:5)",
                           "trace variable laid:b(2:2,:)", "trace variable laid:x from 26 to 40"])


@suite.case("in loops that hoist negative caches, and in copies of procedures")
def held():
    path = h.fresh("laid") / "laid.f90"
    path.write_text(HEAD + """
  do k = 1, 4
    x(idx(k)) = x(idx(k)) + 1
    do i = 1, n
      x(i) = i
      do j = 1, 2
        a(idx(k), i + j) = x(i) + j
      end do
    end do
  end do
  call turn(a)
  call turn(b)
  print *, s, sum(a), sum(b), sum(x)
contains
  subroutine turn(y)
    real(8), intent(inout) :: y(0:40, 0:40)
    integer :: i, j
    do i = 1, 9
      y(i, i) = 2
      do j = 0, 2
        y(i, j) = y(i - 1, j + 1)
      end do
    end do
  end subroutine
end program
""")
    for wanted in ("a", "a(0:5,:)", "a(40:40,:)"):
        outs = []
        loops.both_ways(path, [f"trace variable laid:{wanted}"], ("-O2",), outs)
        h.check("block" in (outs[0] / path.name).read_text(), str(outs))
        h.check((2, 1) in nests(outs[0]) and (7, 1) in nests(outs[0]),
                f"{wanted}: {nests(outs[0])}")


@suite.case("loops that are events are not laid out")
def events():
    path = h.fresh("laid") / "laid.f90"
    path.write_text(HEAD + CASES[0][1] + "\n  print *, s\nend program\n")
    outs = []
    loops.both_ways(path, ["trace variable laid:a", "trace variable laid:x",
                           "trace code at loop level from 25 to 35"], outs=outs)
    h.check(nests(outs[0]) == [(2, 1), (2, 1)], str(nests(outs[0])))


@suite.case("where threads would share what a BLOCK has, only loops alone are reported at once")
def shared():
    path = h.fresh("laid") / "laid.f90"
    path.write_text(HEAD + CASES[0][1] + CASES[2][1] + CASES[13][1] + "\nend program\n")
    for flags, want in ((["-fopenmp"], [(16, 1), (15, 3), (8, 2), (8, 2)]),
                        (["-fno-automatic"], [(16, 1), (15, 3), (8, 2), (8, 2)]),
                        (["-fopenmp", "-fno-automatic"], [(2, 1), (2, 1), (3, 1), (2, 1), (2, 1)]),
                        (["-fmax-stack-var-size=8", "-fopenmp"],
                         [(2, 1), (2, 1), (3, 1), (2, 1), (2, 1)])):
        out = h.fresh("shared") / "nests"
        text = "\n".join([f"trace file {path}", *(f"trace variable laid:{v}" for v in "abcx"), ""])
        (path.parent / "commands").write_text(text)
        r = h.run([h.BOBBIN, "instrument", "-o", out, path.parent / "commands", "--", *flags])
        h.check(r.status == 0, str(r))
        h.check(nests(out) == want, f"{flags}: {nests(out)}, not {want}")


class Writer(loops.Writer):
    """Bodies have statements and loops of constant trips, with counters that are not in use."""

    def short(self):
        return self.r.choice(["1, 3", "0, 5, 2", "5, 1, -2", "3, 3", "4, 3", "1, 2", "lo, hi",
                              "hi, lo, -by", "0, hi", "5, 5 - by, -1", "lo, lo"])

    def plain(self, counters):
        if self.r.random() < 0.12:
            return self.statement(counters)
        terms = [self.reference(counters) for _ in range(self.r.randint(0, 2))]
        return f"{self.reference(counters)} = mod({' + '.join(terms + ['t'])}, 64.)"

    def body(self, counters, free, level):
        r = self.r
        for _ in range(r.randint(1, 3)):
            if not free or level == 2 or r.random() < 0.4:
                self.put(self.plain(counters))
                continue
            self.put(f"do {free[0]} = {self.short()}")
            self.body(counters + free[:1], free[1:], level + 1)
            self.put("end do")
            if r.random() < 0.1:
                self.put(r.choice([f"t = t + {free[0]}", f"a({free[0]} + 2, two) = t"]))

    def nest(self, depth):
        names = self.r.sample(["i", "j", "k", "l"], 4)
        depth = min(depth, 2)
        for d in range(depth):
            self.put(f"do {names[d]} = {self.bounds(names[:d])}")
        self.body(names[:depth], names[depth:], 0)
        for _ in range(depth):
            self.put("end do")

    def text(self):
        return super().text().replace("implicit none", "implicit none\n      integer lo, hi, by\n"
                                      "      parameter (lo = 1, hi = 3, by = 2)", 1)


def at_random(seed):
    fixed = seed % 2 == 0
    path = h.fresh("random") / ("random.f" if fixed else "random.f90")
    path.write_text(Writer(seed, fixed).text())
    commands = (["trace variable a", "trace variable b", "trace variable u"],
                ["trace variable b", "trace variable u"],
                ["trace variable a[3..9][..]", "trace variable b", "trace variable idx"])
    outs = []
    loops.both_ways(path, commands[seed // 2 % 3],
                    ["-O1", "-fcheck=bounds"] + ([] if fixed else ["-ffree-line-length-none"]),
                    outs)
    h.check("bobbin_s=" in (outs[0] / path.name).read_text(), f"{path}: nothing is laid out")


for n in range(loops.SEEDS):
    suite.add(f"at random {n}", at_random, n)

if __name__ == "__main__":
    sys.exit(suite.run())
