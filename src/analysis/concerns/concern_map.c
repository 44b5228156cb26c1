/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of maps of concerns. The text is untrusted: it is copied, and read once with a pointer and
 * an end; zeros terminate words in place. The contents of files are looked up later (count.c). */
#include "analysis/concerns/concern_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/host/vec.h"

enum section { NO_SECTION, COMPONENT, CONCERN, ANNOTATIONS };

struct parser {
	struct bob_concerns_map *map;
	struct bob_concerns_complaint *why;
	const char *at, *end;		/* the rest of the current line */
	const char *begin;		/* start of the current line */
	char *words;			/* where the next word is stored */
	uint32_t line;
	enum section section;
	uint32_t owner;			/* index in its table */
	size_t cap;			/* capacity of claims */
};

/* Functions and macros that only mark events, see include/bobbin/events.h. */
static const char *const event_marks[] = { "bob_event_begin*", "bob_event_end*",
					   "bob_event_instant*", "BOB_EVENT_BEGIN",
					   "BOB_EVENT_END", "BOB_EVENT_INSTANT" };
#define EVENT_MARKS (sizeof(event_marks) / sizeof(*event_marks))

/* --- messages --- */

#define COMPLAIN(p, column, st, ...)                                                               \
	bob_concerns_complain((p)->why, st, (p)->map->name, (p)->line, column, __VA_ARGS__)

static uint32_t column_of(const struct parser *p, const char *at)
{
	return (uint32_t)(at - p->begin) + 1;
}

/* "a, b, c": the valid names, for messages about unknown ones. */
static const char *list_names(const struct bob_concerns_name *names, uint32_t count,
			      char buffer[128])
{
	size_t n = 0;

	snprintf(buffer, 128, "none");
	for (uint32_t i = 0; i < count && n < 100; i++)
		n += (size_t)snprintf(buffer + n, 128 - n, "%s%.24s", i ? ", " : "", names[i].name);
	if (n >= 100)
		memcpy(buffer + 120, "...", 4);
	return buffer;
}

/* --- words --- */

static void skip_blank(struct parser *p)
{
	while (p->at < p->end && bob_is_blank(*p->at))
		p->at++;
}

static int at_end(struct parser *p)
{
	skip_blank(p);
	return p->at == p->end || *p->at == '#';
}

static int takes(struct parser *p, char c)
{
	skip_blank(p);
	if (p->at == p->end || *p->at != c)
		return 0;
	p->at++;
	return 1;
}

/* Reads a word up to a blank or one of `stops`, or a quoted word, in which \ escapes the next
 * character. *column: its start. `words` never overtakes `at`, because a word is not longer than
 * its source. */
static bob_status read_word(struct parser *p, const char *stops, const char **out, uint32_t *column)
{
	const char *from;
	char *to = p->words;

	skip_blank(p);
	from = p->at;
	*column = column_of(p, from);
	if (p->at < p->end && *p->at == '"') {
		for (p->at++; p->at < p->end && *p->at != '"'; p->at++) {
			if (*p->at == '\\' && p->end - p->at > 1)
				p->at++;
			*to++ = *p->at;
		}
		if (p->at == p->end)
			return COMPLAIN(p, *column, BOB_ERR_CORRUPT, "the quote has no end");
		p->at++;
		if (to == p->words)
			return COMPLAIN(p, *column, BOB_ERR_CORRUPT, "the text in quotes is empty");
	} else {
		while (p->at < p->end && !bob_is_blank(*p->at) && !strchr(stops, *p->at))
			*to++ = *p->at++;
		if (p->at == from)
			return COMPLAIN(p, *column, BOB_ERR_CORRUPT,
					p->at < p->end ? "a name is missing before '%c'" :
							 "a name is missing",
					p->at < p->end ? *p->at : 0);
	}
	if (memchr(p->words, 0, (size_t)(to - p->words)))
		return COMPLAIN(p, *column, BOB_ERR_CORRUPT, "a zero byte is in a name");
	*to++ = 0;
	*out = p->words;
	p->words = to;
	return BOB_OK;
}

/* --- sections --- */

static uint32_t find_name(const struct bob_concerns_name *names, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(names[i].name, name))
			return i;
	return BOB_CONCERNS_NONE;
}

