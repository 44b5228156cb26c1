/* SPDX-License-Identifier: BSD-3-Clause */
/* How probes are written: all that the text of a file knows of source/probe/bobbin_probe.h is here. An lvalue goes in brackets of its
 * own, so that commas in it are not the macro's. Lines stay what they were: nothing that is put in has a line end, but at the top and
 * behind the end of the file. */
#include "source/c/unit.h"

#include <stdlib.h>
#include <string.h>

/* Names that are made up begin so. */
#define OWN "bobbin_"

static uint32_t number_of(struct bob_c_unit *u, struct bob_c_variable *v)
{
	if (v->is_used)
		return v->number;
	if (bob_array_room(&u->used, u->used_count, &u->used_room,
			   sizeof(struct bob_c_variable *))) {
		u->is_failed = true;
		return 0;
	}
	v->is_used = true;
	v->number = (uint32_t)u->used_count;
	u->used[u->used_count++] = v;
	u->counts.variables++;
	return v->number;
}

uint32_t bob_c_site(struct bob_c_unit *u, const struct bob_c_site *s)
{
	if (bob_array_room(&u->sites, u->site_count, &u->site_room, sizeof(*u->sites))) {
		u->is_failed = true;
		return 0;
	}
	if (s->variable)
		number_of(u, s->variable);
	u->sites[u->site_count] = *s;
	return (uint32_t)u->site_count++;
}

const char *bob_c_before_access(struct bob_c_unit *u, uint32_t site, enum bob_c_probe kind)
{
	static const char *const macros[] = {
		[BOB_C_PROBE_READ] = "BOBBIN_RD",
		[BOB_C_PROBE_WRITE] = "BOBBIN_WR",
		[BOB_C_PROBE_UPDATE] = "BOBBIN_RW",
		[BOB_C_PROBE_PASS] = "BOBBIN_PS",
	};

	return bob_c_printf(u, "%s(%u,(", macros[kind], site);
}

const char *bob_c_behind_access(struct bob_c_unit *u)
{
	(void)u;
	return "))";
}

const char *bob_c_local(struct bob_c_unit *u, struct bob_c_variable *v, int write)
{
	const uint32_t n = number_of(u, v);

	v->is_registered = true;
	return bob_c_printf(u, ",*" OWN "v%u BOBBIN_SCOPE = bobbin_local(%u,&%s,sizeof(%s),%d)", n,
			    n, v->name, v->name, write);
}

const char *bob_c_parameter(struct bob_c_unit *u, struct bob_c_variable *v)
{
	const uint32_t n = number_of(u, v);

	v->is_registered = true;
	return bob_c_printf(u,
			    "void *" OWN "v%u BOBBIN_SCOPE = bobbin_local(%u,&%s,sizeof(%s),-1);",
			    n, n, v->name, v->name);
}

const char *bob_c_static(struct bob_c_unit *u, struct bob_c_variable *v)
{
	const uint32_t n = number_of(u, v);

	v->is_registered = true;
	return bob_c_printf(u,
			    "__extension__ int " OWN "v%u __attribute__((unused)) = "
			    "bobbin_static(%u,&%s,sizeof(%s));",
			    n, n, v->name, v->name);
}

/* A text as C writes it. */
static const char *quoted(struct bob_c_unit *u, const char *text)
{
	const size_t len = strlen(text);
	char *to = bob_arena_alloc(&u->arena, 4 * len + 3), *p = to;

	if (!to) {
		u->is_failed = true;
		return "\"\"";
	}
	*p++ = '"';
	for (const char *c = text; *c; c++) {
		const unsigned char b = (unsigned char)*c;

		if (b == '"' || b == '\\' || b == '?' || b < ' ' || b > '~') {
			*p++ = '\\';
			*p++ = (char)('0' + (b >> 6));
			*p++ = (char)('0' + (b >> 3 & 7));
			*p++ = (char)('0' + (b & 7));
		} else {
			*p++ = *c;
		}
	}
	*p++ = '"';
	return to;
}

