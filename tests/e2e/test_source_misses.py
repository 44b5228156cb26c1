#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Nests that miss what is wanted are seen without a call of the recorder. What is recorded, and
what is counted, is what single probes say of the same program, which goes through arrays, boxes and
memory that comes and goes, many times in the same place before it goes on to another one."""

import re
import sys

import harness as h
from c_probes import why_not

suite = h.Suite("source misses")

C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
static double box[40][8], other[500];
static double *blocks[3];
static double walk(const double *p, int rows, int columns, int down, int right)
{
	double s = 0;
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			s += p[i * down + j * right];
	return s;
}
static void fill(double *p, int n, int step)
{
	for (int i = 0; i < n; i++)
		p[i * step] = i;
}
static double both(double *to, const double *from, int n)
{
	double s = 0;
	for (int i = n - 1; i >= 0; i--) {
		to[i] = 1;
		s += from[i];
	}
	return s;
}
static double lately(int n)
{
	double own[9] = { 1 }, s = 0;
	for (int k = 0; k < 20; k++) {
		fill(k < 12 ? other : own, n, 1);
		s += walk(own, 3, 3, 3, 1);
	}
	return s;
}
static unsigned seed = 7;
static int any(int n)
{
	seed = seed * 1103515245u + 12345u;
	return (int)((seed >> 8) % (unsigned)n);
}
static void *turn(void *of)
{
	double s = 0;
	for (int k = 0; k < 200; k++)
		s += walk(other + k % 7, 5, 4, 4, 1) + walk(box[k % 40], 1, 8, 8, 1);
	*(double *)of = s;
	return NULL;
}
#define EACH(far) for (int k = 0, far = 3; k < 15; far = k++ == 13 ? 30 : 3)
static double reach(void)
{
	double s = 0;
	EACH(far) fill(other + 90, far, 1);
	EACH(far) fill(box[10], far, -1);
	EACH(far) s += walk(box[0], far, 8, 8, 1);
	EACH(far) s += walk(box[39], far, 8, -8, 1);
	return s;
}
static double once(void)
{
	double s = 0;
	double *p = any(2) ? box[any(20)] : other + any(200);
	double *q = any(3) ? other + any(400) : box[any(38)];
	int same = any(30), rows = any(5), columns = any(7), n = any(9), step = any(5) - 2,
	    back = any(2);
	for (int k = 0; k < same; k++) {
		s += back ? walk(p + 70, rows, columns, -8, -any(3)) :
			    walk(p, rows, columns, 8, any(3));
		fill(q, n, q > other + 40 && q < other + 400 ? step : 1);
		s += both(other, q, n) + both(q, other + 300, n);
	}
	s += lately(n);
	if (blocks[n % 3]) {
		s += walk(blocks[n % 3], 2, 5, 5, 1);
		free(blocks[n % 3]);
		blocks[n % 3] = NULL;
	} else {
		blocks[n % 3] = malloc(10 * sizeof(double));
		fill(blocks[n % 3], 10, 1);
	}
	return s;
}
int main(void)
{
	double s = 0, sum[2];
	pthread_t t;
	for (int k = 0; k < 80; k++)
		s += once() + reach();
	pthread_create(&t, NULL, turn, sum);
	pthread_join(t, NULL);
	turn(sum + 1);
	printf("%g %g %g\n", s, sum[0], sum[1]);
	return 0;
}
"""

FORTRAN = """
program misses
  implicit none
  real(8) :: box(8, 40), other(500)
  real(8), allocatable :: block(:)
  integer :: k
  box = 1
  other = 2
  do k = 1, 30
    call both(box(1, k), other(k), 7)
    call both(other(3 * k), other(k), 5 + mod(k, 3))
    if (k > 15) call late(mod(k, 5) + 2)
    call walk(box, mod(k, 20) + 1, 8)
    call walk(box, 12, 8)
    call short
    call late(merge(9, 2, k == 30))
  end do
  print *, sum(box), sum(other)
contains
  subroutine both(to, from, n)
    integer, intent(in) :: n
    real(8) :: to(n), from(n)
    integer :: i
    do i = n, 1, -1
      to(i) = i
    end do
    do i = 1, n, 2
      from(i) = 3
    end do
  end subroutine
  subroutine walk(a, row, n)
    integer, intent(in) :: row, n
    real(8) :: a(8, 40)
    integer :: i, j
    do j = row, row + 3
      do i = 1, n
        a(i, j) = j
      end do
    end do
  end subroutine
  subroutine short
    integer :: i, m, total, three
    total = 0
    three = 3 ! not in the text: it would be laid out, and the loop around it a nest
    do m = 1, 40
      total = total + m
      do i = three, 1, -1
        box(i, m) = other(m + i) + total
      end do
      do i = m, mod(m, 5)
        other(i) = 1
      end do
      do i = 1, merge(300, 4, m == 39), 2
        other(150 + i) = box(1, 1)
      end do
    end do
  end subroutine
  subroutine late(n)
    integer, intent(in) :: n
    integer :: i, k
    allocate(block(n))
    do k = 1, 12
      do i = 1, n
        block(i) = k
      end do
    end do
    do k = 1, 12
      do i = 1, merge(30, 4, k == 12)
        other(90 + i) = k
      end do
    end do
    other(1:n) = block
    deallocate(block)
  end subroutine
end program
"""


