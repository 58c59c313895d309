/* The lowering of a graph to steps: what its parts share. See _Lowering in lowering.py. */
#ifndef CHAINRULE_LOWER_H
#define CHAINRULE_LOWER_H

#include "flat.h"

/* An array of numbers that grows. */
typedef struct {
    int32_t *items;
    int32_t n, capacity;
} Ints;

/* Steps for one of the memories, and the row numbers of their copies. */
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
    Copy *copies; /* the same rows are copied once */
    int32_t n_copies, copies_capacity;
    Table copied;
    Ints scratch;          /* the rows of an argument */
    Ints products;         /* the first row of each matrix product in `each`, and which step it is */
    Ints masked;           /* for each masked step: shared, its number, how many nodes, and these */
    const int32_t **lines; /* room for the lines of a table: one for each node of a group */
} Lowering;

int32_t *scratch_for(Lowering *l, int64_t count);
int append(Ints *ints, int32_t x);
int reserve(Lowering *l, int shared, int64_t count, int32_t *out);
int place(Lowering *l, int shared, const int32_t *ids, int32_t count, int32_t *out);
int emit(Lowering *l, const Step *step);
int matrix(Lowering *l, int shared, int32_t count, const int32_t *const *lines, int32_t terms, int plain, View *view);

/* groups.c: nodes that do the same at the same distance from the leaves; none needs another */
typedef struct {
    int32_t *ids;   /* nodes, group after group */
    int32_t *first; /* where each group begins; one more than there are groups */
    int32_t n;
} Groups;
int find_groups(const Lowering *l, Groups *groups);
void groups_free(Groups *groups);
/* The numbers 0 to n, sorted by their keys, which are below `most`; equal ones stay in order, and those
 * with a key below 0 are left out. Where those of each key begin is left in `begin`: one more than `most`. */
void sort_by(const int32_t *key, int32_t n, int32_t most, int32_t *begin, int32_t *sorted);

/* products.c */
int lower_dots(Lowering *l, const int32_t *ids, int32_t count);
int add_to_product(Lowering *l, const int32_t *run, int32_t count); /* 1 if it did, or 0, or a fault */

#endif
