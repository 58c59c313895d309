/* The backward pass: the chain rule, from the result to the leaves.
 *
 * Most graphs contain only table operations; their sweep is plain C that cannot fail. If a graph contains
 * Python functions, the old gradients are saved, and restored on an exception. */
#include "node.h"

/* Add to the gradient of an input. The first contribution overwrites it, unless the input is a leaf. */
static inline void accumulate(Value *child, double contribution) {
    if (child->op == LEAF)
        child->grad += contribution;
    else {
        child->grad = (child->flags & REACHED ? child->grad : 0.0) + contribution;
        child->word |= REACHED;
    }
}

/* Add to the gradient of an input whose gradient may be a Value; Python code may run. */
static int accumulate_object(Value *child, double contribution) {
    PyObject *old = Py_XNewRef(FIELD(child, grad));
    if (!old) {
        child->grad += contribution;
        return 0;
    }
    PyObject *number = PyFloat_FromDouble(contribution);
    PyObject *sum = number ? PyNumber_Add(old, number) : NULL;
    int failed = sum ? value_set_grad((PyObject *)child, sum, NULL) : -1;
    Py_XDECREF(sum);
    Py_XDECREF(number);
    Py_DECREF(old);
    return failed;
}

/* The set of nodes reached by a sweep that runs Python code. It is stored outside the nodes, because a
 * function may run another sweep over them. */
static int reach(PyObject *reached, Value *v) {
    PyObject *key = PyLong_FromVoidPtr(v);
    int failed = key ? PySet_Add(reached, key) : -1;
    Py_XDECREF(key);
    return failed;
}

static int is_reached(PyObject *reached, Value *v) {
    PyObject *key = PyLong_FromVoidPtr(v);
    int found = key ? PySet_Contains(reached, key) : -1;
    Py_XDECREF(key);
    return found;
}

/* Propagate through a node with one or two inputs, all formulas inlined: the hot path. */
static inline void propagate_small(Value *v) {
    double a[3], p[3] = {0.0, 0.0, 0.0};
    a[0] = v->flags & NUMBER0 ? v->in[0].number : v->in[0].node->data;
    a[1] = v->flags & NUMBER1 ? v->in[1].number : v->in[1].node->data;
    a[2] = 0.0;
    const unsigned wanted = ~v->flags & ROWS[v->op].differentiable & 3;
    /* Sums and products, the bulk of most graphs, avoid the jump table: which of its jumps are mispredicted
     * changes with every build. */
    if (v->op == OP_ADD)
        fixed_partials(OP_ADD, a, v->data, wanted, p);
    else if (v->op == OP_MUL)
        fixed_partials(OP_MUL, a, v->data, wanted, p);
    else
        fixed_partials(v->op, a, v->data, wanted, p);
    if (wanted & 1 && !(v->in[0].node->flags & CONSTANT)) accumulate(v->in[0].node, v->grad * p[0]);
    if (wanted & 2 && !(v->in[1].node->flags & CONSTANT)) accumulate(v->in[1].node, v->grad * p[1]);
}

static int custom_partials(Value *v, const double *a, Py_ssize_t n, double *p, unsigned char *skip) {
    PyObject *row = Py_NewRef(v->in[0].extra->row); /* the Python code called below could free the row */
    const double data = v->data;
    PyObject *numbers = floats(a, n), *wanted = PyList_New(n), *partials = NULL;
    int failed = -1;
    if (!numbers || !wanted) goto done;
    for (Py_ssize_t i = 0; i < n; i++) PyList_SET_ITEM(wanted, i, PyBool_FromLong(!skip[i]));
    PyObject *list = PyObject_CallMethod(row, "derivatives", "OdO", numbers, data, wanted);
    partials = list ? PySequence_List(list) : NULL;
    Py_XDECREF(list);
    if (!partials) goto done;
    if (PyList_GET_SIZE(partials) != n) {
        PyErr_Format(PyExc_TypeError, "expected %zd partials, got %zd", n, PyList_GET_SIZE(partials));
        goto done;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *partial = PyList_GET_ITEM(partials, i);
        if (skip[i]) continue;
        if (partial == Py_None) {
            skip[i] = 1;
            continue;
        }
        if (need_number(partial, &p[i]) < 0) goto done;
    }
    PyObject *flag = PyObject_GetAttrString(row, "selects");
    int selects = flag ? PyObject_IsTrue(flag) : -1;
    Py_XDECREF(flag);
    if (selects < 0) goto done;
    for (Py_ssize_t i = 0; selects && i < n; i++) skip[i] |= p[i] == 0.0;
    failed = 0;
done:
    Py_DECREF(row);
    Py_XDECREF(numbers);
    Py_XDECREF(wanted);
    Py_XDECREF(partials);
    return failed;
}

/* Propagate through any node without a user-assigned function: a variadic or custom operation, one that is
 * checked for anomalies, or a call of _backward() by the user. */
