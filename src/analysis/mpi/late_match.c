/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches messages with receives. A channel is (sender, receiver, communicator, tag); its messages
 * are received in the order in which they were sent (MPI's non-overtaking rule). A receive is
 * settled, that is assigned to a message of a channel, when its channel is known and no receive
 * posted before it can still turn out to be of the same channel. So a wildcard delays the receives
 * after it until it has matched, and a cancelled receive delays them until it is known whether it
 * matched. */
#include "analysis/mpi/late_private.h"

#include <stdlib.h>

struct bob_late_receive {
	struct bob_late_receive *before, *next; /* list of the process's unsettled receives, or of
						 * the channel's incomplete ones */
	uint32_t process, comm;
	uint64_t source, tag;	/* as requested; once known, as received */
	uint64_t order;		/* order of posting in the process */
	int is_known;		/* source and tag are as received */
	int is_discarded, is_cancelled;
	struct bob_late_channel *channel; /* NULL: not settled */
	uint64_t number;	/* of the message in the channel */
	struct bob_late_wait *wait;
};

/* --- channels --- */

static struct bob_late_channel *channel_of(struct bob_mpi_late *l, uint32_t comm, uint64_t tag,
					   uint64_t from, uint64_t to)
{
	const uint64_t a = (uint64_t)comm << 32 | (uint32_t)tag, b = from << 32 | to;
	struct bob_late_channel *c = bob_late_map_get(&l->channels, a, b);

	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	if (c && bob_late_map_put(&l->channels, a, b, c))
		return c;
	free(c);
	l->no_memory = 1;
	return NULL;
}

static int grow(struct bob_late_channel *c)
{
	size_t capacity = c->capacity ? 2 * c->capacity : 4;
	struct bob_late_slot *slot = calloc(capacity, sizeof(*slot));

	if (!slot)
		return 0;
	for (size_t i = 0; i < c->capacity; i++)
		slot[(c->base + i) & (capacity - 1)] = c->slot[(c->base + i) & (c->capacity - 1)];
	free(c->slot);
	c->slot = slot;
	c->capacity = capacity;
	return 1;
}

static struct bob_late_slot *slot_of(struct bob_mpi_late *l, struct bob_late_channel *c,
				     uint64_t number)
{
	while (number - c->base >= c->capacity)
		if (!grow(c)) {
			l->no_memory = 1;
			return NULL;
		}
	return &c->slot[number & (c->capacity - 1)];
}

static int is_done(const struct bob_late_slot *s)
{
	return s->sent && (s->received || s->unclaimed);
}

void bob_late_waited(struct bob_mpi_late *l, struct bob_late_wait *w)
{
	if (--w->pending)
		return;
	bob_late_done(l, w);
	free(w);
}

static void meet(struct bob_mpi_late *l, struct bob_late_channel *c, struct bob_late_slot *s)
{
	if (s->sent && s->received && s->wait) {
		bob_late_judge(l, s->wait, &s->from, s->sent_ns);
		bob_late_waited(l, s->wait);
		s->wait = NULL;
	}
	while (c->base < c->sends && is_done(&c->slot[c->base & (c->capacity - 1)]))
		c->slot[c->base++ & (c->capacity - 1)] = (struct bob_late_slot){ 0 };
}

void bob_late_send(struct bob_mpi_late *l, const struct bob_late_call *c, uint32_t comm,
		   uint32_t to, uint64_t tag)
{
	const uint32_t from = l->process[c->site.process].rank;
	struct bob_late_channel *ch = channel_of(l, comm, tag, from, to);
	struct bob_late_slot *s = ch ? slot_of(l, ch, ch->sends) : NULL;

	if (!s)
		return;
	ch->sends++;
	s->from = c->site;
	s->sent_ns = c->begin_ns;
	s->sent = 1;
	meet(l, ch, s);
}

/* --- receives --- */

/* Inserts `r` in the order of posting. */
static void put_in(struct bob_late_posted *p, struct bob_late_receive *r)
{
	struct bob_late_receive *before = p->last;

	while (before && before->order > r->order)
		before = before->before;
	r->before = before;
	r->next = before ? before->next : p->first;
	*(before ? &before->next : &p->first) = r;
	*(r->next ? &r->next->before : &p->last) = r;
}

static void take_out(struct bob_late_posted *p, struct bob_late_receive *r)
{
	if (r->before)
		r->before->next = r->next;
	else
		p->first = r->next;
	if (r->next)
		r->next->before = r->before;
	else
		p->last = r->before;
}

/* Is it unknown which message it matches, or whether it matches any? */
static int is_open(const struct bob_late_receive *r)
{
	return !r->is_known &&
	       (r->source == BOB_LATE_ANY || r->tag == BOB_LATE_ANY || r->is_cancelled);
}

/* Can both match messages of the same channel? */
static int may_meet(const struct bob_late_receive *a, const struct bob_late_receive *b)
{
	return a->comm == b->comm &&
	       (a->source == b->source || a->source == BOB_LATE_ANY || b->source == BOB_LATE_ANY) &&
	       (a->tag == b->tag || a->tag == BOB_LATE_ANY || b->tag == BOB_LATE_ANY);
}

static int is_held_up(const struct bob_late_receive *r)
{
	for (const struct bob_late_receive *x = r->before; x; x = x->before)
		if (may_meet(x, r))
			return 1;
	return is_open(r);
}

static void fulfil(struct bob_mpi_late *l, struct bob_late_receive *r)
{
	struct bob_late_slot *s = slot_of(l, r->channel, r->number);

	if (s) {
		s->received = (uint8_t)r->is_known;
		s->unclaimed = (uint8_t)!r->wait;
		s->wait = r->wait;
		meet(l, r->channel, s);
	}
	take_out(&r->channel->settled, r);
	free(r);
}

/* Settles receives that are no longer delayed, in the order of posting. */
static void settle(struct bob_mpi_late *l, uint32_t process)
{
	struct bob_late_posted *p = &l->process[process].posted;
	struct bob_late_receive *r = p->first, *next;

	for (; r && !l->no_memory; r = next) {
		next = r->next;
		if (is_held_up(r))
			continue;
		r->channel = channel_of(l, r->comm, r->tag, r->source, l->process[r->process].rank);
		if (!r->channel)
			return;
		take_out(p, r);
		put_in(&r->channel->settled, r);
		r->number = r->channel->receives++;
		if (!slot_of(l, r->channel, r->number))
			return;
		if (r->is_known || r->is_discarded)
			fulfil(l, r);
	}
}

struct bob_late_receive *bob_late_post(struct bob_mpi_late *l, uint32_t process, uint32_t comm,
				       uint64_t source, uint64_t tag)
{
	struct bob_late_receive *r = calloc(1, sizeof(*r));

	if (!r) {
		l->no_memory = 1;
		return NULL;
	}
	r->process = process;
	r->comm = comm;
	r->source = source;
	r->tag = tag;
	r->order = l->process[process].posts++;
	put_in(&l->process[process].posted, r);
	settle(l, process);
	return r;
}

void bob_late_receive(struct bob_mpi_late *l, struct bob_late_receive *r, uint64_t source,
		      uint64_t tag, struct bob_late_wait *w)
{
	const uint32_t process = r->process;

	r->source = source;
	r->tag = tag;
	r->is_known = 1;
	r->wait = w;
	w->pending++;
	if (r->channel)
		fulfil(l, r);
	else
		settle(l, process);
}

/* Cancels a settled receive. If a later receive of the channel is complete, this one matched an
 * earlier message, because messages do not overtake. Otherwise it and the later receives become
 * unsettled until it is complete. */
void bob_late_cancel(struct bob_mpi_late *l, struct bob_late_receive *r)
{
	struct bob_late_channel *c = r->channel;
	struct bob_late_receive *next;
	uint64_t following = 0;

	r->is_cancelled = 1;
	for (const struct bob_late_receive *x = r; c && x; x = x->next)
		following++;
	if (!c || following < c->receives - r->number)
		return;
	c->receives = r->number;
	for (; r; r = next) {
		next = r->next;
		take_out(&c->settled, r);
		r->channel = NULL;
		put_in(&l->process[r->process].posted, r);
	}
}

void bob_late_ignore(struct bob_mpi_late *l, struct bob_late_receive *r)
{
	const uint32_t process = r->process;

	if (r->channel) {
		l->process[process].deaf |=
			r->is_cancelled; /* later receives are settled already */
		fulfil(l, r);
		return;
	}
	take_out(&l->process[process].posted, r);
	free(r);
	settle(l, process);
}

/* The result of a wildcard stays unknown, so receives that might match the same messages can no
 * longer be matched in this process. */
void bob_late_forget(struct bob_mpi_late *l, struct bob_late_receive *r, int ends)
{
	r->is_discarded = 1;
	if (r->channel)
		fulfil(l, r);
	else
		l->process[r->process].deaf |= !ends;
}

/* --- end of the trace --- */

static void end_wait(struct bob_mpi_late *l, struct bob_late_wait *w)
{
	l->sum.unmatched++;
	bob_late_waited(l, w);
}

static void end_channel(struct bob_mpi_late *l, const struct bob_late_entry *e)
{
	struct bob_late_channel *c = e->value;
	const struct bob_late_process *to =
		&l->process[l->process_of[(uint32_t)e->key[1]]]; /* see channel_of */

	for (size_t k = 0; k < c->capacity; k++) {
		if (c->slot[k].wait)
			end_wait(l, c->slot[k].wait);
		else if (c->slot[k].sent && !c->slot[k].received && !c->slot[k].unclaimed)
			l->sum.not_followed += to->deaf || to->doubtful;
	}
	free(c->slot);
}

void bob_late_match_end(struct bob_mpi_late *l)
{
	for (uint32_t p = 0; p < l->processes; p++) {
		struct bob_late_receive *r = l->process[p].posted.first, *next;

		for (; r; r = next) {
			next = r->next;
			if (r->wait) {
				end_wait(l, r->wait);
				free(r);
			} else if (r->is_discarded) {
				free(r);
			}
		}
		l->process[p].posted = (struct bob_late_posted){ NULL, NULL };
	}
	for (size_t i = 0; i < l->channels.count; i++)
		end_channel(l, &l->channels.at[i]);
}