/* "{10,20}": how many elements in each direction, 0: not known. */
static const char *extents(struct bob_c_unit *u, CXType t, unsigned *rank, const char **element)
{
	const char *text = "";

	*rank = 0;
	for (; *rank < BOB_SOURCE_C_RANK_MAX; ++*rank) {
		long long n;

		t = u->clang->getCanonicalType(t);
		if (!bob_c_is_array(t.kind))
			break;
		n = t.kind == CXType_ConstantArray ? u->clang->getArraySize(t) : 0;
		text = bob_c_printf(u, "%s%s%lld", text, *rank ? "," : "", n);
		t = u->clang->getArrayElementType(t);
	}
	*element = u->clang->Type_getSizeOf(t) > 0 ?
			   bob_c_printf(u, "%lld", u->clang->Type_getSizeOf(t)) :
			   "0";
	return text;
}

static void describe_variables(struct bob_c_unit *u)
{
	bob_c_close_at(u, u->len, "\nstatic const struct bobbin_variable bobbin_variables[] = {\n");
	for (size_t i = 0; i < u->used_count; i++) {
		const struct bob_c_variable *v = u->used[i];
		const bool is_pointer = v->is_pointer;
		unsigned rank;
		const char *element, *text;

		text = extents(u,
			       is_pointer ? u->clang->getPointeeType(v->canonical) : v->canonical,
			       &rank, &element);
		bob_c_close_at(u, u->len,
			       bob_c_printf(u, "{%s,%s,%s,%u,%d,%s,%u,{%s}},\n", quoted(u, v->name),
					    quoted(u, v->function), quoted(u, v->type), v->line,
					    is_pointer, element, rank, *text ? text : "0"));
	}
	bob_c_close_at(u, u->len, "{0,0,0,0,0,0,0,{0}}};\n");
}

static void describe_sites(struct bob_c_unit *u)
{
	bob_c_close_at(u, u->len, "static const struct bobbin_site bobbin_sites[] = {\n");
	for (size_t i = 0; i < u->site_count; i++) {
		const struct bob_c_site *s = &u->sites[i];

		bob_c_close_at(u, u->len,
			       bob_c_printf(u, "{%u,%u,%d,%d,%d,%s,%s},\n", s->line, s->column,
					    s->kind, s->variable ? (int)s->variable->number : -1,
					    s->is_filtered, quoted(u, s->function),
					    s->text ? quoted(u, s->text) : "0"));
	}
	bob_c_close_at(u, u->len, "{0,0,0,0,0,0,0}};\n");
}

/* At file scope, and whole: its name says the same at the end of the file. */
static bool is_nameable(struct bob_c_unit *u, const struct bob_c_variable *v)
{
	return v->is_static && !*v->function && !v->is_thread &&
	       u->clang->getCursorKind(u->clang->getCursorSemanticParent(v->decl)) !=
		       CXCursor_FunctionDecl;
}

void bob_c_emit_frame(struct bob_c_unit *u)
{
	const char *header = u->options->header ? u->options->header : "bobbin_probe.h";

	for (size_t b = 0; b < BOB_C_BUCKETS; b++)
		for (struct bob_c_variable *v = u->buckets[b]; v; v = v->next)
			if (v->is_wanted && v->is_exposed && is_nameable(u, v) &&
			    u->clang->isCursorDefinition(u->clang->getCursorDefinition(v->decl)))
				number_of(u, v);
	if (!u->site_count && !u->used_count)
		return;
	bob_c_open_at(u, 0,
		      bob_c_printf(u, "#include \"%s\"\n#line 1 %s\n", header, quoted(u, u->path)));
	describe_variables(u);
	describe_sites(u);
	bob_c_close_at(
		u, u->len,
		bob_c_printf(
			u,
			"static struct bobbin_unit bobbin_this_unit = {%s,bobbin_variables,%zu,"
			"bobbin_sites,%zu};\n"
			"static void __attribute__((constructor, no_instrument_function)) bobbin_begin_unit(void) {\n"
			"bobbin_unit_begin(&bobbin_this_unit);\n",
			quoted(u, u->path), u->used_count, u->site_count));
	for (size_t i = 0; i < u->used_count; i++) {
		const struct bob_c_variable *v = u->used[i];

		if (!is_nameable(u, v))
			continue;
		bob_c_close_at(
			u, u->len,
			bob_c_printf(u, "bobbin_static(%zu,&%s,%s%s%s);\n", i, v->name,
				     v->canonical.kind == CXType_IncompleteArray ? "0" : "sizeof(",
				     v->canonical.kind == CXType_IncompleteArray ? "" : v->name,
				     v->canonical.kind == CXType_IncompleteArray ? "" : ")"));
	}
	bob_c_close_at(u, u->len, "}\n");
}
