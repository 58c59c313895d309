/* A graph under construction, without duplicate nodes. See Builder in passes.py. */
#ifndef CHAINRULE_BUILDER_H
#define CHAINRULE_BUILDER_H

#include "flat.h"

typedef struct {
    Graph *graph;
    Table known;
    double *numbers; /* scratch space for constant arguments */
} Builder;

typedef struct {
    const Graph *graph;
    int code;
    int32_t count;
    const int32_t *args;
} Wanted;

static inline int same_node(const void *wanted, int32_t i) {
    const Wanted *w = wanted;
    if (w->graph->code[i] != w->code || count_of(w->graph, i) != w->count) return 0;
    return !memcmp(args_of(w->graph, i), w->args, (size_t)w->count * sizeof(int32_t));
}

static inline int is_number(const Builder *r, int32_t i, double number) {
    return r->graph->code[i] == CONSTANT_NODE && number_of(r->graph, i) == number;
}

static inline int32_t constant(Builder *r, double number) { return graph_constant(r->graph, &r->known, number); }

static inline int32_t node(Builder *r, int code, int32_t count, const int32_t *args) {
    const Wanted wanted = {r->graph, code, count, args};
    const int32_t next = r->graph->n;
    const int32_t i =
        table_enter(&r->known, hash_items((uint64_t)code, args, count), same_node, &wanted, next);
    return i == next ? graph_add(r->graph, code, count, args) : i;
}

#endif
