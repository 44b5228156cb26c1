/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder of one test program's own, `base`, and files in it. Included after cmocka.h. */
#ifndef BOB_TEST_SYS_FOLDER_H
#define BOB_TEST_SYS_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char base[64];

static int make_dir(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/bob-sys-XXXXXX");
	return !mkdtemp(base);
}

static int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command);
}

static const char *put(const char *name, const void *bytes, size_t len, mode_t mode)
{
	static char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", base, name);
	unlink(path);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

#endif
