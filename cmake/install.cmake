# The headers and libraries, and how pkg-config and find_package find them from where they lie: an
# installed tree may be moved.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/kgate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT profiler
        FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/examples/plugin DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
# What a pipeline posts with.
install(PROGRAMS ci/pipeline/common.sh ci/pipeline/gitlab_note.sh
        DESTINATION ${CMAKE_INSTALL_DATADIR}/kgate/pipeline)
install(PROGRAMS ci/slurm/submit.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/kgate/slurm)
install(FILES ci/slurm/shard.sbatch ci/slurm/steps.sbatch ci/slurm/merge.sbatch ci/slurm/kgate_reframe.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/kgate/slurm)
install(TARGETS kgate_memory LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS kgate_profiler kgate_profiler_shared EXPORT kgate-targets
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT profiler
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT profiler NAMELINK_COMPONENT profiler)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/kgate)
install(EXPORT kgate-targets NAMESPACE kgate:: DESTINATION ${package} COMPONENT profiler)
configure_package_config_file(cmake/kgate-config.cmake.in ${PROJECT_BINARY_DIR}/kgate-config.cmake
                              INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO
                              NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kgate-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kgate-config.cmake
              ${PROJECT_BINARY_DIR}/kgate-config-version.cmake DESTINATION ${package} COMPONENT profiler)

file(RELATIVE_PATH KGATE_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" KGATE_PC_PREFIX ${KGATE_PC_PREFIX})
file(RELATIVE_PATH KGATE_PC_LIBDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH KGATE_PC_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/kgate-profiler.pc.in ${PROJECT_BINARY_DIR}/kgate-profiler.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kgate-profiler.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT profiler)
