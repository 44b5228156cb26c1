/* SPDX-License-Identifier: BSD-3-Clause */
/* Source information of a small library: lines, variables, places and inlined functions that are
 * known; without debug information; with damaged one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive/memory/source_info.h"
#include "plan/plan.h"

#define DAMAGED 150	/* files */
#define PCS 4096u

static const char code[] = "struct pair { int n; double *data; };\n"			/* 1 */
			   "double table[40];\n"					/* 2 */
			   "static int hidden[3];\n"					/* 3 */
			   "double sum(double *a, const struct pair *p, int n)\n"	/* 4 */
			   "{\n"							/* 5 */
			   "	double s = 0;\n"					/* 6 */
			   "	for (int i = 0; i < n; i++)\n"				/* 7 */
			   "		s += a[i];\n"					/* 8 */
			   "	for (int i = 0; i < p->n; i++)\n"			/* 9 */
			   "		s += p->data[i];\n"				/* 10 */
			   "	return s + hidden[n & 1];\n"				/* 11 */
			   "}\n"							/* 12 */
			   "void put(int i, double v) { table[i] = v; hidden[1]++; }\n"; /* 13 */

/* Found by an offset in the table of a library, or at a constant in a program. */
static const char thread_code[] = "static __thread long first;\n"			  /* 1 */
				  "__thread double row[20];\n"				  /* 2 */
				  "__thread struct { int n; long *p; } st;\n"		  /* 3 */
				  "long work(int i)\n"					  /* 4 */
				  "{\n"						  /* 5 */
				  "	static __thread int own;\n"			  /* 6 */
				  "	first += i;\n"					  /* 7 */
				  "	row[i] += i;\n"				  /* 8 */
				  "	st.n++;\n"					  /* 9 */
				  "	own += 2;\n"					  /* 10 */
				  "	return st.p[i] + row[3];\n"			  /* 11 */
				  "}\n"							  /* 12 */
				  "int main(void) { return (int)work(1); }\n";		  /* 13 */

static const char inlined_code[] =
	"static inline void third(volatile int *p, int i) { p[i] = i; }\n"	/* 1 */
	"static inline void second(volatile int *p, int i)\n"			/* 2 */
	"{\n"									/* 3 */
	"	third(p, i);\n"							/* 4 */
	"	third(p, i + 7);\n"						/* 5 */
	"}\n"									/* 6 */
	"int *other;\n"								/* 7 */
	"void sum(volatile int *p, int n)\n"					/* 8 */
	"{\n"									/* 9 */
	"	other[n] = 1;\n"						/* 10 */
	"	second(p, n);\n"						/* 11 */
	"}\n";									/* 12 */

static char dir[] = "/tmp/bob-source-XXXXXX";

static void file_name(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", dir, name);
}

static int run(const char *options, const char *output)
{
	char command[4096];

	snprintf(command, sizeof(command), "cd %s && gcc -shared -fPIC %s -o %s code.c 2>/dev/null",
		 dir, options, output);
	return system(command);
}

static int compile_inlined(const char *compiler, const char *options)
{
	char command[4096];

	snprintf(command, sizeof(command),
		 "cd %s && %s -shared -fPIC -O2 %s -o inlined.so inlined.c 2>/dev/null", dir,
		 compiler, options);
	return system(command);
}

static int write_code(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	file_name(path, sizeof(path), name);
	f = fopen(path, "w");
	return !f || fputs(text, f) < 0 || fclose(f);
}

static int make_files(void **state)
{
	(void)state;
	if (!mkdtemp(dir) || write_code("code.c", code) || write_code("thread.c", thread_code) ||
	    write_code("inlined.c", inlined_code))
		return -1;
	return run("-g -O2", "o2.so") || run("-g -O0", "o0.so") || run("-g0 -O2 -s", "bare.so");
}

