// Two ranks with a pipe each way. argv: a function of the transport that does something forbidden
// (send, receive, barrier, count), how (throw, jump, exit, signal: a handler on a stack of its own,
// above, has an event; or well), and on which rank. Each rank prints the result of its Finalize;
// each has events before and after it.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include <bobbin/hooks.h>
#include <bobbin/ranks.h>

static int ends[2][4][2]; // [from][tag]
static uint32_t rank;
static const char *which, *how;
static bool is_bad, has_back;
static jmp_buf back;

static void perhaps(const char *what)
{
	if (!is_bad || strcmp(what, which) != 0)
		return;
	if (!strcmp(how, "throw"))
		throw std::runtime_error("the line is down");
	if (!strcmp(how, "jump") && has_back)
		longjmp(back, 1);
	if (!strcmp(how, "exit"))
		exit(5);
	if (!strcmp(how, "signal"))
		raise(SIGUSR1);
}

static int get(int fd, void *bytes, uint64_t len, uint64_t wait_ns)
{
	for (char *at = static_cast<char *>(bytes); len;) {
		struct pollfd p = { fd, POLLIN, 0 };
		const ssize_t n = poll(&p, 1, static_cast<int>(wait_ns / 1000000)) > 0 ?
					  read(fd, at, len) :
					  0;

		if (n <= 0)
			return 0;
		at += n;
		len -= static_cast<uint64_t>(n);
	}
	return 1;
}

static int send_to(void *, uint32_t, uint32_t tag, const void *bytes, uint64_t len, uint64_t)
{
	const int fd = ends[rank][tag][1];

	perhaps("send");
	return write(fd, &len, sizeof(len)) == sizeof(len) &&
	       write(fd, bytes, len) == static_cast<ssize_t>(len);
}

static int receive_from(void *, uint32_t from, uint32_t tag, void *bytes, uint64_t capacity,
			uint64_t *len, uint64_t wait_ns)
{
	const int fd = ends[from][tag][0];

	perhaps("receive");
	return get(fd, len, sizeof(*len), wait_ns) && *len <= capacity &&
	       get(fd, bytes, *len, wait_ns);
}

static int all_meet(void *, uint64_t)
{
	perhaps("barrier");
	return 1;
}

static uint32_t count(void *)
{
	perhaps("count");
	return 2;
}

static int one(void *, const struct bob_hook_event *, uint32_t phase, union bob_datum *data)
{
	data->d = 1;
	return phase == BOB_PHASE_EVENT;
}

static void work(int events)
{
	static bob_event_id job = bob_event_register("job", 0, nullptr);

	for (int i = 0; i < events; i++)
		bob_event_instant(job);
}

static void handler(int)
{
	work(1);
}

/* `stack` lies above all later frames. */
static void have_handler(void *stack, size_t size)
{
	struct sigaction a = {};
	stack_t s = {};

	s.ss_sp = stack;
	s.ss_size = size;
	a.sa_handler = handler;
	a.sa_flags = SA_ONSTACK;
	if (sigaltstack(&s, nullptr) || sigaction(SIGUSR1, &a, nullptr))
		abort();
}

static void be_rank()
{
	struct bob_transport t = {};

	is_bad = rank == static_cast<uint32_t>(is_bad);
	t.size = sizeof(t);
	t.rank = rank;
	t.ranks = 2;
	t.send = send_to;
	t.receive = receive_from;
	t.barrier = all_meet;
	t.count = count;
	bob_ranks_init(&t);
	work(10);
	if (setjmp(back)) {
		printf("%u jumped\n", rank);
	} else {
		has_back = true;
		printf("%u %s\n", rank, bob_ranks_finalize() ? "well" : "not well");
	}
	has_back = false;
	work(3); // it goes on
	if (std::uncaught_exceptions())
		puts("an exception is under way");
	fflush(stdout);
}

int main(int, char **argv)
{
	static struct bob_hook h = {};
	char stack[65536];
	int status;

	which = argv[1];
	how = argv[2];
	is_bad = atoi(argv[3]) != 0;
	h.size = sizeof(h);
	h.name = "ones";
	h.end = one;
	bob_hook_add(&h);
	for (auto &from : ends)
		for (auto &tag : from)
			if (pipe(tag))
				return 1;
	have_handler(stack, sizeof(stack));
	const pid_t other = fork();
	rank = !other;
	be_rank();
	if (!other)
		exit(0);
	waitpid(other, &status, 0);
	return WEXITSTATUS(status);
}
