# Installs the libraries of BUILD below FOLDER, builds EXAMPLES against them as somebody else would,
# and runs what comes out. -DBUILD=... -DFOLDER=... -DEXAMPLES=... -DCOMPILER=...
function(call)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${code}:\n${text}")
  endif()
  set(text "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
call(${CMAKE_COMMAND} --install ${BUILD} --component library --prefix ${FOLDER}/prefix)

# What an installed header includes of Talus is installed too.
file(GLOB_RECURSE headers ${FOLDER}/prefix/include/*.h)
foreach(header ${headers})
  file(STRINGS ${header} lines REGEX "^#include \"")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" name ${line})
    if(NOT EXISTS ${FOLDER}/prefix/include/talus/${name})
      message(FATAL_ERROR "${header} includes ${name}, which is not installed")
    endif()
  endforeach()
endforeach()

call(${CMAKE_COMMAND} -S ${EXAMPLES} -B ${FOLDER}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${FOLDER}/prefix)
call(${CMAKE_COMMAND} --build ${FOLDER}/build)
call(${FOLDER}/build/live_sand)
if(NOT text MATCHES "1\\.000 s: [0-9]+ particles, centre at x = [-+]0\\.[01][0-9]+ m")
  message(FATAL_ERROR "live_sand said:\n${text}")
endif()
file(REMOVE_RECURSE ${FOLDER})
message(STATUS "${text}")
