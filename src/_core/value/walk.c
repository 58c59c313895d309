/* The walk: lists everything a value depends on, inputs before results, without recursion. */
#include "node.h"

typedef struct {
    Value *node;
    Py_ssize_t next;
} Frame;

enum { ALL_DONE = -1 };

/* The arrays of the last walk, kept for the next one: allocating memory costs more than the walk. A walk takes
 * them, so that a nested walk, started from a Python function, gets its own. */
enum { MOST_KEPT = 1 << 20 };
static struct {
    void *memory;
    Py_ssize_t capacity;
} kept_path, kept_nodes;

#define TAKE(kept, array, room) \
    (array = kept.memory, room = kept.capacity, kept.memory = NULL, kept.capacity = 0)
#define KEEP(kept, array, room)                           \
    do {                                                  \
        if (room > kept.capacity && room <= MOST_KEPT) {  \
            PyMem_RawFree(kept.memory);                   \
            kept.memory = array, kept.capacity = room;    \
        } else                                            \
            PyMem_RawFree(array);                         \
    } while (0)

/* `array` points to a pointer, accessed as bytes because its type is unknown here. */
static int grow(void *array, Py_ssize_t *capacity, size_t item) {
    Py_ssize_t larger = *capacity ? *capacity * 2 : 256;
    void *items;
    memcpy(&items, array, sizeof items);
    if (!(items = PyMem_RawRealloc(items, (size_t)larger * item))) return PyErr_NoMemory(), -1;
    memcpy(array, &items, sizeof items);
    *capacity = larger;
    return 0;
}

/* Check a node for faults that would make gradients wrong. Returns the name of the function in
 * chainrule.support.errors that reports the fault, or NULL. */
static inline const char *fault_of(Value *v, Checks checks, Value **changed) {
    const int check_stale = checks == IF_STALE;
    if (checks == NO_CHECKS) return NULL;
    if (!(v->flags & (EXTRA | FREED | OVERWRITTEN))) { /* the common case */
        uint64_t now = TIME(v);
        if (!check_stale || ((v->flags & NUMBER0 || TIME(v->in[0].node) <= now) &&
                             (v->flags & NUMBER1 || TIME(v->in[1].node) <= now)))
            return NULL;
    }
    if (v->flags & FREED) return v->word & SETTLED ? "settled" : "freed";
    if (!check_stale) return NULL;
    if (v->flags & OVERWRITTEN) return "overwritten";
    Py_ssize_t n = node_count(v);
    Slot *slots = node_slots(v);
    for (Py_ssize_t i = 0; i < n; i++)
        if (!slot_is_number(v, i) && TIME(slots[i].node) > TIME(v)) {
            *changed = slots[i].node;
            return "stale";
        }
    return NULL;
}

/* Whether the fast path of the walk may skip an input: a number, a node seen before or, unless `leaves` is
 * set, a plain leaf. */
static inline int pass_over(const Value *v, int i, int leaves, uint64_t stop) {
    if (v->flags & (i ? NUMBER1 : NUMBER0)) return 1;
    const Value *child = v->in[i].node;
    if (child->word & (SEEN | CONSTANT | stop)) return 1;
    return !leaves && child->op == LEAF && !(child->flags & EXTRA);
}

/* The first input from `next` on that must be visited; *next is set to the one after it. */
static inline Value *next_child(Value *v, Py_ssize_t *next, int leaves, uint64_t stop) {
    if (!(v->flags & EXTRA)) {
        while (*next < 2) {
            int i = (int)(*next)++;
            if (!pass_over(v, i, leaves, stop)) return v->in[i].node;
        }
        return NULL;
    }
    Extra *extra = v->in[0].extra;
    while (*next < extra->n) {
        Py_ssize_t i = (*next)++;
        if (extra->is_number[i]) continue;
        Value *child = extra->slots[i].node;
        if (child->word & (SEEN | CONSTANT | stop)) continue;
        if (leaves || child->op != LEAF || child->flags & EXTRA) return child;
    }
    return NULL;
}

/* Depth first, inputs from left to right, each node after its inputs.
 *
 * Fills `order` and leaves SEEN set on its nodes; on failure clears all marks and returns -1. Plain leaves
 * are left out unless `leaves` is set: they propagate nothing. Inputs with a bit of `stop` set in their word
 * are not visited, and neither are such roots. With several roots, each adds only the nodes that earlier roots did not reach. */
