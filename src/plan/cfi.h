/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts call frame instructions to rows that locate the caller's frame (DWARF 5 section 6.4). It
 * tracks only the CFA and the saved rbp, which suffice to step from a frame to its caller. A new
 * row is emitted only where this state changes. Invalid bytes and unsupported instructions give a
 * row of unknown state. */
#ifndef BOB_PLAN_CFI_H
#define BOB_PLAN_CFI_H

#include "plan/eh_bytes.h"
#include "plan/image.h"

/* A common information entry. */
struct cie {
	const uint8_t *at;	/* NULL: slot unused */
	struct bytes init;	/* initial instructions */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	uint64_t personality;	/* address of the routine, or of a word that contains it */
	uint8_t encoding;	/* of addresses in its FDEs */
	/* encoding of the addresses of exception tables; DW_EH_PE_omit: there are none */
	uint8_t lsda_encoding;
	bool has_personality, indirect;
	bool augmented, signal, valid;
};

/* Append the rows (perhaps none) of a function at lo..hi. `program`: the instructions of its FDE.
 * *no_caller: its return address is undefined at `lo`. Errors: BOB_ERR_NOMEM. */
bob_status bob_plan_cfi_rows(struct bob_plan_rows *rows, const struct cie *c, uint64_t lo,
			     uint64_t hi, struct bytes program, bool *no_caller);

#endif
