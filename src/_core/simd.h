/* Vectors of LANES doubles: arithmetic, loads and stores, masks. Knows no mathematics.
 *
 * The file that includes this says which instructions it may use: SIMD_AVX512 (8 lanes), SIMD_AVX2
 * (4 lanes, with fused multiply-add) or neither (2 lanes, in the compiler's own vector extension,
 * so on any machine). + - * / are the C operators and round as those of scalars do.
 */
#ifndef CHAINRULE_SIMD_H
#define CHAINRULE_SIMD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(SIMD_AVX512)
enum { LANES = 8 };
#elif defined(SIMD_AVX2)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef double vec __attribute__((vector_size(LANES * 8)));
typedef int64_t ivec __attribute__((vector_size(LANES * 8)));
typedef uint64_t uvec __attribute__((vector_size(LANES * 8)));
#define INLINE static inline __attribute__((always_inline, unused))

INLINE vec v_splat(double x) { return x - (vec){0}; } /* - 0: it keeps the sign of -0 */
INLINE ivec v_bits(vec x) { return (ivec)x; }
INLINE vec v_from_bits(ivec x) { return (vec)x; }

INLINE vec v_load(const double *p) {
    vec x;
    memcpy(&x, p, sizeof x);
    return x;
}
INLINE void v_store(double *p, vec x) { memcpy(p, &x, sizeof x); }

/* The lanes one by one, for functions that have no vector form here. */
INLINE vec v_each(double (*f)(double), vec x) {
    for (int i = 0; i < LANES; i++) x[i] = f(x[i]);
    return x;
}
INLINE vec v_each2(double (*f)(double, double), vec x, vec y) {
    for (int i = 0; i < LANES; i++) x[i] = f(x[i], y[i]);
    return x;
}

/* --- 1 to LANES - 1 elements at the end of an array; the other lanes are 0, or not stored ---- */

#if defined(SIMD_AVX512)

INLINE vec v_load_part(const double *p, ptrdiff_t count) {
    return (vec)_mm512_maskz_loadu_pd((__mmask8)((1 << count) - 1), p);
}
INLINE void v_store_part(double *p, vec x, ptrdiff_t count) {
    _mm512_mask_storeu_pd(p, (__mmask8)((1 << count) - 1), (__m512d)x);
}

#elif defined(SIMD_AVX2)

INLINE __m256i lanes_below(ptrdiff_t count) { return (__m256i)((ivec){0, 1, 2, 3} < (ivec){0} + count); }
INLINE vec v_load_part(const double *p, ptrdiff_t count) {
    return (vec)_mm256_maskload_pd(p, lanes_below(count));
}
INLINE void v_store_part(double *p, vec x, ptrdiff_t count) {
    _mm256_maskstore_pd(p, lanes_below(count), (__m256d)x);
}

#else

INLINE vec v_load_part(const double *p, ptrdiff_t count) { return (void)count, (vec){p[0], 0.0}; }
INLINE void v_store_part(double *p, vec x, ptrdiff_t count) { (void)count, (void)(p[0] = x[0]); }

#endif

/* --- masks: what comparisons give and v_select takes ------------------------------------------ */

#if defined(SIMD_AVX512)

typedef __mmask8 mask;
INLINE mask v_less(vec a, vec b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ); }
INLINE mask v_less_equal(vec a, vec b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LE_OQ); }
INLINE mask v_equal(vec a, vec b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_EQ_OQ); }
INLINE mask v_unequal(vec a, vec b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_NEQ_UQ); }
INLINE mask v_unequal_bits(ivec a, ivec b) { return _mm512_cmpneq_epi64_mask((__m512i)a, (__m512i)b); }
INLINE vec v_select(mask m, vec yes, vec no) {
    return (vec)_mm512_mask_blend_pd(m, (__m512d)no, (__m512d)yes);
}
INLINE mask v_and(mask a, mask b) { return a & b; }
INLINE int v_any(mask m) { return m != 0; }
INLINE int v_all(mask m) { return m == 0xff; }

#else

typedef ivec mask; /* all bits of a lane, or none */
INLINE mask v_less(vec a, vec b) { return (mask)(a < b); }
INLINE mask v_less_equal(vec a, vec b) { return (mask)(a <= b); }
INLINE mask v_equal(vec a, vec b) { return (mask)(a == b); }
INLINE mask v_unequal(vec a, vec b) { return (mask)(a != b); }
INLINE mask v_unequal_bits(ivec a, ivec b) { return (mask)(a != b); }
INLINE vec v_select(mask m, vec yes, vec no) {
#if defined(SIMD_AVX2)
    return (vec)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)m);
#else
    return (vec)((m & (ivec)yes) | (~m & (ivec)no));
#endif
}
INLINE mask v_and(mask a, mask b) { return a & b; }
INLINE int lanes_in(mask m) { /* a bit for each */
#if defined(SIMD_AVX2)
    return _mm256_movemask_pd((__m256d)m);
#elif defined(__x86_64__)
    return _mm_movemask_pd((__m128d)m);
#else
    return (m[0] & 1) | (m[1] & 2);
#endif
}
INLINE int v_any(mask m) { return lanes_in(m) != 0; }
INLINE int v_all(mask m) { return lanes_in(m) == (1 << LANES) - 1; }

#endif

/* --- single instructions that C has no operator for -------------------------------------------- */

INLINE vec v_sign(vec x) { return (vec)((ivec)x & (ivec)v_splat(-0.0)); } /* only the sign bit */
INLINE vec v_abs(vec x) { return (vec)((ivec)x & ~(ivec)v_splat(-0.0)); }
INLINE vec v_xor(vec x, vec y) { return (vec)((ivec)x ^ (ivec)y); }

INLINE vec v_sqrt(vec x) {
#if defined(SIMD_AVX512)
    return (vec)_mm512_sqrt_pd((__m512d)x);
#elif defined(SIMD_AVX2)
    return (vec)_mm256_sqrt_pd((__m256d)x);
#elif defined(__x86_64__)
    return (vec)_mm_sqrt_pd((__m128d)x);
#else
    return v_each(sqrt, x);
#endif
}

/* a * b + c, rounded once where the machine can; so no result may depend on it doing so. */
INLINE vec v_fma(vec a, vec b, vec c) {
#if defined(SIMD_AVX512)
    return (vec)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(SIMD_AVX2)
    return (vec)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return a * b + c;
#endif
}

#endif
