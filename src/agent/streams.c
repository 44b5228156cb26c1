/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent's functions for recorders in other libraries (streams.h). */
#include "agent/streams.h"

#include "agent/agent.h"
#include "agent/thread_area.h"
#include "agent/hooks.h"
#include "agent/mem/mem.h"
#include "agent/os.h"

#define ENDS 4u
static void (*end_fns[ENDS])(void);

static uint32_t own_stream(void)
{
	struct bob_thread *t;

	if (!bob_process.recording || !os_allowed())
		return BOB_AGENT_NO_STREAM;
	t = thread_here();
	return t ? t->stream : BOB_AGENT_NO_STREAM;
}

static bool source_report(const void *meta, size_t bytes)
{
	if (process_is_child() && own_stream() == BOB_AGENT_NO_STREAM)
		return false;
	return mem_source_report(meta, bytes);
}

static uint64_t place_of(uint64_t address)
{
	struct bob_image *im = image_at(address);

	if (!im || !im->chosen || !(im->described || image_use(im)) || im->number > 0xfffe)
		return BOB_AGENT_NO_PLACE;
	return (uint64_t)im->number << 48 | ((address - im->bias) & ~(0xffffull << 48));
}

static uint64_t image_key(uint32_t number)
{
	const struct bob_image *im = image_numbered(number);

	return im ? im->plan->key : 0;
}

static const char *setting(const char *name)
{
	return bob_process.env ? config_env(bob_process.env, name) : NULL;
}

static uint64_t world(void)
{
	return bob_process.world;
}

static void stop(bob_status why)
{
	agent_stop(!os_allowed()	? BOB_STOP_SECCOMP :
		   why == BOB_ERR_FULL	? BOB_STOP_DISK :
		   why == BOB_ERR_NOMEM ? BOB_STOP_MEMORY :
					  BOB_STOP_INTERNAL);
}

static void at_end(void (*fn)(void))
{
	size_t i = 0;

	lock_process();
	while (i < ENDS && end_fns[i] && end_fns[i] != fn)
		i++;
	if (i < ENDS)
		end_fns[i] = fn;
	unlock_process();
}

void streams_end(void)
{
	for (size_t i = 0; i < ENDS && end_fns[i]; i++)
		end_fns[i]();
}

static const char *path(void)
{
	return bob_process.recording && !process_is_child() ? bob_process.path : NULL;
}

static void cut(void)
{
	if (bob_process.recording && os_allowed() && !process_is_child())
		mem_part();
}

static bool has_places(void)
{
	return bob_process.config.mem || bob_process.config.calls;
}

static bool event_begins(uint32_t what, uint64_t sp, uint64_t frame, uint64_t **mark)
{
	if (!bob_process.config.mem)
		return what < BOB_AGENT_EVENTS && enter_event(what, sp, frame);
	*mark = mem_event_begins(what);
	return *mark != NULL;
}

static void event_ends(uint32_t what, uint64_t *mark)
{
	if (bob_process.config.mem)
		mem_event_ends(what, mark);
}

static bool events_missing(uint64_t count)
{
	return bob_process.config.mem ? mem_events_missing(count) : enter_events_missing(count);
}

extern const struct bob_agent_streams bob_agent_streams_1;
__attribute__((visibility("default"))) const struct bob_agent_streams bob_agent_streams_1 = {
	.size = sizeof(bob_agent_streams_1),
	.stream = own_stream,
	.chunk = file_chunk_at,
	.place = place_of,
	.setting = setting,
	.stop = stop,
	.at_end = at_end,
	.path = path,
	.cut = cut,
	.helper_begin = helper_begin,
	.helper_end = os_helper_end,
	.has_places = has_places,
	.event_begins = event_begins,
	.event_ends = event_ends,
	.events_missing = events_missing,
	.hook_functions = hooks_register,
	.function_name = hooks_name,
	.functions_left = hooks_left,
	.image_key = image_key,
	.source_add = mem_source_add,
	.source_report = source_report,
	.source_record = mem_source_record,
	.source_access = mem_source_access,
	.allowed = os_allowed,
	.hooked_return = (uint64_t)(uintptr_t)bob_hook_return,
	.hooked_far = BOB_HOOK_FAR,
	.run_on_area = area_run_blocked,
	.world = world,
	.environment = exec_environment,
};
