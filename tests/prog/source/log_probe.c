/* SPDX-License-Identifier: BSD-3-Clause */
/* A recorder that implements bobbin/probe.h for tests: it writes each access as a line into the
 * file that BOB_TEST_LOG names (none: nothing is recorded): line of the source, kind, variable,
 * offset in it and bytes. Accesses to no variable, or to an unwanted part of one, are left out.
 * Linked into the program, which must export bobbin_probe_1. It is simple and slow, and shares no
 * code with the real one. Threads: one at a time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bobbin/probe.h"

#define PLACES_MAX 100000

static struct place {
	const volatile char *at;
	uint64_t bytes;
	const struct bob_probe_variable *v;
	uint32_t number;
	int64_t bounds[BOB_PROBE_DIMENSIONS_MAX][2];
} places[PLACES_MAX];
static unsigned count;
static char text[1 << 16];
static size_t used;
static int fd = -2;
static pthread_mutex_t one =
	PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* handlers of signals probe, too */

static void flush(void)
{
	const char *name = getenv("BOB_TEST_LOG");

	if (fd == -2)
		fd = name ? open(name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666) : -1;
	if (fd >= 0 && used)
		(void)!write(fd, text, used);
	used = 0;
}

static void __attribute__((destructor)) finish(void)
{
	flush();
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	va_list args;

	if (used > sizeof(text) - 1000)
		flush();
	va_start(args, format);
	used += (size_t)vsnprintf(text + used, 900, format, args);
	va_end(args);
}

static void declare(struct bob_probe_file *f, uint32_t v, const volatile void *base,
		    const int64_t (*bounds)[2])
{
	struct place p = {
		.at = base, .v = &f->variable[v], .bytes = f->variable[v].element, .number = v
	};

	if (!bounds)
		bounds = p.v->bounds;
	for (uint32_t d = 0; d < p.v->rank; d++) {
		memcpy(p.bounds[d], bounds[d], sizeof(p.bounds[d]));
		p.bytes *= (uint64_t)bounds[d][1];
	}
	pthread_mutex_lock(&one);
	if (p.bytes && count < PLACES_MAX)
		places[count++] = p;
	pthread_mutex_unlock(&one);
}

static void forget(struct bob_probe_file *f, uint32_t v, const volatile void *base)
{
	pthread_mutex_lock(&one);
	for (unsigned i = count; i-- > 0;)
		if (places[i].at == base && places[i].v == &f->variable[v]) {
			memmove(&places[i], &places[i + 1], (--count - i) * sizeof(places[0]));
			break;
		}
	pthread_mutex_unlock(&one);
}

static void gone(const volatile void *base)
{
	pthread_mutex_lock(&one);
	for (unsigned i = count; i-- > 0;)
		if (places[i].at == base)
			memmove(&places[i], &places[i + 1], (--count - i) * sizeof(places[0]));
	pthread_mutex_unlock(&one);
}

static int is_wanted(const struct place *p, uint64_t offset)
{
	uint64_t index = offset / p->v->element;

	for (uint32_t d = 0; p->v->wanted && d < p->v->rank; d++) {
		const int64_t s = p->bounds[d][0] + (int64_t)(index % (uint64_t)p->bounds[d][1]);

		index /= (uint64_t)p->bounds[d][1];
		if (s < p->v->wanted[d][0] || s > p->v->wanted[d][1])
			return 0;
	}
	return 1;
}

static void see(struct bob_probe_file *f, uint32_t site, const volatile void *at)
{
	const struct bob_probe_site *s = &f->site[site];
	const volatile char *p = at;

	pthread_mutex_lock(&one);
	for (unsigned i = count; i-- > 0;)
		if (p >= places[i].at && p < places[i].at + places[i].bytes &&
		    is_wanted(&places[i], (uint64_t)(p - places[i].at))) {
			say("%u %c %.*s+%ld %u\n", s->line, "RWU"[s->kind],
			    (int)strcspn(places[i].v->name, " "), places[i].v->name,
			    (long)(p - places[i].at), s->size);
			break;
		}
	pthread_mutex_unlock(&one);
}

static void nest(struct bob_probe_file *f, uint32_t n, const int64_t *trips,
		 const volatile void *const *at, const int64_t *step)
{
	const struct bob_probe_nest *own = &f->nest[n];
	int64_t i[BOB_PROBE_NEST_DEPTH_MAX] = { 0 };
	uint32_t d;

	for (d = 0; d < own->depth; d++)
		if (trips[d] <= 0)
			return;
	do {
		for (uint32_t k = 0; k < own->count; k++) {
			const volatile char *p = at[k];

			for (d = 0; d < own->depth; d++)
				p += i[d] * step[k * own->depth + d];
			see(f, own->first + k, p);
		}
		for (d = own->depth; d-- > 0;) {
			if (++i[d] < trips[d])
				break;
			i[d] = 0;
		}
	} while (d != UINT32_MAX);
}

/* By recursion: loop d and what is in it, for each iteration of those around. */
struct uneven {
	struct bob_probe_file *f;
	uint32_t n;
	const int64_t *span, *slope, *by, *step;
	const volatile void *const *at;
	int64_t i[BOB_PROBE_NEST_DEPTH_MAX];
};

static void run(struct uneven *u, uint32_t d)
{
	const struct bob_probe_nest *own = &u->f->nest[u->n];
	int64_t span;

	if (d == own->depth) {
		for (uint32_t k = 0; k < own->count; k++) {
			const volatile char *p = u->at[k];

			for (uint32_t e = 0; e < d; e++)
				p += u->i[e] * u->step[k * d + e];
			see(u->f, own->first + k, p);
		}
		return;
	}
	span = u->span[d];
	for (uint32_t e = 0; e < d; e++)
		span += u->i[e] * u->slope[d * own->depth + e];
	for (u->i[d] = 0; u->i[d] * u->by[d] < span; u->i[d]++)
		run(u, d + 1);
}

static void uneven(struct bob_probe_file *f, uint32_t n, const int64_t *span, const int64_t *slope,
		   const int64_t *by, const volatile void *const *at, const int64_t *step)
{
	struct uneven u = { f, n, span, slope, by, step, at, { 0 } };

	run(&u, 0);
}

static const struct bob_probe_table table;

static void begin(struct bob_probe_file *f)
{
	static const struct bob_probe_untraced nothing;
	const struct bob_probe_untraced **untraced = malloc((f->sites + 1) * sizeof(void *));

	if (!getenv("BOB_TEST_LOG"))
		return;
	for (uint32_t i = 0; i < f->sites; i++)
		untraced[i] = &nothing;
	f->untraced = untraced;
	f->recorder = &table;
	f->access = see;
}

static const struct bob_probe_table table = {
	.size = sizeof(table), .begin = begin, .declare = declare, .forget = forget, .nest = nest,
	.gone = gone, .uneven = uneven
};

extern const struct bob_probe_table bobbin_probe_1
	__attribute__((alias("table"), visibility("default")));
