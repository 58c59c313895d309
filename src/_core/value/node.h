/* The node: a Value as a small C object, and the declarations shared by all files here.
 *
 * A node takes 64 bytes plus 16 for the garbage collector's header, which is used only by nodes that may be
 * part of a cycle (see src/_core/README.md). Up to two inputs are stored in the node; a plain number is
 * stored in place of the pointer. Rare fields (labels, more inputs, functions assigned to _backward) are in
 * an `Extra` that the first slot points to. Only the dictionary of user attributes has a field in every
 * node: Python looks for it at a fixed offset, and a custom lookup would make every method call build a
 * bound method first. */
#ifndef CHAINRULE_NODE_H
#define CHAINRULE_NODE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Value Value;
typedef struct Extra Extra;

typedef union {
    Value *node;
    double number;
    Extra *extra;
} Slot;

struct Value {
    PyObject_HEAD
    double data;
    union {
        double grad;
        Value *next; /* in the free list, and in the list of nodes waiting to be freed */
    };
    union {
        uint64_t word; /* all three fields; sweeps write the whole word, because storing a byte would stall the
                        * next load of the word */
        struct {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            uint8_t flags, op; /* op: an operation of the table, LEAF, CUSTOM or BY_HAND */
            uint16_t rest[3]; /* TRACKED, UNRECORDED, SETTLED and the time */
#else
            uint16_t rest[3];
            uint8_t op, flags;
#endif
        };
    };
    Slot in[2];
    PyObject *dict; /* user attributes; NULL until there are any, and in free nodes */
};

/* Whether the garbage collector tracks this node. If so, it tracks the node's results too: otherwise it
 * could not find a cycle that runs through them. */
#define TRACKED ((uint64_t)1 << 16)
/* The same for this node and everything below it, so that tracking a whole graph can stop here. */
#define TRACKED_BELOW ((uint64_t)1 << 17)

/* A result computed without recording: it has no graph to differentiate. */
#define UNRECORDED ((uint64_t)1 << 18)

/* A FREED node that has a number in the graph of a trace: see settle in extract.c. */
#define SETTLED ((uint64_t)1 << 19)

/* When data was last assigned; see clock_now. */
enum { TIME_SHIFT = 20 };
#define TIME(v) ((v)->word >> TIME_SHIFT)
#define SET_TIME(v, time) \
    ((v)->word = ((v)->word & (((uint64_t)1 << TIME_SHIFT) - 1)) | (uint64_t)(time) << TIME_SHIFT)

struct Extra {
    Py_ssize_t n;      /* inputs */
    PyObject *label;   /* each of these may be NULL */
    PyObject *closure; /* the function assigned to _backward */
    PyObject *row;     /* the Op of a CUSTOM node */
    PyObject *name;    /* the _op of a BY_HAND node, or an assigned one */
    PyObject *site;    /* the source line, inside detect_anomaly() */
    PyObject *grad;    /* a gradient that is a Value */
    unsigned char *is_number; /* one flag for each slot, stored after the slots */
    Slot slots[];
};

/* A field of a node's Extra; NULL if the node has no Extra. */
#define FIELD(v, name) ((v)->flags & EXTRA ? (v)->in[0].extra->name : NULL)

enum { LEAF = 0, CUSTOM = 254, BY_HAND = 255 };

enum {
    NUMBER0 = 1, /* in[0] is a plain number or missing */
    NUMBER1 = 2, /* likewise in[1], so that the sweeps need not check the arity */
    EXTRA = 4,   /* in[0].extra holds the inputs and everything else; NUMBER0 and NUMBER1 are clear */
    SEEN = 8,    /* used by walks, otherwise clear */
    REACHED = 16,
    CONSTANT = 32, /* a number turned into a node when accessed: gets no gradient */
    OVERWRITTEN = 64,
    FREED = 128
};

/* The part of a table row that C needs in addition to the formulas. */
typedef struct {
    const char *name;
    int arity, defaults;
    unsigned differentiable; /* one bit per argument */
    int selects, width, least;
    double default_value;
} Row;

#include "ops_scalar.h"

