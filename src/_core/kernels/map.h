/* The kernels on arrays of any length, included once for each instruction set and number type. */
#include "elementwise.h"
#include "ops_codes.h"
#include "ops_simd.h"

/* Each kernel is a separate function: a single one would save as many registers as its worst case needs. */
typedef void (*Values)(real *out, const real *x, const real *y, const real *z, ptrdiff_t n);
typedef void (*Pull)(int assign, real *grad, const real *adjoint, const real *x, const real *y,
                     const real *z, const real *out, ptrdiff_t n);

/* Whole vectors, then the remainder. The statement is duplicated so that the main loop has no tail check. */
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

#define VALUES(name, value)                                                                                   \
    static void name(real *out, const real *x, const real *y, const real *z, ptrdiff_t n) {                   \
        EACH(v_put(out + i, value, some))                                                                     \
    }

#define PULL_WITH(name, contribution)                                                                         \
    static void name(int assign, real *grad, const real *adjoint, const real *x, const real *y, const real *z, \
                     const real *out, ptrdiff_t n) {                                                          \
        if (assign) {                                                                                         \
            EACH(v_put(grad + i, (contribution), some))                                                       \
        } else {                                                                                              \
            EACH(v_put(grad + i, v_some(grad + i, some) + (contribution), some))                              \
        }                                                                                                     \
    }

#define PULL(name, partial) PULL_WITH(name, v_some(adjoint + i, some) * (partial))

#define PULL_IF_NOT_0(name, partial) PULL_WITH(name, unless_0(partial, v_some(adjoint + i, some)))

#include "ops_map.h"

PULL_WITH(pull_nothing, v_splat(0.0))

static Pull pull_of(int op, int part) { return PULL_OF[op][part] ? PULL_OF[op][part] : pull_nothing; }

#if !defined(SINGLE) /* elementwise.h */
static void map_values(int op, real *out, const real *x, const real *y, const real *z, ptrdiff_t n) {
    VALUES_OF[op](out, x, y, z, n);
}

static void map_pull(int op, int part, int assign, real *grad, const real *adjoint, const real *x,
                     const real *y, const real *z, const real *out, ptrdiff_t n) {
    pull_of(op, part)(assign, grad, adjoint, x, y, z, out, n);
}
#endif
