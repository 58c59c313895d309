/* Extraction: converts the Values of a traced function, and everything they depend on, to a flat graph.
 *
 * See from_values in graph.py. During extraction each Value's gradient field holds its node number. The
 * gradients are restored before Python code can run again.
 *
 * A long trace is settled from time to time: all results so far become nodes of the graph on its tape. Those
 * that Python still refers to lose their inputs and keep only the number of their node, the others are freed. */
#include "flat.h"

/* A graph that grows while a function is traced. */
typedef struct {
    Graph graph;
    Table constants;
    int32_t *nodes[2], capacity[2]; /* of each input and each parameter: its node + 1, or 0 */
    uint32_t serial;                /* tells it from other tapes */
} Tape;
#define TAPE "chainrule.tape" /* capsule name */

typedef struct {
    Value *value;
    double grad;
} Kept;

typedef struct {
    Tape *tape;
    Kept *kept; /* the saved gradients of all Values in the graph */
    Py_ssize_t n_kept;
    int32_t *args; /* scratch space for one node's arguments */
    int32_t args_capacity;
    Value **found; /* parameters that were not in the list */
    int32_t n_found, found_capacity;
    int32_t inputs, params; /* lengths of the two lists */
} Extraction;

/* During extraction SEEN means that a Value has a node number. REACHED means that a leaf is known. Its number
 * then identifies the input or parameter (parameters are numbered after the inputs), or is MADE if the traced
 * function created the leaf. */
enum { MADE = -1 };
static void set_number(Value *v, int64_t number) { memcpy(&v->grad, &number, sizeof number); }
static int64_t get_number(const Value *v) {
    int64_t number;
    memcpy(&number, &v->grad, sizeof number);
    return number;
}

static void keep(Extraction *e, Value *v) { e->kept[e->n_kept++] = (Kept){v, v->grad}; }

static void put_back(Extraction *e) {
    for (Py_ssize_t i = 0; i < e->n_kept; i++) {
        e->kept[i].value->grad = e->kept[i].grad;
        e->kept[i].value->word &= ~(uint64_t)(SEEN | REACHED);
    }
}

/* The number of a settled Value holds the serial number of its tape above that of its node. */
static int32_t settled_node(const Extraction *e, const Value *v) {
    const int64_t number = get_number(v);
    return number >> 32 == e->tape->serial ? (int32_t)number : SETTLED_BEFORE;
}

static int32_t constant(Extraction *e, double number) {
    return graph_constant(&e->tape->graph, &e->tape->constants, number);
}

static int32_t enter_leaf(Extraction *e, Value *v) {
    const int known = (v->word & REACHED) != 0;
    if (known ? get_number(v) == MADE : v->flags & CONSTANT) return constant(e, v->data);
    if (!known) {
        const int fault = make_room(&e->found, &e->found_capacity, (int64_t)e->n_found + 1, sizeof *e->found);
        if (fault) return fault;
        set_number(v, (int64_t)e->inputs + e->params + e->n_found);
        e->found[e->n_found++] = v;
    }
    Tape *t = e->tape;
    const int param = get_number(v) >= e->inputs;
    const int64_t place = get_number(v) - (param ? e->inputs : 0);
    int32_t had = t->capacity[param];
    const int fault = make_room(&t->nodes[param], &t->capacity[param], place + 1, sizeof(int32_t));
    if (fault) return fault;
    for (; had < t->capacity[param]; had++) t->nodes[param][had] = 0;
    int32_t *known_node = &t->nodes[param][place], node = *known_node - 1;
    if (node < 0 && (node = graph_add(&t->graph, param ? PARAM_NODE : INPUT_NODE, 1, (int32_t[]){(int32_t)place})) >= 0)
        *known_node = node + 1;
    return node;
}

/* Python code may have changed the graph since the walk, so an argument without a number is rejected. */
static int32_t argument(Extraction *e, Value *v, Py_ssize_t k) {
    const Slot slot = node_slots(v)[k];
    if (slot_is_number(v, k)) return constant(e, slot.number);
    if (slot.node->word & CONSTANT) return constant(e, slot.node->data);
    if (slot.node->word & SETTLED) return settled_node(e, slot.node);
    return slot.node->word & SEEN ? (int32_t)get_number(slot.node) : MALFORMED;
}

static int32_t enter(Extraction *e, Value *v) {
    if (node_is_leaf(v)) return enter_leaf(e, v);
    const Py_ssize_t n = node_count(v);
    if (v->flags & FREED || v->op == BY_HAND || v->op == LEAF) return MALFORMED;
    const int fault = make_room(&e->args, &e->args_capacity, n, sizeof *e->args);
    if (fault) return fault;
    for (Py_ssize_t k = 0; k < n; k++)
        if ((e->args[k] = argument(e, v, k)) < 0) return e->args[k];
    return graph_add(&e->tape->graph, v->op == CUSTOM ? TAKE_NODE : v->op, n, e->args);
}

/* Add the nodes that a result needs. `next` is the position in the walk, which lists the nodes of the first
 * result first. */
