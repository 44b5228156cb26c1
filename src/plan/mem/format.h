/* SPDX-License-Identifier: BSD-3-Clause */
/* A memory plan: the translated functions of one image (docs/mem-native.md), made by src/plan/mem,
 * cached next to the image's patch plan and mapped by the agent. The rules and terms of
 * plan/format.h apply: position independent, little endian, 64-byte aligned sections, hostile until
 * bob_mem_plan_check accepts it. Cache file: <cache>/<key as 16 hex digits>.mem, with the key of
 * the patch plan. */
#ifndef BOB_PLAN_MEM_FORMAT_H
#define BOB_PLAN_MEM_FORMAT_H

#include "plan/format.h"

#define BOB_MEM_PLAN_MAGIC 0x0a4d454d50424f42ull /* "BOBPMEM\n" */
#define BOB_MEM_PLAN_VERSION 10u

/* Reasons why an instruction or a function is not translated. The numbers are part of the trace
 * format. */
enum bob_mem_decline {
	BOB_MEM_TAKEN = 0,
	BOB_MEM_NO_FRAME = 1,	/* no call frame information: the end of the function is unknown */
	/* a signal trampoline, which the kernel and unwinders recognise by its bytes */
	BOB_MEM_TRAMPOLINE = 3,
	/* 2 and 4 are not used */
	BOB_MEM_UNDECODED = 5,
	BOB_MEM_INTO_INSN = 6,	/* a jump into the middle of an instruction */
	BOB_MEM_GATHER = 7,	/* an unknown gather, or one that only prefetches */
	BOB_MEM_MASKED = 8,	/* an unknown masked instruction */
	BOB_MEM_SEGMENT = 9,	/* uses gs, or changes the base of fs */
	BOB_MEM_ADDRESS32 = 10,	/* 32-bit addresses */
	BOB_MEM_BIT_ADDRESS = 11, /* bt, bts, btr or btc with the bit number in a register */
	/* xsave and others with machine-dependent size; privileged instructions */
	BOB_MEM_SYSTEM = 12,
	BOB_MEM_TRANSACTION = 13, /* xbegin */
	/* string instructions may run in either direction, or the flag may be set on leaving */
	BOB_MEM_DIRECTION = 14,
	BOB_MEM_BREAKPOINT = 15, /* int3 */
	BOB_MEM_FIXED_PLACE = 16, /* cannot be relocated */
	BOB_MEM_FAR = 17,
	BOB_MEM_ODD = 18,	/* rare forms without support: enter, xlat, 16-bit pushes */
	BOB_MEM_REGISTERS = 19,	/* no free register for a probe */
	BOB_MEM_TOO_LARGE = 20,
	/* found by the agent */
	BOB_MEM_HOOKED = 21,	/* the agent's own hook is there */
	BOB_MEM_RESTORED = 22, /* control entered at an unknown address */
	/* found by the planner */
	/* in a restartable sequence, or at its abort address */
	BOB_MEM_RESTART = 23,
	BOB_MEM_RUN_TIME = 24,	/* of the Go compiler, or of a sanitizer */
	/* found by the agent */
	/* needs a trap, in a process whose stacks may be too small for its signal */
	BOB_MEM_SMALL_STACK = 25,
	BOB_MEM_DECLINES
};

#define BOB_MEM_SPILLS 3u

/* Words in the agent's thread-local storage that probes access through fs. All are zero when a
 * thread begins: so its first probe finds the buffer full. */
struct bob_mem_slots {
	uint64_t *cursor;	/* next free word of the buffer */
	uint64_t *limit;	/* a record may only begin below it */
	uint64_t spill[BOB_MEM_SPILLS]; /* registers, while a probe uses them */
	uint64_t *loop;		/* header of the most recent record of a loop with payload */
	uint64_t indices[8];	/* of a gather, while a probe uses them */
};
BOB_STATIC_ASSERT(sizeof(struct bob_mem_slots) == 112, "slots");
/* Words that must fit after the limit: header, words of the longest record, last word of a loop.
 * For a loop with payload these are its beginning and one iteration; the limit is checked before
 * each. */
#define BOB_MEM_SLACK_WORDS 66u

/* A function with its cold parts, or code outside of functions. */
struct bob_mem_func {
	uint64_t addr;		/* link address */
	uint64_t bytes;		/* size of the code, all parts */
	uint64_t decline_at;	/* address of the instruction that was declined */
	uint32_t func;		/* in the patch plan; ~0: none */
	uint32_t decline;	/* enum bob_mem_decline */
	uint32_t desc, descs;	/* its descriptors */
	uint32_t code, code_len; /* in the blob; ascending */
	uint32_t map, map_len;	/* in the map */
};
BOB_STATIC_ASSERT(sizeof(struct bob_mem_func) == 56, "memory plan function");

