/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits a file into statements: finds lines, chooses the form, and lets the reader of the form
 * append each line to the open statement. Invariant: each character of a statement has its byte
 * offset, and these ascend. So every part of a statement can be mapped to the file. */
#include "source/fortran/split.h"
#include "base/search.h"

#include <string.h>

void bob_fortran_begin(struct bob_fortran_splitter *s, uint32_t line)
{
	s->len = 0;
	s->first = BOB_FORTRAN_NO;
	s->line = s->line_last = line;
	s->label = s->label_at = s->label_len = 0;
	s->is_open = true;
	s->is_continued = s->is_blank_due = false;
	s->quote = 0;
	s->hollerith = s->unfilled = 0;
}

void bob_fortran_put_raw(struct bob_fortran_splitter *s, char c, uint32_t at)
{
	if (s->len == s->capacity) {
		uint32_t capacity = s->capacity ? s->capacity * 2 : 4096;
		char *text = bob_arena_alloc(s->arena, capacity);
		uint32_t *places = bob_arena_alloc(s->arena, (size_t)capacity * sizeof(*places));

		if (!text || !places) {
			s->failed = true;
			return;
		}
		if (s->len) {
			memcpy(text, s->text, s->len);
			memcpy(places, s->at, s->len * sizeof(*places));
		}
		s->text = text;
		s->at = places;
		s->capacity = capacity;
	}
	if (s->first == BOB_FORTRAN_NO)
		s->first = at;
	s->text[s->len] = c;
	s->at[s->len++] = at;
}

void bob_fortran_put(struct bob_fortran_splitter *s, char c, uint32_t at)
{
	if (s->is_blank_due && s->len)
		bob_fortran_put_raw(s, ' ', at);
	s->is_blank_due = false;
	bob_fortran_put_raw(s, bob_fortran_small(c), at);
}

/* `text` begins with a type name and contains no /: digits after a * are its length. */
static bool declares_length(const struct bob_fortran_splitter *s, uint32_t star)
{
	static const char *const types[] = { "integer", "real",	     "logical",	 "complex",
					     "byte",	"character", "implicit", "double" };

	if (memchr(s->text, '/', star))
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (s->len >= strlen(types[i]) && !memcmp(s->text, types[i], strlen(types[i])))
			return true;
	return false;
}

uint32_t bob_fortran_hollerith(const struct bob_fortran_splitter *s)
{
	uint32_t digits = s->len - 1, n = 0;
	char before;

	while (digits && bob_is_digit(s->text[digits - 1]) && s->len - digits < 6)
		digits--;
	if (digits == s->len - 1 || !digits)
		return 0;
	before = s->text[digits - 1];
	if (bob_fortran_is_word(before) &&
	    !(before == 'x' && s->len > 7 && !memcmp(s->text, "format(", 7)))
		return 0;
	if (before == ')' || (before == '*' && declares_length(s, digits)))
		return 0;
	for (uint32_t i = digits; i < s->len - 1; i++)
		n = n * 10 + (uint32_t)(s->text[i] - '0');
	return n;
}

/* Are brackets and quotes balanced? */
static bool is_balanced(const struct bob_fortran_statement *t, char quote)
{
	int32_t depth = 0;
	char in = 0;

	for (uint32_t i = 0; i < t->len; i++) {
		char c = t->text[i];

		if (in) {
			in = c == in ? 0 : in;
		} else if (c == '\'' || c == '"') {
			in = c;
		} else if (c == '(') {
			depth++;
		} else if (c == ')' && --depth < 0) {
			return false;
		}
	}
	return !depth && !quote;
}

static struct bob_fortran_statement *add(struct bob_fortran_splitter *s)
{
	struct bob_fortran_file *f = s->file;

	if (f->count == s->statement_capacity) {
		uint32_t capacity = s->statement_capacity ? s->statement_capacity * 2 : 256;
		struct bob_fortran_statement *p = bob_arena_alloc(s->arena, capacity * sizeof(*p));

		if (!p) {
			s->failed = true;
			return NULL;
		}
		if (f->count)
			memcpy(p, f->statements, f->count * sizeof(*p));
		f->statements = p;
		s->statement_capacity = capacity;
	}
	memset(&f->statements[f->count], 0, sizeof(f->statements[0]));
	return &f->statements[f->count++];
}

/* Adds the open statement to the file's. */
static struct bob_fortran_statement *keep(struct bob_fortran_splitter *s)
{
	struct bob_fortran_statement *t = add(s);
	char *text = bob_arena_alloc(s->arena, (size_t)s->len + 1);
	uint32_t *at = bob_arena_alloc(s->arena, ((size_t)s->len + 1) * sizeof(*at));

