/* Files that VTK and ParaView open: a .vtu (unstructured grid, appended raw data) for each row of an
 * analysis, or for each mode, and a .pvd that makes a series of them.
 *
 * Points: all poses, then the points where something touches rigid bodies. Cells: lines along beams,
 * along the edges of superelements, from the frames of rigid bodies to their points; a vertex for each
 * rigid body. Point data: displacement and rotation against the state as drawn, section forces N Vy Vz
 * T My Mz and stress (NaN where there is no beam); of modes: shape and its parts. Cell data: body, an
 * index into the field `bodies`. */
#ifndef LM_VIEW_VTK_H
#define LM_VIEW_VTK_H

#include <limber/status.h>

#include "view/result.h"

/* The folder exists. LIMBER_INPUT: no result file, or its model cannot be read again. */
limber_status lm_vtk_write(const char *results, const char *folder, const lm_result_how *how,
                           char *err, size_t size);

#endif
