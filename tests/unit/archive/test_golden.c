/* SPDX-License-Identifier: BSD-3-Clause */
/* Golden traces: the C reader and the independent decoder give the committed text. */
#define _GNU_SOURCE
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../golden/traces.h"

#define GOLDEN_VERSIONS 2u

static const char *source(void)
{
	const char *dir = getenv("BOBBIN_SOURCE");

	return dir ? dir : ".";
}

static char *read_text(FILE *f, size_t *len)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, len);
	int c;

	assert_non_null(f);
	while ((c = getc(f)) != EOF)
		putc(c, to);
	fclose(to);
	return text;
}

static char *golden_text(const char *name, size_t *len)
{
	char path[4096];
	FILE *f;
	char *text;

	snprintf(path, sizeof(path), "%s/tests/golden/v1/%s.dump", source(), name);
	f = fopen(path, "r");
	text = read_text(f, len);
	fclose(f);
	assert_true(*len > 100);
	return text;
}

/* The trace of that name in which chunks are as those of `version`; 0: none has changed since an
 * earlier one. */
static int golden_path(char *path, size_t cap, uint32_t version, const char *name)
{
	snprintf(path, cap, "%s/tests/golden/v%u/%s", source(), version, name);
	return access(path, F_OK) == 0;
}

static void check_c_reader(const char *path, const char *want)
{
	struct bob_trace *t;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(bob_trace_open(path, &t, NULL), BOB_OK);
	assert_int_equal(bob_archive_dump(t, f), BOB_OK);
	fclose(f);
	assert_string_equal(text, want);
	assert_int_equal(bob_trace_verify(t), BOB_OK);
	for (uint32_t k = 0; k < bob_trace_problem_count(t); k++)
		assert_string_equal(bob_trace_problem(t, k)->text,
				    "the file of an image is missing");
	bob_trace_close(t);
	free(text);
}

static void check_spec_decoder(const char *path, const char *want)
{
	char command[8300], *text;
	size_t len;
	FILE *f;

	snprintf(command, sizeof(command), "python3 '%s/tools/spec_decoder.py' '%s'", source(),
		 path);
	f = popen(command, "r");
	text = read_text(f, &len);
	assert_int_equal(pclose(f), 0);
	assert_string_equal(text, want);
	free(text);
}

/* However a trace is stored, it says the same. */
static void check_all(void (*check)(const char *path, const char *want))
{
	size_t later = 0;

	for (size_t i = 0; i < GOLDEN_TRACES; i++) {
		const char *name = golden_traces[i].name;
		size_t len;
		char *want = golden_text(name, &len), path[4000];

		for (uint32_t version = 1; version <= GOLDEN_VERSIONS; version++) {
			if (!golden_path(path, sizeof(path), version, name)) {
				assert_true(version > 1);
				continue;
			}
			check(path, want);
			later += version > 1;
		}
		free(want);
	}
	assert_true(later);
}

static void c_reader(void **state)
{
	(void)state;
	check_all(check_c_reader);
}

static void spec_decoder(void **state)
{
	(void)state;
	check_all(check_spec_decoder);
}

static char *dump_file(const char *name, const uint8_t *bytes, size_t len)
{
	const struct bob_memory_file file = { name, bytes, len };
	struct bob_trace *t;
	char *text = NULL;
	size_t text_len;
	FILE *f = open_memstream(&text, &text_len);

	assert_int_equal(bob_archive_open_memory(&file, 1, &t, NULL), BOB_OK);
	assert_int_equal(bob_archive_dump(t, f), BOB_OK);
	bob_trace_close(t);
	fclose(f);
	return text;
}

/* --- compressed images --- */

static uint8_t *read_file(const char *dir, const char *name, size_t *len)
{
	char *path = NULL;
	uint8_t *bytes;
	FILE *f;

	assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
	f = fopen(path, "rb");
	free(path);
	bytes = (uint8_t *)read_text(f, len);
	fclose(f);
	return bytes;
}

static uint8_t *packed(const uint8_t *file, size_t len, size_t *packed_len)
{
	FILE *to = tmpfile();
	uint8_t *bytes;

	assert_int_equal(bob_archive_pack_image(file, len, to), BOB_OK);
	rewind(to);
	bytes = (uint8_t *)read_text(to, packed_len);
	fclose(to);
	assert_true(*packed_len < len);
	to = tmpfile();
	assert_int_equal(bob_archive_pack_image(bytes, *packed_len, to), BOB_NONE);
	fclose(to);
	return bytes;
}

/* Files of the golden trace `name`, those of images compressed. */
static size_t read_packed(const char *name, struct bob_memory_file *file, size_t max)
{
	char dir[4096];
	struct dirent *e;
	size_t n = 0;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/tests/golden/v1/%s", source(), name);
	d = opendir(dir);
	assert_non_null(d);
	while ((e = readdir(d))) {
		if (!strstr(e->d_name, ".bob"))
			continue;
		assert_true(n < max);
		file[n].name = strdup(e->d_name);
		file[n].bytes = read_file(dir, e->d_name, &file[n].len);
		if (e->d_name[0] == 'i') {
			uint8_t *loose = (uint8_t *)(uintptr_t)file[n].bytes;

			file[n].bytes = packed(loose, file[n].len, &file[n].len);
			free(loose);
		}
		n++;
	}
	closedir(d);
	return n;
}

