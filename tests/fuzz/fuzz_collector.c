/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks of a process that has ended, as its collector finds them. The input is items of 8 bytes
 * and data: kind, stream (bit 7: sealed), size of the chunk in 64 bytes, bytes of data, aux (16
 * bits each). Headers are right, what is in them is the input's. Whatever it is, the collector
 * ends, and ends well or says that it did not. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/write/ring.h"
#include "cli/record/collector.c" /* the program is no library */
#include "cli/record/collector_file.c"

#define LAUNCHER 77u
#define ITEM 8u
#define FILE_MAX (4u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static char path[] = "/tmp/bobbin-fuzz-XXXXXX";
static uint8_t file[FILE_MAX] __attribute__((aligned(64)));

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

static void forget(void)
{
	unlink(path);
}

static struct bob_chunk_head *add(uint64_t *used, unsigned kind, uint32_t stream, uint64_t size,
				  uint64_t aux)
{
	struct bob_chunk_head *h = (struct bob_chunk_head *)(void *)(file + *used);

	if (bob_chunk_bytes(size) > FILE_MAX - *used)
		return NULL;
	memset(h, 0, bob_chunk_bytes(size));
	bob_chunk_begin(h, (enum bob_chunk_kind)kind, stream, bob_chunk_bytes(size) - sizeof(*h),
			aux);
	*used += bob_chunk_bytes(size);
	return h;
}

static uint64_t begin_file(void)
{
	struct bob_file_head *head = (struct bob_file_head *)(void *)file;
	struct bob_collector *shared;
	uint64_t used = BOB_FILE_HEAD_BYTES;

	memset(file, 0, BOB_FILE_HEAD_BYTES);
	head->magic = BOB_FORMAT_MAGIC;
	head->kind = BOB_FILE_PROCESS;
	head->head_bytes = BOB_FILE_HEAD_BYTES;
	head->pid = INT32_MAX; /* no process has it */
	head->state = BOB_FILE_CLOSED;
	gethostname(head->host, sizeof(head->host) - 1);
	shared = bob_chunk_data(
		add(&used, BOB_CHUNK_COLLECTOR, BOB_STREAM_NONE, sizeof(*shared), 0));
	shared->namespace = own_namespace();
	shared->launcher = LAUNCHER;
	return used;
}

static uint64_t make_file(const uint8_t *bytes, size_t len)
{
	uint64_t used = begin_file();

	while (len >= ITEM) {
		uint16_t word[3];
		struct bob_chunk_head *h;

		memcpy(word, bytes + 2, sizeof(word));
		h = add(&used, bytes[0], bytes[1] & 0x7f, (uint64_t)word[0] * 64, word[2]);
		if (!h)
			break;
		h->flags = bytes[1] & 0x80 ? BOB_CHUNK_SEALED : 0;
		bytes += ITEM;
		len -= ITEM;
		size_t n = word[1] < len ? word[1] : len;
		memcpy(bob_chunk_data(h), bytes, n < h->size ? n : h->size);
		h->len = n;
		bytes += n;
		len -= n;
	}
	((struct bob_file_head *)(void *)file)->used = used;
	((struct bob_collector *)(void *)(file + BOB_FILE_HEAD_BYTES +
					  sizeof(struct bob_chunk_head)))
		->end = used;
	return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static int fd = -1;
	const uint64_t used = make_file(bytes, len);

	if (fd < 0) {
		fd = mkstemp(path);
		must(fd >= 0, path);
		atexit(forget);
	}
	must(!ftruncate(fd, 0) && pwrite(fd, file, used, 0) == (ssize_t)used, "writing");
	enum cli_collected how = cli_collector(path, LAUNCHER, bytes && len ? bytes[0] & 1 : 0);
	must(how == CLI_COLLECTED || how == CLI_COLLECTED_FAILED,
	     "not taken for a process of ours");
	return 0;
}