/* module.c: Python objects that the core uses */
extern PyTypeObject *Value_Type;
extern PyObject *table;     /* the tuple ops.TABLE */
extern PyObject *codes;     /* {Op: its position in the table, starting at 1} */
extern PyObject *errors;    /* the module chainrule.support.errors */
extern PyObject *sweeps;    /* the module chainrule.support.sweeps */
extern PyObject *as_float;  /* the function chainrule.support.ieee.as_float */
void raise_error(const char *function, PyObject *first, PyObject *second);
void raise_made(PyObject *error);

/* Advances with every assignment to .data. A result is stale if an input has a later time. */
extern uint64_t clock_now;

/* modes.c. The modes of this thread or task. The counts say how many managers are entered in any context, so
 * that the common case need not look up the context. Code that behaves the same inside and outside grad, such
 * as most operations, need not check DIFFERENTIATING. */
enum { NOT_RECORDING = 1, ANOMALY = 2, TRACING = 4, DIFFERENTIATING = 8 };
extern int modes_in_use, differentiating;
#define MODES() (__builtin_expect(modes_in_use, 0) ? current_modes() : 0)
#define WATCHED() (__builtin_expect(modes_in_use | differentiating, 0) ? current_modes() : 0)
int current_modes(void);
int ask_tracer(const char *method, PyObject *value, PyObject *more); /* its answer, or -1 */
int compare_as_numbers(PyObject *left, PyObject *right);             /* 1, 0 or -1 */
int observe_read(PyObject *value, const char *attribute);            /* 0, or -1 if the read is rejected */
int find_log(int modes, PyObject **log);                             /* likewise; the tracer's results, borrowed */
int observe_sweep(PyObject *root);                                   /* likewise */
int observe_cut(const char *how, PyObject *leaf, PyObject *inputs);  /* likewise; how is "cut" or "detached" */
PyObject *modes_here(PyObject *module, PyObject *unused);
PyObject *modes_setup(void);

/* Free several blocks of PyMem_Malloc; NULL is allowed. */
#define FREE_ALL(...)                                                                         \
    do {                                                                                      \
        void *parts_[] = {__VA_ARGS__};                                                       \
        for (size_t i_ = 0; i_ < sizeof parts_ / sizeof *parts_; i_++) PyMem_Free(parts_[i_]); \
    } while (0)

#define IS_VALUE(o) (Py_TYPE(o) == Value_Type || PyType_IsSubtype(Py_TYPE(o), Value_Type))

/* node.c */
extern Value *free_nodes;
Value *node_alloc(void);
int node_set_inputs(Value *v, Py_ssize_t n, const Slot *slots, const unsigned char *is_number);
Extra *node_extra(Value *v);
void node_release_inputs(Value *v);
void node_clear(Value *v);
void node_track(Value *v);
int node_track_graph(Value *root);
int value_traverse(PyObject *self, visitproc visit, void *arg);
int value_gc_clear(PyObject *self);
int value_setattr(PyObject *self, PyObject *name, PyObject *value);
void value_dealloc(PyObject *self);

static inline Value *node_reuse(void) {
    Value *v = free_nodes;
    free_nodes = v->next;
    _Py_NewReference((PyObject *)v);
    return v;
}

/* A new node; the caller fills in data, op and inputs. */
static inline Value *node_new(double data) {
    Value *v = __builtin_expect(free_nodes != NULL, 1) ? node_reuse() : node_alloc();
    if (!v) return NULL;
    v->data = data;
    v->grad = 0.0;
    v->word = clock_now << TIME_SHIFT | NUMBER0 | NUMBER1; /* a leaf */
    v->in[1].number = 0.0;
    return v;
}

/* The inputs of a node, in the node or in its Extra. */
static inline Py_ssize_t node_count(const Value *v) {
    if (v->flags & EXTRA) return v->in[0].extra->n;
    return v->op == LEAF || v->flags & FREED ? 0 : ROWS[v->op].arity;
}
static inline Slot *node_slots(Value *v) {
    return v->flags & EXTRA ? v->in[0].extra->slots : v->in;
}
static inline int slot_is_number(const Value *v, Py_ssize_t i) {
    return v->flags & EXTRA ? v->in[0].extra->is_number[i] : v->flags & (i ? NUMBER1 : NUMBER0);
}
static inline double slot_number(Value *v, Py_ssize_t i) {
    Slot slot = node_slots(v)[i];
    return slot_is_number(v, i) ? slot.number : slot.node->data;
}
static inline int node_is_leaf(const Value *v) {
    return !(v->flags & FREED) && node_count(v) == 0;
}

