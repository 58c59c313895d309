/* Lowers a graph to steps: assigns rows to nodes, copies rows that are not adjacent, emits maps, folds and
 * takes.
 *
 * Works in the same order as lowering.py, which gives the reasons. */
#include "lower.h"

/* --- memory ------------------------------------------------------------------------------------- */

int append(Ints *ints, int32_t x) {
    const int fault = make_room(&ints->items, &ints->capacity, (int64_t)ints->n + 1, sizeof x);
    if (!fault) ints->items[ints->n++] = x;
    return fault;
}

/* Scratch space for the rows of an argument, or NULL. */
int32_t *scratch_for(Lowering *l, int64_t count) {
    return make_room(&l->scratch.items, &l->scratch.capacity, count, sizeof(int32_t)) ? NULL : l->scratch.items;
}

int reserve(Lowering *l, int shared, int64_t count, int32_t *out) {
    int32_t *rows = &l->code[shared].memory;
    if (*rows + count > INT32_MAX) return TOO_LARGE;
    *out = *rows;
    *rows += (int32_t)count;
    return 0;
}

int place(Lowering *l, int shared, const int32_t *ids, int32_t count, int32_t *out) {
    const int fault = reserve(l, shared, count, out);
    for (int32_t k = 0; !fault && k < count; k++) l->rows[ids[k]] = *out + k;
    return fault;
}

int emit(Lowering *l, const Step *step) {
    Code *code = &l->code[step->shared];
    const int fault = make_room(&code->steps, &code->capacity, (int64_t)code->n + 1, sizeof *step);
    if (!fault) code->steps[code->n++] = *step;
    return fault;
}

typedef struct {
    const Lowering *lowering;
    Copy copy;
    const int32_t *rows;
} Copied;

static int same_copy(const void *wanted, int32_t i) {
    const Copied *w = wanted;
    const Copy *c = &w->lowering->copies[i];
    if (c->kind != w->copy.kind || c->shared != w->copy.shared || c->count != w->copy.count) return 0;
    return !memcmp(w->lowering->code[c->shared].rows.items + c->first, w->rows, (size_t)c->count * sizeof *w->rows);
}

/* Copy rows to new adjacent rows; *out is the first of them. The same rows are copied only once. */
static int copy(Lowering *l, int kind, int shared, const int32_t *rows, int32_t count, int32_t *out) {
    Ints *all = &l->code[shared].rows;
    const int32_t next = l->n_copies;
    Copied wanted = {l, {kind, shared, all->n, count, 0}, rows};
    int fault = make_room(&l->copies, &l->copies_capacity, (int64_t)next + 1, sizeof *l->copies);
    if (fault) return fault;
    const uint64_t hash = hash_items((uint64_t)(2 * kind + shared), rows, count);
    const int32_t found = table_enter(&l->copied, hash, same_copy, &wanted, next);
    if (found < 0) return found;
    if (found < next) {
        *out = l->copies[found].out;
        return 0;
    }
    fault = make_room(&all->items, &all->capacity, (int64_t)all->n + count, sizeof *rows);
    if (!fault) fault = reserve(l, shared, count, out);
    if (fault) return fault;
    memcpy(all->items + all->n, rows, (size_t)count * sizeof *rows);
    all->n += count;
    wanted.copy.out = *out;
    l->copies[l->n_copies++] = wanted.copy;
    return emit(l, &(Step){.kind = kind, .shared = shared, .out = *out, .count = count, .terms = 1, .columns = 1,
                           .rows = wanted.copy.first});
}

static int is_run(const int32_t *rows, int32_t n, int32_t step) {
    for (int32_t i = 1; i < n; i++)
        if (rows[i] - rows[i - 1] != step) return 0;
    return 1;
}

/* The rows of argument k for consecutive results, copied next to each other if necessary. */
static int operand(Lowering *l, int shared, const int32_t *ids, int32_t count, int32_t k, View *view) {
    const Graph *g = l->graph;
    int32_t *rows = scratch_for(l, count);
    if (!rows) return OUT_OF_MEMORY;
    for (int32_t i = 0; i < count; i++) rows[i] = l->rows[args_of(g, ids[i])[k]];
    *view = (View){shared, rows[0], 1, 0};
    const int same = !shared && !l->narrow && is_run(rows, count, 0);
    if (!shared && !l->varying[args_of(g, ids[0])[k]]) {
        view->step = !same;
        return copy(l, SPREAD, EACH, rows, same ? 1 : count, &view->start);
    }
    if (is_run(rows, count, 1)) return 0;
    view->step = !same;
    return same ? 0 : copy(l, GATHER, shared, rows, count, &view->start);
}

