/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of cache descriptions. The text is untrusted: it is read once, line by line, with a
 * pointer and an end. Every value is checked before use; every message is one printable line. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/cache/config.h"
#include "base/ascii.h"

#define MACHINE BOB_CACHE_LEVELS	/* section number of [machine], after the levels */
#define NO_SECTION 0xffffffffu
#define QUOTED_MAX 32

struct word {
	const char *at;
	size_t len;
};

struct parser {
	const char *name;
	struct bob_cache_complaint *why;
	struct bob_cache_config config;
	uint32_t line;
	uint32_t section;
	uint32_t section_line[BOB_CACHE_LEVELS + 1]; /* 0: missing */
	uint32_t seen[BOB_CACHE_LEVELS + 1];	     /* bit set of keys */
};

enum key { KEY_CORES, KEY_LINE, KEY_SIZE, KEY_WAYS, KEY_SHARED, KEY_INCLUSIVE, KEYS };

static const char *const key_names[KEYS] = {
	"cores", "line", "size", "ways", "shared", "inclusive"
};

/* --- messages --- */

__attribute__((format(printf, 4, 5))) static bob_status
complain(struct parser *p, uint32_t line, bob_status st, const char *format, ...)
{
	int n;
	va_list args;

	if (!p->why)
		return st;
	n = snprintf(p->why->text, sizeof(p->why->text), "%.120s:%u: ", p->name, line ? line : 1);
	va_start(args, format);
	vsnprintf(p->why->text + n, sizeof(p->why->text) - (size_t)n, format, args);
	va_end(args);
	return st;
}

/* A word of the text in printable form. */
static const char *quote(struct word w, char buffer[QUOTED_MAX + 3])
{
	size_t n = w.len < QUOTED_MAX ? w.len : QUOTED_MAX;

	for (size_t i = 0; i < n; i++)
		buffer[i] = w.at[i] >= ' ' && w.at[i] < 127 ? w.at[i] : '?';
	memcpy(buffer + n, w.len > n ? ".." : "", w.len > n ? 3 : 1);
	return buffer;
}

/* --- words and values --- */

static struct word trim(const char *at, const char *end)
{
	while (at < end && bob_is_blank(*at))
		at++;
	while (at < end && bob_is_blank(end[-1]))
		end--;
	return (struct word){ at, (size_t)(end - at) };
}

static int equals(struct word w, const char *s)
{
	for (size_t i = 0; i < w.len; i++) {
		char c = w.at[i];

		if (!s[i] || ((c >= 'A' && c <= 'Z' ? c + 32 : c) !=
			      (s[i] >= 'A' && s[i] <= 'Z' ? s[i] + 32 : s[i])))
			return 0;
	}
	return !s[w.len];
}

/* Parses at most 15 digits, then blanks; *rest is the remaining text. */
static int read_digits(struct word w, uint64_t *value, struct word *rest)
{
	size_t i = 0;
	uint64_t v = 0;

	for (; i < w.len && i < 15 && w.at[i] >= '0' && w.at[i] <= '9'; i++)
		v = v * 10 + (uint64_t)(w.at[i] - '0');
	*rest = trim(w.at + i, w.at + w.len);
	*value = v;
	return i > 0;
}

static int read_number(struct word w, uint64_t max, uint32_t *value)
{
	struct word rest;
	uint64_t v;

	if (!read_digits(w, &v, &rest) || rest.len || v > max)
		return 0;
	*value = (uint32_t)v;
	return 1;
}

static int read_size(struct word w, uint64_t *value)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} units[] = { { "", 1 },	  { "B", 1 },	     { "K", 1 << 10 },	{ "KB", 1 << 10 },
		      { "KiB", 1 << 10 }, { "M", 1 << 20 },  { "MB", 1 << 20 }, { "MiB", 1 << 20 },
		      { "G", 1 << 30 },	  { "GB", 1 << 30 }, { "GiB", 1 << 30 } };
	struct word rest;
	uint64_t v;

	if (!read_digits(w, &v, &rest))
		return 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (equals(rest, units[i].name) && v <= (1ull << 40) / units[i].bytes) {
			*value = v * units[i].bytes;
			return 1;
		}
	return 0;
}

