/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes value sets to the process's file (archive/events/sets_table.h). Sets that are written
 * several times, or may be in another process's file as well, have a name: writing a name again
 * replaces the earlier version. Versions alternate between two slots, so that one is complete at
 * any time. */
#include <string.h>
#include <unistd.h>

#include "archive/events/sets_table.h"
#include "archive/write/write.h"
#include "base/hash.h"
#include "events/hooks.h"

static struct {
	pid_t of;		/* process that owns them; 0: unnamed */
	uint64_t times;		/* number of writes */
	uint64_t *name;		/* our own; then those of merged sets */
	uint32_t count, capacity;
	struct bob_chunk_head *slot[2];
} named;
static uint64_t series;		/* earlier series have other names */

static bool is_named(void)
{
	return named.of == getpid();
}

void bob_ev_sets_name(void)
{
	const char *path = bob_ev_agent->path();
	const uint64_t moment = bob_ev_now_ns();
	uint64_t own;

	if (is_named() || !path)
		return;
	memset(&named, 0, sizeof(named)); /* drops a parent's names in a fork child */
	own = bob_hash64(++series ^ moment, path, strlen(path));
	named.of = getpid();
	if (!bob_ev_sets_have(&own, 1))
		named.of = 0;
}

void bob_ev_sets_unname(void)
{
	if (is_named())
		bob_ev_unmap(named.name, named.capacity * sizeof(*named.name));
	named.name = NULL;
	named.of = 0;
}

const uint64_t *bob_ev_sets_names(uint32_t *count)
{
	*count = is_named() ? named.count : 0;
	return *count ? named.name : NULL;
}

bool bob_ev_sets_have(const uint64_t *names, uint32_t count)
{
	if (!is_named())
		return false;
	if (named.capacity - named.count < count) {
		const uint32_t capacity = 2 * (named.count + count) + 62;
		uint64_t *more = bob_ev_map(capacity * sizeof(*more));

		if (!more)
			return false;
		if (named.count)
			memcpy(more, named.name, named.count * sizeof(*more));
		bob_ev_unmap(named.name, named.capacity * sizeof(*named.name));
		named.name = more;
		named.capacity = capacity;
	}
	memcpy(named.name + named.count, names, count * sizeof(*names));
	named.count += count;
	return true;
}

/* --- as tables --- */

struct tables {
	struct bob_set_row *row;
	struct bob_set_call *call;
	struct bob_set_name *name;
	size_t rows, calls, names;
};

/* Counts the sets; also puts them where there is memory for them. */
static void take_sets(const uint8_t *at, size_t len, struct tables *t)
{
	const uint8_t *end = at + len;
	struct bob_set s;

	t->rows = t->calls = 0;
	while (len && bob_set_next(&at, end, &s) == BOB_OK) {
		if (t->row)
			t->row[t->rows] = bob_set_row_of(&s);
		if (t->call)
			bob_set_calls(&s, t->call + t->calls);
		t->rows++;
		t->calls += s.depth;
	}
}

/* Everything in one allocation. NULL: out of memory. */
static void *make_tables(const void *bytes, size_t len, size_t names, struct tables *t,
			 size_t *size)
{
	uint8_t *at;

	*t = (struct tables){ .names = names };
	take_sets(bytes, len, t);
	*size = t->rows * sizeof(*t->row) + t->calls * sizeof(*t->call) + names * sizeof(*t->name) +
		1;
	at = bob_ev_map(*size);
	if (!at)
		return NULL;
	t->row = (struct bob_set_row *)(void *)at;
	t->call = (struct bob_set_call *)(void *)(t->row + t->rows);
	t->name = (struct bob_set_name *)(void *)(t->call + t->calls);
	take_sets(bytes, len, t);
	for (size_t i = 0; i < names; i++)
		t->name[i].name = named.name[i];
	if (names)
		t->name[0].times = named.times;
	return at;
}

static uint64_t write_tables(const struct tables *t, bob_rows_fn put, void *ctx)
{
	uint64_t n = bob_rows_write(&bob_sets_table, t->row, t->rows, put, ctx);

	if (t->calls)
		n += bob_rows_write(&bob_set_calls_table, t->call, t->calls, put, ctx);
	if (t->names)
		n += bob_rows_write(&bob_set_names_table, t->name, t->names, put, ctx);
	return n;
}

static void copy(void *ctx, const void *bytes, size_t len)
{
	uint8_t **at = ctx;

	memcpy(*at, bytes, len);
	*at += len;
}

/* The chunk's length is 0 while it is written, so readers never see a part of it. */
static void put_named(const struct tables *t)
{
	const uint64_t all = write_tables(t, NULL, NULL);
	struct bob_chunk_head **slot = &named.slot[named.times & 1];
	uint64_t at;
	uint8_t *to;

	if (!*slot || (*slot)->size < all)
		*slot = bob_ev_agent->chunk(NULL, BOB_CHUNK_TABLE_SETS, BOB_STREAM_NONE, 2 * all, 0,
					    &at);
	if (!*slot)
		return;
	bob_chunk_set_len(*slot, 0);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	to = bob_chunk_data(*slot);
	write_tables(t, copy, &to);
	bob_chunk_set_len(*slot, all);
}

static void put_alone(const struct tables *t)
{
	const uint64_t all = write_tables(t, NULL, NULL);
	struct bob_chunk_head *c;
	uint64_t at;
	uint8_t *to;

	c = bob_ev_agent->chunk(NULL, BOB_CHUNK_TABLE_SETS, BOB_STREAM_NONE, all, 0, &at);
	if (!c)
		return;
	to = bob_chunk_data(c);
	write_tables(t, copy, &to);
	bob_chunk_seal(c, all);
}

static void put(const void *bytes, size_t len, bool has_name)
{
	struct tables t;
	size_t size;
	void *mem;

	named.times += has_name;
	mem = make_tables(bytes, len, has_name ? named.count : 0, &t, &size);
	if (!mem)
		return;
	if (has_name)
		put_named(&t);
	else
		put_alone(&t);
	bob_ev_unmap(mem, size);
}

void bob_ev_sets_put_alone(const void *bytes, size_t len)
{
	put(bytes, len, false);
}

void bob_ev_sets_put(const void *bytes, size_t len)
{
	put(bytes, len, is_named());
}
