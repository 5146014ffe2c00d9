#include <limber/status.h>

const char *limber_status_text(limber_status status)
{
    switch (status) {
    case LIMBER_OK: return "done";
    case LIMBER_STOPPED: return "the solver stopped";
    case LIMBER_INPUT: return "the input is wrong";
    case LIMBER_MEMORY: return "out of memory";
    case LIMBER_IO: return "a file could not be read or written";
    case LIMBER_UNSUPPORTED: return "this combination is not available";
    case LIMBER_INTERRUPTED: return "interrupted; the run can be resumed";
    case LIMBER_INTERNAL: return "internal error";
    }
    return "unknown status";
}
