/* Generated from src/chainrule/ops.py by tools/gen_ops.py: do not edit. */

/* Operations on LANES numbers at once; a partial takes what its formula needs. */
#include "vmath.h"

static inline vec v_op_add(vec, vec);
static inline vec v_op_sub(vec, vec);
static inline vec v_op_mul(vec, vec);
static inline vec v_op_div(vec, vec);
static inline vec v_op_pow(vec, vec);
static inline vec v_op_neg(vec);
static inline vec v_op_pos(vec);
static inline vec v_op_stop_gradient(vec);
static inline vec v_op_with_partial(vec, vec, vec);
static inline vec v_op_abs(vec);
static inline vec v_op_less(vec, vec);
static inline vec v_op_less_equal(vec, vec);
static inline vec v_op_equal(vec, vec);
static inline vec v_op_where(vec, vec, vec);
static inline vec v_op_maximum(vec, vec);
static inline vec v_op_minimum(vec, vec);
static inline vec v_op_sign(vec);
static inline vec v_op_floor(vec);
static inline vec v_op_ceil(vec);
static inline vec v_op_trunc(vec);
static inline vec v_op_round(vec);
static inline vec v_op_fmod(vec, vec);
static inline vec v_op_remainder(vec, vec);
static inline vec v_op_floor_divide(vec, vec);
static inline vec v_op_exp(vec);
static inline vec v_op_exp2(vec);
static inline vec v_op_expm1(vec);
static inline vec v_op_log(vec);
static inline vec v_op_log1p(vec);
static inline vec v_op_log2(vec);
static inline vec v_op_log10(vec);
static inline vec v_op_logaddexp(vec, vec);
static inline vec v_op_xlogy(vec, vec);
static inline vec v_op_xlog1py(vec, vec);
static inline vec v_op_sqrt(vec);
static inline vec v_op_cbrt(vec);
static inline vec v_op_deg2rad(vec);
static inline vec v_op_rad2deg(vec);
static inline vec v_op_sin(vec);
static inline vec v_op_cos(vec);
static inline vec v_op_tan(vec);
static inline vec v_op_asin(vec);
static inline vec v_op_acos(vec);
static inline vec v_op_atan(vec);
static inline vec v_op_sinh(vec);
static inline vec v_op_cosh(vec);
static inline vec v_op_tanh(vec);
static inline vec v_op_asinh(vec);
static inline vec v_op_acosh(vec);
static inline vec v_op_atanh(vec);
static inline vec v_op_hypot(vec, vec);
static inline vec v_op_atan2(vec, vec);
static inline vec v_op_erf(vec);
static inline vec v_op_erfc(vec);
static inline vec v_op_lgamma(vec);
static inline vec v_op_digamma(vec);
static inline vec v_op_zeta(vec, vec);
static inline vec v_op_normal_pdf(vec);
static inline vec v_op_normal_cdf(vec);
static inline vec v_op_log_normal_cdf(vec);
static inline vec v_op_sigmoid(vec);
static inline vec v_op_logit(vec);
static inline vec v_op_softplus(vec);
static inline vec v_op_log_sigmoid(vec);
static inline vec v_op_relu(vec);
static inline vec v_op_leaky_relu(vec, vec);
static inline vec v_op_elu(vec, vec);
static inline vec v_op_silu(vec);
static inline vec v_op_gelu(vec);

static inline vec v_op_add(vec x, vec y) {
    const vec t1 = x + y;
    return t1;
}

static inline vec v_op_add_d0(void) {
    return v_splat(1.0);
}

static inline vec v_op_add_d1(void) {
    return v_splat(1.0);
}

static inline vec v_op_sub(vec x, vec y) {
    const vec t1 = x - y;
    return t1;
}

static inline vec v_op_sub_d0(void) {
    return v_splat(1.0);
}

static inline vec v_op_sub_d1(void) {
    return v_splat(-1.0);
}

static inline vec v_op_mul(vec x, vec y) {
    const vec t1 = x * y;
    return t1;
}

static inline vec v_op_mul_d0(vec y) {
    return y;
}

static inline vec v_op_mul_d1(vec x) {
    return x;
}

static inline vec v_op_div(vec x, vec y) {
    const vec t1 = x / y;
    return t1;
}

static inline vec v_op_div_d0(vec y) {
    const vec t1 = v_splat(1.0) / y;
    return t1;
}

static inline vec v_op_div_d1(vec x, vec y) {
    const vec t1 = x / y;
    const vec t2 = v_abs(t1);
    const mask t3 = v_less(v_splat(0.0), t2);
    const mask t4 = v_less(t2, v_splat(1e-290));
    const mask t5 = v_and(t3, t4);
    const vec t6 = y * y;
    const vec t7 = v_select(t5, x, t1) / v_select(t5, t6, y);
    const vec t8 = -t7;
    return t8;
}

static inline vec v_op_pow(vec x, vec y) {
    const vec t1 = v_pow(x, y);
    return t1;
}

static inline vec v_op_pow_d0(vec x, vec y, vec out) {
    const vec t1 = v_select(v_equal(y, v_splat(0.0)), v_splat(1.0), v_splat(0.0));
    const vec t2 = v_abs(x);
    const mask t3 = v_less(v_splat(0.0), t2);
    const vec t4 = v_select(t3, v_splat(0.0), v_splat(1.0));
    const vec t5 = t1 * t4;
    const mask t6 = v_unequal(t5, v_splat(0.0));
    vec t7 = v_splat(0.0);
    if (!v_all(t6)) {
        const mask t8 = v_less(t2, v_splat(INFINITY));
        const mask t9 = v_and(t3, t8);
        const vec t10 = v_abs(y);
        const mask t11 = v_less(t10, v_splat(INFINITY));
        const mask t12 = v_and(t9, t11);
        const vec t13 = y - v_splat(1.0);
        const vec t14 = v_pow(x, t13);
        const vec t15 = v_abs(t14);
        const mask t16 = v_less(t15, v_splat(1e-290));
        const mask t17 = v_and(t12, t16);
        const mask t18 = v_equal(t15, v_splat(INFINITY));
        const mask t19 = v_and(t12, t18);
        const vec t20 = y * out;
        const vec t21 = t20 / x;
        const mask t22 = v_equal(t10, v_splat(INFINITY));
        const mask t23 = v_equal(t14, v_splat(0.0));
        const mask t24 = v_and(t22, t23);
        const vec t25 = y * t14;
        const vec t26 = v_select(t24, v_splat(0.0), t25);
        const vec t27 = v_select(t19, t21, t26);
        vec t28 = t27;
        if (v_any(t17)) {
            const mask t29 = v_less(x, v_splat(0.0));
            const vec t30 = v_select(t29, v_splat(-1.0), v_splat(1.0));
            const vec t31 = v_pow(t30, t13);
            const vec t32 = v_splat(0.5) * t13;
            const vec t33 = v_pow(t2, t32);
            const vec t34 = y * t33;
            const vec t35 = t31 * t34;
            const vec t36 = t35 * t33;
            t28 = v_select(t17, t36, t28);
        }
        t7 = v_select(t6, t7, t28);
    }
    return t7;
}

static inline vec v_op_pow_d1(vec x, vec y) {
    const mask t1 = v_less(x, v_splat(0.0));
    vec t2 = v_splat(NAN);
    if (!v_all(t1)) {
        const mask t3 = v_less(y, v_splat(0.0));
        const vec t4 = v_select(t3, v_splat(INFINITY), v_splat(0.0));
        const mask t5 = v_equal(x, t4);
        const mask t6 = v_equal(y, y);
        const mask t7 = v_and(t5, t6);
        vec t8 = v_splat(0.0);
        if (!v_all(t7)) {
            const vec t9 = v_splat(0.5) * y;
            const vec t10 = v_pow(x, t9);
            const mask t11 = v_equal(t10, v_splat(0.0));
            vec t12 = v_splat(0.0);
            if (!v_all(t11)) {
                const vec t13 = v_log(x);
                const vec t14 = t10 * t13;
                const vec t15 = t14 * t10;
                t12 = v_select(t11, t12, t15);
            }
            t8 = v_select(t7, t8, t12);
        }
        t2 = v_select(t1, t2, t8);
    }
    return t2;
}

static inline vec v_op_neg(vec x) {
    const vec t1 = -x;
    return t1;
}

static inline vec v_op_neg_d0(void) {
    return v_splat(-1.0);
}

static inline vec v_op_pos(vec x) {
    return x;
}

static inline vec v_op_pos_d0(void) {
    return v_splat(1.0);
}

static inline vec v_op_stop_gradient(vec x) {
    return x;
}

static inline vec v_op_with_partial(vec x, vec y, vec z) {
    return x;
}

static inline vec v_op_with_partial_d0(void) {
    return v_splat(1.0);
}

static inline vec v_op_with_partial_d1(vec z) {
    return z;
}

static inline vec v_op_abs(vec x) {
    const vec t1 = v_abs(x);
    return t1;
}

static inline vec v_op_abs_d0(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const mask t2 = v_less(v_splat(0.0), x);
    const vec t3 = v_splat(0.0) * x;
    const vec t4 = v_select(t2, v_splat(1.0), t3);
    const vec t5 = v_select(t1, v_splat(-1.0), t4);
    return t5;
}

static inline vec v_op_less(vec x, vec y) {
    const vec t1 = v_select(v_less(x, y), v_splat(1.0), v_splat(0.0));
    return t1;
}

static inline vec v_op_less_equal(vec x, vec y) {
    const vec t1 = v_select(v_less_equal(x, y), v_splat(1.0), v_splat(0.0));
    return t1;
}

static inline vec v_op_equal(vec x, vec y) {
    const vec t1 = v_select(v_equal(x, y), v_splat(1.0), v_splat(0.0));
    return t1;
}

static inline vec v_op_where(vec x, vec y, vec z) {
    const mask t1 = v_unequal(x, v_splat(0.0));
    const vec t2 = v_select(t1, y, z);
    return t2;
}

static inline vec v_op_where_d1(vec x) {
    const mask t1 = v_unequal(x, v_splat(0.0));
    const vec t2 = v_select(t1, v_splat(1.0), v_splat(0.0));
    return t2;
}

static inline vec v_op_where_d2(vec x) {
    const mask t1 = v_unequal(x, v_splat(0.0));
    const vec t2 = v_select(t1, v_splat(0.0), v_splat(1.0));
    return t2;
}

static inline vec v_op_maximum(vec x, vec y) {
    const mask t1 = v_less(y, x);
    const mask t2 = v_less(x, y);
    const mask t3 = v_equal(x, y);
    const vec t4 = x + y;
    const vec t5 = v_select(t3, x, t4);
    const vec t6 = v_select(t2, y, t5);
    const vec t7 = v_select(t1, x, t6);
    return t7;
}

static inline vec v_op_maximum_d0(vec x, vec y) {
    const mask t1 = v_less(x, y);
    const mask t2 = v_less(y, x);
    const mask t3 = v_equal(x, y);
    const vec t4 = v_select(t3, v_splat(0.5), v_splat(NAN));
    const vec t5 = v_select(t2, v_splat(1.0), t4);
    const vec t6 = v_select(t1, v_splat(0.0), t5);
    return t6;
}

static inline vec v_op_maximum_d1(vec x, vec y) {
    const mask t1 = v_less(y, x);
    const mask t2 = v_less(x, y);
    const mask t3 = v_equal(x, y);
    const vec t4 = v_select(t3, v_splat(0.5), v_splat(NAN));
    const vec t5 = v_select(t2, v_splat(1.0), t4);
    const vec t6 = v_select(t1, v_splat(0.0), t5);
    return t6;
}

static inline vec v_op_minimum(vec x, vec y) {
    const mask t1 = v_less(x, y);
    const mask t2 = v_less(y, x);
    const mask t3 = v_equal(x, y);
    const vec t4 = x + y;
    const vec t5 = v_select(t3, x, t4);
    const vec t6 = v_select(t2, y, t5);
    const vec t7 = v_select(t1, x, t6);
    return t7;
}

static inline vec v_op_minimum_d0(vec x, vec y) {
    const mask t1 = v_less(y, x);
    const mask t2 = v_less(x, y);
    const mask t3 = v_equal(x, y);
    const vec t4 = v_select(t3, v_splat(0.5), v_splat(NAN));
    const vec t5 = v_select(t2, v_splat(1.0), t4);
    const vec t6 = v_select(t1, v_splat(0.0), t5);
    return t6;
}

static inline vec v_op_minimum_d1(vec x, vec y) {
    const mask t1 = v_less(x, y);
    const mask t2 = v_less(y, x);
    const mask t3 = v_equal(x, y);
    const vec t4 = v_select(t3, v_splat(0.5), v_splat(NAN));
    const vec t5 = v_select(t2, v_splat(1.0), t4);
    const vec t6 = v_select(t1, v_splat(0.0), t5);
    return t6;
}

static inline vec v_op_sign(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const mask t2 = v_less(v_splat(0.0), x);
    const mask t3 = v_equal(x, v_splat(0.0));
    const vec t4 = v_select(t3, v_splat(0.0), x);
    const vec t5 = v_select(t2, v_splat(1.0), t4);
    const vec t6 = v_select(t1, v_splat(-1.0), t5);
    return t6;
}

static inline vec v_op_sign_d0(void) {
    return v_splat(0.0);
}

static inline vec v_op_floor(vec x) {
    const vec t1 = v_floor(x);
    return t1;
}

static inline vec v_op_floor_d0(void) {
    return v_splat(0.0);
}

static inline vec v_op_ceil(vec x) {
    const vec t1 = -x;
    const vec t2 = v_floor(t1);
    const vec t3 = -t2;
    return t3;
}

static inline vec v_op_ceil_d0(void) {
    return v_splat(0.0);
}

static inline vec v_op_trunc(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const vec t2 = -x;
    const vec t3 = v_floor(t2);
    const vec t4 = -t3;
    const vec t5 = v_floor(x);
    const vec t6 = v_select(t1, t4, t5);
    return t6;
}

static inline vec v_op_trunc_d0(void) {
    return v_splat(0.0);
}

static inline vec v_op_round(vec x) {
    const vec t1 = v_floor(x);
    const vec t2 = x - t1;
    const mask t3 = v_less(t2, v_splat(0.5));
    const mask t4 = v_equal(t2, v_splat(0.5));
    const vec t5 = v_splat(0.5) * t1;
    const vec t6 = v_floor(t5);
    const vec t7 = v_splat(2.0) * t6;
    const vec t8 = t1 - t7;
    const vec t9 = v_select(t4, t8, v_splat(1.0));
    const vec t10 = v_select(t3, v_splat(0.0), t9);
    const vec t11 = t1 + t10;
    const mask t12 = v_equal(t11, v_splat(0.0));
    const vec t13 = v_splat(0.0) * x;
    const vec t14 = v_select(t12, t13, t11);
    return t14;
}

static inline vec v_op_round_d0(void) {
    return v_splat(0.0);
}

static inline vec v_op_fmod(vec x, vec y) {
    const vec t1 = v_each2(fmod, x, y);
    return t1;
}

static inline vec v_op_fmod_d0(void) {
    return v_splat(1.0);
}

static inline vec v_op_fmod_d1(vec x, vec y) {
    const vec t1 = v_op_sign(x);
    const vec t2 = -t1;
    const vec t3 = v_op_sign(y);
    const vec t4 = t2 * t3;
    const vec t5 = v_abs(x);
    const vec t6 = v_abs(y);
    const vec t7 = v_op_floor_divide(t5, t6);
    const vec t8 = t4 * t7;
    return t8;
}

static inline vec v_op_remainder(vec x, vec y) {
    const vec t1 = v_each2(fmod, x, y);
    const mask t2 = v_equal(t1, v_splat(0.0));
    const mask t3 = v_less(y, v_splat(0.0));
    const vec t4 = v_select(t3, v_splat(-0.0), v_splat(0.0));
    const vec t5 = v_select(v_less(v_splat(0.0), t1), v_splat(1.0), v_splat(0.0));
    const vec t6 = v_select(v_less(t1, v_splat(0.0)), v_splat(1.0), v_splat(0.0));
    const vec t7 = v_select(t3, t5, t6);
    const mask t8 = v_unequal(t7, v_splat(0.0));
    const vec t9 = t1 + y;
    const vec t10 = v_select(t8, t9, t1);
    const vec t11 = v_select(t2, t4, t10);
    return t11;
}

static inline vec v_op_remainder_d0(void) {
    return v_splat(1.0);
}

static inline vec v_op_remainder_d1(vec x, vec y) {
    const vec t1 = v_op_floor_divide(x, y);
    const vec t2 = -t1;
    return t2;
}

static inline vec v_op_floor_divide(vec x, vec y) {
    const mask t1 = v_equal(y, v_splat(0.0));
    const vec t2 = v_each2(fmod, x, y);
    const vec t3 = x - t2;
    const vec t4 = v_select(t1, x, t3) / y;
    const mask t5 = v_less(y, v_splat(0.0));
    const vec t6 = v_select(v_less(v_splat(0.0), t2), v_splat(1.0), v_splat(0.0));
    const vec t7 = v_select(v_less(t2, v_splat(0.0)), v_splat(1.0), v_splat(0.0));
    const vec t8 = v_select(t5, t6, t7);
    const vec t9 = t4 - t8;
    const vec t10 = v_floor(t9);
    const vec t11 = t9 - t10;
    const vec t12 = v_select(v_less(v_splat(0.5), t11), v_splat(1.0), v_splat(0.0));
    const vec t13 = t10 + t12;
    const mask t14 = v_equal(t13, v_splat(0.0));
    const vec t15 = x / y;
    const vec t16 = v_splat(0.0) * t15;
    const vec t17 = v_select(t14, t16, t13);
    const vec t18 = v_select(t1, t4, t17);
    return t18;
}

static inline vec v_op_floor_divide_d0(void) {
    return v_splat(0.0);
}

static inline vec v_op_floor_divide_d1(void) {
    return v_splat(0.0);
}

static inline vec v_op_exp(vec x) {
    const vec t1 = v_exp(x);
    return t1;
}

static inline vec v_op_exp_d0(vec out) {
    return out;
}

static inline vec v_op_exp2(vec x) {
    const vec t1 = v_pow(v_splat(2.0), x);
    return t1;
}

static inline vec v_op_exp2_d0(vec out) {
    const vec t1 = out * v_splat(0.6931471805599453);
    return t1;
}

static inline vec v_op_expm1(vec x) {
    const vec t1 = v_expm1(x);
    return t1;
}

