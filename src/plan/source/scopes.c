/* SPDX-License-Identifier: BSD-3-Clause */
/* Scopes of functions. DWARF has no links from an entry to the enclosing one, so the unit is walked
 * from its root. Functions with a linkage name are left out, as that has the scope. */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/search.h"
#include "plan/source/source.h"

#define DEPTH_MAX 48u
#define SCOPE_MAX 1024u

struct scope {
	const struct scope *outer; /* NULL: of the unit */
	const char *name;
	const char *text;	/* "a::b::"; NULL: not computed yet */
};

static const char *linkage_name(Dwarf_Die *function, unsigned attribute)
{
	Dwarf_Attribute a;

	return dwarf_formstring(dwarf_attr_integrate(function, attribute, &a));
}

const char *bob_source_linkage_name(Dwarf_Die *function)
{
	const char *name = linkage_name(function, DW_AT_linkage_name);

	return name ? name : linkage_name(function, DW_AT_MIPS_linkage_name);
}

static size_t write_scope(const struct scope *s, char text[SCOPE_MAX], size_t at)
{
	if (s->outer)
		at = write_scope(s->outer, text, at);
	if (at < SCOPE_MAX)
		at += (size_t)snprintf(text + at, SCOPE_MAX - at, "%s::", s->name);
	return at;
}

static void add(struct bob_source_maker *m, struct bob_source_scopes *to, struct scope *s,
		const Dwarf_Die *function)
{
	char text[SCOPE_MAX] = "";

	if (!s->text && write_scope(s, text, 0) >= SCOPE_MAX)
		return;
	if (!s->text)
		s->text = bob_source_text(m, text);
	if (BOB_VEC_ADD(to, (struct bob_source_scoped){ (uintptr_t)function->addr, s->text }))
		m->no_memory = 1;
}

/* A scope without a name, as demanglers write it. */
static const char *name_of(Dwarf_Die *scope)
{
	const char *name = dwarf_diename(scope);

	if (name)
		return name;
	return dwarf_tag(scope) == DW_TAG_namespace ? "(anonymous namespace)" : "<unnamed>";
}

static void walk(struct bob_source_maker *m, struct bob_source_scopes *to, struct scope *s,
		 Dwarf_Die *die, unsigned depth)
{
	Dwarf_Die child;
	int left = depth < DEPTH_MAX ? dwarf_child(die, &child) : 1;

	for (; left == 0 && bob_source_step(m); left = dwarf_siblingof(&child, &child)) {
		struct scope inner = { .outer = s };

		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			if (s && !bob_source_linkage_name(&child))
				add(m, to, s, &child);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			break;
		case DW_TAG_lexical_block:
			walk(m, to, s, &child, depth + 1);
			continue;
		default:
			continue;
		}
		if (!dwarf_haschildren(&child))
			continue;
		inner.name = name_of(&child);
		walk(m, to, &inner, &child, depth + 1);
	}
}

void bob_source_read_scopes(struct bob_source_maker *m, Dwarf_Die *unit,
			    struct bob_source_scopes *to)
{
	to->count = 0;
	walk(m, to, NULL, unit, 0);
}

const char *bob_source_scope_of(const struct bob_source_scopes *s, const Dwarf_Die *function)
{
	const uint64_t die = (uintptr_t)function->addr;
	size_t i = BOB_COUNT_BELOW(s->at, s->count, struct bob_source_scoped, die, die);

	return i < s->count && s->at[i].die == die ? s->at[i].scope : "";
}