static bob_status add_name(struct parser *p, struct bob_concerns_name *names, uint32_t *count,
			   const char *what)
{
	struct bob_concerns_name *n = &names[*count];
	const char *name;
	uint32_t column, old;
	bob_status st = read_word(p, "]#", &name, &column);

	if (st != BOB_OK)
		return st;
	old = find_name(names, *count, name);
	if (old != BOB_CONCERNS_NONE)
		return COMPLAIN(p, column, BOB_ERR_CORRUPT,
				"%s '%.40s' is there twice, first in line %u", what, name,
				names[old].line);
	if (*count == BOB_CONCERNS_MAX)
		return COMPLAIN(p, column, BOB_ERR_FULL, "there are more than %u %ss",
				BOB_CONCERNS_MAX, what);
	*n = (struct bob_concerns_name){ name, p->line, column, BOB_CONCERNS_NONE, 0 };
	p->owner = (*count)++;
	return BOB_OK;
}

static bob_status take_section(struct parser *p)
{
	struct bob_concerns_map *m = p->map;
	const char *kind;
	uint32_t column;
	bob_status st = read_word(p, "]#", &kind, &column);

	if (st != BOB_OK)
		return st;
	if (!strcmp(kind, "component")) {
		p->section = COMPONENT;
		st = add_name(p, m->component, &m->components, "component");
	} else if (!strcmp(kind, "concern")) {
		p->section = CONCERN;
		st = add_name(p, m->concern, &m->concerns, "concern");
	} else if (!strcmp(kind, "annotations")) {
		p->section = ANNOTATIONS;
	} else {
		return COMPLAIN(p, column, BOB_ERR_CORRUPT,
				"section [%.40s] is not known; there are [component NAME], "
				"[concern NAME], [annotations]",
				kind);
	}
	if (st == BOB_OK && !takes(p, ']'))
		return COMPLAIN(p, column_of(p, p->at), BOB_ERR_CORRUPT, "']' is missing here");
	if (st == BOB_OK && !at_end(p))
		return COMPLAIN(p, column_of(p, p->at), BOB_ERR_CORRUPT,
				"the line must end after ']'");
	return st;
}

/* --- lines of files --- */

static bob_status read_line_number(struct parser *p, uint32_t *line)
{
	const char *from = p->at;
	uint32_t v = 0;

	while (p->at < p->end && *p->at >= '0' && *p->at <= '9' && v < 100000000)
		v = v * 10 + (uint32_t)(*p->at++ - '0');
	if (!v || (p->at < p->end && *p->at >= '0' && *p->at <= '9'))
		return COMPLAIN(p, column_of(p, from), BOB_ERR_CORRUPT,
				"a line's number is from 1 to 99999999");
	*line = v;
	return BOB_OK;
}

static bob_status read_end(struct parser *p, struct bob_concerns_end *end)
{
	uint32_t column;

	skip_blank(p);
	*end = (struct bob_concerns_end){ 0, NULL };
	if (p->at < p->end && *p->at == '"')
		return read_word(p, "", &end->text, &column);
	if (p->at < p->end && *p->at >= '0' && *p->at <= '9')
		return read_line_number(p, &end->line);
	return COMPLAIN(
		p, column_of(p, p->at), BOB_ERR_CORRUPT,
		"here must be lines: N, N-M, \"TEXT\", \"TEXT\" - \"TEXT\", or every \"TEXT\"");
}

static int takes_every(struct parser *p)
{
	skip_blank(p);
	if (p->end - p->at < 6 || memcmp(p->at, "every", 5) ||
	    !(bob_is_blank(p->at[5]) || p->at[5] == '"'))
		return 0;
	p->at += 5;
	skip_blank(p);
	return 1;
}

static bob_status read_lines(struct parser *p, struct bob_concerns_claim *c)
{
	bob_status st;

	skip_blank(p);
	c->column = column_of(p, p->at);
	c->shape = takes_every(p) ? BOB_CONCERNS_EVERY : BOB_CONCERNS_RANGE;
	if (c->shape == BOB_CONCERNS_EVERY && (p->at == p->end || *p->at != '"'))
		return COMPLAIN(p, column_of(p, p->at), BOB_ERR_CORRUPT,
				"a text in quotes must follow every");
	st = read_end(p, &c->first);
	c->last = (struct bob_concerns_end){ c->first.line, NULL };
	if (st != BOB_OK || c->shape == BOB_CONCERNS_EVERY || !takes(p, '-'))
		return st;
	st = read_end(p, &c->last);
	if (st == BOB_OK && !c->first.text && !c->last.text && c->last.line < c->first.line)
		return COMPLAIN(p, c->column, BOB_ERR_CORRUPT, "line %u is after line %u",
				c->first.line, c->last.line);
	return st;
}

