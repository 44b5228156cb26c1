/* SPDX-License-Identifier: BSD-3-Clause */
/* Killed at any instruction. A child encodes into shared memory, one machine instruction at a time;
 * each time the stream's head changes, this process decodes what a kill at that instant would have
 * left. A second test interrupts the encoder at an instruction and abandons the event, as
 * siglongjmp out of a signal handler does. A third kills children at random moments of full
 * speed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../share.h"
#include "gen.h"
#include "rig.h"

#define STRETCH 64u
#define STRETCHES_SMALL 256u	/* for the streams of few symbols */
#define STRETCHES_LARGE 65536u

struct shared {
	struct rig rig;
	uint32_t count;		/* of `said` */
	uint32_t said[4096];	/* what the child knows to be recorded */
	uint32_t sure;		/* symbols whose put returned */
};

static struct shared *shared;
static uint8_t *area;
static size_t area_stretches;

static uint8_t *grow_shared(void *ctx, size_t *len)
{
	struct rig *r = ctx;

	if (r->stretch_count == area_stretches)
		return NULL;
	*len = r->stretch_len;
	return r->stretch[r->stretch_count++];
}

/* Not calloc: it may clear the tables byte by byte, each a step of the tracer. */
static void *alloc_zeroed(void *ctx, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)ctx;
	return p == MAP_FAILED ? NULL : p;
}

static void release(void *ctx, void *p, size_t size)
{
	(void)ctx;
	munmap(p, size);
}

static void *map(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	return p;
}

static void share(size_t stretches)
{
	struct rig *r;

	area_stretches = stretches;
	shared = map(sizeof(*shared));
	area = map(stretches * STRETCH);
	r = &shared->rig;
	r->stretch_len = STRETCH;
	r->stretch = malloc(stretches * sizeof(*r->stretch));
	assert_non_null(r->stretch);
	for (size_t i = 0; i < stretches; i++)
		r->stretch[i] = area + i * STRETCH;
	r->io = (struct bob_run_io){ r, grow_shared, alloc_zeroed, release };
	r->enc = map(bob_run_enc_size());
}

static void unshare(void)
{
	struct rig *r = &shared->rig;

	free(r->stretch);
	munmap(r->enc, bob_run_enc_size());
	munmap(area, area_stretches * STRETCH);
	munmap(shared, sizeof(*shared));
}

/* Decodes the shared stream now; it must be a prefix of `sym`. Returns its length. */
static uint64_t decodes(const uint32_t *sym, uint64_t n)
{
	uint64_t count;
	struct bob_run_head head = shared->rig.head;
	uint32_t *out = rig_read(&head, &shared->rig, 64, &count);

	assert_non_null(out);
	assert_true(count <= n);
	assert_int_equal(memcmp(out, sym, count * 4), 0);
	free(out);
	return count;
}

static void encode_all(enum bob_codec codec, const uint32_t *sym, size_t n, uint32_t block)
{
	struct rig *r = &shared->rig;

	if (rig_open(r, codec) != BOB_OK)
		_exit(3);
	if (block)
		r->enc->block_symbols_max = block;
	for (size_t i = 0; i < n; i++) {
		if (rig_entry(r->enc, sym[i]) != BOB_OK)
			_exit(4);
		shared->sure = (uint32_t)i + 1;
	}
	if (bob_run_close(r->enc) != BOB_OK)
		_exit(5);
	_exit(0);
}

/* 0 when the child stopped again, else it is gone and *status says how. */
static int step(pid_t pid, int *status)
{
	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL))
		return 1;
	assert_int_equal(waitpid(pid, status, 0), pid);
	return !WIFSTOPPED(*status);
}

static void every_instruction(enum bob_codec codec, enum gen_kind kind)
{
	size_t n = 20, changes = 0;
	uint32_t *sym = gen_make(kind, n, 3);
	struct bob_run_head last;
	int status;
	pid_t pid;

	share(STRETCHES_SMALL);
	memset(&last, 0, sizeof(last));
	pid = fork();
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);
		raise(SIGSTOP);
		encode_all(codec, sym, n, 12);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		unshare();
		free(sym);
		print_message("ptrace is not permitted here\n");
		skip();
	}
	while (!step(pid, &status)) {
		if (!memcmp(&last, &shared->rig.head, sizeof(last)))
			continue;
		last = shared->rig.head;
		changes++;
		assert_true(decodes(sym, n) >= shared->sure);
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(decodes(sym, n), n);
	assert_true(changes > n);
	unshare();
	free(sym);
}

