/* SPDX-License-Identifier: BSD-3-Clause */
/* Call path of an event, in the time of a few loads. For each pair of return address and canonical
 * frame address of a wrapper, the unwinder runs once and yields the stack slots of all callers'
 * return addresses. As long as the same values are in these slots, the path is the same, by
 * induction: a frame has a fixed size at a call. Only a frame of variable size (alloca) could have
 * the same addresses and values with another size. Measured: 8 to 20 ns, against 1.6 to 4 us of the
 * unwinder.
 *
 * Frames that are in no chosen image (libc, MPI's and Fortran's libraries, Bobbin's own) are not
 * part of a path; nor is the program's entry point. The folder folds recursion later. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>
#include <unwind.h>

#include "base/varint.h"
#include "archive/events/user_key.h"
#include "events/recorder.h"

#define MEMO 4096u		/* entries; a power of two */
#define MEMO_TRIES 4u
#define SLOTS_MAX (1u << 20)	/* over all entries */
#define KNOWN 65536u		/* definitions by path; a power of two */
#define IGNORED (~0u)		/* in place of a definition's number */
#define CALLER_SLOTS 2u		/* the wrapper's return address, and its caller's */
#define ENTRY_CODE 64u		/* bytes of _start that may contain its call of libc */

struct slot {
	const uint64_t *at;
	uint64_t value;
};

struct memo {
	const void *caller, *cfa;
	uint32_t what;
	uint32_t number;	/* of the definition */
	uint32_t first, count;	/* slots */
	uint64_t frame;		/* location of the caller's own return address; 0: unknown */
};

struct known {
	uint64_t hash;
	uint32_t number;	/* + 1; 0: free */
	uint32_t reserved;
};

struct bob_ev_sites {
	uint32_t slots, known_count;
	bool nowhere;		/* --no-callsites: events have no call path */
	struct memo memo[MEMO];
	struct known known[KNOWN];
	struct slot slot[SLOTS_MAX];
};

struct bob_ev_sites *bob_ev_sites_open(void)
{
	struct bob_ev_sites *s = bob_ev_map(sizeof(*s));
	const char *wanted = bob_ev_agent->setting("BOBBIN_CALLSITES");

	if (s)
		s->nowhere = wanted && !strcmp(wanted, "0");
	return s;
}

void bob_ev_sites_close(struct bob_ev_sites *s)
{
	bob_ev_unmap(s, sizeof(*s));
}

static void forget(struct bob_ev_thread *t)
{
	struct bob_ev_sites *s = t->sites;

	memset(s->memo, 0, sizeof(s->memo));
	memset(s->known, 0, sizeof(s->known));
	s->slots = s->known_count = 0;
	t->sites_age++;
}

/* --- unwinding --- */

struct walk {
	const void *caller, *cfa;
	bool found;		/* the wrapper's caller */
	bool near;		/* no path, only the frames that `least` demands */
	bool pathless;		/* no path, but visit all frames */
	bool after_hook;	/* the previous frame was a hooked function's return stub */
	uint32_t least;		/* number of frames whose slots are always needed */
	uint32_t frames;
	uint32_t slots, capacity;	/* of the path; none after the last kept frame */
	struct slot *slot;
	uint32_t needed;
	uint64_t place[BOB_EVENT_DEPTH_MAX]; /* innermost first */
	uint32_t depth;
	uint64_t outermost;	/* address of the last kept frame */
	uint64_t frame;		/* location of the caller's own return address; 0: unknown */
	/* function of the innermost frame in a PMPI tool (bob_ev_mpi); 0: none */
	uint32_t tool;
};

