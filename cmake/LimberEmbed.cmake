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

# Add to a target what src/model/library.h promises.
function(limber_embed_library target)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/embed")
    file(MAKE_DIRECTORY "${folder}")
    set(declarations "")
    set(table "")
    file(GLOB files CONFIGURE_DEPENDS library/*.yaml)
    foreach(file IN LISTS files)
        cmake_path(GET file STEM name)
        string(MAKE_C_IDENTIFIER "lm_library_${name}" symbol)
        limber_incbin(${symbol} "${file}" lines)
        string(APPEND declarations "${lines}")
        string(APPEND table "    {\"library/${name}.yaml\", ${symbol}, ${symbol}_end},\n")
    endforeach()
    list(LENGTH files count)
    configure_file(cmake/library.c.in "${folder}/library.c" @ONLY)
    set_source_files_properties("${folder}/library.c" PROPERTIES OBJECT_DEPENDS "${files}")
    target_sources(${target} PRIVATE "${folder}/library.c")
endfunction()

# Add to a target what src/view/embed.h promises.
function(limber_embed target)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/embed")
    set(page "${folder}/viewer.html")
    file(MAKE_DIRECTORY "${folder}")
    limber_build_viewer("${page}")
    limber_incbin(lm_file_page "${page}" declarations)
    set(table "")
    file(GLOB templates CONFIGURE_DEPENDS templates/*.yaml)
    foreach(template IN LISTS templates)
        cmake_path(GET template STEM name)
        string(MAKE_C_IDENTIFIER "lm_file_${name}" symbol)
        limber_incbin(${symbol} "${template}" lines)
        string(APPEND declarations "${lines}")
        string(APPEND table "    {\"${name}\", ${symbol}, ${symbol}_end},\n")
    endforeach()
    list(LENGTH templates count)
    configure_file(cmake/embed.c.in "${folder}/embed.c" @ONLY)
    set_source_files_properties("${folder}/embed.c" PROPERTIES
        OBJECT_DEPENDS "${page};${templates}")
    target_sources(${target} PRIVATE "${folder}/embed.c")
endfunction()
