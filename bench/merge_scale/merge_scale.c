/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges synthetic traces of 2^k ranks over a binary tree, as ranks do: each merge combines two
 * messages, with the functions that merge files. Prints CSV: a line for each pattern and number of
 * ranks, and one for each level of the tree.
 *
 *     merge_scale LEAST MOST [PATTERN ...]      powers of two
 *
 * Every rank is made and folded, and every merge is done: nothing is sampled. Subtrees are merged
 * depth first, so memory is that of one path. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "archive/merge/merging.h"
#include "archive/events/times.h"
#include "patterns.h"
#include "synth.h"

#define LEVELS_MAX 24u

struct level {
	uint64_t merges;
	double sum, most;	/* processor time of merges, seconds */
	size_t bytes, memory;	/* of the largest result; peak, including messages */
};

static struct level level[LEVELS_MAX + 1];
static size_t held, held_most;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *resize(void *ctx, void *old, size_t old_size, size_t size)
{
	void *p = NULL;

	(void)ctx;
	/* both exist while the old one is copied */
	held += size;
	held_most = held > held_most ? held : held_most;
	held -= old ? old_size : 0;
	if (size)
		p = realloc(old, size);
	else
		free(old);
	if (size && !p)
		abort();
	return p;
}

static const struct bob_alloc alloc = { resize, NULL };

static void check(bob_status st, const char *what)
{
	if (st == BOB_OK)
		return;
	fprintf(stderr, "merge_scale: %s: %s\n", what, bob_status_text(st));
	abort();
}

/* --- one merge --- */

static void unpack(const struct message *m, struct bob_common *c)
{
	memset(c, 0, sizeof(*c));
	check(bob_folded_unpack(m->folded, m->folded_len, &alloc, &c->events), "unpacking");
	check(bob_time_rows_unpack(m->times, m->times_len, bob_folded_shapes(c->events),
				   bob_folded_count(c->events), &c->times),
	      "unpacking times");
}

/* bob_bytes_take, with counters. */
static void take(void *ctx, const void *bytes, size_t len)
{
	struct bob_bytes *b = ctx;
	size_t cap = b->cap ? b->cap : 4096;

	while (cap - b->len < len)
		cap *= 2;
	if (cap != b->cap)
		b->at = resize(NULL, b->at, b->cap, cap);
	b->cap = cap;
	memcpy(b->at + b->len, bytes, len);
	b->len += len;
}

static size_t message_size(const struct message *m)
{
	return m->folded_len + m->times_len;
}

static void merge(struct message *a, struct message *b, struct message *out, struct level *l)
{
	struct bob_common common[2];
	struct bob_process process[2] = { { .common = &common[0] }, { .common = &common[1] } };
	const struct bob_time_source timed[2] = { { &process[0], NULL }, { &process[1], NULL } };
	struct bob_folded *f;
	struct bob_bytes folded = { 0 }, times = { 0 };
	size_t rows, memory;
	double begin = now();

	held = held_most = 0;
	unpack(a, &common[0]);
	unpack(b, &common[1]);
	check(bob_folded_merge(common[0].events, common[1].events, &alloc, &f), "merging");
	check(bob_times_pack(f, timed, 2, &times), "merging times");
	rows = (common[0].times.cap + common[1].times.cap) * 2 * sizeof(struct bob_time_row);
	for (int i = 0; i < 2; i++) {
		bob_time_rows_free(&common[i].times);
		bob_folded_close(common[i].events);
	}
	check(bob_folded_pack(f, take, &folded), "packing");
	bob_folded_close(f);
	double seconds = now() - begin;
	if (held != folded.cap)
		check(BOB_ERR_CORRUPT, "memory is left");
	*out = (struct message){ folded.at, times.at, folded.len, times.len };
	memory = held_most + rows + times.cap + message_size(a) + message_size(b);
	l->merges++;
	l->sum += seconds;
	l->most = seconds > l->most ? seconds : l->most;
	l->bytes = message_size(out) > l->bytes ? message_size(out) : l->bytes;
	l->memory = memory > l->memory ? memory : l->memory;
	message_free(a);
	message_free(b);
}

static void build(const struct pattern *p, uint64_t first, uint32_t height, uint64_t ranks,
		  struct message *out)
{
	struct message a, b;

	if (!height) {
		synth_rank(p->run, first, ranks, out);
		level[0].merges++;
		if (message_size(out) > level[0].bytes)
			level[0].bytes = message_size(out);
		return;
	}
	build(p, first, height - 1, ranks, &a);
	build(p, first + (1ull << (height - 1)), height - 1, ranks, &b);
	merge(&a, &b, out, &level[height]);
}

/* --- all --- */

static void measure(const struct pattern *p, uint32_t height)
{
	struct message out;
	double path = 0;
	size_t memory = 0;

	memset(level, 0, sizeof(level));
	build(p, 0, height, 1ull << height, &out);
	for (uint32_t i = 1; i <= height; i++) {
		path += level[i].most;
		memory = level[i].memory > memory ? level[i].memory : memory;
	}
	printf("total,%s,%d,%u,%zu,%zu,%zu,%zu,%.6f\n", p->name, p->irregular, height,
	       level[0].bytes, out.folded_len, out.times_len, memory, path);
	for (uint32_t i = 1; i <= height; i++)
		printf("level,%s,%d,%u,%u,%zu,%zu,%.7f,%.7f\n", p->name, p->irregular, height, i,
		       level[i].bytes, level[i].memory, level[i].sum / (double)level[i].merges,
		       level[i].most);
	fflush(stdout);
	message_free(&out);
}

static int is_chosen(const struct pattern *p, int argc, char **argv)
{
	for (int i = 3; i < argc; i++)
		if (!strcmp(argv[i], p->name))
			return 1;
	return argc <= 3;
}

int main(int argc, char **argv)
{
	uint32_t least = argc > 1 ? (uint32_t)atoi(argv[1]) : 4,
		 most = argc > 2 ? (uint32_t)atoi(argv[2]) : 12;

	if (most > LEVELS_MAX || least < 1)
		return 2;
	/* avoids a page fault for each block, which is not a cost of merging */
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	mallopt(M_TRIM_THRESHOLD, 512 << 20);
	for (uint32_t i = 0; i < pattern_count; i++)
		for (uint32_t k = least; k <= most; k++)
			if (is_chosen(&patterns[i], argc, argv) && k >= patterns[i].least &&
			    k <= patterns[i].most)
				measure(&patterns[i], k);
	return 0;
}
