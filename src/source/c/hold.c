/* SPDX-License-Identifier: BSD-3-Clause */
/* Hoists the negative cache of sites (bobbin/probe.h) out of loops. This is done for the outermost
 * loops that make no calls (except of functions that satisfy the same conditions), do not
 * synchronise and declare nothing that is traced. So no variable that the loop may legally access
 * can be declared in a cached range while the loop runs. Before the loop, each site's range is
 * loaded into a local variable. After the loop, however it is left, the accesses in these ranges
 * are counted. The local variables are in a block around the loop. Nothing is proved about what the
 * loop accesses. */
#include "source/c/unit.h"

#include <string.h>

#define SITES_MAX 24u /* per loop; further sites load their ranges in the loop */

#define DEPTH_MAX 3u /* nesting of called functions */

struct look {
	struct bob_c_unit *u;
	uint32_t depth;
	bool is_bad;
};

static enum CXChildVisitResult see(CXCursor c, CXCursor parent, CXClientData data);
static bool has_pragma(const struct bob_c_unit *u, uint32_t start, uint32_t end);

/* A pure function of the C library: no side effects except errno. */
static bool is_of_values(const char *name, bool is_builtin)
{
	static const char *const numbers[] = {
		"acos",	     "acosh", "asin",  "asinh",	 "atan",   "atan2",	"atanh",
		"cbrt",	     "ceil",  "copysign", "cos", "cosh",   "erf",	"erfc",
		"exp",	     "exp2",  "expm1", "fabs",	 "fdim",   "floor",	"fma",
		"fmax",	     "fmin",  "fmod",  "hypot",	 "ilogb",  "ldexp",	"llrint",
		"llround",   "log",   "log10", "log1p",	 "log2",   "logb",	"lrint",
		"lround",    "nearbyint", "nextafter", "pow", "remainder", "rint", "round",
		"scalbln",   "scalbn", "sin",  "sinh",	 "sqrt",   "tan",	"tanh",
		"tgamma",    "trunc", "cabs",  "carg",	 "cexp",   "cimag",	"clog",
		"conj",	     "cpow",  "cproj", "creal",	 "csqrt",
	};
	static const char *const others[] = { "abs",	  "labs",    "llabs",	"expect",
					      "isnan",	  "isinf",   "isfinite", "isnormal",
					      "signbit",  "popcount", "clz",	"ctz",
					      "ffs",	  "parity",  "bswap16",	"bswap32",
					      "bswap64",  "isinf_sign" };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const size_t n = strlen(numbers[i]);

		if (!strncmp(name, numbers[i], n) &&
		    (!name[n] || (strchr("fl", name[n]) && !name[n + 1])))
			return true;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && (is_builtin || i < 3); i++) {
		const size_t n = strlen(others[i]);

		if (!strncmp(name, others[i], n) &&
		    strspn(name + n, is_builtin ? "fl" : "") == strlen(name + n))
			return true;
	}
	return false;
}

/* A call of a pure library function, or of a function of the file that satisfies the same
 * conditions as the loop. */
static bool is_harmless_call(const struct look *l, CXCursor call)
{
	static const char builtin[] = "__builtin_";
	struct bob_c_unit *u = l->u;
	const struct bob_clang *k = u->clang;
	const CXCursor to = k->getCursorReferenced(call);
	struct look inner = { .u = u, .depth = l->depth + 1 };
	struct bob_c_span s;
	const char *name;
	CXCursor body;

	if (k->getCursorKind(to) != CXCursor_FunctionDecl ||
	    bob_c_is_asked(u, BOB_SOURCE_C_CALLS, bob_c_span(u, call).line) ||
	    bob_c_is_asked(u, BOB_SOURCE_C_COMMUNICATION, bob_c_span(u, call).line))
		return false;
	body = k->getCursorDefinition(to);
	name = bob_c_spelling(u, to);
	if (k->Cursor_isNull(body)) {
		const bool is_builtin = !strncmp(name, builtin, sizeof(builtin) - 1);

		return is_of_values(is_builtin ? name + sizeof(builtin) - 1 : name, is_builtin) &&
		       (is_builtin || k->Location_isInSystemHeader(k->getCursorLocation(to)));
	}
	s = bob_c_span(u, body);
	if (k->getCursorLinkage(to) != CXLinkage_Internal || l->depth == DEPTH_MAX || !s.is_plain ||
	    has_pragma(u, s.start, s.end))
		return false;
	k->visitChildren(body, see, &inner);
	return !inner.is_bad;
}

