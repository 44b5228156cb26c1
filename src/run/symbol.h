/* SPDX-License-Identifier: BSD-3-Clause */
/* The alphabet of a CALLS stream: one 32-bit symbol per function entry.
 *
 * An ordinary symbol is (pops, id): `pops` frames have ended since the previous entry, then
 * function `id` was entered. Exits are not hooked; they appear only as pops of the next entry.
 * Numbers that do not fit and other occurrences are encoded by a preceding extended symbol: it has
 * pops == BOB_SYM_EXT, and its id field is a kind (4 bits) and a payload (18 bits). */
#ifndef BOB_RUN_SYMBOL_H
#define BOB_RUN_SYMBOL_H

#include <stdint.h>

#define BOB_SYM_ID_BITS 22
#define BOB_SYM_ID_MASK ((1u << BOB_SYM_ID_BITS) - 1)
#define BOB_SYM_POPS_MAX 1022u	/* the maximum that an ordinary symbol can pop */
#define BOB_SYM_EXT 1023u	/* value of the pops field that marks an extended symbol */
#define BOB_SYM_PAYLOAD_BITS 18
#define BOB_SYM_PAYLOAD_MASK ((1u << BOB_SYM_PAYLOAD_BITS) - 1)

/* Kinds of extended symbols. The values are part of the format (docs/format.md). */
enum bob_sym_kind {
	BOB_SYM_POPS = 1,	/* payload frames ended; the pops of the next symbol add to it */
	BOB_SYM_ID = 2,		/* payload is bits 22.. of the next ordinary symbol's id */
	BOB_SYM_STACK = 3,	/* the following happens on stack number `payload` of this thread; a
				 * new number is a new, empty stack */
	BOB_SYM_SIGNAL = 4,	/* the next entry is a signal handler; payload = 0 */
	BOB_SYM_ORPHAN = 5,	/* the caller of the next entry is unknown (its return address is in
				 * no plan: JIT code, vdso, no call frame information). payload 0:
				 * the known stack ends there; 1: the handler applied the fallback
				 * rule "frames below the stack pointer have ended" */
	BOB_SYM_PAUSE = 6,	/* recording was off here; the stack before it is unknown */
	BOB_SYM_LOST = 7,	/* payload events were lost here (saturating) */
	BOB_SYM_END = 8,	/* the thread ended cleanly: every open frame ended */
	BOB_SYM_EVENT = 9,	/* the thread's next event with values (a call of MPI) begins;
				 * payload is what it is. The n-th of these is the n-th event */
	BOB_SYM_EVENTS = 10	/* payload events of the thread have no symbol */
};

static inline uint32_t bob_sym_make(uint32_t pops, uint32_t id)
{
	return pops << BOB_SYM_ID_BITS | id;
}

static inline uint32_t bob_sym_make_ext(enum bob_sym_kind kind, uint32_t payload)
{
	return BOB_SYM_EXT << BOB_SYM_ID_BITS | (uint32_t)kind << BOB_SYM_PAYLOAD_BITS | payload;
}

static inline uint32_t bob_sym_pops(uint32_t sym)
{
	return sym >> BOB_SYM_ID_BITS;
}

static inline uint32_t bob_sym_id(uint32_t sym)
{
	return sym & BOB_SYM_ID_MASK;
}

static inline int bob_sym_is_ext(uint32_t sym)
{
	return bob_sym_pops(sym) == BOB_SYM_EXT;
}

static inline uint32_t bob_sym_ext_kind(uint32_t sym)
{
	return bob_sym_id(sym) >> BOB_SYM_PAYLOAD_BITS;
}

static inline uint32_t bob_sym_ext_payload(uint32_t sym)
{
	return sym & BOB_SYM_PAYLOAD_MASK;
}

#endif
