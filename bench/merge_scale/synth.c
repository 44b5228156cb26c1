/* SPDX-License-Identifier: BSD-3-Clause */
/* Records calls of a rank as the MPI shim does: event definitions, call paths and statistics of
 * times, folded and packed into a message. */
#include "synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "archive/write/event_fold.h"
#include "archive/merge/merging.h"
#include "archive/events/times.h"

#define SITES_MAX 64u
#define PAIRS_MAX 1024u
#define DEPTH 3u
#define IMAGE (1ull << 48)

enum {
	INIT = 0x1a8,
	RANK = 0x1a9,
	SIZE = 0x1aa,
	FINALIZE = 0x88,
	SEND = 0x140,
	RECV = 0x130,
	ISEND = 0xb0,
	IRECV = 0xb1,
	WAITALL = 0x170,
	ALLREDUCE = 0x60,
	ALLTOALL = 0x62,
	ALLTOALLV = 0x63
};
enum { COMM_WORLD = 1, DOUBLE = 16, SUM = 3, BUFFER = 2 };

struct site {
	int is_known;
	struct bob_event_def def;
	uint64_t place[DEPTH];
	uint8_t key[2];
	uint32_t shape[1 + BOB_EVENT_VECTORS_MAX];
};

struct recording {
	struct bob_folder *folder;
	struct bob_bytes out;
	struct site site[SITES_MAX];
	uint32_t before;		/* site of the call before; SITES_MAX: none */
	struct bob_time_row *pair;	/* by sites: `from`, `to` */
	uint32_t pair_of[SITES_MAX + 1][SITES_MAX]; /* + 1 */
	uint32_t pairs;
};

static void fail(const char *what)
{
	fprintf(stderr, "merge_scale: %s\n", what);
	abort();
}

/* --- times --- */

static void add_time(struct bob_time_sums *s, uint64_t before, uint64_t ns)
{
	struct bob_time_sums one = { .min = ns, .max = ns, .sum = ns };
	unsigned __int128 square = (unsigned __int128)ns * ns;

	one.square[0] = (uint64_t)square;
	one.square[1] = (uint64_t)(square >> 64);
	one.bin[bob_time_bin(ns)] = 1;
	bob_time_sums_add(s, before, &one);
}

static void time_call(struct rank *r, uint32_t site)
{
	struct recording *to = r->to;
	uint32_t *number = &to->pair_of[to->before][site];
	struct bob_time_row *x;

	if (!*number) {
		if (to->pairs == PAIRS_MAX)
			fail("too many pairs of places");
		to->pair[to->pairs] = (struct bob_time_row){ .from = to->before, .to = site };
		*number = ++to->pairs;
	}
	x = &to->pair[*number - 1];
	add_time(&x->interval, x->count, 1000 + rank_random(r, 5000));
	add_time(&x->duration, x->count, 300 + rank_random(r, 1u << (8 + rank_random(r, 10))));
	x->count++;
	to->before = site;
}

/* --- events --- */

static void define(struct rank *r, struct site *s, uint32_t number, uint32_t function,
		   uint32_t words, uint32_t length, uint32_t element)
{
	struct bob_event_def *d = &s->def;

	s->is_known = 1;
	s->key[0] = (uint8_t)function;
	s->key[1] = (uint8_t)(function >> 8);
	s->place[0] = IMAGE | 0x11cb;
	s->place[1] = IMAGE | (0x1600 + number / 4 * 0x40);
	s->place[2] = IMAGE | (0x2000 + number * 0x27);
	*d = (struct bob_event_def){
		.key = s->key, .key_len = 2, .depth = DEPTH, .place = s->place
	};
	d->layout.words = (uint8_t)words;
	if (element) {
		d->layout.vectors = 1;
		d->layout.vector[0].length = (uint8_t)length;
		d->layout.vector[0].words = (uint8_t)element;
	}
	if (bob_event_shapes(r->to->folder, d, 0, s->shape) != BOB_OK)
		fail("the table of shapes is full");
}

static void put(struct rank *r, uint32_t number, uint32_t function, const uint64_t *word,
		uint32_t words, uint32_t length, uint32_t element)
{
	struct site *s = &r->to->site[number];

	if (!s->is_known)
		define(r, s, number, function, words, length, element);
	bob_event_fold(r->to->folder, &s->def.layout, s->shape, word);
	time_call(r, number);
}

void rank_call(struct rank *r, uint32_t site, uint32_t function, const uint64_t *word,
	       uint32_t words)
{
	put(r, site, function, word, words, 0, 0);
}

void rank_send(struct rank *r, uint32_t site, uint64_t count, uint64_t dest, uint64_t tag)
{
	const uint64_t w[] = { BUFFER, count, DOUBLE, dest, tag, COMM_WORLD, 0 };

	rank_call(r, site, SEND, w, 7);
}

void rank_recv(struct rank *r, uint32_t site, uint64_t count, uint64_t source, uint64_t from,
	       uint64_t tag)
{
	const uint64_t w[] = { BUFFER,	   count, DOUBLE, source, tag,
			       COMM_WORLD, 0,	  from,	  tag,	  8 * count };

	rank_call(r, site, RECV, w, 10);
}

void rank_isend(struct rank *r, uint32_t site, uint64_t count, uint64_t dest, uint64_t tag)
{
	const uint64_t w[] = { BUFFER, count, DOUBLE, dest, tag, COMM_WORLD, 0, 2 };

	rank_call(r, site, ISEND, w, 8);
}

void rank_irecv(struct rank *r, uint32_t site, uint64_t count, uint64_t source, uint64_t tag)
{
	const uint64_t w[] = { BUFFER, count, DOUBLE, source, tag, COMM_WORLD, 0, 2 };

	rank_call(r, site, IRECV, w, 8);
}