static int read_bool(struct word w, uint8_t *value)
{
	if (equals(w, "yes") || equals(w, "true") || equals(w, "1"))
		*value = 1;
	else if (equals(w, "no") || equals(w, "false") || equals(w, "0"))
		*value = 0;
	else
		return 0;
	return 1;
}

/* --- lines --- */

static bob_status take_section(struct parser *p, struct word w)
{
	char q[QUOTED_MAX + 3];
	uint32_t s = NO_SECTION;

	if (equals(w, "machine"))
		s = MACHINE;
	else if (w.len == 2 && (w.at[0] == 'L' || w.at[0] == 'l') && w.at[1] >= '1' &&
		 w.at[1] < '1' + (char)BOB_CACHE_LEVELS)
		s = (uint32_t)(w.at[1] - '1');
	if (s == NO_SECTION)
		return complain(p, p->line, BOB_ERR_CORRUPT,
				"section [%s] is not known; there are [machine], [L1] to [L%u]",
				quote(w, q), BOB_CACHE_LEVELS);
	if (p->section_line[s])
		return complain(p, p->line, BOB_ERR_CORRUPT,
				"section [%s] is there twice, first in line %u", quote(w, q),
				p->section_line[s]);
	p->section = s;
	p->section_line[s] = p->line;
	return BOB_OK;
}

static int read_value(struct parser *p, enum key key, struct word value)
{
	struct bob_cache_level *l = &p->config.level[p->section % BOB_CACHE_LEVELS];

	switch (key) {
	case KEY_CORES:
		return read_number(value, 0xffffffff, &p->config.cores);
	case KEY_LINE:
		return read_number(value, 0xffffffff, &p->config.line_bytes);
	case KEY_SIZE:
		return read_size(value, &l->size_bytes);
	case KEY_WAYS:
		return read_number(value, 0xffffffff, &l->ways);
	case KEY_SHARED:
		return read_bool(value, &l->shared);
	default:
		return read_bool(value, &l->inclusive);
	}
}

static bob_status take_value(struct parser *p, struct word name, struct word value)
{
	static const char *const wants[KEYS] = { "a number", "a number of bytes",
						 "a size such as 32 KiB", "a number",
						 "yes or no", "yes or no" };
	char q[QUOTED_MAX + 3];
	uint32_t key = 0;

	if (p->section == NO_SECTION)
		return complain(p, p->line, BOB_ERR_CORRUPT, "'%s' is before the first section",
				quote(name, q));
	while (key < KEYS && !equals(name, key_names[key]))
		key++;
	if (key == KEYS || (key <= KEY_LINE) != (p->section == MACHINE))
		return complain(p, p->line, BOB_ERR_CORRUPT,
				"'%s' is not known in this section; %s", quote(name, q),
				p->section == MACHINE ? "there are cores, line" :
							"there are size, ways, shared, inclusive");
	if (p->seen[p->section] & 1u << key)
		return complain(p, p->line, BOB_ERR_CORRUPT, "'%s' is there twice in this section",
				key_names[key]);
	p->seen[p->section] |= 1u << key;
	if (!read_value(p, (enum key)key, value))
		return complain(p, p->line, BOB_ERR_CORRUPT, "%s is %s, not '%s'", key_names[key],
				wants[key], quote(value, q));
	return BOB_OK;
}

static bob_status take_line(struct parser *p, const char *at, const char *end)
{
	const char *comment = memchr(at, '#', (size_t)(end - at));
	struct word w = trim(at, comment ? comment : end);
	const char *equal;
	char q[QUOTED_MAX + 3];

	if (!w.len)
		return BOB_OK;
	if (w.at[0] == '[' && w.at[w.len - 1] == ']' && w.len >= 2)
		return take_section(p, trim(w.at + 1, w.at + w.len - 1));
	equal = memchr(w.at, '=', w.len);
	if (!equal)
		return complain(p, p->line, BOB_ERR_CORRUPT,
				"'%s' is neither a [section] nor key = value", quote(w, q));
	return take_value(p, trim(w.at, equal), trim(equal + 1, w.at + w.len));
}

