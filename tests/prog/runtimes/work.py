# SPDX-License-Identifier: BSD-3-Clause
# Python (also PyPy): recursion, threads, cycles, regular expressions, children, signals.
import gc
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import weakref


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


class Node:
    def __init__(self):
        self.me = self


def deep(n):
    return deep(n + 1)


def worker(out, n):
    out.append(sum(hashlib.sha256(str(i).encode()).digest()[0] for i in range(n)))


print(fib(15), flush=True)
try:
    deep(0)
except RecursionError as e:
    print("recursion", type(e).__name__)
out, threads = [], []
for i in range(4):
    threads.append(threading.Thread(target=worker, args=(out, 300)))
for t in threads:
    t.start()
for t in threads:
    t.join()
print(out)
refs = [weakref.ref(Node()) for _ in range(1000)]
gc.collect()
print(sum(r() is not None for r in refs))
print(re.findall(r"(\w)(\d+)", "a1 b22 c333" * 20)[-1])
print(json.dumps({"a": [1, 2.5, None]}))
print(subprocess.run(["echo", "child"], capture_output=True, check=True).stdout)
seen = []
signal.signal(signal.SIGUSR1, lambda s, f: seen.append(s))
for _ in range(20):
    os.kill(os.getpid(), signal.SIGUSR1)
print(len(seen))
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    print("forked", flush=True)
    os._exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
sys.exit(3)
