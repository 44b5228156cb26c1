/* SPDX-License-Identifier: BSD-3-Clause */
/* GCC's Fortran tests (Debian package gcc-12-source), all of them read, some of them probed,
 * compiled and run.
 *     unit.source.fortran_corpus FILE...            reads these files instead, and prints counts
 *     unit.source.fortran_corpus --symbols FILE     prints its names, for bench/fortran_oracle.py
 *     unit.source.fortran_corpus --probe FILE       prints it with a call at every place */
#include "fortran_file.h"

#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "probe_all.h"

#define ARCHIVES "/usr/src/gcc-12/gcc-12.*.tar.xz"
#define RUN_MAX 24

struct counts {
	unsigned long files, statements, unknown, items, bad, uses, units;
};

BOB_VEC_OF(paths, char *);

static bool is_fortran(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (dot[1] == 'f' || dot[1] == 'F') &&
	       bob_fortran_form_of_name(name) != BOB_FORTRAN_AUTO;
}

static void find_files(struct paths *p, const char *dir)
{
	struct dirent **names = NULL;
	int n = scandir(dir, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char path[1024];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		if (names[i]->d_name[0] != '.' && !stat(path, &st)) {
			if (S_ISDIR(st.st_mode)) {
				find_files(p, path);
			} else if (is_fortran(path)) {
				assert_int_equal(BOB_VEC_ADD(p, strdup(path)), BOB_OK);
			}
		}
		free(names[i]);
	}
	free(names);
}

static void read_path(const char *path)
{
	struct bob_fortran_options o = { .likely = bob_fortran_form_of_name(path) };
	FILE *f = fopen(path, "rb");
	char *bytes;
	struct stat st;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	bob_arena_free(&arena);
	bytes = bob_arena_alloc(&arena, (size_t)st.st_size + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, (size_t)st.st_size, f), st.st_size);
	fclose(f);
	assert_int_equal(bob_fortran_split(&arena, bytes, (size_t)st.st_size, &o, &file), BOB_OK);
	assert_int_equal(bob_fortran_units(file), BOB_OK);
	assert_int_equal(bob_fortran_symbols_read(file, NULL), BOB_OK);
}

static void count_file(struct counts *c, const char *path)
{
	struct bob_fortran_patches none;
	struct bob_fortran_output out;

	read_path(path);
	check_split(file);
	check_units(file);
	c->bad += check_items(file);
	bob_fortran_patches_init(&none, &arena, file);
	assert_int_equal(bob_fortran_patches_apply(&none, path, &out, NULL), BOB_OK);
	assert_int_equal(out.len, file->len);
	assert_memory_equal(out.bytes, file->bytes, file->len);
	for (uint32_t i = 0; i < file->count; i++) {
		struct bob_fortran_uses uses;

		assert_int_equal(bob_fortran_uses(&arena, file, i, &uses), BOB_OK);
		c->uses += uses.count;
	}
	c->files++;
	c->units += file->unit_count;
	c->statements += file->count;
	c->unknown += file->unknown_count;
}

static void print_counts(const struct counts *c)
{
	printf("%lu files, %lu units, %lu statements: %lu unknown, %lu with parts that are "
	       "no expression; "
	       "%lu references\n",
	       c->files, c->units, c->statements, c->unknown, c->bad, c->uses);
}

__attribute__((format(printf, 1, 2))) static bool run(const char *format, ...)
{
	char command[4096];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	assert_true(n > 0 && (size_t)n < sizeof(command));
	return system(command) == 0;
}

/* Where the files are; unpacked once. */
static const char *unpack(void)
{
	static char dir[512];
	const char *build = getenv("BOBBIN_BUILD");
	glob_t found;
	struct stat st;

	if (glob(ARCHIVES, 0, NULL, &found)) {
		printf("skipped: no " ARCHIVES ": install the Debian package gcc-12-source\n");
		exit(77);
	}
	snprintf(dir, sizeof(dir), "%s/fortran-corpus", build ? build : "/tmp");
	if (stat(dir, &st) != 0)
		assert_true(
			run("set -e; rm -rf '%s.new'; mkdir -p '%s.new'; tar -xJf %s -C '%s.new' "
			    "--wildcards '*/gfortran.dg/*' '*/gfortran.fortran-torture/*'; mv "
			    "'%s.new' '%s'",
			    dir, dir, found.gl_pathv[0], dir, dir, dir));
	globfree(&found);
	return dir;
}

static struct paths paths;

static void test_all_are_read(void **state)
{
	struct counts c = { .files = 0 };

	(void)state;
	for (size_t i = 0; i < paths.count; i++)
		count_file(&c, paths.at[i]);
	print_counts(&c);
	assert_true(c.files >= 5000);
	assert_true(c.unknown * 1000 < c.statements * 5);
}

