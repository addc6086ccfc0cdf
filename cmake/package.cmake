# Packages, by cpack in a build folder: -G DEB makes kgate and libkgate-profiler-dev, -G TGZ one archive that
# runs from wherever it is unpacked. ci/release.sh makes those that are given away.
set(CPACK_PACKAGE_NAME kgate)
set(CPACK_PACKAGE_VENDOR kgate)
set(CPACK_PACKAGE_CONTACT "kgate maintainers <kgate@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "performance gate for CUDA and CPU code")
set(CPACK_PACKAGE_DESCRIPTION "Measures the workloads of a suite, compares them with a baseline, and exits non-zero where something became slower. It also says why a thing is slow, and what to try.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
# Profiles name the functions of kgate's kernels by their symbols.
set(CPACK_STRIP_FILES OFF)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program profiler)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME kgate)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# Looked for when they are used, and done without.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "gnuplot-nox, libcapstone4, valgrind")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS libpq5)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "The program kgate, and what it measures with.")
set(CPACK_DEBIAN_PROFILER_PACKAGE_NAME libkgate-profiler-dev)
set(CPACK_DEBIAN_PROFILER_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PROFILER_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROFILER_PACKAGE_SUGGESTS kgate)
set(CPACK_COMPONENT_PROFILER_DESCRIPTION "Headers and libraries of kgate's profiler and its plugins, with files for pkg-config and CMake.")

set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
string(TOLOWER "${CMAKE_SYSTEM_NAME}" system)
set(CPACK_ARCHIVE_FILE_NAME kgate-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_FILE_NAME ${CPACK_ARCHIVE_FILE_NAME})
include(CPack)
