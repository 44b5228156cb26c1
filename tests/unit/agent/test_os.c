/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent's kernel interface against what libc and /proc say. The agent is not a library, so its
 * source file is part of this program. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/config.c"
#include "agent/os.c"
#include "agent/os_run.c"

#include <cmocka.h>

struct mapping {
	uint64_t lo, hi;
};

/* All lines of /proc/self/maps, read in one go into memory that is there before. */
static size_t read_maps(struct mapping *out, size_t capacity)
{
	static char line[8192];
	FILE *f = fopen("/proc/self/maps", "r");
	size_t n = 0;

	assert_non_null(f);
	while (n < capacity && fgets(line, sizeof(line), f)) {
		unsigned long lo, hi;

		assert_int_equal(sscanf(line, "%lx-%lx ", &lo, &hi), 2);
		out[n].lo = lo;
		out[n++].hi = hi;
	}
	fclose(f);
	return n;
}

static void check_all_mappings(void)
{
	static struct mapping maps[4096];
	size_t n = read_maps(maps, 4096);
	uint64_t lo, hi, below, top = 0;
	long fd;

	assert_true(n > 5);
	for (size_t i = 0; i < n; i++) {
		const uint64_t inside[] = { maps[i].lo, maps[i].lo + (maps[i].hi - maps[i].lo) / 2,
					    maps[i].hi - 1 };

		if (maps[i].lo >> 63) /* the vsyscall page */
			continue;
		for (size_t k = 0; k < 3; k++) {
			lo = hi = below = 1;
			assert_true(os_find_mapping(inside[k], &lo, &hi));
			assert_int_equal(lo, maps[i].lo);
			assert_int_equal(hi, maps[i].hi);
			assert_int_equal(os_end_below(inside[k]), i ? maps[i - 1].hi : 0);
			/* as kernels report it that cannot look one up */
			fd = open_maps();
			lo = hi = 1;
			assert_true(find_in(fd, inside[k], &lo, &hi, &below));
			os_close(fd);
			assert_int_equal(lo, maps[i].lo);
			assert_int_equal(hi, maps[i].hi);
			assert_int_equal(below, i ? maps[i - 1].hi : 0);
		}
		top = maps[i].hi;
	}
	for (size_t i = 1; i < n; i++)
		if (maps[i].lo > maps[i - 1].hi && !(maps[i].lo >> 63)) /* the hole between two */
			assert_false(os_find_mapping(maps[i - 1].hi, &lo, &hi));
	assert_false(os_find_mapping(0, &lo, &hi));
	assert_false(os_find_mapping(top, &lo, &hi));
}

static void test_mapping(void **state)
{
	(void)state;
	check_all_mappings();
}

/* Lines of every length around the size of the reader's buffer. */
static void test_long_paths(void **state)
{
	char dir[4096], file[4400], *component;

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/bob-maps-XXXXXX");
	assert_non_null(mkdtemp(dir));
	size_t base = strlen(dir);
	while (strlen(dir) < 1400) {
		component = dir + strlen(dir);
		*component++ = '/';
		memset(component, 'd', 180);
		component[180] = 0;
		assert_int_equal(mkdir(dir, 0700), 0);
		for (int k = 0; k < 7; k++) {
			snprintf(file, sizeof(file), "%s/%.*s", dir, 20 * k + 1,
				 "ffffffffffffffffffffffffffffffffffffffffffffffffff"
				 "ffffffffffffffffffffffffffffffffffffffffffffffffff"
				 "ffffffffffffffffffffffffffffffffffffffff");
			int fd = open(file, O_RDWR | O_CREAT, 0600);
			assert_true(fd >= 0 && !ftruncate(fd, 4096));
			assert_true(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
			close(fd);
		}
	}
	check_all_mappings();
	dir[base] = 0;
	snprintf(file, sizeof(file), "rm -rf %s", dir);
	assert_int_equal(system(file), 0);
	check_all_mappings(); /* now they end in " (deleted)" */
}

static void test_memory(void **state)
{
	char *p = os_map(3 * 4096);

	(void)state;
	assert_non_null(p);
	p[0] = p[3 * 4096 - 1] = 1;
	assert_null(os_map_at((uint64_t)(uintptr_t)p, 4096)); /* taken */
	assert_int_equal(p[0], 1);
	assert_int_equal(os_wipe_on_fork(p, 4096), 0);
	assert_int_equal(os_drop_pages(p, 4096), 0);
	assert_int_equal(p[0], 0);
	os_unmap(p, 3 * 4096);
	assert_true(os_map_at((uint64_t)(uintptr_t)p, 4096) == p);
	os_unmap_bare(p, 4096);
	assert_null(os_map(1ull << 62));
}

static bool writable(const char *p)
{
	char byte = 0;
	int pipes[2];
	ssize_t got;

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], &byte, 1), 1);
	got = read(pipes[0], (char *)(uintptr_t)p, 1); /* the kernel writes there, or says EFAULT */
	close(pipes[0]);
	close(pipes[1]);
	return got == 1;
}

