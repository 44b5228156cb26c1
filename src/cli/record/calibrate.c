/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the cost of a recorded call on this machine. The launcher runs `bobbin calibrate` twice,
 * natively and under the agent, and takes the differences: of calls in regular order, which cost no
 * coded bits, and of calls in random order, whose coded bits are counted in the trace. The result
 * depends on the program, the agent and the machine, so the file's first lines describe these; a
 * file with other first lines is ignored. A failure neither stops a run nor delays it for long: the
 * costs are then unknown. */
#define _GNU_SOURCE
#include "cli/record/calibrate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/crc.h"
#include "base/host/clock.h"
#include "bobbin/trace.h"
#include "bobbin/version.h"
#include "plan/plan.h"
#include "sys/sys.h"

#define TEXT_MAX 1024
#define CHILD_MS 1000	/* 10 to 30 are usual */
#define LOCK_MS 500	/* another rank measures; usually below 100 */

/* --- numbers and text --- */

int cli_costs_compute(const struct cli_calibration *native, const struct cli_calibration *traced,
		      uint64_t stream_bytes, struct cli_costs *out)
{
	uint64_t bits = stream_bytes * 8, call, random;

	if (stream_bytes > UINT32_MAX || traced->random_calls > UINT32_MAX || !bits ||
	    traced->regular_ps <= native->regular_ps || traced->random_ps <= native->random_ps)
		return -1;
	call = traced->regular_ps - native->regular_ps;
	random = traced->random_ps - native->random_ps;
	if (call > CLI_COSTS_MAX || random > CLI_COSTS_MAX || random <= call)
		return -1;
	uint64_t bit = (random - call) * traced->random_calls / bits;

	if (!bit || bit > CLI_COSTS_MAX)
		return -1;
	*out = (struct cli_costs){ .call_ps = call, .bit_ps = bit };
	return 0;
}

uint64_t cli_costs_parse(const char *text)
{
	uint64_t v = 0;

	if (*text == '0')
		return 0;
	do {
		if (*text < '0' || *text > '9')
			return 0;
		v = v * 10 + (uint64_t)(*text - '0');
	} while (*++text && v <= CLI_COSTS_MAX);
	return v <= CLI_COSTS_MAX ? v : 0;
}

size_t cli_costs_write(const char *key, const struct cli_costs *c, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%scall_ps %" PRIu64 "\nbit_ps %" PRIu64 "\n", key, c->call_ps,
			 c->bit_ps);

	if (n < 0 || (size_t)n + 16 > size)
		return 0;
	n += snprintf(buf + n, size - (size_t)n, "crc %08" PRIx32 "\n",
		      bob_crc32c(0, buf, (size_t)n));
	return (size_t)n;
}

int cli_costs_read(const char *key, const char *text, size_t len, struct cli_costs *out)
{
	size_t n = strlen(key);
	char copy[TEXT_MAX], again[TEXT_MAX];
	struct cli_costs c;

	if (len >= sizeof(copy) || len <= n || memcmp(text, key, n) != 0)
		return -1;
	memcpy(copy, text + n, len - n);
	copy[len - n] = 0;
	if (sscanf(copy, "call_ps %" SCNu64 " bit_ps %" SCNu64, &c.call_ps, &c.bit_ps) != 2)
		return -1;
	if (!c.call_ps || !c.bit_ps || c.call_ps > CLI_COSTS_MAX || c.bit_ps > CLI_COSTS_MAX)
		return -1;
	if (cli_costs_write(key, &c, again, sizeof(again)) != len || memcmp(again, text, len) != 0)
		return -1;
	*out = c;
	return 0;
}

static void processor_name(char *buf, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];

	snprintf(buf, size, "unknown");
	while (f && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) != 0 || !colon)
			continue;
		line[strcspn(line, "\n")] = 0;
		snprintf(buf, size, "%s", colon + 1 + strspn(colon + 1, " "));
		break;
	}
	if (f)
		fclose(f);
}

/* Text of everything that the costs depend on. Several machines may share a home directory. */
static int describe(const char *agent, char *key, size_t size)
{
	struct utsname host;
	struct stat sb;
	char processor[128];

	if (stat(agent, &sb) || uname(&host))
		return -1;
	processor_name(processor, sizeof(processor));
	int n = snprintf(key, size, "bobbin %s\nagent %lld %lld.%09ld\nhost %s\nprocessor %s\n",
			 BOB_VERSION, (long long)sb.st_size, (long long)sb.st_mtim.tv_sec,
			 sb.st_mtim.tv_nsec, host.nodename, processor);

	return n > 0 && (size_t)n < size ? 0 : -1;
}

/* --- measuring --- */

static uint64_t now_ms(void)
{
	return bob_clock_ns(CLOCK_MONOTONIC) / 1000000;
}

static void become(const char *path, char *const *env, int out)
{
	char *argv[] = { (char[]){ "bobbin" }, (char[]){ "calibrate" }, NULL };
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (nothing >= 0 && dup2(nothing, 0) == 0 && dup2(out, 1) == 1 && dup2(nothing, 2) == 2)
		execve(path, argv, env);
	_exit(127);
}

/* Reads the child's output to its end; *late: timeout. Returns the length. */
static size_t listen_to(int fd, char *buf, size_t size, int *late)
{
	uint64_t end = now_ms() + CHILD_MS;
	size_t len = 0;

	*late = 1;
	while (len < size) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		uint64_t now = now_ms();
		ssize_t n = -1;

		if (now < end && poll(&p, 1, (int)(end - now)) > 0)
			n = read(fd, buf + len, size - len);
		*late = n != 0;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	return len;
}

