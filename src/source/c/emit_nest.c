/* SPDX-License-Identifier: BSD-3-Clause */
/* Generates the probe of a nest, on one line before it. For each loop it has a block, entered only
 * if the loop runs at all, with a counter of the same name. So the texts of bounds and accesses
 * have the same meaning there as in the loop. */
#include "source/c/nest.h"

static const char *add(struct bob_c_unit *u, const char *to, const char *more)
{
	const char *text = bob_c_printf(u, "%s%s", to, more);

	return text ? text : "";
}

static const char *heads(struct bob_c_unit *u, const struct bob_c_nest *n)
{
	const char *to = "";

	for (uint32_t d = 0; d < n->depth; d++) {
		const struct bob_c_nest_loop *l = &n->loop[d];
		const char *type = bob_c_text(u, u->clang->getTypeSpelling(l->counter->canonical));
		const char *far = bob_c_nest_far(u, l);
		/* In the type of the comparison, which may be unsigned. */
		const char *compared =
			bob_c_text(u, u->clang->getTypeSpelling(bob_c_nest_compared(u, l)));

		to = add(u, to,
			 bob_c_printf(u,
				      "const int64_t bobbin_l%u=(int64_t)(%s)(%s),bobbin_t%u="
				      "bobbin_trips(%s((%s)bobbin_l%u),%s((%s)(%s)),%lld,%d);"
				      "if(bobbin_t%u>0){%s %s=(%s)bobbin_l%u;",
				      d, type, l->low_text, d, far, compared, d, far, compared,
				      l->high_text, l->step, l->is_closed, d, type,
				      l->counter->name, type, d));
	}
	return to;
}

/* Code that uses the address of access k, within declarations of the counters of the unrolled loops
 * around it. */
static const char *with(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t k,
			const char *statement)
{
	const char *own = n->access[k].with;

	return *own ? bob_c_printf(u, "{%s%s}", own, statement) : statement;
}

/* Addresses of the first iteration. */
static const char *places(struct bob_c_unit *u, const struct bob_c_nest *n)
{
	const char *to = bob_c_printf(u, "const volatile void*bobbin_a[%u];", n->count);

	for (uint32_t k = 0; k < n->count; k++)
		to = add(u, to,
			 with(u, n, k,
			      bob_c_printf(u, "bobbin_a[%u]=(const volatile void*)&(%s);", k,
					   n->access[k].text)));
	return to;
}

/* Strides of loop d, whose counter has been moved by one step. */
static const char *ways(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t d)
{
	const char *to = "";

	for (uint32_t k = 0; k < n->count; k++)
		to = add(u, to,
			 with(u, n, k,
			      bob_c_printf(u,
					   "bobbin_s[%u]=(int64_t)((uintptr_t)&(%s)-(uintptr_t)"
					   "bobbin_a[%u]);",
					   k * n->depth + d, n->access[k].text, k)));
	return to;
}

static const char *steps(struct bob_c_unit *u, const struct bob_c_nest *n)
{
	const char *to = bob_c_printf(u, "int64_t bobbin_s[%u];", n->count * n->depth);

	for (uint32_t d = 0; d < n->depth; d++) {
		const struct bob_c_nest_loop *l = &n->loop[d];

		to = add(u, to,
			 bob_c_printf(u, "%s+=%lld;%s%s-=%lld;", l->counter->name, l->step,
				      ways(u, n, d), l->counter->name, l->step));
	}
	return to;
}

uint32_t bob_c_nest_row(struct bob_c_unit *u, const struct bob_c_nest *n)
{
	const uint32_t first = (uint32_t)u->sites.count;

	if (BOB_VEC_RESERVE(&u->nests, 1) != BOB_OK) {
		u->is_failed = true;
		return UINT32_MAX;
	}
	for (uint32_t k = 0; k < n->count; k++) {
		const struct bob_c_nest_access *a = &n->access[k];
		const struct bob_source_c_counts counts = u->counts;
		const uint32_t site = bob_c_site_of(u, a->c, &a->lv, &a->span, a->use, a->verdict);

		if (a->of == k || site == UINT32_MAX)
			continue;
		u->sites.at[site].like = k - a->of;
		u->counts = counts;
	}
	u->nests.at[u->nests.count++] = (struct bob_c_nest_row){ first, n->count, n->depth };
	bob_c_predict_nest(n);
	u->counts.nests++;
	u->counts.nest_references += n->places;
	u->counts.probes -= n->places; /* one probe for all */
	u->counts.probes++;
	return first;
}

