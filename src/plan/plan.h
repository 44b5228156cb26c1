/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner: reads an ELF image, proves which function entries can be hooked, and writes a
 * patch plan (format.h). Runs in the host-side programs only (`bobbin plan`, the launcher), never
 * in the traced process. Threads: any; no globals. */
#ifndef BOB_PLAN_PLAN_H
#define BOB_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bobbin/status.h"

/* Statistics of one image, for logs and tests. */
struct bob_plan_stats {
	uint32_t candidates;
	uint32_t patched;
	uint32_t by_skip[32];	/* indexed by enum bob_skip */
	uint32_t holes;
	uint32_t displaced_calls;
	uint32_t jump_table_targets;
	uint32_t fdes, rows;
	uint64_t code_bytes;
};

/* The cache key of the image at `path`: a hash of its build-id, its executable bytes and the
 * planner's version. Fast, does not decode. */
bob_status bob_plan_key(const char *path, uint64_t *key, struct bob_error *err);
/* The key of the plan of its special functions alone (format.h). */
bob_status bob_plan_sample_key(const char *path, uint64_t *key, struct bob_error *err);

/* Make the plan of the image at `path`. On BOB_OK *plan (*len bytes) belongs to the caller, who
 * frees it with free(). `stats` may be NULL. Errors: BOB_ERR_IO, BOB_ERR_NOENT, BOB_ERR_UNSUPPORTED
 * (not an x86-64 ELF executable or shared object), BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_plan_image(const char *path, void **plan, size_t *len, struct bob_plan_stats *stats,
			  struct bob_error *err);

/* The same for its special functions alone. */
bob_status bob_plan_image_special(const char *path, void **plan, size_t *len,
				  struct bob_error *err);

/* Make the plan and store it in the cache directory `dir`, unless a valid one exists (temporary
 * file, no fsync, rename). `*made` (may be NULL): it had to be made. Refuses (BOB_ERR_IO) a
 * directory of another user or writable by others. */
bob_status bob_plan_cache(const char *dir, const char *path, int *made,
			  struct bob_plan_stats *stats, struct bob_error *err);

bob_status bob_plan_cache_special(const char *dir, const char *path, int *made,
				  struct bob_error *err);

/* The user's cache directory: $BOBBIN_CACHE, else $XDG_CACHE_HOME/bobbin, else ~/.cache/bobbin
 * (created 0700). `buf` gets the path. */
bob_status bob_plan_cache_dir(char *buf, size_t size, struct bob_error *err);

/* Other small files in the cache directory, under the same rules as plans: the directory and the
 * files are not used if they belong to another user or are writable by others. _open returns the
 * opened directory, which the caller closes; -1 if it does not exist. _read does not read files
 * longer than `size`. _store replaces the whole file. */
int bob_plan_cache_open(const char *dir, struct bob_error *err);
bob_status bob_plan_cache_read(int dir, const char *name, void *buf, size_t size, size_t *len);
/* Read a file of any size; the caller frees *bytes. */
bob_status bob_plan_cache_load(int dir, const char *name, void **bytes, size_t *len);
bob_status bob_plan_cache_store(int dir, const char *name, const void *bytes, size_t len);

/* All shared objects that the loader would map when the program `path` starts (first the program
 * itself; the loader included), in no particular order, found by following DT_NEEDED in the
 * loader's way (DT_RPATH/RUNPATH, LD_LIBRARY_PATH, ld.so.cache, default directories). Each path is
 * passed to `visit`; images that are not found are skipped. For warming the cache before a run. */
bob_status bob_plan_closure(const char *path, void (*visit)(void *ctx, const char *image),
			    void *ctx, struct bob_error *err);

/* A symbol of an image; the name is borrowed for the visit. */
struct bob_plan_name {
	const char *name;
	uint64_t value;		/* link address if defined */
	uint8_t type, bind;	/* STT_*, STB_* */
	bool is_defined;
	bool is_dynamic;	/* from the symbol table that the loader uses */
};
/* Visit all named symbols of the image at `path`. Errors: BOB_ERR_NOENT, BOB_ERR_UNSUPPORTED (not
 * an x86-64 ELF file). */
bob_status bob_plan_names(const char *path, void (*visit)(void *ctx, const struct bob_plan_name *s),
			  void *ctx, struct bob_error *err);

/* Print the functions of a plan that passed bob_plan_check, with their trampolines. */
void bob_plan_dump(const void *plan, FILE *out);
/* One line for each range of bytes that the agent overwrites: link address, length, kind (jump;
 * short: the 2-byte jump; hole: the long jump in padding), address and name of the function. */
void bob_plan_print_patches(const void *plan, FILE *out);

/* The same for tracing memory: the translated functions of the image (mem/format.h). */
bob_status bob_plan_mem_image(const char *path, void **plan, size_t *len, struct bob_error *err);
bob_status bob_plan_cache_mem(const char *dir, const char *path, int *made, struct bob_error *err);
/* Plan without the cache, and print statistics; `each`: also every function that is not translated,
 * with the reason. */
bob_status bob_plan_mem_report(const char *path, int each, FILE *out, struct bob_error *err);

/* Plan without the cache: the number of functions that are not translated, and the reason of the
 * first one. */
bob_status bob_plan_mem_declined(const char *path, uint32_t *count, const char **why,
				 struct bob_error *err);
/* Short text for an enum bob_mem_decline. Never NULL. */
const char *bob_mem_decline_text(unsigned why);

/* Get source information: what debug information (in the file, or separate under /usr/lib/debug)
 * and symbols contain for the instructions at these link addresses (ascending, unique) and for the
 * image's data. Passes the payloads of a SOURCE and of an INLINED chunk
 * (archive/memory/source_info.h) to `write` in any number of calls, with `source` and `inlined` as
 * ctx. The second payload is empty if no instruction is in an inlined function. Without debug
 * information there are no lines, and it is fast. Runs in a child process, because libdw may crash
 * on invalid input; if inlined functions are damaged, it is run again without them. Errors as
 * bob_plan_image. */
bob_status bob_plan_source(const char *path, const uint64_t *pc, size_t count,
			   void (*write)(void *ctx, const void *bytes, size_t len), void *source,
			   void *inlined, struct bob_error *err);

/* A variable of an image: a static variable of debug information, or a symbol. Texts are borrowed
 * for the visit. */
struct bob_plan_variable {
	const char *name;	/* x, f::x, mod::x or /blk/x, as in reports */
	const char *unit;	/* its source file; "": from a symbol */
	uint64_t addr, size;	/* link address; thread-local: offset in the TLS block */
	bool is_thread_local;
};
/* Visit all variables of the image at `path`: first those of debug information, read in a child
 * process, then symbols. Unreadable debug information only loses its variables. Errors as
 * bob_plan_image. */
bob_status bob_plan_variables(const char *path,
			      void (*visit)(void *ctx, const struct bob_plan_variable *v),
			      void *ctx, struct bob_error *err);

/* A fingerprint of the input of bob_plan_source: if it is equal, the result is equal. Only metadata
 * of the files is examined. */
uint64_t bob_plan_source_stamp(const char *path, const uint8_t *build_id, unsigned build_id_len);

/* Short text for an enum bob_skip; "" for BOB_SKIP_NONE. Never NULL. */
const char *bob_plan_skip_text(unsigned skip);

#endif
