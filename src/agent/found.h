/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of an image from the loader's list and the image's headers in memory. Callers hold the
 * lock of images_update. */
#ifndef BOB_AGENT_FOUND_H
#define BOB_AGENT_FOUND_H

#include <link.h>

#include "agent/agent.h"

#define FOUND_MAX 2048u	/* images that one update can add (start, dlopen) */

enum found_plan {
	FOUND_NO_PLAN,		/* it has no program headers */
	FOUND_PLAN,
	FOUND_SPECIAL,		/* the plan of its special functions alone (plan/format.h) */
	FOUND_LATER		/* deferred */
};

struct found {
	const char *path;
	uint64_t bias;
	const ElfW(Phdr) *phdr;
	uint32_t phnum;
	uint64_t key;
	const struct bob_plan_head *plan;
	const struct bob_mem_plan_head *mem;
	bool main;
	bool breakpoints;	/* its code contains breakpoints of a debugger */
	enum found_plan wants;
};

/* The list of images that the loader publishes for debuggers. NULL: an unknown loader. */
const struct r_debug *found_loader(void);
/* The path of the program. */
void found_program(char path[BOB_PATH_MAX]);
/* `main`: the program, first on the loader's list. False: it is not an image from a file. Without
 * program headers (phnum is 0) only its path is known. */
bool found_read(const struct link_map *m, bool main, struct found *f);
/* The key of the plan that it wants (plan/format.h), from the bytes in memory, or those of
 * `file`. */
uint64_t found_key(const struct found *f, const uint8_t *file);
/* If memory and file differ only in breakpoints, returns true and changes the key to that of the
 * file. */
bool found_has_breakpoints(struct found *f);
/* Whether an image of this path was unloaded before, and had a plan (`with_plan`) or none. */
bool found_before(const struct found *f, bool with_plan);
/* Get the plans of those that want this kind, from the cache or a planner. */
void found_plans(struct found *f, uint32_t n, enum found_plan kind);
/* The address of its code; 0: it has none. */
uint64_t found_first_text(const struct found *f);
/* Set im->text, lo and hi from its code segments. */
void found_text(const struct found *f, struct bob_image *im);

#endif
