/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds labels that are jumped to: in GO TO, arithmetic IF, ASSIGN, alternate returns, END=, ERR=,
 * EOR=. All numbers in these places are taken as labels; numbers that are no labels have no effect,
 * because no statement of the unit has them. */
#include "source/fortran/nest.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "source/fortran/expr.h"
#include "source/fortran/parse.h"
#include "source/fortran/reserve.h"
#include "source/fortran/split.h"

struct labels {
	struct bob_arena *arena;
	struct named {
		uint32_t unit, label;
	} * at;
	uint32_t count, capacity;
	bool failed;
};

static void add(struct labels *l, uint32_t unit, uint32_t label)
{
	if (!bob_fortran_reserve(l->arena, &l->at, l->count, &l->capacity, sizeof(*l->at))) {
		l->failed = true;
		return;
	}
	l->at[l->count++] = (struct named){ unit, label };
}

/* Adds every number in text[from, to) that is not part of a name. */
static void add_numbers(struct labels *l, const struct bob_fortran_statement *s, uint32_t from,
			uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		uint32_t n = 0;

		if (!bob_is_digit(s->text[i]) || (i > from && bob_fortran_is_word(s->text[i - 1])))
			continue;
		for (; i < to && bob_is_digit(s->text[i]); i++)
			n = n * 10 + (uint32_t)(s->text[i] - '0');
		add(l, s->unit, n);
	}
}

/* `word` and digits, as in err=10, in an I/O statement. */
static void add_after(struct labels *l, const struct bob_fortran_statement *s, const char *word)
{
	uint32_t n = (uint32_t)strlen(word);

	for (uint32_t i = 0; i + n < s->len; i++) {
		uint32_t p = i + n;

		if (memcmp(s->text + i, word, n) != 0 || (i && bob_fortran_is_word(s->text[i - 1])))
			continue;
		while (p < s->len && s->text[p] == ' ')
			p++;
		if (s->text[p] != '=')
			continue;
		for (p++; p < s->len && s->text[p] == ' '; p++)
			;
		if (bob_is_digit(s->text[p])) {
			uint32_t to = p;

			while (bob_is_digit(s->text[to]))
				to++;
			add_numbers(l, s, p, to);
		}
	}
}

/* Alternate returns *10 and &10 among arguments. */
static void add_alternates(struct labels *l, const struct bob_fortran_statement *s, uint32_t from)
{
	for (uint32_t i = from; i + 1 < s->len; i++) {
		char before;
		uint32_t b = i;

		if ((s->text[i] != '*' && s->text[i] != '&') || !bob_is_digit(s->text[i + 1]))
			continue;
		while (b > from && s->text[b - 1] == ' ')
			b--;
		before = b > from ? s->text[b - 1] : 0;
		if (before == '(' || before == ',') {
			uint32_t to = i + 1;

			while (bob_is_digit(s->text[to]))
				to++;
			add_numbers(l, s, i + 1, to);
		}
	}
}

static void look(struct labels *l, const struct bob_fortran_statement *s,
		 enum bob_fortran_kind kind, uint32_t from)
{
	struct bob_fortran_parser r = { .text = s->text, .p = from, .end = s->len };

	switch (kind) {
	case BOB_F_GOTO:
	case BOB_F_ASSIGNED_GOTO:
	case BOB_F_ASSIGN_LABEL:
		/* in fixed form the digits directly follow the word */
		bob_fortran_skip_word(&r, kind == BOB_F_ASSIGN_LABEL ? "assign" : "go to");
		add_numbers(l, s, r.p, s->len);
		break;
	case BOB_F_COMPUTED_GOTO:
		while (r.p < r.end && s->text[r.p] != '(')
			r.p++;
		add_numbers(l, s, r.p, bob_fortran_group_end(&r));
		break;
	case BOB_F_ARITHMETIC_IF:
		while (r.p < r.end && s->text[r.p] != '(')
			r.p++;
		bob_fortran_skip_group(&r);
		add_numbers(l, s, r.p, s->len);
		break;
	case BOB_F_CALL:
		add_alternates(l, s, from);
		break;
	case BOB_F_IF:
		if (s->body && kind == s->kind)
			look(l, s, s->body_kind, s->body);
		break;
	default:
		if (bob_fortran_group(kind) != BOB_FORTRAN_EXECUTABLE)
			break;
		if (kind == BOB_F_READ || kind == BOB_F_WRITE || (kind >= BOB_F_OPEN)) {
			add_after(l, s, "err");
			add_after(l, s, "end");
			add_after(l, s, "eor");
		}
		break;
	}
}

BOB_COMPARE(compare, struct named, BOB_UP(unit) BOB_UP(label))

bob_status bob_fortran_mark_targets(struct bob_fortran_file *f)
{
	struct labels l = { .arena = f->arena };

	for (uint32_t i = 0; i < f->count && !l.failed; i++)
		look(&l, &f->statements[i], f->statements[i].kind, f->statements[i].from);
	if (l.failed)
		return BOB_ERR_NOMEM;
	if (!l.count)
		return BOB_OK;
	qsort(l.at, l.count, sizeof(*l.at), compare);
	for (uint32_t i = 0; i < f->count; i++) {
		struct named key = { f->statements[i].unit, f->statements[i].label };

		if (key.label)
			f->statements[i].is_branch_target =
				bsearch(&key, l.at, l.count, sizeof(*l.at), compare) != NULL;
	}
	return BOB_OK;
}
