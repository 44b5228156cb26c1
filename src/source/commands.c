/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive-descent parser of the commands, one line at a time. A request is added to the table
 * only after its whole line was parsed without error. */
#include "source/commands_line.h"

#include <string.h>
#include <strings.h>

static bool take_line_number(struct bob_line *l, uint32_t *value)
{
	const char *begin = l->at;
	int64_t v;

	if (!bob_line_number(l, &v))
		return false;
	if (v < 1 || v >= UINT32_MAX)
		return bob_line_complain(l, begin, "lines are numbered from 1");
	*value = (uint32_t)v;
	if (l->at < l->end && !memchr(" \t\r", *l->at, 3))
		return bob_line_complain(l, begin, "a line's number was expected");
	bob_line_skip(l);
	return true;
}

/* [from L1 to L2] */
static bool take_lines(struct bob_line *l, struct bob_request *request)
{
	static const char *const from[] = { "from", NULL };
	const char *begin = l->at;

	request->first_line = 1;
	request->last_line = UINT32_MAX;
	if (l->at == l->end)
		return true;
	if (!bob_line_take(l, "from"))
		return bob_line_miss(l, "'from', or the end of the line,", from);
	if (!take_line_number(l, &request->first_line) || !bob_line_want(l, "to") ||
	    !take_line_number(l, &request->last_line))
		return false;
	if (request->last_line < request->first_line)
		return bob_line_complain(l, begin, "the last line, %u, comes before the first, %u",
					 request->last_line, request->first_line);
	return bob_line_want_end(l);
}

/* --- a variable --- */

static bool take_common(struct bob_line *l, struct bob_request *request)
{
	const char *begin = ++l->at;

	while (l->at < l->end && bob_line_is_name_byte(*l->at))
		l->at++;
	request->scope = BOB_SCOPE_COMMON;
	request->in =
		bob_line_keep(l, begin, (size_t)(l->at - begin)); /* blank COMMON has no name */
	if (l->at == l->end || *l->at != '/')
		return bob_line_complain(l, l->at,
					 "'/' was expected after the name of the COMMON block");
	l->at++;
	return request->in != NULL;
}

static bool take_star(struct bob_line *l, struct bob_request *request)
{
	if (l->at == l->end || *l->at != '*')
		return false;
	request->column = (uint32_t)(l->at - l->begin) + 1;
	request->name = "*";
	l->at++;
	return true;
}

/* ->member, .member, %component and [*], as many as there are. */
static bool take_path(struct bob_line *l, struct bob_request *request)
{
	const char *begin = l->at;
	bool is_more = true;

	while (is_more) {
		const size_t left = (size_t)(l->end - l->at);
		const bool is_arrow = left >= 2 && !memcmp(l->at, "->", 2);

		if (left >= 3 && !memcmp(l->at, "[*]", 3)) {
			l->at += 3;
		} else if (is_arrow || (left && (*l->at == '.' || *l->at == '%'))) {
			l->at += is_arrow ? 2 : 1;
			if (!bob_line_name(l, "the name of a member"))
				return false;
		} else {
			is_more = false;
		}
	}
	if (l->at > begin)
		request->path = bob_line_keep(l, begin, (size_t)(l->at - begin));
	return l->st == BOB_OK;
}

static bool take_qualified(struct bob_line *l, struct bob_request *request)
{
	request->in = "";
	if (l->at < l->end && *l->at == '/' && !take_common(l, request))
		return false;
	if (take_star(l, request))
		return true;
	request->column = (uint32_t)(l->at - l->begin) + 1;
	request->name = bob_line_name(l, "the name of a variable");
	if (!request->name || request->scope == BOB_SCOPE_COMMON || l->at == l->end ||
	    (*l->at != ':' && *l->at != '%'))
		return request->name != NULL;
	request->scope = *l->at++ == ':' ? BOB_SCOPE_UNIT : BOB_SCOPE_MODULE;
	request->in = request->name;
	if (take_star(l, request))
		return true;
	request->column = (uint32_t)(l->at - l->begin) + 1;
	request->name = bob_line_name(l, "the name of a variable");
	return request->name != NULL;
}

static bool take_separator(struct bob_line *l, bool brackets)
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

/* A subscript range: 3, 1..10, 1.., ..10 or .. followed by one of the bytes in `ends`. */
static bool take_range(struct bob_line *l, bool brackets, const char *ends,
		       struct bob_request_range *r)
{
	const char *begin = l->at;
	bool is_open;