static int remove_files(void **state)
{
	char command[256];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

struct bytes {
	uint8_t *at;
	size_t len;
};

static void take(void *ctx, const void *p, size_t len)
{
	struct bytes *b = ctx;

	b->at = realloc(b->at, b->len + len + 1);
	assert_non_null(b->at);
	if (len)
		memcpy(b->at + b->len, p, len);
	b->len += len;
}

/* Every byte of a function is asked for: those that begin an instruction have places. */
static size_t pcs_of(const char *path, const char *function, uint64_t *pc)
{
	void *so = dlopen(path, RTLD_NOW);
	struct link_map *map;
	size_t n = 0;
	char *at;

	assert_non_null(so);
	at = dlsym(so, function);
	assert_non_null(at);
	assert_int_equal(dlinfo(so, RTLD_DI_LINKMAP, &map), 0);
	for (; n < PCS / 8; n++)
		pc[n] = (uint64_t)(at - (char *)map->l_addr) + n;
	dlclose(so);
	return n;
}

static bob_status make(const char *path, const uint64_t *pc, size_t count, struct bob_arena *arena,
		       struct bob_source *s)
{
	struct bytes b = { 0 }, inlined = { 0 };
	struct bob_error err;
	bob_status st = bob_plan_source(path, pc, count, take, &b, &inlined, &err);

	memset(s, 0, sizeof(*s));
	if (st == BOB_OK)
		assert_int_equal(bob_source_get(b.at, b.len, arena, s), BOB_OK);
	if (st == BOB_OK && inlined.len)
		assert_int_equal(bob_source_get_inlined(inlined.at, inlined.len, arena, s), BOB_OK);
	free(b.at);
	free(inlined.at);
	return st;
}

static int has_place(const struct bob_source *s, uint32_t line, int store, uint32_t kind,
		     const char *name)
{
	for (size_t i = 0; i < s->rows; i++) {
		uint32_t p = store ? s->row[i].store : s->row[i].load;

		if (s->row[i].line == line && p && s->place[p - 1].kind == kind &&
		    !strcmp(s->place[p - 1].name, name))
			return 1;
	}
	return 0;
}

static const struct bob_source_object *object(const struct bob_source *s, const char *name)
{
	for (size_t i = 0; i < s->objects; i++)
		if (!strcmp(s->object[i].name, name))
			return &s->object[i];
	return NULL;
}

static void known(void **state)
{
	static const char *const names[] = { "o2.so", "o0.so" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bob_arena arena = { 0 };
		struct bob_source s;
		uint64_t pc[PCS];
		char path[256];
		size_t n;

		file_name(path, sizeof(path), names[i]);
		n = pcs_of(path, "sum", pc);
		assert_int_equal(make(path, pc, n, &arena, &s), BOB_OK);
		assert_true(s.files >= 1);
		assert_non_null(strstr(s.file[0], "/code.c"));
		assert_true(has_place(&s, 8, 0, BOB_PLACE_POINTER, "a[]"));
		assert_true(has_place(&s, 9, 0, BOB_PLACE_POINTER, "p->n"));
		assert_true(has_place(&s, 10, 0, BOB_PLACE_POINTER, "p->data[]"));
		assert_int_equal(has_place(&s, 6, 1, BOB_PLACE_LOCAL, "s"), i);
		assert_int_equal(has_place(&s, 7, 0, BOB_PLACE_LOCAL, "n"), i);
		assert_non_null(object(&s, "table"));
		assert_int_equal(object(&s, "table")->size, 320);
		assert_non_null(object(&s, "hidden"));
		assert_int_equal(object(&s, "hidden")->size, 12);
		bob_arena_free(&arena);
	}
}

static const struct bob_source_place *place_at(const struct bob_source *s, uint32_t line, int store)
{
	for (size_t i = 0; i < s->rows; i++) {
		uint32_t p = store ? s->row[i].store : s->row[i].load;

		if (s->row[i].line == line && p && s->place[p - 1].kind >= BOB_PLACE_THREAD)
			return &s->place[p - 1];
	}
	return NULL;
}

/* Each is where its symbol is. */
static void check_thread(const struct bob_source *s)
{
	static const struct {
		uint32_t line, kind;
		const char *name;
		int64_t before;	/* from the name's beginning */
		uint64_t size;
	} cases[] = {
		{ 7, BOB_PLACE_THREAD, "first", 0, 0 },
		{ 8, BOB_PLACE_THREAD_INDEXED, "row", 0, 160 },
		{ 9, BOB_PLACE_THREAD, "st", 0, 0 },
		{ 10, BOB_PLACE_THREAD, "work::own", 0, 0 },
		{ 11, BOB_PLACE_THREAD, "row", 24, 0 },
	};
	int64_t row = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (int store = 0; store < 2; store++) {
			const struct bob_source_place *p = place_at(s, cases[i].line, store);

			if (cases[i].line == 11 && (store || !p || strcmp(p->name, "row") != 0))
				continue; /* st.p comes first where it is loaded late */
			assert_non_null(p);
			assert_int_equal(p->kind, cases[i].kind);
			assert_string_equal(p->name, cases[i].name);
			assert_int_equal(p->size, cases[i].size);
			if (cases[i].line == 8)
				row = p->frame;
			if (cases[i].line == 11)
				assert_int_equal(p->frame, row + cases[i].before);
		}
	assert_true(has_place(s, 11, 0, BOB_PLACE_POINTER, "st.p[]"));
	assert_true(has_place(s, 11, 0, BOB_PLACE_THREAD, "row"));
	assert_true(has_place(s, 11, 0, BOB_PLACE_THREAD, "st"));
}

static void thread_local(void **state)
{
	static const char *const options[] = {
		"-fPIC -shared -O2",
		"-fPIC -shared -O0",
		"-fPIC -shared -O2 -ftls-model=initial-exec",
		"-fPIC -shared -O1 -ftls-model=local-dynamic",
		"-fPIE -pie -O2 -rdynamic",
		"-fPIE -pie -O0 -rdynamic",
		"-fno-pie -no-pie -O2 -rdynamic",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		struct bob_arena arena = { 0 };
		struct bob_source s;
		uint64_t pc[PCS];
		char command[4096], path[256];
		FILE *f;
		size_t n = 0;

		file_name(path, sizeof(path), "thread");
		snprintf(command, sizeof(command),
			 "cd %s && gcc -g %s -o thread thread.c 2>/dev/null && nm thread", dir,
			 options[i]);
		f = popen(command, "r");
		assert_non_null(f);
		while (fgets(command, sizeof(command), f))
			if (strstr(command, " work\n"))
				for (uint64_t at = strtoull(command, NULL, 16); n < PCS / 8; n++)
					pc[n] = at + n;
		assert_int_equal(pclose(f), 0);
		assert_int_equal(make(path, pc, n, &arena, &s), BOB_OK);
		check_thread(&s);
		bob_arena_free(&arena);
	}
}

static int is_call(const struct bob_source *s, uint32_t call, const char *function, uint32_t line)
{
	const struct bob_source_inlined *c = &s->inlined[call];

	return !strcmp(s->text[c->function], function) && c->line == line &&
	       strstr(s->text[c->file], "/inlined.c");
}

/* The rows of line 1 are in both calls of third, those of line 10 in no inlined function. */
static void check_inlined(const struct bob_source *s)
{
	int from[6] = { 0 }, outside = 0;

	for (size_t i = 0; i < s->rows; i++) {
		const struct bob_source_row *r = &s->row[i];

		outside += r->line == 10;
		if (r->line == 10)
			assert_int_equal(r->inlined, 0);
		if (r->line != 1)
			continue;
		assert_true(r->inlined > 0);
		const uint32_t third = r->inlined - 1, second = s->inlined[third].parent;

		assert_true(second != ~0u);
		assert_true(is_call(s, third, "third", 4) || is_call(s, third, "third", 5));
		assert_true(is_call(s, second, "second", 11));
		assert_true(s->inlined[second].parent == ~0u);
		from[s->inlined[third].line]++;
	}
	assert_true(outside && from[4] && from[5]);
	assert_int_equal(s->inlined_count, 3);
	assert_int_equal(s->texts, 3);
}

static void inlined(void **state)
{
	static const char *const options[] = { "-g -gdwarf-4", "-g -gdwarf-5", "-g1",
					       "-g -gsplit-dwarf -gdwarf-4",
					       "-g -gsplit-dwarf -gdwarf-5",
					       "-g -flto", "-g -gz" };
	static const char *const compilers[] = { "gcc", "clang" };
	uint64_t pc[PCS];
	char path[256];
	int known = 0;

	(void)state;
	file_name(path, sizeof(path), "inlined.so");
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
			struct bob_arena arena = { 0 };
			struct bob_source s;

			if (compile_inlined(compilers[k], options[i]))
				continue;
			print_message("%s %s\n", compilers[k], options[i]);
			assert_int_equal(make(path, pc, pcs_of(path, "sum", pc), &arena, &s),
					 BOB_OK);
			check_inlined(&s);
			bob_arena_free(&arena);
			known++;
		}
	assert_true(known >= 5);
}

