/* SPDX-License-Identifier: BSD-3-Clause */
/* The file in C beside an instrumented one: the tables of bobbin/probe.h, and the procedures that probes in Fortran call. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/fortran/weave/weave.h"

struct out {
	char *at;
	size_t len, room;
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
	if (n >= 0 && o->len + (size_t)n + 1 > o->room) {
		size_t room = 2 * (o->len + (size_t)n + 1) + 4096;
		char *more = realloc(o->at, room);

		o->failed |= !more;
		if (more) {
			o->at = more;
			o->room = room;
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

/* --- tables --- */

static void say_wanted(struct out *o, const struct bob_weave_variable *v, size_t n)
{
	if (!v->wish->rank)
		return;
	say(o, "static const int64_t wanted%zu[][2] = {", n);
	for (uint32_t d = 0; d < v->symbol->rank + v->is_text; d++) {
		const struct bob_wish_range all = { INT64_MIN / 4, INT64_MAX / 4 };
		struct bob_wish_range r = d < v->wish->rank ? v->wish->box[d] : all;

		r.first = r.first < all.first ? all.first : r.first;
		r.last = r.last > all.last ? all.last : r.last;
		say(o, "{%" PRId64 ",%" PRId64 "},", r.first, r.last);
	}
	say(o, "};\n");
}

static void say_variables(struct out *o, const struct bob_weave *w)
{
	for (size_t i = 0; i < w->variable_count; i++)
		say_wanted(o, &w->variables[i], i);
	say(o, "static const struct bob_probe_variable variables[] = {\n");
	for (size_t i = 0; i < w->variable_count; i++) {
		const struct bob_weave_variable *v = &w->variables[i];

		say(o, "{");
		say_text(o, v->name);
		say(o, ",%u,%u,unknown,", v->element, v->symbol->rank + v->is_text);
		if (v->wish->rank)
			say(o, "wanted%zu,0,0},\n", i);
		else
			say(o, "NULL,0,0},\n");
	}
	say(o, "{NULL,0,0,NULL,NULL,0,0}};\n");
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
	for (size_t i = 0; i < w->site_count; i++) {
		const struct bob_weave_site *s = &w->sites[i];

		say(o, "{%u,%u,%d,0,%u,%u},\n", s->line, s->column < UINT16_MAX ? s->column : 0,
		    s->kind, s->unit, s->size);
	}
	say(o, "{0,0,0,0,0,0}};\n");
}

/* Of some variable only a part is wanted. */
static bool has_parts(const struct bob_weave *w)
{
	for (size_t i = 0; i < w->variable_count; i++)
		if (w->variables[i].wish->rank)
			return true;
	return false;
}

static void say_nests(struct out *o, const struct bob_weave *w)
{
	say(o, "static const struct bob_probe_nest nests[] = {\n");
	for (size_t i = 0; i < w->nest_count; i++)
		say(o, "{%u,%u,%u},\n", w->nests[i].first, w->nests[i].count, w->nests[i].depth);
	say(o, "{0,0,0}};\n");
}

static void say_boxes(struct out *o, const struct bob_weave *w)
{
	say(o, "static const int32_t boxes[] = {\n");
	for (size_t i = 0; i < w->site_count; i++)
		say(o, "%d,\n", w->sites[i].box);
	say(o, "0};\n#define JOINS %d\n", !has_parts(w));
}

static void say_events(struct out *o, const struct bob_weave *w)
{
	say(o, "static const struct { const char *name; int has_trips; } names[] = {\n");
	for (size_t i = 0; i < w->event_count; i++) {
		say(o, "{");
		say_text(o, w->events[i].name);
		say(o, ",%d},\n", w->events[i].has_trips);
	}
	say(o, "{NULL,0}};\nstatic bob_event_id events[%zu];\n", w->event_count + 1);
}

/* --- code, that is the same for all --- */

