/* The kernels over arrays of any length. Included once by each elementwise_*.c, for its vectors. */
#include "elementwise.h"
#include "ops_codes.h"
#include "vmath.h"

/* A kernel is a function of its own: a common one would save the registers of the worst for all. */
typedef void (*Values)(double *out, const double *x, const double *y, const double *z, ptrdiff_t n);
typedef void (*Pull)(int assign, double *grad, const double *adjoint, const double *x, const double *y,
                     const double *z, const double *out, ptrdiff_t n);

#define UNUSED __attribute__((unused))

/* Whole vectors, then what is left over: the same statement, written twice, so that the loop over
 * whole ones need not ask. */
#define EACH(statement)                                   \
    ptrdiff_t i = 0;                                      \
    for (; i + LANES <= n; i += LANES) {                  \
        enum { some = LANES };                            \
        statement;                                        \
    }                                                     \
    if (i < n) {                                          \
        const ptrdiff_t some = n - i;                     \
        statement;                                        \
    }

#define VALUES(name, value)                                                                            \
    static void name(double *out, const double *x, UNUSED const double *y, UNUSED const double *z,     \
                     ptrdiff_t n) {                                                                    \
        EACH(v_put(out + i, value, some))                                                              \
    }

#define PULL_WITH(name, contribution)                                                                  \
    static void name(int assign, double *grad, UNUSED const double *adjoint, UNUSED const double *x,   \
                     UNUSED const double *y, UNUSED const double *z, UNUSED const double *out,         \
                     ptrdiff_t n) {                                                                    \
        EACH(v_put(grad + i, (assign ? v_splat(0.0) : v_some(grad + i, some)) + (contribution), some)) \
    }

#define PULL(name, partial) PULL_WITH(name, v_some(adjoint + i, some) * (partial))

/* A partial of 0 cuts the edge: 0 times an infinite adjoint would be NaN. */
#define PULL_IF_NOT_0(name, partial) PULL_WITH(name, unless_0(partial, v_some(adjoint + i, some)))

INLINE vec unless_0(vec partial, vec adjoint) {
    const vec zero = v_splat(0.0);
    return v_select(v_equal(partial, zero), zero, adjoint * partial);
}

#include "ops_simd.h"

PULL_WITH(pull_nothing, v_splat(0.0))

static void map_values(int op, double *out, const double *x, const double *y, const double *z, ptrdiff_t n) {
    VALUES_OF[op](out, x, y, z, n);
}

static void map_pull(int op, int part, int assign, double *grad, const double *adjoint, const double *x,
                     const double *y, const double *z, const double *out, ptrdiff_t n) {
    const Pull pull = PULL_OF[op][part];
    (pull ? pull : pull_nothing)(assign, grad, adjoint, x, y, z, out, n);
}
