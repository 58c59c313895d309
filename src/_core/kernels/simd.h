/* Vectors of LANES doubles: arithmetic, loads and stores, masks. Elementary functions are in vmath.h.
 *
 * Numbers are stored as `real`: double, or float if SINGLE is defined. Floats are converted to doubles
 * for arithmetic. Only matrix products compute in the storage type, in `wide` vectors of WIDE numbers.
 *
 * The including file selects the instruction set: SIMD_AVX512 (8 lanes), SIMD_AVX2 (4 lanes, with fused
 * multiply-add) or neither (2 lanes: SSE2, or the compiler's portable vector extension). With SIMD_ONE, for
 * kernels of a single sample, all have 2 lanes. + - * / are the C operators and round as they do on scalars. */
#ifndef CHAINRULE_SIMD_H
#define CHAINRULE_SIMD_H

#include "real.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(SIMD_ONE) && defined(SIMD_AVX512) /* AVX2 gives each lane the same bits */
#undef SIMD_AVX512
#define SIMD_AVX2
#endif

#if defined(SIMD_AVX512)
enum { LANES = 8 };
typedef __m512d native;
#define NATIVE(name) _mm512_##name##_pd
#elif defined(SIMD_AVX2) && !defined(SIMD_ONE)
enum { LANES = 4 };
typedef __m256d native;
#define NATIVE(name) _mm256_##name##_pd
#else
enum { LANES = 2 };
#if defined(__x86_64__)
typedef __m128d native;
#define NATIVE(name) _mm_##name##_pd
#endif
#endif

enum { WIDE = LANES * 8 / sizeof(real) };

typedef double vec __attribute__((vector_size(LANES * 8)));
typedef real wide __attribute__((vector_size(LANES * 8)));
typedef int64_t ivec __attribute__((vector_size(LANES * 8)));
typedef uint64_t uvec __attribute__((vector_size(LANES * 8)));
#define INLINE static inline __attribute__((always_inline, unused))

INLINE vec v_splat(double x) { return x - (vec){0}; } /* subtracting 0 preserves -0; adding 0 would not */

INLINE wide w_load(const real *p) {
    wide x;
    memcpy(&x, p, sizeof x);
    return x;
}
INLINE void w_store(real *p, wide x) { memcpy(p, &x, sizeof x); }
INLINE wide w_splat(real x) { return x - (wide){0}; }

/* Applies a scalar function to each lane, for functions without a vector form. */
INLINE vec v_each(double (*f)(double), vec x) {
    for (int i = 0; i < LANES; i++) x[i] = f(x[i]);
    return x;
}
INLINE vec v_each2(double (*f)(double, double), vec x, vec y) {
    for (int i = 0; i < LANES; i++) x[i] = f(x[i], y[i]);
    return x;
}

INLINE vec v_sign(vec x) { return (vec)((uvec)x & (uvec)v_splat(-0.0)); } /* only the sign bit */
INLINE vec v_abs(vec x) { return (vec)((uvec)x & ~(uvec)v_splat(-0.0)); }
INLINE vec v_xor(vec x, vec y) { return (vec)((uvec)x ^ (uvec)y); }

/* --- masks: the results of comparisons, for v_select; and partial vectors -----------------------
 * Partial vectors hold the last elements of an array, fewer than LANES. The unused lanes load as 0 and
 * are not stored. */

#if defined(SIMD_AVX512)

typedef __mmask8 mask;
#define V_COMPARE(a, b, how) _mm512_cmp_pd_mask((native)(a), (native)(b), how)
INLINE mask v_odd(uvec a) { return _mm512_test_epi64_mask((__m512i)a, _mm512_set1_epi64(1)); }
INLINE vec v_select(mask m, vec yes, vec no) { return (vec)_mm512_mask_blend_pd(m, (native)no, (native)yes); }
INLINE int lanes_in(mask m) { return m; }

#if defined(SINGLE)
INLINE wide w_load_part(const real *p, ptrdiff_t count) {
    return (wide)_mm512_maskz_loadu_ps((__mmask16)((1 << count) - 1), p);
}
INLINE void w_store_part(real *p, wide x, ptrdiff_t count) {
    _mm512_mask_storeu_ps(p, (__mmask16)((1 << count) - 1), (__m512)x);
}
INLINE vec v_low(wide x) { return (vec)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)x)); }
INLINE vec v_high(wide x) {
    return (vec)_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd((__m512d)x, 1)));
}
INLINE vec v_load(const real *p) { return (vec)_mm512_cvtps_pd(_mm256_loadu_ps(p)); }
INLINE void v_store(real *p, vec x) { _mm256_storeu_ps(p, _mm512_cvtpd_ps((native)x)); }
INLINE vec v_load_part(const real *p, ptrdiff_t count) { return v_low(w_load_part(p, count)); }
INLINE void v_store_part(real *p, vec x, ptrdiff_t count) {
    w_store_part(p, (wide)_mm512_castps256_ps512(_mm512_cvtpd_ps((native)x)), count);
}
#else
/* Half a vector needs no mask. A masked store cannot be forwarded to a later load, which must wait for
   the cache. */
