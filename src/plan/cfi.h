/* SPDX-License-Identifier: BSD-3-Clause */
/* Call frame instructions to rows that say where the caller's frame is. Only two things are
 * followed, the CFA and where rbp is, since they alone are needed to go from a frame to its caller.
 * Rows are made where that state changes and nowhere else. Invalid bytes, and instructions that are
 * not supported, make a row of unknown state. DWARF 5 section 6.4. */
#ifndef BOB_PLAN_CFI_H
#define BOB_PLAN_CFI_H

#include "plan/eh_bytes.h"
#include "plan/image.h"

/* Common to the entries that refer to it. */
struct cie {
	const uint8_t *at;	/* NULL: slot unused */
	struct bytes init;	/* initial instructions */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	uint64_t personality;	/* address of the routine, or of a word that holds it */
	uint8_t encoding;	/* of addresses in its FDEs */
	/* of where their exception tables are; DW_EH_PE_omit: there are none */
	uint8_t lsda_encoding;
	bool has_personality, indirect;
	bool augmented, signal, valid;
};

/* Rows of a function at lo..hi, appended to those that are there; perhaps none. `program`: the
 * instructions of its FDE. *no_caller: its return address is undefined at `lo`. BOB_ERR_NOMEM. */
bob_status bob_plan_cfi_rows(struct bob_plan_rows *rows, const struct cie *c, uint64_t lo,
			     uint64_t hi, struct bytes program, bool *no_caller);

#endif