/* The number of all accesses of the nest. */
static const char *all_of(struct bob_c_unit *u, const struct bob_c_nest *n)
{
	const char *to = bob_c_printf(u, "%u", n->count);

	for (uint32_t d = 0; d < n->depth; d++)
		to = add(u, to, bob_c_printf(u, "*bobbin_t[%u]", d));
	return to;
}

const char *bob_c_nest_reported(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t first)
{
	const char *misses = "";

	for (uint32_t k = 0; k < n->count; k++)
		misses = add(
			u, misses,
			bob_c_printf(u, "%sbobbin_misses(%u,%u,bobbin_t,bobbin_a[%u],bobbin_s+%u)",
				     k ? "&&" : "", first + k, n->depth, k, k * n->depth));
	return bob_c_printf(
		u, "if(%s)bobbin_outside(%s);else bobbin_nest(%zu,bobbin_t,bobbin_a,bobbin_s);",
		misses, all_of(u, n), u->nests.count - 1);
}

/* Stride of loop l, the d-th around the access, relative to bobbin_p. */
static const char *way(struct bob_c_unit *u, const struct bob_c_nest_loop *l, const char *text,
		       uint32_t d)
{
	return bob_c_printf(
		u,
		"%s+=%lld;bobbin_w[%u]=(int64_t)((uintptr_t)&(%s)-(uintptr_t)bobbin_p);%s-=%lld;",
		l->counter->name, l->step, d, text, l->counter->name, l->step);
}

/* For a place in the text: the comparison of everything that it accesses, in unrolled loops, too,
 * with the untraced range of its site. */
static const char *looked(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t k,
			  uint32_t site)
{
	const struct bob_c_nest_access *a = &n->access[k];
	const char *trips = "", *ways = "";
	uint32_t d = 0;

	for (; d < n->depth; d++) {
		trips = add(u, trips, bob_c_printf(u, "bobbin_t%u,", d));
		ways = add(u, ways, way(u, &n->loop[d], a->text, d));
	}
	for (const struct bob_c_nest_laid *l = a->laid; l; l = l->outer, d++) {
		trips = add(u, trips, bob_c_printf(u, "%u,", l->trips));
		ways = add(u, ways, way(u, &l->loop, a->text, d));
	}
	return bob_c_printf(
		u,
		"if(bobbin_m){%sconst volatile void*bobbin_p=(const volatile void*)&(%s);"
		"const int64_t bobbin_v[]={%s};int64_t bobbin_w[%u];%s"
		"bobbin_m=bobbin_misses(%u,%u,bobbin_v,bobbin_p,bobbin_w);}",
		a->with, a->text, trips, d, ways, site, d);
}

/* As bob_c_nest_reported, for a nest with unrolled loops: places in the text are compared first,
 * not each of their accesses. */
static const char *reported_laid(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t first)
{
	const char *to = "int bobbin_m=1;";

	for (uint32_t k = 0; k < n->count; k++)
		if (n->access[k].of == k)
			to = add(u, to, looked(u, n, k, first + k));
	return bob_c_printf(u,
			    "%sif(bobbin_m)bobbin_outside(%s);else{%s%s"
			    "bobbin_nest(%zu,bobbin_t,bobbin_a,bobbin_s);}",
			    to, all_of(u, n), places(u, n), steps(u, n), u->nests.count - 1);
}

/* --- loops with bounds that depend on outer loops --- */

static const char *type_of(struct bob_c_unit *u, const struct bob_c_nest_loop *l)
{
	return bob_c_text(u, u->clang->getTypeSpelling(l->counter->canonical));
}

/* Runs the empty loops up to the first iteration of the innermost: only then everything in them has
 * a value. */
static const char *search(struct bob_c_unit *u, const struct bob_c_nest *n)
{
	const char *to = "int bobbin_f=1;";

	for (uint32_t d = 0; d < n->depth; d++) {
		const struct bob_c_nest_loop *l = &n->loop[d];
		const char *name = l->counter->name;

		to = add(u, to,
			 bob_c_printf(u, "for(%s %s=%s;bobbin_f&&%s%s%s(%s);%s+=%lld)",
				      type_of(u, l), name, l->low_text, name,
				      l->is_down ? ">" : "<", l->is_closed ? "=" : "", l->high_text,
				      name, l->step));
	}
	return to;
}

