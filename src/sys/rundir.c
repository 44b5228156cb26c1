/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates or joins the directory of a run. Its file `run.key` identifies the run, so late ranks of
 * the same job join. With another key, the older trace is renamed, or the new run uses another name
 * if the older one is still being written. */
#define _GNU_SOURCE
#include "sys/sys.h"

#include <dirent.h>
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
#define NAME_BYTES (BOB_SYS_PATH + 32)
#define NUMBERS 10000u

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

/* Read the key of the trace in `dir`. Returns 0, or -1 if there is no key. */
static int read_key(const char *dir, char *key)
{
	char path[NAME_BYTES + sizeof(KEY_FILE) + 1];

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
	char path[NAME_BYTES + sizeof(KEY_FILE) + 1];

	snprintf(path, sizeof(path), "%s/" KEY_FILE, dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	int ok = dprintf(fd, "%s\n", key) > 0;
	return close(fd) || !ok ? -1 : 0;
}

/* --- older traces: NAME.old is the most recent of them, NAME.old.1 the one before it --- */

static void older_name(char *buf, const char *dir, unsigned n)
{
	if (n)
		snprintf(buf, NAME_BYTES, "%s.old.%u", dir, n);
	else
		snprintf(buf, NAME_BYTES, "%s.old", dir);
}

static int is_file_of_trace(const char *name)
{
	const char *end = strrchr(name, '.');

	return !strcmp(name, KEY_FILE) || (end && (!strcmp(end, ".bob") || !strcmp(end, ".log")));
}

/* Whether `dir` contains a trace and nothing else. With `empty`, removes its files. */
static int is_trace(const char *dir, int empty)
{
	char key[KEY_BYTES];
	DIR *d = read_key(dir, key) ? NULL : opendir(dir);
	struct dirent *e;
	int is = d != NULL;

	while (is && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			is = is_file_of_trace(e->d_name) &&
			     !(empty && unlinkat(dirfd(d), e->d_name, 0));
	if (d)
		closedir(d);
	return is;
}

static int move(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	/* the file system does not support RENAME_NOREPLACE */
	return errno == EINVAL && access(to, F_OK) ? rename(from, to) : -1;
}

/* Collect the numbers of older traces, up to a free number or the maximum. Numbers of files and
 * directories that are not traces are skipped. */
static unsigned find_slots(const char *dir, unsigned slot[BOB_RUNDIR_OLDER], int *full)
{
	char old[NAME_BYTES];
	struct stat st;
	unsigned count = 0;

	*full = 1;
	for (unsigned n = 0; *full && count < BOB_RUNDIR_OLDER && n < NUMBERS; n++) {
		older_name(old, dir, n);
		*full = !lstat(old, &st);
		if (!*full || is_trace(old, 0))
			slot[count++] = n;
	}
	return count;
}

static bob_status move_away(const char *dir, struct bob_error *err)
{
	char from[NAME_BYTES], to[NAME_BYTES];
	unsigned slot[BOB_RUNDIR_OLDER];
	int full;
	unsigned n = find_slots(dir, slot, &full);

	if (!n)
		return fail(err, BOB_ERR_IO, dir, "too many older traces, none can be renamed");
	older_name(to, dir, slot[n - 1]);
	if (full && (!is_trace(to, 1) || rmdir(to)))
		return fail(err, BOB_ERR_IO, dir, "cannot remove the oldest trace");
	while (n-- > 0) {
		older_name(to, dir, slot[n]);
		if (n > 0)
			older_name(from, dir, slot[n - 1]);
		if (move(n > 0 ? from : dir, to))
			return fail(err, BOB_ERR_IO, dir, "cannot rename the older trace");
	}
	return BOB_OK;
}

/* --- ownership of a directory --- */

/* Whether a launcher writes to `dir`: launchers hold a lock while their program runs. */
static int in_use(const char *dir)
{
	int run = bob_rundir_join(dir), is;

	is = run >= 0 && flock(run, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
	if (run >= 0)
		close(run);
	return is;
}

static int has_key(const char *dir, const char *key)
{
	char found[KEY_BYTES];

	return !read_key(dir, found) && !strcmp(found, key);
}

static bob_status make(const char *dir, const char *key, struct bob_error *err)
{
	if (mkdir(dir, 0777))
		return fail(err, BOB_ERR_IO, dir, "cannot create the trace directory");
	if (write_key(dir, key)) {
		rmdir(dir);
		return fail(err, BOB_ERR_IO, dir, "cannot write into the trace directory");
	}
	return BOB_OK;
}

/* Take over `dir`; no process writes to it. */
static bob_status claim(const char *dir, const char *key, struct bob_error *err)
{
	char found[KEY_BYTES];
	struct stat st;
	bob_status moved = BOB_OK;

	if (lstat(dir, &st))
		return make(dir, key, err);
	if (!S_ISDIR(st.st_mode))
		return fail(err, BOB_ERR_INVAL, dir, "exists and is not a directory");
	if (!read_key(dir, found))
		moved = move_away(dir, err);
	else if (rmdir(dir))
		return fail(err, BOB_ERR_INVAL, dir, "exists, is not empty and is not a trace");
	return moved == BOB_OK ? make(dir, key, err) : moved;
}

/* Choose `dir`, or dir.2 and so on if other recordings are writing to the previous ones. A run that
 * already has a directory stays with it. */
static bob_status choose(char *dir, const char *key, struct bob_error *err)
{
	char name[NAME_BYTES];
	unsigned free = 0;
	int missing = 0, ours = 0;

	for (unsigned n = 1; n < NUMBERS && !missing && !ours; n++) {
		snprintf(name, sizeof(name), n > 1 ? "%s.%u" : "%s", dir, n);
		missing = access(name, F_OK) != 0;
		ours = has_key(name, key);
		/* only for the name given by the user is an existing non-trace an error */
		if (ours || (!free && !in_use(name) && (n == 1 || missing || is_trace(name, 0))))
			free = n;
	}
	if (!free)
		return fail(err, BOB_ERR_IO, dir, "too many recordings are being written there");
	snprintf(name, sizeof(name), free > 1 ? "%s.%u" : "%s", dir, free);
	if (strlen(name) >= BOB_SYS_PATH)
		return fail(err, BOB_ERR_INVAL, dir, "its path is too long");
	strcpy(dir, name);
	return ours ? BOB_OK : claim(dir, key, err);
}

/* Split into a parent, which must exist and is made absolute, and a last component. */
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
		return fail(err, BOB_ERR_IO, dir,
			    "its parent directory does not exist or is inaccessible");
	if (snprintf(abs, BOB_SYS_PATH, "%s/%s", strcmp(parent, "/") ? parent : "", name) >=
	    BOB_SYS_PATH)
		return fail(err, BOB_ERR_INVAL, dir, "its path is too long");
	return BOB_OK;
}

bob_status bob_rundir_prepare(const char *dir, const char *key, char *abs, int *run,
			      struct bob_error *err)
{
	char parent[BOB_SYS_PATH];
	bob_status st = absolute(dir, abs, parent, err);
	int lock;

	if (run)
		*run = -1;
	if (st != BOB_OK)
		return st;
	/* Without a lock (no permission, no support), a race between ranks may make one of them
	 * fail. */
	lock = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock >= 0)
		flock(lock, LOCK_EX);
	st = choose(abs, key, err);
	if (run)
		*run = st == BOB_OK ? bob_rundir_join(abs) : -1;
	if (lock >= 0)
		close(lock);
	return st;
}

int bob_rundir_join(const char *dir)
{
	char path[NAME_BYTES + sizeof(KEY_FILE) + 1];
	int fd;

	snprintf(path, sizeof(path), "%s/" KEY_FILE, dir);
	/* on NFS an exclusive lock needs write access */
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 && flock(fd, LOCK_SH) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Whether the file is the one that `run` has open. */
static int is_open_as(const char *key_file, int run)
{
	struct stat there, here;

	return !lstat(key_file, &there) && !fstat(run, &here) && there.st_dev == here.st_dev &&
	       there.st_ino == here.st_ino;
}

const char *bob_rundir_now(int run, const char *dir, char *path)
{
	char name[NAME_BYTES + sizeof(KEY_FILE) + 1], link[64];
	ssize_t n;

	snprintf(name, sizeof(name), "%s/" KEY_FILE, dir);
	if (run < 0 || is_open_as(name, run))
		return dir;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", run);
	n = readlink(link, name, sizeof(name) - 1);
	if (n <= 0)
		return dir;
	name[n] = 0;
	if (!is_open_as(name, run)) /* it was removed */
		return dir;
	name[n - (ssize_t)sizeof("/" KEY_FILE) + 1] = 0;
	return snprintf(path, BOB_SYS_PATH, "%s", name) < BOB_SYS_PATH ? path : dir;
}

/* flock converts a lock in two steps, release and request. So if two processes convert at once, the
 * second one is not refused because of the first one's shared lock. */
int bob_rundir_is_last(int run)
{
	return run < 0 || flock(run, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void bob_rundir_stay(int run)
{
	if (run >= 0)
		(void)flock(run, LOCK_SH);
}