static bob_status add_claim(struct parser *p, const struct bob_concerns_claim *c)
{
	struct bob_concerns_map *m = p->map;

	if (m->claims == BOB_CONCERNS_CLAIMS_MAX)
		return COMPLAIN(p, c->column, BOB_ERR_FULL, "there are more than %u ranges",
				BOB_CONCERNS_CLAIMS_MAX);
	if (bob_vec_reserve(&m->claim, m->claims, &p->cap, sizeof(*c), 1) != BOB_OK)
		return BOB_ERR_NOMEM;
	m->claim[m->claims++] = *c;
	return BOB_OK;
}

static bob_status find_file(struct parser *p, const char *path, uint32_t column, uint32_t *file)
{
	struct bob_concerns_map *m = p->map;

	for (*file = 0; *file < m->files; (*file)++)
		if (!strcmp(m->file[*file], path))
			return BOB_OK;
	if (m->files == BOB_CONCERNS_FILES_MAX)
		return COMPLAIN(p, column, BOB_ERR_FULL, "there are more than %u files",
				BOB_CONCERNS_FILES_MAX);
	if (bob_sloc_language_of(path, &m->language[m->files]) != BOB_OK)
		return COMPLAIN(p, column, BOB_ERR_CORRUPT,
				"'%.60s' is of no known language; known are " BOB_SLOC_EXTENSIONS,
				path);
	m->file[m->files++] = path;
	return BOB_OK;
}

/* FILE [LINES, LINES ...] */
static bob_status take_file(struct parser *p, const char *path, uint32_t column)
{
	struct bob_concerns_claim c = { .of_concern = p->section == CONCERN,
					.owner = p->owner,
					.line = p->line,
					.column = column };
	bob_status st = find_file(p, path, column, &c.file);

	if (st == BOB_OK && at_end(p))
		return add_claim(p, &c);
	while (st == BOB_OK) {
		st = read_lines(p, &c);
		if (st == BOB_OK)
			st = add_claim(p, &c);
		if (st != BOB_OK || at_end(p))
			return st;
		if (!takes(p, ','))
			return COMPLAIN(p, column_of(p, p->at), BOB_ERR_CORRUPT,
					"',' or '-' or the end of the line must be here");
	}
	return st;
}

/* --- keys of concerns --- */

static bob_status take_home(struct parser *p)
{
	struct bob_concerns_map *m = p->map;
	struct bob_concerns_name *n = &m->concern[p->owner];
	char known[128];
	const char *name;
	uint32_t column;
	bob_status st = read_word(p, "#", &name, &column);

	if (st != BOB_OK)
		return st;
	if (n->home != BOB_CONCERNS_NONE)
		return COMPLAIN(p, column, BOB_ERR_CORRUPT, "concern '%.40s' has a home already",
				n->name);
	n->home = find_name(m->component, m->components, name);
	if (n->home == BOB_CONCERNS_NONE)
		return COMPLAIN(p, column, BOB_ERR_CORRUPT,
				"component '%.40s' is not known up to here; there are %s", name,
				list_names(m->component, m->components, known));
	if (!at_end(p))
		return COMPLAIN(p, column_of(p, p->at), BOB_ERR_CORRUPT,
				"the line must end after the component");
	return BOB_OK;
}

static bob_status take_rest(struct parser *p, uint32_t column)
{
	struct bob_concerns_map *m = p->map;

	for (uint32_t i = 0; i < m->concerns; i++)
		if (m->concern[i].rest)
			return COMPLAIN(p, column, BOB_ERR_CORRUPT,
					"the rest belongs to concern '%.40s' already (line %u)",
					m->concern[i].name, m->concern[i].rest);
	m->concern[p->owner].rest = p->line;
	return BOB_OK;
}

static bob_status take_marks(struct parser *p)
{
	struct bob_concerns_map *m = p->map;
	bob_status st = BOB_OK;
	uint32_t column;

	while (st == BOB_OK && !at_end(p)) {
		if (m->marks.count == BOB_CONCERNS_MARKS_MAX)
			return COMPLAIN(p, column_of(p, p->at), BOB_ERR_FULL,
					"there are more than %zu names",
					BOB_CONCERNS_MARKS_MAX - EVENT_MARKS);
		st = read_word(p, ",#", &m->mark[m->marks.count], &column);
		if (st == BOB_OK)
			m->marks.count++;
		(void)takes(p, ',');
	}
	return st;
}

