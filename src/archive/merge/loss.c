/* SPDX-License-Identifier: BSD-3-Clause */
/* Lossy folding: the steps before and after it, and the record that describes the loss. */
#define _GNU_SOURCE
#include "archive/merge/loss.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/merge/drop.h"
#include "mem/waiting.h"

int bob_fold_settings_any(const struct bob_fold_settings *how)
{
	return how && (how->tolerance || how->window || how->drop_below || how->plugin);
}

/* --- records --- */

static uint64_t bias_of(void *ctx, const struct bob_mem_desc *d)
{
	return bob_desc_bias(ctx, d);
}

bob_status bob_loss_begin(const struct bob_fold_settings *how, const struct bob_process *p,
			  struct bob_folder *folder, struct bob_mem_fold *m,
			  struct bob_mem_window **window)
{
	struct bob_mem_window *w;

	*window = NULL;
	if (!how)
		return BOB_OK;
	bob_mem_fold_tolerate(m, how->tolerance);
	if (how->plugin)
		bob_folder_match(folder, how->plugin->match, how->plugin->ctx);
	if (!how->window)
		return BOB_OK;
	w = calloc(1, sizeof(*w));
	if (!w)
		return BOB_ERR_NOMEM;
	w->limit = how->window < BOB_MEM_WINDOW_MAX ? how->window : BOB_MEM_WINDOW_MAX;
	w->bias = bias_of;
	w->ctx = (void *)(uintptr_t)p;
	bob_mem_fold_unorder(m, w);
	*window = w;
	return BOB_OK;
}

/* --- participants --- */

/* Checks that leaves match their descriptors, because a plug-in may have made others. If not, no
 * trace is written. */
static bob_status check_leaves(const struct bob_process *p, const struct bob_folded *f)
{
	for (uint32_t i = 0; i < bob_folded_count(f); i++) {
		struct bob_records r;
		struct bob_mem_record rec;
		struct bob_stream s = *p->streams[0];
		struct bob_mem_walk w;
		bob_status st;

		s.folded = (struct bob_folded *)(uintptr_t)f;
		s.participant = i;
		s.raw_count = 0;
		bob_records_open(&r, p, &s);
		while ((st = bob_records_next(&r, &rec, NULL)) == BOB_OK)
			if (rec.desc->kind != BOB_MEM_MARK &&
			    bob_mem_walk_begin(&w, rec.desc, rec.word, rec.count, 0) != BOB_OK)
				break;
		bob_records_close(&r);
		if (st != BOB_END)
			return st == BOB_OK ? BOB_ERR_CORRUPT : st;
	}
	return BOB_OK;
}

bob_status bob_loss_end(const struct bob_fold_settings *how, const struct bob_process *p,
			struct bob_folded **f)
{
	struct bob_folded *out;
	bob_status st = BOB_OK;

	if (!how)
		return st;
	if (how->plugin && how->plugin->merge) {
		st = bob_folded_plug(*f, how->plugin, &bob_alloc_malloc, &out);
		if (st == BOB_OK) {
			bob_folded_close(*f);
			*f = out;
		}
	}
	if (st == BOB_OK && how->drop_below)
		st = bob_drop_rare(f, how->drop_below, bob_desc_finder, (void *)(uintptr_t)p);
	if (st == BOB_OK)
		st = check_leaves(p, *f);
	return st;
}

/* --- the LOSS record --- */

bob_status bob_loss_record(const struct bob_fold_settings *how, const struct bob_process *p,
			   uint8_t **bytes, size_t *len)
{
	struct bob_record rec = { .kind = BOB_REC_LOSS };
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	*bytes = NULL;
	*len = 0;
	if (!bob_fold_settings_any(how))
		return BOB_OK;
	f = open_memstream(&text, &size);
	if (!f)
		return BOB_ERR_NOMEM;
	fwrite(&rec, sizeof(rec), 1, f);
	for (const char *const *s = p->info.loss; *s; s++)
		fprintf(f, "%s%c", *s, 0);
	if (how->plugin)
		fprintf(f, "fold-plugin=%s%c", how->plugin->name ? how->plugin->name : "", 0);
	if (how->tolerance)
		fprintf(f, "tolerance=%" PRIu64 "%c", how->tolerance, 0);
	if (how->window)
		fprintf(f, "unordered=%" PRIu32 "%c", how->window, 0);
	if (how->drop_below && how->drop_over)
		fprintf(f, "drop-below=%" PRIu32 " over %" PRIu32 " processes%c", how->drop_below,
			how->drop_over, 0);
	else if (how->drop_below)
		fprintf(f, "drop-below=%" PRIu32 "%c", how->drop_below, 0);
	fflush(f);
	rec.len = (uint32_t)(size - sizeof(rec));
	for (size_t i = size; i & 7; i++)
		fputc(0, f);
	if (fclose(f) || !text) {
		free(text);
		return BOB_ERR_NOMEM;
	}
	memcpy(text, &rec, sizeof(rec));
	*bytes = (uint8_t *)text;
	*len = size;
	return BOB_OK;
}
