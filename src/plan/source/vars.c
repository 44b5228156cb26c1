/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads locations of variables from DWARF: in registers, in the frame, at fixed addresses. Only a
 * few simple forms of expressions are evaluated; others are ignored. */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "plan/source/source.h"

#define DEPTH_MAX 48u
#define RANGES_MAX 64u	/* of one scope */
#define FACTS_MAX 65536u

/* --- registers and frames --- */

/* Converts DWARF register numbers (System V ABI for x86-64, figure 3.36) to those of the
 * processor. */
static uint32_t register_of(Dwarf_Word dwarf)
{
	static const uint8_t number[] = { 0, 2, 1, 3, 6, 7, 5, 4 };

	if (dwarf < 8)
		return number[dwarf];
	return dwarf < 16 ? (uint32_t)dwarf : BOB_X86_NO_REGISTER;
}

/* Whether code addresses its frame through this register. */
static int is_frame_register(uint32_t reg)
{
	return reg == BOB_X86_FRAME_REGISTER || reg == BOB_X86_FRAME_POINTER;
}

/* A scope: ranges of code, clipped to those of the enclosing scope. */
struct scope {
	struct bob_source_range range[RANGES_MAX];
	size_t count;
	uint32_t depth;
};

struct variable {
	struct bob_source_function *f;
	const struct scope *scope;
	const char *name;
	Dwarf_Die type;
};

static void add_fact(const struct variable *v, uint64_t lo, uint64_t hi, uint32_t reg,
		     struct bob_source_value value)
{
	struct bob_source_function *f = v->f;

	for (size_t i = 0; i < v->scope->count; i++) {
		const struct bob_source_range *r = &v->scope->range[i];
		uint64_t from = lo > r->lo ? lo : r->lo, to = hi < r->hi ? hi : r->hi;
		struct bob_source_fact *fact;

		if (from >= to || f->facts.count >= FACTS_MAX)
			continue;
		fact = BOB_VEC_PUSH(&f->facts);
		if (!fact) {
			f->m->no_memory = 1;
			return;
		}
		*fact = (struct bob_source_fact){ from, to, reg, v->scope->depth, value };
	}
}

static void add_slot(const struct variable *v, uint64_t lo, uint64_t hi, int64_t frame, uint32_t by,
		     int holds_address)
{
	struct bob_source_function *f = v->f;
	Dwarf_Die type = v->type;
	uint64_t size = holds_address ? 8 : bob_source_size(&type);
	uint32_t term = bob_source_term(f, v->name, &type, 0);

	for (size_t i = 0; i < v->scope->count && term && size; i++) {
		const struct bob_source_range *r = &v->scope->range[i];
		uint64_t from = lo > r->lo ? lo : r->lo, to = hi < r->hi ? hi : r->hi;
		struct bob_source_slot *s;

		if (from >= to || f->slots.count >= FACTS_MAX)
			continue;
		s = BOB_VEC_PUSH(&f->slots);
		if (!s) {
			f->m->no_memory = 1;
			return;
		}
		*s = (struct bob_source_slot){ from, to, frame, size, term, v->scope->depth,
					       holds_address, by };
	}
}

/* The register contains the address of the variable itself. */
static struct bob_source_value object_at(const struct variable *v, int64_t off)
{
	Dwarf_Die type = v->type;
	struct bob_source_value value = { .kind = BOB_SOURCE_TERM, .off = off };

	value.term = bob_source_term(v->f, v->name, &type, 0);
	if (!value.term)
		value.kind = BOB_SOURCE_ANYTHING;
	return value;
}

static void add_breg(const struct variable *v, uint64_t lo, uint64_t hi, uint32_t reg, int64_t off,
		     const Dwarf_Op *op, size_t count)
{
	Dwarf_Die type = v->type;
	struct bob_source_value value;

	if (count == 2 && op[1].atom == DW_OP_stack_value) { /* its value is register + off */
		value = bob_source_value_of(v->f, v->name, &type);
		if (value.kind == BOB_SOURCE_TERM)
			value.off = (int64_t)(0 - (uint64_t)off);
		add_fact(v, lo, hi, reg, value);
	} else if (is_frame_register(reg) &&
		   (count == 1 || (count == 2 && op[1].atom == DW_OP_deref))) {
		add_slot(v, lo, hi, off, reg, count == 2);
	} else if (count == 1) { /* the variable is at register + off */
		add_fact(v, lo, hi, reg, object_at(v, (int64_t)(0 - (uint64_t)off)));
	}
}

