# SPDX-License-Identifier: BSD-3-Clause
# Bobbin's Valgrind tool, a separate program (GPL) with a launcher, built if Valgrind's headers and
# libraries are installed. The library that Valgrind preloads is looked for where Debian installs
# it.

set(BOB_VALGRIND_INCLUDE /usr/include/valgrind CACHE PATH "Where Valgrind's headers for tools are")
find_library(BOB_VALGRIND_CORE coregrind-amd64-linux
	PATH_SUFFIXES valgrind x86_64-linux-gnu/valgrind)
find_library(BOB_VALGRIND_VEX vex-amd64-linux PATH_SUFFIXES valgrind x86_64-linux-gnu/valgrind)
find_library(BOB_VALGRIND_GCC gcc-sup-amd64-linux
	PATH_SUFFIXES valgrind x86_64-linux-gnu/valgrind)
find_file(BOB_VALGRIND_PRELOAD vgpreload_core-amd64-linux.so
	PATHS /usr/libexec/valgrind /usr/lib/x86_64-linux-gnu/valgrind /usr/lib/valgrind
	NO_DEFAULT_PATH)
mark_as_advanced(BOB_VALGRIND_INCLUDE BOB_VALGRIND_CORE BOB_VALGRIND_VEX BOB_VALGRIND_GCC
	BOB_VALGRIND_PRELOAD)

bob_part_sources(sources valgrind)
if(NOT sources OR NOT TARGET bob_freestanding)
	return()
endif()
if(NOT EXISTS ${BOB_VALGRIND_INCLUDE}/pub_tool_tooliface.h
		OR NOT BOB_VALGRIND_CORE OR NOT BOB_VALGRIND_VEX
		OR NOT BOB_VALGRIND_GCC OR NOT BOB_VALGRIND_PRELOAD)
	message(STATUS
		"Valgrind's files for tools are missing: record --engine=valgrind is left out")
	return()
endif()

list(FILTER sources EXCLUDE REGEX "/launcher\\.c$")
set(dir ${CMAKE_BINARY_DIR}/lib/bobbin)
add_executable(bob_valgrind ${sources} $<TARGET_OBJECTS:bob_freestanding>)
set_target_properties(bob_valgrind PROPERTIES
	OUTPUT_NAME bobbin-amd64-linux RUNTIME_OUTPUT_DIRECTORY ${dir})
target_link_libraries(bob_valgrind PRIVATE bob_common)
target_include_directories(bob_valgrind PRIVATE ${BOB_VALGRIND_INCLUDE})
target_compile_definitions(bob_valgrind PRIVATE VGA_amd64=1 VGO_linux=1 VGP_amd64_linux=1
	VGPV_amd64_linux_vanilla=1)
# The core has no stack guard and no thread-local storage. Its headers are not SYSTEM: gcc would
# then not report functions that were never declared, because their names come from a macro there
# (VG_).
target_compile_options(bob_valgrind PRIVATE -O2 -fno-pie -fno-stack-protector -fno-builtin
	-fno-strict-aliasing -fomit-frame-pointer -U_FORTIFY_SOURCE -Wall -Wextra -Wshadow
	-Wstrict-prototypes -Wpointer-arith -Wwrite-strings -Wvla -Wno-unused-parameter)
if(BOB_WERROR)
	target_compile_options(bob_valgrind PRIVATE -Werror)
endif()
target_link_options(bob_valgrind PRIVATE -static -nodefaultlibs -nostartfiles -no-pie -u _start
	-Wl,--build-id=none -Wl,-Ttext-segment=0x58000000 -Wl,-z,noexecstack)
target_link_libraries(bob_valgrind PRIVATE
	${BOB_VALGRIND_CORE} ${BOB_VALGRIND_VEX} ${BOB_VALGRIND_GCC} gcc)

add_executable(bob_valgrind_launcher src/valgrind/launcher.c)
set_target_properties(bob_valgrind_launcher PROPERTIES
	OUTPUT_NAME bobbin-valgrind RUNTIME_OUTPUT_DIRECTORY ${dir})
target_link_libraries(bob_valgrind_launcher PRIVATE bob_common bob_ours)
if(TARGET bob_cli)
	target_compile_definitions(bob_verbs PRIVATE BOB_VALGRIND_PRELOAD="${BOB_VALGRIND_PRELOAD}")
	add_dependencies(bob_cli bob_valgrind bob_valgrind_launcher)
endif()