/* With calls everywhere it is still the program that it was: each of these fails by itself if it is
 * not. */
static void probe_and_run(const char *path, const char *dir)
{
	struct bob_fortran_output out;
	uint32_t probes;
	char to[1024];
	FILE *f;

	read_path(path);
	assert_int_equal(probe_all(file, path, &out, &probes), BOB_OK);
	snprintf(to, sizeof(to), "%s/probed%s", dir, strrchr(path, '.'));
	f = fopen(to, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(out.bytes, 1, out.len, f), out.len);
	assert_int_equal(fclose(f), 0);
	if (!run("cd '%s' && gfortran -w -std=legacy '%s' stub.f -o probed && timeout 60 "
		 "./probed >out 2>&1",
		 dir, to))
		fail_msg("%s does not run as before: see %s", path, to);
}

static void test_probed_programs_run(void **state)
{
	unsigned long ran = 0, all = 0;
	char dir[600];

	(void)state;
	if (!run("command -v gfortran >/dev/null")) {
		printf("not run: no gfortran\n");
		return;
	}
	snprintf(dir, sizeof(dir), "%s.run", unpack());
	assert_true(run("mkdir -p '%s'", dir));
	assert_true(
		run("cd '%s' && printf '      subroutine bobprb(i)\\n      end\\n' >stub.f", dir));
	for (size_t i = 0; i < paths.count; i++)
		all += strstr(paths.at[i], "torture/execute/") != NULL;
	assert_true(all > RUN_MAX);
	for (size_t i = 0, n = 0; i < paths.count && ran < RUN_MAX; i++) {
		if (!strstr(paths.at[i], "torture/execute/") || n++ % (all / RUN_MAX))
			continue;
		if (!run("cd '%s' && gfortran -w -std=legacy '%s' -o plain && timeout 60 ./plain "
			 ">out 2>&1",
			 dir, paths.at[i]))
			continue; /* needs options of its own */
		probe_and_run(paths.at[i], dir);
		ran++;
	}
	printf("%lu of %lu programs ran as before\n", ran, all);
	assert_true(ran > RUN_MAX / 2);
}

static void print_symbol(const char *unit, const struct bob_fortran_symbol *y)
{
	static const char *const types[] = { "NONE", "INTEGER", "REAL", "COMPLEX", "LOGICAL",
					     "CHARACTER", "DERIVED", "CLASS", "ANY" };

	printf("%s|%s|%d|%s|%d|%u|", unit, y->name, (int)y->class, types[y->type], (int)y->kind,
	       y->rank);
	for (uint32_t d = 0; d < y->rank; d++) {
		const struct bob_fortran_limit *l[] = { &y->lower[d], &y->upper[d] };

		for (int k = 0; k < 2; k++)
			if (l[k]->bound == BOB_BOUND_NUMBER)
				printf("%lld ", (long long)l[k]->value);
			else
				printf("%s ", l[k]->bound == BOB_BOUND_NONE ? "." : "?");
	}
	printf("|");
	if (y->has_value)
		printf("%lld", (long long)y->value);
	printf("|%s%s\n", y->common ? "/" : "", y->common ? y->common->name : "");
}

/* unit|name|class|type|kind|rank|bounds|value|common; names of the unit before those of its BLOCKs
 * and the like */
static void print_symbols(const char *path)
{
	read_path(path);
	for (uint32_t i = 0; i < file->unit_count; i++) {
		const struct bob_fortran_unit *u = &file->units[i];

		for (const struct bob_fortran_symbols *t = u->symbols; t; t = t->inner)
			for (const struct bob_fortran_symbol *y = t->first; y; y = y->next)
				print_symbol(u->name, y);
	}
}

static int print_probed(const char *path)
{
	struct bob_fortran_output out;
	uint32_t probes;

	read_path(path);
	if (probe_all(file, path, &out, &probes) != BOB_OK)
		return 1;
	return fwrite(out.bytes, 1, out.len, stdout) == out.len ? 0 : 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_all_are_read, close_file),
		cmocka_unit_test_teardown(test_probed_programs_run, close_file),
	};
	struct counts c = { .files = 0 };
	int failed;

	if (argc == 3 && !strcmp(argv[1], "--symbols")) {
		print_symbols(argv[2]);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "--probe"))
		return print_probed(argv[2]);
	for (int i = 1; i < argc; i++)
		count_file(&c, argv[i]);
	if (argc > 1) {
		print_counts(&c);
		bob_arena_free(&arena);
		return 0;
	}
	find_files(&paths, unpack());
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (size_t i = 0; i < paths.count; i++)
		free(paths.at[i]);
	free(paths.at);
	return failed;
}
