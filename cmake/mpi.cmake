# SPDX-License-Identifier: BSD-3-Clause
# Libraries that record MPI: one for each installed MPI, because the ABIs differ. BOB_MPIS lists the
# installed ones of openmpi and mpich. Wrappers are generated from src/mpi/functions.txt and that
# MPI's mpi.h: libbobbin-mpi-<impl>.so.

# Open MPI's and MPICH's own compilers; else whichever mpicc is.
function(bob_mpi_compiler out impl)
	find_program(BOB_MPICC_${impl} NAMES mpicc.${impl})
	mark_as_advanced(BOB_MPICC_${impl})
	set(${out} ${BOB_MPICC_${impl}} PARENT_SCOPE)
	if(BOB_MPICC_${impl})
		return()
	endif()
	find_program(BOB_MPICC mpicc)
	mark_as_advanced(BOB_MPICC)
	if(NOT BOB_MPICC)
		return()
	endif()
	execute_process(COMMAND ${BOB_MPICC} -show OUTPUT_VARIABLE shown ERROR_QUIET)
	if((impl STREQUAL "openmpi" AND shown MATCHES "-lmpi( |\n|$)")
			OR (impl STREQUAL "mpich" AND shown MATCHES "-lmpich"))
		set(${out} ${BOB_MPICC} PARENT_SCOPE)
	endif()
endfunction()

find_program(BOB_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(BOB_PYTHON python3)
set(BOB_MPI_DIR ${CMAKE_SOURCE_DIR}/src/mpi)
set(BOB_MPI_GENERATED ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${BOB_MPI_GENERATED})
file(GLOB BOB_MPI_GENERATOR CONFIGURE_DEPENDS ${BOB_MPI_DIR}/*.py)
list(APPEND BOB_MPI_GENERATOR ${BOB_MPI_DIR}/functions.txt)
set(BOB_MPI_GENERATE ${BOB_PYTHON} -B ${BOB_MPI_DIR}/generate.py
	--table ${BOB_MPI_DIR}/functions.txt)

# The reader's table of functions is a part of archive.
if(TARGET bob_archive)
	add_custom_command(OUTPUT ${BOB_MPI_GENERATED}/mpi_table.c
		COMMAND ${BOB_MPI_GENERATE} --reader ${BOB_MPI_GENERATED}/mpi_table.c
		DEPENDS ${BOB_MPI_GENERATOR} VERBATIM)
	target_sources(bob_archive PRIVATE ${BOB_MPI_GENERATED}/mpi_table.c)
endif()

file(GLOB BOB_MPI_SOURCES CONFIGURE_DEPENDS ${BOB_MPI_DIR}/*.c)
set(BOB_MPI_LIBRARY_openmpi libmpi.so.40)
set(BOB_MPI_LIBRARY_mpich libmpich.so.12)
set(BOB_MPIS "")
foreach(impl openmpi mpich)
	bob_mpi_compiler(mpicc ${impl})
	if(NOT mpicc)
		message(STATUS "${impl} is not installed: recording its programs is left out")
		continue()
	endif()
	list(APPEND BOB_MPIS ${impl})
	# What its compiler adds to the command: the folders of its headers.
	execute_process(COMMAND ${mpicc} -show
		OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE)
	separate_arguments(shown UNIX_COMMAND "${shown}")
	set(BOB_MPI_INCLUDE_${impl} ${shown})
	list(FILTER BOB_MPI_INCLUDE_${impl} INCLUDE REGEX "^-I")
	list(TRANSFORM BOB_MPI_INCLUDE_${impl} REPLACE "^-I" "")
	set(wrappers ${BOB_MPI_GENERATED}/wrappers_${impl}.c)
	set(predefined ${BOB_MPI_GENERATED}/predefined_${impl}.c)
	add_custom_command(OUTPUT ${wrappers} ${predefined}
		COMMAND ${BOB_MPI_GENERATE}
			--wrappers ${wrappers} --predefined ${predefined} ${mpicc}
		DEPENDS ${BOB_MPI_GENERATOR} ${BOB_MPI_DIR}/pcontrol.c VERBATIM)
	add_library(bob_mpi_${impl} SHARED
		${BOB_MPI_SOURCES} ${BOB_EVENTS_OBJECTS} ${wrappers} ${predefined}
		${CMAKE_SOURCE_DIR}/src/archive/events/mpi_functions.c
		${CMAKE_SOURCE_DIR}/src/archive/events/mpi_choice.c
		${BOB_MPI_GENERATED}/mpi_table.c)
	set_target_properties(bob_mpi_${impl} PROPERTIES
		OUTPUT_NAME bobbin-mpi-${impl}
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/bobbin
		NO_SONAME ON
		LINK_DEPENDS ${BOB_MPI_DIR}/shim.map)
	target_include_directories(bob_mpi_${impl} SYSTEM PRIVATE ${BOB_MPI_INCLUDE_${impl}})
	target_compile_definitions(bob_mpi_${impl} PRIVATE
		BOB_MPI_LIBRARY="${BOB_MPI_LIBRARY_${impl}}")
	target_compile_options(bob_mpi_${impl} PRIVATE -ftls-model=initial-exec)
	target_link_libraries(bob_mpi_${impl} PRIVATE bob_common bob_ours)
	# Not linked with MPI: it may be in processes that have none.
	target_link_options(bob_mpi_${impl} PRIVATE -static-libgcc
		-Wl,-z,now -Wl,-z,relro -Wl,-z,noexecstack -Wl,--no-undefined
		-Wl,--gc-sections -Wl,--build-id
		-Wl,--version-script=${BOB_MPI_DIR}/shim.map)
	# For programs with MPI linked statically. Its functions must end in jumps in every build.
	set(relink ${BOB_MPI_GENERATED}/relink_${impl})
	set(flags ${CMAKE_BINARY_DIR}/lib/bobbin/libbobbin-mpi-${impl}.wrap)
	add_custom_command(OUTPUT ${relink}.c ${flags}
		COMMAND ${BOB_MPI_GENERATE} --relink ${relink}.c ${flags} ${mpicc}
		DEPENDS ${BOB_MPI_GENERATOR} VERBATIM)
	add_library(bob_mpi_relink_${impl} STATIC
		${BOB_MPI_DIR}/relink/relink.c ${relink}.c ${flags})
	set_target_properties(bob_mpi_relink_${impl} PROPERTIES
		OUTPUT_NAME bobbin-mpi-${impl}
		ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/bobbin
		POSITION_INDEPENDENT_CODE ON)
	target_include_directories(bob_mpi_relink_${impl} PRIVATE ${CMAKE_SOURCE_DIR}/src)
	target_include_directories(bob_mpi_relink_${impl} SYSTEM PRIVATE ${BOB_MPI_INCLUDE_${impl}})
	target_compile_options(bob_mpi_relink_${impl} PRIVATE
		-O2 -Wall -Wno-deprecated-declarations)
	if(TARGET bob_cli)
		add_dependencies(bob_cli bob_mpi_${impl} bob_mpi_relink_${impl})
	endif()
endforeach()
