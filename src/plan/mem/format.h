/* SPDX-License-Identifier: BSD-3-Clause */
/* A memory plan: the translated functions of one image (docs/mem-native.md), made by src/plan/mem,
 * cached as a file beside the image's patch plan and mapped by the agent. Rules and terms are those
 * of plan/format.h: position independent, little endian, sections 64-byte aligned, hostile until
 * bob_mem_plan_check has passed it. Cache file: <cache>/<key as 16 hex digits>.mem; the key is that
 * of the patch plan. */
#ifndef BOB_PLAN_MEM_FORMAT_H
#define BOB_PLAN_MEM_FORMAT_H

#include "plan/format.h"

#define BOB_MEM_PLAN_MAGIC 0x0a4d454d50424f42ull /* "BOBPMEM\n" */
#define BOB_MEM_PLAN_VERSION 10u

/* Why code is not translated. Of an instruction, of a function, or both. Numbers are for ever. */
enum bob_mem_decline {
	BOB_MEM_TAKEN = 0,
	BOB_MEM_NO_FRAME = 1,	/* no call frame information: where it ends is not known */
	/* a signal trampoline, known to the kernel and unwinders by its bytes */
	BOB_MEM_TRAMPOLINE = 3,
	/* 2 and 4 are not used */
	BOB_MEM_UNDECODED = 5,
	BOB_MEM_INTO_INSN = 6,	/* something jumps between the bytes of an instruction */
	BOB_MEM_GATHER = 7,	/* a gather we do not know, or one that only prefetches */
	BOB_MEM_MASKED = 8,	/* a masked instruction we do not know */
	BOB_MEM_SEGMENT = 9,	/* gs, or the base of fs is changed */
	BOB_MEM_ADDRESS32 = 10,	/* 32-bit addresses */
	BOB_MEM_BIT_ADDRESS = 11, /* bt and friends with the bit number in a register */
	/* xsave and others whose size depends on the machine; privileged ones */
	BOB_MEM_SYSTEM = 12,
	BOB_MEM_TRANSACTION = 13, /* xbegin */
	/* string instructions run either way, or the flag is set for others */
	BOB_MEM_DIRECTION = 14,
	BOB_MEM_BREAKPOINT = 15, /* int3 */
	BOB_MEM_FIXED_PLACE = 16, /* cannot be moved */
	BOB_MEM_FAR = 17,
	BOB_MEM_ODD = 18,	/* rare forms that are not supported: enter, xlat, 16-bit pushes */
	BOB_MEM_REGISTERS = 19,	/* no register left for a probe */
	BOB_MEM_TOO_LARGE = 20,
	/* found by the agent */
	BOB_MEM_HOOKED = 21,	/* the agent itself is called there */
	BOB_MEM_RESTORED = 22, /* control came in at an unknown place */
	/* found by the planner */
	/* in a restartable sequence, or where one goes on when it was broken off */
	BOB_MEM_RESTART = 23,
	BOB_MEM_RUN_TIME = 24,	/* of Go's compiler, or of a sanitizer */
	/* found by the agent */
	/* a trap, in a process whose stacks may be too small for its signal */
	BOB_MEM_SMALL_STACK = 25,
	BOB_MEM_DECLINES
};

#define BOB_MEM_SPILLS 3u

/* What a probe uses through fs: the agent keeps these words in its thread-local storage. All are
 * zero when a thread begins: its first probe finds the buffer full. */
struct bob_mem_slots {
	uint64_t *cursor;	/* next free word of the buffer */
	uint64_t *limit;	/* a record is begun only below it */
	uint64_t spill[BOB_MEM_SPILLS]; /* registers, while a probe uses them */
	uint64_t *loop;		/* header of the newest record of a loop with payload */
	uint64_t indices[8];	/* of a gather, while a probe uses them */
};
BOB_STATIC_ASSERT(sizeof(struct bob_mem_slots) == 112, "slots");
/* What must fit after the limit: header, the words of the longest record, a loop's last word. Of a
 * loop with payload that is its beginning and one iteration; the limit is checked before each. */
#define BOB_MEM_SLACK_WORDS 66u

/* One function with its cold parts, or code that is no function's. */
struct bob_mem_func {
	uint64_t addr;		/* link address */
	uint64_t bytes;		/* of code, all its parts */
	uint64_t decline_at;	/* the instruction */
	uint32_t func;		/* in the patch plan, ~0: none */
	uint32_t decline;	/* enum bob_mem_decline */
	uint32_t desc, descs;	/* its descriptors */
	uint32_t code, code_len; /* in the blob; ascending */
	uint32_t map, map_len;	/* in the map */
};
BOB_STATIC_ASSERT(sizeof(struct bob_mem_func) == 56, "memory plan function");

