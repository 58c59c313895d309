/* The machine: runs programs of the compiler on batches. */
#ifndef CHAINRULE_MACHINE_H
#define CHAINRULE_MACHINE_H

#include "node.h"
#include "steps.h"
#include <stdatomic.h>

#define MACHINE "chainrule.machine" /* the name of its capsules */

typedef struct {
    Step *steps;
    ptrdiff_t n;
} Steps;

/* A program, made ready to run. */
typedef struct {
    Steps once, each, pull_each, pull_once;
    int32_t *rows;
    ptrdiff_t n_rows;
    double *constants;
    ptrdiff_t n_constants;
    View *outputs, *guards;
    ptrdiff_t n_outputs, n_guards;
    ptrdiff_t params, inputs, shared_rows, each_rows;
    ptrdiff_t terms, masked; /* the most terms of a fold, and rows of a masked step */
    double cost; /* multiplications for a sample */
} Machine;

enum { MOST_AXES = 4 };

/* Where the numbers of an input are: an array with one or more axes, of which the samples are the
 * elements in order. A stride of 0 repeats. */
typedef struct {
    const char *start;
    ptrdiff_t strides[MOST_AXES]; /* in bytes */
} Source;

/* A capsule for it, if its steps are sound; takes it over. And how to let go of one that has none. */
PyObject *machine_ready(Machine *machine);
void machine_drop(Machine *machine);

/* Runs of it on batches of one size. */
typedef struct {
    const Machine *machine;
    const Interpreter *interpreter;
    const Source *inputs;
    const ptrdiff_t *shape; /* of the sources, with so many axes */
    int axes;
    const double *seed;
    double *outputs, *guards;
    const int32_t *wanted; /* inputs whose adjoints are wanted */
    ptrdiff_t n_wanted;
    double *input_adjoints;
    int single;                     /* whether numbers are stored as floats, where it says void */
    void *shared, *shared_adjoints; /* the adjoints of each chunk, one after another; in the end, their sum first */
    int lent; /* whether both belong to the caller */
    void *masked; /* for what is shared: see Memory */
    double *terms;
    int same_inputs, fetched; /* whether the inputs stay as they are from batch to batch, and are there */
    void *own;                /* the memory of the only block, if there is one block only */
    struct Bound *bound;      /* its steps, bound to it: see run_bind */
    ptrdiff_t samples, lanes, blocks, chunks;
    int threads;
    atomic_int failed;
    Wrong wrong; /* if that is WRONG_INDEX */
} Run;

/* The interpreter for the kind of SIMD in use; NULL with an error if this machine does not have it. */
const Interpreter *interpreter_for(int single);

/* Plan and get memory; run batches, without the interpreter lock; let go of the memory. The first
 * two return 0, or what failed. */
enum { NO_MEMORY = -1, WRONG_INDEX = -2 };
int run_begin(Run *run);
int run_batch(Run *run, const double *params, double *param_adjoints);
/* Use memory of the caller for the shared rows and their adjoints; for runs of one chunk, on doubles. */
void run_lend(Run *run, double *shared, double *shared_adjoints);
/* For a run of one block that is run again and again: find the numbers of its steps once. `rows` is
 * memory of the caller for the block, inputs included, with this stride; or NULL; of doubles, and only
 * `run_rows` may run it then. Runs of several blocks or very many steps stay as they are. After that no
 * memory may be lent any more. Returns 0, or what failed. */
int run_bind(Run *run, double *rows, ptrdiff_t stride);
/* The values of a run that is bound to rows of the caller; on doubles. */
int run_rows(Run *run, const double *params);
void run_end(Run *run);
void raise_failure(int failure, const Wrong *wrong);

/* Of a block: from row to row, and in bytes. Rows of a vector or more begin where vectors do: a load
 * across two cache lines takes twice as long. */
static inline ptrdiff_t stride_of(ptrdiff_t lanes) { return lanes < 8 ? lanes : (lanes + 7) / 8 * 8; }
static inline size_t terms_bytes(const Machine *m) { return (2 * (size_t)m->terms * sizeof(double) + 63) / 64 * 64; }
size_t block_bytes(const Run *run);

/* blocks.h, for numbers stored in either way */
int run_batch_double(Run *run, const double *params, double *param_adjoints);
int run_batch_single(Run *run, const double *params, double *param_adjoints);
int run_bind_double(Run *run, double *rows, ptrdiff_t stride);
int run_bind_single(Run *run, double *rows, ptrdiff_t stride);

#endif
