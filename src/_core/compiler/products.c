/* Dot products: those with a shared operand become matrix products, whose sums start at the biases. */
#include "lower.h"

/* Sequences of nodes of equal length, deduplicated and numbered. */
typedef struct {
    Table known;
    const int32_t **items;
    int32_t n, length;
} Sequences;

typedef struct {
    const Sequences *sequences;
    const int32_t *items;
} Sequence;

static int same_sequence(const void *wanted, int32_t i) {
    const Sequence *w = wanted;
    return !memcmp(w->sequences->items[i], w->items, (size_t)w->sequences->length * sizeof *w->items);
}

static int32_t number_sequence(Sequences *s, const int32_t *items) {
    const Sequence wanted = {s, items};
    const int32_t i = table_enter(&s->known, hash_items(0, items, s->length), same_sequence, &wanted, s->n);
    if (i == s->n) s->items[s->n++] = items;
    return i;
}

/* The dot products of a group. Each is a line a times a column x. Dots with the same x share a column, and
 * columns with the same lines form a matrix product. */
typedef struct {
    Sequences a, x;
    int32_t n;                    /* dots with a shared operand */
    int32_t *node, *line, *column; /* of these dots; sorted by column once complete */
    int32_t *begin;               /* of each column */
    int32_t n_rest, *rest;        /* the remaining dots */
    int32_t *scratch, *set;       /* the set of lines of each column */
} Dots;

static int some_vary(const Lowering *l, const int32_t *ids, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        if (l->varying[ids[i]]) return 1;
    return 0;
}

static int some_are_params(const Graph *g, const int32_t *ids, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        if (g->code[ids[i]] == PARAM_NODE) return 1;
    return 0;
}

/* Find the shared operand of a dot product and the other one. Returns 0 if neither is shared. */
static int find_sides(const Lowering *l, int32_t i, const int32_t **a, const int32_t **x) {
    const Graph *g = l->graph;
    const int32_t half = count_of(g, i) / 2;
    const int32_t *first = args_of(g, i), *second = first + half;
    const int swap = some_vary(l, first, half);
    *a = swap ? second : first, *x = swap ? first : second;
    if (some_vary(l, *a, half)) return 0;
    for (int32_t k = 1; k < half; k++)
        if (l->varying[(*x)[k]] != l->varying[(*x)[0]]) return 0;
    if (!l->varying[i] && some_are_params(g, *x, half) && !((*a)[0] != (*x)[0] && g->code[(*a)[0]] == PARAM_NODE)) {
        const int32_t *side = *a;
        *a = *x, *x = side;
    }
    return 1;
}

static int same_dot(const void *wanted, int32_t i) {
    const Dots *d = wanted; /* the candidate is entry n, not counted yet */
    return d->line[i] == d->line[d->n] && d->column[i] == d->column[d->n];
}

/* Find the line and column of each dot. A repeated dot goes to the rest. */
static int find_dots(const Lowering *l, const int32_t *ids, int32_t count, Dots *d) {
    Table known = {0};
    int fault = 0;
    for (int32_t i = 0; !fault && i < count; i++) {
        const int32_t *a, *x;
        if (!find_sides(l, ids[i], &a, &x)) {
            d->rest[d->n_rest++] = ids[i];
            continue;
        }
        d->line[d->n] = number_sequence(&d->a, a);
        d->column[d->n] = number_sequence(&d->x, x);
        if (d->line[d->n] < 0 || d->column[d->n] < 0) fault = OUT_OF_MEMORY;
        const uint64_t hash = hash_items(0, (int32_t[]){d->line[d->n], d->column[d->n]}, 2);
        const int32_t found = fault ? fault : table_enter(&known, hash, same_dot, d, d->n);
        if (found < 0)
            fault = found;
        else if (found < d->n)
            d->rest[d->n_rest++] = ids[i];
        else
            d->node[d->n++] = ids[i];
    }
    table_free(&known);
    return fault;
}

