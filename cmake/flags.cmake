# SPDX-License-Identifier: BSD-3-Clause
# Compiler flags, once. Four sets:
#   bob_common  language, include paths, debug level       everything
#   bob_ours    the warnings of the project            our libraries, programs and the agent
#   bob_host    sanitizers, coverage                       everything but the agent
#   BOB_FREESTANDING_FLAGS                                 what runs inside the traced process

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")

find_program(BOB_CCACHE ccache)
mark_as_advanced(BOB_CCACHE)
if(BOB_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
	set(CMAKE_C_COMPILER_LAUNCHER ${BOB_CCACHE})
endif()

add_library(bob_common INTERFACE)
target_include_directories(bob_common INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(bob_common INTERFACE BOB_DEBUG=${BOB_DEBUG})
target_compile_options(bob_common INTERFACE
	$<$<COMPILE_LANGUAGE:C>:-fvisibility=hidden -fno-common>)

add_library(bob_ours INTERFACE)
target_compile_options(bob_ours INTERFACE $<$<COMPILE_LANGUAGE:C>:
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
	-Wwrite-strings -Wvla -Wundef -Wformat=2 -Wconversion>)
if(BOB_SANITIZE)
	# gcc sees conversions in its own instrumentation, and warns that it does not model fences.
	target_compile_options(bob_ours INTERFACE $<$<COMPILE_LANGUAGE:C>:
		$<$<C_COMPILER_ID:GNU>:-Wno-conversion -Wno-sign-conversion -Wno-tsan>>)
endif()
# Tests: assertion macros of cmocka convert on purpose, LLVMFuzzerTestOneInput has no prototype.
add_library(bob_tests INTERFACE)
target_compile_options(bob_tests INTERFACE $<$<COMPILE_LANGUAGE:C>:
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wpointer-arith -Wwrite-strings -Wvla -Wundef
	-Wformat=2>)
# As gcc says it.
foreach(sanitizer IN ITEMS address thread)
	if(BOB_SANITIZE MATCHES ${sanitizer} AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
		string(TOUPPER __SANITIZE_${sanitizer}__ defined)
		target_compile_definitions(bob_tests INTERFACE ${defined})
	endif()
endforeach()
if(BOB_WERROR)
	target_compile_options(bob_ours INTERFACE $<$<COMPILE_LANGUAGE:C>:-Werror>)
	target_compile_options(bob_tests INTERFACE $<$<COMPILE_LANGUAGE:C>:-Werror>)
endif()

add_library(bob_host INTERFACE)
if(BOB_SANITIZE)
	# Of what debuggers read, reports need lines only.
	target_compile_options(bob_host INTERFACE $<$<COMPILE_LANGUAGE:C>:
		-fsanitize=${BOB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1>)
	target_link_options(bob_host INTERFACE -fsanitize=${BOB_SANITIZE})
	# gold links the sanitizer's run time, which is in each test program, in a quarter of the
	# time.
	find_program(BOB_GOLD ld.gold)
	mark_as_advanced(BOB_GOLD)
	if(BOB_GOLD)
		target_link_options(bob_host INTERFACE -fuse-ld=gold)
	endif()
endif()
# Sanitized code takes five times as long to compile with -O1 as with -O0. Only parts whose tests
# run long are worth it (parts.cmake), and fuzzing.
set(BOB_SANITIZED_FAST run fold mem base archive plan)
function(bob_sanitized_slow target)
	if(BOB_SANITIZE MATCHES address AND NOT BOB_FUZZ)
		target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:-O0>)
	endif()
endfunction()
if(BOB_FUZZ)
	target_compile_options(bob_host INTERFACE
		$<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>)
endif()
if(BOB_COVERAGE)
	target_compile_options(bob_host INTERFACE $<$<COMPILE_LANGUAGE:C>:--coverage>)
	target_link_options(bob_host INTERFACE --coverage)
endif()

# The traced program's vector registers, errno and stack guard are not ours to touch. Loops are not
# turned into calls of memset and friends, because we are the ones who define those; but a memcpy of
# 8 bytes is to be one load (-fbuiltin; freestanding code calls the function).
set(BOB_FREESTANDING_FLAGS
	-ffreestanding -fbuiltin -mgeneral-regs-only -fPIC -fno-stack-protector -fcf-protection=none
	-fno-tree-vectorize -ftls-model=initial-exec -fasynchronous-unwind-tables -O2
	-U_FORTIFY_SOURCE)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
	list(APPEND BOB_FREESTANDING_FLAGS -fno-tree-loop-distribute-patterns)
endif()
