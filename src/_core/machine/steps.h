/* Steps: the instructions of a compiled program. See instructions.py and reverse.py. */
#ifndef CHAINRULE_STEPS_H
#define CHAINRULE_STEPS_H

#include "real.h"
#include <stddef.h>
#include <stdint.h>

enum { MAP, GATHER, SPREAD, DENSE, DOTS, FOLD, TAKE, ZERO, LOOP };

/* Rows of a memory region: start + i step + k term_step for row i of the result and term k. */
typedef struct {
    int32_t shared, start, step, term_step;
} View;

/* An instruction or, in a reverse program, the pull for its argument `part`, as encoded by instructions.py and
 * reverse.py. A LOOP runs the next `terms` steps `count` times; in a reverse program, the last iteration first. */
typedef struct {
    int32_t kind, op, shared, out, count, terms, columns, part, assign;
    int32_t rows; /* where the row numbers of a gather or spread begin */
    int32_t args;
    View arg[3];
    int32_t masked;
    View mask; /* rows that are 0 where the derivative must not be evaluated */
    int32_t move, move_arg[3], move_mask; /* by how many rows these move from one iteration of a loop to the next */
} Step;

/* A step of a loop in iteration t. The rows of a copy move by arg[0].start, which it does not use otherwise. */
static inline Step step_at(const Step *step, ptrdiff_t t) {
    Step s = *step;
    s.out += (int32_t)(t * s.move);
    for (int i = 0; i < 3; i++) s.arg[i].start += (int32_t)(t * s.move_arg[i]);
    s.mask.start += (int32_t)(t * s.move_mask);
    return s;
}

/* The first out-of-range index that a take() met. things == 0 means none. */
typedef struct {
    double index;
    int32_t things;
} Wrong;

/* The memory that steps run on. For shared steps, `each` is `shared` and there is one lane. */
typedef struct {
    real *each, *shared;
    real *each_adjoint, *shared_adjoint;
    real *masked;  /* the result of a masked pull */
    double *terms; /* the terms and the partials of a fold */
    const int32_t *rows;
    ptrdiff_t lanes, stride; /* samples per row, and the distance between rows, which is aligned if rows are long */
    Wrong *wrong; /* set to the first invalid index that a take() meets */
} Memory;

typedef void Interpret(const Step *steps, ptrdiff_t n, const Memory *memory);
typedef ptrdiff_t Bind(const Step *steps, ptrdiff_t n, const Memory *memory, void *calls);

/* The functions compiled for each instruction set. */
typedef struct {
    Interpret *run, *pull;
    /* For steps that repeat: `bind` and `bind_pulls` compute their addresses once, giving at most n calls of
     * `call_bytes` bytes, whose number they return; `go` executes the calls. The steps and the memory must not move. */
    size_t call_bytes;
    Bind *bind, *bind_pulls;
    void (*go)(const void *calls, ptrdiff_t n);
} Interpreter;

extern const Interpreter interpreter_base_double, interpreter_avx2_double, interpreter_avx512_double;
extern const Interpreter interpreter_base_single, interpreter_avx2_single, interpreter_avx512_single;

/* blocks.h: the variadic operations of the table, one sample at a time */
#define fold_values STORED(fold_values)
#define fold_pull STORED(fold_pull)
void fold_values(const Step *step, const Memory *memory);
void fold_pull(const Step *step, const Memory *memory);

#endif
