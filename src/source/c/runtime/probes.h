/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions and macros called by the probes of an instrumented C file. They follow bobbin/probe.h
 * and precede the file's own text. C90 with GNU extensions, as the file may be. `bob_probe_here` is
 * defined at the end of the file. Only functions refer to it: in the program's own functions,
 * OpenMP's `default(none)` would require a sharing clause. Macros evaluate the lvalue `x` once; the
 * generator puts it in parentheses, so that its commas do not separate arguments. */
#define BOBBIN_QUIET __attribute__((unused, no_instrument_function))
#define BOBBIN_FAST static __inline__ __attribute__((unused, no_instrument_function, always_inline))

static struct bob_probe_file bob_probe_here;

/* Site `s` accesses `p`. */
BOB_PROBE_UNREAD(2)
BOBBIN_FAST void bobbin_at(uint32_t s, const volatile void *p)
{
	(void)bob_probe_at(&bob_probe_here, s, p);
}

BOBBIN_FAST int bobbin_is_on(void)
{
	return bob_probe_here.untraced != 0;
}

#define BOBBIN_AT(s, x)                                                                            \
	(*__extension__({                                                                          \
		__auto_type bobbin_p##s = &x;                                                      \
		bobbin_at(s, (const volatile void *)bobbin_p##s);                                  \
		bobbin_p##s;                                                                       \
	}))

/* Loops with hoisted caches: bobbin_g<site> is the site's untraced range, bobbin_h<loop> the
 * count. */
BOBBIN_FAST const struct bob_probe_untraced *bobbin_untraced(uint32_t s)
{
	return bob_probe_untraced_of(&bob_probe_here, s);
}

BOB_PROBE_UNREAD(2)
BOBBIN_FAST const struct bob_probe_untraced *bobbin_by(uint32_t s, const volatile void *p,
						       const struct bob_probe_untraced *g,
						       struct bob_probe_held *h)
{
	return bob_probe_by(&bob_probe_here, s, p, g, h);
}

BOBBIN_FAST void bobbin_held_end(struct bob_probe_held *h)
{
	bob_probe_held_end(&bob_probe_here, h);
}

#define BOBBIN_BY(s, h, x)                                                                         \
	(*__extension__({                                                                          \
		__auto_type bobbin_p##s = &x;                                                      \
		bobbin_g##s = bobbin_by(s, (const volatile void *)bobbin_p##s, bobbin_g##s,        \
					&bobbin_h##h);                                             \
		bobbin_p##s;                                                                       \
	}))

/* Bit-fields have no address: the probe reports `o` bytes after the start of the struct that the
 * pointer `x` (TO) points to or that the lvalue `x` (IN) denotes. */
#define BOBBIN_TO(s, o, x)                                                                         \
	(__extension__({                                                                           \
		__auto_type bobbin_p##s = x;                                                       \
		bobbin_at(s, (const volatile char *)bobbin_p##s + o);                              \
		bobbin_p##s;                                                                       \
	}))
#define BOBBIN_IN(s, o, x) (*BOBBIN_TO(s, o, &x))

/* Members of packed structs: the pointer has an unaligned type. */
#define BOBBIN_LOOSE(s, x)                                                                         \
	(*__extension__({                                                                          \
		typedef __typeof__(x) bobbin_t##s __attribute__((aligned(1)));                     \
		bobbin_t##s *bobbin_p##s = (bobbin_t##s *)&x;                                      \
		bobbin_at(s, (const volatile void *)bobbin_p##s);                                  \
		bobbin_p##s;                                                                       \
	}))

/* Registers rows v..v+n-1 of the table of variables at `p`. If w >= 0, site `w` initializes
 * them. */
static BOBBIN_QUIET void *bobbin_local(uint32_t v, uint32_t n, const volatile void *p,
				       const int64_t (*b)[2], int w)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		bob_probe_declare(&bob_probe_here, v + i, p, b);
	if (w >= 0)
		(void)bob_probe_at(&bob_probe_here, (uint32_t)w, p);
	return (void *)(uintptr_t)p;
}

static BOBBIN_QUIET void bobbin_end(uint32_t v, uint32_t n, const volatile void *p)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		bob_probe_forget(&bob_probe_here, v + i, p);
}

/* A static variable of a function: registered when the function is first entered, which sets *o. */
static BOBBIN_QUIET int bobbin_once(char *o, uint32_t v, uint32_t n, const volatile void *p)
{
	if (!__atomic_exchange_n(o, 1, __ATOMIC_RELAXED))
		(void)bobbin_local(v, n, p, 0, -1);
	return 0;
}

/* Allocators: bobbin_block[] receives the arguments whose product is the size (PUT). */
BOB_PROBE_UNREAD(3)
static BOBBIN_QUIET void bobbin_block_at(uint32_t v, uint32_t n, const volatile void *p, size_t b)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		bob_probe_block(&bob_probe_here, v + i, p, b);
}

