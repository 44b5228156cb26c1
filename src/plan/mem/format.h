/* SPDX-License-Identifier: BSD-3-Clause */
/* A memory plan: the translated functions of one image (docs/mem-native.md), made by src/plan/mem, cached
 * as a file beside the image's patch plan and mapped by the agent. Rules and terms are those of
 * plan/format.h: position independent, little endian, sections 64-byte aligned, hostile until
 * bob_mem_plan_check has passed it. Cache file: <cache>/<key as 16 hex digits>.mem; the key is that of
 * the patch plan. */
#ifndef BOB_PLAN_MEM_FORMAT_H
#define BOB_PLAN_MEM_FORMAT_H

#include "plan/format.h"

#define BOB_MEM_PLAN_MAGIC 0x0a4d454d50424f42ull /* "BOBPMEM\n" */
#define BOB_MEM_PLAN_VERSION 1u

/* Why code is not translated. Of an instruction, of a function, or both. Numbers are for ever. */
enum bob_mem_decline {
	BOB_MEM_TAKEN = 0,
	BOB_MEM_NO_FRAME = 1,	/* no call frame information: where it ends is not known */
	BOB_MEM_TRAMPOLINE =
		3, /* a signal trampoline, known to the kernel and unwinders by its bytes */
	/* 2 and 4 are not used */
	BOB_MEM_UNDECODED = 5,
	BOB_MEM_INTO_INSN = 6,	/* something jumps between the bytes of an instruction */
	BOB_MEM_GATHER = 7,	/* gathers and scatters */
	BOB_MEM_MASKED = 8,	/* masked moves */
	BOB_MEM_SEGMENT = 9,	/* gs, or the base of fs is changed */
	BOB_MEM_ADDRESS32 = 10,	/* 32-bit addresses */
	BOB_MEM_BIT_ADDRESS = 11, /* bt and friends with the bit number in a register */
	BOB_MEM_SYSTEM =
		12, /* xsave and others whose size depends on the machine; privileged ones */
	BOB_MEM_TRANSACTION = 13, /* xbegin */
	BOB_MEM_DIRECTION = 14,	/* std: string instructions run backwards */
	BOB_MEM_BREAKPOINT = 15, /* int3 */
	BOB_MEM_FIXED_PLACE = 16, /* cannot be moved */
	BOB_MEM_FAR = 17,
	BOB_MEM_ODD = 18,	/* rare forms nobody taught us: enter, xlat, 16-bit pushes */
	BOB_MEM_REGISTERS = 19,	/* no register left for a probe */
	BOB_MEM_TOO_LARGE = 20,
	BOB_MEM_DECLINES
};

/* What a probe uses through fs: the agent keeps these words in its thread-local storage. All are zero
 * when a thread begins: its first probe finds the buffer full. */
struct bob_mem_slots {
	uint64_t *cursor;	/* next free word of the buffer */
	uint64_t *limit;	/* a record is begun only below it */
	uint64_t spill[3];	/* registers, while a probe uses them */
};
BOB_STATIC_ASSERT(sizeof(struct bob_mem_slots) == 40, "slots");
/* What must fit behind the limit: header, the words of the longest record, a loop's last word. */
#define BOB_MEM_SLACK_WORDS 66u

/* One function with its cold parts, or code that is no function's. */
struct bob_mem_func {
	uint64_t addr;		/* link address */
	uint64_t bytes;		/* of code, all its parts */
	uint64_t decline_at;	/* the instruction */
	uint32_t func;		/* in the patch plan, ~0: none */
	uint32_t decline;	/* enum bob_mem_decline */
	uint32_t desc, descs;	/* its descriptors */
	uint32_t code, code_len; /* in the blob */
};
BOB_STATIC_ASSERT(sizeof(struct bob_mem_func) == 48, "memory plan function");

/* Bytes of the image to be replaced, all of a function or none. Sorted by addr, not overlapping. */
struct bob_mem_patch {
	uint64_t addr;
	uint32_t len;
	uint32_t text;		/* offset in the section `text` */
	uint32_t func;		/* in `funcs` */
	uint32_t reserved;
};
BOB_STATIC_ASSERT(sizeof(struct bob_mem_patch) == 24, "memory plan patch");

/* A block of translated code: a trap at `orig` continues at `code`. Sorted by orig. */
struct bob_mem_stop {
	uint64_t orig;		/* link address */
	uint32_t code;		/* offset in the blob */
	uint32_t func;
};
BOB_STATIC_ASSERT(sizeof(struct bob_mem_stop) == 16, "memory plan stop");

/* The blob is made as if the arena began at link address 0 with BOB_PLAN_HANDLER_BYTES, at whose start
 * the agent puts what a full buffer calls. 32-bit fields that are not final, by offset in what they lie
 * in, sorted, four bytes apart at least:
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
	uint32_t reserved;
	struct bob_plan_section funcs, patches, stops;
	struct bob_plan_section blob, relocs, tls, ids;
	struct bob_plan_section text, fixes;
	struct bob_plan_section descs; /* as in a MEM_DESC chunk (docs/format.md), of image 0 */
};

/* Freestanding, also run by the agent. After BOB_OK all indices and offsets can be followed and all
 * patches lie in [text_lo, text_hi). The bytes of `descs` are not looked at. */
bob_status bob_mem_plan_check(const void *plan, uint64_t len, uint64_t key);

#endif