static inline vec v_op_expm1_d0(vec x) {
    const vec t1 = v_exp(x);
    return t1;
}

static inline vec v_op_log(vec x) {
    const vec t1 = v_log(x);
    return t1;
}

static inline vec v_op_log_d0(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const vec t2 = v_splat(1.0) / x;
    const vec t3 = v_select(t1, v_splat(NAN), t2);
    return t3;
}

static inline vec v_op_log1p(vec x) {
    const vec t1 = v_log1p(x);
    return t1;
}

static inline vec v_op_log1p_d0(vec x) {
    const mask t1 = v_less(x, v_splat(-1.0));
    const vec t2 = v_splat(1.0) + x;
    const vec t3 = v_splat(1.0) / t2;
    const vec t4 = v_select(t1, v_splat(NAN), t3);
    return t4;
}

static inline vec v_op_log2(vec x) {
    const vec t1 = v_log2(x);
    return t1;
}

static inline vec v_op_log2_d0(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const vec t2 = v_splat(1.4426950408889634) / x;
    const vec t3 = v_select(t1, v_splat(NAN), t2);
    return t3;
}

static inline vec v_op_log10(vec x) {
    const vec t1 = v_log10(x);
    return t1;
}

static inline vec v_op_log10_d0(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const vec t2 = v_splat(0.43429448190325176) / x;
    const vec t3 = v_select(t1, v_splat(NAN), t2);
    return t3;
}

static inline vec v_op_logaddexp(vec x, vec y) {
    const mask t1 = v_equal(x, y);
    const vec t2 = x + v_splat(0.6931471805599453);
    vec t3 = t2;
    if (!v_all(t1)) {
        const mask t4 = v_less(x, y);
        const vec t5 = x - y;
        const vec t6 = y - x;
        const vec t7 = v_exp(v_select(t4, t5, t6));
        const vec t8 = v_log1p(t7);
        const vec t9 = y + t8;
        const vec t10 = x + t8;
        const vec t11 = v_select(t4, t9, t10);
        t3 = v_select(t1, t3, t11);
    }
    return t3;
}

static inline vec v_op_logaddexp_d0(vec x, vec y) {
    const mask t1 = v_equal(x, y);
    const vec t2 = v_abs(x);
    const mask t3 = v_equal(t2, v_splat(INFINITY));
    const mask t4 = v_and(t1, t3);
    const mask t5 = v_less(x, v_splat(0.0));
    const vec t6 = v_select(t5, v_splat(0.0), v_splat(0.5));
    vec t7 = t6;
    if (!v_all(t4)) {
        const vec t8 = x - y;
        const vec t9 = v_op_sigmoid(t8);
        t7 = v_select(t4, t7, t9);
    }
    return t7;
}

static inline vec v_op_logaddexp_d1(vec x, vec y) {
    const mask t1 = v_equal(y, x);
    const vec t2 = v_abs(y);
    const mask t3 = v_equal(t2, v_splat(INFINITY));
    const mask t4 = v_and(t1, t3);
    const mask t5 = v_less(y, v_splat(0.0));
    const vec t6 = v_select(t5, v_splat(0.0), v_splat(0.5));
    vec t7 = t6;
    if (!v_all(t4)) {
        const vec t8 = y - x;
        const vec t9 = v_op_sigmoid(t8);
        t7 = v_select(t4, t7, t9);
    }
    return t7;
}

static inline vec v_op_xlogy(vec x, vec y) {
    const mask t1 = v_equal(x, v_splat(0.0));
    const mask t2 = v_equal(y, y);
    const mask t3 = v_and(t1, t2);
    vec t4 = v_splat(0.0);
    if (!v_all(t3)) {
        const vec t5 = v_log(y);
        const vec t6 = x * t5;
        t4 = v_select(t3, t4, t6);
    }
    return t4;
}

static inline vec v_op_xlogy_d0(vec x, vec y) {
    const mask t1 = v_equal(x, v_splat(0.0));
    const mask t2 = v_less_equal(y, v_splat(0.0));
    const mask t3 = v_and(t1, t2);
    vec t4 = v_splat(0.0);
    if (!v_all(t3)) {
        const vec t5 = v_log(y);
        t4 = v_select(t3, t4, t5);
    }
    return t4;
}

static inline vec v_op_xlogy_d1(vec x, vec y) {
    const mask t1 = v_equal(x, v_splat(0.0));
    const mask t2 = v_less_equal(y, v_splat(0.0));
    const mask t3 = v_and(t1, t2);
    const mask t4 = v_less(y, v_splat(0.0));
    const vec t5 = x / y;
    const vec t6 = v_select(t4, v_splat(NAN), t5);
    const vec t7 = v_select(t3, v_splat(0.0), t6);
    return t7;
}

static inline vec v_op_xlog1py(vec x, vec y) {
    const mask t1 = v_equal(x, v_splat(0.0));
    const mask t2 = v_equal(y, y);
    const mask t3 = v_and(t1, t2);
    vec t4 = v_splat(0.0);
    if (!v_all(t3)) {
        const vec t5 = v_log1p(y);
        const vec t6 = x * t5;
        t4 = v_select(t3, t4, t6);
    }
    return t4;
}

static inline vec v_op_xlog1py_d0(vec x, vec y) {
    const mask t1 = v_equal(x, v_splat(0.0));
    const vec t2 = v_splat(1.0) + y;
    const mask t3 = v_less_equal(t2, v_splat(0.0));
    const mask t4 = v_and(t1, t3);
    vec t5 = v_splat(0.0);
    if (!v_all(t4)) {
        const vec t6 = v_log1p(y);
        t5 = v_select(t4, t5, t6);
    }
    return t5;
}

static inline vec v_op_xlog1py_d1(vec x, vec y) {
    const mask t1 = v_equal(x, v_splat(0.0));
    const vec t2 = v_splat(1.0) + y;
    const mask t3 = v_less_equal(t2, v_splat(0.0));
    const mask t4 = v_and(t1, t3);
    const mask t5 = v_less(y, v_splat(-1.0));
    const vec t6 = x / t2;
    const vec t7 = v_select(t5, v_splat(NAN), t6);
    const vec t8 = v_select(t4, v_splat(0.0), t7);
    return t8;
}

static inline vec v_op_sqrt(vec x) {
    const vec t1 = v_sqrt(x);
    return t1;
}

static inline vec v_op_sqrt_d0(vec out) {
    const vec t1 = v_splat(0.5) / out;
    return t1;
}

static inline vec v_op_cbrt(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const vec t2 = v_select(t1, v_splat(-1.0), v_splat(1.0));
    const vec t3 = -x;
    const vec t4 = v_select(t1, t3, x);
    const mask t5 = v_less(v_splat(0.0), t4);
    const mask t6 = v_less(t4, v_splat(INFINITY));
    const mask t7 = v_and(t5, t6);
    vec t8 = t4;
    if (v_any(t7)) {
        const mask t9 = v_less(t4, v_splat(1e-140));
        const vec t10 = t4 * v_splat(4.149515568880993e+180);
        const vec t11 = v_select(t9, t10, t4);
        const vec t12 = v_pow(t11, v_splat(0.3333333333333333));
        const vec t13 = v_splat(68719476737.0) * t12;
        const vec t14 = t13 - t12;
        const vec t15 = t13 - t14;
        const vec t16 = t15 * t15;
        const vec t17 = t16 * t15;
        const vec t18 = t11 - t17;
        const vec t19 = t18 / t17;
        const vec t20 = t19 * v_splat(0.06172839506172839);
        const vec t21 = v_splat(0.1111111111111111) - t20;
        const vec t22 = t19 * t21;
        const vec t23 = v_splat(0.3333333333333333) - t22;
        const vec t24 = t19 * t23;
        const vec t25 = t15 * t24;
        const vec t26 = t15 + t25;
        const vec t27 = t26 * v_splat(6.223015277861142e-61);
        const vec t28 = v_select(t9, t27, t26);
        t8 = v_select(t7, t28, t8);
    }
    const vec t29 = t2 * t8;
    return t29;
}

static inline vec v_op_cbrt_d0(vec out) {
    const vec t1 = v_splat(3.0) * out;
    const vec t2 = t1 * out;
    const vec t3 = v_splat(1.0) / t2;
    return t3;
}

static inline vec v_op_deg2rad(vec x) {
    const vec t1 = x * v_splat(0.017453292519943295);
    return t1;
}

static inline vec v_op_deg2rad_d0(void) {
    return v_splat(0.017453292519943295);
}

static inline vec v_op_rad2deg(vec x) {
    const vec t1 = x * v_splat(57.29577951308232);
    return t1;
}

static inline vec v_op_rad2deg_d0(void) {
    return v_splat(57.29577951308232);
}

static inline vec v_op_sin(vec x) {
    const vec t1 = v_sin(x);
    return t1;
}

static inline vec v_op_sin_d0(vec x) {
    const vec t1 = v_cos(x);
    return t1;
}

static inline vec v_op_cos(vec x) {
    const vec t1 = v_cos(x);
    return t1;
}

static inline vec v_op_cos_d0(vec x) {
    const vec t1 = v_sin(x);
    const vec t2 = -t1;
    return t2;
}

static inline vec v_op_tan(vec x) {
    const vec t1 = v_each(tan, x);
    return t1;
}

static inline vec v_op_tan_d0(vec out) {
    const vec t1 = out * out;
    const vec t2 = v_splat(1.0) + t1;
    return t2;
}

static inline vec v_op_asin(vec x) {
    const vec t1 = v_each(asin, x);
    return t1;
}

static inline vec v_op_asin_d0(vec x) {
    const vec t1 = v_splat(1.0) - x;
    const vec t2 = v_splat(1.0) + x;
    const vec t3 = t1 * t2;
    const vec t4 = v_sqrt(t3);
    const vec t5 = v_splat(1.0) / t4;
    return t5;
}

static inline vec v_op_acos(vec x) {
    const vec t1 = v_each(acos, x);
    return t1;
}

static inline vec v_op_acos_d0(vec x) {
    const vec t1 = v_splat(1.0) - x;
    const vec t2 = v_splat(1.0) + x;
    const vec t3 = t1 * t2;
    const vec t4 = v_sqrt(t3);
    const vec t5 = v_splat(1.0) / t4;
    const vec t6 = -t5;
    return t6;
}

static inline vec v_op_atan(vec x) {
    const vec t1 = v_each(atan, x);
    return t1;
}

static inline vec v_op_atan_d0(vec x) {
    const vec t1 = x * x;
    const mask t2 = v_less(v_splat(1e+16), t1);
    const vec t3 = v_splat(1.0) + t1;
    const vec t4 = v_splat(1.0) / v_select(t2, x, t3);
    const vec t5 = t4 / x;
    const vec t6 = v_select(t2, t5, t4);
    return t6;
}

static inline vec v_op_sinh(vec x) {
    const vec t1 = v_sinh(x);
    return t1;
}

static inline vec v_op_sinh_d0(vec x) {
    const vec t1 = v_cosh(x);
    return t1;
}

static inline vec v_op_cosh(vec x) {
    const vec t1 = v_cosh(x);
    return t1;
}

static inline vec v_op_cosh_d0(vec x) {
    const vec t1 = v_sinh(x);
    return t1;
}

static inline vec v_op_tanh(vec x) {
    const vec t1 = v_tanh(x);
    return t1;
}

static inline vec v_op_tanh_d0(vec x) {
    const vec t1 = v_splat(2.0) * x;
    const mask t2 = v_less(t1, v_splat(0.0));
    const vec t3 = -t1;
    const vec t4 = v_select(t2, t1, t3);
    const vec t5 = v_exp(t4);
    const vec t6 = v_splat(2.0) + t5;
    const vec t7 = t5 * t6;
    const vec t8 = v_splat(1.0) + t7;
    const vec t9 = t5 / t8;
    const vec t10 = v_splat(4.0) * t9;
    return t10;
}

static inline vec v_op_asinh(vec x) {
    const vec t1 = v_each(asinh, x);
    return t1;
}

static inline vec v_op_asinh_d0(vec x) {
    const vec t1 = v_op_hypot(v_splat(1.0), x);
    const vec t2 = v_splat(1.0) / t1;
    return t2;
}

static inline vec v_op_acosh(vec x) {
    const vec t1 = v_each(acosh, x);
    return t1;
}

static inline vec v_op_acosh_d0(vec x) {
    const vec t1 = x - v_splat(1.0);
    const vec t2 = v_sqrt(t1);
    const vec t3 = x + v_splat(1.0);
    const vec t4 = v_sqrt(t3);
    const vec t5 = t2 * t4;
    const vec t6 = v_splat(1.0) / t5;
    return t6;
}

static inline vec v_op_atanh(vec x) {
    const vec t1 = v_each(atanh, x);
    return t1;
}

static inline vec v_op_atanh_d0(vec x) {
    const vec t1 = x * x;
    const mask t2 = v_less(v_splat(1.0), t1);
    const vec t3 = v_splat(1.0) - x;
    const vec t4 = v_splat(1.0) + x;
    const vec t5 = t3 * t4;
    const vec t6 = v_splat(1.0) / t5;
    const vec t7 = v_select(t2, v_splat(NAN), t6);
    return t7;
}

static inline vec v_op_hypot(vec x, vec y) {
    const vec t1 = v_abs(x);
    const mask t2 = v_equal(t1, v_splat(INFINITY));
    const vec t3 = v_abs(y);
    const vec t4 = v_select(v_equal(t3, v_splat(INFINITY)), v_splat(1.0), v_splat(0.0));
    const vec t5 = v_select(t2, v_splat(1.0), t4);
    const mask t6 = v_unequal(t5, v_splat(0.0));
    const mask t7 = v_less(t1, t3);
    const vec t8 = v_select(t7, t3, t1);
    const mask t9 = v_equal(t8, v_splat(0.0));
    const vec t10 = t1 + t3;
    const vec t11 = v_select(t7, t1, t3);
    const vec t12 = t11 / t8;
    const vec t13 = t12 * t12;
    const vec t14 = v_splat(1.0) + t13;
    const vec t15 = v_sqrt(t14);
    const vec t16 = t8 * t15;
    const vec t17 = v_select(t9, t10, t16);
    const vec t18 = v_select(t6, v_splat(INFINITY), t17);
    return t18;
}

static inline vec v_op_hypot_d0(vec x, vec y, vec out) {
    const mask t1 = v_equal(out, v_splat(0.0));
    vec t2 = v_splat(0.0);
    if (!v_all(t1)) {
        const mask t3 = v_equal(out, v_splat(INFINITY));
        const vec t4 = v_abs(x);
        const vec t5 = v_select(v_equal(t4, v_splat(INFINITY)), v_splat(1.0), v_splat(0.0));
        const vec t6 = v_abs(y);
        const vec t7 = v_select(v_equal(t6, v_splat(INFINITY)), v_splat(1.0), v_splat(0.0));
        const vec t8 = t5 - t7;
        const vec t9 = v_abs(t8);
        const mask t10 = v_less(v_splat(0.0), t9);
        const mask t11 = v_and(t3, t10);
        const mask t12 = v_equal(t4, v_splat(INFINITY));
        const mask t13 = v_less(x, v_splat(0.0));
        const vec t14 = v_select(t13, v_splat(-1.0), v_splat(1.0));
        const vec t15 = v_select(t12, t14, v_splat(0.0));
        vec t16 = t15;
        if (!v_all(t11)) {
            const mask t17 = v_less(out, v_splat(1e-290));
            const mask t18 = v_less(v_splat(1e+290), out);
            const vec t19 = v_select(t18, v_splat(2.409919865102884e-181), v_splat(1.0));
            const vec t20 = v_select(t17, v_splat(4.149515568880993e+180), t19);
            const vec t21 = x * t20;
            const vec t22 = y * t20;
            const vec t23 = v_op_hypot(t21, t22);
            const vec t24 = t21 / t23;
            t16 = v_select(t11, t16, t24);
        }
        t2 = v_select(t1, t2, t16);
    }
    return t2;
}

static inline vec v_op_hypot_d1(vec x, vec y, vec out) {
    const mask t1 = v_equal(out, v_splat(0.0));
    vec t2 = v_splat(0.0);
    if (!v_all(t1)) {
        const mask t3 = v_equal(out, v_splat(INFINITY));
        const vec t4 = v_abs(y);
        const vec t5 = v_select(v_equal(t4, v_splat(INFINITY)), v_splat(1.0), v_splat(0.0));
        const vec t6 = v_abs(x);
        const vec t7 = v_select(v_equal(t6, v_splat(INFINITY)), v_splat(1.0), v_splat(0.0));
        const vec t8 = t5 - t7;
        const vec t9 = v_abs(t8);
        const mask t10 = v_less(v_splat(0.0), t9);
        const mask t11 = v_and(t3, t10);
        const mask t12 = v_equal(t4, v_splat(INFINITY));
        const mask t13 = v_less(y, v_splat(0.0));
        const vec t14 = v_select(t13, v_splat(-1.0), v_splat(1.0));
        const vec t15 = v_select(t12, t14, v_splat(0.0));
        vec t16 = t15;
        if (!v_all(t11)) {
            const mask t17 = v_less(out, v_splat(1e-290));
            const mask t18 = v_less(v_splat(1e+290), out);
            const vec t19 = v_select(t18, v_splat(2.409919865102884e-181), v_splat(1.0));
            const vec t20 = v_select(t17, v_splat(4.149515568880993e+180), t19);
            const vec t21 = y * t20;
            const vec t22 = x * t20;
            const vec t23 = v_op_hypot(t21, t22);
            const vec t24 = t21 / t23;
            t16 = v_select(t11, t16, t24);
        }
        t2 = v_select(t1, t2, t16);
    }
    return t2;
}

static inline vec v_op_atan2(vec x, vec y) {
    const vec t1 = v_each2(atan2, x, y);
    return t1;
}

static inline vec v_op_atan2_d0(vec x, vec y, vec out) {
    const vec t1 = v_abs(y);
    const vec t2 = v_abs(x);
    const mask t3 = v_less(t1, t2);
    const vec t4 = v_select(t3, t2, t1);
    const mask t5 = v_less(v_splat(0.0), t4);
    const mask t6 = v_less(t4, v_splat(INFINITY));
    const mask t7 = v_and(t5, t6);
    const mask t8 = v_less(t4, v_splat(1e-140));
    const mask t9 = v_less(v_splat(1e+140), t4);
    const vec t10 = v_select(t9, v_splat(2.409919865102884e-181), v_splat(1.0));
    const vec t11 = v_select(t8, v_splat(4.149515568880993e+180), t10);
    const vec t12 = y * t11;
    const vec t13 = t12 * t12;
    const vec t14 = x * t11;
    const vec t15 = t14 * t14;
    const vec t16 = t13 + t15;
    const vec t17 = t12 / t16;
    const vec t18 = t17 * t11;
    const vec t19 = v_splat(0.0) * out;
    const vec t20 = v_select(t7, t18, t19);
    return t20;
}

