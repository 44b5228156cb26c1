#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fortran loops that one probe reports: the trace is the one that a probe for each access gives,
access by access, and the program does what it did.

Programs at random have nests of all kinds: steps up and down, no trips, labels that loops share,
bounds and subscripts that change, conditions, indirect subscripts. BOB_TEST_SEEDS=N tries N of them
(default 3; BOBBIN_TEST_LONG=1: 6)."""

import os
import random
import re
import sys

import harness as h

h.link_fast()
suite = h.Suite("source fortran")
SOURCE = h.PROG / "source"
SEEDS = int(os.environ.get("BOB_TEST_SEEDS", h.share(3, 6)))


def instrument(folder, path, commands, *options):
    """The copies' directory; how many nests and references in them there are."""
    out = folder / ("flat" if options else "nests")
    r = h.run([h.BOBBIN, "instrument", *options, "-o", out],
              stdin="\n".join([f"trace file {path}", *commands, ""]).encode())
    h.check(r.status == 0, str(r))
    row = re.search(rf"^{re.escape(str(path))} +([0-9, ]+)$", r.out.decode(), re.M)
    nests, inside = (int(n.replace(",", "")) for n in row[1].split()[3:5])
    return out, (nests, inside)


def build(out, name, *flags):
    exe = out / "program"
    probes = name.rsplit(".", 1)[0] + "_probes.c"
    for argv in (["gcc", "-Wall", "-Wextra", "-Werror", "-O1", f"-I{out}", "-c", out / probes, "-o",
                  out / "probes.o"],
                 ["gfortran", "-w", *flags, out / name, out / "probes.o", "-o", exe]):
        r = h.run(argv, cwd=out)
        h.check(r.status == 0, str(r))
    return exe


def sites(out, name):
    """(line, column) of each."""
    text = (out / (name.rsplit(".", 1)[0] + "_probes.c")).read_text().split(
        "sites[] = {")[1].split("{0,0,0,0,0,0")[0]
    return [tuple(int(n) for n in m) for m in re.findall(r"\{(\d+),(\d+),", text)]


def boxes(out, name):
    """How many arrays and sections are reported at once."""
    text = (out / (name.rsplit(".", 1)[0] + "_probes.c")).read_text().split(
        "boxes[] = {")[1].split("}")[0]
    return sum(n.strip() not in ("", "0") for n in text.split(","))


def replay(trace, where):
    """Kind, address, bytes, variable with subscripts, line and column of each access."""
    r = h.bobbin("replay", "--mem", "--subscripts", trace)
    h.check(r.status == 0, str(r))
    rows = []
    for line in r.out.decode().splitlines():
        m = re.match(r"(?:\d+\.\d+ )?([LS] \S+ \d+) .*\+0x([0-9a-f]+) ?(.*)", line)
        h.check(m or line.startswith("#"), line)
        if m:
            rows.append((m[1], m[3], *where[int(m[2], 16) - 1]))
    return rows


def both_ways(path, commands, flags=("-O1",), outs=None):
    """`outs` gets the directory with nests. (nests, references in them, arrays and sections at
    once), accesses. They are the same with nests and without."""
    h.need("gfortran", "gcc")
    folder = h.fresh("fortran")
    r = h.run(["gfortran", "-w", *flags, path, "-o", folder / "plain"], cwd=folder)
    h.check(r.status == 0, str(r))
    native = h.run([folder / "plain"])
    h.check(native.status == 0, str(native))
    rows, found = {}, {}
    for option in ("--flat", None):
        out, found[option] = instrument(folder, path, commands, *([option] if option else []))
        found[option] += (boxes(out, path.name),)
        exe = build(out, path.name, *flags)
        h.same(native, h.run([exe]), f"{option}, not recorded")
        traced = h.record([exe], ["--source"], out / "t")
        h.same(native, traced, str(option))
        rows[option] = replay(traced.trace, sites(out, path.name))
    h.check(found["--flat"] == (0, 0, 0), str(found))
    if outs is not None:
        outs.append(out)
    want, got = rows["--flat"], rows[None]
    first = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
    h.check(want == got, f"{folder}: {len(got)} accesses, not {len(want)}; first other one "
            f"{first}: {got[first:first + 3]}, not {want[first:first + 3]}")
    return found[None], want


