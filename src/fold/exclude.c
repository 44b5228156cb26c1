/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of events: expands each participant, folds the selected events, and merges the
 * results. */
#include <string.h>

#include "fold/folded.h"
#include "fold/refold.h"

bob_status bob_folded_spread(const struct bob_folded *f, const uint32_t *group, uint32_t *count)
{
	const struct bob_tables *t = &f->tables;
	const struct bob_alloc *a = &t->blocks.alloc;
	uint64_t *times = NULL;
	uint32_t capacity = 0, *seen = NULL, seen_capacity = 0;
	bob_status st = BOB_OK;

	memset(count, 0, t->shape_count * sizeof(*count));
	if (!bob_array_grow(a, &times, &capacity, 0, (size_t)t->shape_count + t->loop_count + 1,
			    sizeof(*times)) ||
	    !bob_array_grow(a, &seen, &seen_capacity, 0, t->shape_count + 1, sizeof(*seen)))
		st = BOB_ERR_NOMEM;
	else
		memset(seen, 0, t->shape_count * sizeof(*seen));
	for (uint32_t p = 0; p < bob_folded_count(f) && st == BOB_OK; p++)
		for (uint32_t k = 0; k < bob_folded_parts(f, p) && st == BOB_OK; k++) {
			st = bob_folded_counts(f, p, k, times, times + t->shape_count);
			for (uint32_t i = 0; i < t->shape_count && st == BOB_OK; i++) {
				const uint32_t g = group ? group[i] : i;

				if (times[i] && seen[g] != p + 1) {
					seen[g] = p + 1;
					count[g]++;
				}
			}
		}
	bob_array_free(a, times, capacity, sizeof(*times));
	bob_array_free(a, seen, seen_capacity, sizeof(*seen));
	return st;
}

static bob_status select_of(const struct bob_folded *f, uint32_t participant, struct bob_refold *r,
			    int (*keep)(void *ctx, uint32_t participant,
					const struct bob_fold_event *event),
			    void *ctx, struct bob_folded **out)
{
	struct bob_fold_event event;
	struct bob_fold_cursor *c;
	bob_status st = bob_fold_cursor_open(f, participant, &c);

	if (st != BOB_OK)
		return st;
	while ((st = bob_fold_cursor_next(c, &event)) == BOB_OK) {
		if (!keep(ctx, participant, &event))
			continue;
		st = bob_refold_put(r, event.shape, event.word);
		if (st != BOB_OK)
			break;
	}
	bob_fold_cursor_close(c);
	return st == BOB_END ? bob_refold_end(r, bob_folded_id(f, participant), out) : st;
}

bob_status bob_folded_select(const struct bob_folded *f,
			     int (*keep)(void *ctx, uint32_t participant,
					 const struct bob_fold_event *event),
			     void *ctx, const struct bob_alloc *alloc, struct bob_folded **out)
{
	uint32_t count = bob_folded_count(f), capacity = 0;
	struct bob_folded **part = NULL, *all = NULL;
	struct bob_refold r;
	bob_status st = bob_refold_begin(&r, f, alloc);

	if (st != BOB_OK)
		return st;
	if (!bob_array_grow(alloc, &part, &capacity, 0, (size_t)count + 1,
			    sizeof(struct bob_folded *))) {
		bob_refold_free(&r);
		return BOB_ERR_NOMEM;
	}
	memset(part, 0, (count + 1ull) * sizeof(*part));
	for (uint32_t i = 0; i < count && st == BOB_OK; i++)
		st = select_of(f, i, &r, keep, ctx, &part[i]);
	bob_refold_free(&r);
	if (st == BOB_OK)
		st = bob_refold_unite(part, count, alloc, &all);
	else
		for (uint32_t i = 0; i < count; i++)
			bob_folded_close(part[i]);
	bob_array_free(alloc, part, capacity, sizeof(*part));
	if (st == BOB_OK && !all)
		return BOB_ERR_INVAL;	/* no participant is selected */
	if (st == BOB_OK)
		*out = all;
	return st;
}
