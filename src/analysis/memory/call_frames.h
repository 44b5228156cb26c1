/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of active functions of a thread's folded events: a frame is a function, the call site
 * that called it, and the caller's frame. The root, number 0, is the caller of the outermost
 * functions. Functions that the compiler inlined have frames, too.
 *
 * Code that is in no known function (entries of the procedure linkage table, say) has no frame of
 * its own: it belongs to its caller. Owner: the caller, who zeroes it and frees with
 * bob_call_frames_free. Threads: one object, one thread. */
#ifndef BOB_ANALYSIS_CALL_FRAMES_H
#define BOB_ANALYSIS_CALL_FRAMES_H

#include "base/host/map.h"
#include "bobbin/fold.h"
#include "bobbin/trace.h"

#define BOB_FRAME_ROOT 0u
#define BOB_FRAME_NO_IMAGE UINT32_MAX
#define BOB_FRAME_INLINED (UINT32_MAX - 1)	/* as the image of the call site */

struct bob_frame_key {
	uint64_t site;		/* link address of the call; inlined: hash of its line */
	uint64_t function;	/* link address of the function; inlined: hash of its name */
	uint32_t parent, site_image, image, zero;
};

struct bob_call_frame {
	struct bob_frame_key key;
	struct bob_inlined_frame inlined; /* function NULL: not inlined */
	uint32_t depth;		/* the root has 0 */
};

/* The frame that contains the last call of a path. */
struct bob_path_frame {
	uint64_t path;
	uint32_t frame;
};

struct bob_call_frames {
	const struct bob_trace *trace;
	const struct bob_folded *folded;
	uint32_t process;
	BOB_MAP(struct bob_call_frame) frames;
	BOB_MAP(struct bob_path_frame) paths;
	BOB_VEC(uint32_t) way;	/* of bob_call_frame_of_caller */
};

bob_status bob_call_frames_begin(struct bob_call_frames *f, const struct bob_trace *t,
				 uint32_t process, const struct bob_folded *folded);
void bob_call_frames_free(struct bob_call_frames *f);
/* The frame of code at `pc` with this path. Errors: BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_call_frame_at(struct bob_call_frames *f, uint32_t path, uint32_t image, uint64_t pc,
			     uint32_t *frame);
/* The frame that contains the last call of the path; the root if there is none. */
bob_status bob_call_frame_of_caller(struct bob_call_frames *f, uint32_t path, uint32_t *frame);
/* The innermost frame that contains both. */
uint32_t bob_call_frame_common(const struct bob_call_frames *f, uint32_t a, uint32_t b);
/* The frame at `depth` around `frame`, which is at least as deep. */
uint32_t bob_call_frame_around(const struct bob_call_frames *f, uint32_t frame, uint32_t depth);

#endif
