/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the files of a trace directory. Each *.bob file is mapped read-only, or read if it cannot
 * be mapped or may still be truncated by its writer. The only file of the reader that uses the
 * operating system. */
#include "archive/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/write/write.h"
#include "base/order.h"
#include "base/plain.h"

/* Reads a file that cannot be mapped. Returns 0 or -1. If the file shrinks meanwhile, it is loaded
 * with its smaller size. */
static int read_file(int fd, struct bob_file *f)
{
	uint8_t *p = malloc(f->size);
	uint64_t got = 0;
	ssize_t n;

	if (!p)
		return -1;
	while (got < f->size) {
		n = pread(fd, p + got, f->size - got, (off_t)got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			goto fail;
		if (n == 0)
			break;
		got += (uint64_t)n;
	}
	f->bytes = p;
	f->size = got;
	f->map = 2;
	return 0;
fail:
	free(p);
	return -1;
}

/* A process truncates its file as it ends. A reader that then touches the mapping beyond the new
 * end gets SIGBUS. */
static int may_shrink(int fd)
{
	struct bob_file_head h;
	char host[sizeof(h.host)] = "";

	if (pread(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h) || h.magic != BOB_FORMAT_MAGIC ||
	    h.kind != BOB_FILE_PROCESS || (h.state != BOB_FILE_OPEN && h.state != BOB_FILE_EXEC))
		return 0;
	gethostname(host, sizeof(host) - 1);
	return !strncmp(h.host, host, sizeof(h.host)) && (!kill((pid_t)h.pid, 0) || errno == EPERM);
}

/* BOB_NONE: unreadable; reported as a problem. */
static bob_status load_file(struct bob_trace *t, int dir, struct bob_file *f)
{
	struct stat sb;
	void *p = MAP_FAILED;
	int fd = openat(dir, f->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0) {
		bob_problem_add(t, f, 0, "the file cannot be opened", 1);
		return BOB_NONE;
	}
	if (fstat(fd, &sb) || !S_ISREG(sb.st_mode)) {
		bob_problem_add(t, f, 0, "not a regular file", 1);
		goto none;
	}
	f->size = (uint64_t)sb.st_size;
	if (!f->size) {
		bob_problem_add(t, f, 0, "the file is empty", 1);
		goto none;
	}
	if (!may_shrink(fd))
		p = mmap(NULL, f->size, PROT_READ, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED) {
		f->bytes = p;
		f->map = 1;
	} else if (read_file(fd, f)) {
		bob_problem_add(t, f, 0, "the file cannot be read", 1);
		goto none;
	}
	close(fd);
	return BOB_OK;
none:
	close(fd);
	return BOB_NONE;
}

BOB_COMPARE(by_name, struct bob_file, BOB_TEXT(name))

/* Reports a file whose name ends in .bob but is not valid. Errors: BOB_ERR_NOMEM. */
static bob_status report_name(struct bob_trace *t, const char *name)
{
	const size_t len = strlen(name);
	struct bob_file f = { 0 };
	char *plain;

	if (len < 5 || strcmp(name + len - 4, ".bob"))
		return BOB_OK;
	plain = bob_arena_text(&t->arena, name, len);
	if (!plain)
		return BOB_ERR_NOMEM;
	bob_text_make_plain(plain, len);
	f.name = plain;
	bob_problem_add(t, &f, 0, "not read: not a name of a file of a trace", 1);
	return BOB_OK;
}

static bob_status list_files(struct bob_trace *t, DIR *d)
{
	struct dirent *e;

	while ((e = readdir(d))) {
		struct bob_file *f;

		if (!bob_name_is_of_file(e->d_name, strlen(e->d_name))) {
			if (report_name(t, e->d_name) != BOB_OK)
				return BOB_ERR_NOMEM;
			continue;
		}
		if (bob_array_reserve(&t->files, t->file_count, &t->file_cap, sizeof(*t->files)))
			return BOB_ERR_NOMEM;
		f = &t->files[t->file_count];
		memset(f, 0, sizeof(*f));
		f->name = bob_arena_text(&t->arena, e->d_name, strlen(e->d_name));
		if (!f->name)
			return BOB_ERR_NOMEM;
		t->file_count++;
	}
	if (t->file_count)
		qsort(t->files, t->file_count, sizeof(*t->files), by_name);
	return BOB_OK;
}

/* --- a process and its descendants --- */

/* Returns 0 if the file has no valid head of a process. */
static int read_head(int dir, const char *name, struct bob_file_head *h)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), is_one;

	if (fd < 0)
		return 0;
	is_one = pread(fd, h, sizeof(*h), 0) == (ssize_t)sizeof(*h) &&
		 h->magic == BOB_FORMAT_MAGIC && h->kind == BOB_FILE_PROCESS;
	close(fd);
	return is_one;
}