static inline vec v_op_atan2_d1(vec x, vec y, vec out) {
    const vec t1 = v_abs(x);
    const vec t2 = v_abs(y);
    const mask t3 = v_less(t1, t2);
    const vec t4 = v_select(t3, t2, t1);
    const mask t5 = v_less(v_splat(0.0), t4);
    const mask t6 = v_less(t4, v_splat(INFINITY));
    const mask t7 = v_and(t5, t6);
    const mask t8 = v_less(t4, v_splat(1e-140));
    const mask t9 = v_less(v_splat(1e+140), t4);
    const vec t10 = v_select(t9, v_splat(2.409919865102884e-181), v_splat(1.0));
    const vec t11 = v_select(t8, v_splat(4.149515568880993e+180), t10);
    const vec t12 = x * t11;
    const vec t13 = t12 * t12;
    const vec t14 = y * t11;
    const vec t15 = t14 * t14;
    const vec t16 = t13 + t15;
    const vec t17 = t12 / t16;
    const vec t18 = t17 * t11;
    const vec t19 = v_splat(0.0) * out;
    const vec t20 = v_select(t7, t18, t19);
    const vec t21 = -t20;
    return t21;
}

static inline vec v_op_erf(vec x) {
    const vec t1 = v_erf(x);
    return t1;
}

static inline vec v_op_erf_d0(vec x) {
    const vec t1 = x * x;
    const mask t2 = v_less(v_splat(1600.0), t1);
    vec t3 = v_splat(0.0);
    if (!v_all(t2)) {
        const vec t4 = v_splat(134217729.0) * x;
        const vec t5 = t4 - x;
        const vec t6 = t4 - t5;
        const vec t7 = v_splat(1.0) * t6;
        const vec t8 = t7 * t6;
        const mask t9 = v_less(v_splat(700.0), t8);
        const vec t10 = v_splat(-0.5) * t8;
        const vec t11 = -t8;
        const vec t12 = v_exp(v_select(t9, t10, t11));
        const vec t13 = v_splat(1.1283791670955126) * t12;
        const vec t14 = x - t6;
        const vec t15 = v_splat(-1.0) * t14;
        const vec t16 = x + t6;
        const vec t17 = t15 * t16;
        const vec t18 = t17 * v_splat(0.16666666666666666);
        const vec t19 = v_splat(0.5) + t18;
        const vec t20 = t17 * t19;
        const vec t21 = v_splat(1.0) + t20;
        const vec t22 = t17 * t21;
        const vec t23 = t22 + v_splat(0.0);
        const vec t24 = t12 * t23;
        const vec t25 = t12 + t24;
        const vec t26 = t13 * t25;
        const vec t27 = v_splat(1.1283791670955126) * t25;
        const vec t28 = v_select(t9, t26, t27);
        t3 = v_select(t2, t3, t28);
    }
    return t3;
}

static inline vec v_op_erfc(vec x) {
    const mask t1 = v_less(x, v_splat(0.64));
    vec t2 = v_splat(0.0);
    if (v_any(t1)) {
        const vec t3 = v_erf(x);
        const vec t4 = v_splat(1.0) - t3;
        t2 = v_select(t1, t4, t2);
    }
    if (!v_all(t1)) {
        const mask t5 = v_less(v_splat(28.0), x);
        vec t6 = v_splat(0.0);
        if (!v_all(t5)) {
            const vec t7 = x * x;
            const mask t8 = v_less(v_splat(1600.0), t7);
            vec t9 = v_splat(0.0);
            if (!v_all(t8)) {
                const vec t10 = v_splat(134217729.0) * x;
                const vec t11 = t10 - x;
                const vec t12 = t10 - t11;
                const vec t13 = v_splat(1.0) * t12;
                const vec t14 = t13 * t12;
                const mask t15 = v_less(v_splat(700.0), t14);
                const vec t16 = x - v_splat(1.75);
                const vec t17 = x + v_splat(1.75);
                const vec t18 = t16 / t17;
                const vec t19 = v_splat(-1.3948238822037281e-09) * t18;
                const vec t20 = t19 + v_splat(5.109700928463397e-07);
                const vec t21 = t20 * t18;
                const vec t22 = t21 + v_splat(-1.5841199402994402e-06);
                const vec t23 = t22 * t18;
                const vec t24 = t23 + v_splat(4.070833795381134e-07);
                const vec t25 = t24 * t18;
                const vec t26 = t25 + v_splat(1.8586295887506923e-06);
                const vec t27 = t26 * t18;
                const vec t28 = t27 + v_splat(7.069160546743763e-07);
                const vec t29 = t28 * t18;
                const vec t30 = t29 + v_splat(2.454969588778001e-07);
                const vec t31 = t30 * t18;
                const vec t32 = t31 + v_splat(-3.4774483443329614e-06);
                const vec t33 = t32 * t18;
                const vec t34 = t33 + v_splat(-9.27425139523432e-06);
                const vec t35 = t34 * t18;
                const vec t36 = t35 + v_splat(-4.579518936004241e-06);
                const vec t37 = t36 * t18;
                const vec t38 = t37 + v_splat(2.4328581586716806e-05);
                const vec t39 = t38 * t18;
                const vec t40 = t39 + v_splat(6.039691058873441e-05);
                const vec t41 = t40 * t18;
                const vec t42 = t41 + v_splat(1.2791203764093609e-05);
                const vec t43 = t42 * t18;
                const vec t44 = t43 + v_splat(-0.0002179647924793206);
                const vec t45 = t44 * t18;
                const vec t46 = t45 + v_splat(-0.00038991252570686933);
                const vec t47 = t46 * t18;
                const vec t48 = t47 + v_splat(0.00040834971237136325);
                const vec t49 = t48 * t18;
                const vec t50 = t49 + v_splat(0.002330547550611729);
                const vec t51 = t50 * t18;
                const vec t52 = t51 + v_splat(0.00024020960085594035);
                const vec t53 = t52 * t18;
                const vec t54 = t53 + v_splat(-0.01283569824165594);
                const vec t55 = t54 * t18;
                const vec t56 = t55 + v_splat(-0.0032359378650534494);
                const vec t57 = t56 * t18;
                const vec t58 = t57 + v_splat(0.09778825221221718);
                const vec t59 = t58 * t18;
                const vec t60 = t59 + v_splat(-0.21385470725570538);
                const vec t61 = t60 * t18;
                const vec t62 = t61 + v_splat(0.19517270530480552);
                const vec t63 = t62 * t18;
                const vec t64 = t63 + v_splat(0.49870141079051367);
                const vec t65 = t64 / x;
                const vec t66 = v_splat(-0.5) * t14;
                const vec t67 = -t14;
                const vec t68 = v_exp(v_select(t15, t66, t67));
                const vec t69 = t65 * t68;
                const vec t70 = x - t12;
                const vec t71 = v_splat(-1.0) * t70;
                const vec t72 = x + t12;
                const vec t73 = t71 * t72;
                const vec t74 = t73 * v_splat(0.16666666666666666);
                const vec t75 = v_splat(0.5) + t74;
                const vec t76 = t73 * t75;
                const vec t77 = v_splat(1.0) + t76;
                const vec t78 = t73 * t77;
                const vec t79 = t78 + v_splat(0.0);
                const vec t80 = t68 * t79;
                const vec t81 = t68 + t80;
                const vec t82 = t69 * t81;
                const vec t83 = t65 * t81;
                const vec t84 = v_select(t15, t82, t83);
                t9 = v_select(t8, t9, t84);
            }
            t6 = v_select(t5, t6, t9);
        }
        t2 = v_select(t1, t2, t6);
    }
    return t2;
}

static inline vec v_op_erfc_d0(vec x) {
    const vec t1 = x * x;
    const mask t2 = v_less(v_splat(1600.0), t1);
    vec t3 = v_splat(0.0);
    if (!v_all(t2)) {
        const vec t4 = v_splat(134217729.0) * x;
        const vec t5 = t4 - x;
        const vec t6 = t4 - t5;
        const vec t7 = v_splat(1.0) * t6;
        const vec t8 = t7 * t6;
        const mask t9 = v_less(v_splat(700.0), t8);
        const vec t10 = v_splat(-0.5) * t8;
        const vec t11 = -t8;
        const vec t12 = v_exp(v_select(t9, t10, t11));
        const vec t13 = v_splat(-1.1283791670955126) * t12;
        const vec t14 = x - t6;
        const vec t15 = v_splat(-1.0) * t14;
        const vec t16 = x + t6;
        const vec t17 = t15 * t16;
        const vec t18 = t17 * v_splat(0.16666666666666666);
        const vec t19 = v_splat(0.5) + t18;
        const vec t20 = t17 * t19;
        const vec t21 = v_splat(1.0) + t20;
        const vec t22 = t17 * t21;
        const vec t23 = t22 + v_splat(0.0);
        const vec t24 = t12 * t23;
        const vec t25 = t12 + t24;
        const vec t26 = t13 * t25;
        const vec t27 = v_splat(-1.1283791670955126) * t25;
        const vec t28 = v_select(t9, t26, t27);
        t3 = v_select(t2, t3, t28);
    }
    return t3;
}

