/* SPDX-License-Identifier: BSD-3-Clause */
/* Determines the items of a statement: for each kind of statement, its expressions and their roles.
 * Reads come before writes, as they are reported. Labels and construct names are not items. */
#include "source/fortran/parse.h"

#include <string.h>

#include "source/fortran/split.h"

struct items {
	struct bob_fortran_parser r;
	struct bob_fortran_item *first, *last;
	bool in_body;
};

static struct bob_fortran_item *add(struct items *t, const struct bob_fortran_expr *e,
				    enum bob_fortran_role role)
{
	struct bob_fortran_item *item = bob_arena_alloc(t->r.arena, sizeof(*item));

	if (!item || !e) {
		t->r.failed = true;
		return NULL;
	}
	item->expr = e;
	item->role = role;
	item->in_body = t->in_body;
	if (t->last)
		t->last->next = item;
	else
		t->first = item;
	t->last = item;
	return item;
}

static void add_expr(struct items *t, enum bob_fortran_role role)
{
	add(t, bob_fortran_parse_expr(&t->r), role);
}

/* Adds a variable; anything else is BAD. */
static void add_reference(struct items *t, enum bob_fortran_role role)
{
	(void)bob_fortran_peek(&t->r);
	add(t, bob_fortran_parse_reference(&t->r), role);
}

static bool is_named(const struct items *t, const struct bob_fortran_expr *e, const char *name)
{
	return e->name_len == strlen(name) && !memcmp(t->r.text + e->from, name, e->name_len);
}

static bool is_any(const struct items *t, const struct bob_fortran_expr *e,
		   const char *const *names)
{
	for (; *names; names++)
		if (is_named(t, e, *names))
			return true;
	return false;
}

/* keyword = value */
static void add_keyword(struct items *t, const struct bob_fortran_expr *e,
			enum bob_fortran_role role)
{
	struct bob_fortran_item *item;

	if (!e->child || e->child->node == BOB_N_LABEL || e->child->node == BOB_N_STAR)
		return;
	item = add(t, e->child, role);
	if (item) {
		item->keyword = e->from;
		item->keyword_len = e->name_len;
	}
}

static void assignment(struct items *t)
{
	struct bob_fortran_expr *left = bob_fortran_parse_reference(&t->r);
	bool is_pointer;

	(void)bob_fortran_peek(&t->r);
	t->r.p += t->r.p < t->r.end; /* = */
	is_pointer = bob_fortran_accept(&t->r, ">");
	add_expr(t, is_pointer ? BOB_ROLE_TARGET : BOB_ROLE_READ);
	add(t, left, is_pointer ? BOB_ROLE_POINT : BOB_ROLE_WRITE);
}

/* ( expression ) after a word. */
static void condition(struct items *t, const char *word)
{
	bob_fortran_skip_word(&t->r, word);
	if (bob_fortran_accept(&t->r, "("))
		add_expr(t, BOB_ROLE_READ);
	(void)bob_fortran_accept(&t->r, ")");
}

static void do_loop(struct items *t)
{
	struct bob_fortran_expr *variable;

	bob_fortran_skip_word(&t->r, "do");
	while (bob_is_digit(bob_fortran_peek(&t->r)))
		t->r.p++;
	(void)bob_fortran_accept(&t->r, ",");
	(void)bob_fortran_peek(&t->r);
	variable = bob_fortran_parse_reference(&t->r);
	(void)bob_fortran_accept(&t->r, "=");
	do
		add_expr(t, BOB_ROLE_READ);
	while (!t->r.failed && bob_fortran_accept(&t->r, ","));
	add(t, variable, BOB_ROLE_LOOP);
}

/* (i = 1:n, j = 1:m:2, mask) of FORALL and DO CONCURRENT; a type may come first. */
static void index_header(struct items *t)
{
	struct bob_fortran_expr *list, *e;
	struct bob_fortran_parser ahead = t->r;
	uint32_t end = bob_fortran_group_end(&t->r);

	if (bob_fortran_peek(&t->r) != '(')
		return;
	for (ahead.p = t->r.p + 1; ahead.p + 1 < end; ahead.p++)
		if (ahead.text[ahead.p] == '=' || ahead.text[ahead.p] == '(')
			break;
		else if (!memcmp(ahead.text + ahead.p, "::", 2)) {
			t->r.p = ahead.p + 1; /* the second colon replaces the bracket */
			break;
		}
	list = bob_fortran_parse_arguments(&t->r);
	for (e = list ? list->child : NULL; e; e = e->next)
		add(t, e->node == BOB_N_KEYWORD && e->child ? e->child : e, BOB_ROLE_READ);
}

