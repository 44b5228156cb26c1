// A function of a value set breaks the rules. argv: the function; throw, jump, exit, or lie (create
// returns nothing, pack needs 1 TB); at the end of a thread ("thread"), of the merge of ranks
// ("ranks": in the first of two processes of one recording), or of the process. There is also a set
// of numbers. Prints what was caught.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <bobbin/hooks.h>
#include <bobbin/ranks.h>

static bob_event_id e;
static const char *which, *how;
static jmp_buf back;
static bool has_back, is_done;

static int destroyed;

struct counted {
	~counted()
	{
		destroyed++;
	}
};

static void perhaps(const char *what)
{
	if (strcmp(what, which) != 0 || is_done)
		return;
	if (!strcmp(how, "throw")) {
		counted c;
		throw std::runtime_error("two sets do not fit together");
	}
	is_done = true;
	if (!strcmp(how, "jump") && has_back)
		longjmp(back, 1);
	if (!strcmp(how, "exit"))
		exit(5);
}

static bool lies(const char *what)
{
	return !strcmp(what, which) && !strcmp(how, "lie");
}

static void *create(void *)
{
	perhaps("create");
	if (lies("create"))
		return nullptr;
	return new int(0);
}

static int add(void *, void *set, const union bob_datum *)
{
	perhaps("add");
	++*static_cast<int *>(set);
	return 1;
}

static int merge(void *, void *into, const void *from)
{
	perhaps("merge");
	*static_cast<int *>(into) += *static_cast<const int *>(from);
	return 1;
}

static size_t pack(void *, const void *set, void *to, size_t capacity)
{
	perhaps("pack");
	if (capacity >= sizeof(int))
		memcpy(to, set, sizeof(int));
	return lies("pack") ? static_cast<size_t>(1) << 40 : sizeof(int);
}

static void *unpack(void *, const void *bytes, size_t len)
{
	perhaps("unpack");
	int *n = len == sizeof(int) ? new int(0) : nullptr;
	if (n)
		memcpy(n, bytes, sizeof(*n));
	return n;
}

static int add_packed(void *, void *into, const void *bytes, size_t len)
{
	perhaps("add_packed");
	int n = 0;
	if (len != sizeof(n))
		return 0;
	memcpy(&n, bytes, sizeof(n));
	*static_cast<int *>(into) += n;
	return 1;
}

static size_t print(void *, const void *set, char *to, size_t capacity)
{
	perhaps("print");
	return static_cast<size_t>(snprintf(to, capacity, "%d in all",
					    *static_cast<const int *>(set)));
}

static void destroy(void *, void *set)
{
	perhaps("destroy");
	delete static_cast<int *>(set);
}

static void result(void *, const char *, uint32_t, const void *set)
{
	perhaps("result");
	printf("result %d\n", *static_cast<const int *>(set));
}

static int end(void *, const struct bob_hook_event *, uint32_t phase, union bob_datum *data)
{
	data->d = 7;
	return phase == BOB_PHASE_EVENT;
}

static void work(int events)
{
	for (int i = 0; i < events; i++)
		bob_event_instant(e);
}

static void run(const char *where)
{
	if (!strcmp(where, "thread")) {
		std::thread(work, 5).join();
		return;
	}
	work(5);
	if (strcmp(where, "ranks") != 0)
		return;
	bob_ranks_init(nullptr);
	pid_t other = fork();
	if (!other) {
		is_done = true; // it is well
		how = "";
		bob_ranks_init(nullptr);
		work(5);
		bob_ranks_finalize();
		_exit(0);
	}
	waitpid(other, nullptr, 0);
	bob_ranks_finalize();
}

int main(int, char **argv)
{
	static struct bob_value_set set = {};
	static struct bob_hook h[2] = {};

	which = argv[1];
	how = argv[2];
	set.size = sizeof(set);
	set.create = create;
	set.add = add;
	set.merge = merge;
	set.pack = pack;
	set.unpack = unpack;
	set.print = print;
	set.destroy = destroy;
	set.result = result;
	if (!strcmp(which, "add_packed"))
		set.add_packed = add_packed;
	for (auto &k : h) {
		k.size = sizeof(k);
		k.end = end;
	}
	h[0].name = "throws";
	h[0].set = &set;
	h[1].name = "ones";
	e = bob_event_register("e", 0, nullptr);
	for (auto &k : h)
		bob_hook_add(&k);
	if (setjmp(back)) {
		puts("jumped");
	} else {
		has_back = true;
		run(argv[3]);
	}
	has_back = false;
	work(2); // it goes on
	printf("%s, %d exceptions\n", destroyed ? "cleaned up" : "nothing to clean up",
	       std::uncaught_exceptions());
	return 0;
}
