/* SPDX-License-Identifier: BSD-3-Clause */
/* IS, measured with Bobbin: the drawing of keys is an event at which a hook reads counters
 * (measure.c); MPI calls are recorded automatically. Compare naive.c.
 *
 *     mpirun -n 4 bobbin record --mpi --events -- ./is_events S       # class S, W, A, B or C
 *
 * Keys are distributed evenly over the ranks. In each round every rank gets the keys of some
 * buckets, so that all have about the same number, and counts each key: that gives the rank of any
 * key. */
#include <bobbin/events.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "measure.h"

#define BUCKETS_MAX 1024

struct sort {
	const struct is_class *class;
	int rank, ranks;
	int64_t first;		/* number of own key 0 in the whole sequence */
	int count, shift;	/* own keys; key >> shift is a key's bucket */
	int *key, *packed;
	int *got, got_count, got_capacity; /* keys of the own buckets */
	int low, high;		/* these hold low <= key < high */
	int *below;		/* below[k - low]: how many of the got keys are less than k */
	int64_t before;		/* keys on lower ranks */
	int *part;		/* 4 * ranks: how many keys to, where, from, where */
	int passed;
};

static void *get(size_t count, size_t size)
{
	void *p = calloc(count, size);

	if (!p)
		MPI_Abort(MPI_COMM_WORLD, 2);
	return p;
}

static void create(struct sort *s, const struct is_class *class)
{
	int64_t keys = 1ll << class->keys_log2;

	memset(s, 0, sizeof(*s));
	MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &s->ranks);
	s->class = class;
	s->first = keys * s->rank / s->ranks;
	s->count = (int)(keys * (s->rank + 1) / s->ranks - s->first);
	s->shift = class->limit_log2 - class->buckets_log2;
	s->key = get((size_t)s->count, sizeof(int));
	s->packed = get((size_t)s->count, sizeof(int));
	s->below = get((1u << class->limit_log2) + 1, sizeof(int));
	s->part = get(4 * (size_t)s->ranks, sizeof(int));
}

static void destroy(struct sort *s)
{
	free(s->key);
	free(s->packed);
	free(s->got);
	free(s->below);
	free(s->part);
}

/* Own keys in the order of their buckets; size[b] is how many are in b. */
static void pack(struct sort *s, int *size, int buckets)
{
	int next[BUCKETS_MAX] = { 0 };

	memset(size, 0, sizeof(*size) * (size_t)buckets);
	for (int i = 0; i < s->count; i++)
		size[s->key[i] >> s->shift]++;
	for (int b = 1; b < buckets; b++)
		next[b] = next[b - 1] + size[b - 1];
	for (int i = 0; i < s->count; i++)
		s->packed[next[s->key[i] >> s->shift]++] = s->key[i];
}

/* Buckets to ranks: to[b] gets b. */
static void deal(const struct sort *s, const int *all, int buckets, int *to)
{
	int64_t keys = 1ll << s->class->keys_log2, seen = 0;

	for (int b = 0; b < buckets; b++) {
		to[b] = (int)((seen + all[b] / 2) * s->ranks / keys);
		seen += all[b];
	}
}

static void exchange(struct sort *s, const int *size, const int *to, int buckets)
{
	int *send = s->part, *send_at = send + s->ranks, *take = send_at + s->ranks;
	int *take_at = take + s->ranks;

	memset(s->part, 0, 4 * (size_t)s->ranks * sizeof(int));
	for (int b = 0; b < buckets; b++)
		send[to[b]] += size[b];
	MPI_Alltoall(send, 1, MPI_INT, take, 1, MPI_INT, MPI_COMM_WORLD);
	s->got_count = take[0];
	for (int r = 1; r < s->ranks; r++) {
		send_at[r] = send_at[r - 1] + send[r - 1];
		take_at[r] = take_at[r - 1] + take[r - 1];
		s->got_count += take[r];
	}
	if (s->got_count > s->got_capacity) {
		free(s->got);
		s->got_capacity = s->got_count + s->got_count / 8;
		s->got = get((size_t)s->got_capacity, sizeof(int));
	}
	MPI_Alltoallv(s->packed, send, send_at, MPI_INT, s->got, take, take_at, MPI_INT,
		      MPI_COMM_WORLD);
}

