/* SPDX-License-Identifier: BSD-3-Clause */
/* Run time of the wrappers of OpenCL's host API (opencl.spec) for kernels with tags
 * (opencl_tags.h): docs/opencl.md.
 *
 * The program's own program objects and kernels are never changed. From a source with tags a second
 * program is built, whose kernels are the *instrumented kernels*; they get the same arguments. A
 * launch of a kernel that has an instrumented kernel launches that one instead, with an additional
 * buffer, and then reads the buffer asynchronously. The values reach the recorder, in launch order,
 * when the program has waited for something; no wait is added. If a step fails, the program's own
 * kernel is launched, and nothing of it is recorded.
 *
 * Threads: any; one lock. Called in blocks of wrappers, so calls made here are neither recorded nor
 * wrapped. */
#ifndef BOBBIN_OPENCL_H
#define BOBBIN_OPENCL_H

#include <CL/cl.h>
#include <pthread.h>

#include "wrap/opencl_values.h"

#define BOB_CL_PROGRAMS 256
#define BOB_CL_KERNELS 1024
#define BOB_CL_BYTES_MAX ((size_t)64 << 20)	/* limit of a launch's buffer */

/* Weak, so that a program without OpenCL still loads. */
#pragma weak clGetKernelInfo
#pragma weak clGetProgramInfo
#pragma weak clGetEventInfo

struct bob_cl_program {
	cl_program own, instrumented;	/* instrumented is NULL until it is built */
	cl_context context;
	struct bob_cl_source source;
};

static struct bob_cl_program bob_cl_program[BOB_CL_PROGRAMS];
static struct bob_cl_kernel bob_cl_kernels[BOB_CL_KERNELS];
static int bob_cl_said_large;
static struct bob_cl_flight *bob_cl_first, **bob_cl_last = &bob_cl_first;
static pthread_mutex_t bob_cl_lock = PTHREAD_MUTEX_INITIALIZER;

static inline void bob_cl_say(const char *format, const char *a, const char *b)
{
	char line[200];

	snprintf(line, sizeof(line), format, a, b);
	bob_hook_say(line);
}

/* --- programs --- */

static inline struct bob_cl_program *bob_cl_find_program(cl_program p)
{
	for (uint32_t i = 0; p && i < BOB_CL_PROGRAMS; i++)
		if (bob_cl_program[i].own == p)
			return &bob_cl_program[i];
	return NULL;
}

static inline void bob_cl_drop_program(struct bob_cl_program *p)
{
	if (p->instrumented)
		clReleaseProgram(p->instrumented);
	free(p->source.text);
	memset(p, 0, sizeof(*p));
}

/* Joins all strings into one; NULL: out of memory. */
static inline char *bob_cl_join(cl_uint count, const char *const *strings, const size_t *lengths,
				size_t *len)
{
	size_t at = 0;
	char *text;

	*len = 0;
	for (cl_uint i = 0; i < count; i++)
		*len += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
	text = (char *)malloc(*len + 1);
	for (cl_uint i = 0; text && i < count; i++) {
		const size_t n = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);

		memcpy(text + at, strings[i], n);
		at += n;
	}
	return text;
}

static inline void bob_cl_source(cl_context context, cl_uint count, const char *const *strings,
				 const size_t *lengths, cl_program own)
{
	struct bob_cl_program *p;
	char line[32], *text;
	size_t len;

	if (!own || !bob_hooks_recorder())
		return;
	text = bob_cl_join(count, strings, lengths, &len);
	if (!text)
		return;
	pthread_mutex_lock(&bob_cl_lock);
	p = bob_cl_find_program(own); /* an old entry: OpenCL has reused the handle */
	if (p)
		bob_cl_drop_program(p);
	for (uint32_t i = 0; !p && i < BOB_CL_PROGRAMS; i++)
		if (!bob_cl_program[i].own)
			p = &bob_cl_program[i];
	if (p)
		bob_cl_read(&p->source, text, len);
	if (p && p->source.why) {
		snprintf(line, sizeof(line), "%u", p->source.line);
		bob_cl_say("tags of an OpenCL program are left out: line %s: %s\n", line,
			   p->source.why);
	}
	if (p && p->source.text) {
		p->own = own;
		p->context = context;
	} else if (p) {
		memset(p, 0, sizeof(*p));
	}
	pthread_mutex_unlock(&bob_cl_lock);
	free(text);
}

static inline void bob_cl_built(cl_program own, cl_uint count, const cl_device_id *devices,
				const char *options, cl_int result)
{
	struct bob_cl_program *p;
	cl_int error = 0;

	pthread_mutex_lock(&bob_cl_lock);
	p = bob_cl_find_program(own);
	if (p && p->instrumented) { /* built again, with other options */
		clReleaseProgram(p->instrumented);
		p->instrumented = NULL;
	}
	if (p && !result) {
		const char *text = p->source.text;
		cl_program instrumented =
			clCreateProgramWithSource(p->context, 1, &text, NULL, &error);

		if (instrumented &&
		    clBuildProgram(instrumented, count, devices, options, NULL, NULL)) {
			clReleaseProgram(instrumented);
			instrumented = NULL;
		}
		if (!instrumented)
			bob_cl_say("tags of an OpenCL program are left out: "
				   "with them it cannot be built%s%s\n",
				   "", "");
		p->instrumented = instrumented;
	}
	pthread_mutex_unlock(&bob_cl_lock);
}

