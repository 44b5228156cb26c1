/* SPDX-License-Identifier: BSD-3-Clause */
/* Generates the probe of a single loop: an expression at the end of the first part of its head, or
 * the initial value of a pointer declared there. In it, variables that the step changes have copies
 * of the same names, so texts have the same meaning as in the loop. Accesses of these variables
 * themselves are at their real addresses (bobbin_c0, ...). If the loop does not run, only its
 * condition is evaluated. */
#include "source/c/nest.h"

/* Appends text. */
static void add(struct bob_c_unit *u, const char **to, const char *more)
{
	const char *text = bob_c_printf(u, "%s%s", *to, more ? more : "");

	*to = text ? text : "";
}

/* The mover that access k refers to by itself; mover_count: none. */
static uint32_t mover_of(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t k)
{
	const struct bob_c_variable *v = bob_c_nest_variable(u, n->access[k].c);
	uint32_t i = 0;

	while (i < n->mover_count && n->mover[i].variable != v)
		i++;
	return i;
}

/* The address of access k, as an expression. */
static const char *place(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t k)
{
	const uint32_t i = mover_of(u, n, k);

	return i < n->mover_count ?
		       bob_c_printf(u, "bobbin_c%u", i) :
		       bob_c_printf(u, "(const volatile void*)&(%s)", n->access[k].text);
}

/* Addresses of the requested movers, and copies of their values under separate names in the
 * following block. */
static const char *movers(struct bob_c_unit *u, const struct bob_c_nest *n)
{
	const char *old = "", *own = "";

	for (uint32_t i = 0; i < n->mover_count; i++) {
		const char *name = n->mover[i].variable->name;

		for (uint32_t k = 0; k < n->count; k++)
			if (mover_of(u, n, k) == i) {
				add(u, &old,
				    bob_c_printf(u,
						 "const volatile void*const bobbin_c%u="
						 "(const volatile void*)&%s;",
						 i, name));
				break;
			}
		add(u, &old, bob_c_printf(u, "__typeof__(%s) bobbin_m%u=%s;", name, i, name));
		add(u, &own, bob_c_printf(u, "__typeof__(bobbin_m%u) %s=bobbin_m%u;", i, name, i));
	}
	return bob_c_printf(u, "%s{%s", old, own);
}

/* Moves all of them by a step, or back. */
static const char *moved(struct bob_c_unit *u, const struct bob_c_nest *n, bool is_back)
{
	const char *to = "";

	for (uint32_t i = 0; i < n->mover_count; i++) {
		const struct bob_c_nest_mover *m = &n->mover[i];

		add(u, &to,
		    bob_c_printf(
			    u, "%s%s(%s);", m->variable->name,
			    m->is_down != is_back ? "-=" : "+=", m->has_by ? m->by_text : "1"));
	}
	return to;
}

/* The number of trips, with C's conversions of the comparison. */
static const char *trips(struct bob_c_unit *u, const struct bob_c_nest *n)
{
	const struct bob_c_nest_loop *l = &n->loop[0];
	const char *name = l->counter->name;
	const char *type = l->counter->canonical.kind == CXType_Pointer ?
				   "uintptr_t" :
				   bob_c_printf(u, "__typeof__(%s+(%s))", name, l->high_text);
	const char *far = bob_c_nest_far(u, l);
	const char *size = l->counter->canonical.kind == CXType_Pointer ?
				   bob_c_printf(u, "(int64_t)sizeof(*%s)", name) :
				   "1";

	return bob_c_printf(
		u, "const int64_t bobbin_t[]={bobbin_trips(%s((%s)%s),%s((%s)(%s)),%lld*%s,%d)};",
		far, type, name, far, type, l->high_text, l->step, size, l->is_closed);
}

static const char *probe(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t first)
{
	const char *tested = "", *in_body = "", *steps = "", *last = "";

	for (uint32_t k = 0; k < n->count; k++) {
		add(u, k < n->tested ? &tested : &in_body,
		    bob_c_printf(u, "bobbin_a[%u]=%s;", k, place(u, n, k)));
		add(u, &steps,
		    bob_c_printf(u,
				 "bobbin_s[%u]=(int64_t)((uintptr_t)%s-(uintptr_t)bobbin_a[%u]);",
				 k, place(u, n, k), k));
		if (k < n->tested)
			add(u, &last,
			    bob_c_printf(
				    u,
				    "bobbin_at(%u,(const volatile void*)((uintptr_t)bobbin_a[%u]"
				    "+(uintptr_t)(bobbin_t[0]*bobbin_s[%u])));",
				    first + k, k, k));
	}
	return bob_c_printf(
		u,
		"__extension__({if(bobbin_is_on()){" BOB_C_HIDING
		"%s%sconst volatile void*bobbin_a[%u];"
		"int64_t bobbin_s[%u]={0};%sif(bobbin_t[0]>0){%s%s%s%s%s}%s}" BOB_C_HIDING_END "}",
		movers(u, n), trips(u, n), n->count, n->count, tested, in_body, moved(u, n, false),
		steps, moved(u, n, true), bob_c_nest_reported(u, n, first), last);
}

void bob_c_emit_one(struct bob_c_unit *u, const struct bob_c_nest *n, const struct bob_c_head *head)
{
	const uint32_t first = bob_c_nest_row(u, n);
	const char *text = first == UINT32_MAX ? NULL : probe(u, n, first);

	if (!text)
		return;
	if (u->clang->Cursor_isNull(head->first))
		text = bob_c_printf(u, "%s(void)0;})", text);
	else if (u->clang->isExpression(u->clang->getCursorKind(head->first)))
		text = bob_c_printf(u, ",%s(void)0;})", text);
	else
		text = bob_c_printf(u, ",*bobbin_k%zu __attribute__((unused))=%s(void*)0;})",
				    u->nests.count - 1, text);
	bob_c_close_at(u, head->first_end, text);
}
