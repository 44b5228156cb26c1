// SPDX-License-Identifier: BSD-3-Clause
// Go: deep stacks, a caught nil dereference, goroutines, collections, a signal, a child.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}
func deep(n int) int {
	var pad [64]int
	pad[n%64] = n
	if n == 0 {
		return 0
	}
	return deep(n-1) + pad[n%64] - n + 1
}
func main() {
	fmt.Println(fib(20), deep(100000))
	func() { defer func() { fmt.Println("recovered", recover()) }(); var p *int; *p = 1 }()
	c := make(chan int)
	var wg sync.WaitGroup
	for i := 0; i < 50; i++ {
		wg.Add(1)
		go func(i int) { defer wg.Done(); c <- fib(i % 15) }(i)
	}
	go func() { wg.Wait(); close(c) }()
	s := 0
	for v := range c {
		s += v
	}
	fmt.Println(s)
	for i := 0; i < 1000; i++ {
		_ = make([]byte, 10000)
	}
	runtime.GC()
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println(<-sig)
	o, _ := exec.Command("echo", "child").Output()
	fmt.Print(string(o))
	os.Exit(3)
}
