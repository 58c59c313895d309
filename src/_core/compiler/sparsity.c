/* Which derivatives may differ from 0, and colours for their columns. See compiler/calculus/sparsity.py,
 * which explains both and finds the same. */
#include "flat.h"

/* The columns on which a node depends, in no order. Nodes share them, so the sets count their users. */
typedef struct {
    int32_t users, n;
    uint64_t id;
    int32_t columns[];
} Set;

/* Which arguments of an operation interact: a bit for each pair of (parts of) arguments, and these. */
enum { ALL_ELEMENTS = 1 << 6, LEAVE_ONE_OUT = 1 << 7 };

#define MOST_BITS ((int64_t)1 << 28) /* a larger matrix is collected as a list of places */
#define RECENT 4096

typedef struct {
    const Graph *graph;
    const int32_t *input_columns, *param_columns;
    int32_t n_inputs, n_params;
    const uint8_t *interactions; /* for each code; NULL for first derivatives */
    int64_t rows, columns;       /* the size of the matrix */
    uint8_t *wanted, *needed;
    int32_t *last;   /* the last node that uses a node's set */
    int32_t *stamps; /* for each column, the last node that found it */
    Set **sets;
    Set *scratch;
    uint64_t ids;
    uint8_t *bits;
    int64_t *places, n_places, room, unsorted; /* places are row * columns + column */
    uint64_t recent[RECENT][2];                /* pairs of sets that were entered lately */
} Pattern;

static void release(Set **set) {
    if (*set && !--(*set)->users) PyMem_Free(*set);
    *set = NULL;
}

static Set *new_set(Pattern *p, int32_t n) {
    Set *set = PyMem_Malloc(sizeof *set + (size_t)n * sizeof *set->columns);
    if (set) set->users = 1, set->n = n, set->id = ++p->ids;
    return set;
}

/* --- the places that were found ------------------------------------------------------------------- */

