/* SPDX-License-Identifier: BSD-3-Clause */
/* Restores the original code of a traced process (restore_code.h): entries that jump to
 * trampolines, and code that jumps to its translation, by comparing memory with the plans and
 * copying from the file. */
#define _GNU_SOURCE
#include "cli/record/restore_code.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/format.h"
#include "archive/write/write.h"
#include "base/host/clock.h"
#include "cli/record/watching.h"
#include "plan/format.h"
#include "plan/mem/format.h"
#include "plan/plan.h"

#define WINDOW_BYTES (64u << 10)
#define META_MAX (64u << 20)
#define SEGMENTS_MAX 64u

/* Cache of the process's memory: the last bytes read. */
struct window {
	uint64_t at, len;
	uint8_t byte[WINDOW_BYTES];
};

struct process {
	int memory;
	int cache;		/* directory of plans */
	int translates;		/* its memory accesses are recorded */
	struct window code, arena;
};

static const uint8_t *look_at(const struct process *p, struct window *w, uint64_t addr, size_t len)
{
	ssize_t n;

	if (addr < w->at || addr - w->at > w->len || w->len - (addr - w->at) < len) {
		n = pread(p->memory, w->byte, sizeof(w->byte), (off_t)addr);
		w->at = addr;
		w->len = n > 0 ? (uint64_t)n : 0;
	}
	return w->len - (addr - w->at) < len ? NULL : w->byte + (addr - w->at);
}

/* --- calls --- */

/* Whether the jump at `addr` leads to a trampoline (plan/format.h). */
static int leads_to_trampoline(struct process *p, uint64_t addr)
{
	static const uint8_t begin[] = { 0x48, 0x89, 0x44, 0x24, 0xf0, 0xb8 };
	const uint8_t *jump = look_at(p, &p->code, addr, 5), *there;
	int32_t rel;

	if (!jump || jump[0] != 0xe9)
		return 0;
	memcpy(&rel, jump + 1, sizeof(rel));
	there = look_at(p, &p->arena, addr + 5 + (uint64_t)(int64_t)rel, sizeof(begin));
	return there && !memcmp(there, begin, sizeof(begin));
}

static int is_hooked(struct process *p, uint64_t addr, const struct bob_plan_func *f)
{
	const uint8_t *jump;

	if (f->kind != BOB_PATCH_HOLE)
		return leads_to_trampoline(p, addr);
	jump = look_at(p, &p->code, addr, 2);
	return jump && jump[0] == 0xeb && (int8_t)jump[1] + 2 == f->hole_delta &&
	       leads_to_trampoline(p, addr + (uint64_t)(int64_t)f->hole_delta);
}

static int is_special(const struct bob_plan_head *plan, uint32_t func)
{
	const struct bob_plan_special *sp = (const void *)((const char *)plan + plan->special.off);

	for (uint64_t i = 0; i < plan->special.len / sizeof(*sp); i++)
		if (sp[i].func == func)
			return 1;
	return 0;
}

static void restore_functions(struct process *p, const struct bob_plan_head *plan, uint64_t bias)
{
	const struct bob_plan_func *f = (const void *)((const char *)plan + plan->funcs.off);

	p->code.len = p->arena.len = 0;
	for (uint32_t i = 0; i < plan->func_count; i++) {
		const uint64_t at = bias + f[i].addr + f[i].patch_delta;

		if (f[i].kind == BOB_PATCH_NONE || !bob_plan_begins_inside(&f[i]) ||
		    is_special(plan, i) || !is_hooked(p, at, &f[i]))
			continue;
		if (pwrite(p->memory, f[i].expect, bob_plan_entry_bytes(&f[i]), (off_t)at) < 0)
			return;
	}
}

/* --- translated code --- */

