/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds tags in the source of OpenCL kernels and generates the instrumented source: docs/opencl.md.
 * A tag is a comment in a kernel, at a place where a statement is allowed:
 *
 *     bobbin: out TYPE NAME = EXPRESSION       passes the value to the CPU
 *     bobbin: in TYPE NAME                     sets the variable to the CPU's value, if any
 *
 * TYPE: int uint long ulong float double. A kernel with tags gets an additional parameter, a buffer
 * of 64-bit words: the number of work-items; for each `in` a pair (is there a value, its bits); for
 * each `out` a pair per work-item (number of evaluations, bits of the newest value). If a tag is
 * invalid, no source is generated. Line numbers are preserved.
 *
 * Threads: any; no global state. The source may contain anything, of any length. */
#ifndef BOBBIN_OPENCL_TAGS_H
#define BOBBIN_OPENCL_TAGS_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOB_CL_TAGS_MAX 64
#define BOB_CL_NAME_MAX 31

struct bob_cl_tag {
	char kernel[BOB_CL_NAME_MAX * 2 + 1];
	char name[BOB_CL_NAME_MAX + 1];
	char type;		/* i int, u uint, l long, L ulong, f float, d double */
	char is_in;
	uint32_t slot;		/* number among the kernel's tags of the same direction */
};

struct bob_cl_source {
	char *text;		/* the instrumented source, zero-terminated; free() */
	size_t len, capacity;
	struct bob_cl_tag tag[BOB_CL_TAGS_MAX];
	uint32_t count;
	uint32_t line;		/* line of the error, from 1 ... */
	const char *why;	/* ... and its reason; NULL: no error */
};

enum bob_cl_kind { BOB_CL_END, BOB_CL_SPACE, BOB_CL_COMMENT, BOB_CL_WORD, BOB_CL_SIGN };

struct bob_cl_token {
	enum bob_cl_kind kind;
	const char *at;
	size_t len;
};

struct bob_cl_scan {
	const char *at, *end;
	struct bob_cl_source *out;	/* text is appended to it */
	int emits;			/* second pass: tags are known */
	int depth;			/* of braces */
	int is_inner;			/* the current line has a token already */
	char before;			/* last significant character */
	char kernel[BOB_CL_NAME_MAX * 2 + 1]; /* name of the kernel whose body this is, or "" */
	uint32_t ins, outs;
};

static inline int bob_cl_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static inline size_t bob_cl_quoted(const char *at, const char *end)
{
	size_t n = 1;

	while (at + n < end && at[n] != at[0] && at[n] != '\n')
		n += at[n] == '\\' && at + n + 1 < end ? 2 : 1;
	return at + n < end ? n + 1 : (size_t)(end - at);
}

static inline size_t bob_cl_comment(const char *at, const char *end)
{
	size_t n = 2;

	if (at[1] == '/') {
		while (at + n < end && (at[n] != '\n' || at[n - 1] == '\\'))
			n++;
		return n;
	}
	while (at + n + 1 < end && (at[n] != '*' || at[n + 1] != '/'))
		n++;
	return at + n + 1 < end ? n + 2 : (size_t)(end - at);
}

