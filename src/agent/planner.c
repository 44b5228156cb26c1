/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads plans from the cache; requests missing ones by running `bobbin plan`, invisibly to the
 * program. Does not decode instructions. A plan is used only if it was written by the owner of the
 * cache directory and is valid (bob_plan_check). */
#include "agent/agent.h"

#include "agent/os.h"
#include "plan/mem/format.h"

#define PLAN_MAX (1ull << 30)
#define PLANNER_LIMIT_MS 60000
#define PATHS_MAX 512
#define HELPER_ARGS_MAX 8

#define TYPE_MASK 0170000u
#define TYPE_DIRECTORY 0040000u
#define TYPE_REGULAR 0100000u

static bool ours(long fd, uint32_t type)
{
	uint32_t uid, mode;

	return os_file_owner(fd, &uid, &mode) == 0 && uid == os_uid() && !(mode & 022) &&
	       (mode & TYPE_MASK) == type;
}

static bool cache_is_ours(void)
{
	long fd = os_open(bob_process.config.cache, OS_READ);
	bool ok = fd >= 0 && ours(fd, TYPE_DIRECTORY);

	if (fd >= 0)
		os_close(fd);
	return ok;
}

/* Load a file of the cache, if its owner is the user and its contents are valid. */
static const void *load(uint64_t key, const char *ending,
			bob_status (*check)(const void *plan, uint64_t len, uint64_t key))
{
	char path[BOB_PATH_MAX];
	size_t at = text_add(path, sizeof(path), 0, bob_process.config.cache);

	at = text_add(path, sizeof(path), at, "/");
	for (int shift = 60; shift >= 0; shift -= 4)
		at = text_add_u64(path, sizeof(path), at, key >> shift & 15, 16);
	text_add(path, sizeof(path), at, ending);

	if (!cache_is_ours())
		return NULL;
	long fd = os_open(path, OS_READ);
	if (fd < 0)
		return NULL;
	long size = os_file_size(fd);
	const void *plan = NULL;
	if (ours(fd, TYPE_REGULAR) && size > 0 && (uint64_t)size < PLAN_MAX)
		plan = os_map_file(fd, (size_t)size);
	os_close(fd);
	if (plan && check(plan, (uint64_t)size, key) != BOB_OK) {
		os_unmap_bare(plan, (size_t)size);
		plan = NULL;
	}
	return plan;
}

const struct bob_plan_head *plan_load(uint64_t key, bool special)
{
	return load(key, special ? ".special" : ".plan", bob_plan_check);
}

const struct bob_mem_plan_head *plan_load_mem(uint64_t key)
{
	return load(key, ".mem", bob_mem_plan_check);
}

/* The environment of our own programs. */
static const char *const *own_env(void)
{
	static char library_path[BOB_PATH_MAX + 32];
	static const char *envp[2];
	const char *lib = config_env(bob_process.env, "LD_LIBRARY_PATH");

	if (lib) {
		size_t at = text_add(library_path, sizeof(library_path), 0, "LD_LIBRARY_PATH=");

		text_add(library_path, sizeof(library_path), at, lib);
		envp[0] = library_path;
	}
	return envp;
}

static bool run_planner(const char *const *paths, size_t n, const char *option)
{
	static const char *argv[PATHS_MAX + 6]; /* protected by the lock */
	const struct bob_config *c = &bob_process.config;
	size_t argc = 0;

	argv[argc++] = c->planner;
	argv[argc++] = "plan";
	argv[argc++] = "--cache";
	argv[argc++] = c->cache;
	if (option)
		argv[argc++] = option;
	for (size_t i = 0; i < n; i++)
		argv[argc++] = paths[i];
	argv[argc] = NULL;
	return os_run(argv, own_env(), PLANNER_LIMIT_MS) == 0;
}

long helper_begin(const char *const *args, unsigned limit_ms, long *fd)
{
	const char *argv[HELPER_ARGS_MAX + 2] = { bob_process.config.planner };
	size_t n = 0;

	if (!bob_process.config.planner[0] || !os_allowed())
		return -1;
	for (; args[n] && n < HELPER_ARGS_MAX; n++)
		argv[n + 1] = args[n];
	return os_helper_begin(argv, own_env(), limit_ms, fd);
}

bool plan_request(const char *const *paths, size_t n, const char *option)
{
	const struct bob_config *c = &bob_process.config;
	bool ok = true;

	if (!c->planner[0] || !c->cache[0] || !os_allowed())
		return false;
	for (size_t i = 0; i < n; i += PATHS_MAX)
		ok &= run_planner(paths + i, n - i < PATHS_MAX ? n - i : PATHS_MAX, option);
	return ok;
}
