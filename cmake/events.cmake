# SPDX-License-Identifier: BSD-3-Clause
# libbobbin-events.so records the program's own events. The recorder is also a part of the libraries
# that record MPI; a process loads only one of these libraries.

file(GLOB BOB_EVENTS_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/events/*.c
	${CMAKE_SOURCE_DIR}/src/probe/*.c ${CMAKE_SOURCE_DIR}/src/base/host/*.c)
list(APPEND BOB_EVENTS_SOURCES ${CMAKE_SOURCE_DIR}/src/archive/events/user_key.c
	${CMAKE_SOURCE_DIR}/src/archive/events/predicate.c
	${CMAKE_SOURCE_DIR}/src/archive/events/flush_option.c
	${CMAKE_SOURCE_DIR}/src/archive/events/value_numbers.c
	${CMAKE_SOURCE_DIR}/src/archive/events/value_sets.c
	${CMAKE_SOURCE_DIR}/src/archive/events/sets_table.c
	${CMAKE_SOURCE_DIR}/src/archive/columns/write.c
	${CMAKE_SOURCE_DIR}/src/archive/memory/source_info.c)
set(map ${CMAKE_SOURCE_DIR}/src/events/events.map)
if(TARGET bob_freestanding)
	add_library(bob_events_objects OBJECT ${BOB_EVENTS_SOURCES})
	set_target_properties(bob_events_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
	target_compile_options(bob_events_objects PRIVATE -ftls-model=initial-exec)
	target_link_libraries(bob_events_objects PRIVATE bob_common bob_ours)
	set(BOB_EVENTS_OBJECTS $<TARGET_OBJECTS:bob_events_objects>
		$<TARGET_OBJECTS:bob_freestanding>)
	add_library(bob_events SHARED ${BOB_EVENTS_OBJECTS})
	set_target_properties(bob_events PROPERTIES
		OUTPUT_NAME bobbin-events
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/bobbin
		LINKER_LANGUAGE C
		NO_SONAME ON
		LINK_DEPENDS ${map})
	target_link_options(bob_events PRIVATE -static-libgcc
		-Wl,-z,now -Wl,-z,relro -Wl,-z,noexecstack -Wl,--no-undefined
		-Wl,--gc-sections -Wl,--build-id
		-Wl,--version-script=${map})
	if(TARGET bob_cli)
		add_dependencies(bob_cli bob_events)
	endif()
endif()

# The Fortran module is a source file: each compiler has its own form of compiled ones.
if(NOT BOB_PYTHON)
	find_program(BOB_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
	find_program(BOB_PYTHON python3)
endif()
set(generator ${CMAKE_SOURCE_DIR}/src/events/fortran.py)
set(header ${CMAKE_SOURCE_DIR}/include/bobbin/events.h ${CMAKE_SOURCE_DIR}/include/bobbin/hooks.h)
set(BOB_FORTRAN_MODULE ${CMAKE_BINARY_DIR}/share/bobbin/bobbin.f90)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/bobbin)
add_custom_command(OUTPUT ${BOB_FORTRAN_MODULE}
	COMMAND ${BOB_PYTHON} ${generator} ${header} ${BOB_FORTRAN_MODULE}
	DEPENDS ${generator} ${header} VERBATIM)
add_custom_target(fortran_module ALL DEPENDS ${BOB_FORTRAN_MODULE})

# How `cluster` compares and groups, once more for its tests.
file(GLOB cluster CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/events/plugins/cluster/*.c)
list(FILTER cluster EXCLUDE REGEX "/plugin\\.c$")
add_library(bob_cluster STATIC ${cluster})
set_target_properties(bob_cluster PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(bob_cluster PRIVATE bob_ours PUBLIC bob_common bob_host)
list(APPEND BOB_BUILT bob_cluster)

# Plug-ins. Each is a shared object, built from one file, NAME.c (as a user's plug-in can be), or
# from the files in NAME/.
file(GLOB plugins CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/events/plugins/*.c
	${CMAKE_SOURCE_DIR}/src/events/plugins/*/plugin.c)
set(BOB_PLUGINS "")
set(map ${CMAKE_SOURCE_DIR}/src/events/plugins/plugins.map)
foreach(file IN LISTS plugins)
	get_filename_component(name ${file} NAME_WE)
	set(sources ${file})
	if(name STREQUAL "plugin")
		get_filename_component(folder ${file} DIRECTORY)
		get_filename_component(name ${folder} NAME)
		file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
	endif()
	add_library(bob_plugin_${name} MODULE ${sources})
	set_target_properties(bob_plugin_${name} PROPERTIES
		OUTPUT_NAME ${name} PREFIX ""
		LINK_DEPENDS ${map}
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/bobbin/plugins)
	target_include_directories(bob_plugin_${name} PRIVATE
		${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
	target_link_libraries(bob_plugin_${name} PRIVATE bob_ours)
	target_link_options(bob_plugin_${name} PRIVATE -Wl,--version-script=${map})
	list(APPEND BOB_PLUGINS bob_plugin_${name})
	if(TARGET bob_cli)
		add_dependencies(bob_cli bob_plugin_${name})
	endif()
endforeach()