static int by_place(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort_places(Pattern *p) {
    if (p->n_places) qsort(p->places, (size_t)p->n_places, sizeof *p->places, by_place);
    int64_t kept = 0;
    for (int64_t i = 0; i < p->n_places; i++)
        if (!kept || p->places[i] != p->places[kept - 1]) p->places[kept++] = p->places[i];
    p->n_places = kept;
    p->unsorted = 2 * kept + (1 << 20);
}

static int enter(Pattern *p, int64_t row, int64_t column) {
    const int64_t place = row * p->columns + column;
    if (p->bits) {
        if (p->bits[place >> 3] >> (place & 7) & 1) return 0;
        p->bits[place >> 3] |= (uint8_t)(1 << (place & 7));
    } else if (p->n_places >= p->unsorted) {
        sort_places(p);
    }
    if (p->n_places == p->room) {
        const int64_t room = 2 * p->room + 1024;
        int64_t *more = PyMem_Realloc(p->places, (size_t)room * sizeof *more);
        if (!more) return OUT_OF_MEMORY;
        p->places = more, p->room = room;
    }
    p->places[p->n_places++] = place;
    return 0;
}

/* Enter all pairs of a column in `a` and one in `b`, both ways. */
static int enter_pairs(Pattern *p, const Set *a, const Set *b) {
    if (!a || !b) return 0;
    uint64_t *recent = p->recent[hash_more(a->id, b->id) % RECENT];
    if (recent[0] == a->id && recent[1] == b->id) return 0;
    recent[0] = a->id, recent[1] = b->id;
    int fault = 0;
    for (int32_t i = 0; !fault && i < a->n; i++)
        for (int32_t j = 0; !fault && j < b->n; j++) {
            fault = enter(p, a->columns[i], b->columns[j]);
            if (!fault && a != b) fault = enter(p, b->columns[j], a->columns[i]);
        }
    return fault;
}

/* --- from node to node ---------------------------------------------------------------------------- */

static int parts_of(int code) { return is_fold(code) ? ROWS[code].width : 0; }

static int differentiable(const Graph *g, int32_t i, int32_t k) { return is_differentiable(g->code[i], k); }

static int interaction(const Pattern *p, int code) {
    return p->interactions && code < OP_END ? p->interactions[code] : 0;
}

/* The nodes whose columns matter. */
static void mark(Pattern *p, const int32_t *outputs, int32_t n_outputs) {
    const Graph *g = p->graph;
    for (int32_t k = 0; k < n_outputs; k++) {
        const int32_t i = g->outputs[outputs[k]];
        p->needed[i] = 1;
        if (!p->interactions) p->wanted[i] = 1, p->last[i] = g->n;
    }
    for (int32_t i = g->n - 1; i >= 0; i--) {
        if (!p->needed[i] || is_leaf(g, i)) continue;
        const int32_t *args = args_of(g, i);
        for (int32_t k = 0; k < count_of(g, i); k++) {
            p->needed[args[k]] = 1;
            if (!differentiable(g, i, k) || !(p->wanted[i] || interaction(p, g->code[i]))) continue;
            p->wanted[args[k]] = 1;
            if (p->last[args[k]] < i) p->last[args[k]] = i;
        }
    }
}

/* Append the columns of a set that node i has not met yet. */
static void collect(Pattern *p, int32_t i, const Set *set) {
    for (int32_t k = 0; set && k < set->n; k++) {
        if (p->stamps[set->columns[k]] == i) continue;
        p->stamps[set->columns[k]] = i;
        p->scratch->columns[p->scratch->n++] = set->columns[k];
    }
}

/* The columns of all differentiable arguments; shared with an argument that has them all. */
static int unite(Pattern *p, int32_t i) {
    const Graph *g = p->graph;
    const int32_t *args = args_of(g, i);
    Set *largest = NULL, *only = NULL;
    int several = 0;
    for (int32_t k = 0; k < count_of(g, i); k++) {
        Set *set = differentiable(g, i, k) ? p->sets[args[k]] : NULL;
        if (!set || set == only) continue;
        several |= only != NULL;
        only = set;
        if (!largest || set->n > largest->n) largest = set;
    }
    if (several) {
        p->scratch->n = 0;
        for (int32_t k = 0; k < count_of(g, i); k++)
            if (differentiable(g, i, k)) collect(p, i, p->sets[args[k]]);
        if (p->scratch->n > largest->n) {
            Set *set = p->sets[i] = new_set(p, p->scratch->n);
            if (!set) return OUT_OF_MEMORY;
            memcpy(set->columns, p->scratch->columns, (size_t)set->n * sizeof *set->columns);
            return 0;
        }
    }
    if (largest) largest->users++, p->sets[i] = largest;
    return 0;
}

/* Enter the arguments of a node that have a second derivative. */
static int interact(Pattern *p, int32_t i) {
    const Graph *g = p->graph;
    const int flags = interaction(p, g->code[i]);
    const int32_t *args = args_of(g, i), count = count_of(g, i);
    const int32_t width = parts_of(g->code[i]), n = width ? count / width : 1;
    int fault = 0;
    for (int32_t k = 0; !fault && flags & (LEAVE_ONE_OUT | ALL_ELEMENTS) && k < count; k++)
        for (int32_t j = 0; !fault && j < k + !(flags & LEAVE_ONE_OUT); j++)
            fault = enter_pairs(p, p->sets[args[k]], p->sets[args[j]]);
    for (int32_t a = 0, bit = 0; a < 3; a++)
        for (int32_t b = 0; b <= a; b++, bit++)
            for (int32_t e = 0; !fault && flags >> bit & 1 && e < n; e++)
                fault = enter_pairs(p, p->sets[args[a * n + e]], p->sets[args[b * n + e]]);
    return fault;
}

static int visit(Pattern *p, int32_t i) {
    const Graph *g = p->graph;
    const int code = g->code[i];
    const int32_t *args = args_of(g, i);
    if (is_leaf(g, i)) {
        const int32_t *columns = code == INPUT_NODE ? p->input_columns : p->param_columns;
        const int32_t known = code == INPUT_NODE ? p->n_inputs : code == PARAM_NODE ? p->n_params : 0;
        if (!p->wanted[i] || *args >= known || columns[*args] < 0) return 0;
        if (!(p->sets[i] = new_set(p, 1))) return OUT_OF_MEMORY;
        p->sets[i]->columns[0] = columns[*args];
        return 0;
    }
    int fault = p->needed[i] ? interact(p, i) : 0;
    if (!fault && p->wanted[i]) fault = unite(p, i);
    for (int32_t k = 0; k < count_of(g, i); k++)
        if (p->last[args[k]] == i) release(&p->sets[args[k]]);
    return fault;
}

static int find(Pattern *p, const int32_t *outputs, int32_t n_outputs) {
    const Graph *g = p->graph;
    for (int32_t k = 0; k < n_outputs; k++)
        if (outputs[k] < 0 || outputs[k] >= g->n_outputs) return MALFORMED;
    for (int64_t c = 0; c < p->columns; c++) p->stamps[c] = -1;
    for (int32_t i = 0; i < g->n; i++) p->last[i] = -1;
    mark(p, outputs, n_outputs);
    int fault = 0;
    for (int32_t i = 0; !fault && i < g->n; i++) fault = visit(p, i);
    for (int32_t k = 0; !fault && !p->interactions && k < n_outputs; k++) {
        const Set *set = p->sets[g->outputs[outputs[k]]];
        for (int32_t j = 0; !fault && set && j < set->n; j++) fault = enter(p, k, set->columns[j]);
    }
    if (!fault) sort_places(p);
    return fault;
}

/* graph_pattern(graph, outputs, input_columns, param_columns, columns, interactions) -> places
 *
 * The places row * columns + column of the derivatives that may differ from 0: first ones without
 * interactions, else second ones. An input's or parameter's column is -1 if it has none. */
PyObject *graph_pattern(PyObject *module, PyObject *args) {
    PyObject *capsule, *result = NULL;
    Py_buffer outputs, inputs, params, interactions;
    int columns;
    if (!PyArg_ParseTuple(args, "Oy*y*y*iz*:graph_pattern", &capsule, &outputs, &inputs, &params, &columns, &interactions)) return NULL;
    const Graph *g = PyCapsule_GetPointer(capsule, GRAPH);
    Pattern *p = g ? PyMem_Calloc(1, sizeof *p) : NULL;
    if (g && !p) PyErr_NoMemory();
    if (p) {
        const size_t n = (size_t)g->n + 1, size = sizeof(int32_t), wide = (size_t)columns + 1;
        const int32_t n_outputs = (int32_t)((size_t)outputs.len / size);
        *p = (Pattern){.graph = g, .input_columns = inputs.buf, .param_columns = params.buf, .columns = columns};
        p->n_inputs = (int32_t)((size_t)inputs.len / size), p->n_params = (int32_t)((size_t)params.len / size);
        p->interactions = interactions.buf, p->unsorted = 1 << 20;
        p->rows = p->interactions ? columns : n_outputs;
        p->wanted = PyMem_Calloc(n, 1), p->needed = PyMem_Calloc(n, 1);
        p->last = PyMem_Malloc(n * size), p->stamps = PyMem_Malloc(wide * size);
        p->sets = PyMem_Calloc(n, sizeof *p->sets), p->scratch = new_set(p, columns);
        if (p->rows * p->columns <= MOST_BITS) p->bits = PyMem_Calloc((size_t)(p->rows * p->columns / 8 + 1), 1);
        const int ready = p->wanted && p->needed && p->last && p->stamps && p->sets && p->scratch;
        const int fault = !ready ? OUT_OF_MEMORY : find(p, outputs.buf, n_outputs);
        if (fault == MALFORMED)
            PyErr_SetString(PyExc_ValueError, "the graph has no such output");
        else
            result = fault ? PyErr_NoMemory() : PyBytes_FromStringAndSize((char *)p->places, p->n_places * (Py_ssize_t)sizeof *p->places);
        for (int32_t i = 0; p->sets && i < g->n; i++) release(&p->sets[i]);
        FREE_ALL(p->wanted, p->needed, p->last, p->stamps, p->sets, p->scratch, p->bits, p->places);
        PyMem_Free(p);
    }
    PyBuffer_Release(&outputs), PyBuffer_Release(&inputs), PyBuffer_Release(&params);
    if (interactions.buf) PyBuffer_Release(&interactions);
    return result;
}

/* --- colours -------------------------------------------------------------------------------------- */

typedef struct {
    int64_t degree;
    int32_t column;
} Degree;

static int by_degree(const void *a, const void *b) {
    const Degree *x = a, *y = b;
    if (x->degree != y->degree) return x->degree < y->degree ? 1 : -1;
    return (x->column > y->column) - (x->column < y->column);
}

/* Lists of `values` for each of `n` keys: those of key k are found[starts[k]] to found[starts[k + 1]]. */
static void listed(const int32_t *keys, const int32_t *values, Py_ssize_t count, int32_t n, Py_ssize_t *starts, int32_t *found) {
    memset(starts, 0, ((size_t)n + 2) * sizeof *starts);
    for (Py_ssize_t i = 0; i < count; i++) starts[keys[i] + 2]++;
    for (int32_t k = 0; k < n; k++) starts[k + 2] += starts[k + 1];
    for (Py_ssize_t i = 0; i < count; i++) found[starts[keys[i] + 1]++] = values[i];
}

/* columns_coloured(rows, columns, n_rows, n_columns) -> colours: no row has two columns of one colour. */
PyObject *columns_coloured(PyObject *module, PyObject *args) {
    Py_buffer rows, columns;
    int n_rows, n_columns;
    if (!PyArg_ParseTuple(args, "y*y*ii:columns_coloured", &rows, &columns, &n_rows, &n_columns)) return NULL;
    const size_t size = sizeof(int32_t), count = (size_t)rows.len / size;
    Py_ssize_t *in_row = PyMem_Malloc(((size_t)n_rows + 2) * sizeof *in_row), *of_column = PyMem_Malloc(((size_t)n_columns + 2) * sizeof *of_column);
    int32_t *columns_of = PyMem_Malloc(count * size + 1), *rows_of = PyMem_Malloc(count * size + 1);
    int32_t *taken = PyMem_Malloc(((size_t)n_columns + 1) * size);
    Degree *order = PyMem_Malloc(((size_t)n_columns + 1) * sizeof *order);
    PyObject *result = PyBytes_FromStringAndSize(NULL, n_columns * (Py_ssize_t)size);
    if (!in_row || !of_column || !columns_of || !rows_of || !taken || !order) {
        Py_CLEAR(result);
        PyErr_NoMemory();
    }
    if (result) {
        int32_t *colours = (int32_t *)PyBytes_AS_STRING(result);
        listed(rows.buf, columns.buf, (Py_ssize_t)count, n_rows, in_row, columns_of);
        listed(columns.buf, rows.buf, (Py_ssize_t)count, n_columns, of_column, rows_of);
        for (int32_t c = 0; c < n_columns; c++) {
            order[c] = (Degree){0, c};
            colours[c] = taken[c] = -1; /* taken[k]: the last column that may not have colour k */
            for (Py_ssize_t i = of_column[c]; i < of_column[c + 1]; i++) order[c].degree += in_row[rows_of[i] + 1] - in_row[rows_of[i]];
        }
        if (n_columns) qsort(order, (size_t)n_columns, sizeof *order, by_degree);
        for (int32_t k = 0; k < n_columns; k++) {
            const int32_t c = order[k].column;
            for (Py_ssize_t i = of_column[c]; i < of_column[c + 1]; i++)
                for (Py_ssize_t j = in_row[rows_of[i]]; j < in_row[rows_of[i] + 1]; j++)
                    if (colours[columns_of[j]] >= 0) taken[colours[columns_of[j]]] = c;
            int32_t colour = 0;
            while (taken[colour] == c) colour++;
            colours[c] = colour;
        }
    }
    FREE_ALL(in_row, of_column, columns_of, rows_of, taken, order);
    PyBuffer_Release(&rows), PyBuffer_Release(&columns);
    return result;
}
