/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes the accesses of a trace to the simulation, threads in the order of analysis/interleave. A
 * hash table assigns sites to program counters in order of appearance. The function of a site is
 * looked up once, in the process's functions sorted by address. */
#include <stdlib.h>
#include <string.h>

#include "analysis/cache/folded.h"
#include "analysis/cache/replay.h"
#include "analysis/cache/variables.h"
#include "analysis/interleave/interleave.h"
#include "analysis/interleave/turns.h"
#include "archive/reader.h"
#include "base/hash.h"

#define SITES_FIRST 1024u
#define DESCS_KNOWN (1u << 20)	/* further descriptors get new sites for each shape */
#define NO_ID 0xffffffffu

BOB_STATIC_ASSERT((int)BOB_CACHE_LOAD == (int)BOB_ACCESS_LOAD &&
			  (int)BOB_CACHE_STORE == (int)BOB_ACCESS_STORE &&
			  (int)BOB_CACHE_ATOMIC == (int)BOB_ACCESS_ATOMIC,
		  "kinds of accesses have the same numbers");

struct replay {
	struct bob_cache_replay result; /* first member: bob_cache_replay_destroy casts */
	struct bob_cache_place *place;
	uint32_t *slot;		/* hash table: site + 1; size 2 * capacity */
	uint32_t capacity;
	const struct bob_functions *functions;
	const struct bob_trace *trace;
	uint32_t process, count;
	struct bob_turns *turns;
	BOB_VEC(uint32_t) first_site; /* by descriptor: first site + 1 */
	int by_variable;
	struct bob_cache_variables variables;
	struct bob_stack_range *stack; /* by thread */
	uint32_t folded_thread;	/* the thread whose nests are simulated */
};

/* --- sites --- */

static uint32_t *slot_of(const struct replay *r, uint32_t image, uint64_t pc, uint32_t variable)
{
	uint64_t h = bob_hash_mix(pc ^ (uint64_t)image << 48 ^ (uint64_t)variable << 32);
	uint32_t s = (uint32_t)h & (2 * r->capacity - 1);

	while (r->slot[s] &&
	       (r->place[r->slot[s] - 1].pc != pc || r->place[r->slot[s] - 1].image != image ||
		r->place[r->slot[s] - 1].variable != variable))
		s = (s + 1) & (2 * r->capacity - 1);
	return &r->slot[s];
}

static bob_status grow(struct replay *r)
{
	uint32_t capacity = r->capacity ? 2 * r->capacity : SITES_FIRST;
	struct bob_cache_place *place = realloc(r->place, capacity * sizeof(*place));
	uint32_t *slot;
	bob_status st;

	if (!place)
		return BOB_ERR_NOMEM;
	r->place = place;
	st = bob_cache_more_sites(r->result.cache, capacity);
	if (st != BOB_OK)
		return st == BOB_ERR_INVAL ? BOB_ERR_FULL : st;
	slot = calloc((size_t)capacity * 2, sizeof(*slot));
	if (!slot)
		return BOB_ERR_NOMEM;
	free(r->slot);
	r->slot = slot;
	r->capacity = capacity;
	for (uint32_t i = 0; i < r->result.sites; i++)
		*slot_of(r, place[i].image, place[i].pc, place[i].variable) = i + 1;
	return BOB_OK;
}

static void add_place(struct replay *r, uint32_t image, uint64_t pc, uint32_t variable)
{
	struct bob_function_info fn;
	uint32_t id = NO_ID;

	if (bob_trace_function_at(r->trace, r->process, image, pc, &fn) == BOB_OK)
		id = fn.id;
	r->place[r->result.sites++] = (struct bob_cache_place){
		pc, image, id, bob_functions_number(r->functions, r->process, id), variable
	};
}