static void do_while_or_concurrent(struct items *t, bool is_while)
{
	bob_fortran_skip_word(&t->r, "do");
	while (bob_is_digit(bob_fortran_peek(&t->r)))
		t->r.p++;
	(void)bob_fortran_accept(&t->r, ",");
	if (is_while) {
		condition(t, "while");
	} else {
		bob_fortran_skip_word(&t->r, "concurrent");
		index_header(t);
	}
}

/* (a => x, b => y) or (x): selectors. */
static void selectors(struct items *t, const char *word)
{
	bob_fortran_skip_word(&t->r, word);
	if (!bob_fortran_accept(&t->r, "("))
		return;
	do {
		uint32_t from;

		(void)bob_fortran_peek(&t->r);
		from = t->r.p;
		t->r.p += bob_fortran_name_len(&t->r);
		if (!bob_fortran_accept(&t->r, "=>"))
			t->r.p = from;
		add_expr(t, BOB_ROLE_TARGET);
	} while (!t->r.failed && bob_fortran_accept(&t->r, ","));
}

static void allocation(struct items *t, const char *word, enum bob_fortran_role role)
{
	static const char *const written[] = { "stat", "errmsg", NULL };
	struct bob_fortran_parser ahead;
	struct bob_fortran_expr *list, *e;
	uint32_t end;

	bob_fortran_skip_word(&t->r, word);
	if (bob_fortran_peek(&t->r) != '(')
		return;
	end = bob_fortran_group_end(&t->r);
	ahead = t->r;
	for (ahead.p++; ahead.p + 1 < end && ahead.text[ahead.p] != ','; ahead.p++) {
		if (ahead.text[ahead.p] == '(')
			bob_fortran_skip_group(&ahead);
		if (ahead.p + 1 < end && !memcmp(ahead.text + ahead.p, "::", 2)) {
			t->r.p = ahead.p + 1;
			break;
		}
	}
	list = bob_fortran_parse_arguments(&t->r);
	for (e = list ? list->child : NULL; e; e = e->next)
		if (e->node == BOB_N_KEYWORD && is_named(t, e, "source"))
			add_keyword(t, e, BOB_ROLE_READ);
	for (e = list ? list->child : NULL; e; e = e->next)
		if (e->node != BOB_N_KEYWORD)
			add(t, e, role);
		else if (is_any(t, e, written))
			add_keyword(t, e, BOB_ROLE_WRITE);
		else if (!is_named(t, e, "source"))
			add_keyword(t, e, BOB_ROLE_INQUIRE);
}

/* The controls (...) of an I/O statement. */
static void controls(struct items *t, const struct bob_fortran_expr *list, bool is_inquire)
{
	static const char *const written[] = { "iostat", "iomsg", "size", "id", "newunit",
					       NULL };
	static const char *const read[] = { "unit", "file", NULL };
	static const char *const jumps[] = { "end", "err", "eor", NULL };
	const struct bob_fortran_expr *e;

	for (e = list ? list->child : NULL; e; e = e->next) {
		if (e->node == BOB_N_NOTHING || e->node == BOB_N_STAR || e->node == BOB_N_LABEL)
			continue;
		if (e->node != BOB_N_KEYWORD) {
			add(t, e, BOB_ROLE_READ);
			continue;
		}
		if (is_any(t, e, jumps))
			continue;
		if (is_named(t, e, "nml"))
			add_keyword(t, e, BOB_ROLE_NAME);
		else if (is_inquire ? !is_any(t, e, read) : is_any(t, e, written))
			add_keyword(t, e, BOB_ROLE_WRITE);
		else
			add_keyword(t, e, BOB_ROLE_READ);
	}
}

static void data_list(struct items *t, enum bob_fortran_role role)
{
	(void)bob_fortran_accept(&t->r, ",");
	if (!bob_fortran_peek(&t->r))
		return;
	do {
		struct bob_fortran_item *item;

		item = add(t, bob_fortran_parse_item(&t->r), role);
		if (item)
			item->is_list = true;
		if (!t->r.failed && bob_fortran_peek(&t->r) && t->r.text[t->r.p] != ',') {
			t->r.bad_count++; /* unexpected text after the item */
			return;
		}
	} while (!t->r.failed && bob_fortran_accept(&t->r, ","));
}

