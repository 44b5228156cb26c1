/* SPDX-License-Identifier: BSD-3-Clause */
/* Cold parts: code that the compiler split off a function. Their call frame information starts with
 * an existing frame, unless the function had not set one up yet. Then the part looks like a
 * function. In an image without symbols it is recognised thus: no code calls it or takes its
 * address, and a function jumps to it conditionally (compilers emit tail calls as unconditional
 * jumps), or it begins with a landing pad. */
#include "plan/image.h"

/* Cold parts without a branch or symbol that refers to them: the second range of a function whose
 * frame information has a hole, such as hand-written code around a system call. */
void bob_plan_find_owners(struct bob_plan_image *img)
{
	for (size_t i = 1; i < img->frames.count; i++) {
		struct bob_plan_frame *f = &img->frames.at[i];
		uint32_t before = img->frames.at[i - 1].owner;

		if (f->owner != BOB_PLAN_NO_INDEX || f->cold || f->signal)
			continue;
		if (before != BOB_PLAN_NO_INDEX && f->lo < img->funcs.at[before].end)
			f->owner = before;
	}
}

static bool is_cold_part(const struct bob_plan_image *img, const struct bob_plan_candidate *f)
{
	const struct bob_plan_code *c = &img->codes.at[f->code];

	return !f->has_symbol && f->frame != BOB_PLAN_NO_INDEX &&
	       (img->frames.at[f->frame].jumped_by != BOB_PLAN_NO_INDEX ||
		img->frames.at[f->frame].lands) &&
	       !bob_plan_bit(c->called, f->addr - c->lo);
}

static void renumber_frames(struct bob_plan_image *img, const uint32_t *new_index)
{
	for (size_t i = 0; i < img->frames.count; i++) {
		struct bob_plan_frame *f = &img->frames.at[i];
		unsigned hops = 0;

		/* the owner may itself be a cold part of another function */
		while (f->owner != BOB_PLAN_NO_INDEX && new_index[f->owner] == BOB_PLAN_NO_INDEX &&
		       hops++ < 8) {
			const struct bob_plan_candidate *part = &img->funcs.at[f->owner];

			f->cold = true;
			f->owner = img->frames.at[part->frame].jumped_by;
		}
		if (f->owner != BOB_PLAN_NO_INDEX)
			f->owner = new_index[f->owner];
	}
}

bob_status bob_plan_drop_cold(struct bob_plan_image *img)
{
	uint32_t *new_index = malloc((img->funcs.count + 1) * sizeof(*new_index)), n = 0;

	if (!new_index)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < img->funcs.count; i++)
		new_index[i] = is_cold_part(img, &img->funcs.at[i]) ? BOB_PLAN_NO_INDEX : n++;
	renumber_frames(img, new_index);
	for (size_t i = 0; i < img->specials.count; i++)
		img->specials.at[i].func = new_index[img->specials.at[i].func];
	for (size_t i = 0; i < img->funcs.count; i++)
		if (new_index[i] != BOB_PLAN_NO_INDEX)
			img->funcs.at[new_index[i]] = img->funcs.at[i];
	img->funcs.count = n;
	free(new_index);
	return BOB_OK;
}

static void refuse(struct bob_plan_candidate *f)
{
	if (f->skip == BOB_SKIP_NONE)
		f->skip = BOB_SKIP_UNWIND;
}

void bob_plan_refuse_untold(struct bob_plan_image *img)
{
	for (size_t i = 0; i < img->funcs.count; i++) {
		struct bob_plan_candidate *f = &img->funcs.at[i];
		uint32_t in = bob_plan_frame_at(img, f->addr);

		if (in == BOB_PLAN_NO_INDEX ? img->frames_broken : img->frames.at[in].untold)
			refuse(f);
	}
	for (size_t i = 0; i < img->frames.count; i++) {
		const struct bob_plan_frame *f = &img->frames.at[i];

		if (f->untold && f->owner != BOB_PLAN_NO_INDEX)
			refuse(&img->funcs.at[f->owner]);
	}
}
