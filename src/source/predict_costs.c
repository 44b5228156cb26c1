/* SPDX-License-Identifier: BSD-3-Clause */
/* The measured costs of probes (`bench/source/figures --costs`; docs/bench-source.md has the
 * numbers and the machine), and the parser of lines with which the user overrides assumptions:
 *
 *     baseline SECONDS            run time of the program without probes
 *     code BYTES                  its text and data, as printed by `size`
 *     trips FILE:LINE COUNT       of the loop that begins there, each time that it is reached
 *     runs FUNCTION COUNT
 *     share FILE:LINE PART        fraction, 0 .. 1, of evaluations in which the condition that
 *                                 begins there is true
 *     share PART                  the default for all conditions
 *     cost [c|fortran] NAME NS    of one of the names below; code-... are bytes
 *
 * Empty lines and lines that begin with # are ignored. */
#define _GNU_SOURCE
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/predict_parts.h"
#include "base/ascii.h"

#define COST(text, member, c, fortran)                                                             \
	{ text, offsetof(struct bob_predict_costs, member), { c, fortran } }
static const struct {
	const char *name;
	size_t at;
	double value[BOB_PREDICT_LANGUAGES];
} costs[] = {
	COST("traced", traced, 8.5, 10),
	COST("outside", outside, 0.5, 0.4),
	COST("turn", turn, 11.3, 11.5),
	COST("end", end, 20, 21),
	COST("back", back, 208, 188),
	COST("scattered", scattered, 115, 205),
	COST("chance", chance, 27, 27),
	COST("nest", nest, 4, 10.5),
	COST("nest-access", nest_access, 0.7, 5.3),
	COST("row", row, 18.4, 21),
	COST("row-access", row_access, 11.9, 11),
	COST("box", box, 20, 20.5),
	COST("box-access", box_access, 11.7, 11.7),
	COST("out", out, 4.3, 4.3),
	COST("out-access", out_access, 5.3, 5),
	COST("miss", miss, 0.5, 0.7),
	COST("miss-access", miss_access, 1.8, 0.5),
	COST("declare", declare, 35, 35),
	COST("begin", begin, 6e6, 8e6),
	COST("least", least, 0.1, 0.1),
	COST("most", most, 1, 1),
	COST("code-empty", code_empty, 0, 2550),
	COST("code-file", code_file, 660, 2730),
	COST("code-single", code_single, 265, 250),
	COST("code-nest", code_nest, 415, 620),
	COST("code-nest-access", code_nest_access, 68, 61),
	COST("code-variable", code_variable, 50, 650),
};
#define COSTS (sizeof(costs) / sizeof(costs[0]))

void bob_predict_costs_begin(struct bob_predict_costs to[BOB_PREDICT_LANGUAGES])
{
	for (size_t l = 0; l < BOB_PREDICT_LANGUAGES; l++)
		for (size_t i = 0; i < COSTS; i++)
			*bob_predict_cost(&to[l], costs[i].name, strlen(costs[i].name)) =
				costs[i].value[l];
}

double *bob_predict_cost(struct bob_predict_costs *c, const char *name, size_t len)
{
	for (size_t i = 0; i < COSTS; i++)
		if (strlen(costs[i].name) == len && !memcmp(costs[i].name, name, len))
			return (double *)(void *)((char *)c + costs[i].at);
	return NULL;
}

/* --- lines --- */

struct reader {
	struct bob_predict *p;
	const char *begin, *at, *end;
	uint32_t *column;
	char *why;
};

__attribute__((format(printf, 3, 4))) static bob_status
complain(const struct reader *r, const char *at, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(r->why, BOB_PREDICT_WHY_BYTES, format, ap);
	va_end(ap);
	for (char *c = r->why; *c; c++) /* it may contain bytes of the line */
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	*r->column = (uint32_t)(at - r->begin) + 1;
	return BOB_ERR_INVAL;
}

/* The next word; its length, 0 at the end of the line. */
static size_t word(struct reader *r, const char **begin)
{
	while (r->at < r->end && bob_is_blank(*r->at))
		r->at++;
	*begin = r->at;
	while (r->at < r->end && !bob_is_blank(*r->at))
		r->at++;
	return (size_t)(r->at - *begin);
}

static bool is_word(const char *at, size_t len, const char *text)
{
	return strlen(text) == len && !memcmp(at, text, len);
}

