/* SPDX-License-Identifier: BSD-3-Clause */
/* Value sets of hooks: each thread has a table (sets.h), merged into the process's table when the
 * thread ends; processes' tables are merged by unite.c. Functions of the sets own their memory.
 *
 * Locks: a thread marks its table as busy while it changes it; a lock guards the process's
 * table. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/varint.h"
#include "events/guard.h"
#include "events/ranks.h"
#include "events/sets.h"

#define TURNS_MAX 100000u	/* polls while another thread has a table */
#define TEXT_MAX 4096u		/* bytes of a set's text */

static struct bob_ev_sets *ours; /* the process's table */
static struct bob_ev_sets *threads; /* tables of live threads */
static struct bob_ev_lock lock;
static pid_t of;		/* process that owns them: a fork child has none */
static bool finished;		/* results have been passed to hooks */
/* data and sets that were dropped: no memory, or refused by the set's functions */
static uint64_t lost;
/* Tables that the calling thread holds while it calls user functions. */
static __thread struct bob_ev_sets *entered;
static __thread bool has_lock;

static void lose(void)
{
	__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
}

/* --- tables of threads and of the process --- */

/* Requires the lock. Drops a parent's tables in a fork child. */
static void need_process(void)
{
	if (of == getpid())
		return;
	ours = NULL;
	threads = NULL;
	finished = false;
	of = getpid();
}

/* Takes a table: the thread's own, or another thread's while gathering. False: timeout. */
static bool enter(struct bob_ev_sets *s)
{
	entered = s;
	for (uint32_t i = 0; __atomic_exchange_n(&s->busy, 1, __ATOMIC_ACQUIRE); i++) {
		if (i == TURNS_MAX) {
			entered = NULL;
			return false;
		}
		sched_yield();
	}
	return true;
}

static void leave(struct bob_ev_sets *s)
{
	entered = NULL;
	__atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
}

/* A jump has left a user function: releases what the calling thread holds. True: the thread was
 * recording an event, and is not recorded any more. */
static bool come_back(void)
{
	const uint32_t which = bob_ev_guards_left();

	if (which & BOB_EV_GUARDED_SETS) {
		if (entered)
			leave(entered);
		if (has_lock)
			bob_ev_unlock(&lock);
		has_lock = false;
		lose();
	}
	if (which & BOB_EV_GUARDED_TRANSPORT)
		bob_ev_transport_left();
	return which & BOB_EV_GUARDED_WITHIN;
}

bool bob_ev_sets_left(void)
{
	const bool is_left = come_back() || bob_ev_thread_left();

	if (is_left)
		bob_ev_depth = 0;
	return is_left;
}

/* False: the calling thread is already inside, in a user function that contains events or ends the
 * process. */
static bool may_come(void)
{
	if (bob_ev_guard_is_inside(BOB_EV_GUARDED_SETS))
		return false;
	(void)come_back();
	return true;
}

static bool begin(void)
{
	has_lock = may_come();
	if (has_lock)
		bob_ev_lock(&lock);
	return has_lock;
}

static void end(void)
{
	has_lock = false;
	bob_ev_unlock(&lock);
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

	if (!may_come()) {
		lose();
		return;
	}
	t->sets = t->sets ? t->sets : open_sets();
	if (!t->sets || !enter(t->sets)) {
		lose();
		return;
	}
	o = path && path->depth ? bob_ev_sets_find_place(t->sets, event, hook, phase, path) :
				  bob_ev_sets_find(t->sets, event, hook, phase, NULL, 0);
	if (!o || !bob_ev_set_add(o, data))
		lose();
	leave(t->sets);
}

/* Requires the lock. The process's table; NULL: out of memory. */
static struct bob_ev_sets *process_sets(void)
{
	need_process();
	ours = ours ? ours : bob_ev_map(sizeof(*ours));
	return ours;
}

/* Requires the lock. Merges the set into the process's and destroys it, or moves it there if that
 * has none. */
static void unite(struct bob_ev_set *from)
{
	struct bob_ev_sets *all = process_sets();
	struct bob_ev_set *o = all ? bob_ev_sets_look(all, from) : NULL;

	if (all && !o && bob_ev_sets_adopt(all, from))
		return;
	if (!o || !bob_ev_set_merge(o, from))
		lose();
	bob_ev_set_destroy(from);
}

/* Requires the lock. Each set is marked as lost before user functions see it, so none is taken
 * twice. */
