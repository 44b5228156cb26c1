/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/report_hooks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive/events/hook_sets.h"
#include "archive/events/value_numbers.h"
#include "base/plain.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/place.h"
#include "cli/terminal/text_table.h"

#define TEXT_SHOWN 400u		/* bytes */
#define CALLERS_SHOWN 3u

/* One hook at one event, perhaps of one place; sets of the user's own are those of one process. */
struct row {
	char *event, *hook, *text;
	char *place;		/* where it is, for people; "": it is of no place */
	struct bob_set_call *call;
	uint32_t depth;
	uint32_t phase, processes;
	int is_numbers;
	struct bob_value_numbers numbers;
	size_t bytes;
};

struct reporting {
	const struct cli_report_style *style;
	const struct bob_trace *trace;
	struct row *row;
	size_t count, room;
	int failed;		/* no memory */
	int has_places;
	uint32_t damaged;
};

/* Control characters go to no terminal. */
static char *text_of(const uint8_t *bytes, size_t len)
{
	char *text = malloc(len + 1);

	if (!text)
		return NULL;
	memcpy(text, bytes, len);
	text[len] = 0;
	bob_text_make_plain(text, len);
	return text;
}

static int same(const char *text, const uint8_t *bytes, size_t len)
{
	return strlen(text) == len && !memcmp(text, bytes, len);
}

/* --- places --- */

/* As the process has it, or any other. */
static int find_image(const struct bob_trace *t, uint64_t key, uint32_t *process, uint32_t *image)
{
	const uint32_t count = bob_trace_process_count(t), first = *process;

	for (uint32_t i = 0; i < count; i++) {
		*process = (first + i) % count;
		*image = bob_hook_image(t, *process, key);
		if (*image != BOB_SET_NO_IMAGE)
			return 1;
	}
	return 0;
}

static void print_caller(const struct bob_trace *t, uint32_t process,
			 const struct bob_set_call *call, FILE *out)
{
	uint32_t image;
	const int known = find_image(t, call->image, &process, &image);
	struct bob_source_line line;
	struct bob_function_info f;

	if (known && bob_trace_function_at(t, process, image, call->address, &f) == BOB_OK &&
	    *f.name)
		fputs(f.name, out);
	else
		fprintf(out, "0x%" PRIx64, call->address);
	if (known && bob_trace_source(t, process, image, call->address, &line) == BOB_OK &&
	    line.line)
		fprintf(out, ":%" PRIu32, line.line);
}

/* "exchange  ring.c:12, of step:40, main:77" */
static char *place_of(const struct bob_trace *t, uint32_t process, const struct bob_set_call *call,
		      uint32_t depth)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	uint32_t own = process, image = BOB_SET_NO_IMAGE;

	if (!out)
		return NULL;
	if (depth) {
		find_image(t, call[depth - 1].image, &own, &image);
		cli_place_print(t, own, image, call[depth - 1].address, out);
	}
	for (uint32_t i = 1; i < depth; i++) {
		fputs(i == 1 ? ", of " : ", ", out);
		if (i > CALLERS_SHOWN) {
			fputs("...", out);
			break;
		}
		print_caller(t, process, &call[depth - 1 - i], out);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static int take_place(struct reporting *r, uint32_t process, const struct bob_set *s,
		      struct row *to)
{
	to->depth = s->depth;
	to->call = malloc((s->depth + 1u) * sizeof(*to->call));
	if (!to->call)
		return 0;
	bob_set_calls(s, to->call);
	to->place = place_of(r->trace, process, to->call, to->depth);
	r->has_places |= to->depth != 0;
	return to->place != NULL;
}

static int same_place(const struct row *row, const struct bob_set *s)
{
	struct bob_set_call call[BOB_SET_DEPTH_MAX];

	if (row->depth != s->depth)
		return 0;
	bob_set_calls(s, call);
	return !s->depth || !memcmp(row->call, call, s->depth * sizeof(*call));
}

/* --- rows --- */

static struct row *find(struct reporting *r, const struct bob_set *s)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->row[i].phase == s->phase && r->row[i].is_numbers &&
		    same_place(&r->row[i], s) && same(r->row[i].hook, s->hook, s->hook_len) &&
		    same(r->row[i].event, s->event, s->event_len))
			return &r->row[i];
	return NULL;
}

static struct row *add(struct reporting *r, uint32_t process, const struct bob_set *s)
{
	struct row *to;

	if (r->count == r->room) {
		const size_t room = r->room ? 2 * r->room : 64;
		struct row *more = realloc(r->row, room * sizeof(*more));

		if (!more)
			return NULL;
		r->row = more;
		r->room = room;
	}
	to = &r->row[r->count];
	memset(to, 0, sizeof(*to));
	to->hook = text_of(s->hook, s->hook_len);
	to->event = text_of(s->event, s->event_len);
	to->text = text_of(s->text, s->text_len < TEXT_SHOWN ? s->text_len : TEXT_SHOWN);
	to->phase = s->phase;
	to->is_numbers = s->kind == BOB_SET_NUMBERS;
	to->bytes = s->len;
	r->count++;
	return take_place(r, process, s, to) && to->hook && to->event && to->text ? to : NULL;
}