static inline struct bob_cl_token bob_cl_next(struct bob_cl_scan *s)
{
	struct bob_cl_token t = { BOB_CL_SIGN, s->at, 1 };
	const char *p = s->at, *end = s->end;

	if (p == end)
		return (struct bob_cl_token){ BOB_CL_END, p, 0 };
	if (*p == ' ' || (*p >= '\t' && *p <= '\r')) {
		t.kind = BOB_CL_SPACE;
	} else if (*p == '#' && !s->is_inner) { /* preprocessor directives are copied */
		t.kind = BOB_CL_SPACE;
		while (p + t.len < end && (p[t.len] != '\n' || p[t.len - 1] == '\\'))
			t.len++;
	} else if (*p == '/' && p + 1 < end && (p[1] == '/' || p[1] == '*')) {
		t.kind = BOB_CL_COMMENT;
		t.len = bob_cl_comment(p, end);
	} else if (*p == '"' || *p == '\'') {
		t.len = bob_cl_quoted(p, end);
	} else if (bob_cl_is_word(*p)) {
		t.kind = BOB_CL_WORD;
		while (p + t.len < end && bob_cl_is_word(p[t.len]))
			t.len++;
	}
	s->at += t.len;
	s->is_inner = t.kind != BOB_CL_SPACE ? t.kind != BOB_CL_COMMENT || s->is_inner :
					       s->is_inner && *p != '\n';
	for (size_t i = 0; i < t.len && !s->out->why; i++)
		s->out->line += t.at[i] == '\n';
	if (t.kind == BOB_CL_WORD || t.kind == BOB_CL_SIGN)
		s->before = t.at[t.len - 1];
	return t;
}

static inline int bob_cl_token_is(const struct bob_cl_token *t, const char *word)
{
	return strlen(word) == t->len && !memcmp(t->at, word, t->len);
}

/* --- output --- */

static inline void bob_cl_put(struct bob_cl_scan *s, const char *text, size_t len)
{
	struct bob_cl_source *o = s->out;

	if (!s->emits || o->why)
		return;
	if (o->capacity - o->len <= len) {
		const size_t capacity = 2 * o->capacity + len + 4096;
		char *more = (char *)realloc(o->text, capacity);

		if (!more) {
			o->why = "out of memory";
			return;
		}
		o->text = more;
		o->capacity = capacity;
	}
	memcpy(o->text + o->len, text, len);
	o->len += len;
	o->text[o->len] = 0;
}

__attribute__((format(printf, 2, 3))) static inline void bob_cl_putf(struct bob_cl_scan *s,
								     const char *format, ...)
{
	char text[1024];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(text))
		s->out->why = "a tag is too long";
	else
		bob_cl_put(s, text, (size_t)n);
}

static inline void bob_cl_refuse(struct bob_cl_scan *s, const char *why)
{
	if (!s->out->why)
		s->out->why = why;
}

/* Number of the kernel's tags, in and out. */
static inline uint32_t bob_cl_tags(const struct bob_cl_source *o, const char *kernel, int is_in)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < o->count; i++)
		n += !strcmp(o->tag[i].kernel, kernel) && o->tag[i].is_in == is_in;
	return n;
}

static inline int bob_cl_has_tags(const struct bob_cl_source *o, const char *kernel)
{
	return bob_cl_tags(o, kernel, 0) + bob_cl_tags(o, kernel, 1) > 0;
}

/* --- tags --- */

static inline char bob_cl_type(const struct bob_cl_token *t)
{
	static const char *const names[] = { "int", "uint", "long", "ulong", "float", "double" };

	for (int i = 0; i < 6; i++)
		if (bob_cl_token_is(t, names[i]))
			return "iulLfd"[i];
	return 0;
}

static inline struct bob_cl_token bob_cl_word(struct bob_cl_scan *s)
{
	struct bob_cl_token t;

	do {
		t = bob_cl_next(s);
	} while (t.kind == BOB_CL_SPACE);
	return t;
}

