/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment passed to the next program. The agent is preloaded there as well, even if the
 * program passes another environment, unless it could not be loaded. */
#include <elf.h>
#include <link.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/os.h"

#define SET_IDS 06000u	/* of a file's mode */

static bool is_ours(const char *var)
{
	return text_starts(var, "BOBBIN_") || text_starts(var, "LD_PRELOAD=");
}

/* LD_PRELOAD for the new program: its own value, with the agent first. */
static void preload_value(char *buf, size_t size, const char *theirs)
{
	size_t at = text_add(buf, size, 0, "LD_PRELOAD=");

	at = text_add(buf, size, at, bob_process.config.agent);
	if (theirs && *theirs) {
		at = text_add(buf, size, at, ":");
		text_add(buf, size, at, theirs);
	}
}

static bool has_agent(char **env)
{
	const char *v = config_env(env, "LD_PRELOAD");
	size_t n = text_len(bob_process.config.agent);

	for (; v && *v; v++) {
		if (text_starts(v, bob_process.config.agent) &&
		    (!v[n] || v[n] == ':' || v[n] == ' '))
			return config_env(env, "BOBBIN_DIR");
		while (v[1] && *v != ':' && *v != ' ')
			v++;
	}
	return false;
}

/* The program may pass an invalid pointer as environment: leave the error to the kernel, and do not
 * crash. */
static bool env_readable(char **env)
{
	const void *at[64];

	for (size_t i = 0;; i += 64) {
		size_t n = 0;

		for (size_t k = 0; k < 64; k++) {
			const void *slot = &env[i + k];

			if ((k == 0 || ((uintptr_t)slot & 4095) == 0) && !os_readable(&slot, 1))
				return false;
			if (!env[i + k])
				return os_readable(at, n);
			at[n++] = env[i + k];
		}
		if (!os_readable(at, n))
			return false;
	}
}

/* The environment built for the last exec of this thread, or of its vfork child. It is still
 * allocated only if that exec failed or was a child's. */
static __thread struct {
	void *p;
	size_t size;
} exec_env;

static char **new_env(size_t bytes)
{
	if (exec_env.p)
		os_unmap(exec_env.p, exec_env.size);
	exec_env.p = os_map(bytes);
	exec_env.size = bytes;
	return exec_env.p;
}

/* Add our variables to an environment without the agent. */
static char **with_agent(char **env)
{
	const char *theirs = config_env(env, "LD_PRELOAD");
	size_t bytes = text_len(bob_process.config.agent) + (theirs ? text_len(theirs) : 0) + 16;
	size_t vars = 0, n = 0;

	for (char **v = env; v && *v; v++)
		vars++;
	for (char **v = bob_process.env; *v; v++)
		vars++;
	char **out = new_env((vars + 2) * sizeof(char *) + bytes);
	if (!out)
		return env;
	char *text = (char *)(out + vars + 2);
	preload_value(text, bytes, theirs);
	out[n++] = text;
	for (char **v = bob_process.env; *v; v++)
		if (text_starts(*v, "BOBBIN_"))
			out[n++] = *v;
	for (char **v = env; v && *v; v++)
		if (!is_ours(*v))
			out[n++] = *v;
	return out;
}

/* The loader of a 32-bit program would print an error for our library to stderr. */
static bool is_32_bit(const char *path)
{
	uint8_t id[5] = { 0 };
	long fd = os_open(path, OS_READ);

	if (fd < 0)
		return false;
	os_read(fd, id, sizeof(id));
	os_close(fd);
	return id[0] == 0x7f && id[1] == 'E' && id[4] == 1;
}

/* Valgrind's launcher executes its tool, which is static, and passes LD_PRELOAD on to the program
 * that the tool runs. Its readers of code and frame information would see the agent. */
static bool is_valgrind(char **env)
{
	return config_env(env, "VALGRIND_LAUNCHER");
}

