/* Groups: which nodes can share one instruction, in execution order. */
#include "lower.h"

typedef struct {
    const Lowering *lowering;
    const int32_t *level;
    int32_t node;
    const int32_t *firsts; /* the first node of each group */
} Looked;

static int reached(const Graph *g, int32_t i) { return !g->reached || g->reached[i]; }

static int same_group(const void *wanted, int32_t group) {
    const Looked *w = wanted;
    const Lowering *l = w->lowering;
    const Graph *g = l->graph;
    const int32_t i = w->node, j = w->firsts[group], count = count_of(g, i);
    if (w->level[i] != w->level[j] || l->varying[i] != l->varying[j] || g->code[i] != g->code[j]) return 0;
    if (count != count_of(g, j) || reached(g, i) != reached(g, j) || is_masked(g, i) != is_masked(g, j)) return 0;
    for (int32_t k = 0; !is_fold(g->code[i]) && k < count; k++)
        if (l->varying[args_of(g, i)[k]] != l->varying[args_of(g, j)[k]]) return 0;
    return 1;
}

static uint64_t hash_group(const Looked *w) {
    const Lowering *l = w->lowering;
    const Graph *g = l->graph;
    const int32_t i = w->node, count = count_of(g, i);
    const int32_t key[] = {w->level[i], g->code[i], count, l->varying[i] + 2 * reached(g, i) + 4 * is_masked(g, i)};
    uint64_t hash = hash_items(0, key, 4);
    for (int32_t k = 0; !is_fold(g->code[i]) && k < count; k++) hash = hash_more(hash, l->varying[args_of(g, i)[k]]);
    return hash;
}

void sort_by(const int32_t *key, int32_t n, int32_t most, int32_t *begin, int32_t *sorted) {
    memset(begin, 0, ((size_t)most + 1) * sizeof *begin);
    for (int32_t i = 0; i < n; i++)
        if (key[i] >= 0) begin[key[i] + 1]++;
    for (int32_t k = 0; k < most; k++) begin[k + 1] += begin[k];
    for (int32_t i = 0; i < n; i++)
        if (key[i] >= 0) sorted[begin[key[i]]++] = i;
    for (int32_t k = most; k > 0; k--) begin[k] = begin[k - 1];
    begin[0] = 0;
}

/* Group the nodes. Groups are ordered by level, then by their first node. */
int find_groups(const Lowering *l, Groups *groups) {
    const Graph *g = l->graph;
    const size_t bytes = ((size_t)g->n + 2) * sizeof(int32_t);
    int32_t *level = PyMem_Malloc(bytes), *group = PyMem_Malloc(bytes), *firsts = PyMem_Malloc(bytes);
    int32_t *order = PyMem_Malloc(bytes), *number = PyMem_Malloc(bytes), *begin = PyMem_Malloc(bytes);
    int32_t n = 0, deepest = 0, fault = OUT_OF_MEMORY;
    Table known = {0};
    *groups = (Groups){.ids = PyMem_Malloc(bytes), .first = PyMem_Malloc(bytes)};
    if (!level || !group || !firsts || !order || !number || !begin || !groups->ids || !groups->first) goto done;
    for (int32_t i = 0; i < g->n; i++) {
        level[i] = is_leaf(g, i) ? 0 : 1;
        group[i] = -1;
        if (is_leaf(g, i)) continue;
        for (int32_t k = 0; k < count_of(g, i); k++)
            if (level[args_of(g, i)[k]] >= level[i]) level[i] = level[args_of(g, i)[k]] + 1;
        if (level[i] > deepest) deepest = level[i];
        const Looked wanted = {l, level, i, firsts};
        if ((group[i] = table_enter(&known, hash_group(&wanted), same_group, &wanted, n)) < 0) goto done;
        if (group[i] == n) firsts[n++] = i;
    }
    table_free(&known);
    int32_t *levels = number; /* of the groups, numbered in the order of their first nodes */
    for (int32_t k = 0; k < n; k++) levels[k] = level[firsts[k]];
    sort_by(levels, n, deepest + 1, begin, order);
    for (int32_t k = 0; k < n; k++) number[order[k]] = k;
    for (int32_t i = 0; i < g->n; i++)
        if (group[i] >= 0) group[i] = number[group[i]];
    sort_by(group, g->n, n, groups->first, groups->ids);
    groups->n = n;
    fault = 0;
done:
    table_free(&known);
    FREE_ALL(level, group, firsts, order, number, begin);
    return fault;
}
