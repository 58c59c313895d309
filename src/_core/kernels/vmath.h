/* Elementary functions on vectors, each accurate to about 1 ulp over the whole range of doubles.
 *
 * The usual scheme: reduce the argument to a short interval, exactly or with the error kept in a second
 * number. A polynomial then adds a small correction to leading terms, which are added last and exactly.
 * Zeros, infinities, subnormals and NaN give the same results as libm. tools/fit_vmath.py prints the
 * constants. All other functions in the table call libm for each lane. */
#ifndef CHAINRULE_VMATH_H
#define CHAINRULE_VMATH_H

#include "simd.h"

/* --- double-double arithmetic -------------------------------------------------------------------
 * hi + lo, where lo is the rounding error. See Dekker (1971) and Knuth's TAOCP vol. 2 for proofs. */

typedef struct {
    vec hi, lo;
} pair;

INLINE pair exact_sum(vec a, vec b) {
    const vec sum = a + b, part = sum - a;
    return (pair){sum, (a - (sum - part)) + (b - part)};
}

/* The same as exact_sum, assuming |a| >= |b| or a = 0. */
INLINE pair quick_sum(vec a, vec b) {
    const vec sum = a + b;
    return (pair){sum, b - (sum - a)};
}

#if defined(SIMD_AVX512) || defined(SIMD_AVX2)
INLINE pair exact_product(vec a, vec b) {
    const vec product = a * b;
    return (pair){product, v_fma(a, b, -product)};
}
#else
INLINE vec upper_half(vec x) {
    const vec shifted = 134217729.0 * x; /* 2^27 + 1 */
    return shifted - (shifted - x);
}
INLINE pair exact_product(vec a, vec b) {
    const vec product = a * b, c = upper_half(a), d = upper_half(b), e = a - c, f = b - d;
    return (pair){product, ((c * d - product) + c * f + e * d) + e * f};
}
#endif

INLINE pair product(pair a, pair b) {
    pair p = exact_product(a.hi, b.hi);
    p.lo += v_fma(a.hi, b.lo, a.lo * b.hi);
    return p;
}

INLINE pair quotient(pair a, pair b) {
    const vec inverse = 1.0 / b.hi, q = a.hi * inverse;
    const pair back = exact_product(q, b.hi);
    return (pair){q, (((a.hi - back.hi) - back.lo) + (a.lo - q * b.lo)) * inverse};
}

/* The sum of coefficients[i] x^i, with even and odd powers separate so that they run in parallel. */
INLINE vec polynomial(vec x, const double *coefficients, int count) {
    const vec square = x * x;
    vec last = v_splat(coefficients[count - 1]), other = v_splat(coefficients[count - 2]);
#pragma GCC unroll 32
    for (int i = count - 3; i >= 0; i--) {
        const vec next = v_fma(last, square, v_splat(coefficients[i]));
        last = other;
        other = next;
    }
    return v_fma(last, x, other);
}
#define POLYNOMIAL(x, table) polynomial(x, table, sizeof(table) / sizeof *(table))

/* --- integers and powers of 2 -------------------------------------------------------------------- */

/* x + ROUNDER has the integer nearest to x in its low bits, for |x| < 2^51. */
#define ROUNDER 0x1.8p52

INLINE vec nearest_whole(vec x) { return (x + ROUNDER) - ROUNDER; }

/* 2^k for integers k from -1022 to 1023; 0 for k = -1023, inf for k = 1024. */
INLINE vec power_of_2(vec k) { return (vec)(((uvec)(k + ROUNDER) + 1023) << 52); }

/* x 2^k, rounded once, for 0.5 < x < 2 and |k| <= 2000. */
INLINE vec scaled(vec x, vec k) {
#if defined(SIMD_AVX512)
    return (vec)_mm512_scalef_pd((__m512d)x, (__m512d)k);
#else
    const vec half = nearest_whole(0.5 * k);
    return x * power_of_2(half) * power_of_2(k - half);
#endif
}

INLINE vec clamped(vec x, double low, double high) { return v_at_most(v_splat(high), v_at_least(v_splat(low), x)); }

