/* SPDX-License-Identifier: BSD-3-Clause */
/* Generates the tables that describe the file, after its last line: units, sites, nests and
 * variables. A variable has a row for each request, so the recorder distinguishes its boxes. A
 * pointer has rows for itself and for its target. */
#include "source/c/given.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "bobbin/probe.h"

#define SUBSCRIPT_MAX 0x7fffffffffffLL /* open ends of boxes */

uint32_t bob_c_unit_number(struct bob_c_unit *u, const char *function)
{
	for (size_t i = u->units.count; i-- > 0;)
		if (!strcmp(u->units.at[i], function))
			return (uint32_t)i;
	if (BOB_VEC_ADD(&u->units, function) != BOB_OK) {
		u->is_failed = true;
		return 0;
	}
	return (uint32_t)(u->units.count - 1);
}

uint32_t bob_c_site(struct bob_c_unit *u, const struct bob_c_site *s)
{
	if (BOB_VEC_ADD(&u->sites, *s) != BOB_OK) {
		u->is_failed = true;
		return UINT32_MAX;
	}
	return (uint32_t)(u->sites.count - 1);
}

static void add_row(struct bob_c_unit *u, const struct bob_c_variable *v,
		    const struct bob_source_c_request *request, bool is_pointed)
{
	if (BOB_VEC_ADD(&u->rows, (struct bob_c_row){ v, request, is_pointed, NULL }) != BOB_OK) {
		u->is_failed = true;
		return;
	}
	u->counts.variables++;
}

/* Must this file register the variable because of the request? */
static bool is_reported(const struct bob_source_c_request *w, const struct bob_c_variable *v)
{
	return bob_c_is_request_of(w, v) && !w->is_of_fortran;
}

/* Adds one row for the whole variable, or one for each box. */
static uint32_t add_rows(struct bob_c_unit *u, const struct bob_c_variable *v, bool is_pointed)
{
	const size_t before = u->rows.count;
	const struct bob_source_c_request *whole = NULL;

	for (uint32_t i = 0; i < u->options->request_count; i++) {
		const struct bob_source_c_request *w = &u->options->requests[i];

		if (is_reported(w, v) && !w->rank)
			whole = w;
	}
	if (!is_pointed && v->is_array_parameter)
		return 0;
	if (whole)
		add_row(u, v, NULL, is_pointed);
	for (uint32_t i = 0; !whole && i < u->options->request_count; i++) {
		const struct bob_source_c_request *w = &u->options->requests[i];

		if (is_reported(w, v) && (is_pointed || !v->is_pointer))
			add_row(u, v, w, is_pointed);
	}
	return (uint32_t)(u->rows.count - before);
}

void bob_c_rows(struct bob_c_unit *u, struct bob_c_variable *v)
{
	if (v->is_used)
		return;
	v->is_used = true;
	v->first = (uint32_t)u->rows.count;
	v->count = add_rows(u, v, false);
	if (!v->is_pointer)
		return;
	v->pointed_first = (uint32_t)u->rows.count;
	v->pointed_count = add_rows(u, v, true);
}

void bob_c_path_rows(struct bob_c_unit *u, struct bob_c_path *p)
{
	bool is_whole = false;

	if (p->is_used)
		return;
	p->is_used = true;
	p->first = (uint32_t)u->rows.count;
	for (int with_box = 0; with_box < 2 && !is_whole; with_box++)
		for (uint32_t i = 0; i < u->options->request_count && !is_whole; i++) {
			const struct bob_source_c_request *w = &u->options->requests[i];

			if (!bob_c_is_request_of_path(u, w, p) || (w->rank != 0) != with_box)
				continue;
			is_whole = !w->rank;
			add_row(u, p->variable, w, true);
		}
	p->count = (uint32_t)(u->rows.count - p->first);
	for (uint32_t i = 0; i < p->count; i++)
		u->rows.at[p->first + i].path = p;
}

/* --- text --- */

static void put(struct bob_c_unit *u, const char *text)
{
	bob_c_close_at(u, u->len, text);
}

struct bob_c_shape bob_c_shape_of(struct bob_c_unit *u, const struct bob_c_row *r)
{
	struct bob_c_shape s = { .rank = 0 };
	CXType t = r->variable->canonical;