static inline void bob_cl_release_program(cl_program own)
{
	struct bob_cl_program *p;
	cl_uint references = 0;

	pthread_mutex_lock(&bob_cl_lock);
	p = bob_cl_find_program(own);
	if (p &&
	    !clGetProgramInfo(own, CL_PROGRAM_REFERENCE_COUNT, sizeof(references), &references,
			      NULL) &&
	    references == 1)
		bob_cl_drop_program(p);
	pthread_mutex_unlock(&bob_cl_lock);
}

/* --- kernels --- */

static inline struct bob_cl_kernel *bob_cl_find_kernel(cl_kernel k)
{
	for (uint32_t i = 0; k && i < BOB_CL_KERNELS; i++)
		if (bob_cl_kernels[i].own == k)
			return &bob_cl_kernels[i];
	return NULL;
}

static inline void bob_cl_drop_kernel(struct bob_cl_kernel *k)
{
	if (k->instrumented)
		clReleaseKernel(k->instrumented);
	memset(k, 0, sizeof(*k));
}

/* Creates an instrumented kernel if the program's source has tags for it. The lock is held. */
static inline void bob_cl_add_instrumented(const struct bob_cl_program *p, const char *name,
					   cl_kernel own)
{
	struct bob_cl_kernel *k = bob_cl_find_kernel(own);
	cl_uint arguments = 0;
	cl_int error = 0;

	if (k)
		bob_cl_drop_kernel(k);
	if (!p || !p->instrumented || strlen(name) >= sizeof(k->name) ||
	    !bob_cl_has_tags(&p->source, name))
		return;
	for (uint32_t i = 0; !k && i < BOB_CL_KERNELS; i++)
		if (!bob_cl_kernels[i].own)
			k = &bob_cl_kernels[i];
	if (!k || clGetKernelInfo(own, CL_KERNEL_NUM_ARGS, sizeof(arguments), &arguments, NULL))
		return;
	k->instrumented = clCreateKernel(p->instrumented, name, &error);
	if (!k->instrumented)
		return;
	k->own = own;
	k->context = p->context;
	k->arguments = arguments;
	strcpy(k->name, name);
	k->ins = bob_cl_tags(&p->source, name, 1);
	k->outs = bob_cl_tags(&p->source, name, 0);
	for (uint32_t i = 0; i < p->source.count; i++)
		if (!strcmp(p->source.tag[i].kernel, name)) {
			k->tag[k->count++] = p->source.tag[i];
			if (!p->source.tag[i].is_in)
				bob_cl_hook(&p->source.tag[i]);
		}
}

static inline void bob_cl_created(cl_program program, const char *name, cl_kernel own)
{
	pthread_mutex_lock(&bob_cl_lock);
	if (own)
		bob_cl_add_instrumented(bob_cl_find_program(program), name, own);
	pthread_mutex_unlock(&bob_cl_lock);
}

static inline void bob_cl_created_all(cl_program program, const cl_kernel *kernels,
				      cl_uint capacity, const cl_uint *count, cl_int result)
{
	const cl_uint n = count && *count < capacity ? *count : capacity;
	char name[BOB_CL_NAME_MAX * 2 + 1];

	if (result || !kernels || !count)
		return;
	pthread_mutex_lock(&bob_cl_lock);
	for (cl_uint i = 0; i < n; i++)
		if (!clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL))
			bob_cl_add_instrumented(bob_cl_find_program(program), name, kernels[i]);
	pthread_mutex_unlock(&bob_cl_lock);
}

/* The program changes the kernel in a way that cannot be repeated for the instrumented kernel. */
static inline void bob_cl_forget_kernel(cl_kernel own)
{
	struct bob_cl_kernel *k;

	pthread_mutex_lock(&bob_cl_lock);
	k = bob_cl_find_kernel(own);
	if (k)
		bob_cl_drop_kernel(k);
	pthread_mutex_unlock(&bob_cl_lock);
}

static inline void bob_cl_release_kernel(cl_kernel own)
{
	struct bob_cl_kernel *k;
	cl_uint references = 0;

	pthread_mutex_lock(&bob_cl_lock);
	k = bob_cl_find_kernel(own);
	if (k &&
	    !clGetKernelInfo(own, CL_KERNEL_REFERENCE_COUNT, sizeof(references), &references,
			     NULL) &&
	    references == 1)
		bob_cl_drop_kernel(k);
	pthread_mutex_unlock(&bob_cl_lock);
}