/* --- exponentials -------------------------------------------------------------------------------- */

#define LN2_HIGH 0x1.62e42ffp-1 /* 32 bits: its product with a small integer is exact */
#define LN2_LOW (-0x1.718432a1b0e26p-35)

static const double EXP_REST[] = {
    0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,  0x1.11111111100bep-7,
    0x1.6c16c16c162c3p-10, 0x1.a01a01abf85abp-13, 0x1.a01a01a6e1e2ap-16, 0x1.71de01fdbf9cap-19,
    0x1.27e4db46cddd1p-22, 0x1.af4e554377204p-26, 0x1.1f7340dbc337ep-29,
};

/* exp(x) = 2^k (1 + r + rest), |r| at most ln 2 / 2. */
typedef struct {
    vec k, r, rest;
} Exponential;

/* For |x.hi| up to 1000. */
INLINE Exponential exponential(pair x) {
    const vec k = nearest_whole(0x1.71547652b82fep+0 * x.hi);
    const pair near = quick_sum(v_fma(k, v_splat(-LN2_HIGH), x.hi), v_fma(k, v_splat(-LN2_LOW), x.lo));
    const vec r = near.hi, rest = v_fma(r * r, POLYNOMIAL(r, EXP_REST), v_fma(near.lo, r, near.lo));
    return (Exponential){k, r, rest};
}

/* The value of 1 + r + rest. */
INLINE vec factor(Exponential e) {
    const pair one = quick_sum(v_splat(1.0), e.r);
    return one.hi + (one.lo + e.rest);
}

INLINE vec exp_pair(pair x) {
    const Exponential e = exponential(x);
    return scaled(factor(e), e.k);
}

INLINE pair single(vec x) { return (pair){x, v_splat(0.0)}; }

static inline vec v_exp(vec x) { return exp_pair(single(clamped(x, -746.0, 710.0))); }

/* exp(x) - 1, for |x| up to 700 */
INLINE pair minus_1(Exponential e) {
    const vec power = power_of_2(e.k);
    const pair whole = exact_sum(power, v_splat(-1.0)), sum = quick_sum(whole.hi, power * e.r);
    return quick_sum(sum.hi, v_fma(power, e.rest, sum.lo + whole.lo));
}

static inline vec v_expm1(vec x) {
    const Exponential e = exponential(single(clamped(x, -40.0, 710.0)));
    const vec far = scaled(factor(e), e.k), near = minus_1(e).hi;
    const vec result = v_select(v_less(v_splat(40.0), x), far, near);
    return v_select(v_less(v_abs(x), v_splat(0x1p-54)), x, result);
}

/* --- hyperbolic functions ------------------------------------------------------------------------ */

INLINE vec with_sign_of(vec x, vec sign) { return (vec)((uvec)v_abs(x) | (uvec)v_sign(sign)); }

static inline vec v_tanh(vec x) {
    const pair e = minus_1(exponential(single(clamped(-2.0 * v_abs(x), -40.0, 0.0))));
    pair below = quick_sum(v_splat(2.0), e.hi);
    below.lo += e.lo;
    const pair t = quotient(e, below);
    return with_sign_of(t.hi + t.lo, x);
}

static inline vec v_sinh(vec x) {
    const Exponential e = exponential(single(clamped(v_abs(x), 0.0, 711.0)));
    const pair above = minus_1(e);
    pair whole = exact_sum(above.hi, v_splat(1.0));
    whole.lo += above.lo;
    const pair below = quotient(above, whole), sum = quick_sum(above.hi, below.hi); /* e^x - 1, 1 - e^-x */
    const vec near = 0.5 * (sum.hi + (sum.lo + (above.lo + below.lo)));
    const vec far = scaled(factor(e), e.k - 1.0);
    return with_sign_of(v_select(v_less(v_splat(40.0), v_abs(x)), far, near), x);
}

