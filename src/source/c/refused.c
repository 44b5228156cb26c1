/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts requested references without a probe, by reason; those in included files by file. */

#include <stdlib.h>
#include <string.h>

#include "source/c/copies.h"
#include "source/c/given.h"

void bob_c_refuse(struct bob_c_unit *u, enum bob_source_c_refusal why)
{
	u->counts.refused[why] += !u->is_refused;
}

/* The name of the file that contains `c`, as of the compiler. */
static char *file_of(struct bob_c_unit *u, CXCursor c)
{
	unsigned line, column, offset;
	CXFile file = NULL;
	const char *name;

	u->clang->getExpansionLocation(u->clang->getCursorLocation(c), &file, &line, &column,
				       &offset);
	name = file ? bob_c_text(u, u->clang->getFileName(file)) : "an unknown file";
	return bob_c_printf(u, "%s", name);
}

void bob_c_refuse_included(struct bob_c_unit *u, CXCursor c)
{
	char *name = file_of(u, c);
	size_t i = 0;

	bob_c_refuse(u, BOB_SOURCE_C_INCLUDED);
	while (name && i < u->included.count && strcmp(u->included.at[i].why, name) != 0)
		i++;
	if (!name || (i == u->included.count && BOB_VEC_RESERVE(&u->included, 1) != BOB_OK)) {
		u->is_failed = true;
		return;
	}
	if (i == u->included.count)
		u->included.at[u->included.count++] = (struct bob_source_c_refused){
			.why = name,
			.system = u->clang->Location_isInSystemHeader(
					  u->clang->getCursorLocation(c)) ?
					  name :
					  NULL,
		};
	u->included.at[i].count += !u->is_refused;
}

static const char *text_of(uint32_t why)
{
	static const char *const texts[BOB_SOURCE_C_REFUSALS] = {
		[BOB_SOURCE_C_MACRO] = "written in a macro",
		[BOB_SOURCE_C_INCLUDED] = "written in an included file",
		[BOB_SOURCE_C_REGISTER] = "in a register: no address",
		[BOB_SOURCE_C_BITS] = "a member whose place is not known",
		[BOB_SOURCE_C_VECTOR] = "an element of a vector: no address",
		[BOB_SOURCE_C_ASSEMBLER] = "an operand of an asm statement",
		[BOB_SOURCE_C_ATOMIC_PRAGMA] = "below a pragma that rules its form",
		[BOB_SOURCE_C_DEEP] = "too deep",
		[BOB_SOURCE_C_THREAD] = "one for each thread",
		[BOB_SOURCE_C_LARGE] = "too large for one record",
		[BOB_SOURCE_C_JUMP] = "jumped over",
		[BOB_SOURCE_C_TWICE] = "a call that may come back twice",
		[BOB_SOURCE_C_UNCLEAR] = "no place for a probe",
	};

	return texts[why];
}

uint32_t bob_c_refusals(struct bob_c_unit *u, struct bob_source_c_refused **out)
{
	struct bob_source_c_refused *to = bob_arena_alloc(
		&u->arena, (BOB_SOURCE_C_REFUSALS + u->included.count) * sizeof(*to));
	uint32_t n = 0;

	u->is_failed |= !to;
	for (uint32_t i = 0; to && i < BOB_SOURCE_C_REFUSALS; i++)
		if (u->counts.refused[i] && i != BOB_SOURCE_C_INCLUDED)
			to[n++] = (struct bob_source_c_refused){
				.count = u->counts.refused[i],
				.why = bob_c_printf(u, "%s", text_of(i))
			};
	for (size_t i = 0; to && i < u->included.count; i++)
		to[n++] = (struct bob_source_c_refused){
			.count = u->included.at[i].count,
			.why = bob_c_printf(u, "%s, %s", text_of(BOB_SOURCE_C_INCLUDED),
					    u->included.at[i].why),
			.system = u->included.at[i].system
		};
	*out = to;
	return n;
}

static bob_status take(struct bob_source_c_result *to, const struct bob_source_c_refused *from,
		       uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		char *why = from[i].why ? strdup(from[i].why) : NULL;
		char *system = from[i].system ? strdup(from[i].system) : NULL;

		to->refused[to->refused_count++] = (struct bob_source_c_refused){
			from[i].count, from[i].line, why, system
		};
		if (!why || (from[i].system && !system))
			return BOB_ERR_NOMEM;
	}
	return BOB_OK;
}

/* Messages for arrays that this file does not register, because their length is unknown. */
static uint32_t without_length(struct bob_c_unit *u, struct bob_source_c_refused **out)
{
	uint32_t n = 0;

	*out = bob_arena_alloc(&u->arena, (u->rows.count + 1) * sizeof(**out));
	u->is_failed |= !*out;
	for (size_t i = 0; *out && i < u->rows.count; i++) {
		const struct bob_c_variable *v = u->rows.at[i].variable;

		if (v->has_no_length && v->first == i)
			(*out)[n++] = (struct bob_source_c_refused){
				.why = bob_c_printf(u,
						    "%s is declared without its length: the file "
						    "that defines it records it, or what is asked "
						    "for of it here, like %s[0..9]",
						    v->name, v->name)
			};
	}
	return n;
}

bob_status bob_c_refusals_take(struct bob_c_unit *u, struct bob_source_c_result *to)
{
	struct bob_source_c_refused *from, *remarks, *lengths, *given;
	const uint32_t n = bob_c_refusals(u, &from);
	const uint32_t more = bob_c_copies_remarks(u, &remarks);
	const uint32_t arrays = without_length(u, &lengths);
	const uint32_t out_of_sight = bob_c_given_remarks(u, &given);
	bob_status st;

	to->refused = u->is_failed ?
			      NULL :
			      calloc(n + more + arrays + out_of_sight + 1u, sizeof(*to->refused));
	st = to->refused ? take(to, from, n) : BOB_ERR_NOMEM;
	if (st == BOB_OK)
		st = take(to, remarks, more);
	if (st == BOB_OK)
		st = take(to, lengths, arrays);
	return st == BOB_OK ? take(to, given, out_of_sight) : st;
}
