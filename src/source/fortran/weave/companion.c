/* SPDX-License-Identifier: BSD-3-Clause */
/* Generates the companion of an instrumented file: a C file with the tables of bobbin/probe.h and
 * the procedures that probes in Fortran call. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/memory.h"
#include "source/runtime.h"

struct out {
	char *at;
	size_t len, capacity;
	bool failed;
};

static void say(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct out *o, const char *format, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, format);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n >= 0 && o->len + (size_t)n + 1 > o->capacity) {
		size_t capacity = 2 * (o->len + (size_t)n + 1) + 4096;
		char *more = realloc(o->at, capacity);

		o->failed |= !more;
		if (more) {
			o->at = more;
			o->capacity = capacity;
		}
	}
	if (!o->failed && n >= 0) {
		vsnprintf(o->at + o->len, (size_t)n + 1, format, again);
		o->len += (size_t)n;
	}
	va_end(again);
}

static void say_text(struct out *o, const char *text)
{
	say(o, "\"");
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?')
			say(o, "\\%03o", c);
		else
			say(o, "%c", c);
	}
	say(o, "\"");
}

static void say_runtime(struct out *o, const char *piece)
{
	say(o, "%s\n", bob_source_runtime(piece));
}

/* --- tables --- */

/* A row of the table of variables: a variable, or the target of a component. */
struct row {
	const char *name;
	uint32_t element, rank;
	const struct bob_request *box; /* the request whose part is traced; NULL: everything */
};

static void say_wanted(struct out *o, const struct row *x, size_t n)
{
	if (!x->box)
		return;
	say(o, "static const int64_t wanted%zu[][2] = {", n);
	for (uint32_t d = 0; d < x->rank; d++) {
		const struct bob_request_range all = { INT64_MIN / 4, INT64_MAX / 4 };
		struct bob_request_range r = d < x->box->rank ? x->box->box[d] : all;

		r.first = r.first < all.first ? all.first : r.first;
		r.last = r.last > all.last ? all.last : r.last;
		say(o, "{%" PRId64 ",%" PRId64 "},", r.first, r.last);
	}
	say(o, "};\n");
}

static void add_rows(struct row *rows, const struct bob_weave_class *c,
		     const struct bob_weave_variable *v)
{
	for (const struct bob_weave_slot *s = c->first; s; s = s->next)
		if (s->row >= 0)
			rows[s->row] = (struct row){ s->name, s->element, s->symbol->rank,
						     s->is_boxed ? v->request : NULL };
}

/* NULL: no memory. */
static struct row *rows_of(const struct bob_weave *w)
{
	struct row *rows = bob_arena_alloc(w->arena, (w->row_count + 1u) * sizeof(*rows));

	for (size_t i = 0; i < w->variables.count && rows; i++) {
		const struct bob_weave_variable *v = &w->variables.at[i];

		rows[i] = (struct row){ v->name, v->element, v->symbol->rank + v->is_text,
					v->request->rank ? v->request : NULL };
	}
	for (size_t i = 0; i < w->variables.count && rows; i++)
		for (const struct bob_weave_class *c = w->variables.at[i].class; c; c = c->next)
			if (c->of == i)
				add_rows(rows, c, &w->variables.at[i]);
	return rows;
}

static void say_variables(struct out *o, const struct bob_weave *w)
{
	const struct row *rows = rows_of(w);

	o->failed |= !rows;
	for (size_t i = 0; rows && i < w->row_count; i++)
		say_wanted(o, &rows[i], i);
	say(o, "static const struct bob_probe_variable variables[] = {\n");
	for (size_t i = 0; rows && i < w->row_count; i++) {
		say(o, "{");
		say_text(o, rows[i].name);
		say(o, ",%u,%u,unknown,", rows[i].element, rows[i].rank);
		if (rows[i].box)
			say(o, "wanted%zu,0,0},\n", i);
		else
			say(o, "NULL,0,0},\n");
	}
	say(o, "{NULL,0,0,NULL,NULL,0,0}};\n");
}

/* Tables of components, as in runtime/components.c. */
static void say_classes(struct out *o, const struct bob_weave *w)
{
	say(o, "static const struct bobbin_slot slots[] = {\n");
	for (const struct bob_weave_class *c = w->first_class; c; c = c->next)
		for (const struct bob_weave_slot *s = c->first; s; s = s->next) {
			const bool is_pointer = s->symbol->flags & BOB_SYMBOL_POINTER;

			say(o, "{%" PRIu64 ",%u,%d,%d,%u,%d},\n", s->at, s->element, s->row,
			    s->inside ? (int)s->inside->number : -1, s->symbol->rank,
			    is_pointer | (is_pointer && !s->symbol->init) << 1);
		}
	say(o, "{0,0,-1,-1,0,0}};\nstatic const struct bobbin_class classes[] = {\n");
	for (const struct bob_weave_class *c = w->first_class; c; c = c->next) {
		uint32_t n = 0;

		for (const struct bob_weave_slot *s = c->first; s; s = s->next)
			n++;
		say(o, "{%u,%u,%" PRIu64 "},\n", c->slot, n, c->bytes);
	}
	say(o, "{0,0,1}};\n"
	       "static const struct bobbin_tables tables = { &here, classes, slots };\n");
}