static void count_keys(struct sort *s)
{
	int64_t own = s->got_count;
	int sum = 0;

	memset(s->below, 0, sizeof(int) * (size_t)(s->high - s->low + 1));
	for (int i = 0; i < s->got_count; i++)
		s->below[s->got[i] - s->low]++;
	for (int k = 0; k <= s->high - s->low; k++) {
		int number = s->below[k];

		s->below[k] = sum;
		sum += number;
	}
	s->before = 0;
	MPI_Exscan(&own, &s->before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
	if (s->rank == 0)
		s->before = 0;
}

/* Checks the ranks of the tested keys, which their owners report. */
static void check_ranks(struct sort *s, const int *test, int round)
{
	for (int i = 0; i < IS_TESTS; i++)
		if (test[i] >= s->low && test[i] < s->high)
			s->passed += s->before + s->below[test[i] - s->low] ==
				     is_expected_rank(s->class, i, round);
}

static void sort_round(struct sort *s, int round)
{
	int buckets = 1 << s->class->buckets_log2;
	int size[BUCKETS_MAX + IS_TESTS], all[BUCKETS_MAX + IS_TESTS], to[BUCKETS_MAX];

	if (s->rank == 0) {
		s->key[round] = round;
		s->key[round + IS_ROUNDS] = (1 << s->class->limit_log2) - round;
	}
	pack(s, size, buckets);
	for (int i = 0; i < IS_TESTS; i++) {
		int64_t at = s->class->at[i] - s->first;

		size[buckets + i] = at >= 0 && at < s->count ? s->key[at] : 0;
	}
	MPI_Allreduce(size, all, buckets + IS_TESTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	deal(s, all, buckets, to);
	s->low = s->high = 0;
	for (int b = 0; b < buckets; b++) {
		s->low += (to[b] < s->rank) << s->shift;
		s->high += (to[b] <= s->rank) << s->shift;
	}
	exchange(s, size, to, buckets);
	count_keys(s);
	check_ranks(s, all + buckets, round);
}

/* Sorts the received keys; returns the number of pairs in disorder, on all ranks. */
static int finish(struct sort *s)
{
	int *sorted = get((size_t)s->got_count + 1, sizeof(int));
	int bad = 0, all = 0, last, last_before = 0;

	for (int i = 0; i < s->got_count; i++)
		sorted[s->below[s->got[i] - s->low]++] = s->got[i];
	for (int i = 1; i < s->got_count; i++)
		bad += sorted[i - 1] > sorted[i];
	last = s->got_count ? sorted[s->got_count - 1] : 0;
	MPI_Exscan(&last, &last_before, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	bad += s->rank > 0 && s->got_count && sorted[0] < last_before;
	MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	free(sorted);
	return all;
}

int main(int argc, char **argv)
{
	const struct is_class *class = is_class_of(argc > 1 ? argv[1][0] : 'S');
	int passed = 0, disorder;
	bob_event_id draw;
	struct sort s;

	MPI_Init(&argc, &argv);
	if (!class)
		MPI_Abort(MPI_COMM_WORLD, 1);
	create(&s, class);
	draw = bob_event_register("draw_keys", 0, NULL);
	measure_events("draw_keys");

	bob_event_begin(draw);
	is_draw_keys(class, s.first, s.count, s.key);
	bob_event_end(draw);

	sort_round(&s, 1);	/* warms up, not counted */
	s.passed = 0;
	for (int round = 1; round <= IS_ROUNDS; round++)
		sort_round(&s, round);
	disorder = finish(&s);
	MPI_Reduce(&s.passed, &passed, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (s.rank == 0)
		printf("IS class %c, %d ranks: %d of %d ranks right, %d pairs in disorder: %s\n",
		       class->name, s.ranks, passed, IS_ROUNDS * IS_TESTS, disorder,
		       passed == IS_ROUNDS * IS_TESTS && !disorder ? "verified" : "FAILED");
	MPI_Bcast(&passed, 1, MPI_INT, 0, MPI_COMM_WORLD);
	destroy(&s);
	MPI_Finalize();
	return passed == IS_ROUNDS * IS_TESTS && !disorder ? 0 : 1;
}
