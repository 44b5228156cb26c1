// SPDX-License-Identifier: BSD-3-Clause
// C called from Go, and Go called back: from qsort, from threads of C, beside handlers of C.
package main

/*
#include <signal.h>
#include <stdlib.h>
#include <pthread.h>
extern int goCall(int);
static int seen;
static void on_usr2(int s)
{
	seen++;
}
__attribute__((noinline)) static int c_fib(int n)
{
	return n < 2 ? n : c_fib(n - 1) + c_fib(n - 2);
}
__attribute__((noinline)) static int c_call(int n)
{
	return n == 0 ? 0 : goCall(n - 1) + 1;
}
static int compare(const void *a, const void *b)
{
	return goCall(0) + *(const int *)a - *(const int *)b;
}
static int c_sort(void)
{
	int v[50];

	for (int i = 0; i < 50; i++)
		v[i] = i * 37 % 50;
	qsort(v, 50, sizeof v[0], compare);
	return v[7];
}
static void *run(void *p)
{
	*(int *)p = goCall(5);
	return 0;
}
static int c_thread(void)
{
	pthread_t t;
	int r = 0;

	pthread_create(&t, 0, run, &r);
	pthread_join(t, 0);
	return r;
}
static int c_signal(void)
{
	struct sigaction a = {0};

	a.sa_handler = on_usr2;
	a.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &a, 0);
	for (int i = 0; i < 20; i++)
		raise(SIGUSR2);
	return seen;
}
*/
import "C"
import (
	"fmt"
	"os"
	"runtime"
	"sync"
)

//export goCall
func goCall(n C.int) C.int { runtime.Gosched(); return C.c_call(n) }
func main() {
	fmt.Println(C.c_fib(15), C.c_call(100), C.c_sort(), C.c_thread(), C.c_signal())
	var wg sync.WaitGroup
	r := make([]int, 20)
	for i := range r {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			r[i] = int(C.c_call(C.int(i))) + int(C.c_fib(10))
		}(i)
	}
	wg.Wait()
	runtime.GC()
	fmt.Println(r)
	func() { defer func() { fmt.Println("recovered", recover()) }(); var p *int; *p = 1 }()
	os.Exit(3)
}