	*r = (struct bob_request_range){ INT64_MIN, INT64_MAX };
	bob_line_skip(l);
	is_open = l->end - l->at >= 1 && (*l->at == ':' || *l->at == '.');
	if (!is_open && !bob_line_number(l, &r->first))
		return false;
	bob_line_skip(l);
	if (!take_separator(l, brackets)) {
		if (l->at == l->end || !strchr(ends, *l->at))
			return bob_line_complain(
				l, l->at,
				brackets ? "a subscript, or first..last, was expected" :
					   "a subscript, or first:last, was expected");
		r->last = r->first;
		return true;
	}
	bob_line_skip(l);
	if (l->at < l->end && !strchr(ends, *l->at) && !bob_line_number(l, &r->last))
		return false;
	bob_line_skip(l);
	if (l->at == l->end || !strchr(ends, *l->at))
		return bob_line_complain(l, l->at, "'%c' was expected", brackets ? ']' : ')');
	if (r->last < r->first)
		return bob_line_complain(l, begin, "the last subscript comes before the first");
	return true;
}

static bool add_range(struct bob_line *l, bool brackets, const char *ends,
		      struct bob_request *request)
{
	if (request->rank == BOB_REQUEST_RANK_MAX)
		return bob_line_complain(l, l->at, "more than %u subscripts", BOB_REQUEST_RANK_MAX);
	return take_range(l, brackets, ends, &request->box[request->rank++]);
}

static bool miss_blank(struct bob_line *l, const struct bob_request *request)
{
	const bool is_member = *l->at == '.' || *l->at == '-' || *l->at == '%';

	if (*l->at == ',')
		return bob_line_complain(l, l->at, "a line names one variable");
	if (!request->rank || !is_member)
		return bob_line_complain(l, l->at, "a blank was expected, not '%c'", *l->at);
	return bob_line_complain(
		l, l->at,
		"a member of some elements cannot be named: take the elements, or, in C, "
		"the memory that this member of all gets, %.40s[*].NAME",
		request->name);
}

static bool take_box(struct bob_line *l, struct bob_request *request)
{
	if (l->at < l->end && *l->at == '(') {
		do {
			l->at++;
			if (!add_range(l, false, ",)", request))
				return false;
		} while (*l->at == ',');
		l->at++;
	}
	while (!request->rank || l->at[-1] == ']') {
		if (l->at == l->end || *l->at != '[')
			break;
		l->at++;
		if (!add_range(l, true, "]", request))
			return false;
		l->at++;
	}
	if (l->at < l->end && !memchr(" \t\r", *l->at, 3))
		return miss_blank(l, request);
	bob_line_skip(l);
	return true;
}

/* --- commands --- */

static void enter(struct bob_line *l, const struct bob_request *request)
{
	struct bob_request *w = bob_arena_alloc(&l->w->arena, sizeof(*w));
	struct bob_request_file *f = l->w->last;

	if (!w) {
		l->st = BOB_ERR_NOMEM;
		return;
	}
	*w = *request;
	w->command = l->w->commands;
	if (f->last)
		f->last->next = w;
	else
		f->first = w;
	f->last = w;
}

static bool want_file(struct bob_line *l, const char *at)
{
	return l->w->last || bob_line_complain(l, at, "no file yet: `trace file F` comes first");
}

static enum bob_command file(struct bob_line *l)
{
	const char *end = l->end;
	struct bob_request_file *f;

