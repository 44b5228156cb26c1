/* SPDX-License-Identifier: BSD-3-Clause */
/* Generates the text of probes; only this file and file_tables.c depend on bobbin/probe.h. The
 * lvalue is in parentheses, so that its commas do not separate macro arguments. The macro uses it
 * once, so nested uses stay short. Line numbers do not change: inserted text has no newline, except
 * at the top and after the end of the file. */
#include "source/c/given.h"
#include "source/runtime.h"

#include <stdlib.h>
#include <string.h>

const char *bob_c_before_access(struct bob_c_unit *u, uint32_t site)
{
	if (bob_c_hold_takes(u, site))
		return bob_c_printf(u, "BOBBIN_BY(%u,%u,(", site, u->hold->number);
	return bob_c_printf(u, "BOBBIN_AT(%u,(", site);
}

const char *bob_c_before_packed(struct bob_c_unit *u, uint32_t site)
{
	return bob_c_printf(u, "BOBBIN_LOOSE(%u,(", site);
}

const char *bob_c_before_bits(struct bob_c_unit *u, uint32_t site, uint32_t at, bool is_pointer)
{
	return bob_c_printf(u, "%s(%u,%u,(", is_pointer ? "BOBBIN_TO" : "BOBBIN_IN", site, at);
}

const char *bob_c_after_access(struct bob_c_unit *u)
{
	(void)u;
	return "))";
}

const char bob_c_before_gone[] = "bobbin_gone((";
const char bob_c_after_gone[] = "))";

/* Bounds that are known only at run time, the fastest first; "0": they are in the table. `of` is an
 * array. */
static const char *bounds(struct bob_c_unit *u, CXType t, const char *of)
{
	const char *list = "", *at = of;
	bool is_fixed = true;

	for (int depth = 0; depth < (int)BOB_SOURCE_C_RANK_MAX; depth++) {
		t = u->clang->getCanonicalType(t);
		if (!bob_c_is_array(t.kind))
			break;
		is_fixed &= t.kind != CXType_VariableArray;
		list = bob_c_printf(u, "{0,(int64_t)(sizeof(%s)/sizeof(%s[0]))},%s", at, at, list);
		at = bob_c_printf(u, "%s[0]", at);
		t = u->clang->getArrayElementType(t);
	}
	return is_fixed ? "0" : bob_c_printf(u, "(const int64_t[][2]){%s}", list);
}

const char *bob_c_local(struct bob_c_unit *u, struct bob_c_variable *v, int write)
{
	bob_c_rows(u, v);
	return bob_c_printf(u,
			    ",*bobbin_v%u __attribute__((unused,cleanup(bobbin_end_%u)))="
			    "bobbin_local(%u,%u,(const volatile void*)&%s,%s,%d)",
			    v->first, v->first, v->first, v->count, v->name,
			    bounds(u, v->canonical, v->name), write);
}

/* An array parameter is registered with all its bounds, a pointer with those of the box. */
static const char *pointed(struct bob_c_unit *u, struct bob_c_variable *v)
{
	CXType t = v->canonical;
	const struct bob_source_c_request *w =
		v->pointed_count ? u->rows.at[v->pointed_first].request : NULL;
	const char *list = "0";

	if (!v->pointed_count || (t.kind != CXType_ConstantArray && !(w && w->rank)))
		return "";
	for (int depth = 0; depth < (int)BOB_SOURCE_C_RANK_MAX && bob_c_is_array(t.kind); depth++) {
		t = u->clang->getCanonicalType(u->clang->getArrayElementType(t));
		if (t.kind == CXType_VariableArray || t.kind == CXType_IncompleteArray)
			return "";
	}
	return bob_c_printf(u,
			    "void*bobbin_v%u __attribute__((unused,cleanup(bobbin_end_%u)))="
			    "bobbin_local(%u,%u,%s,%s,-1);",
			    v->pointed_first, v->pointed_first, v->pointed_first, v->pointed_count,
			    v->name, list);
}

const char *bob_c_parameter(struct bob_c_unit *u, struct bob_c_variable *v)
{
	const char *own = "";

	bob_c_rows(u, v);
	v->has_scope = true;
	if (v->count)
		own = bob_c_printf(u,
				   "void*bobbin_v%u __attribute__((unused,cleanup(bobbin_end_%u)))="
				   "bobbin_local(%u,%u,(const volatile void*)&%s,0,-1);",
				   v->first, v->first, v->first, v->count, v->name);
	return bob_c_printf(u, "%s%s", own, pointed(u, v));
}