/* The row of a node in `each`, copied there if it is shared. */
static int varied(Lowering *l, int32_t i, int32_t *row) {
    *row = l->rows[i];
    return l->varying[i] ? 0 : copy(l, SPREAD, EACH, &l->rows[i], 1, row);
}

/* Copy the rows of a table so that all rows of a term are adjacent. */
static int packed(Lowering *l, int kind, int shared, int32_t count, const int32_t *const *lines, int32_t terms, int mixed,
                  View *view) {
    int32_t *rows = scratch_for(l, (int64_t)count * terms);
    if (!rows) return (int64_t)count * terms > INT32_MAX ? TOO_LARGE : OUT_OF_MEMORY;
    int fault = 0;
    for (int32_t k = 0; k < terms; k++)
        for (int32_t i = 0; !fault && i < count; i++) {
            const int32_t node = lines[i][k];
            int32_t *row = &rows[(int64_t)k * count + i];
            if (mixed)
                fault = varied(l, node, row);
            else
                *row = l->rows[node];
        }
    *view = (View){shared, 0, 1, count};
    return fault ? fault : copy(l, kind, shared, rows, count * terms, &view->start);
}

/* The rows of an argument with several terms: lines[i][k] is a node. With `consecutive`, successive i must be
 * in consecutive rows. */
int matrix(Lowering *l, int shared, int32_t count, const int32_t *const *lines, int32_t terms, int consecutive, View *view) {
    int64_t varying = 0;
    for (int32_t i = 0; !shared && i < count; i++)
        for (int32_t k = 0; k < terms; k++) varying += l->varying[lines[i][k]];
    if (!shared && varying < (int64_t)count * terms)
        return packed(l, varying ? GATHER : SPREAD, shared, count, lines, terms, varying != 0, view);
    const int32_t start = l->rows[lines[0][0]];
    const int32_t step = count > 1 ? l->rows[lines[1][0]] - start : 1;
    const int32_t term_step = terms > 1 ? l->rows[lines[0][1]] - start : 1;
    int regular = step >= 0 && term_step >= 0 && (!consecutive || step == 1);
    for (int32_t i = 0; regular && i < count; i++)
        for (int32_t k = 0; regular && k < terms; k++)
            regular = l->rows[lines[i][k]] == start + (int64_t)i * step + (int64_t)k * term_step;
    *view = (View){shared, start, step, term_step};
    return regular ? 0 : packed(l, GATHER, shared, count, lines, terms, 0, view);
}

/* --- instructions ------------------------------------------------------------------------------- */

/* Remember the last step if it has a mask. */
static int remember_mask(Lowering *l, int shared, const int32_t *ids, int32_t count) {
    if (!is_masked(l->graph, ids[0])) return 0;
    int fault = append(&l->masked, shared);
    if (!fault) fault = append(&l->masked, l->code[shared].n - 1);
    if (!fault) fault = append(&l->masked, count);
    for (int32_t i = 0; !fault && i < count; i++) fault = append(&l->masked, ids[i]);
    return fault;
}

/* Attach the masks at the end, because a node's mask is computed after the node. */
static int attach_masks(Lowering *l) {
    int fault = 0;
    for (int32_t at = 0; !fault && at < l->masked.n;) {
        const int32_t shared = l->masked.items[at], step = l->masked.items[at + 1], count = l->masked.items[at + 2];
        const int32_t *ids = l->masked.items + at + 3;
        View view = {0};
        for (int32_t i = 0; i < count; i++) l->lines[i] = &l->graph->mask[ids[i]];
        fault = matrix(l, shared, count, l->lines, 1, 1, &view);
        l->code[shared].steps[step].masked = 1;
        l->code[shared].steps[step].mask = view;
        at += 3 + count;
    }
    return fault;
}

static int map_run(Lowering *l, int code, int shared, const int32_t *run, int32_t count) {
    if (code == OP_ADD && !shared) {
        const int added = add_to_product(l, run, count);
        if (added) return added < 0 ? added : 0;
    }
    Step step = {.kind = MAP, .op = code, .shared = shared, .count = count, .terms = 1, .columns = 1};
    step.args = count_of(l->graph, run[0]);
    int fault = 0;
    for (int32_t k = 0; !fault && k < step.args; k++) fault = operand(l, shared, run, count, k, &step.arg[k]);
    if (!fault) fault = place(l, shared, run, count, &step.out);
    if (!fault) fault = emit(l, &step);
    return fault ? fault : remember_mask(l, shared, run, count);
}

enum { ANY_STEP = 2 };

/* Find by how many rows, 0 or 1, each argument moves from node i to node j. Returns 0 if one moves otherwise. */
static int steps_between(const Lowering *l, int32_t i, int32_t j, int8_t *steps) {
    const Graph *g = l->graph;
    for (int32_t k = 0; k < count_of(g, i); k++) {
        const int32_t a = args_of(g, i)[k], b = args_of(g, j)[k];
        const int64_t step = (int64_t)l->rows[b] - l->rows[a];
        if (l->varying[b] && step != 0 && step != 1) return 0;
        steps[k] = l->varying[b] ? (int8_t)step : ANY_STEP;
    }
    return 1;
}

