/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoder of the few x86-64 instructions that probes consist of. All registers are 64 bits wide and
 * given by number. BOB_ERR_NOMEM is kept in `st`; later instructions are then dropped. */
#ifndef BOB_PLAN_CODE_H
#define BOB_PLAN_CODE_H

#include <stdbool.h>

#include "plan/arch/x86_64/facts.h"
#include "plan/image.h"

struct bob_x86_code {
	struct bob_plan_bytes *bytes;
	bob_status st;
};

void bob_x86_put(struct bob_x86_code *c, const void *bytes, size_t n);
/* mov reg, disp(base) and the reverse; disp fits in 32 bits */
void bob_x86_put_store(struct bob_x86_code *c, unsigned base, int32_t disp, unsigned reg);
/* movq $imm, disp(base), with a sign-extended immediate */
void bob_x86_put_store_imm(struct bob_x86_code *c, unsigned base, int32_t disp, int32_t imm);
/* movb $value, disp(base) */
void bob_x86_put_byte(struct bob_x86_code *c, unsigned base, int32_t disp, unsigned value);
/* mov %fs:disp, reg; mov reg, %fs:disp; cmp %fs:disp, reg. They return the offset of the field
 * `disp` in the bytes. */
uint32_t bob_x86_put_load_fs(struct bob_x86_code *c, unsigned reg, int32_t disp);
uint32_t bob_x86_put_store_fs(struct bob_x86_code *c, unsigned reg, int32_t disp);
uint32_t bob_x86_put_compare_fs(struct bob_x86_code *c, unsigned reg, int32_t disp);
/* lea disp(base, index, scale), reg; base or index may be BOB_X86_NO_REG */
void bob_x86_put_lea(struct bob_x86_code *c, unsigned reg, unsigned base, unsigned index,
		     unsigned scale, int32_t disp);
/* Load the bits of the mask into reg. Other bits may be set, too, but not if it is packed.
 * Preserves flags. */
void bob_x86_put_mask(struct bob_x86_code *c, unsigned reg, const struct bob_x86_lanes *l);
/* Store the indices to %fs:disp, and load one of them, sign-extended. Both return the offset of the
 * field. */
uint32_t bob_x86_put_store_indices(struct bob_x86_code *c, const struct bob_x86_lanes *l,
				   int32_t disp);
uint32_t bob_x86_put_load_index(struct bob_x86_code *c, unsigned reg, unsigned bytes, int32_t disp);
/* lahf; seto %al: save flags in ah and al; and the reverse. */
void bob_x86_put_flags_out(struct bob_x86_code *c);
void bob_x86_put_flags_in(struct bob_x86_code *c);
/* Set the last four bytes to the distance from here to `to`, an offset in the same bytes. */
void bob_x86_put_here_to(struct bob_x86_code *c, uint32_t to);

#endif
