# SPDX-License-Identifier: BSD-3-Clause
# One static library bob_<part> per folder of src/, with the dependencies of tools/layers.txt, and
# the program bobbin from src/cli. The agent is apart (agent.cmake): it is compiled differently.

# Source files of one part, up to two levels of sub-folders deep.
function(bob_part_sources out part)
	set(dir ${CMAKE_SOURCE_DIR}/src/${part})
	file(GLOB files CONFIGURE_DEPENDS ${dir}/*.c ${dir}/*.S ${dir}/*/*.c ${dir}/*/*.S
		${dir}/*/*/*.c ${dir}/*/*/*.S)
	set(${out} ${files} PARENT_SCOPE)
endfunction()

# BOB_PARTS, lowest first, and BOB_DEPS_<part>, from the table that tools/check_layers.py enforces.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/layers.txt)
file(STRINGS ${CMAKE_SOURCE_DIR}/tools/layers.txt lines REGEX "^[a-z]+:")
set(BOB_PARTS "")
foreach(line IN LISTS lines)
	string(REGEX MATCH "^[a-z]+" part ${line})
	string(REGEX REPLACE "^[a-z]+:" "" deps ${line})
	separate_arguments(deps UNIX_COMMAND "${deps}")
	list(FILTER deps EXCLUDE REGEX "/")
	list(APPEND BOB_PARTS ${part})
	set(BOB_DEPS_${part} ${deps})
endforeach()

find_library(BOB_ZYDIS Zydis)
find_library(BOB_ELF elf)
find_library(BOB_DW dw)
find_library(BOB_ZSTD zstd)
# Optional: the OTF2 export (-DBOB_OTF2=OFF leaves it out). The library is static, so that bobbin
# also starts where it is not installed.
find_library(BOB_OTF2 NAMES libopen-trace-format2.a libotf2.a)
find_path(BOB_OTF2_INCLUDE otf2/otf2.h)
if(BOB_OTF2 AND BOB_OTF2_INCLUDE)
	set(BOB_LIBS_export ${BOB_OTF2})
	set(BOB_LEFT_OUT_export "/otf2/absent\\.c$")
else()
	set(BOB_LEFT_OUT_export "/otf2/(archive|comms|definitions|events)\\.c$")
endif()
# Optional: reading C for the instrumenter. The build needs the headers; the library itself is
# loaded when it is used.
find_path(BOB_CLANG_INCLUDE clang-c/Index.h PATHS /usr/lib/llvm-14/include /usr/lib/llvm-15/include
	/usr/lib/llvm-16/include)
if(BOB_CLANG_INCLUDE)
	set(BOB_LEFT_OUT_source "/source/c/absent\\.c$")
else()
	set(BOB_LEFT_OUT_source "/source/c/([b-z]|a[^b])[a-z_]*\\.c$") # all but absent.c
endif()
set(BOB_LIBS_archive ${BOB_ZSTD})
set(BOB_LIBS_plan ${BOB_ZYDIS} ${BOB_ELF} ${BOB_DW})
set(BOB_HAVE_LIBS_plan TRUE)
set(BOB_HAVE_LIBS_archive TRUE)
if(NOT BOB_ZSTD)
	set(BOB_HAVE_LIBS_archive FALSE)
endif()
if(NOT BOB_ZYDIS OR NOT BOB_ELF OR NOT BOB_DW)
	set(BOB_HAVE_LIBS_plan FALSE)
endif()

set(BOB_BUILT "") # the libraries that exist, for the tests
foreach(part IN LISTS BOB_PARTS)
	bob_part_sources(sources ${part})
	list(FILTER sources EXCLUDE REGEX "/runtime/") # parts of generated files: see embed.c
	if(BOB_LEFT_OUT_${part})
		list(FILTER sources EXCLUDE REGEX ${BOB_LEFT_OUT_${part}})
	endif()
	if(part MATCHES "^(agent|events|probe|mpi|valgrind)$" OR NOT sources
			OR BOB_ONLY_FREESTANDING)
		continue()
	endif()
	if(DEFINED BOB_HAVE_LIBS_${part} AND NOT BOB_HAVE_LIBS_${part})
		message(FATAL_ERROR
			"part ${part} needs libraries that are missing; run tools/install_deps.sh")
	endif()
	if(part STREQUAL "cli")
		# All but main: a fuzz target runs verbs, too.
		list(FILTER sources EXCLUDE REGEX "/main\\.c$")
		add_library(bob_verbs OBJECT ${sources})
		add_executable(bob_cli ${CMAKE_SOURCE_DIR}/src/cli/main.c)
		set_target_properties(bob_cli PROPERTIES OUTPUT_NAME bobbin)
		target_link_libraries(bob_cli PRIVATE bob_verbs $<BUILD_INTERFACE:bob_ours>)
		set(target bob_verbs)
	else()
		add_library(bob_${part} STATIC ${sources})
		set_target_properties(bob_${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
		list(APPEND BOB_BUILT bob_${part})
		set(target bob_${part})
	endif()
	foreach(dep IN LISTS BOB_DEPS_${part})
		if(TARGET bob_${dep})
			target_link_libraries(${target} PUBLIC bob_${dep})
		endif()
	endforeach()
	if(part MATCHES "^(wrap|source)$")
		# What they write contains these headers.
		file(GLOB embedded CONFIGURE_DEPENDS
			${CMAKE_SOURCE_DIR}/include/bobbin/*.h
			${CMAKE_SOURCE_DIR}/src/wrap/*.h
			${CMAKE_SOURCE_DIR}/src/events/dlsym.h
			${CMAKE_SOURCE_DIR}/src/wrap/*.spec
			${CMAKE_SOURCE_DIR}/src/source/*/runtime/*)
		set_source_files_properties(${CMAKE_SOURCE_DIR}/src/${part}/embed.c PROPERTIES
			COMPILE_DEFINITIONS "BOB_SOURCE=\"${CMAKE_SOURCE_DIR}\""
			OBJECT_DEPENDS "${embedded}")
	endif()
	if(part STREQUAL "source" AND BOB_CLANG_INCLUDE)
		target_include_directories(bob_${part} SYSTEM PRIVATE ${BOB_CLANG_INCLUDE})
	endif()
	if(NOT part IN_LIST BOB_SANITIZED_FAST)
		bob_sanitized_slow(${target})
	endif()
	target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:bob_ours>)
	target_link_libraries(${target} PUBLIC bob_common bob_host ${BOB_LIBS_${part}})
endforeach()
