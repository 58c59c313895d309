/* Steps: what programs of the compiler consist of. See instructions.py and reverse.py. */
#ifndef CHAINRULE_STEPS_H
#define CHAINRULE_STEPS_H

#include "real.h"
#include <stddef.h>
#include <stdint.h>

enum { MAP, GATHER, SPREAD, DENSE, DOTS, FOLD, TAKE, ZERO };

/* Rows of a memory: start + i step + k term_step for row i of the result and term k. */
typedef struct {
    int32_t shared, start, step, term_step;
} View;

/* An instruction, or in a reverse program a pull for its argument `part`: as instructions.py and reverse.py encode it. */
typedef struct {
    int32_t kind, op, shared, out, count, terms, columns, part, assign;
    int32_t rows; /* where the row numbers of a gather or spread begin */
    int32_t args;
    View arg[3];
    int32_t masked;
    View mask; /* rows that are 0 where the derivative must not be asked for */
} Step;

/* An index with which nothing can be taken from so many things; from 0: there was none. */
typedef struct {
    double index;
    int32_t things;
} Wrong;

/* What a run of steps works on. For what is shared, `each` is `shared` and there is one lane. */
typedef struct {
    real *each, *shared;
    real *each_adjoint, *shared_adjoint;
    real *masked;  /* for the result of a masked pull */
    double *terms; /* and partials of a fold */
    const int32_t *rows;
    ptrdiff_t lanes, stride; /* samples of a row, and where the next row begins: aligned, if rows are long */
    Wrong *wrong; /* the first that a take meets */
} Memory;

typedef void Interpret(const Step *steps, ptrdiff_t n, const Memory *memory);
typedef void Bind(const Step *steps, ptrdiff_t n, const Memory *memory, void *calls);

/* What is compiled once for each kind of SIMD. */
typedef struct {
    Interpret *run, *pull;
    /* For steps that are done many times: find their numbers once, which gives n calls of so many
     * bytes, and go through these. The steps and the memory must stay where they are. */
    size_t call_bytes;
    Bind *bind, *bind_pulls;
    void (*go)(const void *calls, ptrdiff_t n);
} Interpreter;

extern const Interpreter interpreter_base_double, interpreter_avx2_double, interpreter_avx512_double;
extern const Interpreter interpreter_base_single, interpreter_avx2_single, interpreter_avx512_single;

/* blocks.h: the rows of the table that take any number of arguments, one sample after another */
#define fold_values STORED(fold_values)
#define fold_pull STORED(fold_pull)
void fold_values(const Step *step, const Memory *memory);
void fold_pull(const Step *step, const Memory *memory);

#endif