/* Is `pid` the parent? The parent named in the head may be another process with that pid; only
 * descendants of the root have such parents. */
static int is_child_of(const struct bob_file_head *h, uint32_t pid)
{
	return h->ppid == pid || (h->parent_seq != ~0u && h->parent_pid == pid);
}

/* Moves the root and its descendants to the front. Returns their number. */
static size_t sort_below(struct bob_file *file, struct bob_file_head *head, size_t count,
			 uint32_t root)
{
	size_t n = 0;

	for (size_t before = ~(size_t)0; before != n;) {
		before = n;
		for (size_t i = n; i < count; i++) {
			int is_in = head[i].pid == root || is_child_of(&head[i], root);

			for (size_t k = 0; k < n && !is_in; k++)
				is_in = is_child_of(&head[i], head[k].pid) ||
					head[i].pid == head[k].pid;
			if (is_in) {
				struct bob_file f = file[i];
				struct bob_file_head h = head[i];

				file[i] = file[n];
				head[i] = head[n];
				file[n] = f;
				head[n++] = h;
			}
		}
	}
	return n;
}

static bob_status keep_below(struct bob_trace *t, int dir, uint32_t root)
{
	char host[sizeof(((struct bob_file_head *)0)->host)] = "";
	struct bob_file_head *head = calloc(t->file_count + 1, sizeof(*head));
	size_t n = 0;

	if (!head)
		return BOB_ERR_NOMEM;
	gethostname(host, sizeof(host) - 1);
	for (size_t i = 0; i < t->file_count; i++)
		if (read_head(dir, t->files[i].name, &head[n]) &&
		    !strncmp(head[n].host, host, sizeof(host)))
			t->files[n++] = t->files[i];
	t->file_count = sort_below(t->files, head, n, root);
	free(head);
	if (t->file_count)
		qsort(t->files, t->file_count, sizeof(*t->files), by_name);
	return BOB_OK;
}

/* Sizes of all regular files, including run.key. */
static void add_sizes(struct bob_trace *t, DIR *d)
{
	struct dirent *e;
	struct stat sb;

	rewinddir(d);
	while ((e = readdir(d)))
		if (!fstatat(dirfd(d), e->d_name, &sb, AT_SYMLINK_NOFOLLOW) && S_ISREG(sb.st_mode))
			t->file_bytes += (uint64_t)sb.st_size;
}

bob_status bob_dir_load(struct bob_trace *t, const char *dir, uint32_t root, struct bob_error *err)
{
	DIR *d = opendir(dir);
	bob_status st;

	if (!d) {
		if (errno == ENOENT || errno == ENOTDIR)
			return bob_fail(err, BOB_ERR_NOENT, NULL, 0, "no such trace directory");
		return bob_fail(err, BOB_ERR_IO, NULL, 0, "the trace directory cannot be read");
	}
	st = list_files(t, d);
	if (st == BOB_OK && root)
		st = keep_below(t, dirfd(d), root);
	if (st != BOB_OK)
		goto close_dir;
	if (!root)
		add_sizes(t, d);
	for (size_t i = 0; i < t->file_count; i++)
		load_file(t, dirfd(d), &t->files[i]);
close_dir:
	closedir(d);
	return st;
}

void bob_file_release(struct bob_file *f)
{
	if (f->map == 1)
		munmap((void *)(uintptr_t)f->bytes, f->size);
	else if (f->map == 2)
		free((void *)(uintptr_t)f->bytes);
	free(f->chunks);
	free(f->by_stream);
	memset(f, 0, sizeof(*f));
}
