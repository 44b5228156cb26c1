/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/mpi/places.h"

#include <stdlib.h>
#include <string.h>

#define UNASKED 0xfffffffeu
#define NONE 0xffffffffu	/* code in no image */

struct node {
	struct bob_mpi_place place;
	uint32_t image;		/* common number */
	uint32_t next;		/* of the same hash */
};

struct bob_mpi_places {
	const struct bob_trace *trace;
	struct node *node;	/* [0] is no path */
	uint32_t count, room;
	uint32_t *first;	/* by hash; twice as many as `room` */
	uint32_t **image_of;	/* by process and its number there */
	const struct bob_image_info **images;
	uint32_t image_count, image_room;
};

bob_status bob_mpi_places_create(const struct bob_trace *t, struct bob_mpi_places **out)
{
	struct bob_mpi_places *p = calloc(1, sizeof(*p));

	if (!p)
		return BOB_ERR_NOMEM;
	p->trace = t;
	p->room = 256;
	p->count = 1;
	p->node = calloc(p->room, sizeof(*p->node));
	p->first = calloc(2u * p->room, sizeof(*p->first));
	p->image_of = calloc(bob_trace_process_count(t) + 1u, sizeof(*p->image_of));
	if (!p->node || !p->first || !p->image_of) {
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
	free(p->images);
	free(p->node);
	free(p->first);
	free(p);
}

static int is_same(const struct bob_image_info *a, const struct bob_image_info *b)
{
	return a->build_id_len == b->build_id_len &&
	       !memcmp(a->build_id, b->build_id, a->build_id_len) && !strcmp(a->path, b->path);
}

static uint32_t common_image(struct bob_mpi_places *p, const struct bob_image_info *im)
{
	uint32_t i = 0;

	while (i < p->image_count && !is_same(p->images[i], im))
		i++;
	if (i < p->image_count)
		return i;
	if (p->image_count == p->image_room) {
		uint32_t room = p->image_room ? 2 * p->image_room : 64;
		const struct bob_image_info **images = realloc(p->images, room * sizeof(*images));

		if (!images)
			return NONE;
		p->images = images;
		p->image_room = room;
	}
	p->images[p->image_count] = im;
	return p->image_count++;
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

static uint32_t hash_of(uint32_t parent, uint32_t image, uint64_t pc)
{
	uint64_t h = (pc ^ (uint64_t)image << 48) * 0x9e3779b97f4a7c15u;

	h = (h ^ h >> 29 ^ parent) * 0xd1b54a32d192ed03u;
	return (uint32_t)(h >> 32);
}

static int grow(struct bob_mpi_places *p)
{
	struct node *node = realloc(p->node, 2 * sizeof(*node) * p->room);
	uint32_t *first;

	if (!node)
		return -1;
	p->node = node;
	first = calloc(4ull * p->room, sizeof(*first));
	if (!first)
		return -1;
	free(p->first);
	p->first = first;
	p->room *= 2;
	for (uint32_t i = 1; i < p->count; i++) {
		struct node *n = &p->node[i];
		uint32_t *at =
			&first[hash_of(n->place.parent, n->image, n->place.pc) & (2 * p->room - 1)];

		n->next = *at;
		*at = i;
	}
	return 0;
}

uint32_t bob_mpi_places_path(struct bob_mpi_places *p, uint32_t process, const uint64_t *place,
			     uint32_t depth)
{
	uint32_t path = BOB_MPI_NO_PATH;

	for (uint32_t d = 0; d < depth; d++) {
		uint32_t own, image, n, *at;
		uint64_t pc;

		bob_trace_place(p->trace, process, place[d], &own, &pc);
		image = image_of(p, process, own);
		at = &p->first[hash_of(path, image, pc) & (2 * p->room - 1)];
		for (n = *at; n; n = p->node[n].next)
			if (p->node[n].place.parent == path && p->node[n].image == image &&
			    p->node[n].place.pc == pc)
				break;
		if (!n) {
			if (p->count == p->room && grow(p))
				return BOB_MPI_NO_PATH;
			at = &p->first[hash_of(path, image, pc) & (2 * p->room - 1)];
			n = p->count++;
			p->node[n].place = (struct bob_mpi_place){ path, process,
								   image == NONE ? ~0u : own, pc };
			p->node[n].image = image;
			p->node[n].next = *at;
			*at = n;
		}
		path = n;
	}
	return path;
}

int bob_mpi_places_last(const struct bob_mpi_places *p, uint32_t path, struct bob_mpi_place *out)
{
	if (path == BOB_MPI_NO_PATH || path >= p->count)
		return 0;
	*out = p->node[path].place;
	return 1;
}
