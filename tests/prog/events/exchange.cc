// Ranks (processes of one family) exchange values at common events: bob_hook_exchange,
// bob_hook_post. argv: how, ranks. How:
//   sums     each rank contributes its number and one; two exchanges, of which rank 0 returns the
//            sum as text, then as it is packed
//   wrong    what is refused; names that are posted
//   throw-F, jump-F   function F of the set, or encode, does so on rank 0
//   alone    no rank: it gets back its own contribution
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <bobbin/hooks.h>
#include <bobbin/ranks.h>

static std::string how;
static uint32_t rank;
static jmp_buf back;
static struct bob_hook hook, other, without;
static bob_status within = BOB_OK; // of an exchange in a function of the set
static int alive;

static void perhaps(const char *what)
{
	if (rank)
		return;
	if (how == std::string("throw-") + what)
		throw std::runtime_error("they do not fit together");
	if (how == std::string("jump-") + what)
		longjmp(back, 1);
}

static void *create(void *)
{
	alive++;
	return new long(0);
}

static int add(void *, void *set, const union bob_datum *data)
{
	*static_cast<long *>(set) += static_cast<long>(data->d);
	return 1;
}

static int merge(void *, void *into, const void *from)
{
	const void *result;
	size_t len;

	perhaps("merge");
	within = bob_hook_exchange(&hook, from, nullptr, &result, &len);
	*static_cast<long *>(into) += *static_cast<const long *>(from);
	return 1;
}

static size_t pack(void *, const void *set, void *to, size_t capacity)
{
	perhaps("pack");
	if (capacity >= sizeof(long))
		memcpy(to, set, sizeof(long));
	return sizeof(long);
}

static void *unpack(void *, const void *bytes, size_t len)
{
	perhaps("unpack");
	if (len != sizeof(long))
		return nullptr;
	alive++;
	return new long(*static_cast<const long *>(bytes));
}

static void destroy(void *, void *set)
{
	alive--;
	delete static_cast<long *>(set);
}

static size_t encode(void *, const void *all, void *to, size_t capacity)
{
	char text[64];
	const auto n = static_cast<size_t>(snprintf(text, sizeof(text), "%ld in all",
						    *static_cast<const long *>(all)));

	perhaps("encode");
	if (capacity >= n)
		memcpy(to, text, n);
	return n;
}

static int never(void *, const struct bob_hook_event *, uint32_t, union bob_datum *)
{
	return 0;
}

static struct bob_value_set sets;

static void prepare()
{
	sets.size = sizeof(sets);
	sets.create = create;
	sets.add = add;
	sets.merge = merge;
	sets.pack = pack;
	sets.unpack = unpack;
	sets.destroy = destroy;
	hook.size = sizeof(hook);
	hook.name = "sums";
	hook.flags = BOB_HOOK_EXCHANGES;
	hook.events = "nothing";
	hook.end = never;
	hook.set = &sets;
	other = without = hook;
	without.flags = 0;
	bob_hook_add(&hook);
	bob_hook_add(&without);
}

static void exchange(long brings, bob_hook_report_fn by)
{
	const void *result = nullptr;
	size_t len = 0;
	const bob_status st = bob_hook_exchange(&hook, &brings, by, &result, &len);
	long sum = -1;

	if (st == BOB_OK && by)
		printf("rank %u: %.*s", rank, static_cast<int>(len),
		       static_cast<const char *>(result));
	else if (st == BOB_OK && len == sizeof(sum))
		printf("rank %u: %ld", rank, *static_cast<const long *>(memcpy(&sum, result, len)));
	else
		printf("rank %u: status %d", rank, st);
	printf(", %d alive\n", alive);
	fflush(stdout);
}

static void wrong()
{
	const long one = 1;
	const void *result;
	size_t len;
	char name[80] = "", bytes[300] = "", got[300] = "";
	int posted = 0;

	printf("%d %d\n", bob_hook_exchange(&other, &one, nullptr, &result, &len),
	       bob_hook_exchange(&without, &one, nullptr, &result, &len));
	exchange(1, nullptr);
	printf("within: %d\n", within);
	memset(name, 'n', 64);
	printf("%d %d %d %d\n", bob_hook_post("", bytes, 1), bob_hook_post(name, bytes, 1),
	       bob_hook_post("a", bytes, 0), bob_hook_post("a", bytes, 257));
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		memset(bytes, i, sizeof(bytes));
		posted += bob_hook_post(name, bytes, 256);
	}
	printf("%d of 20\n", posted);
	printf("%d", bob_hook_post("n3", "new", 4));
	printf(" %zu", bob_hook_posted("n3", got, sizeof(got)));
	printf(" %s %zu %zu %zu\n", got, bob_hook_posted("n2", bytes, 1),
	       bob_hook_posted("n17", bytes, 1), bob_hook_posted("n4", nullptr, 0));
}

static int be_rank()
{
	bob_ranks_init(nullptr);
	bob_hook_rank(&rank);
	return 0;
}

int main(int argc, char **argv)
{
	const int ranks = argc > 2 ? atoi(argv[2]) : 5;
	static int number; // a jump leaves it as it is
	int ready[2], go[2];
	char c = 0;

	how = argc > 1 ? argv[1] : "sums";
	prepare();
	if (how == "alone" || how == "wrong") {
		if (how == "wrong")
			wrong();
		else
			exchange(7, encode);
		return 0;
	}
	if (pipe(ready) || pipe(go) || be_rank())
		return 1;
	for (int i = 1; i < ranks && !number; i++)
		number = fork() ? 0 : i;
	// all are ranks before anybody goes on
	if (number) {
		be_rank();
		if (write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(1);
	}
	for (int i = 1; i < ranks && !number; i++)
		if (read(ready[0], &c, 1) != 1)
			return 1;
	for (int i = 1; i < ranks && !number; i++)
		if (write(go[1], &c, 1) != 1)
			return 1;
	if (!setjmp(back))
		exchange(1l + rank, encode);
	else
		printf("jumped\n");
	exchange(100l * rank, nullptr);
	bob_ranks_finalize();
	if (number)
		_exit(0);
	while (wait(nullptr) > 0)
		;
	return 0;
}