static inline int walk_as(Value *const *roots, Py_ssize_t n, Checks checks, int leaves, uint64_t stop, Order *order) {
    Frame *path;
    Py_ssize_t depth = 0, path_capacity;
    const char *fault = NULL;
    Value *faulty = NULL, *changed = NULL, *v;
    *order = (Order){0};
    TAKE(kept_path, path, path_capacity);
    TAKE(kept_nodes, order->nodes, order->capacity);
next_root:
    do {
        if (!n--) goto done;
        v = *roots++;
    } while (v->word & (SEEN | stop));
    for (;;) {
        /* v is new */
        v->word |= SEEN;
        if ((fault = fault_of(v, checks, &changed)) != NULL) {
            v->word &= ~(uint64_t)SEEN;
            faulty = v;
            goto fail;
        }
        if (v->flags & EXTRA) {
            Extra *extra = v->in[0].extra;
            if (extra->closure || extra->grad || v->op >= CUSTOM) order->python = 1;
            if (extra->n > order->widest) order->widest = extra->n;
        }
        Py_ssize_t next = 0;
        Value *child = next_child(v, &next, leaves, stop);
        for (;;) { /* list finished nodes until there is a new one to descend to */
            if (child) break;
            if (order->n == order->capacity &&
                grow(&order->nodes, &order->capacity, sizeof(Value *)) < 0) {
                v->word &= ~(uint64_t)SEEN;
                goto fail;
            }
            order->nodes[order->n++] = v;
            if (!depth) goto next_root;
            v = path[--depth].node;
            next = path[depth].next;
            child = next == ALL_DONE ? NULL : next_child(v, &next, leaves, stop);
        }
        if (depth == path_capacity && grow(&path, &path_capacity, sizeof(Frame)) < 0) {
            v->word &= ~(uint64_t)SEEN;
            goto fail;
        }
        /* If v only needs to be listed, record that, so that it is not examined again. */
        if (!(v->flags & EXTRA) && (next == 2 || pass_over(v, 1, leaves, stop))) next = ALL_DONE;
        path[depth++] = (Frame){v, next};
        v = child;
    }
done:
    KEEP(kept_path, path, path_capacity);
    return 0;

fail:
    while (depth) path[--depth].node->word &= ~(uint64_t)SEEN;
    KEEP(kept_path, path, path_capacity);
    order_unmark(order);
    order_free(order);
    /* Python code may run only now that all marks are cleared. */
    if (changed)
        raise_error(fault, (PyObject *)changed, (PyObject *)faulty);
    else if (fault)
        raise_error(fault, (PyObject *)faulty, NULL);
    return -1;
}

int walk(Value *root, Checks checks, int leaves, uint64_t stop, Order *order) {
    if (checks == IF_STALE && !leaves && !stop) /* backward gets a specialised walk */
        return walk_as(&root, 1, IF_STALE, 0, 0, order);
    return walk_as(&root, 1, checks, leaves, stop, order);
}

int walk_all(Value *const *roots, Py_ssize_t n, Checks checks, Order *order) {
    return walk_as(roots, n, checks, 1, SETTLED, order);
}

/* Keep the nodes alive while Python code may run. */
void order_hold(Order *order) {
    for (Py_ssize_t i = 0; i < order->n; i++) Py_INCREF(order->nodes[i]);
}

void order_drop(Order *order) {
    for (Py_ssize_t i = 0; i < order->n; i++) Py_DECREF(order->nodes[i]);
}

void order_unmark(Order *order) {
    for (Py_ssize_t i = 0; i < order->n; i++) order->nodes[i]->word &= ~(uint64_t)(SEEN | REACHED);
}

void order_free(Order *order) {
    KEEP(kept_nodes, order->nodes, order->capacity);
    *order = (Order){0};
}

PyObject *value_topological(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"check", NULL};
    int check = 1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|p:topological", names, &check)) return NULL;
    Order order;
    if (walk((Value *)self, check ? IF_STALE : IF_FREED, 1, 0, &order) < 0) return NULL;
    order_unmark(&order);
    order_hold(&order);
    PyObject *list = PyList_New(order.n);
    if (list)
        for (Py_ssize_t i = 0; i < order.n; i++) PyList_SET_ITEM(list, i, (PyObject *)order.nodes[i]);
    else
        order_drop(&order);
    order_free(&order);
    return list;
}
