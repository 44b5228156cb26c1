/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds uses of macros. libclang reports the place of the name and, for a macro with parameters,
 * the following argument list. But a replacement may end with the name of a macro with parameters
 * (`#define put put_byte`). Then the argument list after the use belongs to that one, and to the
 * use. Definitions are looked up by name, wherever they are in effect: if one of them would take
 * the argument list, the use includes it. Including too much costs only a replacement
 * (obstacles.c). */
#define _GNU_SOURCE /* memmem */
#include "source/c/macros.h"
#include "base/ascii.h"
#include "base/order.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

#define ALIASES_MAX 64 /* length of chains of macros that end with another macro's name */

struct word {
	const char *at;
	size_t len;
};

static bool is_name(struct word w)
{
	return w.len && !(*w.at >= '0' && *w.at <= '9');
}

/* --- definitions --- */

static void read_text(struct bob_c_unit *u, CXCursor c, struct bob_c_definition *to)
{
	const struct bob_clang *l = u->clang;
	const CXSourceRange r = l->getCursorExtent(c);
	CXFile file, last;
	unsigned line, column, start, end;
	size_t size = 0;

	l->getExpansionLocation(l->getRangeStart(r), &file, &line, &column, &start);
	l->getExpansionLocation(l->getRangeEnd(r), &last, &line, &column, &end);
	to->text = file ? l->getFileContents(u->tu, file, &size) :
			  bob_c_macro_of_flags(u->options, to->name);
	if (to->text && file && start + to->name_len <= end && end <= size) {
		to->text += start + to->name_len;
		to->len = end - start - to->name_len;
	} else if (to->text && !file) {
		to->len = strlen(to->text);
	}
}

static enum CXChildVisitResult see_definition(CXCursor c, CXCursor parent, CXClientData data)
{
	struct bob_c_definitions *d = data;
	struct bob_c_definition *to;

	(void)parent;
	if (d->u->clang->getCursorKind(c) != CXCursor_MacroDefinition)
		return CXChildVisit_Continue;
	to = BOB_VEC_PUSH(d);
	if (!to) {
		d->u->is_failed = true;
		return CXChildVisit_Break;
	}
	to->name = bob_c_spelling(d->u, c);
	to->name_len = strlen(to->name);
	read_text(d->u, c, to);
	/* libclang's answer applies to the last definition of that name. */
	to->has_parameters = to->text ? to->len && *to->text == '(' :
					d->u->clang->Cursor_isMacroFunctionLike(c) != 0;
	return CXChildVisit_Continue;
}

BOB_COMPARE(by_name, struct bob_c_definition, BOB_TEXT(name))

void bob_c_definitions_read(struct bob_c_unit *u, struct bob_c_definitions *to)
{
	*to = (struct bob_c_definitions){ .u = u };
	u->clang->visitChildren(u->clang->getTranslationUnitCursor(u->tu), see_definition, to);
	if (to->count)
		qsort(to->at, to->count, sizeof(*to->at), by_name);
}

static bool is_called(const struct bob_c_definition *m, struct word w)
{
	return m->name_len == w.len && !memcmp(m->name, w.at, w.len);
}

/* The first definition of this name, and their number. */
static const struct bob_c_definition *named(const struct bob_c_definitions *d, struct word w,
					    size_t *count)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, d->count, i, strncmp(d->at[i].name, w.at, w.len) < 0);
	/* Longer names follow it in the order. */
	*count = 0;
	while (lo + *count < d->count && is_called(&d->at[lo + *count], w))
		++*count;
	return *count ? &d->at[lo] : NULL;
}

/* The replacement after the parameters, without blanks around it. */
static struct word body_of(const struct bob_c_definition *m)
{
	struct word b = { m->text, m->len };

	if (m->has_parameters && b.len) {
		const char *p = memchr(b.at, ')', b.len);

		p = p ? p + 1 : b.at + b.len;
		b.len -= (size_t)(p - b.at);
		b.at = p;
	}
	while (b.len && strchr(" \t\\\r\n", *b.at)) {
		b.at++;
		b.len--;
	}
	while (b.len && strchr(" \t\\\r\n", b.at[b.len - 1]))
		b.len--;
	return b;
}

static bool is_parameter(const struct bob_c_definition *m, struct word w)
{
	const char *end = m->text, *p;

	if (!m->has_parameters || !m->text)
		return false;
	if (w.len == strlen("__VA_ARGS__") && !memcmp(w.at, "__VA_ARGS__", w.len))
		return true;
	end = memchr(m->text, ')', m->len);
	for (p = m->text; end && p < end; p++) {
		struct word one = { p, 0 };

		while (bob_is_word(p[one.len]))
			one.len++;
		if (one.len == w.len && w.len && !memcmp(p, w.at, w.len))
			return true;
		p += one.len;
	}
	return false;
}

