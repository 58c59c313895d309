/* Graphs from graphs: forward mode. See compiler/calculus/graphs.py. */
#include "builder.h"
#include "derivatives.h"

/* Leaves, in ascending order; leaf j of them corresponds to a new leaf of this kind, with the number
 * first + j. */
typedef struct {
    const int32_t *numbers;
    int32_t count, first;
    int code;
} Moving;

static int32_t new_number(const Moving *m, int32_t number) {
    int32_t low = 0, high = m->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (m->numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->count && m->numbers[low] == number ? m->first + low : -1;
}

/* --- forward mode --------------------------------------------------------------------------------- */

enum { NONE = -100 }; /* no derivative; or a path that is always taken */

typedef struct {
    Builder builder;
    const Graph *from;
    int32_t *places, *moving, *active; /* for each old node: its place, its derivative, its path */
    int32_t *args, *others;            /* scratch space */
    int unit;                          /* whether the direction's numbers are 1 */
    int32_t known[NAME_COUNT + MOST_LINES];
} Forward;

/* Append the lines of a formula; the places of its names are set. */
static int32_t built(Forward *f, const Formula *formula) {
    for (int i = 0; i < formula->lines; i++) {
        const Line *line = &LINES[formula->first + i];
        int32_t args[3] = {0};
        const int32_t count = line->code ? ROWS[line->code].arity : 0;
        for (int k = 0; k < count; k++) args[k] = f->known[line->place[k]];
        const int32_t place =
            line->code ? node(&f->builder, line->code, count, args) : constant(&f->builder, NUMBERS[line->place[0]]);
        if (place < 0) return place;
        f->known[NAME_COUNT + i] = place;
    }
    return f->known[formula->result];
}

/* a * b, without a node for a factor of exactly one. */
static int32_t product(Forward *f, int32_t a, int32_t b) {
    if (is_number(&f->builder, a, 1.0)) return b;
    if (is_number(&f->builder, b, 1.0)) return a;
    return node(&f->builder, OP_MUL, 2, (int32_t[]){a, b});
}

/* Add what argument `a` contributes to the derivative of node i, unless `where` cuts it off. */
static int32_t add_share(Forward *f, int32_t i, int32_t a, int32_t partial) {
    int32_t path = f->active[a];
    if (selects(f->from->code[i])) {
        path = path < 0 ? partial : product(f, path, partial);
        if (path < 0) return path;
        if (f->builder.graph->code[path] == CONSTANT_NODE) {
            if (number_of(f->builder.graph, path) == 0.0) return 0;
            path = NONE;
        }
    }
    int32_t share = product(f, f->moving[a], partial);
    if (share < 0) return share;
    if (path >= 0) {
        const int32_t zero = constant(&f->builder, 0.0);
        if (zero < 0) return zero;
        share = node(&f->builder, OP_WHERE, 3, (int32_t[]){path, share, zero});
        if (share < 0) return share;
    }
    if (f->moving[i] < 0) {
        f->moving[i] = share, f->active[i] = path;
        return 0;
    }
    const int32_t total = f->moving[i] = node(&f->builder, OP_ADD, 2, (int32_t[]){f->moving[i], share});
    if (total < 0) return total;
    const int32_t seen = f->active[i];
    f->active[i] = path < 0 || seen < 0 ? NONE : node(&f->builder, OP_ADD, 2, (int32_t[]){seen, path});
    return f->active[i] < NONE ? f->active[i] : 0;
}

/* Set the names of the parts of element e, of n. */
static void set_element(Forward *f, const int32_t *args, int width, int32_t n, int32_t e) {
    for (int part = 0; part < width; part++) f->known[part] = args[part * n + e];
}

/* Fold over all elements, for each fold of an operation. Returns 0 or a fault. */
static int32_t fold(Forward *f, int code, const int32_t *args, int32_t n) {
    for (int k = 0; k < 3 && STEPS[code][k].exists; k++) {
        int32_t total = constant(&f->builder, STARTS[code][k]);
        for (int32_t e = 0; total >= 0 && e < n; e++) {
            set_element(f, args, ROWS[code].width, n, e);
            f->known[FOLD_PLACE + k] = total;
            total = built(f, &STEPS[code][k]);
        }
        if (total < 0) return total;
        f->known[FOLD_PLACE + k] = total;
    }
    return 0;
}

static int32_t stepped(Forward *f, int code, int32_t total, int32_t x) {
    f->known[0] = x, f->known[FOLD_PLACE] = total;
    return built(f, &STEPS[code][0]);
}

/* For each element, the fold over all others, into f->others. Returns 0 or a fault. */
static int32_t all_but_one(Forward *f, int code, const int32_t *args, int32_t n) {
    int32_t *before = f->others;
    const int32_t start = constant(&f->builder, STARTS[code][0]);
    if (start < 0) return start;
    before[0] = start;
    for (int32_t e = 1; e < n; e++)
        if ((before[e] = stepped(f, code, before[e - 1], args[e - 1])) < 0) return before[e];
    for (int32_t e = n - 1, after = start; e >= 0; e--) {
        if ((before[e] = stepped(f, code, before[e], after)) < 0) return before[e];
        if ((after = stepped(f, code, after, args[e])) < 0) return after;
    }
    return 0;
}

static int leaves_one_out(int code) { return is_fold(code) && !PARTIALS[code][0].exists; }

/* The derivative of a node with respect to its argument k; `prepare` was called. */
static int32_t partial(Forward *f, int code, const int32_t *args, int32_t count, int32_t k) {
    if (code == TAKE_NODE) {
        const int32_t place = constant(&f->builder, (double)(k - 1));
        return place < 0 ? place : node(&f->builder, OP_EQUAL, 2, (int32_t[]){args[0], place});
    }
    if (leaves_one_out(code)) return f->others[k];
    if (!is_fold(code)) return built(f, &PARTIALS[code][k]);
    const int32_t n = count / ROWS[code].width;
    set_element(f, args, ROWS[code].width, n, k % n);
    return built(f, &PARTIALS[code][k / n]);
}

/* Compute what all derivatives of a node share. Returns 0 or a fault. */
static int32_t prepare(Forward *f, int32_t i, const int32_t *args, int32_t out) {
    const int code = f->from->code[i];
    const int32_t count = count_of(f->from, i), *old = args_of(f->from, i);
    f->known[OUT_PLACE] = out;
    if (code == TAKE_NODE) return 0;
    if (leaves_one_out(code)) return all_but_one(f, code, args, count);
    if (!is_fold(code)) {
        for (int k = 0; k < count; k++) f->known[k] = args[k];
        return 0;
    }
    const int32_t n = count / ROWS[code].width;
    int needed = 0;
    for (int32_t k = 0; k < count; k++) needed |= f->moving[old[k]] >= 0 && PARTIALS[code][k / n].uses_folds;
    const int32_t number = f->known[OUT_PLACE + 1] = constant(&f->builder, (double)n);
    return number < 0 ? number : needed ? fold(f, code, args, n) : 0;
}

static int32_t add_node(Forward *f, int32_t i) {
    const Graph *g = f->from;
    const int code = g->code[i];
    const int32_t count = count_of(g, i), *old = args_of(g, i);
    for (int32_t k = 0; k < count; k++) f->args[k] = f->places[old[k]];
    const int32_t out = f->places[i] = node(&f->builder, code, count, f->args);
    int wanted = 0;
    for (int32_t k = 0; k < count; k++) wanted |= f->moving[old[k]] >= 0 && is_differentiable(code, k);
    if (out < 0 || !wanted) return out < 0 ? out : 0;
    int32_t fault = prepare(f, i, f->args, out);
    for (int32_t k = 0; fault >= 0 && k < count; k++) {
        if (f->moving[old[k]] < 0 || !is_differentiable(code, k)) continue;
        fault = partial(f, code, f->args, count, k);
        if (fault >= 0) fault = add_share(f, i, old[k], fault);
    }
    return fault < 0 ? fault : 0;
}

static int32_t add_leaf(Forward *f, int32_t i, const Moving *inputs, const Moving *params, int careful) {
    const Graph *g = f->from;
    const int code = g->code[i];
    if (f->places[i] < 0)
        f->places[i] = code == CONSTANT_NODE ? constant(&f->builder, number_of(g, i)) : graph_add(f->builder.graph, code, 1, args_of(g, i));
    if (f->places[i] < 0 || code == CONSTANT_NODE) return f->places[i];
    const Moving *m = code == INPUT_NODE ? inputs : params;
    const int32_t number = new_number(m, *args_of(g, i));
    if (number < 0) return 0;
    f->moving[i] = f->unit ? constant(&f->builder, 1.0) : graph_add(f->builder.graph, m->code, 1, &number);
    if (careful) f->active[i] = f->moving[i];
    return f->moving[i];
}

/* Add the derivatives of all nodes along a direction; those of the results become outputs. */
static int32_t add_direction(Forward *f, const Moving *inputs, const Moving *params, int careful) {
    const Graph *g = f->from;
    Graph *new = f->builder.graph;
    int32_t fault = 0, zero = NONE;
    for (int32_t i = 0; fault >= 0 && i < g->n; i++) {
        f->moving[i] = f->active[i] = NONE;
        fault = is_leaf(g, i) ? add_leaf(f, i, inputs, params, careful) : add_node(f, i);
    }
    for (int32_t i = 0; fault >= 0 && i < g->n_outputs && zero == NONE; i++)
        if (f->moving[g->outputs[i]] < 0) fault = zero = constant(&f->builder, 0.0);
    for (int32_t i = 0; fault >= 0 && i < g->n_outputs; i++) {
        const int32_t moving = f->moving[g->outputs[i]];
        new->outputs[new->n_outputs++] = moving < 0 ? zero : moving;
    }
    return fault < 0 ? fault : 0;
}

/* The results, then the derivative of each along a direction or, if `unit`, with respect to each leaf. */
static int32_t add_directions(Forward *f, const Moving *inputs, const Moving *params, int careful) {
    const Graph *g = f->from;
    Graph *new = f->builder.graph;
    const int64_t leaves = (int64_t)inputs->count + params->count, most = (1 + (f->unit && leaves ? leaves : 1)) * g->n_outputs;
    if (most > INT32_MAX) return TOO_LARGE;
    new->outputs = PyMem_Malloc((size_t)most * sizeof *new->outputs + 1);
    new->guards = PyMem_Malloc((size_t)g->n_guards * sizeof *new->guards + 1);
    if (!new->outputs || !new->guards) return OUT_OF_MEMORY;
    new->n_outputs = g->n_outputs;
    int32_t fault = f->unit && leaves ? 0 : add_direction(f, inputs, params, careful);
    if (f->unit) new->n_outputs = g->n_outputs;
    for (int32_t k = 0; !fault && f->unit && k < leaves; k++) {
        const int32_t later = k - inputs->count;
        const Moving none = {0}, one = {.numbers = later < 0 ? inputs->numbers + k : params->numbers + later, .count = 1};
        fault = add_direction(f, later < 0 ? &one : &none, later < 0 ? &none : &one, careful);
    }
    if (fault) return fault;
    for (int32_t i = 0; i < g->n_outputs; i++) new->outputs[i] = f->places[g->outputs[i]];
    for (int32_t i = 0; i < g->n_guards; i++) new->guards[i] = f->places[g->guards[i]];
    new->n_guards = g->n_guards;
    return 0;
}

static int forward(const Graph *g, const Moving *inputs, const Moving *params, int careful, int unit, Graph *new) {
    const size_t n = (size_t)g->n + 1, size = sizeof(int32_t);
    int32_t widest = 3, fault = OUT_OF_MEMORY;
    for (int32_t i = 0; i < g->n; i++)
        if (count_of(g, i) > widest) widest = count_of(g, i);
    Forward f = {.builder = {.graph = new}, .from = g, .unit = unit, .places = PyMem_Malloc(n * size), .moving = PyMem_Malloc(n * size),
                 .active = PyMem_Malloc(n * size), .args = PyMem_Malloc((size_t)widest * size), .others = PyMem_Malloc((size_t)widest * size)};
    if (!f.places || !f.moving || !f.active || !f.args || !f.others || table_room(&f.builder.known, (uint32_t)g->n) < 0) goto done;
    for (int32_t i = 0; i < g->n; i++) f.places[i] = NONE;
    fault = add_directions(&f, inputs, params, careful);
done:
    FREE_ALL(f.places, f.moving, f.active, f.args, f.others);
    table_free(&f.builder.known);
    return fault < 0 ? fault : 0;
}

/* --- the interface to Python ---------------------------------------------------------------------- */

static Moving of_buffer(const Py_buffer *b, int32_t first, int code) {
    return (Moving){b->buf, (int32_t)(b->len / (Py_ssize_t)sizeof(int32_t)), first, code};
}

/* graph_forward(graph, inputs, params, n_inputs, n_params, as_inputs, careful, unit) -> graph */
PyObject *graph_forward(PyObject *module, PyObject *args) {
    PyObject *capsule, *result = NULL;
    int n_inputs, n_params, as_inputs, careful, unit;
    Py_buffer inputs, params;
    if (!PyArg_ParseTuple(args, "Oy*y*iippp:graph_forward", &capsule, &inputs, &params, &n_inputs, &n_params, &as_inputs, &careful, &unit))
        return NULL;
    const Graph *g = PyCapsule_GetPointer(capsule, GRAPH);
    Graph *new = g ? PyMem_Calloc(1, sizeof *new) : NULL;
    if (g && !new) PyErr_NoMemory();
    if (new) {
        const Moving in = of_buffer(&inputs, n_inputs, INPUT_NODE);
        const Moving shared = as_inputs ? of_buffer(&params, n_inputs + in.count, INPUT_NODE) : of_buffer(&params, n_params, PARAM_NODE);
        result = graph_capsule(new, forward(g, &in, &shared, careful, unit, new));
    }
    PyBuffer_Release(&inputs), PyBuffer_Release(&params);
    return result;
}
