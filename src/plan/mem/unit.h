/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the memory planner: a *unit* is a function with its cold parts, which is translated
 * as a whole or not at all. Steps in order, each of which uses the results of the previous ones:
 * bob_mem_restarts (restart.c), bob_mem_read (read.c), bob_mem_find_blocks (blocks.c),
 * bob_mem_find_direction (direction.c), bob_mem_find_unwinds (unwind.c), bob_mem_find_live
 * (live.c), bob_mem_find_pieces (pieces.c), bob_mem_place (original_bytes.c), bob_mem_emit
 * (emit.c), bob_mem_text (text.c). docs/mem-native.md has the background.
 *
 * One struct is reused for all units of an image, one after the other. Threads: one. */
#ifndef BOB_PLAN_MEM_UNIT_H
#define BOB_PLAN_MEM_UNIT_H

#include "mem/record.h"
#include "plan/arch/x86_64/facts.h"
#include "plan/image.h"
#include "plan/mem/mem.h"

#define BOB_MEM_NONE UINT32_MAX
#define BOB_MEM_INSNS_MAX (1u << 20) /* of a unit */

/* A range of code of the unit, and dead padding after it. */
struct bob_mem_range {
	uint64_t lo, hi, padded;
	const uint8_t *bytes;
	uint32_t insn;		/* first instruction */
	uint32_t text;		/* offset of its new bytes in bob_mem_unit.text */
};

struct bob_mem_insn {
	uint64_t addr;
	uint32_t live;		/* registers and flags that are live before it */
	uint32_t unwinds;	/* registers that an unwinder started at this instruction reads */
	uint32_t range;
	bool backward;		/* a string instruction with `rep` that runs in descending order */
	bool stays;		/* other code reads its bytes, and it also runs in place
				 * (split_stack.c) */
	struct bob_x86_facts f;
};

enum bob_mem_block_flags {
	BOB_MEM_LANDS = 1,	/* may be reached from outside the translated code */
	BOB_MEM_IS_ENTRY = 2,	/* a function begins here */
	BOB_MEM_AFTER_CALL = 4
};

struct bob_mem_block {
	uint32_t first, count;	/* instructions */
	uint32_t next[2];	/* successors: fall-through, branch; or BOB_MEM_NONE */
	uint32_t live_in, live_out;
	uint32_t code;		/* offset in the blob, set by emit.c */
	uint32_t loop_code;	/* the same for its back edge, if it is recorded as a loop */
	uint32_t landing_code;	/* the same for entries from outside: includes the record of a
				 * function entry */
	uint32_t preds;		/* number of known predecessors */
	uint8_t flags;
	uint8_t direction;	/* direction flag at its beginning, set by direction.c */
	bool call_moved;	/* its call does not stay in place */
};

enum bob_mem_word_kind {
	BOB_MEM_SUM = 0,	/* base + index * scale + third * third_scale (+ thread pointer) */
	BOB_MEM_LANE,		/* base + an index of a gather * scale */
	BOB_MEM_MASK		/* a mask of the accessed lanes */
};

/* A word of a record: a sum of registers before instruction `at`. Payload: + disp, the address of
 * an access. */
struct bob_mem_word {
	uint32_t at;
	uint8_t base, index, scale;
	uint8_t third, third_scale;
	bool fs;
	uint8_t kind;		/* enum bob_mem_word_kind */
	uint8_t lane;
	/* payload that need not be an address: its highest byte is BOB_MEM_TAG */
	bool tagged;
	int32_t disp;
	uint32_t insn;		/* LANE, MASK: the instruction that has the lanes */
};
#define BOB_MEM_TAG 0x40u

/* The instructions that one record describes: consecutive ones of a block. */
struct bob_mem_piece {
	uint32_t first, count;
	uint32_t start;		/* the probe is before this instruction */
	uint32_t word;		/* first in bob_mem_unit.words */
	uint32_t desc;		/* in bob_mem_unit.descs, or BOB_MEM_NONE: nothing to record */
	uint8_t words;		/* including payload, which comes last */
	uint8_t payload;	/* number of words that are stored in each iteration of a loop */
	/* register whose final value is the last word of a loop; else BOB_X86_NO_REG */
	uint8_t counter;
	bool save_flags;
};

