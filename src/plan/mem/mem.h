/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory planner: translates the functions of an image into code that also records what it
 * loads and stores (mem/record.h), and says how the image's text must be changed so that this code
 * runs in its place. docs/mem-native.md. Host side; any thread; no globals. */
#ifndef BOB_PLAN_MEM_MEM_H
#define BOB_PLAN_MEM_MEM_H

#include "mem/record.h"
#include "plan/arch/x86_64/facts.h"
#include "plan/image.h"

/* What a probe uses through fs: the agent keeps these words in its thread-local storage. */
enum bob_mem_slot {
	BOB_MEM_SLOT_CURSOR = 0, /* next free word of the buffer */
	BOB_MEM_SLOT_LIMIT = 8,	/* from here on there may be no room for a record */
	BOB_MEM_SLOT_SPILL = 16	/* three words */
};
#define BOB_MEM_SLOT_BYTES 40u
/* What must fit behind the limit: the longest record, and a loop's last word. */
#define BOB_MEM_SLACK_WORDS (BOB_MEM_WORDS_MAX + 2u)

/* A descriptor, its accesses in bob_mem_plan.accesses, its steps in .steps. */
struct bob_mem_planned {
	struct bob_mem_desc desc; /* pointers are not set */
	uint32_t access, step;
};

/* A block of translated code: a trap at `orig` continues at `code`. */
struct bob_mem_stop {
	uint64_t orig;
	uint32_t code;
};

/* Bytes of text to be replaced by those at bob_mem_plan.text. */
struct bob_mem_patch {
	uint64_t addr;
	uint32_t len;
	uint32_t text;
};

/* One function, with its cold parts. */
struct bob_mem_func {
	uint64_t addr;
	uint64_t bytes;		/* of code */
	uint32_t func;		/* in the image's functions, or BOB_PLAN_NO_INDEX */
	uint8_t decline;	/* enum bob_mem_decline */
	uint64_t decline_at;	/* the instruction */
	uint32_t code, code_len; /* in the blob */
	uint32_t patch, patches;
	uint32_t desc, descs;
	uint32_t stop, stops;
};

BOB_PLAN_VEC(bob_mem_planneds, struct bob_mem_planned);
BOB_PLAN_VEC(bob_mem_accesses, struct bob_mem_access);
BOB_PLAN_VEC(bob_mem_steps, struct bob_mem_step);
BOB_PLAN_VEC(bob_mem_stops, struct bob_mem_stop);
BOB_PLAN_VEC(bob_mem_patches, struct bob_mem_patch);
BOB_PLAN_VEC(bob_mem_funcs, struct bob_mem_func);

struct bob_mem_stats {
	uint32_t by_decline[BOB_MEM_DECLINES]; /* [0]: translated functions */
	uint64_t bytes_by_decline[BOB_MEM_DECLINES];
	uint32_t blocks, pieces, probes, saved_flags, spills, landings, short_landings, traps;
	uint32_t calls, moved_calls;
	uint64_t accesses, words;
	bool flags_pass;
};

/* As in plan/format.h: the blob is made as if the arena began at link address 0 with
 * BOB_PLAN_HANDLER_BYTES, at whose start the agent puts what a full buffer calls. 32-bit fields
 * that are not final, by offset in what they lie in:
 *   relocs   blob: add image bias - arena address
 *   tls      blob: add the offset of the slots from the thread pointer
 *   ids      blob: add the number of the image's first descriptor
 *   fixes    text: add arena address - image bias */
struct bob_mem_plan {
	struct bob_plan_bytes blob, text;
	struct bob_plan_u32s relocs, tls, ids, fixes;
	struct bob_mem_planneds descs;
	struct bob_mem_accesses accesses;
	struct bob_mem_steps steps;
	struct bob_mem_stops stops; /* of a function, sorted */
	struct bob_mem_patches patches;
	struct bob_mem_funcs funcs; /* sorted by address */
	struct bob_mem_stats stats;
};

/* `img` has been scanned (bob_plan_scan). What is in *out belongs to the caller, also after an
 * error: bob_mem_plan_free. Errors: BOB_ERR_NOMEM, BOB_ERR_FULL. */
bob_status bob_mem_plan_make(const struct bob_plan_image *img, struct bob_mem_plan *out);
void bob_mem_plan_free(struct bob_mem_plan *p);

/* A few words. Never NULL. */
const char *bob_mem_decline_text(unsigned why);

#endif