/* File offset of a range of link addresses; 0: not in the file. */
static uint64_t file_offset(const Elf64_Phdr *ph, unsigned count, uint64_t addr, uint64_t len)
{
	for (unsigned i = 0; i < count; i++)
		if (ph[i].p_type == PT_LOAD && addr >= ph[i].p_vaddr &&
		    addr - ph[i].p_vaddr < ph[i].p_filesz &&
		    len <= ph[i].p_filesz - (addr - ph[i].p_vaddr))
			return ph[i].p_offset + (addr - ph[i].p_vaddr);
	return 0;
}

static unsigned read_segments(int fd, Elf64_Phdr *ph, unsigned capacity)
{
	Elf64_Ehdr e;

	if (pread(fd, &e, sizeof(e), 0) != sizeof(e) || e.e_phentsize != sizeof(*ph) ||
	    e.e_phnum > capacity)
		return 0;
	return pread(fd, ph, e.e_phnum * sizeof(*ph), (off_t)e.e_phoff) ==
			       (ssize_t)(e.e_phnum * sizeof(*ph)) ?
		       e.e_phnum :
		       0;
}

struct image_file {
	int fd;
	unsigned segments;
	Elf64_Phdr ph[SEGMENTS_MAX];
};

/* Copies the file's bytes at a link address to the process's memory at `to`. */
static int copy_original(const struct process *p, const struct image_file *f, uint64_t addr,
			 uint64_t len, uint64_t to)
{
	uint64_t from = file_offset(f->ph, f->segments, addr, len);
	uint8_t bytes[4096];

	if (!from)
		return 0;
	while (len) {
		size_t n = len < sizeof(bytes) ? len : sizeof(bytes);

		if (pread(f->fd, bytes, n, (off_t)from) != (ssize_t)n ||
		    pwrite(p->memory, bytes, n, (off_t)to) != (ssize_t)n)
			return -1;
		from += n;
		to += n;
		len -= n;
	}
	return 0;
}

/* A flag per function: whether it is translated. Functions in which the agent itself acts are not.
 * NULL: out of memory. */
static uint8_t *find_translated(const struct bob_mem_plan_head *mem,
				const struct bob_plan_head *plan)
{
	const struct bob_mem_patch *m = (const void *)((const char *)mem + mem->patches.off);
	const struct bob_plan_special *sp = (const void *)((const char *)plan + plan->special.off);
	const struct bob_plan_func *f = (const void *)((const char *)plan + plan->funcs.off);
	uint8_t *is = malloc(mem->funcs.len / sizeof(struct bob_mem_func) + 1);

	if (!is)
		return NULL;
	memset(is, 1, mem->funcs.len / sizeof(struct bob_mem_func));
	for (uint64_t i = 0; i < mem->patches.len / sizeof(*m); i++)
		for (uint64_t k = 0; k < plan->special.len / sizeof(*sp); k++)
			if (f[sp[k].func].addr + f[sp[k].func].patch_delta - m[i].addr < m[i].len)
				is[m[i].func] = 0;
	return is;
}

/* Copies the file's bytes to every patch by which the original code jumps to its translation. */
static void restore_patches(struct process *p, const struct bob_mem_plan_head *mem,
			    const struct bob_plan_head *plan, uint64_t bias, int fd)
{
	const struct bob_mem_patch *m = (const void *)((const char *)mem + mem->patches.off);
	const uint8_t *text = (const uint8_t *)mem + mem->text.off;
	uint8_t *is_translated = find_translated(mem, plan);
	struct image_file f = { .fd = fd };

	f.segments = read_segments(fd, f.ph, SEGMENTS_MAX);
	p->code.len = 0;
	for (uint64_t i = 0; is_translated && i < mem->patches.len / sizeof(*m); i++) {
		const uint8_t *now = look_at(p, &p->code, bias + m[i].addr, 1);

		if (now && now[0] == text[m[i].text] && is_translated[m[i].func] &&
		    copy_original(p, &f, m[i].addr, m[i].len, bias + m[i].addr))
			break;
	}
	free(is_translated);
}

/* --- images --- */