static const char accesses[] =
	"void BOBBIN(a)(int32_t site, const void *at);\n"
	"void BOBBIN(a)(int32_t site, const void *at)\n"
	"{\n"
	"	bob_probe_at(&here, (uint32_t)site, at);\n"
	"}\n"
	"\n"
	"/* One element, in pieces of what an access of the site has; an element of no size has none. */\n"
	"static void tell(int32_t site, const char *at, size_t bytes)\n"
	"{\n"
	"	for (size_t k = 0; k < bytes; k += sites[site].size)\n"
	"		here.access(&here, (uint32_t)site, at + k);\n"
	"}\n"
	"\n"
	"/* Every element for which the mask, if there is one, is true, in the order of an array's elements. */\n"
	"static void walk(int32_t site, const CFI_cdesc_t *d, const CFI_cdesc_t *mask)\n"
	"{\n"
	"	CFI_index_t i[CFI_MAX_RANK] = { 0 };\n"
	"	int k;\n"
	"\n"
	"	for (k = 0; k < d->rank; k++)\n"
	"		if (d->dim[k].extent <= 0 || (mask && mask->dim[k].extent != d->dim[k].extent))\n"
	"			return;\n"
	"	if (!mask && tell_box(site, d))\n"
	"		return;\n"
	"	for (;;) {\n"
	"		const char *at = d->base_addr, *is = mask ? mask->base_addr : NULL;\n"
	"		int wanted = !mask;\n"
	"\n"
	"		for (k = 0; k < d->rank; k++) {\n"
	"			at += i[k] * d->dim[k].sm;\n"
	"			if (mask)\n"
	"				is += i[k] * mask->dim[k].sm;\n"
	"		}\n"
	"		for (size_t b = 0; mask && b < mask->elem_len; b++)\n"
	"			wanted |= is[b];\n"
	"		if (wanted)\n"
	"			tell(site, at, d->elem_len);\n"
	"		for (k = 0; k < d->rank && ++i[k] == d->dim[k].extent; k++)\n"
	"			i[k] = 0;\n"
	"		if (k == d->rank)\n"
	"			return;\n"
	"	}\n"
	"}\n"
	"\n"
	"void BOBBIN(s)(int32_t site, const CFI_cdesc_t *d);\n"
	"void BOBBIN(s)(int32_t site, const CFI_cdesc_t *d)\n"
	"{\n"
	"	if (here.access && d->base_addr)\n"
	"		walk(site, d, NULL);\n"
	"}\n"
	"\n"
	"/* Those for which the mask, a LOGICAL of the same shape, is true. */\n"
	"void BOBBIN(m)(int32_t site, const CFI_cdesc_t *d, const CFI_cdesc_t *mask);\n"
	"void BOBBIN(m)(int32_t site, const CFI_cdesc_t *d, const CFI_cdesc_t *mask)\n"
	"{\n"
	"	if (here.access && d->base_addr && d->rank == mask->rank)\n"
	"		walk(site, d, mask);\n"
	"}\n"
	"\n"
	"/* What lies where it lay is not told again. */\n"
	"static void declare(int32_t v, void *at, const int64_t (*bounds)[2])\n"
	"{\n"
	"	if (!is_automatic[v] && __atomic_exchange_n(&told[v], at, __ATOMIC_RELAXED) == at)\n"
	"		return;\n"
	"	bob_probe_declare(&here, (uint32_t)v, at, bounds);\n"
	"}\n"
	"\n"
	"/* Arrays with gaps are not declared. A text has its characters as a first dimension. */\n"
	"void BOBBIN(d)(int32_t v, const CFI_cdesc_t *d, const int64_t *lower);\n"
	"void BOBBIN(d)(int32_t v, const CFI_cdesc_t *d, const int64_t *lower)\n"
	"{\n"
	"	int64_t bounds[BOB_PROBE_DIMENSIONS_MAX][2];\n"
	"	CFI_index_t packed = (CFI_index_t)d->elem_len;\n"
	"	const int text = is_text[v];\n"
	"	int k;\n"
	"\n"
	"	if (!here.access || !d->base_addr || d->rank + text != (int)variables[v].rank)\n"
	"		return;\n"
	"	if (!text && d->elem_len != variables[v].element)\n"
	"		return;\n"
	"	bounds[0][0] = 1;\n"
	"	bounds[0][1] = packed / (CFI_index_t)variables[v].element;\n"
	"	for (k = 0; k < d->rank; k++) {\n"
	"		if (d->dim[k].sm != packed && d->dim[k].extent > 1)\n"
	"			return;\n"
	"		bounds[k + text][0] = lower[k];\n"
	"		bounds[k + text][1] = d->dim[k].extent;\n"
	"		packed *= d->dim[k].extent;\n"
	"	}\n"
	"	declare(v, d->base_addr, bounds);\n"
	"}\n"
	"\n"
	"/* Of a type with procedures, without gaps: its descriptor, through CLASS(*), does not know the size of its elements. */\n"
	"void BOBBIN(j)(int32_t v, const CFI_cdesc_t *d, const int64_t *lower, int64_t bytes);\n"
	"void BOBBIN(j)(int32_t v, const CFI_cdesc_t *d, const int64_t *lower, int64_t bytes)\n"
	"{\n"
	"	int64_t bounds[BOB_PROBE_DIMENSIONS_MAX][2] = { { 0, 0 } };\n"
	"\n"
	"	if (!here.access || !d->base_addr || d->rank != (int)variables[v].rank || bytes != variables[v].element)\n"
	"		return;\n"
	"	for (int k = 0; k < d->rank; k++) {\n"
	"		bounds[k][0] = lower[k];\n"
	"		bounds[k][1] = d->dim[k].extent;\n"
	"	}\n"
	"	declare(v, d->base_addr, bounds);\n"
	"}\n"
	"\n"
	"void BOBBIN(f)(int32_t v, const CFI_cdesc_t *d);\n"
	"void BOBBIN(f)(int32_t v, const CFI_cdesc_t *d)\n"
	"{\n"
	"	__atomic_store_n(&told[v], NULL, __ATOMIC_RELAXED);\n"
	"	if (d->base_addr)\n"
	"		bob_probe_forget(&here, (uint32_t)v, d->base_addr);\n"
	"}\n";

