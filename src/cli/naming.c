/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/naming.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "archive/write.h"
#include "bobbin/trace.h"
#include "plan/format.h"
#include "plan/plan.h"

/* Whole or absent: written beside, then renamed. */
static void save(const char *path, const void *bytes, size_t len)
{
	char *beside;
	FILE *f;

	if (asprintf(&beside, "%s.%ld.new", path, (long)getpid()) < 0)
		return;
	f = fopen(beside, "wbxe");
	if (f) {
		int bad = fwrite(bytes, 1, len, f) != len;

		bad |= fclose(f);
		if (bad || rename(beside, path))
			unlink(beside);
	}
	free(beside);
}

static void name_image(const char *dir, const struct bob_image_info *im)
{
	char name[BOB_NAME_BYTES], *path;
	struct bob_plan_head *plan;
	struct bob_error err;
	void *bytes;
	size_t len;
	uint64_t key;

	if (bob_plan_key(im->path, &key, &err) != BOB_OK || key != im->key ||
	    !bob_name_image(name, sizeof(name), key) || asprintf(&path, "%s/%s", dir, name) < 0)
		return;
	if (access(path, F_OK) && bob_plan_image(im->path, &bytes, &len, NULL, &err) == BOB_OK) {
		plan = bytes;
		save(path, (const char *)bytes + plan->image.off, plan->image.len);
		free(bytes);
	}
	free(path);
}

void cli_name_images(const char *dir)
{
	struct bob_trace *t;

	if (bob_trace_open(dir, &t, NULL) != BOB_OK)
		return;
	for (uint32_t p = 0; p < bob_trace_process_count(t); p++)
		for (uint32_t i = 0; i < bob_trace_process(t, p)->image_count; i++)
			name_image(dir, bob_trace_image(t, p, i));
	bob_trace_close(t);
}
