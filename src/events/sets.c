/* SPDX-License-Identifier: BSD-3-Clause */
/* What hooks bring: value sets of each thread (sets.h), united in the process's when the thread ends, and these with other
 * processes' (src/mpi). Memory of sets is their makers'. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/varint.h"
#include "events/sets.h"

#define TURNS_MAX 100000u	/* of waiting for who has a thread's sets */
#define TEXT_MAX 4096u		/* bytes of a set's text */

static struct bob_ev_sets *ours; /* the process's */
static struct bob_ev_sets *threads; /* of threads that live */
static struct bob_ev_lock lock;
static pid_t of;		/* whose they are: a fork child has none */
static bool finished;		/* hooks have had their results */
static uint64_t lost;		/* data, or sets, for which there was no room, or that somebody refused */

static void lose(void)
{
	__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
}

/* --- of a thread, of the process --- */

/* The lock is held. A fork child has nothing. */
static void need_process(void)
{
	if (of == getpid())
		return;
	ours = NULL;
	threads = NULL;
	finished = false;
	of = getpid();
}

/* A thread's own, or all threads' by one that gathers. False: who has them does not come to an end. */
static bool enter(struct bob_ev_sets *s)
{
	for (uint32_t i = 0; __atomic_exchange_n(&s->busy, 1, __ATOMIC_ACQUIRE); i++) {
		if (i == TURNS_MAX)
			return false;
		sched_yield();
	}
	return true;
}

static void leave(struct bob_ev_sets *s)
{
	__atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
}

static struct bob_ev_sets *open_sets(void)
{
	struct bob_ev_sets *s = bob_ev_map(sizeof(*s));

	if (!s)
		return NULL;
	bob_ev_lock(&lock);
	need_process();
	s->next = threads;
	threads = s;
	bob_ev_unlock(&lock);
	return s;
}

void bob_ev_sets_add(struct bob_ev_thread *t, const char *event, const struct bob_ev_path *path,
		     uint32_t hook, uint32_t phase, const union bob_datum *data)
{
	struct bob_ev_set *o;

	t->sets = t->sets ? t->sets : open_sets();
	if (!t->sets || !enter(t->sets)) {
		lose();
		return;
	}
	o = path && path->depth ? bob_ev_sets_find_place(t->sets, event, hook, phase, path) :
				  bob_ev_sets_find(t->sets, event, hook, phase, NULL, 0);
	if (!o || !bob_ev_set_ops(o)->add(bob_ev_set_ctx(o), o->set, data))
		lose();
	leave(t->sets);
}

/* The lock is held. What `like` has stays whose it is. */
static void unite(const struct bob_ev_set *like)
{
	struct bob_ev_set *o = NULL;

	need_process();
	ours = ours ? ours : bob_ev_map(sizeof(*ours));
	if (ours)
		o = bob_ev_sets_find(ours, like->event, like->hook, like->phase, like->call,
				     like->depth);
	if (!o || !bob_ev_set_ops(o)->merge(bob_ev_set_ctx(o), o->set, like->set))
		lose();
}

/* The lock is held. */
static void take_all(struct bob_ev_sets *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		unite(&s->one[i]);
	bob_ev_sets_empty(s);
}

void bob_ev_sets_end(struct bob_ev_thread *t)
{
	struct bob_ev_sets *s = t->sets, **at = &threads;

	if (!s)
		return;
	bob_ev_lock(&lock);
	need_process();
	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	t->sets = NULL;
	take_all(s);
	bob_ev_unlock(&lock);
	bob_ev_unmap(s, sizeof(*s));
}

void bob_ev_sets_gather(void)
{
	if (of != getpid())
		return;
	bob_ev_lock(&lock);
	need_process();
	for (struct bob_ev_sets *s = threads; s; s = s->next) {
		if (!enter(s))
			continue;
		take_all(s);
		leave(s);
	}
	bob_ev_unlock(&lock);
}

/* --- bytes: value_sets.h --- */

struct bytes {
	uint8_t *at;		/* mapped */
	size_t len, room;
	bool failed;
};

static uint8_t *need(struct bytes *b, size_t n)
{
	if (!b->failed && b->room - b->len < n) {
		const size_t room = 2 * (b->len + n) + 65536;
		uint8_t *more = bob_ev_map(room);

		b->failed = !more;
		if (more && b->at)
			memcpy(more, b->at, b->len);
		if (more) {
			bob_ev_unmap(b->at, b->room);
			b->at = more;
			b->room = room;
		}
	}
	return b->failed ? NULL : b->at + b->len;
}

static void put(struct bytes *b, uint64_t v)
{
	uint8_t *to = need(b, BOB_VARINT_MAX);

	if (to)
		b->len += bob_varint_put(to, v);
}

static void put_text(struct bytes *b, const char *text, size_t n)
{
	uint8_t *to;

	put(b, n);
	to = need(b, n);
	if (to && n)
		memcpy(to, text, n);
	b->len += to ? n : 0;
}

