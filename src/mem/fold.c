/* SPDX-License-Identifier: BSD-3-Clause */
/* Folding of memory records. Hot path: look up the shape by descriptor and path, then put the leaf;
 * consecutive records of one word and one descriptor are put as a row. Records with a stack pointer
 * or payload take the slow path, which also follows calls. When the folder runs out of shapes or
 * paths it restarts, and the paths of the open calls are created again. */
#include "mem/fold.h"

#include <string.h>

#include "base/varint.h"
#include "mem/waiting.h"

#define ROW_MAX 64u /* maximum row of records of one word and one descriptor */

struct call {
	uint64_t sp;		/* stack pointer before the call: the call has ended if sp is at or
				 * above it */
	uint64_t place;
	uint32_t before;	/* the path without this call */
};

/* The shapes of a descriptor in the path where it occurred last. */
struct known {
	uint32_t path;
	uint32_t shape;		/* shape number + 1; 0: unknown */
	/* words + 1 of a record without stack pointer and payload; 0: not known to be such a
	 * record */
	uint32_t plain;
	const struct bob_mem_desc *loop; /* descriptor with payload; NULL: not known to be such a
					  * record */
};

struct bob_mem_fold {
	struct bob_folder *folder;
	bob_mem_desc_fn desc;
	void *ctx;
	uint64_t within;
	struct bob_mem_window *window;	/* NULL: the order of records is kept */
	uint32_t path;
	uint32_t depth;
	uint32_t returned;	/* the last record of the slow path has ended a call */
	struct call call[BOB_MEM_FOLD_DEPTH];
	struct known known[BOB_MEM_FOLD_DESCS];
};

size_t bob_mem_fold_size(void)
{
	return sizeof(struct bob_mem_fold);
}

struct bob_mem_fold *bob_mem_fold_begin(void *mem, struct bob_folder *folder, bob_mem_desc_fn desc,
					void *ctx)
{
	struct bob_mem_fold *m = mem;

	m->folder = folder;
	m->desc = desc;
	m->ctx = ctx;
	return m;
}

void bob_mem_fold_tolerate(struct bob_mem_fold *m, uint64_t within)
{
	m->within = within;
}

void bob_mem_fold_unorder(struct bob_mem_fold *m, struct bob_mem_window *w)
{
	m->window = w;
}

/* --- calls --- */

/* Create the paths of the open calls again after the folder has restarted. */
static bob_status make_paths(struct bob_mem_fold *m)
{
	bob_status st = BOB_OK;

	m->path = BOB_FOLD_NO_PATH;
	for (uint32_t i = 0; i < m->depth && st == BOB_OK; i++) {
		m->call[i].before = m->path;
		st = bob_folder_path(m->folder, m->path, m->call[i].place, &m->path);
	}
	return st;
}

bob_status bob_mem_fold_again(struct bob_mem_fold *m)
{
	if (m->window)
		bob_mem_window_flush(m->window, m->folder); /* shape numbers change */
	bob_folder_again(m->folder);
	memset(m->known, 0, sizeof(m->known));
	return make_paths(m);
}

static bob_status enter(struct bob_mem_fold *m, const struct bob_mem_desc *d, uint64_t sp)
{
	uint64_t place = (uint64_t)d->image << 48 | (d->pc + d->last);
	struct call *c = &m->call[m->depth];
	bob_status st;

	if (m->depth == BOB_MEM_FOLD_DEPTH)
		return BOB_OK;
	*c = (struct call){ .sp = sp, .place = place, .before = m->path };
	m->depth++;
	st = bob_folder_path(m->folder, c->before, place, &m->path);
	return st == BOB_ERR_FULL ? bob_mem_fold_again(m) : st;
}

static void leave(struct bob_mem_fold *m, uint64_t sp)
{
	while (m->depth && m->call[m->depth - 1].sp <= sp) {
		m->path = m->call[--m->depth].before;
		m->returned = 1;
	}
}