static int32_t enter_result(Extraction *e, PyObject *result, const Order *order, Py_ssize_t *next) {
    if (PyFloat_Check(result)) return constant(e, PyFloat_AS_DOUBLE(result));
    const Value *root = (Value *)result;
    if (root->word & SETTLED) return settled_node(e, root);
    while (!(root->word & SEEN)) {
        if (*next == order->n) return MALFORMED;
        Value *v = order->nodes[(*next)++];
        if (!(v->word & REACHED)) keep(e, v);
        const int32_t number = enter(e, v);
        if (number < 0) return number;
        set_number(v, number);
        v->word |= SEEN;
    }
    return (int32_t)get_number(root);
}

static int enter_results(Extraction *e, PyObject *results, int32_t **to, int32_t *count, const Order *order,
                         Py_ssize_t *next) {
    const Py_ssize_t n = PyTuple_GET_SIZE(results);
    if (n > INT32_MAX) return TOO_LARGE;
    if (!(*to = PyMem_Malloc((size_t)n * sizeof(int32_t) + 1))) return OUT_OF_MEMORY;
    *count = (int32_t)n;
    for (Py_ssize_t i = 0; i < n; i++)
        if (((*to)[i] = enter_result(e, PyTuple_GET_ITEM(results, i), order, next)) < 0) return (*to)[i];
    return 0;
}

static void number_leaves(Extraction *e, PyObject *leaves, int64_t first) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(leaves); i++) {
        Value *v = (Value *)PyTuple_GET_ITEM(leaves, i);
        if (v->word & REACHED && get_number(v) < first) continue; /* an input, even if it is also a parameter */
        if (!(v->word & REACHED)) keep(e, v);
        set_number(v, first + i);
        v->word |= REACHED;
    }
}

static void mark_made(Extraction *e, PyObject *leaves) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(leaves); i++) {
        Value *v = (Value *)PyTuple_GET_ITEM(leaves, i);
        if (v->word & REACHED) continue; /* an input or a parameter */
        keep(e, v);
        set_number(v, MADE);
        v->word |= REACHED;
    }
}

/* Extend the graph after all nodes have been checked. Runs no Python code. */
static int extract(Extraction *e, PyObject *results[2], PyObject *leaves[3], const Order *order) {
    Graph *g = &e->tape->graph;
    const Py_ssize_t n_inputs = PyTuple_GET_SIZE(leaves[0]), n_params = PyTuple_GET_SIZE(leaves[1]);
    const Py_ssize_t n_made = PyTuple_GET_SIZE(leaves[2]);
    Py_ssize_t next = 0;
    if (n_inputs > INT32_MAX || n_params > INT32_MAX) return TOO_LARGE;
    e->kept = PyMem_Malloc((size_t)(order->n + n_inputs + n_params + n_made + 1) * sizeof *e->kept);
    e->inputs = (int32_t)n_inputs, e->params = (int32_t)n_params;
    if (!e->kept) return OUT_OF_MEMORY;
    number_leaves(e, leaves[0], 0);
    number_leaves(e, leaves[1], n_inputs);
    mark_made(e, leaves[2]);
    int fault = enter_results(e, results[0], &g->outputs, &g->n_outputs, order, &next);
    if (!fault) fault = enter_results(e, results[1], &g->guards, &g->n_guards, order, &next);
    put_back(e);
    FREE_ALL(e->args, e->kept);
    return fault;
}

/* --- for Python --------------------------------------------------------------------------------- */

/* A tuple of Values, or of Values and floats; anything else is an error. */
static PyObject *tuple_of_values(PyObject *given, int floats) {
    PyObject *tuple = PySequence_Tuple(given);
    for (Py_ssize_t i = 0; tuple && i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *item = PyTuple_GET_ITEM(tuple, i);
        if (IS_VALUE(item) || (floats && PyFloat_Check(item))) continue;
        PyErr_Format(PyExc_TypeError, "expected Values, got %s", Py_TYPE(item)->tp_name);
        Py_CLEAR(tuple);
    }
    return tuple;
}

/* Walk the graph from all results. */
static int walk_results(PyObject *results[2], Order *order) {
    const Py_ssize_t most = PyTuple_GET_SIZE(results[0]) + PyTuple_GET_SIZE(results[1]);
    Value **roots = PyMem_Malloc((size_t)most * sizeof *roots + 1);
    if (!roots) return PyErr_NoMemory(), -1;
    Py_ssize_t n = 0;
    for (int k = 0; k < 2; k++)
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(results[k]); i++)
            if (!PyFloat_Check(PyTuple_GET_ITEM(results[k], i))) roots[n++] = (Value *)PyTuple_GET_ITEM(results[k], i);
    const int failed = walk_all(roots, n, IF_FREED, order);
    PyMem_Free(roots);
    if (failed) return -1;
    order_unmark(order);
    return 0;
}

