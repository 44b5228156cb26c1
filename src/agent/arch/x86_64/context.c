/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts the context of a signal to what it would be without the agent. If a handler of the
 * program interrupts a trampoline, the entry code or the C code that this calls for an event, the
 * program itself is at the entry of a hooked function or at one of its first instructions. Handler,
 * unwinder and profiler get that address, with the registers of the program there. entry.S
 * documents where they are stored.
 *
 * Interruptions of the agent elsewhere are not converted (functions of enum bob_special, hooks by
 * name, the first instructions of bob_enter). Then the program counter is in the agent, and
 * unwinders use the agent's own frame information. Only stack words that entry.S stored are
 * read. */
#include "agent/patched_places.h"
#include "agent/signal.h"

extern const uint8_t bob_entry_begin[], bob_entry_special[], bob_entry_wide[];
extern const uint8_t bob_entry_saved[], bob_entry_wide_saved[];
extern const uint8_t bob_entry_walk[], bob_entry_walk_end[];

/* upper bound of the stack used by C code that the entry code calls */
#define C_STACK 4096u

static uint64_t word_at(uint64_t addr)
{
	return *(const uint64_t *)(uintptr_t)addr;
}

/* The function whose trampoline called the entry code with entry stack pointer `r`; NULL: none. */
static const struct bob_plan_func *entered_at(const struct bob_image *im, uint64_t r)
{
	return im && im->plan && im->arena ? place_of_body(im, word_at(r - 8)) : NULL;
}

static void show(uint64_t *gregs, const struct bob_image *im, const struct bob_plan_func *f,
		 uint64_t r)
{
	gregs[BOB_GREG_RIP] = place_of_patch(im, f);
	gregs[BOB_GREG_RSP] = r;
	gregs[BOB_GREG_RAX] = word_at(r - 16);
}

/* Load registers that were stored in descending addresses from `slot`; those below `rsp` are not
 * stored yet, or have been restored. */
static void load_pushed(uint64_t *gregs, const uint8_t *which, unsigned count, uint64_t slot,
			uint64_t rsp)
{
	for (unsigned i = 0; i < count; i++, slot -= 8)
		if (slot >= rsp)
			gregs[which[i]] = word_at(slot);
}

static const uint8_t caller_saved[] = { BOB_GREG_R8, BOB_GREG_R9, BOB_GREG_R10, BOB_GREG_R11 };
static const uint8_t callee_saved[] = { BOB_GREG_RBX, BOB_GREG_RBP, BOB_GREG_R12,
					BOB_GREG_R13, BOB_GREG_R14, BOB_GREG_R15 };
static const uint8_t scratch[] = { BOB_GREG_RCX, BOB_GREG_RDX, BOB_GREG_RSI, BOB_GREG_RDI };

/* Interrupted in the entry code, `into` bytes from its begin. */
static enum bob_shown show_entry_code(uint64_t *gregs, const struct bob_image *im, uint64_t into)
{
	const uint64_t wide = (uint64_t)(bob_entry_wide - bob_entry_begin);
	bool is_wide = into >= wide;
	uint64_t begin = is_wide ? wide : 0;
	uint64_t saved =
		(uint64_t)((is_wide ? bob_entry_wide_saved : bob_entry_saved) - bob_entry_begin);
	uint64_t rsp = gregs[BOB_GREG_RSP], r = 0;
	const struct bob_plan_func *f = NULL;

	if (into >= (uint64_t)(bob_entry_special - bob_entry_begin))
		return BOB_SHOWN_NOT;
	for (uint64_t at = rsp; !f && at <= rsp + BOB_C_FRAME; at += 8)
		f = entered_at(im, r = at + 8);
	if (!f)
		return BOB_SHOWN_NOT;
	show(gregs, im, f, r);
	if (into >= saved)
		load_pushed(gregs, scratch, 4, r - 24, 0);
	else if (into > begin)
		load_pushed(gregs, scratch, 1, r - 24, 0);
	load_pushed(gregs, caller_saved, 4, r - 56, rsp);
	if (into >= (uint64_t)(bob_entry_walk - bob_entry_begin) &&
	    into < (uint64_t)(bob_entry_walk_end - bob_entry_begin))
		gregs[BOB_GREG_R8] = word_at(r - 56);
	return BOB_SHOWN_ENTRY;
}

/* Interrupted in C: busy_rsp is the entry that is being recorded. It may be stale if that recording
 * was left by a jump. */
static enum bob_shown show_c(uint64_t *gregs)
{
	struct bob_hot *hot = bob_thread_hot;
	uint64_t r = hot->busy_rsp, code;
	const struct bob_image *im;

	if (hot == bob_no_thread || !thread_is_busy(thread_of_hot(hot)) || r & 7 ||
	    r - BOB_C_FRAME - gregs[BOB_GREG_RSP] >= C_STACK)
		return BOB_SHOWN_NOT;
	code = word_at(r - BOB_C_FRAME);
	im = image_at(code);
	if (!im || code - im->arena >= BOB_PLAN_HANDLER_BYTES || !entered_at(im, r))
		return BOB_SHOWN_NOT;
	show(gregs, im, entered_at(im, r), r);
	load_pushed(gregs, scratch, 4, r - 24, 0);
	load_pushed(gregs, caller_saved, 4, r - 56, 0);
	load_pushed(gregs, callee_saved, 6, r - 88, 0);
	return BOB_SHOWN_ENTRY;
}

static enum bob_shown show_trampoline(uint64_t *gregs, const struct bob_image *im)
{
	struct place_in_trampoline at;

	if (!place_in_trampoline(im, gregs[BOB_GREG_RIP], &at))
		return BOB_SHOWN_NOT;
	if (at.saved)
		gregs[BOB_GREG_RAX] = word_at(gregs[BOB_GREG_RSP] - 16);
	gregs[BOB_GREG_RIP] = at.orig;
	gregs[BOB_GREG_RSP] += at.pushed;
	if (at.saved)
		return BOB_SHOWN_ENTRY;
	return at.begins ? BOB_SHOWN_PLACE : BOB_SHOWN_AGAIN;
}

static enum bob_shown show_own(uint64_t *gregs, const struct bob_image *im)
{
	const struct bob_plan_func *f = place_of_hole(im, gregs[BOB_GREG_RIP]);

	if (!f)
		return BOB_SHOWN_OWN;
	gregs[BOB_GREG_RIP] = place_of_patch(im, f);
	return BOB_SHOWN_AGAIN;
}

enum bob_shown context_show(uint64_t *gregs)
{
	uint64_t pc = gregs[BOB_GREG_RIP];
	const struct bob_image *im;

	if (image_is_agent(pc))
		return show_c(gregs);
	im = image_at(pc);
	if (!im || !im->plan || !im->arena)
		return BOB_SHOWN_OWN;
	if (pc - im->arena >= im->arena_bytes)
		return show_own(gregs, im);
	if (pc - im->arena < BOB_PLAN_HANDLER_BYTES)
		return show_entry_code(gregs, im, pc - im->arena);
	return show_trampoline(gregs, im);
}
