/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective exchange between hooks. Every rank contributes a set at an event that all ranks have.
 * A reduction tree combines the sets on the way to rank 0, and the result of rank 0 is broadcast
 * over the same tree, with the transport that Finalize uses (ranks.h). Sets are in the program's
 * memory.
 *
 * Both directions use one protocol: a head; then, unless the transport stores messages, a head from
 * the receiver; then the bytes. So nothing large is sent to a rank that is not there. A head may
 * instead report that the exchange has failed, or that this rank takes part in no more exchanges. A
 * rank sends that once to its parent and its children, in Finalize at the latest, so that waiting
 * ranks learn it soon, and late ranks at once. Each wait has a deadline. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "events/guard.h"
#include "events/ranks.h"
#include "events/sets.h"

#define BYTES_MOST (1ull << 28)

enum why { NOTHING, NOT_IN_TIME, ANOTHER, LOST, REFUSED, MEMORY, ENDED };

struct head {
	/* identity of the exchange: the hook's name, and its number in the process */
	uint64_t what;
	uint64_t len;		/* number of the bytes that follow */
	uint32_t why, who;	/* nonzero: the exchange has failed; and the rank that caused it */
};

struct exchange {
	const struct bob_transport *ranks;
	uint64_t what, begin_ns, wait_ns;
	struct bob_ev_set all;
	const char *name;
	uint32_t why, who;	/* the first error */
	uint32_t reported_by;	/* the rank that reported it; our own rank: none did */
	bool is_broken;		/* the transport has failed: nothing is sent any more */
};

/* Static, because a transport may keep message buffers for ever. */
static struct head out, in;
/* State of this process; a fork child starts without. */
static struct {
	pid_t of;
	bool is_busy;
	bool has_failed;	/* parent and children have been notified */
	uint64_t count;
	uint8_t heard[BOB_EV_RANKS_MAX / 8 + 1]; /* bit per neighbour: has sent its last head */
	void *result;		/* mapped */
	uint64_t len;
} ours;

static bool fail(struct exchange *x, enum why why, uint32_t who)
{
	if (!x->why) {
		x->why = why;
		x->who = who;
	}
	return false;
}

/* Index of a neighbour: the parent is 0, the i-th child i + 1. */
static uint32_t neighbour(const struct exchange *x, uint32_t rank)
{
	const uint32_t self = x->ranks->rank;

	if (rank < self)
		return 0;
	return x->ranks->flags & BOB_TRANSPORT_STAR ? rank :
						      1 + (uint32_t)__builtin_ctz(rank - self);
}

static void hear(const struct exchange *x, uint32_t rank)
{
	const uint32_t n = neighbour(x, rank);

	ours.heard[n / 8] |= (uint8_t)(1u << n % 8);
}

static bool has_reported(const struct exchange *x, uint32_t rank)
{
	const uint32_t n = neighbour(x, rank);

	return ours.heard[n / 8] >> n % 8 & 1;
}

/* --- messages --- */

static bool stores(const struct exchange *x)
{
	return x->ranks->flags & BOB_TRANSPORT_STORES;
}

static bool send_to(struct exchange *x, uint32_t to, const void *bytes, uint64_t len,
		    uint64_t deadline_ns)
{
	if (!x->is_broken)
		x->is_broken =
			!bob_ev_send(x->ranks, to, BOB_EV_TAG_EXCHANGE, bytes, len, deadline_ns);
	return !x->is_broken || fail(x, NOT_IN_TIME, to);
}

static bool send_head(struct exchange *x, uint32_t to, uint64_t len)
{
	out = (struct head){ x->what, len, x->why, x->who };
	return send_to(x, to, &out, sizeof(out), bob_ev_now_ns() + x->wait_ns);
}

