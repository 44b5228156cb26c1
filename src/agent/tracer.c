/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects a debugger that traces the process. A debugger writes breakpoints into code: a byte at
 * the first byte of an instruction, according to the file or to the code before it was patched.
 * Within the jump at an entry, such a byte would change the target of the jump. */
#include "agent/agent.h"
#include "agent/os.h"
#include "base/tracer_list.h"

static size_t read_text(const char *path, char *text, size_t size)
{
	long fd = os_open(path, OS_READ), n = -1;

	if (fd >= 0) {
		n = os_read(fd, text, size - 1);
		os_close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* The number after "TracerPid:". */
static uint64_t find_tracer(void)
{
	char text[1024];
	uint64_t pid = 0;
	const char *p = text;

	read_text("/proc/self/status", text, sizeof(text));
	while (*p && !text_starts(p, "TracerPid:\t"))
		p++;
	for (p += *p ? text_len("TracerPid:\t") : 0; *p >= '0' && *p <= '9'; p++)
		pid = pid * 10 + (uint64_t)(*p - '0');
	return pid;
}

bool tracer_is_debugger(void)
{
	uint64_t pid = os_allowed() ? find_tracer() : 0;
	char path[48], name[32];
	size_t n = text_add(path, sizeof(path), 0, "/proc/");

	if (!pid)
		return false;
	n = text_add_u64(path, sizeof(path), n, pid, 10);
	text_add(path, sizeof(path), n, "/comm");
	n = read_text(path, name, sizeof(name));
	if (n && name[n - 1] == '\n')
		name[n - 1] = '\0';
	return !config_match(BOB_NO_DEBUGGERS, name);
}