/* Are pointers in it initialized when it is registered? */
static bool is_begun(const struct bob_weave_variable *v)
{
	const uint32_t f = v->symbol->flags;

	if (f & (BOB_SYMBOL_ALLOCATABLE | BOB_SYMBOL_POINTER | BOB_SYMBOL_RESULT))
		return false;
	if (f & BOB_SYMBOL_DUMMY)
		return (f & (BOB_SYMBOL_INTENT_IN | BOB_SYMBOL_INTENT_OUT)) !=
		       BOB_SYMBOL_INTENT_OUT;
	return !v->is_automatic;
}

/* For each variable: rank, class of its objects, how these are examined, whether it is traced, size
 * of an element. */
static void say_holders(struct out *o, const struct bob_weave *w)
{
	say(o, "static const struct { int32_t rank, class, what, is_traced; uint64_t element; } "
	       "holders[] = {\n");
	for (size_t i = 0; i < w->variables.count; i++) {
		const struct bob_weave_variable *v = &w->variables.at[i];

		say(o, "{%u,%d,%d,%d,%u},\n", v->symbol->rank + v->is_text,
		    v->class ? (int)v->class->number : -1, is_begun(v) ? -1 : -2, !v->is_holder,
		    v->element);
	}
	say(o, "{0,-1,-1,0,0}};\n");
}

static void say_units(struct out *o, const struct bob_weave *w)
{
	say(o, "static const char *const units[] = {\n");
	for (uint32_t i = 0; i < w->file->unit_count; i++) {
		say_text(o, *w->file->units[i].name ? w->file->units[i].name : "main");
		say(o, ",\n");
	}
	say(o, "NULL};\n");
}

static void say_sites(struct out *o, const struct bob_weave *w)
{
	say(o, "static const struct bob_probe_site sites[] = {\n");
	for (size_t i = 0; i < w->sites.count; i++) {
		const struct bob_weave_site *s = &w->sites.at[i];

		say(o, "{%u,%u,%d,0,%u,%u,%u},\n", s->line, s->column < UINT16_MAX ? s->column : 0,
		    s->kind, s->unit, s->size, s->like);
	}
	say(o, "{0,0,0,0,0,0,0}};\n");
}

/* Is only a part of some variable requested? */
static bool has_parts(const struct bob_weave *w)
{
	for (size_t i = 0; i < w->variables.count; i++)
		if (w->variables.at[i].request->rank)
			return true;
	return false;
}

static void say_nests(struct out *o, const struct bob_weave *w)
{
	say(o, "static const struct bob_probe_nest nests[] = {\n");
	for (size_t i = 0; i < w->nests.count; i++)
		say(o, "{%u,%u,%u},\n", w->nests.at[i].first, w->nests.at[i].count,
		    w->nests.at[i].depth);
	say(o, "{0,0,0}};\n");
}

static void say_boxes(struct out *o, const struct bob_weave *w)
{
	say(o, "static const int32_t boxes[] = {\n");
	for (size_t i = 0; i < w->sites.count; i++)
		say(o, "%d,\n", w->sites.at[i].box);
	say(o, "0};\n#define JOINS %d\n", !has_parts(w));
}

static void say_events(struct out *o, const struct bob_weave *w)
{
	say(o, "static const struct { const char *name; int has_trips; } names[] = {\n");
	for (size_t i = 0; i < w->events.count; i++) {
		say(o, "{");
		say_text(o, w->events.at[i].name);
		say(o, ",%d},\n", w->events.at[i].has_trips);
	}
	say(o, "{NULL,0}};\nstatic bob_event_id events[%zu];\n", w->events.count + 1);
}

/* --- all --- */

