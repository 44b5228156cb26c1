/* SPDX-License-Identifier: BSD-3-Clause */
/* The folded trace of a thread so far, for its hooks: writes what the thread's writer would write
 * if it ended now into the program's memory, and opens that as a trace. Recording is not
 * affected. */
#include <stdlib.h>
#include <string.h>

#include "archive/events/mpi_functions.h"
#include "archive/events/user_key.h"
#include "base/hash.h"
#include "base/varint.h"
#include "events/hooks.h"

#define BYTES_MOST (64ull << 20)

struct view {
	struct bob_so_far public; /* first */
	const struct bob_ev_thread *of;
	uint64_t values;	/* number of the thread's values when it was opened */
	struct bob_folded *folded;
	/* of the most recently requested leaf */
	struct bob_user_key key;
	char name[BOB_EVENT_NAME_MAX + 8];
	struct bob_hook_word word[2 * BOB_EV_FIXED_WORDS];
};

static __thread struct view *view;

/* --- writing to memory --- */

static void *resize(void *ctx, void *old, size_t old_size, size_t size)
{
	(void)ctx;
	(void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

static const struct bob_alloc alloc = { resize, NULL };

struct bytes {
	uint8_t *at;
	uint64_t len, capacity, most;
	bob_status failed;
};

static void put(void *ctx, const void *bytes, size_t len)
{
	struct bytes *b = ctx;

	if (b->failed == BOB_OK && len > b->most - b->len)
		b->failed = BOB_ERR_FULL;
	if (b->failed == BOB_OK && len > b->capacity - b->len) {
		const uint64_t capacity = 2 * (b->len + len) + 4096;
		uint8_t *more = realloc(b->at, capacity);

		b->failed = more ? BOB_OK : BOB_ERR_NOMEM;
		b->at = more ? more : b->at;
		b->capacity = more ? capacity : b->capacity;
	}
	if (b->failed != BOB_OK || !len)
		return;
	memcpy(b->at + b->len, bytes, len);
	b->len += len;
}

void bob_ev_so_far_close(void)
{
	const uint32_t depth = bob_ev_depth;

	if (!view)
		return;
	bob_ev_depth = 1; /* functions called here may be hooked */
	bob_folded_close(view->folded);
	free(view);
	view = NULL;
	bob_ev_depth = depth;
}

/* --- description of a leaf --- */

static void name_mpi(struct view *v, uint64_t number, struct bob_hook_leaf *out)
{
	const struct bob_mpi_function *f =
		bob_ev_mpi && number < BOB_EV_USER ? bob_ev_mpi->function((uint32_t)number) : NULL;
	static const char prefix[] = "MPI_";
	size_t n = f ? strlen(f->name) : 0;

	if (n >= sizeof(v->name) - sizeof(prefix))
		n = sizeof(v->name) - sizeof(prefix);
	memcpy(v->name, prefix, sizeof(prefix));
	if (n)
		memcpy(v->name + sizeof(prefix) - 1, f->name, n);
	v->name[sizeof(prefix) - 1 + n] = 0;
	out->kind = BOB_HOOK_MPI;
	for (uint32_t i = 0; f && i < f->count && out->count < BOB_EV_FIXED_WORDS; i++) {
		const struct bob_mpi_param *p = &f->params[i];
		const uint8_t word = p->out != BOB_MPI_NOWHERE ? p->out : p->in;
		const uint32_t type = p->role == BOB_MPI_ROLE_DOUBLE ? BOB_ARG_DOUBLE : BOB_ARG_INT;

		if (word != BOB_MPI_NOWHERE)
			v->word[out->count++] = (struct bob_hook_word){ p->name, type, word };
	}
	if (f && f->result != BOB_MPI_NOWHERE)
		v->word[out->count++] = (struct bob_hook_word){ "result", BOB_ARG_INT, f->result };
}

static void name_user(struct view *v, enum bob_user_phase phase, struct bob_hook_leaf *out)
{
	const struct bob_user_key *k = &v->key;
	uint32_t from, to;

	memcpy(v->name, k->name, sizeof(k->name));
	out->kind = k->flags & BOB_EVENT_WRAPPER ? BOB_HOOK_FUNCTION : BOB_HOOK_CUSTOM;
	out->part = phase == BOB_USER_BEGIN ? BOB_PART_BEGIN :
		    phase == BOB_USER_END   ? BOB_PART_END :
					      BOB_PART_WHOLE;
	bob_user_range(k, phase, &from, &to);
	for (uint32_t i = from; i < to; i++)
		v->word[out->count++] = (struct bob_hook_word){ k->text + k->name_at[i], k->type[i],
								i - from };
}

static int leaf(const struct bob_so_far *s, uint32_t shape, struct bob_hook_leaf *out)
{
	struct view *v = (struct view *)(uintptr_t)s;
	struct bob_fold_shape sh;
	struct bob_event_def d;
	enum bob_user_phase phase;
	const uint8_t *at;
	uint64_t number;

	if (shape >= bob_folded_shapes(s->folded))
		return 0;
	bob_folded_shape(s->folded, shape, &sh);
	*out = (struct bob_hook_leaf){ .name = v->name, .parameter = v->word };
	v->name[0] = 0;
	if (bob_event_leaf_key(sh.key, sh.key_len, sh.words, &d) != BOB_OK) {
		out->part = BOB_PART_ELEMENT;
		return 1;
	}
	at = d.key;
	if (bob_user_decode(d.key, d.key_len, &v->key, &phase) == BOB_OK)
		name_user(v, phase, out);
	else if (bob_varint_get(&at, at + d.key_len, &number) == BOB_OK)
		name_mpi(v, number, out);
	return 1;
}

static uint64_t common_place(uint64_t place)
{
	const uint64_t key = bob_ev_agent->image_key((uint32_t)(place >> 48));

	return bob_hash_mix(key ^ (place & ((1ull << 48) - 1)));
}

/* --- interface for hooks --- */

static const struct bob_fold_reading reading = {
	.size = sizeof(reading),
	.events = bob_folded_events,
	.parts = bob_folded_parts,
	.shapes = bob_folded_shapes,
	.shape = bob_folded_shape,
	.path = bob_folded_path,
	.loops = bob_folded_loops,
	.body = bob_folded_body,
	.spine = bob_folded_spine,
	.pieces = bob_folded_pieces,
	.counts = bob_folded_counts,
	.pack = bob_folded_pack,
	.leaf = leaf,
	.common_place = common_place,
};

static bob_status open_view(struct bob_ev_thread *t, uint64_t bytes_most)
{
	struct bytes b = { .most = bytes_most };
	struct view *v = calloc(1, sizeof(*v));
	bob_status st = v ? bob_event_writer_so_far(t->writer, put, &b) : BOB_ERR_NOMEM;

	if (st == BOB_OK)
		st = b.failed;
	if (st == BOB_OK)
		st = bob_folded_open(b.at, b.len, 0, &alloc, &v->folded);
	free(b.at);
	if (st != BOB_OK) {
		free(v);
		return st;
	}
	v->public = (struct bob_so_far){ .size = sizeof(v->public),
					 .bytes = b.len,
					 .folded = v->folded,
					 .read = &reading };
	v->of = t;
	v->values = bob_event_writer_values(t->writer);
	view = v;
	return BOB_OK;
}

bob_status bob_ev_so_far(uint64_t bytes_most, const struct bob_so_far **out)
{
	struct bob_ev_thread *t = bob_ev_thread_now();
	const uint32_t depth = bob_ev_depth;
	bob_status st = BOB_OK;

	if (!bob_ev_is_in_hook())
		return BOB_ERR_INVAL;
	if (!t)
		return BOB_NONE;
	bytes_most = bytes_most ? bytes_most : BYTES_MOST;
	bob_ev_depth = 1;
	if (view && (view->of != t || view->values != bob_event_writer_values(t->writer)))
		bob_ev_so_far_close();
	if (!view)
		st = open_view(t, bytes_most);
	bob_ev_depth = depth;
	if (st == BOB_OK && view->public.bytes > bytes_most)
		st = BOB_ERR_FULL;
	if (st == BOB_OK)
		*out = &view->public;
	return st;
}
