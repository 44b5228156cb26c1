/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions chosen by name (BOBBIN_HOOK_FUNCTIONS): something is called when one begins and when it
 * ends (streams.h).
 *
 *   hook_choose.c  which functions these are, and which of them cannot be
 *   hooks.c        what happens at the entry and at the return of one
 *   returns.c      where true return addresses are
 *   arch/x86_64/hooks.S, hooks.c   the ways in: all registers and vector state are kept
 *
 * The program never depends on what is remembered of open frames, only on the return address beside
 * each place (returns.c). */
#ifndef BOB_AGENT_HOOKS_H
#define BOB_AGENT_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/arch/x86_64/hooks.h"

struct bob_image;
struct bob_plan_func;
struct bob_thread;

/* --- returns.c --- */
/* Where the true return address of a place is; NULL: there is no memory for it (yet). Safe
 * anywhere. */
uint64_t *returns_word(uint64_t slot);
/* The same; memory is made. Not with the lock held. */
uint64_t *returns_make_word(uint64_t slot);
/* `value` was read from the place: the true return address. */
uint64_t returns_true(uint64_t slot, uint64_t value);

/* --- hook_choose.c --- lock held */
/* How the entry of a function is hooked besides, or instead of, being recorded. */
enum bob_hook_kind { BOB_HOOKED_NOT, BOB_HOOKED_FUNCTION, BOB_HOOKED_BACKTRACE };
enum bob_hook_kind hooks_kind(const struct bob_image *im, uint32_t func);
/* Is there any such function? Remembers what _Unwind_Backtrace needs. */
bool hooks_begin_image(struct bob_image *im);
/* Says which functions match and are not hooked. */
void hooks_complain(const struct bob_image *im);

/* --- hooks.c --- */
/* Entries of a hooked function that is recorded as well have this bit in their id. */
#define BOB_HOOK_RECORD 0x80000000u
/* The return address of the hooked function that is being worked on by this thread lies here; 0: of
 * none. */
uint64_t hooks_under_way(void);
void hooks_thread_free(struct bob_thread *t);
/* The process ends: says what was not hooked. Lock held. */
void hooks_end(void);
/* As of struct bob_agent_streams. */
struct bob_function_hooks;
bool hooks_register(const struct bob_function_hooks *h);
void hooks_left(uint64_t sp);
const char *hooks_name(uint32_t function);

#endif