static const uint64_t *return_address_at(const struct walk *w, uint64_t place)
{
	return (const uint64_t *)(uintptr_t)(w->after_hook ? place ^ bob_ev_agent->hooked_far :
							     place);
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg)
{
	struct walk *w = arg;
	uint64_t ip = (uint64_t)_Unwind_GetIP(context), cfa = (uint64_t)_Unwind_GetCFA(context);
	uint64_t place;

	w->found |= ip == (uint64_t)(uintptr_t)w->caller && cfa == (uint64_t)(uintptr_t)w->cfa;
	if (!w->found)
		return _URC_NO_REASON;
	if (!ip || w->slots == w->capacity)
		return _URC_END_OF_STACK;
	if (w->after_hook) /* the stub's frame is 8 bytes larger: agent/streams.h */
		cfa -= 8;
	w->slot[w->slots++] = (struct slot){ return_address_at(w, cfa - 8), ip };
	w->after_hook = ip == bob_ev_agent->hooked_return;
	if (w->after_hook)
		return _URC_NO_REASON;
	if (++w->frames == CALLER_SLOTS)
		w->frame = cfa - 8;
	if (w->frames == w->least)
		w->needed = w->slots;
	if (!w->tool && bob_ev_mpi && (w->tool = bob_ev_mpi->tool_at(ip - 1))) {
		w->depth = 0;
		w->needed = w->slots;
		return _URC_NO_REASON;
	}
	if (w->near)
		return w->frames < w->least ? _URC_NO_REASON : _URC_END_OF_STACK;
	if (w->pathless) {
		w->needed = w->slots;
		return _URC_NO_REASON;
	}
	place = bob_ev_agent->place(ip - 1);
	if (place == BOB_AGENT_NO_PLACE)
		return _URC_NO_REASON;
	if (w->depth == BOB_EVENT_DEPTH_MAX)
		return _URC_END_OF_STACK;
	w->place[w->depth++] = place;
	w->needed = w->slots < w->needed ? w->needed : w->slots;
	w->outermost = ip;
	return _URC_NO_REASON;
}

static void walk(struct walk *w)
{
	_Unwind_Backtrace(visit, w);
	if (!w->found) { /* without frame information, at least the call itself */
		uint64_t ip = (uint64_t)(uintptr_t)w->caller;

		w->slot[0] = (struct slot){ (const uint64_t *)(uintptr_t)w->cfa - 1, ip };
		w->needed = 1;
		if (w->pathless)
			return;
		w->place[0] = bob_ev_agent->place(ip - 1);
		w->depth = w->place[0] != BOB_AGENT_NO_PLACE;
	} else if (w->depth > 1 && w->outermost - getauxval(AT_ENTRY) < ENTRY_CODE) {
		w->depth--;
	}
}

