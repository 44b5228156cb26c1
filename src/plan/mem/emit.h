/* SPDX-License-Identifier: BSD-3-Clause */
/* Between emit.c, which puts the instructions and blocks of a unit, and probes.c, which puts what
 * records them. Errors go into e->c.st (BOB_ERR_NOMEM) and e->why; nothing is put after the former.
 * One thread. */
#ifndef BOB_PLAN_MEM_EMIT_H
#define BOB_PLAN_MEM_EMIT_H

#include "plan/arch/x86_64/code.h"
#include "plan/mem/unit.h"

/* A 32-bit field in the blob that leads to a block of the unit. */
struct bob_mem_hop {
	uint32_t at, block;
	bool back;		/* of a loop, past the probe before it */
};
BOB_VEC_OF(bob_mem_hops, struct bob_mem_hop);

/* What to do when the buffer is full, after the blocks. */
struct bob_mem_full {
	uint32_t jump;		/* offset of the end of the jump's field */
	uint8_t cursor;
	uint64_t orig;		/* instruction after the probe */
	/* of a loop with payload: its record is begun again, at `again_at` */
	bool again;
	uint8_t spilled[BOB_MEM_SPILLS]; /* registers, or BOB_X86_NO_REG; the first: the cursor's */
	uint32_t again_at;
};
BOB_VEC_OF(bob_mem_fulls, struct bob_mem_full);

struct bob_mem_emitter {
	struct bob_mem_unit *u;
	struct bob_mem_plan *out;
	struct bob_x86_code c;
	struct bob_mem_hops hops;
	struct bob_mem_fulls fulls;
	uint32_t map_code;	/* where the newest pair of the map holds from */
	uint64_t map_orig;
	uint8_t spilled[BOB_MEM_SPILLS]; /* registers, as the map has them; or BOB_X86_NO_REG */
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

/* A 32-bit field at `at` belongs into one of the plan's lists. */
void bob_mem_note_field(struct bob_mem_emitter *e, struct bob_plan_u32s *list, uint32_t at);

/* The map, from here on (enum bob_mem_map_kind, map_put.c): the original's next instruction; the
 * piece under way, and whether its record is complete (NULL: none is); the register that holds the
 * cursor, and the words still to be added to it; the register whose value a slot holds; whether a
 * loop's counter has been stepped. BOB_X86_NO_REG: none. */
void bob_mem_map_insn(struct bob_mem_emitter *e, uint64_t orig);
void bob_mem_map_record(struct bob_mem_emitter *e, const struct bob_mem_piece *p,
			unsigned complete);
void bob_mem_map_cursor(struct bob_mem_emitter *e, uint8_t reg, unsigned added);
void bob_mem_map_spill(struct bob_mem_emitter *e, unsigned slot, uint8_t reg);
void bob_mem_map_loop(struct bob_mem_emitter *e, const struct bob_mem_piece *p, unsigned stepped);
/* In a loop with payload: the words of this iteration are stored, or not. */
void bob_mem_map_iterates(struct bob_mem_emitter *e, unsigned complete);

/* A register that can hold the cursor from the first point of the piece to the last, or
 * BOB_X86_NO_REG. */
uint8_t bob_mem_cursor_throughout(const struct bob_mem_emitter *e, const struct bob_mem_piece *p);
/* The probe code before instruction `at`, if there is any; `kept` is what the above returned. */
void bob_mem_probe_before(struct bob_mem_emitter *e, const struct bob_mem_piece *piece, uint32_t at,
			  uint8_t kept);
/* After a loop: where its counter ended. `live` and `orig` are of the instruction after it. */
void bob_mem_probe_after_loop(struct bob_mem_emitter *e, const struct bob_mem_piece *piece,
			      uint32_t live, uint64_t orig);
/* The same in a loop with payload, whose beginning is what the above puts: what an iteration
 * stores. */
void bob_mem_payload_before(struct bob_mem_emitter *e, const struct bob_mem_piece *piece,
			    uint32_t at, uint8_t kept);
/* What the branch back of a loop with payload leads to: is there space for one iteration more? If
 * not, the record ends and another begins at `again`, with the registers as they are. */
void bob_mem_probe_iteration(struct bob_mem_emitter *e, const struct bob_mem_piece *piece,
			     uint8_t kept, uint32_t again);
/* After the loop, before `orig`. */
void bob_mem_map_after_payload(struct bob_mem_emitter *e, uint64_t orig);
/* After all blocks: what full buffers lead to. */
void bob_mem_put_fulls(struct bob_mem_emitter *e);

#endif