@suite.case("fixed form: labels that loops share, COMMON, steps, conditions, jumps")
def fixed():
    for flags in (["-O0", "-fcheck=all"], ["-O3"]):
        found, rows = both_ways(SOURCE / "loops.f",
                                ["trace variable loops:a", "trace variable b", "trace variable c"],
                                flags)
        # labels 10, 20, 30 (its inner loop), 40, 60 (inner), 120, 150, and 10 of SUM; IDX is apart
        # from A in /BLK/
        h.check(found == (8, 21, 0), f"{found}")
        h.check(len(rows) > 600, f"{len(rows)}")


@suite.case("free form: allocatables, pointers, assumed shapes, components, kinds of counters")
def free():
    for flags in (["-O0", "-fcheck=all"], ["-O3"]):
        found, rows = both_ways(SOURCE / "loops.f90",
                                ["trace variable loops:a", "trace variable grid",
                                 "trace variable own", "trace variable q"], flags)
        # smooth, own twice, a, p, grid, points, lists (its inner loop), one trip
        h.check(found == (9, 18, 8), f"{found}")
        h.check(len(rows) > 400, f"{len(rows)}")


@suite.case("every variable: counters and bounds, too")
def everything():
    for name, nests in (("loops.f", 8), ("loops.f90", 9)):
        found, _ = both_ways(SOURCE / name, ["trace variable *"])
        h.check(found[0] == nests, f"{name}: {found}")


@suite.case("a part of an array, and lines")
def part():
    found, rows = both_ways(SOURCE / "loops.f",
                            ["trace variable loops:a(2:5,3:8) from 8 to 30",
                             "trace variable c(3:4)"])
    h.check(found[0] >= 4 and rows, f"{found}")


@suite.case("loops that are events")
def events():
    both_ways(SOURCE / "loops.f",
              ["trace variable loops:a", "trace variable c",
               "trace code at loop level from 20 to 40"])


@suite.case("OpenMP: loops of a team are reported by the thread that runs them")
def team():
    text = """
program team
  implicit none
  integer :: i, j, k
  real(8) :: a(40, 6), b(40)
  a = 1
  !$omp parallel do private(k)
  do j = 1, 6
    do k = 1, 3
      do i = 2, 39
        a(i, j) = a(i, j) + k
      end do
    end do
  end do
  !$omp end parallel do
  !$omp parallel do collapse(2)
  do j = 1, 6
    do i = 1, 40
      a(i, j) = 2 * a(i, j)
    end do
  end do
  !$omp parallel default(shared)
  do i = 1, 10
    !$omp atomic
    b(1) = b(1) + 1
  end do
  !$omp end parallel
  print *, sum(a)
end program team
"""
    h.need("gfortran", "gcc")
    folder = h.fresh("fortran")
    path = folder / "team.f90"
    path.write_text(text)
    out, found = instrument(folder, path, ["trace variable a", "trace variable b"])
    h.check(found == (1, 2), str(found))
    exe = build(out, path.name, "-fopenmp", "-O1")
    traced = h.record([exe], ["--source"], out / "t", env=h.environment({"OMP_NUM_THREADS": "3"}))
    h.check(float(traced.out) == 2 * (240 + 6 * 38 * 6), str(traced))
    rows = replay(traced.trace, sites(out, path.name))
    by_line = {n: sum(r[2] == n for r in rows) for n in {r[2] for r in rows}}
    # a = 1; then 6 * 3 * 38 reads and writes, 240 of each, 30 of each, sum
    h.check(by_line == {6: 240, 11: 2 * 684, 19: 480, 25: 60, 28: 240}, str(by_line))


@suite.case("counters of inner loops keep what they have until their loops begin")
def counters():
    path = h.fresh("counters") / "counters.f90"
    path.write_text("""
program counters
  implicit none
  integer :: i, j, k, n
  real(8) :: a(9, 9), s
  n = 4
  k = 100
  s = 0
  do i = 1, 4
    s = s + k
    do k = n, 1, -1
      a(k, i) = s
    end do
  end do
  j = 7
  do i = 1, 2
    if (j > n) s = s*2
    do j = 1, n
      do k = 1, n
        a(k, j) = a(j, k) + s
      end do
    end do
  end do
  print *, s, sum(a(1:4, 1:4)), i, j, k
end program
""")
    for flags in (("-O0",), ("-O2",)):
        found, _ = both_ways(path, ["trace variable a"], flags)
        h.check(found == (2, 3, 1), f"{found}")


