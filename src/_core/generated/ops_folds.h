/* Generated from src/chainrule/ops.py by tools/gen_ops.py: do not edit. */

/* Variadic operations on LANES samples from j on, of which `some` are used. */

INLINE vec fold_sum(const Elements *e, ptrdiff_t j, ptrdiff_t some) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    (void)count;
    vec fold0 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = fold0 + x;
        fold0 = t1;
    }
    vec result;
    result = fold0;
    return result;
}

INLINE void fold_sum_pull0(
    real *grad, vec adjoint, const Elements *e, ptrdiff_t j, vec out, const real *wanted,
    ptrdiff_t some, int assign) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    (void)count;
    (void)out;
    for (ptrdiff_t k = 0; k < terms; k++) {
        vec slope;
        slope = v_splat(1.0);
        real *to = grad + k * x_term;
        const vec before = assign ? v_splat(0.0) : v_some(to, some);
        v_put(to, before + pulled(adjoint, slope, wanted, some), some);
    }
}

INLINE vec fold_mean(const Elements *e, ptrdiff_t j, ptrdiff_t some) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    (void)count;
    vec fold0 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = fold0 + x;
        fold0 = t1;
    }
    vec result;
    const vec t1 = fold0 / count;
    result = t1;
    return result;
}

INLINE void fold_mean_pull0(
    real *grad, vec adjoint, const Elements *e, ptrdiff_t j, vec out, const real *wanted,
    ptrdiff_t some, int assign) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    (void)count;
    (void)out;
    for (ptrdiff_t k = 0; k < terms; k++) {
        vec slope;
        const vec t1 = v_splat(1.0) / count;
        slope = t1;
        real *to = grad + k * x_term;
        const vec before = assign ? v_splat(0.0) : v_some(to, some);
        v_put(to, before + pulled(adjoint, slope, wanted, some), some);
    }
}

INLINE vec fold_dot(const Elements *e, ptrdiff_t j, ptrdiff_t some) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    const ptrdiff_t y_term = e->term[1];
    const real *const y_row = e->row[1] + j;
    (void)y_term, (void)y_row;
    (void)count;
    vec fold0 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec y = v_some(y_row + k * y_term, some);
        const vec t1 = x * y;
        const vec t2 = fold0 + t1;
        fold0 = t2;
    }
    vec result;
    result = fold0;
    return result;
}

INLINE void fold_dot_pull0(
    real *grad, vec adjoint, const Elements *e, ptrdiff_t j, vec out, const real *wanted,
    ptrdiff_t some, int assign) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    const ptrdiff_t y_term = e->term[1];
    const real *const y_row = e->row[1] + j;
    (void)y_term, (void)y_row;
    (void)count;
    (void)out;
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec y = v_some(y_row + k * y_term, some);
        vec slope;
        slope = y;
        real *to = grad + k * x_term;
        const vec before = assign ? v_splat(0.0) : v_some(to, some);
        v_put(to, before + pulled(adjoint, slope, wanted, some), some);
    }
}

INLINE void fold_dot_pull1(
    real *grad, vec adjoint, const Elements *e, ptrdiff_t j, vec out, const real *wanted,
    ptrdiff_t some, int assign) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    const ptrdiff_t y_term = e->term[1];
    const real *const y_row = e->row[1] + j;
    (void)y_term, (void)y_row;
    (void)count;
    (void)out;
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        vec slope;
        slope = x;
        real *to = grad + k * y_term;
        const vec before = assign ? v_splat(0.0) : v_some(to, some);
        v_put(to, before + pulled(adjoint, slope, wanted, some), some);
    }
}

INLINE vec fold_logsumexp(const Elements *e, ptrdiff_t j, ptrdiff_t some) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    (void)count;
    vec fold0 = v_splat(-INFINITY);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_op_maximum(fold0, x);
        fold0 = t1;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const mask t1 = v_equal(x, fold0);
        vec t2 = v_splat(0.0);
        if (v_any(t1)) {
            const vec t3 = v_abs(x);
            const mask t4 = v_equal(t3, v_splat(INFINITY));
            const vec t5 = x - fold0;
            const vec t6 = v_select(t4, v_splat(0.0), t5);
            const vec t7 = v_exp(t6);
            t2 = v_select(t1, t7, t2);
        }
        const vec t8 = fold1 + t2;
        fold1 = t8;
    }
    vec fold2 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const mask t1 = v_equal(x, fold0);
        vec t2 = v_splat(0.0);
        if (!v_all(t1)) {
            const vec t3 = x - fold0;
            const vec t4 = v_exp(t3);
            t2 = v_select(t1, t2, t4);
        }
        const vec t5 = fold2 + t2;
        fold2 = t5;
    }
    vec result;
    const vec t1 = v_abs(fold0);
    const mask t2 = v_equal(t1, v_splat(INFINITY));
    vec t3 = fold0;
    if (!v_all(t2)) {
        const vec t4 = v_log(fold1);
        const vec t5 = fold2 / fold1;
        const vec t6 = v_log1p(t5);
        const vec t7 = t4 + t6;
        const vec t8 = fold0 + t7;
        t3 = v_select(t2, t3, t8);
    }
    result = t3;
    return result;
}

