/* SPDX-License-Identifier: BSD-3-Clause */
/* Records the exit status of children that the program waited for (waits.h). */
#define _GNU_SOURCE
#include "agent/waits.h"

#include <signal.h>
#include <string.h>

#include "agent/os.h"

bool waits_are_recorded(void)
{
	return bob_process.config.follow && !shadow_stack();
}

/* If the program passes no pointer for the status, it is called with one to our memory. */
enum bob_around_way waits_called(uint32_t id, uint32_t what, struct bob_regs *r,
				 struct bob_sync_call *call)
{
	uint64_t *place = what == BOB_SPECIAL_WAIT4 ? &r->rsi : &r->rdx;
	bool recorded = special_is_traced(id);

	*call = (struct bob_sync_call){ .hook = BOB_HOOKS + what, .word[3] = id };
	if (what == BOB_SPECIAL_WAIT4 && !*place)
		*place = (uint64_t)(uintptr_t)&call->word[1];
	call->word[0] = *place;
	return recorded ? BOB_AROUND_CALL_RECORDED : BOB_AROUND_CALL;
}

bool waits_own(const struct bob_sync_call *call)
{
	return call->hook >= BOB_HOOKS;
}

static struct bob_rec_waited of_wait4(uint64_t place, uint64_t result)
{
	struct bob_rec_waited w = { .status = ~0u };

	if ((int32_t)result > 0) {
		memcpy(&w.status, (const void *)(uintptr_t)place, sizeof(w.status));
		w.pid = (uint32_t)result;
	}
	return w;
}

static struct bob_rec_waited of_waitid(uint64_t place, uint64_t result)
{
	struct bob_rec_waited w = { .status = ~0u };
	siginfo_t info;

	if ((int32_t)result || !place)
		return w;
	memcpy(&info, (const void *)(uintptr_t)place, sizeof(info));
	if (info.si_signo == SIGCHLD) { /* 0: no child */
		w.pid = (uint32_t)info.si_pid;
		w.status = bob_waitid_status(info.si_code, info.si_status);
	}
	return w;
}

static void put(const struct bob_rec_waited *w)
{
	uint64_t bytes[(sizeof(struct bob_record) + sizeof(*w)) / sizeof(uint64_t)];
	struct bob_chunk_head *h;
	struct bob_meta m;

	bob_meta_init(&m, bytes, sizeof(bytes));
	bob_meta_put(&m, BOB_REC_WAITED, w, sizeof(*w));
	lock_process();
	h = file_chunk(BOB_CHUNK_META, ~0u, m.len, 0);
	if (h) {
		memcpy(bob_chunk_data(h), bytes, m.len);
		bob_chunk_seal(h, m.len);
	}
	unlock_process();
}

void waits_returned(const struct bob_sync_call *call, uint64_t result)
{
	const uint32_t what = (uint32_t)(call->hook - BOB_HOOKS);
	struct bob_rec_waited w;

	w = what == BOB_SPECIAL_WAIT4 ? of_wait4(call->word[0], result) :
					of_waitid(call->word[0], result);
	if (!w.pid || !bob_status_is_end(w.status) || !os_allowed() || !bob_process.recording ||
	    !process_has_file())
		return;
	w.mono_ns = os_time_mono();
	put(&w);
}
