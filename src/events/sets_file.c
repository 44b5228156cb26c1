/* SPDX-License-Identifier: BSD-3-Clause */
/* Value sets of the process in its file (archive/events/value_sets.h). Where they are written more
 * than once, or may be in another process's file as well, they have a name: what is written of that
 * name later replaces what was written before, in one of two rooms in turn, so that one is whole at
 * any moment. */
#include <string.h>
#include <unistd.h>

#include "archive/events/value_sets.h"
#include "archive/write/write.h"
#include "base/hash.h"
#include "events/hooks.h"

static struct {
	pid_t of;		/* whose they are; 0: they have no name */
	uint64_t times;		/* written */
	uint64_t *name;		/* our own; then those that are among them */
	uint32_t count, room;
	struct bob_chunk_head *slot[2];
} named;
static uint64_t series;		/* what came before it has another name */

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
	memset(&named, 0, sizeof(named)); /* a fork child's are not its parent's */
	own = bob_hash64(++series ^ moment, path, strlen(path));
	named.of = getpid();
	if (!bob_ev_sets_have(&own, 1))
		named.of = 0;
}

void bob_ev_sets_unname(void)
{
	if (is_named())
		bob_ev_unmap(named.name, named.room * sizeof(*named.name));
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
	if (named.room - named.count < count) {
		const uint32_t room = 2 * (named.count + count) + 62;
		uint64_t *more = bob_ev_map(room * sizeof(*more));

		if (!more)
			return false;
		if (named.count)
			memcpy(more, named.name, named.count * sizeof(*more));
		bob_ev_unmap(named.name, named.room * sizeof(*named.name));
		named.name = more;
		named.room = room;
	}
	memcpy(named.name + named.count, names, count * sizeof(*names));
	named.count += count;
	return true;
}

/* Nobody reads half of it: while it is written the room is empty. */
static void put_named(const void *bytes, size_t len)
{
	const struct bob_sets_head head = { .version = BOB_SETS_NAMED, .times = ++named.times,
					    .names = named.count };
	const uint64_t names = named.count * sizeof(*named.name), all = sizeof(head) + names + len;
	struct bob_chunk_head **slot = &named.slot[named.times & 1];
	uint64_t at;
	uint8_t *to;

	if (!*slot || (*slot)->size < all)
		*slot = bob_ev_agent->chunk(NULL, BOB_CHUNK_SETS, BOB_STREAM_NONE, 2 * all, 0, &at);
	if (!*slot)
		return;
	bob_chunk_set_len(*slot, 0);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	to = bob_chunk_data(*slot);
	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), named.name, names);
	if (len)
		memcpy(to + sizeof(head) + names, bytes, len);
	bob_chunk_set_len(*slot, all);
}

void bob_ev_sets_put_alone(const void *bytes, size_t len)
{
	struct bob_chunk_head *c;
	uint64_t at;

	c = bob_ev_agent->chunk(NULL, BOB_CHUNK_SETS, BOB_STREAM_NONE, len + 1, 0, &at);
	if (!c)
		return;
	((uint8_t *)bob_chunk_data(c))[0] = BOB_SETS_ALONE;
	memcpy((uint8_t *)bob_chunk_data(c) + 1, bytes, len);
	bob_chunk_seal(c, len + 1);
}

void bob_ev_sets_put(const void *bytes, size_t len)
{
	if (is_named())
		put_named(bytes, len);
	else
		bob_ev_sets_put_alone(bytes, len);
}
