/* SPDX-License-Identifier: BSD-3-Clause */
/* Effects of instructions on the stack pointer, as far as they explain call frame information at a
 * function's entry. Pure functions; any thread. */
#ifndef BOB_PLAN_STACK_H
#define BOB_PLAN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* The number of bytes by which the instruction of `len` bytes at `p` grows the stack. 0 unless it
 * is a push, a pop, or adds a constant to the stack pointer. */
int32_t bob_x86_stack_grows(const uint8_t *p, unsigned len);

/* mov %rsp,%rbp */
bool bob_x86_sets_frame(const uint8_t *p, unsigned len);

#endif