/* Whether this piece follows the innermost call, whose callee (and its return) was not recorded.
 * With recursion it could also follow the call that entered the present function; then a return was
 * seen just before. */
static int goes_on(const struct bob_mem_fold *m, const struct bob_mem_desc *d)
{
	uint64_t site = m->call[m->depth - 1].place;

	return !m->returned && !(d->flow & BOB_MEM_ENTERS) && d->image == site >> 48 &&
	       d->pc - (site & 0xffffffffffffu) - 1 < BOB_MEM_INSN_MAX;
}

size_t bob_mem_fold_state(const struct bob_mem_fold *m, uint64_t *to)
{
	size_t n = 0;

	if (m->depth > BOB_MEM_STATE_DEPTH)
		return 0;
	to[n++] = m->returned;
	for (uint32_t i = 0; i < m->depth; i++) {
		to[n++] = m->call[i].sp;
		to[n++] = m->call[i].place;
	}
	return n;
}

bob_status bob_mem_fold_resume(struct bob_mem_fold *m, const uint64_t *state, size_t count)
{
	if (!(count & 1) || count > BOB_MEM_STATE_WORDS)
		return BOB_ERR_CORRUPT;
	m->returned = state[0] != 0;
	m->depth = (uint32_t)(count / 2);
	for (uint32_t i = 0; i < m->depth; i++)
		m->call[i] = (struct call){ .sp = state[1 + 2 * i], .place = state[2 + 2 * i] };
	return make_paths(m);
}

/* --- leaves --- */

/* Whether word `w` of the leaf is only used as an address: then the leaf can still be expanded if
 * the word deviates a little. */
static int is_address(const struct bob_mem_desc *d, uint32_t w)
{
	int found = 0;

	if (w == d->sp_word || (d->kind == BOB_MEM_LOOP && !d->payload && w == d->counter))
		return 0;
	for (uint32_t i = 0; d->kind == BOB_MEM_LOOP && i < d->words; i++)
		if (d->step[i].word == w)
			return 0;
	for (uint32_t i = 0; i < d->access_count; i++) {
		if (d->access[i].guard == w)
			return 0;
		found |= d->access[i].word == w;
	}
	return found;
}

static bob_status tolerate(struct bob_mem_fold *m, const struct bob_mem_desc *d, uint32_t shape)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < (uint32_t)d->words + d->payload && st == BOB_OK; i++)
		if (is_address(d, i))
			st = bob_folder_tolerate(m->folder, shape, i, m->within);
	return st;
}

static bob_status find_shape(struct bob_mem_fold *m, uint32_t number, uint32_t words,
			     uint32_t *shape)
{
	uint8_t key[BOB_VARINT_MAX];
	size_t len = bob_varint_put(key, number);
	bob_status st = bob_folder_shape(m->folder, key, len, m->path, words, shape);

	if (st == BOB_ERR_FULL) {
		st = bob_mem_fold_again(m);
		if (st == BOB_OK)
			st = bob_folder_shape(m->folder, key, len, m->path, words, shape);
	}
	if (st == BOB_OK && m->within)
		st = tolerate(m, m->desc(m->ctx, number), *shape);
	return st;
}

/* The shape of the descriptor in the present path, + 1. */
static bob_status know_shape(struct bob_mem_fold *m, uint32_t number, uint32_t words,
			     uint32_t *known)
{
	struct known *k = number < BOB_MEM_FOLD_DESCS ? &m->known[number] : NULL;
	bob_status st;

	if (__builtin_expect(k && k->path == m->path && k->shape, 1)) {
		*known = k->shape;
		return BOB_OK;
	}
	st = find_shape(m, number, words, known);
	++*known;
	if (st == BOB_OK && k) {
		k->path = m->path; /* find_shape may have changed the path */
		k->shape = *known;
	}
	return st;
}

