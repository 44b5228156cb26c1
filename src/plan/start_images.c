/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the images that a program starts with, by the search order of the dynamic loader: DT_RPATH
 * of the object and of those that needed it, LD_LIBRARY_PATH, DT_RUNPATH, the loader's cache, the
 * default directories. If the loader's cache has several variants (glibc-hwcaps), all are reported:
 * a superfluous plan only costs time. The result only warms the cache of plans, so it need not be
 * complete: LD_PRELOAD, audit modules and dlopen are not followed. */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/image.h"

#define MAX_OBJECTS 4096
#define PATH_BYTES 4096

struct object {
	char *path;
	char *rpath, *runpath;	/* NULL: none */
	uint32_t parent;	/* object that needed it first, or BOB_PLAN_NO_INDEX */
	dev_t dev;
	ino_t ino;
};
BOB_VEC_OF(objects, struct object);

struct closure {
	struct objects objects;
	uint8_t *cache;		/* /etc/ld.so.cache, or NULL */
	size_t cache_len;
	void (*visit)(void *ctx, const char *image);
	void *ctx;
};

/* Header of glibc's "new" format; string offsets are relative to it. */
struct cache_head {
	char magic[20];
	uint32_t count;
	uint32_t strings;
	uint32_t unused[5];
};
struct cache_entry {
	int32_t flags;
	uint32_t key, value, os;
	uint64_t hwcap;
};
#define CACHE_MAGIC "glibc-ld.so.cache1.1"
#define CACHE_X86_64 0x0303	/* libc6, x86-64 */

static void read_cache(struct closure *c)
{
	struct stat sb;
	int fd = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (fstat(fd, &sb) == 0 && sb.st_size > 0 && sb.st_size < 1 << 28) {
		c->cache = malloc((size_t)sb.st_size);
		if (c->cache && read(fd, c->cache, (size_t)sb.st_size) == sb.st_size)
			c->cache_len = (size_t)sb.st_size;
	}
	close(fd);
}

static bool add(struct closure *c, const char *path, uint32_t parent)
{
	struct object *o;
	struct stat sb;

	if (stat(path, &sb) != 0 || !S_ISREG(sb.st_mode))
		return false;
	for (size_t i = 0; i < c->objects.count; i++)
		if (c->objects.at[i].ino == sb.st_ino && c->objects.at[i].dev == sb.st_dev)
			return true;
	if (c->objects.count == MAX_OBJECTS)
		return true;
	o = BOB_VEC_PUSH(&c->objects);
	if (!o)
		return true;
	o->path = strdup(path);
	o->parent = parent;
	o->dev = sb.st_dev;
	o->ino = sb.st_ino;
	if (!o->path)
		c->objects.count--;
	return true;
}

static const char *cache_string(const struct closure *c, uint32_t off)
{
	if (off >= c->cache_len || !memchr(c->cache + off, 0, c->cache_len - off))
		return NULL;
	return (const char *)c->cache + off;
}

static bool search_cache(struct closure *c, const char *name, uint32_t by)
{
	struct cache_head h;
	bool found = false;

	if (c->cache_len < sizeof(h))
		return false;
	memcpy(&h, c->cache, sizeof(h));
	if (memcmp(h.magic, CACHE_MAGIC, sizeof(h.magic)))
		return false;
	for (uint32_t i = 0; i < h.count; i++) {
		size_t at = sizeof(h) + (size_t)i * sizeof(struct cache_entry);
		struct cache_entry e;
		const char *key, *value;

		if (c->cache_len < sizeof(e) || at > c->cache_len - sizeof(e))
			break;
		memcpy(&e, c->cache + at, sizeof(e));
		if (e.flags != CACHE_X86_64)
			continue;
		key = cache_string(c, e.key);
		value = cache_string(c, e.value);
		if (key && value && !strcmp(key, name))
			found |= add(c, value, by);
	}
	return found;
}

