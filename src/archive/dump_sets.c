/* SPDX-License-Identifier: BSD-3-Clause */
/* Textual form of value sets (docs/format.md, "Dump"). */
#include <inttypes.h>
#include <string.h>

#include "archive/archive.h"
#include "archive/dump.h"
#include "archive/events/hook_sets.h"
#include "archive/events/value_numbers.h"

struct dumping {
	const struct bob_trace *trace;
	FILE *to;
};

static void print_text(const uint8_t *bytes, size_t len, FILE *to)
{
	for (size_t i = 0; i < len; i++) {
		const char one[2] = { (char)bytes[i], 0 };

		if (one[0])
			bob_dump_safe(one, to);
		else
			fputs("\\x00", to);
	}
}

static void print_real(double d, FILE *to)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	fprintf(to, " 0x%" PRIx64, bits);
}

static void print_numbers(const struct bob_set *s, FILE *to)
{
	struct bob_value_numbers n;

	if (bob_value_unpack(s->bytes, s->len, &n) != BOB_OK) {
		fputs(" damaged\n", to);
		return;
	}
	fprintf(to, " %" PRIu64 " %" PRIu32, n.count, n.shift);
	for (uint32_t i = 0; i < n.bins; i++)
		fprintf(to, " %" PRIu64 ":%" PRIu64, n.bin[i].bin, n.bin[i].count);
	print_real(n.min, to);
	print_real(n.max, to);
	print_real(n.sum, to);
	print_real(n.square, to);
	putc('\n', to);
}

static void print_own(const struct bob_set *s, FILE *to)
{
	fputs(" own ", to);
	for (size_t i = 0; i < s->len; i++)
		fprintf(to, "%02x", s->bytes[i]);
	fputs(s->len ? " [" : "- [", to);
	print_text(s->text, s->text_len, to);
	fputs("]\n", to);
}

static int print_set(void *ctx, uint32_t process, const struct bob_set *s)
{
	const struct dumping *d = ctx;
	struct bob_set_call call[BOB_SET_DEPTH_MAX];

	fprintf(d->to, "set %" PRIu32 " [", process);
	print_text(s->hook, s->hook_len, d->to);
	fputs("] [", d->to);
	print_text(s->event, s->event_len, d->to);
	fprintf(d->to, "] %" PRIu32, s->phase);
	bob_set_calls(s, call);
	for (uint32_t i = 0; i < s->depth; i++) {
		const uint32_t image = bob_hook_image(d->trace, process, call[i].image);

		fputs(" @", d->to);
		bob_dump_address(d->trace, process,
				 image == BOB_SET_NO_IMAGE ? BOB_MEM_NO_IMAGE : image,
				 call[i].address, d->to);
	}
	if (s->kind == BOB_SET_NUMBERS)
		print_numbers(s, d->to);
	else
		print_own(s, d->to);
	return 0;
}

bob_status bob_archive_dump_sets(const struct bob_trace *t, FILE *to)
{
	struct dumping d = { t, to };
	const bob_status st = bob_hook_sets_visit(t, print_set, &d);

	if (st == BOB_ERR_CORRUPT)
		fputs("set damaged\n", to);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}
