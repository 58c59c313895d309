/* forward(): recompute a graph in place from its leaves. */
#include "node.h"

static int custom_value(Value *v, double *data) {
    Py_ssize_t n = node_count(v);
    PyObject *numbers = PyTuple_New(n);
    for (Py_ssize_t i = 0; numbers && i < n; i++) {
        PyObject *number = PyFloat_FromDouble(slot_number(v, i));
        if (!number) Py_CLEAR(numbers);
        else PyTuple_SET_ITEM(numbers, i, number);
    }
    PyObject *function = numbers ? PyObject_GetAttrString(v->in[0].extra->row, "forward") : NULL;
    PyObject *value = function ? PyObject_Call(function, numbers, NULL) : NULL;
    PyObject *number = value ? PyObject_CallOneArg(as_float, value) : NULL;
    if (number) *data = PyFloat_AS_DOUBLE(number);
    Py_XDECREF(numbers);
    Py_XDECREF(function);
    Py_XDECREF(value);
    Py_XDECREF(number);
    return number ? 0 : -1;
}

/* Whether a node made by hand can keep its value: nothing below it has changed. */
static int still_valid(Value *v) {
    if (v->flags & OVERWRITTEN) return 0;
    Py_ssize_t n = node_count(v);
    for (Py_ssize_t i = 0; i < n; i++)
        if (!slot_is_number(v, i) && TIME(node_slots(v)[i].node) > TIME(v)) return 0;
    return 1;
}

static int recompute(Value *v, double *scratch) {
    Py_ssize_t n = node_count(v);
    if (n == 0) return 0;
    if (v->op == BY_HAND) {
        if (still_valid(v)) return 0;
        PyObject *error = PyObject_CallMethod(errors, "no_formula", "Os", v, "recompute");
        if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
        Py_XDECREF(error);
        return -1;
    }
    if (v->op == CUSTOM) return custom_value(v, &v->data);
    for (Py_ssize_t i = 0; i < n; i++) scratch[i] = slot_number(v, i);
    v->data = ROWS[v->op].width ? variadic_value(v->op, scratch, n / ROWS[v->op].width)
                                : fixed_value(v->op, scratch);
    return 0;
}

PyObject *value_forward(PyObject *self, PyObject *unused) {
    (void)unused;
    Order order;
    if (walk((Value *)self, 0, 1, &order) < 0) return NULL;
    order_unmark(&order);
    double *before = PyMem_Malloc((size_t)(order.n + order.widest + 2) * sizeof(double));
    if (!before) {
        order_free(&order);
        return PyErr_NoMemory();
    }
    double *scratch = before + order.n;
    order_hold(&order);
    for (Py_ssize_t i = 0; i < order.n; i++) before[i] = order.nodes[i]->data;
    int failed = 0;
    for (Py_ssize_t i = 0; i < order.n && !failed; i++) failed = recompute(order.nodes[i], scratch);
    if (!failed) clock_now++;
    for (Py_ssize_t i = 0; i < order.n; i++) {
        Value *v = order.nodes[i];
        if (failed)
            v->data = before[i];
        else if (node_count(v)) {
            SET_TIME(v, clock_now);
            v->flags &= ~OVERWRITTEN;
        }
    }
    PyMem_Free(before);
    order_drop(&order);
    order_free(&order);
    return failed ? NULL : Py_NewRef(self);
}
