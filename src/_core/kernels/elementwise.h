/* Elementwise operations of the table on arrays of doubles, compiled once for each instruction set. */
#ifndef CHAINRULE_ELEMENTWISE_H
#define CHAINRULE_ELEMENTWISE_H

#include "steps.h"

typedef struct {
    const char *name;
    /* out[i] = op(x[i], y[i], z[i]) for i < n. Arguments that the operation does not have may be NULL.
     * out may alias an argument. */
    void (*map_values)(int op, double *out, const double *x, const double *y, const double *z, ptrdiff_t n);
    /* grad[i] += adjoint[i] times the partial with respect to argument `part`; `assign` overwrites grad instead.
     * In an operation that selects, a partial of exactly 0 contributes nothing, whatever the adjoint. */
    void (*map_pull)(int op, int part, int assign, double *grad, const double *adjoint, const double *x,
                     const double *y, const double *z, const double *out, ptrdiff_t n);
    const Interpreter *interpreters[2]; /* for numbers stored as doubles, and as floats */
} Elementwise;

extern const Elementwise elementwise_avx512, elementwise_avx2, elementwise_base;

const Elementwise *elementwise_best(void);

#endif
