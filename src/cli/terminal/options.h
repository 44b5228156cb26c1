/* SPDX-License-Identifier: BSD-3-Clause */
/* One table of options per verb. Everything else about options is derived from it: the arrays of
 * getopt_long, --help, the OPTIONS section of the man page, bash completion, environment variables,
 * and the field of the verb's struct that an option sets. Options from the environment are read
 * before those of the command line, so the command line wins. Threads: one (getopt has state). */
#ifndef BOB_CLI_OPTIONS_H
#define BOB_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How the argument of an option is stored. */
enum cli_bind {
	CLI_BIND_FLAG = 1,	/* int: 1 */
	CLI_BIND_BOOL,		/* bool: true */
	CLI_BIND_TEXT,		/* const char *, borrowed */
	CLI_BIND_COUNT,		/* uint64_t, cli_parse_count */
	CLI_BIND_WORD,		/* int, or an enum: the index among `values`; "help" lists them */
	CLI_BIND_ONE_OF,	/* const char *, borrowed: one of `values` */
	CLI_BIND_TAKE		/* take(verb, field, arg): 0, or an exit status after a complaint */
};

struct cli_option {
	const char *name;	/* long name without dashes; NULL ends the table */
	char letter;		/* short form, 0 if none */
	const char *arg;	/* name of its argument in help, NULL: none; in brackets, "[WHEN]",
				 * if it may be omitted */
	const char *help;	/* one sentence, lower case, no full stop */
	const char *env;	/* variable that sets it, NULL: none; an option without argument is
				 * set by any value except empty and 0 */
	const char *values;	/* words it accepts, separated by |, for completion; NULL: any */
	enum cli_bind bind;
	size_t at;		/* offset of the field in the struct that cli_options_read fills */
	int (*take)(const char *verb, void *field, const char *arg);
};

/* The last parts of an option in a table: `type` is the verb's struct, `field` a field of it. A
 * field of the wrong size does not compile. */
#define CLI_FIELD(type, field, size)                                                               \
	(offsetof(type, field) + 0 * sizeof(char[sizeof(((type *)0)->field) == (size) ? 1 : -1]))
#define CLI_FLAG(type, field) .bind = CLI_BIND_FLAG, .at = CLI_FIELD(type, field, sizeof(int))
#define CLI_BOOL(type, field) .bind = CLI_BIND_BOOL, .at = CLI_FIELD(type, field, sizeof(bool))
#define CLI_TEXT(type, field) .bind = CLI_BIND_TEXT, .at = CLI_FIELD(type, field, sizeof(char *))
#define CLI_COUNT(type, field)                                                                     \
	.bind = CLI_BIND_COUNT, .at = CLI_FIELD(type, field, sizeof(uint64_t))
#define CLI_WORD(type, field, words)                                                               \
	.bind = CLI_BIND_WORD, .values = (words), .at = CLI_FIELD(type, field, sizeof(int))
#define CLI_ONE_OF(type, field, words)                                                             \
	.bind = CLI_BIND_ONE_OF, .values = (words), .at = CLI_FIELD(type, field, sizeof(char *))
#define CLI_TAKE(type, field, function)                                                            \
	.bind = CLI_BIND_TAKE, .take = (function), .at = offsetof(type, field)

/* `file`, `dir` and `command` in `operands` determine what completion offers. */
struct cli_verb {
	const char *name;
	const char *summary;	/* one line, at most 60 characters, no full stop */
	const char *synopsis;	/* what follows the verb, e.g. "[options] [DIR]" */
	const struct cli_option *options;
	int (*run)(int argc, char **argv); /* argv[0] is the verb's name; returns the exit status */
	int usage_status;	/* exit status of a usage error: 2, 125 for record */
	int stop_at_operand;	/* options end at the first operand (record) */
	int hidden;		/* internal: in no list, no page, no completion */
};

/* Reads all options into `target`, the struct to which the verb's table is bound. CLI_GO_ON: the
 * operands are argv[optind] and following; else the exit status: --help was printed, or a usage
 * error was reported. */
int cli_options_read(const char *verb, int argc, char **argv, void *target);
#define CLI_GO_ON (-1)
/* The same; bit i of *given is set if row i of the table was given. At most 64 rows. */
int cli_options_read_given(const char *verb, int argc, char **argv, void *target, uint64_t *given);
/* The first option named in "a|b|c" that was given; NULL: none. */
const char *cli_options_given(const char *verb, uint64_t given, const char *names);

/* Index of `word` in "a|b|c", -1: not there. */
int cli_word_index(const char *words, const char *word);
/* Sets *value to the index of `arg` among the words that the option accepts. 0, or 2 after a usage
 * error, which has been printed. */
int cli_option_word(const char *verb, const struct cli_option *option, const char *arg, int *value);

/* Print the options as --help does, as section OPTIONS of the man page, as a bash completion
 * script. */
void cli_options_help(const struct cli_verb *verb, FILE *out);
void cli_options_roff(const struct cli_verb *verb, FILE *out);
void cli_options_bash(const struct cli_verb *const *verbs, FILE *out);

/* Parses a non-negative integer, with optional suffix k, M or G (powers of 1000). Returns 0, or -1
 * if `text` is not one. */
int cli_parse_count(const char *text, uint64_t *out);
/* A..B, A.. or ..B of such integers. */
int cli_parse_range(const char *text, uint64_t *first, uint64_t *last);
/* Of an option --min, for CLI_TAKE: a percentage, "0.5" or "0.5%"; `percent` is a double. */
int cli_take_min(const char *verb, void *percent, const char *arg);

#endif
