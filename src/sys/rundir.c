/* SPDX-License-Identifier: BSD-3-Clause */
/* A run's directory. `run.key` says whose it is; whoever finds another key there moves the old
 * directory away, so late ranks of the same job join and nothing is ever overwritten. */
#define _GNU_SOURCE
#include "sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_FILE "run.key"
#define KEY_BYTES 512

static bob_status fail(struct bob_error *err, bob_status st, const char *path, const char *text)
{
	if (err) {
		err->code = st;
		err->offset = 0;
		err->text = text;
		snprintf(err->path, sizeof(err->path), "%s", path);
	}
	return st;
}

/* Read the key of the trace in `dir`. 0: read; -1: there is none. */
static int read_key(const char *dir, char *key)
{
	char path[BOB_SYS_PATH + sizeof(KEY_FILE) + 1];

	snprintf(path, sizeof(path), "%s/" KEY_FILE, dir);
	FILE *f = fopen(path, "re");
	if (!f)
		return -1;
	size_t n = fread(key, 1, KEY_BYTES - 1, f);
	fclose(f);
	key[n] = 0;
	key[strcspn(key, "\n")] = 0;
	return 0;
}

static int write_key(const char *dir, const char *key)
{
	char path[BOB_SYS_PATH + sizeof(KEY_FILE) + 1];

	snprintf(path, sizeof(path), "%s/" KEY_FILE, dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	int ok = dprintf(fd, "%s\n", key) > 0;
	return close(fd) || !ok ? -1 : 0;
}

static bob_status move_away(const char *dir, struct bob_error *err)
{
	char old[BOB_SYS_PATH + 16];

	for (unsigned n = 0; n < 100000; n++) {
		if (n)
			snprintf(old, sizeof(old), "%s.old.%u", dir, n);
		else
			snprintf(old, sizeof(old), "%s.old", dir);
		if (!renameat2(AT_FDCWD, dir, AT_FDCWD, old, RENAME_NOREPLACE))
			return BOB_OK;
		if (errno == EINVAL && access(old, F_OK) && !rename(dir, old))
			return BOB_OK; /* a file system without RENAME_NOREPLACE */
		if (errno != EEXIST && errno != ENOTEMPTY)
			break;
	}
	return fail(err, BOB_ERR_IO, dir, "cannot rename the older trace");
}

static bob_status claim(const char *dir, const char *key, struct bob_error *err)
{
	char found[KEY_BYTES];
	struct stat st;

	if (!lstat(dir, &st)) {
		if (!S_ISDIR(st.st_mode))
			return fail(err, BOB_ERR_INVAL, dir, "exists and is not a directory");
		if (!read_key(dir, found)) {
			if (!strcmp(found, key))
				return BOB_OK;
		} else if (rmdir(dir)) {
			return fail(err, BOB_ERR_INVAL, dir,
				    "exists, is not empty and is not a trace");
		} else {
			goto make;
		}
		bob_status moved = move_away(dir, err);
		if (moved != BOB_OK)
			return moved;
	}
make:
	if (mkdir(dir, 0777))
		return fail(err, BOB_ERR_IO, dir, "cannot create the trace directory");
	if (write_key(dir, key)) {
		rmdir(dir);
		return fail(err, BOB_ERR_IO, dir, "cannot write into the trace directory");
	}
	return BOB_OK;
}

/* Split into an existing parent and a last component; the parent made absolute. */
static bob_status absolute(const char *dir, char *abs, char *parent, struct bob_error *err)
{
	char copy[BOB_SYS_PATH];
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	if (!n || n >= sizeof(copy))
		return fail(err, BOB_ERR_INVAL, dir, "not a usable name");
	memcpy(copy, dir, n);
	copy[n] = 0;
	char *slash = strrchr(copy, '/');
	const char *name = slash ? slash + 1 : copy;
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return fail(err, BOB_ERR_INVAL, dir, "not a usable name");
	if (slash)
		*slash = 0;
	if (!realpath(slash ? (slash == copy ? "/" : copy) : ".", parent))
		return fail(err, BOB_ERR_IO, dir, "its parent directory cannot be reached");
	if (snprintf(abs, BOB_SYS_PATH, "%s/%s", strcmp(parent, "/") ? parent : "", name) >=
	    BOB_SYS_PATH)
		return fail(err, BOB_ERR_INVAL, dir, "its path is too long");
	return BOB_OK;
}

bob_status bob_rundir_prepare(const char *dir, const char *key, char *abs, struct bob_error *err)
{
	char parent[BOB_SYS_PATH];
	bob_status st = absolute(dir, abs, parent, err);
	int lock;

	if (st != BOB_OK)
		return st;
	/* Without a lock (no permission, no support) a race between ranks can at worst fail one. */
	lock = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock >= 0)
		flock(lock, LOCK_EX);
	st = claim(abs, key, err);
	if (lock >= 0)
		close(lock);
	return st;
}

int bob_rundir_join(const char *dir)
{
	char path[BOB_SYS_PATH + sizeof(KEY_FILE) + 1];
	int fd;

	snprintf(path, sizeof(path), "%s/" KEY_FILE, dir);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW); /* NFS: who writes may lock alone */
	if (fd >= 0 && flock(fd, LOCK_SH) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Changing a lock is giving it up and asking for another one: of two who ask at once the second is not refused for the first. */
int bob_rundir_is_last(int run)
{
	return run < 0 || flock(run, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void bob_rundir_stay(int run)
{
	if (run >= 0)
		(void)flock(run, LOCK_SH);
}
