/* The flat graph: adding nodes, and queries over a whole graph. See graph.py. */
#include "flat.h"

/* Grow an array to hold at least `needed` items, with room to spare. The system remaps a large array
 * instead of copying it, and unused pages take no memory. */
int make_room(void *array, int32_t *capacity, int64_t needed, size_t size) {
    if (needed <= *capacity) return 0;
    if (needed > INT32_MAX) return TOO_LARGE;
    int64_t larger = (int64_t)*capacity + *capacity / 2 + 16;
    if (larger < needed) larger = needed;
    if (larger > INT32_MAX) larger = INT32_MAX;
    void *items; /* the pointer is copied with memcpy, because its type is unknown here */
    memcpy(&items, array, sizeof items);
    if (!(items = PyMem_Realloc(items, (size_t)larger * size))) return OUT_OF_MEMORY;
    memcpy(array, &items, sizeof items);
    *capacity = (int32_t)larger;
    return 0;
}

/* Make room for one more node with `count` arguments. */
static int node_room(Graph *g, int64_t count) {
    if (g->n + 1 >= g->capacity) {
        int32_t capacity = g->capacity; /* shared by both arrays, so it is updated only after both have grown */
        const int64_t needed = (int64_t)g->n + 2;
        int fault = make_room(&g->code, &capacity, needed, sizeof *g->code);
        capacity = g->capacity;
        if (!fault) fault = make_room(&g->first, &capacity, needed, sizeof *g->first);
        if (fault) return fault;
        g->capacity = capacity;
        if (!g->n) g->first[0] = 0;
    }
    return make_room(&g->args, &g->args_capacity, g->n_args + count, sizeof *g->args);
}

/* Add a node and return its number or a fault. If `args` is NULL, the caller fills the arguments in. */
int32_t graph_add(Graph *g, int code, int64_t count, const int32_t *args) {
    const int fault = node_room(g, count);
    if (fault) return fault;
    g->code[g->n] = (uint8_t)code;
    if (args) memcpy(g->args + g->n_args, args, (size_t)count * sizeof *args);
    g->n_args += (int32_t)count;
    g->first[g->n + 1] = g->n_args;
    return g->n++;
}

int32_t graph_add_constant(Graph *g, double number) {
    const int fault = make_room(&g->numbers, &g->numbers_capacity, (int64_t)g->n_numbers + 1, sizeof *g->numbers);
    if (fault) return fault;
    const int32_t i = graph_add(g, CONSTANT_NODE, 1, &g->n_numbers);
    if (i >= 0) g->numbers[g->n_numbers++] = number;
    return i;
}

typedef struct {
    const Graph *graph;
    double number;
} WantedNumber;

static int same_number(const void *wanted, int32_t i) {
    const WantedNumber *w = wanted;
    if (w->graph->code[i] != CONSTANT_NODE) return 0;
    const double x = number_of(w->graph, i);
    return (x != x && w->number != w->number) || !memcmp(&x, &w->number, sizeof x);
}

/* Equal constants share one node. 0 and -0 differ; all NaNs count as equal. */
int32_t graph_constant(Graph *g, Table *known, double number) {
    uint64_t bits = 0;
    if (number == number) memcpy(&bits, &number, sizeof bits);
    const WantedNumber wanted = {g, number};
    const int32_t next = g->n;
    const int32_t i = table_enter(known, hash_more(CONSTANT_NODE, bits), same_number, &wanted, next);
    return i == next ? graph_add_constant(g, number) : i;
}

/* Copy a node from another graph; `places[j]` is the number in `g` of node j of `from`. */
int32_t graph_add_copy(Graph *g, const Graph *from, int32_t i, const int32_t *places) {
    if (from->code[i] == CONSTANT_NODE) return graph_add_constant(g, number_of(from, i));
    const int32_t count = count_of(from, i), *old = args_of(from, i);
    if (is_leaf(from, i)) return graph_add(g, from->code[i], 1, old);
    const int32_t new = graph_add(g, from->code[i], count, NULL);
    if (new >= 0)
        for (int32_t k = 0; k < count; k++) args_of(g, new)[k] = places[old[k]];
    return new;
}

static int32_t *moved(const int32_t *nodes, int32_t n, const int32_t *places) {
    int32_t *result = PyMem_Malloc((size_t)n * sizeof *result + 1);
    for (int32_t i = 0; result && i < n; i++) result[i] = places[nodes[i]];
    return result;
}

/* Copy the guards of another graph and, if `outputs` is set, its outputs. */
int graph_results(Graph *g, const Graph *from, const int32_t *places, int outputs) {
    g->n_outputs = outputs ? from->n_outputs : 0;
    g->n_guards = from->n_guards;
    g->outputs = moved(from->outputs, g->n_outputs, places);
    g->guards = moved(from->guards, g->n_guards, places);
    return g->outputs && g->guards ? 0 : OUT_OF_MEMORY;
}

