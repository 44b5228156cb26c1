/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of the special functions alone (format.h), for recordings of neither calls nor accesses:
 * all other functions of the image are dropped before patches are made. */
#include <string.h>

#include "plan/image.h"

static bool is_kept(const struct bob_plan_special *s)
{
	return bob_special_is_general(s->what); /* others are needed for memory accesses */
}

/* A function of unknown size extends to the next one, which may be dropped. */
static void find_end(struct bob_plan_image *img, uint32_t func)
{
	struct bob_plan_candidate *f = &img->funcs.at[func];
	const struct bob_plan_code *c = &img->codes.at[f->code];

	if (f->end == f->addr)
		f->end = func + 1 < img->funcs.count && f[1].addr < c->hi ? f[1].addr : c->hi;
}

bob_status bob_plan_keep_specials(struct bob_plan_image *img)
{
	const struct bob_plan_special *old = img->specials.at;
	const size_t count = img->specials.count;
	struct bob_plan_specials kept = { 0 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < img->funcs.count; i++)
		for (size_t k = 0; k < count; k++) {
			struct bob_plan_special *s;

			if (old[k].func != i || !is_kept(&old[k]))
				continue;
			s = BOB_VEC_PUSH(&kept);
			if (!s) {
				free(kept.at);
				return BOB_ERR_NOMEM;
			}
			*s = (struct bob_plan_special){ n, old[k].what };
			find_end(img, i);
			img->funcs.at[n++] = img->funcs.at[i];
		}
	free(img->specials.at);
	img->specials = kept;
	img->funcs.count = n;
	img->frames.count = img->rows.count = 0;
	img->key = img->sample_key;
	return BOB_OK;
}