static void reorder(int32_t *items, const int32_t *order, int32_t n, int32_t *room) {
    for (int32_t i = 0; i < n; i++) room[i] = items[order[i]];
    memcpy(items, room, (size_t)n * sizeof *items);
}

/* Sort the dots by column, keeping their order within a column. */
static void sort_columns(Dots *d) {
    int32_t *order = d->scratch;
    sort_by(d->column, d->n, d->x.n, d->begin, order);
    reorder(d->node, order, d->n, d->set);
    reorder(d->line, order, d->n, d->set);
}

typedef struct {
    const Dots *dots;
    int32_t column;
} Column;

static int same_lines(const void *wanted, int32_t set) {
    const Dots *d = ((const Column *)wanted)->dots;
    const int32_t column = ((const Column *)wanted)->column, first = d->scratch[set], length = d->begin[column + 1] - d->begin[column];
    return d->begin[first + 1] - d->begin[first] == length &&
           !memcmp(d->line + d->begin[first], d->line + d->begin[column], (size_t)length * sizeof *d->line);
}

/* Number the distinct sets of lines that columns have; `scratch` receives the first column of each set. */
static int32_t find_sets(Dots *d) {
    Table known = {0};
    int32_t sets = 0;
    for (int32_t c = 0; c < d->x.n && sets >= 0; c++) {
        const Column wanted = {d, c};
        const uint64_t hash = hash_items(0, d->line + d->begin[c], d->begin[c + 1] - d->begin[c]);
        d->set[c] = table_enter(&known, hash, same_lines, &wanted, sets);
        if (d->set[c] < 0)
            sets = OUT_OF_MEMORY;
        else if (d->set[c] == sets)
            d->scratch[sets++] = c;
    }
    table_free(&known);
    return sets;
}

/* Emit a matrix product over columns that have the same lines. */
static int dense(Lowering *l, int shared, const Dots *d, const int32_t *columns, int32_t n) {
    const int32_t first = d->begin[columns[0]], lines = d->begin[columns[0] + 1] - first;
    Step step = {.kind = DENSE, .shared = shared, .count = lines * n, .terms = d->a.length, .columns = n, .args = 2};
    for (int32_t i = 0; i < lines; i++) l->lines[i] = d->a.items[d->line[first + i]];
    int fault = matrix(l, SHARED, lines, l->lines, step.terms, 0, &step.arg[0]);
    for (int32_t c = 0; c < n; c++) l->lines[c] = d->x.items[columns[c]];
    if (!fault) fault = matrix(l, shared, n, l->lines, step.terms, 1, &step.arg[1]);
    if (!fault) fault = reserve(l, shared, step.count, &step.out);
    for (int32_t i = 0; !fault && i < step.count; i++)
        l->rows[d->node[d->begin[columns[i % n]] + i / n]] = step.out + i;
    if (!fault && !shared) fault = append(&l->products, step.out);
    if (!fault && !shared) fault = append(&l->products, l->code[EACH].n);
    return fault ? fault : emit(l, &step);
}

/* Emit dot products without a matrix. */
static int plain_dots(Lowering *l, int shared, const int32_t *ids, int32_t count) {
    const Graph *g = l->graph;
    const int32_t half = count_of(g, ids[0]) / 2;
    Step step = {.kind = DOTS, .shared = shared, .count = count, .terms = half, .columns = 1, .args = 2};
    int fault = place(l, shared, ids, count, &step.out);
    for (int side = 0; side < 2; side++) {
        for (int32_t i = 0; i < count; i++) l->lines[i] = args_of(g, ids[i]) + side * half;
        if (!fault) fault = matrix(l, shared, count, l->lines, half, 1, &step.arg[side]);
    }
    return fault ? fault : emit(l, &step);
}

