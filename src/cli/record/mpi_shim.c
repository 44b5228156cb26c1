/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the MPI of a program by its libraries, its contents, or the launcher's environment, and
 * sets the variables for the recorder of MPI calls and events (mpi_shim.h). */
#define _GNU_SOURCE
#include "cli/record/mpi_shim.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/events/mpi_choice.h"
#include "archive/events/predicate.h"
#include "cli/terminal/complain.h"

#define VECTORS_MOST 1000000u

/* Libraries of each MPI: Open MPI up to 4 has libmpi.so.40; MPICH and compatible ones
 * libmpich.so.12 or libmpi.so.12. */
static const struct {
	const char *library, *mpi;
} libraries[] = {
	{ "libmpi.so.40*", "openmpi" },	    { "libopen-rte.so*", "openmpi" },
	{ "libmpich.so*", "mpich" },	    { "libmpi.so.12*", "mpich" },
	{ "libmpi_cxx.so.40*", "openmpi" }, { "libmpichcxx.so*", "mpich" },
};

struct search {
	const char *mpi;
};

static void look(void *ctx, const char *name)
{
	struct search *s = ctx;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && !s->mpi; i++)
		if (!fnmatch(libraries[i].library, name, 0))
			s->mpi = libraries[i].mpi;
}

static const char *of_launcher(const char *path)
{
	const char *base = strrchr(path, '/');

	if (getenv("OMPI_COMM_WORLD_RANK"))
		return "openmpi";
	if (getenv("PMI_RANK") || strstr(base ? base : path, "hydra") || strstr(path, ".mpich"))
		return "mpich";
	return NULL;
}

/* The MPI that is linked into the program statically; *why_not: its calls cannot be intercepted. */
static const char *of_program(const char *path, int *why_not)
{
	*why_not = 0;
	if (bob_target_defines(path, "bob_mpi_relinked_openmpi"))
		return "openmpi";
	if (bob_target_defines(path, "bob_mpi_relinked_mpich"))
		return "mpich";
	*why_not = bob_target_defines(path, "PMPI_Init");
	return NULL;
}

const char *cli_mpi_find(const char *verb, const char *path, const char *said)
{
	struct search s = { NULL };
	int is_bare = 0;

	(void)bob_target_libraries(path, look, &s);
	if (!s.mpi)
		s.mpi = of_program(path, &is_bare);
	if (is_bare) {
		cli_fail(verb,
			 "MPI is linked into %s statically, and calls within a program cannot be "
			 "recorded; link it with what `bobbin env --mpi-link=mpich` (or openmpi) "
			 "prints",
			 path);
		return NULL;
	}
	if (!s.mpi && !said)
		s.mpi = of_launcher(path);
	if (said && s.mpi && strcmp(said, s.mpi) != 0) {
		cli_fail(verb,
			 "--mpi=%s: %s is linked with %s; leave the name out, or say --mpi=%s",
			 said, path, s.mpi, s.mpi);
		return NULL;
	}
	if (said)
		return said;
	if (!s.mpi)
		cli_fail(verb,
			 "%s is linked with no MPI that can be recorded (libmpi.so.40, "
			 "libmpich.so.12); if it loads one later, say --mpi=openmpi or --mpi=mpich",
			 path);
	return s.mpi;
}

int cli_mpi_functions(const char *verb, void *vars, const char *arg)
{
	size_t len;
	const char *bad = bob_mpi_choice_bad(arg, &len);

	if (bad)
		return cli_misuse(verb,
				  "--mpi-functions=%s: no function of MPI is called '%.*s', nor "
				  "is a class of them",
				  arg, (int)len, bad),
		       125;
	cli_vars_add(vars, "BOBBIN_MPI_FUNCTIONS", arg);
	return 0;
}

int cli_mpi_level(const char *verb, void *vars, const char *arg)
{
	if (cli_word_index(CLI_MPI_LEVELS, arg) < 0)
		return cli_misuse(verb, "--mpi-level=%s: want off, flat, rank, all or custom", arg);
	cli_vars_set(vars, "BOBBIN_MPI_LEVEL", arg);
	return 0;
}

