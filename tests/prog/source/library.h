/* SPDX-License-Identifier: BSD-3-Clause */
/* A shared library with its own file (library.c); plugin.cc is one in C++, with plugin_work. */
#ifndef LIBRARY_H
#define LIBRARY_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((visibility("default"))) void library_work(int n);
__attribute__((visibility("default"))) void plugin_work(int n);

#ifdef __cplusplus
}
#endif
#endif
