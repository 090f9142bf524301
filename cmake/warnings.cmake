# Flags that every target gets.
add_compile_options(
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wmissing-declarations
	-Wold-style-definition -Wpointer-arith -Wundef -Wformat=2 -Wvla
	-Wswitch-enum -Winit-self -Wwrite-strings -Wcast-align -Wredundant-decls
	-Werror=implicit-function-declaration -Werror=return-type -Werror=incompatible-pointer-types
	-Wno-missing-field-initializers # allows {0}, and table rows without their last members
	-fno-common -fno-strict-overflow)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
	add_compile_options(-Wlogical-op -Wduplicated-cond -Wformat-signedness)
endif()
if(TT_WERROR)
	add_compile_options(-Werror)
endif()
if(TT_SANITIZE)
	add_compile_options(-fsanitize=${TT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
	add_link_options(-fsanitize=${TT_SANITIZE})
endif()
if(TT_COVERAGE)
	add_compile_options(-fprofile-arcs -ftest-coverage -fprofile-update=atomic)
	add_link_options(--coverage)
	set(dump ${CMAKE_BINARY_DIR}/coverage_dump.o)
	execute_process(COMMAND ${CMAKE_C_COMPILER} -O2 -c ${CMAKE_SOURCE_DIR}/cmake/coverage_dump.c -o ${dump}
		COMMAND_ERROR_IS_FATAL ANY)
	string(APPEND CMAKE_EXE_LINKER_FLAGS " ${dump} -Wl,--wrap=_exit -Wl,--wrap=raise")
endif()
# For tests that compare system calls: a sanitizer's runtime makes additional ones.
set(TT_INSTRUMENTED ${TT_SANITIZE})
if(TT_COVERAGE)
	set(TT_INSTRUMENTED coverage)
endif()
if(TT_FUZZ)
	add_compile_options(-fsanitize=fuzzer-no-link)
endif()
add_compile_definitions(_GNU_SOURCE)
include_directories(${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