static int lower_map(Lowering *l, const int32_t *ids, int32_t count) {
    const Graph *g = l->graph;
    const int shared = !l->varying[ids[0]], code = g->code[ids[0]];
    if (shared || l->narrow) return map_run(l, code, shared, ids, count);
    const size_t arity = (size_t)count_of(g, ids[0]);
    int32_t begin = 0;
    int8_t steps[3] = {0}, new[3] = {0};
    for (int32_t i = 1; i <= count; i++) {
        if (i < count && steps_between(l, ids[i - 1], ids[i], new) && (i == begin + 1 || !memcmp(steps, new, arity))) {
            memcpy(steps, new, arity);
            continue;
        }
        const int fault = map_run(l, code, shared, ids + begin, i - begin);
        if (fault) return fault;
        begin = i;
    }
    return 0;
}

static int lower_fold(Lowering *l, const int32_t *ids, int32_t count) {
    const Graph *g = l->graph;
    const int shared = !l->varying[ids[0]];
    const int32_t part = shared || l->narrow ? count : 1;
    int fault = 0;
    for (int32_t i = 0; !fault && i < count; i += part) {
        Step step = {.kind = FOLD, .op = g->code[ids[0]], .shared = shared, .count = part, .columns = 1};
        step.args = ROWS[step.op].width;
        step.terms = count_of(g, ids[0]) / step.args;
        for (int32_t p = 0; !fault && p < step.args; p++) {
            for (int32_t k = 0; k < part; k++) l->lines[k] = args_of(g, ids[i + k]) + p * step.terms;
            fault = matrix(l, shared, part, l->lines, step.terms, 1, &step.arg[p]);
        }
        if (!fault) fault = place(l, shared, ids + i, part, &step.out);
        if (!fault) fault = emit(l, &step);
        if (!fault) fault = remember_mask(l, shared, ids + i, part);
    }
    return fault;
}

static int take_with(Lowering *l, int32_t index, const int32_t *ids, int32_t count) {
    const Graph *g = l->graph;
    const int shared = !l->varying[ids[0]];
    int32_t row = l->rows[index];
    int from_shared = 1, fault = shared ? 0 : varied(l, index, &row);
    Step step = {.kind = TAKE, .shared = shared, .count = count, .terms = count_of(g, ids[0]) - 1, .columns = 1, .args = 2};
    for (int32_t i = 0; i < count; i++) {
        l->lines[i] = args_of(g, ids[i]) + 1;
        for (int32_t k = 0; k < step.terms; k++) from_shared &= !l->varying[l->lines[i][k]];
    }
    step.arg[0] = (View){shared, row, 0, 0};
    if (!fault) fault = matrix(l, from_shared, count, l->lines, step.terms, 0, &step.arg[1]);
    if (!fault) fault = place(l, shared, ids, count, &step.out);
    return fault ? fault : emit(l, &step);
}

typedef struct {
    const Graph *graph;
    int32_t index;
    const int32_t *firsts;
} Index;

static int same_index(const void *wanted, int32_t i) {
    const Index *w = wanted;
    return *args_of(w->graph, w->firsts[i]) == w->index;
}

/* Group `take` nodes with the same index, such as the columns of an embedding. */
static int lower_take(Lowering *l, const int32_t *ids, int32_t count) {
    const Graph *g = l->graph;
    const size_t bytes = ((size_t)count + 1) * sizeof(int32_t);
    int32_t *group = PyMem_Malloc(bytes), *firsts = PyMem_Malloc(bytes), *begin = PyMem_Malloc(bytes);
    int32_t *sorted = PyMem_Malloc(bytes), n = 0, fault = OUT_OF_MEMORY;
    Table known = {0};
    if (!group || !firsts || !begin || !sorted) goto done;
    for (int32_t i = 0; i < count; i++) {
        const Index wanted = {g, *args_of(g, ids[i]), firsts};
        group[i] = table_enter(&known, hash_more(0, (uint32_t)wanted.index), same_index, &wanted, n);
        if (group[i] < 0) goto done;
        if (group[i] == n) firsts[n++] = ids[i];
    }
    sort_by(group, count, n, begin, sorted);
    for (int32_t i = 0; i < count; i++) sorted[i] = ids[sorted[i]];
    fault = 0;
    for (int32_t k = 0; !fault && k < n; k++)
        fault = take_with(l, *args_of(g, firsts[k]), sorted + begin[k], begin[k + 1] - begin[k]);
done:
    table_free(&known);
    FREE_ALL(group, firsts, begin, sorted);
    return fault;
}

