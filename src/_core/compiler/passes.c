/* Passes: graph-to-graph optimisations that preserve results up to rounding. See passes.py. */
#include "builder.h"

/* --- simplify ----------------------------------------------------------------------------------- */

/* Add a node, or return the first fault among its freshly built arguments. */
static int32_t built(Builder *r, int code, int32_t count, const int32_t *args) {
    for (int32_t k = 0; k < count; k++)
        if (args[k] < 0) return args[k];
    return node(r, code, count, args);
}

enum { NO_REWRITE = INT32_MIN }; /* neither a node nor a fault */
#include "rewrites.h"

/* The position that an index selects among `count` elements, or -1 if the index is invalid. */
static int32_t taken(double index, int32_t count) {
    return index >= 0.0 && index < count && index == floor(index) ? (int32_t)index : -1;
}

static double folded(int code, int32_t count, const double *x) {
    if (code != TAKE_NODE) return is_fold(code) ? variadic_value(code, x, count / ROWS[code].width) : fixed_value(code, x);
    const int32_t place = taken(x[0], count - 1);
    return place < 0 ? NAN : x[1 + place];
}

static int32_t apply_row(Builder *r, int code, int32_t count, const int32_t *args) {
    const Graph *g = r->graph;
    int32_t known = 0;
    while (known < count && g->code[args[known]] == CONSTANT_NODE) known++;
    if (known == count) {
        for (int32_t k = 0; k < count; k++) r->numbers[k] = number_of(g, args[k]);
        return constant(r, folded(code, count, r->numbers));
    }
    if (code == TAKE_NODE && known) {
        const int32_t place = taken(number_of(g, args[0]), count - 1);
        if (place >= 0) return args[1 + place];
    }
    const int32_t cheaper = rewritten(r, code, args);
    return cheaper == NO_REWRITE ? node(r, code, count, args) : cheaper;
}

/* Constant folding, common subexpression elimination and cheaper rewrites. */
static int simplify(const Graph *g, Graph *new) {
    Builder r = {.graph = new};
    int32_t widest = 0, results = 0, fault = OUT_OF_MEMORY;
    for (int32_t i = 0; i < g->n; i++) {
        if (count_of(g, i) > widest) widest = count_of(g, i);
        results += !is_leaf(g, i);
    }
    r.numbers = PyMem_Malloc(((size_t)widest + 3) * sizeof *r.numbers);
    int32_t *places = PyMem_Malloc((size_t)g->n * sizeof *places + 1);
    int32_t *args = PyMem_Malloc((size_t)widest * sizeof *args + 1);
    if (!r.numbers || !places || !args || table_room(&r.known, (uint32_t)results) < 0) goto done;
    for (int32_t i = 0; i < g->n; i++) {
        const int32_t count = count_of(g, i), *old = args_of(g, i);
        if (g->code[i] == CONSTANT_NODE)
            places[i] = constant(&r, number_of(g, i));
        else if (is_leaf(g, i))
            places[i] = graph_add(new, g->code[i], 1, old); /* extraction gives each leaf exactly one node */
        else {
            for (int32_t k = 0; k < count; k++) args[k] = places[old[k]];
            places[i] = apply_row(&r, g->code[i], count, args);
        }
        if ((fault = places[i]) < 0) goto done;
    }
    fault = graph_results(new, g, places, 1);
done:
    FREE_ALL(r.numbers, places, args);
    table_free(&r.known);
    return fault;
}

/* --- dead code ---------------------------------------------------------------------------------- */

/* Whether the node only passes its first argument on: the others matter to derivatives alone. */
static int is_value(const Graph *g, int32_t i, int results) { return results == VALUES && g->code[i] == OP_WITH_PARTIAL; }

/* Remove nodes that no result needs; the outputs count as results unless it is GUARDS. For VALUES, which will
 * not be differentiated, no partial is needed either. */
int drop_dead(const Graph *g, int results, Graph *new) {
    uint8_t *needed = PyMem_Calloc((size_t)g->n + 1, 1);
    int32_t *places = PyMem_Malloc((size_t)g->n * sizeof *places + 1);
    int32_t fault = OUT_OF_MEMORY;
    if (!needed || !places) goto done;
    for (int32_t i = 0; results != GUARDS && i < g->n_outputs; i++) needed[g->outputs[i]] = 1;
    for (int32_t i = 0; i < g->n_guards; i++) needed[g->guards[i]] = 1;
    for (int32_t i = g->n - 1; i >= 0; i--)
        for (int32_t k = 0; needed[i] && !is_leaf(g, i) && k < (is_value(g, i, results) ? 1 : count_of(g, i)); k++)
            needed[args_of(g, i)[k]] = 1;
    for (int32_t i = 0; i < g->n; i++) {
        if (!needed[i]) continue;
        places[i] = is_value(g, i, results) ? places[*args_of(g, i)] : graph_add_copy(new, g, i, places);
        if ((fault = places[i]) < 0) goto done;
    }
    fault = graph_results(new, g, places, results != GUARDS);
done:
    FREE_ALL(needed, places);
    return fault;
}

/* --- sums of products --------------------------------------------------------------------------- */

/* Sums under construction. The terms of a node are positions in `args`, linked by `next`, so that one sum
 * takes over the terms of another in constant time. */
typedef struct {
    const Graph *graph;
    Graph *made;
    int32_t *uses, *places, *head, *tail, *next;
    int32_t *terms;  /* how many; 0 if the node is not a sum */
    uint8_t *inside; /* part of another sum */
    uint8_t *varying;
} Sums;

