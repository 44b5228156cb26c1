/* Ranks with a transport of the program's own: processes with a pipe between each two. argv: how,
 * ranks. How: friend; what the last rank does instead of sending: silent (nothing), huge (lengths
 * without end), junk (other bytes), short (half of them); what its receiving does: liar (returns
 * more bytes than the buffer holds); wrong: invalid structs. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bobbin/hooks.h>
#include <bobbin/ranks.h>

#define RANKS_MAX 16
#define TAGS 8

static int ends[RANKS_MAX][RANKS_MAX][TAGS][2]; /* [from][to][tag] */
static uint32_t rank, ranks;
static const char *how;
static int evil;

static int put(int fd, const void *bytes, uint64_t len)
{
	const char *at = bytes;

	while (len) {
		const ssize_t n = write(fd, at, len);

		if (n <= 0)
			return 0;
		at += n;
		len -= (uint64_t)n;
	}
	return 1;
}

static int get(int fd, void *bytes, uint64_t len, uint64_t wait_ns)
{
	char *at = bytes;

	while (len) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n;

		if (poll(&p, 1, (int)(wait_ns / 1000000)) <= 0)
			return 0;
		n = read(fd, at, len);
		if (n <= 0)
			return 0;
		at += n;
		len -= (uint64_t)n;
	}
	return 1;
}

static int send_to(void *ctx, uint32_t to, uint32_t tag, const void *bytes, uint64_t len,
		   uint64_t wait_ns)
{
	const int fd = ends[rank][to][tag][1];
	static char other[1 << 20];
	uint64_t n = len;

	(void)ctx, (void)wait_ns;
	if (evil && !strcmp(how, "silent"))
		return 1;
	if (evil && !strcmp(how, "short"))
		n = len / 2;
	if (evil && (!strcmp(how, "huge") || !strcmp(how, "junk")) && len <= sizeof(other)) {
		memset(other, strcmp(how, "huge") ? 0x5a : 0x7f, sizeof(other));
		/* plausible lengths, then nonsense */
		if (!strcmp(how, "junk") && len <= 16)
			memcpy(other, bytes, len);
		bytes = other;
	}
	return put(fd, &n, sizeof(n)) && put(fd, bytes, n);
}

static int receive_from(void *ctx, uint32_t from, uint32_t tag, void *bytes, uint64_t capacity,
			uint64_t *len, uint64_t wait_ns)
{
	const int fd = ends[from][rank][tag][0];

	(void)ctx;
	if (!get(fd, len, sizeof(*len), wait_ns) || *len > capacity ||
	    !get(fd, bytes, *len, wait_ns))
		return 0;
	if (!strcmp(how, "liar"))
		*len = capacity + 12345;
	return 1;
}

static int barriers;

static int all_meet(void *ctx, uint64_t wait_ns)
{
	char c = 0;

	(void)ctx;
	barriers++;
	for (uint32_t i = 0; i < ranks; i++)
		if (i != rank && !put(ends[rank][i][0][1], &c, 1))
			return 0;
	for (uint32_t i = 0; i < ranks; i++)
		if (i != rank && !get(ends[i][rank][0][0], &c, 1, wait_ns))
			return 0;
	return 1;
}

static int give_rank(void *ctx, const struct bob_hook_event *e, uint32_t phase,
		     union bob_datum *data)
{
	(void)ctx;
	(void)e;
	data->d = rank;
	return phase == BOB_PHASE_EVENT;
}

static const struct bob_hook hook = {
	.size = sizeof(hook), .name = "ones", .events = "job", .end = give_rank
};

static int all_are_refused(void)
{
	struct bob_transport t = {
		.size = sizeof(t), .rank = 0, .ranks = 1, .send = send_to, .receive = receive_from
	};
	int ok = 0;

	t.size = 8;
	ok |= bob_ranks_init(&t);
	t.size = sizeof(t);
	t.rank = 1;
	ok |= bob_ranks_init(&t);
	t.rank = 0;
	t.send = NULL;
	ok |= bob_ranks_init(&t) | bob_ranks_finalize();
	t.send = send_to;
	if (!bob_ranks_init(&t) || bob_ranks_init(&t) || !bob_ranks_finalize())
		return 0;
	return !ok && !bob_ranks_finalize() && !bob_ranks_init(&t);
}

static int be_rank(void)
{
	struct bob_transport t = { .size = sizeof(t), .rank = rank, .ranks = ranks,
				   .send = send_to, .receive = receive_from, .barrier = all_meet };
	bob_event_id job = bob_event_register("job", 0, "int rank");
	int ok;

	bob_hook_add(&hook);
	evil = rank == ranks - 1;
	bob_ranks_init(&t);
	memset(&t, 0, sizeof(t)); /* it was copied */
	for (int i = 0; i < 10; i++)
		BOB_EVENT_INSTANT(job, bob_int((int64_t)rank));
	ok = bob_ranks_finalize();
	return ok | barriers << 1;
}

int main(int argc, char **argv)
{
	int status, all = 0;

	how = argc > 1 ? argv[1] : "friend";
	ranks = argc > 2 ? (uint32_t)atoi(argv[2]) : 5;
	if (!strcmp(how, "wrong")) {
		puts(all_are_refused() ? "refused" : "taken");
		return 0;
	}
	for (uint32_t i = 0; i < ranks; i++)
		for (uint32_t k = 0; k < ranks; k++)
			for (int tag = 0; tag < TAGS; tag++)
				if (pipe(ends[i][k][tag]))
					return 1;
	for (rank = 1; rank < ranks; rank++)
		if (!fork())
			_exit(be_rank());
	rank = 0;
	all = be_rank();
	while (wait(&status) > 0)
		all &= WEXITSTATUS(status);
	printf("%s, %d barriers\n", all & 1 ? "all went well" : "not all went well", all >> 1);
	return 0;
}
