/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the planner: the state of one ELF image. Filled by these steps in order, each of
 * which uses the results of the previous ones: bob_plan_elf_open (elf.c), bob_plan_read_frames
 * (frames.c), bob_plan_find_functions (funcs.c), bob_plan_scan (control_flow.c), bob_plan_patch
 * (calls/choose_patch.c), bob_plan_write (write.c). Threads: one per image. bob_plan_elf_close
 * frees everything. */
#ifndef BOB_PLAN_IMAGE_H
#define BOB_PLAN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"
#include "archive/format.h"
#include "plan/format.h"
#include "plan/plan.h"
#include "base/host/vec.h"

#define BOB_PLAN_NO_INDEX UINT32_MAX

/* Loaded bytes of a PT_LOAD: p_filesz bytes, followed by BOB_X86_READ zeros. */
struct bob_plan_segment {
	uint64_t addr;
	uint64_t len;
	uint32_t flags;		/* PF_* */
	uint8_t *bytes;
};

/* A code section. Each bit map has one bit per byte. */
struct bob_plan_code {
	uint64_t lo, hi;
	const uint8_t *bytes;	/* borrowed from the segment; BOB_X86_READ further bytes are
				 * readable */
	uint64_t *target;	/* control may come here other than from the preceding byte */
	uint64_t *called;	/* ... by a call, or because the address is taken */
	uint64_t *taken;	/* will be overwritten */
	/* target of something other than a branch within its own range of code */
	uint64_t *outside;
	uint64_t *jumped;	/* ... by a direct branch */
	/* must not change: a run time writes or compares it (rewritten_sites.c) */
	uint64_t *fixed;
	bool plt;		/* linker-made stubs: nothing here is a function */
};

struct bob_plan_symbol {
	uint64_t addr, size;
	const char *name;	/* borrowed from libelf */
	uint8_t bind, type;	/* STB_*, STT_* */
	bool exported;		/* from .dynsym, visible to others */
};

struct bob_plan_frame {
	uint64_t lo, hi;
	uint32_t row, row_count;
	uint32_t owner;		/* index of the function */
	uint64_t lsda;		/* address of the exception table; 0: none */
	uint32_t jumped_by;	/* a function outside with a conditional jump to `lo` */
	bool signal;
	bool cold;		/* starts with an existing frame: part of another function */
	bool no_caller;		/* the return address is undefined at its start: it is not entered
				 * by a call */
	bool untold;		/* its exception table is invalid or of an unknown form */
	bool lands;		/* begins with a landing pad, or a nop and a landing pad */
};

struct bob_plan_candidate {
	uint64_t addr, end;	/* end == addr: size unknown */
	const char *name;	/* NULL: no name */
	uint32_t code;		/* index of its section */
	uint32_t frame;		/* the frame that starts here, or BOB_PLAN_NO_INDEX */
	uint8_t flags;		/* BOB_FUNC_* */
	uint8_t skip;		/* enum bob_skip */
	bool has_symbol;
	bool special;		/* must have a trampoline */
	struct bob_plan_func out; /* filled by bob_plan_patch */
};

/* A personality routine, identified by how frames refer to it (personality.c). */
struct bob_plan_personality {
	uint64_t at;
	bool indirect;
	bool known;
};

/* Padding between two functions. */
struct bob_plan_hole {
	uint64_t lo, hi;
};

/* Code whose exceptions land in a landing pad of the same frame. */
struct bob_plan_guarded {
	uint64_t lo, hi;
};

BOB_VEC_OF(bob_plan_segments, struct bob_plan_segment);
BOB_VEC_OF(bob_plan_codes, struct bob_plan_code);
BOB_VEC_OF(bob_plan_symbols, struct bob_plan_symbol);
BOB_VEC_OF(bob_plan_frames, struct bob_plan_frame);
BOB_VEC_OF(bob_plan_rows, struct bob_plan_row);
BOB_VEC_OF(bob_plan_candidates, struct bob_plan_candidate);
BOB_VEC_OF(bob_plan_personalities, struct bob_plan_personality);
BOB_VEC_OF(bob_plan_holes, struct bob_plan_hole);
BOB_VEC_OF(bob_plan_guards, struct bob_plan_guarded);
BOB_VEC_OF(bob_plan_specials, struct bob_plan_special);
BOB_VEC_OF(bob_plan_u32s, uint32_t);
BOB_VEC_OF(bob_plan_u64s, uint64_t);
BOB_VEC_OF(bob_plan_bytes, uint8_t);

struct bob_plan_elf;		/* libelf's handles: elf.h */

struct bob_plan_image {
	struct bob_plan_elf *elf;
	uint64_t key, sample_key;
	uint8_t build_id[20];
	uint8_t build_id_len;
	bool fixed;		/* ET_EXEC: runs at its link addresses */
	bool loader;		/* defines _dl_debug_state */
	char soname[64];
	uint64_t entry;
	uint64_t frame_addr, frame_len;	/* .eh_frame */
	uint64_t rseq_addr, rseq_len;	/* __rseq_cs: descriptors of restartable sequences */
	struct bob_plan_segments segments;
	struct bob_plan_codes codes;	/* sorted, not overlapping */
	struct bob_plan_symbols symbols; /* in executable sections, sorted by addr */
	struct bob_plan_u64s pointers;	/* code addresses that data or relocations contain */
	struct bob_plan_u64s entries;	/* addresses at which a run time enters code: landing pads,
					 * aborts */
	struct bob_plan_guards guards;	/* sorted by lo */
	struct bob_plan_personalities personalities;
	uint64_t fixed_bytes;	/* total of all calls of bob_plan_fix */
	bool frames_broken;	/* .eh_frame could not be read completely */
	struct bob_plan_frames frames;	/* sorted, not overlapping */
	struct bob_plan_rows rows;
	struct bob_plan_candidates funcs; /* sorted by addr, one per addr */
	struct bob_plan_holes holes;	/* sorted */
	struct bob_plan_specials specials;
	struct bob_plan_bytes blob;
	struct bob_plan_u32s relocs;
	struct bob_plan_stats stats;
};

