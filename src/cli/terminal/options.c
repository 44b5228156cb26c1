/* SPDX-License-Identifier: BSD-3-Clause */
/* Options from one table (options.h): parsing, help, man page section, bash completion. */
#include "cli/terminal/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "base/host/nearest.h"
#include "cli/verbs.h"

#define HELP_COLUMN 30
#define HELP_WIDTH 96
#define TEXT_MAX 768
#define LONG_BASE 256	/* getopt values of long options: LONG_BASE + table index */

struct reading {
	const struct cli_verb *verb;
	struct option *longs;	/* for getopt_long, freed at the end */
	char shorts[128];
	int next_env;		/* table index of the next option to look up in the environment */
	int argc;
	char **argv;
	int count;
};

/* Results of next_option other than a table index. */
enum {
	OPTIONS_END = -1,	/* no more; operands are argv[optind] .. argv[argc - 1] */
	OPTIONS_HELP = -2,	/* --help was printed to stdout */
	OPTIONS_BAD = -3	/* an error was printed */
};

static const struct cli_option no_options[] = {
	{ 0 },
};

static const struct cli_option *table_of(const struct cli_verb *verb)
{
	return verb->options ? verb->options : no_options;
}

static int count_options(const struct cli_option *table)
{
	int n = 0;

	while (table[n].name)
		n++;
	return n;
}

static int arg_kind(const struct cli_option *opt)
{
	if (!opt->arg)
		return no_argument;
	return opt->arg[0] == '[' ? optional_argument : required_argument;
}

static void fill_getopt(struct reading *o)
{
	const struct cli_option *table = table_of(o->verb);
	char *s = o->shorts;

	if (o->verb->stop_at_operand)
		*s++ = '+';
	*s++ = ':';
	for (int i = 0; i < o->count; i++) {
		o->longs[i] = (struct option){ table[i].name, arg_kind(&table[i]), NULL,
					       LONG_BASE + i };
		if (!table[i].letter || s > o->shorts + sizeof(o->shorts) - 8)
			continue;
		*s++ = table[i].letter;
		for (int k = arg_kind(&table[i]); k > 0; k--)
			*s++ = ':';
	}
	*s++ = 'h';
	*s = 0;
	o->longs[o->count] = (struct option){ "help", no_argument, NULL, 'h' };
}

static void begin(struct reading *o, const char *verb, int argc, char **argv)
{
	memset(o, 0, sizeof(*o));
	o->verb = cli_verb_find(verb);
	o->argc = argc;
	o->argv = argv;
	o->count = count_options(table_of(o->verb));
	o->longs = calloc((size_t)o->count + 2, sizeof(*o->longs));
	if (!o->longs)
		return;
	fill_getopt(o);
	optind = 0;
	opterr = 0;
}

static int finish(struct reading *o, int result)
{
	free(o->longs);
	o->longs = NULL;
	return result;
}

/* The next option that a variable sets, or the table's end. */
static int next_from_environment(struct reading *o, const char **arg)
{
	const struct cli_option *table = table_of(o->verb);

	while (o->next_env < o->count) {
		int i = o->next_env++;
		const char *value = table[i].env ? getenv(table[i].env) : NULL;

		if (!value || !*value || (!table[i].arg && !strcmp(value, "0")))
			continue;
		*arg = table[i].arg ? value : NULL;
		return i;
	}
	return o->count;
}

static int find_letter(const struct cli_option *table, int count, int letter)
{
	for (int i = 0; i < count; i++)
		if (table[i].letter == letter)
			return i;
	return -1;
}

static void complain_unknown(const struct reading *o, const char *word)
{
	const struct cli_option *table = table_of(o->verb);
	struct bob_nearest n = { .word = word + strspn(word, "-") };

	int prefixes = 0;

	n.len = strcspn(n.word, "=");
	for (int i = 0; i < o->count && n.len; i++) {
		prefixes += !strncmp(table[i].name, n.word, n.len);
		bob_nearest_try(&n, table[i].name);
	}
	if (prefixes > 1)
		cli_misuse(o->verb->name, "option %s could be several", word);
	else if (n.name)
		cli_misuse(o->verb->name, "unknown option %s; did you mean --%s?", word, n.name);
	else
		cli_misuse(o->verb->name, "unknown option %s", word);
}

