/* SPDX-License-Identifier: BSD-3-Clause */
/* Tree of call paths over all processes: a hash map from parent, image and address to the node. */
#include "analysis/mpi/call_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/host/map.h"

#define UNASKED 0xfffffffeu
#define NONE 0xffffffffu	/* code in no image */

struct node {
	struct bob_mpi_place place;
	uint32_t image;		/* number shared by processes */
};

struct bob_mpi_places {
	const struct bob_trace *trace;
	BOB_MAP(struct node) nodes;	/* [0] is the empty path */
	uint32_t **image_of;	/* by process and its number of the image */
	BOB_VEC(const struct bob_image_info *) images;
};

bob_status bob_mpi_places_create(const struct bob_trace *t, struct bob_mpi_places **out)
{
	struct bob_mpi_places *p = calloc(1, sizeof(*p));

	if (!p)
		return BOB_ERR_NOMEM;
	p->trace = t;
	p->image_of = calloc(bob_trace_process_count(t) + 1u, sizeof(*p->image_of));
	if (!p->image_of || !BOB_VEC_PUSH(&p->nodes)) {
		bob_mpi_places_destroy(p);
		return BOB_ERR_NOMEM;
	}
	*out = p;
	return BOB_OK;
}

void bob_mpi_places_destroy(struct bob_mpi_places *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; p->image_of && i < bob_trace_process_count(p->trace); i++)
		free(p->image_of[i]);
	free(p->image_of);
	BOB_VEC_FREE(&p->images);
	BOB_MAP_FREE(&p->nodes);
	free(p);
}

static int is_same(const struct bob_image_info *a, const struct bob_image_info *b)
{
	return a->build_id_len == b->build_id_len &&
	       !memcmp(a->build_id, b->build_id, a->build_id_len) && !strcmp(a->path, b->path);
}

static uint32_t common_image(struct bob_mpi_places *p, const struct bob_image_info *im)
{
	size_t i = 0;

	while (i < p->images.count && !is_same(p->images.at[i], im))
		i++;
	if (i == p->images.count && BOB_VEC_ADD(&p->images, im))
		return NONE;
	return (uint32_t)i;
}

static uint32_t image_of(struct bob_mpi_places *p, uint32_t process, uint32_t image)
{
	const struct bob_process_info *info = bob_trace_process(p->trace, process);
	uint32_t *of;

	if (!info || image >= info->image_count)
		return NONE;
	of = p->image_of[process];
	if (!of) {
		of = malloc(info->image_count * sizeof(*of));
		if (!of)
			return NONE;
		memset(of, 0xff, info->image_count * sizeof(*of));
		for (uint32_t i = 0; i < info->image_count; i++)
			of[i] = UNASKED;
		p->image_of[process] = of;
	}
	if (of[image] == UNASKED)
		of[image] = common_image(p, bob_trace_image(p->trace, process, image));
	return of[image];
}

/* Finds or adds the node of a place called from `parent`; 0: no memory. */
static uint32_t node_of(struct bob_mpi_places *p, uint32_t parent, uint32_t image, uint64_t pc)
{
	const uint64_t hash = bob_hash_mix(pc ^ bob_hash_mix((uint64_t)image << 32 | parent));
	struct bob_probe at = bob_probe_of(hash);
	struct node *n;

	while (bob_index_next(&p->nodes.index, &at)) {
		n = &p->nodes.at[at.number];
		if (n->place.parent == parent && n->image == image && n->place.pc == pc)
			return at.number;
	}
	n = BOB_MAP_ADD(&p->nodes, hash);
	if (!n)
		return BOB_MPI_NO_PATH;
	n->place = (struct bob_mpi_place){ .parent = parent, .pc = pc };
	n->image = image;
	return (uint32_t)(p->nodes.count - 1);
}

uint32_t bob_mpi_places_path(struct bob_mpi_places *p, uint32_t process, const uint64_t *place,
			     uint32_t depth)
{
	uint32_t path = BOB_MPI_NO_PATH;

	for (uint32_t d = 0; d < depth; d++) {
		const size_t before = p->nodes.count;
		uint32_t own, image;
		uint64_t pc;

		bob_trace_place(p->trace, process, place[d], &own, &pc);
		image = image_of(p, process, own);
		path = node_of(p, path, image, pc);
		if (path == BOB_MPI_NO_PATH)
			break;
		if (p->nodes.count > before) {
			p->nodes.at[path].place.process = process;
			p->nodes.at[path].place.image = image == NONE ? ~0u : own;
		}
	}
	return path;
}

int bob_mpi_places_last(const struct bob_mpi_places *p, uint32_t path, struct bob_mpi_place *out)
{
	if (path == BOB_MPI_NO_PATH || path >= p->nodes.count)
		return 0;
	*out = p->nodes.at[path].place;
	return 1;
}
