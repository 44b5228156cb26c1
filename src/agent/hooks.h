/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions selected by name (BOBBIN_HOOK_FUNCTIONS): callbacks at their begin and end
 * (streams.h).
 *
 *   hook_choose.c  which functions are hooked, and which cannot be
 *   hooks.c        entry and return of a hooked function
 *   returns.c      storage of true return addresses
 *   arch/x86_64/hooks.S, hooks.c   entry points: preserve all registers and vector state
 *
 * The program does not depend on the list of open frames, only on the return address stored for
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
/* The word with the true return address of a place; NULL: it has no memory (yet). May be called
 * anywhere. */
uint64_t *returns_word(uint64_t slot);
/* The same, allocating memory. The lock must not be held. */
uint64_t *returns_make_word(uint64_t slot);
/* The true return address, if `value` was read from the place. */
uint64_t returns_true(uint64_t slot, uint64_t value);

/* --- hook_choose.c --- lock held */
/* How a function's entry is hooked, in addition to being recorded or instead of it. */
enum bob_hook_kind { BOB_HOOKED_NOT, BOB_HOOKED_FUNCTION, BOB_HOOKED_BACKTRACE };
enum bob_hook_kind hooks_kind(const struct bob_image *im, uint32_t func);
/* Whether the image has any such function. Also prepares the hook of _Unwind_Backtrace. */
bool hooks_begin_image(struct bob_image *im);
/* Logs functions that match but are not hooked. */
void hooks_complain(const struct bob_image *im);

/* --- hooks.c --- */
/* Set in the id of entries of hooked functions that are recorded as well. */
#define BOB_HOOK_RECORD 0x80000000u
/* Address of the return address of the hooked function whose event this thread is processing; 0:
 * none. */
uint64_t hooks_under_way(void);
void hooks_thread_free(struct bob_thread *t);
/* At the end of the process: logs what was not hooked. Lock held. */
void hooks_end(void);
/* As in struct bob_agent_streams. */
struct bob_function_hooks;
bool hooks_register(const struct bob_function_hooks *h);
void hooks_left(uint64_t sp);
const char *hooks_name(uint32_t function);

#endif