static int take(void *ctx, uint32_t process, const struct bob_set *s)
{
	struct reporting *r = ctx;
	struct bob_value_numbers n;
	struct row *to;

	if (s->kind == BOB_SET_NUMBERS && bob_value_unpack(s->bytes, s->len, &n) != BOB_OK) {
		r->damaged++;
		return 0;
	}
	to = s->kind == BOB_SET_NUMBERS ? find(r, s) : NULL;
	to = to ? to : add(r, process, s);
	if (!to) {
		r->failed = 1;
		return 1;
	}
	to->processes++;
	if (to->is_numbers)
		bob_value_unite(&to->numbers, &n);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int c = strcmp(x->event, y->event);

	c = c ? c : strcmp(x->hook, y->hook);
	c = c ? c : (int)x->phase - (int)y->phase;
	return c ? c : strcmp(x->place, y->place);
}

void cli_cell_number(struct cli_table *t, double d)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", d);
	cli_table_cell(t, text);
}

void cli_cell_values(struct cli_table *t, const struct bob_value_numbers *n)
{
	char text[512];
	size_t at = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < n->bins && at < sizeof(text); i++) {
		const double from = bob_value_of_bin(n->bin[i].bin, n->shift);
		char times[48] = "";

		if (i == CLI_VALUES_SHOWN) {
			snprintf(text + at, sizeof(text) - at, ", ... %" PRIu32 " in all", n->bins);
			break;
		}
		if (n->bin[i].count > 1)
			snprintf(times, sizeof(times), " (%" PRIu64 " times)", n->bin[i].count);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s%.6g%s%s", i ? ", " : "",
				       n->shift ? "from " : "", from, n->shift ? " on" : "", times);
	}
	cli_table_cell(t, text);
}

static void print_row(struct cli_table *t, const struct row *row, int has_places)
{
	static const char *const phases[] = { "before", "in" };
	char a[BOB_NUMBER_MAX];

	cli_table_cell(t, row->event);
	cli_table_cell(t, phases[row->phase]);
	cli_table_cell(t, row->hook);
	if (has_places)
		cli_table_cell(t, row->place);
	if (!row->is_numbers) {
		for (int i = 0; i < 5; i++)
			cli_table_cell(t, "");
		cli_table_cell(t, *row->text ? row->text : bob_format_bytes(a, row->bytes));
		return;
	}
	cli_table_cell(t, bob_format_count(a, row->numbers.count));
	cli_cell_number(t, row->numbers.sum);
	cli_cell_number(t, row->numbers.min);
	cli_cell_number(t, row->numbers.sum / (double)row->numbers.count);
	cli_cell_number(t, row->numbers.max);
	cli_cell_values(t, &row->numbers);
}

static int print(const struct reporting *r)
{
	static const char *const titles[] = { "event", "",     "hook",  ">count", ">sum",
					      ">min",  ">mean", ">max", "values" };
	static const char *const with_places[] = { "event", "",     "hook",  "place", ">count",
						   ">sum",  ">min", ">mean", ">max",  "values" };
	struct cli_table t;
	char a[BOB_NUMBER_MAX];
	const size_t limit = r->style->limit ? (size_t)r->style->limit : r->count;

	cli_table_begin(&t, r->has_places ? 10 : 9, r->has_places ? with_places : titles);
	for (size_t i = 0; i < r->count && i < limit; i++)
		print_row(&t, &r->row[i], r->has_places);
	if (cli_table_end(&t, r->style->width, r->style->out))
		return cli_fail("report", "out of memory");
	if (r->count > limit)
		fprintf(r->style->out, "... %s more rows (--limit)\n",
			bob_format_count(a, r->count - limit));
	return 0;
}

static void free_rows(struct reporting *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free(r->row[i].event);
		free(r->row[i].hook);
		free(r->row[i].text);
		free(r->row[i].place);
		free(r->row[i].call);
	}
	free(r->row);
}

int cli_report_hooks(struct cli_session *s, const struct cli_report_style *style)
{
	struct reporting r = { .style = style, .trace = s->trace };
	int status = 0;

	if (bob_hook_sets_visit(s->trace, take, &r) != BOB_OK)
		r.damaged++;
	if (r.failed) {
		status = cli_fail("report", "out of memory");
	} else if (!r.count && !r.damaged) {
		status = cli_fail("report", "no hook brought data in this run (bobbin/hooks.h)");
	} else {
		qsort(r.row, r.count, sizeof(*r.row), by_name);
		status = print(&r);
		if (r.damaged)
			status |= cli_fail("report", "some of what hooks brought is damaged");
	}
	free_rows(&r);
	return status;
}
