/* Memory: nodes from a free list, inputs held by reference, nothing freed by recursion. */
#include "node.h"

enum { MOST_FREE_NODES = 1 << 20 };

Value *free_nodes;
Py_ssize_t free_count;

Value *node_alloc(void) { return PyObject_GC_New(Value, Value_Type); }

/* Move the inputs of a node into an Extra, where there is room for everything else. */
Extra *node_extra(Value *v) {
    if (v->flags & EXTRA) return v->in[0].extra;
    Py_ssize_t n = node_count(v);
    Extra *extra = PyMem_Calloc(1, sizeof(Extra) + (size_t)n * (sizeof(Slot) + 1));
    if (!extra) {
        PyErr_NoMemory();
        return NULL;
    }
    extra->n = n;
    extra->is_number = (unsigned char *)(extra->slots + n);
    for (Py_ssize_t i = 0; i < n; i++) {
        extra->slots[i] = v->in[i];
        extra->is_number[i] = slot_is_number(v, i) != 0;
    }
    v->flags = (v->flags & ~(NUMBER0 | NUMBER1)) | EXTRA;
    v->in[0].extra = extra;
    return extra;
}

/* Give a node that has none its inputs. Takes new references; at most two without an Extra. */
int node_set_inputs(Value *v, Py_ssize_t n, const Slot *slots, const unsigned char *is_number) {
    if (n <= 2 && v->op < CUSTOM && !ROWS[v->op].width) {
        for (Py_ssize_t i = 0; i < n; i++) {
            v->in[i] = slots[i];
            if (!is_number[i]) {
                v->flags &= i ? ~NUMBER1 : ~NUMBER0;
                Py_INCREF(slots[i].node);
            }
        }
        return 0;
    }
    Extra *extra = PyMem_Calloc(1, sizeof(Extra) + (size_t)n * (sizeof(Slot) + 1));
    if (!extra) {
        PyErr_NoMemory();
        return -1;
    }
    extra->n = n;
    extra->is_number = (unsigned char *)(extra->slots + n);
    memcpy(extra->slots, slots, (size_t)n * sizeof(Slot));
    memcpy(extra->is_number, is_number, (size_t)n);
    for (Py_ssize_t i = 0; i < n; i++)
        if (!is_number[i]) Py_INCREF(slots[i].node);
    v->in[0].extra = extra;
    v->flags = (v->flags & ~(NUMBER0 | NUMBER1)) | EXTRA;
    return 0;
}

/* Forget the inputs and what was done with them; the label and the gradient stay. */
void node_release_inputs(Value *v) {
    Py_ssize_t n = node_count(v);
    if (!(v->flags & EXTRA)) {
        Slot in[2] = {v->in[0], v->in[1]};
        int flags = v->flags;
        v->flags |= NUMBER0 | NUMBER1 | FREED; /* without inputs from here on */
        for (Py_ssize_t i = 0; i < n; i++)
            if (!(flags & (i ? NUMBER1 : NUMBER0))) Py_DECREF(in[i].node);
        return;
    }
    Extra *extra = v->in[0].extra;
    v->flags |= FREED;
    extra->n = 0;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!extra->is_number[i]) Py_CLEAR(extra->slots[i].node);
    Py_CLEAR(extra->closure);
}

/* Forget everything; the node is a bare leaf afterwards. */
void node_clear(Value *v) {
    node_release_inputs(v);
    if (v->flags & EXTRA) {
        Extra *extra = v->in[0].extra;
        v->flags &= ~EXTRA;
        v->op = LEAF;
        Py_CLEAR(extra->label);
        Py_CLEAR(extra->closure);
        Py_CLEAR(extra->row);
        Py_CLEAR(extra->name);
        Py_CLEAR(extra->site);
        Py_CLEAR(extra->grad);
        PyMem_Free(extra);
    }
    v->op = LEAF;
    v->flags = NUMBER0 | NUMBER1;
}

/* Freeing a chain must not recurse: a node that dies while another is being freed waits in a
 * list, linked through its grad, until that one is done. */
static Value *waiting;
static int freeing;

static void node_free(Value *v) {
    node_clear(v);
    PyTypeObject *type = Py_TYPE(v);
    if (type == Value_Type && free_count < MOST_FREE_NODES) {
        v->next = free_nodes; /* the free list keeps the reference to the type */
        free_nodes = v;
        free_count++;
        return;
    }
    type->tp_free(v);
    Py_DECREF(type);
}

void value_dealloc(PyObject *self) {
    Value *v = (Value *)self;
    PyObject_GC_UnTrack(self);
    if (freeing) {
        v->next = waiting;
        waiting = v;
        return;
    }
    freeing = 1;
    for (;;) {
        node_free(v);
        if (!waiting) break;
        v = waiting;
        waiting = v->next;
    }
    freeing = 0;
}

/* The collector sees only nodes that can be part of a cycle: see node_track_graph. */
int value_traverse(PyObject *self, visitproc visit, void *arg) {
    Value *v = (Value *)self;
    Py_VISIT(Py_TYPE(self));
    Py_ssize_t n = node_count(v);
    Slot *slots = node_slots(v);
    for (Py_ssize_t i = 0; i < n; i++)
        if (!slot_is_number(v, i)) Py_VISIT(slots[i].node);
    if (v->flags & EXTRA) {
        Extra *extra = v->in[0].extra;
        Py_VISIT(extra->closure);
        Py_VISIT(extra->row);
        Py_VISIT(extra->grad);
    }
    return 0;
}

int value_gc_clear(PyObject *self) {
    node_clear((Value *)self);
    return 0;
}

/* A gradient that is a Value may depend on the very node that holds it. Let the collector see
 * every node of such a graph, so that it can find the cycle. */
int node_track_graph(Value *root) {
    Order order;
    if (walk(root, 0, 1, &order) < 0) return -1;
    order_unmark(&order);
    for (Py_ssize_t i = 0; i < order.n; i++)
        if (!PyObject_GC_IsTracked((PyObject *)order.nodes[i])) PyObject_GC_Track(order.nodes[i]);
    order_free(&order);
    return 0;
}
