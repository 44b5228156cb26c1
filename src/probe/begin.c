/* SPDX-License-Identifier: BSD-3-Clause */
/* Registration of an instrumented file: its sites and nests get descriptors (mem/record.h), and its
 * image a file. If any of it fails, the file's probes stay disabled, and the trace says so. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "probe/probe.h"

#define MISSING_MAX 64u /* missing-probe lines of a file */
#define PATH_MAX_BYTES 300u /* of the file's path in such a line: the last bytes */

static uint32_t files;

/* --- descriptors --- */

static void add_accesses(struct bob_mem_desc *d, struct bob_mem_access *to,
			 const struct bob_probe_site *site, uint32_t index, uint8_t word,
			 uint8_t guard)
{
	struct bob_mem_access a = { .pc = (uint32_t)(index + 1 - d->pc),
				    .size = (uint16_t)site->size,
				    .type = site->kind == BOB_PROBE_WRITE ? BOB_MEM_STORE :
									    BOB_MEM_LOAD,
				    .word = word, .guard = guard };

	a.guard_bit = guard == BOB_MEM_NO_WORD ? 0 : word;
	to[d->access_count++] = a;
	if (site->kind != BOB_PROBE_UPDATE)
		return;
	a.type = BOB_MEM_STORE;
	to[d->access_count++] = a;
}

static struct bob_mem_desc plain(enum bob_mem_kind kind, uint32_t site)
{
	return (struct bob_mem_desc){ .kind = (uint8_t)kind, .pc = site + 1,
				      .sp_word = BOB_MEM_NO_WORD, .words = 1 };
}

static size_t put_site(const struct bob_probe_file *f, uint32_t i, uint8_t *to)
{
	struct bob_mem_desc d = plain(BOB_MEM_BLOCK, i);
	struct bob_mem_access a[2];

	add_accesses(&d, a, &f->site[i], i, 0, BOB_MEM_NO_WORD);
	d.access = a;
	return bob_mem_desc_put(&d, to);
}

/* Words: the addresses, their steps, the mask (if masked), the counter. The record ends with the
 * final value of the counter. */
static size_t put_nest(const struct bob_probe_file *f, const struct bob_probe_nest *n, bool masked,
		       uint8_t *to)
{
	struct bob_mem_desc d = plain(BOB_MEM_LOOP, n->first);
	struct bob_mem_access a[2 * BOB_PROBE_NEST_LAID_MAX];
	struct bob_mem_step step[BOB_MEM_WORDS_MAX];
	const uint8_t count = (uint8_t)n->count;
	uint8_t of[BOB_PROBE_NEST_LAID_MAX];
	const uint8_t words = (uint8_t)(count + bob_pr_steps(f->site + n->first, count, of));

	d.words = (uint8_t)(words + masked + 1);
	d.counter = (uint8_t)(d.words - 1);
	for (uint8_t w = 0; w < d.words; w++) {
		step[w] = (struct bob_mem_step){ .word = BOB_MEM_NO_WORD };
		if (w < count) {
			step[w].word = (uint8_t)(count + of[w]);
			step[w].scale = 1;
			add_accesses(&d, a, &f->site[n->first + w], n->first + w, w,
				     masked ? words : BOB_MEM_NO_WORD);
		}
	}
	step[d.counter].constant = 1;
	d.access = a;
	d.step = step;
	return bob_mem_desc_put(&d, to);
}

static bool is_sane_nest(const struct bob_probe_file *f, const struct bob_probe_nest *n)
{
	uint32_t words = n->count;

	if (!n->count || n->count > BOB_PROBE_NEST_LAID_MAX || n->first >= f->sites ||
	    n->count > f->sites - n->first || !n->depth || n->depth > BOB_PROBE_NEST_DEPTH_MAX)
		return false;
	for (uint32_t k = 0; k < n->count; k++) {
		if (f->site[n->first + k].like > k)
			return false;
		words += !f->site[n->first + k].like;
	}
	return words <= BOB_PROBE_NEST_WORDS_MAX;
}

static bool is_sane(const struct bob_probe_file *f)
{
	bool ok = f->variables <= BOB_PROBE_VARIABLES_MAX && f->sites < 1u << 30 &&
		  f->nests < 1u << 28;

	for (uint32_t i = 0; i < f->sites && ok; i++)
		ok = f->site[i].kind <= BOB_PROBE_UPDATE && f->site[i].size &&
		     f->site[i].unit < f->units;
	for (uint32_t i = 0; i < f->nests && ok; i++)
		ok = is_sane_nest(f, &f->nest[i]);
	return ok;
}

static uint32_t enter(const struct bob_probe_file *f, uint64_t key, struct bob_pr_file *own)
{
	const size_t capacity = BOB_MEM_DESC_BYTES(2) * f->sites +
				2 * BOB_MEM_DESC_BYTES(2 * BOB_PROBE_NEST_LAID_MAX) * f->nests;
	uint8_t *bytes = malloc(capacity + 1);
	struct bob_agent_source s = { .path = f->path, .key = key, .build_id = f->digest,
				      .bias = own->bias, .functions = bob_pr_image_functions(f),
				      .desc_count = f->sites + 2 * f->nests, .descs = bytes };
	uint8_t *shapes;
	uint32_t first;

	if (!bytes)
		return ~0u;
	s.meta_bytes = bob_pr_shapes(f, own, &shapes);
	s.meta = shapes;
	for (uint32_t i = 0; i < f->sites; i++)
		s.descs_bytes += put_site(f, i, bytes + s.descs_bytes);
	for (uint32_t i = 0; i < 2 * f->nests; i++)
		s.descs_bytes += put_nest(f, &f->nest[i / 2], i & 1, bytes + s.descs_bytes);
	first = bob_pr_agent->source_add(&s);
	free(shapes);
	free(bytes);
	return first;
}

