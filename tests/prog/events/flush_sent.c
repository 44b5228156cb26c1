/* Prints how many bytes of the recorded data go up the tree of ranks. argv: ranks, steps. Each rank
 * has so many events, of unpredictable numbers. There is a pipe from each rank to each, per tag. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bobbin/events.h>
#include <bobbin/ranks.h>

#define RANKS_MAX 16
#define TAGS 4
#define TAG_MERGE 2

static int ends[RANKS_MAX][RANKS_MAX][TAGS][2]; /* [from][to][tag] */
static uint32_t rank, ranks;
static long steps;
static struct {
	uint64_t bytes, last; /* of all ranks; of these in Finalize */
} * sent;
static int finalizes;

static int send_to(void *ctx, uint32_t to, uint32_t tag, const void *bytes, uint64_t len,
		   uint64_t wait_ns)
{
	const int fd = ends[rank][to][tag][1];

	(void)ctx, (void)wait_ns;
	if (tag == TAG_MERGE)
		__atomic_fetch_add(finalizes ? &sent->last : &sent->bytes, len, __ATOMIC_RELAXED);
	if (write(fd, &len, sizeof(len)) != sizeof(len))
		return 0;
	for (uint64_t n = 0; n < len;) {
		const ssize_t k = write(fd, (const char *)bytes + n, len - n);

		if (k <= 0)
			return 0;
		n += (uint64_t)k;
	}
	return 1;
}

static int get(int fd, void *bytes, uint64_t len, uint64_t wait_ns)
{
	for (uint64_t n = 0; n < len;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t k = poll(&p, 1, (int)(wait_ns / 1000000)) > 0 ?
				    read(fd, (char *)bytes + n, len - n) :
				    -1;

		if (k <= 0)
			return 0;
		n += (uint64_t)k;
	}
	return 1;
}

static int receive_from(void *ctx, uint32_t from, uint32_t tag, void *bytes, uint64_t capacity,
			uint64_t *len, uint64_t wait_ns)
{
	const int fd = ends[from][rank][tag][0];

	(void)ctx;
	return get(fd, len, sizeof(*len), wait_ns) && *len <= capacity &&
	       get(fd, bytes, *len, wait_ns);
}

static void be_rank(void)
{
	const struct bob_transport t = { .size = sizeof(t), .rank = rank, .ranks = ranks,
					 .send = send_to, .receive = receive_from };
	const bob_event_id step = bob_event_register("step", 0, "int n");
	uint64_t x = 88172645463325252ull + rank;

	bob_ranks_init(&t);
	for (long i = 0; i < steps; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		BOB_EVENT_INSTANT(step, bob_int((int64_t)(x >> 16)));
	}
	finalizes = 1;
	bob_ranks_finalize();
}

int main(int argc, char **argv)
{
	ranks = argc > 2 ? (uint32_t)atoi(argv[1]) : 4;
	steps = argc > 2 ? atol(argv[2]) : 100;
	sent = mmap(NULL, sizeof(*sent), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (uint32_t i = 0; i < ranks; i++)
		for (uint32_t k = 0; k < ranks; k++)
			for (int tag = 0; tag < TAGS; tag++)
				if (pipe(ends[i][k][tag]))
					return 1;
	for (rank = 1; rank < ranks; rank++)
		if (!fork()) {
			be_rank();
			_exit(0);
		}
	rank = 0;
	be_rank();
	while (wait(NULL) > 0)
		;
	printf("%llu %llu\n", (unsigned long long)sent->bytes, (unsigned long long)sent->last);
	return 0;
}