int cli_mpi_vectors(const char *verb, void *vars, const char *arg)
{
	char text[24];
	uint64_t most;

	if (!strcmp(arg, "none")) {
		cli_vars_set(vars, "BOBBIN_MPI_VECTORS", arg);
		return 0;
	}
	if (cli_parse_count(arg, &most) || most > VECTORS_MOST)
		return cli_misuse(verb, "--mpi-vectors=%s: want a number up to %u, or none", arg,
				  VECTORS_MOST);
	snprintf(text, sizeof(text), "%" PRIu64, most);
	cli_vars_set(vars, "BOBBIN_MPI_VECTORS", text);
	return 0;
}

int cli_mpi_level_is(const struct cli_vars *v, const char *words)
{
	const char *level = cli_vars_get(v, "BOBBIN_MPI_LEVEL");

	return cli_word_index(words, level ? level : "all") >= 0;
}

int cli_mpi_link(const char *verb, const char *mpi)
{
	char self[BOB_SYS_PATH], path[BOB_SYS_PATH + 64];

	bob_self_dir(self, sizeof(self));
	snprintf(path, sizeof(path), "%s/../lib/bobbin/libbobbin-mpi-%s.a", self, mpi);
	char *library = realpath(path, NULL);
	if (!library)
		return cli_fail(verb, "this bobbin was built without %s", mpi);
	/* its linker options are in a file next to it */
	printf("-Wl,--whole-archive %s -Wl,--no-whole-archive -Wl,@%.*s.wrap\n", library,
	       (int)strlen(library) - 2, library);
	free(library);
	return 0;
}

int cli_when_option(const char *verb, void *vars, const char *text)
{
	const char *colon = strstr(text, ": "), *expected;
	struct bob_predicate p;
	size_t at;

	if (!colon || colon == text || strchr(text, '\n'))
		return cli_misuse(
			       verb,
			       "--when=%s: want names of events, a colon, a space and a condition",
			       text),
		       125;
	if (bob_predicate_parse(colon + 2, &p, &at, &expected) != BOB_OK)
		return cli_misuse(verb, "--when=%s: column %zu: %s was expected", text,
				  (size_t)(colon - text) + 2 + at + 1, expected),
		       125;
	cli_vars_add_line(vars, "BOBBIN_WHEN", text);
	return 0;
}

int cli_plugin_option(const char *verb, void *vars, const char *path)
{
	char self[BOB_SYS_PATH], ours[BOB_SYS_PATH + 128];
	char *whole = realpath(path, NULL);
	int bad = 0;

	if (!whole && !strchr(path, '/') && strlen(path) < 64) { /* a built-in plug-in */
		bob_self_dir(self, sizeof(self));
		snprintf(ours, sizeof(ours), "%s/../lib/bobbin/plugins/%s.so", self, path);
		whole = realpath(ours, NULL);
	}

	if (!whole)
		return cli_fail(verb, "--plugin=%s: there is no such file", path), 125;
	if (strchr(whole, ':'))
		bad = (cli_fail(verb, "--plugin=%s: its path has a colon", path), 125);
	else if (!bob_target_defines(whole, "bob_plugin"))
		bad = (cli_fail(verb, "--plugin=%s: it has no bob_plugin (bobbin/hooks.h)", path),
		       125);
	else
		cli_vars_add(vars, "BOBBIN_PLUGINS", whole);
	free(whole);
	return bad;
}

int cli_mpi_choose(struct cli_vars *v, const char *verb, const char *mpi)
{
	char self[BOB_SYS_PATH], path[BOB_SYS_PATH + 64];
	const char *library = mpi ? mpi : "events"; /* both libraries record events */

	bob_self_dir(self, sizeof(self));
	if (cli_vars_get(v, "BOBBIN_MPI_FUNCTIONS") && cli_mpi_level_is(v, "off|custom"))
		return cli_misuse(verb,
				  "--mpi-level=%s chooses functions already, not with "
				  "--mpi-functions",
				  cli_vars_get(v, "BOBBIN_MPI_LEVEL")),
		       125;
	snprintf(path, sizeof(path), "%s/../lib/bobbin/libbobbin-%s%s.so", self, mpi ? "mpi-" : "",
		 library);
	char *shim = realpath(path, NULL);
	if (!shim && !mpi)
		return cli_fail(verb, "%s is not there; is Bobbin installed whole?", path), 125;
	if (!shim)
		return cli_fail(verb,
				"this bobbin was built without %s; install its development "
				"package (lib%s-dev) and build it again",
				mpi, mpi),
		       125;
	if (mpi)
		cli_vars_set(v, "BOBBIN_MPI", mpi);
	cli_vars_set(v, "BOBBIN_SHIM", shim);
	free(shim);
	return 0;
}