static inline vec v_op_lgamma(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const vec t2 = v_floor(x);
    const mask t3 = v_equal(x, t2);
    const mask t4 = v_and(t1, t3);
    vec t5 = v_splat(INFINITY);
    if (!v_all(t4)) {
        const mask t6 = v_less(v_splat(-4.0), x);
        const mask t7 = v_less(x, v_splat(-1.0));
        const mask t8 = v_and(t6, t7);
        vec t9 = v_splat(0.0);
        if (v_any(t8)) {
            const vec t10 = x - t2;
            const vec t11 = v_splat(1.0) + t10;
            const mask t12 = v_less(x, v_splat(-0.5));
            const vec t13 = v_splat(1.0) - x;
            const vec t14 = v_select(t12, t13, x);
            const vec t15 = v_select(t8, t11, t14);
            const mask t16 = v_less(t15, v_splat(0.5));
            vec t17 = v_splat(0.0);
            if (v_any(t16)) {
                const vec t18 = v_splat(1.0) + t15;
                const vec t19 = v_select(t16, t18, t15);
                const mask t20 = v_less(t19, v_splat(4.0));
                const vec t21 = t19 - v_splat(1.5);
                const vec t22 = t19 + v_splat(1.5);
                const vec t23 = v_select(t20, t21, v_splat(1.0)) / v_select(t20, t22, t19);
                const vec t24 = t15 - v_splat(1.0);
                const vec t25 = v_select(t16, t15, t24);
                const vec t26 = t15 - v_splat(2.0);
                const vec t27 = v_select(t16, t24, t26);
                const vec t28 = t25 * t27;
                const vec t29 = v_splat(0.17376571220520606) * t23;
                const vec t30 = t29 + v_splat(-0.07512708145693324);
                const vec t31 = t30 * t23;
                const vec t32 = t31 + v_splat(-0.16158816917616745);
                const vec t33 = t32 * t23;
                const vec t34 = t33 + v_splat(0.019772108000672643);
                const vec t35 = t34 * t23;
                const vec t36 = t35 + v_splat(0.12247696290117395);
                const vec t37 = t36 * t23;
                const vec t38 = t37 + v_splat(-0.03943651924989051);
                const vec t39 = t38 * t23;
                const vec t40 = t39 + v_splat(-0.011295423590704654);
                const vec t41 = t40 * t23;
                const vec t42 = t41 + v_splat(-0.021762551904493905);
                const vec t43 = t42 * t23;
                const vec t44 = t43 + v_splat(0.03282642085961665);
                const vec t45 = t44 * t23;
                const vec t46 = t45 + v_splat(-0.02936010652458664);
                const vec t47 = t46 * t23;
                const vec t48 = t47 + v_splat(0.026941518603503932);
                const vec t49 = t48 * t23;
                const vec t50 = t49 + v_splat(-0.03234681580274781);
                const vec t51 = t50 * t23;
                const vec t52 = t51 + v_splat(0.03175404739410823);
                const vec t53 = t52 * t23;
                const vec t54 = t53 + v_splat(-0.037277483093243316);
                const vec t55 = t54 * t23;
                const vec t56 = t55 + v_splat(0.03620143389696575);
                const vec t57 = t56 * t23;
                const vec t58 = t57 + v_splat(-0.0438262922936162);
                const vec t59 = t58 * t23;
                const vec t60 = t59 + v_splat(0.042327242835901134);
                const vec t61 = t60 * t23;
                const vec t62 = t61 + v_splat(-0.053194700422982355);
                const vec t63 = t62 * t23;
                const vec t64 = t63 + v_splat(0.05091574030442064);
                const vec t65 = t64 * t23;
                const vec t66 = t65 + v_splat(-0.06769490415797559);
                const vec t67 = t66 * t23;
                const vec t68 = t67 + v_splat(0.06382812062113474);
                const vec t69 = t68 * t23;
                const vec t70 = t69 + v_splat(-0.09321052270151807);
                const vec t71 = t70 * t23;
                const vec t72 = t71 + v_splat(0.08530564281234779);
                const vec t73 = t72 * t23;
                const vec t74 = t73 + v_splat(-0.15080363092800778);
                const vec t75 = t74 * t23;
                const vec t76 = t75 + v_splat(0.12832292192817457);
                const vec t77 = t76 * t23;
                const vec t78 = t77 + v_splat(-0.4378796877429183);
                const vec t79 = t78 * t23;
                const vec t80 = t79 + v_splat(0.4831289505409809);
                const vec t81 = t28 * t80;
                vec t82 = t81;
                if (!v_all(t20)) {
                    const vec t83 = t19 - v_splat(0.5);
                    const vec t84 = v_log(t19);
                    const vec t85 = t84 - v_splat(1.0);
                    const vec t86 = t83 * t85;
                    const vec t87 = t23 * t23;
                    const vec t88 = v_splat(0.03686739114470535) * t87;
                    const vec t89 = t88 + v_splat(-0.018529842349409912);
                    const vec t90 = t89 * t87;
                    const vec t91 = t90 + v_splat(0.005842830219816524);
                    const vec t92 = t91 * t87;
                    const vec t93 = t92 + v_splat(-0.0018988790775843355);
                    const vec t94 = t93 * t87;
                    const vec t95 = t94 + v_splat(0.0008413741438815142);
                    const vec t96 = t95 * t87;
                    const vec t97 = t96 + v_splat(-0.0005952337085914222);
                    const vec t98 = t97 * t87;
                    const vec t99 = t98 + v_splat(0.0007936507676291937);
                    const vec t100 = t99 * t87;
                    const vec t101 = t100 + v_splat(-0.0027777777777176055);
                    const vec t102 = t101 * t87;
                    const vec t103 = t102 + v_splat(0.08333333333333331);
                    const vec t104 = t23 * t103;
                    const vec t105 = v_splat(0.4189385332046727) + t104;
                    const vec t106 = t86 + t105;
                    t82 = v_select(t20, t82, t106);
                }
                const vec t107 = v_abs(t15);
                const vec t108 = v_log(t107);
                const vec t109 = t82 - t108;
                t17 = v_select(t16, t109, t17);
            }
            if (!v_all(t16)) {
                const vec t110 = v_splat(1.0) + t15;
                const vec t111 = v_select(t16, t110, t15);
                const mask t112 = v_less(t111, v_splat(4.0));
                const vec t113 = t111 - v_splat(1.5);
                const vec t114 = t111 + v_splat(1.5);
                const vec t115 = v_select(t112, t113, v_splat(1.0)) / v_select(t112, t114, t111);
                const vec t116 = t15 - v_splat(1.0);
                const vec t117 = v_select(t16, t15, t116);
                const vec t118 = t15 - v_splat(2.0);
                const vec t119 = v_select(t16, t116, t118);
                const vec t120 = t117 * t119;
                const vec t121 = v_splat(0.17376571220520606) * t115;
                const vec t122 = t121 + v_splat(-0.07512708145693324);
                const vec t123 = t122 * t115;
                const vec t124 = t123 + v_splat(-0.16158816917616745);
                const vec t125 = t124 * t115;
                const vec t126 = t125 + v_splat(0.019772108000672643);
                const vec t127 = t126 * t115;
                const vec t128 = t127 + v_splat(0.12247696290117395);
                const vec t129 = t128 * t115;
                const vec t130 = t129 + v_splat(-0.03943651924989051);
                const vec t131 = t130 * t115;
                const vec t132 = t131 + v_splat(-0.011295423590704654);
                const vec t133 = t132 * t115;
                const vec t134 = t133 + v_splat(-0.021762551904493905);
                const vec t135 = t134 * t115;
                const vec t136 = t135 + v_splat(0.03282642085961665);
                const vec t137 = t136 * t115;
                const vec t138 = t137 + v_splat(-0.02936010652458664);
                const vec t139 = t138 * t115;
                const vec t140 = t139 + v_splat(0.026941518603503932);
                const vec t141 = t140 * t115;
                const vec t142 = t141 + v_splat(-0.03234681580274781);
                const vec t143 = t142 * t115;
                const vec t144 = t143 + v_splat(0.03175404739410823);
                const vec t145 = t144 * t115;
                const vec t146 = t145 + v_splat(-0.037277483093243316);
                const vec t147 = t146 * t115;
                const vec t148 = t147 + v_splat(0.03620143389696575);
                const vec t149 = t148 * t115;
                const vec t150 = t149 + v_splat(-0.0438262922936162);
                const vec t151 = t150 * t115;
                const vec t152 = t151 + v_splat(0.042327242835901134);
                const vec t153 = t152 * t115;
                const vec t154 = t153 + v_splat(-0.053194700422982355);
                const vec t155 = t154 * t115;
                const vec t156 = t155 + v_splat(0.05091574030442064);
                const vec t157 = t156 * t115;
                const vec t158 = t157 + v_splat(-0.06769490415797559);
                const vec t159 = t158 * t115;
                const vec t160 = t159 + v_splat(0.06382812062113474);
                const vec t161 = t160 * t115;
                const vec t162 = t161 + v_splat(-0.09321052270151807);
                const vec t163 = t162 * t115;
                const vec t164 = t163 + v_splat(0.08530564281234779);
                const vec t165 = t164 * t115;
                const vec t166 = t165 + v_splat(-0.15080363092800778);
                const vec t167 = t166 * t115;
                const vec t168 = t167 + v_splat(0.12832292192817457);
                const vec t169 = t168 * t115;
                const vec t170 = t169 + v_splat(-0.4378796877429183);
                const vec t171 = t170 * t115;
                const vec t172 = t171 + v_splat(0.4831289505409809);
                const vec t173 = t120 * t172;
                vec t174 = t173;
                if (!v_all(t112)) {
                    const vec t175 = t111 - v_splat(0.5);
                    const vec t176 = v_log(t111);
                    const vec t177 = t176 - v_splat(1.0);
                    const vec t178 = t175 * t177;
                    const vec t179 = t115 * t115;
                    const vec t180 = v_splat(0.03686739114470535) * t179;
                    const vec t181 = t180 + v_splat(-0.018529842349409912);
                    const vec t182 = t181 * t179;
                    const vec t183 = t182 + v_splat(0.005842830219816524);
                    const vec t184 = t183 * t179;
                    const vec t185 = t184 + v_splat(-0.0018988790775843355);
                    const vec t186 = t185 * t179;
                    const vec t187 = t186 + v_splat(0.0008413741438815142);
                    const vec t188 = t187 * t179;
                    const vec t189 = t188 + v_splat(-0.0005952337085914222);
                    const vec t190 = t189 * t179;
                    const vec t191 = t190 + v_splat(0.0007936507676291937);
                    const vec t192 = t191 * t179;
                    const vec t193 = t192 + v_splat(-0.0027777777777176055);
                    const vec t194 = t193 * t179;
                    const vec t195 = t194 + v_splat(0.08333333333333331);
                    const vec t196 = t115 * t195;
                    const vec t197 = v_splat(0.4189385332046727) + t196;
                    const vec t198 = t178 + t197;
                    t174 = v_select(t112, t174, t198);
                }
                t17 = v_select(t16, t17, t174);
            }
            const mask t199 = v_less(v_splat(-3.0), x);
            const mask t200 = v_less(x, v_splat(-2.0));
            const mask t201 = v_and(t199, t200);
            const vec t202 = x + v_splat(1.0);
            const vec t203 = x * t202;
            const vec t204 = x + v_splat(2.0);
            const mask t205 = v_less(x, v_splat(-3.0));
            const vec t206 = x + v_splat(3.0);
            const vec t207 = x + v_splat(4.0);
            const vec t208 = t206 * t207;
            const vec t209 = v_select(t200, t206, v_splat(1.0));
            const vec t210 = v_select(t205, t208, t209);
            const vec t211 = t204 * t210;
            const vec t212 = t203 * t211;
            const vec t213 = v_abs(t212);
            const mask t214 = v_less(v_splat(0.5), t213);
            const mask t215 = v_and(t201, t214);
            vec t216 = v_splat(0.0);
            if (v_any(t215)) {
                const vec t217 = x + v_splat(1.5);
                const vec t218 = t217 * t217;
                const vec t219 = t218 - v_splat(1.25);
                const vec t220 = -t219;
                const vec t221 = t220 * t219;
                const vec t222 = v_log1p(t221);
                t216 = v_select(t215, t222, t216);
            }
            if (!v_all(t215)) {
                const vec t223 = v_log(t213);
                t216 = v_select(t215, t216, t223);
            }
            const vec t224 = t17 - t216;
            t9 = v_select(t8, t224, t9);
        }
        if (!v_all(t8)) {
            const mask t225 = v_less(x, v_splat(-0.5));
            vec t226 = v_splat(0.0);
            if (v_any(t225)) {
                const vec t227 = v_op_round(x);
                const vec t228 = x - t227;
                const vec t229 = v_splat(3.141592653589793) * t228;
                const vec t230 = v_sin(t229);
                const vec t231 = v_abs(t230);
                const vec t232 = v_splat(3.141592653589793) / t231;
                const vec t233 = v_log(t232);
                const vec t234 = x - t2;
                const vec t235 = v_splat(1.0) + t234;
                const vec t236 = v_splat(1.0) - x;
                const vec t237 = v_select(t225, t236, x);
                const vec t238 = v_select(t8, t235, t237);
                const mask t239 = v_less(t238, v_splat(0.5));
                vec t240 = v_splat(0.0);
                if (v_any(t239)) {
                    const vec t241 = v_splat(1.0) + t238;
                    const vec t242 = v_select(t239, t241, t238);
                    const mask t243 = v_less(t242, v_splat(4.0));
                    const vec t244 = t242 - v_splat(1.5);
                    const vec t245 = t242 + v_splat(1.5);
                    const vec t246 = v_select(t243, t244, v_splat(1.0)) / v_select(t243, t245, t242);
                    const vec t247 = t238 - v_splat(1.0);
                    const vec t248 = v_select(t239, t238, t247);
                    const vec t249 = t238 - v_splat(2.0);
                    const vec t250 = v_select(t239, t247, t249);
                    const vec t251 = t248 * t250;
                    const vec t252 = v_splat(0.17376571220520606) * t246;
                    const vec t253 = t252 + v_splat(-0.07512708145693324);
                    const vec t254 = t253 * t246;
                    const vec t255 = t254 + v_splat(-0.16158816917616745);
                    const vec t256 = t255 * t246;
                    const vec t257 = t256 + v_splat(0.019772108000672643);
                    const vec t258 = t257 * t246;
                    const vec t259 = t258 + v_splat(0.12247696290117395);
                    const vec t260 = t259 * t246;
                    const vec t261 = t260 + v_splat(-0.03943651924989051);
                    const vec t262 = t261 * t246;
                    const vec t263 = t262 + v_splat(-0.011295423590704654);
                    const vec t264 = t263 * t246;
                    const vec t265 = t264 + v_splat(-0.021762551904493905);
                    const vec t266 = t265 * t246;
                    const vec t267 = t266 + v_splat(0.03282642085961665);
                    const vec t268 = t267 * t246;
                    const vec t269 = t268 + v_splat(-0.02936010652458664);
                    const vec t270 = t269 * t246;
                    const vec t271 = t270 + v_splat(0.026941518603503932);
                    const vec t272 = t271 * t246;
                    const vec t273 = t272 + v_splat(-0.03234681580274781);
                    const vec t274 = t273 * t246;
                    const vec t275 = t274 + v_splat(0.03175404739410823);
                    const vec t276 = t275 * t246;
                    const vec t277 = t276 + v_splat(-0.037277483093243316);
                    const vec t278 = t277 * t246;
                    const vec t279 = t278 + v_splat(0.03620143389696575);
                    const vec t280 = t279 * t246;
                    const vec t281 = t280 + v_splat(-0.0438262922936162);
                    const vec t282 = t281 * t246;
                    const vec t283 = t282 + v_splat(0.042327242835901134);
                    const vec t284 = t283 * t246;
                    const vec t285 = t284 + v_splat(-0.053194700422982355);
                    const vec t286 = t285 * t246;
                    const vec t287 = t286 + v_splat(0.05091574030442064);
                    const vec t288 = t287 * t246;
                    const vec t289 = t288 + v_splat(-0.06769490415797559);
                    const vec t290 = t289 * t246;
                    const vec t291 = t290 + v_splat(0.06382812062113474);
                    const vec t292 = t291 * t246;
                    const vec t293 = t292 + v_splat(-0.09321052270151807);
                    const vec t294 = t293 * t246;
                    const vec t295 = t294 + v_splat(0.08530564281234779);
                    const vec t296 = t295 * t246;
                    const vec t297 = t296 + v_splat(-0.15080363092800778);
                    const vec t298 = t297 * t246;
                    const vec t299 = t298 + v_splat(0.12832292192817457);
                    const vec t300 = t299 * t246;
                    const vec t301 = t300 + v_splat(-0.4378796877429183);
                    const vec t302 = t301 * t246;
                    const vec t303 = t302 + v_splat(0.4831289505409809);
                    const vec t304 = t251 * t303;
                    vec t305 = t304;
                    if (!v_all(t243)) {
                        const vec t306 = t242 - v_splat(0.5);
                        const vec t307 = v_log(t242);
                        const vec t308 = t307 - v_splat(1.0);
                        const vec t309 = t306 * t308;
                        const vec t310 = t246 * t246;
                        const vec t311 = v_splat(0.03686739114470535) * t310;
                        const vec t312 = t311 + v_splat(-0.018529842349409912);
                        const vec t313 = t312 * t310;
                        const vec t314 = t313 + v_splat(0.005842830219816524);
                        const vec t315 = t314 * t310;
                        const vec t316 = t315 + v_splat(-0.0018988790775843355);
                        const vec t317 = t316 * t310;
                        const vec t318 = t317 + v_splat(0.0008413741438815142);
                        const vec t319 = t318 * t310;
                        const vec t320 = t319 + v_splat(-0.0005952337085914222);
                        const vec t321 = t320 * t310;
                        const vec t322 = t321 + v_splat(0.0007936507676291937);
                        const vec t323 = t322 * t310;
                        const vec t324 = t323 + v_splat(-0.0027777777777176055);
                        const vec t325 = t324 * t310;
                        const vec t326 = t325 + v_splat(0.08333333333333331);
                        const vec t327 = t246 * t326;
                        const vec t328 = v_splat(0.4189385332046727) + t327;
                        const vec t329 = t309 + t328;
                        t305 = v_select(t243, t305, t329);
                    }
                    const vec t330 = v_abs(t238);
                    const vec t331 = v_log(t330);
                    const vec t332 = t305 - t331;
                    t240 = v_select(t239, t332, t240);
                }
                if (!v_all(t239)) {
                    const vec t333 = v_splat(1.0) + t238;
                    const vec t334 = v_select(t239, t333, t238);
                    const mask t335 = v_less(t334, v_splat(4.0));
                    const vec t336 = t334 - v_splat(1.5);
                    const vec t337 = t334 + v_splat(1.5);
                    const vec t338 = v_select(t335, t336, v_splat(1.0)) / v_select(t335, t337, t334);
                    const vec t339 = t238 - v_splat(1.0);
                    const vec t340 = v_select(t239, t238, t339);
                    const vec t341 = t238 - v_splat(2.0);
                    const vec t342 = v_select(t239, t339, t341);
                    const vec t343 = t340 * t342;
                    const vec t344 = v_splat(0.17376571220520606) * t338;
                    const vec t345 = t344 + v_splat(-0.07512708145693324);
                    const vec t346 = t345 * t338;
                    const vec t347 = t346 + v_splat(-0.16158816917616745);
                    const vec t348 = t347 * t338;
                    const vec t349 = t348 + v_splat(0.019772108000672643);
                    const vec t350 = t349 * t338;
                    const vec t351 = t350 + v_splat(0.12247696290117395);
                    const vec t352 = t351 * t338;
                    const vec t353 = t352 + v_splat(-0.03943651924989051);
                    const vec t354 = t353 * t338;
                    const vec t355 = t354 + v_splat(-0.011295423590704654);
                    const vec t356 = t355 * t338;
                    const vec t357 = t356 + v_splat(-0.021762551904493905);
                    const vec t358 = t357 * t338;
                    const vec t359 = t358 + v_splat(0.03282642085961665);
                    const vec t360 = t359 * t338;
                    const vec t361 = t360 + v_splat(-0.02936010652458664);
                    const vec t362 = t361 * t338;
                    const vec t363 = t362 + v_splat(0.026941518603503932);
                    const vec t364 = t363 * t338;
                    const vec t365 = t364 + v_splat(-0.03234681580274781);
                    const vec t366 = t365 * t338;
                    const vec t367 = t366 + v_splat(0.03175404739410823);
                    const vec t368 = t367 * t338;
                    const vec t369 = t368 + v_splat(-0.037277483093243316);
                    const vec t370 = t369 * t338;
                    const vec t371 = t370 + v_splat(0.03620143389696575);
                    const vec t372 = t371 * t338;
                    const vec t373 = t372 + v_splat(-0.0438262922936162);
                    const vec t374 = t373 * t338;
                    const vec t375 = t374 + v_splat(0.042327242835901134);
                    const vec t376 = t375 * t338;
                    const vec t377 = t376 + v_splat(-0.053194700422982355);
                    const vec t378 = t377 * t338;
                    const vec t379 = t378 + v_splat(0.05091574030442064);
                    const vec t380 = t379 * t338;
                    const vec t381 = t380 + v_splat(-0.06769490415797559);
                    const vec t382 = t381 * t338;
                    const vec t383 = t382 + v_splat(0.06382812062113474);
                    const vec t384 = t383 * t338;
                    const vec t385 = t384 + v_splat(-0.09321052270151807);
                    const vec t386 = t385 * t338;
                    const vec t387 = t386 + v_splat(0.08530564281234779);
                    const vec t388 = t387 * t338;
                    const vec t389 = t388 + v_splat(-0.15080363092800778);
                    const vec t390 = t389 * t338;
                    const vec t391 = t390 + v_splat(0.12832292192817457);
                    const vec t392 = t391 * t338;
                    const vec t393 = t392 + v_splat(-0.4378796877429183);
                    const vec t394 = t393 * t338;
                    const vec t395 = t394 + v_splat(0.4831289505409809);
                    const vec t396 = t343 * t395;
                    vec t397 = t396;
                    if (!v_all(t335)) {
                        const vec t398 = t334 - v_splat(0.5);
                        const vec t399 = v_log(t334);
                        const vec t400 = t399 - v_splat(1.0);
                        const vec t401 = t398 * t400;
                        const vec t402 = t338 * t338;
                        const vec t403 = v_splat(0.03686739114470535) * t402;
                        const vec t404 = t403 + v_splat(-0.018529842349409912);
                        const vec t405 = t404 * t402;
                        const vec t406 = t405 + v_splat(0.005842830219816524);
                        const vec t407 = t406 * t402;
                        const vec t408 = t407 + v_splat(-0.0018988790775843355);
                        const vec t409 = t408 * t402;
                        const vec t410 = t409 + v_splat(0.0008413741438815142);
                        const vec t411 = t410 * t402;
                        const vec t412 = t411 + v_splat(-0.0005952337085914222);
                        const vec t413 = t412 * t402;
                        const vec t414 = t413 + v_splat(0.0007936507676291937);
                        const vec t415 = t414 * t402;
                        const vec t416 = t415 + v_splat(-0.0027777777777176055);
                        const vec t417 = t416 * t402;
                        const vec t418 = t417 + v_splat(0.08333333333333331);
                        const vec t419 = t338 * t418;
                        const vec t420 = v_splat(0.4189385332046727) + t419;
                        const vec t421 = t401 + t420;
                        t397 = v_select(t335, t397, t421);
                    }
                    t240 = v_select(t239, t240, t397);
                }
                const vec t422 = t233 - t240;
                t226 = v_select(t225, t422, t226);
            }
            if (!v_all(t225)) {
                const vec t423 = x - t2;
                const vec t424 = v_splat(1.0) + t423;
                const vec t425 = v_splat(1.0) - x;
                const vec t426 = v_select(t225, t425, x);
                const vec t427 = v_select(t8, t424, t426);
                const mask t428 = v_less(t427, v_splat(0.5));
                vec t429 = v_splat(0.0);
                if (v_any(t428)) {
                    const vec t430 = v_splat(1.0) + t427;
                    const vec t431 = v_select(t428, t430, t427);
                    const mask t432 = v_less(t431, v_splat(4.0));
                    const vec t433 = t431 - v_splat(1.5);
                    const vec t434 = t431 + v_splat(1.5);
                    const vec t435 = v_select(t432, t433, v_splat(1.0)) / v_select(t432, t434, t431);
                    const vec t436 = t427 - v_splat(1.0);
                    const vec t437 = v_select(t428, t427, t436);
                    const vec t438 = t427 - v_splat(2.0);
                    const vec t439 = v_select(t428, t436, t438);
                    const vec t440 = t437 * t439;
                    const vec t441 = v_splat(0.17376571220520606) * t435;
                    const vec t442 = t441 + v_splat(-0.07512708145693324);
                    const vec t443 = t442 * t435;
                    const vec t444 = t443 + v_splat(-0.16158816917616745);
                    const vec t445 = t444 * t435;
                    const vec t446 = t445 + v_splat(0.019772108000672643);
                    const vec t447 = t446 * t435;
                    const vec t448 = t447 + v_splat(0.12247696290117395);
                    const vec t449 = t448 * t435;
                    const vec t450 = t449 + v_splat(-0.03943651924989051);
                    const vec t451 = t450 * t435;
                    const vec t452 = t451 + v_splat(-0.011295423590704654);
                    const vec t453 = t452 * t435;
                    const vec t454 = t453 + v_splat(-0.021762551904493905);
                    const vec t455 = t454 * t435;
                    const vec t456 = t455 + v_splat(0.03282642085961665);
                    const vec t457 = t456 * t435;
                    const vec t458 = t457 + v_splat(-0.02936010652458664);
                    const vec t459 = t458 * t435;
                    const vec t460 = t459 + v_splat(0.026941518603503932);
                    const vec t461 = t460 * t435;
                    const vec t462 = t461 + v_splat(-0.03234681580274781);
                    const vec t463 = t462 * t435;
                    const vec t464 = t463 + v_splat(0.03175404739410823);
                    const vec t465 = t464 * t435;
                    const vec t466 = t465 + v_splat(-0.037277483093243316);
                    const vec t467 = t466 * t435;
                    const vec t468 = t467 + v_splat(0.03620143389696575);
                    const vec t469 = t468 * t435;
                    const vec t470 = t469 + v_splat(-0.0438262922936162);
                    const vec t471 = t470 * t435;
                    const vec t472 = t471 + v_splat(0.042327242835901134);
                    const vec t473 = t472 * t435;
                    const vec t474 = t473 + v_splat(-0.053194700422982355);
                    const vec t475 = t474 * t435;
                    const vec t476 = t475 + v_splat(0.05091574030442064);
                    const vec t477 = t476 * t435;
                    const vec t478 = t477 + v_splat(-0.06769490415797559);
                    const vec t479 = t478 * t435;
                    const vec t480 = t479 + v_splat(0.06382812062113474);
                    const vec t481 = t480 * t435;
                    const vec t482 = t481 + v_splat(-0.09321052270151807);
                    const vec t483 = t482 * t435;
                    const vec t484 = t483 + v_splat(0.08530564281234779);
                    const vec t485 = t484 * t435;
                    const vec t486 = t485 + v_splat(-0.15080363092800778);
                    const vec t487 = t486 * t435;
                    const vec t488 = t487 + v_splat(0.12832292192817457);
                    const vec t489 = t488 * t435;
                    const vec t490 = t489 + v_splat(-0.4378796877429183);
                    const vec t491 = t490 * t435;
                    const vec t492 = t491 + v_splat(0.4831289505409809);
                    const vec t493 = t440 * t492;
                    vec t494 = t493;
                    if (!v_all(t432)) {
                        const vec t495 = t431 - v_splat(0.5);
                        const vec t496 = v_log(t431);
                        const vec t497 = t496 - v_splat(1.0);
                        const vec t498 = t495 * t497;
                        const vec t499 = t435 * t435;
                        const vec t500 = v_splat(0.03686739114470535) * t499;
                        const vec t501 = t500 + v_splat(-0.018529842349409912);
                        const vec t502 = t501 * t499;
                        const vec t503 = t502 + v_splat(0.005842830219816524);
                        const vec t504 = t503 * t499;
                        const vec t505 = t504 + v_splat(-0.0018988790775843355);
                        const vec t506 = t505 * t499;
                        const vec t507 = t506 + v_splat(0.0008413741438815142);
                        const vec t508 = t507 * t499;
                        const vec t509 = t508 + v_splat(-0.0005952337085914222);
                        const vec t510 = t509 * t499;
                        const vec t511 = t510 + v_splat(0.0007936507676291937);
                        const vec t512 = t511 * t499;
                        const vec t513 = t512 + v_splat(-0.0027777777777176055);
                        const vec t514 = t513 * t499;
                        const vec t515 = t514 + v_splat(0.08333333333333331);
                        const vec t516 = t435 * t515;
                        const vec t517 = v_splat(0.4189385332046727) + t516;
                        const vec t518 = t498 + t517;
                        t494 = v_select(t432, t494, t518);
                    }
                    const vec t519 = v_abs(t427);
                    const vec t520 = v_log(t519);
                    const vec t521 = t494 - t520;
                    t429 = v_select(t428, t521, t429);
                }
                if (!v_all(t428)) {
                    const vec t522 = v_splat(1.0) + t427;
                    const vec t523 = v_select(t428, t522, t427);
                    const mask t524 = v_less(t523, v_splat(4.0));
                    const vec t525 = t523 - v_splat(1.5);
                    const vec t526 = t523 + v_splat(1.5);
                    const vec t527 = v_select(t524, t525, v_splat(1.0)) / v_select(t524, t526, t523);
                    const vec t528 = t427 - v_splat(1.0);
                    const vec t529 = v_select(t428, t427, t528);
                    const vec t530 = t427 - v_splat(2.0);
                    const vec t531 = v_select(t428, t528, t530);
                    const vec t532 = t529 * t531;
                    const vec t533 = v_splat(0.17376571220520606) * t527;
                    const vec t534 = t533 + v_splat(-0.07512708145693324);
                    const vec t535 = t534 * t527;
                    const vec t536 = t535 + v_splat(-0.16158816917616745);
                    const vec t537 = t536 * t527;
                    const vec t538 = t537 + v_splat(0.019772108000672643);
                    const vec t539 = t538 * t527;
                    const vec t540 = t539 + v_splat(0.12247696290117395);
                    const vec t541 = t540 * t527;
                    const vec t542 = t541 + v_splat(-0.03943651924989051);
                    const vec t543 = t542 * t527;
                    const vec t544 = t543 + v_splat(-0.011295423590704654);
                    const vec t545 = t544 * t527;
                    const vec t546 = t545 + v_splat(-0.021762551904493905);
                    const vec t547 = t546 * t527;
                    const vec t548 = t547 + v_splat(0.03282642085961665);
                    const vec t549 = t548 * t527;
                    const vec t550 = t549 + v_splat(-0.02936010652458664);
                    const vec t551 = t550 * t527;
                    const vec t552 = t551 + v_splat(0.026941518603503932);
                    const vec t553 = t552 * t527;
                    const vec t554 = t553 + v_splat(-0.03234681580274781);
                    const vec t555 = t554 * t527;
                    const vec t556 = t555 + v_splat(0.03175404739410823);
                    const vec t557 = t556 * t527;
                    const vec t558 = t557 + v_splat(-0.037277483093243316);
                    const vec t559 = t558 * t527;
                    const vec t560 = t559 + v_splat(0.03620143389696575);
                    const vec t561 = t560 * t527;
                    const vec t562 = t561 + v_splat(-0.0438262922936162);
                    const vec t563 = t562 * t527;
                    const vec t564 = t563 + v_splat(0.042327242835901134);
                    const vec t565 = t564 * t527;
                    const vec t566 = t565 + v_splat(-0.053194700422982355);
                    const vec t567 = t566 * t527;
                    const vec t568 = t567 + v_splat(0.05091574030442064);
                    const vec t569 = t568 * t527;
                    const vec t570 = t569 + v_splat(-0.06769490415797559);
                    const vec t571 = t570 * t527;
                    const vec t572 = t571 + v_splat(0.06382812062113474);
                    const vec t573 = t572 * t527;
                    const vec t574 = t573 + v_splat(-0.09321052270151807);
                    const vec t575 = t574 * t527;
                    const vec t576 = t575 + v_splat(0.08530564281234779);
                    const vec t577 = t576 * t527;
                    const vec t578 = t577 + v_splat(-0.15080363092800778);
                    const vec t579 = t578 * t527;
                    const vec t580 = t579 + v_splat(0.12832292192817457);
                    const vec t581 = t580 * t527;
                    const vec t582 = t581 + v_splat(-0.4378796877429183);
                    const vec t583 = t582 * t527;
                    const vec t584 = t583 + v_splat(0.4831289505409809);
                    const vec t585 = t532 * t584;
                    vec t586 = t585;
                    if (!v_all(t524)) {
                        const vec t587 = t523 - v_splat(0.5);
                        const vec t588 = v_log(t523);
                        const vec t589 = t588 - v_splat(1.0);
                        const vec t590 = t587 * t589;
                        const vec t591 = t527 * t527;
                        const vec t592 = v_splat(0.03686739114470535) * t591;
                        const vec t593 = t592 + v_splat(-0.018529842349409912);
                        const vec t594 = t593 * t591;
                        const vec t595 = t594 + v_splat(0.005842830219816524);
                        const vec t596 = t595 * t591;
                        const vec t597 = t596 + v_splat(-0.0018988790775843355);
                        const vec t598 = t597 * t591;
                        const vec t599 = t598 + v_splat(0.0008413741438815142);
                        const vec t600 = t599 * t591;
                        const vec t601 = t600 + v_splat(-0.0005952337085914222);
                        const vec t602 = t601 * t591;
                        const vec t603 = t602 + v_splat(0.0007936507676291937);
                        const vec t604 = t603 * t591;
                        const vec t605 = t604 + v_splat(-0.0027777777777176055);
                        const vec t606 = t605 * t591;
                        const vec t607 = t606 + v_splat(0.08333333333333331);
                        const vec t608 = t527 * t607;
                        const vec t609 = v_splat(0.4189385332046727) + t608;
                        const vec t610 = t590 + t609;
                        t586 = v_select(t524, t586, t610);
                    }
                    t429 = v_select(t428, t429, t586);
                }
                t226 = v_select(t225, t226, t429);
            }
            t9 = v_select(t8, t9, t226);
        }
        t5 = v_select(t4, t5, t9);
    }
    return t5;
}

