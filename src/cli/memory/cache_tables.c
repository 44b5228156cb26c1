/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of `bobbin cache` (cache_tables.h): description of the machine, and false sharing: the
 * accesses and bytes by which cores take lines from each other. */
#include "cli/memory/cache_tables.h"

#include <inttypes.h>

#include "cli/code_place.h"
#include "table/numbers.h"

#define SHARING_ROWS 4096u	/* at most; each is compared with the rows before it */
#define SHARING_PER_LINE 4u

static char *size_text(char buf[BOB_NUMBER_MAX], uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
	unsigned u = 0;

	for (; u < 3 && bytes && bytes % 1024 == 0; u++)
		bytes /= 1024;
	snprintf(buf, BOB_NUMBER_MAX, "%" PRIu64 " %s", bytes, units[u]);
	return buf;
}

void cli_cache_print_machine(const struct bob_cache_config *c, const char *name, const char *about,
			     FILE *out)
{
	char a[BOB_NUMBER_MAX];

	fprintf(out, "machine  %s%s%s\n", name, *about ? ": " : "", about);
	fprintf(out, "         %" PRIu32 " core%s, lines of %" PRIu32 " bytes", c->cores,
		bob_plural(c->cores), c->line_bytes);
	for (uint32_t k = 0; k < c->levels; k++)
		fprintf(out, "; L%" PRIu32 " %s, %" PRIu32 " way%s%s%s", k + 1,
			size_text(a, c->level[k].size_bytes), c->level[k].ways,
			bob_plural(c->level[k].ways), c->level[k].shared ? ", shared" : "",
			c->level[k].inclusive ? ", inclusive" : "");
	fputc('\n', out);
}

/* --- lines taken by other cores --- */

static void print_access(const struct cli_session *s, const struct bob_cache_replay *r,
			 uint32_t thread, uint32_t site, FILE *out)
{
	const struct bob_thread_info *th = bob_trace_thread(s->trace, thread);
	const struct bob_cache_place *p = &r->places[site];

	fprintf(out, "%" PRIu32 ".%" PRIu32 " ", th->process, th->number);
	cli_place_print(s->trace, th->process, p->image, p->pc, out);
}

/* Formats a set of bytes as ranges: "0-7 16-23". */
static void ranges(uint64_t mask, uint32_t granule, char *text, size_t size)
{
	size_t n = 0;

	text[0] = 0;
	for (unsigned i = 0; i < 64 && n < size; i++) {
		unsigned first = i;

		if (!(mask >> i & 1))
			continue;
		while (i < 63 && (mask >> (i + 1) & 1))
			i++;
		n += (size_t)snprintf(text + n, size - n, "%s%u-%u", n ? " " : "", first * granule,
				      (i + 1) * granule - 1);
	}
}

/* Under the first row of a line: the bytes of it that each core used. */
static void print_use(const struct cli_answer *a, const struct bob_cache_rows *rows,
		      const struct bob_cache_replay *r, const struct bob_cache_sharing *row,
		      uint32_t process)
{
	struct bob_cache_use use[BOB_CACHE_CORES_SHOWN];
	uint32_t granule,
		n = bob_cache_line_use(r->cache, row->line, use, BOB_CACHE_CORES_SHOWN, &granule);
	char read[256], written[256];

	fprintf(a->text, "line 0x%" PRIx64 "   ", row->line);
	bob_cache_line_variables(a->s.trace, process, r, row, rows->config->line_bytes, a->text);
	fputc('\n', a->text);
	for (uint32_t i = 0; i < n && i < BOB_CACHE_CORES_SHOWN; i++) {
		ranges(use[i].read, granule, read, sizeof(read));
		ranges(use[i].written, granule, written, sizeof(written));
		fprintf(a->text, "    core %" PRIu32 "%s%s%s%s\n", use[i].core,
			*read ? "  reads bytes " : "", read, *written ? "  writes bytes " : "",
			written);
	}
	if (n > BOB_CACHE_CORES_SHOWN)
		fprintf(a->text, "    and %" PRIu32 " cores more\n", n - BOB_CACHE_CORES_SHOWN);
}

static void print_line(const struct cli_answer *a, const struct bob_cache_replay *r,
		       const uint32_t *threads, const struct bob_cache_sharing *rows, size_t count,
		       size_t first)
{
	char n[BOB_NUMBER_MAX], m[BOB_NUMBER_MAX];

	for (size_t k = first, shown = 0; k < count && shown < SHARING_PER_LINE; k++) {
		if (rows[k].line != rows[first].line)
			continue;
		shown++;
		fprintf(a->text, "    %s false, %s true  ",
			bob_format_count(n, rows[k].false_misses),
			bob_format_count(m, rows[k].true_misses));
		print_access(&a->s, r, threads[rows[k].thread], rows[k].site, a->text);
		fputs("  after a store by ", a->text);
		print_access(&a->s, r, threads[rows[k].by_thread], rows[k].by_site, a->text);
		fputc('\n', a->text);
	}
}

void cli_cache_print_sharing(const struct cli_answer *a, const struct bob_cache_rows *all,
			     const struct bob_cache_replay *r, const uint32_t *threads)
{
	const struct bob_cache_sharing *rows;
	const uint64_t limit = a->view.limit == BOB_TABLE_LIMIT_DEFAULT ? a->view.usual :
									  a->view.limit;
	char n[BOB_NUMBER_MAX];
	uint64_t lost, lines = 0;
	size_t count;

	bob_cache_sharing(r->cache, &rows, &count, &lost);
	if (!count)
		return;
	count = count < SHARING_ROWS ? count : SHARING_ROWS;
	fprintf(a->text, "\nlines that one core's stores took from another, most misses first\n");
	for (size_t i = 0; i < count; i++) {
		int known = 0;

		for (size_t k = 0; k < i && !known; k++)
			known = rows[k].line == rows[i].line;
		if (known)
			continue;
		if (limit && lines++ == limit)
			break;
		print_use(a, all, r, &rows[i],
			  bob_trace_thread(a->s.trace, threads[rows[i].thread])->process);
		print_line(a, r, threads, rows, count, i);
	}
	if (lost)
		fprintf(a->text, "%s more miss%s, not distinguished\n", bob_format_count(n, lost),
			lost == 1 ? "" : "es");
}