static bool take_head(struct exchange *x, uint32_t from, uint64_t deadline_ns)
{
	uint64_t got;

	if (!bob_ev_receive(x->ranks, from, BOB_EV_TAG_EXCHANGE, &in, sizeof(in), &got,
			    deadline_ns) ||
	    got != sizeof(in))
		return fail(x, NOT_IN_TIME, from);
	if (in.why) {
		hear(x, from);
		x->reported_by = from;
		return in.who < x->ranks->ranks ? fail(x, in.why, in.who) : fail(x, LOST, from);
	}
	return in.what == x->what || fail(x, ANOTHER, from);
}

static bool give(struct exchange *x, uint32_t to, const void *bytes, uint64_t len)
{
	if (!send_head(x, to, len) ||
	    (len && !stores(x) && !take_head(x, to, bob_ev_now_ns() + 2 * x->wait_ns)))
		return false;
	return !len || send_to(x, to, bytes, len, bob_ev_now_ns() + x->wait_ns);
}

/* On true *bytes is mapped, or NULL without bytes. */
static bool take(struct exchange *x, uint32_t from, uint64_t deadline_ns, void **bytes,
		 uint64_t *len)
{
	uint64_t got;

	*bytes = NULL;
	if (!take_head(x, from, deadline_ns))
		return false;
	*len = in.len;
	if (!*len)
		return true;
	*bytes = *len <= BYTES_MOST ? bob_ev_map(*len) : NULL;
	if (!*bytes)
		return fail(x, MEMORY, x->ranks->rank);
	if (!stores(x) && !send_head(x, from, 0))
		return false;
	/* if the message does not arrive, the transport may keep the bytes */
	return (bob_ev_receive(x->ranks, from, BOB_EV_TAG_EXCHANGE, *bytes, *len, &got,
			       bob_ev_now_ns() + x->wait_ns) &&
		got == *len) ||
	       fail(x, LOST, from);
}

/* --- the set --- */

static bool unite(struct exchange *x, uint32_t from, const void *bytes, uint64_t len)
{
	struct bob_ev_set s = { .hook = x->all.hook };
	bool is_in;

	if (bob_ev_set_can_add_packed(&x->all))
		return bob_ev_set_add_packed(&x->all, bytes, len) || fail(x, REFUSED, from);
	if (!bob_ev_set_unpack(&s, bytes, len))
		return fail(x, REFUSED, from);
	is_in = bob_ev_set_merge(&x->all, &s);
	bob_ev_set_destroy(&s);
	return is_in || fail(x, REFUSED, from);
}

struct writing {
	bob_hook_report_fn write_result;
	void *ctx, *to;
	const void *all;
	size_t capacity, len;
};

static void write_result(void *arg)
{
	struct writing *t = arg;

	t->len = t->write_result(t->ctx, t->all, t->to, t->capacity);
}

static bool write_set(struct exchange *x, bob_hook_report_fn fn, void *to, size_t capacity,
		      size_t *len)
{
	struct writing t = { fn, bob_ev_set_ctx(&x->all), to, x->all.set, capacity, 0 };

	if (!fn)
		return bob_ev_set_pack(&x->all, to, capacity, len);
	if (x->all.is_lost || !bob_ev_guard(BOB_EV_GUARDED_SETS, write_result, &t))
		return false;
	*len = t.len;
	return true;
}

/* Packs the set, or with `fn` the report for all ranks. *bytes is mapped, or NULL without bytes. */
static bool pack(struct exchange *x, bob_hook_report_fn fn, void **bytes, uint64_t *len)
{
	size_t n, again;

	*bytes = NULL;
	if (!write_set(x, fn, NULL, 0, &n) || n > BYTES_MOST)
		return fail(x, REFUSED, x->ranks->rank);
	*len = n;
	if (!n)
		return true;
	*bytes = bob_ev_map(n);
	if (!*bytes)
		return fail(x, MEMORY, x->ranks->rank);
	return (write_set(x, fn, *bytes, n, &again) && again == n) ||
	       fail(x, REFUSED, x->ranks->rank);
}

/* --- the tree --- */