static int is_product(const Sums *s, int32_t t) { return s->graph->code[t] == OP_MUL && s->uses[t] == 1; }

static void find_terms(Sums *s) {
    const Graph *g = s->graph;
    for (int32_t i = 0; i < g->n; i++) {
        if (g->code[i] != OP_ADD && g->code[i] != OP_SUM) continue;
        s->head[i] = -1;
        for (int32_t slot = g->first[i]; slot < g->first[i + 1]; slot++) {
            const int32_t a = g->args[slot], grown = s->terms[a] && s->uses[a] == 1;
            const int32_t first = grown ? s->head[a] : slot, last = grown ? s->tail[a] : slot;
            s->terms[i] += grown ? s->terms[a] : 1;
            s->inside[a] |= (uint8_t)grown;
            if (s->head[i] < 0)
                s->head[i] = first;
            else
                s->next[s->tail[i]] = first;
            s->tail[i] = last;
            s->next[last] = -1;
        }
    }
}

/* Add up the terms that are products, those that are not, or all of them. */
enum { PRODUCTS, OTHERS, ALL_TERMS };

static int32_t add_terms(Sums *s, int32_t i, int which, int32_t count) {
    const Graph *g = s->graph;
    const int dot = which == PRODUCTS;
    const int32_t new = graph_add(s->made, dot ? OP_DOT : OP_SUM, dot ? 2 * (int64_t)count : count, NULL);
    if (new < 0) return new;
    int32_t *args = args_of(s->made, new);
    for (int32_t slot = s->head[i]; slot >= 0; slot = s->next[slot]) {
        const int32_t t = g->args[slot];
        if (which != ALL_TERMS && is_product(s, t) != (which == PRODUCTS)) continue;
        if (which != PRODUCTS) {
            *args++ = s->places[t];
            continue;
        }
        /* The operand that does not vary goes first, however the product was written. */
        const int32_t *pair = args_of(g, t), swap = s->varying[pair[0]] && !s->varying[pair[1]];
        args[0] = s->places[pair[swap]];
        args[count] = s->places[pair[1 - swap]];
        args++;
    }
    return new;
}

static int32_t sum_of(Sums *s, int32_t i) {
    int32_t products = 0, rest = -1;
    for (int32_t slot = s->head[i]; slot >= 0; slot = s->next[slot]) {
        const int32_t t = s->graph->args[slot];
        if (is_product(s, t))
            products++;
        else if (rest < 0)
            rest = s->places[t];
    }
    const int32_t others = s->terms[i] - products;
    if (products < 2) return add_terms(s, i, ALL_TERMS, s->terms[i]);
    const int32_t total = add_terms(s, i, PRODUCTS, products);
    if (total < 0 || !others) return total;
    if (others > 1 && (rest = add_terms(s, i, OTHERS, others)) < 0) return rest;
    return graph_add(s->made, OP_ADD, 2, (int32_t[]){total, rest});
}

static int has_grown(const Sums *s, int32_t i) {
    for (int32_t k = 0; k < count_of(s->graph, i); k++)
        if (s->inside[args_of(s->graph, i)[k]]) return 1;
    return 0;
}

/* Merge each chain of + into one sum, and the products in it into one dot product. */
static int join_products(const Graph *g, Graph *new) {
    Graph made = {0};
    const size_t n = (size_t)g->n + 1, size = sizeof(int32_t);
    Sums s = {g, &made, PyMem_Malloc(n * size), PyMem_Malloc(n * size), PyMem_Malloc(n * size), PyMem_Malloc(n * size),
              PyMem_Malloc(((size_t)g->n_args + 1) * size), PyMem_Calloc(n, size), PyMem_Calloc(n, 1), PyMem_Malloc(n)};
    int fault = OUT_OF_MEMORY;
    if (!s.uses || !s.places || !s.head || !s.tail || !s.next || !s.terms || !s.inside || !s.varying) goto done;
    graph_uses(g, s.uses);
    if ((fault = graph_varying(g, s.varying)) < 0) goto done;
    find_terms(&s);
    for (int32_t i = 0; i < g->n; i++) {
        if (s.inside[i]) continue;
        const int joined = s.terms[i] > 2 || (s.terms[i] && has_grown(&s, i));
        s.places[i] = joined ? sum_of(&s, i) : graph_add_copy(&made, g, i, s.places);
        if ((fault = s.places[i]) < 0) goto done;
    }
    fault = graph_results(&made, g, s.places, 1);
    if (!fault) fault = drop_dead(&made, RESULTS, new);
done:
    FREE_ALL(s.uses, s.places, s.head, s.tail, s.next, s.terms, s.inside, s.varying);
    graph_free(&made);
    return fault;
}

/* Fold constants, merge equal nodes, and verify the graph before and after. The input has no dead code. */
int simplified(const Graph *g, Graph *new) {
    Graph simple = {0};
    int fault = graph_verify(g);
    if (!fault) fault = simplify(g, &simple);
    if (!fault) fault = drop_dead(&simple, RESULTS, new);
    graph_free(&simple);
    return fault ? fault : graph_verify(new);
}

/* Run all passes. */
int optimise(const Graph *g, Graph *new) {
    Graph simple = {0};
    int fault = simplified(g, &simple);
    if (!fault) fault = join_products(&simple, new);
    graph_free(&simple);
    return fault ? fault : graph_verify(new);
}