static bob_status find_site(struct replay *r, uint32_t image, uint64_t pc, uint32_t variable,
			    uint32_t *site)
{
	uint32_t *slot = slot_of(r, image, pc, variable);

	if (!*slot) {
		if (r->result.sites == r->capacity) {
			bob_status st = grow(r);

			if (st != BOB_OK)
				return st;
			slot = slot_of(r, image, pc, variable);
		}
		add_place(r, image, pc, variable);
		*slot = r->result.sites;
	}
	*site = *slot - 1;
	return BOB_OK;
}

static bob_status site_of(struct replay *r, uint32_t thread, const struct bob_access *a,
			  uint32_t *site)
{
	uint32_t variable = BOB_CACHE_NO_VARIABLE;

	if (r->by_variable)
		variable = bob_cache_variable(&r->variables, a->image, a->pc, a->type,
					      &r->stack[thread], a->address, a->address + a->size);
	return r->variables.failed ? BOB_ERR_NOMEM : find_site(r, a->image, a->pc, variable, site);
}

/* --- threads --- */

/* Simulates accesses of the selected thread `number`. */
static bob_status simulate(struct replay *r, uint32_t number, const struct bob_access *access,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct bob_access *from = &access[i];
		struct bob_cache_access a = { from->address, number, 0, from->size, from->type };
		bob_status st = site_of(r, number, from, &a.site);

		if (st == BOB_OK)
			st = bob_cache_access(r->result.cache, &a);
		if (st != BOB_OK)
			return st == BOB_ERR_INVAL ? BOB_ERR_CORRUPT : st;
		r->result.lost += (from->flags & BOB_ACCESS_LOST) != 0;
	}
	return BOB_OK;
}

/* Skips damage and reports it at the end. */
static bob_status run(struct replay *r, struct bob_error *err)
{
	const struct bob_access *access;
	bob_status st, damage = BOB_OK;
	uint32_t number;
	size_t count;

	while ((st = bob_turns_next(r->turns, &number, &access, &count,
				    damage == BOB_OK ? err : NULL)) != BOB_END) {
		if (st == BOB_ERR_CORRUPT) {
			damage = st;
			continue;
		}
		if (st == BOB_OK)
			st = simulate(r, number, access, count);
		if (st != BOB_OK)
			return st;
	}
	r->result.forced = bob_turns_forced(r->turns);
	return damage;
}

/* --- a single folded thread --- */

static const struct bob_mem_desc *find_desc(void *ctx, uint32_t number)
{
	const struct replay *r = ctx;

	return bob_desc_find(r->trace->processes[r->process], number);
}

static uint64_t bias_of(void *ctx, const struct bob_mem_desc *desc)
{
	const struct replay *r = ctx;

	return bob_desc_bias(r->trace->processes[r->process], desc);
}

static bob_status sites_of(void *ctx, uint32_t number, const struct bob_mem_desc *desc,
			   uint32_t *first)
{
	struct replay *r = ctx;

	if (number < DESCS_KNOWN && BOB_VEC_REACH(&r->first_site, number + 1u))
		return BOB_ERR_NOMEM;
	if (number < DESCS_KNOWN && r->first_site.at[number]) {
		*first = r->first_site.at[number] - 1;
		return BOB_OK;
	}
	*first = r->result.sites;
	for (uint32_t i = 0; i < desc->access_count; i++) {
		bob_status st = r->result.sites == r->capacity ? grow(r) : BOB_OK;

		if (st != BOB_OK)
			return st;
		add_place(r, bob_desc_image(r->trace->processes[r->process], desc),
			  desc->pc + desc->access[i].pc, BOB_CACHE_NO_VARIABLE);
	}
	if (number < DESCS_KNOWN)
		r->first_site.at[number] = *first + 1;
	return BOB_OK;
}

static bob_status vary(void *ctx, uint8_t type, uint64_t lo, uint64_t hi, uint32_t *site)
{
	struct replay *r = ctx;
	const struct bob_cache_place p = r->place[*site];
	uint32_t v = bob_cache_variable(&r->variables, p.image, p.pc, type,
					&r->stack[r->folded_thread], lo, hi);

	if (r->variables.failed)
		return BOB_ERR_NOMEM;
	return v == BOB_CACHE_NO_VARIABLE ? BOB_NONE : find_site(r, p.image, p.pc, v, site);
}