static void test_every_instruction(void **state)
{
	(void)state;
	every_instruction(BOB_CODEC_RUN, GEN_SORT);
	every_instruction(BOB_CODEC_RUN, GEN_EXT);
	every_instruction(BOB_CODEC_RUN, GEN_NEST);
	every_instruction(BOB_CODEC_PARLOT, GEN_NEST);
	every_instruction(BOB_CODEC_NONE, GEN_NEST);
}

static sigjmp_buf abandon;

static void leave(int sig)
{
	(void)sig;
	siglongjmp(abandon, 1);
}

/* The child of the second test: SIGUSR1 comes at some instruction of some event. */
static void encode_interrupted(enum bob_codec codec, const uint32_t *sym, size_t n, size_t armed)
{
	struct rig *r = &shared->rig;
	volatile size_t i = 0;

	signal(SIGUSR1, leave);
	if (rig_open(r, codec) != BOB_OK)
		_exit(3);
	if (sigsetjmp(abandon, 1)) {
		/* committed or not, the head alone knows */
		if (r->head.commit > shared->count)
			shared->said[shared->count++] = sym[i];
		if (bob_run_restart(r->enc) != BOB_OK)
			_exit(6);
		i++;
	}
	for (; i < n; i++) {
		if (i == armed)
			raise(SIGSTOP);
		if (rig_entry(r->enc, sym[i]) != BOB_OK)
			_exit(4);
		if (i == armed)
			signal(SIGUSR1, SIG_IGN);
		shared->said[shared->count++] = sym[i];
	}
	_exit(bob_run_close(r->enc) == BOB_OK ? 0 : 5);
}

/* Whether the event was still going on after `steps` instructions. */
static int interrupt_at(enum bob_codec codec, const uint32_t *sym, size_t n, size_t armed,
			int steps)
{
	int status, before;
	pid_t pid;

	share(STRETCHES_SMALL);
	pid = fork();
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);
		encode_interrupted(codec, sym, n, armed);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		unshare();
		skip();
	}
	assert_true(WIFSTOPPED(status));
	for (int i = 0; i < steps; i++)
		assert_int_equal(step(pid, &status), 0);
	before = shared->count == armed;
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, SIGUSR1), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(decodes(shared->said, shared->count), shared->count);
	assert_true(shared->count + 1 >= n);
	unshare();
	return before;
}

static void test_abandoned_events(void **state)
{
	static const enum bob_codec codecs[] = { BOB_CODEC_RUN, BOB_CODEC_PARLOT, BOB_CODEC_NONE };

	(void)state;
	for (int c = 0; c < 3; c++)
		for (size_t armed = 20; armed < 70; armed += c ? 99 : 27) {
			uint32_t *sym = gen_make(GEN_SORT, 80, 3);

			/* from raise() into the event and a little beyond */
			for (int steps = 1; steps < 20000;
			     steps += share_is_long() ? 1 : 1 + steps / 8)
				if (!interrupt_at(codecs[c], sym, 80, armed, steps))
					break;
			free(sym);
		}
}

static void test_killed_at_speed(void **state)
{
	static const enum gen_kind kinds[] = { GEN_SORT, GEN_NEST3, GEN_BRANCH, GEN_DEEP };
	unsigned midway = 0;
	size_t n = 3000000;

	(void)state;
	for (int k = 0; k < 4; k++) {
		uint32_t *sym = gen_make(kinds[k], n, 1);

		for (unsigned i = 0; i < 15; i++) {
			uint64_t count;
			int status;
			pid_t pid;

			share(STRETCHES_LARGE);
			pid = fork();
			if (!pid)
				encode_all(i % 5 ? BOB_CODEC_RUN : BOB_CODEC_PARLOT, sym, n, 0);
			usleep(300 + i * i * 150);
			kill(pid, SIGKILL);
			assert_int_equal(waitpid(pid, &status, 0), pid);
			count = decodes(sym, n);
			assert_true(count >= shared->sure);
			midway += count > 0 && count < n;
			unshare();
		}
		free(sym);
	}
	assert_true(midway > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_instruction),
		cmocka_unit_test(test_abandoned_events),
		cmocka_unit_test(test_killed_at_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