INLINE void fold_logsumexp_pull0(
    real *grad, vec adjoint, const Elements *e, ptrdiff_t j, vec out, const real *wanted,
    ptrdiff_t some, int assign) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    (void)count;
    (void)out;
    vec fold0 = v_splat(-INFINITY);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_op_maximum(fold0, x);
        fold0 = t1;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const mask t1 = v_equal(x, fold0);
        vec t2 = v_splat(0.0);
        if (v_any(t1)) {
            const vec t3 = v_abs(x);
            const mask t4 = v_equal(t3, v_splat(INFINITY));
            const vec t5 = x - fold0;
            const vec t6 = v_select(t4, v_splat(0.0), t5);
            const vec t7 = v_exp(t6);
            t2 = v_select(t1, t7, t2);
        }
        const vec t8 = fold1 + t2;
        fold1 = t8;
    }
    vec fold2 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const mask t1 = v_equal(x, fold0);
        vec t2 = v_splat(0.0);
        if (!v_all(t1)) {
            const vec t3 = x - fold0;
            const vec t4 = v_exp(t3);
            t2 = v_select(t1, t2, t4);
        }
        const vec t5 = fold2 + t2;
        fold2 = t5;
    }
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        vec slope;
        const vec t1 = v_abs(fold0);
        const mask t2 = v_equal(t1, v_splat(INFINITY));
        const mask t3 = v_less(fold0, v_splat(0.0));
        const vec t4 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t5 = t4 / fold1;
        const vec t6 = v_select(t3, v_splat(0.0), t5);
        vec t7 = t6;
        if (!v_all(t2)) {
            const vec t8 = x - fold0;
            const vec t9 = v_exp(t8);
            const vec t10 = fold1 + fold2;
            const vec t11 = t9 / t10;
            t7 = v_select(t2, t7, t11);
        }
        slope = t7;
        real *to = grad + k * x_term;
        const vec before = assign ? v_splat(0.0) : v_some(to, some);
        v_put(to, before + pulled(adjoint, slope, wanted, some), some);
    }
}

INLINE vec fold_norm(const Elements *e, ptrdiff_t j, ptrdiff_t some) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    (void)count;
    vec fold0 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_abs(x);
        const vec t2 = v_op_maximum(fold0, t1);
        fold0 = t2;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_abs(x);
        const vec t2 = v_select(v_equal(t1, v_splat(INFINITY)), v_splat(1.0), v_splat(0.0));
        const vec t3 = fold1 + t2;
        fold1 = t3;
    }
    vec fold2 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const mask t1 = v_less(fold0, v_splat(1e-140));
        const mask t2 = v_less(v_splat(1e+140), fold0);
        const vec t3 = v_select(t2, v_splat(2.409919865102884e-181), v_splat(1.0));
        const vec t4 = v_select(t1, v_splat(4.149515568880993e+180), t3);
        const vec t5 = x * t4;
        const vec t6 = t5 * t5;
        const vec t7 = fold2 + t6;
        fold2 = t7;
    }
    vec result;
    const vec t1 = v_sqrt(fold2);
    const mask t2 = v_less(fold0, v_splat(1e-140));
    const mask t3 = v_less(v_splat(1e+140), fold0);
    const vec t4 = v_select(t3, v_splat(2.409919865102884e-181), v_splat(1.0));
    const vec t5 = v_select(t2, v_splat(4.149515568880993e+180), t4);
    const vec t6 = t1 / t5;
    result = t6;
    return result;
}