static int propagate_any(Value *v, int fresh, int modes, double *scratch, PyObject *reached) {
    Py_ssize_t n = node_count(v);
    if (n == 0) return 0;
    if (v->op == BY_HAND) return raise_error("no_rule", (PyObject *)v, NULL), -1;
    double *a = scratch, *p = a + n;
    unsigned char *skip = (unsigned char *)(p + n);
    Slot *slots = node_slots(v);
    for (Py_ssize_t i = 0; i < n; i++) {
        skip[i] = slot_is_number(v, i) || slots[i].node->flags & CONSTANT;
        a[i] = slot_number(v, i);
    }
    PyObject *own = FIELD(v, grad);
    const double gradient = own ? ((Value *)own)->data : v->grad;
    int selects = 0;
    if (v->op == CUSTOM) {
        if (custom_partials(v, a, n, p, skip) < 0) return -1;
        if (node_count(v) != n || !(v->flags & EXTRA)) { /* Python code ran and may have changed anything */
            PyErr_SetString(PyExc_RuntimeError, "a value was changed by its own derivative");
            return -1;
        }
        slots = node_slots(v);
    } else if (ROWS[v->op].width)
        variadic_partials(v->op, a, n / ROWS[v->op].width, v->data, p);
    else {
        fixed_partials(v->op, a, v->data, ROWS[v->op].differentiable, p);
        selects = ROWS[v->op].selects;
        for (Py_ssize_t i = 0; i < n; i++) skip[i] |= !(ROWS[v->op].differentiable >> i & 1);
    }
    if (fresh) { /* plain C from here on */
        for (Py_ssize_t i = 0; i < n; i++)
            if (!skip[i] && !(selects && p[i] == 0.0)) accumulate(slots[i].node, gradient * p[i]);
        return 0;
    }
    Value **children = PyMem_Malloc((size_t)n * sizeof(Value *)); /* references, as Python code may run below */
    if (!children) return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < n; i++)
        children[i] = skip[i] || (selects && p[i] == 0.0) ? NULL : (Value *)Py_NewRef((PyObject *)slots[i].node);
    int failed = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!children[i]) continue;
        double contribution = gradient * p[i];
        if (!failed && modes & ANOMALY && !isfinite(contribution)) {
            raise_made(PyObject_CallMethod(errors, "bad_gradient", "Ond", v, i, contribution));
            failed = -1;
        }
        if (!failed) failed = accumulate_object(children[i], contribution);
        if (!failed && reached) failed = reach(reached, children[i]);
    }
    for (Py_ssize_t i = 0; i < n; i++) Py_XDECREF(children[i]);
    PyMem_Free(children);
    return failed;
}

static double *scratch_for(Py_ssize_t inputs) {
    double *scratch = PyMem_Malloc((size_t)(inputs + 2) * (2 * sizeof(double) + 1));
    if (!scratch) PyErr_NoMemory();
    return scratch;
}

/* The sweep in plain C. The first contribution overwrites a gradient, so no pass to reset them is needed. */
static __attribute__((noinline)) void sweep(Order *order, double *scratch) {
    for (Py_ssize_t i = order->n; i-- > 0;) {
        Value *v = order->nodes[i];
        if (v->op == LEAF)
            ;
        else if (!(v->flags & REACHED))
            v->grad = 0.0; /* no gradient reaches it: a branch that `where` did not select */
        else if (!(v->flags & EXTRA))
            propagate_small(v);
        else
            propagate_any(v, 1, 0, scratch, NULL);
        v->word &= ~(uint64_t)(SEEN | REACHED);
    }
}

typedef struct {
    double grad;
    PyObject *object;
} OldGrad;

static void clear_grad_object(Value *v) {
    if (v->flags & EXTRA) Py_CLEAR(v->in[0].extra->grad);
}

static void put_back(Value *v, OldGrad *old) {
    clear_grad_object(v);
    v->grad = old->grad;
    if (old->object && v->flags & EXTRA) v->in[0].extra->grad = Py_NewRef(old->object);
}

static int run_closure(Value *v, PyObject *reached) {
    PyObject *closure = Py_NewRef(v->in[0].extra->closure);
    PyObject *result = PyObject_CallNoArgs(closure);
    Py_DECREF(closure);
    if (!result) return -1;
    Py_DECREF(result);
    Py_ssize_t n = node_count(v);
    int failed = 0;
    for (Py_ssize_t i = 0; i < n && !failed; i++)
        if (!slot_is_number(v, i)) failed = reach(reached, node_slots(v)[i].node);
    return failed;
}

