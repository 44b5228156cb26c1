/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of the findings, and their form as messages: "LEVEL FILE: TEXT at byte OFFSET". The
 * table holds all findings; only the messages are limited to the first few of a kind. */
#define _GNU_SOURCE
#include "cli/findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "table/numbers.h"

#define SHOWN 8u		/* lines of a kind, in text */

/* Kinds that may be as many as there are processes, and what those that are not shown are. */
static const struct {
	const char *kind, *more;
} many[] = {
	{ "stopped", "processes whose recording stopped" },
	{ "replaced", "processes that were replaced" },
	{ "started", "programs that were started" },
	{ "debugger", "processes to which a debugger attached" },
	{ "image", "images" },
};

enum { LEVEL, KIND, PROCESS, COUNT, FILE_NAME, OFFSET, TEXT }; /* columns */

struct bob_table *cli_findings_create(void)
{
	static const struct bob_column columns[] = {
		[LEVEL] = { "level", NULL, BOB_COLUMN_TEXT, 0,
			    "lost: recorded, but damaged; missing: not recorded; remark" },
		[KIND] = { "kind", NULL, BOB_COLUMN_TEXT, 0, "a word for each kind of finding" },
		[PROCESS] = { "process", NULL, BOB_COLUMN_NUMBER, 0, "its number in the trace" },
		[COUNT] = { "count", NULL, BOB_COLUMN_COUNT, 0, "of what the text names" },
		[FILE_NAME] = { "file", NULL, BOB_COLUMN_TEXT, 0, "of the trace" },
		[OFFSET] = { "offset", NULL, BOB_COLUMN_NUMBER, 0, "in the file, of a byte" },
		[TEXT] = { "text", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT, "what was found" },
	};

	return bob_table_create("findings", "finding", columns,
				sizeof(columns) / sizeof(columns[0]));
}

void cli_finding_begin(struct bob_table *findings, const struct cli_finding *f)
{
	bob_table_text(findings, f->level);
	bob_table_text(findings, f->kind);
	if (f->process)
		bob_table_number(findings, *f->process);
	else
		bob_table_none(findings);
	if (f->count)
		bob_table_count(findings, f->count);
	else
		bob_table_none(findings);
	if (f->file)
		bob_table_text(findings, f->file);
	else
		bob_table_none(findings);
	if (f->offset)
		bob_table_number(findings, (int64_t)f->offset);
	else
		bob_table_none(findings);
}

bool cli_lines_begin(struct cli_lines *l)
{
	*l = (struct cli_lines){ 0 };
	l->out = open_memstream(&l->text, &l->size);
	return l->out != NULL;
}

void cli_lines_end(struct cli_lines *l, struct bob_table *findings, const struct cli_finding *f)
{
	const char *rest = l->out && !fclose(l->out) ? l->text : "out of memory";

	while (*rest) {
		const size_t len = strcspn(rest, "\n");

		cli_finding_begin(findings, f);
		bob_table_textf(findings, "%.*s", (int)len, rest);
		rest += len + (rest[len] == '\n');
	}
	free(l->text);
}

/* Rows of an incomplete table may lack cells. */
static size_t rows_of(const struct bob_table *findings)
{
	return bob_table_is_incomplete(findings) ? 0 : bob_table_rows(findings);
}

uint32_t cli_findings_count(const struct bob_table *findings, const char *level)
{
	uint32_t n = 0;

	for (size_t i = 0; i < rows_of(findings); i++)
		n += !strcmp(bob_table_at(findings, i)[LEVEL].text, level);
	return n;
}

const char *cli_finding_text(const struct bob_table *findings, size_t row)
{
	return row < rows_of(findings) ? bob_table_at(findings, row)[TEXT].text : NULL;
}

/* --- text --- */

static const char *more_of(const char *kind)
{
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		if (!strcmp(many[i].kind, kind))
			return many[i].more;
	return NULL;
}

static void print_before(const struct bob_cell *cells, const char *before, FILE *out)
{
	if (before)
		fputs(before, out);
	else
		fprintf(out, "%-7s ", cells[LEVEL].text);
}

static void print_finding(const struct bob_cell *cells, const char *before, FILE *out)
{
	print_before(cells, before, out);
	if (cells[FILE_NAME].kind == BOB_CELL_EXACT)
		fprintf(out, "%s: ", cells[FILE_NAME].text);
	fputs(cells[TEXT].text, out);
	if (cells[OFFSET].kind == BOB_CELL_EXACT)
		fprintf(out, " at byte %" PRId64, cells[OFFSET].number);
	fputc('\n', out);
}

/* How many rows from `row` on are of its level and kind. */
static size_t count_equal(const struct bob_table *findings, size_t row)
{
	const struct bob_cell *first = bob_table_at(findings, row);
	size_t n = 1;

	for (; row + n < bob_table_rows(findings); n++) {
		const struct bob_cell *cells = bob_table_at(findings, row + n);

		if (strcmp(cells[LEVEL].text, first[LEVEL].text) != 0 ||
		    strcmp(cells[KIND].text, first[KIND].text) != 0)
			break;
	}
	return n;
}

void cli_findings_print(const struct bob_table *findings, const char *before, FILE *out)
{
	size_t equal;

	for (size_t row = 0; row < rows_of(findings); row += equal) {
		const struct bob_cell *first = bob_table_at(findings, row);
		const char *more = more_of(first[KIND].text);
		size_t shown;

		equal = count_equal(findings, row);
		shown = more && equal > SHOWN ? SHOWN : equal;
		for (size_t i = 0; i < shown; i++)
			print_finding(bob_table_at(findings, row + i), before, out);
		if (shown < equal) {
			print_before(first, before, out);
			fprintf(out, "... and %zu more %s\n", equal - shown, more);
		}
	}
}
