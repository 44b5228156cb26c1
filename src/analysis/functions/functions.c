/* SPDX-License-Identifier: BSD-3-Clause */
/* Function numbers of a whole run. A trace numbers functions per process, image by image. Here
 * equal images of different processes (or one that was unloaded and loaded again) share one range
 * of numbers. Only images are stored, never a table of all functions of all processes. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/host/map.h"
#include "base/order.h"
#include "base/search.h"

/* Callers allocate arrays of this size, and an image without a file may claim any number of
 * functions. Ids of images beyond this sum are unknown. */
#define FUNCTIONS_MAX (1u << 23)

/* An image of a process: ids from first_id on have the numbers from `first` on. */
struct range {
	uint32_t first_id, count, first;
};

struct process_ranges {
	struct range *ranges;	/* sorted by first_id */
	uint32_t count;
};

struct bob_functions {
	const struct bob_trace *trace;
	BOB_MAP(struct bob_function_image) images;
	struct process_ranges *processes;
	uint32_t process_count;
	uint32_t count;
};

static uint64_t hash_image(const struct bob_image_info *im)
{
	uint64_t h = bob_hash64(im->count, im->path, strlen(im->path));

	return bob_hash64(h, im->build_id, im->build_id_len <= 20 ? im->build_id_len : 20);
}

static int same_image(const struct bob_functions *f, const struct bob_function_image *known,
		      const struct bob_image_info *im)
{
	const struct bob_image_info *other =
		bob_trace_image(f->trace, known->process, known->image);

	return other->count == im->count && other->build_id_len == im->build_id_len &&
	       !memcmp(other->build_id, im->build_id, sizeof(im->build_id)) &&
	       !strcmp(other->path, im->path);
}

/* Finds or adds image `image` of `process`. BOB_NONE: it has too many functions. */
static bob_status intern_image(struct bob_functions *f, uint32_t process, uint32_t image,
			       uint32_t *first)
{
	const struct bob_image_info *im = bob_trace_image(f->trace, process, image);
	const uint64_t hash = hash_image(im);
	struct bob_probe p = bob_probe_of(hash);
	struct bob_function_image *new;

	while (bob_index_next(&f->images.index, &p)) {
		const struct bob_function_image *k = &f->images.at[p.number];

		if (same_image(f, k, im)) {
			*first = k->first;
			return BOB_OK;
		}
	}
	if (im->count > FUNCTIONS_MAX - f->count)
		return BOB_NONE;
	new = BOB_MAP_ADD(&f->images, hash);
	if (!new)
		return BOB_ERR_NOMEM;
	*new = (struct bob_function_image){ im->path, im->soname, f->count, im->count, process,
					    image };
	f->count += im->count;
	*first = new->first;
	return BOB_OK;
}

BOB_COMPARE(by_first_id, struct range, BOB_UP(first_id))

static bob_status add_process(struct bob_functions *f, uint32_t process)
{
	const struct bob_process_info *p = bob_trace_process(f->trace, process);
	struct process_ranges *pr = &f->processes[process];

	pr->ranges = calloc((size_t)p->image_count + 1, sizeof(*pr->ranges));
	if (!pr->ranges)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < p->image_count; i++) {
		const struct bob_image_info *im = bob_trace_image(f->trace, process, i);
		struct range *r = &pr->ranges[pr->count];
		bob_status st;

		if (!im->count)
			continue;
		*r = (struct range){ im->first_id, im->count, 0 };
		st = intern_image(f, process, i, &r->first);
		if (st < BOB_OK)
			return st;
		pr->count += st == BOB_OK;
	}
	qsort(pr->ranges, pr->count, sizeof(*pr->ranges), by_first_id);
	return BOB_OK;
}

bob_status bob_functions_create(const struct bob_trace *t, struct bob_functions **out)
{
	struct bob_functions *f = calloc(1, sizeof(*f));
	bob_status st = BOB_OK;

	if (!f)
		return BOB_ERR_NOMEM;
	f->trace = t;
	f->process_count = bob_trace_process_count(t);
	f->processes = calloc((size_t)f->process_count + 1, sizeof(*f->processes));
	if (!f->processes)
		st = BOB_ERR_NOMEM;
	for (uint32_t p = 0; st == BOB_OK && p < f->process_count; p++)
		st = add_process(f, p);
	if (st != BOB_OK) {
		bob_functions_destroy(f);
		return st;
	}
	f->count++;	/* the number of unknown functions */
	*out = f;
	return BOB_OK;
}

void bob_functions_destroy(struct bob_functions *f)
{
	if (!f)
		return;
	for (uint32_t p = 0; f->processes && p < f->process_count; p++)
		free(f->processes[p].ranges);
	free(f->processes);
	BOB_MAP_FREE(&f->images);
	free(f);
}

uint32_t bob_functions_count(const struct bob_functions *f)
{
	return f->count;
}

uint32_t bob_functions_image_count(const struct bob_functions *f)
{
	return (uint32_t)f->images.count;
}

const struct bob_function_image *bob_functions_image(const struct bob_functions *f, uint32_t image)
{
	return image < f->images.count ? &f->images.at[image] : NULL;
}

bob_status bob_functions_get(const struct bob_functions *f, uint32_t number,
			     struct bob_function_info *out, uint32_t *image)
{
	const struct bob_function_image *im;
	size_t after;

	*image = ~0u;
	if (number >= f->count - 1)
		return BOB_NONE;
	BOB_PARTITION_POINT(after, f->images.count, i, f->images.at[i].first <= number);
	im = &f->images.at[after - 1];
	*image = (uint32_t)after - 1;
	return bob_trace_function(f->trace, im->process,
				  bob_trace_image(f->trace, im->process, im->image)->first_id +
					  (number - im->first),
				  out);
}

uint32_t bob_functions_number(const struct bob_functions *f, uint32_t process, uint32_t id)
{
	const struct process_ranges *pr;
	size_t lo;

	if (process >= f->process_count)
		return f->count - 1;
	pr = &f->processes[process];
	BOB_PARTITION_POINT(lo, pr->count, i, pr->ranges[i].first_id <= id);
	if (!lo || id - pr->ranges[lo - 1].first_id >= pr->ranges[lo - 1].count)
		return f->count - 1;
	return pr->ranges[lo - 1].first + (id - pr->ranges[lo - 1].first_id);
}