/* word (controls) list, or word format, list */
static void transfer(struct items *t, const char *word, enum bob_fortran_role role,
		     bool has_controls)
{
	bob_fortran_skip_word(&t->r, word);
	/* `read (10) x` has controls, `read (fmt), x` a format in parentheses */
	if (bob_fortran_peek(&t->r) == '(' && has_controls) {
		struct bob_fortran_parser after = t->r;

		bob_fortran_skip_group(&after);
		if (role == BOB_ROLE_READ || bob_fortran_peek(&after) != ',') {
			controls(t, bob_fortran_parse_arguments(&t->r), false);
			data_list(t, role);
			return;
		}
	}
	if (!bob_fortran_accept(&t->r, "*")) {
		struct bob_fortran_expr *e = bob_fortran_parse_expr(&t->r);

		if (e && e->node != BOB_N_INTEGER && e->node != BOB_N_STRING)
			add(t, e, BOB_ROLE_READ);
	}
	data_list(t, role);
}

static void control_only(struct items *t, const char *word, bool is_inquire)
{
	bob_fortran_skip_word(&t->r, word);
	if (bob_fortran_peek(&t->r) != '(') {
		if (bob_fortran_peek(&t->r))
			add_expr(t, BOB_ROLE_READ);
		return;
	}
	controls(t, bob_fortran_parse_arguments(&t->r), is_inquire);
	if (is_inquire)
		data_list(t, BOB_ROLE_INQUIRE);
}

/* ENCODE and DECODE: (count, format, buffer) list */
static void internal(struct items *t, const char *word, bool is_encode)
{
	struct bob_fortran_expr *list, *e;
	int n = 0;

	bob_fortran_skip_word(&t->r, word);
	if (bob_fortran_peek(&t->r) != '(')
		return;
	list = bob_fortran_parse_arguments(&t->r);
	for (e = list ? list->child : NULL; e; e = e->next, n++)
		if (n != 2 || !is_encode)
			add(t, e, BOB_ROLE_READ);
	data_list(t, is_encode ? BOB_ROLE_READ : BOB_ROLE_WRITE);
	for (e = list ? list->child : NULL, n = 0; e && is_encode; e = e->next, n++)
		if (n == 2)
			add(t, e, BOB_ROLE_WRITE);
}

/* An optional expression after a word: RETURN, STOP. */
static void code(struct items *t, const char *word)
{
	bob_fortran_skip_word(&t->r, word);
	if (!bob_fortran_peek(&t->r))
		return;
	do {
		if (bob_fortran_peek(&t->r) == 'q' && strstr(t->r.text + t->r.p, "quiet")) {
			bob_fortran_skip_word(&t->r, "quiet");
			(void)bob_fortran_accept(&t->r, "=");
		}
		add_expr(t, BOB_ROLE_READ);
	} while (!t->r.failed && bob_fortran_accept(&t->r, ","));
}

static void jump(struct items *t, enum bob_fortran_kind kind)
{
	bob_fortran_skip_word(&t->r, "go to");
	if (kind == BOB_F_COMPUTED_GOTO) {
		(void)bob_fortran_peek(&t->r);
		bob_fortran_skip_group(&t->r);
		(void)bob_fortran_accept(&t->r, ",");
		add_expr(t, BOB_ROLE_READ);
	} else {
		add_reference(t, BOB_ROLE_READ);
	}
}

static void assign_label(struct items *t)
{
	bob_fortran_skip_word(&t->r, "assign");
	while (bob_is_digit(bob_fortran_peek(&t->r)))
		t->r.p++;
	bob_fortran_skip_word(&t->r, "to");
	add_reference(t, BOB_ROLE_WRITE);
}

static void call(struct items *t)
{
	bob_fortran_skip_word(&t->r, "call");
	add_reference(t, BOB_ROLE_CALL);
}

