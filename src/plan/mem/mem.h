/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory planner: translates the functions of an image into code that also records its loads
 * and stores (mem/record.h), and plans the changes of the image's text so that this code runs
 * instead. docs/mem-native.md. Host side; any thread; no globals. */
#ifndef BOB_PLAN_MEM_MEM_H
#define BOB_PLAN_MEM_MEM_H

#include "mem/record.h"
#include "plan/arch/x86_64/facts.h"
#include "plan/image.h"
#include "plan/mem/format.h"

/* A descriptor; its accesses and steps are in the arrays of bob_mem_plan. */
struct bob_mem_planned {
	struct bob_mem_desc desc; /* its pointers are not set */
	uint32_t access, step;
};

BOB_VEC_OF(bob_mem_planneds, struct bob_mem_planned);
BOB_VEC_OF(bob_mem_accesses, struct bob_mem_access);
BOB_VEC_OF(bob_mem_steps, struct bob_mem_step);
BOB_VEC_OF(bob_mem_stops, struct bob_mem_stop);
BOB_VEC_OF(bob_mem_patches, struct bob_mem_patch);
BOB_VEC_OF(bob_mem_funcs, struct bob_mem_func);

struct bob_mem_stats {
	uint32_t by_decline[BOB_MEM_DECLINES]; /* [0]: translated functions */
	uint64_t bytes_by_decline[BOB_MEM_DECLINES];
	uint32_t blocks, pieces, probes, loops, saved_flags, spills, landings, short_landings,
		traps;
	uint32_t calls, moved_calls;
	uint64_t accesses, words;
	bool flags_pass;
};

/* Contents of the sections of the file (mem/format.h). Patches and stops are sorted when it is
 * written. */
struct bob_mem_plan {
	struct bob_plan_bytes blob, text, map;
	struct bob_plan_u32s relocs, tls, ids, fixes;
	struct bob_mem_planneds descs;
	struct bob_mem_accesses accesses;
	struct bob_mem_steps steps;
	struct bob_mem_stops stops;
	struct bob_mem_patches patches;
	struct bob_mem_funcs funcs; /* in the order of their code */
	struct bob_mem_stats stats;
	bool split_stacks;	/* a function calls for a larger stack: split_stack.c */
};

/* `img` has been scanned (bob_plan_scan). *out belongs to the caller, also after an error:
 * bob_mem_plan_free. Errors: BOB_ERR_NOMEM, BOB_ERR_FULL. */
bob_status bob_mem_plan_make(const struct bob_plan_image *img, struct bob_mem_plan *out);
void bob_mem_plan_free(struct bob_mem_plan *p);

/* Read and scan the image, and make the plan. The caller closes *img and frees *plan, also after an
 * error. */
bob_status bob_mem_plan_open(const char *path, struct bob_plan_image *img,
			     struct bob_mem_plan *plan, struct bob_error *err);

/* Write the plan as a file. On BOB_OK *bytes belongs to the caller, who frees it with free(). Sorts
 * the tables of *p. */
bob_status bob_mem_plan_write(const struct bob_plan_image *img, struct bob_mem_plan *p,
			      void **bytes, size_t *len);

#endif