/* The number of values that loop d has before its current one. */
static const char *span(struct bob_c_unit *u, const struct bob_c_nest_loop *l)
{
	const char *name = l->counter->name;

	return l->is_down ? bob_c_printf(u, "(int64_t)%s-(int64_t)(%s)+%d", name, l->high_text,
					 l->is_closed) :
			    bob_c_printf(u, "(int64_t)(%s)-(int64_t)%s+%d", l->high_text, name,
					 l->is_closed);
}

/* Initial values of the loops inside of loop `of`. */
static const char *inner_begin(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t of)
{
	const char *to = "";

	for (uint32_t d = of + 1; d < n->depth; d++)
		to = add(u, to,
			 bob_c_printf(u, "%s=%s;", n->loop[d].counter->name, n->loop[d].low_text));
	return to;
}

/* Effects of one step of loop `of`. */
static const char *changes(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t of)
{
	const struct bob_c_nest_loop *l = &n->loop[of];
	const char *to =
		bob_c_printf(u, "%s+=%lld;%s", l->counter->name, l->step, inner_begin(u, n, of));

	for (uint32_t d = of + 1; d < n->depth; d++)
		to = add(u, to,
			 bob_c_printf(u, "bobbin_d[%u]=%s-bobbin_n[%u];", d * n->depth + of,
				      span(u, &n->loop[d]), d));
	return add(u, to,
		   bob_c_printf(u, "%s%s-=%lld;%s", ways(u, n, of), l->counter->name, l->step,
				inner_begin(u, n, of)));
}

static const char *uneven(struct bob_c_unit *u, const struct bob_c_nest *n)
{
	const char *to = add(u, search(u, n), "{bobbin_f=0;{"), *spans = "", *by = "";

	for (uint32_t d = 0; d < n->depth; d++) {
		const struct bob_c_nest_loop *l = &n->loop[d];

		to = add(u, to,
			 bob_c_printf(u, "%s %s=%s;", type_of(u, l), l->counter->name,
				      l->low_text));
		spans = add(u, spans, bob_c_printf(u, "%s%s", d ? "," : "", span(u, l)));
		by = add(u, by,
			 bob_c_printf(u, "%s%lld", d ? "," : "", l->is_down ? -l->step : l->step));
	}
	to = add(u, to,
		 bob_c_printf(
			 u,
			 "const int64_t bobbin_n[]={%s},bobbin_b[]={%s};int64_t bobbin_d[%u]={0},"
			 "bobbin_s[%u];%s",
			 spans, by, n->depth * n->depth, n->count * n->depth, places(u, n)));
	for (uint32_t d = 0; d < n->depth; d++)
		to = add(u, to, changes(u, n, d));
	return add(u, to,
		   bob_c_printf(u,
				"bobbin_uneven(%zu,bobbin_n,bobbin_d,bobbin_b,"
				"bobbin_a,bobbin_s);}}",
				u->nests.count - 1));
}

static const char *even(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t first)
{
	const char *trips = "", *closing = "";

	for (uint32_t d = 0; d < n->depth; d++) {
		trips = add(u, trips, bob_c_printf(u, "%sbobbin_t%u", d ? "," : "", d));
		closing = add(u, closing, "}");
	}
	return bob_c_printf(u, "%sconst int64_t bobbin_t[]={%s};%s%s", heads(u, n), trips,
			    n->laid_count ? reported_laid(u, n, first) :
					    bob_c_printf(u, "%s%s%s", places(u, n), steps(u, n),
							 bob_c_nest_reported(u, n, first)),
			    closing);
}

void bob_c_emit_nest(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t start, uint32_t end)
{
	const uint32_t first = bob_c_nest_row(u, n);

	if (first == UINT32_MAX)
		return;
	bob_c_open_at(u, start,
		      bob_c_printf(u, "{if(bobbin_is_on()){" BOB_C_HIDING "%s" BOB_C_HIDING_END "}",
				   n->is_uneven ? uneven(u, n) : even(u, n, first)));
	bob_c_close_at(u, end, "}");
}
