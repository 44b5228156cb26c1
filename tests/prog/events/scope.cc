// Events that last as long as blocks, also if exceptions leave these; of a library (library.c) and
// of a fork child. argv: folder
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

extern "C" void in_library(int n);

static bob_event_id block, inner;

static void fail(int n)
{
	say("B", "inner", "", nullptr);
	bobbin::scope s(inner);
	if (n % 2)
		throw std::runtime_error("odd");
	in_library(n);
}

static void work(int from, int to)
{
	for (int n = from; n < to; n++) {
		SAY_BEGIN(block, "block", "i", bob_int(n));
		try {
			fail(n);
		} catch (std::exception &) {
		}
		say("E", "inner", "", nullptr);
		SAY_END(block, "block", "", bob_int(0));
	}
}

int main(int, char **argv)
{
	say_folder = argv[1];
	block = bob_event_register("block", 0, "int n");
	inner = bob_event_register("inner", 0, nullptr);
	say_begin_thread();
	work(0, 6);
	fflush(nullptr);
	if (pid_t child = fork()) {
		int status;
		waitpid(child, &status, 0);
		work(6, 9);
		std::printf("status %d\n", WEXITSTATUS(status));
	} else {
		say_threads = 10;
		fclose(say_file);
		say_begin_thread();
		work(100, 104);
		fclose(say_file);
		_exit(9);
	}
	return 0;
}
