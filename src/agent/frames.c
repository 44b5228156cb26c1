/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller-frame rule. At the entry of a function with entry stack pointer r, [r] is the return
 * address. Call frame information of the call site yields the caller's CFA, and so the slot x with
 * the caller's own return address. Every recorded frame whose entry rsp is below x has ended; the
 * one at x is the caller. (The simple rule "frames at or below rsp have ended" is wrong: stack
 * arguments, alloca and library frames let a dead frame's slot survive above r.)
 *
 * If the caller is not recorded (not hooked), its callers are unwound, tracking rsp and rbp only,
 * until one is; such walks are cached (call_sites.c). A signal frame continues at the interrupted
 * instruction. All reads are bounds-checked against the stack; no other memory of the program is
 * read. */
#include "agent/agent.h"
#include "agent/hooks.h"
#include "agent/os.h"
#include "agent/patched_places.h"
#include "agent/signal.h"
#include "agent/waits.h"

#define FRAMES_MAX 4096 /* consecutive unrecorded frames; beyond: unknown */

#define UC_REGISTERS 40 /* offset in the kernel's struct ucontext, x86-64 */

/* One step of unwinding. In a word of the `steps` table: 34 bits of pc tag, and kind 2 | hooked 1 |
 * cfa_off / 8: 14 bits signed | rbp_off: 13 bits signed. */
struct step {
	enum bob_cfa_kind kind;
	bool hooked;
	bool signal;
	int32_t cfa_off;
	int32_t rbp_off;
};

struct walk {
	uint64_t pc, sp, bp;
	uint64_t bx;		/* 0 except in the first frame: not tracked across frames */
	/* address of the word bp was read from; 0: bp is from the entry, or not from a word */
	uint64_t bp_at;
	uint64_t lo, hi;	/* bounds of readable addresses */
	struct bob_walk *kept;	/* the cached walk, with the inputs so far; NULL: not cached */
	bool exact;		/* pc is an interrupted instruction, not a return address */
};

static void depends(struct walk *w, uint64_t addr, uint64_t v)
{
	if (w->kept && !walk_add(w->kept, addr, v))
		w->kept = NULL;
}

/* rbp is used rarely, so it becomes an input of the walk only when it is used. */
static uint64_t use_bp(struct walk *w)
{
	if (w->bp_at)
		depends(w, w->bp_at, w->bp);
	else if (w->kept)
		w->kept->rbp_mask = ~0ull;
	return w->bp;
}

static bool read_word(const struct walk *w, uint64_t addr, uint64_t *v)
{
	if (addr < w->lo || addr & 7 || addr >= w->hi || w->hi - addr < 8)
		return false;
	*v = *(const uint64_t *)(uintptr_t)addr;
	return true;
}

/* Read the return address at `slot`; for hooked functions, the true one. */
static bool read_return(struct walk *w, uint64_t slot)
{
	const uint64_t *word;

	if (!read_word(w, slot, &w->pc))
		return false;
	depends(w, slot, w->pc);
	if (w->pc != BOB_HOOK_RETURN)
		return true;
	word = returns_word(slot);
	if (!word)
		return false;
	w->pc = *word;
	depends(w, (uint64_t)(uintptr_t)word, w->pc);
	return true;
}

static bool is_hooked(const struct bob_image *im, uint32_t func)
{
	return func < im->plan->func_count && im->hooked[func / 64] >> func % 64 & 1;
}

/* An interrupted function is on the shadow stack only after its trampoline. */
static bool past_patch(const struct bob_image *im, uint32_t func, uint64_t addr)
{
	const struct bob_plan_func *f = bob_plan_section(im->plan, &im->plan->funcs);

	f += func;
	return addr < f->addr || addr >= f->addr + f->patch_delta + f->displaced_len;
}

static bool step_from_plan(const struct bob_image *im, uint64_t pc, bool exact, struct step *s)
{
	uint64_t addr = pc - im->bias;
	const struct bob_plan_fde *f = rows_fde(im->plan, exact ? addr : addr - 1);

	if (!exact && (!f || !(f->flags & BOB_FDE_SIGNAL))) {
		/* the return address of a handler is the first byte of the signal trampoline */
		const struct bob_plan_fde *g = rows_fde(im->plan, addr);

		if (g && g->flags & BOB_FDE_SIGNAL)
			f = g;
	}
	if (!f)
		return false;
	s->signal = f->flags & BOB_FDE_SIGNAL;
	if (s->signal)
		return true;
	const struct bob_plan_row *r = rows_row(im->plan, f, exact ? addr : addr - 1);
	if (!r || r->cfa_kind == BOB_CFA_UNKNOWN)
		return false;
	s->kind = (enum bob_cfa_kind)r->cfa_kind;
	s->cfa_off = r->cfa_off;
	s->rbp_off = r->rbp_off;
	s->hooked = f->owner != ~0u && is_hooked(im, f->owner) &&
		    (!exact || past_patch(im, f->owner, addr));
	return true;
}

/* --- the table of steps --- */

static uint64_t step_pack(uint64_t pc, const struct step *s)
{
	int32_t cfa = s->cfa_off / 8;
	int32_t rbp = s->rbp_off;

	if (s->signal || s->kind > BOB_CFA_RBP_DEREF || s->cfa_off & 7 || cfa < -8192 || cfa > 8191)
		return 0;
	if (rbp == BOB_ROW_RBP_LOST)
		rbp = -4096;
	else if (rbp == BOB_ROW_RBP_AT_RBP)
		rbp = 4095;
	else if (rbp <= -4096 || rbp >= 4095)
		return 0;
	return pc >> 14 << 30 | (uint64_t)s->kind << 28 | (uint64_t)s->hooked << 27 |
	       ((uint64_t)cfa & 0x3fff) << 13 | ((uint64_t)rbp & 0x1fff);
}

static bool step_unpack(uint64_t word, uint64_t pc, struct step *s)
{
	if (word >> 30 != (pc >> 14 & 0x3ffffffffull) || !(word & 0x3fffffff))
		return false;
	s->kind = (enum bob_cfa_kind)(word >> 28 & 3);
	s->hooked = word >> 27 & 1;
	s->signal = false;
	s->cfa_off = ((int32_t)((uint32_t)(word >> 13) << 18) >> 18) * 8;
	s->rbp_off = (int32_t)((uint32_t)word << 19) >> 19;
	if (s->rbp_off == -4096)
		s->rbp_off = BOB_ROW_RBP_LOST;
	else if (s->rbp_off == 4095)
		s->rbp_off = BOB_ROW_RBP_AT_RBP;
	return true;
}

static bool find_step(uint64_t pc, bool exact, struct step *s)
{
	uint64_t *word = &bob_process.steps[pc & (BOB_STEPS - 1)];

	if (!exact && step_unpack(*(volatile uint64_t *)word, pc, s))
		return true;
	const struct bob_image *im = image_at(exact ? pc : pc - 1);
	if (!im || !im->plan || !step_from_plan(im, pc, exact, s))
		return false;
	if (!exact)
		*(volatile uint64_t *)word = step_pack(pc, s);
	return true;
}

/* --- walking --- */

/* --- signal frames ---
 * The interrupted instruction may be the agent's: in the entry code, in a trampoline or in C. Then
 * some function F has just been entered at `r`. If F is being recorded (the block is busy), this
 * event waits until that is complete, so F is the caller; the same holds if F is on top of the
 * shadow stack. Otherwise F is not recorded yet, and its caller is used instead. */

enum where { NOT_OURS, ENTRY_OF_F, LOST };

/* In a trampoline: the row of the original instruction yields rsp at the entry. */
static bool displaced_entry(const struct bob_image *im, uint64_t pc, uint64_t sp, uint64_t *r)
{
	struct place_in_trampoline at;
	struct step s;

	if (!place_in_trampoline(im, pc, &at))
		return false;
	if (!at.moved) {
		*r = sp; /* nothing was pushed yet, or the call has just returned */
		return true;
	}
	if (!step_from_plan(im, at.orig, true, &s) || s.signal || s.kind != BOB_CFA_RSP)
		return false;
	*r = sp + at.pushed + (uint64_t)(int64_t)s.cfa_off - 8;
	return true;
}

/* In the agent's C code: the entry code that called it left its return address on the stack, and
 * the trampoline's is at r - 8. */
#define AGENT_STACK 4096

/* Whether it is a return address of C called by sync.S, before or after a function that waits. */
static bool is_around(uint64_t ret)
{
	return ret == (uint64_t)(uintptr_t)bob_sync_in_called ||
	       ret == (uint64_t)(uintptr_t)bob_sync_in_returned;
}

static bool agent_entry(const struct walk *w, uint64_t *r)
{
	uint64_t v, tramp;

	for (uint64_t a = w->sp; a < w->sp + AGENT_STACK && read_word(w, a, &v); a += 8) {
		const struct bob_image *im = image_at(v);

		if (is_around(v)) {
			*r = a + 8 + BOB_AROUND_RETURN;
			return true;
		}
		if (!im || v - im->arena >= BOB_PLAN_HANDLER_BYTES)
			continue;
		if (!read_word(w, a + BOB_C_FRAME - 8, &tramp) ||
		    tramp - im->arena >= im->arena_bytes)
			continue;
		*r = a + BOB_C_FRAME;
		return true;
	}
	return false;
}

/* In the entry code: the trampoline's return address, at r - 8, is at rsp or above what the slow
 * paths have pushed. */
#define ENTRY_STACK (BOB_C_FRAME + 8)
static bool entry_code_entry(const struct bob_image *im, const struct walk *w, uint64_t *r)
{
	uint64_t v;

	for (uint64_t a = w->sp; a < w->sp + ENTRY_STACK && read_word(w, a, &v); a += 8) {
		if (v - im->arena < im->arena_bytes && v - im->arena >= BOB_PLAN_HANDLER_BYTES) {
			*r = a + 8;
			return true;
		}
	}
	return false;
}

static enum where find_entry(const struct bob_thread *t, bool busy, struct walk *w, uint64_t *r)
{
	bool agent = image_is_agent(w->pc);
	const struct bob_image *im = agent ? NULL : image_at(w->pc);
	uint64_t into = im ? w->pc - im->arena : 0;

	if (!agent && (!im || into >= im->arena_bytes))
		return NOT_OURS;
	if (busy && (agent || into < BOB_PLAN_HANDLER_BYTES)) {
		*r = thread_hot(t)->busy_rsp;
		return ENTRY_OF_F;
	}
	if (agent && hooks_under_way()) {
		*r = hooks_under_way();
		return ENTRY_OF_F;
	}
	if (agent) {
		w->bp = 0; /* C may have changed rbp: rules that need it fail */
		return agent_entry(w, r) ? ENTRY_OF_F : LOST;
	}
	if (into < BOB_PLAN_HANDLER_BYTES)
		return entry_code_entry(im, w, r) ? ENTRY_OF_F : LOST;
	return displaced_entry(im, w->pc, w->sp, r) ? ENTRY_OF_F : LOST;
}

/* Whether the frame entered at r is open, according to the shadow stack. */
static bool on_shadow(const struct bob_thread *t, uint64_t r)
{
	const uint64_t *top = thread_hot(t)->top;

	while (*top < r)
		top--;
	return *top == r;
}

/* Whether a handler called by signal.S returns here. */
static bool is_signal_return(const struct walk *w)
{
	return !w->exact && w->pc == (uint64_t)(uintptr_t)bob_signal_return;
}

enum after_signal { GO_ON, IS_CALLER, UNKNOWN_THERE };

static enum after_signal step_signal(const struct bob_thread *t, bool busy, struct walk *w,
				     uint64_t *slot)
{
	/* sp after the handler's return: a struct bob_signal, or the kernel's ucontext */
	uint64_t regs = w->sp + (is_signal_return(w) ? 0 : UC_REGISTERS);
	uint64_t r;

	if (!read_word(w, regs + 8 * BOB_GREG_RIP, &w->pc) ||
	    !read_word(w, regs + 8 * BOB_GREG_RBP, &w->bp) ||
	    !read_word(w, regs + 8 * BOB_GREG_RSP, &w->sp))
		return UNKNOWN_THERE;
	w->exact = true;
	w->bx = 0;
	switch (find_entry(t, busy, w, &r)) {
	case NOT_OURS:
		return GO_ON;
	case LOST:
		return UNKNOWN_THERE;
	case ENTRY_OF_F:
		break;
	}
	if (busy || on_shadow(t, r)) {
		*slot = r;
		return IS_CALLER;
	}
	if (!read_return(w, r))
		return UNKNOWN_THERE;
	w->sp = r + 8;
	w->exact = false;
	return GO_ON;
}

/* The CFA of the frame at w; 0: unknown. */
static uint64_t frame_cfa(struct walk *w, const struct step *s)
{
	uint64_t cfa = 0, at;

	switch (s->kind) {
	case BOB_CFA_RSP:
		cfa = w->sp + (uint64_t)(int64_t)s->cfa_off;
		break;
	case BOB_CFA_RBP:
		cfa = use_bp(w) + (uint64_t)(int64_t)s->cfa_off;
		break;
	case BOB_CFA_RBP_DEREF:
		at = use_bp(w) + (uint64_t)(int64_t)s->cfa_off;
		if (read_word(w, at, &cfa))
			depends(w, at, cfa);
		break;
	case BOB_CFA_RBX:
		w->kept = NULL;
		cfa = w->bx ? w->bx + (uint64_t)(int64_t)s->cfa_off : 0;
		break;
	case BOB_CFA_OUTERMOST:
	case BOB_CFA_UNKNOWN:
		break;
	}
	return cfa;
}

static bool step_up(struct walk *w, const struct step *s, uint64_t cfa)
{
	uint64_t at = 0;

	if (s->rbp_off == BOB_ROW_RBP_AT_RBP)
		at = use_bp(w);
	else if (s->rbp_off && s->rbp_off != BOB_ROW_RBP_LOST)
		at = cfa + (uint64_t)((int64_t)s->rbp_off * 8);
	if (s->rbp_off) {
		w->bp_at = at && read_word(w, at, &w->bp) ? at : 0;
		if (!w->bp_at)
			w->bp = 0; /* frames above that need it are not found */
	}
	w->sp = cfa;
	w->bx = 0;
	w->exact = false;
	return read_return(w, cfa - 8);
}

static uint64_t site_word(uint64_t ret, const struct step *s)
{
	int64_t k;

	if (s->kind == BOB_CFA_RSP)
		k = s->cfa_off / 8;
	else if (s->kind == BOB_CFA_RBP)
		k = s->cfa_off / 8 - 1;
	else
		return 0;
	if (s->cfa_off & 7 || k < 0 || k >= (BOB_SITE_WALK & ~BOB_SITE_RBP))
		return 0;
	return ret << 16 | (uint64_t)k | (s->kind == BOB_CFA_RBP ? BOB_SITE_RBP : 0);
}

/* The caller is a callback of a hooked function: continue at that function's entry. */
static bool from_hook(struct walk *w, uint64_t *slot)
{
	*slot = hooks_under_way();
	w->kept = NULL;
	w->bp = 0;
	if (*slot < w->sp || !read_return(w, *slot))
		return false;
	w->sp = *slot + 8;
	return true;
}

/* The caller is a function that sync.S called: continue at the caller of that. The frame of sync.S
 * is not one of the program. */
static bool from_around(struct walk *w, uint64_t *slot)
{
	const uint64_t frame = w->sp;

	w->kept = NULL;
	w->bx = w->bp_at = 0;
	if (!read_word(w, frame + BOB_AROUND_RBP, &w->bp) ||
	    !read_return(w, frame + BOB_AROUND_RETURN))
		return false;
	w->sp = *slot = frame + BOB_AROUND_RETURN + 8;
	return true;
}

static bool is_around_return(const struct walk *w)
{
	return !w->exact && w->pc == (uint64_t)(uintptr_t)bob_sync_return;
}

/* Walk from the entry up to a recorded frame; `w` is at the return address `ret`. */
static void walk_up(const struct bob_thread *t, bool busy, struct walk *w, uint64_t ret,
		    struct bob_caller *out)
{
	uint64_t rsp = w->lo;
	struct step s;

	for (int n = 0; n < FRAMES_MAX; n++) {
		if (w->pc < 65536) { /* argc at _start, 0 at the bottom of a thread's stack */
			out->flags = BOB_CALLER_BOTTOM | (out->flags & BOB_CALLER_SIGNAL);
			return;
		}
		if (is_around_return(w)) {
			if (!from_around(w, &out->slot))
				return;
			out->flags |= BOB_CALLER_UNHOOKED;
			continue;
		}
		if (!w->exact && image_is_agent(w->pc) && !is_signal_return(w) &&
		    from_hook(w, &out->slot)) {
			out->flags |= BOB_CALLER_UNHOOKED;
			if (!on_shadow(t, out->slot))
				continue;
			out->flags = (out->flags & ~(uint32_t)BOB_CALLER_UNKNOWN) |
				     BOB_CALLER_FOUND;
			return;
		}
		if (is_signal_return(w))
			s.signal = true;
		else if (!find_step(w->pc, w->exact, &s))
			return;
		if (s.signal) {
			out->flags |= BOB_CALLER_SIGNAL;
			enum after_signal next = step_signal(t, busy, w, &out->slot);
			if (next == IS_CALLER && out->slot >= rsp && out->slot < w->hi)
				out->flags = BOB_CALLER_FOUND | BOB_CALLER_SIGNAL;
			else if (next == IS_CALLER || w->sp < rsp ||
				 w->sp >= w->hi) /* the handler has a stack of its own */
				out->flags = BOB_CALLER_BOTTOM | BOB_CALLER_SIGNAL;
			if (next != GO_ON || !(out->flags & BOB_CALLER_UNKNOWN))
				return;
			continue;
		}
		if (s.kind == BOB_CFA_OUTERMOST) {
			out->flags = BOB_CALLER_BOTTOM | (out->flags & BOB_CALLER_SIGNAL);
			return;
		}
		if (n == 0 && !s.hooked && !busy)
			w->kept = walk_begin(t, rsp, ret, w->bp);
		uint64_t cfa = frame_cfa(w, &s);
		if (cfa < w->sp + 8 || cfa > w->hi) {
			if (cfa > w->hi)
				out->flags = BOB_CALLER_BOTTOM | (out->flags & BOB_CALLER_SIGNAL);
			return;
		}
		if (s.hooked) {
			out->slot = cfa - 8;
			out->flags = (out->flags & ~(uint32_t)BOB_CALLER_UNKNOWN) |
				     BOB_CALLER_FOUND;
			if (n == 0)
				out->site = site_word(ret, &s);
			return;
		}
		out->slot = cfa; /* an unrecorded frame: all frames below its CFA have ended */
		out->flags |= BOB_CALLER_UNHOOKED;
		if (!step_up(w, &s, cfa)) {
			out->flags = BOB_CALLER_BOTTOM | (out->flags & BOB_CALLER_SIGNAL);
			return;
		}
	}
}

void frames_caller(const struct bob_thread *t, bool busy, const struct bob_entry *e, uint64_t hi,
		   struct bob_caller *out)
{
	struct walk w = { .sp = e->rsp + 8, .bp = e->rbp, .bx = e->rbx, .lo = e->rsp, .hi = hi };

	*out = (struct bob_caller){ .slot = e->rsp, .flags = BOB_CALLER_UNKNOWN };
	if (!read_return(&w, e->rsp))
		return;
	uint64_t ret = w.pc;
	walk_up(t, busy, &w, ret, out);
	if (*(const uint64_t *)(uintptr_t)e->rsp == BOB_HOOK_RETURN) {
		out->site = 0; /* not cacheable: many calls have this return address */
		return;
	}
	if (!w.kept || out->flags & (BOB_CALLER_UNKNOWN | BOB_CALLER_SIGNAL))
		return;
	walk_end(w.kept, e->rsp, out->flags & BOB_CALLER_BOTTOM ? ~0ull : out->slot);
	out->site = ret << 16 | BOB_SITE_WALK;
}
