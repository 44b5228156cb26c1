/* SPDX-License-Identifier: BSD-3-Clause */
/* Putting together the few instructions that probes are made of. All registers are 64 bits wide and
 * given by number. BOB_ERR_NOMEM is kept in `st`, what was put after it is dropped. */
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
/* mov reg, disp(base) and back; disp fits in 32 bits */
void bob_x86_put_store(struct bob_x86_code *c, unsigned base, int32_t disp, unsigned reg);
/* movq $imm, disp(base), the immediate extended by its sign */
void bob_x86_put_store_imm(struct bob_x86_code *c, unsigned base, int32_t disp, int32_t imm);
/* movb $value, disp(base) */
void bob_x86_put_byte(struct bob_x86_code *c, unsigned base, int32_t disp, unsigned value);
/* mov %fs:disp, reg; mov reg, %fs:disp; cmp %fs:disp, reg. The offset of the field `disp` in the
 * bytes is returned. */
uint32_t bob_x86_put_load_fs(struct bob_x86_code *c, unsigned reg, int32_t disp);
uint32_t bob_x86_put_store_fs(struct bob_x86_code *c, unsigned reg, int32_t disp);
uint32_t bob_x86_put_compare_fs(struct bob_x86_code *c, unsigned reg, int32_t disp);
/* lea disp(base, index, scale), reg; base or index may be BOB_X86_NO_REG */
void bob_x86_put_lea(struct bob_x86_code *c, unsigned reg, unsigned base, unsigned index,
		     unsigned scale, int32_t disp);
/* The mask's bits into reg; others may be set, too, but not if it is packed. Flags stay as they
 * are. */
void bob_x86_put_mask(struct bob_x86_code *c, unsigned reg, const struct bob_x86_lanes *l);
/* Indices to %fs:disp, and one of them back, extended by its sign. Both return the offset of the
 * field. */
uint32_t bob_x86_put_store_indices(struct bob_x86_code *c, const struct bob_x86_lanes *l,
				   int32_t disp);
uint32_t bob_x86_put_load_index(struct bob_x86_code *c, unsigned reg, unsigned bytes, int32_t disp);
/* lahf; seto %al: flags into ah and al. And back. */
void bob_x86_put_flags_out(struct bob_x86_code *c);
void bob_x86_put_flags_in(struct bob_x86_code *c);
/* The last four bytes put so far become the way from here to `to`, an offset in the same bytes. */
void bob_x86_put_here_to(struct bob_x86_code *c, uint32_t to);

#endif
