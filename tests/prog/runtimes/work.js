// SPDX-License-Identifier: BSD-3-Clause
// Node: recursion, a stack overflow, children, collections, workers, a signal.
const {execFileSync, spawnSync} = require('child_process');
const {Worker, isMainThread, parentPort, workerData} = require('worker_threads');
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
if (!isMainThread) {
    parentPort.postMessage(fib(workerData));
} else {
    console.log(fib(22));
    try {
        (function f() { f(); })();
    } catch (e) {
        console.log(e instanceof RangeError);
    }
    console.log(
        'a1 b22 c333'.match(/\w\d+/g), String(execFileSync('echo', ['child'])),
        spawnSync('sh', ['-c', 'exit 4']).status);
    let seen = 0;
    process.on('SIGUSR2', () => seen++);
    let a = [];
    for (let i = 0; i < 20000; i++) a.push({i});
    a = null;
    const w = [18, 19].map(
        n => new Promise(r => new Worker(__filename, {workerData: n}).on('message', r)));
    Promise.all(w).then(v => {
        console.log(v);
        process.kill(process.pid, 'SIGUSR2');
        (function wait() {
            if (!seen) return setTimeout(wait, 5);
            console.log(seen);
            process.exit(3);
        })();
    });
}
