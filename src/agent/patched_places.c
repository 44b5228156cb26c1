/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps addresses of patched code: see patched_places.h. */
#include "agent/patched_places.h"
#include "base/search.h"

#include <string.h>

#define HOLE_REACH 256u		/* at least the reach of a 2-byte jump */

uint64_t place_of_patch(const struct bob_image *im, const struct bob_plan_func *f)
{
	return im->bias + f->addr + f->patch_delta;
}

const struct bob_plan_func *place_of_body(const struct bob_image *im, uint64_t body)
{
	const struct bob_plan_func *f = bob_plan_section(im->plan, &im->plan->funcs);
	uint64_t off = body - im->arena - BOB_PLAN_HANDLER_BYTES - (BOB_PLAN_TRAMP_CALL + 4);
	uint32_t id;

	if (off >= im->plan->blob.len || im->plan->blob.len - off < BOB_PLAN_TRAMP_CALL + 4)
		return NULL;
	memcpy(&id,
	       (const uint8_t *)(uintptr_t)body - (BOB_PLAN_TRAMP_CALL + 4) + BOB_PLAN_TRAMP_ID,
	       sizeof(id));
	id -= im->first_id;
	if (id >= im->plan->func_count || f[id].kind == BOB_PATCH_NONE || f[id].tramp != off)
		return NULL;
	return &f[id];
}

/* Whether this is the jump at the end of the body, back into the function. */
static bool is_jump_back(const struct bob_image *im, const struct bob_plan_func *f, uint64_t into)
{
	const uint64_t end = im->arena + BOB_PLAN_HANDLER_BYTES + f->tramp + f->tramp_len;
	int32_t rel;

	if (into + 5 != f->tramp_len - f->body)
		return false;
	memcpy(&rel, (const uint8_t *)(uintptr_t)end - sizeof(rel), sizeof(rel));
	return end + (uint64_t)(int64_t)rel == place_of_patch(im, f) + f->displaced_len;
}

/* Find the displaced instruction that contains offset `into` of the body. */
static void find_moved(const struct bob_image *im, const struct bob_plan_func *f, uint64_t into,
		       struct place_in_trampoline *out)
{
	uint32_t from = 0, k = 0;

	for (uint32_t i = 1; i < 5; i++) {
		uint32_t start = bob_plan_moved(f, i);

		if (start && start <= into) {
			from = start;
			k = i;
		}
	}
	out->orig = place_of_patch(im, f) + k;
	out->moved = into != 0;
	out->begins = into && into == from;
	if (f->moved & BOB_PLAN_MOVED_CALL) {
		bool last = true;

		for (uint32_t i = k + 1; i < 5; i++)
			last &= !bob_plan_moved(f, i);
		out->pushed = last && into > from ? 8 : 0;
	} else if (is_jump_back(im, f, into)) {
		out->orig = place_of_patch(im, f) + f->displaced_len;
		out->begins = false;
	}
}

bool place_in_trampoline(const struct bob_image *im, uint64_t addr, struct place_in_trampoline *out)
{
	const struct bob_plan_func *f = bob_plan_section(im->plan, &im->plan->funcs);
	uint64_t off = addr - im->arena - BOB_PLAN_HANDLER_BYTES;

	if (!im->arena || off >= im->plan->blob.len)
		return false;
	for (uint32_t i = 0; i < im->plan->func_count; i++) {
		uint64_t into = off - f[i].tramp;

		if (f[i].kind == BOB_PATCH_NONE || into >= f[i].tramp_len)
			continue;
		*out = (struct place_in_trampoline){ .orig = place_of_patch(im, &f[i]) };
		if (into < f[i].body)
			out->saved = into > BOB_PLAN_TRAMP_ID;
		else
			find_moved(im, &f[i], into - f[i].body, out);
		return true;
	}
	return false;
}

static const struct bob_plan_func *function_before(const struct bob_plan_head *plan, uint64_t addr)
{
	const struct bob_plan_func *f = bob_plan_section(plan, &plan->funcs);
	size_t lo;

	BOB_PARTITION_POINT(lo, plan->func_count, mid, f[mid].addr < addr);
	return lo ? &f[lo - 1] : NULL;
}

const struct bob_plan_func *place_of_hole(const struct bob_image *im, uint64_t addr)
{
	const uint64_t link = addr - im->bias;
	const struct bob_plan_func *first = bob_plan_section(im->plan, &im->plan->funcs);
	const struct bob_plan_func *end = first + im->plan->func_count;
	const struct bob_plan_func *f =
		function_before(im->plan, link - HOLE_REACH - BOB_PLAN_BODY_MAX);

	for (f = f ? f : first; f < end && f->addr <= link + HOLE_REACH; f++)
		if (f->kind == BOB_PATCH_HOLE &&
		    place_of_patch(im, f) + (uint64_t)(int64_t)f->hole_delta == addr)
			return f;
	return NULL;
}

uint64_t place_to_resume(const struct bob_image *im, uint64_t addr)
{
	const struct bob_plan_func *f;
	const uint8_t *jump;
	uint64_t into, body;
	int32_t rel;

	if (!im->plan || !im->arena || addr - im->lo >= im->hi - im->lo)
		return addr;
	f = function_before(im->plan, addr - im->bias);
	into = f ? addr - place_of_patch(im, f) : 0;
	if (!into || into >= 5 || f->kind == BOB_PATCH_NONE || !bob_plan_moved(f, (uint32_t)into))
		return addr;
	jump = (const uint8_t *)(uintptr_t)place_of_patch(im, f);
	if (f->kind == BOB_PATCH_HOLE)
		jump += f->hole_delta;
	body = im->arena + BOB_PLAN_HANDLER_BYTES + f->tramp + f->body;
	memcpy(&rel, jump + 1, sizeof(rel));
	if (jump[0] != 0xe9 ||
	    (uint64_t)(uintptr_t)(jump + 5) + (uint64_t)(int64_t)rel != body - f->body)
		return addr; /* the function is not patched */
	return body + bob_plan_moved(f, (uint32_t)into);
}
