/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the user's plug-ins (shared objects with hooks) before the program starts; they are never
 * unloaded. A plug-in that cannot be used is left out, and the trace records the reason. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "events/hooks.h"

#define PLUGINS_MAX 16u

static const struct bob_plugin *used[PLUGINS_MAX];
static uint32_t count;

static void refuse(const char *path, const char *why)
{
	char line[400];

	snprintf(line, sizeof(line), "plug-in %.200s is not used: %.150s\n", path, why);
	bob_ev_log(line);
}

static void begin(const char *path)
{
	void *handle = count < PLUGINS_MAX ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	const struct bob_plugin *p = handle ? dlsym(handle, "bob_plugin") : NULL;
	char why[100];

	if (!handle) {
		const char *error = count < PLUGINS_MAX ? dlerror() : "there are too many";

		refuse(path, error ? error : "it cannot be loaded");
	} else if (!p) {
		refuse(path, "it has no bob_plugin (bobbin/hooks.h)");
	} else if (p->version != BOB_PLUGIN_VERSION || p->size < sizeof(*p)) {
		snprintf(why, sizeof(why), "it is of version %u, this is version %u", p->version,
			 BOB_PLUGIN_VERSION);
		refuse(path, why);
	} else if (p->begin && p->begin()) {
		refuse(path, "it says that it cannot begin");
	} else {
		used[count++] = p;
	}
}

void bob_ev_plugins_begin(const char *paths)
{
	while (paths && *paths) {
		const size_t n = strcspn(paths, ":");
		char path[4096];

		if (n && n < sizeof(path)) {
			memcpy(path, paths, n);
			path[n] = 0;
			begin(path);
		}
		paths += n + (paths[n] != 0);
	}
}

void bob_ev_plugins_finish(void)
{
	while (count) {
		const struct bob_plugin *p = used[--count];

		if (p->finish)
			p->finish();
	}
}
