# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs, native and under tools, in paired interleaved rounds."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from harness import programs

NATIVE = 'native'


class Outcome:
    """One run. `error` is None if it counts; else why it does not."""

    def __init__(self):
        self.error = None
        self.wall_s = self.cpu_s = self.loop_s = self.peak_kb = None
        self.output = self.notes = ''
        self.info = {}
        self.calls = None
        self.trace_bytes = None


def execute(command, stdin=None, extra=None, timeout_s=900):
    """Wall time and the user + system time of the process and of all it waited for."""
    out = Outcome()
    env = dict(os.environ, **programs.ENVIRONMENT, **(extra or {}))
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        source = open(stdin, 'rb') if stdin else subprocess.DEVNULL
        began = time.monotonic()
        try:
            child = subprocess.Popen(command, stdin=source, stdout=stdout, stderr=stderr, env=env,
                                     start_new_session=True)
        except OSError as e:
            out.error = str(e)
            return out
        finally:
            if stdin:
                source.close()
        status, usage = wait_for(child, timeout_s)
        out.wall_s = time.monotonic() - began
        stdout.seek(0)
        stderr.seek(0)
        out.output = stdout.read().decode(errors='replace')
        out.notes = stderr.read().decode(errors='replace')
    out.cpu_s = usage.ru_utime + usage.ru_stime
    out.peak_kb = usage.ru_maxrss
    found = re.search(r'time_s\s+([0-9.]+)', out.notes)
    out.loop_s = float(found[1]) if found else None
    if status is None:
        out.error = 'no end after %d s' % timeout_s
    elif status != 0:
        last = out.notes.strip().splitlines()[-1:] or ['']
        out.error = 'status %d: %s' % (status, last[0][:80])
    return out


def wait_for(child, timeout_s):
    """(exit status or None if it had to be killed, resource usage)."""
    def expire(_number, _frame):
        os.killpg(child.pid, signal.SIGKILL)
        expired.append(True)

    expired = []
    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(timeout_s)
    try:
        _, status, usage = os.wait4(child.pid, 0)
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)    # the benchmark was told to stop: leave nothing
        child.wait()
        raise
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    child.returncode = os.waitstatus_to_exitcode(status)
    return (None if expired else child.returncode), usage


class Bobbin:
    """The tracer in one configuration."""

    def __init__(self, path, images, codec):
        self.path, self.images, self.codec = path, images, codec
        self.name = 'bobbin %s %s' % (images, codec)

    def before(self, folder):
        return [self.path, 'record', '--images=' + self.images, '--codec=' + self.codec, '-q',
                '-o', os.path.join(folder, 'trace'), '--']

    def finish(self, out, folder):
        done = subprocess.run([self.path, 'info', '--json', os.path.join(folder, 'trace')],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            out.error = out.error or 'info failed: ' + done.stderr.strip()[:80]
            return
        try:
            out.info = json.loads(done.stdout)
        except ValueError as e:
            out.error = out.error or 'info printed no JSON: %s' % e
            return
        out.calls = out.info.get('events')
        out.trace_bytes = out.info.get('stream_bytes')


class Callgrind:
    name = 'callgrind'

    def before(self, folder):
        return ['valgrind', '--tool=callgrind', '-q', '--callgrind-out-file=' + folder + '/callgrind.%p']

    def finish(self, out, folder):
        """Calls are the sum of the counts of all call lines, over all images."""
        out.calls = out.trace_bytes = 0
        for path in glob.glob(folder + '/callgrind.*'):
            out.trace_bytes += os.path.getsize(path)
            with open(path) as f:
                out.calls += sum(int(line[6:].split()[0]) for line in f if line.startswith('calls='))


class Uftrace:
    """Dynamic patching of the same unmodified binary; it writes 32 bytes a call (16 at each end)."""
    name = 'uftrace'
    RECORD_BYTES = 16

    def before(self, folder):
        return ['uftrace', 'record', '-P', '.', '--no-libcall', '--no-event', '-d', folder + '/uftrace']

    def finish(self, out, folder):
        files = glob.glob(folder + '/uftrace/[0-9]*.dat')
        out.trace_bytes = sum(os.path.getsize(f) for f in files)
        out.calls = out.trace_bytes // (2 * self.RECORD_BYTES)
        if not out.calls:
            out.error = out.error or 'recorded no call'


def run_once(program, tool, work, cache=None, timeout_s=900):
    """One run of `program`, native if `tool` is None. The trace is deleted afterwards."""
    folder = tempfile.mkdtemp(dir=work)
    try:
        extra = {'XDG_CACHE_HOME': cache} if cache else None
        before = tool.before(folder) if tool else ()
        out = execute(program.start(before), program.stdin, extra, timeout_s)
        if tool and out.error is None:
            tool.finish(out, folder)
        return out
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Series:
    """All outcomes of one tool on one program; index = round."""

    def __init__(self):
        self.rounds = []
        self.order_note = ''

    def good(self):
        return [o for o in self.rounds if o.error is None]

    def errors(self):
        return [o.error for o in self.rounds if o.error is not None]


def compare_output(outcome, native):
    if outcome.error is None and native.error is None and outcome.output != native.output:
        outcome.error = 'its output differs from the native run'


def measure(program, tools, rounds, work, cache, progress):
    """{tool name: Series}. tools is a list of (tool, number of rounds it takes part in). In every
    round the native run and all tools follow each other, and the order turns by one each round."""
    series = {NATIVE: Series()}
    for tool, _ in tools:
        series[tool.name] = Series()
        run_once(program, tool, work, cache)    # warm: plans and the page cache, not counted
    for i in range(rounds):
        turn = [(None, rounds)] + [t for t in tools if i < t[1]]
        turn = turn[i % len(turn):] + turn[:i % len(turn)]
        results = {}
        for tool, _ in turn:
            name = tool.name if tool else NATIVE
            progress('%s n=%d round %d/%d %s' % (program.label(), program.ranks, i + 1, rounds, name))
            results[name] = run_once(program, tool, work, cache)
        for name, outcome in results.items():
            if name != NATIVE:
                compare_output(outcome, results[NATIVE])
            series[name].rounds.append(outcome)
    return series


def ratios(series, name, what):
    """Traced / native of the same round, over rounds where both ended well."""
    result = []
    for native, traced in zip(series[NATIVE].rounds, series[name].rounds):
        if native.error is None and traced.error is None and getattr(native, what):
            result.append(getattr(traced, what) / getattr(native, what))
    return result