INLINE wide w_load_part(const real *p, ptrdiff_t count) {
    if (count == 4) return (wide)_mm512_insertf64x4(_mm512_setzero_pd(), _mm256_loadu_pd(p), 0);
    return (wide)_mm512_maskz_loadu_pd((mask)((1 << count) - 1), p);
}
INLINE void w_store_part(real *p, wide x, ptrdiff_t count) {
    if (count == 4)
        _mm256_storeu_pd(p, _mm512_castpd512_pd256((native)x));
    else
        _mm512_mask_storeu_pd(p, (mask)((1 << count) - 1), (native)x);
}
#endif

#else

typedef ivec mask; /* all bits of a lane, or none */
INLINE mask v_odd(uvec a) { return -(mask)(a & 1); }

#if defined(SIMD_AVX2)
#define V_COMPARE(a, b, how) (mask) NATIVE(cmp)((native)(a), (native)(b), how)
INLINE vec v_select(mask m, vec yes, vec no) { return (vec)NATIVE(blendv)((native)no, (native)yes, (native)m); }
#else
#if defined(__x86_64__) /* not the operators: GCC 12 fails to compile them at -O1 */
INLINE mask v_less(vec a, vec b) { return (mask)_mm_cmplt_pd((native)a, (native)b); }
INLINE mask v_less_equal(vec a, vec b) { return (mask)_mm_cmple_pd((native)a, (native)b); }
INLINE mask v_equal(vec a, vec b) { return (mask)_mm_cmpeq_pd((native)a, (native)b); }
INLINE mask v_unequal(vec a, vec b) { return (mask)_mm_cmpneq_pd((native)a, (native)b); }
#else
INLINE mask v_less(vec a, vec b) { return a < b; }
INLINE mask v_less_equal(vec a, vec b) { return a <= b; }
INLINE mask v_equal(vec a, vec b) { return a == b; }
INLINE mask v_unequal(vec a, vec b) { return a != b; }
#endif
INLINE vec v_select(mask m, vec yes, vec no) { return (vec)((m & (mask)yes) | (~m & (mask)no)); }
#endif

#if defined(SIMD_AVX2) && !defined(SIMD_ONE)
#if defined(SINGLE)
typedef int32_t lanes8 __attribute__((vector_size(32)));
INLINE __m256i lanes_below(ptrdiff_t count) {
    return (__m256i)((lanes8){0, 1, 2, 3, 4, 5, 6, 7} < (lanes8){0} + (int32_t)count);
}
INLINE wide w_load_part(const real *p, ptrdiff_t count) {
    return (wide)_mm256_maskload_ps(p, lanes_below(count));
}
INLINE void w_store_part(real *p, wide x, ptrdiff_t count) {
    _mm256_maskstore_ps(p, lanes_below(count), (__m256)x);
}
INLINE vec v_low(wide x) { return (vec)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)x)); }
INLINE vec v_high(wide x) { return (vec)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)x, 1)); }
INLINE vec v_load(const real *p) { return (vec)_mm256_cvtps_pd(_mm_loadu_ps(p)); }
INLINE void v_store(real *p, vec x) { _mm_storeu_ps(p, _mm256_cvtpd_ps((native)x)); }
INLINE vec v_load_part(const real *p, ptrdiff_t count) { return v_low(w_load_part(p, count)); }
INLINE void v_store_part(real *p, vec x, ptrdiff_t count) {
    w_store_part(p, (wide)_mm256_castps128_ps256(_mm256_cvtpd_ps((native)x)), count);
}
#else
INLINE __m256i lanes_below(ptrdiff_t count) { return (__m256i)((ivec){0, 1, 2, 3} < (ivec){0} + count); }
INLINE wide w_load_part(const real *p, ptrdiff_t count) {
    return (wide)_mm256_maskload_pd(p, lanes_below(count));
}
INLINE void w_store_part(real *p, wide x, ptrdiff_t count) {
    _mm256_maskstore_pd(p, lanes_below(count), (native)x);
}
#endif
#else
INLINE wide w_load_part(const real *p, ptrdiff_t count) {
    wide x = {0};
    for (ptrdiff_t i = 0; i < count; i++) x[i] = p[i];
    return x;
}
INLINE void w_store_part(real *p, wide x, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) p[i] = x[i];
}
#if defined(SINGLE)
INLINE vec v_low(wide x) { return (vec){x[0], x[1]}; }
INLINE vec v_high(wide x) { return (vec){x[2], x[3]}; }
INLINE vec v_load(const real *p) { return (vec){p[0], p[1]}; }
INLINE void v_store(real *p, vec x) { p[0] = (real)x[0], p[1] = (real)x[1]; }
INLINE vec v_load_part(const real *p, ptrdiff_t count) { return (vec){p[0], 0.0}; }
INLINE void v_store_part(real *p, vec x, ptrdiff_t count) { p[0] = (real)x[0]; }
#endif
#endif