/* The trace says the same; with any byte of a compressed image changed it says so, or the same. */
static void packed_images(void **state)
{
	struct bob_memory_file file[8];
	size_t want_len, len, n = read_packed("calls", file, 8), images = 0;
	char *want = golden_text("calls", &want_len);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		uint8_t *bytes = (uint8_t *)(uintptr_t)file[i].bytes;
		const int is_image = file[i].name[0] == 'i';

		images += (size_t)is_image;
		for (size_t at = BOB_FILE_HEAD_BYTES; is_image && at <= file[i].len; at++) {
			const int damaged = at < file[i].len;
			struct bob_trace *t;
			char *text = NULL;
			FILE *f = open_memstream(&text, &len);

			if (damaged)
				bytes[at] ^= 0x55;
			assert_int_equal(bob_archive_open_memory(file, n, &t, NULL), BOB_OK);
			assert_int_equal(bob_archive_dump(t, f), BOB_OK);
			fclose(f);
			bob_trace_verify(t);
			if (!damaged)
				assert_string_equal(text, want);
			else
				assert_true(bob_trace_problem_count(t) || !strcmp(text, want));
			bob_trace_close(t);
			free(text);
			if (damaged)
				bytes[at] ^= 0x55;
		}
	}
	assert_true(images);
	for (size_t i = 0; i < n; i++) {
		free((void *)(uintptr_t)file[i].name);
		free((void *)(uintptr_t)file[i].bytes);
	}
	free(want);
}

/* Merging changes nothing that the dump says of threads. The heads of these streams do not say how
 * long they are. */
static void check_merged(const char *name)
{
	size_t want_len, len;
	char *want = golden_text(name, &want_len), *sources = strstr(want, "\nsource "), *text;
	struct bob_trace *t;
	char path[4096];
	FILE *to = tmpfile();
	uint8_t *bytes = calloc(1, BUILD_CAP);

	if (sources) /* these are in other files */
		sources[1] = 0;
	assert_non_null(to);
	assert_non_null(bytes);
	snprintf(path, sizeof(path), "%s/tests/golden/v1/%s", source(), name);
	assert_int_equal(bob_trace_open(path, &t, NULL), BOB_OK);
	assert_int_equal(bob_archive_merge(t, 0, 1, to, NULL), BOB_OK);
	bob_trace_close(t);
	rewind(to);
	len = fread(bytes, 1, BUILD_CAP, to);
	fclose(to);
	text = dump_file("p.bob", bytes, len);
	assert_string_equal(text, want);
	free(bytes);
	free(text);
	free(want);
}

static void merged(void **state)
{
	(void)state;
	check_merged("folded");
	check_merged("syncs");
	check_merged("places");
}

/* All threads of some processes, as text; the caller frees it. */
static char *dump_files(const struct bob_memory_file *file, size_t count)
{
	size_t len;
	char *text = NULL;
	struct bob_trace *t;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(bob_archive_open_memory(file, count, &t, NULL), BOB_OK);
	assert_int_equal(bob_archive_dump(t, f), BOB_OK);
	assert_int_equal(bob_trace_problem_count(t), 0);
	bob_trace_close(t);
	fclose(f);
	return text;
}

/* Nor does merging processes, whatever they call things and wherever these lie; nor merging once
 * more, when another has come; and what is merged goes before a file that was to be removed. */
static void ranks(void **state)
{
	size_t want_len;
	char *want = golden_text("ranks", &want_len), *text;
	struct bob_memory_file file[6];
	struct build rank[4], some, all;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		build_rank(&rank[i], i);
		file[i] = (struct bob_memory_file){ rank[i].name, rank[i].bytes, rank[i].len };
	}
	text = dump_files(file, 4);
	assert_string_equal(text, want);
	free(text);
	build_trace(rank + 1, 3, &some);
	file[1] = (struct bob_memory_file){ some.name, some.bytes, some.len };
	text = dump_files(file, 2);
	assert_string_equal(text, want);
	free(text);
	build_trace((const struct build[]){ rank[0], some }, 2, &all);
	file[0] = (struct bob_memory_file){ all.name, all.bytes, all.len };
	text = dump_files(file, 1);
	assert_string_equal(text, want);
	free(text);
	file[1] = (struct bob_memory_file){ rank[2].name, rank[2].bytes, rank[2].len };
	text = dump_files(file, 2);
	assert_string_equal(text, want);
	free(text);
	for (uint32_t i = 0; i < 4; i++)
		build_free(&rank[i]);
	build_free(&some);
	build_free(&all);
	free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c_reader),
		cmocka_unit_test(spec_decoder),
		cmocka_unit_test(packed_images),
		cmocka_unit_test(merged),
		cmocka_unit_test(ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
