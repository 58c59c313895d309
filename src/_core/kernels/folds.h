/* Variadic operations on rows of samples: term k of sample j is row[k * term + j]. */
#include "steps.h"

#include "ops_folds.h"

#define EACH_SOME(some) \
    for (ptrdiff_t j = 0, some; some = n - j < LANES ? n - j : LANES, j < n; j += LANES)

static int fold_rows(int op, real *out, const real *row, ptrdiff_t term, ptrdiff_t terms, ptrdiff_t n) {
    switch (op) {
#define CASE(code, name)                                                          \
    case code:                                                                    \
        EACH_SOME(some) v_put(out + j, name(row + j, term, terms, some), some);   \
        return 1;
        FOLDS(CASE)
#undef CASE
    default: return 0;
    }
}

static int fold_rows_pull(int op, int assign, real *grad, const real *adjoint, const real *row, const real *out,
                          ptrdiff_t term, ptrdiff_t terms, ptrdiff_t n) {
    switch (op) {
#define CASE(code, name)                                                                                          \
    case code:                                                                                                    \
        EACH_SOME(some)                                                                                           \
        name##_pull(grad + j, v_some(adjoint + j, some), row + j, v_some(out + j, some), term, terms, some, assign); \
        return 1;
        FOLDS(CASE)
#undef CASE
    default: return 0;
    }
}
