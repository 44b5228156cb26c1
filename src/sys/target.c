/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks a command before it runs, so that the user learns beforehand what cannot be traced. */
#include "sys/sys.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_file(const char *path, struct stat *st)
{
	return !stat(path, st) && S_ISREG(st->st_mode);
}

/* Returns 0 if found and executable, 1 if found but not executable, 2 if not found. */
static int find(const char *command, char *path)
{
	const char *list = getenv("PATH");
	struct stat st;
	int result = 2;

	if (strchr(command, '/')) {
		snprintf(path, BOB_SYS_PATH, "%s", command);
		if (!is_file(path, &st))
			return access(path, F_OK) ? 2 : 1;
		return access(path, X_OK) ? 1 : 0;
	}
	if (!list)
		list = "/usr/bin:/bin";
	while (*command && list) {
		size_t n = strcspn(list, ":");

		snprintf(path, BOB_SYS_PATH, "%.*s/%s", n ? (int)n : 1, n ? list : ".", command);
		if (is_file(path, &st)) {
			if (!access(path, X_OK))
				return 0;
			result = 1;
		}
		list = list[n] ? list + n + 1 : NULL;
	}
	snprintf(path, BOB_SYS_PATH, "%s", command);
	return result;
}

/* Read the name of the dynamic loader (PT_INTERP). Returns 0 if the program has none. */
static int read_interpreter(int fd, const Elf64_Ehdr *e, char *name, size_t size)
{
	for (unsigned i = 0; i < e->e_phnum; i++) {
		Elf64_Phdr p;
		ssize_t n;

		if (pread(fd, &p, sizeof(p), (off_t)(e->e_phoff + i * sizeof(p))) != sizeof(p))
			return 0;
		if (p.p_type != PT_INTERP)
			continue;
		n = pread(fd, name, p.p_filesz < size ? p.p_filesz : size - 1, (off_t)p.p_offset);
		name[n < 0 ? 0 : n] = 0;
		return 1;
	}
	return 0;
}

static enum bob_target look(int fd, char *interpreter, size_t size)
{
	Elf64_Ehdr e;
	ssize_t n = pread(fd, &e, sizeof(e), 0);

	if (n < EI_NIDENT || memcmp(e.e_ident, ELFMAG, SELFMAG))
		return BOB_TARGET_SCRIPT;
	if (e.e_ident[EI_CLASS] == ELFCLASS32)
		return BOB_TARGET_32BIT;
	if (n != sizeof(e) || e.e_machine != EM_X86_64)
		return BOB_TARGET_OTHER_CPU;
	return read_interpreter(fd, &e, interpreter, size) ? BOB_TARGET_OK : BOB_TARGET_STATIC;
}

enum bob_target bob_target_find(const char *command, char *path)
{
	int found = find(command, path);
	struct stat st;

	if (found)
		return found == 1 ? BOB_TARGET_DENIED : BOB_TARGET_MISSING;
	if (is_file(path, &st) && ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
				   (st.st_mode & S_ISGID && st.st_gid != getegid())))
		return BOB_TARGET_SETUID;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return BOB_TARGET_OK; /* not readable: leave the decision to the kernel */
	char interpreter[256];
	enum bob_target t = look(fd, interpreter, sizeof(interpreter));
	close(fd);
	return t;
}

int bob_target_is_musl(const char *path)
{
	char interpreter[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC), is_musl;

	if (fd < 0)
		return 0;
	is_musl = look(fd, interpreter, sizeof(interpreter)) == BOB_TARGET_OK &&
		  strstr(interpreter, "/ld-musl-") != NULL;
	close(fd);
	return is_musl;
}

void bob_self_dir(char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);
	char *path = n < 0 ? realpath((const char *)getauxval(AT_EXECFN), NULL) : NULL;

	buf[n < 0 ? 0 : n] = 0;
	if (path) /* without /proc: the path of the invocation */
		snprintf(buf, size, "%s", path);
	free(path);
	char *slash = strrchr(buf, '/');
	if (slash)
		*slash = 0;
}