# --- programs at random ---

class Writer:
    """A program of nests. Arrays have 0:31 in each of two dimensions; all subscripts are within."""

    def __init__(self, seed, fixed):
        self.r = random.Random(seed)
        self.fixed = fixed
        self.label = 10
        self.lines = []

    def put(self, text, label=None):
        if self.fixed:
            self.lines.append(f"{label or '':>5} {text[:66]}")
            self.lines.extend(f"     &{text[i:i + 66]}" for i in range(66, len(text), 66))
        else:
            self.lines.append(f"  {str(label) + ' ' if label else ''}{text}")

    def bounds(self, outer):
        r = self.r
        low, high = sorted((r.randint(0, 5), r.randint(0, 5)))
        kind = r.randint(0, 9)
        if kind == 0:
            return f"{high + 1}, {low}"  # none
        if kind == 1:
            return f"{high}, {low}, -{r.randint(1, 3)}"
        if kind == 2:
            return f"{low}, {high}, {r.choice(['2', 'two', 'two+1'])}"
        if kind == 3:
            return f"{low}, five"
        if kind == 4 and outer:
            return f"{r.choice(outer)}, 5"  # a triangle
        if kind == 5:
            return f"idx({r.randint(1, 4)}), 5"
        if kind == 6:
            return f"five, min(two, {low}), 1 - two"
        return f"{low}, {high}"

    def subscript(self, counters):
        """Within 0..31 for counters in 0..5."""
        r = self.r
        i = r.choice(counters) if counters else "two"
        j = r.choice(counters) if counters else "five"
        return r.choice([i, f"{i} + {r.randint(0, 9)}", f"9 - {i}", f"2*{i} + {j}",
                         f"3*({i} + two)", f"five + {i} - {j} + 2", f"{i}*two + 1", "two",
                         str(r.randint(0, 31)), f"{i}*{j}", f"idx({i} + 1)", "idx(three)",
                         f"mod({i}, 3)", f"max({i}, two)", f"-{i} + 8"])

    def reference(self, counters):
        return (f"{self.r.choice(['a', 'b', 'u'])}({self.subscript(counters)}, "
                f"{self.subscript(counters)})")

    def statement(self, counters):
        r = self.r
        kind = r.randint(0, 11)
        if kind == 0:
            return f"if ({self.reference(counters)} > {r.randint(0, 60)}) t = t + 1"
        if kind == 1:
            return f"if (t > 3) {self.reference(counters)} = t"
        if kind == 2:
            return f"t = t + {self.reference(counters)}"
        if kind == 3:
            return r.choice(["three = three", "two = 2", "v(two) = t", "idx(1) = idx(1)"])
        if kind == 4:
            return r.choice([f"t = t + sum(a({r.randint(0, 9)}:{r.randint(9, 31)}, "
                             f"{self.subscript(counters)}))", "u(1:5, 8:2:-2) = b(9:5:-1, 4:10:2)"])
        if kind == 5:
            return f"t = twice({self.reference(counters)})"
        terms = [self.reference(counters) for _ in range(r.randint(1, 3))]
        return f"{self.reference(counters)} = mod({' + '.join(terms)}, 64.)"

    def nest(self, depth):
        r = self.r
        counters = r.sample(["i", "j", "k", "l"], depth)
        shared = self.label if r.random() < 0.3 else None
        self.label += 10
        for d, c in enumerate(counters):
            if d and not shared and r.random() < 0.15:
                self.put(r.choice(["t = t + 1", self.statement(counters[:d])]))
            self.put(f"do {shared if shared else ''} {c} = {self.bounds(counters[:d])}")
        for _ in range(r.randint(1, 3)):
            self.put(self.statement(counters))
        if shared:
            if r.random() < 0.5:
                self.put("continue", shared)
            else:
                self.put(f"{self.reference(counters)} = t", shared)
            return
        for d in range(depth):
            self.put("end do")
            if d + 1 < depth and r.random() < 0.15:
                self.put(r.choice(["t = t / 2", self.statement(counters[:depth - 1 - d])]))

    def text(self):
        r = self.r
        self.put("program random")
        self.put("implicit none")
        self.put("integer i, j, k, l, two, three, five, idx(8)")
        self.put("real a(0:31, 0:31), b(0:31, 0:31), u(0:31, 0:31), t, v(4), twice")
        self.put("common /blk/ a, two, idx, five")
        self.put("external twice")
        self.put("two = 2")
        self.put("three = 3")
        self.put("five = 5")
        self.put("t = 0")
        for name in ("a", "b", "u"):
            self.put("do k = 0, 31")
            self.put("do l = 0, 31")
            self.put(f"{name}(l, k) = mod(l * {r.randint(2, 7)} + k, 50)")
            self.put("end do")
            self.put("end do")
        self.put("do k = 1, 8")
        self.put(f"idx(k) = mod(k * {r.randint(1, 7)}, 6)")
        self.put("end do")
        for _ in range(14):
            self.nest(r.randint(1, 4))
        self.put("print *, t, sum(a), sum(b), sum(u), v(2)")
        self.put("end")
        self.put("real function twice(x)")
        self.put("real x")
        self.put("twice = 2 * x")
        self.put("end")
        return "\n".join(self.lines) + "\n"


