/* Generated from src/chainrule/ops.py by tools/gen_ops.py: do not edit. */

/* Variadic operations on LANES samples at once, of which `some` are used. */

INLINE vec fold_sum(
    const real *row, ptrdiff_t term, ptrdiff_t terms, ptrdiff_t some) {
    const vec count = v_splat((double)terms);
    (void)count;
    vec fold0 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = fold0 + x;
        fold0 = t1;
    }
    vec result;
    result = fold0;
    return result;
}

INLINE void fold_sum_pull(real *grad, vec adjoint, const real *row, vec out,
    ptrdiff_t term, ptrdiff_t terms, ptrdiff_t some, int assign) {
    const vec count = v_splat((double)terms);
    (void)count, (void)out;
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        (void)x;
        vec slope;
        slope = v_splat(1.0);
        real *to = grad + k * term;
        v_put(to, (assign ? v_splat(0.0) : v_some(to, some)) + adjoint * slope, some);
    }
}

INLINE vec fold_mean(
    const real *row, ptrdiff_t term, ptrdiff_t terms, ptrdiff_t some) {
    const vec count = v_splat((double)terms);
    (void)count;
    vec fold0 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = fold0 + x;
        fold0 = t1;
    }
    vec result;
    const vec t1 = fold0 / count;
    result = t1;
    return result;
}

INLINE void fold_mean_pull(real *grad, vec adjoint, const real *row, vec out,
    ptrdiff_t term, ptrdiff_t terms, ptrdiff_t some, int assign) {
    const vec count = v_splat((double)terms);
    (void)count, (void)out;
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        (void)x;
        vec slope;
        const vec t1 = v_splat(1.0) / count;
        slope = t1;
        real *to = grad + k * term;
        v_put(to, (assign ? v_splat(0.0) : v_some(to, some)) + adjoint * slope, some);
    }
}

INLINE vec fold_logsumexp(
    const real *row, ptrdiff_t term, ptrdiff_t terms, ptrdiff_t some) {
    const vec count = v_splat((double)terms);
    (void)count;
    vec fold0 = v_splat(-INFINITY);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = v_op_maximum(fold0, x);
        fold0 = t1;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = fold1 + t1;
        fold1 = t2;
    }
    vec fold2 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
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

INLINE void fold_logsumexp_pull(real *grad, vec adjoint, const real *row, vec out,
    ptrdiff_t term, ptrdiff_t terms, ptrdiff_t some, int assign) {
    const vec count = v_splat((double)terms);
    (void)count, (void)out;
    vec fold0 = v_splat(-INFINITY);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = v_op_maximum(fold0, x);
        fold0 = t1;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = fold1 + t1;
        fold1 = t2;
    }
    vec fold2 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
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
        const vec x = v_some(row + k * term, some);
        (void)x;
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
        real *to = grad + k * term;
        v_put(to, (assign ? v_splat(0.0) : v_some(to, some)) + adjoint * slope, some);
    }
}

INLINE vec fold_max(
    const real *row, ptrdiff_t term, ptrdiff_t terms, ptrdiff_t some) {
    const vec count = v_splat((double)terms);
    (void)count;
    vec fold0 = v_splat(-INFINITY);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = v_op_maximum(fold0, x);
        fold0 = t1;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = fold1 + t1;
        fold1 = t2;
    }
    vec result;
    result = fold0;
    return result;
}

INLINE void fold_max_pull(real *grad, vec adjoint, const real *row, vec out,
    ptrdiff_t term, ptrdiff_t terms, ptrdiff_t some, int assign) {
    const vec count = v_splat((double)terms);
    (void)count, (void)out;
    vec fold0 = v_splat(-INFINITY);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = v_op_maximum(fold0, x);
        fold0 = t1;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = fold1 + t1;
        fold1 = t2;
    }
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        (void)x;
        vec slope;
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = t1 / fold1;
        slope = t2;
        real *to = grad + k * term;
        v_put(to, (assign ? v_splat(0.0) : v_some(to, some)) + adjoint * slope, some);
    }
}

INLINE vec fold_min(
    const real *row, ptrdiff_t term, ptrdiff_t terms, ptrdiff_t some) {
    const vec count = v_splat((double)terms);
    (void)count;
    vec fold0 = v_splat(INFINITY);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = v_op_minimum(fold0, x);
        fold0 = t1;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = fold1 + t1;
        fold1 = t2;
    }
    vec result;
    result = fold0;
    return result;
}

INLINE void fold_min_pull(real *grad, vec adjoint, const real *row, vec out,
    ptrdiff_t term, ptrdiff_t terms, ptrdiff_t some, int assign) {
    const vec count = v_splat((double)terms);
    (void)count, (void)out;
    vec fold0 = v_splat(INFINITY);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = v_op_minimum(fold0, x);
        fold0 = t1;
    }
    vec fold1 = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = fold1 + t1;
        fold1 = t2;
    }
    for (ptrdiff_t k = 0; k < terms; k++) {
        const vec x = v_some(row + k * term, some);
        (void)x;
        vec slope;
        const vec t1 = v_select(v_equal(x, fold0), v_splat(1.0), v_splat(0.0));
        const vec t2 = t1 / fold1;
        slope = t2;
        real *to = grad + k * term;
        v_put(to, (assign ? v_splat(0.0) : v_some(to, some)) + adjoint * slope, some);
    }
}

#define FOLDS(X) \
    X(OP_SUM, fold_sum) \
    X(OP_MEAN, fold_mean) \
    X(OP_LOGSUMEXP, fold_logsumexp) \
    X(OP_MAX, fold_max) \
    X(OP_MIN, fold_min)
