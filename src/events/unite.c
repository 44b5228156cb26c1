/* SPDX-License-Identifier: BSD-3-Clause */
/* The user's value sets of all ranks are united over the tree of ranks, in the program's own memory, since what unites them is the
 * program's or a plug-in's. Every rank takes part, with sets or without. */
#include "events/hooks.h"
#include "events/ranks.h"

#define SETS_MOST (1ull << 30) /* bytes of a message */

static uint64_t size; /* static: a transport may have it for ever */

static bool take_from(const struct bob_transport *t, uint32_t from, uint64_t deadline_ns)
{
	uint64_t got;
	void *bytes;

	if (!bob_ev_receive(t, from, BOB_EV_TAG_SETS, &size, sizeof(size), &got, deadline_ns) ||
	    got != sizeof(size) || size > SETS_MOST)
		return false;
	if (!size)
		return true;
	bytes = bob_ev_map(size);
	if (!bytes || !bob_ev_receive(t, from, BOB_EV_TAG_SETS, bytes, size, &got, deadline_ns))
		return false; /* the transport may have the bytes */
	bob_ev_sets_unite(bytes, got);
	bob_ev_unmap(bytes, size);
	return true;
}

static bool send_up(const struct bob_transport *t, uint64_t deadline_ns)
{
	const uint32_t to = bob_ev_parent(t);
	size_t len = 0, room = 0;
	void *bytes = bob_ev_sets_pack(&len, &room);
	bool sent;

	size = len <= SETS_MOST ? len : 0;
	sent = bob_ev_send(t, to, BOB_EV_TAG_SETS, &size, sizeof(size), deadline_ns) &&
	       (!size || bob_ev_send(t, to, BOB_EV_TAG_SETS, bytes, size, deadline_ns));
	if (sent)
		bob_ev_unmap(bytes, room);
	return sent && len == size;
}

bool bob_ev_unite(const struct bob_transport *t)
{
	const uint64_t begin = bob_ev_now_ns(), wait = bob_ev_merge_wait_ns();
	bool whole = true;
	uint32_t child, i;

	if (bob_ev_thread_now())
		bob_ev_sets_end(bob_ev_thread_now());
	for (i = 0; (child = bob_ev_child(t, i)); i++)
		whole &= take_from(t, child, bob_ev_child_deadline(t, i, begin, wait));
	if (t->rank) {
		const bool sent = send_up(t, bob_ev_child_deadline(t, i, begin, wait) + wait);

		bob_ev_sets_given(sent);
		whole &= sent;
	}
	if (!whole)
		bob_ev_log("value sets of some ranks were not united in time\n");
	if (!t->rank)
		bob_ev_sets_finish();
	return whole;
}