static bob_status take_line(struct parser *p)
{
	const char *word;
	uint32_t column;
	int quoted;
	bob_status st;

	if (at_end(p))
		return BOB_OK;
	if (takes(p, '['))
		return take_section(p);
	if (p->section == ANNOTATIONS)
		return take_marks(p);
	quoted = *p->at == '"';
	st = read_word(p, "=#,", &word, &column);
	if (st != BOB_OK)
		return st;
	if (p->section == NO_SECTION)
		return COMPLAIN(p, column, BOB_ERR_CORRUPT, "'%.40s' is before the first section",
				word);
	if (takes(p, '=')) {
		if (!quoted && !strcmp(word, "home") && p->section == CONCERN)
			return take_home(p);
		return COMPLAIN(p, column, BOB_ERR_CORRUPT,
				p->section == CONCERN ? "'%.40s =' is not known; there is home =" :
							"'%.40s =' is not known in a component",
				word);
	}
	if (!quoted && !strcmp(word, "rest") && p->section == CONCERN && at_end(p))
		return take_rest(p, column);
	return take_file(p, word, column);
}

/* --- the whole map --- */

/* Every component and concern must have a claim. */
static bob_status check_whole(struct parser *p)
{
	struct bob_concerns_map *m = p->map;
	uint8_t has[2][BOB_CONCERNS_MAX] = { { 0 } };

	for (uint32_t i = 0; i < m->claims; i++)
		has[m->claim[i].of_concern][m->claim[i].owner] = 1;
	if (!m->components || !m->concerns)
		return COMPLAIN(p, 1, BOB_ERR_CORRUPT, "there is no %s",
				m->components ? "[concern NAME]" : "[component NAME]");
	for (uint32_t k = 0; k < 2; k++) {
		const struct bob_concerns_name *n = k ? m->concern : m->component;

		for (uint32_t i = 0; i < (k ? m->concerns : m->components); i++) {
			p->line = n[i].line;
			if (!has[k][i] && !n[i].rest)
				return COMPLAIN(p, n[i].column, BOB_ERR_CORRUPT,
						"%s '%.40s' has no lines",
						k ? "concern" : "component", n[i].name);
		}
	}
	return BOB_OK;
}

static bob_status parse_text(struct parser *p, const char *text, size_t len)
{
	const char *end = text + len;
	bob_status st = BOB_OK;

	while (text < end && st == BOB_OK) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));

		p->line++;
		p->begin = p->at = text;
		p->end = eol ? eol : end;
		st = take_line(p);
		text = eol ? eol + 1 : end;
	}
	p->line = p->line ? p->line : 1;
	return st == BOB_OK ? check_whole(p) : st;
}

bob_status bob_concerns_map_parse(const char *text, size_t len, const char *name,
				  struct bob_concerns_map **out, struct bob_concerns_complaint *why)
{
	struct bob_concerns_map *m;
	struct parser p = { .why = why };
	size_t name_len = strlen(name);
	bob_status st;

	if (len > BOB_CONCERNS_MAP_BYTES)
		return bob_concerns_complain(why, BOB_ERR_FULL, name, 1, 1,
					     "the map is larger than %u bytes",
					     BOB_CONCERNS_MAP_BYTES);
	m = calloc(1, sizeof(*m));
	/* each word needs a terminating zero, and there are at most as many words as bytes */
	if (m)
		m->text = malloc(2 * len + name_len + 2);
	if (!m || !m->text) {
		free(m);
		return BOB_ERR_NOMEM;
	}
	memcpy(m->text, name, name_len + 1);
	m->name = m->text;
	memcpy(m->mark, event_marks, sizeof(event_marks));
	m->marks = (struct bob_sloc_marks){ m->mark, EVENT_MARKS };
	p.map = m;
	p.words = m->text + name_len + 1;
	st = parse_text(&p, text, len);
	if (st != BOB_OK) {
		bob_concerns_map_destroy(m);
		return st;
	}
	*out = m;
	return BOB_OK;
}

void bob_concerns_map_destroy(struct bob_concerns_map *map)
{
	if (!map)
		return;
	free(map->claim);
	free(map->text);
	free(map);
}
