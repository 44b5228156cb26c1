/* SPDX-License-Identifier: BSD-3-Clause */
/* The cache of plans: a private directory with one file per key. Plans become code in the traced
 * process, so a directory or file that another user could have written is not used. Writers need no
 * lock: each writes a temporary file and renames it, and all would write the same bytes. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/image.h"
#include "base/host/io.h"
#include "plan/mem/format.h"

#define OTHERS_WRITE 0022

static bool ours(const struct stat *sb)
{
	return sb->st_uid == geteuid() && !(sb->st_mode & OTHERS_WRITE);
}

int bob_plan_cache_open(const char *dir, struct bob_error *err)
{
	struct stat sb;
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		bob_plan_fail(err, BOB_ERR_IO, dir, "cache directory cannot be opened");
		return -1;
	}
	if (fstat(fd, &sb) == 0 && ours(&sb))
		return fd;
	bob_plan_fail(err, BOB_ERR_IO, dir, "cache directory belongs to or is writable by others");
	close(fd);
	return -1;
}

typedef bob_status (*check_fn)(const void *plan, uint64_t len, uint64_t key);

/* Whether the cache has a valid plan for `key`. */
static bool cached(int dir, const char *name, uint64_t key, check_fn check)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool good = false;
	struct stat sb;
	void *p;

	if (fd < 0)
		return false;
	if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode) && ours(&sb) && sb.st_size > 0) {
		p = mmap(NULL, (size_t)sb.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED) {
			good = check(p, (uint64_t)sb.st_size, key) == BOB_OK;
			munmap(p, (size_t)sb.st_size);
		}
	}
	close(fd);
	return good;
}

bob_status bob_plan_cache_read(int dir, const char *name, void *buf, size_t size, size_t *len)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bob_status st = BOB_ERR_IO;
	struct stat sb;

	if (fd < 0)
		return BOB_ERR_NOENT;
	if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode) && ours(&sb) && sb.st_size > 0 &&
	    (uint64_t)sb.st_size <= size && read(fd, buf, size) == sb.st_size) {
		*len = (size_t)sb.st_size;
		st = BOB_OK;
	}
	close(fd);
	return st;
}

bob_status bob_plan_cache_load(int dir, const char *name, void **bytes, size_t *len)
{
	struct stat sb;

	*bytes = NULL;
	if (fstatat(dir, name, &sb, AT_SYMLINK_NOFOLLOW) != 0)
		return BOB_ERR_NOENT;
	*bytes = malloc((size_t)sb.st_size + 1);
	if (!*bytes)
		return BOB_ERR_NOMEM;
	bob_status st = bob_plan_cache_read(dir, name, *bytes, (size_t)sb.st_size, len);
	if (st != BOB_OK)
		free(*bytes);
	return st;
}

bob_status bob_plan_cache_store(int dir, const char *name, const void *plan, size_t len)
{
	char tmp[96];
	int fd, bad;

	/* the address distinguishes two threads of one process */
	snprintf(tmp, sizeof(tmp), ".%s.%ld.%" PRIxPTR, name, (long)getpid(), (uintptr_t)&fd);
	unlinkat(dir, tmp, 0);		/* left by a dead process with the same pid */
	fd = openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return BOB_ERR_IO;
	bad = bob_write_all(fd, plan, len);
	bad |= close(fd);
	if (bad || renameat(dir, tmp, dir, name) != 0) {
		unlinkat(dir, tmp, 0);
		return BOB_ERR_IO;
	}
	return BOB_OK;
}

/* The differences between the kinds of plans. */
struct kind {
	const char *suffix;
	check_fn check;
	bob_status (*key)(const char *path, uint64_t *key, struct bob_error *err);
	/* *key: of the image as it was read */
	bob_status (*make)(const char *path, void **plan, size_t *len, uint64_t *key,
			   struct bob_plan_stats *stats, struct bob_error *err);
};

static bob_status make_patch_plan(const char *path, void **plan, size_t *len, uint64_t *key,
				  struct bob_plan_stats *stats, struct bob_error *err)
{
	bob_status st = bob_plan_image(path, plan, len, stats, err);