static inline void bob_cl_put_tag(struct bob_cl_scan *s, const struct bob_cl_tag *t,
				  const char *value, size_t len)
{
	static const char *const casts[] = { ['i'] = "(ulong)(long)(", ['u'] = "(ulong)(",
					     ['l'] = "(ulong)(", ['L'] = "(ulong)(",
					     ['f'] = "(ulong)as_uint((float)(",
					     ['d'] = "as_ulong((double)(" };
	static const char *const backs[] = { ['i'] = "(int)(", ['u'] = "(uint)(",
					     ['l'] = "(long)(", ['L'] = "(",
					     ['f'] = "as_float((uint)", ['d'] = "as_double(" };
	const uint32_t ins = bob_cl_tags(s->out, t->kernel, 1);

	if (t->is_in) {
		bob_cl_putf(s, "if (bob_debug[%u]) %s = %sbob_debug[%u]);", 1 + 2 * t->slot,
			    t->name, backs[(int)t->type], 2 + 2 * t->slot);
		return;
	}
	bob_cl_putf(s,
		    "if (bob_item < bob_debug[0]) { __global ulong *bob_at = "
		    "bob_debug + %u + 2 * (%u * bob_debug[0] + bob_item); ",
		    1 + 2 * ins, t->slot);
	bob_cl_putf(s, "bob_at[0]++; bob_at[1] = %s", casts[(int)t->type]);
	bob_cl_put(s, value, len);
	bob_cl_putf(s, "%s); }", t->type == 'f' || t->type == 'd' ? ")" : "");
}

/* Handles a comment. True: it is a tag. */
static inline int bob_cl_tag(struct bob_cl_scan *s, const struct bob_cl_token *comment, char before)
{
	const size_t tail = comment->at[1] == '*' ? 2 : 0;
	struct bob_cl_source lines = { .why = "" };
	struct bob_cl_scan c = { .at = comment->at + 2, .out = &lines };
	struct bob_cl_token word, way, type, name, sign;
	struct bob_cl_tag t = { .is_in = 0 };

	if (comment->len < 4 || (tail && memcmp(comment->at + comment->len - 2, "*/", 2) != 0))
		return 0; /* one without an end is ignored */
	c.end = comment->at + comment->len - tail;
	word = bob_cl_word(&c);
	sign = bob_cl_next(&c);
	if (!bob_cl_token_is(&word, "bobbin") || !bob_cl_token_is(&sign, ":"))
		return 0;
	if (!s->kernel[0] || !s->depth)
		return bob_cl_refuse(s, "a tag is outside of all kernels"), 1;
	if (before != ';' && before != '{' && before != '}')
		return bob_cl_refuse(s, "a tag is where no statement can be"), 1;
	way = bob_cl_word(&c);
	type = bob_cl_word(&c);
	name = bob_cl_word(&c);
	sign = bob_cl_word(&c);
	t.is_in = bob_cl_token_is(&way, "in");
	t.type = bob_cl_type(&type);
	for (const char *p = c.at; p + 1 < c.end; p++)
		if (p[0] == '/' && p[1] == '/')
			return bob_cl_refuse(s, "a tag contains a comment"), 1;
	if ((!t.is_in && !bob_cl_token_is(&way, "out")) || !t.type || name.kind != BOB_CL_WORD ||
	    name.len > BOB_CL_NAME_MAX ||
	    (t.is_in ? sign.kind != BOB_CL_END : !bob_cl_token_is(&sign, "=")))
		return bob_cl_refuse(
			       s,
			       "a tag is neither 'out TYPE NAME = EXPRESSION' nor 'in TYPE NAME'"),
		       1;
	memcpy(t.name, name.at, name.len);
	memcpy(t.kernel, s->kernel, sizeof(t.kernel));
	t.slot = t.is_in ? s->ins++ : s->outs++;
	if (!s->emits && s->out->count == BOB_CL_TAGS_MAX)
		return bob_cl_refuse(s, "there are too many tags"), 1;
	if (!s->emits)
		s->out->tag[s->out->count++] = t;
	bob_cl_put_tag(s, &t, c.at, t.is_in ? 0 : (size_t)(c.end - c.at));
	for (const char *p = comment->at; p < (t.is_in ? c.end : c.at); p++)
		if (*p == '\n')
			bob_cl_put(s, "\n", 1);
	return 1;
}

/* --- kernels --- */

/* Reads to the end of the group whose opening bracket was read: the parameters of `kernel`, or NULL
 * for those of an attribute. */
