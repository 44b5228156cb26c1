// A hook at a function that is hooked by name leaves it at each fifth call. argv: throw, jump, or
// not. Prints how often the program caught that, and how often the hook was called.
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <bobbin/hooks.h>

static int sum, calls;
static jmp_buf back;
static const char *how;

static int end(void *, const struct bob_hook_event *, uint32_t phase, union bob_datum *data)
{
	calls++;
	if (calls % 5 == 0 && !strcmp(how, "throw"))
		throw std::runtime_error("a hook");
	if (calls % 5 == 0 && !strcmp(how, "jump"))
		longjmp(back, 1);
	data->d = 1;
	return phase == BOB_PHASE_EVENT;
}

extern "C" __attribute__((noinline)) int h_work(int i)
{
	sum += i;
	asm volatile("nop;nop;nop;nop");
	return sum;
}

int main(int, char **argv)
{
	static struct bob_hook hook = {};
	volatile int left = 0;

	how = argv[1];
	hook.size = sizeof(hook);
	hook.name = "leaves";
	hook.end = end;
	bob_hook_add(&hook);
	for (volatile int i = 0; i < 20; i++) {
		if (setjmp(back)) {
			left++;
			continue;
		}
		try {
			h_work(i);
		} catch (std::exception &) {
			left++;
		}
	}
	std::printf("%d left, %d calls\n", static_cast<int>(left), calls);
	return 0;
}
