/* LM_CLONES before a function: the same bits with wider registers, where the processor has them (no fused
 * products). Which one is called is decided before a sanitizer is ready, so there are none under these. */
#ifndef LM_MATH_CLONES_H
#define LM_MATH_CLONES_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LM_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define LM_CLONES
#endif

#endif
