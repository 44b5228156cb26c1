/* SPDX-License-Identifier: BSD-3-Clause */
/* Applies a plug-in that may change the same event of several participants. Participants with the
 * same sequence of shapes, found by a hash and checked during expansion, are expanded together. */
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "fold/folded.h"
#include "fold/refold.h"

struct member {
	struct bob_fold_cursor *cursor;
	struct bob_refold refold;
	int folding;			/* `refold` must be freed */
	uint64_t words[BOB_FOLD_WORDS_MAX];
};

struct plug {
	const struct bob_folded *f;
	const struct bob_fold_plugin *plugin;
	struct bob_alloc alloc;
	uint32_t count;
	uint64_t *sequence;		/* hash of the sequence of shapes, by participant */
	struct bob_folded **part;	/* by participant */
	struct member *member;		/* of the current class */
	uint64_t *id, **word;
	uint32_t sequence_capacity, part_capacity, member_capacity, id_capacity, word_capacity;
};

static bob_status hash_events(const struct bob_folded *f, uint32_t participant, uint64_t *hash)
{
	struct bob_fold_event event;
	struct bob_fold_cursor *c;
	bob_status st = bob_fold_cursor_open(f, participant, &c);

	if (st != BOB_OK)
		return st;
	for (*hash = 1; (st = bob_fold_cursor_next(c, &event)) == BOB_OK;)
		*hash = bob_hash_mix(*hash + event.shape + 1);
	bob_fold_cursor_close(c);
	return st == BOB_END ? BOB_OK : st;
}

/* Processes the next event of all `n` members. BOB_ERR_CORRUPT: their sequences differ. */
static bob_status step(struct plug *p, uint32_t n)
{
	uint32_t first = 0;
	struct bob_fold_shape shape;

	for (uint32_t i = 0; i < n; i++) {
		struct bob_fold_event event;
		bob_status st = bob_fold_cursor_next(p->member[i].cursor, &event);

		if (st == BOB_END && !i)
			return st;
		if (st == BOB_END || (st == BOB_OK && i && event.shape != first))
			return BOB_ERR_CORRUPT;
		if (st != BOB_OK)
			return st;
		first = event.shape;
		memcpy(p->word[i], event.word, event.words * sizeof(*event.word));
	}
	bob_folded_shape(p->f, first, &shape);
	if (n > 1 && p->plugin->merge)
		p->plugin->merge(p->plugin->ctx, &shape, p->id, p->word, n);
	for (uint32_t i = 0; i < n; i++) {
		bob_status st = bob_refold_put(&p->member[i].refold, first, p->word[i]);

		if (st != BOB_OK)
			return st;
	}
	return BOB_OK;
}

/* `number` lists the participants of a class. */
static bob_status plug_class(struct plug *p, const uint32_t *number, uint32_t n)
{
	bob_status st = BOB_OK;

	memset(p->member, 0, n * sizeof(*p->member));
	for (uint32_t i = 0; i < n && st == BOB_OK; i++) {
		struct member *m = &p->member[i];

		p->id[i] = bob_folded_id(p->f, number[i]);
		p->word[i] = m->words;
		st = bob_fold_cursor_open(p->f, number[i], &m->cursor);
		if (st == BOB_OK)
			st = bob_refold_begin(&m->refold, p->f, &p->alloc);
		m->folding = st == BOB_OK;
	}
	while (st == BOB_OK)
		st = step(p, n);
	st = st == BOB_END ? BOB_OK : st;
	for (uint32_t i = 0; i < n; i++) {
		if (st == BOB_OK)
			st = bob_refold_end(&p->member[i].refold, p->id[i], &p->part[number[i]]);
		bob_fold_cursor_close(p->member[i].cursor);
		if (p->member[i].folding)
			bob_refold_free(&p->member[i].refold);
	}
	return st;
}

static bob_status plug_all(struct plug *p, uint32_t *number)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < p->count && st == BOB_OK; i++)
		st = hash_events(p->f, i, &p->sequence[i]);
	for (uint32_t i = 0; i < p->count && st == BOB_OK; i++) {
		uint32_t n = 0;

		if (p->part[i])
			continue;
		for (uint32_t k = i; k < p->count; k++)
			if (!p->part[k] && p->sequence[k] == p->sequence[i])
				number[n++] = k;
		st = plug_class(p, number, n);
	}
	return st;
}

static int reserve(struct plug *p, uint32_t **number, uint32_t *capacity)
{
	const struct bob_alloc *a = &p->alloc;
	size_t n = p->count + 1ull;

	return bob_array_grow(a, &p->sequence, &p->sequence_capacity, 0, n, sizeof(*p->sequence)) &&
	       bob_array_grow(a, &p->part, &p->part_capacity, 0, n, sizeof(struct bob_folded *)) &&
	       bob_array_grow(a, &p->member, &p->member_capacity, 0, n, sizeof(*p->member)) &&
	       bob_array_grow(a, &p->id, &p->id_capacity, 0, n, sizeof(*p->id)) &&
	       bob_array_grow(a, &p->word, &p->word_capacity, 0, n, sizeof(uint64_t *)) &&
	       bob_array_grow(a, number, capacity, 0, n, sizeof(**number));
}

bob_status bob_folded_plug(const struct bob_folded *f, const struct bob_fold_plugin *plugin,
			   const struct bob_alloc *alloc, struct bob_folded **out)
{
	struct plug p = { .f = f, .plugin = plugin, .alloc = *alloc,
			  .count = bob_folded_count(f) };
	uint32_t *number = NULL, capacity = 0;
	struct bob_folded *all = NULL;
	bob_status st = BOB_ERR_NOMEM;

	if (plugin->version != BOB_FOLD_PLUGIN_VERSION || plugin->size < sizeof(*plugin) ||
	    !p.count)
		return BOB_ERR_INVAL;
	if (reserve(&p, &number, &capacity)) {
		memset(p.part, 0, (p.count + 1ull) * sizeof(*p.part));
		st = plug_all(&p, number);
		if (st == BOB_OK)
			st = bob_refold_unite(p.part, p.count, alloc, &all);
		else
			for (uint32_t i = 0; i < p.count; i++)
				bob_folded_close(p.part[i]);
	}
	bob_array_free(alloc, p.sequence, p.sequence_capacity, sizeof(*p.sequence));
	bob_array_free(alloc, p.part, p.part_capacity, sizeof(*p.part));
	bob_array_free(alloc, p.member, p.member_capacity, sizeof(*p.member));
	bob_array_free(alloc, p.id, p.id_capacity, sizeof(*p.id));
	bob_array_free(alloc, p.word, p.word_capacity, sizeof(*p.word));
	bob_array_free(alloc, number, capacity, sizeof(*number));
	if (st == BOB_OK)
		*out = all;
	return st;
}