/* Together with its header, identifies how a record of one word is folded: the present path. */
static inline uint64_t path_mark(const struct bob_mem_fold *m)
{
	return (uint64_t)m->path << 32;
}

/* Put one leaf for each iteration, with all its words. */
static void put_iterations(struct bob_mem_fold *m, uint32_t shape, const struct bob_mem_desc *d,
			   const uint64_t *word, size_t count)
{
	size_t payload = count - d->words;
	uint64_t step[BOB_MEM_WORDS_MAX];

	for (uint32_t w = 0; w < d->words; w++) {
		const struct bob_mem_step *s = &d->step[w];

		step[w] = (uint64_t)s->constant;
		if (s->word != BOB_MEM_NO_WORD)
			step[w] += s->scale * word[s->word];
	}
	/* avoids a division, which would take longer than a short row */
	bob_folder_put_row(m->folder, shape, word, step, d->words, word + d->words,
			   d->payload == 1 ? payload : payload / d->payload);
}

/* A record without accesses, and so not a leaf: it only updates the open calls. */
static bob_status report_calls(struct bob_mem_fold *m, const struct bob_mem_desc *d,
			       const uint64_t *word)
{
	uint64_t sp;

	if (d->sp_word == BOB_MEM_NO_WORD)
		return BOB_OK;
	sp = word[d->sp_word];
	if (d->flow & BOB_MEM_CALLS)
		return enter(m, d, sp + (uint64_t)(int64_t)d->sp_end);
	leave(m, sp + (uint64_t)(int64_t)d->sp_begin);
	return BOB_OK;
}

static bob_status put_record(struct bob_mem_fold *m, uint32_t number, const struct bob_mem_desc *d,
			     const uint64_t *word, size_t count)
{
	int iterates = d->kind == BOB_MEM_LOOP && d->payload, waits;
	uint32_t known;
	bob_status st;

	if (d->flow & BOB_MEM_PART && !d->access_count)
		return report_calls(m, d, word);
	if (d->sp_word != BOB_MEM_NO_WORD)
		leave(m, word[d->sp_word] + (uint64_t)(int64_t)d->sp_begin);
	if (m->depth && !(d->flow & BOB_MEM_PART) && goes_on(m, d))
		m->path = m->call[--m->depth].before;
	m->returned = 0;
	waits = m->window && bob_mem_window_takes(m->window, m->folder, d, word, count);
	st = know_shape(m, number, bob_mem_leaf_words(d), &known);
	if (st != BOB_OK)
		return st;
	if (iterates && waits)
		bob_mem_window_flush(m->window, m->folder);
	if (iterates)
		put_iterations(m, known - 1, d, word, count);
	else if (waits)
		bob_mem_window_put(m->window, m->folder, known - 1, number, d, word);
	else
		bob_folder_put(m->folder, known - 1, word);
	if (!m->window && d->sp_word == BOB_MEM_NO_WORD && number < BOB_MEM_FOLD_DESCS) {
		m->known[number].plain = iterates ? 0 : (uint32_t)count + 1;
		m->known[number].loop = iterates ? d : NULL;
	}
	if (d->flow & BOB_MEM_CALLS)
		st = enter(m, d, word[d->sp_word] + (uint64_t)(int64_t)d->sp_end);
	else if (d->flow & BOB_MEM_RETURNS) /* the return also pops the return address */
		leave(m, word[d->sp_word] + (uint64_t)(int64_t)d->sp_end + 8);
	return st;
}

/* A record of a loop with payload. Returns as put_plain. */
static size_t put_loop(struct bob_mem_fold *m, const struct known *k, const uint64_t *at,
		       const uint64_t *end)
{
	const struct bob_mem_desc *d = k->loop;
	size_t capacity = (size_t)(end - at) - 1, payload;

	if (capacity < d->words)
		return 0;
	payload = bob_mem_payload_count(at + 1 + d->words, capacity - d->words);
	if (d->payload > 1)
		payload -= payload % d->payload;
	put_iterations(m, k->shape - 1, d, at + 1, d->words + payload);
	return 1 + d->words + payload;
}

