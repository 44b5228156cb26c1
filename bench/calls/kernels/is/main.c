/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys, rounds and checks of IS: ranks of probed keys, the number of keys, and their final
 * order. */
#include "is.h"

#include "frame/frame.h"

#include <stdlib.h>

#define SEED 577215664ull
#define PROBES 5
#define DRAWN 256	/* keys drawn at once */

struct problem {
	int keys, rounds;
	uint32_t key_limit;
	double sum;	/* of the probes' ranks over all rounds, from a run on one rank */
};

static const struct problem SMALL = { 1 << 22, 20, 1u << 19, 209686504.0 };
static const struct problem LARGE = { 1 << 24, 50, 1u << 21, 2097194552.0 };

/* A key is the mean of four random numbers, so the middle is denser than the ends. */
static void draw_keys(struct is_keys *k, int first, uint32_t limit)
{
	uint64_t state = frame_random_at(SEED, 4ull * (uint64_t)first);

	for (int i = 0; i < k->count; i += DRAWN) {
		double u[4 * DRAWN];
		int count = k->count - i < DRAWN ? k->count - i : DRAWN;

		frame_random_fill(&state, u, 4 * count);
		for (int j = 0; j < count; j++)
			k->key[i + j] =
				(uint32_t)((u[4 * j] + u[4 * j + 1] + u[4 * j + 2] + u[4 * j + 3]) *
					   0.25 * limit);
	}
}

/* Two keys change before each round, so that no round repeats the one before. */
static void change_keys(struct is_keys *k, int first, int round, const struct problem *p)
{
	int a = round * 17, b = p->keys - 1 - round * 31;

	if (a >= first && a < first + k->count)
		k->key[a - first] = (uint32_t)round;
	if (b >= first && b < first + k->count)
		k->key[b - first] = p->key_limit - 1 - (uint32_t)round;
}

static double probe(const struct is_sort *s)
{
	double sum = 0;

	for (uint32_t i = 1; i <= PROBES; i++)
		sum += (double)is_sort_below(s, s->key_limit / (PROBES + 1) * i);
	return sum;
}

int main(int argc, char **argv)
{
	struct frame f;
	struct is_sort s;
	struct is_keys k;
	const struct problem *p;
	double sum = 0;

	frame_begin(&f, "is", &argc, &argv);
	p = f.size == 'S' ? &SMALL : &LARGE;
	k.count = frame_share(&f, p->keys);
	k.key = frame_alloc((uint64_t)k.count, sizeof(*k.key));
	draw_keys(&k, f.rank * k.count, p->key_limit);
	is_sort_create(&s, p->key_limit, k.count, f.rank, f.ranks);

	frame_start(&f);
	for (int round = 1; round <= p->rounds; round++) {
		change_keys(&k, f.rank * k.count, round, p);
		is_sort_rank(&s, &k);
		sum += probe(&s);
	}
	frame_stop(&f);

	frame_check(&f, "probe_ranks", sum, p->sum, 0);
	frame_check(&f, "keys", frame_sum(s.got_count), p->keys, 0);
	frame_check_below(&f, "disorder", (double)is_sort_finish(&s), 0);
	is_sort_destroy(&s);
	free(k.key);
	return frame_end(&f);
}