	if (!t || !text || !at) {
		s->failed = true;
		return NULL;
	}
	if (s->len) {
		memcpy(text, s->text, s->len);
		memcpy(at, s->at, s->len * sizeof(*at));
	}
	t->end = s->len ? s->at[s->len - 1] + 1 : s->label_at + s->label_len;
	if (t->end > s->file->len)
		t->end = s->file->len;
	at[s->len] = t->end;
	t->text = text;
	t->at = at;
	t->len = s->len;
	t->first = s->label_len ? s->label_at : s->first;
	t->line = s->line;
	t->line_last = s->line_last;
	t->label = s->label;
	t->label_at = s->label_at;
	t->label_len = s->label_len;
	t->unit = t->construct = BOB_FORTRAN_NO;
	t->shares_line = s->is_after_semicolon;
	return t;
}

void bob_fortran_finish(struct bob_fortran_splitter *s)
{
	struct bob_fortran_statement *t;

	if (!s->is_open)
		return;
	s->is_open = false;
	if (!s->len && !s->label_len)
		return;
	t = keep(s);
	if (!t)
		return;
	bob_fortran_classify(t, s->file->form == BOB_FORTRAN_FIXED);
	s->file->unknown_count += t->kind == BOB_F_UNKNOWN;
	s->unbalanced += t->kind != BOB_F_FORMAT && !is_balanced(t, s->quote);
}

void bob_fortran_line(struct bob_fortran_splitter *s, enum bob_fortran_kind kind, uint32_t line,
		      uint32_t from, uint32_t to)
{
	const char *bytes = s->file->bytes;
	struct bob_fortran_statement *t;

	/* It is skipped within a continued statement. */
	if (s->is_open &&
	    (s->file->form == BOB_FORTRAN_FREE ? s->is_continued :
						 bob_fortran_fixed_continues(s, line)))
		return;
	bob_fortran_finish(s);
	bob_fortran_begin(s, line);
	s->first = s->label_at = from;
	for (uint32_t i = from; i < to; i++)
		bob_fortran_put_raw(s, kind == BOB_F_CPP ? bytes[i] : bob_fortran_small(bytes[i]),
				    i);
	s->is_open = false;
	s->is_after_semicolon = false;
	t = keep(s);
	if (t)
		t->kind = kind;
}

bool bob_fortran_sentinel(const char *bytes, uint32_t from, uint32_t to)
{
	static const char *const known[] = { "$omp", "$acc", "$hpf", "$dir", "$par", "$ompx",
					     "dir$", "dec$", "gcc$", "pgi$", "nec$", "ibm*" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint32_t n = (uint32_t)strlen(known[i]), k = 0;

		if (to - from < n)
			continue;
		while (k < n && bob_fortran_small(bytes[from + k]) == known[i][k])
			k++;
		if (k == n && (to - from == n || !bob_is_letter(bytes[from + n])))
			return true;
	}
	return false;
}

/* Reads all lines in the form and width of the file. */
static void read_lines(struct bob_fortran_splitter *s)
{
	struct bob_fortran_file *f = s->file;
	bool is_cpp = false;

	for (uint32_t line = 1; line <= f->line_count && !s->failed; line++) {
		uint32_t from = f->line_at[line - 1], to = f->line_at[line], i;

		while (to > from && (f->bytes[to - 1] == '\n' || f->bytes[to - 1] == '\r'))
			to--;
		if (line == 1 && to >= 3 && !memcmp(f->bytes, "\xef\xbb\xbf", 3))
			from = 3; /* byte order mark */
		i = from;
		if (f->form == BOB_FORTRAN_FREE)
			while (i < to && (f->bytes[i] == ' ' || f->bytes[i] == '\t'))
				i++;
		if (is_cpp || (i < to && f->bytes[i] == '#')) {
			f->line_kinds[line - 1] = BOB_LINE_CPP;
			is_cpp = to > from && f->bytes[to - 1] == '\\';
			bob_fortran_line(s, BOB_F_CPP, line, from, to);
			continue;
		}
		if (f->form == BOB_FORTRAN_FIXED)
			bob_fortran_fixed_line(s, line, from, to);
		else
			bob_fortran_free_line(s, line, from, to);
	}
	bob_fortran_finish(s);
}

/* If a statement shares a line with the previous one, marks both. */
static void mark_shared(struct bob_fortran_file *f)
{
	for (uint32_t i = 1; i < f->count; i++)
		if (f->statements[i].shares_line)
			f->statements[i - 1].shares_line = true;
}

struct measured {
	uint32_t unknown, unbalanced;
	bool failed;
};

static struct measured split_as(struct bob_fortran_file *f, enum bob_fortran_form form,
				uint32_t width, bool is_openmp)
{
	struct bob_fortran_splitter s = { .file = f, .arena = f->arena, .is_openmp = is_openmp };

	f->form = form;
	f->width = form == BOB_FORTRAN_FIXED ? width : 0;
	f->statements = NULL;
	f->count = f->unknown_count = 0;
	memset(f->line_kinds, BOB_LINE_COMMENT, f->line_count);
	read_lines(&s);
	mark_shared(f);
	return (struct measured){ f->unknown_count, s.unbalanced, s.failed };
}

