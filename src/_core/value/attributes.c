/* The attributes of a Value, its construction, and its formatting. */
#include "node.h"

#define GETTER(name, result) \
    static PyObject *name(PyObject *self, void *unused) { Value *v = (Value *)self; return result; }

/* Raise with the same message as a Python property. */
static int cannot_delete(const char *attribute) {
    PyErr_Format(PyExc_AttributeError, "property '%s' of 'Value' object has no deleter", attribute);
    return -1;
}

/* Whether o is a str, as this attribute requires; raises if not. */
static int is_text(const char *attribute, PyObject *o) {
    if (!o) return cannot_delete(attribute), 0;
    if (!PyUnicode_Check(o))
        PyErr_Format(PyExc_TypeError, "%s must be a str, got %s", attribute, Py_TYPE(o)->tp_name);
    return PyUnicode_Check(o);
}

static PyObject *text_or_empty(PyObject *text) { return text ? Py_NewRef(text) : PyUnicode_FromString(""); }

/* Set the field at this offset in a node's Extra to a text. */
static int set_text(PyObject *self, const char *attribute, PyObject *o, size_t offset) {
    Value *v = (Value *)self;
    if (!is_text(attribute, o)) return -1;
    if (PyUnicode_GET_LENGTH(o) == 0 && !(v->flags & EXTRA)) return 0;
    PyObject *text = PyUnicode_FromObject(o); /* never a subclass, which could hold the node */
    Extra *extra = text ? node_extra(v) : NULL;
    if (!extra) {
        Py_XDECREF(text);
        return -1;
    }
    PyObject **field = (PyObject **)((char *)extra + offset);
    Py_XSETREF(*field, text);
    return 0;
}

GETTER(get_label, text_or_empty(FIELD(v, label)))
GETTER(get_name, text_or_empty(FIELD(v, name)))
GETTER(get_site, text_or_empty(FIELD(v, site)))
static int set_label(PyObject *self, PyObject *label, void *unused) {
    return set_text(self, "label", label, offsetof(Extra, label));
}
static int set_name(PyObject *self, PyObject *op, void *unused) {
    return set_text(self, "_op", op, offsetof(Extra, name));
}

/* The operation, or None, as a new reference. */
static PyObject *value_row(Value *v) {
    if (v->op == CUSTOM) return Py_NewRef(v->in[0].extra->row);
    if (v->op == LEAF || v->op == BY_HAND) Py_RETURN_NONE;
    return Py_NewRef(PyTuple_GET_ITEM(table, v->op - 1));
}
GETTER(get_row, value_row(v))

static PyObject *get_op(PyObject *self, void *unused) {
    Value *v = (Value *)self;
    if (v->op == LEAF || v->op == BY_HAND) return get_name(self, unused);
    PyObject *row = value_row(v); /* a reference, because Python code may run below */
    PyObject *name = PyObject_GetAttrString(row, "name");
    Py_DECREF(row);
    return name;
}

/* --- data and grad --------------------------------------------------------------------------- */

static int number_or_error(PyObject *o, const char *attribute, double *x) {
    return o ? need_number(o, x) : cannot_delete(attribute);
}

static PyObject *get_data(PyObject *self, void *unused) {
    if (WATCHED() & (TRACING | DIFFERENTIATING) && observe_read(self, "data") < 0) return NULL;
    return PyFloat_FromDouble(((Value *)self)->data);
}

GETTER(get_number, PyFloat_FromDouble(v->data))
GETTER(get_time, PyLong_FromUnsignedLongLong(TIME(v)))

/* read_data(values): the numbers of many Values, as doubles in a bytes object. Not in a bytearray, whose
 * constructor misbehaves when memory runs out. */
