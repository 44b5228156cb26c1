/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up the items of --mem-only in debug information and symbols of all images before the
 * program starts, so an unknown name is an error at once. Addresses are link addresses of an image:
 * the agent adds the load address. */
#define _GNU_SOURCE
#include "cli/record/mem_only.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host/nearest.h"
#include "cli/terminal/complain.h"
#include "plan/plan.h"

#define BOXES_MAX 1000u	/* as many fit into the program's environment */
#define ITEM_MAX 256u

struct item {
	char text[ITEM_MAX];	/* as given */
	char file[ITEM_MAX];	/* "": any */
	char qualified[2 * ITEM_MAX + 2]; /* `unit:x` as in debug names, unit::x; "": none */
	const char *name;	/* in `rest`; NULL: addresses */
	char rest[ITEM_MAX];
	uint64_t off, bytes;	/* bytes 0: to the end */
	int found, thread_local, short_of; /* matching variables; thread-local; too small */
	uint64_t size;		/* of a variable that is too small */
};

struct lookup {
	struct item *item;
	const char *path;	/* of the current image */
	int images;		/* number of earlier ones; the program is the first */
	uint64_t key;
	struct bob_nearest near;
	char near_name[ITEM_MAX];
	struct cli_vars *vars;
	unsigned boxes;
};

/* --- parsing --- */

/* Decimal, or hexadecimal with 0x. *end: the following text. */
static int read_number(const char *s, uint64_t *n, char **end)
{
	int hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');

	if (s[0] < '0' || s[0] > '9')
		return 0;
	errno = 0;
	*n = strtoull(s, end, hex ? 16 : 10);
	return *end != s && !errno;
}

/* Finds the single colon after FILE: names have double ones. */
static char *file_end(char *text)
{
	char *last = NULL;

	for (char *p = text; *p; p++) {
		if (p[0] == ':' && p[1] == ':')
			p++;
		else if (*p == ':')
			last = p;
	}
	return last;
}

static int bad_item(const struct item *i, const char *at, const char *why)
{
	cli_misuse("record", "--mem-only=%s: %s at column %zu", i->text, why,
		   (size_t)(at - i->rest) + (i->file[0] ? strlen(i->file) + 1 : 0) + 1);
	return 125;
}

/* Parses the text after "..": +BYTES, or the end address. */
static int read_bytes(struct item *i, char *at)
{
	int plus = *at == '+';
	char *end;

	if (!read_number(at + plus, &i->bytes, &end) || *end || (!plus && i->name))
		return bad_item(i, at, i->name ? "want +BYTES" : "want +BYTES or an address");
	if (!plus && i->bytes > i->off)
		i->bytes -= i->off;
	else if (!plus || !i->bytes || (!i->name && i->off + i->bytes < i->off))
		return bad_item(i, at, "empty or invalid range");
	return 0;
}

/* The text before the colon may be a function's name. */
static void qualify(struct item *i)
{
	if (i->file[0] && !strpbrk(i->file, "./"))
		snprintf(i->qualified, sizeof(i->qualified), "%s::%s", i->file, i->rest);
}

/* `module%x` is the same as module::x. */
static void spell_module(char *name)
{
	char *sign = strchr(name, '%');
	const size_t n = strlen(name);

	if (!sign || n + 2 > ITEM_MAX)
		return;
	memmove(sign + 1, sign, n - (size_t)(sign - name) + 1);
	sign[0] = sign[1] = ':';
}

static int read_item(struct item *i, const char *text, size_t len)
{
	char *colon, *dots, *plus, *end;

	*i = (struct item){ .found = 0 };
	if (!len || len >= ITEM_MAX)
		return cli_misuse("record", "--mem-only: %s",
				  len ? "too long a name" :
					"want a name before and after each comma"),
		       125;
	memcpy(i->text, text, len);
	memcpy(i->rest, text, len);
	spell_module(i->rest);
	colon = file_end(i->rest);
	if (colon) {
		memcpy(i->file, i->rest, (size_t)(colon - i->rest));
		memmove(i->rest, colon + 1, strlen(colon));
	}
	dots = strstr(i->rest, "..");
	if (i->rest[0] >= '0' && i->rest[0] <= '9') {
		if (colon || !read_number(i->rest, &i->off, &end) || end != dots)
			return bad_item(i, i->rest, "want addresses, 0xA..0xB or 0xA..+BYTES,");
		return read_bytes(i, dots + 2);
	}
	i->name = i->rest;
	if (!dots)
		return i->rest[0] ? qualify(i), 0 : bad_item(i, i->rest, "want a name");
	if (read_bytes(i, dots + 2))
		return 125;
	*dots = '\0';
	plus = strchr(i->rest, '+');
	if (plus && (!read_number(plus + 1, &i->off, &end) || *end))
		return bad_item(i, plus, "want +OFFSET");
	if (plus)
		*plus = '\0';
	return i->rest[0] ? qualify(i), 0 : bad_item(i, i->rest, "want a name");
}

/* --- look-up --- */

