/* Elementwise rows of the table on arrays of doubles, compiled once for each kind of vectors. */
#ifndef CHAINRULE_ELEMENTWISE_H
#define CHAINRULE_ELEMENTWISE_H

#include <stddef.h>

typedef struct {
    const char *name;
    /* out[i] = op(x[i], y[i], z[i]) for i < n. Arguments that the row does not have may be NULL;
     * out may be one of them. */
    void (*map_values)(int op, double *out, const double *x, const double *y, const double *z, ptrdiff_t n);
    /* grad[i] += adjoint[i] times the partial by argument `part`; `assign` takes grad for 0 before.
     * A partial that is exactly 0 contributes nothing in a row that selects, whatever the adjoint. */
    void (*map_pull)(int op, int part, int assign, double *grad, const double *adjoint, const double *x,
                     const double *y, const double *z, const double *out, ptrdiff_t n);
} Elementwise;

extern const Elementwise elementwise_avx512, elementwise_avx2, elementwise_base;

/* The one of this name, NULL if this machine or this build does not have it. */
const Elementwise *elementwise_named(const char *name);

/* The fastest this machine has, or the one that CHAINRULE_SIMD=avx512, avx2 or base asks for;
 * NULL if it asks for one that is not there. */
const Elementwise *elementwise_best(void);
const Elementwise *elementwise_best_or_error(void); /* for Python, in buffers.c */

#endif