CROSSED = r"""
#include <stdio.h>
static double p[41][3], m[40][3][3], s[40][3], wide[30][60], cube[6][7][8];
static void move(int from, int to)
{
	for (int n = from; n < to; n++)
		for (int i = 0; i < 3; i++) {
			p[n + 1][i] = s[n][i];
			for (int j = 0; j < 3; j++)
				p[n + 1][i] = p[n + 1][i] + m[n][i][j] * p[n][j];
		}
}
static double rows(int rows, int columns)
{
	double *q = &wide[0][0], sum = 0;
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			sum += wide[i][j];
	for (int j = columns - 1; j >= 0; j--)
		for (int i = rows - 1; i >= 0; i -= 2)
			wide[i][j] = sum;
	for (int i = 0; i < rows; i++)
		wide[i][2 * i] += wide[i][59 - 2 * i];
	for (int k = 0; k < rows * columns; k++)
		q[k] += 1;
	for (int k = 1; k < rows * 2; k++)
		q[k * 30 - 1] += q[k];
	return sum;
}
static void cubes(int n)
{
	for (int k = 0; k < 8; k++)
		for (int i = 0; i < n; i++)
			for (int j = 6; j >= 0; j--)
				cube[i][j][k] += cube[n - 1 - i][6 - j][0];
	for (int i = 0; i < n; i++) {
		cube[i][0][0] = 1;
		for (int j = 1; j < 7; j += 3)
			for (int k = 0; k < 8; k += 2)
				cube[i][j][k] = cube[i][j - 1][k + 1];
	}
}
int main(void)
{
	double sum = 0;
	for (int i = 0; i < 40; i++)
		for (int j = 0; j < 3; j++)
			s[i][j] = m[i][j][j] = i + j;
	for (int k = 0; k < 12; k++) {
		move(0, 40);
		move(k, k + 2);
		sum += rows(30, 60) + rows(k, 60 - k);
		cubes(6);
		cubes(k % 6);
	}
	printf("%g %g %g\n", sum, p[40][1], cube[3][3][3]);
	return 0;
}
"""


def recorded(name, text, requests, how, flags):
    """(accesses, how many were of nothing that is wanted, nests, those in loops of Fortran that
    hoist negative caches)"""
    folder = h.fresh("misses")
    (folder / name).write_text(text)
    commands = "\n".join([f"trace file {name}", *requests, ""])
    r = h.run([h.BOBBIN, "instrument", *how, "-o", "out"], cwd=folder, stdin=commands.encode())
    h.check(r.status == 0, str(r))
    nests = int(re.search(rb"(?m)^%s +\d+ +\d+ +\d+ +(\d+)" % re.escape(name.encode()), r.out)[1])
    build = [["gcc", "-w", *flags, "-pthread", "-Iout", "out/a.c", "-o", "a"]]
    if name != "a.c":
        build = [["gcc", "-Iout", "-c", "out/a_probes.c"],
                 ["gfortran", *flags, "out/a.f90", "a_probes.o", "-o", "a"]]
    for argv in build:
        r = h.run(argv, cwd=folder)
        h.check(r.status == 0, str(r))
    native = h.run([folder / "a"])
    r = h.record([str(folder / "a")], ["--source"])
    h.same(native, r)
    reported = re.search(rb"probes counted (\d+) accesses to untraced data",
                         h.bobbin("info", r.trace).out)
    # what is laid out has sites of its own
    rows = re.sub(rb"[.]c[+]0x[0-9a-f]+", b".c",
                  h.bobbin("replay", "--mem", "--subscripts", r.trace).out)
    return rows, int(reported[1]) if reported else 0, nests, (folder / "out"
                                                              / name).read_text().count("bobbin_t=")


def compare(name, text, requests, flags):
    want, outside, nests, _ = recorded(name, text, requests, ["--flat"], flags)
    h.check(nests == 0 and want.count(b"\n") > 50 and outside > 300,
            f"{nests} nests, {len(want)} bytes, {outside} outside")
    rows, reported, nests, held = recorded(name, text, requests, [], flags)
    h.check(nests >= 2 and (held > 0 or name == "a.c"), f"{nests} nests, {held} held")
    h.check(rows == want, "accesses differ")
    h.check(reported == outside, f"{reported} accesses of nothing, {outside} without nests")


for requests in (["trace variable box[3..9][2..5]"],
                 ["trace variable lately:own", "trace variable box[0..0]"],
                 ["trace variable blocks", "trace variable other[100..110]"]):
    for flags in (["-O2"], ["-O0"], ["-O2", "-fPIC"]):
        suite.add(f"C: {', '.join(requests)}, {' '.join(flags)}", compare, "a.c", C, requests,
                  flags)
for requests in (["trace variable p[3..9]", "trace variable wide[5..9][10..40]"],
                 ["trace variable m[38..39][1..1][0..2]", "trace variable wide[29..29]",
                  "trace variable cube[2..3]"],
                 ["trace variable s[0..39][1..1]", "trace variable wide[0..29][0..0]",
                  "trace variable cube[0..5][3..3][1..6]"],
                 ["trace variable p", "trace variable wide[0..29][59..59]",
                  "trace variable wide[4..4][0..20]", "trace variable cube[0..5][0..6][7..7]"],
                 ["trace variable p[0..0]", "trace variable m[0..0]",
                  "trace variable wide[7..7][7..7]", "trace variable cube[5..5][6..6]"]):
    suite.add(f"rows that go in and out: {', '.join(requests)}", compare, "a.c", CROSSED, requests,
              ["-O2"])
for requests in (["trace variable box(2:5,3:9)"],
                 ["trace variable block", "trace variable other(100:110)"],
                 ["trace variable box(1:1,37:40)", "trace variable other(400:)"]):
    for flags in (["-O2"], ["-O0", "-fcheck=all", "-ffpe-trap=invalid"]):
        suite.add(f"Fortran: {', '.join(requests)}, {' '.join(flags)}", compare, "a.f90", FORTRAN,
                  requests, flags)

if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        sys.exit(77)
    sys.exit(suite.run())