struct bob_mem_landing {
	uint64_t addr;
	uint32_t block;
	uint8_t kind;		/* enum bob_mem_landing_kind */
	uint8_t prefix;		/* ignored prefix of the jump; 0: none */
	uint64_t chain;		/* BOB_MEM_LAND_SHORT: address of the long jump */
};

enum bob_mem_landing_kind {
	BOB_MEM_LAND_JUMP,	/* five bytes */
	BOB_MEM_LAND_SHORT,	/* two bytes: a jump to five other bytes */
	BOB_MEM_LAND_TRAP	/* the agent looks up the block by its address */
};

BOB_VEC_OF(bob_mem_ranges, struct bob_mem_range);
BOB_VEC_OF(bob_mem_insns, struct bob_mem_insn);
BOB_VEC_OF(bob_mem_blocks, struct bob_mem_block);
BOB_VEC_OF(bob_mem_words, struct bob_mem_word);
BOB_VEC_OF(bob_mem_pieces, struct bob_mem_piece);
BOB_VEC_OF(bob_mem_landings, struct bob_mem_landing);

struct bob_mem_unit {
	const struct bob_plan_image *img;
	uint32_t func;		/* index of the function in img->funcs */
	bool flags_pass;	/* calls and returns may pass flags */
	bool splits;		/* a function so far calls for a larger stack: split_stack.c */
	/* without frame information: all of it must be reachable to count as code */
	bool strict;
	struct bob_mem_ranges ranges; /* sorted */
	struct bob_mem_insns insns; /* sorted by address */
	struct bob_mem_blocks blocks; /* likewise */
	struct bob_mem_pieces pieces; /* likewise */
	struct bob_mem_words words;
	struct bob_mem_landings landings;
	struct bob_plan_bytes used; /* use of each byte of text, original_bytes.c */
	uint64_t at;		/* where it was declined; 0: unknown */
	bob_status st;
};

/* The steps. Each returns the reason why the unit is declined, or BOB_MEM_TAKEN, and sets u->st if
 * there is no memory. */
unsigned bob_mem_restarts(struct bob_mem_unit *u);
unsigned bob_mem_read(struct bob_mem_unit *u);
unsigned bob_mem_find_blocks(struct bob_mem_unit *u);
/* split_stack.c. _body: the instruction that the callee of `call` calls, if that is the one after
 * the `ret` to which it returns; or BOB_MEM_NONE. _is_read: whether other code reads the bytes of
 * that instruction. */
uint32_t bob_mem_split_body(const struct bob_mem_unit *u, uint32_t call);
bool bob_mem_split_is_read(const struct bob_mem_unit *u, uint32_t body);
unsigned bob_mem_find_direction(struct bob_mem_unit *u);
void bob_mem_find_unwinds(struct bob_mem_unit *u); /* unwind.c; a prerequisite of live.c */
/* *passes: the unit reads flags that only a caller or callee can have set. */
void bob_mem_find_live(struct bob_mem_unit *u, bool *passes);
unsigned bob_mem_find_pieces(struct bob_mem_unit *u, struct bob_mem_plan *out);
unsigned bob_mem_place(struct bob_mem_unit *u);
unsigned bob_mem_emit(struct bob_mem_unit *u, struct bob_mem_plan *out);
void bob_mem_text(struct bob_mem_unit *u, struct bob_mem_plan *out);

/* Index of the first instruction that starts at or after `addr`; their number if there is none. */
size_t bob_mem_insn_from(const struct bob_mem_unit *u, uint64_t addr);
/* Index of the instruction or block that starts at `addr`, or BOB_MEM_NONE. */
uint32_t bob_mem_insn_at(const struct bob_mem_unit *u, uint64_t addr);
uint32_t bob_mem_block_at(const struct bob_mem_unit *u, uint64_t addr);
/* The end of the padding that begins at `hi`; `hi` itself if there is none. */
uint64_t bob_mem_padding_after(const struct bob_plan_image *img, uint64_t hi);
/* Whether `addr` is in the code of the unit, without padding. */
bool bob_mem_inside(const struct bob_mem_unit *u, uint64_t addr);

#endif
