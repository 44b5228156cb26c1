/* SPDX-License-Identifier: BSD-3-Clause */
/* Clock synchronisation: measures each rank's offset from the clock of rank 0, in MPI_Init and
 * again in MPI_Finalize, along a binomial tree, in a logarithmic number of rounds. As in Cristian's
 * algorithm, a rank asks its parent for the time a few times and uses the shortest round trip: it
 * assumes that the parent's time is that of the middle, with half the round trip as the
 * uncertainty. The parent's own uncertainty is added.
 *
 * Ranks with the same clock (the same boot of a kernel, and the same time namespace) exchange no
 * messages. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fcntl.h>

#include "archive/write/write.h"
#include "events/ranks.h"
#include "mpi/private.h"
#include "mpi/recorder.h"

#define ROUNDS 8u
#define TURN_NS (10 * 1000000000ull) /* timeout for an answer of a rank that has answered before */
#define ARRIVE_NS (600 * 1000000000ull) /* timeout for ranks to reach MPI_Finalize */

/* The parent's first message to its child. */
struct known {
	uint64_t clock[3];	/* identity of the clock (find_clock) */
	int64_t offset_ns;
	uint64_t uncertainty_ns;
	uint64_t same;		/* whether the clock is that of rank 0 */
};

enum { ASK = 1, ENOUGH = 2 };

/* Message buffers. They are static because MPI keeps a buffer for ever if its message does not
 * arrive in time. */
static struct known reported;
static uint64_t request, moment;

/* Identifies the clock by the kernel's boot ID and the time namespace. All zeros: unknown, and
 * equal to no other. */
static void find_clock(uint64_t clock[3])
{
	char text[64] = "";
	struct stat ns;
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	memset(clock, 0, 3 * sizeof(*clock));
	if (fd >= 0)
		close(fd);
	if (n < 36 || bob_ev_agent->setting("BOBBIN_TEST_CLOCK"))
		return;
	for (int i = 0, digits = 0; text[i] && digits < 32; i++) {
		const char *hex = "0123456789abcdef", *at = strchr(hex, text[i]);

		if (!at)
			continue;
		clock[digits / 16] = clock[digits / 16] << 4 | (uint64_t)(at - hex);
		digits++;
	}
	if (!stat("/proc/self/ns/time", &ns))
		clock[2] = ns.st_ino;
}

static bool is_same(const uint64_t a[3], const uint64_t b[3])
{
	return (a[0] | a[1]) && !memcmp(a, b, 3 * sizeof(*a));
}

/* --- the parent's side --- */

static bool answer(uint32_t child, const struct known *k, uint64_t arrive_ns)
{
	uint64_t len;

	reported = *k;
	if (!bob_mpi_private_send(&reported, sizeof(reported), child, BOB_EV_TAG_CLOCKS, arrive_ns))
		return false;
	while (bob_mpi_private_receive(&request, sizeof(request), &len, child, BOB_EV_TAG_CLOCKS,
				       arrive_ns)) {
		if (len != sizeof(request) || request != ASK)
			return true;
		moment = bob_ev_now_ns();
		arrive_ns = moment + TURN_NS;
		if (!bob_mpi_private_send(&moment, sizeof(moment), child, BOB_EV_TAG_CLOCKS,
					  arrive_ns))
			return false;
	}
	return false;
}

/* --- the child's side --- */

/* Measures the parent's clock minus this one's. */
static bool ask(uint32_t parent, int64_t *offset_ns, uint64_t *uncertainty_ns)
{
	uint64_t best = UINT64_MAX, len;

	request = ASK;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		const uint64_t begin = bob_ev_now_ns();
		uint64_t round;

		if (!bob_mpi_private_send(&request, sizeof(request), parent, BOB_EV_TAG_CLOCKS,
					  begin + TURN_NS) ||
		    !bob_mpi_private_receive(&moment, sizeof(moment), &len, parent,
					     BOB_EV_TAG_CLOCKS, begin + TURN_NS) ||
		    len != sizeof(moment))
			return false;
		round = bob_ev_now_ns() - begin;
		if (round >= best)
			continue;
		best = round;
		*offset_ns = (int64_t)(moment - begin - round / 2);
		*uncertainty_ns = (round + 1) / 2;
	}
	return true;
}

static bool learn(uint32_t parent, struct known *own, uint64_t arrive_ns)
{
	int64_t offset = 0;
	uint64_t uncertainty = 0, len;
	bool same;

	if (!bob_mpi_private_receive(&reported, sizeof(reported), &len, parent, BOB_EV_TAG_CLOCKS,
				     arrive_ns) ||
	    len != sizeof(reported))
		return false;
	same = is_same(reported.clock, own->clock);
	if (!same && !ask(parent, &offset, &uncertainty))
		return false;
	own->offset_ns = reported.offset_ns + offset;
	own->uncertainty_ns = reported.uncertainty_ns + uncertainty;
	own->same = same && reported.same;
	request = ENOUGH;
	return bob_mpi_private_send(&request, sizeof(request), parent, BOB_EV_TAG_CLOCKS,
				    bob_ev_now_ns() + TURN_NS);
}

/* --- both --- */

static void put_clock(const struct known *k, uint64_t at_ns, uint32_t when)
{
	const struct bob_rec_clock rec = { at_ns, k->offset_ns, k->uncertainty_ns, when,
					   (uint32_t)k->same };

	bob_ev_put_record(BOB_REC_CLOCK, &rec, sizeof(rec));
}

/* The parent of rank r is r without its lowest bit; the child with the largest subtree is first. */
void bob_mpi_clocks(uint32_t when)
{
	const uint32_t rank = bob_mpi_private_rank(), ranks = bob_mpi_private_ranks();
	const uint64_t arrive_ns = bob_ev_now_ns() + ARRIVE_NS;
	struct known own = { .same = 1 };
	uint32_t bit = 1;
	uint64_t at_ns;

	if (!bob_mpi_private_is_open())
		return;
	find_clock(own.clock);
	while (bit < ranks && !(rank & bit))
		bit <<= 1;
	if (rank && !learn(rank - bit, &own, arrive_ns))
		return;
	at_ns = bob_ev_now_ns();
	for (bit >>= 1; bit; bit >>= 1)
		if (rank + bit < ranks && !answer(rank + bit, &own, arrive_ns))
			break;
	put_clock(&own, at_ns, when);
}

/* --- test option: clocks that differ --- */

/* BOBBIN_TEST_CLOCK=NS advances each rank's clock by NS relative to the previous rank's. */
uint64_t bob_mpi_test_shift_ns(void)
{
	const char *ns = bob_ev_agent->setting("BOBBIN_TEST_CLOCK");
	const long rank = bob_ev_launched_rank();

	return ns && rank > 0 ? strtoull(ns, NULL, 10) * (uint64_t)rank : 0;
}