/* --- extent of a use --- */

enum ending {
	ENDS_OTHERWISE,
	ENDS_WITH_CALLED,
	ENDS_WITH_ARGUMENT,	/* an argument of the use, or a pasted name */
	ENDS_UNCLEAR
};

/* The last word of `text`; before a trailing argument list if `has_brackets`. */
static struct word last_word(struct word text, bool *has_brackets)
{
	size_t end = text.len, start;
	int depth = 0;

	*has_brackets = end && text.at[end - 1] == ')';
	while (*has_brackets && end) {
		end--;
		depth += text.at[end] == ')';
		depth -= text.at[end] == '(';
		if (!depth)
			break;
	}
	while (*has_brackets && end && strchr(" \t\\\r\n", text.at[end - 1]))
		end--;
	for (start = end; start && bob_is_word(text.at[start - 1]);)
		start--;
	return (struct word){ text.at + start, end - start };
}

/* Does the replacement of `m` end with the name of a macro with parameters, *called? */
static enum ending ending_of(const struct bob_c_definitions *d, const struct bob_c_definition *m,
			     struct word *called, int depth)
{
	const struct word body = body_of(m);
	bool has_brackets, is_pasted;
	const struct word w = last_word(body, &has_brackets);
	size_t before = w.at ? (size_t)(w.at - body.at) : 0, count;
	const struct bob_c_definition *it;

	if (!m->text || depth > ALIASES_MAX)
		return ENDS_UNCLEAR;
	while (before && strchr(" \t\\\r\n", body.at[before - 1]))
		before--;
	is_pasted = before && body.at[before - 1] == '#';
	if (is_pasted || is_parameter(m, w))
		return depth || has_brackets ? ENDS_UNCLEAR : ENDS_WITH_ARGUMENT;
	if (!is_name(w) || is_called(m, w)) /* a macro is not expanded in itself */
		return ENDS_OTHERWISE;
	it = named(d, w, &count);
	for (size_t i = 0; i < count; i++) {
		enum ending e = ENDS_WITH_CALLED;

		if (has_brackets || !it[i].has_parameters)
			e = ending_of(d, &it[i], called, depth + 1);
		else
			*called = w;
		/* An argument list after the name is followed by the rest of the text. */
		if (e == ENDS_WITH_CALLED && has_brackets && !it[i].has_parameters)
			e = ENDS_UNCLEAR;
		if (e != ENDS_OTHERWISE)
			return e;
	}
	return ENDS_OTHERWISE;
}

static enum ending ending_of_name(const struct bob_c_definitions *d, struct word name,
				  struct word *called, int depth)
{
	size_t count;
	const struct bob_c_definition *m = named(d, name, &count);

	for (size_t i = 0; i < count; i++) {
		const enum ending e = ending_of(d, &m[i], called, depth);

		if (e != ENDS_OTHERWISE)
			return e;
	}
	return ENDS_OTHERWISE;
}

/* The offset after the parentheses that open at `at`; `at`: they are not closed. */
static uint32_t after_brackets(const struct bob_c_unit *u, uint32_t at)
{
	const char *b = u->bytes;
	uint32_t i = at;
	int depth = 0;

	while (i < u->len) {
		const char c = b[i];

		if (c == '/' && (b[i + 1] == '/' || b[i + 1] == '*')) {
			i = bob_c_skip_blanks(u, i);
			continue;
		}
		if (c == '"' || c == '\'')
			for (i++; i < u->len && b[i] != c && b[i] != '\n'; i++)
				i += b[i] == '\\';
		depth += c == '(';
		depth -= c == ')';
		i++;
		if (!depth)
			return i;
	}
	return at;
}

/* Could a name pasted from the text of the use be that of a macro with parameters, directly or
 * through other macros? */
static bool may_name_macro(const struct bob_c_definitions *d, struct word use)
{
	bool has_word = false;

	for (size_t i = 0, n; i < use.len; i += n ? n : 1) {
		struct word w = { use.at + i, 0 };
		size_t count;

		while (i + w.len < use.len && bob_is_word(w.at[w.len]))
			w.len++;
		n = w.len;
		if (!n || !i) /* its own name */
			continue;
		has_word = true;
		if (named(d, w, &count))
			return true;
		for (size_t k = 0; k < d->count; k++)
			if (d->at[k].name_len > n &&
			    memmem(d->at[k].name, d->at[k].name_len, w.at, n))
				return true;
	}
	return !has_word;
}

