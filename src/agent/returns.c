/* SPDX-License-Identifier: BSD-3-Clause */
/* Storage of the true return addresses that bob_hook_return replaces: the copy is at the address of
 * the original with one bit flipped. So any thread can find a true address at any time, without a
 * list that could be inconsistent: an unwinder by an expression in the frame information of
 * bob_hook_return (hooks.S), a debugger in a core file, frames.c here. If a place is left by
 * longjmp or an exception, and reused, its copy is overwritten. Stacks that are copied away and
 * back are not supported (docs/agent.md).
 *
 * The memory is mapped for one piece of stack at a time, when a function is first hooked on it, and
 * is never unmapped. */
#include "agent/hooks.h"

#include "agent/agent.h"
#include "agent/os.h"

#define PIECE_BITS 21		/* 2 MB of addresses */
#define PIECES 16384u		/* 32 GB of stacks; a power of two */
#define USER_BITS 47

/* Hash table of the numbers of mapped pieces, + 1; entries are never removed. Written under the
 * lock. */
static uint64_t pieces[PIECES];

static uint64_t *place_of(uint64_t piece)
{
	uint64_t at = piece * 0x9e3779b97f4a7c15ull >> 50;

	for (uint32_t i = 0; i < PIECES; i++, at = (at + 1) % PIECES) {
		uint64_t there = __atomic_load_n(&pieces[at], __ATOMIC_ACQUIRE);

		if (!there || there == piece + 1)
			return &pieces[at];
	}
	return NULL;
}

uint64_t *returns_word(uint64_t slot)
{
	const uint64_t piece = slot >> PIECE_BITS;
	const uint64_t *at;

	if (slot >> USER_BITS || slot & 7)
		return NULL;
	at = place_of(piece);
	if (!at || __atomic_load_n(at, __ATOMIC_ACQUIRE) != piece + 1)
		return NULL;
	return (uint64_t *)(uintptr_t)(slot ^ BOB_HOOK_FAR);
}

uint64_t *returns_make_word(uint64_t slot)
{
	const uint64_t piece = slot >> PIECE_BITS;
	const uint64_t far = (piece << PIECE_BITS) ^ BOB_HOOK_FAR;
	uint64_t *w = returns_word(slot), *at;

	if (w || slot >> USER_BITS || slot & 7 || !os_allowed())
		return w;
	lock_process();
	at = place_of(piece);
	if (at && !*at && os_map_at(far, 1ull << PIECE_BITS)) {
		os_small_pages((void *)(uintptr_t)far, 1ull << PIECE_BITS);
		__atomic_store_n(at, piece + 1, __ATOMIC_RELEASE);
	}
	unlock_process();
	return returns_word(slot);
}

uint64_t returns_true(uint64_t slot, uint64_t value)
{
	const uint64_t *w = value == BOB_HOOK_RETURN ? returns_word(slot) : NULL;

	return w ? *w : value;
}
