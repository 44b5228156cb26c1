/* SPDX-License-Identifier: BSD-3-Clause */
/* Run-time libraries that `--images=app` excludes: glob patterns of file names, separated by
 * colons. META stores the list that a run used. */
#ifndef BOB_BASE_RUNTIME_LIST_H
#define BOB_BASE_RUNTIME_LIST_H

#define BOB_RUNTIME_LIST                                                                           \
	"ld-linux*:ld-musl*:libc.so*:libc-*:libm.so*:libm-*:libmvec*:libpthread*:libdl.so*:"       \
	"libdl-*:librt.so*:libutil.so*:libresolv*:libnss_*:libanl.so*:libstdc++*:libc++*:"         \
	"libgcc_s*:libgfortran*:libquadmath*:libgomp*:libomp*:libiomp*:libmpi*:libmpich*:"         \
	"libopen-rte*:libopen-pal*:libpmix*:libpmi*:libucp*:libuct*:libucs*:libucm*:libfabric*:"   \
	"libhwloc*:libevent*:libpsm*:libibverbs*:librdmacm*:libmunge*:mca_*:libnuma*:libudev*:"    \
	"libasan*:libhwasan*:liblsan*:libtsan*:libubsan*:libclang_rt*:libsystemd*:libnl-*:"        \
	"linux-vdso*:libbobbin*"

#endif