/* --- the whole text --- */

static bob_status check_levels_there(struct parser *p)
{
	for (uint32_t l = 0; l < BOB_CACHE_LEVELS; l++) {
		if (!p->section_line[l])
			continue;
		if (l != p->config.levels)
			return complain(p, p->section_line[l], BOB_ERR_INVAL,
					"[L%u] is there, but [L%u] is not", l + 1,
					p->config.levels + 1);
		p->config.levels++;
		for (uint32_t key = KEY_SIZE; key <= KEY_WAYS; key++)
			if (!(p->seen[l] & 1u << key))
				return complain(p, p->section_line[l], BOB_ERR_INVAL,
						"[L%u] has no %s", l + 1, key_names[key]);
	}
	if (!p->config.levels)
		return complain(p, p->line, BOB_ERR_INVAL,
				"there is no level: it needs [L1] with size and ways");
	return BOB_OK;
}

/* Writes the reason why the machine is impossible to `text`; *at: the level (or MACHINE)
 * concerned. */
static int impossible(const struct bob_cache_config *c, char *text, size_t size, uint32_t *at);

bob_status bob_cache_config_parse(const char *text, size_t len, const char *name,
				  struct bob_cache_config *out, struct bob_cache_complaint *why)
{
	struct parser p = { .name = name, .why = why, .section = NO_SECTION };
	const char *end = text + len;
	char cause[160];
	uint32_t at;
	bob_status st;

	p.config.cores = 1;
	p.config.line_bytes = 64;
	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));

		p.line++;
		st = take_line(&p, text, eol ? eol : end);
		if (st != BOB_OK)
			return st;
		text = eol ? eol + 1 : end;
	}
	st = check_levels_there(&p);
	if (st != BOB_OK)
		return st;
	if (impossible(&p.config, cause, sizeof(cause), &at))
		return complain(&p, p.section_line[at], BOB_ERR_INVAL, "%s", cause);
	*out = p.config;
	return BOB_OK;
}

bob_status bob_cache_config_check(const struct bob_cache_config *c, struct bob_cache_complaint *why)
{
	char cause[160];
	uint32_t at;

	if (!impossible(c, cause, sizeof(cause), &at))
		return BOB_OK;
	if (why)
		snprintf(why->text, sizeof(why->text), "%s", cause);
	return BOB_ERR_INVAL;
}

/* --- impossible machines --- */

static int is_power_of_two(uint64_t x)
{
	return x && !(x & (x - 1));
}

static int impossible_machine(const struct bob_cache_config *c, char *text, size_t size)
{
	if (c->cores < 1 || c->cores > BOB_CACHE_CORES_MAX)
		return snprintf(text, size, "cores is %u; 1 to %u can be simulated", c->cores,
				BOB_CACHE_CORES_MAX);
	if (!is_power_of_two(c->line_bytes) || c->line_bytes < BOB_CACHE_LINE_MIN ||
	    c->line_bytes > BOB_CACHE_LINE_MAX)
		return snprintf(text, size,
				"line is %u bytes; it must be a power of two from %u to %u",
				c->line_bytes, BOB_CACHE_LINE_MIN, BOB_CACHE_LINE_MAX);
	if (c->levels < 1 || c->levels > BOB_CACHE_LEVELS)
		return snprintf(text, size, "%u levels; 1 to %u can be simulated", c->levels,
				BOB_CACHE_LEVELS);
	return 0;
}