const char *bob_c_before_block(struct bob_c_unit *u, uint32_t first, uint32_t count, bool is_text)
{
	return bob_c_printf(u, "%s(%u,%u,(", is_text ? "BOBBIN_TEXT" : "BOBBIN_BLOCK", first,
			    count);
}

const char *bob_c_static(struct bob_c_unit *u, struct bob_c_variable *v)
{
	bob_c_rows(u, v);
	return bob_c_printf(u,
			    "static char bobbin_o%u;int bobbin_v%u __attribute__((unused))="
			    "bobbin_once(&bobbin_o%u,%u,%u,(const volatile void*)&%s);",
			    v->first, v->first, v->first, v->first, v->count, v->name);
}

const char *bob_c_quoted(struct bob_c_unit *u, const char *text)
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

/* True if another file defines the variable, and registers it. */
static bool is_borrowed(const struct bob_c_unit *u, const struct bob_c_variable *v)
{
	for (uint32_t i = 0; i < u->options->request_count; i++)
		if (!u->options->requests[i].is_of_another &&
		    bob_c_is_request_of(&u->options->requests[i], v))
			return false;
	return !v->is_defined;
}

/* True unless it is an array of another file without a length and without a requested part. */
static bool has_length(struct bob_c_unit *u, const struct bob_c_variable *v)
{
	if (v->canonical.kind != CXType_IncompleteArray)
		return true;
	for (uint32_t i = 0; i < v->count; i++)
		if (v->is_defined || !bob_c_shape_of(u, &u->rows.at[v->first + i]).extent[0])
			return false;
	return true;
}

/* True for variables at file scope whose name has the same meaning at the end of the file. */
static bool is_nameable(const struct bob_c_unit *u, const struct bob_c_variable *v)
{
	return v->is_static && !*v->function && !v->is_thread && !v->is_register &&
	       u->clang->getCursorKind(u->clang->getCursorSemanticParent(v->decl)) !=
		       CXCursor_FunctionDecl;
}

static bool is_named(const struct bob_c_unit *u, const struct bob_c_variable *v)
{
	for (uint32_t i = 0; i < u->options->request_count; i++)
		if (!u->options->requests[i].is_of_another &&
		    bob_c_is_request_of(&u->options->requests[i], v) &&
		    !strcmp(u->options->requests[i].name, v->name))
			return true;
	return false;
}

/* Adds rows for variables that only pointers may access: of this file, and requested ones of
 * others. */
static void use_exposed(struct bob_c_unit *u)
{
	for (struct bob_c_variable *v = u->variables; v; v = v->later)
		if (v->is_wanted && v->is_exposed && is_nameable(u, v) &&
		    (v->is_defined || is_named(u, v)))
			bob_c_rows(u, v);
}

static void find_lengths(struct bob_c_unit *u)
{
	for (struct bob_c_variable *v = u->variables; v; v = v->later)
		v->has_no_length = v->is_used && is_nameable(u, v) && !is_borrowed(u, v) &&
				   !has_length(u, v);
}

/* Around the headers: #pragma pack of the file must not apply to them, and -Wshadow must not see
 * their names. */
#define OLD "!defined(__STDC_VERSION__)||__STDC_VERSION__<199901L"
static const char before_headers[] = "#pragma GCC diagnostic push\n"
				     "#pragma GCC diagnostic ignored \"-Wshadow\"\n"
				     "#pragma pack(push)\n#pragma pack()\n#if " OLD
				     "\n#define inline __inline__\n#endif\n";
static const char after_headers[] = "#if " OLD "\n#undef inline\n#endif\n#pragma pack(pop)\n";

const char *bob_c_line_directive(struct bob_c_unit *u, uint32_t line)
{
	const char *path = u->sources ? u->sources->path[bob_c_file(line)] : u->path;

	return bob_c_printf(u, "#line %u %s\n", bob_c_line(line), bob_c_quoted(u, path));
}

/* Without a function, the text goes to the end of the file, where nothing can depend on it. */
static void put_at_top(struct bob_c_unit *u, const char *text)
{
	if (u->top_line)
		bob_c_open_at(u, u->top, text);
	else
		bob_c_close_at(u, u->len, text);
}

