/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes frames of paths: each path's last call is in the frame of the path before it. */
#include "analysis/memory/call_frames.h"

#include <string.h>

#define INLINED_MAX 64u		/* inlined functions in each other */
#define PATH_MAX_LENGTH 32768u	/* of a folder's path */

bob_status bob_call_frames_begin(struct bob_call_frames *f, const struct bob_trace *t,
				 uint32_t process, const struct bob_folded *folded)
{
	const struct bob_frame_key root = { .parent = UINT32_MAX,
					    .site_image = BOB_FRAME_NO_IMAGE,
					    .image = BOB_FRAME_NO_IMAGE };

	f->trace = t;
	f->process = process;
	f->folded = folded;
	return BOB_MAP_PUT(&f->frames, &root) ? BOB_OK : BOB_ERR_NOMEM;
}

void bob_call_frames_free(struct bob_call_frames *f)
{
	BOB_MAP_FREE(&f->frames);
	BOB_MAP_FREE(&f->paths);
	BOB_VEC_FREE(&f->way);
}

static bob_status add(struct bob_call_frames *f, const struct bob_frame_key *key,
		      const struct bob_inlined_frame *inlined, uint32_t *frame)
{
	struct bob_call_frame *new = BOB_MAP_PUT(&f->frames, key);

	if (!new)
		return BOB_ERR_NOMEM;
	new->depth = f->frames.at[key->parent].depth + 1;
	if (inlined)
		new->inlined = *inlined;
	*frame = (uint32_t)(new - f->frames.at);
	return BOB_OK;
}

/* The frames of the inlined functions that contain `pc`, within `frame`. */
static bob_status enter_inlined(struct bob_call_frames *f, uint32_t image, uint64_t pc,
				uint32_t *frame)
{
	struct bob_inlined_frame inlined[INLINED_MAX];
	uint32_t n = bob_trace_inlined(f->trace, f->process, image, pc, inlined, INLINED_MAX);
	bob_status st = BOB_OK;

	for (n = n < INLINED_MAX ? n : INLINED_MAX; n-- > 0 && st == BOB_OK;) {
		const struct bob_inlined_frame *i = &inlined[n];
		const struct bob_frame_key key = {
			.site = bob_hash64(i->line, i->file, strlen(i->file)),
			.function = bob_hash64(0, i->function, strlen(i->function)),
			.parent = *frame,
			.site_image = BOB_FRAME_INLINED,
			.image = image,
		};

		if (*i->function)
			st = add(f, &key, i, frame);
	}
	return st;
}

/* The frame of the code at `pc`, whose function was called at place `site` (if any) in frame
 * `parent`. */
static bob_status enter(struct bob_call_frames *f, uint32_t parent, const uint64_t *site,
			uint32_t image, uint64_t pc, uint32_t *frame)
{
	struct bob_frame_key key = { .parent = parent, .site_image = BOB_FRAME_NO_IMAGE,
				     .image = image };
	struct bob_function_info fn;
	bob_status st;

	*frame = parent;
	if (bob_trace_function_at(f->trace, f->process, image, pc, &fn) != BOB_OK)
		return BOB_OK;
	key.function = fn.addr;
	if (site)
		bob_trace_place(f->trace, f->process, *site, &key.site_image, &key.site);
	st = add(f, &key, NULL, frame);
	return st == BOB_OK ? enter_inlined(f, image, pc, frame) : st;
}

static bob_status remember(struct bob_call_frames *f, uint32_t path, uint32_t frame)
{
	const uint64_t key = path;
	struct bob_path_frame *p = BOB_MAP_PUT(&f->paths, &key);

	if (!p)
		return BOB_ERR_NOMEM;
	p->frame = frame;
	return BOB_OK;
}

static const struct bob_path_frame *known(const struct bob_call_frames *f, uint32_t path)
{
	const uint64_t key = path;

	return BOB_MAP_FIND(&f->paths, &key);
}

/* The frame of code at `pc`, where the frame of the path's last call is known. */
static bob_status enter_by(struct bob_call_frames *f, uint32_t path, uint32_t image, uint64_t pc,
			   uint32_t *frame)
{
	const struct bob_path_frame *caller = known(f, path);
	uint32_t parent;
	uint64_t place;

	if (!caller || !bob_folded_path(f->folded, path, &parent, &place))
		return enter(f, BOB_FRAME_ROOT, NULL, image, pc, frame);
	return enter(f, caller->frame, &place, image, pc, frame);
}

bob_status bob_call_frame_of_caller(struct bob_call_frames *f, uint32_t path, uint32_t *frame)
{
	uint32_t at = path, parent, image;
	bob_status st = BOB_OK;
	uint64_t place, pc;

	*frame = BOB_FRAME_ROOT;
	f->way.count = 0;
	while (!known(f, at) && bob_folded_path(f->folded, at, &parent, &place)) {
		if (f->way.count == PATH_MAX_LENGTH)
			return BOB_ERR_CORRUPT;
		if (BOB_VEC_ADD(&f->way, at))
			return BOB_ERR_NOMEM;
		at = parent;
	}
	while (f->way.count && st == BOB_OK) {
		at = f->way.at[--f->way.count];
		(void)bob_folded_path(f->folded, at, &parent, &place);
		bob_trace_place(f->trace, f->process, place, &image, &pc);
		st = enter_by(f, parent, image, pc, frame);
		if (st == BOB_OK)
			st = remember(f, at, *frame);
	}
	if (st == BOB_OK && known(f, path))
		*frame = known(f, path)->frame;
	return st;
}

bob_status bob_call_frame_at(struct bob_call_frames *f, uint32_t path, uint32_t image, uint64_t pc,
			     uint32_t *frame)
{
	bob_status st = bob_call_frame_of_caller(f, path, frame);

	return st == BOB_OK ? enter_by(f, path, image, pc, frame) : st;
}

uint32_t bob_call_frame_around(const struct bob_call_frames *f, uint32_t frame, uint32_t depth)
{
	while (f->frames.at[frame].depth > depth)
		frame = f->frames.at[frame].key.parent;
	return frame;
}

uint32_t bob_call_frame_common(const struct bob_call_frames *f, uint32_t a, uint32_t b)
{
	const uint32_t da = f->frames.at[a].depth, db = f->frames.at[b].depth;

	a = bob_call_frame_around(f, a, da < db ? da : db);
	b = bob_call_frame_around(f, b, da < db ? da : db);
	while (a != b) {
		a = f->frames.at[a].key.parent;
		b = f->frames.at[b].key.parent;
	}
	return a;
}
