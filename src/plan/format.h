/* SPDX-License-Identifier: BSD-3-Clause */
/* A patch plan: everything the agent needs to hook one image, made out of process by src/plan,
 * cached as a file and mapped by the agent, which decodes no instruction itself. Pure data,
 * position independent: `link address` below is an address as in the ELF file; the image lives at
 * link address + bias. Little endian. Offsets are from the start of the file, sections 64-byte
 * aligned. A plan is code to be and comes from a file, so the agent treats it as hostile:
 * bob_plan_check() holds every offset, count and relocation against the bounds before use.
 *
 * Cache file: <cache>/<key as 16 hex digits>.plan. The key is a hash of the build-id and of every
 * byte of the executable segments (BOLT and patchelf keep build-ids), begun from the planner's
 * version: bob_plan_key_begin, then bob_plan_key_segment for each PT_LOAD with PF_X in the order of
 * the program headers (p_filesz bytes). The agent computes it from memory, the planner from the
 * file. The directory is 0700 and ours; owner and mode of file and directory are checked.
 *
 * <key>.special is a plan with nothing in it but the special functions (below) that are needed when
 * neither calls nor accesses are recorded, without frame rules: some kB, where libc's plan has two
 * megabytes. Its key is begun in the same way; of the segments it takes addresses, sizes and 64
 * bytes of each 4096, or all of them if there is no build-id (bob_plan_key_sample): what is patched
 * is compared byte by byte as ever. */
#ifndef BOB_PLAN_FORMAT_H
#define BOB_PLAN_FORMAT_H

#include "bobbin/status.h"
#include "mem/sync.h"

#define BOB_PLAN_MAGIC 0x0a4e414c50424f42ull /* "BOBPLAN\n" */
#define BOB_PLAN_VERSION 20u

struct bob_plan_section {
	uint64_t off;
	uint64_t len;		/* bytes */
};

struct bob_plan_head {
	uint64_t magic;
	uint32_t version;
	uint32_t check;		/* low half of bob_hash64(0, ...) of the file after this field: a plan is
				 * checked at every start, and a large one is tens of megabytes */
	uint64_t file_bytes;
	uint64_t key;
	uint64_t text_lo, text_hi; /* link addresses that hold all executable segments */
	uint32_t func_count;
	uint32_t arena_bytes;	/* bytes that the trampolines need, handler excluded */
	uint8_t build_id[20];
	uint8_t build_id_len;
	uint8_t pad[3];
	struct bob_plan_section funcs;	/* struct bob_plan_func[func_count], sorted by addr */
	struct bob_plan_section blob;	/* trampoline bytes, arena_bytes long */
	struct bob_plan_section relocs;	/* u32 offsets into blob, see below */
	struct bob_plan_section fdes;	/* struct bob_plan_fde[], sorted, not overlapping */
	struct bob_plan_section rows;	/* struct bob_plan_row[] */
	struct bob_plan_section special; /* struct bob_plan_special[] */
	struct bob_plan_section names;	/* zero-terminated names of the functions; one that begins
				 * with _Z is followed by its demangled form and that
				 * without parameters, perhaps empty */
	struct bob_plan_section image;	/* a complete image file (archive/format.h): the agent copies
					 * it into the trace directory as it is */
};

/* How the agent hooks a function. */
enum bob_patch_kind {
	BOB_PATCH_NONE = 0,	/* listed in the trace with its skip reason */
	BOB_PATCH_JMP = 1,	/* 5-byte jmp rel32 at patch_addr */
	/* 2-byte jmp rel8 at patch_addr to hole_addr, there the jmp rel32 */
	BOB_PATCH_HOLE = 2
};

