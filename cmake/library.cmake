# SPDX-License-Identifier: BSD-3-Clause
# libbobbin, for programs that use include/bobbin: libbobbin.so and libbobbin.a, made of the same
# objects, with the same symbols: the functions that the headers mark with BOB_API and no others.
# The program bobbin and the agent use neither of them. docs/library.md is for users.

set(objects "")
foreach(part base run fold mem archive)
	if(TARGET bob_${part})
		list(APPEND objects $<TARGET_OBJECTS:bob_${part}>)
	endif()
endforeach()
if(NOT TARGET bob_archive)
	return()
endif()
set(BOB_LIBRARY_DIR ${CMAKE_BINARY_DIR}/library)
set(BOB_STATIC ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/libbobbin.a)
set(BOB_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/bobbin)

# What a minor version may break, until 1.0: the interface. It is part of the SONAME, and of the
# version of all symbols.
if(PROJECT_VERSION_MAJOR EQUAL 0)
	set(abi ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
	set(compatible SameMinorVersion)
else()
	set(abi ${PROJECT_VERSION_MAJOR})
	set(compatible SameMajorVersion)
endif()

# The symbols, from the headers: a list for objcopy, and a version script.
file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/bobbin/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
set(symbols "")
foreach(header IN LISTS headers)
	file(READ ${header} text)
	string(REGEX MATCHALL "BOB_API[^;(]*[ *]bob_[a-z0-9_]+\\(" declared "${text}")
	list(TRANSFORM declared REPLACE ".*[ *](bob_[a-z0-9_]+)\\($" "\\1")
	list(APPEND symbols ${declared})
endforeach()
list(SORT symbols)
list(REMOVE_DUPLICATES symbols)
list(JOIN symbols "\n" lines)
file(CONFIGURE OUTPUT ${BOB_LIBRARY_DIR}/symbols.txt CONTENT "${lines}\n")
list(JOIN symbols ";\n\t" lines)
file(CONFIGURE OUTPUT ${BOB_LIBRARY_DIR}/libbobbin.map
	CONTENT "BOBBIN_${abi} {\nglobal:\n\t${lines};\nlocal:\n\t*;\n};\n")

add_library(bob_shared SHARED ${objects})
set_target_properties(bob_shared PROPERTIES
	OUTPUT_NAME bobbin VERSION ${PROJECT_VERSION} SOVERSION ${abi} LINKER_LANGUAGE C
	LIBRARY_OUTPUT_DIRECTORY ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}
	LINK_DEPENDS ${BOB_LIBRARY_DIR}/libbobbin.map)
target_link_libraries(bob_shared PRIVATE bob_host ${BOB_LIBS_archive})
target_link_options(bob_shared PRIVATE -Wl,--version-script=${BOB_LIBRARY_DIR}/libbobbin.map
	-Wl,-Bsymbolic-functions -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
if(NOT BOB_SANITIZE) # what a sanitizer defines comes from the program
	target_link_options(bob_shared PRIVATE -Wl,--no-undefined)
endif()

# One object: its parts refer to each other by symbols that are then made local.
add_custom_command(OUTPUT ${BOB_STATIC}
	COMMAND ${CMAKE_LINKER} -r -o ${BOB_LIBRARY_DIR}/bobbin.o ${objects}
	COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${BOB_LIBRARY_DIR}/symbols.txt
		${BOB_LIBRARY_DIR}/bobbin.o
	COMMAND ${CMAKE_COMMAND} -E rm -f ${BOB_STATIC}
	COMMAND ${CMAKE_AR} rcs ${BOB_STATIC} ${BOB_LIBRARY_DIR}/bobbin.o
	DEPENDS ${objects} ${BOB_LIBRARY_DIR}/symbols.txt COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(bob_static ALL DEPENDS ${BOB_STATIC})

# pkg-config finds the prefix from its own path, so that --prefix and DESTDIR need no rewriting.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
	set(BOB_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
	set(BOB_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
else()
	string(REGEX REPLACE "[^/]+" ".." up ${CMAKE_INSTALL_LIBDIR})
	set(BOB_PC_PREFIX "\${pcfiledir}/../${up}")
	set(BOB_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
configure_file(${CMAKE_SOURCE_DIR}/cmake/bobbin.pc.in ${BOB_LIBRARY_DIR}/bobbin.pc @ONLY)

include(CMakePackageConfigHelpers)
set(BOB_SONAME libbobbin.so.${abi})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/bobbin-config.cmake.in
	${BOB_LIBRARY_DIR}/bobbin-config.cmake INSTALL_DESTINATION ${BOB_PACKAGE_DIR}
	PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${BOB_LIBRARY_DIR}/bobbin-config-version.cmake
	COMPATIBILITY ${compatible})
