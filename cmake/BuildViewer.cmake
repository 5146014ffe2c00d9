# Run by the build: make PAGE from viewer/ (SOURCE) with npm (NPM). What goes wrong is said and leaves
# an empty page: the rest of limber does not need it.

# No long wait for a network that is not there.
set(install ${NPM} ci --no-audit --no-fund --prefer-offline --fetch-retries=1 --fetch-timeout=30000)

function(step result)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${SOURCE}"
        RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
    if(NOT status EQUAL 0)
        string(STRIP "${text}" text)
        list(JOIN ARGN " " command)
        message("${text}\n"
            "No page for reports: '${command}' failed in viewer/. 'limber report' will say so.\n"
            "To try again: touch viewer/package.json, and build.")
        file(WRITE "${PAGE}" "")
    endif()
    set(${result} ${status} PARENT_SCOPE)
endfunction()

set(installed "${SOURCE}/node_modules/.package-lock.json")
set(status 0)
if(NOT EXISTS "${installed}" OR "${SOURCE}/package-lock.json" IS_NEWER_THAN "${installed}")
    step(status ${install})
endif()
if(status EQUAL 0)
    step(status ${NPM} run --silent build -- "--outfile=${PAGE}")
endif()
if(status EQUAL 0 AND NOT EXISTS "${PAGE}")
    message("No page for reports: 'npm run build' in viewer/ did not write ${PAGE}")
    file(WRITE "${PAGE}" "")
endif()
