/* The flat graph: a traced function as arrays, and the compiler stages that work on it.
 *
 * A C version of graph.py, passes.py, lowering.py and reverse.py, for programs of millions of nodes. The
 * Python files explain what is done and why. The C code works in the same order, so that both produce the
 * same steps. No Python code runs here: a function that fails returns a fault, and pipeline.c raises it. */
#ifndef CHAINRULE_FLAT_H
#define CHAINRULE_FLAT_H

#include "machine.h"
#include "table.h"

#define GRAPH "chainrule.graph" /* capsule name */

/* Node codes in addition to the operations of the table. */
enum { TAKE_NODE = OP_END, INPUT_NODE, PARAM_NODE, CONSTANT_NODE };

enum { OUT_OF_MEMORY = -1, TOO_LARGE = -2, MALFORMED = -3, SETTLED_BEFORE = -4 };

/* The arguments of node i are args[first[i]] to args[first[i + 1]], all earlier nodes. A leaf has one
 * argument: its number or, for a constant, its position in `numbers`. */
typedef struct {
    int32_t n, capacity;
    uint8_t *code;
    int32_t *first;
    int32_t n_args, args_capacity;
    int32_t *args;
    int32_t n_numbers, numbers_capacity;
    double *numbers;
    int32_t *outputs, *guards;
    int32_t n_outputs, n_guards;
    int32_t *mask;    /* for each node, a node that is 0 for the samples that do not use it, or -1; may be NULL */
    uint8_t *reached; /* by a gradient; NULL if not computed */
} Graph;

static inline int is_leaf(const Graph *g, int32_t i) { return g->code[i] >= INPUT_NODE; }
static inline int is_fold(int code) { return code < OP_END && ROWS[code].width != 0; }
static inline int selects(int code) { return code == TAKE_NODE || (code < OP_END && ROWS[code].selects); }
static inline int is_differentiable(int code, int32_t part) {
    if (code == TAKE_NODE) return part > 0;
    return is_fold(code) || (ROWS[code].differentiable >> part & 1);
}
static inline int32_t count_of(const Graph *g, int32_t i) { return g->first[i + 1] - g->first[i]; }
static inline int32_t *args_of(const Graph *g, int32_t i) { return g->args + g->first[i]; }
static inline double number_of(const Graph *g, int32_t i) { return g->numbers[*args_of(g, i)]; }
static inline int is_masked(const Graph *g, int32_t i) { return g->mask && g->mask[i] >= 0; }

/* flat.c */
int make_room(void *array, int32_t *capacity, int64_t needed, size_t size);
int32_t graph_add(Graph *g, int code, int64_t count, const int32_t *args);
int32_t graph_add_constant(Graph *g, double number);
int32_t graph_constant(Graph *g, Table *known, double number); /* deduplicated */
int32_t graph_add_copy(Graph *g, const Graph *from, int32_t i, const int32_t *places);
int graph_results(Graph *g, const Graph *from, const int32_t *places, int outputs);
void graph_free(Graph *g);
int graph_verify(const Graph *g);
void graph_uses(const Graph *g, int32_t *counts);
int graph_varying(const Graph *g, uint8_t *found);

/* passes.c and masks.c: each builds a new graph, which the caller frees even after a fault */
enum { GUARDS, RESULTS, VALUES }; /* what drop_dead keeps */
int drop_dead(const Graph *g, int results, Graph *new);
int simplified(const Graph *g, Graph *new);
int optimise(const Graph *g, Graph *new);
int with_masks(const Graph *g, Graph *new);
void find_reach(const Graph *g, uint8_t *reach);

/* lower.c and reverse.c: fill in a machine whose `params` and `inputs` are set */
int lower(const Graph *g, int narrow, Machine *machine);
int reverse(Machine *machine, int params, const int32_t *wanted, ptrdiff_t n_wanted);

/* pipeline.c: takes ownership of the graph, or raises the fault */
PyObject *graph_capsule(Graph *g, int fault);

#endif