static int run_calibrate(const char *path, char *const *env, struct cli_calibration *out)
{
	char text[128];
	int ends[2], late = 0, status;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid_t child = fork();

	if (child == 0)
		become(path, env, ends[1]);
	close(ends[1]);
	size_t len = child > 0 ? listen_to(ends[0], text, sizeof(text) - 1, &late) : 0;

	close(ends[0]);
	if (child > 0 && late)
		kill(child, SIGKILL);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!len || text[len - 1] != '\n')
		return -1;
	text[len] = 0;
	return sscanf(text, CLI_CALIBRATION_SCAN, &out->regular_ps, &out->random_ps,
		      &out->random_calls, &out->calls) == 4 ?
		       0 :
		       -1;
}

static void remove_dir(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(dir);
}

/* Computes the costs from the trace of the traced child. */
static int evaluate(const char *dir, const struct cli_calibration *native,
		    const struct cli_calibration *traced, struct cli_costs *out)
{
	struct bob_trace *t;
	struct bob_trace_sizes s;

	if (bob_trace_open(dir, &t, NULL) != BOB_OK)
		return -1;
	bob_trace_sizes(t, &s);
	bob_trace_close(t);
	if (s.events < traced->calls) /* no plan, or no agent */
		return -1;
	return cli_costs_compute(native, traced, s.stream_bytes, out);
}

#define VARIABLES 5

/* Runs without a planner: of the images only bobbin itself needs a plan, and it has one. Runs
 * without a filter, so that a stripped bobbin works, too; its few other calls do not matter. */
static int measure_in(const char *dir, const char *self, const char *cache, const char *agent,
		      struct cli_costs *out)
{
	const char *library_path = getenv("LD_LIBRARY_PATH");
	char *env[VARIABLES + 2] = { NULL }, **last = env;
	struct cli_calibration native, traced;
	int bad = 0;

	if (library_path && asprintf(last++, "LD_LIBRARY_PATH=%s", library_path) < 0)
		return -1;
	bad = run_calibrate(self, env, &native);
	const char *const set[VARIABLES][2] = { { "LD_PRELOAD", agent }, { "BOBBIN_DIR", dir },
						{ "BOBBIN_CACHE", cache },
						{ "BOBBIN_IMAGES", "main" },
						{ "BOBBIN_AGENT", agent } };
	for (int i = 0; !bad && i < VARIABLES; i++) {
		if (asprintf(last, "%s=%s", set[i][0], set[i][1]) < 0)
			bad = -1;
		else
			last++;
	}
	*last = NULL;
	if (!bad)
		bad = run_calibrate(self, env, &traced);
	if (!bad)
		bad = evaluate(dir, &native, &traced, out);
	while (last > env)
		free(*--last);
	return bad;
}

static int measure(const char *cache, const char *agent, struct cli_costs *out)
{
	const char *tmp = getenv("TMPDIR");
	char self[BOB_SYS_PATH + 16], dir[BOB_SYS_PATH];

	bob_self_dir(self, BOB_SYS_PATH);
	strcat(self, "/bobbin");
	if (bob_plan_cache(cache, self, NULL, NULL, NULL) != BOB_OK)
		return -1;
	int n = snprintf(dir, sizeof(dir), "%s/bobbin.XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");

	if (n >= (int)sizeof(dir) || !mkdtemp(dir))
		return -1;
	int bad = measure_in(dir, self, cache, agent, out);

	remove_dir(dir);
	return bad;
}

/* --- the file --- */

static int load(int dir, const char *key, struct cli_costs *out)
{
	char text[TEXT_MAX];
	size_t len;

	if (bob_plan_cache_read(dir, CLI_COSTS_FILE, text, sizeof(text), &len) != BOB_OK)
		return -1;
	return cli_costs_read(key, text, len, out);
}

/* One rank measures while the other ranks of the machine wait. The lock is on the directory. */
static int lock(int dir)
{
	uint64_t end = now_ms() + LOCK_MS;
	const struct timespec nap = { 0, 5000000 };

	while (flock(dir, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK || now_ms() >= end)
			return -1;
		nanosleep(&nap, NULL);
	}
	return 0;
}

static int measure_and_keep(int dir, const char *cache, const char *agent, const char *key,
			    struct cli_costs *out)
{
	char text[TEXT_MAX];
	int bad = measure(cache, agent, out);

	if (!bad)
		bob_plan_cache_store(dir, CLI_COSTS_FILE, text,
				     cli_costs_write(key, out, text, sizeof(text)));
	return bad;
}

int cli_costs_get(const char *cache, const char *agent, int may_measure, struct cli_costs *out)
{
	char key[TEXT_MAX / 2];
	int bad, dir = bob_plan_cache_open(cache, NULL);

	if (dir < 0)
		return -1;
	bad = describe(agent, key, sizeof(key));
	if (!bad && load(dir, key, out)) {
		/* Without a place for the result, every run would measure again. */
		bad = !may_measure || faccessat(dir, ".", W_OK, AT_EACCESS) ? -1 : lock(dir);
		if (!bad && load(dir, key, out)) /* another process measured meanwhile */
			bad = measure_and_keep(dir, cache, agent, key, out);
	}
	close(dir);
	return bad;
}