static bob_status find_lines(struct bob_fortran_file *f)
{
	uint32_t n = 0, line = 0;

	for (uint32_t i = 0; i < f->len; i++)
		n += f->bytes[i] == '\n';
	n += f->len && f->bytes[f->len - 1] != '\n';
	f->line_count = n;
	f->line_at = bob_arena_alloc(f->arena, ((size_t)n + 1) * sizeof(*f->line_at));
	f->line_kinds = bob_arena_alloc(f->arena, (size_t)n + 1);
	if (!f->line_at || !f->line_kinds)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < f->len; i++)
		if (!i || f->bytes[i - 1] == '\n')
			f->line_at[line++] = i;
	f->line_at[n] = f->len;
	return BOB_OK;
}

/* Is there code after column 72? */
static bool has_long_lines(const struct bob_fortran_file *f)
{
	for (uint32_t i = 0; i < f->line_count; i++)
		if (f->line_at[i + 1] - f->line_at[i] > 73 &&
		    (f->line_kinds[i] == BOB_LINE_START || f->line_kinds[i] == BOB_LINE_CONTINUED))
			return true;
	return false;
}

/* Splits as fixed form. A width that was not given is 132 if fewer statements are unbalanced
 * then. */
static struct measured split_fixed(struct bob_fortran_file *f, uint32_t width, bool is_openmp)
{
	struct measured narrow = split_as(f, BOB_FORTRAN_FIXED, width ? width : 72, is_openmp),
			wide;

	if (width || narrow.failed || !(narrow.unbalanced + narrow.unknown) || !has_long_lines(f))
		return narrow;
	wide = split_as(f, BOB_FORTRAN_FIXED, 132, is_openmp);
	if (wide.failed || wide.unbalanced + wide.unknown < narrow.unbalanced + narrow.unknown)
		return wide;
	return split_as(f, BOB_FORTRAN_FIXED, 72, is_openmp);
}

/* Selects the form with fewer unbalanced statements, else with more known ones; if both are equal,
 * the likely one. */
static struct measured split_best(struct bob_fortran_file *f, const struct bob_fortran_options *o)
{
	struct measured free_form = split_as(f, BOB_FORTRAN_FREE, 0, o->is_openmp), fixed;
	uint32_t a, b, free_count = f->count;
	bool is_fixed;

	if (free_form.failed)
		return free_form;
	fixed = split_fixed(f, o->width, o->is_openmp);
	if (fixed.failed)
		return fixed;
	a = fixed.unknown + fixed.unbalanced;
	b = free_form.unknown + free_form.unbalanced;
	if (a != b)
		is_fixed = a < b;
	else if (f->count != free_count)
		is_fixed = f->count > free_count;
	else
		is_fixed = o->likely != BOB_FORTRAN_FREE;
	return is_fixed ? fixed : split_as(f, BOB_FORTRAN_FREE, 0, o->is_openmp);
}

bob_status bob_fortran_split(struct bob_arena *arena, const char *bytes, size_t len,
			     const struct bob_fortran_options *options,
			     struct bob_fortran_file **out)
{
	static const struct bob_fortran_options defaults;
	const struct bob_fortran_options *o = options ? options : &defaults;
	enum bob_fortran_form form = o->form;
	struct bob_fortran_file *f;
	struct measured m;

	if (len > BOB_FORTRAN_BYTES_MAX)
		return BOB_ERR_FULL;
	f = bob_arena_alloc(arena, sizeof(*f));
	if (!f)
		return BOB_ERR_NOMEM;
	f->arena = arena;
	f->bytes = bytes;
	f->len = (uint32_t)len;
	if (find_lines(f) != BOB_OK)
		return BOB_ERR_NOMEM;
	if (form == BOB_FORTRAN_AUTO)
		form = bob_fortran_guess_form(bytes, f->len);
	if (form == BOB_FORTRAN_AUTO)
		m = split_best(f, o);
	else if (form == BOB_FORTRAN_FIXED)
		m = split_fixed(f, o->width, o->is_openmp);
	else
		m = split_as(f, BOB_FORTRAN_FREE, 0, o->is_openmp);
	if (m.failed)
		return BOB_ERR_NOMEM;
	*out = f;
	return BOB_OK;
}

struct bob_fortran_position bob_fortran_position(const struct bob_fortran_file *f, uint32_t byte)
{
	size_t line;

	if (!f->line_count)
		return (struct bob_fortran_position){ 1, byte + 1 };
	BOB_PARTITION_POINT(line, f->line_count, i, f->line_at[i] <= byte);
	return (struct bob_fortran_position){ (uint32_t)line, byte - f->line_at[line - 1] + 1 };
}

uint32_t bob_fortran_line_at(const struct bob_fortran_file *f, uint32_t line)
{
	return line && line <= f->line_count ? f->line_at[line - 1] : line ? f->len : 0;
}
