/* Memory: nodes are contiguous on huge pages and hold references to their inputs; freeing does not recurse. */
#include "node.h"

Value *free_nodes;
static Py_ssize_t tracked; /* nodes tracked since collect_cycles last ran */

/* Nodes are allocated next to each other in one region of address space while it has room, so that the
 * kernel can map them in pages of 2 MiB instead of 4 KiB, which saves address translations. Memory is
 * committed as nodes fill it, and kept for the next graph. Further nodes come from Python's allocator and are
 * returned to it. */
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(Py_GIL_DISABLED)
#include <sys/mman.h>
enum {
    HEADER = 2 * sizeof(uintptr_t), /* the garbage collector's header before an object */
    CELL = HEADER + sizeof(Value),
    HUGE_PAGE = 1 << 21,
    REGION = 40 * HUGE_PAGE /* a million nodes */
};
static char *region, *fresh; /* its start, and the first unused cell */
static size_t reserved;      /* 0 until it is allocated, or if that failed */

static void reserve_region(void) {
    static int tried;
    if (tried) return;
    tried = 1;
    char *start = mmap(NULL, REGION + HUGE_PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return;
    region = fresh = (char *)(((uintptr_t)start + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
    reserved = REGION;
    madvise(region, REGION, MADV_HUGEPAGE); /* only a hint: everything works without it, just slower */
}

static int in_region(const Value *v) { return (uintptr_t)v - (uintptr_t)region < reserved; }

/* Python runs its collector after enough allocations, but it does not count these cells. So we call the
 * collector ourselves, by Python's rule: usually for the youngest generation, every tenth time for the middle
 * one, every hundredth time for all. */
enum { ENOUGH = 10000 };

static void collect_cycles(void) {
    static unsigned calls;
    tracked = 0;
    if (!PyGC_IsEnabled()) return;
    const int generation = ++calls % 10 ? 0 : calls % 100 ? 1 : 2;
    PyObject *kind, *error, *traceback;
    PyErr_Fetch(&kind, &error, &traceback);
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *found = gc ? PyObject_CallMethod(gc, "collect", "i", generation) : NULL;
    if (!found) PyErr_WriteUnraisable(gc);
    Py_XDECREF(found);
    Py_XDECREF(gc);
    PyErr_Restore(kind, error, traceback);
}

/* An unused cell, or NULL if there is none. */
static Value *take_cell(void) {
    reserve_region();
    if (!reserved || fresh + CELL > region + reserved) return NULL;
    if (tracked > ENOUGH) {
        collect_cycles();
        if (free_nodes) return node_reuse();
        if (fresh + CELL > region + reserved) return NULL; /* finalizers run by the collector created nodes */
    }
    Value *v = (Value *)(fresh + HEADER);
    fresh += CELL;
    return (Value *)PyObject_Init((PyObject *)v, Value_Type);
}

/* A cell on the free list must look new: the collector's header may say that it was finalized. */
static void clean_cell(Value *v) {
    uintptr_t *header = (uintptr_t *)((char *)v - HEADER);
    header[0] = header[1] = 0;
}
#else /* the sanitizer must see every node being freed */
static int in_region(const Value *v) { return 0; }
static Value *take_cell(void) { return NULL; }
static void clean_cell(Value *v) {}
#endif

Value *node_alloc(void) {
    Value *v = take_cell(); /* zeroed by the kernel */
    if (v) return v;
    if ((v = PyObject_GC_New(Value, Value_Type))) v->dict = NULL;
    return v;
}

static Extra *new_extra(Py_ssize_t n) {
    Extra *extra = PyMem_Calloc(1, sizeof(Extra) + (size_t)n * (sizeof(Slot) + 1));
    if (!extra) return PyErr_NoMemory(), NULL;
    extra->n = n;
    extra->is_number = (unsigned char *)(extra->slots + n);
    return extra;
}

/* Free an Extra that no node refers to any more, and release everything in it. */
static void free_extra(Extra *extra) {
    for (Py_ssize_t i = 0; i < extra->n; i++)
        if (!extra->is_number[i]) Py_DECREF(extra->slots[i].node);
    Py_XDECREF(extra->label);
    Py_XDECREF(extra->closure);
    Py_XDECREF(extra->row);
    Py_XDECREF(extra->name);
    Py_XDECREF(extra->site);
    Py_XDECREF(extra->grad);
    PyMem_Free(extra);
}

static void use_extra(Value *v, Extra *extra) {
    v->in[0].extra = extra;
    v->flags = (v->flags & ~(NUMBER0 | NUMBER1)) | EXTRA;
}

/* Move the inputs of a node into an Extra, which has room for the rarely used fields. */
Extra *node_extra(Value *v) {
    if (v->flags & EXTRA) return v->in[0].extra;
    Py_ssize_t n = node_count(v);
    Extra *extra = new_extra(n);
    if (!extra) return NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        extra->slots[i] = v->in[i];
        extra->is_number[i] = slot_is_number(v, i) != 0;
    }
    use_extra(v, extra);
    return extra;
}

/* Set the inputs of a node that has none, and take references to them. More than two need an Extra. */
int node_set_inputs(Value *v, Py_ssize_t n, const Slot *slots, const unsigned char *is_number) {
    uint64_t tracked = v->op == CUSTOM ? TRACKED : 0; /* its functions may hold its results */
    if (n <= 2 && v->op < CUSTOM && !ROWS[v->op].width) {
        for (Py_ssize_t i = 0; i < n; i++) {
            v->in[i] = slots[i];
            if (!is_number[i]) v->flags &= i ? ~NUMBER1 : ~NUMBER0;
        }
    } else {
        Extra *extra = new_extra(n);
        if (!extra) return -1;
        memcpy(extra->slots, slots, (size_t)n * sizeof(Slot));
        memcpy(extra->is_number, is_number, (size_t)n);
        use_extra(v, extra);
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (!is_number[i]) {
            Py_INCREF(slots[i].node);
            tracked |= slots[i].node->word & TRACKED;
        }
    if (tracked) node_track(v);
    return 0;
}

/* Drop the inputs and the operation; the label and the gradient stay.
 *
 * Releasing an object may run Python code, which may do anything to this node. So the node is made
 * consistent first, and the objects it held are released last. */
void node_release_inputs(Value *v) {
    if (!(v->flags & EXTRA)) {
        Slot in[2] = {v->in[0], v->in[1]};
        int flags = v->flags, n = (int)node_count(v);
        v->flags |= NUMBER0 | NUMBER1 | FREED;
        for (int i = 0; i < n; i++)
            if (!(flags & (i ? NUMBER1 : NUMBER0))) Py_DECREF(in[i].node);
        return;
    }
    Extra *old = v->in[0].extra, *kept = new_extra(0);
    v->flags |= FREED;
    if (kept) {
        kept->label = Py_XNewRef(old->label);
        kept->row = Py_XNewRef(old->row);
        kept->name = Py_XNewRef(old->name);
        kept->site = Py_XNewRef(old->site);
        kept->grad = Py_XNewRef(old->grad);
        v->in[0].extra = kept;
    } else { /* out of memory even for that: the freed node loses its name */
        PyErr_Clear();
        v->op = v->op >= CUSTOM ? OP_POS : v->op;
        v->flags = (v->flags & ~EXTRA) | NUMBER0 | NUMBER1;
    }
    free_extra(old);
}

/* Drop everything except the user's attributes; the node becomes a bare leaf. */
void node_clear(Value *v) {
    Slot in[2] = {v->in[0], v->in[1]};
    int flags = v->flags, n = (int)node_count(v);
    v->op = LEAF;
    v->flags = NUMBER0 | NUMBER1;
    v->word &= ~(TRACKED_BELOW | UNRECORDED);
    if (flags & EXTRA)
        free_extra(in[0].extra);
    else
        for (int i = 0; i < n; i++)
            if (!(flags & (i ? NUMBER1 : NUMBER0))) Py_DECREF(in[i].node);
}

/* Freeing a chain must not recurse: a node that dies while another is being freed waits in a list,
 * linked through its grad, until the other is done. */
static Value *waiting;
static int freeing;

static void node_free(Value *v) {
    node_clear(v);
    Py_CLEAR(v->dict);
    PyTypeObject *type = Py_TYPE(v);
    if (in_region(v)) { /* the free list keeps the type and the reference to it */
        if (type != Value_Type) { /* __class__ was assigned */
            Py_SET_TYPE(v, (PyTypeObject *)Py_NewRef((PyObject *)Value_Type));
            Py_DECREF(type);
            clean_cell(v);
        }
        v->next = free_nodes;
        free_nodes = v;
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

/* The garbage collector sees only nodes that can be part of a cycle: see node_track_graph. */
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
    Py_VISIT(v->dict);
    return 0;
}

int value_gc_clear(PyObject *self) {
    node_clear((Value *)self);
    Py_CLEAR(((Value *)self)->dict);
    return 0;
}

/* Let the garbage collector track a node. */
void node_track(Value *v) {
    v->word |= TRACKED;
    if (PyObject_GC_IsTracked((PyObject *)v)) return;
    PyObject_GC_Track(v);
    tracked++;
}

/* A gradient that is a Value may depend on the node that holds it. Let the garbage collector track every
 * node of such a graph, so that it can find the cycle. */
int node_track_graph(Value *root) {
    Order order;
    if (walk(root, NO_CHECKS, 1, TRACKED_BELOW, &order) < 0) return -1;
    order_unmark(&order);
    for (Py_ssize_t i = 0; i < order.n; i++) {
        node_track(order.nodes[i]);
        order.nodes[i]->word |= TRACKED_BELOW;
    }
    order_free(&order);
    return 0;
}

/* An attribute that the collector treats as a container may refer back to this node. A number or a string
 * cannot, so parameters with numbers as attributes stay untracked. */
int value_setattr(PyObject *self, PyObject *name, PyObject *value) {
    Value *v = (Value *)self;
    if (PyObject_GenericSetAttr(self, name, value) < 0) return -1;
    if (!v->dict || !value || !PyObject_IS_GC(value)) return 0;
    node_track(v);
    return IS_VALUE(value) ? node_track_graph((Value *)value) : 0;
}