static int complain_bad(struct reading *o, int c)
{
	const char *verb = o->verb->name;
	const char *word = optind > 0 && optind <= o->argc ? o->argv[optind - 1] : "";

	if (c == ':')
		cli_misuse(verb, "option %s needs an argument", word);
	else if (optopt && optopt < LONG_BASE)
		cli_misuse(verb, "unknown option -%c", optopt);
	else if (optopt)
		cli_misuse(verb, "option --%s takes no argument",
			   table_of(o->verb)[optopt - LONG_BASE].name);
	else
		complain_unknown(o, word);
	return finish(o, OPTIONS_BAD);
}

/* The next option's index in the table; *arg is its argument, NULL if none. Negative results also
 * free the parser's memory. */
static int next_option(struct reading *o, const char **arg)
{
	int i, c;

	*arg = NULL;
	if (!o->longs) {
		cli_fail(o->verb->name, "out of memory");
		return OPTIONS_BAD;
	}
	i = next_from_environment(o, arg);
	if (i < o->count)
		return i;
	c = getopt_long(o->argc, o->argv, o->shorts, o->longs, NULL);
	if (c == -1)
		return finish(o, OPTIONS_END);
	if (c == '?' || c == ':')
		return complain_bad(o, c);
	*arg = optarg;
	if (c >= LONG_BASE)
		return c - LONG_BASE;
	i = find_letter(table_of(o->verb), o->count, c);
	if (i >= 0)
		return i;
	cli_options_help(o->verb, stdout);	/* -h and --help */
	return finish(o, OPTIONS_HELP);
}

static int list_words(const char *words)
{
	for (; *words; words++)
		fputc(*words == '|' ? '\n' : *words, stdout);
	fputc('\n', stdout);
	return 0;
}

/* CLI_GO_ON, or an exit status. */
static int set_field(const char *verb, const struct cli_option *o, const char *arg, char *target)
{
	void *field = target + o->at;
	int status = 0, word;

	switch (o->bind) {
	case CLI_BIND_FLAG:
		*(int *)field = 1;
		break;
	case CLI_BIND_BOOL:
		*(bool *)field = true;
		break;
	case CLI_BIND_TEXT:
		*(const char **)field = arg;
		break;
	case CLI_BIND_COUNT:
		if (cli_parse_count(arg, field))
			status = cli_misuse(verb, "--%s is a number, not '%s'", o->name, arg);
		break;
	case CLI_BIND_WORD:
		if (!strcmp(arg, "help"))
			return list_words(o->values);
		status = cli_option_word(verb, o, arg, field);
		break;
	case CLI_BIND_ONE_OF:
		status = cli_option_word(verb, o, arg, &word);
		*(const char **)field = arg;
		break;
	default:
		status = o->take(verb, field, arg);
	}
	return status ? status : CLI_GO_ON;
}

int cli_options_read_given(const char *verb, int argc, char **argv, void *target, uint64_t *given)
{
	struct reading o;
	const char *arg;
	int i, status = CLI_GO_ON;

	*given = 0;
	begin(&o, verb, argc, argv);
	while (status == CLI_GO_ON && (i = next_option(&o, &arg)) >= 0) {
		status = set_field(verb, &table_of(o.verb)[i], arg, target);
		*given |= 1ull << i;
	}
	if (status != CLI_GO_ON) {
		finish(&o, 0);
		return status > 1 ? o.verb->usage_status : status;
	}
	if (i == OPTIONS_END)
		return CLI_GO_ON;
	return i == OPTIONS_HELP ? 0 : o.verb->usage_status;
}

int cli_options_read(const char *verb, int argc, char **argv, void *target)
{
	uint64_t given;

	return cli_options_read_given(verb, argc, argv, target, &given);
}

const char *cli_options_given(const char *verb, uint64_t given, const char *names)
{
	const struct cli_option *table = table_of(cli_verb_find(verb));

	for (int i = 0; table[i].name; i++)
		if (given >> i & 1 && cli_word_index(names, table[i].name) >= 0)
			return table[i].name;
	return NULL;
}