static void add_location(const struct variable *v, uint64_t lo, uint64_t hi, const Dwarf_Op *op,
			 size_t count)
{
	struct bob_source_function *f = v->f;
	Dwarf_Die type = v->type;
	uint32_t reg = BOB_X86_NO_REGISTER;

	if (!count)
		return;
	if (op[0].atom == DW_OP_fbreg && f->frame_base) {
		if (count == 1 || (count == 2 && op[1].atom == DW_OP_deref))
			add_slot(v, lo, hi, (int64_t)op[0].number, f->frame_register, count == 2);
		return;
	}
	if (op[0].atom >= DW_OP_reg0 && op[0].atom <= DW_OP_reg31)
		reg = register_of(op[0].atom - DW_OP_reg0);
	else if (op[0].atom == DW_OP_regx)
		reg = register_of(op[0].number);
	if (reg != BOB_X86_NO_REGISTER && count == 1)
		add_fact(v, lo, hi, reg, bob_source_value_of(f, v->name, &type));
	if (op[0].atom >= DW_OP_breg0 && op[0].atom <= DW_OP_breg31) {
		reg = register_of(op[0].atom - DW_OP_breg0);
		if (reg != BOB_X86_NO_REGISTER)
			add_breg(v, lo, hi, reg, (int64_t)op[0].number, op, count);
	}
}

static void add_variable(struct bob_source_function *f, const struct scope *scope, Dwarf_Die *die)
{
	struct variable v = { .f = f, .scope = scope, .name = dwarf_diename(die) };
	Dwarf_Attribute a;
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	Dwarf_Op *op;
	size_t count;

	if (!v.name || !dwarf_attr_integrate(die, DW_AT_location, &a) ||
	    !bob_source_type_of(die, &v.type))
		return;
	while (bob_source_step(f->m) &&
	       (at = dwarf_getlocations(&a, at, &base, &lo, &hi, &op, &count)) > 0)
		add_location(&v, lo, hi, op, count);
}

/* --- scopes --- */

/* The ranges of `die` within those of `around`; all of them if it has none. */
static void enter(struct scope *s, const struct scope *around, Dwarf_Die *die)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	int any = 0;

	s->count = 0;
	s->depth = around->depth + 1;
	while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		any = 1;
		for (size_t i = 0; i < around->count && s->count < RANGES_MAX; i++) {
			uint64_t from = lo > around->range[i].lo ? lo : around->range[i].lo;
			uint64_t to = hi < around->range[i].hi ? hi : around->range[i].hi;

			if (from < to)
				s->range[s->count++] = (struct bob_source_range){ from, to };
		}
	}
	if (!any) {
		memcpy(s->range, around->range, around->count * sizeof(s->range[0]));
		s->count = around->count;
	}
}

static void read_scope(struct bob_source_function *f, const struct scope *s, Dwarf_Die *die)
{
	Dwarf_Die child;
	int left = dwarf_child(die, &child);

	for (; left == 0 && bob_source_step(f->m); left = dwarf_siblingof(&child, &child)) {
		struct scope inner;

		switch (dwarf_tag(&child)) {
		case DW_TAG_formal_parameter:
		case DW_TAG_variable:
			add_variable(f, s, &child);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			if (s->depth == DEPTH_MAX)
				break;
			enter(&inner, s, &child);
			if (inner.count)
				read_scope(f, &inner, &child);
			break;
		default:
			break;
		}
	}
}

/* GCC uses the canonical frame address, clang the frame pointer or the stack pointer. Returns 0 for
 * other expressions. */
static int frame_base_of(Dwarf_Die *function, uint32_t *reg)
{
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t count;

	if (!dwarf_attr_integrate(function, DW_AT_frame_base, &a) ||
	    dwarf_getlocation(&a, &op, &count) != 0 || count != 1)
		return 0;
	*reg = BOB_X86_NO_REGISTER;
	if (op[0].atom == DW_OP_call_frame_cfa)
		return 1;
	if (op[0].atom >= DW_OP_reg0 && op[0].atom <= DW_OP_reg31)
		*reg = register_of(op[0].atom - DW_OP_reg0);
	return is_frame_register(*reg);
}