static _Unwind_Reason_Code visit_for_tool(struct _Unwind_Context *context, void *arg)
{
	struct walk *w = arg;
	const uint64_t ip = (uint64_t)_Unwind_GetIP(context);

	w->found |= ip == (uint64_t)(uintptr_t)w->caller;
	if (!w->found)
		return _URC_NO_REASON;
	w->tool = bob_ev_mpi->tool_at(ip - 1);
	return w->tool ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool bob_ev_is_of_tool(uint32_t what, const void *caller)
{
	struct walk w = { .caller = caller };

	if (bob_ev_mpi->has_tools())
		_Unwind_Backtrace(visit_for_tool, &w);
	return w.tool && w.tool != what + 1;
}

/* --- definitions --- */

static uint64_t hash_of(uint32_t what, const uint64_t *place, uint32_t depth)
{
	uint64_t h = (what + 1ull) *
		     0xd1b54a32d192ed03u; /* spreads: neighbouring places differ in few bits */

	for (uint32_t i = 0; i < depth; i++) {
		h = (h ^ place[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h ? h : 1;
}

static bool says_the_same(const struct bob_ev_thread *t, uint32_t number,
			  const struct bob_event_def *d)
{
	struct bob_event_def there;

	return bob_event_writer_says(t->writer, number, &there) == BOB_OK &&
	       there.key_len == d->key_len && there.depth == d->depth &&
	       !memcmp(there.key, d->key, d->key_len) &&
	       (!d->depth || !memcmp(there.place, d->place, d->depth * sizeof(*d->place)));
}

/* The definition, or the free slot for it. */
static struct known *find_known(const struct bob_ev_thread *t, uint64_t hash,
				const struct bob_event_def *d)
{
	struct known *k;

	for (uint64_t at = hash >> 48;; at = (at + 1) % KNOWN) {
		k = &t->sites->known[at];
		if (!k->number || (k->hash == hash && says_the_same(t, k->number - 1, d)))
			return k;
	}
}

/* Key of an event, and layout of its words. */
static void describe(uint32_t what, uint8_t key[BOB_EVENT_KEY_MAX], struct bob_event_def *d)
{
	if (what < BOB_EV_USER) {
		d->key_len = (uint32_t)bob_varint_put(key, what);
		d->layout = *bob_ev_mpi->layout(what);
	} else {
		const struct bob_user_key *k = bob_ev_user(what);
		const enum bob_user_phase phase = bob_ev_user_phase(what);

		d->key_len = bob_user_encode(k, phase, key);
		bob_user_layout(k, phase, &d->layout);
	}
}

/* An event of the program may contain others: definitions of its phases follow directly, in the
 * order of phases. */
static bob_status define_all(struct bob_ev_thread *t, uint32_t what, const struct bob_event_def *d,
			     uint32_t *number)
{
	bob_status st = bob_event_writer_define(t->writer, d, number);
	uint8_t key[BOB_EVENT_KEY_MAX];
	struct bob_event_def part = { .key = key, .depth = d->depth, .place = d->place };
	uint32_t next;

	if (what < BOB_EV_USER || bob_ev_user_phase(what) != BOB_USER_WHOLE)
		return st;
	for (uint32_t phase = BOB_USER_BEGIN; phase <= BOB_USER_END && st == BOB_OK; phase++) {
		describe(bob_ev_user_what(bob_ev_user_id(what), phase), key, &part);
		st = bob_event_writer_define(t->writer, &part, &next);
	}
	return st;
}

static bob_status define(struct bob_ev_thread *t, uint32_t what, const struct walk *w,
			 uint32_t *number)
{
	struct bob_ev_sites *s = t->sites;
	uint64_t hash = hash_of(what, w->place, w->depth);
	uint64_t outer_first[BOB_EVENT_DEPTH_MAX];
	uint8_t key[BOB_EVENT_KEY_MAX];
	struct bob_event_def d = { .key = key, .depth = w->depth, .place = outer_first };
	struct known *k;
	bob_status st;

	for (uint32_t i = 0; i < w->depth; i++)
		outer_first[i] = w->place[w->depth - 1 - i];
	describe(what, key, &d);
	k = find_known(t, hash, &d);
	if (k->number) {
		*number = k->number - 1;
		return BOB_OK;
	}
	st = s->known_count < KNOWN - 1 ? define_all(t, what, &d, number) : BOB_ERR_FULL;
	if (st == BOB_ERR_FULL) {
		st = bob_event_writer_forget(t->writer);
		forget(t);
		k = find_known(t, hash, &d);
		if (st == BOB_OK)
			st = define_all(t, what, &d, number);
	}
	if (st == BOB_OK) {
		*k = (struct known){ hash, *number + 1, 0 };
		s->known_count++;
	}
	return st;
}

/* --- memo --- */

/* Callers are visited even if no path is requested. */
static bool may_be_of_tool(uint32_t what)
{
	return what < BOB_EV_USER && bob_ev_mpi->has_tools();
}

static bob_status look_closer(struct bob_ev_thread *t, uint32_t what, bool nowhere,
			      const void *caller, const void *cfa, struct memo *place,
			      uint32_t *number, uint64_t *frame)
{
	struct bob_ev_sites *s = t->sites;
	struct walk w = { .caller = caller, .cfa = cfa, .near = nowhere && !may_be_of_tool(what),
			  .pathless = nowhere,
			  .least = t->places ? CALLER_SLOTS : 0 };
	bob_status st = BOB_OK;

	if (SLOTS_MAX - s->slots < 2 * BOB_EVENT_DEPTH_MAX) {
		memset(s->memo, 0, sizeof(s->memo));
		s->slots = 0;
	}
	if (bob_ev_mpi && bob_ev_mpi->ignores(caller, what)) {
		*place = (struct memo){ caller, cfa, what, IGNORED, s->slots, 0, 0 };
		return BOB_NONE;
	}
	w.slot = s->slot + s->slots;
	w.capacity = 2 * BOB_EVENT_DEPTH_MAX;
	if (cfa)
		walk(&w);
	if (w.tool && what < BOB_EV_USER && w.tool != what + 1)
		*number = IGNORED;
	else
		st = define(t, what, &w, number);
	if (st != BOB_OK)
		return st;
	if (w.slot != s->slot + s->slots) { /* all entries were dropped */
		memmove(s->slot, w.slot, w.needed * sizeof(*w.slot));
	}
	*frame = w.least ? w.frame : 0;
	*place = (struct memo){ caller, cfa, what, *number, s->slots, w.needed, *frame };
	s->slots += w.needed;
	return *number == IGNORED ? BOB_NONE : BOB_OK;
}

struct look {
	struct bob_ev_thread *t;
	uint32_t what;
	bool nowhere;
	const void *caller, *cfa;
	struct memo *place;
	uint32_t *number;
	uint64_t *frame;
	bob_status result;
};

static void look_on_area(void *arg)
{
	struct look *l = arg;

	l->result = look_closer(l->t, l->what, l->nowhere, l->caller, l->cfa, l->place, l->number,
				l->frame);
}

/* Hot path: a load and a comparison per frame. */
static bool still_holds(const struct bob_ev_sites *s, const struct memo *m)
{
	const struct slot *at = s->slot + m->first;

	for (uint32_t i = 0; i < m->count; i++)
		if (*at[i].at != at[i].value)
			return false;
	return true;
}

static inline uint64_t memo_hash(const void *caller, const void *cfa, uint32_t what)
{
	return ((uint64_t)(uintptr_t)caller ^ (uint64_t)(uintptr_t)cfa * 31 ^ what) *
	       0x9e3779b97f4a7c15u;
}

static inline bool is_it(const struct memo *m, const void *caller, const void *cfa, uint32_t what)
{
	return m->caller == caller && m->cfa == cfa && m->what == what;
}

static inline bob_status take_memo(const struct memo *m, uint32_t *number, uint64_t *frame)
{
	*number = m->number;
	*frame = m->frame;
	return m->number == IGNORED ? BOB_NONE : BOB_OK;
}

/* Slow path: all memo entries but the first, then the unwinder. */
static __attribute__((noinline)) bob_status search(struct bob_ev_thread *t, uint32_t what,
						   bool nowhere, const void *caller,
						   const void *cfa, uint32_t *number,
						   uint64_t *frame)
{
	struct bob_ev_sites *s = t->sites;
	const uint64_t h = memo_hash(caller, cfa, what);
	struct memo *old = NULL;

	for (uint32_t i = 0; i < MEMO_TRIES; i++) {
		struct memo *m = &s->memo[((h >> 52) + i) & (MEMO - 1)];

		if (is_it(m, caller, cfa, what)) {
			if (still_holds(s, m))
				return take_memo(m, number, frame);
			old = old ? old : m;
		} else if (!m->caller) {
			old = m;
			break;
		}
	}
	*frame = 0;
	/* on the agent's stack: this takes 6 KB, plus libgcc's share for unwinding */
	struct look look = { .t = t,
			     .what = what,
			     .nowhere = nowhere,
			     .caller = caller,
			     .cfa = cfa,
			     .place = old ? old :
					    &s->memo[((h >> 52) + h % MEMO_TRIES) & (MEMO - 1)],
			     .number = number,
			     .frame = frame };
	bob_ev_agent->run_on_area(look_on_area, &look);
	return look.result;
}

bob_status bob_ev_site(struct bob_ev_thread *t, uint32_t what, bool nowhere, const void *caller,
		       const void *cfa, uint32_t *number, uint64_t *frame)
{
	struct bob_ev_sites *s = t->sites;
	const struct memo *m;

	nowhere |= s->nowhere;
	if (nowhere && !t->places && !may_be_of_tool(what)) {
		cfa = NULL;
		if (what >= BOB_EV_USER) /* other events may be a library's own call */
			caller = s;
	}
	m = &s->memo[memo_hash(caller, cfa, what) >> 52];
	if (__builtin_expect(is_it(m, caller, cfa, what) && still_holds(s, m), 1))
		return take_memo(m, number, frame);
	return search(t, what, nowhere, caller, cfa, number, frame);
}
