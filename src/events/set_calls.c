/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls the functions of value sets (create, add, merge, pack, ...). The user's own functions are
 * called under guard: an exception drops the set, and the trace records that. */
#include <stdio.h>

#include "events/guard.h"
#include "events/sets.h"

enum op { CREATE, ADD, MERGE, PACK, UNPACK, ADD_PACKED, PRINT, DESTROY, RESULT };
static const char *const op_name[] = { "create",	"add",   "merge",   "pack",  "unpack",
				       "add_packed", "print", "destroy", "result" };

struct call {
	enum op op;
	const struct bob_value_set *ops;
	void *ctx;
	const struct bob_ev_set *o;
	const void *from;	/* other set; data; bytes */
	void *to;
	size_t len, size;
	int ok;
	void *set;
};

static void work(void *arg)
{
	struct call *c = arg;

	switch (c->op) {
	case CREATE:
		c->set = c->ops->create(c->ctx);
		break;
	case ADD:
		c->ok = c->ops->add(c->ctx, c->o->set, c->from);
		break;
	case MERGE:
		c->ok = c->ops->merge(c->ctx, c->o->set, c->from);
		break;
	case PACK:
		c->size = c->ops->pack(c->ctx, c->o->set, c->to, c->len);
		break;
	case UNPACK:
		c->set = c->ops->unpack(c->ctx, c->from, c->len);
		break;
	case ADD_PACKED:
		c->ok = c->ops->add_packed(c->ctx, c->o->set, c->from, c->len);
		break;
	case PRINT:
		c->size = c->ops->print(c->ctx, c->o->set, c->to, c->len);
		break;
	case DESTROY:
		c->ops->destroy(c->ctx, c->o->set);
		break;
	case RESULT:
		c->ops->result(c->ctx, c->o->event, c->o->phase, c->o->set);
		break;
	}
}

/* Logs once per hook. */
static void say(const struct call *c, const char *what, const char *so)
{
	static uint8_t said[BOB_EV_HOOKS_MAX];
	const char *hook = bob_ev_hook(c->o->hook)->name;
	char line[200];

	if (__atomic_exchange_n(&said[c->o->hook], 1, __ATOMIC_RELAXED))
		return;
	snprintf(line, sizeof(line), "hook '%.60s': `%s` of its sets has %s; %s\n",
		 hook ? hook : "", op_name[c->op], what, so);
	bob_ev_log(line);
}

/* False: it has thrown. */
static bool call(struct call *c, struct bob_ev_set *o, enum op op)
{
	c->op = op;
	c->o = o;
	c->ops = bob_ev_set_ops(o);
	c->ctx = bob_ev_set_ctx(o);
	if (c->ops == &bob_ev_numbers) {
		work(c);
		return true;
	}
	if (bob_ev_guard(BOB_EV_GUARDED_SETS, work, c))
		return true;
	say(c, "thrown an exception", op == UNPACK ? "the set stays apart" : "the set is lost");
	o->is_lost = op != UNPACK;
	return false;
}

bool bob_ev_set_create(struct bob_ev_set *o)
{
	struct call c = { .set = NULL };

	o->set = NULL;
	if (!call(&c, o, CREATE))
		return false;
	o->set = c.set;
	if (!o->set)
		say(&c, "given nothing", "its data are lost");
	return o->set != NULL;
}

bool bob_ev_set_add(struct bob_ev_set *o, const union bob_datum *data)
{
	struct call c = { .from = data };

	return !o->is_lost && call(&c, o, ADD) && c.ok;
}

bool bob_ev_set_merge(struct bob_ev_set *o, const struct bob_ev_set *from)
{
	struct call c = { .from = from->set };

	return !o->is_lost && !from->is_lost && call(&c, o, MERGE) && c.ok;
}

bool bob_ev_set_pack(struct bob_ev_set *o, void *to, size_t capacity, size_t *size)
{
	struct call c = { .to = to, .len = capacity };

	if (o->is_lost || !call(&c, o, PACK))
		return false;
	if (c.size > BOB_EV_PACKED_MAX) {
		say(&c, "said that it needs more than 256 MB", "the set is lost");
		o->is_lost = true;
	}
	*size = c.size;
	return !o->is_lost;
}

bool bob_ev_set_unpack(struct bob_ev_set *o, const void *bytes, size_t len)
{
	struct call c = { .from = bytes, .len = len };

	o->set = call(&c, o, UNPACK) ? c.set : NULL;
	return o->set != NULL;
}

bool bob_ev_set_can_add_packed(const struct bob_ev_set *o)
{
	const struct bob_value_set *ops = bob_ev_set_ops(o);

	return ops->size >= sizeof(*ops) && ops->add_packed;
}

bool bob_ev_set_add_packed(struct bob_ev_set *o, const void *bytes, size_t len)
{
	struct call c = { .from = bytes, .len = len };

	return !o->is_lost && call(&c, o, ADD_PACKED) && c.ok;
}

size_t bob_ev_set_print(struct bob_ev_set *o, char *to, size_t capacity)
{
	struct call c = { .to = to, .len = capacity };

	return !o->is_lost && bob_ev_set_ops(o)->print && call(&c, o, PRINT) ? c.size : 0;
}

void bob_ev_set_destroy(struct bob_ev_set *o)
{
	struct call c = { .set = NULL };

	if (!o->is_lost) /* otherwise its state is unknown */
		call(&c, o, DESTROY);
}

void bob_ev_set_result(struct bob_ev_set *o)
{
	struct call c = { .set = NULL };

	if (!o->is_lost && bob_ev_set_ops(o)->result)
		call(&c, o, RESULT);
}
