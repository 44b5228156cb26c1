// SPDX-License-Identifier: BSD-3-Clause
// Rust: recursion, panics that are caught, drops, threads and channels, a child.
use std::{collections::HashMap, panic, process, sync::mpsc, thread};
#[inline(never)]
fn fib(n: u64) -> u64 {
    if n < 2 {
        n
    } else {
        fib(n - 1) + fib(n - 2)
    }
}
struct D(u32);
impl Drop for D {
    fn drop(&mut self) {
        println!("drop {}", self.0);
    }
}
#[inline(never)]
fn bad(n: u32) -> u32 {
    let _d = D(n);
    if n == 3 {
        panic!("three")
    } else {
        bad(n + 1)
    }
}
fn main() {
    println!("{}", fib(15));
    panic::set_hook(Box::new(|_| {}));
    println!("{}", panic::catch_unwind(|| bad(0)).is_err());
    let (tx, rx) = mpsc::channel();
    for i in 0..4 {
        let tx = tx.clone();
        thread::spawn(move || tx.send(fib(i + 10)).unwrap());
    }
    drop(tx);
    let mut v: Vec<u64> = rx.iter().collect();
    v.sort();
    println!("{:?}", v);
    println!(
        "{}",
        thread::spawn(|| -> () { panic!("in thread") })
            .join()
            .is_err() as u8
    );
    let mut h = HashMap::new();
    for i in 0..1000u32 {
        *h.entry(i % 7).or_insert(0) += i;
    }
    println!("{}", h[&3]);
    let o = process::Command::new("echo").arg("child").output().unwrap();
    print!("{}", String::from_utf8_lossy(&o.stdout));
    process::exit(3)
}
