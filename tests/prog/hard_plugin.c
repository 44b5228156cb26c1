/* SPDX-License-Identifier: BSD-3-Clause */
/* A plug-in of 10,000 functions: 500 times its ids would not fit into 22 bits. */
#define FUNCTION(n)                                                                                \
	int plug_##n(int a);                                                                       \
	int plug_##n(int a)                                                                        \
	{                                                                                          \
		return a + n % 7 + 1;                                                              \
	}
#define TENS(n)                                                                                    \
	FUNCTION(n##0)                                                                             \
	FUNCTION(n##1)                                                                             \
	FUNCTION(n##2)                                                                             \
	FUNCTION(n##3)                                                                             \
	FUNCTION(n##4)                                                                             \
	FUNCTION(n##5)                                                                             \
	FUNCTION(n##6)                                                                             \
	FUNCTION(n##7)                                                                             \
	FUNCTION(n##8)                                                                             \
	FUNCTION(n##9)
#define HUNDREDS(n)                                                                                \
	TENS(n##0)                                                                                 \
	TENS(n##1)                                                                                 \
	TENS(n##2)                                                                                 \
	TENS(n##3)                                                                                 \
	TENS(n##4)                                                                                 \
	TENS(n##5)                                                                                 \
	TENS(n##6)                                                                                 \
	TENS(n##7)                                                                                 \
	TENS(n##8)                                                                                 \
	TENS(n##9)
#define THOUSANDS(n)                                                                               \
	HUNDREDS(n##0)                                                                             \
	HUNDREDS(n##1)                                                                             \
	HUNDREDS(n##2)                                                                             \
	HUNDREDS(n##3)                                                                             \
	HUNDREDS(n##4)                                                                             \
	HUNDREDS(n##5)                                                                             \
	HUNDREDS(n##6)                                                                             \
	HUNDREDS(n##7)                                                                             \
	HUNDREDS(n##8)                                                                             \
	HUNDREDS(n##9)

THOUSANDS(10)
THOUSANDS(11)
THOUSANDS(12)
THOUSANDS(13)
THOUSANDS(14)
THOUSANDS(15)
THOUSANDS(16)
THOUSANDS(17)
THOUSANDS(18)
THOUSANDS(19)