INLINE int lanes_in(mask m) { /* one bit per lane */
#if defined(NATIVE)
    return NATIVE(movemask)((native)m);
#else
    return (m[0] & 1) | (m[1] & 2);
#endif
}

#endif

#if defined(V_COMPARE)
INLINE mask v_less(vec a, vec b) { return V_COMPARE(a, b, _CMP_LT_OQ); }
INLINE mask v_less_equal(vec a, vec b) { return V_COMPARE(a, b, _CMP_LE_OQ); }
INLINE mask v_equal(vec a, vec b) { return V_COMPARE(a, b, _CMP_EQ_OQ); }
INLINE mask v_unequal(vec a, vec b) { return V_COMPARE(a, b, _CMP_NEQ_UQ); }
#endif

/* Doubles need no conversion when they are loaded or stored. Given a wide vector of floats, v_folded adds its
   halves; given a vector of doubles, it returns that vector unchanged. */
#if defined(SINGLE)
INLINE vec v_folded(wide x) { return v_low(x) + v_high(x); }
#else
INLINE vec v_load(const real *p) { return w_load(p); }
INLINE void v_store(real *p, vec x) { w_store(p, x); }
INLINE vec v_load_part(const real *p, ptrdiff_t count) { return w_load_part(p, count); }
INLINE void v_store_part(real *p, vec x, ptrdiff_t count) { w_store_part(p, x, count); }
INLINE vec v_folded(wide x) { return x; }
#endif

/* adjoint * partial, for an operation that selects: a partial of 0 cuts the edge, since 0 times inf is NaN. */
INLINE vec unless_0(vec partial, vec adjoint) {
    const vec zero = v_splat(0.0);
    return v_select(v_equal(partial, zero), zero, adjoint * partial);
}

INLINE mask v_and(mask a, mask b) { return a & b; }
INLINE int v_any(mask m) { return lanes_in(m) != 0; }
INLINE int v_all(mask m) { return lanes_in(m) == (1 << LANES) - 1; }

/* --- instructions that have no C operator -------------------------------------------------------- */

/* Maximum and minimum; NaN if x is NaN. */
INLINE vec v_at_least(vec low, vec x) {
#if defined(NATIVE)
    return (vec)NATIVE(max)((native)low, (native)x);
#else
    return v_select(v_less(x, low), low, x);
#endif
}
INLINE vec v_at_most(vec high, vec x) {
#if defined(NATIVE)
    return (vec)NATIVE(min)((native)high, (native)x);
#else
    return v_select(v_less(high, x), high, x);
#endif
}

INLINE vec v_sqrt(vec x) {
#if defined(NATIVE)
    return (vec)NATIVE(sqrt)((native)x);
#else
    return v_each(sqrt, x);
#endif
}

INLINE vec v_floor(vec x) {
#if defined(SIMD_AVX512) || defined(SIMD_AVX2)
    return (vec)NATIVE(floor)((native)x);
#else
    const vec size = v_abs(x), whole = (vec)((uvec)((size + 0x1p52) - 0x1p52) | (uvec)v_sign(x));
    const vec below = v_select(v_less(x, whole), whole - 1.0, whole);
    return v_select(v_less(size, v_splat(0x1p52)), below, x); /* larger numbers are integers */
#endif
}

/* a * b + c, rounded once with AVX2 and AVX-512, otherwise twice; accuracy bounds must hold for both. */
INLINE vec v_fma(vec a, vec b, vec c) {
#if defined(SIMD_AVX512) || defined(SIMD_AVX2)
    return (vec)NATIVE(fmadd)((native)a, (native)b, (native)c);
#else
    return a * b + c;
#endif
}

INLINE wide w_fma(wide a, wide b, wide c) {
#if !defined(SINGLE)
    return v_fma(a, b, c);
#elif defined(SIMD_AVX512)
    return (wide)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(SIMD_AVX2) && defined(SIMD_ONE)
    return (wide)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#elif defined(SIMD_AVX2)
    return (wide)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

/* --- the first `some` elements of a vector; no branch if `some` is a compile-time constant ------- */

INLINE vec v_some(const real *p, ptrdiff_t some) { return some == LANES ? v_load(p) : v_load_part(p, some); }
INLINE wide w_some(const real *p, ptrdiff_t some) { return some == WIDE ? w_load(p) : w_load_part(p, some); }
INLINE void v_put(real *p, vec x, ptrdiff_t some) {
    if (some == LANES)
        v_store(p, x);
    else
        v_store_part(p, x, some);
}

#endif