/* BOB_NONE: not possible, and nothing was simulated. */
static bob_status run_folded(struct replay *r, const uint32_t *threads, struct bob_error *err)
{
	const struct bob_cache_records from = { find_desc, bias_of, sites_of,
						r->by_variable ? vary : NULL, r };
	const struct bob_stream *s;
	uint32_t i = 0;
	bob_status st;

	if (r->result.threads != 1)
		return BOB_NONE;
	while (!bob_turns_has(r->turns, i))
		i++;
	r->folded_thread = i;
	s = r->trace->threads[threads[i]];
	if (!s->folded || s->raw_count)
		return BOB_NONE;
	st = bob_cache_folded(r->result.cache, i, s->folded, s->participant, &from,
			      &r->result.lost);
	if (st == BOB_NONE)
		r->result.sites = 0;
	if (st == BOB_ERR_CORRUPT && err)
		*err = (struct bob_error){ .code = st,
					   .text = "folded memory records are not what they say" };
	return st;
}

static bob_status prepare_variables(struct replay *r, const uint32_t *threads)
{
	r->stack = calloc(r->count, sizeof(*r->stack));
	if (!r->stack || bob_cache_variables_init(&r->variables, r->trace, r->process))
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < r->count; i++)
		bob_stack_range_of(r->trace, threads[i], &r->stack[i]);
	return BOB_OK;
}

static bob_status prepare(struct replay *r, const uint32_t *threads,
			  const struct bob_cache_config *config, struct bob_error *err)
{
	struct bob_cache_options o = { .size = sizeof(o), .threads = r->count };
	bob_status st = bob_cache_create(config, &o, &r->result.cache);

	if (st == BOB_OK)
		st = grow(r);
	if (st == BOB_OK)
		st = bob_turns_open(r->trace, threads, r->count, r->result.quantum, &r->turns, err);
	for (uint32_t i = 0; st == BOB_OK && i < r->count; i++)
		r->result.threads += bob_turns_has(r->turns, i) != 0;
	return st;
}

bob_status bob_cache_replay_create(const struct bob_functions *f, const struct bob_trace *t,
				   uint32_t process, const uint32_t *threads, uint32_t count,
				   const struct bob_cache_config *config,
				   const struct bob_cache_replay_options *options,
				   struct bob_cache_replay **out, struct bob_error *err)
{
	struct replay *r;
	bob_status st;

	if (!count || count > BOB_CACHE_THREADS_MAX || !bob_trace_process(t, process))
		return BOB_ERR_INVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return BOB_ERR_NOMEM;
	r->functions = f;
	r->trace = t;
	r->process = process;
	r->count = count;
	r->result.quantum = options->quantum ? options->quantum : BOB_INTERLEAVE_QUANTUM;
	r->by_variable = options->variables;
	st = options->variables ? prepare_variables(r, threads) : BOB_OK;
	if (st == BOB_OK)
		st = prepare(r, threads, config, err);
	if (st == BOB_OK) {
		st = options->one_by_one ? BOB_NONE : run_folded(r, threads, err);
		if (st == BOB_NONE)
			st = run(r, err);
	}
	bob_turns_close(r->turns);
	free(r->slot);
	BOB_VEC_FREE(&r->first_site);
	if (st != BOB_OK && st != BOB_ERR_CORRUPT) {
		bob_cache_replay_destroy(&r->result);
		return st;
	}
	r->result.places = r->place;
	r->result.variables = r->variables.at;
	*out = &r->result;
	return st;
}

void bob_cache_replay_destroy(struct bob_cache_replay *result)
{
	struct replay *r = (struct replay *)(void *)result;

	if (!r)
		return;
	bob_cache_destroy(r->result.cache);
	bob_cache_variables_free(&r->variables);
	free(r->stack);
	free(r->place);
	free(r);
}