/* READ, WRITE and related statements; false: another statement. */
static bool input_output(struct items *t, enum bob_fortran_kind kind)
{
	static const struct {
		enum bob_fortran_kind kind;
		const char *word;
	} plain[] = { { BOB_F_OPEN, "open" },		{ BOB_F_CLOSE, "close" },
		      { BOB_F_BACKSPACE, "backspace" }, { BOB_F_ENDFILE, "end file" },
		      { BOB_F_REWIND, "rewind" },	{ BOB_F_FLUSH, "flush" },
		      { BOB_F_WAIT, "wait" },		{ BOB_F_INQUIRE, "inquire" } };

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (plain[i].kind == kind) {
			control_only(t, plain[i].word, kind == BOB_F_INQUIRE);
			return true;
		}
	if (kind == BOB_F_READ)
		transfer(t, "read", BOB_ROLE_WRITE, true);
	else if (kind == BOB_F_ACCEPT)
		transfer(t, "accept", BOB_ROLE_WRITE, false);
	else if (kind == BOB_F_WRITE)
		transfer(t, "write", BOB_ROLE_READ, true);
	else if (kind == BOB_F_PRINT)
		transfer(t, bob_fortran_peek(&t->r) == 't' ? "type" : "print", BOB_ROLE_READ,
			 false);
	else if (kind == BOB_F_ENCODE || kind == BOB_F_DECODE)
		internal(t, kind == BOB_F_ENCODE ? "encode" : "decode", kind == BOB_F_ENCODE);
	else
		return false;
	return true;
}

static void items_of(struct items *t, enum bob_fortran_kind kind);

/* One-line IF, WHERE, FORALL: the controlled statement follows. */
static void body(struct items *t, const struct bob_fortran_statement *s)
{
	if (!s->body || t->in_body)
		return;
	t->in_body = true;
	t->r.p = s->body;
	items_of(t, s->body_kind);
	if (s->body_kind == BOB_F_WHERE || s->body_kind == BOB_F_FORALL)
		assignment(t);
}

static void items_of(struct items *t, enum bob_fortran_kind kind)
{
	if (input_output(t, kind))
		return;
	switch (kind) {
	case BOB_F_ASSIGN:
	case BOB_F_POINTER_ASSIGN:
		assignment(t);
		break;
	case BOB_F_ASSIGN_LABEL:
		assign_label(t);
		break;
	case BOB_F_IF:
	case BOB_F_IF_THEN:
	case BOB_F_ARITHMETIC_IF:
		condition(t, "if");
		break;
	case BOB_F_ELSE_IF:
		condition(t, "else if");
		break;
	case BOB_F_WHERE:
	case BOB_F_WHERE_CONSTRUCT:
		condition(t, "where");
		break;
	case BOB_F_ELSEWHERE:
		condition(t, "else where");
		break;
	case BOB_F_SELECT_CASE:
		condition(t, "select case");
		break;
	case BOB_F_FORALL:
	case BOB_F_FORALL_CONSTRUCT:
		bob_fortran_skip_word(&t->r, "forall");
		index_header(t);
		break;
	case BOB_F_DO:
		do_loop(t);
		break;
	case BOB_F_DO_WHILE:
	case BOB_F_DO_CONCURRENT:
		do_while_or_concurrent(t, kind == BOB_F_DO_WHILE);
		break;
	case BOB_F_SELECT_TYPE:
		selectors(t, "select type");
		break;
	case BOB_F_SELECT_RANK:
		selectors(t, "select rank");
		break;
	case BOB_F_ASSOCIATE:
		selectors(t, "associate");
		break;
	case BOB_F_COMPUTED_GOTO:
	case BOB_F_ASSIGNED_GOTO:
		jump(t, kind);
		break;
	case BOB_F_CALL:
		call(t);
		break;
	case BOB_F_RETURN:
		code(t, "return");
		break;
	case BOB_F_STOP:
		code(t, "stop");
		break;
	case BOB_F_ERROR_STOP:
		code(t, "error stop");
		break;
	case BOB_F_PAUSE:
		code(t, "pause");
		break;
	case BOB_F_ALLOCATE:
		allocation(t, "allocate", BOB_ROLE_ALLOCATE);
		break;
	case BOB_F_DEALLOCATE:
		allocation(t, "deallocate", BOB_ROLE_RELEASE);
		break;
	case BOB_F_NULLIFY:
		allocation(t, "nullify", BOB_ROLE_RELEASE);
		break;
	default:
		break;
	}
}

bob_status bob_fortran_items(struct bob_arena *arena, const struct bob_fortran_statement *s,
			     const struct bob_fortran_item **out, uint32_t *bad_count)
{
	struct items t = { .r = { .arena = arena, .text = s->text, .p = s->from, .end = s->len } };

	items_of(&t, s->kind);
	if (s->kind == BOB_F_IF || s->kind == BOB_F_WHERE || s->kind == BOB_F_FORALL)
		body(&t, s);
	if (t.r.failed)
		return BOB_ERR_NOMEM;
	*out = t.first;
	if (bad_count)
		*bad_count = t.r.bad_count;
	return BOB_OK;
}