PyObject *values_read_data(PyObject *module, PyObject *values) {
    PyObject *held = MODES() & TRACING ? PySequence_Tuple(values) /* a copy, because a tracer may modify `values` */
                                       : PySequence_Fast(values, "expected a sequence of Values");
    const Py_ssize_t n = held ? PySequence_Fast_GET_SIZE(held) : 0;
    PyObject *result = held ? PyBytes_FromStringAndSize(NULL, n * (Py_ssize_t)sizeof(double)) : NULL;
    int fine = result != NULL;
    for (Py_ssize_t i = 0; fine && i < n; i++) {
        PyObject *value = PySequence_Fast_GET_ITEM(held, i);
        fine = IS_VALUE(value) && !(MODES() & TRACING && observe_read(value, "data") < 0);
        if (fine) ((double *)PyBytes_AS_STRING(result))[i] = ((Value *)value)->data;
        else if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "expected a Value, got %R", value);
    }
    Py_XDECREF(held);
    if (!fine) Py_CLEAR(result);
    return result;
}

static void put_data(Value *v, double x) {
    if (x == v->data && signbit(x) == signbit(v->data)) return;
    v->data = x;
    SET_TIME(v, ++clock_now);
    if (!node_is_leaf(v)) v->flags |= OVERWRITTEN;
}

PyObject *clock_here(PyObject *module, PyObject *unused) { return PyLong_FromUnsignedLongLong(clock_now); }

static int set_data(PyObject *self, PyObject *data, void *unused) {
    double x;
    if (number_or_error(data, "data", &x) < 0) return -1;
    if (MODES() & TRACING && ask_tracer("assign", self, NULL) < 0) return -1;
    put_data((Value *)self, x);
    return 0;
}

GETTER(get_gradient, FIELD(v, grad) ? Py_NewRef(FIELD(v, grad)) : PyFloat_FromDouble(v->grad))
static PyObject *get_grad(PyObject *self, void *unused) {
    if (!FIELD((Value *)self, grad) && MODES() & TRACING && observe_read(self, "grad") < 0) return NULL;
    return get_gradient(self, unused);
}
static void put_grad(Value *v, double x) {
    v->grad = x;
    if (v->flags & EXTRA) Py_CLEAR(v->in[0].extra->grad);
}

int value_set_grad(PyObject *self, PyObject *grad, void *unused) {
    Value *v = (Value *)self;
    double x;
    if (grad && IS_VALUE(grad)) {
        Extra *extra = node_extra(v);
        if (!extra || node_track_graph((Value *)grad) < 0) return -1;
        node_track(v);
        v->grad = ((Value *)grad)->data;
        Py_INCREF(grad);
        Py_XSETREF(extra->grad, grad);
        return 0;
    }
    if (number_or_error(grad, "grad", &x) < 0) return -1;
    put_grad(v, x);
    return 0;
}

static int put_number(PyObject *value, const char *attribute, double x) {
    PyObject *number = PyFloat_FromDouble(x);
    const int failed = number ? PyObject_SetAttrString(value, attribute, number) : -1;
    Py_XDECREF(number);
    return failed;
}

/* write_numbers(values, data, gradients): set the numbers of many Values, and their gradients if there are any.
 * Cannot fail once it has begun, except in the setter of a subclass. */
PyObject *values_write(PyObject *module, PyObject *args) {
    PyObject *values;
    Py_buffer data, grads;
    if (!PyArg_ParseTuple(args, "O!y*y*", &PyTuple_Type, &values, &data, &grads)) return NULL;
    const Py_ssize_t n = PyTuple_GET_SIZE(values), size = n * (Py_ssize_t)sizeof(double);
    int fine = data.len == size && (grads.len == size || !grads.len);
    if (!fine) PyErr_SetString(PyExc_ValueError, "expected a number for each Value");
    for (Py_ssize_t i = 0; fine && i < n; i++) {
        PyObject *value = PyTuple_GET_ITEM(values, i);
        const double x = ((double *)data.buf)[i], grad = grads.len ? ((double *)grads.buf)[i] : 0.0;
        if (Py_TYPE(value) == Value_Type) {
            put_data((Value *)value, x);
            if (grads.len) put_grad((Value *)value, grad);
        } else
            fine = put_number(value, "data", x) == 0 && (!grads.len || put_number(value, "grad", grad) == 0);
    }
    PyBuffer_Release(&data);
    PyBuffer_Release(&grads);
    return fine ? Py_NewRef(Py_None) : NULL;
}