void bob_source_variables(struct bob_source_function *f, Dwarf_Die *function)
{
	struct scope s = { .depth = 0 };

	f->frame_base = frame_base_of(function, &f->frame_register);
	for (size_t i = 0; i < f->ranges.count && s.count < RANGES_MAX; i++)
		s.range[s.count++] = f->ranges.at[i];
	read_scope(f, &s, function);
}

/* --- static variables --- */

static int address_of(Dwarf_Attribute *a, uint64_t *addr)
{
	Dwarf_Attribute what;
	Dwarf_Op *op;
	size_t count;

	if (dwarf_getlocation(a, &op, &count) != 0 || !count || count > 2)
		return 0;
	if (op[0].atom == DW_OP_addr)
		*addr = op[0].number;
	else if (op[0].atom != DW_OP_addrx || dwarf_getlocation_attr(a, &op[0], &what) != 0 ||
		 dwarf_formaddr(&what, addr) != 0)
		return 0;
	if (count == 2) {
		if (op[1].atom != DW_OP_plus_uconst)
			return 0;
		*addr += op[1].number;
	}
	return 1;
}

/* Offset in the TLS block, for a thread-local variable. */
static int thread_offset_of(Dwarf_Attribute *a, uint64_t *off)
{
	Dwarf_Op *op;
	size_t count;

	if (dwarf_getlocation(a, &op, &count) != 0 || count != 2 ||
	    (op[1].atom != DW_OP_GNU_push_tls_address && op[1].atom != DW_OP_form_tls_address))
		return 0;
	*off = op[0].number;
	return op[0].atom == DW_OP_const8u || op[0].atom == DW_OP_const4u ||
	       op[0].atom == DW_OP_constu || op[0].atom == DW_OP_addr;
}

static void add_static(struct bob_source_maker *m, const char *prefix, Dwarf_Die *die)
{
	struct bob_source_statics *list = &m->statics;
	const char *name = dwarf_diename(die);
	struct bob_source_static s = { 0 };
	char text[BOB_SOURCE_NAME_MAX];
	struct bob_source_static *to;
	Dwarf_Attribute a;

	if (!name || !dwarf_attr_integrate(die, DW_AT_location, &a))
		return;
	if (thread_offset_of(&a, &s.addr))
		list = &m->thread.variables;
	else if (!address_of(&a, &s.addr))
		return;
	if (!bob_source_type_of(die, &s.type))
		return;
	s.has_type = 1;
	s.size = bob_source_size(&s.type);
	/* a descriptor: the size is that of its symbol */
	if (dwarf_hasattr(&s.type, DW_AT_data_location))
		s.size = 0;
	snprintf(text, sizeof(text), "%s%s", prefix, name);
	s.name = bob_source_text(m, text);
	to = BOB_VEC_PUSH(list);
	if (to)
		*to = s;
	else
		m->no_memory = 1;
}

/* `prefix` is prepended to the names of inner variables. */
static void walk(struct bob_source_maker *m, const char *prefix, Dwarf_Die *die, unsigned depth)
{
	char text[BOB_SOURCE_NAME_MAX];
	Dwarf_Die child;
	int left = dwarf_child(die, &child);

	for (; left == 0 && bob_source_step(m); left = dwarf_siblingof(&child, &child)) {
		const char *name = dwarf_diename(&child), *inner = prefix;

		switch (dwarf_tag(&child)) {
		case DW_TAG_variable:
			add_static(m, prefix, &child);
			continue;
		case DW_TAG_common_block: /* COMMON /name/: its members are children */
			snprintf(text, sizeof(text), "/%.60s/", name ? name : "");
			inner = text;
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_subprogram:
			if (!name)
				break;
			snprintf(text, sizeof(text), "%.80s%.60s::", prefix, name);
			inner = text;
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			break;
		default:
			continue;
		}
		if (depth < DEPTH_MAX)
			walk(m, inner, &child, depth + 1);
	}
}

void bob_source_statics_of(struct bob_source_maker *m, Dwarf_Die *unit)
{
	walk(m, "", unit, 0);
}