static void take_all(struct bob_ev_sets *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct bob_ev_set o = s->one[i];

		s->one[i].is_lost = true;
		if (!o.is_lost)
			unite(&o);
	}
	bob_ev_sets_empty(s);
}

void bob_ev_sets_end(struct bob_ev_thread *t)
{
	struct bob_ev_sets *s = t->sets, **at = &threads;

	if (!s || !begin())
		return;
	need_process();
	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	t->sets = NULL;
	take_all(s);
	end();
	bob_ev_unmap(s, sizeof(*s));
}

void bob_ev_sets_gather(void)
{
	if (of != getpid() || !begin())
		return;
	need_process();
	for (struct bob_ev_sets *s = threads; s; s = s->next) {
		if (!enter(s))
			continue;
		take_all(s);
		leave(s);
	}
	end();
}

/* --- coding: value_sets.h --- */

struct bytes {
	uint8_t *at;		/* mapped */
	size_t len, capacity;
	bool failed;
};

static uint8_t *need(struct bytes *b, size_t n)
{
	if (!b->failed && b->capacity - b->len < n) {
		const size_t capacity = 2 * (b->len + n) + 65536;
		uint8_t *more = bob_ev_map(capacity);

		b->failed = !more;
		if (more && b->at)
			memcpy(more, b->at, b->len);
		if (more) {
			bob_ev_unmap(b->at, b->capacity);
			b->at = more;
			b->capacity = capacity;
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

/* Packs a set directly into the free space, which mostly suffices, and puts its length before
 * it. */
static bool put_packed(struct bytes *b, struct bob_ev_set *o)
{
	uint8_t *to = need(b, BOB_VARINT_MAX), length[BOB_VARINT_MAX];
	const size_t capacity = to ? b->capacity - b->len - BOB_VARINT_MAX : 0;
	size_t n, again, bytes;

	if (!to || !bob_ev_set_pack(o, to + BOB_VARINT_MAX, capacity, &n))
		return false;
	if (n > capacity) {
		to = need(b, n + BOB_VARINT_MAX);
		if (!to || !bob_ev_set_pack(o, to + BOB_VARINT_MAX, n, &again) || again != n)
			return false;
	}
	bytes = bob_varint_put(length, n);
	memcpy(to, length, bytes);
	memmove(to + bytes, to + BOB_VARINT_MAX, n);
	b->len += bytes + n;
	return true;
}

/* A set that cannot be packed is omitted. */
static void put_one(struct bytes *b, struct bob_ev_set *o)
{
	const struct bob_value_set *ops = bob_ev_set_ops(o);
	const size_t before = b->len;
	const char *hook = bob_ev_hook(o->hook)->name;
	char text[TEXT_MAX];
	size_t n;

	put_text(b, hook ? hook : "", hook ? strlen(hook) : 0);
	put_text(b, o->event, strlen(o->event));
	put(b, o->phase | (o->depth ? 2 : 0));
	if (o->depth)
		put_calls(b, o);
	put(b, ops == &bob_ev_numbers ? BOB_SET_NUMBERS : BOB_SET_OWN);
	if (!put_packed(b, o)) {
		lose();
		b->len = before;
		return;
	}
	n = bob_ev_set_print(o, text, sizeof(text));
	put_text(b, text, n < sizeof(text) ? n : 0);
}

/* Requires the lock. */
static void *pack_ours(size_t *len, size_t *size)
{
	struct bytes b = { 0 };

	for (uint32_t i = 0; i < ours->count; i++)
		put_one(&b, &ours->one[i]);
	if (b.failed) {
		lose();
		bob_ev_unmap(b.at, b.capacity);
		return NULL;
	}
	*len = b.len;
	*size = b.capacity;
	return b.at;
}

void *bob_ev_sets_pack(size_t *len, size_t *size)
{
	void *bytes;

	*len = 0;
	if (!ours || of != getpid() || !begin())
		return NULL;
	bytes = pack_ours(len, size);
	end();
	return bytes;
}

/* Finds this process's hook of that name: numbers may differ between processes. */
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

/* Keeps the bytes of sets that cannot be unpacked here, as their rank wrote them. */
static void keep(const uint8_t *bytes, size_t len)
{
	static uint8_t said;

	if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
		bob_ev_log("sets of other ranks are as these have written them: "
			   "here they could not be taken apart\n");
	bob_ev_sets_put_alone(bytes, len);
}

/* Requires the lock. */
static bool take_apart(struct bob_ev_set *like, const void *bytes, size_t len)
{
	if (!bob_ev_set_unpack(like, bytes, len))
		return false;
	unite(like);
	return true;
}

/* Requires the lock. The set to which packed bytes can be added directly; NULL: none, or its
 * functions cannot. */
static struct bob_ev_set *adds_packed(const struct bob_ev_set *like)
{
	struct bob_ev_sets *all = process_sets();
	struct bob_ev_set *o = all ? bob_ev_sets_look(all, like) : NULL;

	return o && bob_ev_set_can_add_packed(o) ? o : NULL;
}

/* Adds a set. `whole` is its coding with the key, kept if it cannot be unpacked here; a set added
 * in part is not kept as well. */
static bool take(const struct bob_set *s, const uint8_t *whole, size_t whole_len)
{
	struct bob_set_call call[BOB_SET_DEPTH_MAX];
	struct bob_ev_set like = { .phase = s->phase, .depth = s->depth, .call = call }, *o;
	bool all;

	if (s->event_len >= sizeof(like.event) || !hook_named(s, &like.hook)) {
		keep(whole, whole_len);
		return false;
	}
	memcpy(like.event, s->event, s->event_len);
	bob_set_calls(s, call);
	if (!begin())
		return false;
	o = adds_packed(&like);
	all = o ? bob_ev_set_add_packed(o, s->bytes, s->len) : take_apart(&like, s->bytes, s->len);
	if (o && !all)
		lose();
	end();
	if (!o && !all)
		keep(whole, whole_len);
	return all;
}

bool bob_ev_sets_unite(const void *bytes, size_t len)
{
	const uint8_t *at = bytes, *end = at + len;
	struct bob_set s;
	bool all = true;
	bob_status st;

	for (const uint8_t *from = at; (st = bob_set_next(&at, end, &s)) == BOB_OK; from = at)
		all &= take(&s, from, (size_t)(at - from));
	if (st != BOB_END)
		lose();
	return all && st == BOB_END;
}

/* --- end of the process --- */

static void drop(struct bob_ev_sets *s)
{
	bob_ev_sets_empty(s);
	bob_ev_unmap(s, sizeof(*s));
}

/* Everything after this belongs to this process alone. */
static void drop_ours(void)
{
	struct bob_ev_sets *s = ours;

	ours = NULL;
	drop(s);
}

void bob_ev_sets_given(bool are_there)
{
	finished = true;
	if (!are_there)
		bob_ev_sets_write();
	else if (ours && may_come())
		drop_ours();
}

static void say_lost(void)
{
	if (lost)
		bob_ev_log(
			"data of hooks were lost: there was no space, or their set refused them\n");
}

/* A set that is packed later is written later. */
static void write_ours(bool go_on)
{
	size_t len, size;
	uint8_t *bytes;

	if (!ours || of != getpid() || !begin())
		return;
	bytes = pack_ours(&len, &size);
	if (bytes)
		bob_ev_sets_put(bytes, len);
	end();
	if (bytes)
		bob_ev_unmap(bytes, size);
	if (!go_on)
		drop_ours();
}

void bob_ev_sets_write(void)
{
	if (bob_ev_guard_is_inside(BOB_EV_GUARDED_SETS))
		bob_ev_log("a function of a hook's sets has ended the process: "
			   "what was not written before is lost\n");
	else if (ours && of == getpid())
		say_lost();
	write_ours(false);
}

void bob_ev_sets_save(void)
{
	write_ours(true);
}

void bob_ev_sets_flush(void)
{
	if (!begin())
		return;
	bob_ev_sets_name();
	end();
	bob_ev_sets_gather();
	bob_ev_sets_save();
}

/* Writes everything to the file before any function gets a result, since it may not return. */
void bob_ev_sets_finish(void)
{
	const bool had_results = finished;
	struct bob_ev_sets *s;

	if (of != getpid() || !may_come())
		return;
	if (!ours) {
		say_lost();
		return;
	}
	finished = true;
	write_ours(true);
	bob_ev_sets_unname();
	s = ours;
	ours = NULL;
	for (uint32_t i = 0; i < s->count && !had_results; i++)
		bob_ev_set_result(&s->one[i]);
	drop(s);
	say_lost();
}