/* The sweep that may run Python code, which may fail, so the old gradients are saved. */
static int sweep_with_python(Value *root, Order *order, double gradient, int reset, double *scratch) {
    const int modes = MODES();
    order_unmark(order);
    PyObject *reached = PySet_New(NULL);
    OldGrad *old = reached ? PyMem_Calloc((size_t)order->n, sizeof(OldGrad)) : NULL;
    if (!old) {
        Py_XDECREF(reached);
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < order->n; i++) {
        Value *v = order->nodes[i];
        old[i].grad = v->grad;
        old[i].object = Py_XNewRef(FIELD(v, grad));
        if (reset || node_count(v)) {
            clear_grad_object(v);
            v->grad = 0.0;
        }
    }
    int failed = accumulate_object(root, gradient) < 0 || reach(reached, root) < 0;
    for (Py_ssize_t i = order->n; i-- > 0 && !failed;) {
        Value *v = order->nodes[i];
        int known = is_reached(reached, v);
        if ((failed = known < 0)) break;
        if (!known && v->grad == 0.0 && !FIELD(v, grad)) continue;
        if (FIELD(v, closure))
            failed = run_closure(v, reached);
        else
            failed = propagate_any(v, 0, modes, scratch, reached);
    }
    PyObject *kind, *error, *traceback;
    PyErr_Fetch(&kind, &error, &traceback);
    for (Py_ssize_t i = 0; i < order->n; i++) {
        if (failed) put_back(order->nodes[i], &old[i]);
        Py_XDECREF(old[i].object);
    }
    PyMem_Free(old);
    Py_DECREF(reached);
    PyErr_Restore(kind, error, traceback);
    return failed;
}

static void release_graph(Order *order) {
    for (Py_ssize_t i = 0; i < order->n; i++)
        if (node_count(order->nodes[i])) node_release_inputs(order->nodes[i]);
}

/* create_graph=True: the sweep on Values, in Python. */
static int backward_in_values(PyObject *self, PyObject *gradient, int reset) {
    PyObject *empty = PyTuple_New(0);
    PyObject *order = empty ? value_topological(self, empty, NULL) : NULL;
    PyObject *flag = reset ? Py_True : Py_False;
    PyObject *one = gradient ? Py_NewRef(gradient) : PyFloat_FromDouble(1.0);
    PyObject *done = order && one ? PyObject_CallMethod(sweeps, "backward", "OOO", order, one, flag) : NULL;
    Py_XDECREF(one);
    Py_XDECREF(order);
    Py_XDECREF(empty);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

PyObject *value_backward(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"gradient", "retain_graph", "create_graph", "reset", NULL};
    PyObject *seed = NULL;
    int retain_graph = 1, create_graph = 0, reset = 0, failed = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O$ppp:backward", names, &seed, &retain_graph,
                                     &create_graph, &reset))
        return NULL;
    Value *root = (Value *)self;
    double gradient = 1.0;
    if (root->word & UNRECORDED) return raise_error("not_recorded", self, NULL), NULL;
    if (!create_graph && WATCHED() & (TRACING | DIFFERENTIATING) && observe_sweep(self) < 0) return NULL;
    if (create_graph && backward_in_values(self, seed, reset) < 0) return NULL;
    if (seed && !create_graph && need_number(seed, &gradient) < 0) return NULL;
    if (create_graph && retain_graph) Py_RETURN_NONE;
    Order order;
    const int anomaly = MODES() & ANOMALY;
    if (walk(root, IF_STALE, reset || create_graph || anomaly, 0, &order) < 0) return NULL;
    if (order.python) { /* this sweep needs the leaves too */
        order_unmark(&order);
        order_free(&order);
        if (walk(root, IF_STALE, 1, 0, &order) < 0) return NULL;
    }
    /* If Python code may run or nodes may be released, the nodes in `order` must stay alive to the end. */
    const int held = order.python || anomaly || !retain_graph;
    if (held) order_hold(&order);
    double *scratch = scratch_for(order.widest);
    if (create_graph || !scratch) {
        order_unmark(&order);
        failed = !scratch;
    } else if (order.python || anomaly)
        failed = sweep_with_python(root, &order, gradient, reset, scratch);
    else {
        if (reset)
            for (Py_ssize_t i = 0; i < order.n; i++) order.nodes[i]->grad = 0.0;
        accumulate(root, gradient);
        sweep(&order, scratch);
    }
    PyMem_Free(scratch);
    if (!failed && !retain_graph) release_graph(&order);
    if (held) order_drop(&order);
    order_free(&order);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

/* v._backward() called by the user: propagate this node's gradient to its inputs. */
PyObject *value_propagate(PyObject *self, PyObject *unused) {
    Value *v = (Value *)self;
    if (WATCHED() & (TRACING | DIFFERENTIATING) && observe_sweep(self) < 0) return NULL;
    double *scratch = scratch_for(node_count(v));
    int failed = scratch ? propagate_any(v, 0, MODES(), scratch, NULL) : -1;
    PyMem_Free(scratch);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

PyObject *value_zero_grad(PyObject *self, PyObject *unused) {
    Order order;
    if (walk((Value *)self, IF_FREED, 1, 0, &order) < 0) return NULL;
    order_unmark(&order);
    order_hold(&order);
    for (Py_ssize_t i = 0; i < order.n; i++) {
        clear_grad_object(order.nodes[i]);
        order.nodes[i]->grad = 0.0;
    }
    order_drop(&order);
    order_free(&order);
    Py_RETURN_NONE;
}