/* What loops ask that hold gaps, and what lay in these. */
static const char holds[] = "struct bob_probe_gap BOBBIN(h)(int32_t site, const void *at);\n"
			    "struct bob_probe_gap BOBBIN(h)(int32_t site, const void *at)\n"
			    "{\n"
			    "	bob_probe_at(&here, (uint32_t)site, at);\n"
			    "	return *bob_probe_gap_of(&here, (uint32_t)site);\n"
			    "}\n"
			    "\n"
			    "struct bob_probe_gap BOBBIN(i)(int32_t site);\n"
			    "struct bob_probe_gap BOBBIN(i)(int32_t site)\n"
			    "{\n"
			    "	return *bob_probe_gap_of(&here, (uint32_t)site);\n"
			    "}\n"
			    "\n"
			    "void BOBBIN(q)(int64_t outside);\n"
			    "void BOBBIN(q)(int64_t outside)\n"
			    "{\n"
			    "	if (outside && here.gap)\n"
			    "		bob_probe_count(&here, (uint64_t)outside);\n"
			    "}\n";

static const char code[] =
	"/* Loops and calls that are under way; one that was left by a jump ends with what is around it. */\n"
	"#define DEPTH 256\n"
	"static __thread struct { int32_t event; int64_t trips; } under_way[DEPTH];\n"
	"static __thread int depth;\n"
	"\n"
	"static void end_event(int32_t e, int64_t trips)\n"
	"{\n"
	"	if (names[e].has_trips && depth <= DEPTH)\n"
	"		BOB_EVENT_END(events[e], bob_int(trips));\n"
	"	else\n"
	"		bob_event_end(events[e]);\n"
	"	depth--;\n"
	"}\n"
	"\n"
	"/* What is within it has ended. Is it under way, as far as is known? */\n"
	"static int come_to(int32_t e)\n"
	"{\n"
	"	int k = depth <= DEPTH ? depth : 0;\n"
	"\n"
	"	while (k > 0 && under_way[k - 1].event != e)\n"
	"		k--;\n"
	"	while (k > 0 && depth > k)\n"
	"		end_event(under_way[depth - 1].event, under_way[depth - 1].trips);\n"
	"	return k > 0;\n"
	"}\n"
	"\n"
	"static void begin_event(int32_t e)\n"
	"{\n"
	"	if (!events[e])\n"
	"		return;\n"
	"	if (depth < DEPTH) {\n"
	"		under_way[depth].event = e;\n"
	"		under_way[depth].trips = 0;\n"
	"	}\n"
	"	depth++;\n"
	"	bob_event_begin(events[e]);\n"
	"}\n"
	"\n"
	"void BOBBIN(l)(int32_t e);\n"
	"void BOBBIN(l)(int32_t e)\n"
	"{\n"
	"	begin_event(e);\n"
	"}\n"
	"\n"
	"void BOBBIN(b)(int32_t e);\n"
	"void BOBBIN(b)(int32_t e)\n"
	"{\n"
	"	begin_event(e);\n"
	"}\n"
	"\n"
	"void BOBBIN(t)(int32_t e);\n"
	"void BOBBIN(t)(int32_t e)\n"
	"{\n"
	"	if (events[e] && come_to(e))\n"
	"		under_way[depth - 1].trips++;\n"
	"}\n"
	"\n"
	"void BOBBIN(e)(int32_t e);\n"
	"void BOBBIN(e)(int32_t e)\n"
	"{\n"
	"	if (events[e] && (come_to(e) || depth > DEPTH))\n"
	"		end_event(e, under_way[(depth - 1) % DEPTH].trips);\n"
	"}\n";