static inline void bob_cl_group(struct bob_cl_scan *s, const char *kernel)
{
	const int has_tags = kernel && bob_cl_has_tags(s->out, kernel);
	struct bob_cl_source lines = { .why = "" };
	struct bob_cl_scan ahead = { .at = s->at, .end = s->end, .out = &lines };
	struct bob_cl_token t = bob_cl_word(&ahead);
	const int has_void = bob_cl_token_is(&t, "void");

	if (has_void)
		t = bob_cl_word(&ahead);
	const int is_empty = bob_cl_token_is(&t, ")"); /* () or (void) */

	for (int depth = 1; depth;) {
		t = bob_cl_next(s);
		if (t.kind == BOB_CL_END) {
			bob_cl_refuse(s, "a bracket is not closed");
			return;
		}
		depth += bob_cl_token_is(&t, "(");
		depth -= bob_cl_token_is(&t, ")");
		if (!depth && has_tags)
			bob_cl_putf(s, "%s__global ulong *bob_debug", is_empty ? "" : ", ");
		if (!has_tags || !is_empty || !bob_cl_token_is(&t, "void"))
			bob_cl_put(s, t.at, t.len);
	}
}

/* After the word __kernel: reads to the body, or to the end of a declaration. */
static inline void bob_cl_kernel(struct bob_cl_scan *s)
{
	char name[sizeof(s->kernel)] = "";
	int is_attribute = 0, has_name = 0;

	for (;;) {
		const struct bob_cl_token t = bob_cl_next(s);

		if (t.kind == BOB_CL_END)
			return;
		bob_cl_put(s, t.at, t.len);
		if (t.kind == BOB_CL_WORD) {
			is_attribute = bob_cl_token_is(&t, "__attribute__");
			if (!is_attribute && !has_name && t.len < sizeof(name)) {
				memcpy(name, t.at, t.len);
				name[t.len] = 0;
			}
		} else if (bob_cl_token_is(&t, "(")) {
			has_name |= !is_attribute;
			bob_cl_group(s, is_attribute ? NULL : name);
		} else if (bob_cl_token_is(&t, "{")) {
			memcpy(s->kernel, name, sizeof(name));
			s->ins = s->outs = 0;
			s->depth++;
			if (bob_cl_has_tags(s->out, name))
				bob_cl_putf(s, " const ulong bob_item = "
					       "(get_global_id(0) - get_global_offset(0)) + "
					       "get_global_size(0) * "
					       "((get_global_id(1) - get_global_offset(1)) + "
					       "get_global_size(1) * "
					       "(get_global_id(2) - get_global_offset(2)));");
			return;
		} else if (bob_cl_token_is(&t, ";")) {
			return;
		}
	}
}

static inline void bob_cl_pass(struct bob_cl_source *o, const char *text, size_t len, int emits)
{
	struct bob_cl_scan s = { .at = text, .end = text + len, .out = o, .emits = emits };

	o->line = 1;
	while (!o->why) {
		const char before = s.before;
		const struct bob_cl_token t = bob_cl_next(&s);

		if (t.kind == BOB_CL_END)
			return;
		if (t.kind == BOB_CL_COMMENT && bob_cl_tag(&s, &t, before))
			continue;
		bob_cl_put(&s, t.at, t.len);
		if (!s.depth && (bob_cl_token_is(&t, "__kernel") || bob_cl_token_is(&t, "kernel")))
			bob_cl_kernel(&s);
		else if (bob_cl_token_is(&t, "{"))
			s.depth++;
		else if (bob_cl_token_is(&t, "}") && s.depth && !--s.depth)
			s.kernel[0] = 0;
	}
}

/* *o must be zeroed by the caller. If the source has valid tags, `text` is the instrumented source;
 * otherwise it is NULL. */
static inline void bob_cl_read(struct bob_cl_source *o, const char *text, size_t len)
{
	bob_cl_pass(o, text, len, 0);
	if (!o->why && o->count)
		bob_cl_pass(o, text, len, 1);
	if (o->why) {
		free(o->text);
		o->text = NULL;
	}
}

#endif
