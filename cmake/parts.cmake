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
set(BOB_LIBS_plan ${BOB_ZYDIS} ${BOB_ELF} ${BOB_DW})
set(BOB_HAVE_LIBS_plan TRUE)
if(NOT BOB_ZYDIS OR NOT BOB_ELF OR NOT BOB_DW)
	set(BOB_HAVE_LIBS_plan FALSE)
endif()

set(BOB_BUILT "") # the libraries that exist, for the tests
foreach(part IN LISTS BOB_PARTS)
	bob_part_sources(sources ${part})
	if(part STREQUAL "agent" OR NOT sources OR BOB_ONLY_FREESTANDING)
		continue()
	endif()
	if(DEFINED BOB_HAVE_LIBS_${part} AND NOT BOB_HAVE_LIBS_${part})
		message(FATAL_ERROR "part ${part} needs libraries that are missing; run tools/install_deps.sh")
	endif()
	if(part STREQUAL "cli")
		add_executable(bob_cli ${sources})
		set_target_properties(bob_cli PROPERTIES OUTPUT_NAME bobbin)
	else()
		add_library(bob_${part} STATIC ${sources})
		set_target_properties(bob_${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
		list(APPEND BOB_BUILT bob_${part})
	endif()
	foreach(dep IN LISTS BOB_DEPS_${part})
		if(TARGET bob_${dep})
			target_link_libraries(bob_${part} PUBLIC bob_${dep})
		endif()
	endforeach()
	# bob_host may take a warning of bob_ours back, so it comes after it.
	target_link_libraries(bob_${part} PRIVATE $<BUILD_INTERFACE:bob_ours>)
	target_link_libraries(bob_${part} PUBLIC bob_common bob_host ${BOB_LIBS_${part}})
endforeach()

# The reader as one archive, for programs that use bobbin/trace.h.
set(reader "")
foreach(part base run fold archive)
	if(TARGET bob_${part})
		list(APPEND reader $<TARGET_OBJECTS:bob_${part}>)
	endif()
endforeach()
if(reader)
	add_library(bob_reader STATIC ${reader})
	set_target_properties(bob_reader PROPERTIES OUTPUT_NAME bobbin LINKER_LANGUAGE C)
endif()
