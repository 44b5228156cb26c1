/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the memory planner: the state of a piece under construction (pieces.c, loops.c). */
#ifndef BOB_PLAN_MEM_PIECES_H
#define BOB_PLAN_MEM_PIECES_H

#include "plan/mem/unit.h"

/* Maximum number of registers (without rsp) whose values a probe stores, so that two others and rax
 * are left. */
#define BOB_MEM_REGISTERS_MAX 12

/* Origins: 0..15 are the registers at the start of the piece, 16..23 the mask registers, followed
 * by one for each unknown value. */
#define BOB_MEM_MASK_ORIGIN BOB_X86_REGS
#define BOB_MEM_MASKS 8u
#define BOB_MEM_START_ORIGINS (BOB_X86_REGS + BOB_MEM_MASKS)
#define BOB_MEM_NO_ORIGIN UINT32_MAX

struct bob_mem_value {
	uint32_t origin;
	/* a second origin, times `scale`; or BOB_MEM_NO_ORIGIN. In loops only */
	uint32_t more;
	uint8_t scale;
	int64_t add;
};

struct bob_mem_state {
	struct bob_mem_value reg[BOB_X86_REGS];
	uint32_t mask[BOB_MEM_MASKS]; /* origins */
	uint32_t origins;
	bool pairs;		/* sums of two registers are tracked, too */
};

struct bob_mem_key {
	uint32_t base, index, third; /* origins or BOB_MEM_NO_ORIGIN */
	uint8_t scale, third_scale;
	bool fs;
	/* not 0: `base` is the origin of a mask, and this encodes which bits are stored */
	uint8_t mask;
	int64_t add;		/* word = sum of the key + this */
};

struct bob_mem_builder {
	struct bob_mem_unit *u;
	struct bob_mem_plan *out;
	struct bob_mem_state now, probe;
	bool have_probe;
	uint32_t taken;		/* registers whose values the probe stores */
	struct bob_mem_key key[BOB_MEM_WORDS_MAX];
	struct bob_mem_piece piece;
	struct bob_mem_planned planned;
};

void bob_mem_reset(struct bob_mem_state *s);
/* Update the state for an instruction. */
void bob_mem_advance(struct bob_mem_state *s, const struct bob_x86_facts *f);
/* Look up or add the word for this address at instruction `at`. Returns its number;
 * BOB_MEM_WORDS_MAX: there are too many. */
unsigned bob_mem_word_for(struct bob_mem_builder *b, uint32_t at, uint8_t base, uint8_t index,
			  uint8_t scale, bool fs);
/* --- lanes.c --- */
/* Add the words of a masked access of instruction `at`; false: there are too many. `address` is the
 * word of its address, with the lanes at `offset` from it. BOB_MEM_NO_WORD: each lane has an index,
 * or no register is needed. */
bool bob_mem_add_lanes(struct bob_mem_builder *b, uint32_t at, const struct bob_x86_access *x,
		       unsigned address, int64_t offset);
/* Whether the word is a single register. */
bool bob_mem_is_register(const struct bob_mem_key *k);
/* Begin a piece of the instructions from `first` up to `end`, excluded. */
void bob_mem_begin_piece(struct bob_mem_builder *b, uint32_t first, uint32_t end);
/* Add access *x of instruction `at`, at `offset` from `word`. The result belongs to the plan; NULL:
 * there are too many. */
struct bob_mem_access *bob_mem_add_access(struct bob_mem_builder *b, uint32_t at,
					  const struct bob_x86_access *x, unsigned word,
					  int64_t offset);
/* Add the accesses of instruction `at`; false: the piece is full, nothing was added. */
bool bob_mem_add_accesses(struct bob_mem_builder *b, uint32_t at);
bob_status bob_mem_add_step(struct bob_mem_builder *b, const struct bob_mem_step *step);
bob_status bob_mem_end_piece(struct bob_mem_builder *b, uint32_t end);
/* --- loops.c: a block that branches back to itself --- */
bool bob_mem_is_loop(const struct bob_mem_unit *u, uint32_t index);
/* Make the block a LOOP piece. *done: it succeeded; otherwise nothing was changed. */
bob_status bob_mem_loop_piece(struct bob_mem_builder *b, const struct bob_mem_block *block,
			      bool *done);

#endif