static void bare(void **state)
{
	struct bob_arena arena = { 0 };
	struct bob_source s;
	uint64_t pc[PCS];
	char path[256];
	size_t n;

	(void)state;
	file_name(path, sizeof(path), "bare.so");
	n = pcs_of(path, "sum", pc);
	assert_int_equal(make(path, pc, n, &arena, &s), BOB_OK);
	assert_int_equal(s.rows, 0);
	assert_int_equal(s.inlined_count, 0);
	assert_non_null(object(&s, "table")); /* a symbol */
	assert_null(object(&s, "hidden"));
	assert_true(s.sections > 3);
	bob_arena_free(&arena);
	assert_int_equal(make("/nowhere/at/all", pc, n, &arena, &s), BOB_ERR_NOENT);
	assert_int_equal(make("/etc/passwd", pc, n, &arena, &s), BOB_ERR_UNSUPPORTED);
	file_name(path, sizeof(path), "o2.so");
	assert_int_equal(make(path, NULL, 0, &arena, &s), BOB_OK);
	assert_int_equal(s.rows, 0);
	bob_arena_free(&arena);
}

/* Bytes after the loaded ones are changed: sections that are not executed. Any result can be
 * read. */
static void damaged(void **state)
{
	static uint8_t bytes[1 << 20];
	uint64_t pc[PCS], seed = 7;
	char path[256], bad[256];
	size_t n, len, made = 0;
	FILE *f;

	(void)state;
	file_name(path, sizeof(path), "o2.so");
	file_name(bad, sizeof(bad), "bad.so");
	n = pcs_of(path, "sum", pc);
	f = fopen(path, "r");
	assert_non_null(f);
	len = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	for (int i = 0; i < DAMAGED; i++) {
		struct bob_arena arena = { 0 };
		struct bob_source s;
		uint8_t old[16];
		size_t at[16];

		for (int k = 0; k < 16; k++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			at[k] = 0x3000 + (size_t)(seed >> 33) % (len - 0x3000);
			old[k] = bytes[at[k]];
			bytes[at[k]] = (uint8_t)(seed >> 20);
		}
		f = fopen(bad, "w");
		assert_non_null(f);
		assert_int_equal(fwrite(bytes, 1, len, f), len);
		fclose(f);
		made += make(bad, pc, n, &arena, &s) == BOB_OK;
		bob_arena_free(&arena);
		for (int k = 16; k-- > 0;)
			bytes[at[k]] = old[k];
	}
	assert_true(made > DAMAGED / 4);
}