static inline vec v_op_lgamma_d0(vec x) {
    const vec t1 = v_op_digamma(x);
    return t1;
}

static inline vec v_op_digamma(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const vec t2 = v_floor(x);
    const mask t3 = v_equal(x, t2);
    const mask t4 = v_and(t1, t3);
    vec t5 = v_splat(NAN);
    if (!v_all(t4)) {
        vec t6 = v_splat(0.0);
        if (v_any(t1)) {
            const vec t7 = v_splat(1.0) - x;
            const mask t8 = v_less(x, v_splat(1.0));
            const vec t9 = v_splat(1.0) + x;
            const vec t10 = v_select(t8, t9, x);
            const vec t11 = v_select(t1, t7, t10);
            const mask t12 = v_less(t11, v_splat(4.0));
            const vec t13 = t11 - v_splat(2.0);
            const vec t14 = t11 + v_splat(2.0);
            const vec t15 = v_select(t12, t13, v_splat(1.0)) / v_select(t12, t14, t11);
            const vec t16 = t11 - v_splat(1.4616321449683622);
            const vec t17 = t16 - v_splat(9.549995429965697e-17);
            const vec t18 = v_splat(-1.2961992760875918) * t15;
            const vec t19 = t18 + v_splat(1.2942452439988197);
            const vec t20 = t19 * t15;
            const vec t21 = t20 + v_splat(-0.5042695952773063);
            const vec t22 = t21 * t15;
            const vec t23 = t22 + v_splat(0.5030955373909065);
            const vec t24 = t23 * t15;
            const vec t25 = t24 + v_splat(-0.713442970397327);
            const vec t26 = t25 * t15;
            const vec t27 = t26 + v_splat(0.7116445214134494);
            const vec t28 = t27 * t15;
            const vec t29 = t28 + v_splat(-0.6825045615261452);
            const vec t30 = t29 * t15;
            const vec t31 = t30 + v_splat(0.6802385731925122);
            const vec t32 = t31 * t15;
            const vec t33 = t32 + v_splat(-0.6857311757515434);
            const vec t34 = t33 * t15;
            const vec t35 = t34 + v_splat(0.6826984896609327);
            const vec t36 = t35 * t15;
            const vec t37 = t36 + v_splat(-0.6860976571407249);
            const vec t38 = t37 * t15;
            const vec t39 = t38 + v_splat(0.6818440940515491);
            const vec t40 = t39 * t15;
            const vec t41 = t40 + v_splat(-0.6870424842040613);
            const vec t42 = t41 * t15;
            const vec t43 = t42 + v_splat(0.680680105820702);
            const vec t44 = t43 * t15;
            const vec t45 = t44 + v_splat(-0.6890177886225417);
            const vec t46 = t45 * t15;
            const vec t47 = t46 + v_splat(0.67874747527837);
            const vec t48 = t47 * t15;
            const vec t49 = t48 + v_splat(-0.695067676631197);
            const vec t50 = t49 * t15;
            const vec t51 = t50 + v_splat(0.6777531349128925);
            const vec t52 = t51 * t15;
            const vec t53 = t52 + v_splat(-0.7262245808989884);
            const vec t54 = t53 * t15;
            const vec t55 = t54 + v_splat(0.7010428535500061);
            const vec t56 = t55 * t15;
            const vec t57 = t56 + v_splat(-1.0429558187320056);
            const vec t58 = t57 * t15;
            const vec t59 = t58 + v_splat(0.7853075386041053);
            const vec t60 = t17 * t59;
            vec t61 = t60;
            if (!v_all(t12)) {
                const vec t62 = v_log(t11);
                const vec t63 = t15 * t15;
                const vec t64 = v_splat(-2.7632461441771197) * t63;
                const vec t65 = t64 + v_splat(1.317667749896685);
                const vec t66 = t65 * t63;
                const vec t67 = t66 + v_splat(-0.3487583555569305);
                const vec t68 = t67 * t63;
                const vec t69 = t68 + v_splat(0.07978585893797804);
                const vec t70 = t69 * t63;
                const vec t71 = t70 + v_splat(-0.021004729764303443);
                const vec t72 = t71 * t63;
                const vec t73 = t72 + v_splat(0.007574376314502456);
                const vec t74 = t73 * t63;
                const vec t75 = t74 + v_splat(-0.00416665393289541);
                const vec t76 = t75 * t63;
                const vec t77 = t76 + v_splat(0.003968253907681641);
                const vec t78 = t77 * t63;
                const vec t79 = t78 + v_splat(-0.00833333333322018);
                const vec t80 = t79 * t63;
                const vec t81 = t80 + v_splat(0.0833333333333333);
                const vec t82 = t15 * t81;
                const vec t83 = v_splat(0.5) + t82;
                const vec t84 = t15 * t83;
                const vec t85 = t62 - t84;
                t61 = v_select(t12, t61, t85);
            }
            const vec t86 = v_op_round(x);
            const vec t87 = x - t86;
            const mask t88 = v_less(t87, v_splat(0.0));
            const vec t89 = -t87;
            const vec t90 = v_select(t88, t89, t87);
            const mask t91 = v_less(t90, v_splat(0.25));
            vec t92 = v_splat(1.0);
            if (!v_all(t91)) {
                const vec t93 = v_splat(0.5) - t90;
                const vec t94 = v_select(t91, t90, t93);
                const vec t95 = v_splat(3.141592653589793) * t94;
                const vec t96 = v_each(tan, t95);
                t92 = v_select(t91, t92, t96);
            }
            vec t97 = v_splat(1.0);
            if (v_any(t91)) {
                const vec t98 = v_splat(0.5) - t90;
                const vec t99 = v_select(t91, t90, t98);
                const vec t100 = v_splat(3.141592653589793) * t99;
                const vec t101 = v_each(tan, t100);
                t97 = v_select(t91, t101, t97);
            }
            const vec t102 = t92 / t97;
            const vec t103 = -t102;
            const vec t104 = v_select(t88, t103, t102);
            const vec t105 = v_splat(3.141592653589793) * t104;
            const vec t106 = t61 - t105;
            t6 = v_select(t1, t106, t6);
        }
        if (!v_all(t1)) {
            const mask t107 = v_less(x, v_splat(1.0));
            vec t108 = v_splat(0.0);
            if (v_any(t107)) {
                const vec t109 = v_splat(1.0) - x;
                const vec t110 = v_splat(1.0) + x;
                const vec t111 = v_select(t107, t110, x);
                const vec t112 = v_select(t1, t109, t111);
                const mask t113 = v_less(t112, v_splat(4.0));
                const vec t114 = t112 - v_splat(2.0);
                const vec t115 = t112 + v_splat(2.0);
                const vec t116 = v_select(t113, t114, v_splat(1.0)) / v_select(t113, t115, t112);
                const vec t117 = t112 - v_splat(1.4616321449683622);
                const vec t118 = t117 - v_splat(9.549995429965697e-17);
                const vec t119 = v_splat(-1.2961992760875918) * t116;
                const vec t120 = t119 + v_splat(1.2942452439988197);
                const vec t121 = t120 * t116;
                const vec t122 = t121 + v_splat(-0.5042695952773063);
                const vec t123 = t122 * t116;
                const vec t124 = t123 + v_splat(0.5030955373909065);
                const vec t125 = t124 * t116;
                const vec t126 = t125 + v_splat(-0.713442970397327);
                const vec t127 = t126 * t116;
                const vec t128 = t127 + v_splat(0.7116445214134494);
                const vec t129 = t128 * t116;
                const vec t130 = t129 + v_splat(-0.6825045615261452);
                const vec t131 = t130 * t116;
                const vec t132 = t131 + v_splat(0.6802385731925122);
                const vec t133 = t132 * t116;
                const vec t134 = t133 + v_splat(-0.6857311757515434);
                const vec t135 = t134 * t116;
                const vec t136 = t135 + v_splat(0.6826984896609327);
                const vec t137 = t136 * t116;
                const vec t138 = t137 + v_splat(-0.6860976571407249);
                const vec t139 = t138 * t116;
                const vec t140 = t139 + v_splat(0.6818440940515491);
                const vec t141 = t140 * t116;
                const vec t142 = t141 + v_splat(-0.6870424842040613);
                const vec t143 = t142 * t116;
                const vec t144 = t143 + v_splat(0.680680105820702);
                const vec t145 = t144 * t116;
                const vec t146 = t145 + v_splat(-0.6890177886225417);
                const vec t147 = t146 * t116;
                const vec t148 = t147 + v_splat(0.67874747527837);
                const vec t149 = t148 * t116;
                const vec t150 = t149 + v_splat(-0.695067676631197);
                const vec t151 = t150 * t116;
                const vec t152 = t151 + v_splat(0.6777531349128925);
                const vec t153 = t152 * t116;
                const vec t154 = t153 + v_splat(-0.7262245808989884);
                const vec t155 = t154 * t116;
                const vec t156 = t155 + v_splat(0.7010428535500061);
                const vec t157 = t156 * t116;
                const vec t158 = t157 + v_splat(-1.0429558187320056);
                const vec t159 = t158 * t116;
                const vec t160 = t159 + v_splat(0.7853075386041053);
                const vec t161 = t118 * t160;
                vec t162 = t161;
                if (!v_all(t113)) {
                    const vec t163 = v_log(t112);
                    const vec t164 = t116 * t116;
                    const vec t165 = v_splat(-2.7632461441771197) * t164;
                    const vec t166 = t165 + v_splat(1.317667749896685);
                    const vec t167 = t166 * t164;
                    const vec t168 = t167 + v_splat(-0.3487583555569305);
                    const vec t169 = t168 * t164;
                    const vec t170 = t169 + v_splat(0.07978585893797804);
                    const vec t171 = t170 * t164;
                    const vec t172 = t171 + v_splat(-0.021004729764303443);
                    const vec t173 = t172 * t164;
                    const vec t174 = t173 + v_splat(0.007574376314502456);
                    const vec t175 = t174 * t164;
                    const vec t176 = t175 + v_splat(-0.00416665393289541);
                    const vec t177 = t176 * t164;
                    const vec t178 = t177 + v_splat(0.003968253907681641);
                    const vec t179 = t178 * t164;
                    const vec t180 = t179 + v_splat(-0.00833333333322018);
                    const vec t181 = t180 * t164;
                    const vec t182 = t181 + v_splat(0.0833333333333333);
                    const vec t183 = t116 * t182;
                    const vec t184 = v_splat(0.5) + t183;
                    const vec t185 = t116 * t184;
                    const vec t186 = t163 - t185;
                    t162 = v_select(t113, t162, t186);
                }
                const vec t187 = v_splat(1.0) / x;
                const vec t188 = t162 - t187;
                t108 = v_select(t107, t188, t108);
            }
            if (!v_all(t107)) {
                const vec t189 = v_splat(1.0) - x;
                const vec t190 = v_splat(1.0) + x;
                const vec t191 = v_select(t107, t190, x);
                const vec t192 = v_select(t1, t189, t191);
                const mask t193 = v_less(t192, v_splat(4.0));
                const vec t194 = t192 - v_splat(2.0);
                const vec t195 = t192 + v_splat(2.0);
                const vec t196 = v_select(t193, t194, v_splat(1.0)) / v_select(t193, t195, t192);
                const vec t197 = t192 - v_splat(1.4616321449683622);
                const vec t198 = t197 - v_splat(9.549995429965697e-17);
                const vec t199 = v_splat(-1.2961992760875918) * t196;
                const vec t200 = t199 + v_splat(1.2942452439988197);
                const vec t201 = t200 * t196;
                const vec t202 = t201 + v_splat(-0.5042695952773063);
                const vec t203 = t202 * t196;
                const vec t204 = t203 + v_splat(0.5030955373909065);
                const vec t205 = t204 * t196;
                const vec t206 = t205 + v_splat(-0.713442970397327);
                const vec t207 = t206 * t196;
                const vec t208 = t207 + v_splat(0.7116445214134494);
                const vec t209 = t208 * t196;
                const vec t210 = t209 + v_splat(-0.6825045615261452);
                const vec t211 = t210 * t196;
                const vec t212 = t211 + v_splat(0.6802385731925122);
                const vec t213 = t212 * t196;
                const vec t214 = t213 + v_splat(-0.6857311757515434);
                const vec t215 = t214 * t196;
                const vec t216 = t215 + v_splat(0.6826984896609327);
                const vec t217 = t216 * t196;
                const vec t218 = t217 + v_splat(-0.6860976571407249);
                const vec t219 = t218 * t196;
                const vec t220 = t219 + v_splat(0.6818440940515491);
                const vec t221 = t220 * t196;
                const vec t222 = t221 + v_splat(-0.6870424842040613);
                const vec t223 = t222 * t196;
                const vec t224 = t223 + v_splat(0.680680105820702);
                const vec t225 = t224 * t196;
                const vec t226 = t225 + v_splat(-0.6890177886225417);
                const vec t227 = t226 * t196;
                const vec t228 = t227 + v_splat(0.67874747527837);
                const vec t229 = t228 * t196;
                const vec t230 = t229 + v_splat(-0.695067676631197);
                const vec t231 = t230 * t196;
                const vec t232 = t231 + v_splat(0.6777531349128925);
                const vec t233 = t232 * t196;
                const vec t234 = t233 + v_splat(-0.7262245808989884);
                const vec t235 = t234 * t196;
                const vec t236 = t235 + v_splat(0.7010428535500061);
                const vec t237 = t236 * t196;
                const vec t238 = t237 + v_splat(-1.0429558187320056);
                const vec t239 = t238 * t196;
                const vec t240 = t239 + v_splat(0.7853075386041053);
                const vec t241 = t198 * t240;
                vec t242 = t241;
                if (!v_all(t193)) {
                    const vec t243 = v_log(t192);
                    const vec t244 = t196 * t196;
                    const vec t245 = v_splat(-2.7632461441771197) * t244;
                    const vec t246 = t245 + v_splat(1.317667749896685);
                    const vec t247 = t246 * t244;
                    const vec t248 = t247 + v_splat(-0.3487583555569305);
                    const vec t249 = t248 * t244;
                    const vec t250 = t249 + v_splat(0.07978585893797804);
                    const vec t251 = t250 * t244;
                    const vec t252 = t251 + v_splat(-0.021004729764303443);
                    const vec t253 = t252 * t244;
                    const vec t254 = t253 + v_splat(0.007574376314502456);
                    const vec t255 = t254 * t244;
                    const vec t256 = t255 + v_splat(-0.00416665393289541);
                    const vec t257 = t256 * t244;
                    const vec t258 = t257 + v_splat(0.003968253907681641);
                    const vec t259 = t258 * t244;
                    const vec t260 = t259 + v_splat(-0.00833333333322018);
                    const vec t261 = t260 * t244;
                    const vec t262 = t261 + v_splat(0.0833333333333333);
                    const vec t263 = t196 * t262;
                    const vec t264 = v_splat(0.5) + t263;
                    const vec t265 = t196 * t264;
                    const vec t266 = t243 - t265;
                    t242 = v_select(t193, t242, t266);
                }
                t108 = v_select(t107, t108, t242);
            }
            t6 = v_select(t1, t6, t108);
        }
        t5 = v_select(t4, t5, t6);
    }
    return t5;
}