/* Wraps `text` to columns HELP_COLUMN .. HELP_WIDTH; the cursor is at `column`. */
static void print_wrapped(const char *text, int column, FILE *out)
{
	if (column >= HELP_COLUMN - 1) {
		fputc('\n', out);
		column = 0;
	}
	fprintf(out, "%*s", HELP_COLUMN - column, "");
	column = HELP_COLUMN;
	while (*text) {
		int len = (int)strcspn(text, " ");

		if (column + len > HELP_WIDTH && column > HELP_COLUMN) {
			fprintf(out, "\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		}
		column += fprintf(out, "%.*s", len, text);
		text += len;
		if (*text == ' ') {
			text++;
			if (column < HELP_WIDTH && *text &&
			    column + 1 + (int)strcspn(text, " ") <= HELP_WIDTH)
				column += fprintf(out, " ");
			else
				column = HELP_WIDTH;
		}
	}
	fputc('\n', out);
}

static int print_option_name(const struct cli_option *opt, FILE *out)
{
	int n = opt->letter ? fprintf(out, "  -%c, --%s", opt->letter, opt->name) :
			      fprintf(out, "      --%s", opt->name);

	if (arg_kind(opt) == required_argument)
		n += fprintf(out, "=%s", opt->arg);
	else if (opt->arg)
		n += fprintf(out, "[=%.*s]", (int)strlen(opt->arg) - 2, opt->arg + 1);
	return n;
}

int cli_word_index(const char *words, const char *word)
{
	for (int i = 0; *words; i++) {
		size_t len = strcspn(words, "|");

		if (strlen(word) == len && !strncmp(word, words, len))
			return i;
		words += len + (words[len] == '|');
	}
	return -1;
}

int cli_option_word(const char *verb, const struct cli_option *option, const char *arg, int *value)
{
	*value = cli_word_index(option->values, arg);
	if (*value >= 0)
		return 0;
	return cli_misuse(verb, "--%s is one of %s, not '%s'", option->name, option->values, arg);
}

/* Whether the help mentions each word that the option accepts. */
static int says_values(const struct cli_option *o)
{
	const char *words = o->values;

	while (words && *words) {
		const size_t len = strcspn(words, "|");
		const char *at = o->help;
		int found = 0;

		for (; *at && !found; at += !found)
			found = !strncmp(at, words, len) && !isalnum((unsigned char)at[len]) &&
				at[len] != '-' &&
				(at == o->help || !isalnum((unsigned char)at[-1]));
		if (!found)
			return 0;
		words += len + (words[len] == '|');
	}
	return 1;
}

/* The help, followed by the words that it does not mention. */
static const char *whole_help(const struct cli_option *o, char text[TEXT_MAX])
{
	size_t len = (size_t)snprintf(text, TEXT_MAX, "%s", o->help);

	if (says_values(o) || len >= TEXT_MAX)
		return text;
	len += (size_t)snprintf(text + len, TEXT_MAX - len, " (");
	for (const char *v = o->values; *v && len < TEXT_MAX - 4; v++) {
		if (*v == '|')
			text[len++] = ',';
		text[len++] = *v == '|' ? ' ' : *v;
	}
	snprintf(text + len, TEXT_MAX - len, ")");
	return text;
}

void cli_options_help(const struct cli_verb *verb, FILE *out)
{
	static const struct cli_option help = { .name = "help", .letter = 'h',
						.help = "print this text" };
	const struct cli_option *table = table_of(verb);
	char text[TEXT_MAX + 64], whole[TEXT_MAX];

	fprintf(out, "usage: bobbin %s %s\n%s\n\n", verb->name, verb->synopsis, verb->summary);
	for (int i = 0; table[i].name; i++) {
		snprintf(text, sizeof(text), "%s%s%s%s", whole_help(&table[i], whole),
			 table[i].env ? " [" : "", table[i].env ? table[i].env : "",
			 table[i].env ? "]" : "");
		print_wrapped(text, print_option_name(&table[i], out), out);
	}
	print_wrapped(help.help, print_option_name(&help, out), out);
}

static void roff_escaped(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			fputc('\\', out);
		fputc(*text == '\\' ? 'e' : *text, out);
	}
}

void cli_options_roff(const struct cli_verb *verb, FILE *out)
{
	const struct cli_option *table = table_of(verb);
	char whole[TEXT_MAX];

	fputs(".SH OPTIONS\n", out);
	for (int i = 0; table[i].name; i++) {
		fputs(".TP\n", out);
		if (table[i].letter)
			fprintf(out, "\\fB\\-%c\\fR, ", table[i].letter);
		fputs("\\fB\\-\\-", out);
		roff_escaped(table[i].name, out);
		fputs("\\fR", out);
		if (table[i].arg)
			fprintf(out,
				arg_kind(&table[i]) == required_argument ? "=\\fI%s\\fR" :
									   "\\fI%s\\fR",
				table[i].arg);
		fputc('\n', out);
		roff_escaped(whole_help(&table[i], whole), out);
		if (table[i].env)
			fprintf(out, " (environment: \\fB%s\\fR)", table[i].env);
		fputs(".\n", out);
	}
	fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint a summary of the options.\n", out);
}

static void bash_words(const struct cli_verb *verb, FILE *out)
{
	const struct cli_option *table = table_of(verb);

	fprintf(out, "\t%s) words=\"", verb->name);
	for (int i = 0; table[i].name; i++)
		fprintf(out, "--%s%s ", table[i].name,
			arg_kind(&table[i]) == required_argument ? "=" : "");
	fprintf(out, "--help\" ;;\n");
}

static void bash_values(const struct cli_verb *verb, FILE *out)
{
	const struct cli_option *table = table_of(verb);

	for (int i = 0; table[i].name; i++) {
		if (!table[i].values)
			continue;
		fprintf(out, "\t%s:--%s) words=\"", verb->name, table[i].name);
		for (const char *v = table[i].values; *v; v++)
			fputc(*v == '|' ? ' ' : *v, out);
		fputs("\" ;;\n", out);
	}
}

void cli_options_bash(const struct cli_verb *const *verbs, FILE *out)
{
	fputs("# bash completion for bobbin, written by `bobbin help --completion`\n"
	      "_bobbin()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words= opt=\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W \"",
	      out);
	for (int i = 0; verbs[i]; i++)
		if (!verbs[i]->hidden)
			fprintf(out, "%s ", verbs[i]->name);
	fputs("--help --version\" -- \"$cur\") $(compgen -c -- \"$cur\"))\n\t\treturn\n\tfi\n"
	      "\tif [ \"$cur\" = = ]; then\n"
	      "\t\topt=${COMP_WORDS[COMP_CWORD-1]} cur=\n"
	      "\telif [ \"${COMP_WORDS[COMP_CWORD-1]}\" = = ]; then\n"
	      "\t\topt=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
	      "\tif [ -n \"$opt\" ]; then\n\t\tcase $verb:$opt in\n",
	      out);
	for (int i = 0; verbs[i]; i++)
		bash_values(verbs[i], out);
	fputs("\tesac\n\t\tif [ -n \"$words\" ]; then\n"
	      "\t\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	      "\t\telse\n\t\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\t\tfi\n\t\treturn\n\tfi\n"
	      "\tcase $verb in\n",
	      out);
	for (int i = 0; verbs[i]; i++)
		if (!verbs[i]->hidden)
			bash_words(verbs[i], out);
	fputs("\tesac\n\tcase $cur in\n"
	      "\t-*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	      "\t\t[ \"${COMPREPLY[0]%=}\" != \"${COMPREPLY[0]}\" ] && compopt -o nospace ;;\n"
	      "\t*) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n\tesac\n}\n"
	      "complete -o filenames -F _bobbin bobbin\n",
	      out);
}

int cli_parse_count(const char *text, uint64_t *out)
{
	char *end;
	unsigned long long v;
	uint64_t unit = 1;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno)
		return -1;
	if (*end == 'k')
		unit = 1000;
	else if (*end == 'M')
		unit = 1000000;
	else if (*end == 'G')
		unit = 1000000000;
	if (unit > 1)
		end++;
	if (*end || v > UINT64_MAX / unit)
		return -1;
	*out = v * unit;
	return 0;
}

int cli_parse_range(const char *text, uint64_t *first, uint64_t *last)
{
	const char *dots = strstr(text, "..");
	char begin[32] = "0";

	if (!dots || dots - text >= (int)sizeof(begin))
		return -1;
	if (dots > text)
		snprintf(begin, sizeof(begin), "%.*s", (int)(dots - text), text);
	*last = UINT64_MAX;
	return cli_parse_count(begin, first) || (dots[2] && cli_parse_count(dots + 2, last)) ? -1 :
											       0;
}

int cli_take_min(const char *verb, void *percent, const char *arg)
{
	double *min = percent;
	char *end;

	*min = strtod(arg, &end);
	if (end == arg || (*end && strcmp(end, "%")) || !(*min >= 0 && *min <= 100))
		return cli_misuse(verb, "--min is a percentage, not '%s'", arg);
	return 0;
}