/* Copy `item` of a search path to `out`, with $ORIGIN replaced. */
static bool expand(const char *item, size_t len, const char *object, char *out, size_t size)
{
	static const char *const words[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(object, '/');
	size_t dir = slash ? (size_t)(slash - object) : 0, n = 0;

	while (len > 0) {
		size_t word = 0;

		for (size_t i = 0; i < 2; i++)
			if (len >= strlen(words[i]) && !strncmp(item, words[i], strlen(words[i])))
				word = strlen(words[i]);
		if (word > 0 ? n + dir + 2 >= size : n + 2 >= size)
			return false;
		if (word > 0 && slash) {
			memcpy(out + n, object, dir);
			n += dir;
		} else if (word > 0) {
			out[n++] = '.';
		} else {
			out[n++] = *item;
			word = 1;
		}
		item += word;
		len -= word;
	}
	out[n] = '\0';
	return true;
}

static bool search_path(struct closure *c, const char *paths, const char *name, uint32_t by)
{
	char dir[PATH_BYTES / 2], full[PATH_BYTES];

	while (paths && *paths) {
		size_t len = strcspn(paths, ":;");

		if (expand(paths, len, c->objects.at[by].path, dir, sizeof(dir))) {
			snprintf(full, sizeof(full), "%s/%s", len ? dir : ".", name);
			if (add(c, full, by))
				return true;
		}
		paths += len;
		paths += *paths != '\0';
	}
	return false;
}

static void search(struct closure *c, const char *name, uint32_t by)
{
	const struct object *o = &c->objects.at[by];
	const char *runpath = o->runpath;

	if (strchr(name, '/')) {
		add(c, name, by);
		return;
	}
	for (uint32_t i = by; !runpath && i != BOB_PLAN_NO_INDEX; i = c->objects.at[i].parent)
		if (!c->objects.at[i].runpath && search_path(c, c->objects.at[i].rpath, name, by))
			return;
	if (search_path(c, getenv("LD_LIBRARY_PATH"), name, by) ||
	    search_path(c, runpath, name, by) || search_cache(c, name, by))
		return;
	search_path(c, "/lib64:/usr/lib64:/lib:/usr/lib", name, by);
}

static char *copy_name(Elf *elf, const GElf_Shdr *sh, uint64_t at)
{
	const char *s = elf_strptr(elf, sh->sh_link, at);

	return s ? strdup(s) : NULL;
}

/* Two passes: search paths first, since DT_NEEDED may precede them. */
static void follow_dynamic(struct closure *c, uint32_t by, Elf *elf, const GElf_Shdr *sh,
			   Elf_Data *data)
{
	int n = (int)(data->d_size / sizeof(Elf64_Dyn));
	GElf_Dyn d;

	for (int i = 0; i < n && gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++) {
		struct object *o = &c->objects.at[by];

		if (d.d_tag == DT_RPATH && !o->rpath)
			o->rpath = copy_name(elf, sh, d.d_un.d_val);
		else if (d.d_tag == DT_RUNPATH && !o->runpath)
			o->runpath = copy_name(elf, sh, d.d_un.d_val);
	}
	for (int i = 0; i < n && gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++) {
		const char *name =
			d.d_tag == DT_NEEDED ? elf_strptr(elf, sh->sh_link, d.d_un.d_val) : NULL;

		if (name && strlen(name) < PATH_BYTES / 4)
			search(c, name, by);
	}
}

static void add_interpreter(struct closure *c, uint32_t by, int fd, Elf *elf)
{
	size_t n;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		char path[256];
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_INTERP || ph.p_filesz == 0 ||
		    ph.p_filesz >= sizeof(path))
			continue;
		if (pread(fd, path, ph.p_filesz, (off_t)ph.p_offset) != (ssize_t)ph.p_filesz)
			continue;
		path[ph.p_filesz] = '\0';
		add(c, path, by);
	}
}

static void follow(struct closure *c, uint32_t by)
{
	int fd = open(c->objects.at[by].path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	Elf_Scn *scn = NULL;

	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64) {
		add_interpreter(c, by, fd, elf);
		while ((scn = elf_nextscn(elf, scn)) != NULL) {
			GElf_Shdr sh;
			Elf_Data *data;

			if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNAMIC)
				continue;
			data = elf_getdata(scn, NULL);
			if (data)
				follow_dynamic(c, by, elf, &sh, data);
		}
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

bob_status bob_plan_closure(const char *path, void (*visit)(void *ctx, const char *image),
			    void *ctx, struct bob_error *err)
{
	struct closure c = { .visit = visit, .ctx = ctx };

	if (elf_version(EV_CURRENT) == EV_NONE)
		return BOB_ERR_UNSUPPORTED;
	if (!add(&c, path, BOB_PLAN_NO_INDEX))
		return bob_plan_fail(err, BOB_ERR_NOENT, path, "no such file");
	read_cache(&c);
	for (uint32_t i = 0; i < c.objects.count; i++) {
		follow(&c, i);
		c.visit(c.ctx, c.objects.at[i].path);
	}
	for (size_t i = 0; i < c.objects.count; i++) {
		free(c.objects.at[i].path);
		free(c.objects.at[i].rpath);
		free(c.objects.at[i].runpath);
	}
	free(c.objects.at);
	free(c.cache);
	return BOB_OK;
}