	while (end > l->at && memchr(" \t\r", end[-1], 3))
		end--;
	if (end == l->at) {
		bob_line_complain(l, l->at, "the name of a file was expected");
		return BOB_COMMAND_NONE;
	}
	f = bob_arena_alloc(&l->w->arena, sizeof(*f));
	if (!f || !(f->path = bob_line_keep(l, l->at, (size_t)(end - l->at)))) {
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

static bool code(struct bob_line *l, struct bob_request *request)
{
	static const char *const levels[] = { "loop", "subroutine", NULL };

	if (!bob_line_want(l, "at"))
		return false;
	if (bob_line_take(l, "loop"))
		request->what = BOB_REQUEST_LOOPS;
	else if (bob_line_take(l, "subroutine"))
		request->what = BOB_REQUEST_CALLS;
	else
		return bob_line_miss(l, "'loop' or 'subroutine'", levels);
	return bob_line_want(l, "level");
}

/* (K) or (K,L), directly after a word. */
static bool arguments(struct bob_line *l, uint32_t *to, uint32_t max)
{
	int64_t value;

	for (uint32_t i = 0; i < max; i++) {
		const char *begin = ++l->at;

		if (!bob_line_number(l, &value))
			return false;
		if (value < 1 || value > 1000)
			return bob_line_complain(l, begin, "arguments are numbered from 1");
		to[i] = (uint32_t)value;
		if (l->at == l->end || *l->at != ',')
			break;
	}
	if (l->at == l->end || *l->at != ')')
		return bob_line_complain(l, l->at, "')' was expected");
	l->at++;
	bob_line_skip(l);
	return true;
}

static bool is_call_of(struct bob_line *l, const char *word)
{
	const size_t len = strlen(word);

	if ((size_t)(l->end - l->at) <= len || strncasecmp(l->at, word, len) || l->at[len] != '(')
		return false;
	l->at += len;
	return true;
}

/* NAME [size(K[,L]) | count(K[,L]) | text] [free(K)] */
static bool allocator(struct bob_line *l, struct bob_request *request)
{
	static const char *const says[] = { "size", "count", "text", "free", NULL };
	struct bob_request_allocator *a = &request->allocator;

	request->in = "";
	request->column = (uint32_t)(l->at - l->begin) + 1;
	request->name = bob_line_name(l, "the name of a function");
	if (!request->name)
		return false;
	bob_line_skip(l);
	a->is_counted = is_call_of(l, "count");
	if (a->is_counted || is_call_of(l, "size")) {
		if (!arguments(l, a->size, 2))
			return false;
	} else {
		a->is_text = bob_line_take(l, "text");
	}
	if (is_call_of(l, "free") && !arguments(l, &a->old, 1))
		return false;
	if (!a->size[0] && !a->is_text && !a->old)
		return bob_line_miss(l, "size(K), count(K), text or free(K)", says);
	return bob_line_want_end(l);
}

static enum bob_command trace(struct bob_line *l, const char *begin)
{
	struct bob_request request = { .in = "",
				 .name = "",
				 .column = (uint32_t)(l->at - l->begin) + 1 };
	static const char *const whats[] = { "file",	       "variable",  "code",
					     "communication", "allocator", NULL };
	bool ok;

	if (bob_line_take(l, "file"))
		return file(l);
	if (bob_line_take(l, "variable")) {
		ok = want_file(l, begin) && take_qualified(l, &request) && take_path(l, &request) &&
		     take_box(l, &request);
	} else if (bob_line_take(l, "code")) {
		ok = want_file(l, begin) && code(l, &request);
	} else if (bob_line_take(l, "communication")) {
		request.what = BOB_REQUEST_COMMUNICATION;
		ok = want_file(l, begin);
	} else if (bob_line_take(l, "allocator")) {
		request.what = BOB_REQUEST_ALLOCATOR;
		request.first_line = 1;
		request.last_line = UINT32_MAX;
		if (want_file(l, begin) && allocator(l, &request))
			enter(l, &request);
		return BOB_COMMAND_TRACE;
	} else {
		ok = bob_line_miss(l, "'file', 'variable', 'code', 'communication' or 'allocator'",
				   whats);
	}
	if (ok && take_lines(l, &request))
		enter(l, &request);
	return BOB_COMMAND_TRACE;
}

/* Removes the last request, or the last file if it has none. */
static enum bob_command undo(struct bob_line *l, const char *begin)
{
	struct bob_request_file *f = l->w->last, *before = NULL;
	struct bob_request *w, *previous = NULL;

	if (!bob_line_want_end(l))
		return BOB_COMMAND_NONE;
	if (!f) {
		bob_line_complain(l, begin, "nothing to undo");
		return BOB_COMMAND_NONE;
	}
	if (f->first) {
		for (w = f->first; w->next; w = w->next)
			previous = w;
		f->last = previous;
		*(previous ? &previous->next : &f->first) = NULL;
		return BOB_COMMAND_UNDO;
	}
	for (struct bob_request_file *g = l->w->first; g != f; g = g->next)
		before = g;
	l->w->last = before;
	*(before ? &before->next : &l->w->first) = NULL;
	return BOB_COMMAND_UNDO;
}

static enum bob_command command(struct bob_line *l)
{
	static const struct {
		const char *word;
		enum bob_command command;
	} plain[] = { { "show", BOB_COMMAND_SHOW },
		      { "help", BOB_COMMAND_HELP },
		      { "bye", BOB_COMMAND_BYE } };
	static const char *const words[] = { "trace", "show", "undo", "help", "bye", NULL };
	const char *begin = l->at;

	if (l->at == l->end || *l->at == '#')
		return BOB_COMMAND_NONE;
	if (bob_line_take(l, "trace"))
		return trace(l, begin);
	if (bob_line_take(l, "undo"))
		return undo(l, begin);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (bob_line_take(l, plain[i].word)) {
			bob_line_want_end(l);
			return plain[i].command;
		}
	bob_line_miss(l, "trace, show, undo, help or bye", words);
	return BOB_COMMAND_NONE;
}

bob_status bob_requests_put(struct bob_requests *w, const char *line, size_t len,
			    enum bob_command *out, struct bob_command_complaint *why)
{
	struct bob_line l = { .at = line, .end = line + len, .begin = line, .w = w, .why = why };

	why->column = 0;
	why->text[0] = 0;
	w->commands++;
	if (len > BOB_COMMAND_BYTES_MAX)
		bob_line_complain(&l, line, "a line of more than %u bytes", BOB_COMMAND_BYTES_MAX);
	else if (memchr(line, 0, len))
		bob_line_complain(&l, (const char *)memchr(line, 0, len),
				  "a zero byte: this is no text");
	bob_line_skip(&l);
	if (l.st == BOB_OK)
		*out = command(&l);
	for (char *c = why->text; *c; c++) /* it may contain bytes of the line */
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return l.st;
}

void bob_requests_free(struct bob_requests *w)
{
	bob_arena_free(&w->arena);
	*w = (struct bob_requests){ 0 };
}
