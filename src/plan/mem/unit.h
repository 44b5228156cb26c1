/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the memory planner: one *unit*, a function with its cold parts, which is translated as a
 * whole or not at all. Steps, each reading what the ones before it wrote: bob_mem_restarts
 * (restart.c), bob_mem_read (read.c), bob_mem_blocks (blocks.c), bob_mem_find_direction
 * (direction.c), bob_mem_find_unwinds (unwind.c), bob_mem_live (live.c), bob_mem_pieces (pieces.c),
 * bob_mem_place (place.c), bob_mem_emit (emit.c). docs/mem-native.md says what all this is for.
 *
 * One unit is used for all functions of an image, one after the other. One thread. */
#ifndef BOB_PLAN_MEM_UNIT_H
#define BOB_PLAN_MEM_UNIT_H

#include "mem/record.h"
#include "plan/arch/x86_64/facts.h"
#include "plan/image.h"
#include "plan/mem/mem.h"

#define BOB_MEM_NONE UINT32_MAX
#define BOB_MEM_INSNS_MAX (1u << 20) /* of a unit */

/* Code of the unit, and dead padding after it. */
struct bob_mem_range {
	uint64_t lo, hi, padded;
	const uint8_t *bytes;
	uint32_t insn;		/* first */
	uint32_t text;		/* offset of its new bytes in bob_mem_unit.text */
};

struct bob_mem_insn {
	uint64_t addr;
	uint32_t live;		/* registers and flags that are read later, before it runs */
	uint32_t unwinds;	/* registers that an unwinder reads, if one starts at it */
	uint32_t range;
	bool backward;		/* a string instruction with `rep` that runs downwards */
	bool stays;		/* others read its bytes, and it runs where it is, too (split.c) */
	struct bob_x86_facts f;
};

enum bob_mem_block_flags {
	BOB_MEM_LANDS = 1,	/* may be reached from outside of the translated code */
	BOB_MEM_IS_ENTRY = 2,	/* a function begins here */
	BOB_MEM_AFTER_CALL = 4
};

struct bob_mem_block {
	uint32_t first, count;	/* instructions */
	uint32_t next[2];	/* blocks: fallen into, branched to; or BOB_MEM_NONE */
	uint32_t live_in, live_out;
	uint32_t code;		/* in the blob, by emit.c */
	uint32_t loop_code;	/* the same for its own branch back, if it is recorded as a loop */
	uint32_t landing_code;	/* the same for those who land here: with the mark of an entry */
	uint32_t preds;		/* known ones */
	uint8_t flags;
	uint8_t direction;	/* where it begins, by direction.c */
	bool call_moved;	/* its call does not stay in place */
};

enum bob_mem_word_kind {
	BOB_MEM_SUM = 0,	/* base + index * scale + third * third_scale (+ thread pointer) */
	BOB_MEM_LANE,		/* base + an index of a gather * scale */
	BOB_MEM_MASK		/* which lanes are accessed */
};

/* One word of a record, of registers as they are before instruction `at`; payload: + disp, the
 * address of an access. */
struct bob_mem_word {
	uint32_t at;
	uint8_t base, index, scale;
	uint8_t third, third_scale;
	bool fs;
	uint8_t kind;		/* enum bob_mem_word_kind */
	uint8_t lane;
	/* payload that may be no address: its highest byte is BOB_MEM_TAG */
	bool tagged;
	int32_t disp;
	uint32_t insn;		/* LANE, MASK: whose facts say what */
};
#define BOB_MEM_TAG 0x40u

/* What one record describes: instructions of a block that run one after the other. */
struct bob_mem_piece {
	uint32_t first, count;
	uint32_t start;		/* the probe is before this instruction */
	uint32_t word;		/* first in bob_mem_unit.words */
	uint32_t desc;		/* in bob_mem_unit.descs, or BOB_MEM_NONE: nothing to record */
	uint8_t words;		/* payload included, which comes last */
	uint8_t payload;	/* words that are stored in each iteration of a loop */
	/* register whose end value is the last word of a loop; else BOB_X86_NO_REG */
	uint8_t counter;
	bool save_flags;
};