static inline vec v_op_digamma_d0(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const vec t2 = v_splat(1.0) - x;
    const vec t3 = v_select(t1, t2, x);
    const vec t4 = v_op_zeta(v_splat(2.0), t3);
    vec t5 = t4;
    if (v_any(t1)) {
        const vec t6 = v_select(t1, x, v_splat(0.5));
        const vec t7 = v_op_round(t6);
        const vec t8 = t6 - t7;
        const vec t9 = v_splat(3.141592653589793) * t8;
        const vec t10 = v_sin(t9);
        const vec t11 = t10 * t10;
        const vec t12 = v_splat(9.869604401089358) / t11;
        const vec t13 = t12 - t4;
        t5 = v_select(t1, t13, t5);
    }
    return t5;
}

static inline vec v_op_zeta(vec x, vec y) {
    const mask t1 = v_less(x, v_splat(1.0));
    const vec t2 = v_select(v_less(y, v_splat(0.0)), v_splat(1.0), v_splat(0.0));
    const vec t3 = v_select(t1, v_splat(1.0), t2);
    const mask t4 = v_unequal(t3, v_splat(0.0));
    vec t5 = v_splat(NAN);
    if (!v_all(t4)) {
        const vec t6 = v_abs(y);
        const vec t7 = x + v_splat(8.0);
        const mask t8 = v_less(t6, t7);
        vec t9 = v_splat(0.0);
        if (v_any(t8)) {
            const vec t10 = t6 + v_splat(0.0);
            const vec t11 = -x;
            const vec t12 = v_pow(t10, t11);
            const vec t13 = t6 + v_splat(1.0);
            const vec t14 = v_pow(t13, t11);
            const vec t15 = t6 + v_splat(2.0);
            const vec t16 = v_pow(t15, t11);
            const vec t17 = t6 + v_splat(3.0);
            const vec t18 = v_pow(t17, t11);
            const vec t19 = t6 + v_splat(4.0);
            const vec t20 = v_pow(t19, t11);
            const vec t21 = t6 + v_splat(5.0);
            const vec t22 = v_pow(t21, t11);
            const vec t23 = t6 + v_splat(6.0);
            const vec t24 = v_pow(t23, t11);
            const vec t25 = t6 + v_splat(7.0);
            const vec t26 = v_pow(t25, t11);
            const vec t27 = t6 + v_splat(8.0);
            const vec t28 = v_select(t8, t27, t6);
            const vec t29 = x * v_splat(0.03333333333333333);
            const mask t30 = v_less(t28, t29);
            vec t31 = v_splat(0.0);
            if (!v_all(t30)) {
                const vec t32 = v_splat(1.0) - x;
                const vec t33 = v_pow(t28, t32);
                const vec t34 = x - v_splat(1.0);
                const vec t35 = v_splat(1.0) / t34;
                const vec t36 = v_splat(1.0) / t28;
                const vec t37 = x * t36;
                const vec t38 = x + v_splat(1.0);
                const vec t39 = t38 * t36;
                const vec t40 = x + v_splat(2.0);
                const vec t41 = t40 * t36;
                const vec t42 = t39 * t41;
                const vec t43 = x + v_splat(3.0);
                const vec t44 = t43 * t36;
                const vec t45 = x + v_splat(4.0);
                const vec t46 = t45 * t36;
                const vec t47 = t44 * t46;
                const vec t48 = x + v_splat(5.0);
                const vec t49 = t48 * t36;
                const vec t50 = x + v_splat(6.0);
                const vec t51 = t50 * t36;
                const vec t52 = t49 * t51;
                const vec t53 = x + v_splat(7.0);
                const vec t54 = t53 * t36;
                const vec t55 = t7 * t36;
                const vec t56 = t54 * t55;
                const vec t57 = x + v_splat(9.0);
                const vec t58 = t57 * t36;
                const vec t59 = x + v_splat(10.0);
                const vec t60 = t59 * t36;
                const vec t61 = t58 * t60;
                const vec t62 = x + v_splat(11.0);
                const vec t63 = t62 * t36;
                const vec t64 = x + v_splat(12.0);
                const vec t65 = t64 * t36;
                const vec t66 = t63 * t65;
                const vec t67 = x + v_splat(13.0);
                const vec t68 = t67 * t36;
                const vec t69 = x + v_splat(14.0);
                const vec t70 = t69 * t36;
                const vec t71 = t68 * t70;
                const vec t72 = x + v_splat(15.0);
                const vec t73 = t72 * t36;
                const vec t74 = x + v_splat(16.0);
                const vec t75 = t74 * t36;
                const vec t76 = t73 * t75;
                const vec t77 = x + v_splat(17.0);
                const vec t78 = t77 * t36;
                const vec t79 = x + v_splat(18.0);
                const vec t80 = t79 * t36;
                const vec t81 = t78 * t80;
                const vec t82 = x + v_splat(19.0);
                const vec t83 = t82 * t36;
                const vec t84 = x + v_splat(20.0);
                const vec t85 = t84 * t36;
                const vec t86 = t83 * t85;
                const vec t87 = x + v_splat(21.0);
                const vec t88 = t87 * t36;
                const vec t89 = x + v_splat(22.0);
                const vec t90 = t89 * t36;
                const vec t91 = t88 * t90;
                const vec t92 = t91 * v_splat(-1.3954464685812522e-19);
                const vec t93 = v_splat(5.5090028283602295e-18) + t92;
                const vec t94 = t86 * t93;
                const vec t95 = v_splat(-2.174868698558062e-16) + t94;
                const vec t96 = t81 * t95;
                const vec t97 = v_splat(8.586062056277845e-15) + t96;
                const vec t98 = t76 * t97;
                const vec t99 = v_splat(-3.3896802963225827e-13) + t98;
                const vec t100 = t71 * t99;
                const vec t101 = v_splat(1.3382536530684679e-11) + t100;
                const vec t102 = t66 * t101;
                const vec t103 = v_splat(-5.284190138687493e-10) + t102;
                const vec t104 = t61 * t103;
                const vec t105 = v_splat(2.08767569878681e-08) + t104;
                const vec t106 = t56 * t105;
                const vec t107 = v_splat(-8.267195767195768e-07) + t106;
                const vec t108 = t52 * t107;
                const vec t109 = v_splat(3.306878306878307e-05) + t108;
                const vec t110 = t47 * t109;
                const vec t111 = v_splat(-0.001388888888888889) + t110;
                const vec t112 = t42 * t111;
                const vec t113 = v_splat(0.08333333333333333) + t112;
                const vec t114 = t37 * t113;
                const vec t115 = v_splat(0.5) + t114;
                const vec t116 = t36 * t115;
                const vec t117 = t35 + t116;
                const vec t118 = t33 * t117;
                t31 = v_select(t30, t31, t118);
            }
            const vec t119 = t26 + t31;
            const vec t120 = t24 + t119;
            const vec t121 = t22 + t120;
            const vec t122 = t20 + t121;
            const vec t123 = t18 + t122;
            const vec t124 = t16 + t123;
            const vec t125 = t14 + t124;
            const vec t126 = t12 + t125;
            t9 = v_select(t8, t126, t9);
        }
        if (!v_all(t8)) {
            const vec t127 = t6 + v_splat(8.0);
            const vec t128 = v_select(t8, t127, t6);
            const vec t129 = x * v_splat(0.03333333333333333);
            const mask t130 = v_less(t128, t129);
            vec t131 = v_splat(0.0);
            if (!v_all(t130)) {
                const vec t132 = v_splat(1.0) - x;
                const vec t133 = v_pow(t128, t132);
                const vec t134 = x - v_splat(1.0);
                const vec t135 = v_splat(1.0) / t134;
                const vec t136 = v_splat(1.0) / t128;
                const vec t137 = x * t136;
                const vec t138 = x + v_splat(1.0);
                const vec t139 = t138 * t136;
                const vec t140 = x + v_splat(2.0);
                const vec t141 = t140 * t136;
                const vec t142 = t139 * t141;
                const vec t143 = x + v_splat(3.0);
                const vec t144 = t143 * t136;
                const vec t145 = x + v_splat(4.0);
                const vec t146 = t145 * t136;
                const vec t147 = t144 * t146;
                const vec t148 = x + v_splat(5.0);
                const vec t149 = t148 * t136;
                const vec t150 = x + v_splat(6.0);
                const vec t151 = t150 * t136;
                const vec t152 = t149 * t151;
                const vec t153 = x + v_splat(7.0);
                const vec t154 = t153 * t136;
                const vec t155 = t7 * t136;
                const vec t156 = t154 * t155;
                const vec t157 = x + v_splat(9.0);
                const vec t158 = t157 * t136;
                const vec t159 = x + v_splat(10.0);
                const vec t160 = t159 * t136;
                const vec t161 = t158 * t160;
                const vec t162 = x + v_splat(11.0);
                const vec t163 = t162 * t136;
                const vec t164 = x + v_splat(12.0);
                const vec t165 = t164 * t136;
                const vec t166 = t163 * t165;
                const vec t167 = x + v_splat(13.0);
                const vec t168 = t167 * t136;
                const vec t169 = x + v_splat(14.0);
                const vec t170 = t169 * t136;
                const vec t171 = t168 * t170;
                const vec t172 = x + v_splat(15.0);
                const vec t173 = t172 * t136;
                const vec t174 = x + v_splat(16.0);
                const vec t175 = t174 * t136;
                const vec t176 = t173 * t175;
                const vec t177 = x + v_splat(17.0);
                const vec t178 = t177 * t136;
                const vec t179 = x + v_splat(18.0);
                const vec t180 = t179 * t136;
                const vec t181 = t178 * t180;
                const vec t182 = x + v_splat(19.0);
                const vec t183 = t182 * t136;
                const vec t184 = x + v_splat(20.0);
                const vec t185 = t184 * t136;
                const vec t186 = t183 * t185;
                const vec t187 = x + v_splat(21.0);
                const vec t188 = t187 * t136;
                const vec t189 = x + v_splat(22.0);
                const vec t190 = t189 * t136;
                const vec t191 = t188 * t190;
                const vec t192 = t191 * v_splat(-1.3954464685812522e-19);
                const vec t193 = v_splat(5.5090028283602295e-18) + t192;
                const vec t194 = t186 * t193;
                const vec t195 = v_splat(-2.174868698558062e-16) + t194;
                const vec t196 = t181 * t195;
                const vec t197 = v_splat(8.586062056277845e-15) + t196;
                const vec t198 = t176 * t197;
                const vec t199 = v_splat(-3.3896802963225827e-13) + t198;
                const vec t200 = t171 * t199;
                const vec t201 = v_splat(1.3382536530684679e-11) + t200;
                const vec t202 = t166 * t201;
                const vec t203 = v_splat(-5.284190138687493e-10) + t202;
                const vec t204 = t161 * t203;
                const vec t205 = v_splat(2.08767569878681e-08) + t204;
                const vec t206 = t156 * t205;
                const vec t207 = v_splat(-8.267195767195768e-07) + t206;
                const vec t208 = t152 * t207;
                const vec t209 = v_splat(3.306878306878307e-05) + t208;
                const vec t210 = t147 * t209;
                const vec t211 = v_splat(-0.001388888888888889) + t210;
                const vec t212 = t142 * t211;
                const vec t213 = v_splat(0.08333333333333333) + t212;
                const vec t214 = t137 * t213;
                const vec t215 = v_splat(0.5) + t214;
                const vec t216 = t136 * t215;
                const vec t217 = t135 + t216;
                const vec t218 = t133 * t217;
                t131 = v_select(t130, t131, t218);
            }
            t9 = v_select(t8, t9, t131);
        }
        t5 = v_select(t4, t5, t9);
    }
    return t5;
}

static inline vec v_op_zeta_d1(vec x, vec y) {
    const mask t1 = v_less(x, v_splat(1.0));
    vec t2 = v_splat(NAN);
    if (!v_all(t1)) {
        const vec t3 = -x;
        const vec t4 = x + v_splat(1.0);
        const vec t5 = v_op_zeta(t4, y);
        const vec t6 = t3 * t5;
        t2 = v_select(t1, t2, t6);
    }
    return t2;
}

static inline vec v_op_normal_pdf(vec x) {
    const vec t1 = x * x;
    const mask t2 = v_less(v_splat(1600.0), t1);
    vec t3 = v_splat(0.0);
    if (!v_all(t2)) {
        const vec t4 = v_splat(134217729.0) * x;
        const vec t5 = t4 - x;
        const vec t6 = t4 - t5;
        const vec t7 = v_splat(0.5) * t6;
        const vec t8 = t7 * t6;
        const mask t9 = v_less(v_splat(700.0), t8);
        const vec t10 = v_splat(-0.5) * t8;
        const vec t11 = -t8;
        const vec t12 = v_exp(v_select(t9, t10, t11));
        const vec t13 = v_splat(0.3989422804014327) * t12;
        const vec t14 = x - t6;
        const vec t15 = v_splat(-0.5) * t14;
        const vec t16 = x + t6;
        const vec t17 = t15 * t16;
        const vec t18 = t17 * v_splat(0.16666666666666666);
        const vec t19 = v_splat(0.5) + t18;
        const vec t20 = t17 * t19;
        const vec t21 = v_splat(1.0) + t20;
        const vec t22 = t17 * t21;
        const vec t23 = t22 + v_splat(0.0);
        const vec t24 = t12 * t23;
        const vec t25 = t12 + t24;
        const vec t26 = t13 * t25;
        const vec t27 = v_splat(0.3989422804014327) * t25;
        const vec t28 = v_select(t9, t26, t27);
        t3 = v_select(t2, t3, t28);
    }
    return t3;
}

static inline vec v_op_normal_pdf_d0(vec x) {
    const vec t1 = x * x;
    const mask t2 = v_less(v_splat(1600.0), t1);
    vec t3 = v_splat(0.0);
    if (!v_all(t2)) {
        const vec t4 = v_splat(134217729.0) * x;
        const vec t5 = t4 - x;
        const vec t6 = t4 - t5;
        const vec t7 = v_splat(0.5) * t6;
        const vec t8 = t7 * t6;
        const mask t9 = v_less(v_splat(700.0), t8);
        const vec t10 = v_splat(-0.5) * t8;
        const vec t11 = -t8;
        const vec t12 = v_exp(v_select(t9, t10, t11));
        const vec t13 = v_splat(-0.3989422804014327) * x;
        const vec t14 = t13 * t12;
        const vec t15 = x - t6;
        const vec t16 = v_splat(-0.5) * t15;
        const vec t17 = x + t6;
        const vec t18 = t16 * t17;
        const vec t19 = t18 * v_splat(0.16666666666666666);
        const vec t20 = v_splat(0.5) + t19;
        const vec t21 = t18 * t20;
        const vec t22 = v_splat(1.0) + t21;
        const vec t23 = t18 * t22;
        const vec t24 = t23 + v_splat(0.0);
        const vec t25 = t12 * t24;
        const vec t26 = t12 + t25;
        const vec t27 = t14 * t26;
        const vec t28 = t13 * t26;
        const vec t29 = v_select(t9, t27, t28);
        t3 = v_select(t2, t3, t29);
    }
    return t3;
}

