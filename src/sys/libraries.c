/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the shared libraries of a program by running its dynamic loader in list mode. The loader
 * knows the search paths and executes no code of the program. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/sys.h"

static int read_loader(const char *path, char *loader)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
	Elf64_Ehdr e;

	if (fd < 0)
		return 0;
	if (pread(fd, &e, sizeof(e), 0) != (ssize_t)sizeof(e) || memcmp(e.e_ident, ELFMAG, SELFMAG))
		e.e_phnum = 0;
	for (unsigned i = 0; i < e.e_phnum && !found; i++) {
		Elf64_Phdr p;

		if (pread(fd, &p, sizeof(p), (off_t)(e.e_phoff + i * sizeof(p))) != sizeof(p))
			break;
		if (p.p_type != PT_INTERP || !p.p_filesz || p.p_filesz > BOB_SYS_PATH)
			continue;
		found = pread(fd, loader, p.p_filesz, (off_t)p.p_offset) == (ssize_t)p.p_filesz;
		loader[p.p_filesz - 1] = 0;
	}
	close(fd);
	return found;
}

/* Our environment without LD_PRELOAD and the like: preloaded libraries are not part of the
 * answer. */
static char **plain_env(void)
{
	size_t n = 0, kept = 0;

	while (environ[n])
		n++;
	char **env = calloc(n + 1, sizeof(*env));
	for (size_t i = 0; env && i < n; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11))
			env[kept++] = environ[i];
	return env;
}

/* The name is the first word of a line: " libc.so.6 => /lib/... (0x...)". */
static void read_names(FILE *f, void (*visit)(void *ctx, const char *name), void *ctx)
{
	char line[2 * BOB_SYS_PATH];

	while (fgets(line, sizeof(line), f)) {
		char *name = line + strspn(line, " \t");
		char *slash;

		name[strcspn(name, " \t\n")] = 0;
		slash = strrchr(name, '/');
		visit(ctx, slash ? slash + 1 : name);
	}
}

bob_status bob_target_libraries(const char *path, void (*visit)(void *ctx, const char *name),
				void *ctx)
{
	char loader[BOB_SYS_PATH], list[] = "--list";
	char *argv[] = { loader, list, (char *)(uintptr_t)path, NULL }, **env;
	posix_spawn_file_actions_t actions;
	int ends[2], status;
	pid_t pid;

	if (!read_loader(path, loader))
		return BOB_NONE;
	env = plain_env();
	if (!env || pipe2(ends, O_CLOEXEC)) {
		free(env);
		return BOB_ERR_IO;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	int bad = posix_spawn(&pid, loader, &actions, NULL, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	free(env);
	close(ends[1]);
	FILE *f = bad ? NULL : fdopen(ends[0], "r");
	if (f)
		read_names(f, visit, ctx);
	if (f)
		fclose(f);
	else
		close(ends[0]);
	if (bad)
		return BOB_ERR_IO;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return BOB_OK;
}
