# SPDX-License-Identifier: BSD-3-Clause
# make install: the program, its agent, the library with headers, pages and completion.
# The agent always goes to lib/bobbin beside bin/, because bobbin finds it from its own path.

if(TARGET bob_cli)
	install(TARGETS bob_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET bob_agent)
	install(TARGETS bob_agent LIBRARY DESTINATION lib/bobbin)
endif()
if(TARGET bob_events)
	install(TARGETS bob_events LIBRARY DESTINATION lib/bobbin)
	install(TARGETS ${BOB_PLUGINS} LIBRARY DESTINATION lib/bobbin/plugins)
endif()
install(FILES ${BOB_FORTRAN_MODULE} DESTINATION ${CMAKE_INSTALL_DATADIR}/bobbin)
foreach(impl IN LISTS BOB_MPIS)
	install(TARGETS bob_mpi_${impl} LIBRARY DESTINATION lib/bobbin)
	install(TARGETS bob_mpi_relink_${impl} ARCHIVE DESTINATION lib/bobbin)
	install(FILES ${CMAKE_BINARY_DIR}/lib/bobbin/libbobbin-mpi-${impl}.wrap
		DESTINATION lib/bobbin)
endforeach()
if(TARGET bob_valgrind)
	install(TARGETS bob_valgrind bob_valgrind_launcher RUNTIME DESTINATION lib/bobbin)
endif()
if(TARGET bob_shared)
	install(TARGETS bob_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
	install(FILES ${BOB_STATIC} DESTINATION ${CMAKE_INSTALL_LIBDIR})
	install(FILES ${BOB_LIBRARY_DIR}/bobbin.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
	install(FILES
		${BOB_LIBRARY_DIR}/bobbin-config.cmake
		${BOB_LIBRARY_DIR}/bobbin-config-version.cmake
		DESTINATION ${BOB_PACKAGE_DIR})
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/bobbin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
	FILES_MATCHING PATTERN *.h)

file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/man/*.1)
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
if(TARGET bob_cli)
	# From the option tables, so that it is always up to date.
	set(completion ${CMAKE_BINARY_DIR}/share/bash-completion/completions/bobbin)
	get_filename_component(dir ${completion} DIRECTORY)
	add_custom_command(OUTPUT ${completion}
		COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
		COMMAND bob_cli help --completion > ${completion}
		DEPENDS bob_cli VERBATIM)
	add_custom_target(completion ALL DEPENDS ${completion})
	install(FILES ${completion}
		DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md
	DESTINATION ${CMAKE_INSTALL_DOCDIR})
