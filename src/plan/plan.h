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

/* What one image came to, for logs and tests. */
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

/* The cache key of the image at `path`, from its build-id, its executable bytes' identity and the
 * planner's version. Cheap: does not decode. */
bob_status bob_plan_key(const char *path, uint64_t *key, struct bob_error *err);
/* That of the plan of its special functions alone (format.h). */
bob_status bob_plan_sample_key(const char *path, uint64_t *key, struct bob_error *err);

/* Make the plan of the image at `path`. On BOB_OK *plan (of *len bytes) belongs to the caller and
 * is freed with free(). `stats` may be NULL. Errors: BOB_ERR_IO, BOB_ERR_NOENT,
 * BOB_ERR_UNSUPPORTED (not an x86-64 ELF executable or shared object), BOB_ERR_CORRUPT,
 * BOB_ERR_NOMEM. */
bob_status bob_plan_image(const char *path, void **plan, size_t *len, struct bob_plan_stats *stats,
			  struct bob_error *err);

/* The same of its special functions alone. */
bob_status bob_plan_image_special(const char *path, void **plan, size_t *len,
				  struct bob_error *err);

/* Make the plan and put it into the cache directory `dir` unless a valid one is there (temporary
 * file, fsync not needed, rename). `*made` (may be NULL): it had to be made. Refuses
 * (BOB_ERR_IO) a directory that is not ours or writable by others. */
bob_status bob_plan_cache(const char *dir, const char *path, int *made,
			  struct bob_plan_stats *stats, struct bob_error *err);

bob_status bob_plan_cache_special(const char *dir, const char *path, int *made,
				  struct bob_error *err);

/* The user's cache directory: $BOBBIN_CACHE, else $XDG_CACHE_HOME/bobbin, else ~/.cache/bobbin
 * (created 0700). `buf` gets the path. */
bob_status bob_plan_cache_dir(char *buf, size_t size, struct bob_error *err);

/* Other small files beside the plans, under the rules of the plans: the directory (opened, the
 * caller closes it; -1 if it is not there) and the files are not used if they are not ours or
 * writable by others. A file longer than `size` is not read. Storing replaces the file whole. */
int bob_plan_cache_open(const char *dir, struct bob_error *err);
bob_status bob_plan_cache_read(int dir, const char *name, void *buf, size_t size, size_t *len);
/* One of any size; *bytes is malloc'ed. */
bob_status bob_plan_cache_load(int dir, const char *name, void **bytes, size_t *len);
bob_status bob_plan_cache_store(int dir, const char *name, const void *bytes, size_t len);

/* All shared objects the loader would map at start for the program `path` (itself first, loader
 * included), in no particular order, as found by following DT_NEEDED the loader's way
 * (DT_RPATH/RUNPATH, LD_LIBRARY_PATH, ld.so.cache, default directories). Each path is passed to
 * `visit`; images that cannot be found are passed over. For warming the cache before a run. */
bob_status bob_plan_closure(const char *path, void (*visit)(void *ctx, const char *image),
			    void *ctx, struct bob_error *err);

/* A symbol of an image; the name is borrowed during the visit. */
struct bob_plan_name {
	const char *name;
	uint64_t value;		/* link address, if it is defined */
	uint8_t type, bind;	/* STT_*, STB_* */
	bool is_defined;
	bool is_dynamic;	/* of the table that the loader sees */
};
/* All symbols of the image at `path` that have a name. Errors: BOB_ERR_NOENT, BOB_ERR_UNSUPPORTED
 * (not an x86-64 ELF file). */
bob_status bob_plan_names(const char *path, void (*visit)(void *ctx, const struct bob_plan_name *s),
			  void *ctx, struct bob_error *err);

/* Print the functions of a plan that passed bob_plan_check, with their trampolines. */
void bob_plan_dump(const void *plan, FILE *out);
/* One line for each range of bytes that the agent overwrites: link address, length, kind (jump,
 * short: the 2-byte jump, hole: the long one in padding), address and name of the function. */
void bob_plan_print_patches(const void *plan, FILE *out);

/* The same for tracing memory: the functions of the image translated (mem/format.h). */
bob_status bob_plan_mem_image(const char *path, void **plan, size_t *len, struct bob_error *err);
bob_status bob_plan_cache_mem(const char *dir, const char *path, int *made, struct bob_error *err);
/* Plan afresh, keep nothing, print what came of it; `each`: also every function that is not
 * translated, and why. */
bob_status bob_plan_mem_report(const char *path, int each, FILE *out, struct bob_error *err);

/* Plan afresh, keep nothing: how many functions of the image are not translated, and why the first
 * of them is not. */
bob_status bob_plan_mem_declined(const char *path, uint32_t *count, const char **why,
				 struct bob_error *err);
/* A few words for an enum bob_mem_decline. Never NULL. */
const char *bob_mem_decline_text(unsigned why);

/* What debug information -- in the file, or beside it under /usr/lib/debug -- and symbols say of
 * the instructions at these link addresses (ascending, each once) and of the image's data: the
 * payload of a SOURCE chunk (archive/memory/source.h), in as many calls as it takes. Without debug
 * information there are no lines, and it is quick. It is read in a child process, because libdw
 * does not survive all that it may meet. Errors as bob_plan_image. */
bob_status bob_plan_source(const char *path, const uint64_t *pc, size_t count,
			   void (*write)(void *ctx, const void *bytes, size_t len), void *ctx,
			   struct bob_error *err);

/* A variable of an image: a static one of debug information, or a symbol. Texts are borrowed during
 * the visit. */
struct bob_plan_variable {
	const char *name;	/* x, f::x, mod::x, /blk/x, as reports have them */
	const char *unit;	/* its source file; "": a symbol */
	uint64_t addr, size;	/* link address; thread-local: offset in the block */
	bool is_thread_local;
};
/* All variables of the image at `path`: first those of debug information, read in a child process,
 * then symbols. What debug information cannot be read costs its variables only. Errors as
 * bob_plan_image. */
bob_status bob_plan_variables(const char *path,
			      void (*visit)(void *ctx, const struct bob_plan_variable *v),
			      void *ctx, struct bob_error *err);

/* A number for what bob_plan_source would read: where it is the same, it finds the same. The files
 * are only looked at from outside. */
uint64_t bob_plan_source_stamp(const char *path, const uint8_t *build_id, unsigned build_id_len);

/* A word or two for an enum bob_skip; "" for BOB_SKIP_NONE. Never NULL. */
const char *bob_plan_skip_text(unsigned skip);

#endif
