/* Lowering a graph to steps: declarations shared by lower.c, groups.c and products.c. See _Lowering in lowering.py. */
#ifndef CHAINRULE_LOWER_H
#define CHAINRULE_LOWER_H

#include "flat.h"

/* A growable array of integers. */
typedef struct {
    int32_t *items;
    int32_t n, capacity;
} Ints;

/* The steps for one memory region, and the row numbers that their copy steps read. */
typedef struct {
    Step *steps;
    int32_t n, capacity;
    int32_t memory; /* rows so far */
    Ints rows;
} Code;

typedef struct {
    int32_t kind, shared, first, count, out;
} Copy;

enum { EACH, SHARED };

typedef struct {
    const Graph *graph;
    int narrow;
    uint8_t *varying;
    int32_t *uses, *rows;
    Code code[2]; /* EACH and SHARED */
    Copy *copies; /* so that the same rows are copied only once */
    int32_t n_copies, copies_capacity;
    Table copied;
    Ints scratch;          /* the rows of an argument */
    Ints products;         /* the first row and the step number of each matrix product in `each` */
    Ints masked;           /* for each masked step: shared, step number, number of nodes, the nodes */
    const int32_t **lines; /* scratch space for the lines of a table: one per node of a group */
} Lowering;

int32_t *scratch_for(Lowering *l, int64_t count);
int append(Ints *ints, int32_t x);
int reserve(Lowering *l, int shared, int64_t count, int32_t *out);
int place(Lowering *l, int shared, const int32_t *ids, int32_t count, int32_t *out);
int emit(Lowering *l, const Step *step);
int matrix(Lowering *l, int shared, int32_t count, const int32_t *const *lines, int32_t terms, int consecutive, View *view);

/* groups.c: nodes with the same operation at the same depth; they do not depend on each other */
typedef struct {
    int32_t *ids;   /* nodes, group by group */
    int32_t *first; /* where each group begins, with one entry past the end */
    int32_t n;
} Groups;
int find_groups(const Lowering *l, Groups *groups); /* the caller frees both arrays, even after a fault */
/* Counting sort: sorts the numbers below n by key. Keys are below `most`; numbers with a negative key are
 * left out. The sort is stable. `begin` receives where each key starts, with one entry past the end. */
void sort_by(const int32_t *key, int32_t n, int32_t most, int32_t *begin, int32_t *sorted);

/* products.c */
int lower_dots(Lowering *l, const int32_t *ids, int32_t count);
int add_to_product(Lowering *l, const int32_t *run, int32_t count); /* 1 if merged, 0 if not, or a fault */

#endif
