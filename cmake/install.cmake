# cmake --install BUILD --prefix PREFIX: libraries and headers for find_package(talus), and those
# programs that have been built.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY talus_libraries)
foreach(library ${libraries})
  string(REGEX REPLACE "^talus_" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()
# Headers hold inline code: it must be compiled as it was here, or the linker may mix the two.
target_compile_options(talus_core INTERFACE $<INSTALL_INTERFACE:-march=${TALUS_LEVEL}>)
target_compile_features(talus_core INTERFACE cxx_std_20)

install(TARGETS ${libraries} EXPORT talus-targets ARCHIVE COMPONENT library)
install(EXPORT talus-targets NAMESPACE talus:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/talus
  COMPONENT library)
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/talus COMPONENT library
  FILES_MATCHING PATTERN "*.h" PATTERN "*_impl.h" EXCLUDE PATTERN "bullet_*" EXCLUDE
  PATTERN "json.h" EXCLUDE)
configure_package_config_file(cmake/talus-config.cmake.in ${CMAKE_BINARY_DIR}/talus-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/talus-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/talus-config.cmake ${CMAKE_BINARY_DIR}/talus-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/talus COMPONENT library)
install(TARGETS ${talus_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs
  OPTIONAL)
