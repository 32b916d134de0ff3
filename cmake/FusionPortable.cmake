# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Static linking of MLIR and LLVM, and the multi-call binary of the preset `portable`.

# Makes the interface library fusion-mlir-static once: the archives of MLIR and LLVM themselves.
#
# The packaged MLIR targets cannot be linked unchanged: each of them names the shared libLLVM (one
# even the shared libMLIR), so that two copies of LLVM would meet in one process. The archives are
# given to the linker as files instead; it takes from them only the members that are referenced.
function(fusion_define_mlir_static)
  if(TARGET fusion-mlir-static)
    return()
  endif()
  set(archives)
  get_property(mlir_libraries GLOBAL PROPERTY MLIR_ALL_LIBS)
  foreach(library ${mlir_libraries} ${LLVM_AVAILABLE_LIBS})
    if(NOT TARGET ${library} OR library MATCHES "^MLIRCAPI")
      continue()
    endif()
    get_target_property(type ${library} TYPE)
    get_target_property(archive ${library} LOCATION)
    # Some that are declared (Polly) are in packages of their own.
    if(type STREQUAL "STATIC_LIBRARY" AND EXISTS "${archive}")
      list(APPEND archives "${archive}")
    endif()
  endforeach()
  # libLLVMSupport compresses.
  find_library(FUSION_ZLIB_ARCHIVE libz.a REQUIRED)
  find_library(FUSION_ZSTD_ARCHIVE libzstd.a REQUIRED)

  add_library(fusion-mlir-static INTERFACE)
  target_link_libraries(fusion-mlir-static INTERFACE
    -Wl,--start-group ${archives} -Wl,--end-group
    "${FUSION_ZLIB_ARCHIVE}" "${FUSION_ZSTD_ARCHIVE}" ${CMAKE_DL_LIBS} Threads::Threads)
  # Nothing is exported: there are no plugins to serve. Identical functions are folded only where
  # their addresses are not compared (--icf=safe would keep what templates duplicate: 63 MB of code
  # instead of 80); MLIR compares addresses of data (TypeID), never of functions.
  target_link_options(fusion-mlir-static INTERFACE
    -static-libstdc++ -static-libgcc -Wl,--as-needed -Wl,--gc-sections -Wl,--icf=all
    -Wl,--exclude-libs,ALL -Wl,-O2)
endfunction()

# fusion_link_mlir_static(TARGET): links MLIR and LLVM into TARGET.
function(fusion_link_mlir_static target)
  find_package(Threads REQUIRED)
  fusion_define_mlir_static()
  target_link_libraries(${target} PRIVATE fusion-mlir-static)
endfunction()

# fusion_add_multicall_binary(NAME): one executable made of all the tools added so far with
# fusion_add_tool, stripped. It acts as the tool whose name it is called by, or whose name is its
# first argument.
function(fusion_add_multicall_binary name)
  get_property(tools GLOBAL PROPERTY FUSION_TOOLS)
  set(FUSION_TOOL_DECLARATIONS)
  set(FUSION_TOOL_ENTRIES)
  set(libraries)
  foreach(tool ${tools})
    fusion_tool_main_name(${tool} main)
    string(APPEND FUSION_TOOL_DECLARATIONS "int ${main}(int argc, char **argv);\n")
    string(APPEND FUSION_TOOL_ENTRIES "    {\"${tool}\", ${main}},\n")
    list(APPEND libraries ${tool}-main)
  endforeach()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/Multicall.cpp.in" ${name}-multicall.cpp @ONLY)
  add_executable(${name} "${CMAKE_CURRENT_BINARY_DIR}/${name}-multicall.cpp")
  target_link_libraries(${name} PRIVATE ${libraries})
  target_link_options(${name} PRIVATE -Wl,--strip-all)
  fusion_link_mlir_static(${name})
endfunction()
