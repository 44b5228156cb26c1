/* SPDX-License-Identifier: BSD-3-Clause */
/* Board of named results of hooks, readable by all of the process: bob_hook_post,
 * bob_hook_posted. */
#include <string.h>

#include "events/hooks.h"

#define POSTS 16u
#define NAME_MOST 63u
#define BYTES_MOST 256u

static struct {
	size_t len;		/* 0: free */
	char name[NAME_MOST + 1];
	uint8_t bytes[BYTES_MOST];
} post[POSTS];
static struct bob_ev_lock lock;

bool bob_ev_post(const char *name, const void *bytes, size_t len)
{
	const size_t n = strlen(name);
	uint32_t i = 0;

	if (!n || n > NAME_MOST || !len || len > BYTES_MOST)
		return false;
	bob_ev_lock(&lock);
	while (i < POSTS && post[i].len && strcmp(post[i].name, name) != 0)
		i++;
	if (i < POSTS) {
		memcpy(post[i].name, name, n + 1);
		memcpy(post[i].bytes, bytes, len);
		post[i].len = len;
	}
	bob_ev_unlock(&lock);
	return i < POSTS;
}

size_t bob_ev_posted(const char *name, void *to, size_t capacity)
{
	size_t len = 0;

	bob_ev_lock(&lock);
	for (uint32_t i = 0; i < POSTS && post[i].len && !len; i++)
		if (!strcmp(post[i].name, name)) {
			len = post[i].len;
			memcpy(to, post[i].bytes, len < capacity ? len : capacity);
		}
	bob_ev_unlock(&lock);
	return len;
}
