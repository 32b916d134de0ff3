# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# fusion_add_library(NAME sources... [DEPENDS targets...] [HEADERS headers...] [LINK_LIBS libraries...])
#   A static library of the project. HEADERS are those without a source of their name, for
#   scripts/library_graph.py. The library links no MLIR library itself: the target of an executable
#   chooses between the shared libMLIR and the static ones (see fusion_link_mlir).
function(fusion_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;HEADERS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # The libraries of the compiler are part of the package; tools' own are not.
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/lib(/|$)")
    target_include_directories(${name} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    set_property(GLOBAL APPEND PROPERTY FUSION_PACKAGE_LIBRARIES ${name})
    install(TARGETS ${name} EXPORT FusionTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  endif()
endfunction()

# fusion_tablegen(TARGET td-file out-file generator... [out-file generator...])
#   Runs mlir-tblgen; every pair is one generated file in the current binary directory.
function(fusion_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(args ${ARGN})
  while(args)
    list(POP_FRONT args out generator)
    separate_arguments(generator)
    mlir_tablegen(${out} ${generator})
  endwhile()
  add_public_tablegen_target(${target})
endfunction()

# fusion_link_mlir(TARGET): links MLIR and LLVM as this build type wants them.
function(fusion_link_mlir target)
  if(FUSION_PORTABLE)
    fusion_link_mlir_static(${target})
  else()
    target_link_libraries(${target} PRIVATE MLIR LLVM)
  endif()
endfunction()
