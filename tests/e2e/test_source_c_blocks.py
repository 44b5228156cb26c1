#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""The C front end of the instrumenter: memory that is given out, to variables, members and
elements, by malloc and its like and the program's own allocators."""

import sys

import harness as h
from c_probes import check, instrument, why_not

suite = h.Suite("source c blocks")


BLOCKS = """
#include <stdlib.h>
#define NEW(type, n) ((type *)malloc((n) * sizeof(type)))
#define FREE(p) do { free(p); p = 0; } while (0)
static int *a, *b;
static short wide(int n) { return (short)n; }
static int third(const int *p) { return p[2]; }
int main(void)
{
	int n = 3, s;
	int (*m)[2] = calloc(n, sizeof *m);
	a = malloc(wide(n) * sizeof *a);
	a[2] = 5;
	s = third(a);
	m[2][1] = s;
	a = realloc(a, 8 * sizeof *a);
	a[7] = a[2];
	if (!(b = NEW(int, n++)))
		return 1;
	b[n - 2] = m[2][1];
	s += b[2];
	FREE(b);
	free(a);
	for (int i = 0; i < 100; i++) {
		int *other = malloc(32 + i);
		other[1] = i;
		s += other[1] - i;
		free(other);
	}
	free(m);
	return s != 10;
}
"""


@suite.case("blocks: what malloc and its like give to a traced pointer is declared, and gone when "
            "it is freed")
def _():
    want = """12 W a+0 8; 13 R a+0 8;13 W *a+8 4; 14 R a+0 8; 7 R *a+8 4; 15 R m+0 8;15 W *m+20 4;
        16 R a+0 8;16 W a+0 8;
        17 R a+0 8;17 R *a+8 4;17 R a+0 8;17 W *a+28 4; 20 R m+0 8;20 R *m+20 4;
        23 R a+0 8; 30 R m+0 8"""
    check(BLOCKS, "11 W m+0 8;" + want, "--variable=a", "--variable=m")
    check(BLOCKS,
          "18 W b+0 8; 20 R b+0 8;20 W *b+8 4; 21 R b+0 8;21 R *b+8 4; 22 R b+0 8;22 W b+0 8",
          "--variable=b")


WAYS_TO_POINTERS = """
#include <stdlib.h>
#include <string.h>
struct grid { int n; double *v, **rows; struct { char *text; } name[2]; struct grid *next; };
static double sum(const double *p, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += p[i];
	return s;
}
static struct grid *make(int n)
{
	struct grid *g = malloc(sizeof *g);
	g->n = n;
	g->v = (double *)malloc(n * sizeof *g->v);
	g->rows = calloc(n, sizeof *g->rows);
	for (int i = 0; i < n; i++)
		g->rows[i] = calloc(n + i, sizeof(double));
	g->name[1].text = strdup("ab");
	g->next = NULL;
	return g;
}
static void drop(struct grid *g)
{
	free(g->v);
	for (int i = 0; i < g->n; i++)
		free(g->rows[i]);
	free(g->rows);
	free(g->name[1].text);
	free(g);
}
static struct grid all;
int main(void)
{
	struct grid *h = make(2);
	h->v[1] = 3;
	h->rows[1][2] = h->v[1];
	(*h->rows)[0] = sum(h->v + 1, 1);
	h->name[1].text[1]++;
	double s = sum(h->rows[1], 3);
	all = *h;
	h->v = realloc(h->v, 100 * sizeof(double));
	h->v[99] = s;
	s += h->v[1] + h->v[99];
	drop(h);
	all.v = malloc(8);
	*all.v = s;
	free(all.v);
	return s != 9;
}
"""