static inline vec v_cosh(vec x) {
    const Exponential e = exponential(single(clamped(v_abs(x), 0.0, 711.0)));
    const pair one = quick_sum(v_splat(1.0), e.r);
    /* 2^-k exp(-x), which is negligible where the power is clamped */
    const vec below = power_of_2(clamped(-2.0 * e.k, -1000.0, 0.0)) / factor(e);
    return scaled(one.hi + (one.lo + (e.rest + below)), e.k - 1.0);
}

/* --- logarithms ---------------------------------------------------------------------------------- */

static const double LOG_REST[] = {
    0x1.999999999999ap-2, 0x1.2492492492522p-2, 0x1.c71c71c6ea5acp-3, 0x1.745d177ad436ap-3,
    0x1.3b1395b82701ep-3, 0x1.1118cd67251c5p-3, 0x1.df7ba1f4809c3p-4, 0x1.e03a7acf07f85p-4,
};
#define TWO_THIRDS 0x1.5555555555555p-1

/* x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), for positive finite x. */
INLINE vec fraction(vec x, vec *k) {
    const mask subnormal = v_less(x, v_splat(0x1p-1022));
    const uvec root = (uvec)v_splat(0x1.6a09e667f3bcdp-1), one = (uvec)v_splat(1.0);
    const uvec shifted = (uvec)v_select(subnormal, x * 0x1p54, x) - root + one; /* its exponent is that of 2^k */
    const vec biased = (vec)(shifted >> 52 | (uvec)v_splat(0x1p52)) - 0x1p52;
    *k = biased - v_select(subnormal, v_splat(1023.0 + 54.0), v_splat(1023.0));
    return (vec)((shifted & 0xfffffffffffff) + root) - 1.0;
}

/* log(1 + f + low), where low is below an ulp of 1 + f. The upper part is f - f²/2; the lower part is
 * a correction of at most a twentieth of it. */
INLINE pair log_near_1(vec f, vec low) {
    const vec s = f / (2.0 + f), z = s * s;
    const vec rest = z * v_fma(z, POLYNOMIAL(z, LOG_REST), v_splat(TWO_THIRDS));
    const pair half_square = exact_product(0.5 * f, f), leading = quick_sum(f, -half_square.hi);
    const vec slope = 1.0 - 2.0 * s * (1.0 - s); /* approximately 1 / (1 + f) */
    const vec correction = v_fma(s, half_square.hi + rest, v_fma(low, slope, -half_square.lo));
    return (pair){leading.hi, leading.lo + correction};
}

/* Handles the pole of a logarithm at x = 0: the result above it, -inf at it, NaN below it. */
INLINE vec above_pole(vec x, vec result) {
    const vec edge = v_select(v_equal(x, v_splat(0.0)), v_splat(-INFINITY), v_splat(NAN));
    result = v_select(v_less(x, v_splat(INFINITY)), result, x);
    return v_select(v_less(v_splat(0.0), x), result, edge);
}

static inline vec v_log(vec x) {
    vec k;
    const pair part = log_near_1(fraction(x, &k), v_splat(0.0));
    const pair sum = quick_sum(k * LN2_HIGH, part.hi);
    return above_pole(x, sum.hi + (sum.lo + v_fma(k, v_splat(LN2_LOW), part.lo)));
}

static inline vec v_log1p(vec x) {
    vec k;
    const pair u = exact_sum(v_splat(1.0), x);
    const vec f = fraction(u.hi, &k);
    const vec low = v_select(v_less(k, v_splat(64.0)), u.lo * power_of_2(-k), v_splat(0.0));
    const pair part = log_near_1(f, low), sum = quick_sum(k * LN2_HIGH, part.hi);
    const vec result = sum.hi + (sum.lo + v_fma(k, v_splat(LN2_LOW), part.lo));
    return v_select(v_less(v_abs(x), v_splat(0x1p-54)), x, above_pole(u.hi, result));
}

