/* SPDX-License-Identifier: BSD-3-Clause */
/* A reader of one line at a time, by descent. Nothing enters the table before the whole line was read. */
#include "source/commands.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct line {
	const char *at, *end, *begin;
	struct bob_wishes *w;
	struct bob_command_complaint *why;
	bob_status st;
};

/* --- words --- */

static void skip_blanks(struct line *l)
{
	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r'))
		l->at++;
}

static bool complain(struct line *l, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static bool complain(struct line *l, const char *at, const char *format, ...)
{
	va_list ap;

	if (l->st != BOB_OK)
		return false;
	l->st = BOB_ERR_INVAL;
	l->why->column = (uint32_t)(at - l->begin) + 1;
	va_start(ap, format);
	vsnprintf(l->why->text, sizeof(l->why->text), format, ap);
	va_end(ap);
	return false;
}

static size_t word_length(const struct line *l)
{
	size_t n = 0;

	while (l->at + n < l->end && !memchr(" \t\r", l->at[n], 3))
		n++;
	return n;
}

static bool is_word(const struct line *l, const char *word)
{
	size_t n = word_length(l);

	return n == strlen(word) && !strncasecmp(l->at, word, n);
}

static bool take_word(struct line *l, const char *word)
{
	if (!is_word(l, word))
		return false;
	l->at += strlen(word);
	skip_blanks(l);
	return true;
}

/* For messages: no more than a few letters of what stands there. */
static int shown(const struct line *l)
{
	size_t n = word_length(l);

	return n > 40 ? 40 : (int)n;
}

static bool want_word(struct line *l, const char *word)
{
	if (take_word(l, word))
		return true;
	if (l->at == l->end)
		return complain(l, l->at, "'%s' is missing at the end of the line", word);
	return complain(l, l->at, "'%s' was expected, not '%.*s'", word, shown(l), l->at);
}

static bool want_end(struct line *l)
{
	if (l->at == l->end)
		return true;
	return complain(l, l->at, "nothing more was expected, not '%.*s'", shown(l), l->at);
}

static const char *keep(struct line *l, const char *text, size_t len)
{
	const char *copy = bob_arena_text(&l->w->arena, text, len);

	if (!copy)
		l->st = BOB_ERR_NOMEM;
	return copy;
}

/* --- numbers --- */

static bool is_digit(const struct line *l)
{
	return l->at < l->end && *l->at >= '0' && *l->at <= '9';
}

static bool take_number(struct line *l, int64_t *value)
{
	const char *begin = l->at;
	bool minus = l->at < l->end && *l->at == '-';
	uint64_t v = 0;

	if (minus || (l->at < l->end && *l->at == '+'))
		l->at++;
	if (!is_digit(l))
		return complain(l, begin, "a whole number was expected");
	for (; is_digit(l); l->at++) {
		v = v * 10 + (uint64_t)(*l->at - '0');
		if (v > INT64_MAX / 16)
			return complain(l, begin, "a number that is too large");
	}
	*value = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

static bool take_line_number(struct line *l, uint32_t *value)
{
	const char *begin = l->at;
	int64_t v;

	if (!take_number(l, &v))
		return false;
	if (v < 1 || v >= UINT32_MAX)
		return complain(l, begin, "lines are numbered from 1");
	*value = (uint32_t)v;
	if (l->at < l->end && !memchr(" \t\r", *l->at, 3))
		return complain(l, begin, "a line's number was expected");
	skip_blanks(l);
	return true;
}

/* [from L1 to L2] */
static bool take_lines(struct line *l, struct bob_wish *wish)
{
	const char *begin = l->at;

	wish->first_line = 1;
	wish->last_line = UINT32_MAX;
	if (l->at == l->end)
		return true;
	if (!is_word(l, "from"))
		return complain(l, l->at,
				"'from', or the end of the line, was expected, not '%.*s'",
				shown(l), l->at);
	take_word(l, "from");
	if (!take_line_number(l, &wish->first_line) || !want_word(l, "to") ||
	    !take_line_number(l, &wish->last_line))
		return false;
	if (wish->last_line < wish->first_line)
		return complain(l, begin, "the last line, %u, comes before the first, %u",
				wish->last_line, wish->first_line);
	return want_end(l);
}

/* --- a variable --- */

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (c & 0x80);
}

static const char *take_name(struct line *l, const char *what)
{
	const char *begin = l->at;

	while (l->at < l->end && is_name_byte(*l->at))
		l->at++;
	if (l->at == begin) {
		complain(l, begin, "%s was expected", what);
		return NULL;
	}
	if (*begin >= '0' && *begin <= '9') {
		complain(l, begin, "%s does not begin with a digit", what);
		return NULL;
	}
	return keep(l, begin, (size_t)(l->at - begin));
}

static bool take_common(struct line *l, struct bob_wish *wish)
{
	const char *begin = ++l->at;

	while (l->at < l->end && is_name_byte(*l->at))
		l->at++;
	wish->scope = BOB_SCOPE_COMMON;
	wish->in = keep(l, begin, (size_t)(l->at - begin)); /* blank COMMON has no name */
	if (l->at == l->end || *l->at != '/')
		return complain(l, l->at, "'/' was expected behind the name of the COMMON block");
	l->at++;
	return wish->in != NULL;
}

static bool take_star(struct line *l, struct bob_wish *wish)
{
	if (l->at == l->end || *l->at != '*')
		return false;
	wish->column = (uint32_t)(l->at - l->begin) + 1;
	wish->name = "*";
	l->at++;
	return true;
}

static bool take_qualified(struct line *l, struct bob_wish *wish)
{
	wish->in = "";
	if (l->at < l->end && *l->at == '/' && !take_common(l, wish))
		return false;
	if (take_star(l, wish))
		return true;
	wish->column = (uint32_t)(l->at - l->begin) + 1;
	wish->name = take_name(l, "the name of a variable");
	if (!wish->name || wish->scope == BOB_SCOPE_COMMON || l->at == l->end ||
	    (*l->at != ':' && *l->at != '%'))
		return wish->name != NULL;
	wish->scope = *l->at++ == ':' ? BOB_SCOPE_UNIT : BOB_SCOPE_MODULE;
	wish->in = wish->name;
	if (take_star(l, wish))
		return true;
	wish->column = (uint32_t)(l->at - l->begin) + 1;
	wish->name = take_name(l, "the name of a variable");
	return wish->name != NULL;
}

static bool take_separator(struct line *l, bool brackets)
{
	if (brackets && l->end - l->at >= 2 && !memcmp(l->at, "..", 2)) {
		l->at += 2;
		return true;
	}
	if (!brackets && l->at < l->end && *l->at == ':') {
		l->at++;
		return true;
	}
	return false;
}

/* 3, 1..10, 1.., ..10, .. up to one of the bytes in `ends`. */
static bool take_range(struct line *l, bool brackets, const char *ends, struct bob_wish_range *r)
{
	const char *begin = l->at;
	bool is_open;

	*r = (struct bob_wish_range){ INT64_MIN, INT64_MAX };
	skip_blanks(l);
	is_open = l->end - l->at >= 1 && (*l->at == ':' || *l->at == '.');
	if (!is_open && !take_number(l, &r->first))
		return false;
	skip_blanks(l);
	if (!take_separator(l, brackets)) {
		if (l->at == l->end || !strchr(ends, *l->at))
			return complain(l, l->at,
					brackets ? "a subscript, or first..last, was expected" :
						   "a subscript, or first:last, was expected");
		r->last = r->first;
		return true;
	}
	skip_blanks(l);
	if (l->at < l->end && !strchr(ends, *l->at) && !take_number(l, &r->last))
		return false;
	skip_blanks(l);
	if (l->at == l->end || !strchr(ends, *l->at))
		return complain(l, l->at, "'%c' was expected", brackets ? ']' : ')');
	if (r->last < r->first)
		return complain(l, begin, "the last subscript comes before the first");
	return true;
}

static bool add_range(struct line *l, bool brackets, const char *ends, struct bob_wish *wish)
{
	if (wish->rank == BOB_WISH_RANK_MAX)
		return complain(l, l->at, "more than %u subscripts", BOB_WISH_RANK_MAX);
	return take_range(l, brackets, ends, &wish->box[wish->rank++]);
}

static bool take_box(struct line *l, struct bob_wish *wish)
{
	if (l->at < l->end && *l->at == '(') {
		do {
			l->at++;
			if (!add_range(l, false, ",)", wish))
				return false;
		} while (*l->at == ',');
		l->at++;
	}
	while (!wish->rank || l->at[-1] == ']') {
		if (l->at == l->end || *l->at != '[')
			break;
		l->at++;
		if (!add_range(l, true, "]", wish))
			return false;
		l->at++;
	}
	if (l->at < l->end && !memchr(" \t\r", *l->at, 3))
		return complain(l, l->at, "a blank was expected, not '%c'", *l->at);
	skip_blanks(l);
	return true;
}

/* --- commands --- */

static void enter(struct line *l, const struct bob_wish *wish)
{
	struct bob_wish *w = bob_arena_alloc(&l->w->arena, sizeof(*w));
	struct bob_wish_file *f = l->w->last;

	if (!w) {
		l->st = BOB_ERR_NOMEM;
		return;
	}
	*w = *wish;
	w->command = l->w->commands;
	if (f->last)
		f->last->next = w;
	else
		f->first = w;
	f->last = w;
}

static bool want_file(struct line *l, const char *at)
{
	return l->w->last || complain(l, at, "no file yet: `trace file F` comes first");
}

static enum bob_command file(struct line *l)
{
	const char *end = l->end;
	struct bob_wish_file *f;

	while (end > l->at && memchr(" \t\r", end[-1], 3))
		end--;
	if (end == l->at) {
		complain(l, l->at, "the name of a file was expected");
		return BOB_COMMAND_NONE;
	}
	f = bob_arena_alloc(&l->w->arena, sizeof(*f));
	if (!f || !(f->path = keep(l, l->at, (size_t)(end - l->at)))) {
		l->st = BOB_ERR_NOMEM;
		return BOB_COMMAND_NONE;
	}
	f->command = l->w->commands;
	if (l->w->last)
		l->w->last->next = f;
	else
		l->w->first = f;
	l->w->last = f;
	return BOB_COMMAND_FILE;
}

static bool code(struct line *l, struct bob_wish *wish)
{
	if (!want_word(l, "at"))
		return false;
	if (take_word(l, "loop"))
		wish->what = BOB_WISH_LOOPS;
	else if (take_word(l, "subroutine"))
		wish->what = BOB_WISH_CALLS;
	else
		return complain(l, l->at, "'loop' or 'subroutine' was expected, not '%.*s'",
				shown(l), l->at);
	return want_word(l, "level");
}

static enum bob_command trace(struct line *l, const char *begin)
{
	struct bob_wish wish = { .in = "", .name = "" };
	bool ok;

	if (take_word(l, "file"))
		return file(l);
	if (take_word(l, "variable")) {
		ok = want_file(l, begin) && take_qualified(l, &wish) && take_box(l, &wish);
	} else if (take_word(l, "code")) {
		ok = want_file(l, begin) && code(l, &wish);
	} else if (take_word(l, "communication")) {
		wish.what = BOB_WISH_COMMUNICATION;
		ok = want_file(l, begin);
	} else {
		ok = complain(l, l->at,
			      "'file', 'variable', 'code' or 'communication' was expected%s%.*s%s",
			      l->at == l->end ? "" : ", not '", shown(l), l->at,
			      l->at == l->end ? "" : "'");
	}
	if (ok && take_lines(l, &wish))
		enter(l, &wish);
	return BOB_COMMAND_TRACE;
}

/* Files go, too, once nothing is said of them. */
static enum bob_command undo(struct line *l, const char *begin)
{
	struct bob_wish_file *f = l->w->last, *before = NULL;
	struct bob_wish *w, *previous = NULL;

	if (!want_end(l))
		return BOB_COMMAND_NONE;
	if (!f) {
		complain(l, begin, "nothing to undo");
		return BOB_COMMAND_NONE;
	}
	if (f->first) {
		for (w = f->first; w->next; w = w->next)
			previous = w;
		f->last = previous;
		*(previous ? &previous->next : &f->first) = NULL;
		return BOB_COMMAND_UNDO;
	}
	for (struct bob_wish_file *g = l->w->first; g != f; g = g->next)
		before = g;
	l->w->last = before;
	*(before ? &before->next : &l->w->first) = NULL;
	return BOB_COMMAND_UNDO;
}

static enum bob_command command(struct line *l)
{
	static const struct {
		const char *word;
		enum bob_command command;
	} plain[] = { { "show", BOB_COMMAND_SHOW },
		      { "help", BOB_COMMAND_HELP },
		      { "bye", BOB_COMMAND_BYE } };
	const char *begin = l->at;

	if (l->at == l->end || *l->at == '#')
		return BOB_COMMAND_NONE;
	if (take_word(l, "trace"))
		return trace(l, begin);
	if (take_word(l, "undo"))
		return undo(l, begin);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (take_word(l, plain[i].word)) {
			want_end(l);
			return plain[i].command;
		}
	complain(l, begin, "'%.*s' is no command: want trace, show, undo, help or bye", shown(l),
		 begin);
	return BOB_COMMAND_NONE;
}

bob_status bob_wishes_put(struct bob_wishes *w, const char *line, size_t len, enum bob_command *out,
			  struct bob_command_complaint *why)
{
	struct line l = { .at = line, .end = line + len, .begin = line, .w = w, .why = why };

	why->column = 0;
	why->text[0] = 0;
	w->commands++;
	if (len > BOB_COMMAND_BYTES_MAX)
		complain(&l, line, "a line of more than %u bytes", BOB_COMMAND_BYTES_MAX);
	else if (memchr(line, 0, len))
		complain(&l, (const char *)memchr(line, 0, len), "a zero byte");
	skip_blanks(&l);
	if (l.st == BOB_OK)
		*out = command(&l);
	for (char *c = why->text; *c; c++) /* it may have pieces of the line */
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return l.st;
}

void bob_wishes_free(struct bob_wishes *w)
{
	bob_arena_free(&w->arena);
	*w = (struct bob_wishes){ 0 };
}
