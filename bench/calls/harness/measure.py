# SPDX-License-Identifier: BSD-3-Clause
"""Runs one program under one tool and says what that cost."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import zlib

from harness import programs
from harness.rows import NATIVE, Run

TIMEOUT_S = 900
STOP_S = 5
OWN_NOTES = re.compile(r'(time_s|calls|peak_kb|start_ns) ')


def execute(run, command, stdin=None, extra=None, timeout_s=TIMEOUT_S):
    """Fills in wall time, the user + system time of the process and of all it waited for, and what
    the program says of itself. Returns the moment of the start."""
    env = dict(os.environ, **programs.ENVIRONMENT, **(extra or {}))
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        source = open(stdin, 'rb') if stdin else subprocess.DEVNULL
        began = time.monotonic()
        try:
            child = subprocess.Popen(command, stdin=source, stdout=stdout, stderr=stderr, env=env,
                                     start_new_session=True)
        except OSError as e:
            run.error = str(e)
            return began
        finally:
            if stdin:
                source.close()
        status, usage = wait_for(child, timeout_s)
        run.wall_s = time.monotonic() - began
        stdout.seek(0)
        stderr.seek(0)
        run.output = '%08x' % zlib.crc32(stdout.read())
        notes = stderr.read().decode(errors='replace')
    run.cpu_s = usage.ru_utime + usage.ru_stime
    run.loop_s = found(r'^time_s\s+([0-9.]+)', notes, float)
    run.calls = found(r'^calls (\d+)', notes, int)
    run.peak_kb = found(r'^peak_kb (\d+)', notes, int) or usage.ru_maxrss
    start_ns = found(r'^start_ns (\d+)', notes, int)
    run.thread_start_us = None if start_ns is None else start_ns / 1e3
    if status is None:
        run.error = 'no end after %d s' % timeout_s
    elif status != 0:
        words = [n for n in notes.splitlines() if n.strip()
                 and not OWN_NOTES.match(n)] or ['no message']
        run.error = 'status %d: %s' % (status, words[-1][:80])
    return began


def found(pattern, text, kind):
    match = re.search(pattern, text, re.M)
    return kind(match[1]) if match else None


def wait_for(child, timeout_s):
    """(exit status or None if it had to be killed, resource usage)."""
    def expire(_number, _frame):
        os.killpg(child.pid, signal.SIGKILL if expired else signal.SIGTERM)
        expired.append(True)
        signal.alarm(STOP_S)

    expired = []
    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(timeout_s)
    try:
        _, status, usage = os.wait4(child.pid, 0)
    except BaseException:    # interrupted: leave nothing; mpirun ends its ranks itself
        expire(None, None)
        child.wait()
        raise
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    child.returncode = os.waitstatus_to_exitcode(status)
    return (None if expired else child.returncode), usage


class Native:
    name = NATIVE
    images = None
    cold = False
    timeout_s = TIMEOUT_S

    def command(self, program, _folder):
        return program.start()

    def finish(self, run, folder, began):
        pass


class Counted(Native):
    """The kernel of the counting build: the truth about calls of the main image."""
    name = 'counted'

    def command(self, program, _folder):
        return program.counting


class Bobbin(Native):
    """The tracer in one configuration; `cold` with an empty plan cache."""

    def __init__(self, path, images, codec, cold=False):
        self.path, self.images, self.codec, self.cold = path, images, codec, cold
        self.name = 'bobbin %s %s' % (images, codec) + (' cold' if cold else '')

    def command(self, program, folder):
        return program.start([self.path, 'record', '--images=' + self.images,
                              '--codec=' + self.codec, '-q', '-o', os.path.join(folder, 'trace'),
                              '--'])

    def finish(self, run, folder, began):
        done = subprocess.run([self.path, 'info', '--json', os.path.join(folder, 'trace')],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            run.error = 'info failed: ' + done.stderr.strip()[:80]
            return
        info = json.loads(done.stdout)
        run.calls, run.raw_bytes, run.trace_bytes = (info['events'], info['raw_bytes'],
                                                     info['stream_bytes'])
        run.processes, run.threads = info['processes'], info['threads']
        if run.processes == 1:
            self.take_moments(run, info['process_list'][0], began * 1e9)

    @staticmethod
    def take_moments(run, process, began_ns):
        """The agent notes its start, the creation of the stream by the first call, and its end."""
        first = min((t['start_mono_ns'] for t in process['thread_list']), default=0)
        if first and process['end_mono_ns']:
            run.before_s = (process['start_mono_ns'] - began_ns) / 1e9
            run.patch_s = (first - process['start_mono_ns']) / 1e9
            run.inside_s = (process['end_mono_ns'] - first) / 1e9


class Callgrind(Native):
    name = 'callgrind'
    timeout_s = 4 * 3600

    def command(self, program, folder):
        return program.start(['valgrind', '--tool=callgrind', '-q',
                              '--callgrind-out-file=' + folder + '/callgrind.%p'])

    def finish(self, run, folder, began):
        """Calls are the sum of the counts of all call lines, over all images."""
        run.calls = run.trace_bytes = 0
        for path in glob.glob(folder + '/callgrind.*'):
            run.trace_bytes += os.path.getsize(path)
            with open(path) as f:
                run.calls += sum(int(line[6:].split()[0]) for line in f
                                 if line.startswith('calls='))


class Uftrace(Native):
    """Dynamic patching of the same unmodified binary; 32 bytes per call (16 at each end)."""
    name = 'uftrace'
    RECORD_BYTES = 16

    def command(self, program, folder):
        return program.start(['uftrace', 'record', '-P', '.', '--no-libcall', '--no-event',
                              '-d', folder + '/uftrace'])

    def finish(self, run, folder, began):
        files = glob.glob(folder + '/uftrace/[0-9]*.dat')
        run.trace_bytes = sum(os.path.getsize(f) for f in files)
        run.calls = run.trace_bytes // (2 * self.RECORD_BYTES)
        if not run.calls:
            run.error = run.error or 'recorded no call'


def run_once(program, tool, work, cache, run=None):
    """One run of `program` under `tool`, filled into `run`. The trace is deleted afterwards."""
    run = run or Run()
    folder = tempfile.mkdtemp(dir=work)
    try:
        extra = {'XDG_CACHE_HOME': tempfile.mkdtemp(dir=folder) if tool.cold else cache}
        began = execute(run, tool.command(program, folder), program.stdin, extra, tool.timeout_s)
        if run.error is None:
            tool.finish(run, folder, began)
        return run
    finally:
        shutil.rmtree(folder, ignore_errors=True)
