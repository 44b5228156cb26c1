# SPDX-License-Identifier: BSD-3-Clause
# What runs inside the traced process: the parts that use no libc, compiled a second time without
# vector registers, sanitizers or stack guards; with src/agent they are libbobbin-agent.so, which
# needs no library. The same objects linked with a bare _start prove the "no libc".

set(BOB_AGENT_SHARED "")
foreach(pattern base/*.c run/*.c fold/*.c mem/*.c archive/write/*.c plan/key.c plan/check.c
		plan/mem/check.c plan/mem/address_map.c)
	file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${pattern})
	list(APPEND BOB_AGENT_SHARED ${files})
endforeach()

function(bob_freestanding target)
	target_link_libraries(${target} PRIVATE bob_common bob_ours)
	target_compile_options(${target} PRIVATE ${BOB_FREESTANDING_FLAGS})
endfunction()

if(BOB_AGENT_SHARED)
	add_library(bob_freestanding OBJECT ${BOB_AGENT_SHARED})
	bob_freestanding(bob_freestanding)
	add_executable(bob_no_libc ${CMAKE_SOURCE_DIR}/tests/freestanding/start.c
		$<TARGET_OBJECTS:bob_freestanding>)
	bob_freestanding(bob_no_libc)
	target_link_options(bob_no_libc PRIVATE -nostdlib -static)
endif()

bob_part_sources(sources agent)
if(sources AND BOB_AGENT_SHARED)
	file(GLOB map CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/agent/*.map)
	add_library(bob_agent SHARED ${sources} $<TARGET_OBJECTS:bob_freestanding>)
	bob_freestanding(bob_agent)
	set_target_properties(bob_agent PROPERTIES
		OUTPUT_NAME bobbin-agent
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/bobbin
		NO_SONAME ON
		LINK_DEPENDS "${map}")
	# No SONAME: nothing is linked with the agent, and the loader would compare the name with
	# that of each library that it looks for.
	target_link_options(bob_agent PRIVATE -nostdlib
		-Wl,-z,initfirst -Wl,-z,now -Wl,-z,relro -Wl,-z,noexecstack -Wl,--no-undefined
		-Wl,-Bsymbolic -Wl,--build-id)
	if(map)
		target_link_options(bob_agent PRIVATE -Wl,--version-script=${map})
	endif()
	if(TARGET bob_cli)
		add_dependencies(bob_cli bob_agent)
	endif()
endif()