static int lower_sorted(Lowering *l, int shared, Dots *d, int32_t *columns) {
    sort_columns(d);
    const int32_t sets = find_sets(d);
    if (sets < 0) return sets;
    int32_t *begin = d->scratch; /* of each set in the columns */
    sort_by(d->set, d->x.n, sets, begin, columns);
    int fault = 0;
    for (int32_t s = 0; s < sets; s++) {
        const int32_t n = begin[s + 1] - begin[s], part = shared || l->narrow ? n : 1;
        for (int32_t c = 0; !fault && c < n; c += part) fault = dense(l, shared, d, columns + begin[s] + c, part);
    }
    const int32_t part = shared || l->narrow ? d->n_rest : 1;
    for (int32_t i = 0; !fault && i < d->n_rest; i += part) fault = plain_dots(l, shared, d->rest + i, part);
    return fault;
}

int lower_dots(Lowering *l, const int32_t *ids, int32_t count) {
    const int shared = !l->varying[ids[0]];
    const size_t bytes = ((size_t)count + 2) * sizeof(int32_t), pointers = (size_t)count * sizeof(int32_t *);
    const int32_t half = count_of(l->graph, ids[0]) / 2;
    Dots d = {.a = {.items = PyMem_Malloc(pointers), .length = half}, .x = {.items = PyMem_Malloc(pointers), .length = half},
              .node = PyMem_Malloc(bytes), .line = PyMem_Malloc(bytes), .column = PyMem_Malloc(bytes),
              .begin = PyMem_Malloc(bytes), .rest = PyMem_Malloc(bytes), .scratch = PyMem_Malloc(bytes), .set = PyMem_Malloc(bytes)};
    int fault = OUT_OF_MEMORY;
    if (d.a.items && d.x.items && d.node && d.line && d.column && d.begin && d.rest && d.scratch && d.set) {
        fault = find_dots(l, ids, count, &d);
        if (!fault) fault = lower_sorted(l, shared, &d, d.column);
    }
    table_free(&d.a.known);
    table_free(&d.x.known);
    FREE_ALL(d.a.items, d.x.items, d.node, d.line, d.column, d.begin, d.rest, d.scratch, d.set);
    return fault;
}

/* --- biases ------------------------------------------------------------------------------------- */

/* The product whose rows begin here, as an index into `products`, or -1. Binary search. */
static int32_t product_at(const Lowering *l, int32_t row) {
    int32_t low = 0, high = l->products.n / 2;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (l->products.items[2 * middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    const int there = low < l->products.n / 2 && l->products.items[2 * low] == row && l->products.items[2 * low + 1] >= 0;
    return there ? 2 * low : -1;
}

/* Make a shared addend the initial value of the sums of a matrix product, if possible. This is how neurons
 * add their biases. */
int add_to_product(Lowering *l, const int32_t *run, int32_t count) {
    const Graph *g = l->graph;
    const int32_t *pair = args_of(g, run[0]), swap = l->varying[pair[0]] && !l->varying[pair[1]];
    const int32_t place = product_at(l, l->rows[pair[1 - swap]]);
    if (place < 0 || is_masked(g, run[0])) return 0;
    Step *product = &l->code[EACH].steps[l->products.items[place + 1]];
    const int32_t columns = product->columns;
    if (product->count != count) return 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t bias = args_of(g, run[i])[swap], sum = args_of(g, run[i])[1 - swap];
        const int32_t first = args_of(g, run[i - i % columns])[swap];
        if (l->varying[bias] || l->rows[sum] != product->out + i || l->uses[sum] > 1 || bias != first) return 0;
        if (i % columns == 0) l->lines[i / columns] = &args_of(g, run[i])[swap];
    }
    View view;
    const int fault = matrix(l, SHARED, count / columns, l->lines, 1, 0, &view);
    if (fault) return fault;
    view.term_step = 0;
    product->arg[2] = view;
    product->args = 3;
    for (int32_t i = 0; i < count; i++) l->rows[run[i]] = product->out + i;
    l->products.items[place + 1] = -1;
    return 1;
}
