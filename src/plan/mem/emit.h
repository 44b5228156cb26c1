/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface between emit.c, which emits the instructions and blocks of a unit, and probes.c, which
 * emits the code that records them. Errors are stored in e->c.st (BOB_ERR_NOMEM; emission then
 * stops) and e->why. Threads: one. */
#ifndef BOB_PLAN_MEM_EMIT_H
#define BOB_PLAN_MEM_EMIT_H

#include "plan/arch/x86_64/code.h"
#include "plan/mem/unit.h"

/* A 32-bit field in the blob that refers to a block of the unit. */
struct bob_mem_hop {
	uint32_t at, block;
	bool back;		/* it is the back edge of a loop, past the probe before the loop */
};
BOB_VEC_OF(bob_mem_hops, struct bob_mem_hop);

/* The slow path of a probe whose buffer is full; emitted after the blocks. */
struct bob_mem_full {
	uint32_t jump;		/* offset of the end of the jump's field */
	uint8_t cursor;
	uint64_t orig;		/* the instruction after the probe */
	/* of a loop with payload: restart its record, at `again_at` */
	bool again;
	uint8_t spilled[BOB_MEM_SPILLS]; /* registers, or BOB_X86_NO_REG; the first is the
					  * cursor's */
	uint32_t again_at;
};
BOB_VEC_OF(bob_mem_fulls, struct bob_mem_full);

struct bob_mem_emitter {
	struct bob_mem_unit *u;
	struct bob_mem_plan *out;
	struct bob_x86_code c;
	struct bob_mem_hops hops;
	struct bob_mem_fulls fulls;
	uint32_t map_code;	/* position of the last pair of the map */
	uint64_t map_orig;
	uint8_t spilled[BOB_MEM_SPILLS]; /* registers in the spill slots, according to the map; or
					  * BOB_X86_NO_REG */
	unsigned why;		/* enum bob_mem_decline */
};

static inline uint32_t bob_mem_here(const struct bob_mem_emitter *e)
{
	return (uint32_t)e->c.bytes->count;
}

static inline const struct bob_mem_func *bob_mem_emitted_func(const struct bob_mem_emitter *e)
{
	return &e->out->funcs.at[e->out->funcs.count - 1];
}

static inline bool bob_mem_is_loop_piece(const struct bob_mem_emitter *e,
					 const struct bob_mem_piece *p)
{
	return p->desc != BOB_MEM_NONE && e->out->descs.at[p->desc].desc.kind == BOB_MEM_LOOP;
}

/* Add the 32-bit field at `at` to one of the plan's lists. */
void bob_mem_note_field(struct bob_mem_emitter *e, struct bob_plan_u32s *list, uint32_t at);

/* Append pairs to the map, valid from here on (enum bob_mem_map_kind, map_put.c):
 *   _insn     the next instruction of the original
 *   _record   the current piece (NULL: none), and whether its record is complete
 *   _cursor   the register with the cursor, and the words still to be added to it
 *   _spill    the register whose value is in a slot
 *   _loop     whether the counter of a loop has been stepped
 * BOB_X86_NO_REG: none. */
void bob_mem_map_insn(struct bob_mem_emitter *e, uint64_t orig);
void bob_mem_map_record(struct bob_mem_emitter *e, const struct bob_mem_piece *p,
			unsigned complete);
void bob_mem_map_cursor(struct bob_mem_emitter *e, uint8_t reg, unsigned added);
void bob_mem_map_spill(struct bob_mem_emitter *e, unsigned slot, uint8_t reg);
void bob_mem_map_loop(struct bob_mem_emitter *e, const struct bob_mem_piece *p, unsigned stepped);
/* In a loop with payload: whether the words of this iteration are stored. */
void bob_mem_map_iterates(struct bob_mem_emitter *e, unsigned complete);

/* A register that can hold the cursor from the first to the last point of the piece, or
 * BOB_X86_NO_REG. */
uint8_t bob_mem_cursor_throughout(const struct bob_mem_emitter *e, const struct bob_mem_piece *p);
/* Emit the probe before instruction `at`, if there is one; `kept` is the result of
 * bob_mem_cursor_throughout. */
void bob_mem_probe_before(struct bob_mem_emitter *e, const struct bob_mem_piece *piece, uint32_t at,
			  uint8_t kept);
/* Emit the code after a loop that stores the final value of its counter. `live` and `orig` are of
 * the next instruction. */
void bob_mem_probe_after_loop(struct bob_mem_emitter *e, const struct bob_mem_piece *piece,
			      uint32_t live, uint64_t orig);
/* The same in a loop with payload, after bob_mem_probe_before for its beginning: emit the stores of
 * an iteration. */
void bob_mem_payload_before(struct bob_mem_emitter *e, const struct bob_mem_piece *piece,
			    uint32_t at, uint8_t kept);
/* Emit the target of the back edge of a loop with payload: checks that one more iteration fits. If
 * not, the record ends and another begins at `again`, with the current registers. */
void bob_mem_probe_iteration(struct bob_mem_emitter *e, const struct bob_mem_piece *piece,
			     uint8_t kept, uint32_t again);
/* Update the map after the loop, before `orig`. */
void bob_mem_map_after_payload(struct bob_mem_emitter *e, uint64_t orig);
/* Emit the slow paths of full buffers, after all blocks. */
void bob_mem_put_fulls(struct bob_mem_emitter *e);

#endif
