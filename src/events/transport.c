/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's transport (bobbin/ranks.h). Its functions are called while a helper runs, locks are held
 * and nothing is recorded, so they must return: an exception ends here, a jump is detected at the
 * thread's next event. After either of them the transport is not used any more: each rank keeps its
 * data. */
#include <stdio.h>

#include "events/guard.h"
#include "events/ranks.h"

enum op { SEND, RECEIVE, BARRIER, COUNT };
static const char *const op_name[] = { "send", "receive", "barrier", "count" };

static struct bob_transport users;
static bool is_broken;
static enum op under_way;

struct call {
	enum op op;
	uint32_t rank, tag;
	const void *bytes;
	void *to;
	uint64_t len, wait_ns;
	uint64_t *got;
	int ok;
	uint32_t count;
};

static void work(void *arg)
{
	struct call *c = arg;

	switch (c->op) {
	case SEND:
		c->ok = users.send(users.ctx, c->rank, c->tag, c->bytes, c->len, c->wait_ns);
		break;
	case RECEIVE:
		c->ok = users.receive(users.ctx, c->rank, c->tag, c->to, c->len, c->got,
				      c->wait_ns);
		break;
	case BARRIER:
		c->ok = users.barrier(users.ctx, c->wait_ns);
		break;
	case COUNT:
		c->count = users.count(users.ctx);
		break;
	}
}

static void end_it(const char *why)
{
	char line[160];

	is_broken = true;
	snprintf(line, sizeof(line),
		 "the program's transport: `%s` %s; nothing more is sent or received\n",
		 op_name[under_way], why);
	bob_ev_log(line);
}

static int call(struct call *c)
{
	if (is_broken || bob_ev_guard_is_inside(BOB_EV_GUARDED_TRANSPORT))
		return 0;
	under_way = c->op;
	if (!bob_ev_guard(BOB_EV_GUARDED_TRANSPORT, work, c)) {
		end_it("has thrown an exception");
		return 0;
	}
	return c->ok;
}

static int send_to(void *ctx, uint32_t to, uint32_t tag, const void *bytes, uint64_t len,
		   uint64_t wait_ns)
{
	struct call c = { .op = SEND, .rank = to, .tag = tag, .bytes = bytes, .len = len,
			  .wait_ns = wait_ns };

	(void)ctx;
	return call(&c);
}

static int receive_from(void *ctx, uint32_t from, uint32_t tag, void *bytes, uint64_t capacity,
			uint64_t *len, uint64_t wait_ns)
{
	struct call c = { .op = RECEIVE, .rank = from, .tag = tag, .to = bytes, .len = capacity,
			  .got = len, .wait_ns = wait_ns };

	(void)ctx;
	return call(&c);
}

static int barrier(void *ctx, uint64_t wait_ns)
{
	struct call c = { .op = BARRIER, .wait_ns = wait_ns };

	(void)ctx;
	return call(&c);
}

/* 0: unknown; the number stays as it was. */
static uint32_t count(void *ctx)
{
	struct call c = { .op = COUNT };

	(void)ctx;
	(void)call(&c);
	return c.count;
}

void bob_ev_transport_guarded(struct bob_transport *to, const struct bob_transport *t)
{
	users = *t;
	is_broken = false;
	*to = *t;
	to->ctx = NULL;
	to->send = send_to;
	to->receive = receive_from;
	to->barrier = t->barrier ? barrier : NULL;
	to->count = t->count ? count : NULL;
}

void bob_ev_transport_left(void)
{
	end_it("was left by a jump");
	bob_ev_ranks_left();
}

void bob_ev_transport_end(void)
{
	if (bob_ev_guard_is_inside(BOB_EV_GUARDED_TRANSPORT))
		end_it("has ended the process");
}