/* --- the interface that bobbin/probe.h looks up --- */

static void after_fork(void)
{
	bob_pr_places_unlock();
	bob_pr_count_after_fork();
}

static void find_agent(void)
{
	const struct bob_agent_streams *a = dlsym(RTLD_DEFAULT, BOB_AGENT_STREAMS_NAME);
	const char *what = a && a->size >= sizeof(*a) ? a->setting("BOBBIN_MEM") : NULL;

	if (!what || strcmp(what, "source") != 0)
		return;
	pthread_atfork(bob_pr_places_lock, bob_pr_places_unlock, after_fork);
	bob_pr_count_begin();
	bob_pr_untraced_begin();
	bob_pr_agent = a;
	a->at_end(bob_pr_count_report);
}

static void begin_file(struct bob_probe_file *f);

static const struct bob_probe_variable *variable(const struct bob_probe_file *f, uint32_t v)
{
	return v < f->variables ? &f->variable[v] : NULL;
}

static void declare(struct bob_probe_file *f, uint32_t v, const volatile void *base,
		    const int64_t (*bounds)[2])
{
	const struct bob_probe_variable *d = variable(f, v);

	if (!d || !f->own)
		return;
	bob_pr_declare(d, (const void *)(uintptr_t)base, bounds ? bounds : d->bounds,
		       bob_pr_address(f->own, v));
	if (bounds)
		bob_pr_shape_report(f, v, bounds);
}

static void forget(struct bob_probe_file *f, uint32_t v, const volatile void *base)
{
	if (variable(f, v) && f->own)
		bob_pr_forget((const void *)(uintptr_t)base, bob_pr_address(f->own, v));
}

static void gone(const volatile void *base)
{
	bob_pr_forget((const void *)(uintptr_t)base, BOB_PR_ANY);
}

static void begin(struct bob_probe_file *f)
{
	const int saved = errno;

	begin_file(f);
	errno = saved;
}

extern const struct bob_probe_table bobbin_probe_1;
__attribute__((visibility("default"))) const struct bob_probe_table bobbin_probe_1 = {
	.size = sizeof(bobbin_probe_1),
	.begin = begin,
	.declare = declare,
	.forget = forget,
	.nest = bob_pr_nest,
	.gone = gone,
	.uneven = bob_pr_uneven,
	.outside = bob_pr_count_own,
};

/* Note in the trace which statements the instrumenter could not give a probe. */
static void note_missing(const struct bob_probe_file *f)
{
	const size_t len = strlen(f->path);
	const char *path = len > PATH_MAX_BYTES ? f->path + len - PATH_MAX_BYTES : f->path;
	char line[1024];
	uint32_t n = 0;

	for (; f->missing && f->missing[n]; n++) {
		if (n >= MISSING_MAX)
			continue;
		snprintf(line, sizeof(line) - 1, "%s: %s", path, f->missing[n]);
		bob_agent_log(bob_pr_agent, strcat(line, "\n"));
	}
	if (n <= MISSING_MAX)
		return;
	snprintf(line, sizeof(line), "%s: ... and %" PRIu32 " more\n", path, n - MISSING_MAX);
	bob_agent_log(bob_pr_agent, line);
}

/* Note the prediction once: all files of a command have the same one. */
static void note_predicted(const struct bob_probe_file *f)
{
	static uint64_t reported;
	const bool is_there = f->size >=
			      offsetof(struct bob_probe_file, predicted) + sizeof(f->predicted);
	const char *line = is_there ? f->predicted : NULL;
	const uint64_t hash = line ? bob_hash64(1, line, strlen(line)) : 0;

	if (line && __atomic_exchange_n(&reported, hash, __ATOMIC_RELAXED) != hash)
		bob_agent_log(bob_pr_agent, line);
}

static void begin_file(struct bob_probe_file *f)
{
	uint64_t words[3] = { f->digest, f->sites, f->nests }, key;
	struct bob_pr_file *own;
	uint32_t number;

	if (!bob_pr_agent)
		find_agent();
	if (!bob_pr_agent)
		return;
	if (f->size < offsetof(struct bob_probe_file, predicted)) {
		bob_agent_log(bob_pr_agent,
			      "an instrumented file is not recorded: it is of another version of "
			      "bobbin/probe.h, instrument it again\n");
		return;
	}
	if (f->own)
		return;
	note_missing(f);
	if (!f->sites && !f->variables)
		return;
	own = malloc(sizeof(*own));
	number = __atomic_fetch_add(&files, 1, __ATOMIC_RELAXED);
	key = bob_hash64(bob_hash64(0, words, sizeof(words)), f->path, strlen(f->path));
	if (!own || number >= BOB_PR_FILES_MAX || !is_sane(f) ||
	    !bob_pr_untraced_open(&own->untraced, f->sites)) {
		bob_agent_log(bob_pr_agent,
			      "an instrumented file is not recorded: its tables cannot be used\n");
		free(own);
		return;
	}
	own->bias = (uint64_t)(number + 1) << BOB_PR_FILE_SHIFT;
	own->shape = NULL;
	own->first = enter(f, key, own);
	if (own->first == ~0u) {
		free(own->shape);
		bob_pr_untraced_drop(&own->untraced);
		free(own);
		return;
	}
	note_predicted(f);
	bob_pr_image_save(f, key, bob_pr_agent->setting("BOBBIN_DIR"));
	f->own = own;
	f->recorder = &bobbin_probe_1;
	f->access = bob_pr_access;
	__atomic_store_n(&f->untraced, own->untraced.untraced, __ATOMIC_RELEASE);
}