static void *load_plan(const struct process *p, uint64_t key, const char *ending,
		       bob_status (*check)(const void *plan, uint64_t len, uint64_t key))
{
	char name[32];
	void *plan;
	size_t len;

	snprintf(name, sizeof(name), "%016" PRIx64 "%s", key, ending);
	if (bob_plan_cache_load(p->cache, name, &plan, &len) != BOB_OK)
		return NULL;
	if (check(plan, len, key) == BOB_OK)
		return plan;
	free(plan);
	return NULL;
}

static void restore_image(struct process *p, const struct bob_rec_image *image, const char *path)
{
	void *plan = load_plan(p, image->key, ".plan", bob_plan_check);
	void *mem = plan && image->chosen && p->translates ?
			    load_plan(p, image->key, ".mem", bob_mem_plan_check) :
			    NULL;
	int fd = mem ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	uint64_t key;

	if (plan)
		restore_functions(p, plan, image->bias);
	if (fd >= 0 && bob_plan_key(path, &key, NULL) == BOB_OK && key == image->key)
		restore_patches(p, mem, plan, image->bias, fd);
	if (fd >= 0)
		close(fd);
	free(plan);
	free(mem);
}

static void read_records(struct process *p, const uint8_t *bytes, uint64_t len)
{
	char path[PATH_MAX];
	struct bob_rec_image image;
	struct bob_record rec;

	for (uint64_t at = 0; len - at >= sizeof(rec);) {
		memcpy(&rec, bytes + at, sizeof(rec));
		at += sizeof(rec);
		if (rec.len > len - at)
			return;
		if (rec.kind == BOB_REC_IMAGE && rec.len >= sizeof(image)) {
			memcpy(&image, bytes + at, sizeof(image));
			snprintf(path, sizeof(path), "%.*s", (int)(rec.len - sizeof(image)),
				 (const char *)bytes + at + sizeof(image));
			restore_image(p, &image, path);
		}
		at += rec.len + (-rec.len & 7);
		if (at > len)
			return;
	}
}

static void note_time(int file)
{
	const uint64_t now = bob_clock_ns(CLOCK_MONOTONIC);
	ssize_t ignored;

	ignored = pwrite(file, &now, sizeof(now), offsetof(struct bob_file_head, debugged_mono_ns));
	(void)ignored;
}

/* Restores the process's images, which are listed in the records of its file. */
static void restore_images(struct process *p, int file)
{
	struct bob_file_head h;
	struct bob_chunk_head c;

	if (pread(file, &h, sizeof(h), 0) != sizeof(h) || h.state == BOB_FILE_EXEC)
		return;
	note_time(file);
	for (uint64_t at = BOB_FILE_HEAD_BYTES; at < h.used; at += bob_chunk_bytes(c.size)) {
		uint8_t *bytes;

		if (pread(file, &c, sizeof(c), (off_t)at) != sizeof(c) ||
		    c.magic != BOB_CHUNK_MAGIC || c.size > h.used - at)
			return;
		if (c.kind != BOB_CHUNK_META || c.len > c.size || c.len > META_MAX)
			continue;
		bytes = malloc(c.len + 1);
		if (bytes && pread(file, bytes, c.len, (off_t)(at + sizeof(c))) == (ssize_t)c.len)
			read_records(p, bytes, c.len);
		free(bytes);
	}
}

void cli_restore_code(const char *dir, const char *name, uint32_t pid, const char *cache,
		      int translates)
{
	struct process *p = malloc(sizeof(*p));
	char path[PATH_MAX];
	int file = -1;

	if (!p)
		return;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mem", pid);
	p->memory = open(path, O_RDWR | O_CLOEXEC);
	p->cache = bob_plan_cache_open(cache, NULL);
	p->translates = translates;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) < sizeof(path))
		file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (p->memory >= 0 && p->cache >= 0 && file >= 0)
		restore_images(p, file);
	if (p->memory >= 0)
		close(p->memory);
	if (p->cache >= 0)
		close(p->cache);
	if (file >= 0)
		close(file);
	free(p);
}