/* --- the whole graph ---------------------------------------------------------------------------- */

/* Assign rows to the leaves: parameters and constants in `shared`, inputs in `each`. */
static int place_leaves(Lowering *l, Machine *m) {
    const Graph *g = l->graph;
    if (m->params < 0 || m->inputs < 0 || m->inputs > INT32_MAX || m->params > INT32_MAX - g->n) return TOO_LARGE;
    l->code[SHARED].memory = (int32_t)m->params;
    l->code[EACH].memory = (int32_t)m->inputs;
    m->constants = PyMem_Malloc((size_t)g->n_numbers * sizeof(double) + 1);
    if (!m->constants) return OUT_OF_MEMORY;
    for (int32_t i = 0; i < g->n; i++) {
        l->rows[i] = is_leaf(g, i) ? *args_of(g, i) : -1;
        if (g->code[i] == CONSTANT_NODE) {
            l->rows[i] = l->code[SHARED].memory++;
            m->constants[m->n_constants++] = number_of(g, i);
        } else if (is_leaf(g, i) && l->rows[i] >= (g->code[i] == INPUT_NODE ? m->inputs : m->params))
            return MALFORMED;
    }
    return 0;
}

static View *result_views(const Lowering *l, const int32_t *nodes, int32_t n) {
    View *views = PyMem_Malloc((size_t)n * sizeof *views + 1);
    for (int32_t i = 0; views && i < n; i++) views[i] = (View){!l->varying[nodes[i]], l->rows[nodes[i]], 1, 0};
    return views;
}

/* Move everything into the machine, row numbers of the shared copies first. */
static int hand_over(Lowering *l, Machine *m) {
    const Graph *g = l->graph;
    Code *each = &l->code[EACH], *shared = &l->code[SHARED];
    const int32_t before = shared->rows.n;
    const int fault = make_room(&shared->rows.items, &shared->rows.capacity, (int64_t)before + each->rows.n, sizeof(int32_t));
    if (fault) return fault;
    if (each->rows.n) memcpy(shared->rows.items + before, each->rows.items, (size_t)each->rows.n * sizeof(int32_t));
    for (int32_t i = 0; i < each->n; i++)
        if (each->steps[i].kind == GATHER || each->steps[i].kind == SPREAD) each->steps[i].rows += before;
    m->rows = shared->rows.items, m->n_rows = before + each->rows.n;
    m->once = (Steps){shared->steps, shared->n};
    m->each = (Steps){each->steps, each->n};
    m->shared_rows = shared->memory, m->each_rows = each->memory;
    shared->rows.items = NULL, shared->steps = each->steps = NULL;
    m->outputs = result_views(l, g->outputs, g->n_outputs), m->n_outputs = g->n_outputs;
    m->guards = result_views(l, g->guards, g->n_guards), m->n_guards = g->n_guards;
    return m->outputs && m->guards ? 0 : OUT_OF_MEMORY;
}

static int lower_group(Lowering *l, const int32_t *ids, int32_t count) {
    const int code = l->graph->code[ids[0]];
    if (code == OP_DOT && !is_masked(l->graph, ids[0])) return lower_dots(l, ids, count);
    if (is_fold(code)) return lower_fold(l, ids, count);
    return code == TAKE_NODE ? lower_take(l, ids, count) : lower_map(l, ids, count);
}

int lower(const Graph *g, int narrow, Machine *m) {
    const size_t n = (size_t)g->n + 1;
    Lowering l = {.graph = g, .narrow = narrow, .varying = PyMem_Malloc(n), .uses = PyMem_Malloc(n * sizeof(int32_t)),
                  .rows = PyMem_Malloc(n * sizeof(int32_t)), .lines = PyMem_Malloc(n * sizeof(int32_t *))};
    Groups groups = {0};
    int fault = l.varying && l.uses && l.rows && l.lines ? 0 : OUT_OF_MEMORY;
    if (!fault) fault = place_leaves(&l, m);
    if (!fault) fault = graph_varying(g, l.varying);
    if (!fault) {
        graph_uses(g, l.uses);
        fault = find_groups(&l, &groups);
    }
    for (int32_t k = 0; !fault && k < groups.n; k++)
        fault = lower_group(&l, groups.ids + groups.first[k], groups.first[k + 1] - groups.first[k]);
    if (!fault) fault = attach_masks(&l);
    if (!fault) fault = hand_over(&l, m);
    table_free(&l.copied);
    FREE_ALL(groups.ids, groups.first, l.varying, l.uses, l.rows, l.lines, l.copies, l.scratch.items, l.products.items,
             l.masked.items, l.code[0].rows.items, l.code[1].rows.items, l.code[0].steps, l.code[1].steps);
    return fault;
}