/* number.c */
int need_number(PyObject *o, double *x);
PyObject *floats(const double *a, Py_ssize_t n);
int custom_value(PyObject *row, const double *a, Py_ssize_t n, double *data);
PyObject *apply_static(PyObject *unused, PyObject *const *args, Py_ssize_t n);
PyObject *node_static(PyObject *unused, PyObject *const *args, Py_ssize_t n);
PyObject *value_floor(PyObject *self, PyObject *unused);
PyObject *value_ceil(PyObject *self, PyObject *unused);
PyObject *value_trunc(PyObject *self, PyObject *unused);
PyObject *value_round(PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *where_method(PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *value_compare(PyObject *a, PyObject *b, int comparison);
extern PyType_Slot operator_slots[];
extern PyMethodDef table_methods[], module_functions[];

/* attributes.c */
Value *leaf_created(Value *v);
int value_init(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *value_vectorcall(PyObject *type, PyObject *const *args, size_t n, PyObject *names);
PyObject *value_format(PyObject *self, PyObject *spec);
PyObject *values_read_data(PyObject *module, PyObject *values);
PyObject *values_write(PyObject *module, PyObject *args);
PyObject *clock_here(PyObject *module, PyObject *unused);
int value_set_grad(PyObject *self, PyObject *grad, void *unused);
extern PyGetSetDef value_attributes[];

/* walk.c */
typedef struct {
    Value **nodes; /* inputs before results, without constants */
    Py_ssize_t n, capacity;
    Py_ssize_t widest; /* the largest number of inputs in an Extra */
    int python; /* whether a sweep may run Python code: functions, custom operations, Value gradients */
} Order;
typedef enum { NO_CHECKS, IF_FREED, IF_STALE /* or freed */ } Checks; /* when a walk fails */
int walk(Value *root, Checks checks, int leaves, uint64_t stop, Order *order);
int walk_all(Value *const *roots, Py_ssize_t n, Checks checks, Order *order); /* leaves too */
void order_unmark(Order *order);
void order_free(Order *order);
void order_hold(Order *order);
void order_drop(Order *order);
PyObject *value_topological(PyObject *self, PyObject *args, PyObject *keywords);

/* backward.c */
PyObject *value_backward(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *value_propagate(PyObject *self, PyObject *unused);
PyObject *value_zero_grad(PyObject *self, PyObject *unused);

/* machine.c */
PyObject *machine_new(PyObject *module, PyObject *args);
PyObject *machine_kernel(PyObject *module, PyObject *args);
PyObject *machine_run(PyObject *module, PyObject *args);
PyObject *machine_train(PyObject *module, PyObject *args);
PyObject *machine_parts(PyObject *module, PyObject *capsule);

/* extract.c and pipeline.c */
PyObject *graph_extract(PyObject *module, PyObject *args);
PyObject *graph_settle(PyObject *module, PyObject *args);
PyObject *graph_optimise(PyObject *module, PyObject *capsule);
PyObject *graph_simplify(PyObject *module, PyObject *capsule);
PyObject *graph_reach(PyObject *module, PyObject *capsule);
PyObject *graph_forward(PyObject *module, PyObject *args);
PyObject *graph_guards(PyObject *module, PyObject *capsule);
PyObject *graph_pattern(PyObject *module, PyObject *args);
PyObject *columns_coloured(PyObject *module, PyObject *args);
PyObject *graph_of_parts(PyObject *module, PyObject *args);
PyObject *graph_machine(PyObject *module, PyObject *args);
PyObject *graph_parts(PyObject *module, PyObject *capsule);
PyObject *graph_sizes(PyObject *module, PyObject *capsule);

/* forward.c */
PyObject *value_forward(PyObject *self, PyObject *unused);

/* elementwise.c */
PyObject *simd_best(PyObject *module, PyObject *unused);
PyObject *simd_kernels(PyObject *module, PyObject *unused);

#endif
