/* Generated from src/chainrule/ops.py by tools/gen_ops.py: do not edit. */

/* Operations on LANES numbers at once; a partial takes what its formula needs. */

static inline vec v_op_add(vec, vec);
static inline vec v_op_sub(vec, vec);
static inline vec v_op_mul(vec, vec);
static inline vec v_op_div(vec, vec);
static inline vec v_op_pow(vec, vec);
static inline vec v_op_neg(vec);
static inline vec v_op_pos(vec);
static inline vec v_op_stop_gradient(vec);
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
        const vec t23 = t12 * t22;
        const vec t24 = t12 + t23;
        const vec t25 = t13 * t24;
        const vec t26 = v_splat(1.1283791670955126) * t24;
        const vec t27 = v_select(t9, t25, t26);
        t3 = v_select(t2, t3, t27);
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
                const vec t79 = t68 * t78;
                const vec t80 = t68 + t79;
                const vec t81 = t69 * t80;
                const vec t82 = t65 * t80;
                const vec t83 = v_select(t15, t81, t82);
                t9 = v_select(t8, t9, t83);
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
        const vec t23 = t12 * t22;
        const vec t24 = t12 + t23;
        const vec t25 = t13 * t24;
        const vec t26 = v_splat(-1.1283791670955126) * t24;
        const vec t27 = v_select(t9, t25, t26);
        t3 = v_select(t2, t3, t27);
    }
    return t3;
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
        const vec t23 = t12 * t22;
        const vec t24 = t12 + t23;
        const vec t25 = t13 * t24;
        const vec t26 = v_splat(0.3989422804014327) * t24;
        const vec t27 = v_select(t9, t25, t26);
        t3 = v_select(t2, t3, t27);
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
        const vec t24 = t12 * t23;
        const vec t25 = t12 + t24;
        const vec t26 = t14 * t25;
        const vec t27 = t13 * t25;
        const vec t28 = v_select(t9, t26, t27);
        t3 = v_select(t2, t3, t28);
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
                const vec t64 = t63 / x;
                const vec t65 = v_splat(-0.5) * t12;
                const vec t66 = -t12;
                const vec t67 = v_exp(v_select(t13, t65, t66));
                const vec t68 = -t64;
                const vec t69 = t68 * t67;
                const vec t70 = x - t10;
                const vec t71 = v_splat(-0.5) * t70;
                const vec t72 = x + t10;
                const vec t73 = t71 * t72;
                const vec t74 = t73 * v_splat(0.16666666666666666);
                const vec t75 = v_splat(0.5) + t74;
                const vec t76 = t73 * t75;
                const vec t77 = v_splat(1.0) + t76;
                const vec t78 = t73 * t77;
                const vec t79 = t67 * t78;
                const vec t80 = t67 + t79;
                const vec t81 = t69 * t80;
                const vec t82 = t68 * t80;
                const vec t83 = v_select(t13, t81, t82);
                t7 = v_select(t6, t7, t83);
            }
            t4 = v_select(t3, t4, t7);
        }
        t2 = v_select(t1, t4, t2);
    }
    if (!v_all(t1)) {
        const vec t84 = x * v_splat(0.7071067811865476);
        const vec t85 = v_erf(t84);
        const vec t86 = v_splat(1.0) + t85;
        const vec t87 = v_splat(0.5) * t86;
        t2 = v_select(t1, t2, t87);
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
        const vec t23 = t12 * t22;
        const vec t24 = t12 + t23;
        const vec t25 = t13 * t24;
        const vec t26 = v_splat(0.3989422804014327) * t24;
        const vec t27 = v_select(t9, t25, t26);
        t3 = v_select(t2, t3, t27);
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
    const mask t1 = v_less(x, v_splat(-0.91));
    const vec t2 = v_op_normal_pdf(x);
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
    const vec t75 = v_op_normal_cdf(x);
    const vec t76 = v_select(t1, x, t2) / v_select(t1, t74, t75);
    const vec t77 = -t76;
    const vec t78 = v_select(t1, t77, t76);
    return t78;
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
                const vec t78 = t20 * t77;
                const vec t79 = t20 + t78;
                const vec t80 = t68 * t79;
                const vec t81 = t67 * t79;
                const vec t82 = v_select(t13, t80, t81);
                t7 = v_select(t6, t7, t82);
            }
            t4 = v_select(t3, t4, t7);
        }
        t2 = v_select(t1, t4, t2);
    }
    if (!v_all(t1)) {
        const vec t83 = v_splat(0.5) * x;
        const vec t84 = x * v_splat(0.7071067811865476);
        const vec t85 = v_erf(t84);
        const vec t86 = v_splat(1.0) + t85;
        const vec t87 = t83 * t86;
        t2 = v_select(t1, t2, t87);
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
            const vec t78 = t65 * t77;
            const vec t79 = t65 + t78;
            const vec t80 = t68 * t79;
            const vec t81 = t67 * t79;
            const vec t82 = v_select(t11, t80, t81);
            t5 = v_select(t4, t5, t82);
        }
        t2 = v_select(t1, t5, t2);
    }
    if (!v_all(t1)) {
        const vec t83 = -x;
        const vec t84 = t83 * v_splat(0.7071067811865476);
        const vec t85 = v_op_erfc(t84);
        const vec t86 = v_splat(0.5) * t85;
        const vec t87 = x * x;
        const mask t88 = v_less(v_splat(1600.0), t87);
        vec t89 = v_splat(0.0);
        if (!v_all(t88)) {
            const vec t90 = v_splat(134217729.0) * x;
            const vec t91 = t90 - x;
            const vec t92 = t90 - t91;
            const vec t93 = v_splat(0.5) * t92;
            const vec t94 = t93 * t92;
            const mask t95 = v_less(v_splat(700.0), t94);
            const vec t96 = v_splat(-0.5) * t94;
            const vec t97 = -t94;
            const vec t98 = v_exp(v_select(t95, t96, t97));
            const vec t99 = v_splat(0.3989422804014327) * x;
            const vec t100 = t99 * t98;
            const vec t101 = x - t92;
            const vec t102 = v_splat(-0.5) * t101;
            const vec t103 = x + t92;
            const vec t104 = t102 * t103;
            const vec t105 = t104 * v_splat(0.16666666666666666);
            const vec t106 = v_splat(0.5) + t105;
            const vec t107 = t104 * t106;
            const vec t108 = v_splat(1.0) + t107;
            const vec t109 = t104 * t108;
            const vec t110 = t98 * t109;
            const vec t111 = t98 + t110;
            const vec t112 = t100 * t111;
            const vec t113 = t99 * t111;
            const vec t114 = v_select(t95, t112, t113);
            t89 = v_select(t88, t89, t114);
        }
        const vec t115 = t86 + t89;
        t2 = v_select(t1, t2, t115);
    }
    return t2;
}

