# Texts inside of a program. As a script (cmake -P) it writes a source that defines each file as a
# std::string_view: page.css becomes page_css; HEADER declares them. As an include it gives
# talus_embed(TARGET HEADER FILE...), which does so whenever a file changes.
if(CMAKE_SCRIPT_MODE_FILE)
  set(source "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
  string(REPLACE "|" ";" files "${FILES}")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} name)
    file(READ ${file} text)
    string(FIND "${text}" ")TALUS\"" clash)
    if(NOT clash EQUAL -1)
      message(FATAL_ERROR "${file} contains )TALUS\", which ends the literal it is embedded in")
    endif()
    string(APPEND source "\nconst std::string_view ${name} = R\"TALUS(${text})TALUS\";\n")
  endforeach()
  string(APPEND source "\n}  // namespace ${NAMESPACE}\n")
  file(WRITE ${OUTPUT} "${source}")
  return()
endif()

set(talus_embed_script ${CMAKE_CURRENT_LIST_FILE})
function(talus_embed target header namespace)
  set(output ${CMAKE_BINARY_DIR}/embedded/${target}.cpp)
  list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  list(JOIN files "|" joined)
  add_custom_command(OUTPUT ${output} DEPENDS ${files} ${talus_embed_script}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DHEADER=${header} -DNAMESPACE=${namespace}
      -DFILES=${joined} -P ${talus_embed_script} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
