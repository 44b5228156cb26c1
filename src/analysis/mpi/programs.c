/* SPDX-License-Identifier: BSD-3-Clause */
/* Folds the calls of each thread again with common names, and groups threads with equal loops. */
#include "analysis/mpi/programs.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/vectors.h"
#include "archive/events/user_functions.h"
#include "archive/folds.h"
#include "base/host/bytes.h"
#include "base/host/vec.h"

#define KEY_BYTES 8u		/* u16 function, u8 open, u8 0, u32 path */
#define SHAPES 8192u		/* cache of a thread's shapes; a power of two */
#define FRONT UINT32_MAX

struct group {
	BOB_VEC(const struct bob_mpi_program *) members;
};

struct bob_mpi_programs {
	const struct bob_trace *trace;
	struct bob_mpi_places *places;
	struct bob_mpi_vectors *vectors;
	struct bob_mpi_program *program;
	uint32_t count;
	struct group *group;
	uint32_t groups;
};

/* --- folding one thread --- */

struct known {
	uint64_t key;		/* key + 1 */
	uint32_t shape;
};

struct folding {
	struct bob_mpi_programs *all;
	struct bob_folder *folder;
	struct bob_bytes bytes;
	struct known known[SHAPES];
	uint64_t word[BOB_FOLD_WORDS_MAX];
};

static bob_status make_shape(struct folding *f, uint64_t key, uint32_t words, uint32_t *shape)
{
	bob_status st =
		bob_folder_shape(f->folder, &key, KEY_BYTES, BOB_FOLD_NO_PATH, words, shape);

	if (st != BOB_ERR_FULL)
		return st;
	bob_folder_again(f->folder);
	memset(f->known, 0, sizeof(f->known));
	return bob_folder_shape(f->folder, &key, KEY_BYTES, BOB_FOLD_NO_PATH, words, shape);
}

static bob_status shape_of(struct folding *f, uint64_t key, uint32_t words, uint32_t *shape)
{
	struct known *k = &f->known[key * 0x9e3779b97f4a7c15u >> 51];
	bob_status st = BOB_OK;

	if (k->key != key + 1) {
		st = make_shape(f, key, words, &k->shape);
		k->key = st == BOB_OK ? key + 1 : 0;
	}
	*shape = k->shape;
	return st;
}

static bob_status put(struct folding *f, uint32_t process, const struct bob_mpi_call *c)
{
	const struct bob_value_event *e = &c->event;
	uint32_t path = bob_mpi_places_path(f->all->places, process, e->place, e->depth), shape;
	uint64_t key = c->function->number | (uint64_t)(e->open != 0) << 16 | (uint64_t)path << 32;
	bob_status st = shape_of(f, key, e->words + e->vectors, &shape);

	if (st != BOB_OK)
		return st;
	memcpy(f->word, e->word, e->words * sizeof(*e->word));
	for (uint32_t i = 0; i < e->vectors; i++)
		f->word[e->words + i] = bob_mpi_vectors_number(
			f->all->vectors, e->vector[i].at, e->vector[i].count * e->vector[i].words);
	bob_folder_put(f->folder, shape, f->word);
	return BOB_OK;
}

static bob_status fold_calls(struct folding *f, struct bob_mpi_program *p, struct bob_mpi_reader *r,
			     struct bob_error *err)
{
	uint32_t process = bob_trace_thread(f->all->trace, p->thread)->process;
	struct bob_mpi_call c;
	bob_status st;

	while ((st = bob_mpi_reader_next(r, &c, err)) == BOB_OK || st == BOB_ERR_CORRUPT) {
		if (st == BOB_ERR_CORRUPT) {
			p->damaged = 1;
			continue;
		}
		st = put(f, process, &c);
		if (st != BOB_OK)
			return st;
		p->calls++;
		p->damaged |= c.event.lost;
		p->open = c.event.open;
	}
	return st == BOB_END ? BOB_OK : st;
}

static bob_status fold_thread(struct bob_mpi_programs *all, struct bob_mpi_program *p, void *mem,
			      struct bob_error *err)
{
	struct folding *f = calloc(1, sizeof(*f));
	struct bob_mpi_reader *r = NULL;
	struct bob_folded *folded;
	bob_status st = f ? bob_mpi_reader_open(all->trace, p->thread, &r, err) : BOB_ERR_NOMEM;

	if (st == BOB_OK) {
		f->all = all;
		f->folder = bob_folder_begin(mem, bob_bytes_take, &f->bytes);
		st = fold_calls(f, p, r, err);
	}
	if (st == BOB_OK) {
		bob_folder_end(f->folder);
		st = f->bytes.failed ? BOB_ERR_NOMEM :
				       bob_folded_open(f->bytes.at, f->bytes.len, p->thread,
						       &bob_alloc_malloc, &folded);
	}
	if (st == BOB_OK)
		p->folded = folded;
	bob_mpi_reader_close(r);
	if (f)
		bob_bytes_free(&f->bytes);
	free(f);
	return st;
}

/* --- grouping --- */

static int same_items(const uint32_t *a, uint32_t a_len, const uint32_t *b, uint32_t b_len)
{
	return a_len == b_len && (!a_len || !memcmp(a, b, a_len * sizeof(*a)));
}

static int same_tables(const struct bob_folded *a, const struct bob_folded *b)
{
	struct bob_fold_shape x, y;
	uint32_t n = bob_folded_shapes(a), loops = bob_folded_loops(a), x_len, y_len;

	if (bob_folded_shapes(b) != n || bob_folded_loops(b) != loops)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		bob_folded_shape(a, i, &x);
		bob_folded_shape(b, i, &y);
		if (x.key_len != y.key_len || memcmp(x.key, y.key, x.key_len) != 0)
			return 0;
	}
	for (uint32_t i = 0; i < loops; i++) {
		const uint32_t *of_a = bob_folded_body(a, i, &x_len);
		const uint32_t *of_b = bob_folded_body(b, i, &y_len);

		if (!same_items(of_a, x_len, of_b, y_len))
			return 0;
	}
	return 1;
}

