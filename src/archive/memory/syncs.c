/* SPDX-License-Identifier: BSD-3-Clause */
/* Meaning of marks of synchronisation and of events. One number identifies the sequence that orders
 * them: the place of a turn, or group and object. */
#include "archive/reader.h"
#include "mem/sync.h"

BOB_STATIC_ASSERT((int)BOB_SYNC_ORDER_TURN == (int)BOB_SYNC_TURN &&
			  (int)BOB_SYNC_ORDER_GIVE == (int)BOB_SYNC_GIVE &&
			  (int)BOB_SYNC_ORDER_AWAIT == (int)BOB_SYNC_AWAIT,
		  "rules have the same numbers");

/* Addresses are below 2^61. Larger objects, in a damaged trace, may collide. */
static uint64_t order_of(uint32_t group, uint64_t object)
{
	return object << 3 | group;
}

const char *bob_sync_name(uint32_t kind)
{
	return kind < BOB_SYNC_KIND_COUNT ? bob_sync_kinds[kind].name : "";
}

struct bob_sync_event bob_sync_event_of(const struct bob_mem_desc *d, const uint64_t *word)
{
	const struct bob_sync_kind_info *k = &bob_sync_kinds[d->sync];
	struct bob_sync_event e = { .kind = d->sync,
				    .rule = k->rule,
				    .object = word[0],
				    .number = k->words > 1 ? word[1] : 1 };

	e.order = order_of(k->group, k->rule == BOB_SYNC_TURN ? bob_sync_place(word[0]) : word[0]);
	return e;
}

struct bob_value_place bob_value_place_of(const struct bob_mem_desc *d, const uint64_t *word)
{
	switch (d->kind == BOB_MEM_MARK ? d->mark : 0) {
	case BOB_MEM_EVENT:
		return (struct bob_value_place){ BOB_VALUE_WHOLE, (uint32_t)d->pc, 0 };
	case BOB_MEM_EVENT_BEGIN:
		return (struct bob_value_place){ BOB_VALUE_BEGIN, (uint32_t)d->pc, 0 };
	case BOB_MEM_EVENT_END:
		return (struct bob_value_place){ BOB_VALUE_END, 0, 0 };
	case BOB_MEM_EVENTS:
		return (struct bob_value_place){ BOB_VALUE_NO_MARK, 0, word[0] };
	default:
		return (struct bob_value_place){ 0, 0, 0 };
	}
}

uint64_t bob_trace_end_order(const struct bob_trace *t, uint32_t thread)
{
	return thread < t->thread_count ? order_of(BOB_SYNC_ENDS, t->threads[thread]->number) : 0;
}
