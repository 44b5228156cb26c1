/* SPDX-License-Identifier: BSD-3-Clause */
/* What the loader and its own headers in memory say about an image. Callers hold the lock of
 * images_update. */
#ifndef BOB_AGENT_FOUND_H
#define BOB_AGENT_FOUND_H

#include <link.h>

#include "agent/agent.h"

#define FOUND_MAX 2048u	/* images that can come in one go (start, dlopen) */

enum found_plan {
	FOUND_NO_PLAN,		/* it has no program headers */
	FOUND_PLAN,
	FOUND_SPECIAL,		/* that of its special functions alone (plan/format.h) */
	FOUND_LATER		/* none is looked for yet */
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
	bool breakpoints;	/* a debugger has written some into its code */
	enum found_plan wants;
};

/* The list of images, as the loader publishes it for debuggers. NULL: an unknown loader. */
const struct r_debug *found_loader(void);
/* The path of the program. */
void found_program(char path[BOB_PATH_MAX]);
/* `main`: the program, first on the loader's list. False: it is no image that has a file. Without
 * program headers (phnum is 0) nothing but its path is known. */
bool found_read(const struct link_map *m, bool main, struct found *f);
/* The key of the plan it wants (plan/format.h), from the bytes in memory, or those of `file`. */
uint64_t found_key(const struct found *f, const uint8_t *file);
/* Memory differs from the file, in breakpoints only: the key becomes that of the file. */
bool found_has_breakpoints(struct found *f);
/* An image of this path was here, has been unloaded since, and had a plan, or none. */
bool found_before(const struct found *f, bool with_plan);
/* The plans of those that want this kind: from the cache, or made. */
void found_plans(struct found *f, uint32_t n, enum found_plan kind);
/* Where its code begins; 0: it has none. */
uint64_t found_first_text(const struct found *f);
/* Its segments of code, into im->text, lo and hi. */
void found_text(const struct found *f, struct bob_image *im);

#endif
