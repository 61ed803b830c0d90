# Tests. tests/FOLDER/*_test.cpp become the program test_FOLDER, linked to the library of that folder;
# folders without a library of their name (closed_form, determinism, experiments, ...)
# use all of Talus. Every test carries the name of its folder as label: ctest -L math.
option(TALUS_TESTS "Tests and the packages they need; without, only the program" ON)
if(NOT TALUS_TESTS)
  return()
endif()
enable_testing()
find_package(GTest REQUIRED)
include(GoogleTest)

file(GLOB test_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true tests/*)
foreach(folder ${test_folders})
  get_filename_component(name ${folder} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*_test.cpp)
  if(sources)
    add_executable(test_${name} ${sources})
    if(name STREQUAL architecture OR name STREQUAL apps)
      # Reads sources, calls the program: needs no library.
      target_link_libraries(test_${name} PRIVATE GTest::gtest_main)
    elseif(TARGET talus_${name})
      target_link_libraries(test_${name} PRIVATE talus_${name} GTest::gtest_main)
    else()
      target_link_libraries(test_${name} PRIVATE talus_run talus_detail talus_render talus_export
        talus_lab GTest::gtest_main)
    endif()
    target_include_directories(test_${name} PRIVATE tests)
    # What is tested is optimised; the tests themselves only have to compile fast.
    target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    # TALUS_PROGRAM: tests that call the program as a user would find it here.
    target_compile_definitions(test_${name} PRIVATE TALUS_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
      TALUS_PROGRAM="${CMAKE_BINARY_DIR}/talus")
    gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS ${name})
  endif()
endforeach()

# Unpacks what it packed; and looks at a page as a reader does, where there is a browser.
if(TARGET test_report)
  target_link_libraries(test_report PRIVATE ZLIB::ZLIB)
endif()
if(NOT TALUS_SANITIZE AND NOT TALUS_FUZZ)
  add_test(NAME report_in_browser COMMAND python3 -B
    ${CMAKE_SOURCE_DIR}/tests/report/browser_test.py ${CMAKE_BINARY_DIR}/talus ${CMAKE_SOURCE_DIR})
  set_tests_properties(report_in_browser PROPERTIES LABELS report SKIP_RETURN_CODE 77)
endif()

# Reads back what it exported with the library that the format belongs to.
if(TARGET test_export)
  target_link_libraries(test_export PRIVATE openvdb TBB::tbb)
endif()

# tests/fuzz/fuzz_NAME.cpp defines LLVMFuzzerTestOneInput. With the preset `fuzz` it becomes a
# libFuzzer program; otherwise it replays the committed corpus, so that a crash found once stays
# fixed.
file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/fuzz_*.cpp)
foreach(source ${fuzzers})
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" subject ${name})
  # The objects alone, without what their libraries link: nothing of geometry/ or bodies/ is needed,
  # and compiling them with sanitizers takes minutes.
  add_executable(${name} ${source} $<TARGET_OBJECTS:talus_core> $<TARGET_OBJECTS:talus_particles>
    $<TARGET_OBJECTS:talus_scene> $<TARGET_OBJECTS:talus_frames>)
  target_include_directories(${name} PRIVATE src)
  target_link_libraries(${name} PRIVATE fmt::fmt TBB::tbb zstd)
  if(TALUS_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${name} PRIVATE tests/fuzz/replay.cpp)
    add_test(NAME ${name}_corpus COMMAND ${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${subject})
    set_tests_properties(${name}_corpus PROPERTIES LABELS fuzz)
  endif()
endforeach()

# The libraries as others find them: installed, and linked by a program outside of this tree.
if(NOT TALUS_SANITIZE AND NOT TALUS_FUZZ)
  add_test(NAME library_is_found_by_others
    COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DFOLDER=${CMAKE_BINARY_DIR}/install_test
      -DEXAMPLES=${CMAKE_SOURCE_DIR}/examples -DCOMPILER=${CMAKE_CXX_COMPILER}
      -P ${CMAKE_SOURCE_DIR}/cmake/check_install.cmake)
  set_tests_properties(library_is_found_by_others PROPERTIES LABELS library)
endif()

# The portable program must not contain an instruction that an x86-64-v2 machine lacks.
if(TALUS_PORTABLE)
  foreach(program ${talus_programs})
    add_test(NAME ${program}_has_no_avx
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}> -DOBJDUMP=${CMAKE_OBJDUMP}
        -P ${CMAKE_SOURCE_DIR}/cmake/check_portable.cmake)
    set_tests_properties(${program}_has_no_avx PROPERTIES LABELS portable)
  endforeach()
endif()

# Formatting: `format` rewrites, the test only looks. Other versions of clang-format disagree with
# version 14 in details, so they are not asked.
find_program(CLANG_FORMAT NAMES clang-format-14)
if(CLANG_FORMAT)
  file(GLOB_RECURSE formatted CONFIGURE_DEPENDS src/*.h src/*.cpp apps/*.h apps/*.cpp
    benchmarks/*.h benchmarks/*.cpp tests/*.h tests/*.cpp python/*.h python/*.cpp examples/*.cpp)
  add_custom_target(format COMMAND ${CLANG_FORMAT} -i ${formatted})
  add_test(NAME format COMMAND ${CLANG_FORMAT} --dry-run -Werror --ferror-limit=1 ${formatted})
  set_tests_properties(format PROPERTIES LABELS architecture)
endif()
