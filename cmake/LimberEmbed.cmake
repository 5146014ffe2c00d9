# Files inside the program: the page of viewer/, the models of templates/ and the components of library/,
# taken in by the assembler. The tables of them are those of src/view/embed.h and src/model/library.h.

option(LIMBER_VIEWER "Build the page of reports from viewer/ with npm" ON)

# The page, as a file of the build folder. An empty one where it cannot be built: the program then says
# so when it is asked for a report.
function(limber_build_viewer page)
    set(source "${CMAKE_CURRENT_SOURCE_DIR}/viewer")
    set(missing "")
    find_program(LIMBER_NODE node)
    find_program(LIMBER_NPM npm)
    mark_as_advanced(LIMBER_NODE LIMBER_NPM)
    if(NOT LIMBER_VIEWER)
        set(missing "it is switched off by LIMBER_VIEWER=OFF")
    elseif(NOT EXISTS "${source}/package.json")
        set(missing "there is no viewer/package.json")
    elseif(NOT LIMBER_NODE OR NOT LIMBER_NPM)
        set(missing "node and npm are not installed (scripts/setup installs them)")
    endif()
    if(missing)
        message(STATUS "No page for reports: ${missing}. 'limber report' will say so.")
        file(WRITE "${page}" "")
        return()
    endif()
    file(GLOB_RECURSE files CONFIGURE_DEPENDS "${source}/src/*")
    file(GLOB top CONFIGURE_DEPENDS "${source}/*.json" "${source}/*.mjs" "${source}/*.js"
        "${source}/*.html")
    add_custom_command(OUTPUT "${page}"
        COMMAND ${CMAKE_COMMAND} "-DNPM=${LIMBER_NPM}" "-DSOURCE=${source}" "-DPAGE=${page}"
            -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/BuildViewer.cmake"
        DEPENDS ${files} ${top} "${CMAKE_CURRENT_SOURCE_DIR}/cmake/BuildViewer.cmake"
        COMMENT "Building the page of reports" VERBATIM)
endfunction()

# Assembler lines for one file under a symbol.
function(limber_incbin symbol file result)
    set(${result} "__asm__(\".section .rodata\\n.hidden ${symbol}, ${symbol}_end\\n\"\n\
        \".global ${symbol}, ${symbol}_end\\n.balign 16\\n${symbol}:\\n\"\n\
        \".incbin \\\"${file}\\\"\\n${symbol}_end:\\n.byte 0\\n.previous\\n\");\n\
HIDDEN extern const char ${symbol}[], ${symbol}_end[];\n" PARENT_SCOPE)
endfunction()

# Lines and rows of a table for the files of a folder, appended to the caller's `declarations` and `table`;
# `files` and `count` are set. A row has the file's name, with `before` and `after` around it.
macro(limber_embed_files pattern prefix before after)
    file(GLOB files CONFIGURE_DEPENDS ${pattern})
    foreach(file IN LISTS files)
        cmake_path(GET file STEM name)
        string(MAKE_C_IDENTIFIER "${prefix}${name}" symbol)
        limber_incbin(${symbol} "${file}" lines)
        string(APPEND declarations "${lines}")
        string(APPEND table "    {\"${before}${name}${after}\", ${symbol}, ${symbol}_end},\n")
    endforeach()
    list(LENGTH files count)
endmacro()

# A source in the build folder from its template, that depends on the files it takes in.
function(limber_embed_source target name)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/embed/${name}.c")
    configure_file(cmake/${name}.c.in "${source}" @ONLY)
    set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${ARGN}")
    target_sources(${target} PRIVATE "${source}")
endfunction()

# Add to a target what src/model/library.h promises.
function(limber_embed_library target)
    set(declarations "")
    set(table "")
    limber_embed_files(library/*.yaml lm_library_ library/ .yaml)
    limber_embed_source(${target} library ${files})
endfunction()

# Add to a target what src/view/embed.h promises.
function(limber_embed target)
    set(page "${CMAKE_CURRENT_BINARY_DIR}/embed/viewer.html")
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/embed")
    limber_build_viewer("${page}")
    limber_incbin(lm_file_page "${page}" declarations)
    set(table "")
    limber_embed_files(templates/*.yaml lm_file_ "" "")
    limber_embed_source(${target} embed "${page}" ${files})
endfunction()