	if (r->path || (r->is_pointed && !bob_c_is_array(t.kind))) {
		t = r->path ? r->path->pointee : bob_c_pointee(u, r->variable);
		s.rank = 1;
	}
	if (!r->is_pointed && r->variable->is_pointer) {
		s.bytes = sizeof(void *);
		return s;
	}
	while (s.rank < BOB_SOURCE_C_RANK_MAX) {
		t = u->clang->getCanonicalType(t);
		if (!bob_c_is_array(t.kind))
			break;
		s.extent[s.rank++] = t.kind == CXType_ConstantArray ? u->clang->getArraySize(t) : 0;
		t = u->clang->getArrayElementType(t);
	}
	s.bytes = u->clang->Type_getSizeOf(t);
	/* The length is unknown: the requested part determines it. */
	if ((r->is_pointed || r->variable->canonical.kind == CXType_IncompleteArray) && s.rank &&
	    !s.extent[0] && r->request && r->request->rank &&
	    r->request->box[0].high < SUBSCRIPT_MAX)
		s.extent[0] = r->request->box[0].high + 1;
	return s;
}

static void put_row(struct bob_c_unit *u, const struct bob_c_row *r, size_t number)
{
	const struct bob_c_shape s = bob_c_shape_of(u, r);
	const char *bounds = "", *wanted = "";

	for (uint32_t i = s.rank; i-- > 0;) {
		const bool is_asked = r->request && i < r->request->rank;
		const int64_t low = is_asked ? r->request->box[i].low : 0;
		const int64_t high = is_asked ? r->request->box[i].high : SUBSCRIPT_MAX;

		bounds = bob_c_printf(u, "%s{0,%lld},", bounds, s.extent[i]);
		wanted = bob_c_printf(u, "%s{%lld,%lld},", wanted,
				      (long long)(low > -SUBSCRIPT_MAX ? low : -SUBSCRIPT_MAX),
				      (long long)(high < SUBSCRIPT_MAX ? high : SUBSCRIPT_MAX));
	}
	if (s.rank)
		put(u, bob_c_printf(u, "static const int64_t bobbin_b%zu[][2]={%s};\n", number,
				    bounds));
	if (s.rank && r->request && r->request->rank)
		put(u, bob_c_printf(u, "static const int64_t bobbin_w%zu[][2]={%s};\n", number,
				    wanted));
}

static const char *name_of(struct bob_c_unit *u, const struct bob_c_row *r)
{
	const struct bob_c_variable *v = r->variable;
	const char *star = r->is_pointed && v->count && !r->path ? "*" : "";
	const char *name = r->path ? r->path->name : v->name;

	return bob_c_quoted(u, *v->function ?
				       bob_c_printf(u, "%s%s in %s", star, name, v->function) :
				       bob_c_printf(u, "%s%s", star, name));
}

/* As in struct bob_probe_variable. */
static uint32_t own_of(const struct bob_c_row *r, size_t number)
{
	const struct bob_c_variable *v = r->variable;

	if (r->is_pointed || r->path || !*v->function || v->is_static || v->is_extern ||
	    v->is_thread)
		return 0;
	return number == v->first ? BOB_PROBE_OWN : BOB_PROBE_OWN_AGAIN;
}

static void put_variables(struct bob_c_unit *u)
{
	for (size_t i = 0; i < u->rows.count; i++)
		put_row(u, &u->rows.at[i], i);
	put(u, "static const struct bob_probe_variable bobbin_variables[]={\n");
	for (size_t i = 0; i < u->rows.count; i++) {
		const struct bob_c_row *r = &u->rows.at[i];
		const struct bob_c_shape s = bob_c_shape_of(u, r);
		const char *bounds = s.rank ? bob_c_printf(u, "bobbin_b%zu", i) : "0";
		const char *wanted = s.rank && r->request && r->request->rank ?
					     bob_c_printf(u, "bobbin_w%zu", i) :
					     "0";

		put(u,
		    bob_c_printf(u, "{%s,%lld,%u,%s,%s,1,%u},\n", name_of(u, r),
				 s.bytes > 0 ? s.bytes : 0, s.rank, bounds, wanted, own_of(r, i)));
	}
	put(u, "{0,0,0,0,0,0,0}};\n");
}