/* log(x) / log(base), given 1 / log(base) and log(2) / log(base) in two parts each. */
INLINE vec log_to_base(vec x, pair inverse, double two_high, double two_low) {
    vec k;
    const pair part = product(log_near_1(fraction(x, &k), v_splat(0.0)), inverse);
    const pair sum = quick_sum(k * two_high, part.hi);
    return above_pole(x, sum.hi + (sum.lo + v_fma(k, v_splat(two_low), part.lo)));
}

static inline vec v_log2(vec x) {
    const pair inverse = {v_splat(0x1.71547652b82fep+0), v_splat(0x1.777d0ffda0d24p-56)};
    return log_to_base(x, inverse, 1.0, 0.0);
}

static inline vec v_log10(vec x) {
    const pair inverse = {v_splat(0x1.bcb7b1526e50ep-2), v_splat(0x1.95355baaafad3p-57)};
    return log_to_base(x, inverse, 0x1.3441350ap-2, -0x1.0c0219dc1da99p-39);
}

/* --- powers -------------------------------------------------------------------------------------- */

/* log(x) to 65 bits, for positive finite x: y log(x) can reach 700 and needs 10 extra bits. */
INLINE pair log_pair(vec x) {
    vec k;
    const vec f = fraction(x, &k);
    const pair s = quotient(single(f), quick_sum(v_splat(2.0), f)), z = product(s, s);
    pair series = quick_sum(v_splat(TWO_THIRDS), z.hi * POLYNOMIAL(z.hi, LOG_REST));
    series.lo += 0x1.5555555555555p-55; /* the rounding error of 2/3 */
    const pair cube = product(s, product(z, series)), part = quick_sum(2.0 * s.hi, cube.hi);
    const pair sum = quick_sum(k * LN2_HIGH, part.hi);
    const vec low = v_fma(k, v_splat(LN2_LOW), part.lo + v_fma(v_splat(2.0), s.lo, cube.lo));
    return quick_sum(sum.hi, sum.lo + low);
}

static inline vec v_pow(vec x, vec y) {
    const vec size = v_abs(x), zero = v_splat(0.0), infinity = v_splat(INFINITY);
    const pair log = log_pair(size);
    pair exponent = exact_product(y, log.hi);
    exponent.lo = v_select(v_less(v_abs(exponent.hi), v_splat(1000.0)), v_fma(y, log.lo, exponent.lo), zero);
    exponent.hi = clamped(exponent.hi, -746.0, 710.0);
    vec result = exp_pair(exponent);
    result = v_select(v_equal(x, zero), v_select(v_less(y, zero), infinity, zero), result);

    /* a negative base: odd powers are negative, non-integer powers are NaN */
    const vec whole = nearest_whole(y), half = 0.5 * y;
    const mask odd = v_and(v_equal(y, whole), v_unequal(half, nearest_whole(half)));
    result = v_select(odd, v_xor(result, v_sign(x)), result);
    result = v_select(v_and(v_less(x, zero), v_unequal(y, whole)), v_splat(NAN), result);
    result = v_select(v_equal(y, zero), v_splat(1.0), result);

    /* infinities, NaN, and exponents too large for the parity test above */
    const mask usual = v_and(v_less(size, infinity), v_less(v_abs(y), v_splat(0x1p51)));
    return v_all(usual) ? result : v_select(usual, result, v_each2(pow, x, y));
}

/* --- sine and cosine ----------------------------------------------------------------------------- */

static const double SIN_REST[] = {
    -0x1.5555555555555p-3,  0x1.1111111111110p-7,  -0x1.a01a01a01992fp-13, 0x1.71de3a545f836p-19,
    -0x1.ae645410e937bp-26, 0x1.61217d9252c03p-33, -0x1.ab16f5caa198ap-41,
};
static const double COS_REST[] = {
    0x1.5555555555555p-5,  -0x1.6c16c16c16963p-10, 0x1.a01a019f4ddfdp-16,
    -0x1.27e4fa16cc2d1p-22, 0x1.1eeb67d026ec6p-29, -0x1.907cd8ff5ede7p-37,
};
#define FAR_ANGLE 1e6 /* beyond this, an integer times a part of π/2 is no longer exact */