static int impossible_sets(const struct bob_cache_config *c, uint32_t l, char *text, size_t size)
{
	const struct bob_cache_level *v = &c->level[l];
	uint64_t way = (uint64_t)v->ways * c->line_bytes;

	if (v->ways < 1 || v->ways > BOB_CACHE_WAYS_MAX)
		return snprintf(text, size, "L%u has %u ways; 1 to %u can be simulated", l + 1,
				v->ways, BOB_CACHE_WAYS_MAX);
	if (!v->size_bytes || v->size_bytes % way)
		return snprintf(
			text, size,
			"L%u: %llu bytes are no whole number of sets of %u lines of %u bytes",
			l + 1, (unsigned long long)v->size_bytes, v->ways, c->line_bytes);
	if (!is_power_of_two(v->size_bytes / way))
		return snprintf(
			text, size,
			"L%u: %llu bytes in %u ways are %llu sets, which is no power of two", l + 1,
			(unsigned long long)v->size_bytes, v->ways,
			(unsigned long long)(v->size_bytes / way));
	return 0;
}

static int impossible_order(const struct bob_cache_config *c, uint32_t l, char *text, size_t size)
{
	const struct bob_cache_level *v = &c->level[l], *above = v - 1;
	uint64_t held;

	if (!l) {
		if (v->shared || v->inclusive)
			return snprintf(text, size, "L1 cannot be %s",
					v->shared ? "shared" : "inclusive: nothing is above it");
		return 0;
	}
	if (above->shared && !v->shared)
		return snprintf(text, size, "L%u is private to a core, but L%u above it is shared",
				l + 1, l);
	if (l >= BOB_CACHE_PRIVATE && !v->shared)
		return snprintf(text, size, "L%u is private; only L1 to L%u can be", l + 1,
				BOB_CACHE_PRIVATE);
	held = above->size_bytes * (v->shared && !above->shared ? c->cores : 1);
	if (v->inclusive && v->size_bytes < held)
		return snprintf(
			text, size,
			"L%u is inclusive, but its %llu bytes are less than the %llu of L%u", l + 1,
			(unsigned long long)v->size_bytes, (unsigned long long)held, l);
	return 0;
}

static int impossible(const struct bob_cache_config *c, char *text, size_t size, uint32_t *at)
{
	uint64_t lines = 0;

	*at = MACHINE;
	if (impossible_machine(c, text, size))
		return 1;
	for (uint32_t l = 0; l < c->levels; l++) {
		const struct bob_cache_level *v = &c->level[l];

		*at = l;
		if (impossible_sets(c, l, text, size) || impossible_order(c, l, text, size))
			return 1;
		/* bounds the sizes before they are multiplied again */
		lines += v->size_bytes / c->line_bytes * (v->shared ? 1 : c->cores);
		if (v->size_bytes / c->line_bytes > BOB_CACHE_LINES_MAX ||
		    lines > BOB_CACHE_LINES_MAX)
			return snprintf(text, size,
					"L%u: these are more than %u lines in all caches together",
					l + 1, BOB_CACHE_LINES_MAX);
	}
	return 0;
}

/* --- writing --- */

static int write_size(char *text, size_t size, uint64_t bytes)
{
	if (bytes % (1 << 20) == 0)
		return snprintf(text, size, "%llu MiB", (unsigned long long)(bytes >> 20));
	if (bytes % (1 << 10) == 0)
		return snprintf(text, size, "%llu KiB", (unsigned long long)(bytes >> 10));
	return snprintf(text, size, "%llu", (unsigned long long)bytes);
}

void bob_cache_config_write(const struct bob_cache_config *c, char *text, size_t size)
{
	char bytes[32];
	size_t n = 0;

	if (!size)
		return;
	n = (size_t)snprintf(text, size, "[machine]\ncores = %u\nline = %u\n", c->cores,
			     c->line_bytes);
	for (uint32_t l = 0; l < c->levels && l < BOB_CACHE_LEVELS && n < size; l++) {
		const struct bob_cache_level *v = &c->level[l];

		write_size(bytes, sizeof(bytes), v->size_bytes);
		n += (size_t)snprintf(text + n, size - n, "[L%u]\nsize = %s\nways = %u\n%s%s",
				      l + 1, bytes, v->ways, v->shared ? "shared = yes\n" : "",
				      v->inclusive ? "inclusive = yes\n" : "");
	}
}
