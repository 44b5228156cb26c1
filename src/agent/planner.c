/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans come from the cache; a missing one is asked for by running `bobbin plan` out of sight of
 * the program. Nothing here decodes an instruction. A plan is used only if the cache directory's
 * owner wrote it and its contents hold (bob_plan_check). */
#include "agent/agent.h"

#include "agent/os.h"
#include "plan/mem/format.h"

#define PLAN_MAX (1ull << 30)
#define PLANNER_LIMIT_MS 60000
#define PATHS_MAX 512

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

/* From a file of the cache, if it is ours and its contents hold. */
static void *load(uint64_t key, const char *ending,
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
	void *plan = NULL;
	if (ours(fd, TYPE_REGULAR) && size > 0 && (uint64_t)size < PLAN_MAX)
		plan = os_map_file(fd, 0, (size_t)size, false);
	os_close(fd);
	if (plan && check(plan, (uint64_t)size, key) != BOB_OK) {
		os_unmap(plan, (size_t)size);
		plan = NULL;
	}
	return plan;
}

const struct bob_plan_head *plan_load(uint64_t key)
{
	return load(key, ".plan", bob_plan_check);
}

const struct bob_mem_plan_head *plan_load_mem(uint64_t key)
{
	return load(key, ".mem", bob_mem_plan_check);
}

static bool run_planner(const char *const *paths, size_t n, bool mem)
{
	static char library_path[BOB_PATH_MAX + 32];
	static const char *argv[PATHS_MAX + 6]; /* the lock is held */
	const struct bob_config *c = &bob_process.config;
	const char *envp[2] = { NULL, NULL };
	const char *lib = config_env(bob_process.env, "LD_LIBRARY_PATH");
	size_t argc = 0;

	argv[argc++] = c->planner;
	argv[argc++] = "plan";
	argv[argc++] = "--cache";
	argv[argc++] = c->cache;
	if (mem)
		argv[argc++] = "--mem";
	for (size_t i = 0; i < n; i++)
		argv[argc++] = paths[i];
	argv[argc] = NULL;
	if (lib) {
		size_t at = text_add(library_path, sizeof(library_path), 0, "LD_LIBRARY_PATH=");

		text_add(library_path, sizeof(library_path), at, lib);
		envp[0] = library_path;
	}
	return os_run(argv, envp, PLANNER_LIMIT_MS) == 0;
}

bool plan_request(const char *const *paths, size_t n, bool mem)
{
	const struct bob_config *c = &bob_process.config;
	bool ok = true;

	if (!c->planner[0] || !c->cache[0] || !os_allowed())
		return false;
	for (size_t i = 0; i < n; i += PATHS_MAX)
		ok &= run_planner(paths + i, n - i < PATHS_MAX ? n - i : PATHS_MAX, mem);
	return ok;
}