bob_status bob_plan_elf_open(struct bob_plan_image *img, const char *path, struct bob_error *err);
/* Reads only what the key needs: program headers and executable bytes. */
bob_status bob_plan_elf_open_key(struct bob_plan_image *img, const char *path,
				 struct bob_error *err);
void bob_plan_elf_close(struct bob_plan_image *img);

/* The steps that both engines need, for an open image (plan.c). */
bob_status bob_plan_read(struct bob_plan_image *img);
bob_status bob_plan_read_frames(struct bob_plan_image *img);
bob_status bob_plan_find_functions(struct bob_plan_image *img);
/* Mark the code in [addr, addr + len) as fixed: it must not change. */
void bob_plan_fix(struct bob_plan_image *img, uint64_t addr, uint64_t len);
/* The same for a range that may begin before the code and end after it. */
void bob_plan_fix_range(struct bob_plan_image *img, uint64_t lo, uint64_t hi);
/* Find bytes that run times write or compare, and the addresses at which they enter
 * (rewritten_sites.c). */
bob_status bob_plan_find_sites(struct bob_plan_image *img);
/* Refuse code of the Go compiler (go.c). Functions have been found, but not patched. */
bob_status bob_plan_refuse_go(struct bob_plan_image *img);
/* Refuse run times of sanitizers (sanitizer.c). */
bob_status bob_plan_refuse_sanitizers(struct bob_plan_image *img);
/* Whether the function is refused for all engines. */
static inline bool bob_plan_is_refused(const struct bob_plan_candidate *f)
{
	return f->skip == BOB_SKIP_GO || f->skip == BOB_SKIP_SANITIZER;
}
/* The address at which a function at `addr` is patched: after an endbr64, and after NOPs that are
 * fixed, at most BOB_PLAN_BODY_MAX bytes from the entry. `end`: end of the function. */
uint64_t bob_plan_body(const struct bob_plan_code *c, uint64_t addr, uint64_t end);
bob_status bob_plan_scan(struct bob_plan_image *img);
/* A step of the scan, for the range of code [lo, hi): label tables, from the labels and tables that
 * leas refer to. Errors: BOB_ERR_NOMEM, BOB_ERR_FULL. */
bob_status bob_plan_label_tables(struct bob_plan_image *img, struct bob_plan_code *c, uint64_t lo,
				 uint64_t hi, const struct bob_plan_u64s *labels,
				 const struct bob_plan_u64s *tables);
/* Steps of the scan (cold.c). The first finds the owners of frames that start no function. The
 * second drops unnamed functions that are cold parts, and renumbers the functions. */
void bob_plan_find_owners(struct bob_plan_image *img);
bob_status bob_plan_drop_cold(struct bob_plan_image *img);
/* Functions with an unreadable exception table are not hooked. */
void bob_plan_refuse_untold(struct bob_plan_image *img);
/* Called before patching: keep only the functions that the agent itself needs, and use the key of a
 * special plan. */
bob_status bob_plan_keep_specials(struct bob_plan_image *img);
/* Whether a row of call frame information that begins strictly inside [at, at + len) does not
 * follow from the preceding instructions, so that control enters there in another way
 * (frame_row.c). `at` is in an entry. */
bool bob_plan_row_enters(const struct bob_plan_image *img, const struct bob_plan_code *c,
			 uint64_t at, unsigned len);
bob_status bob_plan_patch(struct bob_plan_image *img);
bob_status bob_plan_write(struct bob_plan_image *img, void **plan, size_t *len);

/* The code section that contains `addr`, or NULL. */
struct bob_plan_code *bob_plan_code_at(const struct bob_plan_image *img, uint64_t addr);
/* `len` loaded bytes at `addr`; NULL if they are not all in one segment of the file. */
const uint8_t *bob_plan_bytes_at(const struct bob_plan_image *img, uint64_t addr, uint64_t len);
/* Index of the frame that contains `addr`, or BOB_PLAN_NO_INDEX. */
uint32_t bob_plan_frame_at(const struct bob_plan_image *img, uint64_t addr);
/* Index of the function that starts at `addr`, or BOB_PLAN_NO_INDEX. */
uint32_t bob_plan_func_at(const struct bob_plan_image *img, uint64_t addr);

static inline bool bob_plan_bit(const uint64_t *map, uint64_t i)
{
	return map[i / 64] >> i % 64 & 1;
}

static inline void bob_plan_set_bit(uint64_t *map, uint64_t i)
{
	map[i / 64] |= 1ull << i % 64;
}

/* Fill *err unless it is NULL. Returns `code`. */
/* The lowest address of executable code, and its end. */
void bob_plan_text_bounds(const struct bob_plan_image *img, uint64_t *lo, uint64_t *hi);
bob_status bob_plan_fail(struct bob_error *err, bob_status code, const char *path,
			 const char *text);

#endif