/* Bytes of the image to be replaced, all of a function or none. Sorted by addr, not overlapping. */
struct bob_mem_patch {
	uint64_t addr;
	uint32_t len;
	uint32_t text;		/* offset in the section `text` */
	uint32_t func;		/* in `funcs` */
	uint32_t traps;		/* places where control comes in through one */
};
BOB_STATIC_ASSERT(sizeof(struct bob_mem_patch) == 24, "memory plan patch");

/* A block of translated code: a trap at `orig` continues at `code`. Sorted by orig. */
struct bob_mem_stop {
	uint64_t orig;		/* link address */
	uint32_t code;		/* offset in the blob */
	uint32_t func;
};
BOB_STATIC_ASSERT(sizeof(struct bob_mem_stop) == 16, "memory plan stop");

/* The blob is made as if the arena began at link address 0 with BOB_PLAN_HANDLER_BYTES, at whose
 * start the agent puts what a full buffer calls. 32-bit fields that are not final, by offset in
 * what they lie in, sorted, four bytes apart at least:
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
	uint32_t split_stacks;	/* 1: a function makes its stack larger by itself (-fsplit-stack) */
	struct bob_plan_section funcs, patches, stops;
	struct bob_plan_section blob, relocs, tls, ids;
	struct bob_plan_section text, fixes;
	struct bob_plan_section descs; /* as in a MEM_DESC chunk (docs/format.md), of image 0 */
	struct bob_plan_section map; /* varints, read by bob_mem_map_find */
};

/* What is so from an offset of the blob on. The map of a function is a row of pairs of varints:
 * distance from the pair before (the first: from the function's code) << 2 | kind, then a value. */
enum bob_mem_map_kind {
	BOB_MEM_MAP_INSN =
		0, /* the next instruction of the original; zigzag distance from the one before (the
				 * first: from the function's address) */
	BOB_MEM_MAP_RECORD =
		1, /* descriptor of the function that is under way, + 1 (0: none is); << 1 | its record is
				 * complete, though not all of it has happened */
	BOB_MEM_MAP_CURSOR =
		2, /* register that holds the cursor, + 1 (0: none does); << 5 what will be added to it
				 * before it is stored, in words */
	BOB_MEM_MAP_LOOP =
		3 /* register of the counter << 1 | it has been stepped in this iteration. In a loop with
				 * payload: BOB_MEM_MAP_ITERATES << 1 | all words of this iteration are stored. A
				 * register is put away: (BOB_MEM_MAP_SPILL + its slot) << 5 | register + 1 (0: it
				 * is back) */
};
#define BOB_MEM_MAP_ITERATES 16u
#define BOB_MEM_MAP_SPILL 2u

/* Where a thread is that is about to run translated code. */
struct bob_mem_where {
	/* link address of the instruction it is at, or in the probe before */
	uint64_t orig;
	uint32_t func;
	uint32_t desc;		/* of the plan, under way; ~0: none is */
	uint8_t complete;	/* its record; if it iterates: that of this iteration */
	uint8_t cursor;		/* register; BOB_MEM_NO_CURSOR */
	uint8_t added;		/* words that will be added to it: the record is complete */
	uint8_t counter;	/* register, within a recorded loop; BOB_MEM_NO_CURSOR */
	uint8_t stepped;	/* in this iteration */
	uint8_t iterates;	/* in a loop with payload whose header is stored */
	/* By slot: the register whose value is there; or BOB_MEM_NO_CURSOR. */
	uint8_t spilled[BOB_MEM_SPILLS];
};
#define BOB_MEM_NO_CURSOR 0xffu

/* Freestanding, also run by the agent. After BOB_OK all indices and offsets can be followed and all
 * patches lie in [text_lo, text_hi). The bytes of `descs` are not looked at. */
bob_status bob_mem_plan_check(const void *plan, uint64_t len, uint64_t key);

/* Freestanding: map.c. The plan has been checked; its map is hostile until it is read here. `code`
 * is an offset in the blob. BOB_NONE: no translated instruction is there; BOB_ERR_CORRUPT. */
bob_status bob_mem_map_find(const struct bob_mem_plan_head *plan, uint32_t code,
			    struct bob_mem_where *out);

#endif