/* The build id of the image: a digest of the text, the requests and the options. */
static uint64_t digest(const struct bob_c_unit *u)
{
	const struct bob_source_c_options *o = u->options;
	const uint8_t how[] = { o->is_flat, o->has_copies, o->has_other_files, o->has_arguments };
	uint64_t h = bob_hash64(bob_hash64(o->reach, how, sizeof(how)), u->bytes, u->len);

	for (uint32_t i = 0; i < o->request_count; i++) {
		const struct bob_source_c_request *w = &o->requests[i];

		h = bob_hash64(h, &w->what, sizeof(w->what));
		h = bob_hash64(h, w->name ? w->name : "", w->name ? strlen(w->name) : 0);
		h = bob_hash64(h, w->function ? w->function : "*",
			       w->function ? strlen(w->function) : 1);
		h = bob_hash64(h, w->path ? w->path : "", w->path ? strlen(w->path) : 0);
		h = bob_hash64(h, w->box, w->rank * sizeof(w->box[0]));
		h = bob_hash64(h, &w->first_line, sizeof(w->first_line));
		h = bob_hash64(h, &w->last_line, sizeof(w->last_line));
		h = bob_hash64(h, &w->is_of_another, sizeof(w->is_of_another));
		h = bob_hash64(h, &w->is_of_fortran, sizeof(w->is_of_fortran));
	}
	return h;
}

static void put_one_missing(struct bob_c_unit *u, uint32_t count, const char *why)
{
	put(u, bob_c_printf(u, "%s,\n",
			    bob_c_quoted(u, bob_c_printf(u, "no probe at %u place%s: %s", count,
							 count == 1 ? "" : "s", why))));
}

/* References without a probe, for the trace; system headers are added up. */
static void put_missing(struct bob_c_unit *u)
{
	struct bob_source_c_refused *r;
	uint32_t n = bob_c_refusals(u, &r);
	uint32_t headers = 0, places = 0;

	put(u, "static const char *const bobbin_missing[]={");
	for (uint32_t i = 0; i < n; i++)
		if (r[i].system) {
			headers++;
			places += r[i].count;
		} else {
			put_one_missing(u, r[i].count, r[i].why);
		}
	if (headers)
		put_one_missing(u, places,
				bob_c_printf(u, "written in %u header%s of the system", headers,
					     headers == 1 ? "" : "s"));
	n = bob_c_given_remarks(u, &r);
	for (uint32_t i = 0; i < n; i++)
		put(u, bob_c_printf(u, "%s,\n",
				    bob_c_quoted(u, r[i].line ? bob_c_printf(u, "line %u: %s",
									     r[i].line, r[i].why) :
								r[i].why)));
	put(u, "0};\n");
}

/* The headers that contain sites. */
static void put_headers(struct bob_c_unit *u)
{
	put(u, "static const char *const bobbin_headers[]={");
	for (uint32_t i = 1; u->sources && i < u->sources->files; i++)
		put(u, bob_c_printf(u, "%s,\n", bob_c_quoted(u, u->sources->path[i])));
	put(u, "0};\n");
}

void bob_c_emit_tables(struct bob_c_unit *u)
{
	put(u, "\n");
	put_headers(u);
	put_missing(u);
	put_variables(u);
	put(u, "static const char *const bobbin_units[]={");
	for (size_t i = 0; i < u->units.count; i++)
		put(u, bob_c_printf(u, "%s,", bob_c_quoted(u, u->units.at[i])));
	put(u, "0};\nstatic const struct bob_probe_site bobbin_sites[]={\n");
	for (size_t i = 0; i < u->sites.count; i++) {
		const struct bob_c_site *s = &u->sites.at[i];

		put(u, bob_c_printf(u, "{%u,%u,%d,%u,%u,%u,%u},\n", bob_c_line(s->line),
				    s->column > UINT16_MAX ? 0 : s->column, (int)s->kind,
				    bob_c_file(s->line), s->unit, s->bytes, s->like));
	}
	put(u, "{0,0,0,0,0,0,0}};\nstatic const struct bob_probe_nest bobbin_nests[]={\n");
	for (size_t i = 0; i < u->nests.count; i++)
		put(u, bob_c_printf(u, "{%u,%u,%u},\n", u->nests.at[i].first, u->nests.at[i].count,
				    u->nests.at[i].depth));
	put(u, bob_c_printf(
		       u,
		       "{0,0,0}};\nstatic struct bob_probe_file bob_probe_here={sizeof(struct "
		       "bob_probe_file),0,%s,0x%llxULL,bobbin_units,bobbin_variables,bobbin_sites,"
		       "bobbin_nests,%zu,%zu,%zu,%zu,0,0,0,0,bobbin_missing,BOBBIN_PREDICTED,"
		       "bobbin_headers};\n",
		       bob_c_quoted(u, u->path), (unsigned long long)digest(u), u->units.count,
		       u->rows.count, u->sites.count, u->nests.count));
}