	if (st == BOB_OK)
		*key = ((const struct bob_plan_head *)*plan)->key;
	return st;
}

static bob_status make_special_plan(const char *path, void **plan, size_t *len, uint64_t *key,
				    struct bob_plan_stats *stats, struct bob_error *err)
{
	bob_status st = bob_plan_image_special(path, plan, len, err);

	(void)stats;
	if (st == BOB_OK)
		*key = ((const struct bob_plan_head *)*plan)->key;
	return st;
}

static bob_status make_mem_plan(const char *path, void **plan, size_t *len, uint64_t *key,
				struct bob_plan_stats *stats, struct bob_error *err)
{
	bob_status st = bob_plan_mem_image(path, plan, len, err);

	(void)stats;
	if (st == BOB_OK)
		*key = ((const struct bob_mem_plan_head *)*plan)->key;
	return st;
}

static bob_status cache_one(const struct kind *kind, const char *dir, const char *path, int *made,
			    struct bob_plan_stats *stats, struct bob_error *err)
{
	char name[32];
	uint64_t key, found = 0;
	void *plan = NULL;
	size_t len = 0;
	int fd;
	bob_status st = kind->key(path, &key, err);

	if (st != BOB_OK)
		return st;
	fd = bob_plan_cache_open(dir, err);
	if (fd < 0)
		return BOB_ERR_IO;
	if (stats)
		memset(stats, 0, sizeof(*stats));
	snprintf(name, sizeof(name), "%016" PRIx64 "%s", key, kind->suffix);
	if (made)
		*made = 0;
	if (cached(fd, name, key, kind->check))
		goto close_dir;
	st = kind->make(path, &plan, &len, &found, stats, err);
	if (st != BOB_OK)
		goto close_dir;
	if (found != key)
		st = bob_plan_fail(err, BOB_ERR_IO, path, "the image changed while it was read");
	else if (bob_plan_cache_store(fd, name, plan, len) != BOB_OK)
		st = bob_plan_fail(err, BOB_ERR_IO, dir, "a plan could not be written");
	if (made)
		*made = st == BOB_OK;
	free(plan);
close_dir:
	close(fd);
	return st;
}

bob_status bob_plan_cache(const char *dir, const char *path, int *made,
			  struct bob_plan_stats *stats, struct bob_error *err)
{
	static const struct kind kind = { ".plan", bob_plan_check, bob_plan_key,
					    make_patch_plan };

	return cache_one(&kind, dir, path, made, stats, err);
}

bob_status bob_plan_cache_special(const char *dir, const char *path, int *made,
				  struct bob_error *err)
{
	static const struct kind kind = { ".special", bob_plan_check, bob_plan_sample_key,
					  make_special_plan };

	return cache_one(&kind, dir, path, made, NULL, err);
}

bob_status bob_plan_cache_mem(const char *dir, const char *path, int *made, struct bob_error *err)
{
	static const struct kind kind = { ".mem", bob_mem_plan_check, bob_plan_key,
					    make_mem_plan };

	return cache_one(&kind, dir, path, made, NULL, err);
}

/* Create `path` and its missing parents. */
static int make_dirs(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST) {
			*p = '/';
			return -1;
		}
		*p = '/';
	}
	struct stat st;

	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return -1;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? 0 : -1;
}

bob_status bob_plan_cache_dir(char *buf, size_t size, struct bob_error *err)
{
	const char *own = getenv("BOBBIN_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	int n;

	if (own && own[0])
		n = snprintf(buf, size, "%s", own);
	else if (xdg && xdg[0] == '/')
		n = snprintf(buf, size, "%s/bobbin", xdg);
	else if (home && home[0] == '/')
		n = snprintf(buf, size, "%s/.cache/bobbin", home);
	else
		return bob_plan_fail(err, BOB_ERR_NOENT, "",
				     "neither BOBBIN_CACHE nor HOME is set");
	if (n <= 0 || (size_t)n >= size)
		return bob_plan_fail(err, BOB_ERR_INVAL, "", "cache directory name too long");
	if (make_dirs(buf) != 0)
		return bob_plan_fail(err, BOB_ERR_IO, buf, "cache directory cannot be made");
	return BOB_OK;
}
