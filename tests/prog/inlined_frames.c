/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a trace with libbobbin. Prints each instruction with accesses, and each call on the path of
 * an event, and the inlined functions around it:
 *
 *     <image> 0x<link address> <line> <file>
 *     <tab><line of the call> <file of the call><tab><function>
 */
#include <inttypes.h>
#include <stdio.h>

#include <bobbin/bobbin.h>

#define FRAMES 255

static int failed;

static void print_frames(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc)
{
	struct bob_inlined_frame f[FRAMES], first;
	struct bob_source_line line;
	const struct bob_image_info *im = bob_trace_image(t, process, image);
	uint32_t n = bob_trace_inlined(t, process, image, pc, f, FRAMES);

	if (!im)
		return;
	bob_trace_source(t, process, image, pc, &line);
	printf("%s 0x%" PRIx64 " %" PRIu32 " %s\n", im->path, pc, line.line, line.file);
	for (uint32_t i = 0; i < n; i++)
		printf("\t%" PRIu32 " %s\t%s\n", f[i].line, f[i].file, f[i].function);
	/* fewer than there are */
	failed |= bob_trace_inlined(t, process, image, pc, NULL, 0) != n;
	if (n)
		failed |= bob_trace_inlined(t, process, image, pc, &first, 1) != n ||
			  first.function != f[0].function || first.line != f[0].line;
}

static void print_accesses(const struct bob_trace *t, uint32_t thread)
{
	const uint32_t process = bob_trace_thread(t, thread)->process;
	struct bob_access_cursor *c;
	struct bob_access a[256];
	uint64_t last = 0;
	size_t n;

	if (bob_access_cursor_open(t, thread, &c, NULL) != BOB_OK)
		return;
	while (bob_access_cursor_read(c, a, 256, &n, NULL) == BOB_OK)
		for (size_t i = 0; i < n; i++) {
			if (a[i].pc != last)
				print_frames(t, process, a[i].image, a[i].pc);
			last = a[i].pc;
		}
	bob_access_cursor_close(c);
}

static void print_events(const struct bob_trace *t, uint32_t thread)
{
	const uint32_t process = bob_trace_thread(t, thread)->process;
	struct bob_value_cursor *c;
	struct bob_value_event e;

	if (bob_value_cursor_open(t, thread, BOB_VALUES_MPI, &c, NULL) != BOB_OK)
		return;
	while (bob_value_cursor_next(c, &e, NULL) == BOB_OK)
		for (uint32_t i = 0; i < e.depth; i++) {
			uint32_t image;
			uint64_t pc;

			bob_trace_place(t, process, e.place[i], &image, &pc);
			print_frames(t, process, image, pc);
		}
	bob_value_cursor_close(c);
}

int main(int argc, char **argv)
{
	struct bob_trace *t;

	if (argc != 2 || bob_trace_open(argv[1], &t, NULL) != BOB_OK)
		return 2;
	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		print_accesses(t, i);
		print_events(t, i);
	}
	bob_trace_close(t);
	return failed;
}