static void say_storage(struct out *o, const struct bob_weave *w)
{
	say(o, "static const char is_automatic[] = {");
	for (size_t i = 0; i < w->variables.count; i++)
		say(o, "%d,", w->variables.at[i].is_automatic);
	say(o, "0};\nstatic const char is_text[] = {");
	for (size_t i = 0; i < w->variables.count; i++)
		say(o, "%d,", w->variables.at[i].is_text);
	say(o, "0};\nstatic void *declared[%zu];\n", w->variables.count + 1);
	if (!w->has_moves)
		return;
	say(o, "static const char is_pointer[] = {");
	for (size_t i = 0; i < w->variables.count; i++)
		say(o, "%d,", (w->variables.at[i].symbol->flags & BOB_SYMBOL_POINTER) != 0);
	say(o, "0};\n");
}

static void say_missing(struct out *o, const struct bob_weave *w)
{
	say(o, "static const char *const missing[] = {\n");
	for (uint32_t i = 0; i < w->refusal_count; i++) {
		const struct bob_source_refusal *r = &w->refusals[i];
		char text[400];

		if (!r->count || r->is_early)
			continue;
		snprintf(text, sizeof(text), "no probe at %u place%s: %s", r->count,
			 r->count == 1 ? "" : "s", r->why);
		say_text(o, text);
		say(o, ",\n");
	}
	say(o, "NULL};\n");
}

static void say_here(struct out *o, const struct bob_weave *w, uint64_t digest)
{
	say(o, "static struct bob_probe_file here = {\n"
	       "	.size = sizeof(here), .path = ");
	say_text(o, w->path);
	say(o,
	    ", .digest = 0x%" PRIx64 "u,\n"
	    "	.unit = units, .variable = variables, .site = sites, .nest = nests,\n"
	    "	.units = %u, .variables = %u, .sites = %zu, .nests = %zu,\n"
	    "	.missing = missing,\n"
	    "	.predicted = BOBBIN_PREDICTED,\n"
	    "};\n\n",
	    digest, w->file->unit_count, w->row_count, w->sites.count, w->nests.count);
}

/* Places of objects, and targets of their components. */
static void say_objects(struct out *o, const struct bob_weave *w)
{
	if (w->has_classes || w->has_moves)
		say_runtime(o, bob_source_objects);
	if (w->has_classes) {
		say_classes(o, w);
		say_runtime(o, bob_source_components);
	} else {
		say(o, "#define hold(v, lo, bytes) ((void)0)\n#define let_go(v, lo) ((void)0)\n\n");
	}
}

const char *bob_weave_companion(struct bob_weave *w, uint64_t digest, size_t *len)
{
	const bool has_accesses = w->variables.count || w->passed.count;
	struct out o = { 0 };
	char *text;

	say(&o,
	    "/* Written by bobbin instrument: what the probes in the Fortran file beside this "
	    "one call. */\n"
	    "#include <ISO_Fortran_binding.h>\n"
	    "#include <stddef.h>\n"
	    "#include <stdint.h>\n"
	    "#include <stdlib.h>\n"
	    "#include <string.h>\n\n"
	    "#include \"bobbin/events.h\"\n"
	    "#include \"bobbin/probe.h\"\n\n"
	    "#define BOBBIN(what) %s##what\n\n",
	    w->id);
	if (w->row_count)
		say(&o, "static const int64_t unknown[BOB_PROBE_DIMENSIONS_MAX][2];\n");
	say_units(&o, w);
	say_variables(&o, w);
	say_sites(&o, w);
	say_nests(&o, w);
	if (has_accesses) {
		say_boxes(&o, w);
		say_storage(&o, w);
		say_holders(&o, w);
	}
	say_missing(&o, w);
	say_here(&o, w, digest);
	if (w->events.count)
		say_events(&o, w);
	say(&o, "__attribute__((constructor)) static void begin(void)\n{\n");
	if (w->events.count)
		say(&o, "	for (int i = 0; names[i].name; i++)\n"
			"		events[i] = bob_event_register(names[i].name, "
			"BOB_EVENT_NO_SIGNATURE,\n"
			"					       names[i].has_trips ? "
			"\"-> int trips\" : NULL);\n");
	say(&o, "	bob_probe_begin(&here);\n}\n\n");
	if (has_accesses) {
		say_runtime(&o, bob_source_shared);
		say_objects(&o, w);
		say_runtime(&o, bob_source_box);
		say_runtime(&o, bob_source_accesses);
	}
	if (w->has_moves)
		say_runtime(&o, bob_source_moves);
	if (w->hold_count)
		say_runtime(&o, bob_source_holds);
	if (w->nests.count)
		say_runtime(&o, bob_source_nest);
	if (w->has_uneven)
		say_runtime(&o, bob_source_uneven);
	if (w->events.count)
		say_runtime(&o, bob_source_events);
	text = o.failed ? NULL : bob_arena_text(w->arena, o.at, o.len);
	*len = o.len;
	free(o.at);
	return text;
}
