# The Python package, complete in BUILD/python/talus: add BUILD/python to PYTHONPATH and import talus.
# Not part of the program: the demonstration neither needs nor builds it.
# -DTALUS_PYTHON=ON or OFF; by default with the tests, also when these are asked for later.
if(NOT DEFINED TALUS_PYTHON)
  set(TALUS_PYTHON ${TALUS_TESTS})
endif()
if(NOT TALUS_PYTHON OR TALUS_SANITIZE)
  return()
endif()
# The system's interpreter before others in the path: it is the one that has Debian's numpy.
find_program(TALUS_PYTHON_PROGRAM NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(TALUS_PYTHON_PROGRAM)
  set(Python_EXECUTABLE ${TALUS_PYTHON_PROGRAM} CACHE FILEPATH "Interpreter the module is for")
endif()
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 REQUIRED)

file(GLOB binding_sources CONFIGURE_DEPENDS python/bindings/*.cpp)
pybind11_add_module(talus_python MODULE NO_EXTRAS ${binding_sources})
target_include_directories(talus_python PRIVATE python/bindings)
target_link_libraries(talus_python PRIVATE talus_run talus_detail talus_report talus_lab)
target_compile_definitions(talus_python PRIVATE TALUS_VERSION="${PROJECT_VERSION}")
# Nothing is computed in the module itself; one source takes half as long to compile as five.
target_compile_options(talus_python PRIVATE $<$<CONFIG:Release>:-O1>)
set(package ${CMAKE_BINARY_DIR}/python/talus)
set_target_properties(talus_python PROPERTIES OUTPUT_NAME _talus UNITY_BUILD ${TALUS_UNITY}
  LIBRARY_OUTPUT_DIRECTORY ${package})

file(GLOB package_files CONFIGURE_DEPENDS python/talus/*.py python/talus/*.pyi python/talus/py.typed)
foreach(file ${package_files})
  get_filename_component(name ${file} NAME)
  configure_file(${file} ${package}/${name} COPYONLY)
endforeach()
file(GLOB_RECURSE lab_scenes CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/lab lab/*.toml)
foreach(file ${lab_scenes})
  configure_file(lab/${file} ${package}/lab_scenes/${file} COPYONLY)
endforeach()

# `cmake --install BUILD --component python`; elsewhere: -DTALUS_PYTHON_FOLDER=...
set(TALUS_PYTHON_FOLDER "lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/site-packages"
  CACHE STRING "Where the Python package is installed, below the prefix")
install(TARGETS talus_python LIBRARY DESTINATION ${TALUS_PYTHON_FOLDER}/talus COMPONENT python
  OPTIONAL)
install(FILES ${package_files} DESTINATION ${TALUS_PYTHON_FOLDER}/talus COMPONENT python)
install(DIRECTORY lab/ DESTINATION ${TALUS_PYTHON_FOLDER}/talus/lab_scenes COMPONENT python
  FILES_MATCHING PATTERN "*.toml")

if(NOT TALUS_TESTS)
  return()
endif()
# tests/python/NAME_test.py: unittest, each file a test.
file(GLOB python_tests CONFIGURE_DEPENDS tests/python/*_test.py)
foreach(file ${python_tests})
  get_filename_component(name ${file} NAME_WE)
  add_test(NAME python_${name} COMMAND ${Python_EXECUTABLE} -B -W error::DeprecationWarning ${file})
  set_tests_properties(python_${name} PROPERTIES LABELS python ENVIRONMENT
    "PYTHONPATH=${CMAKE_BINARY_DIR}/python;TALUS_PROGRAM=${CMAKE_BINARY_DIR}/talus;TALUS_SOURCE_DIR=${CMAKE_SOURCE_DIR};TALUS_BUILD_DIR=${CMAKE_BINARY_DIR};MPLBACKEND=Agg")
endforeach()
