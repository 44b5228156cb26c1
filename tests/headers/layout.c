/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes that are part of the interface (docs/library.md, "Versions"). A fixed struct changes only
 * with the SONAME; a sized one may grow, but its first version's members stay where they are. */
#include "bobbin/bobbin.h"

#define FIXED(name, bytes) BOB_STATIC_ASSERT(sizeof(struct name) == (bytes), "fixed: " #name)
#define SIZED(name, bytes) BOB_STATIC_ASSERT(sizeof(struct name) >= (bytes), "sized: " #name)

/* status.h */
FIXED(bob_error, 280);
/* trace.h */
FIXED(bob_mem_coverage, 16);
FIXED(bob_clock, 56);
SIZED(bob_function_info, 56);
SIZED(bob_trace_sizes, 64);
/* calls.h */
FIXED(bob_event, 40);
FIXED(bob_frame, 16);
FIXED(bob_mark_info, 16);
/* memory.h */
FIXED(bob_access, 24);
FIXED(bob_sync_event, 32);
FIXED(bob_value_place, 16);
FIXED(bob_place, 32);
FIXED(bob_inlined_frame, 24);
FIXED(bob_leaf_access, 40);
SIZED(bob_source_line, 80);
SIZED(bob_object, 32);
SIZED(bob_shape, 200);
SIZED(bob_leaf, 56);
/* values.h */
FIXED(bob_value_vector, 24);
FIXED(bob_value_span, 32);
FIXED(bob_value_times, 368);
FIXED(bob_value_site, 32);
FIXED(bob_stretch_end, 32);
FIXED(bob_stretch, 72);
SIZED(bob_value_event, 248);
/* fold.h */
FIXED(bob_alloc, 16);
FIXED(bob_piece, 232);
FIXED(bob_fold_shape, 24);
FIXED(bob_fold_event, 16);
FIXED(bob_fold_at, 24);
FIXED(bob_fold_rename, 32);
FIXED(bob_fold_source, 32);
FIXED(bob_fold_shift, 24);