/* Put consecutive records of one word with the same header, at least BOB_FOLD_ROW_MIN: a loop in
 * which nothing else is recorded. Returns the words consumed, headers included. */
static size_t put_row(struct bob_mem_fold *m, const struct known *k, const uint64_t *at,
		      const uint64_t *end)
{
	const uint64_t header = *at;
	uint64_t word[ROW_MAX];
	size_t n = 0;

	while (n < ROW_MAX && end - at >= 2 && *at == header) {
		word[n++] = at[1];
		at += 2;
	}
	bob_folder_put_row(m->folder, k->shape - 1, NULL, NULL, 0, word, n);
	return 2 * n;
}

/* Whether this is the first of at least BOB_FOLD_ROW_MIN such records. Usually not. */
static inline int is_row(const uint64_t *at, const uint64_t *end)
{
	return end - at >= 2 * BOB_FOLD_ROW_MIN &&
	       ((at[2] == *at) & (at[2 * (BOB_FOLD_ROW_MIN - 1)] == *at));
}

/* Put a record of one word, and the following ones that the folder predicts. Returns the words
 * consumed, headers included. */
static inline size_t put_one(struct bob_mem_fold *m, const struct known *k, const uint64_t *at,
			     const uint64_t *end)
{
	bob_folder_mark(m->folder, k->shape - 1, *at | path_mark(m));
	bob_folder_put(m->folder, k->shape - 1, at + 1);
	return 2 + 2 * bob_folder_put_marked(m->folder, at + 2, (size_t)(end - at) / 2 - 1,
					     path_mark(m));
}

/* Put a record whose descriptor occurred before in this path. Returns the words of the record,
 * header included, or 0 if it must take the slow path. */
static size_t put_plain(struct bob_mem_fold *m, const uint64_t *at, const uint64_t *end, int open)
{
	const struct known *k;
	uint64_t number;

	if (at == end || !(*at & BOB_MEM_HEADER))
		return 0;
	number = *at & BOB_MEM_NUMBER;
	if (number >= BOB_MEM_FOLD_DESCS)
		return 0;
	k = &m->known[number];
	if (k->path != m->path || !k->shape)
		return 0;
	if (k->loop && !open)
		return put_loop(m, k, at, end);
	if (!k->plain || (size_t)(end - at) < k->plain)
		return 0;
	if (k->plain == 2)
		return is_row(at, end) ? put_row(m, k, at, end) : put_one(m, k, at, end);
	bob_folder_put(m->folder, k->shape - 1, at + 1);
	return k->plain;
}

bob_status bob_mem_fold_put(struct bob_mem_fold *m, const uint64_t *record, size_t count, int open,
			    size_t *used)
{
	const uint64_t *at = record, *end = record + count;
	bob_status st = BOB_OK;

	for (;;) {
		const struct bob_mem_desc *d;
		uint32_t number;
		size_t words = put_plain(m, at, end, open);

		if (words) {
			at += words;
			continue;
		}
		*used = (size_t)(at - record);
		if (at == end || (open && !*at))
			return BOB_OK;
		number = (uint32_t)*at & BOB_MEM_NUMBER;
		d = *at & BOB_MEM_HEADER ? m->desc(m->ctx, number) : NULL;
		if (!d)
			return BOB_ERR_CORRUPT;
		st = bob_mem_record_count(d, at + 1, (size_t)(end - at) - 1, open, &words);
		if (st == BOB_OK)
			st = words > BOB_MEM_RECORD_MAX ? BOB_ERR_CORRUPT :
							  put_record(m, number, d, at + 1, words);
		if (st != BOB_OK)
			return st;
		at += 1 + words;
	}
}