struct bob_mem_landing {
	uint64_t addr;
	uint32_t block;
	uint8_t kind;		/* enum bob_mem_landing_kind */
	uint8_t prefix;		/* of the jump: one that it ignores; 0: none */
	uint64_t chain;		/* BOB_MEM_LAND_SHORT: where the long jump is */
};

enum bob_mem_landing_kind {
	BOB_MEM_LAND_JUMP,	/* five bytes */
	BOB_MEM_LAND_SHORT,	/* two bytes, which lead to five others */
	BOB_MEM_LAND_TRAP	/* the agent finds the block by its address */
};

BOB_VEC_OF(bob_mem_ranges, struct bob_mem_range);
BOB_VEC_OF(bob_mem_insns, struct bob_mem_insn);
BOB_VEC_OF(bob_mem_blocks, struct bob_mem_block);
BOB_VEC_OF(bob_mem_words, struct bob_mem_word);
BOB_VEC_OF(bob_mem_pieces, struct bob_mem_piece);
BOB_VEC_OF(bob_mem_landings, struct bob_mem_landing);

struct bob_mem_unit {
	const struct bob_plan_image *img;
	uint32_t func;		/* the function, in img->funcs */
	bool flags_pass;	/* flags may be handed over by calls and returns */
	bool splits;		/* a function so far calls for a larger stack: split.c */
	/* no frame information says that this is code: all must be reached */
	bool strict;
	struct bob_mem_ranges ranges; /* sorted */
	struct bob_mem_insns insns; /* sorted by address */
	struct bob_mem_blocks blocks; /* likewise */
	struct bob_mem_pieces pieces; /* likewise */
	struct bob_mem_words words;
	struct bob_mem_landings landings;
	struct bob_plan_bytes used; /* of the text, place.c */
	uint64_t at;		/* where it was declined, if that is known */
	bob_status st;
};

/* The steps. Each returns why the unit is declined, BOB_MEM_TAKEN if it is not, and sets u->st
 * if memory is short. */
unsigned bob_mem_restarts(struct bob_mem_unit *u);
unsigned bob_mem_read(struct bob_mem_unit *u);
unsigned bob_mem_find_blocks(struct bob_mem_unit *u);
/* split.c: the instruction that the callee of `call` calls, where that is after the `ret` it
 * returns to; or BOB_MEM_NONE. Are the bytes of this one read? */
uint32_t bob_mem_split_body(const struct bob_mem_unit *u, uint32_t call);
bool bob_mem_split_is_read(const struct bob_mem_unit *u, uint32_t body);
unsigned bob_mem_find_direction(struct bob_mem_unit *u);
void bob_mem_find_unwinds(struct bob_mem_unit *u); /* unwind.c; live.c counts on it */
/* *passes: flags are read that only a caller or callee can have set. */
void bob_mem_find_live(struct bob_mem_unit *u, bool *passes);
unsigned bob_mem_find_pieces(struct bob_mem_unit *u, struct bob_mem_plan *out);
unsigned bob_mem_place(struct bob_mem_unit *u);
unsigned bob_mem_emit(struct bob_mem_unit *u, struct bob_mem_plan *out);
void bob_mem_text(struct bob_mem_unit *u, struct bob_mem_plan *out);

/* Index of the first instruction that starts at `addr` or later; how many there are: none. */
size_t bob_mem_insn_from(const struct bob_mem_unit *u, uint64_t addr);
/* Index of the instruction or block that starts at `addr`, or BOB_MEM_NONE. */
uint32_t bob_mem_insn_at(const struct bob_mem_unit *u, uint64_t addr);
uint32_t bob_mem_block_at(const struct bob_mem_unit *u, uint64_t addr);
/* The end of the padding that begins at `hi`; `hi` itself if there is none. */
uint64_t bob_mem_padding_after(const struct bob_plan_image *img, uint64_t hi);
/* Is it code of the unit, padding not included? */
bool bob_mem_inside(const struct bob_mem_unit *u, uint64_t addr);

#endif