void rank_waitall(struct rank *r, uint32_t site, uint64_t n)
{
	uint64_t w[2 + 64];

	w[0] = n;
	w[1] = 0;
	for (uint64_t i = 0; i < n; i++)
		w[2 + i] = 2 * (n - i);
	put(r, site, WAITALL, w, 2, 0, 1);
}

void rank_allreduce(struct rank *r, uint32_t site, uint64_t count)
{
	const uint64_t w[] = { BUFFER, BUFFER, count, DOUBLE, SUM, COMM_WORLD, 0 };

	rank_call(r, site, ALLREDUCE, w, 7);
}

void rank_alltoall(struct rank *r, uint32_t site, uint64_t count)
{
	const uint64_t w[] = { BUFFER, count, DOUBLE, BUFFER, count, DOUBLE, COMM_WORLD, 0 };

	rank_call(r, site, ALLTOALL, w, 8);
}

void rank_alltoallv(struct rank *r, uint32_t site, const uint64_t *counts)
{
	uint64_t *w = malloc((6 + r->ranks) * sizeof(*w));

	if (!w)
		fail("out of memory");
	memcpy(w, (const uint64_t[]){ BUFFER, DOUBLE, DOUBLE, COMM_WORLD, 0, r->ranks },
	       6 * sizeof(*w));
	memcpy(w + 6, counts, r->ranks * sizeof(*w));
	put(r, site, ALLTOALLV, w, 6, 5, 1);
	free(w);
}

uint64_t rank_random(struct rank *r, uint64_t below)
{
	r->random = r->random * 6364136223846793005u + 1442695040888963407u;
	return (r->random >> 33) % below;
}

/* --- a rank --- */

static void *resize(void *ctx, void *old, size_t old_size, size_t size)
{
	(void)ctx, (void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

static const struct bob_alloc alloc = { resize, NULL };

/* By shapes of the trace, as a merged file has them. */
static void pack_times(struct recording *to, const struct bob_folded *f, struct message *out)
{
	struct bob_time_rows rows = { 0 };
	struct bob_bytes bytes = { 0 };
	uint32_t shape_of[SITES_MAX + 1];

	shape_of[SITES_MAX] = BOB_TIME_NO_SHAPE;
	for (uint32_t i = 0; i < SITES_MAX; i++)
		for (uint32_t s = 0; to->site[i].is_known && s < bob_folded_shapes(f); s++) {
			struct bob_fold_shape sh;
			uint32_t parent;
			uint64_t place;

			bob_folded_shape(f, s, &sh);
			if (bob_folded_path(f, sh.path, &parent, &place) &&
			    place == to->site[i].place[DEPTH - 1] && sh.key[0] != 255)
				shape_of[i] = s;
		}
	for (uint32_t i = 0; i < to->pairs; i++) {
		struct bob_time_row x = to->pair[i];

		x.from = shape_of[x.from];
		x.to = shape_of[x.to];
		if (bob_time_rows_add(&rows, &x) != BOB_OK)
			fail("out of memory");
	}
	bob_time_rows_finish(&rows);
	bob_time_rows_pack(&rows, &bytes);
	bob_time_rows_free(&rows);
	out->times = bytes.at;
	out->times_len = bytes.len;
}

static void pack(struct recording *to, uint64_t rank, struct message *out)
{
	struct bob_folded *f, *again;
	struct bob_bytes bytes = { 0 };

	if (bob_folded_open(to->out.at, to->out.len, rank << 32, &alloc, &f) != BOB_OK ||
	    bob_folded_pack(f, bob_bytes_take, &bytes) != BOB_OK || bytes.failed ||
	    bob_folded_unpack(bytes.at, bytes.len, &alloc, &again) != BOB_OK)
		fail("a rank cannot be packed");
	out->folded = bytes.at;
	out->folded_len = bytes.len;
	pack_times(to, again, out);
	bob_folded_close(f);
	bob_folded_close(again);
}

static uint8_t *map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		fail("out of memory");
	return p;
}

void synth_rank(void (*run)(struct rank *r), uint64_t rank, uint64_t ranks, struct message *out)
{
	static struct recording to;
	static uint8_t *mem;
	struct rank r = { rank, ranks, rank * 0x9e3779b97f4a7c15u + 1, &to };
	struct bob_time_row *pair = to.pair ? to.pair : malloc(PAIRS_MAX * sizeof(*pair));
	struct bob_bytes bytes = { .at = to.out.at, .cap = to.out.cap };

	memset(&to, 0, sizeof(to));
	to.pair = pair;
	to.out = bytes;
	to.before = SITES_MAX;
	mem = mem ? mem : map(bob_folder_size());
	if (!pair || madvise(mem, bob_folder_size(), MADV_DONTNEED)) /* little of it is touched */
		fail("out of memory");
	to.folder = bob_folder_begin(mem, bob_bytes_take, &to.out);
	rank_call(&r, 60, INIT, (const uint64_t[]){ 0 }, 1);
	rank_call(&r, 61, RANK, (const uint64_t[]){ COMM_WORLD, 0, rank }, 3);
	rank_call(&r, 62, SIZE, (const uint64_t[]){ COMM_WORLD, 0, ranks }, 3);
	run(&r);
	rank_call(&r, 63, FINALIZE, (const uint64_t[]){ 0 }, 1);
	bob_folder_end(to.folder);
	pack(&to, rank, out);
}

void message_free(struct message *m)
{
	free(m->folded);
	free(m->times);
	memset(m, 0, sizeof(*m));
}