struct spine {
	uint64_t hash, items;
};

static int hash_item(void *ctx, uint32_t item)
{
	struct spine *s = ctx;

	s->hash = (s->hash ^ item) * 0x9e3779b97f4a7c15u;
	s->hash ^= s->hash >> 31;
	s->items++;
	return 0;
}

/* Compares spines by a 64-bit hash, because they may be long. */
static struct spine spine_of(const struct bob_folded *f)
{
	struct spine s = { 1, 0 };

	for (uint32_t part = 0; part < bob_folded_parts(f, 0); part++) {
		(void)hash_item(&s, FRONT);
		(void)bob_folded_spine(f, 0, part, hash_item, &s);
	}
	return s;
}

static int is_same(const struct bob_mpi_program *a, const struct bob_mpi_program *b)
{
	struct spine x, y;

	if (a->open != b->open || a->damaged != b->damaged || !same_tables(a->folded, b->folded))
		return 0;
	x = spine_of(a->folded);
	y = spine_of(b->folded);
	return x.hash == y.hash && x.items == y.items;
}

static bob_status put_in_group(struct bob_mpi_programs *p, const struct bob_mpi_program *one)
{
	uint32_t i = 0;

	while (i < p->groups && !is_same(p->group[i].members.at[0], one))
		i++;
	if (BOB_VEC_ADD(&p->group[i].members, one))
		return BOB_ERR_NOMEM;
	p->groups += i == p->groups;
	return BOB_OK;
}

/* --- all threads --- */

static bob_status fold_all(struct bob_mpi_programs *p, const uint32_t *threads, uint32_t count,
			   struct bob_error *err)
{
	size_t size = bob_folder_size();

	for (uint32_t i = 0; i < count; i++) {
		uint32_t process = bob_trace_thread(p->trace, threads[i])->process;
		int32_t rank = bob_trace_process(p->trace, process)->rank;
		struct bob_mpi_program *one = &p->program[p->count];
		void *mem = bob_folder_map(size);
		bob_status st = BOB_ERR_NOMEM;

		*one = (struct bob_mpi_program){ .trace = p->trace,
						 .thread = threads[i],
						 .rank = rank < 0 ? ~0u : (uint32_t)rank };
		if (mem)
			st = fold_thread(p, one, mem, err);
		bob_folder_unmap(mem, size);
		if (st == BOB_NONE)
			continue;
		if (st != BOB_OK)
			return st;
		p->count++;
		st = put_in_group(p, one);
		if (st != BOB_OK)
			return st;
	}
	return BOB_OK;
}

bob_status bob_mpi_programs_create(const struct bob_trace *t, const uint32_t *threads,
				   uint32_t count, struct bob_mpi_programs **out,
				   struct bob_error *err)
{
	struct bob_mpi_programs *p = calloc(1, sizeof(*p));
	bob_status st = BOB_ERR_NOMEM;

	if (!p)
		return st;
	p->trace = t;
	p->program = calloc(count + 1u, sizeof(*p->program));
	p->group = calloc(count + 1u, sizeof(*p->group));
	p->vectors = bob_mpi_vectors_create();
	if (p->program && p->group && p->vectors)
		st = bob_mpi_places_create(t, &p->places);
	if (st == BOB_OK)
		st = fold_all(p, threads, count, err);
	if (st != BOB_OK) {
		bob_mpi_programs_destroy(p);
		return st;
	}
	*out = p;
	return BOB_OK;
}

void bob_mpi_programs_destroy(struct bob_mpi_programs *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->groups; i++)
		BOB_VEC_FREE(&p->group[i].members);
	for (uint32_t i = 0; p->program && i < p->count; i++)
		bob_folded_close((struct bob_folded *)(uintptr_t)p->program[i].folded);
	free(p->group);
	free(p->program);
	bob_mpi_places_destroy(p->places);
	bob_mpi_vectors_destroy(p->vectors);
	free(p);
}

uint32_t bob_mpi_programs_groups(const struct bob_mpi_programs *p)
{
	return p->groups;
}

const struct bob_mpi_program *const *bob_mpi_programs_group(const struct bob_mpi_programs *p,
							    uint32_t group, uint32_t *count)
{
	*count = (uint32_t)p->group[group].members.count;
	return p->group[group].members.at;
}

int bob_mpi_programs_leaf(const struct bob_mpi_program *program, uint32_t shape,
			  struct bob_mpi_leaf *out)
{
	struct bob_fold_shape s;
	uint64_t key;

	if (shape >= bob_folded_shapes(program->folded))
		return 0;
	bob_folded_shape(program->folded, shape, &s);
	if (s.key_len != KEY_BYTES)
		return 0;
	memcpy(&key, s.key, sizeof(key));
	out->function =
		bob_event_function_of(bob_archive_user_functions(program->trace), (uint16_t)key);
	out->open = (key >> 16 & 1) != 0;
	out->path = (uint32_t)(key >> 32);
	return out->function != NULL;
}

const uint64_t *bob_mpi_programs_vector(const struct bob_mpi_programs *p, uint64_t number,
					uint64_t *count)
{
	return bob_mpi_vectors_get(p->vectors, number, count);
}

const struct bob_mpi_places *bob_mpi_programs_places(const struct bob_mpi_programs *p)
{
	return p->places;
}
