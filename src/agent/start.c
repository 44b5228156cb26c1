/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the agent: a constructor that runs before those of all other libraries. If anything is
 * missing or fails, the program continues untraced. */
#include "agent/agent.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "agent/found.h"
#include "agent/hooks.h"
#include "agent/mem/mem.h"
#include "agent/os.h"

#define META_BYTES (256u << 10)

/* Recorded variables of the environment: names or prefixes. */
static const char kept[][24] = {
	"OMP_*", "GOMP_*",  "KMP_*", "OMPI_COMM_WORLD_*", "PMI_*",	"PMIX_RANK=", "MPI*",
	"SLURM_*", "PBS_*", "LSB_*", "FLUX_*",		  "LD_LIBRARY_PATH=", "PATH=", "HOSTNAME=",
};

/* Quick check of the first letter, which excludes most. */
static bool is_kept(const char *variable)
{
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		size_t n = 0;

		while (kept[i][n] && kept[i][n] == variable[n])
			n++;
		if (!kept[i][n] || kept[i][n] == '*')
			return true;
	}
	return false;
}

static bool is_ours(const char *variable)
{
	return text_starts(variable, "BOBBIN_");
}

static void put_strings(struct bob_meta *m, enum bob_record_kind kind, char **list,
			bool (*is_wanted)(const char *))
{
	bob_meta_begin(m, kind);
	for (; list && *list; list++)
		if (!is_wanted || is_wanted(*list))
			bob_meta_append(m, *list, text_len(*list) + 1);
	bob_meta_end(m);
}

static uint32_t parse_u32(const char *s, bool *ok)
{
	uint64_t v = 0;

	*ok = s && *s;
	for (; s && *s; s++) {
		if (*s < '0' || *s > '9' || v > 1u << 28)
			*ok = false;
		v = v * 10 + (uint64_t)(*s - '0');
	}
	return (uint32_t)v;
}

