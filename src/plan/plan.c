/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of the planner, in order. */
#include "plan/plan.h"

#include "plan/image.h"

bob_status bob_plan_key(const char *path, uint64_t *key, struct bob_error *err)
{
	struct bob_plan_image img;
	bob_status st = bob_plan_elf_open_key(&img, path, err);

	if (st == BOB_OK)
		*key = img.key;
	bob_plan_elf_close(&img);
	return st;
}

bob_status bob_plan_sample_key(const char *path, uint64_t *key, struct bob_error *err)
{
	struct bob_plan_image img;
	bob_status st = bob_plan_elf_open_key(&img, path, err);

	if (st == BOB_OK)
		*key = img.sample_key;
	bob_plan_elf_close(&img);
	return st;
}

bob_status bob_plan_read(struct bob_plan_image *img)
{
	static bob_status (*const steps[])(struct bob_plan_image *) = {
		bob_plan_read_frames, bob_plan_find_sites, bob_plan_find_functions,
		bob_plan_refuse_go, bob_plan_refuse_sanitizers, bob_plan_scan};
	bob_status st = BOB_OK;

	for (size_t i = 0; st == BOB_OK && i < sizeof(steps) / sizeof(steps[0]); i++)
		st = steps[i](img);
	return st;
}

static bob_status make(const char *path, bool specials, void **plan, size_t *len,
		       struct bob_plan_stats *stats, struct bob_error *err)
{
	struct bob_plan_image img;
	bob_status st = bob_plan_elf_open(&img, path, err);

	if (st != BOB_OK)
		goto close;
	st = bob_plan_read(&img);
	if (st == BOB_OK && specials)
		st = bob_plan_keep_specials(&img);
	if (st == BOB_OK)
		st = bob_plan_patch(&img);
	if (st == BOB_OK)
		st = bob_plan_write(&img, plan, len);
	if (st != BOB_OK)
		bob_plan_fail(err, st, path, "the image could not be planned");
	else if (stats)
		*stats = img.stats;
close:
	bob_plan_elf_close(&img);
	return st;
}

bob_status bob_plan_image(const char *path, void **plan, size_t *len, struct bob_plan_stats *stats,
			  struct bob_error *err)
{
	return make(path, false, plan, len, stats, err);
}

bob_status bob_plan_image_special(const char *path, void **plan, size_t *len, struct bob_error *err)
{
	return make(path, true, plan, len, NULL, err);
}
