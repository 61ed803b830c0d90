# Compiler, linker and sanitizer flags of all of Talus.

option(TALUS_PORTABLE "Build for any x86-64-v2 machine instead of this one" OFF)
set(TALUS_SANITIZE "" CACHE STRING "Comma-separated sanitizers, e.g. address,undefined")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# A fast linker when there is one; the programs are the same.
find_program(MOLD mold)
find_program(LLD ld.lld)
if(MOLD)
  add_link_options(-fuse-ld=mold)
elseif(LLD)
  add_link_options(-fuse-ld=lld)
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
  -fno-math-errno -fno-trapping-math -ffp-contract=fast)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 sees overlapping copies in "text" + std::string that are not there (its bug 105651).
  add_compile_options(-Wno-restrict)
endif()

# Named instruction levels instead of -march=native: all machines of one level run the same program,
# so a run can be repeated bit for bit on another one, and a compiler cache cannot mix machines up.
if(TALUS_PORTABLE)
  set(TALUS_LEVEL x86-64-v2)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  include(CheckCXXSourceRuns)
  check_cxx_source_runs("int main() {
    __builtin_cpu_init();
    return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") &&
      __builtin_cpu_supports(\"bmi2\") ? 0 : 1;
  }" TALUS_MACHINE_HAS_AVX2)
  set(TALUS_LEVEL $<IF:$<BOOL:${TALUS_MACHINE_HAS_AVX2}>,x86-64-v3,x86-64-v2>)
else()
  set(TALUS_LEVEL native)
endif()
add_compile_options(-march=${TALUS_LEVEL})
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/instruction_level CONTENT "${TALUS_LEVEL}\n")

if(TALUS_SANITIZE)
  # Frame pointers and line numbers make the reports readable.
  add_compile_options(-fsanitize=${TALUS_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${TALUS_SANITIZE})
endif()