@suite.case("members and elements: the memory that they get has the way as its name")
def _():
    v = "37 W g->v+8 8;38 R g->v+8 8;9 R g->v+8 8"
    check(WAYS_TO_POINTERS, v, "--variable=g", "--path=->v")
    check(WAYS_TO_POINTERS, v, "--variable=g", "--path=.v", "--function=make")
    check(WAYS_TO_POINTERS, v, "--variable=g", "--path=->v", "--box=0..1")
    check(WAYS_TO_POINTERS, "", "--variable=g", "--path=->v", "--box=2..5")
    check(WAYS_TO_POINTERS, "44 W h->v+792 8;45 R h->v+8 8;45 R h->v+792 8", "--variable=h",
          "--path=->v")
    check(WAYS_TO_POINTERS, "48 W all.v+0 8", "--variable=all", "--path=.v")
    rows = "38 W g->rows[*]+16 8;39 W g->rows[*]+0 8" + "".join(f";9 R g->rows[*]+{8 * i} 8"
                                                                for i in range(3))
    check(WAYS_TO_POINTERS, rows, "--variable=g", "--path=->rows[*]")
    check(WAYS_TO_POINTERS, "40 U g->name[*].text+1 1", "--variable=g", "--path=->name[*].text")
    _, r = instrument(WAYS_TO_POINTERS, "--variable=g", "--path=->w", status=1)
    h.check(r.err.decode().strip()
            == "a.c: there is no use of a pointer g->w: what is no pointer is traced with its "
            "variable, g", str(r))


@suite.case("a variable that is a struct, or leads to one: it, and what its members get")
def _():
    check(WAYS_TO_POINTERS, "42 W all+0 48;47 W all+8 8;48 R all+8 8;48 W all.v+0 8;49 R all+8 8",
          "--variable=all")
    r = check(WAYS_TO_POINTERS.replace("struct { char *text; } name[2];",
                                       "struct { char *text; } name[2]; int more;"),
              "48 W all.v+0 8", "--variable=all", "--path=.v")
    h.check(b"variables 1" in r.err, str(r))


@suite.case("memory that comes to a member by way of a variable")
def _():
    text = """
#include <stdlib.h>
struct list { int n; int *v, *w; };
static void grow(struct list *l, int n)
{
	int *more = realloc(l->v, n * sizeof *more), *other;
	if (!more)
		return;
	more[n - 1] = n;
	l->v = more;
	other = malloc(8);
	other[0] = other[1] = 2;
	if (n > 4)
		l->v = other;
	else
		l->w = other;
	l->n = n;
}
int main(void)
{
	struct list l = { 0, 0, 0 };
	grow(&l, 4);
	l.v[0] = l.v[3] + l.w[1];
	return l.v[0] != 6;
}
"""
    # For which of them `other` allocates its memory is unknown: it is not declared.
    check(text, "9 W l->v+12 4", "--variable=l", "--path=->v", "--function=grow", "--lines=1-17")
    check(text, "9 W l->v+12 4; 23 W l->v+0 4;23 R l->v+12 4; 24 R l->v+0 4", "--variable=l",
          "--path=->v", "--function=grow")


OWN = """
#include <stdlib.h>
#include <string.h>
struct pool { void *(*take)(struct pool *p, unsigned n, unsigned size); int used; };
static void *zero(struct pool *p, unsigned n, unsigned size)
{
	p->used++;
	return calloc(n, size);
}
#define TAKE(p, n, size) (*((p)->take))((p), (n), (size))
static double *vector(int n)
{
	return malloc(n * sizeof(double));
}
static char *copy(const char *s)
{
	return strcpy(malloc(strlen(s) + 1), s);
}
static void give(int why, void *p)
{
	free(p);
	(void)why;
}
int main(void)
{
	struct pool p = { zero, 0 };
	unsigned char c = 3;
	int *a = TAKE(&p, c, sizeof *a);
	double *v = vector(c + 1);
	char *t = copy("xyz");
	a[2] = 4;
	v[3] = a[2];
	t[2] = 0;
	give(1, v);
	v = vector(1);
	*v = a[2] + strlen(t) + p.used;
	c = *v != 7;
	give(2, a);
	free(t);
	give(3, v);
	return c;
}
"""


