/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin concerns: scattering of concerns over components (DOS), and focus of components (DOF), by
 * a map of source lines; with two maps, the improvement. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/concerns/concerns.h"
#include "cli/terminal/complain.h"
#include "cli/concerns_tables.h"
#include "cli/verbs.h"

struct request {
	struct cli_answer a;
	int count_marks;
};

const struct cli_option concerns_options[] = {
	{ "count-annotations", 0, NULL, "count annotations as lines of code",
	  CLI_FLAG(struct request, count_marks) },
	CLI_OPTIONS_TABLE(struct request, a, CLI_FORMATS),
	CLI_OPTIONS_OUTPUT(struct request, a),
	{ 0 },
};

/* Reads at most *bytes_left bytes, and subtracts the number read. *out is to be freed; *id
 * identifies the file. Returns an exit status. */
static int read_text(const char *path, size_t *bytes_left, struct bob_concerns_text *out,
		     struct stat *id)
{
	FILE *f = fopen(path, "r");
	size_t len = 0, have = 0, n = 0;
	char *text = NULL;
	int status = 0;

	if (!f)
		return cli_fail("concerns", "cannot open %s, %m", path);
	do {
		len += n;
		if (len == have) {
			size_t more = have ? 2 * have : 65536;
			char *grown = realloc(text, more);

			if (!grown) {
				status = cli_fail("concerns", "out of memory");
				break;
			}
			text = grown;
			have = more;
		}
		n = fread(text + len, 1, have - len, f);
	} while (n && len + n <= *bytes_left);
	if (!status && ferror(f))
		status = cli_fail("concerns", "cannot read %s, %m", path);
	else if (!status && len + n > *bytes_left)
		status = cli_fail("concerns", "%s is too large: no more than %zu bytes are read",
				  path, *bytes_left);
	if (!status && fstat(fileno(f), id))
		status = cli_fail("concerns", "cannot read %s, %m", path);
	fclose(f);
	if (status) {
		free(text);
		return status;
	}
	*out = (struct bob_concerns_text){ text, len };
	*bytes_left -= len;
	return 0;
}

/* Path of `file` relative to the map's folder. */
static char *beside(const char *map, const char *file)
{
	const char *slash = strrchr(map, '/');
	size_t dir = slash && *file != '/' ? (size_t)(slash + 1 - map) : 0;
	char *path = malloc(dir + strlen(file) + 1);

	if (path) {
		memcpy(path, map, dir);
		strcpy(path + dir, file);
	}
	return path;
}

/* Refuses a file under two names, which would count twice. */
static int check_once(const struct bob_concerns_map *map, const struct stat *id, uint32_t file)
{
	for (uint32_t i = 0; i < file; i++)
		if (id[i].st_dev == id[file].st_dev && id[i].st_ino == id[file].st_ino)
			return cli_fail("concerns", "%s: '%s' and '%s' are the same file",
					map->name, map->file[i], map->file[file]);
	return 0;
}

static int read_files(const struct bob_concerns_map *map, struct bob_concerns_text *files)
{
	struct stat *id = calloc(map->files + 1, sizeof(*id));
	size_t bytes_left = BOB_CONCERNS_FILES_BYTES;
	int status = id ? 0 : cli_fail("concerns", "out of memory");

	for (uint32_t i = 0; i < map->files && !status; i++) {
		char *path = beside(map->name, map->file[i]);

		status = path ? read_text(path, &bytes_left, &files[i], &id[i]) :
				cli_fail("concerns", "out of memory");
		status = status ? status : check_once(map, id, i);
		free(path);
	}
	free(id);
	return status;
}

static int count(const struct bob_concerns_map *map, int count_marks,
		 struct bob_concerns_counts *counts)
{
	struct bob_concerns_text *files = calloc(map->files + 1, sizeof(*files));
	struct bob_concerns_complaint why = { "out of memory" };
	int status = files ? read_files(map, files) : cli_fail("concerns", "out of memory");

	if (!status && bob_concerns_count(map, files, count_marks, counts, &why) != BOB_OK)
		status = cli_fail("concerns", "%s", why.text);
	for (uint32_t i = 0; files && i < map->files; i++)
		free((char *)files[i].text);
	free(files);
	return status;
}

static int read_map(const char *path, int count_marks, struct cli_concerns *out)
{
	struct bob_concerns_complaint why = { "out of memory" };
	struct bob_concerns_text text = { NULL, 0 };
	size_t bytes_left = BOB_CONCERNS_MAP_BYTES;
	struct stat id;
	int status = read_text(path, &bytes_left, &text, &id);

	if (status)
		return status;
	if (bob_concerns_map_parse(text.text, text.len, path, &out->map, &why) != BOB_OK)
		status = cli_fail("concerns", "%s", why.text);
	free((char *)text.text);
	return status ? status : count(out->map, count_marks, &out->counts);
}

static int run(struct request *r, int n, char **paths)
{
	struct cli_concerns maps[2] = { { .map = NULL }, { .map = NULL } };
	int status = 0;

	for (int i = 0; i < n && !status; i++)
		status = read_map(paths[i], r->count_marks, &maps[i]);
	if (!status)
		status = cli_answer_begin(&r->a);
	if (!status)
		status = cli_answer_end(&r->a, cli_concerns_print(&r->a, maps, n));
	for (int i = 0; i < n; i++)
		bob_concerns_map_destroy(maps[i].map);
	return status;
}

int verb_concerns(int argc, char **argv)
{
	struct request r = { .a = CLI_ANSWER("concerns", 0) };
	int status = cli_options_read("concerns", argc, argv, &r);

	if (status != CLI_GO_ON)
		return status;
	if (argc - optind < 1 || argc - optind > 2)
		return cli_misuse("concerns", "one map of concerns is needed, or two to compare");
	return run(&r, argc - optind, argv + optind);
}
