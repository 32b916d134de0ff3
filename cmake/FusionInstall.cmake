# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The installed package: libraries, headers, tools, and what find_package(Fusion) reads.

include(CMakePackageConfigHelpers)

# fusion_install(): to be called once all targets are there.
function(fusion_install)
  foreach(folder "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
    foreach(headers fusion fusion-c)
      if(EXISTS "${folder}/${headers}")
        install(DIRECTORY "${folder}/${headers}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
          FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.td" PATTERN "CMakeFiles" EXCLUDE)
      endif()
    endforeach()
  endforeach()
  get_property(tools GLOBAL PROPERTY FUSION_TOOLS)
  if(FUSION_PORTABLE)
    set(tools fusion)
  endif()
  install(TARGETS ${tools} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  if(TARGET FusionPlugin)
    install(TARGETS FusionPlugin LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  endif()

  set(package "${CMAKE_INSTALL_LIBDIR}/cmake/Fusion")
  get_property(FUSION_PACKAGE_LIBRARIES GLOBAL PROPERTY FUSION_PACKAGE_LIBRARIES)
  # What a linker that is called for C has to be told.
  set(FUSION_CXX_RUNTIME ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(FILTER FUSION_CXX_RUNTIME INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|c\\+\\+abi|m)$")
  list(REMOVE_DUPLICATES FUSION_CXX_RUNTIME)
  install(EXPORT FusionTargets NAMESPACE Fusion:: DESTINATION "${package}")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/FusionConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/FusionConfig.cmake" INSTALL_DESTINATION "${package}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/FusionConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/FusionConfig.cmake"
    "${PROJECT_BINARY_DIR}/FusionConfigVersion.cmake" DESTINATION "${package}")
endfunction()
