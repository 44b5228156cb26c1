/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of DWARF: the target of a pointer type, the member or element at an offset of an object,
 * and its spelling. */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "plan/source/source.h"

#define CHAIN_MAX 32		/* of typedefs, and of nested members */
#define TERMS_MAX 4096u

int bob_source_strip(Dwarf_Die *type)
{
	for (int i = 0; i < CHAIN_MAX; i++) {
		Dwarf_Attribute a;
		Dwarf_Die next;

		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			break;
		default:
			return 1;
		}
		if (!dwarf_attr_integrate(type, DW_AT_type, &a) || !dwarf_formref_die(&a, &next))
			return 0;
		*type = next;
	}
	return 0;
}

int bob_source_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute a;

	return dwarf_attr_integrate(die, DW_AT_type, &a) && dwarf_formref_die(&a, type) &&
	       bob_source_strip(type);
}

uint64_t bob_source_size(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

/* Whether it is an array whose elements are at the address in its first word: gfortran's
 * descriptors. */
static int is_descriptor(Dwarf_Die *type)
{
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t count;

	if (dwarf_tag(type) != DW_TAG_array_type || !dwarf_attr(type, DW_AT_data_location, &a) ||
	    dwarf_getlocation(&a, &op, &count) != 0)
		return 0;
	return count == 2 && op[0].atom == DW_OP_push_object_address && op[1].atom == DW_OP_deref;
}

static int is_struct(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

static int is_reference(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

uint32_t bob_source_term(struct bob_source_function *f, const char *name, Dwarf_Die *type,
			 int is_pointer)
{
	struct bob_source_term *t;

	if (!f->terms.count && !BOB_VEC_PUSH(&f->terms)) /* number 0 is not used */
		return 0;
	for (size_t i = 1; i < f->terms.count; i++) {
		t = &f->terms.at[i];
		if (t->is_pointer == is_pointer && t->has_type == (type != NULL) &&
		    (!type || t->type.addr == type->addr) && !strcmp(t->name, name))
			return (uint32_t)i;
	}
	if (f->terms.count >= TERMS_MAX || !bob_source_step(f->m))
		return 0;
	t = BOB_VEC_PUSH(&f->terms);
	if (!t) {
		f->m->no_memory = 1;
		return 0;
	}
	t->name = bob_source_text(f->m, name);
	t->is_pointer = is_pointer;
	t->has_type = type != NULL;
	if (type)
		t->type = *type;
	return (uint32_t)f->terms.count - 1;
}

static struct bob_source_value anything(void)
{
	return (struct bob_source_value){ .kind = BOB_SOURCE_ANYTHING };
}

/* The value of a pointer or reference of this type: the object that it refers to. */
static struct bob_source_value led_to(struct bob_source_function *f, const char *name,
				      Dwarf_Die *type)
{
	struct bob_source_value v = { .kind = BOB_SOURCE_TERM };
	Dwarf_Die to;
	int known = bob_source_type_of(type, &to);

	v.term = bob_source_term(f, name, known ? &to : NULL, !is_reference(type));
	return v.term ? v : anything();
}

struct bob_source_value bob_source_value_of(struct bob_source_function *f, const char *name,
					    Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return led_to(f, name, type);
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		return (struct bob_source_value){ .kind = BOB_SOURCE_NUMBER };
	default:
		return anything();
	}
}

/* --- member or element at an offset --- */

struct walk {
	Dwarf_Die type;		/* type at the current position */
	int has_type, known;	/* known: whether `off` is known */
	int64_t off;		/* offset in it */
	char *text;
};

static void append(struct walk *w, const char *a, const char *b)
{
	size_t n = strlen(w->text);

	snprintf(w->text + n, BOB_SOURCE_NAME_MAX - n, "%s%s", a, b);
}

/* Offset of a member; 0: unknown. */
static int member_offset(Dwarf_Die *member, int64_t *at)
{
	Dwarf_Attribute a;
	Dwarf_Word off = 0;

	*at = 0;
	if (dwarf_hasattr(member, DW_AT_data_bit_offset) || dwarf_hasattr(member, DW_AT_bit_size))
		return 0;
	if (!dwarf_attr(member, DW_AT_data_member_location, &a))
		return 1;
	if (dwarf_formudata(&a, &off) != 0 || off > INT32_MAX)
		return 0;
	*at = (int64_t)off;
	return 1;
}

/* Go from a structure to its member at `off`. */
static int enter_member(struct bob_source_maker *m, struct walk *w, const char *dot)
{
	Dwarf_Die child, type;
	int left = dwarf_child(&w->type, &child);

	for (; left == 0 && bob_source_step(m); left = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		const char *name;
		int64_t at;

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !member_offset(&child, &at) || !bob_source_type_of(&child, &type) ||
		    w->off < at || (uint64_t)(w->off - at) >= bob_source_size(&type))
			continue;
		name = tag == DW_TAG_member ? dwarf_diename(&child) : NULL;
		if (name)
			append(w, dot, name);
		w->off -= at;
		w->type = type;
		return 1;
	}
	return 0;
}

/* Go down until the type is neither structure nor array. `fresh`: nothing has been appended to the
 * name of a pointer yet. */
static void descend(struct bob_source_maker *m, struct walk *w, int fresh)
{
	for (int i = 0; i < CHAIN_MAX && w->has_type; i++) {
		if (is_struct(&w->type) && w->known) {
			w->has_type = enter_member(m, w, fresh ? "->" : ".");
			if (!w->has_type)
				append(w, fresh ? "[]" : "", "");
			fresh = 0;
		} else if (dwarf_tag(&w->type) == DW_TAG_array_type && !is_descriptor(&w->type)) {
			uint64_t size;

			append(w, "[]", "");
			fresh = 0;
			w->has_type = bob_source_type_of(&w->type, &w->type);
			size = w->has_type ? bob_source_size(&w->type) : 0;
			if (!size || w->off < 0)
				w->known = 0;
			else
				w->off %= (int64_t)size;
		} else {
			break;
		}
	}
	if (fresh)
		append(w, "[]", "");
}

static int is_fortran(Dwarf_Die *type)
{
	Dwarf_Die unit;
	int language = dwarf_diecu(type, &unit, NULL, NULL) ? dwarf_srclang(&unit) : 0;

	return language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90 ||
	       language == DW_LANG_Fortran95 || language == DW_LANG_Fortran03 ||
	       language == DW_LANG_Fortran08;
}

/* In Fortran, a[] is spelled a(:). */
static void write_fortran(char *text)
{
	char *at;

	while ((at = strstr(text, "[]"))) {
		if (strlen(text) + 2 > BOB_SOURCE_NAME_MAX) {
			*at = 0;
			return;
		}
		memmove(at + 3, at + 2, strlen(at + 2) + 1);
		memcpy(at, "(:)", 3);
	}
}

static void walk_to(struct bob_source_function *f, uint32_t term, int known, int64_t off,
		    struct walk *w)
{
	const struct bob_source_term *t = &f->terms.at[term];

	w->type = t->type;
	w->has_type = t->has_type;
	w->known = known;
	w->off = off;
	snprintf(w->text, BOB_SOURCE_NAME_MAX, "%s", t->name);
	descend(f->m, w, t->is_pointer);
	if (w->has_type && is_descriptor(&w->type) && known && w->off > 0)
		append(w, " (bounds)", "");
	if (t->has_type && is_fortran((Dwarf_Die *)(uintptr_t)&t->type))
		write_fortran(w->text);
}

void bob_source_spell(struct bob_source_function *f, uint32_t term, int known, int64_t off,
		      char text[BOB_SOURCE_NAME_MAX])
{
	struct walk w = { .text = text };

	walk_to(f, term, known, off, &w);
}

struct bob_source_value bob_source_load(struct bob_source_function *f, uint32_t term, int known,
					int64_t off)
{
	char text[BOB_SOURCE_NAME_MAX];
	struct walk w = { .text = text };
	struct bob_source_value v = { .kind = BOB_SOURCE_TERM };
	Dwarf_Die element;

	walk_to(f, term, known, off, &w);
	if (!w.has_type || strlen(text) + 8 > BOB_SOURCE_NAME_MAX)
		return anything();
	if (is_descriptor(&w.type)) {
		if (!w.known)
			return anything();
		if (w.off)
			return (struct bob_source_value){ .kind = BOB_SOURCE_NUMBER };
		if (!bob_source_type_of(&w.type, &element))
			return anything();
		v.term = bob_source_term(f, text, &element, 1);
		return v.term ? v : anything();
	}
	if (w.known && w.off)
		return anything();
	return bob_source_value_of(f, text, &w.type);
}
