/* forward(): recompute a graph in place from its leaves. */
#include "node.h"

/* Whether a hand-made node can keep its value, because none of its inputs has changed. */
static int still_valid(Value *v) {
    if (v->flags & OVERWRITTEN) return 0;
    Py_ssize_t n = node_count(v);
    for (Py_ssize_t i = 0; i < n; i++)
        if (!slot_is_number(v, i) && TIME(node_slots(v)[i].node) > TIME(v)) return 0;
    return 1;
}

static int recompute(Value *v, double *scratch, uint64_t now) {
    Py_ssize_t n = node_count(v);
    if (n == 0) return 0;
    if (v->op == BY_HAND) {
        if (still_valid(v)) return 0;
        raise_made(PyObject_CallMethod(errors, "no_formula", "Os", v, "recompute"));
        return -1;
    }
    double data;
    uint64_t latest = TIME(v);
    for (Py_ssize_t i = 0; i < n; i++) {
        scratch[i] = slot_number(v, i);
        if (!slot_is_number(v, i) && TIME(node_slots(v)[i].node) > latest) latest = TIME(node_slots(v)[i].node);
    }
    if (v->op == CUSTOM) {
        PyObject *row = Py_NewRef(v->in[0].extra->row); /* the Python code called below could free the row */
        int failed = custom_value(row, scratch, n, &data);
        Py_DECREF(row);
        if (failed) return -1;
    } else
        data = ROWS[v->op].width ? variadic_value(v->op, scratch, n / ROWS[v->op].width)
                                 : fixed_value(v->op, scratch);
    /* A new value makes everything else computed from this node stale. */
    int same = data == v->data && signbit(data) == signbit(v->data);
    v->data = data;
    SET_TIME(v, same ? latest : now);
    return 0;
}

typedef struct {
    double data;
    uint64_t time;
} Before;

PyObject *value_forward(PyObject *self, PyObject *unused) {
    Order order;
    if (walk((Value *)self, IF_FREED, 1, 0, &order) < 0) return NULL;
    order_unmark(&order);
    Before *before = PyMem_Malloc((size_t)order.n * sizeof(Before));
    double *scratch = PyMem_Malloc((size_t)(order.widest + 3) * sizeof(double));
    int failed = !before || !scratch;
    if (failed) {
        PyErr_NoMemory();
        goto done;
    }
    order_hold(&order);
    for (Py_ssize_t i = 0; i < order.n; i++)
        before[i] = (Before){order.nodes[i]->data, TIME(order.nodes[i])};
    const uint64_t now = ++clock_now;
    for (Py_ssize_t i = 0; i < order.n && !failed; i++) failed = recompute(order.nodes[i], scratch, now);
    for (Py_ssize_t i = 0; i < order.n; i++) {
        Value *v = order.nodes[i];
        if (failed) {
            v->data = before[i].data;
            SET_TIME(v, before[i].time);
        } else
            v->flags &= ~OVERWRITTEN;
    }
    order_drop(&order);
done:
    PyMem_Free(before);
    PyMem_Free(scratch);
    order_free(&order);
    return failed ? NULL : Py_NewRef(self);
}
