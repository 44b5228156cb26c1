/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of events in a trace, determined from the keys of its shapes without expansion. */
#include "archive/write/event_write.h"
#include "archive/reader.h"
#include "archive/events/user_key.h"
#include "base/varint.h"

static uint32_t of_key(const uint8_t *key, size_t len)
{
	uint64_t kind;

	if (!key || !len || bob_varint_get(&key, key + len, &kind) != BOB_OK)
		return 0;
	return kind == BOB_USER_KEY ? BOB_VALUES_OF_PROGRAM : BOB_VALUES_OF_MPI;
}

static uint32_t of_folded(const struct bob_folded *f)
{
	struct bob_event_def d;
	struct bob_fold_shape s;
	uint32_t found = 0;

	for (uint32_t i = 0; i < bob_folded_shapes(f); i++) {
		bob_folded_shape(f, i, &s);
		if (bob_event_leaf_key(s.key, s.key_len, s.words, &d) == BOB_OK)
			found |= of_key(d.key, d.key_len);
	}
	return found;
}

uint32_t bob_trace_value_origins(const struct bob_trace *t)
{
	const struct bob_folded *before = NULL; /* several threads share a merged trace */
	uint32_t found = 0;

	for (uint32_t i = 0; i < t->thread_count; i++) {
		const struct bob_event_stream *s = &t->threads[i]->mpi;

		if (s->folded && s->folded != before)
			found |= of_folded(s->folded);
		before = s->folded ? s->folded : before;
		for (size_t k = 0; k < s->def_count; k++)
			found |= of_key(s->defs[k].key, s->defs[k].key_len);
	}
	return found;
}
