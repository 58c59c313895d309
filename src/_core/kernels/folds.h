/* Variadic operations on rows of samples. */
#include "steps.h"

/* The terms of each part of the elements: term k of sample j is row[part][k * term[part] + j]. */
typedef struct {
    const real *row[3];
    ptrdiff_t term[3], terms;
} Elements;

/* What a pull adds to an adjoint; nothing for samples that are not wanted. `wanted` may be NULL. */
INLINE vec pulled(vec adjoint, vec slope, const real *wanted, ptrdiff_t some) {
    const vec share = adjoint * slope, zero = v_splat(0.0);
    return wanted ? v_select(v_equal(v_some(wanted, some), zero), zero, share) : share;
}

#include "ops_folds.h"

#define EACH_SOME(some) \
    for (ptrdiff_t j = 0, some; some = n - j < LANES ? n - j : LANES, j < n; j += LANES)

static int fold_rows(int op, real *out, const Elements *e, ptrdiff_t n) {
    switch (op) {
#define CASE(code, name)                                             \
    case code:                                                       \
        EACH_SOME(some) v_put(out + j, name(e, j, some), some);      \
        return 1;
        FOLDS(CASE)
#undef CASE
    default: return 0;
    }
}

static int fold_rows_pull(int op, int part, int assign, real *grad, const real *adjoint, const Elements *e, const real *out,
                          const real *wanted, ptrdiff_t n) {
    switch (3 * op + part) {
#define CASE(code, part, name)                                                                              \
    case 3 * code + part:                                                                                   \
        EACH_SOME(some)                                                                                     \
        name(grad + j, v_some(adjoint + j, some), e, j, v_some(out + j, some), wanted ? wanted + j : NULL,  \
             some, assign);                                                                                 \
        return 1;
        FOLD_PULLS(CASE)
#undef CASE
    default: return 0;
    }
}
