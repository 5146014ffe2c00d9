# What the library links with, as one imported target: limber::dependencies.
# Used by the build, and installed for those who link the static library.
#
# Also sets, for limber.pc:
#   LIMBER_PC_REQUIRES   the dependencies that pkg-config knows
#   LIMBER_PC_LIBS       the link flags of the others

if(TARGET limber::dependencies)
    return()
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
add_library(limber::dependencies INTERFACE IMPORTED)
set(LIMBER_PC_REQUIRES "")
set(LIMBER_PC_LIBS "")

# A library without a package description: NAME, and the header that shows where to include from.
function(limber_find_library name header)
    find_library(LIMBER_${name}_LIBRARY ${name})
    find_path(LIMBER_${name}_INCLUDE ${header} PATH_SUFFIXES suitesparse)
    mark_as_advanced(LIMBER_${name}_LIBRARY LIMBER_${name}_INCLUDE)
    if(NOT LIMBER_${name}_LIBRARY OR NOT LIMBER_${name}_INCLUDE)
        message(FATAL_ERROR "limber needs lib${name} and ${header} (scripts/setup installs them)")
    endif()
    target_link_libraries(limber::dependencies INTERFACE "${LIMBER_${name}_LIBRARY}")
    target_include_directories(limber::dependencies INTERFACE "${LIMBER_${name}_INCLUDE}")
    set(LIMBER_PC_LIBS ${LIMBER_PC_LIBS} -l${name} PARENT_SCOPE)
endfunction()

# KLU and what it stands on; nothing else of SuiteSparse (UMFPACK, SPQR and parts of CHOLMOD are GPL).
limber_find_library(klu klu.h)
limber_find_library(amd amd.h)
limber_find_library(btf btf.h)
limber_find_library(colamd colamd.h)
limber_find_library(suitesparseconfig SuiteSparse_config.h)

# OpenBLAS holds BLAS and LAPACK; linking -lblas or -llapack too could bring in a second set.
limber_find_library(lapacke lapacke.h)
limber_find_library(openblas cblas.h)
limber_find_library(arpack arpack/arpack.h)

# SUNDIALS: IDA for the BDF method, and its serial vectors.
limber_find_library(sundials_ida ida/ida.h)
limber_find_library(sundials_nvecserial nvector/nvector_serial.h)

pkg_check_modules(LIMBER_YAML REQUIRED QUIET IMPORTED_TARGET yaml-0.1)
target_link_libraries(limber::dependencies INTERFACE PkgConfig::LIMBER_YAML)
list(APPEND LIMBER_PC_REQUIRES yaml-0.1)

pkg_check_modules(LIMBER_ZLIB REQUIRED QUIET IMPORTED_TARGET zlib)
target_link_libraries(limber::dependencies INTERFACE PkgConfig::LIMBER_ZLIB)
list(APPEND LIMBER_PC_REQUIRES zlib)

# Where Debian has several builds of HDF5, plain `hdf5` may be the MPI one.
pkg_check_modules(LIMBER_HDF5 QUIET IMPORTED_TARGET hdf5-serial)
if(LIMBER_HDF5_FOUND)
    target_link_libraries(limber::dependencies INTERFACE PkgConfig::LIMBER_HDF5)
    list(APPEND LIMBER_PC_REQUIRES hdf5-serial)
else()
    find_package(HDF5 REQUIRED COMPONENTS C)
    target_link_libraries(limber::dependencies INTERFACE ${HDF5_C_LIBRARIES})
    target_include_directories(limber::dependencies INTERFACE ${HDF5_C_INCLUDE_DIRS})
    list(APPEND LIMBER_PC_LIBS ${HDF5_C_LIBRARIES})
endif()

target_link_libraries(limber::dependencies INTERFACE Threads::Threads -lm)
list(APPEND LIMBER_PC_LIBS -lpthread -lm)
