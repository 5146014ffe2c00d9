# One target per file, for every folder that stands on the library. A folder without files is fine.

# The command-line program; it sees include/ only.
function(limber_add_cli)
    file(GLOB sources CONFIGURE_DEPENDS cli/*.c)
    if(sources)
        add_executable(limber_cli ${sources})
        set_target_properties(limber_cli PROPERTIES OUTPUT_NAME limber)
        target_link_libraries(limber_cli PRIVATE limber m)
    endif()
endfunction()

# examples/NAME.c -> examples/NAME in the build folder; users of the public API like the program.
function(limber_add_examples)
    file(GLOB sources CONFIGURE_DEPENDS examples/*.c)
    foreach(source IN LISTS sources)
        cmake_path(GET source STEM name)
        add_executable(example_${name} ${source})
        set_target_properties(example_${name} PROPERTIES
            OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY examples)
        target_link_libraries(example_${name} PRIVATE limber m)
    endforeach()
endfunction()

# An executable that may look inside the library.
function(limber_add_insider target source folder)
    cmake_path(GET source STEM name)
    add_executable(${target} ${source})
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${folder})
    target_include_directories(${target} PRIVATE src tests)
    target_link_libraries(${target} PRIVATE limber limber::dependencies)
endfunction()

# bench/NAME.c -> bench/NAME; built by the target `bench` only.
function(limber_add_benchmarks)
    add_custom_target(bench)
    file(GLOB sources CONFIGURE_DEPENDS bench/*.c)
    foreach(source IN LISTS sources)
        cmake_path(GET source STEM name)
        limber_add_insider(bench_${name} ${source} bench)
        set_target_properties(bench_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
        add_dependencies(bench bench_${name})
    endforeach()
endfunction()

# fuzz/fuzz_NAME.c -> fuzz_NAME
function(limber_add_fuzzers)
    file(GLOB sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
    foreach(source IN LISTS sources)
        cmake_path(GET source STEM name)
        limber_add_insider(${name} ${source} ${CMAKE_CURRENT_BINARY_DIR})
        target_compile_options(${name} PRIVATE -Wno-missing-prototypes)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
    endforeach()
endfunction()

# What every test finds in its environment. The sanitizers' exit status is none of limber's own.
set(limber_test_environment
    "LC_ALL=C.UTF-8"
    "MODELS=${CMAKE_CURRENT_SOURCE_DIR}/models"
    "TESTS=${CMAKE_CURRENT_SOURCE_DIR}/tests"
    "SCRATCH=${CMAKE_CURRENT_BINARY_DIR}/scratch"
    "ASAN_OPTIONS=detect_leaks=1:exitcode=99:allocator_may_return_null=1"
    "UBSAN_OPTIONS=print_stacktrace=1")

function(limber_add_test name label)
    add_test(NAME ${name} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES
        LABELS ${label} TIMEOUT 600 ENVIRONMENT "${limber_test_environment}")
endfunction()

# Long ones first: the last to run would run alone.
function(limber_start_early)
    foreach(name IN LISTS ARGN)
        if(TEST ${name})
            set_tests_properties(${name} PROPERTIES COST 1000)
        endif()
    endforeach()
endfunction()

# tests/unit/test_NAME.c -> the ctest entry unit.NAME; tests/support/*.c is linked to all of them.
function(limber_add_unit_tests)
    pkg_check_modules(CMOCKA REQUIRED QUIET IMPORTED_TARGET cmocka)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/scratch)

    file(GLOB support CONFIGURE_DEPENDS tests/support/*.c)
    if(support)
        add_library(limber_test_support STATIC ${support})
        target_include_directories(limber_test_support PRIVATE src tests)
        target_link_libraries(limber_test_support
            PUBLIC limber limber::dependencies PkgConfig::CMOCKA)
    endif()

    file(GLOB sources CONFIGURE_DEPENDS tests/unit/test_*.c)
    foreach(source IN LISTS sources)
        cmake_path(GET source STEM target)
        string(REGEX REPLACE "^test_" "" name ${target})
        if(LIMBER_LEAVE_OUT AND name MATCHES "^(${LIMBER_LEAVE_OUT})$")
            continue()
        endif()
        limber_add_insider(${target} ${source} tests)
        target_link_libraries(${target} PRIVATE
            $<TARGET_NAME_IF_EXISTS:limber_test_support> PkgConfig::CMOCKA)
        limber_add_test(unit.${name} unit ${LIMBER_TEST_WRAPPER} $<TARGET_FILE:${target}>)
        if(LIMBER_TEST_WRAPPER) # valgrind takes its time
            set_tests_properties(unit.${name} PROPERTIES TIMEOUT 3600)
        endif()
    endforeach()
    if(TEST unit.view_faults) # reads files that are damaged
        set_property(TEST unit.view_faults APPEND PROPERTY ENVIRONMENT
            "LSAN_OPTIONS=print_suppressions=0:suppressions=${CMAKE_CURRENT_SOURCE_DIR}/tests/hdf5_leaks.txt")
    endif()
    limber_start_early(unit.models_cross unit.ffr_models unit.faults_resume unit.models_defaults
        unit.minimal_paper unit.view_faults unit.h5_disk)
endfunction()

# oracle.NAME: a program in tests/ that draws models; without SciPy it is skipped.
function(limber_add_oracle name program)
    limber_add_test(oracle.${name} cli tests/${program} $<TARGET_FILE_DIR:limber_cli> ${ARGN})
    set_tests_properties(oracle.${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped:")
endfunction()

# tests/cli/NAME.test -> cli.NAME, the models with mistakes in tests/broken -> broken, and what VTK
# reads of the files for ParaView -> vtk; models drawn by chance, against the programs of tests/oracle and by the
# identities of tests/soak -> oracle.NAME, what runs estimate of their errors -> ranges, and reports in Chromium -> browser, where the build is not slowed down.
function(limber_add_cli_tests)
    if(NOT TARGET limber_cli)
        return()
    endif()
    file(GLOB files CONFIGURE_DEPENDS tests/cli/*.test)
    foreach(file IN LISTS files)
        cmake_path(GET file STEM name)
        limber_add_test(cli.${name} cli tests/cli/run $<TARGET_FILE_DIR:limber_cli> ${file})
    endforeach()
    limber_add_test(broken cli tests/broken/run $<TARGET_FILE_DIR:limber_cli>)
    limber_add_test(vtk cli tests/vtk/run $<TARGET_FILE_DIR:limber_cli>)
    set_tests_properties(broken vtk PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped:")
    if(NOT LIMBER_SANITIZE)
        limber_add_test(ranges cli scripts/ranges --quick $<TARGET_FILE_DIR:limber_cli>)
        limber_add_test(browser cli tests/browser/run $<TARGET_FILE_DIR:limber_cli>)
        set_tests_properties(browser PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
        limber_add_oracle(mechanisms oracle/mechanisms --seed 1 --count 60)
        limber_add_oracle(pulses oracle/pulses --seed 1 --count 80)
        limber_add_oracle(soak soak/soak --seed 1 --count 80 --each 3)
        limber_add_oracle(frames oracle/frames --seed 3 --count 3)
        limber_add_oracle(rotors oracle/rotors --seed 2 --count 3)
        limber_add_oracle(rods oracle/rods --seed 1 --count 20)
        limber_add_oracle(machines oracle/machines --seed 1 --count 12)
        limber_start_early(browser oracle.mechanisms oracle.soak oracle.frames oracle.rotors)
    endif()
endfunction()

# limber.pc. Who links a static library also links what it stands on.
function(limber_configure_pkgconfig)
    list(JOIN LIMBER_PC_LIBS " " deps)
    list(JOIN LIMBER_PC_REQUIRES " " requires)
    if(BUILD_SHARED_LIBS)
        set(libs_private "${deps}")
        set(requires_private "${requires}")
        unset(deps)
        unset(requires)
    endif()
    # From the .pc file's folder up to the prefix: the installed tree may be moved.
    string(REGEX REPLACE "[^/]+" ".." up "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
    configure_file(cmake/limber.pc.in limber.pc @ONLY)
endfunction()