#define BOBBIN_FACTORS                                                                             \
	{                                                                                          \
		1, 1                                                                               \
	}
#define BOBBIN_BLOCK(v, n, x)                                                                      \
	(__extension__({                                                                           \
		size_t bobbin_block[2] = BOBBIN_FACTORS;                                           \
		__auto_type bobbin_q = x;                                                          \
		bobbin_block_at(v, n, (const volatile void *)(uintptr_t)bobbin_q,                  \
				bobbin_block[0] * bobbin_block[1]);                                \
		bobbin_q;                                                                          \
	}))
#define BOBBIN_TEXT(v, n, x)                                                                       \
	(__extension__({                                                                           \
		__auto_type bobbin_q = x;                                                          \
		if (bobbin_q)                                                                      \
			bobbin_block_at(v, n, bobbin_q,                                            \
					__builtin_strlen((const char *)bobbin_q) + 1);             \
		bobbin_q;                                                                          \
	}))
#define BOBBIN_PUT(k, m, x)                                                                        \
	(__extension__({                                                                           \
		__auto_type bobbin_n = +x;                                                         \
		bobbin_block[k] = (size_t)bobbin_n * m;                                            \
		bobbin_n;                                                                          \
	}))

static BOBBIN_QUIET void *bobbin_gone(const volatile void *p)
{
	bob_probe_gone(&bob_probe_here, p);
	return (void *)(uintptr_t)p;
}

/* Nests of loops: conversion of unsigned bounds to signed ones, and the trips from `l` to `h` in
 * steps of `s`; c: 1 if `h` is included. */
static BOBBIN_QUIET int64_t bobbin_far(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static BOBBIN_QUIET int64_t bobbin_trips(int64_t l, int64_t h, int64_t s, int c)
{
	const int64_t n = (s > 0 ? h - l : l - h) + c, w = s > 0 ? s : -s;

	return n > 0 ? (n + w - 1) / w : 0;
}

static BOBBIN_QUIET void bobbin_nest(uint32_t n, const int64_t *t, const volatile void *const *a,
				     const int64_t *s)
{
	bob_probe_here.recorder->nest(&bob_probe_here, n, t, a, s);
}

BOBBIN_FAST int bobbin_misses(uint32_t s, uint32_t d, const int64_t *t, const volatile void *a,
			      const int64_t *w)
{
	return bob_probe_misses(&bob_probe_here, s, d, t, a, w);
}

BOBBIN_FAST void bobbin_outside(int64_t n)
{
	bob_probe_count(&bob_probe_here, (uint64_t)n);
}

static BOBBIN_QUIET void bobbin_uneven(uint32_t n, const int64_t *c, const int64_t *d,
				       const int64_t *b, const volatile void *const *a,
				       const int64_t *s)
{
	bob_probe_uneven(&bob_probe_here, n, c, d, b, a, s);
}
