/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to the keeper, which holds the trace files open outside the process
 * (src/cli/record/keeper.h): for processes with another user or root directory, without a free
 * descriptor, or with a file size limit. Requests and answers are words in the file's head. */
#include "agent/agent.h"

#include "agent/os.h"
#include "archive/write/keeper.h"

#define WAIT_US 1000000u	/* timeout; the keeper polls its files every few ms */
#define NAP_US 500u
#define QUIET_LOOPS 1500u	/* number of pause instructions: 100 us at most, at 65 ns each */
#define AHEAD (1u << 20)	/* allocated ahead for processes that cannot send requests */
#define QUIET_MAX (64ull << 20)	/* mapped ahead for processes that cannot map */

/* --- a new file --- */

/* Parse BOBBIN_KEEPER: the name, followed by the secret. Returns the length of the name; 0: not
 * set. */
static size_t read_address(const char *text, uint64_t *secret)
{
	size_t n = 0;

	*secret = 0;
	while (text && text[n] && text[n] != ':')
		n++;
	if (!text || !text[n])
		return 0;
	for (const char *p = text + n + 1; *p; p++)
		*secret = *secret << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	return n;
}

static bool ask(const struct bob_keeper *k, enum bob_keeper_want want,
		struct bob_keeper_answer *answer, long *file)
{
	const struct bob_keeper_ask a = { .secret = k->secret, .want = want, .pid = os_pid() };

	return os_send(k->fd, &a, sizeof(a)) == (long)sizeof(a) &&
	       os_receive(k->fd, answer, sizeof(*answer), file) == (long)sizeof(*answer) &&
	       !answer->refused;
}

long keeper_new_file(struct bob_keeper *k, uint32_t *seq)
{
	const char *address = bob_process.config.keeper;
	size_t n = read_address(address, &k->secret);
	struct bob_keeper_answer answer;
	long file = -1;

	k->fd = n ? os_connect(address, n) : -1;
	if (k->fd < 0)
		return -1;
	if (!ask(k, BOB_KEEPER_NEW_FILE, &answer, &file) || file < 0) {
		os_close(k->fd);
		k->fd = -1;
		return -1;
	}
	*seq = answer.seq;
	return file;
}

bool keeper_name_file(struct bob_keeper *k, bool has_head)
{
	struct bob_keeper_answer answer;
	long none;
	bool ok = has_head && ask(k, BOB_KEEPER_HAS_HEAD, &answer, &none);

	os_close(k->fd);
	return ok;
}

/* --- space in files --- */

static bool is_there(const struct bob_file_head *h, uint64_t to)
{
	return __atomic_load_n(&h->allocated, __ATOMIC_ACQUIRE) >= to;
}

bool keeper_allocate(uint64_t to, uint64_t ahead)
{
	struct bob_file_head *h = bob_process.file;

	if (!bob_process.config.keeper)
		return false;
	__atomic_store_n(&h->wanted, to + ahead, __ATOMIC_RELEASE);
	for (unsigned us = 0; us < WAIT_US && !is_there(h, to); us += NAP_US) {
		if (__atomic_load_n(&h->refused, __ATOMIC_ACQUIRE)) {
			bob_process.no_space = BOB_STOP_DISK;
			return false;
		}
		os_nap(NAP_US);
	}
	if (!is_there(h, to)) /* there is no keeper; do not wait again */
		bob_process.config.keeper = NULL;
	return is_there(h, to);
}

/* System calls will be forbidden: the keeper allocates space ahead, and it is mapped now. */
void keeper_go_ahead(void)
{
	struct bob_process *p = &bob_process;
	const uint64_t from = p->window_off + p->window_size;

	if (!p->config.keeper || !p->file || p->collector || p->quiet || process_is_child())
		return;
	p->quiet = os_map_again(p->window + p->window_size - BOB_PAGE, BOB_PAGE, QUIET_MAX);
	p->quiet_off = from;
	if (p->quiet)
		__atomic_store_n(&p->file->ahead, AHEAD, __ATOMIC_RELEASE);
}

uint8_t *keeper_window(uint64_t off, uint64_t size)
{
	const struct bob_process *p = &bob_process;

	if (!p->quiet || off < p->quiet_off || off - p->quiet_off + size > QUIET_MAX)
		return NULL;
	for (unsigned i = 0; i < QUIET_LOOPS && !is_there(p->file, off + size); i++)
		__builtin_ia32_pause();
	return is_there(p->file, off + size) ? p->quiet + (off - p->quiet_off) : NULL;
}
