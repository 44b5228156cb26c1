/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command is, before it is run. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "sys/sys.h"

static enum bob_target find(const char *command)
{
	char path[BOB_SYS_PATH] = "";
	enum bob_target t = bob_target_find(command, path);

	assert_true(path[0] || !command[0]);
	return t;
}

/* An ELF file of a header and program headers, enough to be looked at. */
static enum bob_target elf(uint8_t class, uint16_t machine, unsigned headers, unsigned interp)
{
	struct {
		Elf64_Ehdr e;
		Elf64_Phdr p[4];
	} file = { .e = { .e_machine = machine, .e_type = ET_DYN } };
	size_t len = sizeof(file.e) + headers * sizeof(file.p[0]);

	memcpy(file.e.e_ident, ELFMAG, SELFMAG);
	file.e.e_ident[EI_CLASS] = class;
	file.e.e_phoff = sizeof(file.e);
	file.e.e_phnum = 4;
	for (unsigned i = 0; i < headers; i++)
		file.p[i].p_type = i == interp ? PT_INTERP : PT_LOAD;
	return find(put("elf", &file, len, 0755));
}

static void test_elf(void **state)
{
	(void)state;
	assert_int_equal(elf(ELFCLASS64, EM_X86_64, 4, 0), BOB_TARGET_OK);
	assert_int_equal(elf(ELFCLASS64, EM_X86_64, 4, 3), BOB_TARGET_OK);
	assert_int_equal(elf(ELFCLASS64, EM_X86_64, 4, 4), BOB_TARGET_STATIC);
	assert_int_equal(elf(ELFCLASS64, EM_X86_64, 2, 4), BOB_TARGET_STATIC); /* cut off */
	assert_int_equal(elf(ELFCLASS64, EM_AARCH64, 4, 0), BOB_TARGET_OTHER_CPU);
	assert_int_equal(elf(ELFCLASS32, EM_386, 4, 0), BOB_TARGET_32BIT);
}

static void test_every_length(void **state)
{
	uint8_t file[sizeof(Elf64_Ehdr)] = { 0x7f, 'E', 'L', 'F', ELFCLASS64 };

	(void)state;
	for (size_t n = 0; n <= sizeof(file); n++) {
		enum bob_target t = find(put("cut", file, n, 0755));

		assert_int_equal(t, n < EI_NIDENT ? BOB_TARGET_SCRIPT : BOB_TARGET_OTHER_CPU);
	}
}

static void test_others(void **state)
{
	static const char script[] = "#!/bin/sh\nexit 3\n";

	(void)state;
	assert_int_equal(find(put("script", script, strlen(script), 0755)), BOB_TARGET_SCRIPT);
	assert_int_equal(find(put("plain", script, strlen(script), 0644)), BOB_TARGET_DENIED);
	assert_int_equal(find(base), BOB_TARGET_DENIED);
	assert_int_equal(find("/nonexistent/x"), BOB_TARGET_MISSING);
	assert_int_equal(find("no-such-command-anywhere"), BOB_TARGET_MISSING);
	assert_int_equal(find(""), BOB_TARGET_MISSING);
}

static void test_setuid(void **state)
{
	static const char text[] = "x";

	(void)state;
	if (geteuid() != 0)
		return; /* only root can make a file of another user; ours alone are no risk */
	const char *path = put("suid", text, 1, 0755);

	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_int_equal(chmod(path, 04755), 0);
	assert_int_equal(find(path), BOB_TARGET_SETUID);
	assert_int_equal(chmod(path, 02755), 0);
	assert_int_equal(find(path), BOB_TARGET_SETUID);
	assert_int_equal(chown(path, 0, 0), 0); /* ours: nothing changes when it runs */
	assert_int_equal(chmod(path, 06755), 0);
	assert_int_equal(find(path), BOB_TARGET_SCRIPT);
}

static void test_path(void **state)
{
	char path[BOB_SYS_PATH], list[256], want[128];
	char *before = strdup(getenv("PATH") ? getenv("PATH") : "");

	(void)state;
	put("tool", "", 0, 0644); /* found first, but not executable */
	snprintf(want, sizeof(want), "%s/sub", base);
	assert_int_equal(mkdir(want, 0755), 0);
	put("sub/tool", "", 0, 0755);
	snprintf(list, sizeof(list), "/nonexistent:%s:%s/sub:/usr/bin", base, base);
	setenv("PATH", list, 1);
	assert_int_equal(bob_target_find("tool", path), BOB_TARGET_SCRIPT);
	snprintf(want, sizeof(want), "%s/sub/tool", base);
	assert_string_equal(path, want);
	setenv("PATH", base, 1);
	assert_int_equal(bob_target_find("tool", path), BOB_TARGET_DENIED);
	assert_int_equal(bob_target_find("sub", path), BOB_TARGET_MISSING);
	setenv("PATH", before, 1);
	free(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elf),    cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_others), cmocka_unit_test(test_setuid),
		cmocka_unit_test(test_path),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
