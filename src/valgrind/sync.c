/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Synchronisation marks (mem/sync.h). Watched superblocks call functions of this file first:
 * superblocks that begin with a synchronisation function of libc or libgomp, at the return of such
 * a call, or with a thread's part of a parallel region. A call's return address is known when the
 * call is made; an existing translation of that superblock is discarded, so that the new one
 * contains the call. */
#include "tool.h"

#include <pub_tool_debuginfo.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_threadstate.h>

#include "mem/sync.h"

/* From Valgrind's core, with which the tool is linked; the headers are not installed. */
typedef struct {
	Addr main;
} SymAVMAs;
Int VG_(DebugInfo_syms_howmany)(const DebugInfo *di);
void VG_(DebugInfo_syms_getidx)(const DebugInfo *di, Int idx, SymAVMAs *avmas, UInt *size,
				const HChar **pri_name, const HChar ***sec_names, Bool *is_text,
				Bool *is_ifunc, Bool *is_global);
void VG_(discard_translations)(Addr start, ULong range, const HChar *who);

#define CALLS_MAX 64		/* open calls of a thread */
#define REGIONS_MAX 64		/* concurrent parallel regions */
#define NAME_MAX_BYTES 64

/* --- watched places --- */

struct place {
	Addr at;		/* 0: free */
	UInt hook;		/* enum bob_sync_hook of an entry */
	Bool returns;		/* a call returns there */
	Bool part;		/* bodies of parallel regions begin there */
};

static struct {
	struct place *place;
	UInt count, capacity;	/* capacity: a power of two, more than count */
} watched;

static struct place *find_place(Addr at)
{
	UInt i = bob_sync_place(at) & (watched.capacity - 1);

	while (watched.place[i].at && watched.place[i].at != at)
		i = (i + 1) & (watched.capacity - 1);
	return &watched.place[i];
}

static void grow_places(void)
{
	struct place *old = watched.place;
	UInt capacity = watched.capacity;

	watched.capacity = capacity ? 2 * capacity : BOB_SYNC_PLACES;
	watched.place = VG_(calloc)("bobbin.sync", watched.capacity, sizeof(*old));
	for (UInt i = 0; i < capacity; i++)
		if (old[i].at)
			*find_place(old[i].at) = old[i];
	VG_(free)(old);
}

static struct place *watch(Addr at)
{
	struct place *p;

	if (2 * watched.count >= watched.capacity)
		grow_places();
	p = find_place(at);
	watched.count += !p->at;
	p->at = at;
	return p;
}

/* Watch the code at `at` from now on. */
static void watch_code(Addr at, Bool part)
{
	struct place *p = watch(at);

	if (part ? p->part : p->returns)
		return;
	if (part)
		p->part = True;
	else
		p->returns = True;
	VG_(discard_translations)(at, 1, "bobbin");
}

static void watch_name(const HChar *name, Addr at)
{
	HChar bare[NAME_MAX_BYTES];
	SizeT n = 0;
	UInt hook;

	for (; name[n] && name[n] != '@' && n < sizeof(bare) - 1; n++)
		bare[n] = name[n];
	bare[n] = 0;
	hook = bob_sync_hook_of(bare);
	if (hook)
		watch(at)->hook = hook;
}

static void watch_names(const DebugInfo *di)
{
	Int n = VG_(DebugInfo_syms_howmany)(di);

	for (Int i = 0; i < n; i++) {
		SymAVMAs at;
		UInt size;
		const HChar *name, **more;
		Bool is_text, is_ifunc, is_global;

		VG_(DebugInfo_syms_getidx)
		(di, i, &at, &size, &name, &more, &is_text, &is_ifunc, &is_global);
		if (!is_text || is_ifunc)
			continue;
		watch_name(name, at.main);
		for (; more && *more; more++)
			watch_name(*more, at.main);
	}
}

void vgb_sync_library(const HChar *path)
{
	for (const DebugInfo *di = VG_(next_DebugInfo)(NULL); di; di = VG_(next_DebugInfo)(di))
		if (!VG_(strcmp)(VG_(DebugInfo_get_filename)(di), path))
			watch_names(di);
}

/* --- threads --- */

/* A call that has not returned. */
struct call {
	Addr to, sp;		/* return address; where it is stored */
	struct bob_sync_call of;
	struct bob_sync_part before; /* if the hook is BOB_HOOKS: this is a part of a region */
};

static struct thread {
	struct bob_sync_thread sync;
	struct call call[CALLS_MAX];
	UInt calls;
	uint64_t child;		/* number of the last created thread, + 1 */
} * threads;

static struct region {
	struct bob_sync_team *team; /* NULL: free */
	Addr function, data;
} regions[REGIONS_MAX];

static struct bob_syncs *syncs;

static void put(void *ctx, enum bob_sync_kind kind, const uint64_t *word, uint32_t words)
{
	vgb_thread_mark((ThreadId)(UWord)ctx, kind, word, words);
}

static struct bob_sync of_thread(ThreadId id)
{
	return (struct bob_sync){ syncs, &threads[id].sync, put, (void *)(UWord)id };
}

/* Thread `child` has number `number`; its parent is in pthread_create, or in another function that
 * is not watched. */
void vgb_sync_thread(ThreadId parent, ThreadId child, uint64_t number)
{
	const struct thread *t = &threads[parent];

	VG_(memset)(&threads[child], 0, sizeof(threads[child]));
	threads[child].sync.number = number;
	for (UInt i = 0; parent && i < t->calls; i++)
		if (t->call[i].of.hook == BOB_HOOK_CREATE) {
			threads[parent].child = number + 1;
			threads[child].child = 1; /* the child puts its mark when it begins */
		}
}

