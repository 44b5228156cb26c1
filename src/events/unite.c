/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the user's value sets of all ranks over the tree of ranks, in the program's own memory,
 * since the functions that merge them belong to the program or a plug-in. Every rank takes part,
 * with sets or without. */
#include "archive/events/value_sets.h"
#include "events/hooks.h"
#include "events/ranks.h"

#define SETS_MOST (1ull << 30) /* bytes of a message */
#define NAMES_MOST (1u << 20)

/* Head of a message: number of bytes of sets and of names (sets_file.c) that follow; or invalid.
 * Static, since a transport may keep it for ever. */
static struct {
	uint64_t bytes, names;
} head;

/* NULL: not received. The transport may keep the bytes then. */
static void *take_bytes(const struct bob_transport *t, uint32_t from, uint64_t len,
			uint64_t deadline_ns)
{
	void *bytes = bob_ev_map(len);
	uint64_t got;

	if (!bytes || !bob_ev_receive(t, from, BOB_EV_TAG_SETS, bytes, len, &got, deadline_ns) ||
	    got != len)
		return NULL;
	return bytes;
}

static bool are_whole(const void *sets, uint64_t len)
{
	const uint8_t *at = sets, *end = at + len;
	struct bob_set s;
	bob_status st = BOB_END;

	while (len && (st = bob_set_next(&at, end, &s)) == BOB_OK)
		;
	return st == BOB_END;
}

static bool take_from(const struct bob_transport *t, uint32_t from, uint64_t deadline_ns)
{
	uint64_t got, len;
	uint32_t names;
	void *sets, *name;
	bool all;

	if (!bob_ev_receive(t, from, BOB_EV_TAG_SETS, &head, sizeof(head), &got, deadline_ns) ||
	    got != sizeof(head) || head.bytes > SETS_MOST || head.names > NAMES_MOST)
		return false;
	len = head.bytes;
	names = (uint32_t)head.names;
	sets = len ? take_bytes(t, from, len, deadline_ns) : NULL;
	name = names && (sets || !len) ? take_bytes(t, from, 8ull * names, deadline_ns) : NULL;
	if ((len && !sets) || (names && !name))
		return false;
	if (!are_whole(sets, len) || (names && !bob_ev_sets_have(name, names)))
		return false; /* they stay here, and count here */
	all = !len || bob_ev_sets_unite(sets, len);
	bob_ev_unmap(sets, len);
	bob_ev_unmap(name, 8ull * names);
	return all;
}

static bool send_one(const struct bob_transport *t, const void *bytes, uint64_t len,
		     uint64_t deadline_ns)
{
	return !len || bob_ev_send(t, bob_ev_parent(t), BOB_EV_TAG_SETS, bytes, len, deadline_ns);
}

static bool send_up(const struct bob_transport *t, uint64_t deadline_ns)
{
	size_t len = 0, capacity = 0;
	void *bytes = bob_ev_sets_pack(&len, &capacity);
	uint32_t count;
	const uint64_t *names = bob_ev_sets_names(&count);
	bool sent;

	head.bytes = len <= SETS_MOST ? len : 0;
	head.names = count <= NAMES_MOST ? count : 0;
	sent = send_one(t, &head, sizeof(head), deadline_ns) &&
	       send_one(t, bytes, head.bytes, deadline_ns) &&
	       send_one(t, names, 8 * head.names, deadline_ns);
	if (sent)
		bob_ev_unmap(bytes, capacity);
	return sent && len == head.bytes && count == head.names;
}

/* Whether a message that was sent may never be read. Then the sets also go to the file, under a
 * name, so that they do not count twice. MPI is trusted. */
static bool may_be_lost(void)
{
	return !bob_ev_mpi;
}

static bool give_up(const struct bob_transport *t, uint64_t deadline_ns)
{
	bool sent;

	if (may_be_lost())
		bob_ev_sets_save();
	sent = send_up(t, deadline_ns);
	bob_ev_sets_given(sent);
	return sent;
}

bool bob_ev_unite(const struct bob_transport *t)
{
	const uint64_t begin = bob_ev_now_ns(), wait = bob_ev_merge_wait_ns();
	bool whole = true;
	uint32_t child, i;

	if (may_be_lost())
		bob_ev_sets_name();
	bob_ev_sets_gather();
	for (i = 0; (child = bob_ev_child(t, i)); i++)
		whole &= take_from(t, child, bob_ev_child_deadline(t, i, begin, wait));
	if (t->rank)
		whole &= give_up(t, bob_ev_child_deadline(t, i, begin, wait) + wait);
	if (!whole)
		bob_ev_log("value sets of some ranks were not united in time\n");
	if (!t->rank)
		bob_ev_sets_finish();
	bob_ev_sets_unname(); /* later sets belong to this process alone */
	return whole;
}