/* Bytes of the image to be replaced: all of a function or none. Sorted by addr, not overlapping. */
struct bob_mem_patch {
	uint64_t addr;
	uint32_t len;
	uint32_t text;		/* offset in the section `text` */
	uint32_t func;		/* in `funcs` */
	uint32_t traps;		/* number of entries by trap */
};
BOB_STATIC_ASSERT(sizeof(struct bob_mem_patch) == 24, "memory plan patch");

/* An entry of a translated block: a trap at `orig` continues at `code`. Sorted by orig. */
struct bob_mem_stop {
	uint64_t orig;		/* link address */
	uint32_t code;		/* offset in the blob */
	uint32_t func;
};
BOB_STATIC_ASSERT(sizeof(struct bob_mem_stop) == 16, "memory plan stop");

/* The blob is made as if the arena began at link address 0 with BOB_PLAN_HANDLER_BYTES, which start
 * with the agent's function for full buffers. Lists of 32-bit fields that the agent must adjust, by
 * offset in their section, sorted, at least four bytes apart:
 *   relocs   blob: add image bias - arena address
 *   tls      blob: add the offset of struct bob_mem_slots from the thread pointer
 *   ids      blob: add the number of the image's first descriptor; bit 31 stays set
 *   fixes    text: add arena address - image bias */
struct bob_mem_plan_head {
	uint64_t magic;
	uint32_t version;
	uint32_t check;		/* as in struct bob_plan_head */
	uint64_t file_bytes;
	uint64_t key;
	uint64_t text_lo, text_hi;
	uint32_t desc_count;
	uint32_t split_stacks;	/* 1: a function enlarges its stack (-fsplit-stack) */
	struct bob_plan_section funcs, patches, stops;
	struct bob_plan_section blob, relocs, tls, ids;
	struct bob_plan_section text, fixes;
	struct bob_plan_section descs; /* as in a MEM_DESC chunk (docs/format.md), of image 0 */
	struct bob_plan_section map; /* varints, read by bob_mem_map_find */
};

/* The state valid from an offset of the blob on. The map of a function is a sequence of pairs of
 * varints: distance from the previous pair (for the first, from the function's code) << 2 | kind,
 * and a value. */
enum bob_mem_map_kind {
	/* the next instruction of the original: zigzag distance from the previous one (for the
	 * first, from the function's address) */
	BOB_MEM_MAP_INSN = 0,
	/* current descriptor of the function, + 1 (0: none); << 1 | whether its record is complete,
	 * although not all of it has happened */
	BOB_MEM_MAP_RECORD = 1,
	/* register with the cursor, + 1 (0: none); << 5 | number of words to be added to it before
	 * it is stored */
	BOB_MEM_MAP_CURSOR = 2,
	/* counter register << 1 | whether it has been stepped in this iteration. In a loop with
	 * payload: BOB_MEM_MAP_ITERATES << 1 | whether all words of this iteration are stored. For
	 * a spilled register: (BOB_MEM_MAP_SPILL + its slot) << 5 | register + 1 (0: restored) */
	BOB_MEM_MAP_LOOP = 3
};
#define BOB_MEM_MAP_ITERATES 16u
#define BOB_MEM_MAP_SPILL 2u

/* State of a thread that is about to run translated code. */
struct bob_mem_where {
	/* link address of the next instruction, also while in the probe before it */
	uint64_t orig;
	uint32_t func;
	uint32_t desc;		/* current descriptor of the plan; ~0: none */
	uint8_t complete;	/* its record is complete; if it iterates: that of this iteration */
	uint8_t cursor;		/* register; BOB_MEM_NO_CURSOR */
	uint8_t added;		/* number of words that will be added to it: the record is
				 * complete */
	uint8_t counter;	/* register, in a recorded loop; BOB_MEM_NO_CURSOR */
	uint8_t stepped;	/* the counter has been stepped in this iteration */
	uint8_t iterates;	/* in a loop with payload whose header is stored */
	/* By slot: the register whose value it has, or BOB_MEM_NO_CURSOR. */
	uint8_t spilled[BOB_MEM_SPILLS];
};
#define BOB_MEM_NO_CURSOR 0xffu

/* Validate a memory plan. Freestanding; the agent calls it. After BOB_OK all indices and offsets
 * can be used, and all patches are in [text_lo, text_hi). The bytes of `descs` are not checked. */
bob_status bob_mem_plan_check(const void *plan, uint64_t len, uint64_t key);

/* Look up `code`, an offset in the blob. Freestanding: address_map.c. The plan has been checked,
 * but its map is untrusted. Errors: BOB_NONE (no translated instruction is there),
 * BOB_ERR_CORRUPT. */
bob_status bob_mem_map_find(const struct bob_mem_plan_head *plan, uint32_t code,
			    struct bob_mem_where *out);

#endif