static bool take_all(struct exchange *x)
{
	uint32_t child;
	uint64_t len;
	void *bytes;

	for (uint32_t i = 0; !x->why && (child = bob_ev_child(x->ranks, i)); i++)
		if (take(x, child, bob_ev_child_deadline(x->ranks, i, x->begin_ns, x->wait_ns),
			 &bytes, &len)) {
			unite(x, child, bytes, len);
			bob_ev_unmap(bytes, len);
		}
	return !x->why;
}

static bool send_up(struct exchange *x)
{
	uint64_t len;
	void *bytes;

	if (!pack(x, NULL, &bytes, &len) || !give(x, bob_ev_parent(x->ranks), bytes, len))
		return false;
	bob_ev_unmap(bytes, len);
	return true;
}

/* The rank that took our set is waiting for its own parent and children, who may be late. */
static bool take_result(struct exchange *x, void **result, uint64_t *len)
{
	const uint32_t above = (uint32_t)__builtin_popcount(x->ranks->rank);

	return take(x, bob_ev_parent(x->ranks),
		    bob_ev_now_ns() + 2 * x->wait_ns + above * (x->wait_ns / 4), result, len);
}

/* Children with the largest subtrees first. A child that does not take the result delays no
 * other. */
static void send_to_all(struct exchange *x, const void *result, uint64_t len)
{
	uint32_t children = 0;

	while (bob_ev_child(x->ranks, children))
		children++;
	while (children--) {
		struct exchange one = *x;

		one.why = NOTHING;
		if (!give(&one, bob_ev_child(x->ranks, children), result, len))
			fail(x, one.why, one.who);
		x->is_broken = one.is_broken;
	}
}

static void spread(struct exchange *x)
{
	uint32_t child;

	ours.has_failed = true;
	if (x->ranks->rank)
		send_head(x, bob_ev_parent(x->ranks), 0);
	for (uint32_t i = 0; (child = bob_ev_child(x->ranks, i)); i++)
		send_head(x, child, 0);
	if (x->is_broken)
		bob_ev_ranks_lose();
}

static void say(const struct exchange *x)
{
	static const char *const text[][2] = {
		[NOT_IN_TIME] = { "nothing came from rank ", " in time" },
		[ANOTHER] = { "at another event is rank ", "" },
		[LOST] = { "nothing whole came from rank ", "" },
		[REFUSED] = { "it could not be united, what came from rank ", "" },
		[MEMORY] = { "there is no memory for it on rank ", "" },
		[ENDED] = { "in Finalize already is rank ", "" },
	};
	const uint32_t why = x->why < sizeof(text) / sizeof(*text) ? x->why : LOST;
	char line[256];

	snprintf(line, sizeof(line), "hook '%.60s': ranks have not come together: %s%u%s\n",
		 x->name, text[why][0], x->who, text[why][1]);
	bob_ev_log(line);
}

static bool exchange(struct exchange *x, const void *mine, bob_hook_report_fn fn)
{
	const struct bob_ev_set m = { .hook = x->all.hook, .set = (void *)(uintptr_t)mine };
	uint64_t len = 0;
	void *result = NULL;
	bool is_complete;

	if (!bob_ev_set_create(&x->all))
		fail(x, MEMORY, x->ranks->rank);
	else if (!bob_ev_set_merge(&x->all, &m))
		fail(x, REFUSED, x->ranks->rank);
	is_complete = take_all(x) && (x->ranks->rank ? send_up(x) && take_result(x, &result, &len) :
						       pack(x, fn, &result, &len));
	if (is_complete) {
		bob_ev_unmap(ours.result, ours.len);
		ours.result = result;
		ours.len = len;
		send_to_all(x, result, len);
	}
	if (x->why) {
		if (x->reported_by == x->ranks->rank || !x->ranks->rank ||
		    (x->why == ENDED && x->reported_by == x->who))
			say(x);
		spread(x);
	}
	if (x->all.set)
		bob_ev_set_destroy(&x->all);
	return is_complete;
}

/* --- from a hook --- */

static bool find(const struct bob_hook *h, uint32_t *number)
{
	for (*number = 0; *number < bob_ev_hook_count; ++*number)
		if (bob_ev_hook(*number) == h)
			return h->set && h->flags & BOB_HOOK_EXCHANGES;
	return false;
}