static inline vec v_op_normal_cdf(vec x) {
    const mask t1 = v_less(x, v_splat(-0.91));
    vec t2 = v_splat(0.0);
    if (v_any(t1)) {
        const mask t3 = v_less(x, v_splat(-40.0));
        vec t4 = v_splat(0.0);
        if (!v_all(t3)) {
            const vec t5 = -x;
            const vec t6 = t5 * t5;
            const mask t7 = v_less(v_splat(1600.0), t6);
            vec t8 = v_splat(0.0);
            if (!v_all(t7)) {
                const vec t9 = v_splat(134217729.0) * t5;
                const vec t10 = t9 - t5;
                const vec t11 = t9 - t10;
                const vec t12 = v_splat(0.5) * t11;
                const vec t13 = t12 * t11;
                const mask t14 = v_less(v_splat(700.0), t13);
                const vec t15 = t5 - v_splat(2.5);
                const vec t16 = t5 + v_splat(2.5);
                const vec t17 = t15 / t16;
                const vec t18 = v_splat(-3.781977220946943e-08) * t17;
                const vec t19 = t18 + v_splat(4.642175737039127e-07);
                const vec t20 = t19 * t17;
                const vec t21 = t20 + v_splat(-1.0887306719833636e-06);
                const vec t22 = t21 * t17;
                const vec t23 = t22 + v_splat(5.222203352569594e-08);
                const vec t24 = t23 * t17;
                const vec t25 = t24 + v_splat(1.2799883631680893e-06);
                const vec t26 = t25 * t17;
                const vec t27 = t26 + v_splat(5.952843746139928e-07);
                const vec t28 = t27 * t17;
                const vec t29 = t28 + v_splat(4.0156195214973863e-07);
                const vec t30 = t29 * t17;
                const vec t31 = t30 + v_splat(-1.9370786659147376e-06);
                const vec t32 = t31 * t17;
                const vec t33 = t32 + v_splat(-6.452093869750818e-06);
                const vec t34 = t33 * t17;
                const vec t35 = t34 + v_splat(-4.76865240222145e-06);
                const vec t36 = t35 * t17;
                const vec t37 = t36 + v_splat(1.4319316112632404e-05);
                const vec t38 = t37 * t17;
                const vec t39 = t38 + v_splat(4.2958184365097303e-05);
                const vec t40 = t39 * t17;
                const vec t41 = t40 + v_splat(1.908768067646918e-05);
                const vec t42 = t41 * t17;
                const vec t43 = t42 + v_splat(-0.00014039187243244702);
                const vec t44 = t43 * t17;
                const vec t45 = t44 + v_splat(-0.00029338317028938164);
                const vec t46 = t45 * t17;
                const vec t47 = t46 + v_splat(0.000217489184138791);
                const vec t48 = t47 * t17;
                const vec t49 = t48 + v_splat(0.0016486801344341574);
                const vec t50 = t49 * t17;
                const vec t51 = t50 + v_splat(0.0004565742670093648);
                const vec t52 = t51 * t17;
                const vec t53 = t52 + v_splat(-0.009007517699530638);
                const vec t54 = t53 * t17;
                const vec t55 = t54 + v_splat(-0.0035754253874364537);
                const vec t56 = t55 * t17;
                const vec t57 = t56 + v_splat(0.0706132265594008);
                const vec t58 = t57 * t17;
                const vec t59 = t58 + v_splat(-0.15085243167224832);
                const vec t60 = t59 * t17;
                const vec t61 = t60 + v_splat(0.13648225752794654);
                const vec t62 = t61 * t17;
                const vec t63 = t62 + v_splat(0.3533283284514383);
                const vec t64 = t63 / t5;
                const vec t65 = v_splat(134217729.0) * t64;
                const vec t66 = t65 - t64;
                const vec t67 = t65 - t66;
                const vec t68 = t67 * t11;
                const vec t69 = t63 - t68;
                const vec t70 = t5 - t11;
                const vec t71 = t67 * t70;
                const vec t72 = t69 - t71;
                const vec t73 = t64 - t67;
                const vec t74 = t73 * t5;
                const vec t75 = t72 - t74;
                const vec t76 = t75 / t63;
                const vec t77 = v_splat(-0.5) * t13;
                const vec t78 = -t13;
                const vec t79 = v_exp(v_select(t14, t77, t78));
                const vec t80 = t64 * t79;
                const vec t81 = v_splat(-0.5) * t70;
                const vec t82 = t5 + t11;
                const vec t83 = t81 * t82;
                const vec t84 = t83 * v_splat(0.16666666666666666);
                const vec t85 = v_splat(0.5) + t84;
                const vec t86 = t83 * t85;
                const vec t87 = v_splat(1.0) + t86;
                const vec t88 = t83 * t87;
                const vec t89 = t88 + t76;
                const vec t90 = t79 * t89;
                const vec t91 = t79 + t90;
                const vec t92 = t80 * t91;
                const vec t93 = t64 * t91;
                const vec t94 = v_select(t14, t92, t93);
                t8 = v_select(t7, t8, t94);
            }
            t4 = v_select(t3, t4, t8);
        }
        t2 = v_select(t1, t4, t2);
    }
    if (!v_all(t1)) {
        const vec t95 = x * v_splat(0.7071067811865476);
        const vec t96 = v_erf(t95);
        const vec t97 = v_splat(1.0) + t96;
        const vec t98 = v_splat(0.5) * t97;
        t2 = v_select(t1, t2, t98);
    }
    return t2;
}

static inline vec v_op_normal_cdf_d0(vec x) {
    const vec t1 = x * x;
    const mask t2 = v_less(v_splat(1600.0), t1);
    vec t3 = v_splat(0.0);
    if (!v_all(t2)) {
        const vec t4 = v_splat(134217729.0) * x;
        const vec t5 = t4 - x;
        const vec t6 = t4 - t5;
        const vec t7 = v_splat(0.5) * t6;
        const vec t8 = t7 * t6;
        const mask t9 = v_less(v_splat(700.0), t8);
        const vec t10 = v_splat(-0.5) * t8;
        const vec t11 = -t8;
        const vec t12 = v_exp(v_select(t9, t10, t11));
        const vec t13 = v_splat(0.3989422804014327) * t12;
        const vec t14 = x - t6;
        const vec t15 = v_splat(-0.5) * t14;
        const vec t16 = x + t6;
        const vec t17 = t15 * t16;
        const vec t18 = t17 * v_splat(0.16666666666666666);
        const vec t19 = v_splat(0.5) + t18;
        const vec t20 = t17 * t19;
        const vec t21 = v_splat(1.0) + t20;
        const vec t22 = t17 * t21;
        const vec t23 = t22 + v_splat(0.0);
        const vec t24 = t12 * t23;
        const vec t25 = t12 + t24;
        const vec t26 = t13 * t25;
        const vec t27 = v_splat(0.3989422804014327) * t25;
        const vec t28 = v_select(t9, t26, t27);
        t3 = v_select(t2, t3, t28);
    }
    return t3;
}

static inline vec v_op_log_normal_cdf(vec x) {
    const mask t1 = v_less(x, v_splat(-0.91));
    vec t2 = v_splat(0.0);
    if (v_any(t1)) {
        const vec t3 = -x;
        const mask t4 = v_less(t3, v_splat(40.0));
        const vec t5 = t3 - v_splat(2.5);
        const vec t6 = t3 + v_splat(2.5);
        const vec t7 = v_select(t4, t5, v_splat(1.0)) / v_select(t4, t6, t3);
        const vec t8 = v_splat(-3.781977220946943e-08) * t7;
        const vec t9 = t8 + v_splat(4.642175737039127e-07);
        const vec t10 = t9 * t7;
        const vec t11 = t10 + v_splat(-1.0887306719833636e-06);
        const vec t12 = t11 * t7;
        const vec t13 = t12 + v_splat(5.222203352569594e-08);
        const vec t14 = t13 * t7;
        const vec t15 = t14 + v_splat(1.2799883631680893e-06);
        const vec t16 = t15 * t7;
        const vec t17 = t16 + v_splat(5.952843746139928e-07);
        const vec t18 = t17 * t7;
        const vec t19 = t18 + v_splat(4.0156195214973863e-07);
        const vec t20 = t19 * t7;
        const vec t21 = t20 + v_splat(-1.9370786659147376e-06);
        const vec t22 = t21 * t7;
        const vec t23 = t22 + v_splat(-6.452093869750818e-06);
        const vec t24 = t23 * t7;
        const vec t25 = t24 + v_splat(-4.76865240222145e-06);
        const vec t26 = t25 * t7;
        const vec t27 = t26 + v_splat(1.4319316112632404e-05);
        const vec t28 = t27 * t7;
        const vec t29 = t28 + v_splat(4.2958184365097303e-05);
        const vec t30 = t29 * t7;
        const vec t31 = t30 + v_splat(1.908768067646918e-05);
        const vec t32 = t31 * t7;
        const vec t33 = t32 + v_splat(-0.00014039187243244702);
        const vec t34 = t33 * t7;
        const vec t35 = t34 + v_splat(-0.00029338317028938164);
        const vec t36 = t35 * t7;
        const vec t37 = t36 + v_splat(0.000217489184138791);
        const vec t38 = t37 * t7;
        const vec t39 = t38 + v_splat(0.0016486801344341574);
        const vec t40 = t39 * t7;
        const vec t41 = t40 + v_splat(0.0004565742670093648);
        const vec t42 = t41 * t7;
        const vec t43 = t42 + v_splat(-0.009007517699530638);
        const vec t44 = t43 * t7;
        const vec t45 = t44 + v_splat(-0.0035754253874364537);
        const vec t46 = t45 * t7;
        const vec t47 = t46 + v_splat(0.0706132265594008);
        const vec t48 = t47 * t7;
        const vec t49 = t48 + v_splat(-0.15085243167224832);
        const vec t50 = t49 * t7;
        const vec t51 = t50 + v_splat(0.13648225752794654);
        const vec t52 = t51 * t7;
        const vec t53 = t52 + v_splat(0.3533283284514383);
        const vec t54 = v_splat(2.5066282746310002) * t53;
        const vec t55 = t7 * t7;
        const vec t56 = v_splat(1.0) * t55;
        const vec t57 = v_splat(3.0) * t55;
        const vec t58 = v_splat(5.0) * t55;
        const vec t59 = v_splat(7.0) * t55;
        const vec t60 = v_splat(9.0) * t55;
        const vec t61 = v_splat(11.0) * t55;
        const vec t62 = t61 * v_splat(1.0);
        const vec t63 = v_splat(1.0) - t62;
        const vec t64 = t60 * t63;
        const vec t65 = v_splat(1.0) - t64;
        const vec t66 = t59 * t65;
        const vec t67 = v_splat(1.0) - t66;
        const vec t68 = t58 * t67;
        const vec t69 = v_splat(1.0) - t68;
        const vec t70 = t57 * t69;
        const vec t71 = v_splat(1.0) - t70;
        const vec t72 = t56 * t71;
        const vec t73 = v_splat(1.0) - t72;
        const vec t74 = v_select(t4, t54, t73);
        const vec t75 = t74 / t3;
        const vec t76 = v_log(t75);
        const vec t77 = t76 - v_splat(0.9189385332046728);
        const vec t78 = v_splat(0.5) * x;
        const vec t79 = t78 * x;
        const vec t80 = t77 - t79;
        t2 = v_select(t1, t80, t2);
    }
    if (!v_all(t1)) {
        const mask t81 = v_less(x, v_splat(0.0));
        const vec t82 = -x;
        const vec t83 = v_op_normal_cdf(v_select(t81, x, t82));
        vec t84 = v_splat(0.0);
        if (v_any(t81)) {
            const vec t85 = v_log(t83);
            t84 = v_select(t81, t85, t84);
        }
        if (!v_all(t81)) {
            const vec t86 = -t83;
            const vec t87 = v_log1p(t86);
            t84 = v_select(t81, t84, t87);
        }
        t2 = v_select(t1, t2, t84);
    }
    return t2;
}

static inline vec v_op_log_normal_cdf_d0(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const mask t2 = v_less(x, v_splat(-0.91));
    const vec t3 = -x;
    const mask t4 = v_less(t3, v_splat(40.0));
    const vec t5 = t3 - v_splat(2.5);
    const vec t6 = t3 + v_splat(2.5);
    const vec t7 = v_select(t4, t5, v_splat(1.0)) / v_select(t4, t6, t3);
    const vec t8 = v_splat(-3.781977220946943e-08) * t7;
    const vec t9 = t8 + v_splat(4.642175737039127e-07);
    const vec t10 = t9 * t7;
    const vec t11 = t10 + v_splat(-1.0887306719833636e-06);
    const vec t12 = t11 * t7;
    const vec t13 = t12 + v_splat(5.222203352569594e-08);
    const vec t14 = t13 * t7;
    const vec t15 = t14 + v_splat(1.2799883631680893e-06);
    const vec t16 = t15 * t7;
    const vec t17 = t16 + v_splat(5.952843746139928e-07);
    const vec t18 = t17 * t7;
    const vec t19 = t18 + v_splat(4.0156195214973863e-07);
    const vec t20 = t19 * t7;
    const vec t21 = t20 + v_splat(-1.9370786659147376e-06);
    const vec t22 = t21 * t7;
    const vec t23 = t22 + v_splat(-6.452093869750818e-06);
    const vec t24 = t23 * t7;
    const vec t25 = t24 + v_splat(-4.76865240222145e-06);
    const vec t26 = t25 * t7;
    const vec t27 = t26 + v_splat(1.4319316112632404e-05);
    const vec t28 = t27 * t7;
    const vec t29 = t28 + v_splat(4.2958184365097303e-05);
    const vec t30 = t29 * t7;
    const vec t31 = t30 + v_splat(1.908768067646918e-05);
    const vec t32 = t31 * t7;
    const vec t33 = t32 + v_splat(-0.00014039187243244702);
    const vec t34 = t33 * t7;
    const vec t35 = t34 + v_splat(-0.00029338317028938164);
    const vec t36 = t35 * t7;
    const vec t37 = t36 + v_splat(0.000217489184138791);
    const vec t38 = t37 * t7;
    const vec t39 = t38 + v_splat(0.0016486801344341574);
    const vec t40 = t39 * t7;
    const vec t41 = t40 + v_splat(0.0004565742670093648);
    const vec t42 = t41 * t7;
    const vec t43 = t42 + v_splat(-0.009007517699530638);
    const vec t44 = t43 * t7;
    const vec t45 = t44 + v_splat(-0.0035754253874364537);
    const vec t46 = t45 * t7;
    const vec t47 = t46 + v_splat(0.0706132265594008);
    const vec t48 = t47 * t7;
    const vec t49 = t48 + v_splat(-0.15085243167224832);
    const vec t50 = t49 * t7;
    const vec t51 = t50 + v_splat(0.13648225752794654);
    const vec t52 = t51 * t7;
    const vec t53 = t52 + v_splat(0.3533283284514383);
    const vec t54 = v_splat(2.5066282746310002) * t53;
    const vec t55 = t7 * t7;
    const vec t56 = v_splat(1.0) * t55;
    const vec t57 = v_splat(3.0) * t55;
    const vec t58 = v_splat(5.0) * t55;
    const vec t59 = v_splat(7.0) * t55;
    const vec t60 = v_splat(9.0) * t55;
    const vec t61 = v_splat(11.0) * t55;
    const vec t62 = t61 * v_splat(1.0);
    const vec t63 = v_splat(1.0) - t62;
    const vec t64 = t60 * t63;
    const vec t65 = v_splat(1.0) - t64;
    const vec t66 = t59 * t65;
    const vec t67 = v_splat(1.0) - t66;
    const vec t68 = t58 * t67;
    const vec t69 = v_splat(1.0) - t68;
    const vec t70 = t57 * t69;
    const vec t71 = v_splat(1.0) - t70;
    const vec t72 = t56 * t71;
    const vec t73 = v_splat(1.0) - t72;
    const vec t74 = v_select(t4, t54, t73);
    const vec t75 = x + v_splat(0.46);
    const vec t76 = v_splat(3.70500422395657e-07) * t75;
    const vec t77 = t76 + v_splat(1.5046273884716127e-06);
    const vec t78 = t77 * t75;
    const vec t79 = t78 + v_splat(5.617952618042915e-06);
    const vec t80 = t79 * t75;
    const vec t81 = t80 + v_splat(2.1227279250434854e-05);
    const vec t82 = t81 * t75;
    const vec t83 = t82 + v_splat(7.725246962203065e-05);
    const vec t84 = t83 * t75;
    const vec t85 = t84 + v_splat(0.00026928239912239613);
    const vec t86 = t85 * t75;
    const vec t87 = t86 + v_splat(0.0008963845642750712);
    const vec t88 = t87 * t75;
    const vec t89 = t88 + v_splat(0.0028358459520623257);
    const vec t90 = t89 * t75;
    const vec t91 = t90 + v_splat(0.008475566375400659);
    const vec t92 = t91 * t75;
    const vec t93 = t92 + v_splat(0.023749684386373305);
    const vec t94 = t93 * t75;
    const vec t95 = t94 + v_splat(0.061778253044454744);
    const vec t96 = t95 * t75;
    const vec t97 = t96 + v_splat(0.14716641826288893);
    const vec t98 = t97 * t75;
    const vec t99 = t98 + v_splat(0.3148095645791247);
    const vec t100 = t99 * t75;
    const vec t101 = t100 + v_splat(0.5863116544958794);
    const vec t102 = t101 * t75;
    const vec t103 = t102 + v_splat(0.8993224902263525);
    const vec t104 = v_select(t2, x, v_splat(1.0)) / v_select(t2, t74, t103);
    const vec t105 = -t104;
    const vec t106 = v_select(t2, t105, t104);
    vec t107 = t106;
    if (!v_all(t1)) {
        const vec t108 = v_op_normal_pdf(x);
        const vec t109 = v_op_normal_cdf(x);
        const vec t110 = t108 / t109;
        t107 = v_select(t1, t107, t110);
    }
    return t107;
}