/* The same on arrays. */
VALUES(values_add, v_op_add(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_sub, v_op_sub(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_mul, v_op_mul(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_div, v_op_div(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_pow, v_op_pow(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_neg, v_op_neg(v_some(x + i, some)))
VALUES(values_pos, v_op_pos(v_some(x + i, some)))
VALUES(values_stop_gradient, v_op_stop_gradient(v_some(x + i, some)))
VALUES(values_abs, v_op_abs(v_some(x + i, some)))
VALUES(values_less, v_op_less(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_less_equal, v_op_less_equal(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_equal, v_op_equal(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_where, v_op_where(v_some(x + i, some), v_some(y + i, some), v_some(z + i, some)))
VALUES(values_maximum, v_op_maximum(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_minimum, v_op_minimum(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_sign, v_op_sign(v_some(x + i, some)))
VALUES(values_floor, v_op_floor(v_some(x + i, some)))
VALUES(values_ceil, v_op_ceil(v_some(x + i, some)))
VALUES(values_trunc, v_op_trunc(v_some(x + i, some)))
VALUES(values_round, v_op_round(v_some(x + i, some)))
VALUES(values_fmod, v_op_fmod(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_remainder, v_op_remainder(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_floor_divide, v_op_floor_divide(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_exp, v_op_exp(v_some(x + i, some)))
VALUES(values_exp2, v_op_exp2(v_some(x + i, some)))
VALUES(values_expm1, v_op_expm1(v_some(x + i, some)))
VALUES(values_log, v_op_log(v_some(x + i, some)))
VALUES(values_log1p, v_op_log1p(v_some(x + i, some)))
VALUES(values_log2, v_op_log2(v_some(x + i, some)))
VALUES(values_log10, v_op_log10(v_some(x + i, some)))
VALUES(values_logaddexp, v_op_logaddexp(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_xlogy, v_op_xlogy(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_xlog1py, v_op_xlog1py(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_sqrt, v_op_sqrt(v_some(x + i, some)))
VALUES(values_cbrt, v_op_cbrt(v_some(x + i, some)))
VALUES(values_deg2rad, v_op_deg2rad(v_some(x + i, some)))
VALUES(values_rad2deg, v_op_rad2deg(v_some(x + i, some)))
VALUES(values_sin, v_op_sin(v_some(x + i, some)))
VALUES(values_cos, v_op_cos(v_some(x + i, some)))
VALUES(values_tan, v_op_tan(v_some(x + i, some)))
VALUES(values_asin, v_op_asin(v_some(x + i, some)))
VALUES(values_acos, v_op_acos(v_some(x + i, some)))
VALUES(values_atan, v_op_atan(v_some(x + i, some)))
VALUES(values_sinh, v_op_sinh(v_some(x + i, some)))
VALUES(values_cosh, v_op_cosh(v_some(x + i, some)))
VALUES(values_tanh, v_op_tanh(v_some(x + i, some)))
VALUES(values_asinh, v_op_asinh(v_some(x + i, some)))
VALUES(values_acosh, v_op_acosh(v_some(x + i, some)))
VALUES(values_atanh, v_op_atanh(v_some(x + i, some)))
VALUES(values_hypot, v_op_hypot(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_atan2, v_op_atan2(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_erf, v_op_erf(v_some(x + i, some)))
VALUES(values_erfc, v_op_erfc(v_some(x + i, some)))
VALUES(values_normal_pdf, v_op_normal_pdf(v_some(x + i, some)))
VALUES(values_normal_cdf, v_op_normal_cdf(v_some(x + i, some)))
VALUES(values_log_normal_cdf, v_op_log_normal_cdf(v_some(x + i, some)))
VALUES(values_sigmoid, v_op_sigmoid(v_some(x + i, some)))
VALUES(values_logit, v_op_logit(v_some(x + i, some)))
VALUES(values_softplus, v_op_softplus(v_some(x + i, some)))
VALUES(values_log_sigmoid, v_op_log_sigmoid(v_some(x + i, some)))
VALUES(values_relu, v_op_relu(v_some(x + i, some)))
VALUES(values_leaky_relu, v_op_leaky_relu(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_elu, v_op_elu(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_silu, v_op_silu(v_some(x + i, some)))
VALUES(values_gelu, v_op_gelu(v_some(x + i, some)))
PULL(pull_add_d0, v_op_add_d0())
PULL(pull_add_d1, v_op_add_d1())
PULL(pull_sub_d0, v_op_sub_d0())
PULL(pull_sub_d1, v_op_sub_d1())
PULL(pull_mul_d0, v_op_mul_d0(v_some(y + i, some)))
PULL(pull_mul_d1, v_op_mul_d1(v_some(x + i, some)))
PULL(pull_div_d0, v_op_div_d0(v_some(y + i, some)))
PULL(pull_div_d1, v_op_div_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_pow_d0, v_op_pow_d0(v_some(x + i, some), v_some(y + i, some), v_some(out + i, some)))
PULL(pull_pow_d1, v_op_pow_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_neg_d0, v_op_neg_d0())
PULL(pull_pos_d0, v_op_pos_d0())
PULL(pull_abs_d0, v_op_abs_d0(v_some(x + i, some)))
PULL_IF_NOT_0(pull_where_d1, v_op_where_d1(v_some(x + i, some)))
PULL_IF_NOT_0(pull_where_d2, v_op_where_d2(v_some(x + i, some)))
PULL(pull_maximum_d0, v_op_maximum_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_maximum_d1, v_op_maximum_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_minimum_d0, v_op_minimum_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_minimum_d1, v_op_minimum_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_sign_d0, v_op_sign_d0())
PULL(pull_floor_d0, v_op_floor_d0())
PULL(pull_ceil_d0, v_op_ceil_d0())
PULL(pull_trunc_d0, v_op_trunc_d0())
PULL(pull_round_d0, v_op_round_d0())
PULL(pull_fmod_d0, v_op_fmod_d0())
PULL(pull_fmod_d1, v_op_fmod_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_remainder_d0, v_op_remainder_d0())
PULL(pull_remainder_d1, v_op_remainder_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_floor_divide_d0, v_op_floor_divide_d0())
PULL(pull_floor_divide_d1, v_op_floor_divide_d1())
PULL(pull_exp_d0, v_op_exp_d0(v_some(out + i, some)))
PULL(pull_exp2_d0, v_op_exp2_d0(v_some(out + i, some)))
PULL(pull_expm1_d0, v_op_expm1_d0(v_some(x + i, some)))
PULL(pull_log_d0, v_op_log_d0(v_some(x + i, some)))
PULL(pull_log1p_d0, v_op_log1p_d0(v_some(x + i, some)))
PULL(pull_log2_d0, v_op_log2_d0(v_some(x + i, some)))
PULL(pull_log10_d0, v_op_log10_d0(v_some(x + i, some)))
PULL(pull_logaddexp_d0, v_op_logaddexp_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_logaddexp_d1, v_op_logaddexp_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_xlogy_d0, v_op_xlogy_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_xlogy_d1, v_op_xlogy_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_xlog1py_d0, v_op_xlog1py_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_xlog1py_d1, v_op_xlog1py_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_sqrt_d0, v_op_sqrt_d0(v_some(out + i, some)))
PULL(pull_cbrt_d0, v_op_cbrt_d0(v_some(out + i, some)))
PULL(pull_deg2rad_d0, v_op_deg2rad_d0())
PULL(pull_rad2deg_d0, v_op_rad2deg_d0())
PULL(pull_sin_d0, v_op_sin_d0(v_some(x + i, some)))
PULL(pull_cos_d0, v_op_cos_d0(v_some(x + i, some)))
PULL(pull_tan_d0, v_op_tan_d0(v_some(out + i, some)))
PULL(pull_asin_d0, v_op_asin_d0(v_some(x + i, some)))
PULL(pull_acos_d0, v_op_acos_d0(v_some(x + i, some)))
PULL(pull_atan_d0, v_op_atan_d0(v_some(x + i, some)))
PULL(pull_sinh_d0, v_op_sinh_d0(v_some(x + i, some)))
PULL(pull_cosh_d0, v_op_cosh_d0(v_some(x + i, some)))
PULL(pull_tanh_d0, v_op_tanh_d0(v_some(x + i, some)))
PULL(pull_asinh_d0, v_op_asinh_d0(v_some(x + i, some)))
PULL(pull_acosh_d0, v_op_acosh_d0(v_some(x + i, some)))
PULL(pull_atanh_d0, v_op_atanh_d0(v_some(x + i, some)))
PULL(pull_hypot_d0, v_op_hypot_d0(v_some(x + i, some), v_some(y + i, some), v_some(out + i, some)))
PULL(pull_hypot_d1, v_op_hypot_d1(v_some(x + i, some), v_some(y + i, some), v_some(out + i, some)))
PULL(pull_atan2_d0, v_op_atan2_d0(v_some(x + i, some), v_some(y + i, some), v_some(out + i, some)))
PULL(pull_atan2_d1, v_op_atan2_d1(v_some(x + i, some), v_some(y + i, some), v_some(out + i, some)))
PULL(pull_erf_d0, v_op_erf_d0(v_some(x + i, some)))
PULL(pull_erfc_d0, v_op_erfc_d0(v_some(x + i, some)))
PULL(pull_normal_pdf_d0, v_op_normal_pdf_d0(v_some(x + i, some)))
PULL(pull_normal_cdf_d0, v_op_normal_cdf_d0(v_some(x + i, some)))
PULL(pull_log_normal_cdf_d0, v_op_log_normal_cdf_d0(v_some(x + i, some)))
PULL(pull_sigmoid_d0, v_op_sigmoid_d0(v_some(x + i, some)))
PULL(pull_logit_d0, v_op_logit_d0(v_some(x + i, some)))
PULL(pull_softplus_d0, v_op_softplus_d0(v_some(x + i, some)))
PULL(pull_log_sigmoid_d0, v_op_log_sigmoid_d0(v_some(x + i, some)))
PULL(pull_relu_d0, v_op_relu_d0(v_some(x + i, some)))
PULL(pull_leaky_relu_d0, v_op_leaky_relu_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_leaky_relu_d1, v_op_leaky_relu_d1(v_some(x + i, some)))
PULL(pull_elu_d0, v_op_elu_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_elu_d1, v_op_elu_d1(v_some(x + i, some)))
PULL(pull_silu_d0, v_op_silu_d0(v_some(x + i, some), v_some(out + i, some)))
PULL(pull_gelu_d0, v_op_gelu_d0(v_some(x + i, some)))

static const Values VALUES_OF[OP_END] = {
    [OP_ADD] = values_add,
    [OP_SUB] = values_sub,
    [OP_MUL] = values_mul,
    [OP_DIV] = values_div,
    [OP_POW] = values_pow,
    [OP_NEG] = values_neg,
    [OP_POS] = values_pos,
    [OP_STOP_GRADIENT] = values_stop_gradient,
    [OP_ABS] = values_abs,
    [OP_LESS] = values_less,
    [OP_LESS_EQUAL] = values_less_equal,
    [OP_EQUAL] = values_equal,
    [OP_WHERE] = values_where,
    [OP_MAXIMUM] = values_maximum,
    [OP_MINIMUM] = values_minimum,
    [OP_SIGN] = values_sign,
    [OP_FLOOR] = values_floor,
    [OP_CEIL] = values_ceil,
    [OP_TRUNC] = values_trunc,
    [OP_ROUND] = values_round,
    [OP_FMOD] = values_fmod,
    [OP_REMAINDER] = values_remainder,
    [OP_FLOOR_DIVIDE] = values_floor_divide,
    [OP_EXP] = values_exp,
    [OP_EXP2] = values_exp2,
    [OP_EXPM1] = values_expm1,
    [OP_LOG] = values_log,
    [OP_LOG1P] = values_log1p,
    [OP_LOG2] = values_log2,
    [OP_LOG10] = values_log10,
    [OP_LOGADDEXP] = values_logaddexp,
    [OP_XLOGY] = values_xlogy,
    [OP_XLOG1PY] = values_xlog1py,
    [OP_SQRT] = values_sqrt,
    [OP_CBRT] = values_cbrt,
    [OP_DEG2RAD] = values_deg2rad,
    [OP_RAD2DEG] = values_rad2deg,
    [OP_SIN] = values_sin,
    [OP_COS] = values_cos,
    [OP_TAN] = values_tan,
    [OP_ASIN] = values_asin,
    [OP_ACOS] = values_acos,
    [OP_ATAN] = values_atan,
    [OP_SINH] = values_sinh,
    [OP_COSH] = values_cosh,
    [OP_TANH] = values_tanh,
    [OP_ASINH] = values_asinh,
    [OP_ACOSH] = values_acosh,
    [OP_ATANH] = values_atanh,
    [OP_HYPOT] = values_hypot,
    [OP_ATAN2] = values_atan2,
    [OP_ERF] = values_erf,
    [OP_ERFC] = values_erfc,
    [OP_NORMAL_PDF] = values_normal_pdf,
    [OP_NORMAL_CDF] = values_normal_cdf,
    [OP_LOG_NORMAL_CDF] = values_log_normal_cdf,
    [OP_SIGMOID] = values_sigmoid,
    [OP_LOGIT] = values_logit,
    [OP_SOFTPLUS] = values_softplus,
    [OP_LOG_SIGMOID] = values_log_sigmoid,
    [OP_RELU] = values_relu,
    [OP_LEAKY_RELU] = values_leaky_relu,
    [OP_ELU] = values_elu,
    [OP_SILU] = values_silu,
    [OP_GELU] = values_gelu,
};

/* NULL where an operation is not differentiable. */
static const Pull PULL_OF[OP_END][3] = {
    [OP_ADD][0] = pull_add_d0,
    [OP_ADD][1] = pull_add_d1,
    [OP_SUB][0] = pull_sub_d0,
    [OP_SUB][1] = pull_sub_d1,
    [OP_MUL][0] = pull_mul_d0,
    [OP_MUL][1] = pull_mul_d1,
    [OP_DIV][0] = pull_div_d0,
    [OP_DIV][1] = pull_div_d1,
    [OP_POW][0] = pull_pow_d0,
    [OP_POW][1] = pull_pow_d1,
    [OP_NEG][0] = pull_neg_d0,
    [OP_POS][0] = pull_pos_d0,
    [OP_ABS][0] = pull_abs_d0,
    [OP_WHERE][1] = pull_where_d1,
    [OP_WHERE][2] = pull_where_d2,
    [OP_MAXIMUM][0] = pull_maximum_d0,
    [OP_MAXIMUM][1] = pull_maximum_d1,
    [OP_MINIMUM][0] = pull_minimum_d0,
    [OP_MINIMUM][1] = pull_minimum_d1,
    [OP_SIGN][0] = pull_sign_d0,
    [OP_FLOOR][0] = pull_floor_d0,
    [OP_CEIL][0] = pull_ceil_d0,
    [OP_TRUNC][0] = pull_trunc_d0,
    [OP_ROUND][0] = pull_round_d0,
    [OP_FMOD][0] = pull_fmod_d0,
    [OP_FMOD][1] = pull_fmod_d1,
    [OP_REMAINDER][0] = pull_remainder_d0,
    [OP_REMAINDER][1] = pull_remainder_d1,
    [OP_FLOOR_DIVIDE][0] = pull_floor_divide_d0,
    [OP_FLOOR_DIVIDE][1] = pull_floor_divide_d1,
    [OP_EXP][0] = pull_exp_d0,
    [OP_EXP2][0] = pull_exp2_d0,
    [OP_EXPM1][0] = pull_expm1_d0,
    [OP_LOG][0] = pull_log_d0,
    [OP_LOG1P][0] = pull_log1p_d0,
    [OP_LOG2][0] = pull_log2_d0,
    [OP_LOG10][0] = pull_log10_d0,
    [OP_LOGADDEXP][0] = pull_logaddexp_d0,
    [OP_LOGADDEXP][1] = pull_logaddexp_d1,
    [OP_XLOGY][0] = pull_xlogy_d0,
    [OP_XLOGY][1] = pull_xlogy_d1,
    [OP_XLOG1PY][0] = pull_xlog1py_d0,
    [OP_XLOG1PY][1] = pull_xlog1py_d1,
    [OP_SQRT][0] = pull_sqrt_d0,
    [OP_CBRT][0] = pull_cbrt_d0,
    [OP_DEG2RAD][0] = pull_deg2rad_d0,
    [OP_RAD2DEG][0] = pull_rad2deg_d0,
    [OP_SIN][0] = pull_sin_d0,
    [OP_COS][0] = pull_cos_d0,
    [OP_TAN][0] = pull_tan_d0,
    [OP_ASIN][0] = pull_asin_d0,
    [OP_ACOS][0] = pull_acos_d0,
    [OP_ATAN][0] = pull_atan_d0,
    [OP_SINH][0] = pull_sinh_d0,
    [OP_COSH][0] = pull_cosh_d0,
    [OP_TANH][0] = pull_tanh_d0,
    [OP_ASINH][0] = pull_asinh_d0,
    [OP_ACOSH][0] = pull_acosh_d0,
    [OP_ATANH][0] = pull_atanh_d0,
    [OP_HYPOT][0] = pull_hypot_d0,
    [OP_HYPOT][1] = pull_hypot_d1,
    [OP_ATAN2][0] = pull_atan2_d0,
    [OP_ATAN2][1] = pull_atan2_d1,
    [OP_ERF][0] = pull_erf_d0,
    [OP_ERFC][0] = pull_erfc_d0,
    [OP_NORMAL_PDF][0] = pull_normal_pdf_d0,
    [OP_NORMAL_CDF][0] = pull_normal_cdf_d0,
    [OP_LOG_NORMAL_CDF][0] = pull_log_normal_cdf_d0,
    [OP_SIGMOID][0] = pull_sigmoid_d0,
    [OP_LOGIT][0] = pull_logit_d0,
    [OP_SOFTPLUS][0] = pull_softplus_d0,
    [OP_LOG_SIGMOID][0] = pull_log_sigmoid_d0,
    [OP_RELU][0] = pull_relu_d0,
    [OP_LEAKY_RELU][0] = pull_leaky_relu_d0,
    [OP_LEAKY_RELU][1] = pull_leaky_relu_d1,
    [OP_ELU][0] = pull_elu_d0,
    [OP_ELU][1] = pull_elu_d1,
    [OP_SILU][0] = pull_silu_d0,
    [OP_GELU][0] = pull_gelu_d0,
};
