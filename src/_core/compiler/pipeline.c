/* The Python interface to the compiler stages: from graph to graph, and from graph to machine. */
#include "flat.h"

static void raise_fault(int fault) {
    if (fault == OUT_OF_MEMORY)
        PyErr_NoMemory();
    else if (fault == TOO_LARGE)
        PyErr_SetString(PyExc_OverflowError, "the program is too large: it needs more than 2147483647 rows, nodes or arguments");
    else if (fault == SETTLED_BEFORE)
        PyErr_SetString(PyExc_ValueError, "a Value that another trace computed has no graph any more: compute it again");
    else
        PyErr_SetString(PyExc_ValueError,
                        "a node of the graph is malformed, or the graph was changed while it was being compiled");
}

static void drop(Graph *g) {
    graph_free(g);
    PyMem_Free(g);
}
static void capsule_free(PyObject *capsule) { drop(PyCapsule_GetPointer(capsule, GRAPH)); }

/* Wrap a graph in a capsule that owns it, or raise the fault. */
PyObject *graph_capsule(Graph *g, int fault) {
    if (fault) raise_fault(fault);
    PyObject *capsule = fault ? NULL : PyCapsule_New(g, GRAPH, capsule_free);
    if (!capsule) drop(g);
    return capsule;
}

static const Graph *graph_of(PyObject *capsule) { return PyCapsule_GetPointer(capsule, GRAPH); }

static int guards_of(const Graph *g, Graph *new) { return drop_dead(g, GUARDS, new); }

static PyObject *derived(PyObject *capsule, int (*pass)(const Graph *, Graph *)) {
    const Graph *g = graph_of(capsule);
    Graph *new = g ? PyMem_Calloc(1, sizeof *new) : NULL;
    if (!new) return g ? PyErr_NoMemory() : NULL;
    return graph_capsule(new, pass(g, new));
}
PyObject *graph_optimise(PyObject *module, PyObject *capsule) { return derived(capsule, optimise); }
PyObject *graph_simplify(PyObject *module, PyObject *capsule) { return derived(capsule, simplified); }
PyObject *graph_guards(PyObject *module, PyObject *capsule) { return derived(capsule, guards_of); }

PyObject *graph_sizes(PyObject *module, PyObject *capsule) {
    const Graph *g = graph_of(capsule);
    return g ? Py_BuildValue("iii", g->n, g->n_outputs, g->n_guards) : NULL;
}

PyObject *graph_reach(PyObject *module, PyObject *capsule) {
    const Graph *g = graph_of(capsule);
    PyObject *reach = g ? PyBytes_FromStringAndSize(NULL, g->n) : NULL;
    if (reach) find_reach(g, (uint8_t *)PyBytes_AS_STRING(reach));
    return reach;
}

static PyObject *bytes_of(const void *items, Py_ssize_t size) { return PyBytes_FromStringAndSize(items, size); }

PyObject *graph_parts(PyObject *module, PyObject *capsule) {
    const Graph *g = graph_of(capsule);
    if (!g) return NULL;
    static const int32_t none; /* the argument offset of an empty graph */
    const Py_ssize_t size = sizeof(int32_t);
    return Py_BuildValue("NNNNNN", bytes_of(g->code, g->n), bytes_of(g->first ? g->first : &none, (g->n + 1) * size),
                         bytes_of(g->args, g->n_args * size), bytes_of(g->numbers, g->n_numbers * (Py_ssize_t)sizeof(double)),
                         bytes_of(g->outputs, g->n_outputs * size), bytes_of(g->guards, g->n_guards * size));
}

/* graph_of_parts(codes, first, args, numbers, outputs, guards) -> graph: the inverse of graph_parts. */
PyObject *graph_of_parts(PyObject *module, PyObject *args) {
    enum { PARTS = 6 };
    static const size_t sizes[PARTS] = {1, sizeof(int32_t), sizeof(int32_t), sizeof(double), sizeof(int32_t), sizeof(int32_t)};
    Py_buffer given[PARTS];
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*:graph_of_parts", given, given + 1, given + 2, given + 3, given + 4, given + 5)) return NULL;
    void *parts[PARTS];
    int32_t counts[PARTS];
    int fault = 0;
    for (int k = 0; k < PARTS; k++) {
        counts[k] = (int32_t)((size_t)given[k].len / sizes[k]);
        if (!(parts[k] = PyMem_Malloc((size_t)given[k].len + 1)))
            fault = OUT_OF_MEMORY;
        else if (given[k].len)
            memcpy(parts[k], given[k].buf, (size_t)given[k].len);
        PyBuffer_Release(&given[k]);
    }
    Graph *g = PyMem_Calloc(1, sizeof *g);
    if (!g) {
        for (int k = 0; k < PARTS; k++) PyMem_Free(parts[k]);
        return PyErr_NoMemory();
    }
    *g = (Graph){.n = counts[0], .code = parts[0], .first = parts[1], .n_args = counts[2], .args = parts[2], .n_numbers = counts[3],
                 .numbers = parts[3], .n_outputs = counts[4], .outputs = parts[4], .n_guards = counts[5], .guards = parts[5]};
    if (!fault && (counts[1] != g->n + 1 || g->first[0] || g->first[g->n] != g->n_args)) fault = MALFORMED;
    for (int32_t i = 0; !fault && i < g->n; i++)
        if (g->first[i] > g->first[i + 1]) fault = MALFORMED;
    return graph_capsule(g, fault ? fault : graph_verify(g));
}

/* Lower the graph and, if `gradients` is set, build the reverse program. */
static int build(const Graph *g, int narrow, int gradients, int params, const Py_buffer *wanted, Machine *m) {
    Graph ready = {0};
    const ptrdiff_t n_wanted = gradients ? wanted->len / (ptrdiff_t)sizeof(int32_t) : 0;
    for (ptrdiff_t i = 0; i < n_wanted; i++)
        if (((int32_t *)wanted->buf)[i] < 0 || ((int32_t *)wanted->buf)[i] >= m->inputs) return MALFORMED;
    int fault = gradients ? with_masks(g, &ready) : drop_dead(g, VALUES, &ready);
    if (!fault) fault = lower(&ready, narrow, m);
    graph_free(&ready);
    return fault || !gradients ? fault : reverse(m, params, wanted->buf, n_wanted);
}

/* graph_machine(graph, params, inputs, narrow, differentiate_params, wanted) -> machine
 *
 * `wanted` lists the inputs whose gradients are needed, as 32-bit integers; None means no gradients at all. */
PyObject *graph_machine(PyObject *module, PyObject *args) {
    PyObject *capsule, *inputs;
    Py_ssize_t params, n_inputs;
    int narrow, differentiate;
    if (!PyArg_ParseTuple(args, "OnnppO:graph_machine", &capsule, &params, &n_inputs, &narrow, &differentiate, &inputs)) return NULL;
    const Graph *g = graph_of(capsule);
    if (!g) return NULL;
    Py_buffer wanted = {0};
    if (inputs != Py_None && PyObject_GetBuffer(inputs, &wanted, PyBUF_SIMPLE) < 0) return NULL;
    PyObject *result = NULL;
    Machine *m = PyMem_Calloc(1, sizeof *m);
    if (!m)
        PyErr_NoMemory();
    else {
        m->params = params, m->inputs = n_inputs;
        const int fault = build(g, narrow, inputs != Py_None, differentiate, &wanted, m);
        if (fault) {
            raise_fault(fault);
            machine_drop(m);
        } else
            result = machine_ready(m);
    }
    if (inputs != Py_None) PyBuffer_Release(&wanted);
    return result;
}
