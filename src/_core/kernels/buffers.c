/* The elementwise kernels on Python buffers of doubles, for the tests. */
#include "elementwise.h"
#include "node.h"

enum { MOST = 6 };

/* Acquired buffers, all of the same length. */
typedef struct {
    Py_buffer views[MOST];
    int held;
    Py_ssize_t n; /* doubles in each buffer, -1 before the first */
} Buffers;

static double *hold(Buffers *buffers, PyObject *o, int writable) {
    Py_buffer *view = &buffers->views[buffers->held];
    if (PyObject_GetBuffer(o, view, PyBUF_ND | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)) < 0) return NULL;
    buffers->held++;
    const Py_ssize_t n = view->len / (Py_ssize_t)sizeof(double);
    if (!view->format || strcmp(view->format, "d")) {
        PyErr_SetString(PyExc_TypeError, "expected a buffer of doubles");
        return NULL;
    }
    if (buffers->n >= 0 && n != buffers->n) {
        PyErr_Format(PyExc_ValueError, "expected buffers of equal length, got %zd and %zd", buffers->n, n);
        return NULL;
    }
    buffers->n = n;
    return view->buf;
}

static void release(Buffers *buffers) {
    while (buffers->held) PyBuffer_Release(&buffers->views[--buffers->held]);
}

/* The arguments of an operation, NULL for those it does not have. */
static int hold_arguments(Buffers *buffers, PyObject *tuple, int arity, const double *a[3]) {
    if (PyTuple_GET_SIZE(tuple) != arity) {
        PyErr_Format(PyExc_TypeError, "expected %d arguments, got %zd", arity, PyTuple_GET_SIZE(tuple));
        return -1;
    }
    for (int i = 0; i < arity; i++)
        if (!(a[i] = hold(buffers, PyTuple_GET_ITEM(tuple, i), 0))) return -1;
    return 0;
}

/* Look up the instruction set by name and the elementwise operation by row; returns its code or -1. */
static int find(const char *name, PyObject *row, const Elementwise **simd) {
    if (!(*simd = elementwise_named(name))) return PyErr_Format(PyExc_ValueError, "this machine has no %s", name), -1;
    PyObject *code = PyDict_GetItemWithError(codes, row);
    const int op = code ? (int)PyLong_AsLong(code) : -1;
    if (op >= 0 && !ROWS[op].width) return op;
    if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "expected an elementwise operation, got %R", row);
    return -1;
}

PyObject *simd_names(PyObject *module, PyObject *unused) {
    static const char *const names[] = {"avx512", "avx2", "base"};
    PyObject *found = PyList_New(0);
    for (int i = 0; found && i < 3; i++) {
        if (!elementwise_named(names[i])) continue;
        PyObject *name = PyUnicode_FromString(names[i]);
        if (!name || PyList_Append(found, name) < 0) Py_CLEAR(found);
        Py_XDECREF(name);
    }
    return found;
}

const Elementwise *elementwise_best_or_error(void) {
    const Elementwise *best = elementwise_best();
    if (!best)
        PyErr_Format(PyExc_ValueError, "CHAINRULE_SIMD must be one of avx512, avx2, base that this machine has, got '%s'",
                     getenv("CHAINRULE_SIMD"));
    return best;
}

PyObject *simd_best(PyObject *module, PyObject *unused) {
    const Elementwise *best = elementwise_best_or_error();
    return best ? PyUnicode_FromString(best->name) : NULL;
}

PyObject *buffer_values(PyObject *module, PyObject *args) {
    const char *name;
    PyObject *row, *out, *arguments;
    if (!PyArg_ParseTuple(args, "sOOO!:_map_values", &name, &row, &out, &PyTuple_Type, &arguments)) return NULL;
    const Elementwise *simd;
    const int op = find(name, row, &simd);
    if (op < 0) return NULL;
    Buffers buffers = {.n = -1};
    const double *a[3] = {NULL};
    double *result = hold(&buffers, out, 1);
    const int good = result && !hold_arguments(&buffers, arguments, ROWS[op].arity, a);
    if (good) simd->map_values(op, result, a[0], a[1], a[2], buffers.n);
    release(&buffers);
    return good ? Py_NewRef(Py_None) : NULL;
}

PyObject *buffer_pull(PyObject *module, PyObject *args) {
    const char *name;
    int part, assign;
    PyObject *row, *grad, *adjoint, *arguments, *out;
    if (!PyArg_ParseTuple(args, "sOipOOO!O:_map_pull", &name, &row, &part, &assign, &grad, &adjoint,
                          &PyTuple_Type, &arguments, &out))
        return NULL;
    const Elementwise *simd;
    const int op = find(name, row, &simd);
    if (op < 0) return NULL;
    Buffers buffers = {.n = -1};
    const double *a[3] = {NULL}, *from = NULL, *value = NULL;
    double *to = hold(&buffers, grad, 1);
    const int good = to && (from = hold(&buffers, adjoint, 0)) && (value = hold(&buffers, out, 0)) &&
                     !hold_arguments(&buffers, arguments, ROWS[op].arity, a);
    if (good) simd->map_pull(op, part, assign, to, from, a[0], a[1], a[2], value, buffers.n);
    release(&buffers);
    return good ? Py_NewRef(Py_None) : NULL;
}
