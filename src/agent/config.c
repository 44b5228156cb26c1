/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the agent's configuration from the environment, so that LD_PRELOAD alone is sufficient.
 * Also has text functions that libc would provide. */
#include "agent/agent.h"

#include <string.h>

size_t text_len(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

const char *text_base(const char *path)
{
	const char *base = path;

	for (; *path; path++)
		if (*path == '/')
			base = path + 1;
	return base;
}

bool text_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

bool text_starts(const char *s, const char *prefix)
{
	while (*prefix)
		if (*s++ != *prefix++)
			return false;
	return true;
}

size_t text_list_item(const char *list)
{
	size_t n = 0;

	while (list[n] && list[n] != ':' && list[n] != ' ')
		n++;
	return n;
}

bool text_list_has(const char *list, const char *path, size_t n)
{
	while (*list) {
		size_t item = text_list_item(list), i = 0;

		while (i < n && item == n && list[i] == path[i])
			i++;
		if (n && i == n)
			return true;
		list += item + (list[item] != 0);
	}
	return false;
}

size_t text_add(char *buf, size_t size, size_t at, const char *s)
{
	while (*s && at + 1 < size)
		buf[at++] = *s++;
	buf[at] = 0;
	return at;
}

size_t text_add_u64(char *buf, size_t size, size_t at, uint64_t v, unsigned base)
{
	char digits[24];
	size_t n = 0;

	do
		digits[n++] = "0123456789abcdef"[v % base];
	while ((v /= base));
	while (n && at + 1 < size)
		buf[at++] = digits[--n];
	buf[at] = 0;
	return at;
}

const char *config_env(char **env, const char *name)
{
	size_t n = text_len(name);

	for (; env && *env; env++)
		if (text_starts(*env, name) && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

static uint64_t number(const char *s)
{
	uint64_t v = 0;

	while (s && *s >= '0' && *s <= '9' && v < 1u << 30)
		v = v * 10 + (uint64_t)(*s++ - '0');
	return v;
}

/* Whether a pattern ends here. Patterns are separated by ':'; "::" is part of a pattern, because it
 * occurs in C++ names. */
static bool ends_pattern(const char *p)
{
	return !*p || (p[0] == ':' && p[1] != ':');
}

/* Match a pattern ('*', '?', [set]). Iterative: backtracking to the last '*' suffices. */
static bool match_one(const char *p, const char *name)
{
	const char *star = NULL, *mark = NULL;

	for (;;) {
		if (*p == '*') {
			star = ++p;
			mark = name;
			continue;
		}
		bool end = ends_pattern(p), two = !end && *p == ':';
		bool hit = false;
		const char *next = p + 1 + two;

		if (end && !*name)
			return true;
		if (!end && *name) {
			if (*p == '[') {
				const char *q = p + 1;

				for (; *q && *q != ']' && *q != ':'; q++)
					if (q[1] == '-' && q[2] && q[2] != ']') {
						hit |= q[0] <= *name && *name <= q[2];
						q += 2;
					} else {
						hit |= *q == *name;
					}
				next = *q == ']' ? q + 1 : q;
			} else {
				hit = *p == '?' || (*p == *name && (!two || name[1] == ':'));
			}
		}
		if (hit) {
			p = next;
			name += 1 + two;
		} else if (star && *mark) {
			p = star;
			name = ++mark;
		} else {
			return false;
		}
	}
}

/* The end of a pattern. Letters are greater than ':'. */
static const char *skip_pattern(const char *p)
{
	for (;;) {
		while ((unsigned char)*p > ':')
			p++;
		if (ends_pattern(p))
			return p;
		p += *p == ':' ? 2 : 1;
	}
}

/* Quick check of the first letter, which excludes most names: this is called for each image and
 * each variable of the environment. */
static bool may_match(const char *p, const char *name)
{
	return *p == *name || *p == '*' || *p == '?' || *p == '[' || *p == ':';
}

bool config_match(const char *patterns, const char *name)
{
	for (const char *p = patterns; p;) {
		if (may_match(p, name) && !ends_pattern(p) && match_one(p, name))
			return true;
		p = skip_pattern(p);
		p = *p ? p + 1 : NULL;
	}
	return false;
}

static bool is_no(const char *v)
{
	return v && (text_equal(v, "0") || text_equal(v, "no"));
}

bool config_read(struct bob_config *c, char **env)
{
	const char *v = config_env(env, "BOBBIN_DIR");

	if (!v || v[0] != '/')
		return false;
	text_add(c->dir, sizeof(c->dir), 0, v);
	if ((v = config_env(env, "BOBBIN_CACHE")))
		text_add(c->cache, sizeof(c->cache), 0, v);
	if ((v = config_env(env, "BOBBIN_PLANNER")))
		text_add(c->planner, sizeof(c->planner), 0, v);
	c->only = config_env(env, "BOBBIN_FILTER");
	c->never = config_env(env, "BOBBIN_NOTRACE");
	c->trigger = config_env(env, "BOBBIN_TRIGGER");
	c->hooks = config_env(env, "BOBBIN_HOOK_FUNCTIONS");
	c->interface = config_env(env, "BOBBIN_INTERFACE");
	c->interface_image = config_env(env, "BOBBIN_INTERFACE_IMAGE");
	c->max_depth = (uint32_t)number(config_env(env, "BOBBIN_DEPTH"));
	c->follow = !is_no(config_env(env, "BOBBIN_FOLLOW"));

	v = config_env(env, "BOBBIN_IMAGES");
	c->images = v && text_equal(v, "main") ? BOB_IMAGES_MAIN :
		    v && text_equal(v, "all")  ? BOB_IMAGES_ALL :
						 BOB_IMAGES_APP;
	v = config_env(env, "BOBBIN_CODEC");
	c->codec = v && text_equal(v, "parlot") ? BOB_CODEC_PARLOT :
		   v && text_equal(v, "none")	? BOB_CODEC_NONE :
		   v && text_equal(v, "null")	? BOB_CODEC_NULL :
						  BOB_CODEC_RUN;
	v = config_env(env, "BOBBIN_MEM");
	c->mem = v && !is_no(v);
	c->source = v && text_equal(v, "source");
	c->calls = !c->mem && !is_no(config_env(env, "BOBBIN_CALLS"));
	c->from_start = c->mem && (v = config_env(env, "BOBBIN_FROM_START")) && !is_no(v);
	v = config_env(env, "BOBBIN_CODEC");
	c->mem_codec = v && text_equal(v, "none") ? BOB_MEM_RAW :
		       v && text_equal(v, "null") ? BOB_MEM_NULL :
						    BOB_MEM_FOLDED;
	if (c->mem && !c->source)
		c->mem_boxes = config_env(env, "BOBBIN_MEM_BOXES");
	if (c->source && c->mem_codec == BOB_MEM_FOLDED)
		c->collector = (uint32_t)number(config_env(env, "BOBBIN_LAUNCHER"));
	c->keeper = config_env(env, "BOBBIN_KEEPER");
	v = config_env(env, "BOBBIN_CHECK");
	if (v && config_match(v, "block"))
		c->codec = BOB_CODEC_BLOCK;
	c->flat = v && config_match(v, "flat");
	c->slow = (v && config_match(v, "slow")) || c->max_depth || c->trigger || c->interface ||
		  c->interface_image;
	return true;
}
