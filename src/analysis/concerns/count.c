/* SPDX-License-Identifier: BSD-3-Clause */
/* Applies a map to the texts of its files. Each file has one word per line, the owner of that line.
 * Claims are applied in the order of the map, so the second claim of a line is reported. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/concerns/concerns.h"

#define FREE 0u		/* a line without a claim; otherwise number of the claim + 1 */

struct laying {
	const struct bob_concerns_map *map;
	struct bob_concerns_complaint *why;
	uint32_t file;
	const char *text;
	size_t len;
	size_t lines;
	size_t *begin;		/* offset of each line, and of the end */
	uint8_t *class;
	uint32_t *claim[2];	/* [of_concern][line]: FREE or number of the claim + 1 */
};

static bob_status no_such_text(const struct laying *l, const struct bob_concerns_claim *c,
			       const char *text, const char *where)
{
	return bob_concerns_complain(l->why, BOB_ERR_CORRUPT, l->map->name, c->line, c->column,
				     "no line of '%.80s' has \"%.80s\"%s", l->map->file[c->file],
				     text, where);
}

static const char *name_of(const struct laying *l, const struct bob_concerns_claim *c)
{
	return c->of_concern ? l->map->concern[c->owner].name : l->map->component[c->owner].name;
}

/* --- lines of a claim --- */

static int line_has(const struct laying *l, size_t line, const char *text)
{
	size_t n = strlen(text);
	const char *p = l->text + l->begin[line], *end = l->text + l->begin[line + 1];

	for (; (size_t)(end - p) >= n; p++) {
		p = memchr(p, text[0], (size_t)(end - p));
		if (!p || (size_t)(end - p) < n)
			return 0;
		if (!memcmp(p, text, n))
			return 1;
	}
	return 0;
}

/* The next line with the text, from `line` on; l->lines: none. */
static size_t find_text(const struct laying *l, size_t line, const char *text)
{
	while (line < l->lines && !line_has(l, line, text))
		line++;
	return line;
}

static bob_status check_number(const struct laying *l, const struct bob_concerns_claim *c,
			       uint32_t number)
{
	if (number <= l->lines)
		return BOB_OK;
	return bob_concerns_complain(l->why, BOB_ERR_CORRUPT, l->map->name, c->line, c->column,
				     "'%.80s' has %zu lines, there is no line %u",
				     l->map->file[c->file], l->lines, number);
}

static bob_status first_line(const struct laying *l, const struct bob_concerns_claim *c, size_t *at)
{
	size_t again;

	if (!c->first.text) {
		*at = c->first.line - 1;
		return check_number(l, c, c->first.line);
	}
	*at = find_text(l, 0, c->first.text);
	if (*at == l->lines)
		return no_such_text(l, c, c->first.text, "");
	again = find_text(l, *at + 1, c->first.text);
	if (again < l->lines)
		return bob_concerns_complain(
			l->why, BOB_ERR_CORRUPT, l->map->name, c->line, c->column,
			"lines %zu and %zu of '%.80s' have \"%.80s\"; one must, or every", *at + 1,
			again + 1, l->map->file[c->file], c->first.text);
	return BOB_OK;
}

static bob_status last_line(const struct laying *l, const struct bob_concerns_claim *c,
			    size_t first, size_t *at)
{
	if (!c->last.text) {
		*at = c->last.line ? c->last.line - 1 : first;
		if (*at < first)
			return bob_concerns_complain(l->why, BOB_ERR_CORRUPT, l->map->name, c->line,
						     c->column,
						     "the range begins in line %zu, after its end",
						     first + 1);
		return check_number(l, c, (uint32_t)*at + 1);
	}
	*at = find_text(l, first + (c->first.text && !strcmp(c->first.text, c->last.text)),
			c->last.text);
	if (*at == l->lines)
		return no_such_text(l, c, c->last.text, " from there on");
	return BOB_OK;
}

/* --- assigning lines --- */

static bob_status lay(const struct laying *l, const struct bob_concerns_claim *c, size_t line)
{
	uint32_t *at = &l->claim[c->of_concern][line];
	const struct bob_concerns_claim *before = &l->map->claim[*at - (*at != FREE)];

	if (*at != FREE && before->owner != c->owner)
		return bob_concerns_complain(
			l->why, BOB_ERR_CORRUPT, l->map->name, c->line, c->column,
			"line %zu of '%.80s' belongs to %s '%.40s' already (line %u of the map)",
			line + 1, l->map->file[c->file], c->of_concern ? "concern" : "component",
			name_of(l, before), before->line);
	if (*at == FREE)
		*at = (uint32_t)(c - l->map->claim) + 1;
	return BOB_OK;
}

static bob_status lay_claim(const struct laying *l, const struct bob_concerns_claim *c)
{
	size_t first = 0, last = l->lines, found = 0;
	bob_status st = BOB_OK;

	if (c->shape == BOB_CONCERNS_EVERY) {
		for (size_t i = find_text(l, 0, c->first.text); i < l->lines && st == BOB_OK;
		     i = find_text(l, i + 1, c->first.text)) {
			st = lay(l, c, i);
			found++;
		}
		return found ? st : no_such_text(l, c, c->first.text, "");
	}
	if (c->shape == BOB_CONCERNS_RANGE) {
		st = first_line(l, c, &first);
		if (st == BOB_OK)
			st = last_line(l, c, first, &last);
		last++;
	}
	for (size_t i = first; i < last && st == BOB_OK; i++)
		st = lay(l, c, i);
	return st;
}

