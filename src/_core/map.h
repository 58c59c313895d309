/* The kernels over arrays of any length. Included once by each elementwise_*.c, for its vectors. */
#include "elementwise.h"
#include "ops_codes.h"
#include "vmath.h"

/* A kernel is a function of its own: a common one would save the registers of the worst for all.
 * It sees whole vectors only: n is a multiple of LANES. */
typedef void (*Values)(double *out, const double *x, const double *y, const double *z, ptrdiff_t n);
typedef void (*Pull)(int assign, double *grad, const double *adjoint, const double *x, const double *y,
                     const double *z, const double *out, ptrdiff_t n);

#define UNUSED __attribute__((unused))
#define EACH for (ptrdiff_t i = 0; i < n; i += LANES)

#define VALUES(name, value)                                                                            \
    static void name(double *out, const double *x, UNUSED const double *y, UNUSED const double *z,     \
                     ptrdiff_t n) {                                                                    \
        EACH v_store(out + i, value);                                                                  \
    }

#define PULL_WITH(name, contribution)                                                                  \
    static void name(int assign, double *grad, UNUSED const double *adjoint, UNUSED const double *x,   \
                     UNUSED const double *y, UNUSED const double *z, UNUSED const double *out,         \
                     ptrdiff_t n) {                                                                    \
        EACH v_store(grad + i, (assign ? v_splat(0.0) : v_load(grad + i)) + (contribution));           \
    }

#define PULL(name, partial) PULL_WITH(name, v_load(adjoint + i) * (partial))

/* A partial of 0 cuts the edge: 0 times an infinite adjoint would be NaN. */
#define PULL_IF_NOT_0(name, partial) PULL_WITH(name, unless_0(partial, v_load(adjoint + i)))

INLINE vec unless_0(vec partial, vec adjoint) {
    const vec zero = v_splat(0.0);
    return v_select(v_equal(partial, zero), zero, adjoint * partial);
}

#include "ops_simd.h"

PULL_WITH(pull_nothing, v_splat(0.0))

/* What is left over at the end of an array, in a vector of its own. */
typedef struct {
    double lanes[LANES];
} Rest;

static inline const double *fetch(Rest *rest, const double *from, ptrdiff_t whole, ptrdiff_t count) {
    if (!from) return NULL;
    v_store(rest->lanes, v_load_part(from + whole, count));
    return rest->lanes;
}

static void map_values(int op, double *out, const double *x, const double *y, const double *z, ptrdiff_t n) {
    const Values values = VALUES_OF[op];
    const ptrdiff_t count = n & (LANES - 1), whole = n - count;
    if (!count) return values(out, x, y, z, n);
    values(out, x, y, z, whole);
    Rest a, b, c, result;
    values(result.lanes, fetch(&a, x, whole, count), fetch(&b, y, whole, count), fetch(&c, z, whole, count), LANES);
    v_store_part(out + whole, v_load(result.lanes), count);
}

static void map_pull(int op, int part, int assign, double *grad, const double *adjoint, const double *x,
                     const double *y, const double *z, const double *out, ptrdiff_t n) {
    const Pull pull = PULL_OF[op][part] ? PULL_OF[op][part] : pull_nothing;
    const ptrdiff_t count = n & (LANES - 1), whole = n - count;
    if (!count) return pull(assign, grad, adjoint, x, y, z, out, n);
    pull(assign, grad, adjoint, x, y, z, out, whole);
    Rest a, b, c, d, e, result;
    v_store(result.lanes, v_load_part(grad + whole, count));
    pull(assign, result.lanes, fetch(&e, adjoint, whole, count), fetch(&a, x, whole, count),
         fetch(&b, y, whole, count), fetch(&c, z, whole, count), fetch(&d, out, whole, count), LANES);
    v_store_part(grad + whole, v_load(result.lanes), count);
}
