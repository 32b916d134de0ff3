# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The commit that is built, for --version. The build runs this script, since commits come after the configuration:
#
#   cmake -DSOURCE=<folder> -DHEADER=<file> -P FusionCommit.cmake
#
# The header changes only where the commit does.

set(commit "unknown commit")
find_program(git git)
if(git)
  execute_process(COMMAND "${git}" -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(status EQUAL 0)
    set(commit "commit ${described}")
  endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#define FUSION_COMMIT \"@commit@\"\n" @ONLY)
