/* SPDX-License-Identifier: BSD-3-Clause */
/* Compresses functions and names after the run, to about a quarter. The agent writes them
 * uncompressed, in the form that readers use. */
#include <string.h>

#include "archive/archive.h"
#include "archive/merge/merging.h"
#include "archive/write/write.h"
#include "base/crc.h"

/* Is the chunk at `off` a complete, uncompressed one of an image? */
static int is_loose(const uint8_t *file, size_t len, size_t off, struct bob_chunk_head *c)
{
	if (len - off < sizeof(*c))
		return 0;
	memcpy(c, file + off, sizeof(*c));
	return c->magic == BOB_CHUNK_MAGIC && c->head_crc == bob_chunk_head_crc(c) &&
	       (c->kind == BOB_CHUNK_IMAGE || c->kind == BOB_CHUNK_SOURCE ||
		c->kind == BOB_CHUNK_TABLE_INLINED) &&
	       !(c->flags & BOB_CHUNK_ZSTD) && c->size <= len - off - sizeof(*c) &&
	       c->len <= c->size && c->crc == bob_crc32c(0, file + off + sizeof(*c), c->len);
}

bob_status bob_archive_pack_image(const void *bytes, size_t len, FILE *to)
{
	const uint8_t *file = bytes;
	struct bob_file_head head;
	struct bob_chunk_head c;
	uint64_t used = BOB_FILE_HEAD_SHORT;

	if (len < BOB_FILE_HEAD_BYTES)
		return BOB_NONE;
	memcpy(&head, file, sizeof(head));
	if (head.magic != BOB_FORMAT_MAGIC || head.kind != BOB_FILE_IMAGE || head.used > len ||
	    !bob_head_bytes_ok(head.head_bytes))
		return BOB_NONE;
	if (fseek(to, BOB_FILE_HEAD_SHORT, SEEK_SET))
		return BOB_ERR_IO;
	for (size_t off = head.head_bytes; off < head.used; off += bob_chunk_bytes(c.size)) {
		uint64_t n;

		if (!is_loose(file, (size_t)head.used, off, &c))
			return BOB_NONE;
		n = bob_chunk_write_quickly(to, (enum bob_chunk_kind)c.kind, c.aux,
					    file + off + sizeof(c), c.len);
		if (!n)
			return BOB_ERR_IO;
		used += n;
	}
	return used < head.used ? bob_head_write(to, &head, used) : BOB_NONE;
}