/* A number from 0 to `most`, which must be the end of the line. */
static bob_status last_number(struct reader *r, double most, double *value)
{
	const char *at;
	const size_t len = word(r, &at);
	char text[40], *end;

	if (!len || len >= sizeof(text))
		return complain(r, at, "a number was expected");
	memcpy(text, at, len);
	text[len] = 0;
	*value = strtod(text, &end);
	if (end != text + len || !isdigit((unsigned char)text[len - 1]) || !isfinite(*value) ||
	    *value < 0)
		return complain(r, at, "a number that is not below 0 was expected, not '%s'", text);
	if (*value > most)
		return complain(r, at, "a number from 0 to %g was expected, not '%s'", most, text);
	if (word(r, &at))
		return complain(r, at, "the end of the line was expected");
	return BOB_OK;
}

static bob_status say(struct reader *r, const char *name, size_t len, uint32_t line, bool is_share)
{
	struct bob_predict_said *s = bob_arena_alloc(&r->p->arena, sizeof(*s));
	bob_status st = s ? BOB_OK : BOB_ERR_NOMEM;

	if (st == BOB_OK)
		st = last_number(r, is_share ? 1 : DBL_MAX, &s->value);
	if (st != BOB_OK)
		return st;
	s->name = bob_predict_text(r->p, name, len);
	s->line = line;
	s->is_share = is_share;
	s->at = r->p->lines;
	r->p->is_shared |= line != 0;
	s->next = r->p->said;
	r->p->said = s;
	return BOB_OK;
}

/* FILE:LINE COUNT */
static bob_status of_line(struct reader *r, bool is_share)
{
	const char *at, *colon;
	size_t len = word(r, &at), name;
	unsigned long line = 0;

	colon = len ? memrchr(at, ':', len) : NULL;
	name = colon ? (size_t)(colon - at) : 0;
	for (size_t i = name + 1; name && i < len; i++)
		line = isdigit((unsigned char)at[i]) && line < UINT32_MAX / 10 ?
			       10 * line + (unsigned long)(at[i] - '0') :
			       UINT32_MAX;
	if (!name || !line || line >= UINT32_MAX)
		return complain(r, at, "FILE:LINE of a %s was expected",
				is_share ? "condition" : "loop");
	return say(r, at, name, (uint32_t)line, is_share);
}

/* Of one condition, or the default of all conditions. */
static bob_status share(struct reader *r)
{
	const char *const before = r->at, *at;
	const size_t len = word(r, &at);
	bob_status st;
	double value;

	r->at = before;
	if (len && memchr(at, ':', len))
		return of_line(r, true);
	st = last_number(r, 1, &value);
	if (st == BOB_OK)
		r->p->condition = value;
	r->p->is_shared |= st == BOB_OK;
	return st;
}

static bob_status runs(struct reader *r)
{
	const char *at;
	const size_t len = word(r, &at);

	return len ? say(r, at, len, 0, false) :
		     complain(r, at, "the name of a function was expected");
}

static bob_status cost(struct reader *r)
{
	const char *at;
	size_t len = word(r, &at);
	const bool c = is_word(at, len, "c"), fortran = is_word(at, len, "fortran");
	double value, *to;
	bob_status st;

	if (c || fortran)
		len = word(r, &at);
	if (!bob_predict_cost(&r->p->costs[0], at, len))
		return complain(r, at, "'%.*s' is no cost: want traced, outside, nest, row, ...",
				(int)(len < 40 ? len : 40), at);
	st = last_number(r, DBL_MAX, &value);
	for (size_t l = 0; l < BOB_PREDICT_LANGUAGES && st == BOB_OK; l++) {
		to = bob_predict_cost(&r->p->costs[l], at, len);
		if (!(l == BOB_PREDICT_C ? fortran : c))
			*to = value;
	}
	return st;
}

bob_status bob_predict_assume(struct bob_predict *p, const char *line, size_t len, uint32_t *column,
			      char why[BOB_PREDICT_WHY_BYTES])
{
	struct reader r = { p, line, line, line + len, column, why };
	const char *at;
	const size_t n = word(&r, &at);
	bob_status st;
	double value;

	p->lines++;
	if (!n || *at == '#')
		return BOB_OK;
	if (is_word(at, n, "trips"))
		return of_line(&r, false);
	if (is_word(at, n, "runs"))
		return runs(&r);
	if (is_word(at, n, "share"))
		return share(&r);
	if (is_word(at, n, "cost"))
		return cost(&r);
	if (!is_word(at, n, "baseline") && !is_word(at, n, "code"))
		return complain(
			&r, at,
			"'%.*s' is unknown: want baseline, code, trips, runs, share or cost",
			(int)(n < 40 ? n : 40), at);
	st = last_number(&r, DBL_MAX, &value);
	if (st == BOB_OK && *at == 'b')
		p->baseline_ns = value * 1e9;
	else if (st == BOB_OK)
		p->code = value;
	return st;
}
