/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of work: read; walk once for the addresses that are taken, and once for the probes; put in. */
#include "source/c/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *bob_source_c_refusal_text(enum bob_source_c_refusal why)
{
	static const char *const texts[BOB_SOURCE_C_REFUSALS] = {
		[BOB_SOURCE_C_MACRO] = "written in a macro",
		[BOB_SOURCE_C_INCLUDED] = "written in an included file",
		[BOB_SOURCE_C_REGISTER] = "in a register: no address",
		[BOB_SOURCE_C_BITS] = "a bit-field: no address",
		[BOB_SOURCE_C_VECTOR] = "an element of a vector: no address",
		[BOB_SOURCE_C_ASSEMBLER] = "an operand of an asm statement",
		[BOB_SOURCE_C_ATOMIC_PRAGMA] = "below a pragma that rules its form",
		[BOB_SOURCE_C_DEEP] = "too deep",
		[BOB_SOURCE_C_THREAD] = "one for each thread",
		[BOB_SOURCE_C_LARGE] = "too large for one record",
		[BOB_SOURCE_C_JUMP] = "jumped over",
		[BOB_SOURCE_C_UNCLEAR] = "no place for a probe",
	};

	return why < BOB_SOURCE_C_REFUSALS ? texts[why] : "";
}

static bob_status finish(struct bob_c_unit *u, struct bob_source_c_result **out)
{
	struct bob_source_c_result *r = calloc(1, sizeof(*r));
	bob_status st = r ? bob_c_apply(u, &r->text, &r->len) : BOB_ERR_NOMEM;

	if (st != BOB_OK) {
		free(r);
		return st;
	}
	r->counts = u->counts;
	*out = r;
	return BOB_OK;
}

bob_status bob_source_c_instrument(const char *path, const struct bob_source_c_options *options,
				   struct bob_source_c_result **out,
				   struct bob_source_c_complaint *why)
{
	struct bob_c_unit *u = calloc(1, sizeof(*u));
	bob_status st;

	if (!u)
		return BOB_ERR_NOMEM;
	st = bob_c_unit_open(u, path, options, why);
	if (st == BOB_OK) {
		u->is_scan = true;
		bob_c_walk_file(u);
		st = bob_c_check_wishes(u, why);
	}
	if (st == BOB_OK) {
		u->is_scan = false;
		bob_c_walk_file(u);
		bob_c_emit_frame(u);
		st = finish(u, out);
		if (st != BOB_OK && why)
			snprintf(why->text, sizeof(why->text), "%.255s: no memory", path);
	}
	bob_c_unit_close(u);
	free(u);
	return st;
}

void bob_source_c_close(struct bob_source_c_result *r)
{
	if (r)
		free(r->text);
	free(r);
}