static void put_calls(struct bytes *b, const struct bob_ev_set *o)
{
	uint8_t *to = need(b, (o->depth + 1ull) * BOB_SET_CALLS_BYTES);

	if (to)
		b->len += bob_set_put_calls(to, o->call, o->depth);
}

static void put_one(struct bytes *b, const struct bob_ev_set *o)
{
	const struct bob_value_set *ops = bob_ev_set_ops(o);
	const char *hook = bob_ev_hook(o->hook)->name;
	char text[TEXT_MAX];
	size_t n;
	uint8_t *to;

	put_text(b, hook ? hook : "", hook ? strlen(hook) : 0);
	put_text(b, o->event, strlen(o->event));
	put(b, o->phase | (o->depth ? 2 : 0));
	if (o->depth)
		put_calls(b, o);
	put(b, ops == &bob_ev_numbers ? BOB_SET_NUMBERS : BOB_SET_OWN);
	n = ops->pack(bob_ev_set_ctx(o), o->set, NULL, 0);
	put(b, n);
	to = need(b, n);
	if (to && ops->pack(bob_ev_set_ctx(o), o->set, to, n) == n)
		b->len += n;
	else
		b->failed = true;
	n = ops->print ? ops->print(bob_ev_set_ctx(o), o->set, text, sizeof(text)) : 0;
	put_text(b, text, n < sizeof(text) ? n : 0);
}

void *bob_ev_sets_pack(size_t *len, size_t *size)
{
	struct bytes b = { 0 };

	*len = 0;
	if (!ours || of != getpid())
		return NULL;
	bob_ev_lock(&lock);
	for (uint32_t i = 0; i < ours->count; i++)
		put_one(&b, &ours->one[i]);
	bob_ev_unlock(&lock);
	if (b.failed) {
		lose();
		bob_ev_unmap(b.at, b.room);
		return NULL;
	}
	*len = b.len;
	*size = b.room;
	return b.at;
}

/* Our own hook of that name; they may have been added in another order. */
static bool hook_named(const struct bob_set *s, uint32_t *number)
{
	for (*number = 0; *number < bob_ev_hook_count; ++*number) {
		const struct bob_hook *h = bob_ev_hook(*number);
		const char *name = h->name ? h->name : "";

		if ((s->kind == BOB_SET_OWN) == (h->set != NULL) && strlen(name) == s->hook_len &&
		    !memcmp(name, s->hook, s->hook_len))
			return true;
	}
	return false;
}

static bool take(const struct bob_set *s)
{
	struct bob_set_call call[BOB_SET_DEPTH_MAX];
	struct bob_ev_set like = { .phase = s->phase, .depth = s->depth, .call = call };

	if (s->event_len >= sizeof(like.event) || !hook_named(s, &like.hook)) {
		lose();
		return false;
	}
	memcpy(like.event, s->event, s->event_len);
	bob_set_calls(s, call);
	like.set = bob_ev_set_ops(&like)->unpack(bob_ev_set_ctx(&like), s->bytes, s->len);
	if (!like.set) {
		lose();
		return false;
	}
	bob_ev_lock(&lock);
	unite(&like);
	bob_ev_unlock(&lock);
	bob_ev_set_ops(&like)->destroy(bob_ev_set_ctx(&like), like.set);
	return true;
}

bool bob_ev_sets_unite(const void *bytes, size_t len)
{
	const uint8_t *at = bytes, *end = at + len;
	struct bob_set s;
	bool all = true;
	bob_status st;

	while ((st = bob_set_next(&at, end, &s)) == BOB_OK)
		all &= take(&s);
	if (st != BOB_END)
		lose();
	return all && st == BOB_END;
}

/* --- the end --- */

/* What comes behind that is of this process alone. */
static void drop(void)
{
	struct bob_ev_sets *s = ours;

	ours = NULL;
	bob_ev_sets_empty(s);
	bob_ev_unmap(s, sizeof(*s));
}

void bob_ev_sets_given(bool are_there)
{
	finished = true;
	if (!are_there)
		bob_ev_sets_write();
	else if (ours)
		drop();
}

static void say_lost(void)
{
	if (lost)
		bob_ev_log(
			"data of hooks were lost: there was no room, or their set refused them\n");
}

static void write_ours(bool go_on)
{
	size_t len, size;
	uint8_t *bytes;

	if (!ours || of != getpid())
		return;
	bytes = bob_ev_sets_pack(&len, &size);
	if (!go_on)
		drop();
	if (!bytes)
		return;
	bob_ev_sets_put(bytes, len);
	bob_ev_unmap(bytes, size);
}

void bob_ev_sets_write(void)
{
	if (ours && of == getpid())
		say_lost();
	write_ours(false);
}

void bob_ev_sets_save(void)
{
	write_ours(true);
}

void bob_ev_sets_finish(void)
{
	if (!ours || of != getpid())
		return;
	for (uint32_t i = 0; i < ours->count && !finished; i++) {
		const struct bob_ev_set *o = &ours->one[i];

		if (bob_ev_set_ops(o)->result)
			bob_ev_set_ops(o)->result(bob_ev_set_ctx(o), o->event, o->phase, o->set);
	}
	finished = true;
	bob_ev_sets_write();
}
