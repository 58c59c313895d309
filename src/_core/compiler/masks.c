/* Masks: because of `where` and `take`, a gradient may reach a node only for some samples. See passes.py. */
#include "flat.h"

enum { ALWAYS = 1, SOMETIMES = 2 };

/* Determine whether the gradient of the outputs reaches a node for every sample or only for some. */
void find_reach(const Graph *g, uint8_t *reach) {
    memset(reach, 0, (size_t)g->n);
    for (int32_t i = 0; i < g->n_outputs; i++) reach[g->outputs[i]] = ALWAYS;
    for (int32_t i = g->n - 1; i >= 0; i--) {
        if (is_leaf(g, i) || !reach[i]) continue;
        const uint8_t passed = reach[i] & ALWAYS && !selects(g->code[i]) ? ALWAYS : SOMETIMES;
        for (int32_t k = 0; k < count_of(g, i); k++)
            if (is_differentiable(g->code[i], k)) reach[args_of(g, i)[k]] |= passed;
    }
    for (int32_t i = 0; i < g->n; i++)
        reach[i] = reach[i] & ALWAYS ? ALWAYS : is_leaf(g, i) ? 0 : reach[i];
}

static int copy_graph(const Graph *g, Graph *new) {
    int32_t *places = PyMem_Malloc((size_t)g->n * sizeof *places + 1), fault = places ? 0 : OUT_OF_MEMORY;
    for (int32_t i = 0; fault >= 0 && i < g->n; i++) fault = places[i] = graph_add_copy(new, g, i, places);
    if (fault >= 0) fault = graph_results(new, g, places, 1);
    PyMem_Free(places);
    return fault;
}

/* Add a node that is 1 where `where` or `take` selects argument k, else 0. */
static int32_t chosen(Graph *g, int code, int32_t choice, int32_t k) {
    const int32_t number = graph_add_constant(g, code == OP_WHERE ? 0.0 : (double)(k - 1));
    if (number < 0) return number;
    const int32_t equal = graph_add(g, OP_EQUAL, 2, (int32_t[]){choice, number});
    if (equal < 0 || code != OP_WHERE || k == 2) return equal;
    const int32_t one = graph_add_constant(g, 1.0);
    return one < 0 ? one : graph_add(g, OP_SUB, 2, (int32_t[]){one, equal});
}

/* Merge the mask of node i, as seen by its argument k, into that argument's mask. Returns 0 or a fault. */
static int pass_mask(Graph *g, int32_t *mask, int32_t i, int32_t k) {
    const int code = g->code[i];
    const int32_t a = args_of(g, i)[k];
    int32_t path = mask[i];
    if (selects(code)) {
        const int32_t this = chosen(g, code, args_of(g, i)[0], k);
        if (this < 0) return this;
        path = path < 0 ? this : graph_add(g, OP_MUL, 2, (int32_t[]){path, this});
        if (path < 0) return path;
    }
    if (path >= 0 && mask[a] >= 0) {
        path = graph_add(g, OP_MAXIMUM, 2, (int32_t[]){mask[a], path});
        if (path < 0) return path;
    }
    if (path >= 0) mask[a] = path;
    return 0;
}

/* Add a mask to each node that only some samples select. */
int with_masks(const Graph *g, Graph *new) {
    int fault = copy_graph(g, new);
    if (fault) return fault;
    const int32_t n = new->n;
    uint8_t *reach = PyMem_Malloc((size_t)n + 1);
    int32_t *mask = new->mask = PyMem_Malloc(((size_t)n + 1) * sizeof *mask);
    if (!reach || !mask) fault = OUT_OF_MEMORY;
    if (!fault) find_reach(new, reach);
    for (int32_t i = 0; !fault && i < n; i++) mask[i] = -1;
    for (int32_t i = n - 1; !fault && i >= 0; i--)
        for (int32_t k = 0; !fault && reach[i] && !is_leaf(new, i) && k < count_of(new, i); k++)
            if (reach[args_of(new, i)[k]] == SOMETIMES && is_differentiable(new->code[i], k)) fault = pass_mask(new, mask, i, k);
    /* The nodes added here have no mask, and no gradient reaches them. */
    int32_t *masks = fault ? NULL : PyMem_Realloc(mask, ((size_t)new->n + 1) * sizeof *mask);
    new->reached = PyMem_Calloc((size_t)new->n + 1, 1);
    if (masks) new->mask = masks;
    if (!fault && (!masks || !new->reached)) fault = OUT_OF_MEMORY;
    for (int32_t i = 0; !fault && i < new->n; i++) {
        new->reached[i] = i < n && reach[i];
        if (i >= n) masks[i] = -1;
    }
    PyMem_Free(reach);
    return fault;
}
