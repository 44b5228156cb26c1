/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of tags: conversion from and to the words of a launch's buffer, and value sets in the
 * trace, one per kernel and tag: count, minimum, maximum, sum.
 *
 * Threads: the lock in opencl.h; the recorder synchronises sets itself. */
#ifndef BOBBIN_OPENCL_VALUES_H
#define BOBBIN_OPENCL_VALUES_H

#include <CL/cl.h>

#include "bobbin/hooks.h"
#include "wrap/opencl_tags.h"

struct bob_cl_kernel {
	cl_kernel own, instrumented;
	cl_context context;
	char name[BOB_CL_NAME_MAX * 2 + 1];
	uint32_t arguments, ins, outs, count;
	struct bob_cl_tag tag[BOB_CL_TAGS_MAX];
};

/* A launch in progress; its buffer is complete when the event `read` is. */
struct bob_cl_flight {
	struct bob_cl_flight *next;
	struct bob_cl_kernel kernel; /* copy from the time of the launch */
	cl_event read;
	cl_mem buffer;
	cl_ulong items;
	cl_ulong word[];
};

/* Hook of a tag, and the numbers that it adds. */
struct bob_cl_hook {
	struct bob_hook hook;
	char kernel[BOB_CL_NAME_MAX * 2 + 1];
	char name[BOB_CL_NAME_MAX + 1];
};

struct bob_cl_numbers {
	uint64_t count;
	double sum, min, max;
};

static struct bob_cl_hook bob_cl_hooks[BOB_CL_TAGS_MAX];
static uint32_t bob_cl_hook_count;
static const struct bob_cl_flight *bob_cl_now; /* the launch whose event is open */

/* --- conversion --- */

static inline double bob_cl_real(char type, cl_ulong bits)
{
	const uint32_t low = (uint32_t)bits;
	double d;
	float f;

	switch (type) {
	case 'f':
		memcpy(&f, &low, sizeof(f));
		return (double)f;
	case 'd':
		memcpy(&d, &bits, sizeof(d));
		return d;
	case 'i':
	case 'l':
		return (double)(int64_t)bits;
	default:
		return (double)bits;
	}
}

static inline cl_ulong bob_cl_bits(char type, double value)
{
	const float f = (float)value;
	cl_ulong bits = 0;

	if (type == 'f')
		memcpy(&bits, &f, sizeof(f));
	else if (type == 'd')
		memcpy(&bits, &value, sizeof(value));
	else
		bits = value < 0 ? (cl_ulong)(int64_t)value : (cl_ulong)value;
	return bits;
}

/* Reads BOBBIN_KERNEL_IN=kernel.name=value,... */
static inline int bob_cl_given(const struct bob_cl_tag *t, double *value)
{
	const char *p = getenv("BOBBIN_KERNEL_IN");
	const size_t n = strlen(t->kernel), m = strlen(t->name);
	char *end;

	for (; p && *p; p = strchr(p, ','), p += p != NULL)
		if (!strncmp(p, t->kernel, n) && p[n] == '.' && !strncmp(p + n + 1, t->name, m) &&
		    p[n + 1 + m] == '=') {
			*value = strtod(p + n + m + 2, &end);
			return end != p + n + m + 2;
		}
	return 0;
}

/* --- value sets --- */

static void *bob_cl_set_create(void *ctx)
{
	(void)ctx;
	return calloc(1, sizeof(struct bob_cl_numbers));
}

static void bob_cl_set_destroy(void *ctx, void *set)
{
	(void)ctx;
	free(set);
}

static int bob_cl_set_merge(void *ctx, void *into, const void *from)
{
	struct bob_cl_numbers *a = (struct bob_cl_numbers *)into;
	const struct bob_cl_numbers *b = (const struct bob_cl_numbers *)from;

	(void)ctx;
	if (b->count && (!a->count || b->min < a->min))
		a->min = b->min;
	if (b->count && (!a->count || b->max > a->max))
		a->max = b->max;
	a->sum += b->sum;
	a->count += b->count;
	return 1;
}

/* Adds the values of all work-items for one tag. */
static int bob_cl_set_add(void *ctx, void *set, const union bob_datum *data)
{
	const struct bob_cl_tag *t = (const struct bob_cl_tag *)data->p;
	const struct bob_cl_flight *l = bob_cl_now;
	const cl_ulong *word = l->word + 1 + 2 * l->kernel.ins + 2 * t->slot * l->items;

	for (cl_ulong i = 0; i < l->items; i++, word += 2) {
		const double d = bob_cl_real(t->type, word[1]);
		const struct bob_cl_numbers one = { 1, d, d, d };

		if (word[0])
			bob_cl_set_merge(ctx, set, &one);
	}
	return 1;
}

static size_t bob_cl_set_pack(void *ctx, const void *set, void *to, size_t capacity)
{
	(void)ctx;
	if (capacity >= sizeof(struct bob_cl_numbers))
		memcpy(to, set, sizeof(struct bob_cl_numbers));
	return sizeof(struct bob_cl_numbers);
}

static void *bob_cl_set_unpack(void *ctx, const void *bytes, size_t len)
{
	void *set = len == sizeof(struct bob_cl_numbers) ? bob_cl_set_create(ctx) : NULL;

	if (set)
		memcpy(set, bytes, len);
	return set;
}

static size_t bob_cl_set_print(void *ctx, const void *set, char *to, size_t capacity)
{
	const struct bob_cl_numbers *n = (const struct bob_cl_numbers *)set;

	(void)ctx;
	return (size_t)snprintf(to, capacity, "%llu values, smallest %g, largest %g, sum %g",
				(unsigned long long)n->count, n->min, n->max, n->sum);
}

static int bob_cl_end(void *ctx, const struct bob_hook_event *e, uint32_t phase,
		      union bob_datum *data)
{
	const struct bob_cl_hook *h = (const struct bob_cl_hook *)ctx;
	const struct bob_cl_flight *l = bob_cl_now;

	(void)e;
	for (uint32_t i = 0; l && phase == BOB_PHASE_EVENT && i < l->kernel.count; i++)
		if (!l->kernel.tag[i].is_in && !strcmp(l->kernel.name, h->kernel) &&
		    !strcmp(l->kernel.tag[i].name, h->name)) {
			data->p = (void *)&l->kernel.tag[i];
			return 1;
		}
	return 0;
}

static inline void bob_cl_hook(const struct bob_cl_tag *t)
{
	static const struct bob_value_set set = {
		sizeof(set),	  0,		     bob_cl_set_create, bob_cl_set_add,
		bob_cl_set_merge, bob_cl_set_pack,   bob_cl_set_unpack, bob_cl_set_print,
		bob_cl_set_destroy, NULL, NULL
	};
	struct bob_cl_hook *h;

	for (uint32_t i = 0; i < bob_cl_hook_count; i++)
		if (!strcmp(bob_cl_hooks[i].kernel, t->kernel) &&
		    !strcmp(bob_cl_hooks[i].name, t->name))
			return;
	if (bob_cl_hook_count == BOB_CL_TAGS_MAX)
		return;
	h = &bob_cl_hooks[bob_cl_hook_count++];
	memcpy(h->kernel, t->kernel, sizeof(h->kernel));
	memcpy(h->name, t->name, sizeof(h->name));
	h->hook.size = sizeof(h->hook);
	h->hook.name = h->name;
	h->hook.events = h->kernel;
	h->hook.end = bob_cl_end;
	h->hook.set = &set;
	h->hook.ctx = h;
	bob_hook_add(&h->hook);
}

#endif