static uint32_t rest_of(const struct bob_concerns_map *map)
{
	for (uint32_t i = 0; i < map->concerns; i++)
		if (map->concern[i].rest)
			return i;
	return BOB_CONCERNS_NONE;
}

/* The message names the file relative to the map's folder, as the map does. */
static bob_status fail_unclaimed(const struct laying *l, size_t line, const char *whom)
{
	const char *slash = strrchr(l->map->name, '/'), *file = l->map->file[l->file];
	int dir = slash && *file != '/' ? (int)(slash + 1 - l->map->name) : 0;
	char path[160];

	snprintf(path, sizeof(path), "%.*s%s", dir, l->map->name, file);
	return bob_concerns_complain(l->why, BOB_ERR_CORRUPT, path, (uint32_t)line + 1, 1,
				     "the line belongs to no %s of %s", whom, l->map->name);
}

static bob_status count_lines(const struct laying *l, int count_marks,
			      struct bob_concerns_counts *out)
{
	uint32_t rest = rest_of(l->map);

	for (size_t i = 0; i < l->lines; i++) {
		uint32_t t = l->claim[0][i], s = l->claim[1][i];

		if (l->class[i] < BOB_SLOC_ANNOTATION)
			continue;
		if (t == FREE)
			return fail_unclaimed(l, i, "component");
		if (s == FREE && rest == BOB_CONCERNS_NONE)
			return fail_unclaimed(l, i, "concern");
		t = l->map->claim[t - 1].owner;
		s = s == FREE ? rest : l->map->claim[s - 1].owner;
		if (l->class[i] == BOB_SLOC_CODE || count_marks)
			out->sloc[t][s]++;
		else
			out->annotations[t]++;
	}
	return BOB_OK;
}

/* --- files --- */

static void find_lines(struct laying *l)
{
	size_t line = 0;

	l->begin[0] = 0;
	for (size_t i = 0; i < l->len; i++)
		if (l->text[i] == '\n')
			l->begin[++line] = i + 1;
	l->begin[l->lines] = l->len;
}

static bob_status lay_file(struct laying *l, int count_marks, struct bob_concerns_counts *out)
{
	bob_status st = BOB_OK;

	find_lines(l);
	for (uint32_t i = 0; i < l->map->claims && st == BOB_OK; i++)
		if (l->map->claim[i].file == l->file)
			st = lay_claim(l, &l->map->claim[i]);
	return st == BOB_OK ? count_lines(l, count_marks, out) : st;
}

static bob_status count_file(const struct bob_concerns_map *map, uint32_t file,
			     const struct bob_concerns_text *text, int count_marks,
			     struct bob_concerns_counts *out, struct bob_concerns_complaint *why)
{
	struct laying l = { map, why, file, text->text, text->len, 0, NULL, NULL, { NULL, NULL } };
	char *scratch = malloc(text->len + 1);
	bob_status st = BOB_ERR_NOMEM;

	l.lines = bob_sloc_lines(text->text, text->len);
	l.begin = malloc((l.lines + 2) * sizeof(*l.begin));
	l.class = malloc(l.lines + 1);
	l.claim[0] = calloc(l.lines + 1, sizeof(**l.claim));
	l.claim[1] = calloc(l.lines + 1, sizeof(**l.claim));
	if (scratch && l.begin && l.class && l.claim[0] && l.claim[1]) {
		bob_sloc_classify(text->text, text->len, map->language[file], &map->marks, scratch,
				  l.class);
		st = lay_file(&l, count_marks, out);
	}
	free(l.claim[1]);
	free(l.claim[0]);
	free(l.class);
	free(l.begin);
	free(scratch);
	return st;
}

/* The component with most of its lines (the first such one), unless the map names one. */
static uint32_t home_of(const struct bob_concerns_map *map, const struct bob_concerns_counts *c,
			uint32_t concern)
{
	uint32_t home = 0;

	if (map->concern[concern].home != BOB_CONCERNS_NONE)
		return map->concern[concern].home;
	for (uint32_t t = 1; t < map->components; t++)
		if (c->sloc[t][concern] > c->sloc[home][concern])
			home = t;
	return home;
}

bob_status bob_concerns_count(const struct bob_concerns_map *map,
			      const struct bob_concerns_text *files, int count_marks,
			      struct bob_concerns_counts *out, struct bob_concerns_complaint *why)
{
	struct bob_concerns_counts c = { .components = map->components, .concerns = map->concerns };
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < map->files && st == BOB_OK; i++)
		st = count_file(map, i, &files[i], count_marks, &c, why);
	if (st != BOB_OK)
		return st;
	for (uint32_t s = 0; s < map->concerns; s++)
		c.home[s] = home_of(map, &c, s);
	*out = c;
	return BOB_OK;
}
