#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Handlers and unwinders see the program's own code wherever they interrupt it: at each instruction
of an entry that is recorded or of a probe, at faults of displaced instructions, and when they send
the program into these."""

import sys

import harness as h

suite = h.Suite("interrupted")

FAULT = r"""
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
#define LONG __attribute__((noinline, noclone)) long
LONG probe(long *p) { long v = *p; return v * 3 + v / 7; }
LONG following(long a, long *p) { a += 5; a ^= *p; return a * 3; }
static int seen;
static jmp_buf env;
static void on_fault(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    char *pc = (char *)uc->uc_mcontext.gregs[REG_RIP];
    if (pc < (char *)probe || pc >= (char *)probe + 64) {
        printf("%d, fault in following: %d\n", sig,
               pc > (char *)following && pc < (char *)following + 64);
        siglongjmp(env, 1);
    }
    seen++;
    uc->uc_mcontext.gregs[REG_RIP] = *(long *)uc->uc_mcontext.gregs[REG_RSP];
    uc->uc_mcontext.gregs[REG_RSP] += 8;
    uc->uc_mcontext.gregs[REG_RAX] = -1;
}
int main(void)
{
    struct sigaction act = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, old;
    long v = 7;
    sigaction(SIGSEGV, &act, 0);
    printf("%ld %ld\n", probe(&v), probe((long *)16));
    if (!sigsetjmp(env, 1))
        following(1, (long *)16);
    act.sa_flags |= SA_RESETHAND;
    sigaction(SIGSEGV, &act, &old);
    printf("%d %d\n", old.sa_sigaction == on_fault, old.sa_flags == SA_SIGINFO);
    printf("%ld\n", probe((long *)16));
    sigaction(SIGSEGV, 0, &old);
    printf("seen %d, handler is reset: %d\n", seen, old.sa_handler == SIG_DFL);
    return 3;
}
"""
THROW = r"""
#include <csignal>
#include <cstdio>
static void on_fault(int) { throw 5; }
__attribute__((noinline)) void bad(volatile int *p) { *p = 12; }
int main()
{
    struct sigaction act = {};
    act.sa_handler = on_fault;
    act.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &act, nullptr);
    for (int i = 0; i < 3; i++)
        try { bad(nullptr); } catch (int x) { std::printf("caught %d\n", x); }
    return 4;
}
"""
# Calls that follow no rule, so that the recorder needs more and more memory while it is stepped.
STEPPED_LONG = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
static volatile long steps;
static void on_step(int sig) { (void)sig; steps++; }
#define F(n) __attribute__((noinline, noclone)) static long f##n(long x) { return x * (2 * n + 3); }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
static void set_trap_flag(int on)
{
    if (on)
        __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc");
    else
        __asm__ volatile("pushfq\n andq $~0x100, (%%rsp)\n popfq" ::: "memory", "cc");
}
int main(void)
{
    static long (*const f[])(long) = {f0, f1, f2, f3, f4, f5, f6, f7};
    unsigned long r = 88172645463325252ul;
    long sum = 0;
    signal(SIGTRAP, on_step);
    set_trap_flag(1);
    for (int i = 0; i < 300; i++) {
        r ^= r << 13, r ^= r >> 7, r ^= r << 17;
        sum += f[r >> 40 & 7](i);
    }
    set_trap_flag(0);
    printf("%ld, %ld steps\n", sum, steps);
    return 0;
}
"""


def same(exe, opts=(), env=None):
    native = h.run([exe])
    trace = h.fresh("trace") / "t"
    traced = h.record([exe], opts, trace=trace, env=env)
    h.same(native, traced)
    h.check_trace(trace)
    return native


def stepped(flags, images, env):
    exe = h.compile("interrupted", ["interrupted.c"], "gcc", [*flags, "-w"])
    native = same(exe, [f"--images={images}"], env)
    h.check(len(native.out.splitlines()) > 200, "the steps are printed")


for images in ("main", "all"):
    for flags in (["-O1"], ["-O2", "-no-pie", "-fcf-protection=full"]):
        for check in (None, "slow"):
            env = h.environment({"BOBBIN_CHECK": check}) if check else None
            suite.add(f"each instruction {images} {' '.join(flags)} {check or 'fast'}", stepped,
                      flags, images, env)


def written(name, text, cc, flags):
    source = h.fresh("source") / name
    h.put(source, text)
    return h.compile(name.split(".")[0], [source], cc, ["-w", *flags])


def faults(level, opts):
    same(written("fault.c", FAULT, "gcc", [level]), opts)


def stepped_long(opts):
    native = same(written("stepped.c", STEPPED_LONG, "gcc", ["-O1", "-mno-red-zone"]), opts)
    h.check(int(native.out.split()[1]) > 5000, f"{native}")


suite.add("thousands of steps", stepped_long, ["--images=main"])


def throws(level, opts):
    same(written("throwing.cc", THROW, "g++", [level, "-fexceptions", "-fnon-call-exceptions"]),
         opts)


def unwinds(level, opts):
    exe = h.compile("unwinds", ["unwinds.cc"], "g++",
                    ["-w", level, "-fexceptions", "-fnon-call-exceptions"])
    native = same(exe, opts)
    h.check(native.out.endswith(b"ok\n"), f"the program itself finds an error\n{native}")


for level in ("-O0", "-O1", "-O2"):
    for opts in (["--images=main"], ["--images=app"], ["--images=all"],
                 ["--mem", "--engine=native"]):
        suite.add(f"faults {level} {opts[0]}", faults, level, opts)
        suite.add(f"throw from a handler {level} {opts[0]}", throws, level, opts)
for level in ("-O0", "-O2"):
    for opts in (["--images=all"], ["--mem", "--engine=native"]):
        suite.add(f"unwinding at each instruction {level} {opts[0]}", unwinds, level, opts)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