static void put_top(struct bob_c_unit *u)
{
	const char *header = u->options->header ? u->options->header : "bobbin/probe.h";
	const uint32_t at = u->top_line ? u->top : u->len;
	const bool is_line = !at || u->bytes[at - 1] == '\n';

	put_at_top(u, bob_c_printf(u, "%s%s#include \"%s\"\n%s%s%s", is_line ? "" : "\n",
				   before_headers, header,
				   u->events.count ? "#include \"bobbin/events.h\"\n" : "",
				   after_headers, bob_source_runtime(bob_source_c_probes)));
	for (size_t i = 0; i < u->rows.count; i++) {
		const struct bob_c_variable *v = u->rows.at[i].variable;
		const uint32_t first = u->rows.at[i].is_pointed ? v->pointed_first : v->first;
		const uint32_t count = u->rows.at[i].is_pointed ? v->pointed_count : v->count;

		if (v->has_scope && first == i)
			put_at_top(u, bob_c_printf(u,
						   "static BOBBIN_QUIET void bobbin_end_%u(void*p)"
						   "{bobbin_end(%u,%u,*(void**)p);}\n",
						   first, first, count));
	}
	bob_c_emit_events(u);
	put_at_top(u, "#pragma GCC diagnostic pop\n");
	put_at_top(u, bob_c_line_directive(u, u->top_line ? u->top_line : 1));
}

/* True if there are accesses, or variables that other files may access. */
static bool has_accesses(const struct bob_c_unit *u)
{
	for (size_t i = 0; i < u->rows.count; i++)
		if (u->rows.at[i].variable->is_exposed)
			return true;
	return u->sites.count != 0;
}

/* True if the trace must report references without a probe, or calls of functions without
 * probes. */
static bool has_refusals(struct bob_c_unit *u)
{
	struct bob_source_c_refused *remarks;

	for (uint32_t i = 0; i < BOB_SOURCE_C_REFUSALS; i++)
		if (u->counts.refused[i])
			return true;
	return bob_c_given_remarks(u, &remarks) != 0;
}

/* True if the variable is registered at the start of the program. */
static bool is_reported_at_once(struct bob_c_unit *u, size_t row)
{
	const struct bob_c_variable *v = u->rows.at[row].variable;

	return is_nameable(u, v) && !is_borrowed(u, v) && v->first == row && v->count &&
	       !v->has_no_length;
}

/* The linker's name: `extern int a __asm__("b");` is b. */
static const char *symbol_of(struct bob_c_unit *u, const struct bob_c_variable *v)
{
	struct bob_c_list l = bob_c_all_children(u, v->decl);
	const char *name = v->name;

	for (size_t i = 0; i < l.count; i++)
		if (u->clang->getCursorKind(l.at[i]) == CXCursor_AsmLabelAttr)
			name = bob_c_spelling(u, l.at[i]);
	bob_c_list_free(&l);
	return name;
}

/* Declares variables of other files as weak: a request does not require that the program has
 * them. */
static void put_weak(struct bob_c_unit *u)
{
	for (size_t i = 0; i < u->rows.count; i++) {
		const struct bob_c_variable *v = u->rows.at[i].variable;

		if (is_reported_at_once(u, i) && !v->is_defined)
			bob_c_close_at(u, u->len,
				       bob_c_printf(u,
						    "static const char bobbin_far%zu"
						    "[1] __attribute__((weakref(%s)));\n",
						    i, bob_c_quoted(u, symbol_of(u, v))));
	}
}

static void put_declarations(struct bob_c_unit *u)
{
	for (size_t i = 0; i < u->rows.count; i++) {
		const struct bob_c_variable *v = u->rows.at[i].variable;

		if (!is_reported_at_once(u, i))
			continue;
		bob_c_close_at(u, u->len,
			       bob_c_printf(u, "(void)bobbin_local(%u,%u,", v->first, v->count));
		bob_c_close_at(u, u->len,
			       v->is_defined ? bob_c_printf(u, "(const volatile void*)&%s,0,-1);\n",
							    v->name) :
					       bob_c_printf(u, "bobbin_far%zu,0,-1);\n", i));
	}
}

void bob_c_emit_frame(struct bob_c_unit *u)
{
	use_exposed(u);
	find_lengths(u);
	if (!has_accesses(u) && !u->events.count && !has_refusals(u)) {
		/* There are no accesses, so no variable is registered. But freed memory of other
		 * files is reported. */
		bob_c_keep_edits(u, bob_c_before_gone, bob_c_after_gone);
		if (!u->edits.count)
			return;
	}
	put_top(u);
	bob_c_emit_tables(u);
	put_weak(u);
	bob_c_close_at(u, u->len,
		       "static __attribute__((constructor(101),no_instrument_function)) void "
		       "bobbin_begin(void){");
	bob_c_close_at(u, u->len,
		       has_accesses(u) || has_refusals(u) ? "bob_probe_begin(&bob_probe_here);\n" :
							    "");
	if (!has_accesses(u))
		bob_c_close_at(u, u->len, "bob_probe_here.recorder=bob_probe_recorder();\n");
	bob_c_emit_event_names(u);
	put_declarations(u);
	bob_c_close_at(u, u->len, "}\n");
}
