// SPDX-License-Identifier: BSD-3-Clause
// Java: a stack overflow, a null dereference, collections, a thread pool, a child.
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.*;
public class Work {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static int deep(int n) { return 1 + deep(n + 1); }
    public static void main(String[] a) throws Exception {
        System.out.println(fib(22));
        try {
            deep(0);
        } catch (StackOverflowError e) {
            System.out.println("overflow");
        }
        try {
            Object o = null;
            o.hashCode();
        } catch (NullPointerException e) {
            System.out.println("npe");
        }
        long s = 0;
        for (int i = 0; i < 200000; i++) {
            int[] x = new int[64];
            x[i % 64] = i;
            s += x[i % 64];
        }
        System.gc();
        System.out.println(s);
        ExecutorService p = Executors.newFixedThreadPool(4);
        List<Future<Integer>> f = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            final int n = i + 10;
            f.add(p.submit(() -> fib(n)));
        }
        for (Future<Integer> x : f) System.out.println(x.get());
        p.shutdown();
        Matcher m = Pattern.compile("(\\w)(\\d+)").matcher("a1 b22 c333");
        while (m.find()) System.out.println(m.group(2));
        Process c = new ProcessBuilder("sh", "-c", "echo child; exit 4").inheritIO().start();
        System.out.println(c.waitFor());
        System.exit(3);
    }
}