static void add_box(struct lookup *l, uint64_t key, uint64_t addr, uint64_t bytes)
{
	const char *all = cli_vars_get(l->vars, "BOBBIN_MEM_BOXES");
	char text[64];

	snprintf(text, sizeof(text), "%" PRIx64 "+%" PRIx64 "+%" PRIx64 ",", key, addr, bytes);
	for (const char *at = all; at && (at = strstr(at, text)); at++)
		if (at == all || at[-1] == ',') /* found in debug information and as a symbol */
			return;
	if (l->boxes++ < BOXES_MAX)
		cli_vars_append(l->vars, "BOBBIN_MEM_BOXES", text);
}

/* Whether `file` equals the last components of `path`. */
static int is_file(const char *path, const char *file)
{
	size_t n = strlen(path), k = strlen(file);

	return k <= n && !strcmp(path + n - k, file) &&
	       (k == n || path[n - k - 1] == '/' || *file == '/');
}

/* Whether `wanted` is the whole name, or its last component. */
static int is_name(const char *name, const char *wanted)
{
	size_t n = strlen(name), k = strlen(wanted);

	if (!strcmp(name, wanted))
		return 1;
	if (wanted[0] == '/' && wanted[k - 1] == '/') /* a whole COMMON block */
		return !strncmp(name, wanted, k);
	return k < n && !strcmp(name + n - k, wanted) &&
	       (name[n - k - 1] == '/' || (n - k >= 2 && !memcmp(name + n - k - 2, "::", 2)));
}

static void try_near(struct lookup *l, const char *name)
{
	const char *last = name;

	if (l->images)
		return;
	for (const char *p = name; *p; p++)
		if (*p == '/' || (p[0] == ':' && p[1] == ':'))
			last = p + 1 + (*p == ':');
	if (strlen(name) >= ITEM_MAX || name[0] == '_')
		return;
	l->near.name = NULL;
	bob_nearest_try(&l->near, name);
	if (!l->near.name && last != name && *last)
		bob_nearest_try(&l->near, last);
	if (l->near.name) /* borrowed: copy it */
		snprintf(l->near_name, sizeof(l->near_name), "%s", name);
}

static void visit(void *ctx, const struct bob_plan_variable *v)
{
	struct lookup *l = ctx;
	struct item *i = l->item;

	const int is_there = !i->file[0] || is_file(v->unit, i->file) || is_file(l->path, i->file);

	if (!is_there && !i->qualified[0])
		return;
	if (!(is_there && is_name(v->name, i->name)) &&
	    !(i->qualified[0] && is_name(v->name, i->qualified))) {
		try_near(l, v->name);
		return;
	}
	if (v->is_thread_local) {
		i->thread_local ++;
		return;
	}
	if (i->off >= v->size || i->bytes > v->size - i->off) {
		i->short_of++;
		i->size = v->size;
		return;
	}
	i->found++;
	add_box(l, l->key, v->addr + i->off, i->bytes ? i->bytes : v->size - i->off);
}

static void look_into(void *ctx, const char *image)
{
	struct lookup *l = ctx;

	if (l->images && l->item->found) /* the program's names take precedence over libraries' */
		return;
	l->path = image;
	if (bob_plan_key(image, &l->key, NULL) == BOB_OK)
		(void)bob_plan_variables(image, visit, l, NULL);
	l->images++;
}

static int not_found(const struct lookup *l, const struct item *i)
{
	if (i->thread_local)
		cli_fail("record",
			 "--mem-only=%s: a thread-local variable has no address of its own",
			 i->text);
	else if (i->short_of)
		cli_fail("record", "--mem-only=%s: the variable has %" PRIu64 " bytes", i->text,
			 i->size);
	else
		cli_fail("record",
			 "--mem-only=%s: no such variable in the program or its libraries%s%s%s "
			 "(only static ones have a name before the program runs)",
			 i->text, l->near_name[0] ? "; did you mean " : "", l->near_name,
			 l->near_name[0] ? "?" : "");
	return 125;
}

static int look_up(struct lookup *l, struct item *i, const char *path)
{
	struct bob_error err = { .text = "" };
	bob_status st;

	l->item = i;
	l->images = 0;
	if (!i->name) {
		add_box(l, 0, i->off, i->bytes);
		return 0;
	}
	memset(&l->near, 0, sizeof(l->near));
	l->near.word = i->name;
	l->near_name[0] = '\0';
	st = bob_plan_closure(path, look_into, l, &err);
	if (st != BOB_OK)
		return cli_fail_status("record", path, st, &err), 125;
	if (!i->found && strchr(i->file, '/')) /* the program may load it later */
		look_into(l, i->file);
	return i->found ? 0 : not_found(l, i);
}

int cli_mem_only(struct cli_vars *v, const char *path, const char *list)
{
	struct lookup l = { .vars = v };
	const char *at = list;

	for (;;) {
		size_t len = strcspn(at, ",");
		struct item i;
		int bad = read_item(&i, at, len);

		if (!bad)
			bad = look_up(&l, &i, path);
		if (bad)
			return bad;
		if (!at[len])
			break;
		at += len + 1;
	}
	if (l.boxes > BOXES_MAX)
		return cli_fail("record", "--mem-only: %u variables, at most %u can be chosen",
				l.boxes, BOXES_MAX),
		       125;
	cli_vars_set(v, "BOBBIN_MEM_ONLY", list);
	return 0;
}