/* Extends the use by all argument lists that belong to it. */
static void extend(struct bob_c_unit *u, const struct bob_c_definitions *d, struct bob_c_span *s)
{
	const char *b = u->bytes;
	const struct word use = { b + s->start, s->end - s->start };
	struct word called = { use.at, 0 };
	int depth = 0;
	enum ending e;

	while (called.len < use.len && bob_is_word(called.at[called.len]))
		called.len++;
	for (;;) {
		const uint32_t at = bob_c_skip_blanks(u, s->end);
		uint32_t end;

		if (b[at] != '(')
			return;
		e = called.len ? ending_of_name(d, called, &called, depth) : ENDS_UNCLEAR;
		if (e == ENDS_OTHERWISE || (e == ENDS_WITH_ARGUMENT && !may_name_macro(d, use)))
			return;
		if (e != ENDS_WITH_CALLED)
			called.len = 0;
		depth = 1;
		end = after_brackets(u, at);
		if (end == at)
			return;
		s->end = end;
	}
}

/* --- expansion --- */

static bool is_whole_name(const struct bob_c_definitions *d, struct word name, int depth);

/* Does the replacement look like exactly one expression? */
static bool is_expression(const struct bob_c_definitions *d, const struct bob_c_definition *m,
			  int nested)
{
	const struct word b = body_of(m);
	int depth = 0;

	if (!m->text || !b.len || !(strchr("(*", *b.at) || bob_is_word(*b.at)) ||
	    !(strchr(")]", b.at[b.len - 1]) || bob_is_word(b.at[b.len - 1])))
		return false;
	for (size_t i = 0; i < b.len; i++) {
		const char c = b.at[i];
		struct word w = { b.at + i, 0 };

		depth += c == '(' || c == '[';
		depth -= c == ')' || c == ']';
		if (depth < 0 || (!depth && strchr(",;{}", c)))
			return false;
		while (i + w.len < b.len && bob_is_word(w.at[w.len]))
			w.len++;
		if (!depth && w.len && !is_called(m, w) && !is_whole_name(d, w, nested + 1))
			return false;
		i += w.len ? w.len - 1 : 0;
	}
	return !depth;
}

/* Also true for a name that is no macro. */
static bool is_whole_name(const struct bob_c_definitions *d, struct word name, int depth)
{
	size_t count;
	const struct bob_c_definition *m = named(d, name, &count);

	if (depth > ALIASES_MAX ||
	    (name.len == strlen("__VA_ARGS__") && !memcmp(name.at, "__VA_ARGS__", name.len)))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!is_expression(d, &m[i], depth))
			return false;
	return true;
}

/* --- uses --- */

static enum CXChildVisitResult see_use(CXCursor c, CXCursor parent, CXClientData data)
{
	struct bob_c_unit *u = data;
	struct bob_c_span s;

	(void)parent;
	if (u->clang->getCursorKind(c) != CXCursor_MacroExpansion)
		return CXChildVisit_Continue;
	s = bob_c_span(u, c);
	if (!s.is_ours)
		return CXChildVisit_Continue;
	if (BOB_VEC_ADD(&u->macros, s) != BOB_OK) {
		u->is_failed = true;
		return CXChildVisit_Break;
	}
	return CXChildVisit_Continue;
}

BOB_COMPARE(by_place, struct bob_c_span, BOB_UP(start) BOB_DOWN(end))

void bob_c_macros_find(struct bob_c_unit *u, const struct bob_c_definitions *d)
{
	size_t n = 0;

	u->clang->visitChildren(u->clang->getTranslationUnitCursor(u->tu), see_use, u);
	if (u->macros.count)
		qsort(u->macros.at, u->macros.count, sizeof(*u->macros.at), by_place);
	for (size_t i = 0; i < u->macros.count; i++) {
		struct bob_c_span s = u->macros.at[i];
		struct word name = { u->bytes + s.start, 0 };
		size_t count;

		if (n && s.start < u->macros.at[n - 1].end)
			continue;
		while (name.len < s.end - s.start && bob_is_word(name.at[name.len]))
			name.len++;
		s.is_macro = named(d, name, &count) && is_whole_name(d, name, 0);
		extend(u, d, &s);
		u->macros.at[n++] = s;
	}
	u->macros.count = n;
}

const struct bob_c_span *bob_c_macro_at(const struct bob_c_unit *u, uint32_t at)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, u->macros.count, mid, u->macros.at[mid].end <= at);
	return lo < u->macros.count && u->macros.at[lo].start <= at ? &u->macros.at[lo] : NULL;
}