static bool is_harmless(const struct look *in, CXCursor c)
{
	struct bob_c_unit *u = in->u;
	const struct bob_clang *l = u->clang;
	const enum CXCursorKind k = l->getCursorKind(c);
	struct bob_c_variable *v;
	CXCursor child[1];

	switch (k) {
	case CXCursor_CallExpr:
		return is_harmless_call(in, c);
	case CXCursor_StmtExpr:
		return false;
	case CXCursor_UnexposedExpr: /* atomic operations, too */
		return bob_c_children(u, c, child, 1) == 1 && !bob_c_is_shared(u, c);
	case CXCursor_VarDecl:
	case CXCursor_ParmDecl:
		v = bob_c_variable(u, c);
		return v && !v->is_wanted;
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt:
		return !bob_c_is_asked(u, BOB_SOURCE_C_LOOPS, bob_c_span(u, c).line);
	case CXCursor_CompoundStmt:
	case CXCursor_NullStmt:
	case CXCursor_DeclStmt:
	case CXCursor_IfStmt:
	case CXCursor_SwitchStmt:
	case CXCursor_CaseStmt:
	case CXCursor_DefaultStmt:
	case CXCursor_LabelStmt:
	case CXCursor_GotoStmt:
	case CXCursor_BreakStmt:
	case CXCursor_ContinueStmt:
	case CXCursor_ReturnStmt:
		return true;
	default:
		return !l->isStatement(k) && !(l->isExpression(k) && bob_c_is_shared(u, c));
	}
}

static enum CXChildVisitResult see(CXCursor c, CXCursor parent, CXClientData data)
{
	struct look *l = data;

	(void)parent;
	l->is_bad |= !is_harmless(l, c);
	return l->is_bad ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* Pragmas may distribute the loop, or parts of it, to other threads. */
static bool has_pragma(const struct bob_c_unit *u, uint32_t start, uint32_t end)
{
	static const char word[] = "_Pragma";

	if (memchr(u->bytes + start, '#', end - start))
		return true;
	for (uint32_t i = start; i + sizeof(word) <= end; i++)
		if (!memcmp(u->bytes + i, word, sizeof(word) - 1))
			return true;
	for (size_t i = 0; i < u->macros.count && u->macros.at[i].start < end; i++)
		if (u->macros.at[i].is_pragma && u->macros.at[i].end > start)
			return true;
	return false;
}

void bob_c_hold_open(struct bob_c_unit *u, CXCursor loop, struct bob_c_hold *h)
{
	const struct bob_c_span s = bob_c_span(u, loop);
	struct look l = { .u = u };

	*h = (struct bob_c_hold){ .start = s.start, .number = u->hold_count, .untraced = "" };
	if (u->is_scan || u->options->holds_nothing || u->nest || u->hold || u->blocked >= 0 ||
	    !s.is_plain)
		return;
	h->end = bob_c_statement_end(u, &s);
	if (h->end)
		u->clang->visitChildren(loop, see, &l);
	if (!h->end || l.is_bad || has_pragma(u, s.start, h->end) || bob_c_is_below_pragma(u, &s) ||
	    bob_c_is_after_directive(u, s.start) || bob_c_is_jumped_into(u, s.start, h->end)) {
		h->end = 0;
		return;
	}
	u->hold = h;
	u->hold_count++;
}

bool bob_c_hold_takes(struct bob_c_unit *u, uint32_t site)
{
	struct bob_c_hold *h = u->hold;

	if (!h || h->sites == SITES_MAX)
		return false;
	h->untraced = bob_c_printf(u, "%s%s*bobbin_g%u=bobbin_untraced(%u)", h->untraced,
				   h->sites ? "," : "", site, site);
	h->sites++;
	return h->untraced != NULL;
}

void bob_c_hold_close(struct bob_c_unit *u, struct bob_c_hold *h)
{
	if (!h->end)
		return;
	u->hold = NULL;
	if (!h->sites)
		return;
	bob_c_open_at(u, h->start,
		      bob_c_printf(u,
				   "{struct bob_probe_held bobbin_h%u "
				   "__attribute__((cleanup(bobbin_held_end)))={0,0};"
				   "const struct bob_probe_untraced%s;",
				   h->number, h->untraced));
	bob_c_close_at(u, h->end, "}");
}