static void say_storage(struct out *o, const struct bob_weave *w)
{
	say(o, "static const char is_automatic[] = {");
	for (size_t i = 0; i < w->variable_count; i++)
		say(o, "%d,", w->variables[i].is_automatic);
	say(o, "0};\nstatic const char is_text[] = {");
	for (size_t i = 0; i < w->variable_count; i++)
		say(o, "%d,", w->variables[i].is_text);
	say(o, "0};\nstatic void *told[%zu];\n", w->variable_count + 1);
	if (!w->has_moves)
		return;
	say(o, "static const char is_pointer[] = {");
	for (size_t i = 0; i < w->variable_count; i++)
		say(o, "%d,", (w->variables[i].symbol->flags & BOB_SYMBOL_POINTER) != 0);
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
	    "	.units = %u, .variables = %zu, .sites = %zu, .nests = %zu,\n"
	    "	.missing = missing,\n"
	    "	.predicted = BOBBIN_PREDICTED,\n"
	    "};\n\n",
	    digest, w->file->unit_count, w->variable_count, w->site_count, w->nest_count);
}

const char *bob_weave_companion(struct bob_weave *w, uint64_t digest, size_t *len)
{
	const bool has_accesses = w->variable_count || w->passed_count;
	struct out o = { 0 };
	char *text;

	say(&o,
	    "/* Written by bobbin instrument: what the probes in the Fortran file beside this one call. */\n"
	    "#include <ISO_Fortran_binding.h>\n"
	    "#include <stddef.h>\n"
	    "#include <stdint.h>\n"
	    "#include <string.h>\n\n"
	    "#include \"bobbin/events.h\"\n"
	    "#include \"bobbin/probe.h\"\n\n"
	    "#define BOBBIN(what) %s##what\n\n",
	    w->id);
	if (w->variable_count)
		say(&o, "static const int64_t unknown[BOB_PROBE_DIMENSIONS_MAX][2];\n");
	say_units(&o, w);
	say_variables(&o, w);
	say_sites(&o, w);
	say_nests(&o, w);
	if (has_accesses) {
		say_boxes(&o, w);
		say_storage(&o, w);
	}
	say_missing(&o, w);
	say_here(&o, w, digest);
	if (w->event_count)
		say_events(&o, w);
	say(&o, "__attribute__((constructor)) static void begin(void)\n{\n");
	if (w->event_count)
		say(&o,
		    "	for (int i = 0; names[i].name; i++)\n"
		    "		events[i] = bob_event_register(names[i].name, BOB_EVENT_NO_SIGNATURE,\n"
		    "					       names[i].has_trips ? \"-> int trips\" : NULL);\n");
	say(&o, "	bob_probe_begin(&here);\n}\n\n");
	if (has_accesses)
		say(&o, "%s\n%s\n%s\n", bob_weave_told_code, bob_weave_box_code, accesses);
	if (w->has_moves)
		say(&o, "%s\n", bob_weave_moves_code);
	if (w->hold_count)
		say(&o, "%s\n", holds);
	if (w->nest_count)
		say(&o, "%s\n", bob_weave_nest_code);
	if (w->has_uneven)
		say(&o, "%s\n", bob_weave_uneven_code);
	if (w->event_count)
		say(&o, "%s", code);
	text = o.failed ? NULL : bob_arena_text(w->arena, o.at, o.len);
	*len = o.len;
	free(o.at);
	return text;
}
