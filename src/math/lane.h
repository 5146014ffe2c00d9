/* Lanes: four doubles that go through the same arithmetic side by side, one element in each.
 *
 * A kernel written with lanes looks like one for a single element and computes four. All lanes
 * take the same path and no operation mixes them, so that what stands in one lane never depends
 * on its neighbours. The types are plain vectors of the compiler: any target can compile them,
 * one with wide registers does so in one instruction. sqrt and the four operations are rounded
 * correctly everywhere: the bits are the same on each target.
 *
 * A source file that wants a wider instruction set than the rest of the program includes this
 * header after its target pragma; every function here is inlined into it. */
#ifndef LM_MATH_LANE_H
#define LM_MATH_LANE_H

#if defined __x86_64__
#include <immintrin.h>
#else
#include <math.h>
#endif

#define LM_LANES 4

/* Aligned like any other memory; what is used often is better off on a multiple of 32 bytes. */
typedef double lm_lane __attribute__((vector_size(32), aligned(16)));

typedef struct lm_lane1 {
    lm_lane s;
} lm_lane1;

typedef struct lm_lane3 {
    lm_lane x, y, z;
} lm_lane3;

typedef struct lm_lanem3 { /* by columns */
    lm_lane3 x, y, z;
} lm_lanem3;

/* Lanes are passed by value between inlined functions only; no call ever sees their ABI, about
 * which gcc would warn. For parameters it does so even then, unless they are in a struct: hence
 * the macros around lm_lane1. */
#pragma GCC diagnostic ignored "-Wpsabi"
#define LM_LANE_INLINE static inline __attribute__((always_inline, unused))

#define lane_sqrt(a) lane_sqrt_((lm_lane1){a})
#define l3(x, y, z)  ((lm_lane3){x, y, z})
#define l3_mul(s, a) l3_mul_((lm_lane1){s}, a)

LM_LANE_INLINE lm_lane lane_all(double s) { return (lm_lane){s, s, s, s}; }

LM_LANE_INLINE lm_lane lane_sqrt_(lm_lane1 one)
{
    lm_lane a = one.s;
#if defined LM_LANE_AVX2 || defined __AVX__
    return (lm_lane)_mm256_sqrt_pd((__m256d)a);
#elif defined __x86_64__
    /* sqrt() itself would be called for the sake of errno. */
    __m128d lo = _mm_sqrt_pd((__m128d){a[0], a[1]}), hi = _mm_sqrt_pd((__m128d){a[2], a[3]});
    return (lm_lane){lo[0], lo[1], hi[0], hi[1]};
#else
    return (lm_lane){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

LM_LANE_INLINE lm_lane3 l3_all(double x, double y, double z)
{
    return l3(lane_all(x), lane_all(y), lane_all(z));
}
LM_LANE_INLINE lm_lane3 l3_from(const lm_lane *p) { return l3(p[0], p[1], p[2]); }
LM_LANE_INLINE void l3_put(lm_lane *p, lm_lane3 a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
LM_LANE_INLINE lm_lane3 l3_add(lm_lane3 a, lm_lane3 b)
{
    return l3(a.x + b.x, a.y + b.y, a.z + b.z);
}
LM_LANE_INLINE lm_lane3 l3_sub(lm_lane3 a, lm_lane3 b)
{
    return l3(a.x - b.x, a.y - b.y, a.z - b.z);
}
LM_LANE_INLINE lm_lane3 l3_neg(lm_lane3 a) { return l3(-a.x, -a.y, -a.z); }
LM_LANE_INLINE lm_lane3 l3_mul_(lm_lane1 f, lm_lane3 a)
{
    return l3(f.s * a.x, f.s * a.y, f.s * a.z);
}
LM_LANE_INLINE lm_lane l3_dot(lm_lane3 a, lm_lane3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
LM_LANE_INLINE lm_lane3 l3_cross(lm_lane3 a, lm_lane3 b)
{
    return l3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

LM_LANE_INLINE lm_lanem3 lm3_from(const lm_lane *m) /* column-major */
{
    return (lm_lanem3){l3_from(m), l3_from(m + 3), l3_from(m + 6)};
}
LM_LANE_INLINE void lm3_put(lm_lane *m, lm_lanem3 A)
{
    l3_put(m, A.x);
    l3_put(m + 3, A.y);
    l3_put(m + 6, A.z);
}
LM_LANE_INLINE lm_lane3 lm3_v(lm_lanem3 A, lm_lane3 v) /* A v */
{
    return l3_add(l3_add(l3_mul(v.x, A.x), l3_mul(v.y, A.y)), l3_mul(v.z, A.z));
}
LM_LANE_INLINE lm_lane3 lm3_tv(lm_lanem3 A, lm_lane3 v) /* A^T v */
{
    return l3(l3_dot(A.x, v), l3_dot(A.y, v), l3_dot(A.z, v));
}
LM_LANE_INLINE lm_lanem3 lm3_mul(lm_lanem3 A, lm_lanem3 B)
{
    return (lm_lanem3){lm3_v(A, B.x), lm3_v(A, B.y), lm3_v(A, B.z)};
}
LM_LANE_INLINE lm_lanem3 lm3_tmul(lm_lanem3 A, lm_lanem3 B) /* A^T B */
{
    return (lm_lanem3){lm3_tv(A, B.x), lm3_tv(A, B.y), lm3_tv(A, B.z)};
}

#endif
