/* SPDX-License-Identifier: BSD-3-Clause */
/* A patch plan has everything that the agent needs to hook one image. src/plan makes it out of
 * process and caches it as a file; the agent maps it and decodes no instruction itself. It is pure
 * data and position independent: a `link address` is an address as in the ELF file; the image is at
 * link address + bias. Little endian. Offsets are relative to the start of the file, sections are
 * 64-byte aligned. A plan becomes code and comes from a file, so the agent treats it as hostile:
 * bob_plan_check() checks every offset, count and relocation before use.
 *
 * Cache file: <cache>/<key as 16 hex digits>.plan. The key is a hash of the planner's version, the
 * build-id and every byte of the executable segments (BOLT and patchelf keep build-ids):
 * bob_plan_key_begin, then bob_plan_key_segment for each PT_LOAD with PF_X in the order of the
 * program headers (p_filesz bytes). The agent computes it from memory, the planner from the file.
 * The directory has mode 0700; owner and mode of directory and file are checked.
 *
 * <key>.special is a plan with only the special functions (below) that are needed when neither
 * calls nor accesses are recorded, without frame rules: some kB, whereas libc's complete plan has
 * two megabytes. Its key begins in the same way, but of the segments it hashes addresses, sizes and
 * 64 bytes of each 4096, or all bytes if there is no build-id (bob_plan_key_sample). Patched bytes
 * are still compared one by one. */
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
	/* Low half of bob_hash64(0, ...) of the file after this field. A fast hash, because a plan
	 * is checked at every start, and a large one has tens of megabytes. */
	uint32_t check;
	uint64_t file_bytes;
	uint64_t key;
	uint64_t text_lo, text_hi; /* bounds of all executable segments (link addresses) */
	uint32_t func_count;
	uint32_t arena_bytes;	/* size of the trampolines, without the handler */
	uint8_t build_id[20];
	uint8_t build_id_len;
	uint8_t pad[3];
	struct bob_plan_section funcs;	/* struct bob_plan_func[func_count], sorted by addr */
	struct bob_plan_section blob;	/* trampoline bytes, arena_bytes long */
	struct bob_plan_section relocs;	/* u32 offsets into blob, see below */
	struct bob_plan_section fdes;	/* struct bob_plan_fde[], sorted, not overlapping */
	struct bob_plan_section rows;	/* struct bob_plan_row[] */
	struct bob_plan_section special; /* struct bob_plan_special[] */
	/* Zero-terminated names of the functions. One that begins with _Z is followed by its
	 * demangled form and the same without parameters; both may be empty. */
	struct bob_plan_section names;
	/* A complete image file (archive/format.h), which the agent copies into the trace
	 * directory. */
	struct bob_plan_section image;
};

/* How the agent hooks a function. */
enum bob_patch_kind {
	BOB_PATCH_NONE = 0,	/* listed in the trace with its skip reason */
	BOB_PATCH_JMP = 1,	/* 5-byte jmp rel32 at patch_addr */
	/* 2-byte jmp rel8 at patch_addr to hole_addr, there the jmp rel32 */
	BOB_PATCH_HOLE = 2
};

#define BOB_PLAN_BODY_MAX 64u /* maximum distance from an entry to its patch */
struct bob_plan_func {
	uint64_t addr;		/* entry, link address */
	uint32_t size;		/* code bytes; 0: unknown */
	uint32_t name;		/* offset into names; ~0: none */
	uint8_t kind;		/* enum bob_patch_kind */
	uint8_t skip;		/* enum bob_skip (archive/format.h) */
	/* patch_addr = addr + this (4 after endbr64, more after NOPs that other tools patch), <=
	 * BOB_PLAN_BODY_MAX */
	uint8_t patch_delta;
	/* Length of the whole instructions at patch_addr that were moved to the trampoline; only
	 * their first 5 (HOLE: 2) bytes are overwritten. */
	uint8_t displaced_len;
	int16_t hole_delta;	/* hole_addr = patch_addr + this */
	uint8_t expect_len;	/* <= 16; the agent compares before it writes */
	uint8_t flags;		/* BOB_FUNC_* (archive/format.h) */
	uint8_t expect[16];	/* bytes that must be at patch_addr */
	uint8_t expect_hole[8];	/* HOLE: 5 bytes that must be at hole_addr */
	uint32_t tramp;		/* offset of the trampoline in blob */
	uint32_t tramp_len;
	uint32_t body;		/* offset, from tramp, of the displaced instructions */
	uint32_t moved;		/* positions of displaced instructions (bob_plan_moved) */
};
BOB_STATIC_ASSERT(sizeof(struct bob_plan_func) == 64, "plan function");

/* The last displaced instruction is a call and became `call next; next: addq; jmp`. */
#define BOB_PLAN_MOVED_CALL 0x80000000u
#define BOB_PLAN_MOVED_BITS 5u

/* Position in the body of the displaced instruction that began k bytes after patch_addr, 0 < k < 5;
 * 0: no instruction begins there. The instruction at k = 0 is at the start of the body. */
static inline uint32_t bob_plan_moved(const struct bob_plan_func *f, uint32_t k)
{
	return f->moved >> BOB_PLAN_MOVED_BITS * (k - 1) & ((1u << BOB_PLAN_MOVED_BITS) - 1);
}

/* The number of overwritten bytes at the entry. */
static inline uint32_t bob_plan_entry_bytes(const struct bob_plan_func *f)
{
	return f->kind == BOB_PATCH_HOLE ? 2 : 5;
}

/* Whether another instruction begins within these bytes. A debugger that knows the file may set a
 * breakpoint there, in the middle of the jump. */
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
 *     body:                the displaced instructions, relocated
 *     e9 <rel32>           jmp back (unless the body never reaches its end)
 * The blob is made as if the arena began at link address 0, followed by the blob at
 * BOB_PLAN_HANDLER_BYTES. A relocation is the blob offset of a 32-bit pc-relative field that refers
 * to the image: the agent adds (image bias - arena address) to it and checks for overflow. */
