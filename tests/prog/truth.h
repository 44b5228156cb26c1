/* SPDX-License-Identifier: BSD-3-Clause */
/* Ground truth: a program that logs its own call tree, for comparison with a trace of it.
 *
 * Every function whose name begins with t_ opens with ENTER(name) and closes with LEAVE. Both are
 * inlined stores into a log of the thread, so logging makes no call of its own. A record says
 * which function was entered, how many t_ functions were open on the same stack (depth), and on
 * which stack of the program (ctx; coroutines count theirs). What the compiler cannot see, the
 * program states: longjmp and catch clauses call RESTORE, coroutine switches call truth_switch.
 * The slot of a record is reserved with one instruction, so a signal handler may log too.
 *
 * truth_end checks the log's own rules and writes it to the file named by BOB_LOG, if set:
 *     mode exact | mode async NAME      NAME is a handler run at unpredictable moments
 *     may_skip NAME                     NAME may be missing (too small to be patched)
 *     thread NUMBER                     then one line per record: DEPTH CTX NAME
 * Threads: each thread calls truth_begin with a number of its own; truth_end once, after joins. */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define TRUTH_THREADS 16

#if defined(__clang__)
#define TFN __attribute__((noinline))
#elif defined(__cplusplus)
#define TFN __attribute__((noinline, noclone))
#else
#define TFN __attribute__((noipa))
#endif

struct truth_rec {
	const char *name;
	int depth;
	int ctx;
};

struct truth_log {
	struct truth_rec *rec;
	unsigned long n;
	unsigned long cap;
	volatile long depth;
	volatile int ctx;
};

static __thread struct truth_log *truth_me;
static struct truth_log truth_logs[TRUTH_THREADS];
static const char *truth_async;
static const char *truth_may_skip[64];
static int truth_may_skip_count;

#define ENTER(name) truth_enter(#name)
#define LEAVE truth_leave()
#define RESTORE(d) (truth_me->depth = (d))
#define DEPTH_NOW() (truth_me->depth)

static inline __attribute__((always_inline)) void truth_enter(const char *name)
{
	struct truth_log *l = truth_me;
	long d = l->depth;
	unsigned long i;

	l->depth = d + 1;
	i = __atomic_fetch_add(&l->n, 1, __ATOMIC_RELAXED);
	if (i < l->cap) {
		struct truth_rec *r = &l->rec[i];

		r->name = name;
		r->depth = (int)d;
		r->ctx = l->ctx;
	}
	__asm__ volatile("" ::: "memory");
}

static inline __attribute__((always_inline)) void truth_leave(void)
{
	__asm__ volatile("" ::: "memory");
	truth_me->depth = truth_me->depth - 1;
}

/* The program goes on on its stack `ctx`, where `depth` functions are open. */
static inline __attribute__((always_inline, unused)) void truth_switch(int ctx, long depth)
{
	truth_me->ctx = ctx;
	truth_me->depth = depth;
}

/* A function that cannot log is entered and left; it may be too small to be traced. */
static inline __attribute__((always_inline, unused)) void truth_silent(const char *name)
{
	truth_enter(name);
	truth_leave();
}

static void truth_begin(int number, unsigned long cap)
{
	struct truth_log *l = &truth_logs[number];
	void *p = mmap(NULL, cap * sizeof(*l->rec), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(99);
	}
	l->rec = (struct truth_rec *)p;
	l->cap = cap;
	truth_me = l;
}

static __attribute__((unused)) void truth_skippable(const char *name)
{
	truth_may_skip[truth_may_skip_count++] = name;
}

/* How many records break the log's own rule: on one stack depth grows by at most 1. */
static unsigned long truth_bad(const struct truth_log *l)
{
	int last[64];
	unsigned long bad = 0;

	for (int c = 0; c < 64; c++)
		last[c] = -1;
	for (unsigned long i = 0; i < l->n; i++) {
		const struct truth_rec *r = &l->rec[i];

		if (r->ctx < 0 || r->ctx >= 64 || r->depth < 0)
			bad++;
		else if (!truth_async && r->depth > last[r->ctx] + 1)
			bad++;
		if (r->ctx >= 0 && r->ctx < 64)
			last[r->ctx] = r->depth;
	}
	return bad + (l->depth != 0) + (l->n > l->cap);
}

/* The log is put together in memory and written with one call: with printf, its own calls would be
 * most of a trace of all images. */
static inline __attribute__((always_inline)) char *truth_text(char *p, const char *s)
{
	while (*s)
		*p++ = *s++;
	return p;
}

static inline __attribute__((always_inline)) char *truth_number(char *p, long v)
{
	char digits[24];
	int n = 0;

	if (v < 0)
		*p++ = '-';
	do
		digits[n++] = (char)('0' + (v < 0 ? -(v % 10) : v % 10));
	while ((v /= 10));
	while (n)
		*p++ = digits[--n];
	return p;
}

static char *truth_print(char *p)
{
	p = truth_text(p, truth_async ? "mode async " : "mode exact");
	p = truth_text(p, truth_async ? truth_async : "");
	*p++ = '\n';
	for (int i = 0; i < truth_may_skip_count; i++) {
		p = truth_text(truth_text(p, "may_skip "), truth_may_skip[i]);
		*p++ = '\n';
	}
	for (int t = 0; t < TRUTH_THREADS; t++) {
		const struct truth_log *l = &truth_logs[t];

		if (!l->n)
			continue;
		p = truth_number(truth_text(p, "thread "), t);
		*p++ = '\n';
		for (unsigned long i = 0; i < l->n && i < l->cap; i++) {
			p = truth_number(p, l->rec[i].depth);
			*p++ = ' ';
			p = truth_number(p, l->rec[i].ctx);
			*p++ = ' ';
			p = truth_text(p, l->rec[i].name);
			*p++ = '\n';
		}
	}
	return p;
}

/* Names have fewer than 64 characters, numbers fewer than 32. */
static int truth_write(const char *path, unsigned long records)
{
	size_t capacity = (records + TRUTH_THREADS + 80) * 128;
	char *text = (char *)mmap(NULL, capacity, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	FILE *f = fopen(path, "w");
	int bad;

	if (text == MAP_FAILED || !f) {
		perror(path);
		return 1;
	}
	bad = fwrite(text, (size_t)(truth_print(text) - text), 1, f) != 1;
	return fclose(f) || bad;
}

/* Returns the exit status of the program: 0 if the log is sound, has `expect` records in all
 * (0: not known beforehand) and `ok` holds. */
static int truth_end(unsigned long expect, int ok)
{
	const char *path = getenv("BOB_LOG");
	unsigned long n = 0, bad = 0;

	for (int t = 0; t < TRUTH_THREADS; t++) {
		n += truth_logs[t].n;
		bad += truth_bad(&truth_logs[t]);
	}
	if (path && truth_write(path, n))
		return 98;
	if (bad || (expect && n != expect) || !ok) {
		printf("BAD: %lu entries, %lu expected, %lu unsound, result %s\n", n, expect, bad,
		       ok ? "right" : "wrong");
		return 1;
	}
	if (expect)
		printf("ok: %lu entries\n", n);
	else
		printf("ok\n");
	return 0;
}

#endif
