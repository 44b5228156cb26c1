/* SPDX-License-Identifier: BSD-3-Clause */
/* An interpreter: parses expressions to trees, evaluates them many times, counts primes. */
#include <ctype.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline))
struct node {
	char op;
	long value;
	struct node *a, *b;
};
static struct node pool[4096];
static int used;
static const char *at;
static long var[26];
static NOINLINE struct node *make(char op, long v, struct node *a, struct node *b)
{
	pool[used] = (struct node){ op, v, a, b };
	return &pool[used++];
}
static NOINLINE char peek(void)
{
	while (*at == ' ')
		at++;
	return *at;
}
static struct node *sum(void);
static NOINLINE struct node *atom(void)
{
	char c = peek();

	if (c == '(') {
		struct node *n;
		at++;
		n = sum();
		peek();
		at++;
		return n;
	}
	if (isdigit((unsigned char)c)) {
		long v = 0;
		while (isdigit((unsigned char)*at))
			v = v * 10 + *at++ - '0';
		return make('n', v, 0, 0);
	}
	at++;
	return make('v', c - 'a', 0, 0);
}
static NOINLINE struct node *product(void)
{
	struct node *n = atom();
	while (peek() == '*' || *at == '%') {
		char op = *at++;
		n = make(op, 0, n, atom());
	}
	return n;
}
static NOINLINE struct node *sum(void)
{
	struct node *n = product();
	while (peek() == '+' || *at == '-') {
		char op = *at++;
		n = make(op, 0, n, product());
	}
	return n;
}
static NOINLINE long get(long i)
{
	return var[i];
}
static NOINLINE long add(long a, long b)
{
	return a + b;
}
static NOINLINE long mul(long a, long b)
{
	return a * b;
}
static NOINLINE long mod(long a, long b)
{
	return b ? a % b : 0;
}
static NOINLINE long eval(const struct node *n)
{
	switch (n->op) {
	case 'n':
		return n->value;
	case 'v':
		return get(n->value);
	case '+':
		return add(eval(n->a), eval(n->b));
	case '-':
		return add(eval(n->a), -eval(n->b));
	case '*':
		return mul(eval(n->a), eval(n->b));
	default:
		return mod(eval(n->a), eval(n->b));
	}
}
int main(void)
{
	static const char *const text[] = { "n % d", "d + 1", "(a*31 + n*7) % 1009 - d*(n+3)",
					    "n*n + 2*n + 1" };
	struct node *tree[4];
	long total = 0;

	for (int i = 0; i < 4; i++) {
		at = text[i];
		tree[i] = sum();
	}
	for (long n = 2; n < 1200; n++) {
		var['n' - 'a'] = n;
		for (var['d' - 'a'] = 2; var['d' - 'a'] * var['d' - 'a'] <= n;
		     var['d' - 'a'] = eval(tree[1]))
			if (!eval(tree[0])) {
				var[0] = eval(tree[2]);
				break;
			}
		total += eval(tree[3]);
		if (n % 100 == 0) {
			at = text[2];
			used = 200;
			sum();
		}
	}
	printf("%ld\n", total);
	return 0;
}