/* LD_PRELOAD as the program would have it without us. False: it would be empty. */
static bool preload_rest(char *buf, size_t size, const char *list)
{
	size_t at = text_add(buf, size, 0, "LD_PRELOAD="), empty = at;

	while (*list) {
		size_t n = text_list_item(list);

		if (n && !text_list_has(bob_process.config.agent, list, n)) {
			if (at > empty)
				at = text_add(buf, size, at, ":");
			for (size_t i = 0; i < n && at + 1 < size; i++)
				buf[at++] = list[i];
			buf[at] = 0;
		}
		list += n + (list[n] != 0);
	}
	return at > empty;
}

static char **without_agent(char **env)
{
	const char *list = config_env(env, "LD_PRELOAD");
	size_t bytes = list ? text_len(list) + 16 : 0, count = 0, n = 0;

	while (env && env[count])
		count++;
	char **out = new_env((count + 1) * sizeof(char *) + bytes);
	char *text = (char *)(out + count + 1);
	for (size_t i = 0; out && i < count; i++) {
		if (!text_starts(env[i], "LD_PRELOAD="))
			out[n++] = env[i];
		else if (env[i] + 11 == list && preload_rest(text, bytes, list))
			out[n++] = text;
	}
	return out ? out : env;
}

/* A filter is inherited over exec: the new program must not get an agent that makes system calls.
 * Memory cannot be allocated either, so the environment is built in static memory, once. */
#define QUIET_VARS 4096
char **exec_environment_quietly(char **env)
{
	static char *vars[QUIET_VARS];
	size_t n = 0;

	for (size_t i = 0; env && env[i]; i++) {
		if (text_starts(env[i], "LD_PRELOAD="))
			continue;
		if (n + 1 == QUIET_VARS)
			return env;
		vars[n++] = env[i];
	}
	vars[n] = NULL;
	return env ? vars : env;
}

/* After chroot, or in another mount namespace, the new program's loader may not find us, and would
 * print an error to stderr. */
static bool agent_is_here(void)
{
	const char *list = bob_process.config.agent;
	char path[BOB_PATH_MAX];

	while (*list) {
		size_t n = text_list_item(list);
		long fd;

		if (n >= sizeof(path))
			return false;
		memcpy(path, list, n);
		path[n] = 0;
		fd = os_open(path, OS_READ);
		if (fd < 0)
			return false;
		os_close(fd);
		list += n + (list[n] != 0);
	}
	return true;
}

static bool has_loader(const uint8_t *bytes, size_t len)
{
	const ElfW(Ehdr) *e = (const ElfW(Ehdr) *)(const void *)bytes;
	const ElfW(Phdr) *p = (const ElfW(Phdr) *)(const void *)(bytes + sizeof(*e));

	if (len < sizeof(*e) || e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_phoff != sizeof(*e) ||
	    e->e_phnum > (len - sizeof(*e)) / sizeof(*p))
		return false;
	for (uint32_t i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_INTERP)
			return true;
	return false;
}

bool exec_leaves_trace(const char *path)
{
	uint8_t bytes[1024] __attribute__((aligned(8)));
	uint32_t uid, mode = SET_IDS;
	long fd = os_open(path, OS_READ), n = 0;

	if (fd < 0) /* usually one of several paths where a program is searched */
		return true;
	(void)os_file_owner(fd, &uid, &mode);
	n = os_read(fd, bytes, sizeof(bytes));
	os_close(fd);
	if (mode & SET_IDS || n < 4 || !agent_is_here())
		return false;
	/* a file that is not ELF is a script */
	return bytes[0] != 0x7f || has_loader(bytes, (size_t)n);
}

char **exec_environment(const char *path, char **env)
{
	bool here;

	if (env && !env_readable(env))
		return env;
	if (!bob_process.config.follow || is_32_bit(path) || is_valgrind(env))
		return has_agent(env) ? without_agent(env) : env;
	here = agent_is_here();
	if (!here)
		agent_log("a program in another root directory is not recorded", path);
	if (has_agent(env))
		return here ? env : without_agent(env);
	return here ? with_agent(env) : env;
}