/* sin(x + ahead π/2), for |x| up to FAR_ANGLE. */
INLINE vec sine(vec x, double ahead) {
    const vec n = nearest_whole(0x1.45f306dc9c883p-1 * x); /* 2/π */
    const pair a = exact_sum(v_fma(n, v_splat(-0x1.921fb544p+0), x), n * -0x1.0b4611a6p-34);
    const pair b = exact_sum(a.hi, n * -0x1.3198a2ep-69);
    const pair r = quick_sum(b.hi, b.lo + v_fma(n, v_splat(-0x1.b839a252049c1p-104), a.lo));
    const vec z = r.hi * r.hi, half = 0.5 * z, one = 1.0 - half;
    const vec sin = r.hi + v_fma(r.hi * z, POLYNOMIAL(z, SIN_REST), r.lo - half * r.lo);
    const vec cos = one + (((1.0 - one) - half) + v_fma(z * z, POLYNOMIAL(z, COS_REST), -r.hi * r.lo));
    const uvec quadrant = (uvec)(n + (ROUNDER + ahead));
    const vec size = v_select(v_odd(quadrant), cos, sin);
    return v_xor(size, (vec)((quadrant & 2) << 62));
}

static inline vec v_sin(vec x) {
    const vec size = v_abs(x), result = v_select(v_less(size, v_splat(0x1p-27)), x, sine(x, 0.0));
    const mask near = v_less_equal(size, v_splat(FAR_ANGLE));
    return v_all(near) ? result : v_select(near, result, v_each(sin, x));
}

static inline vec v_cos(vec x) {
    const vec result = sine(x, 1.0);
    const mask near = v_less_equal(v_abs(x), v_splat(FAR_ANGLE));
    return v_all(near) ? result : v_select(near, result, v_each(cos, x));
}

/* --- the error function -------------------------------------------------------------------------- */

static const double ERF_REST[] = {
    0x1.06eba8214db69p-3,   -0x1.812746b0379e6p-2,  0x1.ce2f21a042b30p-4,   -0x1.b82ce31284e00p-6,
    0x1.565bcd0dbaa38p-8,   -0x1.c02db3dac435fp-11, 0x1.f9a321d5b8e1ep-14,  -0x1.f4d1e3183f7aep-17,
    0x1.b9df224ca4b97p-20,  -0x1.5f1ecb6f0764cp-23, 0x1.f7b4bf3b13964p-27,  -0x1.389d4f2641625p-30,
    0x1.05ffd737fb32ep-34,
};
static const double ERFC_REST[] = {
    0x1.058671b52c776p-1,   0x1.5672b9ea13de6p-3,   -0x1.a1791e43ece7ap-3,  0x1.f1b9a3c942d3cp-4,
    -0x1.dac006bb133c0p-6,  -0x1.ec8d2aadfa3c5p-8,  0x1.399546d929a09p-8,   0x1.2758bced138fdp-10,
    -0x1.89501989a9a06p-11, -0x1.499eea35d2b25p-12, 0x1.770f51fb802f8p-14,  0x1.769474923b48ap-14,
    0x1.a1f0f8088417bp-18,  -0x1.3cc53c40f477dp-16, -0x1.229f042520cabp-17, 0x1.30e767916ea07p-20,
    0x1.a08742fed9508p-19,  0x1.3276a68bd8635p-20,  -0x1.16a9f1e9701a9p-20,
};

static inline vec v_erf(vec x) {
    const vec size = clamped(v_abs(x), 0.0, 6.0);
    const mask near = v_less(size, v_splat(1.0));
    vec result = v_fma(x, POLYNOMIAL(x * x, ERF_REST), x);
    if (!v_all(near)) { /* 1 - exp(-x²) / x times a slowly varying function */
        const pair square = exact_product(size, size);
        const vec t = (size - 2.0) / (size + 2.0);
        const vec tail = exp_pair((pair){-square.hi, -square.lo}) * (POLYNOMIAL(t, ERFC_REST) / size);
        result = v_select(near, result, with_sign_of(1.0 - tail, x));
    }
    return result;
}

#endif