/* --- the graph ------------------------------------------------------------------------------- */

/* Turn a plain number among the inputs into a node, when it is first accessed. */
static Value *slot_node(Value *v, Py_ssize_t i) {
    if (!slot_is_number(v, i)) return node_slots(v)[i].node;
    Value *constant = node_new(node_slots(v)[i].number); /* may run the garbage collector, and so Python code */
    if (!constant) return NULL;
    if (i >= node_count(v) || !slot_is_number(v, i)) {
        Py_DECREF(constant);
        PyErr_SetString(PyExc_RuntimeError, "the Value was changed while its inputs were being read");
        return NULL;
    }
    constant->flags |= CONSTANT;
    SET_TIME(constant, 0);
    node_slots(v)[i].node = constant;
    if (v->flags & EXTRA)
        v->in[0].extra->is_number[i] = 0;
    else
        v->flags &= i ? ~NUMBER1 : ~NUMBER0;
    return constant;
}

static PyObject *get_inputs(PyObject *self, void *unused) {
    Value *v = (Value *)self;
    if (v->word & SETTLED) return raise_error("settled", self, NULL), NULL;
    Py_ssize_t n = node_count(v);
    PyObject *inputs = PyTuple_New(n);
    for (Py_ssize_t i = 0; inputs && i < n; i++) {
        Value *node = node_count(v) == n ? slot_node(v, i) : NULL;
        if (!node) {
            Py_CLEAR(inputs);
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "the Value was changed while its inputs were being read");
            break;
        }
        PyTuple_SET_ITEM(inputs, i, Py_NewRef((PyObject *)node));
    }
    return inputs;
}
static PyObject *get_arguments(PyObject *self, void *unused) {
    Value *v = (Value *)self;
    if (v->word & SETTLED) return raise_error("settled", self, NULL), NULL;
    Py_ssize_t n = node_count(v);
    PyObject *arguments = PyTuple_New(n); /* may run the garbage collector, and so Python code */
    if (arguments && node_count(v) != n) {
        Py_CLEAR(arguments);
        PyErr_SetString(PyExc_RuntimeError, "the Value was changed while its inputs were being read");
    }
    for (Py_ssize_t i = 0; arguments && i < n; i++) {
        Slot slot = node_slots(v)[i];
        PyObject *argument;
        if (slot_is_number(v, i))
            argument = PyFloat_FromDouble(slot.number);
        else if (slot.node->flags & CONSTANT)
            argument = PyFloat_FromDouble(slot.node->data);
        else
            argument = Py_NewRef((PyObject *)slot.node);
        if (!argument) Py_CLEAR(arguments);
        else PyTuple_SET_ITEM(arguments, i, argument);
    }
    return arguments;
}
GETTER(get_is_leaf, PyBool_FromLong(node_is_leaf(v)))
GETTER(get_is_constant, PyBool_FromLong(v->flags & CONSTANT))
GETTER(get_unrecorded, PyBool_FromLong((v->word & UNRECORDED) != 0))
static int set_unrecorded(PyObject *self, PyObject *value, void *unused) {
    const int cut = value ? PyObject_IsTrue(value) : 0;
    if (cut < 0) return -1;
    if (node_is_leaf((Value *)self) && cut) ((Value *)self)->word |= UNRECORDED;
    return 0;
}
static int set_constant(PyObject *self, PyObject *unused, void *unused_too) {
    if (node_is_leaf((Value *)self)) ((Value *)self)->flags |= CONSTANT;
    return 0;
}
GETTER(get_closure, Py_NewRef(FIELD(v, closure) ? FIELD(v, closure) : Py_None))

static PyMethodDef propagate_method = {"_propagate", value_propagate, METH_NOARGS,
                                       "Propagate the gradient to the inputs."};

GETTER(get_backward, FIELD(v, closure) ? Py_NewRef(FIELD(v, closure)) : PyCFunction_New(&propagate_method, self))
static int set_backward(PyObject *self, PyObject *closure, void *unused) {
    if (!closure) return cannot_delete("_backward");
    if (!PyCallable_Check(closure)) {
        PyErr_Format(PyExc_TypeError, "_backward must be callable, got %s", Py_TYPE(closure)->tp_name);
        return -1;
    }
    Extra *extra = node_extra((Value *)self);
    if (!extra) return -1;
    node_track((Value *)self); /* the function may hold this node */
    Py_INCREF(closure);
    Py_XSETREF(extra->closure, closure);
    return 0;
}

