/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's own events, written by the library's own writers. In the trace `events-user` threads
 * have them in all phases, nested, with parameters of all types, and with a call of MPI. */
#ifndef BOB_TESTS_GOLDEN_USER_H
#define BOB_TESTS_GOLDEN_USER_H

#include "archive/events/user_key.h"
#include "events.h"

#define USER_TEXT 64u		/* bytes of the longest string, a multiple of 8 */

static const struct {
	const char *name, *parameters;
	uint32_t flags;
} user_events[] = {
	{ "step", "int n, double dt -> int cells, string why", 0 },
	{ "read a file\n", "string name, int bytes, string mode", 1 },
	{ "residual", "double value", 0 },
	{ "\xce\xb1:beta", NULL, 2 },
};
enum { USER_STEP, USER_READ, USER_RESIDUAL, USER_BARE, USER_EVENTS };
#define USER_SITES 8u

struct user_thread {
	struct events_thread t;
	uint32_t number[USER_EVENTS][BOB_USER_PHASES]
		       [USER_SITES]; /* of definitions; BOB_TIME_NONE: not yet */
};

static inline void user_begin(struct user_thread *u, struct build *p, const char *name,
			      uint32_t first, uint64_t seed, int is_flat)
{
	events_begin_as(&u->t, p, name, first, seed, is_flat);
	memset(u->number, 0xff, sizeof(u->number));
}

union user_value {
	uint64_t word;
	double real;
	const char *text;
};

static inline uint32_t user_define(struct user_thread *u, int which, enum bob_user_phase phase,
				   uint32_t site, struct bob_user_key *k)
{
	uint32_t *number = &u->number[which][phase][site];
	uint64_t place[16];
	uint8_t key[BOB_EVENT_KEY_MAX];
	struct bob_event_def d = { .key = key, .place = place };
	bob_status st = bob_user_parse(user_events[which].name, user_events[which].flags,
				       user_events[which].parameters, k);

	assert(st == BOB_OK);
	if (*number != BOB_TIME_NONE)
		return *number;
	d.key_len = bob_user_encode(k, phase, key);
	d.depth = events_path(u->t.first, user_events[which].flags & 1 ? 0 : site, place);
	bob_user_layout(k, phase, &d.layout);
	st = bob_event_writer_define(u->t.w, &d, number);
	assert(st == BOB_OK);
	(void)st;
	return *number;
}

/* The words of a phase, and behind them its strings unless it hangs. How many. */
static inline uint32_t user_words(const struct bob_user_key *k, enum bob_user_phase phase,
				  const union user_value *value, int hangs, uint64_t *word)
{
	uint32_t from, end, n;

	bob_user_range(k, phase, &from, &end);
	n = end - from;
	for (uint32_t i = from; i < end; i++) {
		const union user_value v = value[i - from];

		word[i - from] = k->type[i] == BOB_USER_STRING ? strlen(v.text) : v.word;
		if (k->type[i] != BOB_USER_STRING || hangs)
			continue;
		memcpy(word + n, v.text, strlen(v.text));
		n += (uint32_t)(strlen(v.text) + 7) / 8;
	}
	return n;
}

static inline void user_put_some(struct user_thread *u, int which, enum bob_user_phase phase,
				 uint32_t site, const union user_value *value, int hangs)
{
	const uint64_t took = phase == BOB_USER_WHOLE || phase == BOB_USER_END ? 250 : 0;
	uint64_t word[BOB_USER_PARAMETERS_MAX + 4 * USER_TEXT / 8] = { 0 }, *to;
	struct events_thread *t = &u->t;
	struct bob_user_key k;
	const uint32_t number = user_define(u, which, phase, site, &k);
	const uint32_t n = user_words(&k, phase, value, hangs, word);
	bob_status st;

	to = bob_event_writer_open(t->w, number, n, &st);
	assert(to);
	memcpy(to, word, 8ull * n);
	events_moment(t, 100 + site);
	if (hangs) {
		bob_event_writer_begun(t->w, n);
		return;
	}
	st = bob_event_writer_put(t->w, n);
	assert(st == BOB_OK);
	(void)st;
	events_moment(t, took);
	bob_times_add(t->times, t->before, number, t->before == BOB_TIME_NONE ? 0 : 100 + site,
		      took);
	t->before = number;
}

static inline void user_put(struct user_thread *u, int which, enum bob_user_phase phase,
			    uint32_t site, const union user_value *value)
{
	user_put_some(u, which, phase, site, value, 0);
}

static inline void user_steps(struct user_thread *u, uint32_t steps)
{
	static const char *const name[] = { "a.dat", "", "file of twenty bytes", "\xc3\xa9\x01%" };

	for (uint32_t i = 0; i < steps; i++) {
		union user_value in[2] = { { .word = i }, { .real = 0.25 * i } };
		union user_value out[2] = { { .word = ~0ull - i }, { .text = name[i % 4] } };
		union user_value whole[4] = { in[0], in[1], out[0], out[1] };
		union user_value file[3] = { { .text = name[i % 3] }, { .word = 1ull << i % 63 },
					     { .text = "r" } };
		union user_value residual = { .real = -1.0 / (i + 1) };

		if (i % 3) {
			user_put(u, USER_STEP, BOB_USER_BEGIN, 1, in);
			user_put(u, USER_READ, BOB_USER_INSTANT, 2, file);
			user_put(u, USER_BARE, BOB_USER_BEGIN, 3, NULL);
			events_put(&u->t, EVENT_SEND, 4, i);
			user_put(u, USER_BARE, BOB_USER_END, 3, NULL);
			user_put(u, USER_STEP, BOB_USER_END, 1, out);
		} else {
			user_put(u, USER_STEP, BOB_USER_WHOLE, 1, whole);
		}
		user_put(u, USER_RESIDUAL, BOB_USER_COUNTER, 5, &residual);
	}
}

static inline void golden_user_file(struct build *p)
{
	static const union user_value step[2] = { { .word = 7 }, { .real = 1e300 } };
	struct user_thread u;

	golden_memory_two_images(p, 930, 0, 0);
	user_begin(&u, p, "main", 0, 41, 0);
	user_steps(&u, 40);
	events_end(&u.t);
	user_begin(&u, p, "killed", 1, 43, 0);
	user_steps(&u, 5);
	user_put_some(&u, USER_STEP, BOB_USER_BEGIN, 6, step, 1);
	events_killed(&u.t);
	user_begin(&u, p, "flat", 0, 47, 1);
	user_steps(&u, 9);
	events_end(&u.t);
	bob_file_end(build_head(p), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
}

#endif