/* A program may write beyond what is its own, on either side of ours. */
static void check_guards(char *p, size_t size)
{
	assert_true(writable(p) && writable(p + size - 1));
	assert_false(writable(p - 1) || writable(p - 4096));
	assert_false(writable(p + size) || writable(p + size + 4095));
}

static void test_guards(void **state)
{
	FILE *f = tmpfile();
	char *p;

	(void)state;
	p = os_map(5);
	check_guards(p, 4096);
	os_unmap(p, 5);
	assert_non_null(f);
	assert_int_equal(os_allocate(fileno(f), 0, 8192), 0);
	p = os_map_window(fileno(f), 4096, 4096);
	assert_non_null(p);
	check_guards(p, 4096);
	os_unmap(p, 4096);
	assert_false(os_is_mapped((uint64_t)(uintptr_t)p - 4096));
	assert_false(os_is_mapped((uint64_t)(uintptr_t)p + 4096));
	assert_null(os_map_window(-1, 0, 4096));
	fclose(f);
}

static void test_files(void **state)
{
	char path[64] = "/tmp/bob-os-XXXXXX", other[80], back[16] = "";
	uint32_t uid = 0, mode = 0, mask = (uint32_t)umask(022);

	(void)state;
	assert_non_null(mkdtemp(path));
	snprintf(other, sizeof(other), "%s/file", path);
	assert_int_equal(os_open(other, OS_READ), -OS_ENOENT);
	long fd = os_open(other, OS_CREATE_NEW);
	assert_true(fd >= 0);
	assert_int_equal(os_open(other, OS_CREATE_NEW), -OS_EEXIST);
	assert_int_equal(os_allocate(fd, 0, 100000), 0);
	assert_int_equal(os_file_size(fd), 100000);
	assert_int_equal(os_write(fd, "bobbin", 6), 6);
	assert_int_equal(os_file_owner(fd, &uid, &mode), 0);
	assert_true(uid == geteuid() && (mode & 0777) == 0644 && S_ISREG(mode));
	char *p = os_map_window(fd, 0, 4096);
	assert_non_null(p);
	memcpy(p, "B", 1);
	os_close(fd);
	os_unmap(p, 4096);
	fd = os_open(other, OS_READ);
	assert_int_equal(os_read(fd, back, 6), 6);
	assert_string_equal(back, "Bobbin");
	assert_int_equal(fcntl((int)fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	os_close(fd);
	assert_int_equal(os_rename_new(other, other), -OS_EEXIST);
	assert_int_equal(os_unlink(other), 0);
	assert_int_equal(rmdir(path), 0);
	umask((mode_t)mask);
}

static void *other_thread(void *arg)
{
	*(uint32_t *)arg = os_tid();
	return NULL;
}

static void test_identity(void **state)
{
	uint32_t tid = 0;
	pthread_t id;
	char name[256];

	(void)state;
	errno = 4711;
	assert_int_equal(os_pid(), getpid());
	assert_int_equal(os_ppid(), getppid());
	assert_int_equal(os_uid(), geteuid());
	assert_true(os_thread_alive(os_pid(), os_tid()));
	assert_int_equal(pthread_create(&id, NULL, other_thread, &tid), 0);
	assert_int_equal(pthread_join(id, NULL), 0);
	while (os_thread_alive(os_pid(), tid)) /* joined a moment before it is gone */
		os_yield();
	assert_int_equal(os_readlink("/proc/self/exe", name, 4), 3);
	assert_int_equal(strlen(name), 3);
	assert_true(os_readlink("/nonexistent", name, sizeof(name)) < 0 && !name[0]);
	assert_int_equal(errno, 4711); /* the program's */
}

/* Exit status, a killed child, one that does not exist, a time limit; nothing for wait() to see. */
static void test_run(void **state)
{
	const char *const seven[] = { "/bin/sh", "-c", "exit 7", NULL };
	const char *const dies[] = { "/bin/sh", "-c", "kill -9 $$", NULL };
	const char *const none[] = { "/nonexistent", NULL };
	const char *const slow[] = { "/bin/sleep", "60", NULL };
	const char *const fds[] = { "/bin/sh", "-c",
				    "test -z \"$X\" && ! { true >&9; } 2>/dev/null", NULL };
	const char *const env[] = { NULL };

	(void)state;
	assert_int_equal(os_run(seven, env, 10000), 7);
	assert_int_equal(os_run(dies, env, 10000), 127);
	assert_int_equal(os_run(none, env, 10000), 127);
	uint64_t begin = os_time_mono();
	assert_int_equal(os_run(slow, env, 100), 127);
	assert_true(os_time_mono() - begin < 5000000000u);
	assert_int_equal(dup2(1, 9), 9);
	assert_int_equal(setenv("X", "1", 1), 0);
	assert_int_equal(os_run(fds, env, 10000), 0);
	close(9);
	assert_true(wait(NULL) < 0 && errno == ECHILD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mapping), cmocka_unit_test(test_long_paths),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_guards),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_identity), cmocka_unit_test(test_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
