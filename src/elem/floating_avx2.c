/* The kernels of floating.c, floating_strain.c and floating_tangent.c once more, in 256-bit
 * instructions; chosen at run time in floating_dispatch.c. Each operation is rounded as in the
 * others and none is fused: the results are the same bits. */
#if defined __x86_64__

#include <immintrin.h>

#define LM_LANE_AVX2
#if defined __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#include "elem/floating.c"
#include "elem/floating_strain.c"
#include "elem/floating_tangent.c"

#if defined __clang__
#pragma clang attribute pop
#endif

#else
typedef int lm_floating_no_avx2; /* other processors have one set of kernels */
#endif
