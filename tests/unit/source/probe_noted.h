/* SPDX-License-Identifier: BSD-3-Clause */
/* A recorder for code that calls bobbin/probe.h and bobbin/events.h: it writes a line for each call
 * that it gets. Addresses are offsets in `memory`. */
#ifndef BOB_TESTS_PROBE_NOTED_H
#define BOB_TESTS_PROBE_NOTED_H

#include <stdio.h>
#include <string.h>

#include "bobbin/events.h"
#include "bobbin/probe.h"

static _Alignas(64) char memory[1024];
static char noted[2048];
static uint64_t counted;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
	const size_t len = strlen(noted);
	va_list ap;

	va_start(ap, format);
	vsnprintf(noted + len, sizeof(noted) - len, format, ap);
	va_end(ap);
}

static long offset(const volatile void *at)
{
	return (long)((uintptr_t)at - (uintptr_t)memory);
}

static void note_numbers(const char *name, const int64_t *n, uint32_t count)
{
	note(" %s", name);
	for (uint32_t i = 0; i < count; i++)
		note(" %ld", (long)n[i]);
}

static void access_at(struct bob_probe_file *f, uint32_t site, const volatile void *at)
{
	(void)f;
	note("access %u %ld\n", site, offset(at));
}

static void declare_at(struct bob_probe_file *f, uint32_t v, const volatile void *at,
		       const int64_t (*bounds)[2])
{
	note("declare %u %ld", v, offset(at));
	for (uint32_t i = 0; i < f->variable[v].rank; i++)
		note(" %ld+%ld", (long)bounds[i][0], (long)bounds[i][1]);
	note("\n");
}

static void forget_at(struct bob_probe_file *f, uint32_t v, const volatile void *at)
{
	(void)f;
	note("forget %u %ld\n", v, offset(at));
}

static void note_places(const struct bob_probe_nest *nest, const volatile void *const *at,
			const int64_t *step)
{
	for (uint32_t k = 0; k < nest->count; k++) {
		note(", %ld", offset(at[k]));
		note_numbers("step", step + k * nest->depth, nest->depth);
	}
	note("\n");
}

static void run_nest(struct bob_probe_file *f, uint32_t n, const int64_t *trips,
		     const volatile void *const *at, const int64_t *step)
{
	note("nest %u", n);
	note_numbers("trips", trips, f->nest[n].depth);
	note_places(&f->nest[n], at, step);
}

static void run_uneven(struct bob_probe_file *f, uint32_t n, const int64_t *span,
		       const int64_t *slope, const int64_t *by, const volatile void *const *at,
		       const int64_t *step)
{
	const uint32_t depth = f->nest[n].depth;

	note("uneven %u", n);
	note_numbers("span", span, depth);
	note_numbers("slope", slope, depth * depth);
	note_numbers("by", by, depth);
	note_places(&f->nest[n], at, step);
}

static void gone_at(const volatile void *at)
{
	note("gone %ld\n", offset(at));
}

static uint64_t *outside_of_thread(void)
{
	return &counted;
}

static const struct bob_probe_table recorder = {
	.size = sizeof(recorder),
	.declare = declare_at,
	.forget = forget_at,
	.nest = run_nest,
	.uneven = run_uneven,
	.gone = gone_at,
	.outside = outside_of_thread,
};

static void begin_noted(bob_event_id e, const union bob_arg *in, uint32_t count)
{
	(void)in;
	note("begin %u of %u\n", (uint32_t)e, count);
}

static void end_noted(bob_event_id e, const union bob_arg *out, uint32_t count)
{
	note("end %u", (uint32_t)e);
	if (count)
		note(" %ld", (long)out[0].i);
	note("\n");
}

static const struct bob_events_table events_recorder = { .size = sizeof(events_recorder),
							  .begin = begin_noted, .end = end_noted };
#define bob_events_recorder() (&events_recorder)

static void reset_noted(void)
{
	memset(memory, 0, sizeof(memory));
	*noted = 0;
	counted = 0;
}

static void assert_noted(const char *expected)
{
	assert_string_equal(noted, expected);
	*noted = 0;
}

#endif
