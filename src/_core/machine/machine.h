/* The virtual machine: runs compiled programs on batches. */
#ifndef CHAINRULE_MACHINE_H
#define CHAINRULE_MACHINE_H

#include "node.h"
#include "steps.h"
#include <stdatomic.h>

#define MACHINE "chainrule.machine" /* capsule name */

typedef struct {
    Step *steps;
    ptrdiff_t n;
} Steps;

typedef void Kernel(const Memory *);

/* A program that is ready to run. */
typedef struct {
    Steps once, each, pull_each, pull_once;
    int32_t *rows;
    ptrdiff_t n_rows;
    double *constants;
    ptrdiff_t n_constants;
    View *outputs, *guards;
    ptrdiff_t n_outputs, n_guards;
    ptrdiff_t params, inputs, shared_rows, each_rows;
    ptrdiff_t terms, masked; /* the most arguments of any fold, and the most rows in any masked step */
    double cost; /* multiplications per sample */
    /* A kernel in place of the steps `each` and all of `pull_each` but pulls to shared rows; or NULL. It uses less
     * memory, but splits a batch like the machine that it stands for, which has `planned` rows. */
    Kernel *kernel;
    ptrdiff_t planned;
    int padded; /* whether rows are padded to whole vectors even for fewer than 8 samples */
} Machine;

enum { MOST_AXES = 4 };

/* An input array with one or more axes; its elements, in order, are the samples. A stride of 0 broadcasts. */
typedef struct {
    const char *start;
    ptrdiff_t strides[MOST_AXES]; /* in bytes */
} Source;

/* machine_ready checks the steps and returns a capsule that owns the machine. machine_drop frees a machine
 * that has no capsule. */
PyObject *machine_ready(Machine *machine);
void machine_drop(Machine *machine);

/* The runs of a program on batches of one size. */
typedef struct {
    const Machine *machine;
    const Interpreter *interpreter;
    const Source *inputs;
    const ptrdiff_t *shape; /* of the sources, with `axes` axes */
    int axes;
    const double *seed;
    double *outputs, *guards;
    const int32_t *wanted; /* the inputs whose adjoints are needed */
    ptrdiff_t n_wanted;
    double *input_adjoints;
    int single;                     /* whether the void pointers below hold floats */
    void *shared, *shared_adjoints; /* the adjoints of each chunk, in order; at the end, the first chunk has the sum */
    void *masked; /* for shared steps: see Memory */
    double *terms;
    int same_inputs, fetched; /* whether the inputs are the same for every batch, and already fetched */
    void *own;                /* the memory of the block, if there is only one */
    void *memory;             /* all memory that run_begin borrowed */
    struct Bound *bound;      /* its bound steps: see run_bind */
    ptrdiff_t samples, lanes, blocks, chunks;
    int threads;
    atomic_int failed;
    Wrong wrong; /* set if `failed` is WRONG_INDEX */
} Run;

/* The interpreter for the selected instruction set; NULL with an error if this machine lacks it. */
const Interpreter *interpreter_for(int single);

/* run_begin plans a run and allocates memory; run_batch runs a batch, with the GIL released; run_end frees the
 * memory. The first two return 0 or an error code. */
enum { NO_MEMORY = -1, WRONG_INDEX = -2 };
int run_begin(Run *run);
int run_batch(Run *run, const double *params, double *param_adjoints);
/* Use the caller's memory for the shared rows and their adjoints; only for one-chunk runs on doubles. */
void run_lend(Run *run, double *shared, double *shared_adjoints);
/* For a one-block run that repeats: compute the addresses of its steps once. `rows`, if not NULL, is the
 * caller's memory for the block including inputs, as doubles with this stride; then only `run_rows` may run
 * the block. Runs of several blocks or very many steps stay unbound. No memory may be lent afterwards.
 * Returns 0 or an error code. */
int run_bind(Run *run, double *rows, ptrdiff_t stride);
/* Compute the values of a run bound to the caller's rows of doubles. */
int run_rows(Run *run, const double *params);
void run_end(Run *run);
void raise_failure(int failure, const Wrong *wrong);

/* The stride between rows of a block, and its size in bytes. The rows of a batch of at least 8 samples are padded
 * to whole vectors of 8, so that no load straddles two cache lines. */
static inline ptrdiff_t stride_of(const Run *run, ptrdiff_t lanes) {
    const ptrdiff_t unit = run->samples < 8 && !run->machine->padded ? 1 : 8;
    return (lanes + unit - 1) / unit * unit;
}
static inline size_t terms_bytes(const Machine *m) { return (2 * (size_t)m->terms * sizeof(double) + 63) / 64 * 64; }
size_t block_bytes(const Run *run);

/* blocks.h, for either storage type */
int run_batch_double(Run *run, const double *params, double *param_adjoints);
int run_batch_single(Run *run, const double *params, double *param_adjoints);
int run_bind_double(Run *run, double *rows, ptrdiff_t stride);
int run_bind_single(Run *run, double *rows, ptrdiff_t stride);

#endif
