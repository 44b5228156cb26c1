/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels with tags, launched in all ways that a wrapper could get wrong. Prints what they compute,
 * and their properties; the output must be the same with tags. Argument "bad": tags that cannot be
 * built are added; "large": a launch that is too large for tags. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 48

static const char *const source[] = {
	"#define BRACE {\n"
	"float square(float x) { return x * x; } /* no kernel */\n"
	"__kernel void scale(__global float *a, float factor);\n",
	"__kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n"
	"void scale(__global float *a, float factor)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	int limit = 1000; // bobbin: in int limit\n"
	"	float unused = 0; /* bobbin: in float unused */\n"
	"	for (int k = 0; k < 3; k++) {\n"
	"		/* bobbin: out int step = k */\n"
	"		a[i] *= factor;\n"
	"	}\n"
	"	// bobbin: out float value = square(a[i])\n"
	"	if (i > limit) { /* bobbin: out ulong beyond = i */ }\n"
	"}\n",
	"kernel void count(void) { /* bobbin: out double half = 0.5 * get_global_id(1) */ }\n"
	"kernel void plain(__global float *a) { a[get_global_id(0)] += 1; }\n",
};

static void need(cl_int error, const char *what)
{
	if (!error)
		return;
	printf("%s: %d\n", what, error);
	exit(1);
}

static void print(const char *what, const float *a)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		sum += (i + 1) * (double)a[i];
	printf("%s: %g %g, %.9g\n", what, (double)a[0], (double)a[N - 1], sum);
}

static void say_what_it_is(cl_kernel k)
{
	cl_uint arguments;
	char name[64];

	need(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof(arguments), &arguments, NULL), "info");
	need(clGetKernelInfo(k, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL), "info");
	printf("%s has %u arguments; one more: %d\n", name, arguments,
	       clSetKernelArg(k, arguments, 8, name));
}

static cl_program build(cl_context c, cl_device_id d, int bad)
{
	const char *strings[4] = { source[0], source[1], source[2], "" };
	size_t lengths[4] = { 0, strlen(source[1]), 0, 0 }, size = 0;
	cl_program p;
	cl_int e;

	if (bad)
		strings[3] = "kernel void bad(int x) { /* bobbin: out int y = no_such_name */ }\n";
	p = clCreateProgramWithSource(c, 4, strings, lengths, &e);
	need(e, "source");
	need(clBuildProgram(p, 1, &d, "-DUNUSED=1", NULL, NULL), "build");
	need(clGetProgramInfo(p, CL_PROGRAM_SOURCE, 0, NULL, &size), "info");
	printf("source of %zu bytes\n", size);
	return p;
}

int main(int argc, char **argv)
{
	const size_t size[3] = { N / 2, 2, 1 }, offset[3] = { 0, 5, 0 }, all = N, part = N / 2,
		     one = 1, many = 5000000;
	float a[N], factor = 2;
	cl_kernel scale, count, plain;
	cl_command_queue q;
	cl_platform_id pf;
	cl_device_id d;
	cl_program p;
	cl_context c;
	cl_event gate, done;
	cl_mem m;
	cl_int e;

	need(clGetPlatformIDs(1, &pf, NULL), "platform");
	need(clGetDeviceIDs(pf, CL_DEVICE_TYPE_ALL, 1, &d, NULL), "device");
	c = clCreateContext(NULL, 1, &d, NULL, NULL, &e);
	q = clCreateCommandQueue(c, d, 0, &e);
	for (int i = 0; i < N; i++)
		a[i] = (float)i;
	p = build(c, d, argc > 1 && !strcmp(argv[1], "bad"));
	scale = clCreateKernel(p, "scale", &e);
	need(e, "scale");
	count = clCreateKernel(p, "count", &e);
	plain = clCreateKernel(p, "plain", &e);
	printf("no such kernel: %d\n", clCreateKernel(p, "none", &e) == NULL);
	say_what_it_is(scale);
	say_what_it_is(count);
	m = clCreateBuffer(c, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(a), a, &e);
	need(clSetKernelArg(scale, 0, sizeof(m), &m), "argument");
	need(clSetKernelArg(plain, 0, sizeof(m), &m), "argument");
	need(clSetKernelArg(scale, 1, sizeof(factor), &factor), "argument");
	for (int i = 0; i < 3; i++)
		need(clEnqueueNDRangeKernel(q, scale, 1, NULL, &all, &one, 0, NULL, NULL), "scale");
	need(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof(a), a, 0, NULL, NULL), "read");
	print("scaled", a);

	/* waits for something later: a thread that waited in the launch would never reach this */
	gate = clCreateUserEvent(c, &e);
	factor = 0.5f;
	need(clSetKernelArg(scale, 1, sizeof(factor), &factor), "argument");
	need(clEnqueueNDRangeKernel(q, scale, 1, NULL, &part, &one, 1, &gate, &done), "gated");
	need(clEnqueueNDRangeKernel(q, plain, 1, NULL, &all, NULL, 1, &done, NULL), "plain");
	need(clSetUserEventStatus(gate, CL_COMPLETE), "gate");
	need(clWaitForEvents(1, &done), "wait");
	need(clFinish(q), "finish");
	need(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof(a), a, 0, NULL, NULL), "read");
	print("gated", a);

	need(clEnqueueNDRangeKernel(q, count, 3, offset, size, NULL, 0, NULL, NULL), "count");
	printf("no size: %d, no local size: %d\n",
	       clEnqueueNDRangeKernel(q, plain, 4, NULL, &all, NULL, 0, NULL, NULL) != 0,
	       clEnqueueNDRangeKernel(q, scale, 1, NULL, &all, &all, 0, NULL, NULL) != 0);
	need(clFinish(q), "finish");
	if (argc > 1 && !strcmp(argv[1], "large")) {
		need(clEnqueueNDRangeKernel(q, count, 1, NULL, &many, NULL, 0, NULL, NULL),
		     "large");
		need(clFinish(q), "finish");
	}
	need(clReleaseKernel(scale), "release");
	need(clReleaseKernel(count), "release");
	need(clReleaseKernel(plain), "release");
	need(clReleaseProgram(p), "release");
	need(clReleaseEvent(done), "release");
	need(clReleaseMemObject(m), "release");
	need(clReleaseCommandQueue(q), "release");
	need(clReleaseContext(c), "release");
	printf("done\n");
	return 0;
}
