/* SPDX-License-Identifier: BSD-3-Clause */
/* What instructions do to the stack pointer, as far as call frame information at a function's entry
 * is explained by it. Pure; any thread. */
#ifndef BOB_PLAN_STACK_H
#define BOB_PLAN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* By how many bytes the instruction of `len` bytes at `p` makes the stack grow. Instructions that
 * are no push, pop, or sum of the stack pointer and a constant: 0. */
int32_t bob_x86_stack_grows(const uint8_t *p, unsigned len);

/* mov %rsp,%rbp */
bool bob_x86_sets_frame(const uint8_t *p, unsigned len);

#endif
