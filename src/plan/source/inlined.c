/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the inlined functions around each row. An entry DW_TAG_inlined_subroutine has the ranges of
 * its code; the entries of functions that are inlined into it are inside. So a row belongs to the
 * innermost entry with its address, as for addr2line. Equal calls of several entries are one. */
#define _GNU_SOURCE
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/source/source.h"

#define NO_CALL UINT32_MAX
#define ENTRY_DEPTH_MAX 1000u	/* of nested entries in a function: untrusted */
#define REFERENCES_MAX 16	/* from an entry to its declaration */

struct unit {
	struct bob_source_maker *m;
	Dwarf_Die *die;
	struct bob_source_scopes scopes;
	int has_scopes;		/* `scopes` was read */
};

/* A position in the entries of a function. */
struct position {
	uint32_t call;		/* innermost inlined call; NO_CALL: none */
	unsigned depth, calls;	/* of entries, of inlined calls */
};

/* --- tables --- */

static uint32_t add_text(struct bob_source_maker *m, const char *text)
{
	const uint64_t hash = bob_hash_text(0, text);
	struct bob_probe p = bob_probe_of(hash);
	const char **to;

	while (bob_index_next(&m->words.index, &p))
		if (!strcmp(m->words.at[p.number], text))
			return p.number;
	to = BOB_MAP_ADD(&m->words, hash);
	if (to)
		*to = bob_source_text(m, text);
	else
		m->no_memory = 1;
	return to ? (uint32_t)m->words.count - 1 : NO_CALL;
}

static uint32_t add_call(struct bob_source_maker *m, const struct bob_source_inlined *call)
{
	const struct bob_source_inlined *found = BOB_MAP_PUT(&m->calls, call);

	if (!found)
		m->no_memory = 1;
	return found ? (uint32_t)(found - m->calls.at) : NO_CALL;
}

/* --- names --- */

static int is_c(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return 1;
	default:
		return 0;
	}
}

/* Follows references to the entry in the function's scope. */
static Dwarf_Die declaration_of(const Dwarf_Die *inlined)
{
	Dwarf_Die at = *inlined;

	for (int i = 0; i < REFERENCES_MAX; i++) {
		Dwarf_Attribute a;
		Dwarf_Die next;

		if (!dwarf_attr(&at, DW_AT_abstract_origin, &a) &&
		    !dwarf_attr(&at, DW_AT_specification, &a))
			break;
		if (!dwarf_formref_die(&a, &next))
			break;
		at = next;
	}
	return at;
}

static uint32_t add_name(struct unit *u, Dwarf_Die *inlined)
{
	const char *name = bob_source_linkage_name(inlined), *scope;
	char *text;
	Dwarf_Die at;
	uint32_t number;

	if (name)
		return add_text(u->m, name);
	name = dwarf_diename(inlined);
	if (!name || is_c(u->die))
		return name ? add_text(u->m, name) : NO_CALL;
	if (!u->has_scopes)
		bob_source_read_scopes(u->m, u->die, &u->scopes);
	u->has_scopes = 1;
	at = declaration_of(inlined);
	scope = bob_source_scope_of(&u->scopes, &at);
	if (asprintf(&text, "%s%s", scope, name) < 0) {
		u->m->no_memory = 1;
		return NO_CALL;
	}
	number = add_text(u->m, text);
	free(text);
	return number;
}

/* --- calls --- */

static uint32_t call_of(struct unit *u, Dwarf_Die *inlined, uint32_t parent)
{
	struct bob_source_inlined call = { .parent = parent, .file = NO_CALL };
	const char *file;
	Dwarf_Word line;

	call.function = add_name(u, inlined);
	if (bob_source_call(u->die, inlined, &file, &line)) {
		call.file = add_text(u->m, file);
		call.line = (uint32_t)line;
	}
	return add_call(u->m, &call);
}

/* Whether the entry may contain rows: it has no ranges, or one with rows. */
static int may_have_rows(struct bob_source_maker *m, Dwarf_Die *die)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	size_t n = 0;
	int any = 0;

	while (!n && bob_source_step(m) && (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		any = 1;
		bob_source_rows(m, lo, hi, &n);
	}
	return n || !any;
}

static void set_rows(struct bob_source_maker *m, Dwarf_Die *die, uint32_t call)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	while (bob_source_step(m) && (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		size_t n;
		struct bob_source_row *r = bob_source_rows(m, lo, hi, &n);

		for (size_t i = 0; i < n; i++)
			r[i].inlined = call + 1;
	}
}

/* The file in which the function is declared. NULL: unknown. dwarf_decl_file (libdw 0.188) aborts
 * in split units. */
static const char *file_of(Dwarf_Die *inlined)
{
	Dwarf_Attribute a;
	Dwarf_Word number;
	Dwarf_Files *files;
	Dwarf_Die unit;
	size_t count;

	if (dwarf_formudata(dwarf_attr_integrate(inlined, DW_AT_decl_file, &a), &number) != 0 ||
	    !dwarf_cu_die(a.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/* Functions of bobbin/events.h are left out, as in lines (dwarf.c). If calls are nested too deeply,
 * those of the rows are unknown. Returns whether inner entries are to be read. */
static int enter_call(struct unit *u, Dwarf_Die *inlined, struct position *p)
{
	const char *file = file_of(inlined);

	if (p->calls == BOB_SOURCE_INLINED_DEPTH) {
		set_rows(u->m, inlined, NO_CALL);
		return 0;
	}
	if (file && bob_source_is_events_header(file))
		return 1;
	p->call = call_of(u, inlined, p->call);
	p->calls++;
	set_rows(u->m, inlined, p->call);
	return 1;
}

static void read_entries(struct unit *u, Dwarf_Die *die, const struct position *p)
{
	Dwarf_Die child;
	int left = dwarf_child(die, &child);

	for (; left == 0 && bob_source_step(u->m); left = dwarf_siblingof(&child, &child)) {
		struct position inner = *p;

		switch (dwarf_tag(&child)) {
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_inlined_subroutine:
			break;
		default:
			continue;
		}
		if (++inner.depth > ENTRY_DEPTH_MAX || !may_have_rows(u->m, &child))
			continue;
		if (dwarf_tag(&child) != DW_TAG_inlined_subroutine || enter_call(u, &child, &inner))
			read_entries(u, &child, &inner);
	}
}

static void read_function(struct bob_source_maker *m, Dwarf_Die *function, void *ctx)
{
	const struct position outside = { .call = NO_CALL };
	Dwarf_Addr base, lo, hi;

	if (dwarf_ranges(function, 0, &base, &lo, &hi) <= 0 || !may_have_rows(m, function))
		return;
	set_rows(m, function, NO_CALL);
	read_entries(ctx, function, &outside);
}

static void read_unit(struct bob_source_maker *m, Dwarf_Die *die)
{
	struct unit u = { .m = m, .die = die };

	bob_source_each_function(m, die, read_function, &u);
	BOB_VEC_FREE(&u.scopes);
}

void bob_source_read_inlined(struct bob_source_maker *m)
{
	bob_source_each_unit(m, read_unit);
	/* at the limit inner calls may be missing: nothing is certain */
	for (size_t i = 0; i < m->rows && !m->work; i++)
		m->row[i].inlined = 0;
}