/* The launchers of Open MPI, MPICH (hydra) and SLURM pass the rank in the environment. */
static void put_rank(struct bob_meta *m)
{
	static const char *const names[][2] = {
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
		{ "PMI_RANK", "PMI_SIZE" },
		{ "SLURM_PROCID", "SLURM_NTASKS" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool ok, ok2;
		uint32_t r[2];

		r[0] = parse_u32(config_env(bob_process.start_env, names[i][0]), &ok);
		r[1] = parse_u32(config_env(bob_process.start_env, names[i][1]), &ok2);
		if (ok && ok2) {
			bob_meta_put(m, BOB_REC_RANK, r, sizeof(r));
			if (bob_process.world)
				bob_meta_put(m, BOB_REC_WORLD, &bob_process.world,
					     sizeof(bob_process.world));
			return;
		}
	}
}

static void describe_process(void)
{
	struct bob_meta m;
	char path[BOB_PATH_MAX];

	if (!meta_open(&m, META_BYTES))
		return;
	put_strings(&m, BOB_REC_COMMAND, bob_process.argv, NULL);
	found_program(path);
	bob_meta_put(&m, BOB_REC_EXE, path, text_len(path));
	os_getcwd(path, sizeof(path));
	bob_meta_put(&m, BOB_REC_CWD, path, text_len(path));
	put_strings(&m, BOB_REC_ENV, bob_process.start_env, is_kept);
	put_strings(&m, BOB_REC_CONFIG, bob_process.env, is_ours);
	put_rank(&m);
	meta_flush(&m);
}

static void describe_again(const struct bob_image *im, struct bob_meta *m)
{
	image_describe(im, m);
	if (im->mem && mem_descs_write(im) && im->mem->text)
		mem_image_describe(im, m);
}

/* In a fork child: describe the inherited images in the child's own file. Readers number images in
 * the order of their records, so all images with a number are described, including unloaded
 * ones. */
static void describe_inherited(void)
{
	const struct bob_image *source = mem_sources();
	struct bob_meta m;

	if (!bob_process.images || !meta_open(&m, 1u << 20))
		return;
	for (uint32_t n = 0; n < bob_process.image_count; n++) {
		const struct bob_image *im = NULL;

		if (source && source->number == n) {
			im = source;
			source = source->next;
		} else {
			im = image_reported(n);
		}
		if (im)
			describe_again(im, &m);
	}
	mem_sources_report_again();
	meta_flush(&m);
}

bool process_begin(const struct bob_fork *from)
{
	struct bob_process *p = &bob_process;

	p->pid = os_pid();
	if (file_create(from) != BOB_OK)
		return false;
	describe_process();
	if (p->config.mem && !mem_marks_write())
		return false;
	if (from)
		describe_inherited();
	return true;
}

void agent_log(const char *line, const char *what)
{
	size_t a = text_len(line), b = text_len(what);
	struct bob_chunk_head *h = file_chunk(BOB_CHUNK_LOG, ~0u, a + b + 3, 0);
	char *to;

	if (!h)
		return;
	to = bob_chunk_data(h);
	memcpy(to, line, a);
	memcpy(to + a, ": ", 2);
	memcpy(to + a + 2, what, b);
	to[a + b + 2] = '\n';
	bob_chunk_seal(h, a + b + 3);
}

void agent_stop(enum bob_stop_reason why)
{
	struct bob_process *p = &bob_process;

	if (!p->recording)
		return;
	p->recording = false;
	if (p->file && p->file->state == BOB_FILE_OPEN)
		bob_file_end(p->file, BOB_FILE_STOPPED, why, os_allowed() ? os_time_mono() : 0);
}

/* Copy the variables needed later, because programs (setproctitle) overwrite the memory of their
 * environment. */
static char **copy_env(char **env)
{
	size_t vars = 0, bytes = 0, n = 0;

	for (char **v = env; *v; v++) {
		if (!text_starts(*v, "BOBBIN_") && !text_starts(*v, "LD_LIBRARY_PATH="))
			continue;
		vars++;
		bytes += text_len(*v) + 1;
	}
	char **out = os_map((vars + 1) * sizeof(char *) + bytes);
	char *text = out ? (char *)(out + vars + 1) : NULL;
	for (char **v = env; out && *v; v++) {
		if (!text_starts(*v, "BOBBIN_") && !text_starts(*v, "LD_LIBRARY_PATH="))
			continue;
		out[n++] = memcpy(text, *v, text_len(*v) + 1);
		text += text_len(*v) + 1;
	}
	return out;
}

static uint64_t secure_mode(const uint64_t *auxv)
{
	for (; auxv[0]; auxv += 2)
		if (auxv[0] == AT_SECURE)
			return auxv[1];
	return 0;
}

/* The path from which this library was loaded, and that of the other one (src/mpi), so that a
 * changed environment can name them again. */
static void find_own_path(void)
{
	struct bob_config *c = &bob_process.config;
	const char *v = config_env(bob_process.env, "BOBBIN_AGENT");
	size_t at;

	if (!v)
		return;
	at = text_add(c->agent, sizeof(c->agent), 0, v);
	v = config_env(bob_process.env, "BOBBIN_SHIM");
	if (v) {
		at = text_add(c->agent, sizeof(c->agent), at, ":");
		text_add(c->agent, sizeof(c->agent), at, v);
	}
}

/* Symbols that only one of the C libraries defines, glibc or musl; glibc has not set them yet. */
extern const void *__libc_stack_end __attribute__((weak));
extern char **__environ __attribute__((weak));

/* The arguments are below the environment, after their count. NULL: the kernel did not set up this
 * stack. */
static char **args_below(char **env)
{
	char **argv = env - 1;
	uintptr_t count = 0;

	if (*argv)
		return NULL;
	for (; (uintptr_t)argv[-1] != count; count++)
		argv--;
	return argv;
}

/* musl runs constructors in __libc_start_main, glibc before it. */
static bool is_past_main_hook(void)
{
	return !&__libc_stack_end;
}

/* glibc calls constructors with (argc, argv, env). musl passes no arguments, but its environment is
 * set up. False: an unknown C library. */
static bool find_start(char **argv, char **env)
{
	struct bob_process *p = &bob_process;

	if (!&__libc_stack_end) {
		env = &__environ ? __environ : NULL;
		argv = env ? args_below(env) : NULL;
	}
	if (!argv)
		return false;
	p->argv = argv;
	p->start_env = env;
	while (*env)
		env++;
	p->auxv = (const uint64_t *)(void *)(env + 1);
	return true;
}

__attribute__((constructor)) static void agent_start(int argc, char **argv, char **env)
{
	struct bob_process *p = &bob_process;

	(void)argc;
	if (!find_start(argv, env))
		return;
	env = p->start_env;
	if (secure_mode(p->auxv) || !config_env(env, "BOBBIN_DIR"))
		return;
	p->env = copy_env(env);
	if (!p->env || !config_read(&p->config, p->env))
		return;
	find_own_path();
	p->world = world_of(env);
	loader_list_hide();
	p->alive = os_map(BOB_PAGE);
	if (!p->alive || os_wipe_on_fork(p->alive, BOB_PAGE) < 0 || !sites_create())
		return;
	*p->alive = BOB_ALIVE;
	if (!process_begin(NULL))
		return;
	if (p->config.hooks && (p->config.mem || !hooks_state_begin())) {
		p->config.hooks = NULL;
		agent_log("no function is hooked", p->config.mem ?
							   "memory accesses are recorded" :
							   "return addresses are protected");
	}
	images_update();
	if (p->config.mem) {
		mem_signals_begin();
		if (p->config.from_start || is_past_main_hook() || !special_have(BOB_SPECIAL_MAIN))
			mem_begin();
	}
	p->recording = true;
}

/* Usually _exit is hooked and comes last. Without libc's plan this is the last call of the
 * agent. */
__attribute__((destructor)) static void agent_end(void)
{
	if (bob_process.file && os_allowed() && !special_have(BOB_SPECIAL_EXIT))
		process_leave(BOB_FILE_CLOSED);
}
