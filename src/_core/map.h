/* The kernels over arrays of any length. Included once by each elementwise_*.c, for its vectors. */
#include "elementwise.h"
#include "ops_codes.h"
#include "vmath.h"

#define EACH for (ptrdiff_t i = 0; i < n; i += LANES)

#define VALUES(value) EACH v_store(out + i, value)

#define ADD_TO_GRAD(contribution) v_store(grad + i, (assign ? v_splat(0.0) : v_load(grad + i)) + (contribution))

#define PULL(partial) EACH ADD_TO_GRAD(v_load(adjoint + i) * (partial))

#define PULL_IF_NOT_0(partial)                                                                        \
    EACH {                                                                                            \
        const vec p = partial, zero = v_splat(0.0);                                                   \
        ADD_TO_GRAD(v_select(v_equal(p, zero), zero, v_load(adjoint + i) * p));                       \
    }

#include "ops_simd.h"

/* What is left over at the end of an array, in a vector of its own, so that kernels see whole ones. */
typedef struct {
    double lanes[LANES];
} Rest;

static inline const double *fetch(Rest *rest, const double *from, ptrdiff_t whole, ptrdiff_t count) {
    if (!from) return NULL;
    v_store(rest->lanes, v_load_part(from + whole, count));
    return rest->lanes;
}

static void map_values(int op, double *out, const double *x, const double *y, const double *z, ptrdiff_t n) {
    const ptrdiff_t count = n % LANES, whole = n - count;
    if (whole) whole_values(op, out, x, y, z, whole);
    if (!count) return;
    Rest a, b, c, result;
    whole_values(op, result.lanes, fetch(&a, x, whole, count), fetch(&b, y, whole, count),
                 fetch(&c, z, whole, count), LANES);
    v_store_part(out + whole, v_load(result.lanes), count);
}

static void map_pull(int op, int part, int assign, double *grad, const double *adjoint, const double *x,
                     const double *y, const double *z, const double *out, ptrdiff_t n) {
    const ptrdiff_t count = n % LANES, whole = n - count;
    if (whole) whole_pull(op, part, assign, grad, adjoint, x, y, z, out, whole);
    if (!count) return;
    Rest a, b, c, d, e, result;
    v_store(result.lanes, v_load_part(grad + whole, count));
    whole_pull(op, part, assign, result.lanes, fetch(&e, adjoint, whole, count), fetch(&a, x, whole, count),
               fetch(&b, y, whole, count), fetch(&c, z, whole, count), fetch(&d, out, whole, count), LANES);
    v_store_part(grad + whole, v_load(result.lanes), count);
}
