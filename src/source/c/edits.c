/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of insertions, and their application. The tree is walked from outside in, so at one
 * place the first opening text is the outermost and the first closing text the innermost; closing
 * texts precede opening ones. So pairs always nest. */
#include "base/order.h"
#include "source/c/copies.h"

#include <stdlib.h>
#include <string.h>

static void add(struct bob_c_unit *u, uint32_t at, const char *text, bool is_close)
{
	const struct bob_c_edit e = { .at = at, .number = (uint32_t)u->edits.count,
				      .is_close = is_close, .text = text };

	u->is_failed |= !text || BOB_VEC_ADD(&u->edits, e) != BOB_OK;
}

void bob_c_open_at(struct bob_c_unit *u, uint32_t at, const char *text)
{
	add(u, at, text, false);
}

void bob_c_close_at(struct bob_c_unit *u, uint32_t at, const char *text)
{
	add(u, at, text, true);
}

void bob_c_keep_edits(struct bob_c_unit *u, const char *one, const char *other)
{
	size_t n = 0;

	for (size_t i = 0; i < u->edits.count; i++)
		if (u->edits.at[i].text == one || u->edits.at[i].text == other)
			u->edits.at[n++] = u->edits.at[i];
	u->edits.count = n;
}

bool bob_c_claim(struct bob_c_unit *u, uint32_t start, uint32_t end)
{
	/* Key of 26 bits for the start, 27 for the end, 11 for the copy. */
	const uint64_t key = (uint64_t)start << 38 | (uint64_t)(end + 1) << 11 |
			     (u->copies ? u->copies->copy_number : 0);
	const size_t count = u->wrapped.count;

	u->is_failed |= !BOB_MAP_PUT(&u->wrapped, &key);
	return u->wrapped.count > count;
}

BOB_COMPARE(by_place, struct bob_c_edit, BOB_UP(at) BOB_DOWN(is_close) BOB_UP(number))

/* The bytes [from, to) with these edits, all of which are inside. */
static char *apply(const struct bob_c_unit *u, struct bob_c_edit *edits, size_t count,
		   uint32_t from, uint32_t end, size_t *len)
{
	size_t total = end - from, n = 0;
	char *to;

	if (count)
		qsort(edits, count, sizeof(*edits), by_place);
	for (size_t i = 0; i < count; i++)
		total += strlen(edits[i].text);
	to = malloc(total + 1);
	if (!to)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const struct bob_c_edit *e = &edits[i];

		memcpy(to + n, u->bytes + from, e->at - from);
		n += e->at - from;
		from = e->at;
		memcpy(to + n, e->text, strlen(e->text));
		n += strlen(e->text);
	}
	memcpy(to + n, u->bytes + from, end - from);
	n += end - from;
	to[n] = 0;
	*len = n;
	return to;
}

const char *bob_c_take_edits(struct bob_c_unit *u, size_t before, uint32_t from, uint32_t to)
{
	size_t len;
	char *text = apply(u, u->edits.at + before, u->edits.count - before, from, to, &len);
	const char *kept = text ? bob_arena_text(&u->arena, text, len) : NULL;

	u->edits.count = before;
	u->is_failed |= !kept;
	free(text);
	return kept;
}

bob_status bob_c_apply(struct bob_c_unit *u, char **text, size_t *len)
{
	char *to = u->is_failed ? NULL : apply(u, u->edits.at, u->edits.count, 0, u->len, len);

	if (!to)
		return BOB_ERR_NOMEM;
	*text = to;
	return BOB_OK;
}