static inline vec v_op_sigmoid(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const vec t2 = -x;
    const vec t3 = v_exp(v_select(t1, x, t2));
    const vec t4 = v_splat(1.0) + t3;
    const vec t5 = v_select(t1, t3, v_splat(1.0)) / t4;
    return t5;
}

static inline vec v_op_sigmoid_d0(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const vec t2 = -x;
    const vec t3 = v_select(t1, x, t2);
    const vec t4 = v_exp(t3);
    const vec t5 = v_splat(2.0) + t4;
    const vec t6 = t4 * t5;
    const vec t7 = v_splat(1.0) + t6;
    const vec t8 = t4 / t7;
    return t8;
}

static inline vec v_op_logit(vec x) {
    const mask t1 = v_less(v_splat(0.25), x);
    const mask t2 = v_less(x, v_splat(0.75));
    const mask t3 = v_and(t1, t2);
    const vec t4 = x - v_splat(0.5);
    const vec t5 = v_splat(2.0) * t4;
    const vec t6 = v_splat(1.0) - x;
    const vec t7 = v_select(t3, t5, x) / t6;
    vec t8 = v_splat(0.0);
    if (v_any(t3)) {
        const vec t9 = v_log1p(t7);
        t8 = v_select(t3, t9, t8);
    }
    if (!v_all(t3)) {
        const vec t10 = v_log(t7);
        t8 = v_select(t3, t8, t10);
    }
    return t8;
}

static inline vec v_op_logit_d0(vec x) {
    const vec t1 = v_splat(1.0) - x;
    const vec t2 = x * t1;
    const mask t3 = v_less(t2, v_splat(0.0));
    const vec t4 = v_splat(1.0) / x;
    const vec t5 = v_splat(1.0) / t1;
    const vec t6 = t4 + t5;
    const vec t7 = v_select(t3, v_splat(NAN), t6);
    return t7;
}

static inline vec v_op_softplus(vec x) {
    const mask t1 = v_less(v_splat(0.0), x);
    const vec t2 = -x;
    const vec t3 = v_exp(v_select(t1, t2, x));
    const vec t4 = v_log1p(t3);
    const vec t5 = x + t4;
    const vec t6 = v_select(t1, t5, t4);
    return t6;
}

static inline vec v_op_softplus_d0(vec x) {
    const vec t1 = v_op_sigmoid(x);
    return t1;
}

static inline vec v_op_log_sigmoid(vec x) {
    const vec t1 = -x;
    const vec t2 = v_op_softplus(t1);
    const vec t3 = -t2;
    return t3;
}

static inline vec v_op_log_sigmoid_d0(vec x) {
    const vec t1 = -x;
    const vec t2 = v_op_sigmoid(t1);
    return t2;
}

static inline vec v_op_relu(vec x) {
    const mask t1 = v_less(x, v_splat(0.0));
    const vec t2 = v_select(t1, v_splat(0.0), x);
    return t2;
}

static inline vec v_op_relu_d0(vec x) {
    const mask t1 = v_less_equal(x, v_splat(0.0));
    const vec t2 = v_select(t1, v_splat(0.0), v_splat(1.0));
    return t2;
}

static inline vec v_op_leaky_relu(vec x, vec y) {
    const mask t1 = v_less(v_splat(0.0), x);
    const vec t2 = y * x;
    const vec t3 = v_select(t1, x, t2);
    return t3;
}

static inline vec v_op_leaky_relu_d0(vec x, vec y) {
    const mask t1 = v_less(v_splat(0.0), x);
    const vec t2 = v_select(t1, v_splat(1.0), y);
    return t2;
}

static inline vec v_op_leaky_relu_d1(vec x) {
    const mask t1 = v_less(v_splat(0.0), x);
    const vec t2 = v_select(t1, v_splat(0.0), x);
    return t2;
}

static inline vec v_op_elu(vec x, vec y) {
    const mask t1 = v_less(v_splat(0.0), x);
    vec t2 = x;
    if (!v_all(t1)) {
        const vec t3 = v_expm1(x);
        const vec t4 = y * t3;
        t2 = v_select(t1, t2, t4);
    }
    return t2;
}

static inline vec v_op_elu_d0(vec x, vec y) {
    const mask t1 = v_less(v_splat(0.0), x);
    vec t2 = v_splat(1.0);
    if (!v_all(t1)) {
        const mask t3 = v_less(x, v_splat(-700.0));
        const vec t4 = v_splat(0.5) * x;
        const vec t5 = v_exp(v_select(t3, t4, x));
        const vec t6 = y * t5;
        const vec t7 = t6 * t5;
        const vec t8 = v_select(t3, t7, t6);
        t2 = v_select(t1, t2, t8);
    }
    return t2;
}

static inline vec v_op_elu_d1(vec x) {
    const mask t1 = v_less(v_splat(0.0), x);
    vec t2 = v_splat(0.0);
    if (!v_all(t1)) {
        const vec t3 = v_expm1(x);
        t2 = v_select(t1, t2, t3);
    }
    return t2;
}

static inline vec v_op_silu(vec x) {
    const mask t1 = v_less(x, v_splat(-700.0));
    vec t2 = v_splat(0.0);
    if (v_any(t1)) {
        const mask t3 = v_less(x, v_splat(-800.0));
        vec t4 = v_splat(-0.0);
        if (!v_all(t3)) {
            const vec t5 = v_splat(0.5) * x;
            const vec t6 = v_exp(v_select(t1, t5, x));
            const vec t7 = x * t6;
            const vec t8 = t7 * t6;
            const vec t9 = v_select(t1, t8, t7);
            t4 = v_select(t3, t4, t9);
        }
        t2 = v_select(t1, t4, t2);
    }
    if (!v_all(t1)) {
        const vec t10 = v_op_sigmoid(x);
        const vec t11 = x * t10;
        t2 = v_select(t1, t2, t11);
    }
    return t2;
}

static inline vec v_op_silu_d0(vec x, vec out) {
    const mask t1 = v_less(x, v_splat(0.0));
    vec t2 = v_splat(0.0);
    if (v_any(t1)) {
        const mask t3 = v_less(x, v_splat(-800.0));
        vec t4 = v_splat(0.0);
        if (!v_all(t3)) {
            const mask t5 = v_less(x, v_splat(-700.0));
            const vec t6 = v_exp(x);
            const vec t7 = v_splat(1.0) + t6;
            const vec t8 = x + t7;
            const vec t9 = v_splat(2.0) + t6;
            const vec t10 = t6 * t9;
            const vec t11 = v_splat(1.0) + t10;
            const vec t12 = t8 / t11;
            const vec t13 = t12 * t6;
            vec t14 = t13;
            if (v_any(t5)) {
                const vec t15 = v_splat(0.5) * x;
                const vec t16 = v_exp(t15);
                const vec t17 = t12 * t16;
                const vec t18 = t17 * t16;
                t14 = v_select(t5, t18, t14);
            }
            t4 = v_select(t3, t4, t14);
        }
        t2 = v_select(t1, t4, t2);
    }
    if (!v_all(t1)) {
        const mask t19 = v_less(v_splat(800.0), x);
        vec t20 = v_splat(1.0);
        if (!v_all(t19)) {
            const vec t21 = v_op_sigmoid(x);
            const vec t22 = -x;
            const vec t23 = v_op_sigmoid(t22);
            const vec t24 = out * t23;
            const vec t25 = t21 + t24;
            t20 = v_select(t19, t20, t25);
        }
        t2 = v_select(t1, t2, t20);
    }
    return t2;
}

static inline vec v_op_gelu(vec x) {
    const mask t1 = v_less(x, v_splat(-0.91));
    vec t2 = v_splat(0.0);
    if (v_any(t1)) {
        const mask t3 = v_less(x, v_splat(-40.0));
        vec t4 = v_splat(-0.0);
        if (!v_all(t3)) {
            const vec t5 = x * x;
            const mask t6 = v_less(v_splat(1600.0), t5);
            vec t7 = v_splat(0.0);
            if (!v_all(t6)) {
                const vec t8 = v_splat(134217729.0) * x;
                const vec t9 = t8 - x;
                const vec t10 = t8 - t9;
                const vec t11 = v_splat(0.5) * t10;
                const vec t12 = t11 * t10;
                const mask t13 = v_less(v_splat(700.0), t12);
                const vec t14 = -x;
                const vec t15 = t14 - v_splat(2.5);
                const vec t16 = t14 + v_splat(2.5);
                const vec t17 = t15 / t16;
                const vec t18 = v_splat(-0.5) * t12;
                const vec t19 = -t12;
                const vec t20 = v_exp(v_select(t13, t18, t19));
                const vec t21 = v_splat(-3.781977220946943e-08) * t17;
                const vec t22 = t21 + v_splat(4.642175737039127e-07);
                const vec t23 = t22 * t17;
                const vec t24 = t23 + v_splat(-1.0887306719833636e-06);
                const vec t25 = t24 * t17;
                const vec t26 = t25 + v_splat(5.222203352569594e-08);
                const vec t27 = t26 * t17;
                const vec t28 = t27 + v_splat(1.2799883631680893e-06);
                const vec t29 = t28 * t17;
                const vec t30 = t29 + v_splat(5.952843746139928e-07);
                const vec t31 = t30 * t17;
                const vec t32 = t31 + v_splat(4.0156195214973863e-07);
                const vec t33 = t32 * t17;
                const vec t34 = t33 + v_splat(-1.9370786659147376e-06);
                const vec t35 = t34 * t17;
                const vec t36 = t35 + v_splat(-6.452093869750818e-06);
                const vec t37 = t36 * t17;
                const vec t38 = t37 + v_splat(-4.76865240222145e-06);
                const vec t39 = t38 * t17;
                const vec t40 = t39 + v_splat(1.4319316112632404e-05);
                const vec t41 = t40 * t17;
                const vec t42 = t41 + v_splat(4.2958184365097303e-05);
                const vec t43 = t42 * t17;
                const vec t44 = t43 + v_splat(1.908768067646918e-05);
                const vec t45 = t44 * t17;
                const vec t46 = t45 + v_splat(-0.00014039187243244702);
                const vec t47 = t46 * t17;
                const vec t48 = t47 + v_splat(-0.00029338317028938164);
                const vec t49 = t48 * t17;
                const vec t50 = t49 + v_splat(0.000217489184138791);
                const vec t51 = t50 * t17;
                const vec t52 = t51 + v_splat(0.0016486801344341574);
                const vec t53 = t52 * t17;
                const vec t54 = t53 + v_splat(0.0004565742670093648);
                const vec t55 = t54 * t17;
                const vec t56 = t55 + v_splat(-0.009007517699530638);
                const vec t57 = t56 * t17;
                const vec t58 = t57 + v_splat(-0.0035754253874364537);
                const vec t59 = t58 * t17;
                const vec t60 = t59 + v_splat(0.0706132265594008);
                const vec t61 = t60 * t17;
                const vec t62 = t61 + v_splat(-0.15085243167224832);
                const vec t63 = t62 * t17;
                const vec t64 = t63 + v_splat(0.13648225752794654);
                const vec t65 = t64 * t17;
                const vec t66 = t65 + v_splat(0.3533283284514383);
                const vec t67 = -t66;
                const vec t68 = t67 * t20;
                const vec t69 = x - t10;
                const vec t70 = v_splat(-0.5) * t69;
                const vec t71 = x + t10;
                const vec t72 = t70 * t71;
                const vec t73 = t72 * v_splat(0.16666666666666666);
                const vec t74 = v_splat(0.5) + t73;
                const vec t75 = t72 * t74;
                const vec t76 = v_splat(1.0) + t75;
                const vec t77 = t72 * t76;
                const vec t78 = t77 + v_splat(0.0);
                const vec t79 = t20 * t78;
                const vec t80 = t20 + t79;
                const vec t81 = t68 * t80;
                const vec t82 = t67 * t80;
                const vec t83 = v_select(t13, t81, t82);
                t7 = v_select(t6, t7, t83);
            }
            t4 = v_select(t3, t4, t7);
        }
        t2 = v_select(t1, t4, t2);
    }
    if (!v_all(t1)) {
        const vec t84 = v_splat(0.5) * x;
        const vec t85 = x * v_splat(0.7071067811865476);
        const vec t86 = v_erf(t85);
        const vec t87 = v_splat(1.0) + t86;
        const vec t88 = t84 * t87;
        t2 = v_select(t1, t2, t88);
    }
    return t2;
}

static inline vec v_op_gelu_d0(vec x) {
    const mask t1 = v_less(x, v_splat(-0.91));
    vec t2 = v_splat(0.0);
    if (v_any(t1)) {
        const vec t3 = x * x;
        const mask t4 = v_less(v_splat(1600.0), t3);
        vec t5 = v_splat(0.0);
        if (!v_all(t4)) {
            const vec t6 = v_splat(134217729.0) * x;
            const vec t7 = t6 - x;
            const vec t8 = t6 - t7;
            const vec t9 = v_splat(0.5) * t8;
            const vec t10 = t9 * t8;
            const mask t11 = v_less(v_splat(700.0), t10);
            const vec t12 = -x;
            const vec t13 = t12 - v_splat(2.5);
            const vec t14 = t12 + v_splat(2.5);
            const vec t15 = t13 / t14;
            const vec t16 = v_splat(-3.781977220946943e-08) * t15;
            const vec t17 = t16 + v_splat(4.642175737039127e-07);
            const vec t18 = t17 * t15;
            const vec t19 = t18 + v_splat(-1.0887306719833636e-06);
            const vec t20 = t19 * t15;
            const vec t21 = t20 + v_splat(5.222203352569594e-08);
            const vec t22 = t21 * t15;
            const vec t23 = t22 + v_splat(1.2799883631680893e-06);
            const vec t24 = t23 * t15;
            const vec t25 = t24 + v_splat(5.952843746139928e-07);
            const vec t26 = t25 * t15;
            const vec t27 = t26 + v_splat(4.0156195214973863e-07);
            const vec t28 = t27 * t15;
            const vec t29 = t28 + v_splat(-1.9370786659147376e-06);
            const vec t30 = t29 * t15;
            const vec t31 = t30 + v_splat(-6.452093869750818e-06);
            const vec t32 = t31 * t15;
            const vec t33 = t32 + v_splat(-4.76865240222145e-06);
            const vec t34 = t33 * t15;
            const vec t35 = t34 + v_splat(1.4319316112632404e-05);
            const vec t36 = t35 * t15;
            const vec t37 = t36 + v_splat(4.2958184365097303e-05);
            const vec t38 = t37 * t15;
            const vec t39 = t38 + v_splat(1.908768067646918e-05);
            const vec t40 = t39 * t15;
            const vec t41 = t40 + v_splat(-0.00014039187243244702);
            const vec t42 = t41 * t15;
            const vec t43 = t42 + v_splat(-0.00029338317028938164);
            const vec t44 = t43 * t15;
            const vec t45 = t44 + v_splat(0.000217489184138791);
            const vec t46 = t45 * t15;
            const vec t47 = t46 + v_splat(0.0016486801344341574);
            const vec t48 = t47 * t15;
            const vec t49 = t48 + v_splat(0.0004565742670093648);
            const vec t50 = t49 * t15;
            const vec t51 = t50 + v_splat(-0.009007517699530638);
            const vec t52 = t51 * t15;
            const vec t53 = t52 + v_splat(-0.0035754253874364537);
            const vec t54 = t53 * t15;
            const vec t55 = t54 + v_splat(0.0706132265594008);
            const vec t56 = t55 * t15;
            const vec t57 = t56 + v_splat(-0.15085243167224832);
            const vec t58 = t57 * t15;
            const vec t59 = t58 + v_splat(0.13648225752794654);
            const vec t60 = t59 * t15;
            const vec t61 = t60 + v_splat(0.3533283284514383);
            const vec t62 = t61 / x;
            const vec t63 = v_splat(-0.5) * t10;
            const vec t64 = -t10;
            const vec t65 = v_exp(v_select(t11, t63, t64));
            const vec t66 = v_splat(0.3989422804014327) * x;
            const vec t67 = t66 - t62;
            const vec t68 = t67 * t65;
            const vec t69 = x - t8;
            const vec t70 = v_splat(-0.5) * t69;
            const vec t71 = x + t8;
            const vec t72 = t70 * t71;
            const vec t73 = t72 * v_splat(0.16666666666666666);
            const vec t74 = v_splat(0.5) + t73;
            const vec t75 = t72 * t74;
            const vec t76 = v_splat(1.0) + t75;
            const vec t77 = t72 * t76;
            const vec t78 = t77 + v_splat(0.0);
            const vec t79 = t65 * t78;
            const vec t80 = t65 + t79;
            const vec t81 = t68 * t80;
            const vec t82 = t67 * t80;
            const vec t83 = v_select(t11, t81, t82);
            t5 = v_select(t4, t5, t83);
        }
        t2 = v_select(t1, t5, t2);
    }
    if (!v_all(t1)) {
        const vec t84 = -x;
        const vec t85 = t84 * v_splat(0.7071067811865476);
        const vec t86 = v_op_erfc(t85);
        const vec t87 = v_splat(0.5) * t86;
        const vec t88 = x * x;
        const mask t89 = v_less(v_splat(1600.0), t88);
        vec t90 = v_splat(0.0);
        if (!v_all(t89)) {
            const vec t91 = v_splat(134217729.0) * x;
            const vec t92 = t91 - x;
            const vec t93 = t91 - t92;
            const vec t94 = v_splat(0.5) * t93;
            const vec t95 = t94 * t93;
            const mask t96 = v_less(v_splat(700.0), t95);
            const vec t97 = v_splat(-0.5) * t95;
            const vec t98 = -t95;
            const vec t99 = v_exp(v_select(t96, t97, t98));
            const vec t100 = v_splat(0.3989422804014327) * x;
            const vec t101 = t100 * t99;
            const vec t102 = x - t93;
            const vec t103 = v_splat(-0.5) * t102;
            const vec t104 = x + t93;
            const vec t105 = t103 * t104;
            const vec t106 = t105 * v_splat(0.16666666666666666);
            const vec t107 = v_splat(0.5) + t106;
            const vec t108 = t105 * t107;
            const vec t109 = v_splat(1.0) + t108;
            const vec t110 = t105 * t109;
            const vec t111 = t110 + v_splat(0.0);
            const vec t112 = t99 * t111;
            const vec t113 = t99 + t112;
            const vec t114 = t101 * t113;
            const vec t115 = t100 * t113;
            const vec t116 = v_select(t96, t114, t115);
            t90 = v_select(t89, t90, t116);
        }
        const vec t117 = t87 + t90;
        t2 = v_select(t1, t2, t117);
    }
    return t2;
}
