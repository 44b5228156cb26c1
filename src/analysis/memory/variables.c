/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the variable of an access: by instruction where debug information determines it, otherwise
 * by address; and the extent of a thread's stack. */
#include "analysis/memory/variables.h"

#include <stdlib.h>
#include <string.h>

#define STACK_MAX (256ull << 20)
#define RED_ZONE 128u	/* below the stack pointer, usable by the function (x86-64 ABI) */

void bob_piece_hull(const struct bob_piece *p, uint64_t *lo, uint64_t *hi)
{
	uint64_t last[BOB_PIECE_DIMS] = { 0 };

	*lo = *hi = p->base;
	for (uint32_t d = p->dims; d-- > 0;) {
		uint64_t n = p->count[d], most;

		for (uint32_t e = d + 1; e < p->dims; e++) /* variable counts: use their maximum */
			if ((int64_t)p->grow[bob_piece_pair(d, e)] > 0)
				n += p->grow[bob_piece_pair(d, e)] * last[e];
		if ((int64_t)n <= 0)
			n = 1;
		last[d] = n - 1;
		most = p->step[d] * (n - 1);
		if ((int64_t)most < 0)
			*lo += most;
		else
			*hi += most;
	}
}

uint64_t bob_piece_points(const struct bob_piece *p)
{
	struct bob_piece ones = *p;
	uint64_t n;

	ones.base = 1;
	memset(ones.step, 0, sizeof(ones.step));
	return bob_piece_sum(&ones, &n) == BOB_OK ? n : 0;
}

/* --- the stack --- */

struct reach {
	struct bob_stack_range *range;
	int64_t offset;
};

static int add_piece(void *ctx, const struct bob_piece *p)
{
	struct reach *r = ctx;
	uint64_t lo, hi;

	bob_piece_hull(p, &lo, &hi);
	lo += (uint64_t)r->offset;
	hi += (uint64_t)r->offset;
	if (!r->range->hi || lo < r->range->lo)
		r->range->lo = lo;
	if (hi + 8 > r->range->hi)
		r->range->hi = hi + 8;
	return 0;
}

void bob_stack_range_of(const struct bob_trace *t, uint32_t thread, struct bob_stack_range *out)
{
	uint32_t participant;
	const struct bob_folded *f = bob_trace_folded(t, thread, &participant);

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; f && i < bob_folded_shapes(f); i++) {
		struct reach r = { .range = out };
		struct bob_leaf leaf;
		int left;

		if (bob_trace_leaf(t, thread, i, &leaf, NULL, 0) != BOB_OK ||
		    leaf.sp_word == BOB_LEAF_NO_WORD)
			continue;
		r.offset = leaf.sp_begin;
		for (uint32_t k = 0; k < bob_folded_parts(f, participant); k++)
			(void)bob_folded_pieces(f, participant, k, 2 * i, leaf.sp_word, add_piece,
						&r, &left);
	}
	if (out->hi - out->lo > STACK_MAX) /* several stacks: the range between them is unknown */
		memset(out, 0, sizeof(*out));
	else if (out->hi)
		out->lo -= RED_ZONE;
}

/* --- variables --- */

static void by_instruction(const struct bob_trace *t, const struct bob_variable_access *a,
			   uint32_t kind, const char *name, struct bob_variable *v)
{
	const struct bob_image_info *im = bob_trace_image(t, a->process, a->image);
	struct bob_function_info f;

	*v = (struct bob_variable){ .kind = kind, .name = name, .image = im ? im->soname : "",
				    .function = "" };
	if (im && bob_trace_function_at(t, a->process, a->image, a->pc, &f) == BOB_OK) {
		v->function = f.name;
		v->function_addr = f.addr;
	}
}

/* Is the access within one variable or section of an image? */
static int by_address(const struct bob_trace *t, const struct bob_variable_access *a, int section,
		      struct bob_variable *v)
{
	struct bob_object o;

	if (!a->placed || bob_trace_object(t, a->process, a->lo, &o) != BOB_OK)
		return 0;
	if (!o.is_section && section)
		; /* it begins in a variable and ends outside of it */
	else if (o.is_section != section || a->hi - o.address > o.size)
		return 0;
	*v = (struct bob_variable){ .kind = section ? BOB_VARIABLE_SECTION : BOB_VARIABLE_STATIC,
				    .name = section && !o.is_section ? "" : o.name,
				    .image = bob_trace_image(t, a->process, o.image)->soname,
				    .function = "" };
	return 1;
}

/* A thread-local variable; like a static variable it is the same in all functions of the image. */
static void of_thread(const struct bob_trace *t, const struct bob_variable_access *a,
		      const char *name, struct bob_variable *v)
{
	by_instruction(t, a, BOB_VARIABLE_THREAD, name, v);
	v->function = "";
	v->function_addr = 0;
}

void bob_variable_of(const struct bob_trace *t, const struct bob_variable_access *a,
		     struct bob_variable *v)
{
	struct bob_source_line line;
	const struct bob_place *p;

	(void)bob_trace_source(t, a->process, a->image, a->pc, &line);
	p = a->type == BOB_ACCESS_LOAD ? &line.load : &line.store;
	if (p->kind == BOB_PLACE_THREAD)
		of_thread(t, a, p->name, v);
	else if (p->kind == BOB_PLACE_THREAD_INDEXED)
		of_thread(t, a, a->in_variable ? p->name : "", v);
	else if (p->kind == BOB_PLACE_LOCAL || (p->kind == BOB_PLACE_INDEXED && a->in_variable))
		by_instruction(t, a, BOB_VARIABLE_LOCAL, p->name, v);
	else if (p->kind == BOB_PLACE_STACK || p->kind == BOB_PLACE_INDEXED || a->on_stack)
		by_instruction(t, a, BOB_VARIABLE_STACK, "", v);
	else if (by_address(t, a, 0, v))
		;
	else if (p->kind == BOB_PLACE_POINTER)
		by_instruction(t, a, BOB_VARIABLE_POINTER, p->name, v);
	else if (a->placed && a->lo >= a->stack.lo && a->hi <= a->stack.hi)
		by_instruction(t, a, BOB_VARIABLE_STACK, "", v);
	else if (by_address(t, a, 1, v))
		;
	else
		by_instruction(t, a,
			       a->placed && a->stack.hi && bob_trace_has_source(t, a->process) ?
				       BOB_VARIABLE_OUTSIDE :
				       BOB_VARIABLE_UNKNOWN,
			       "", v);
}

const char *bob_variable_text(const struct bob_variable *v)
{
	switch (v->kind) {
	case BOB_VARIABLE_UNKNOWN:
		return "(not known)";
	case BOB_VARIABLE_OUTSIDE:
		return "(heap or mapping)";
	case BOB_VARIABLE_SECTION:
		return *v->name ? v->name : "(several variables)";
	case BOB_VARIABLE_STACK:
		return "(stack)";
	case BOB_VARIABLE_THREAD:
		return *v->name ? v->name : "(thread-local)";
	default:
		return v->name;
	}
}