/* Call `check` on every node that is not a plain table operation; the caller must hold the nodes. */
static int check_nodes(const Order *order, PyObject *check) {
    PyObject *known = NULL; /* the last operation checked: long runs of the same take() are common */
    for (Py_ssize_t i = 0; i < order->n; i++) {
        Value *v = order->nodes[i];
        const Extra *extra = v->flags & EXTRA ? v->in[0].extra : NULL;
        if (node_is_leaf(v) || (v->op < CUSTOM && !(extra && extra->closure))) continue;
        if (v->op == CUSTOM && extra && !extra->closure && extra->row == known) continue;
        PyObject *answer = PyObject_CallOneArg(check, (PyObject *)v);
        if (!answer) {
            Py_XDECREF(known);
            return -1;
        }
        Py_DECREF(answer);
        if (v->op == CUSTOM && v->flags & EXTRA) Py_XSETREF(known, Py_XNewRef(v->in[0].extra->row));
    }
    Py_XDECREF(known);
    return 0;
}

static void tape_free(PyObject *capsule) {
    Tape *t = PyCapsule_GetPointer(capsule, TAPE);
    graph_free(&t->graph);
    table_free(&t->constants);
    FREE_ALL(t->nodes[0], t->nodes[1], t);
}

static PyObject *new_tape(void) {
    static uint32_t serial;
    Tape *t = PyMem_Calloc(1, sizeof *t);
    if (!t) return PyErr_NoMemory();
    t->serial = ++serial & INT32_MAX;
    PyObject *capsule = PyCapsule_New(t, TAPE, tape_free);
    if (!capsule) PyMem_Free(t);
    return capsule;
}

/* Let go of results that have become nodes. Later ones go first, so that only those to which somebody else
 * refers are left when it is their turn. */
static void settle(const Tape *t, PyObject *results) {
    for (Py_ssize_t i = PyTuple_GET_SIZE(results); i--;) {
        Value *v = (Value *)PyTuple_GET_ITEM(results, i);
        if (Py_REFCNT(v) > 1) {
            set_number(v, (int64_t)t->serial << 32 | t->graph.outputs[i]);
            v->word |= SETTLED;
            node_release_inputs(v);
        }
        PyTuple_SET_ITEM(results, i, NULL);
        Py_DECREF(v);
    }
}

static PyObject *extracted(PyObject *args, int settling) {
    enum { LISTS = 5 };
    PyObject *given[LISTS], *check, *tape = Py_None, *result = NULL;
    if (!PyArg_ParseTuple(args, "OOOO!OO|O:graph_extract", &given[0], &given[1], &given[2], &PyList_Type, &given[3], &given[4], &check, &tape))
        return NULL;
    const int whole = tape == Py_None;
    PyObject *tuples[LISTS] = {NULL};
    Order order = {0};
    int walked = 0, held = 0;
    tape = whole ? new_tape() : Py_NewRef(tape);
    Extraction e = {.tape = tape ? PyCapsule_GetPointer(tape, TAPE) : NULL};
    Graph *g = e.tape ? &e.tape->graph : NULL;
    if (!g) goto done;
    for (int k = 0; k < LISTS; k++)
        if (!(tuples[k] = tuple_of_values(given[k], k == 0 && !settling))) goto done;
    if (walk_results(tuples, &order) < 0) goto done;
    walked = 1;
    if ((held = order.python)) { /* otherwise no Python code runs until the graph is built */
        order_hold(&order);
        if (check_nodes(&order, check) < 0) goto done;
    }
    Graph *new = PyMem_Calloc(1, sizeof *new);
    if (!new) {
        PyErr_NoMemory();
        goto done;
    }
    int fault = extract(&e, tuples, tuples + 2, &order);
    if (whole && !settling)
        *new = *g, *g = (Graph){0};
    else if (!fault && !settling)
        fault = drop_dead(g, RESULTS, new);
    if (!(result = graph_capsule(new, fault))) goto done;
    for (int32_t i = 0; i < e.n_found; i++)
        if (PyList_Append(given[3], (PyObject *)e.found[i]) < 0) Py_CLEAR(result);
done:
    if (held) order_drop(&order);
    if (walked) order_free(&order);
    if (result && settling) {
        const int failed = PySequence_DelSlice(given[0], 0, PyTuple_GET_SIZE(tuples[0]));
        Py_SETREF(result, failed ? NULL : Py_NewRef(tape));
        if (result) settle(e.tape, tuples[0]);
    }
    if (g) {
        FREE_ALL(g->outputs, g->guards);
        g->outputs = g->guards = NULL;
    }
    PyMem_Free(e.found);
    Py_XDECREF(tape);
    for (int k = 0; k < LISTS; k++) Py_XDECREF(tuples[k]);
    return result;
}

/* graph_extract(outputs, guards, inputs, params, made, check, tape=None) -> graph
 *
 * Leaves that are in neither `inputs` nor `params` become constants if they are in `made`; otherwise they are
 * appended to `params`. `check(node)` raises if a node cannot be compiled. `tape` has what was settled before. */
PyObject *graph_extract(PyObject *module, PyObject *args) { return extracted(args, 0); }

/* graph_settle(results, (), inputs, params, made, check, tape) -> tape: empties the list of results. */
PyObject *graph_settle(PyObject *module, PyObject *args) { return extracted(args, 1); }