@suite.case("allocators of the program's own")
def _():
    own = ["--allocator=take:2,1,-1", "--allocator=vector:0,-1,-1,counted",
           "--allocator=copy:-1,-1,-1,text", "--allocator=give:-1,-1,1"]
    check(OWN, "28 W a+0 8;31 R a+0 8;31 W *a+8 4;32 R a+0 8;32 R *a+8 4;36 R a+0 8;36 R *a+8 4;38 "
          "R a+0 8", "--variable=a", *own)
    check(OWN, "29 W v+0 8;32 R v+0 8;32 W *v+24 8;34 R v+0 8;35 W v+0 8;36 R v+0 8;36 W *v+0 8;37 "
          "R v+0 8;37 R *v+0 8;40 R v+0 8", "--variable=v", *own)
    check(OWN, "30 W t+0 8;33 R t+0 8;33 W *t+2 1;36 R t+0 8;39 R t+0 8", "--variable=t", *own)
    check(OWN, "30 W t+0 8;33 R t+0 8;36 R t+0 8;39 R t+0 8", "--variable=t")


DECLARED = """
#include <stdlib.h>
#define GIVES(what) __attribute__((noinline, what))
#define PAIR __attribute__((malloc, __alloc_size__ (2, 3)))
struct pool { int used; void *(*take)(struct pool *p, size_t n) __attribute__((alloc_size(2))); };
static void *some(size_t n) __attribute__((alloc_size(1)));
static void *pairs(struct pool *p, size_t n, size_t size) PAIR;
static void *hidden(size_t n) GIVES(alloc_size(1));
static int number(int n) { return n; }
static void *some(size_t n)
{
	return malloc(n + 8);
}
static void *pairs(struct pool *p, size_t n, size_t size)
{
	p->used++;
	return calloc(n, size);
}
static void *hidden(size_t n)
{
	return malloc(n);
}
static void *take(struct pool *p, size_t n)
{
	p->used += 2;
	return malloc(n);
}
int main(void)
{
	struct pool p = { 0, take };
	int *a = some(number(3) * sizeof(int)), *b = pairs(&p, 4, sizeof *b), *c = p.take(&p, 8), \
*d = hidden(8);
	a[2] = 1;
	a[3] = 1;
	b[3] = 1;
	c[1] = 1;
	d[1] = 1;
	number(a[2] + p.used);
	free(a);
	free(b);
	free(c);
	free(d);
	return 0;
}
"""


@suite.case("allocators whose declarations say how much they give")
def _():
    # a[3] is after what the declaration says.
    check(DECLARED,
          "31 W a+0 8;32 R a+0 8;32 W *a+8 4;33 R a+0 8;37 R a+0 8;37 R *a+8 4;38 R a+0 8",
          "--variable=a")
    check(DECLARED, "31 W b+0 8;34 R b+0 8;34 W *b+12 4;39 R b+0 8", "--variable=b")
    check(DECLARED, "31 W c+0 8;35 R c+0 8;35 W *c+4 4;40 R c+0 8", "--variable=c")
    check(DECLARED, "31 W d+0 8;36 R d+0 8;36 W *d+4 4;41 R d+0 8", "--variable=d")
    # The command's own word goes first.
    check(DECLARED, "31 W a+0 8;32 R a+0 8;33 R a+0 8;37 R a+0 8;38 R a+0 8", "--variable=a",
          "--allocator=some:-1,-1,-1")


MOVED = """
#include <stddef.h>
static int area[16], *end = area;
static void *some(size_t n) __attribute__((alloc_size(1)));
static void *larger(void *old, size_t n) __attribute__((alloc_size(2)));
static void *some(size_t n)
{
	end += n / sizeof *end;
	return end - n / sizeof *end;
}
static void *larger(void *old, size_t n)
{
	return old ? some(n) : NULL;
}
int main(void)
{
	int *a = some(8), *b = a;
	b[1] = 1;
	a = larger(a, 16);
	a[3] = 1;
	b[1] = 1;
	return 0;
}
"""


@suite.case("an allocator that is only declared, and takes the old block back")
def _():
    check(MOVED, "17 W a+0 8;17 R a+0 8;18 W *a+4 4;19 W a+0 8;19 R a+0 8;20 R a+0 8;20 W *a+12 4",
          "--variable=a")


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        sys.exit(77)
    sys.exit(suite.run())