/* Compiles inlined.c after a change of the assembly text; 0 if nothing was changed. */
static int compile_changed(const char *change)
{
	char command[4096];

	snprintf(command, sizeof(command),
		 "cd %s && gcc -fPIC -O2 -g -dA -S inlined.c -o inlined.s && sed -e '%s' inlined.s "
		 ">changed.s && ! cmp -s inlined.s changed.s && "
		 "gcc -shared -o changed.so changed.s 2>/dev/null",
		 dir, change);
	return system(command) == 0;
}

/* Lines and places are the same if the information about inlined functions is damaged. */
static void damaged_inlined(void **state)
{
	static const char *const changes[] = {
		"s/\\.long.*# DW_AT_abstract_origin/.long 0xffffff/",
		"s/\\.long.*# DW_AT_abstract_origin/.long 3/",
		"s/\\.byte.*# DW_AT_call_line/.byte 0/",
		"s/\\.long.*# DW_AT_ranges/.long 0xfffff0/",
	};
	struct bob_arena arena = { 0 };
	struct bob_source want, got;
	uint64_t pc[PCS];
	char path[256];

	(void)state;
	assert_int_equal(compile_inlined("gcc", "-g"), 0);
	file_name(path, sizeof(path), "inlined.so");
	assert_int_equal(make(path, pc, pcs_of(path, "sum", pc), &arena, &want), BOB_OK);
	file_name(path, sizeof(path), "changed.so");
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		print_message("%s\n", changes[i]);
		assert_true(compile_changed(changes[i]));
		assert_int_equal(make(path, pc, pcs_of(path, "sum", pc), &arena, &got), BOB_OK);
		assert_int_equal(got.rows, want.rows);
		for (size_t k = 0; k < got.rows; k++) {
			assert_int_equal(got.row[k].pc, want.row[k].pc);
			assert_int_equal(got.row[k].line, want.row[k].line);
			assert_int_equal(got.row[k].load, want.row[k].load);
			assert_int_equal(got.row[k].store, want.row[k].store);
		}
	}
	bob_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(known), cmocka_unit_test(thread_local),
					    cmocka_unit_test(inlined), cmocka_unit_test(bare),
					    cmocka_unit_test(damaged),
					    cmocka_unit_test(damaged_inlined) };

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
