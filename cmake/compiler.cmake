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
  # Trusting the compiler's list of headers spares a run of the preprocessor for each file that is
  # not in the cache: a fifth of a first build. The second setting lets it cache what is compiled
  # with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
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

# One set of objects for programs and for the Python module, so that both compute the same bits.
# Without interposition, position-independent code is as fast in a program as the other kind. Symbols
# are not hidden: OpenVDB breaks when its templates are, here, and are not, in its library.
add_compile_options(-fPIC)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-fno-semantic-interposition)
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

# Shortens a first build: standard headers and fmt are read once instead of in every file. The other
# presets do without, so that a missing #include is seen.
option(TALUS_PRECOMPILE "Precompile standard headers" OFF)
if(TALUS_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 forgets that precompiled headers are the system's and looks for mistakes inside of them.
  add_compile_options(-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endif()

# Several sources of a folder as one: templates and headers that they share are compiled once, which
# halves a first build. A change of one file then compiles its neighbours too, so the folders that
# are worked on most stay apart (APART).
option(TALUS_UNITY "Compile the sources of a folder together" OFF)
if(TALUS_UNITY)
  # Both are right only when a file is compiled alone, as the other presets do.
  add_compile_options(-Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

# talus_compile(TARGET [COLD] [APART]): COLD for what never takes noticeable time in a run (parsing, texts,
# command line): optimised less, which compiles in two thirds of the time.
function(talus_compile target)
  if("COLD" IN_LIST ARGN)
    set(owner talus_scene)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  else()
    set(owner talus_core)
  endif()
  if(TALUS_UNITY AND NOT "APART" IN_LIST ARGN)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  if(NOT TALUS_PRECOMPILE)
    return()
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE <fmt/format.h> <algorithm> <array> <cmath> <cstdint>
      <filesystem> <functional> <memory> <optional> <span> <string> <string_view> <utility>
      <variant> <vector>)
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

if(TALUS_SANITIZE)
  # Frame pointers and line numbers make the reports readable.
  add_compile_options(-fsanitize=${TALUS_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${TALUS_SANITIZE})
endif()