#define BOB_PLAN_BODY_MAX 64u /* bytes from an entry to where it is patched, at most */
struct bob_plan_func {
	uint64_t addr;		/* entry, link address */
	uint32_t size;		/* code bytes, 0 unknown */
	uint32_t name;		/* offset into names, ~0 none */
	uint8_t kind;		/* enum bob_patch_kind */
	uint8_t skip;		/* enum bob_skip (archive/format.h) */
	uint8_t patch_delta;	/* patch_addr = addr + this (4 after endbr64, more after NOPs that
				 * others patch), <= BOB_PLAN_BODY_MAX */
	uint8_t displaced_len;	/* whole instructions at patch_addr that moved into the trampoline; of
				 * these only the first 5 (HOLE: 2) bytes are overwritten */
	int16_t hole_delta;	/* hole_addr = patch_addr + this */
	uint8_t expect_len;	/* <= 16; the agent compares before it writes */
	uint8_t flags;		/* BOB_FUNC_* (archive/format.h) */
	uint8_t expect[16];	/* bytes that must be at patch_addr */
	uint8_t expect_hole[8];	/* HOLE: 5 bytes that must be at hole_addr */
	uint32_t tramp;		/* offset of the trampoline in blob */
	uint32_t tramp_len;
	uint32_t body;		/* offset, from tramp, of the displaced instructions */
	uint32_t moved;		/* where displaced instructions are (bob_plan_moved) */
};
BOB_STATIC_ASSERT(sizeof(struct bob_plan_func) == 64, "plan function");

/* The last displaced instruction is a call, which became `call next; next: addq; jmp`. */
#define BOB_PLAN_MOVED_CALL 0x80000000u
#define BOB_PLAN_MOVED_BITS 5u

/* Where in the body the instruction is that began k bytes after patch_addr, 0 < k < 5; 0: none did.
 * That of k = 0 is the body's first. */
static inline uint32_t bob_plan_moved(const struct bob_plan_func *f, uint32_t k)
{
	return f->moved >> BOB_PLAN_MOVED_BITS * (k - 1) & ((1u << BOB_PLAN_MOVED_BITS) - 1);
}

/* How many bytes of the entry are overwritten. */
static inline uint32_t bob_plan_entry_bytes(const struct bob_plan_func *f)
{
	return f->kind == BOB_PATCH_HOLE ? 2 : 5;
}

/* Does an instruction begin among them, after the first? A debugger that knows the file may set a
 * breakpoint there, in the jump. */
static inline int bob_plan_begins_inside(const struct bob_plan_func *f)
{
	for (uint32_t k = 1; k < bob_plan_entry_bytes(f); k++)
		if (bob_plan_moved(f, k))
			return 1;
	return 0;
}

/* The trampoline of function i, at offset `tramp` of blob, is
 *     48 89 44 24 f0       mov %rax,-16(%rsp)
 *     b8 <i>               mov $i,%eax       the agent adds the image's first id
 *     e8 <rel32>           call <start of arena>: the agent puts its handler there
 *     body:                the displaced instructions, rewritten for their new place
 *     e9 <rel32>           jmp back (where the body does not always leave by itself)
 * The blob is made as if the arena began at link address 0, followed by the blob at
 * BOB_PLAN_HANDLER_BYTES. A relocation is the blob offset of a 32-bit pc-relative field that refers
 * to the image: the agent adds (image bias - arena address) to it and checks that it fits. */
#define BOB_PLAN_HANDLER_BYTES 4096u
#define BOB_PLAN_TRAMP_ID 6u	/* offset of <i> in a trampoline */
#define BOB_PLAN_TRAMP_CALL 11u	/* offset of the call's rel32 */

/* One stretch of code with one way to find the caller's frame: an FDE, or an FDE that is a cold
 * part of the function `owner`. Code in no fde has no frame information. */
struct bob_plan_fde {
	uint64_t lo, hi;	/* link addresses, hi exclusive */
	uint32_t owner;		/* function index, ~0 if none */
	uint32_t row;		/* first row; the last ends before the next fde's first */
	uint32_t row_count;
	uint32_t flags;		/* BOB_FDE_SIGNAL */
};
#define BOB_FDE_SIGNAL 1u	/* a signal trampoline (augmentation 'S') */

enum bob_cfa_kind {
	BOB_CFA_UNKNOWN = 0,	/* not expressible; the stack ends here (counted) */
	BOB_CFA_RSP = 1,	/* CFA = rsp + off */
	BOB_CFA_RBP = 2,	/* CFA = rbp + off */
	BOB_CFA_RBP_DEREF = 3,	/* CFA = *(rbp + off): stack realigned in the prologue */
	BOB_CFA_OUTERMOST = 4,	/* no caller: _start, the start of a thread */
	BOB_CFA_RBX = 5		/* CFA = rbx + off: the loader's lazy binding; usable only if this frame
				 * itself made the call (rbx is not tracked upwards) */
};

