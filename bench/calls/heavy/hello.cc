/* SPDX-License-Identifier: BSD-3-Clause */
/* The start-up cost of a C++ program. */
#include <iostream>

int main()
{
	std::cout << "hello\n";
	return 0;
}
