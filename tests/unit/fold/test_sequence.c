/* SPDX-License-Identifier: BSD-3-Clause */
/* What random programs do, folded, is what they did: event by event and value by value, after each
 * few events and at the end, alone and merged. A sequence that is not is made as short and as plain
 * as it can be, and said.
 *
 * BOB_SEEDS=n tries so many, from BOB_SEED on; without them it is a share that takes some
 * seconds. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../share.h"
#include "sequence_check.h"

/* --- what is wrong made short --- */

static int is_wrong(const struct sequence *s, const struct sequence_how *how)
{
	size_t done;

	return s->count && sequence_check(s, how, &done);
}

/* `s` without `n` events at `at`, if that is wrong, too. */
static int leave_out(struct sequence *s, const struct sequence_how *how, size_t at, size_t n)
{
	struct sequence less = { 0 };
	int wrong;

	for (size_t i = 0; i < s->count; i++)
		if (i < at || i >= at + n)
			sequence_add(&less, &s->at[i]);
	wrong = is_wrong(&less, how);
	if (wrong) {
		free(s->at);
		*s = less;
	} else {
		free(less.at);
	}
	return wrong;
}

static int make_shorter(struct sequence *s, const struct sequence_how *how)
{
	int changed = 0;

	for (size_t n = s->count / 2; n; n /= 2)
		for (size_t at = s->count; at;) {
			at = at < n ? 0 : at - n;
			changed |= leave_out(s, how, at, n);
			at = at > s->count ? s->count : at;
		}
	return changed;
}

/* Each number as 0, and as one less, if that is wrong, too. */
static int make_plainer(struct sequence *s, const struct sequence_how *how)
{
	int changed = 0;

	for (size_t i = 0; i < s->count; i++)
		for (unsigned w = 0; w < SEQUENCE_WORDS && s->at[i].shape != SEQUENCE_AGAIN; w++) {
			uint64_t *word = &s->at[i].word[w], was = *word;
			const uint64_t tried[] = { 0, was / 2, was - 1 };

			for (unsigned t = 0; t < 3 && *word == was && was; t++) {
				*word = tried[t];
				if (is_wrong(s, how))
					changed = 1;
				else
					*word = was;
			}
		}
	return changed;
}

static void shrink(struct sequence *s, struct sequence_how *how)
{
	const struct sequence_how tried[] = { { 0 },
					      { .every = how->every },
					      { .rows = how->rows } };
	int changed = 1;

	for (size_t i = 0; i < sizeof(tried) / sizeof(*tried); i++)
		if (is_wrong(s, &tried[i])) {
			*how = tried[i];
			break;
		}
	while (changed) {
		changed = make_shorter(s, how);
		changed |= make_plainer(s, how);
	}
}

static void say(const struct sequence *s, const struct sequence_how *how)
{
	size_t done;
	const char *wrong = sequence_check(s, how, &done);

	printf("%s at event %zu of %zu; looked at every %zu, rows %d, ranks %u:\n", wrong, done,
	       s->count, how->every, how->rows, how->ranks);
	for (size_t i = 0; i < s->count; i++) {
		if (s->at[i].shape == SEQUENCE_AGAIN) {
			printf(" again");
			continue;
		}
		printf(" %u(", s->at[i].shape);
		for (uint32_t w = 0; w < sequence_words(s->at[i].shape); w++)
			printf("%s%lld", w ? " " : "", (long long)s->at[i].word[w]);
		printf(")");
	}
	printf("\n");
}

/* --- random programs --- */

static int one(uint64_t seed, uint64_t *events)
{
	static const size_t longest[] = { 60, 400, 3000, 12000 };
	struct sequence_draw draw = { .state = seed * 0x9e3779b97f4a7c15u };
	struct sequence_how how = { 0 };
	struct sequence s = { 0 };
	size_t most, done;
	int wrong;

	(void)sequence_any(&draw, 2);
	most = longest[sequence_any(&draw, 4)];
	most = most / 4 + sequence_any(&draw, most);
	how.every = most < 500 ? 1 + sequence_any(&draw, 1 + most / 20) :
				 1 + most / 2 + sequence_any(&draw, most / 2);
	how.rows = sequence_any(&draw, 3) == 0;
	how.ranks = most < 5000 && !sequence_any(&draw, 3) ?
			    1 + (uint32_t)sequence_any(&draw, SEQUENCE_RANKS) :
			    0;
	sequence_make(&s, &draw, most, sequence_any(&draw, 10) == 0);
	*events += s.count;
	wrong = sequence_check(&s, &how, &done) != NULL;
	if (wrong) {
		printf("seed %llu\n", (unsigned long long)seed);
		shrink(&s, &how);
		say(&s, &how);
	}
	free(s.at);
	return wrong;
}

static void test_programs(void **state)
{
	const char *from = getenv("BOB_SEED"), *count = getenv("BOB_SEEDS");
	uint64_t seed = from ? strtoull(from, NULL, 10) : 0, every = count ? 1 : share_every();
	uint64_t end = seed + (count ? strtoull(count, NULL, 10) : 1500), events = 0;
	unsigned wrong = 0;

	(void)state;
	for (; seed < end && !wrong; seed += every)
		wrong += (unsigned)one(seed, &events);
	printf("%llu events\n", (unsigned long long)events);
	assert_int_equal(wrong, 0);
	assert_in_range(events, 1, UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
	};

	/* each expansion takes megabytes: not anew from the kernel */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