def at_random(seed):
    fixed = seed % 2 == 0
    path = h.fresh("random") / ("random.f" if fixed else "random.f90")
    path.write_text(Writer(seed, fixed).text())
    commands = (["trace variable a", "trace variable b", "trace variable u"], ["trace variable *"],
                ["trace variable a[3..9][..]", "trace variable b", "trace variable idx"])
    found, _ = both_ways(path, commands[seed // 2 % 3],
                         ["-O1", "-fcheck=bounds"] + ([] if fixed else ["-ffree-line-length-none"]))
    h.check(found[0] > 0, f"{path}: {found}")


# --- bounds that change with the loops around ---

def uneven(out, name):
    """How many probes there are of such nests."""
    return len(re.findall(r"bobbin_\w+_r\(0_4,4_4,", (out / name).read_text()))


TRIANGLES = """
program triangles
  implicit none
  integer, parameter :: n = 6
  real(8) :: a(n, n), b(n), s
  real(8), allocatable :: c(:, :)
  integer :: i, j, k, none, idx(2)
  integer(2) :: h
  type pair
    real(8) :: x, y(3)
  end type
  type(pair) :: t(n)
  allocate (c(n, n))
  c = 2
  t = pair(1, [2, 3, 4])
  none = 0
  idx = 1
  do j = 1, n               ! lower
    do i = j, n
      a(i, j) = i + 10 * j
    end do
  end do
  do i = n, 1, -1           ! upper, backwards, the first row empty
    do j = n, i + 1, -1
      a(i, j) = a(j, i)
    end do
  end do
  do k = 1, n - 1           ! elimination, without its division
    do j = k + 1, n
      do i = k + 1, n
        a(i, j) = a(i, j) - a(i, k) * c(k, j)
      end do
    end do
  end do
  do i = 1, n               ! as far as the middle one
    do j = 1, i
      do k = 1, j
        c(k, j) = c(k, j) + a(i, k)
      end do
    end do
  end do
  do i = 1, n               ! the diagonal: one of each
    do j = i, i
      b(j) = a(i, j)
    end do
  end do
  do i = 1, n, 2            ! a parallelogram, in steps
    do j = 2 * i - 1, 2 * i + 3, 3
      a(i, 1 + (j - 2 * i + 1)) = i
    end do
  end do
  do i = 1, none            ! nothing
    do j = 1, i
      a(idx(99), j) = 1
    end do
  end do
  do h = 1, 3               ! components, another kind
    do k = 1, h
      t(h)%y(k) = k
      t(k + 1)%x = h
    end do
  end do
  do k = 1, 2               ! only where j is twice k, one trip
    do j = 2 * k, 2 * k
      do i = j + k, j + k
        c(i - j, j) = 5
      end do
    end do
  end do
  do k = 1, 3               ! k, 2 k: neither moves alone
    do j = 2 * k, 2 * k
      do i = j, j + 1
        a(i - j + 1, j) = 5
      end do
    end do
  end do
  call solve(a, n, b)
  s = sum(a) + sum(b) + sum(c)
  print *, s, i, j, k, h, t(1)%y, t(2)%x
contains
  subroutine solve(m, lda, x)
    integer, intent(in) :: lda
    real(8), intent(in) :: m(lda, *)
    real(8), intent(inout) :: x(*)
    integer :: i, j
    do j = lda, 1, -1
      do i = 1, j - 1
        x(i) = x(i) - 0.5d0 * m(i, j)
      end do
    end do
  end subroutine
end program
"""


@suite.case("triangles and other bounds that change with the loops around have one probe")
def triangles():
    path = h.fresh("triangles") / "triangles.f90"
    path.write_text(TRIANGLES)
    for flags in (("-O0", "-fcheck=all"), ("-O3",)):
        outs = []
        both_ways(path, ["trace variable a", "trace variable triangles:b", "trace variable c",
                         "trace variable t"], flags, outs)
        out = outs[0]
        h.check(uneven(out, path.name) == 11, str(uneven(out, path.name)))


class Uneven:
    """Nests whose bounds are affine in the counters around them, of arrays of -99:99."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def affine(self, counters, most):
        r = self.r
        text = str(r.randint(-3, 3))
        if counters and r.random() < 0.75:
            text = r.choice([f"{r.choice(counters)} + {text}",
                             f"{r.randint(-most, most)}*{r.choice(counters)} + ({text})",
                             f"one*{r.choice(counters)}", f"{text} - {r.choice(counters)}"])
        return text

    def bounds(self, counters):
        r = self.r
        low = self.affine(counters, 2 if len(counters) < 3 else 1)
        step = r.choice(["", "", "", ", 2", ", -1", ", 3", ", -2", ", one"])
        if r.random() < 0.15:
            return f"{low}, {low}{step}"
        return (f"{low}, {low} {'-' if '-' in step else '+'} {r.randint(-1, 5)}{step}"
                if r.random() < 0.5 else f"{low}, {self.affine(counters, 1)}{step}")

    def subscript(self, counters):
        r = self.r
        a, b = r.choice(counters), r.choice(counters)
        return r.choice([a, f"{a} + {r.randint(-9, 9)}", f"-{a}", f"{a} - {b}", f"{a} + {b}",
                         f"2*{a}", str(r.randint(-9, 9))])

    def text(self):
        r = self.r
        lines = ["program random", "  implicit none", "  integer :: i, j, k, l, one",
                 "  real, target :: a(-99:99, -99:99)", "  real, allocatable :: b(:, :)",
                 "  real, pointer :: p(:, :)", "  one = 1", "  allocate (b(-99:99, -99:99))",
                 "  p => a", "  a = 1", "  b = 2"]
        for _ in range(12):
            counters = r.sample(["i", "j", "k", "l"], r.choice([2, 2, 3, 3, 4]))
            for d, c in enumerate(counters):
                bounds = (self.bounds(counters[:d]) if d else
                          r.choice(["0, 5", "5, 1, -1", "3, 3", "-2, 4, 2", "1, 0"]))
                lines.append(f"  do {c} = {bounds}")
            for _ in range(r.randint(1, 3)):
                references = [f"{r.choice('abp')}({self.subscript(counters)}, "
                              f"{self.subscript(counters)})" for _ in range(2)]
                lines.append(f"    {references[0]} = mod({references[1]} + 1, 64.)")
            lines += ["  end do"] * len(counters)
        return "\n".join([*lines, "  print *, sum(a), sum(b), i, j, k, l", "end program", ""])


def uneven_at_random(seed):
    path = h.fresh("random") / "random.f90"
    path.write_text(Uneven(seed).text())
    outs = []
    both_ways(path, ["trace variable a", "trace variable b"] if seed % 2
              else ["trace variable a(0:9,-5:20)", "trace variable b"], ["-O1", "-fcheck=bounds"],
              outs)
    h.check(uneven(outs[0], path.name) >= 3, f"{outs[0]}: {uneven(outs[0], path.name)}")


for n in range(SEEDS):
    suite.add(f"at random {n}", at_random, n)
    suite.add(f"uneven at random {n}", uneven_at_random, n)

if __name__ == "__main__":
    sys.exit(suite.run())