/* From link address lo + start on. */
struct bob_plan_row {
	uint32_t start;
	int32_t cfa_off;	/* bytes */
	int16_t rbp_off;	/* rbp is saved at CFA + 8 * rbp_off; 0: still in the register;
				 * BOB_ROW_RBP_LOST: not recoverable. With BOB_CFA_RBP_DEREF rows
				 * BOB_ROW_RBP_AT_RBP: saved at *(rbp) */
	uint8_t cfa_kind;	/* enum bob_cfa_kind */
	uint8_t pad;
};
#define BOB_ROW_RBP_LOST ((int16_t)0x7fff)
#define BOB_ROW_RBP_AT_RBP ((int16_t)0x7ffe)
BOB_STATIC_ASSERT(sizeof(struct bob_plan_row) == 12, "plan row");

/* Functions of the C library and loader at which the agent itself needs to be called, whatever
 * the user chose to trace. They always have a trampoline. */
enum bob_special {
	BOB_SPECIAL_DL_STATE = 1,	/* _dl_debug_state: an image came or went */
	BOB_SPECIAL_EXECVE = 2,		/* execve, also as called by libc itself */
	BOB_SPECIAL_EXIT = 3,		/* _exit */
	BOB_SPECIAL_MAKECONTEXT = 4,	/* bounds of a new stack */
	BOB_SPECIAL_PRCTL = 5,		/* seccomp about to be set? */
	BOB_SPECIAL_SYSCALL = 6,
	BOB_SPECIAL_EXECVEAT = 7,
	BOB_SPECIAL_SIGALTSTACK = 8, /* a stack for handlers */
	BOB_SPECIAL_WAIT4 = 15,		/* how children ended */
	BOB_SPECIAL_WAITID = 16,
	BOB_SPECIAL_THREAD_END = 17,	/* __call_tls_dtors: its destructors are about to run */
	/* only where memory is recorded: */
	BOB_SPECIAL_MAIN = 9,		/* __libc_start_main */
	BOB_SPECIAL_FORK = 10,
	BOB_SPECIAL_CLONE = 14,
	BOB_SPECIAL_SIGMASK = 12,
	/* these also where calls are recorded or functions hooked: handlers see original code */
	BOB_SPECIAL_SIGACTION = 11,
	/* the same, as libc itself calls it, for signals of its own, too */
	BOB_SPECIAL_LIBC_SIGACTION = 13,
	/* and those that synchronise threads: + enum bob_sync_hook (mem/sync.h) */
	BOB_SPECIAL_SYNC = 64
};
struct bob_plan_special {
	uint32_t func;
	uint32_t what;		/* enum bob_special; each function once */
};

static inline int bob_special_is_wait(uint32_t what)
{
	return what == BOB_SPECIAL_WAIT4 || what == BOB_SPECIAL_WAITID;
}

/* Is it of interest whatever is recorded? */
static inline int bob_special_is_general(uint32_t what)
{
	return what < BOB_SPECIAL_MAIN || bob_special_is_wait(what) ||
	       what == BOB_SPECIAL_THREAD_END;
}

/* The build-id in `len` bytes of notes: one segment PT_NOTE, aligned as `align` says (p_align). The
 * description of a note and the next note begin at multiples of 8 from the start of a segment that
 * is aligned to 8, else of 4. *id_len <= 20: the rest of a longer id does not count. NULL: there is
 * no build-id. */
const uint8_t *bob_plan_build_id(const void *notes, uint64_t len, uint64_t align, uint64_t *id_len);
uint64_t bob_plan_key_begin(const uint8_t *build_id, uint64_t len);
uint64_t bob_plan_key_segment(uint64_t key, uint64_t vaddr, const void *bytes, uint64_t len);
/* The same for <key>.special; `all`: there is no build-id. */
uint64_t bob_plan_key_sample(uint64_t key, uint64_t vaddr, const void *bytes, uint64_t len,
			     int all);

/* Freestanding; also run by the agent before it uses a plan. `key` 0 accepts any. */
bob_status bob_plan_check(const void *plan, uint64_t len, uint64_t key);

/* The bytes of a section of a plan, of functions or of accesses. */
static inline const void *bob_plan_section(const void *plan, const struct bob_plan_section *s)
{
	return (const char *)plan + s->off;
}

#endif