void graph_free(Graph *g) {
    FREE_ALL(g->code, g->first, g->args, g->numbers, g->outputs, g->guards, g->mask, g->reached);
    *g = (Graph){0};
}

static int is_wellformed(const Graph *g, int32_t i) {
    const int code = g->code[i];
    const int32_t count = count_of(g, i), *args = args_of(g, i);
    if (is_leaf(g, i))
        return code <= CONSTANT_NODE && count == 1 && args[0] >= 0 && (code != CONSTANT_NODE || args[0] < g->n_numbers);
    for (int32_t k = 0; k < count; k++)
        if (args[k] < 0 || args[k] >= i) return 0;
    if (code == TAKE_NODE) return count > 1;
    return code > 0 && (is_fold(code) ? count > 0 && count % ROWS[code].width == 0 : count == ROWS[code].arity);
}

int graph_verify(const Graph *g) {
    for (int32_t i = 0; i < g->n; i++)
        if (!is_wellformed(g, i)) return MALFORMED;
    for (int32_t i = 0; i < g->n_outputs; i++)
        if (g->outputs[i] < 0 || g->outputs[i] >= g->n) return MALFORMED;
    for (int32_t i = 0; i < g->n_guards; i++)
        if (g->guards[i] < 0 || g->guards[i] >= g->n) return MALFORMED;
    return 0;
}

/* Count how often each node is used as an argument or a result. */
void graph_uses(const Graph *g, int32_t *counts) {
    memset(counts, 0, (size_t)g->n * sizeof *counts);
    for (int32_t i = 0; i < g->n_outputs; i++) counts[g->outputs[i]]++;
    for (int32_t i = 0; i < g->n_guards; i++) counts[g->guards[i]]++;
    for (int32_t i = 0; i < g->n; i++)
        for (int32_t k = 0; !is_leaf(g, i) && k < count_of(g, i); k++) counts[args_of(g, i)[k]]++;
}

static int needs_to_vary(const Graph *g, const uint8_t *found, int32_t i) {
    return is_masked(g, i) && !is_leaf(g, i) && !found[i] && found[g->mask[i]];
}

/* If a mask varies, so do the nodes it masks and everything that depends on them, which may include
 * other masks. Visits each affected node once, by following users. */
static int vary_with_masks(const Graph *g, uint8_t *found) {
    if ((int64_t)g->n + g->n_args > INT32_MAX) return TOO_LARGE; /* the users, listed once per use */
    const size_t n = (size_t)g->n, size = sizeof(int32_t);
    int32_t *begin = PyMem_Calloc(n + 2, size), *stack = PyMem_Malloc((n + 1) * size), depth = 0;
    int32_t *users = PyMem_Malloc((n + (size_t)g->n_args + 1) * size);
    const int fault = begin && stack && users ? 0 : OUT_OF_MEMORY;
    for (int fill = 0; !fault && fill < 2; fill++) { /* first count the users of each node, then list them */
        for (int32_t i = 0; i < g->n; i++) {
            if (is_leaf(g, i)) continue;
            for (int32_t k = 0; k <= count_of(g, i); k++) {
                const int32_t a = k < count_of(g, i) ? args_of(g, i)[k] : g->mask[i];
                if (a < 0) continue;
                if (fill)
                    users[begin[a + 1]++] = i;
                else
                    begin[a + 2]++;
            }
        }
        for (int32_t i = 0; !fill && i < g->n; i++) begin[i + 2] += begin[i + 1];
    }
    for (int32_t i = 0; !fault && i < g->n; i++)
        if (needs_to_vary(g, found, i)) stack[depth++] = i;
    for (int32_t i = 0; i < depth; i++) found[stack[i]] = 1;
    while (depth) {
        const int32_t i = stack[--depth];
        for (int32_t k = begin[i]; k < begin[i + 1]; k++)
            if (!found[users[k]]) found[users[k]] = 1, stack[depth++] = users[k];
    }
    FREE_ALL(begin, stack, users);
    return fault;
}

/* Mark the nodes that must be computed for every sample: those that depend on an input, or whose mask
 * does. */
int graph_varying(const Graph *g, uint8_t *found) {
    int more = 0;
    for (int32_t i = 0; i < g->n; i++) {
        found[i] = g->code[i] == INPUT_NODE;
        for (int32_t k = 0; !is_leaf(g, i) && !found[i] && k < count_of(g, i); k++) found[i] = found[args_of(g, i)[k]];
    }
    for (int32_t i = 0; i < g->n; i++) more |= needs_to_vary(g, found, i);
    return more ? vary_with_masks(g, found) : 0;
}
