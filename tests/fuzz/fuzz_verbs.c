/* SPDX-License-Identifier: BSD-3-Clause */
/* All verbs that read a trace, as the command runs them, on whole traces of every kind, with right
 * checksums. The input is that of fuzz_trace.c, which runs more mutations in the same time because
 * it needs no process for each; this target is about the verbs: what they print, what they take,
 * what they do to files (verbs_run.h).
 *
 * A verb that reads events one by one is given a limit of events, since a few bytes may represent
 * 2^60; the others must be quick without. After the files of an input, 8 bytes may say which forms
 * run, bit by bit, so that a mutation takes milliseconds; without them all do, with ASan one in
 * three, others for each input.
 *
 * FUZZ_VERBS_FOUND: a directory. Inputs that fail are written there and the next one runs; else the
 * first failure aborts. */
#define _GNU_SOURCE
#include "trace_mutate.h"
#include "verbs_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

/* The status of a verb that a sanitizer stops, by which it is known; little memory waits for
 * reuse, so that what a verb takes is its own. */
const char *__asan_default_options(void)
{
	return "exitcode=99:quarantine_size_mb=4:detect_leaks=0:allocator_may_return_null=1";
}

#define LIMITED " --max-events=3000"

static const struct form {
	const char *words;
	int changes;	/* it writes to the trace's directory */
} forms[] = {
	{ "info -a", 0 },
	{ "info --json", 0 },
	{ "check" LIMITED, 0 },
	{ "check --complete" LIMITED, 0 },
	{ "report -n0" LIMITED, 0 },
	{ "report -p thread" LIMITED, 0 },
	{ "report --by=line" LIMITED, 0 },
	{ "report --by=variable" LIMITED, 0 },
	{ "report --by=instruction" LIMITED, 0 },
	{ "report --by=sync" LIMITED, 0 },
	{ "report --by=api" LIMITED, 0 },
	{ "report --mpi" LIMITED, 0 },
	{ "report --by=late" LIMITED, 0 },
	{ "report --by=parameter" LIMITED, 0 },
	{ "report --by=site" LIMITED, 0 },
	{ "report --by=hook" LIMITED, 0 },
	{ "report --by=comm" LIMITED, 0 },
	{ "report --by=rank" LIMITED, 0 },
	{ "show -n0" LIMITED, 0 },
	{ "show --no-fold" LIMITED, 0 },
	{ "show -x" LIMITED, 0 },
	{ "show --signatures" LIMITED, 0 },
	{ "show --mpi" LIMITED, 0 },
	{ "graph" LIMITED, 0 },
	{ "graph --dot" LIMITED, 0 },
	{ "export -f folded" LIMITED, 0 },
	{ "export -f callgrind" LIMITED, 0 },
	{ "export -f chrome" LIMITED, 0 },
	{ "export -f csv" LIMITED, 0 },
	{ "export --mpi -f chrome" LIMITED, 0 },
	{ "export --mpi -f csv" LIMITED, 0 },
	{ "export --mpi -f otf2 -o result" LIMITED, 0 },
	{ "dump" LIMITED, 0 },
	{ "replay --mem" LIMITED, 0 },
	{ "replay --mem -f din --order=threads" LIMITED, 0 },
	{ "replay --mem --syncs --mpi --subscripts" LIMITED, 0 },
	{ "cache" LIMITED, 0 },
	{ "cache --by=variable -p tiny" LIMITED, 0 },
	{ "arrays" LIMITED, 0 },
	{ "arrays -f csv -w 3" LIMITED, 0 },
	{ "arrays -f svg" LIMITED, 0 },
	{ "commmatrix", 0 },
	{ "commmatrix -f svg", 0 },
	{ "commmatrix --of=collectives -f csv", 0 },
	{ "merge", 1 },
	{ "fold -o result" LIMITED, 0 },
	{ "fold --tolerance=64" LIMITED, 1 },
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

#ifdef __SANITIZE_ADDRESS__
#define SHARE 3u
#else
#define SHARE 1u
#endif

static size_t choose(uint8_t *data, size_t len, size_t max, unsigned int seed)
{
	uint64_t r = (seed + 1ull) * 0x9e3779b97f4a7c15ull, what = 0;

	if (max - len < sizeof(what))
		return len;
	for (int i = 0; i < 4; i++)
		what |= 1ull << below(&r, FORMS);
	memcpy(data + len, &what, sizeof(what));
	return len + sizeof(what);
}

/* Says what was wrong; keeps the input, or aborts. */
static void fail(const struct form *f, const char *why, const uint8_t *data, size_t size)
{
	const char *to = getenv("FUZZ_VERBS_FOUND");
	struct bytes err = sandbox_read("err");
	static unsigned number;
	char name[PATH_MAX];
	FILE *file;

	fprintf(stderr, "bobbin %s: %s\n%.*s\n", f->words, why, (int)err.len, (char *)err.at);
	free(err.at);
	if (!to)
		abort();
	snprintf(name, sizeof(name), "%s/%ld.%u", to, (long)getpid(), number++);
	fprintf(stderr, "input kept in %s\n", name);
	file = fopen(name, "wb");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct blob_file files[BLOB_FILES_MAX];
	static size_t inputs;
	uint64_t what = 0;
	size_t used;
	const struct blob b = { files, blob_read(data, size, files, &used) };

	if (size - used >= sizeof(what))
		memcpy(&what, data + used, sizeof(what));
	else
		for (size_t i = inputs++ % SHARE; i < FORMS; i += SHARE)
			what |= 1ull << i;
	sandbox_open();
	if (b.count)
		sandbox_fill(b.files, b.count);
	for (size_t i = 0; b.count && i < FORMS; i++) {
		const char *why;

		if (!(what >> i & 1))
			continue;
		why = check_verb(forms[i].words, forms[i].changes, &b);
		if (why)
			fail(&forms[i], why, data, size);
		if (forms[i].changes || why)
			sandbox_fill(b.files, b.count);
	}
	blob_free(files, b.count);
	return 0;
}
