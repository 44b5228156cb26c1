/* SPDX-License-Identifier: BSD-3-Clause */
/* bob_plan_image and bob_plan_mem_image against any bytes that call themselves ELF. Round trip:
 * what they make must pass their checks and be the same the second time. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plan/format.h"
#include "plan/mem/format.h"
#include "plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_memory(const char *path)
{
	void *plan, *again;
	size_t len, len2;
	struct bob_error err = { 0 };

	if (bob_plan_mem_image(path, &plan, &len, &err) != BOB_OK) {
		if (!err.text)
			abort();
		return;
	}
	if (bob_mem_plan_check(plan, len, 0) != BOB_OK ||
	    bob_plan_mem_image(path, &again, &len2, &err) != BOB_OK || len != len2 ||
	    memcmp(plan, again, len))
		abort();
	free(plan);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("image", MFD_CLOEXEC);
	char path[64];
	void *plan, *again;
	size_t len, len2;
	struct bob_error err;
	uint64_t key;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (bob_plan_image(path, &plan, &len, NULL, &err) == BOB_OK) {
		if (bob_plan_check(plan, len, 0) != BOB_OK)
			abort();
		if (bob_plan_key(path, &key, &err) != BOB_OK ||
		    key != ((struct bob_plan_head *)plan)->key)
			abort();
		if (bob_plan_image(path, &again, &len2, NULL, &err) != BOB_OK || len != len2 ||
		    memcmp(plan, again, len))
			abort();
		free(again);
		free(plan);
		try_memory(path);
	} else if (!err.text) {
		abort();
	}
	close(fd);
	return 0;
}