static void need_ours(void)
{
	if (ours.of != getpid())
		memset(&ours, 0, sizeof(ours));
	ours.of = getpid();
}

static bob_status begin(struct exchange *x, const struct bob_hook *h)
{
	static const struct bob_transport alone = { .ranks = 1 };

	if (bob_ev_guard_is_inside(BOB_EV_GUARDED_SETS) ||
	    bob_ev_guard_is_inside(BOB_EV_GUARDED_TRANSPORT) || !find(h, &x->all.hook))
		return BOB_ERR_INVAL;
	need_ours();
	if (ours.has_failed)
		return BOB_ERR_FULL;
	x->ranks = bob_ev_transport_now(bob_ev_is_in_mpi_hook());
	if (!x->ranks && !bob_ev_is_rank())
		x->ranks = &alone;
	if (!x->ranks)
		return BOB_NONE;
	/* a call that was left by a jump keeps it busy: other ranks continue without this one */
	return __atomic_exchange_n(&ours.is_busy, true, __ATOMIC_ACQUIRE) ? BOB_ERR_INVAL : BOB_OK;
}

static bob_status run(struct exchange *x, const struct bob_hook *h, const void *mine,
		      bob_hook_report_fn fn, const void **result, size_t *len)
{
	bob_status st = begin(x, h);

	if (st != BOB_OK)
		return st;
	x->name = h->name ? h->name : "";
	x->what = bob_hash64(++ours.count, x->name, strlen(x->name));
	x->begin_ns = bob_ev_now_ns();
	x->reported_by = x->ranks->rank;
	if (exchange(x, mine, fn)) {
		*result = ours.result;
		*len = ours.len;
	} else {
		st = x->why == MEMORY ? BOB_ERR_NOMEM : BOB_ERR_FULL;
	}
	__atomic_store_n(&ours.is_busy, false, __ATOMIC_RELEASE);
	return st;
}

bob_status bob_ev_exchange(const struct bob_hook *h, const void *mine, bob_hook_report_fn fn,
			   const void **result, size_t *len)
{
	struct exchange x = { .wait_ns = bob_ev_merge_wait_ns() };
	bob_status st;

	if (bob_ev_is_within())
		return BOB_ERR_INVAL;
	bob_ev_depth = 1; /* functions called here record no events */
	st = run(&x, h, mine, fn, result, len);
	bob_ev_depth = 0;
	return st;
}

/* --- Finalize --- */

static bool is_used(void)
{
	for (uint32_t i = 0; i < bob_ev_hook_count; i++)
		if (bob_ev_hook(i)->flags & BOB_HOOK_EXCHANGES)
			return true;
	return false;
}

/* Receives heads until the neighbour's last one; heads of exchanges that this rank took no part in
 * precede that. */
static void hear_out(struct exchange *x, uint32_t from)
{
	uint64_t got;

	while (!has_reported(x, from) && bob_ev_receive(x->ranks, from, BOB_EV_TAG_EXCHANGE, &in,
							sizeof(in), &got, x->begin_ns + x->wait_ns))
		if (got == sizeof(in) && in.why)
			hear(x, from);
}

void bob_ev_exchange_end(const struct bob_transport *t)
{
	struct exchange x = { .ranks = t,
			      .begin_ns = bob_ev_now_ns(),
			      .wait_ns = bob_ev_merge_wait_ns(),
			      .reported_by = t->rank };
	uint32_t child;

	need_ours();
	if (t->ranks < 2 || !is_used())
		return;
	if (ours.is_busy)
		bob_ev_log("an exchange of hooks was left by a jump\n");
	if (!ours.has_failed) {
		fail(&x, ENDED, t->rank);
		spread(&x);
	}
	if (stores(&x) || x.is_broken)
		return;
	if (t->rank)
		hear_out(&x, bob_ev_parent(t));
	for (uint32_t i = 0; (child = bob_ev_child(t, i)); i++)
		hear_out(&x, child);
}