/* The caller may put anything into the dictionary, so the garbage collector tracks the node from now on. */
static PyObject *get_dict(PyObject *self, void *unused) {
    PyObject *dict = PyObject_GenericGetDict(self, unused);
    if (dict) node_track((Value *)self);
    return dict;
}
static int set_dict(PyObject *self, PyObject *dict, void *unused) {
    node_track((Value *)self);
    return PyObject_GenericSetDict(self, dict, unused);
}
GETTER(get_attributes, Py_NewRef(v->dict && PyDict_GET_SIZE(v->dict) ? v->dict : Py_None))

PyGetSetDef value_attributes[] = {
    {"data", get_data, set_data, "The number.", NULL},
    {"grad", get_grad, value_set_grad, "The derivative of the last result with respect to this Value.", NULL},
    {"label", get_label, set_label, "A name for messages and drawings.", NULL},
    {"inputs", get_inputs, NULL, "The Values this was computed from, in order; `a + a` has two.", NULL},
    {"op", get_op, NULL,
     "The operation's name in the table, or the `_op` that was given; otherwise ''.", NULL},
    {"is_leaf", get_is_leaf, NULL, "Whether this was not computed from other Values.", NULL},
    {"is_constant", get_is_constant, NULL,
     "Whether this is a plain number in an expression. Constants get no gradient.", NULL},
    {"_label", get_label, set_label, "The label, under the name that some tutorials use.", NULL},
    {"__dict__", get_dict, set_dict, "User attributes.", NULL},
    {"_backward", get_backward, set_backward,
     "Propagate this value's gradient to its inputs. Assign a function to define an operation.", NULL},
    /* The fields of the reference class under their mangled names, used only by support/graph.py. User
     * attributes cannot collide with them. */
    {"_Value__number", get_number, NULL, "The number, without notifying a tracer.", NULL},
    {"_Value__gradient", get_gradient, NULL, "The gradient, without notifying a tracer.", NULL},
    {"_Value__row", get_row, NULL, "The row of the table; None for a leaf or a hand-made operation.", NULL},
    {"_Value__name", get_name, set_name, "The name assigned to _op, if any.", NULL},
    {"_Value__arguments", get_arguments, NULL, "The inputs, with constants as plain numbers.", NULL},
    {"_Value__closure", get_closure, NULL, "The function assigned to _backward, or None.", NULL},
    {"_Value__time", get_time, NULL, "When the number was last assigned, on the clock shared by all Values.", NULL},
    {"_Value__constant", get_is_constant, set_constant, "Like is_constant; assigning makes a leaf a constant.", NULL},
    {"_Value__unrecorded", get_unrecorded, set_unrecorded, "Whether this is a result that was not recorded.",
     NULL},
    {"_Value__site", get_site, NULL, "The source line, if it was computed inside detect_anomaly().", NULL},
    {"_Value__attributes", get_attributes, NULL, "User attributes; None if there are none.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* --- construction and display ---------------------------------------------------------------- */

/* Value(data, _children=(), _op='', label=''), for a new node, or to initialize a node again. */
static int initialize(Value *v, PyObject *data, PyObject *children, PyObject *op, PyObject *label) {
    int failed = -1;
    PyObject *inputs = children ? PySequence_Tuple(children) : PyTuple_New(0);
    Slot *slots = NULL;
    double number;
    if (!inputs) return -1;
    Py_ssize_t n = PyTuple_GET_SIZE(inputs);
    for (Py_ssize_t i = 0; i < n; i++)
        if (!IS_VALUE(PyTuple_GET_ITEM(inputs, i))) {
            PyErr_Format(PyExc_TypeError, "_children must be Values, got %s; to name the Value, pass label=...",
                         Py_TYPE(PyTuple_GET_ITEM(inputs, i))->tp_name);
            goto done;
        }
    if (op && !is_text("_op", op)) goto done;
    if (need_number(data, &number) < 0 || (label && !is_text("label", label))) goto done;
    int modes = MODES();
    const int cut = n && modes & NOT_RECORDING;
    if (cut) n = 0;
    node_clear(v);
    if (cut) v->word |= UNRECORDED;
    v->data = number;
    v->grad = 0.0;
    SET_TIME(v, clock_now++); /* advance it: the node may be an old one with another number */
    if (n) {
        slots = PyMem_Calloc((size_t)n, sizeof(Slot) + 1);
        if (!slots) {
            PyErr_NoMemory();
            goto done;
        }
        for (Py_ssize_t i = 0; i < n; i++) slots[i].node = (Value *)PyTuple_GET_ITEM(inputs, i);
        v->op = BY_HAND;
        if (node_set_inputs(v, n, slots, (unsigned char *)(slots + n)) < 0) {
            v->op = LEAF;
            goto done;
        }
    }
    if (cut && modes & DIFFERENTIATING && observe_cut("cut", (PyObject *)v, inputs) < 0) goto done;
    if (op && set_name((PyObject *)v, op, NULL) < 0) goto done;
    if (n && modes & ANOMALY) {
        PyObject *site = PyObject_CallMethod(errors, "user_line", NULL);
        if (!site) goto done;
        Py_XSETREF(node_extra(v)->site, site);
    }
    failed = label ? set_label((PyObject *)v, label, NULL) : 0;
done:
    PyMem_Free(slots);
    Py_DECREF(inputs);
    return failed;
}

int value_init(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"data", "_children", "_op", "label", NULL};
    PyObject *data, *children = NULL, *op = NULL, *label = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OOO:Value", names, &data, &children, &op, &label))
        return -1;
    return initialize((Value *)self, data, children, op, label);
}

/* Tell a tracer of a leaf that the user creates. Returns the leaf; on failure, releases it and returns NULL. */
Value *leaf_created(Value *v) {
    if (v && MODES() & TRACING && ask_tracer("created", (PyObject *)v, NULL) < 0) Py_CLEAR(v);
    return v;
}

/* The fast path for Value(number), without building an argument tuple. */
PyObject *value_vectorcall(PyObject *type, PyObject *const *args, size_t count, PyObject *names) {
    Py_ssize_t n = PyVectorcall_NARGS(count);
    int own = ((PyTypeObject *)type)->tp_init == value_init; /* Value.__init__ was not replaced */
    if (own && n == 1 && !names && PyFloat_CheckExact(args[0]))
        return (PyObject *)leaf_created(node_new(PyFloat_AS_DOUBLE(args[0])));
    PyObject *tuple = PyTuple_New(n), *keywords = names ? PyDict_New() : NULL;
    Value *v = NULL;
    if (!tuple || (names && !keywords)) goto done;
    for (Py_ssize_t i = 0; i < n; i++) PyTuple_SET_ITEM(tuple, i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++)
        if (PyDict_SetItem(keywords, PyTuple_GET_ITEM(names, i), args[n + i]) < 0) goto done;
    v = leaf_created(node_new(0.0));
    if (v && ((PyTypeObject *)type)->tp_init((PyObject *)v, tuple, keywords) < 0) Py_CLEAR(v);
done:
    Py_XDECREF(tuple);
    Py_XDECREF(keywords);
    return (PyObject *)v;
}

PyObject *value_format(PyObject *self, PyObject *spec) {
    if (!PyUnicode_Check(spec))
        return PyErr_Format(PyExc_TypeError, "__format__() argument must be str, not %s", Py_TYPE(spec)->tp_name);
    if (PyUnicode_GET_LENGTH(spec) == 0) return PyObject_Repr(self);
    if (MODES() & TRACING && ask_tracer("number", NULL, NULL) < 0) return NULL;
    PyObject *number = PyFloat_FromDouble(((Value *)self)->data);
    PyObject *text = number ? PyObject_Format(number, spec) : NULL;
    Py_XDECREF(number);
    return text;
}