static inline void bob_cl_argument(cl_kernel own, cl_uint index, size_t size, const void *value,
				   cl_int result)
{
	struct bob_cl_kernel *k;

	pthread_mutex_lock(&bob_cl_lock);
	k = bob_cl_find_kernel(own);
	if (k && !result && clSetKernelArg(k->instrumented, index, size, value))
		bob_cl_drop_kernel(k);
	pthread_mutex_unlock(&bob_cl_lock);
}

/* --- launches --- */

/* Allocates the state of a launch; NULL: too large, or out of memory. */
static inline struct bob_cl_flight *bob_cl_flight(const struct bob_cl_kernel *k, cl_uint dims,
						  const size_t *size, size_t *bytes)
{
	struct bob_cl_flight *l;
	size_t items = 1;

	for (cl_uint i = 0; i < dims; i++) {
		if (!size || !size[i] || items > SIZE_MAX / size[i])
			return NULL;
		items *= size[i];
	}
	if (k->outs && items > BOB_CL_BYTES_MAX / 16 / k->outs) {
		if (!bob_cl_said_large)
			bob_cl_say("launches of tagged OpenCL kernels were as without tags: "
				   "too many work-items%s%s\n",
				   "", "");
		bob_cl_said_large = 1;
		return NULL;
	}
	*bytes = 8 * (1 + 2 * (k->ins + k->outs * items));
	l = (struct bob_cl_flight *)calloc(1, sizeof(*l) + *bytes);
	if (!l)
		return NULL;
	l->kernel = *k;
	l->items = l->word[0] = items;
	for (uint32_t i = 0; i < k->count; i++) {
		const struct bob_cl_tag *t = &k->tag[i];
		double value;

		if (t->is_in && bob_cl_given(t, &value)) {
			l->word[1 + 2 * t->slot] = 1;
			l->word[2 + 2 * t->slot] = bob_cl_bits(t->type, value);
		}
	}
	return l;
}

static inline void bob_cl_flight_free(struct bob_cl_flight *l)
{
	if (l && l->buffer)
		clReleaseMemObject(l->buffer);
	free(l);
}

/* 1: launched the instrumented kernel, and set *result. 0: the caller must launch the kernel
 * itself. */
static inline int bob_cl_launch(cl_command_queue queue, cl_kernel own, cl_uint dims,
				const size_t *offset, const size_t *size, const size_t *local,
				cl_uint waits, const cl_event *wait_list, cl_event *event,
				cl_int *result)
{
	struct bob_cl_flight *l = NULL;
	struct bob_cl_kernel *k;
	cl_event done = NULL;
	cl_int error = -1;
	size_t bytes = 0;

	pthread_mutex_lock(&bob_cl_lock);
	k = bob_cl_find_kernel(own);
	if (k)
		l = bob_cl_flight(k, dims, size, &bytes);
	if (l)
		l->buffer = clCreateBuffer(k->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
					   bytes, l->word, &error);
	if (l && l->buffer)
		error = clSetKernelArg(k->instrumented, k->arguments, sizeof(l->buffer),
				       &l->buffer);
	if (!error)
		error = clEnqueueNDRangeKernel(queue, k->instrumented, dims, offset, size, local,
					       waits, wait_list, &done);
	if (error) {
		pthread_mutex_unlock(&bob_cl_lock);
		bob_cl_flight_free(l);
		return 0;
	}
	if (!clEnqueueReadBuffer(queue, l->buffer, CL_FALSE, 0, bytes, l->word, 1, &done,
				 &l->read)) {
		*bob_cl_last = l;
		bob_cl_last = &l->next;
	} else {
		bob_cl_flight_free(l);
	}
	pthread_mutex_unlock(&bob_cl_lock);
	if (event)
		*event = done;
	else
		clReleaseEvent(done);
	*result = CL_SUCCESS;
	return 1;
}

/* Opens the launch's event, at which the hooks of its tags are called. */
static inline void bob_cl_report(const struct bob_cl_flight *l)
{
	const bob_event_id id = bob_event_register(
		l->kernel.name, BOB_EVENT_WRAPPER | BOB_EVENT_NO_SIGNATURE, "int items");

	bob_cl_now = l;
	BOB_EVENT_BEGIN(id, bob_int((int64_t)l->items));
	BOB_EVENT_END(id);
	bob_cl_now = NULL;
}

/* The program has waited for something: reports complete launches, in order, up to the first
 * incomplete one. */
static inline void bob_cl_collect(void)
{
	pthread_mutex_lock(&bob_cl_lock);
	while (bob_cl_first) {
		struct bob_cl_flight *l = bob_cl_first;
		cl_int status = 1;

		if (clGetEventInfo(l->read, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
				   &status, NULL) ||
		    status > CL_COMPLETE)
			break;
		bob_cl_first = l->next;
		if (!bob_cl_first)
			bob_cl_last = &bob_cl_first;
		if (status == CL_COMPLETE)
			bob_cl_report(l);
		clReleaseEvent(l->read);
		bob_cl_flight_free(l);
	}
	pthread_mutex_unlock(&bob_cl_lock);
}

#endif
