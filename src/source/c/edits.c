/* SPDX-License-Identifier: BSD-3-Clause */
/* What is put in, and where. Edits are made while the tree is walked from outside in: what opens first at a place is the
 * outermost, what closes first the innermost, and all that closes there comes before what opens. So pairs always nest. */
#include "source/c/unit.h"

#include <stdlib.h>
#include <string.h>

static void add(struct bob_c_unit *u, uint32_t at, const char *text, bool is_close)
{
	struct bob_c_edit *e;

	if (!text || bob_array_room(&u->edits, u->edit_count, &u->edit_room, sizeof(*u->edits))) {
		u->is_failed = true;
		return;
	}
	e = &u->edits[u->edit_count];
	*e = (struct bob_c_edit){
		.at = at, .number = (uint32_t)u->edit_count, .is_close = is_close, .text = text
	};
	u->edit_count++;
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

	for (size_t i = 0; i < u->edit_count; i++)
		if (u->edits[i].text == one || u->edits[i].text == other)
			u->edits[n++] = u->edits[i];
	u->edit_count = n;
}

static void insert(uint64_t *table, size_t room, uint64_t key)
{
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15ull >> 20) & (room - 1);

	while (table[i])
		i = (i + 1) & (room - 1);
	table[i] = key;
}

static bool grow(struct bob_c_unit *u)
{
	const size_t room = u->wrapped_room ? u->wrapped_room * 2 : 1024;
	uint64_t *table;

	if (u->wrapped_count * 2 < u->wrapped_room)
		return true;
	table = calloc(room, sizeof(*table));
	if (!table)
		return false;
	for (size_t i = 0; i < u->wrapped_room; i++)
		if (u->wrapped[i])
			insert(table, room, u->wrapped[i]);
	free(u->wrapped);
	u->wrapped = table;
	u->wrapped_room = room;
	return true;
}

bool bob_c_claim(struct bob_c_unit *u, uint32_t start, uint32_t end)
{
	const uint64_t key = (uint64_t)start << 32 | (end + 1);
	size_t i;

	if (!grow(u)) {
		u->is_failed = true;
		return false;
	}
	i = (size_t)(key * 0x9e3779b97f4a7c15ull >> 20) & (u->wrapped_room - 1);
	for (; u->wrapped[i]; i = (i + 1) & (u->wrapped_room - 1))
		if (u->wrapped[i] == key)
			return false;
	u->wrapped[i] = key;
	u->wrapped_count++;
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct bob_c_edit *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->is_close != y->is_close)
		return x->is_close ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

bob_status bob_c_apply(struct bob_c_unit *u, char **text, size_t *len)
{
	size_t total = u->len, n = 0;
	uint32_t from = 0;
	char *to;

	if (u->is_failed)
		return BOB_ERR_NOMEM;
	if (u->edit_count)
		qsort(u->edits, u->edit_count, sizeof(*u->edits), by_place);
	for (size_t i = 0; i < u->edit_count; i++)
		total += strlen(u->edits[i].text);
	to = malloc(total + 1);
	if (!to)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < u->edit_count; i++) {
		const struct bob_c_edit *e = &u->edits[i];

		memcpy(to + n, u->bytes + from, e->at - from);
		n += e->at - from;
		from = e->at;
		memcpy(to + n, e->text, strlen(e->text));
		n += strlen(e->text);
	}
	memcpy(to + n, u->bytes + from, u->len - from);
	n += u->len - from;
	to[n] = 0;
	*text = to;
	*len = n;
	return BOB_OK;
}