void vgb_sync_begins(ThreadId id)
{
	struct bob_sync s = of_thread(id);

	if (threads[id].child)
		bob_sync_begins(&s);
	threads[id].child = 0;
}

void vgb_sync_forked(ThreadId id)
{
	VG_(memset)(syncs, 0, sizeof(*syncs));
	VG_(memset)(regions, 0, sizeof(regions));
	VG_(memset)(&threads[id], 0, sizeof(threads[id]));
}

void vgb_sync_init(void)
{
	threads = VG_(calloc)("bobbin.sync", VG_N_THREADS, sizeof(*threads));
	syncs = VG_(calloc)("bobbin.sync", 1, sizeof(*syncs));
	grow_places();
}

/* --- calls --- */

static struct call *push(struct thread *t, Addr sp)
{
	struct call *c;

	if (t->calls == CALLS_MAX) /* drop the oldest call: it was probably left by a jump */
		VG_(memmove)(t->call, t->call + 1, --t->calls * sizeof(*t->call));
	c = &t->call[t->calls++];
	c->sp = sp;
	c->to = *(const Addr *)sp;
	watch_code(c->to, False);
	return c;
}

/* Whether the call is already on the stack: a loop within the function may lead back to its first
 * byte. */
static Bool is_open(const struct thread *t, Addr sp)
{
	return t->calls && t->call[t->calls - 1].sp == sp &&
	       t->call[t->calls - 1].to == *(const Addr *)sp;
}

static void enter_parallel(ThreadId id, Addr function, Addr data, Addr sp)
{
	struct bob_sync s = of_thread(id);
	struct region *r = regions;

	while (r < regions + REGIONS_MAX && r->team)
		r++;
	if (r == regions + REGIONS_MAX)
		return;
	r->team = bob_sync_fork(&s);
	if (!r->team)
		return;
	r->function = function;
	r->data = data;
	watch_code(function, True);
	push(&threads[id], sp)->of =
		(struct bob_sync_call){ BOB_HOOK_PARALLEL, { (uint64_t)(r - regions), 0, 0 } };
}

/* The data argument of a part identifies its region: it is on the master's stack. */
static void enter_part(ThreadId id, Addr function, Addr data, Addr sp)
{
	struct bob_sync s = of_thread(id);
	const struct region *r = regions;
	struct call *c;

	while (r < regions + REGIONS_MAX &&
	       (!r->team || r->function != function || r->data != data))
		r++;
	if (r == regions + REGIONS_MAX)
		return;
	c = push(&threads[id], sp);
	c->of.hook = BOB_HOOKS;
	bob_sync_part_begins(&s, r->team, &c->before);
}

static void enter(ThreadId id, UInt hook, const uint64_t arg[3], Addr sp)
{
	struct bob_sync s = of_thread(id);
	struct bob_sync_call call = { BOB_HOOK_CREATE, { arg[0], 0, 0 } };

	if (hook == BOB_HOOK_PARALLEL || hook == BOB_HOOK_REDUCTIONS)
		enter_parallel(id, arg[0], arg[1], sp);
	else if (hook == BOB_HOOK_CREATE ||
		 bob_sync_enter(&s, (enum bob_sync_hook)hook, arg, &call))
		push(&threads[id], sp)->of = call;
}

static void leave(ThreadId id, const struct call *c, uint64_t result)
{
	struct bob_sync s = of_thread(id);
	uint64_t child = threads[id].child;

	switch (c->of.hook) {
	case BOB_HOOK_CREATE:
		if (!(uint32_t)result && child) {
			bob_sync_handle(syncs, *(const uint64_t *)c->of.word[0], child - 1);
			bob_sync_created(&s, child - 1);
		}
		threads[id].child = 0;
		break;
	case BOB_HOOK_PARALLEL:
		bob_sync_fork_ends(&s, regions[c->of.word[0]].team);
		regions[c->of.word[0]].team = NULL;
		break;
	case BOB_HOOKS:
		bob_sync_part_ends(&s, &c->before);
		break;
	default:
		bob_sync_leave(&s, &c->of, result);
	}
}

/* --- called by instrumented code --- */

void vgb_sync_entered(HWord at, HWord rdi, HWord rsi, HWord rdx, HWord sp)
{
	const uint64_t arg[3] = { rdi, rsi, rdx };
	ThreadId id = VG_(get_running_tid)();
	struct place p = *find_place(at);

	if (!vgb_recording || vgb_stopped() || is_open(&threads[id], sp) ||
	    !bob_sync_counts(vgb_image_at(*(const Addr *)sp)->sync_caller, p.hook))
		return;
	if (p.hook)
		enter(id, p.hook, arg, sp);
	else if (p.part)
		enter_part(id, at, rdi, sp);
}

void vgb_sync_returned(HWord at, HWord rax, HWord sp)
{
	ThreadId id = VG_(get_running_tid)();
	struct thread *t = &threads[id];

	if (!vgb_recording || vgb_stopped())
		return;
	for (UInt i = t->calls; i-- > 0;) {
		struct call c = t->call[i];

		if (c.to != at || c.sp + sizeof(Addr) != sp)
			continue;
		t->calls = i; /* the later calls were left by a jump */
		leave(id, &c, rax);
		return;
	}
}

enum vgb_watch vgb_sync_watched(Addr at)
{
	const struct place *p = find_place(at);

	if (!p->at)
		return VGB_WATCH_NOTHING;
	return (p->hook || p->part ? VGB_WATCH_ENTRY : 0) | (p->returns ? VGB_WATCH_RETURN : 0);
}