INLINE void fold_norm_pull0(
    real *grad, vec adjoint, const Elements *e, ptrdiff_t j, vec out, const real *wanted,
    ptrdiff_t some, int assign) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    (void)count;
    (void)out;
    vec fold0 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_abs(x);
        const vec t2 = v_op_maximum(fold0, t1);
        fold0 = t2;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_abs(x);
        const vec t2 = v_select(v_equal(t1, v_splat(INFINITY)), v_splat(1.0), v_splat(0.0));
        const vec t3 = fold1 + t2;
        fold1 = t3;
    }
    vec fold2 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const mask t1 = v_less(fold0, v_splat(1e-140));
        const mask t2 = v_less(v_splat(1e+140), fold0);
        const vec t3 = v_select(t2, v_splat(2.409919865102884e-181), v_splat(1.0));
        const vec t4 = v_select(t1, v_splat(4.149515568880993e+180), t3);
        const vec t5 = x * t4;
        const vec t6 = t5 * t5;
        const vec t7 = fold2 + t6;
        fold2 = t7;
    }
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        vec slope;
        const mask t1 = v_equal(fold2, v_splat(0.0));
        vec t2 = v_splat(0.0);
        if (!v_all(t1)) {
            const vec t3 = v_abs(x);
            const mask t4 = v_equal(t3, v_splat(INFINITY));
            const mask t5 = v_less(fold0, v_splat(1e-140));
            const mask t6 = v_less(v_splat(1e+140), fold0);
            const vec t7 = v_select(t6, v_splat(2.409919865102884e-181), v_splat(1.0));
            const vec t8 = v_select(t5, v_splat(4.149515568880993e+180), t7);
            const vec t9 = x * t8;
            const vec t10 = v_sqrt(fold2);
            const vec t11 = t9 / t10;
            vec t12 = t11;
            if (v_any(t4)) {
                const mask t13 = v_equal(fold1, v_splat(1.0));
                vec t14 = v_splat(NAN);
                if (v_any(t13)) {
                    const vec t15 = v_op_sign(x);
                    t14 = v_select(t13, t15, t14);
                }
                t12 = v_select(t4, t14, t12);
            }
            t2 = v_select(t1, t2, t12);
        }
        slope = t2;
        real *to = grad + k * x_term;
        const vec before = assign ? v_splat(0.0) : v_some(to, some);
        v_put(to, before + pulled(adjoint, slope, wanted, some), some);
    }
}

INLINE vec fold_max(const Elements *e, ptrdiff_t j, ptrdiff_t some) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    (void)count;
    vec fold0 = v_splat(-INFINITY);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_op_maximum(fold0, x);
        fold0 = t1;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = fold1 + t1;
        fold1 = t2;
    }
    vec result;
    result = fold0;
    return result;
}

INLINE void fold_max_pull0(
    real *grad, vec adjoint, const Elements *e, ptrdiff_t j, vec out, const real *wanted,
    ptrdiff_t some, int assign) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    (void)count;
    (void)out;
    vec fold0 = v_splat(-INFINITY);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_op_maximum(fold0, x);
        fold0 = t1;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = fold1 + t1;
        fold1 = t2;
    }
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        vec slope;
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = t1 / fold1;
        slope = t2;
        real *to = grad + k * x_term;
        const vec before = assign ? v_splat(0.0) : v_some(to, some);
        v_put(to, before + pulled(adjoint, slope, wanted, some), some);
    }
}

INLINE vec fold_min(const Elements *e, ptrdiff_t j, ptrdiff_t some) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    (void)count;
    vec fold0 = v_splat(INFINITY);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_op_minimum(fold0, x);
        fold0 = t1;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = fold1 + t1;
        fold1 = t2;
    }
    vec result;
    result = fold0;
    return result;
}

INLINE void fold_min_pull0(
    real *grad, vec adjoint, const Elements *e, ptrdiff_t j, vec out, const real *wanted,
    ptrdiff_t some, int assign) {
    const ptrdiff_t terms = e->terms;
    const vec count = v_splat((double)terms);
    const ptrdiff_t x_term = e->term[0];
    const real *const x_row = e->row[0] + j;
    (void)x_term, (void)x_row;
    (void)count;
    (void)out;
    vec fold0 = v_splat(INFINITY);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_op_minimum(fold0, x);
        fold0 = t1;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = fold1 + t1;
        fold1 = t2;
    }
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(x_row + k * x_term, some);
        vec slope;
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = t1 / fold1;
        slope = t2;
        real *to = grad + k * x_term;
        const vec before = assign ? v_splat(0.0) : v_some(to, some);
        v_put(to, before + pulled(adjoint, slope, wanted, some), some);
    }
}

#define FOLDS(X) \
    X(OP_SUM, fold_sum) \
    X(OP_MEAN, fold_mean) \
    X(OP_DOT, fold_dot) \
    X(OP_LOGSUMEXP, fold_logsumexp) \
    X(OP_NORM, fold_norm) \
    X(OP_MAX, fold_max) \
    X(OP_MIN, fold_min)

#define FOLD_PULLS(X) \
    X(OP_SUM, 0, fold_sum_pull0) \
    X(OP_MEAN, 0, fold_mean_pull0) \
    X(OP_DOT, 0, fold_dot_pull0) \
    X(OP_DOT, 1, fold_dot_pull1) \
    X(OP_LOGSUMEXP, 0, fold_logsumexp_pull0) \
    X(OP_NORM, 0, fold_norm_pull0) \
    X(OP_MAX, 0, fold_max_pull0) \
    X(OP_MIN, 0, fold_min_pull0)