#define BOB_PLAN_HANDLER_BYTES 4096u
#define BOB_PLAN_TRAMP_ID 6u	/* offset of <i> in a trampoline */
#define BOB_PLAN_TRAMP_CALL 11u	/* offset of the call's rel32 */

/* A range of code with one frame description entry, or an FDE that is a cold part of the function
 * `owner`. Code outside of all fdes has no frame information. */
struct bob_plan_fde {
	uint64_t lo, hi;	/* link addresses, hi exclusive */
	uint32_t owner;		/* function index; ~0: none */
	uint32_t row;		/* first row; the rows end at the first row of the next fde */
	uint32_t row_count;
	uint32_t flags;		/* BOB_FDE_SIGNAL */
};
#define BOB_FDE_SIGNAL 1u	/* a signal trampoline (augmentation 'S') */

enum bob_cfa_kind {
	BOB_CFA_UNKNOWN = 0,	/* not expressible; the known stack ends here (counted) */
	BOB_CFA_RSP = 1,	/* CFA = rsp + off */
	BOB_CFA_RBP = 2,	/* CFA = rbp + off */
	BOB_CFA_RBP_DEREF = 3,	/* CFA = *(rbp + off): stack realigned in the prologue */
	BOB_CFA_OUTERMOST = 4,	/* no caller: _start, the start of a thread */
	/* CFA = rbx + off: the loader's lazy binding. Valid only if this frame itself made the
	 * call, because rbx is not tracked across frames. */
	BOB_CFA_RBX = 5
};

/* Valid from link address lo + start on. */
struct bob_plan_row {
	uint32_t start;
	int32_t cfa_off;	/* bytes */
	/* rbp is saved at CFA + 8 * rbp_off; 0: it is still in the register; BOB_ROW_RBP_LOST: it
	 * cannot be recovered; BOB_ROW_RBP_AT_RBP (rows of BOB_CFA_RBP_DEREF): it is saved at
	 * *(rbp). */
	int16_t rbp_off;
	uint8_t cfa_kind;	/* enum bob_cfa_kind */
	uint8_t pad;
};
#define BOB_ROW_RBP_LOST ((int16_t)0x7fff)
#define BOB_ROW_RBP_AT_RBP ((int16_t)0x7ffe)
BOB_STATIC_ASSERT(sizeof(struct bob_plan_row) == 12, "plan row");

/* Functions of the C library and loader at which the agent itself must be called, whatever is
 * traced. They always have a trampoline. */
enum bob_special {
	BOB_SPECIAL_DL_STATE = 1,	/* _dl_debug_state: an image was loaded or unloaded */
	BOB_SPECIAL_EXECVE = 2,		/* execve, also when called by libc itself */
	BOB_SPECIAL_EXIT = 3,		/* _exit */
	BOB_SPECIAL_MAKECONTEXT = 4,	/* bounds of a new stack */
	BOB_SPECIAL_PRCTL = 5,		/* may set a seccomp filter */
	BOB_SPECIAL_SYSCALL = 6,
	BOB_SPECIAL_EXECVEAT = 7,
	BOB_SPECIAL_SIGALTSTACK = 8, /* sets a signal stack */
	BOB_SPECIAL_WAIT4 = 15,		/* exit status of children */
	BOB_SPECIAL_WAITID = 16,
	BOB_SPECIAL_THREAD_END = 17,	/* __call_tls_dtors: the thread's destructors are about to
					 * run */
	/* only if memory is recorded: */
	BOB_SPECIAL_MAIN = 9,		/* __libc_start_main */
	BOB_SPECIAL_FORK = 10,
	BOB_SPECIAL_CLONE = 14,
	BOB_SPECIAL_SIGMASK = 12,
	/* also if calls are recorded or functions hooked: handlers must see original code */
	BOB_SPECIAL_SIGACTION = 11,
	/* the function as called by libc itself, also for its own signals */
	BOB_SPECIAL_LIBC_SIGACTION = 13,
	/* functions that synchronise threads: + enum bob_sync_hook (mem/sync.h) */
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

/* Whether the function is needed for every kind of recording. */
static inline int bob_special_is_general(uint32_t what)
{
	return what < BOB_SPECIAL_MAIN || bob_special_is_wait(what) ||
	       what == BOB_SPECIAL_THREAD_END;
}

/* Find the build-id in `len` bytes of notes: one PT_NOTE segment with alignment `align` (p_align).
 * The description of a note and the next note are aligned to 8 bytes, relative to the start of the
 * segment, if the segment is aligned to 8, else to 4. *id_len <= 20: longer ids are truncated.
 * NULL: there is no build-id. */
const uint8_t *bob_plan_build_id(const void *notes, uint64_t len, uint64_t align, uint64_t *id_len);
uint64_t bob_plan_key_begin(const uint8_t *build_id, uint64_t len);
uint64_t bob_plan_key_segment(uint64_t key, uint64_t vaddr, const void *bytes, uint64_t len);
/* The key of <key>.special; `all`: there is no build-id. */
uint64_t bob_plan_key_sample(uint64_t key, uint64_t vaddr, const void *bytes, uint64_t len,
			     int all);

/* Validate a plan. Freestanding; the agent calls it before it uses a plan. `key` 0 accepts any. */
bob_status bob_plan_check(const void *plan, uint64_t len, uint64_t key);

/* The bytes of a section of a plan, of functions or of accesses. */
static inline const void *bob_plan_section(const void *plan, const struct bob_plan_section *s)
{
	return (const char *)plan + s->off;
}

#endif
