/* The module: the type Value, and the Python objects that the core uses. */
#include "node.h"
#include <structmember.h>

PyTypeObject *Value_Type;
PyObject *table, *codes, *errors, *sweeps, *as_float;
uint64_t clock_now;

/* Raise an exception that Python code created. `error` is NULL if creating it raised another, which then
   stays set. */
void raise_made(PyObject *error) {
    if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
}

/* Raise the exception that a function in chainrule.support.errors creates. */
void raise_error(const char *function, PyObject *first, PyObject *second) {
    raise_made(PyObject_CallMethod(errors, function, second ? "OO" : "O", first, second));
}

static PyObject *value_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    if (type == Value_Type) return (PyObject *)leaf_created(node_new(0.0));
    Value *v = (Value *)type->tp_alloc(type, 0); /* a subclass: zeroed and tracked by the garbage collector */
    if (v) v->word = clock_now << TIME_SHIFT | TRACKED | NUMBER0 | NUMBER1;
    return (PyObject *)leaf_created(v);
}

static PyObject *value_detach(PyObject *self, PyObject *unused) {
    const int modes = WATCHED();
    if (modes & TRACING) return PyObject_CallMethod(self, "stop_gradient", NULL);
    Value *leaf = node_new(((Value *)self)->data);
    if (!leaf) return NULL;
    leaf->word |= UNRECORDED;
    if (modes & DIFFERENTIATING) {
        PyObject *inputs = PyTuple_Pack(1, self);
        if (!inputs || observe_cut("detached", (PyObject *)leaf, inputs) < 0) Py_CLEAR(leaf);
        Py_XDECREF(inputs);
    }
    return (PyObject *)leaf;
}

static PyObject *value_conjugate(PyObject *self, PyObject *unused) {
    return Py_NewRef(self);
}

static Py_hash_t value_hash(PyObject *self) {
    size_t address = (size_t)self;
    return (Py_hash_t)((address >> 4) | (address << (8 * sizeof(address) - 4)));
}

#define KEYWORDS(f) (PyCFunction)(void (*)(void))f, METH_VARARGS | METH_KEYWORDS
#define FAST(f) (PyCFunction)(void (*)(void))f, METH_FASTCALL

static PyMethodDef own_methods[] = {
    {"backward", KEYWORDS(value_backward),
     "backward(gradient=1.0, *, retain_graph=True, create_graph=False, reset=False)\n--\n\n"
     "Compute the gradient of this value with respect to everything it depends on.\n\n"
     "Gradients accumulate in the leaves, as in PyTorch; `reset=True` sets them to 0 first.\n"
     "`create_graph=True` makes the gradients Values, which can be differentiated again.\n"
     "An exception leaves all gradients unchanged."},
    {"forward", value_forward, METH_NOARGS,
     "Recompute, in place, everything this Value depends on, starting at the leaves; return self."},
    {"zero_grad", value_zero_grad, METH_NOARGS,
     "Set the gradient of this value and of everything it depends on to 0."},
    {"detach", value_detach, METH_NOARGS, "Return a new leaf with the same number, detached from the graph."},
    {"where", FAST(where_method),
     "Return self where the condition holds, else other; same argument order as PyTorch's method."},
    {"_apply", FAST(apply_static) | METH_STATIC, "Apply one operation of the table and record it."},
    {"_Value__result", FAST(node_static) | METH_STATIC, "A result whose number is already known."},
    {"conjugate", value_conjugate, METH_NOARGS, "Return self, because Values are real."},
    {"_Value__topological", KEYWORDS(value_topological),
     "Everything this Value depends on, in topological order, inputs first, without constants."},
    {"__format__", value_format, METH_O, NULL},
    {"__floor__", value_floor, METH_NOARGS, NULL},
    {"__ceil__", value_ceil, METH_NOARGS, NULL},
    {"__trunc__", value_trunc, METH_NOARGS, NULL},
    {"__round__", FAST(value_round), NULL},
};

static PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(Value, dict), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

enum { OWN = sizeof(own_methods) / sizeof(own_methods[0]), MOST_METHODS = 192, MOST_SLOTS = 40 };
static PyMethodDef methods[MOST_METHODS];

static PyObject *make_type(void) {
    int n = 0;
    for (int i = 0; i < OWN; i++) methods[n++] = own_methods[i];
    for (PyMethodDef *m = table_methods; m->ml_name; m++) {
        if (n == MOST_METHODS - 1) return PyErr_SetString(PyExc_SystemError, "too many methods"), NULL;
        methods[n++] = *m;
    }
    PyType_Slot slots[MOST_SLOTS] = {
        {Py_tp_doc, "Value(data, _children=(), _op='', label='')\n--\n\n"
                    "A number in a computation graph, with the gradient of a result with respect to it."},
        {Py_tp_new, value_new},
        {Py_tp_init, value_init},
        {Py_tp_dealloc, value_dealloc},
        {Py_tp_traverse, value_traverse},
        {Py_tp_clear, value_gc_clear},
        {Py_tp_hash, value_hash},
        {Py_tp_richcompare, value_compare},
        {Py_tp_setattro, value_setattr},
        {Py_tp_getset, value_attributes},
        {Py_tp_members, members},
        {Py_tp_methods, methods},
    };
    int last = 0;
    while (slots[last].slot) last++;
    for (PyType_Slot *s = operator_slots; s->slot; s++) {
        if (last == MOST_SLOTS - 1) return PyErr_SetString(PyExc_SystemError, "too many slots"), NULL;
        slots[last++] = *s;
    }
    PyType_Spec spec = {"chainrule.Value", sizeof(Value), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!type) return NULL;
    type->tp_name = "Value"; /* as in the messages of the reference class */
    type->tp_vectorcall = value_vectorcall;
    return (PyObject *)type;
}

static PyObject *take(const char *module, const char *name) {
    PyObject *from = PyImport_ImportModule(module);
    if (!from || !name) return from;
    PyObject *thing = PyObject_GetAttrString(from, name);
    Py_DECREF(from);
    return thing;
}

static int number_the_table(void) {
    if (!(codes = PyDict_New())) return -1;
    if (PyTuple_GET_SIZE(table) != OP_END - 1) {
        PyErr_SetString(PyExc_ImportError, "the core was built from a different version of "
                                           "chainrule/ops.py: run `make regen` and rebuild");
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(table); i++) {
        PyObject *code = PyLong_FromSsize_t(i + 1);
        if (!code || PyDict_SetItem(codes, PyTuple_GET_ITEM(table, i), code) < 0) return -1;
        Py_DECREF(code);
    }
    return 0;
}

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "chainrule._core", "The compiled core.", -1, module_functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void) {
    if (!(table = take("chainrule.ops", "TABLE")) || number_the_table() < 0) return NULL;
    if (!(errors = take("chainrule.support.errors", NULL)) || !(sweeps = take("chainrule.support.sweeps", NULL))) return NULL;
    if (!(as_float = take("chainrule.support.ieee", "as_float"))) return NULL;
    if (!(Value_Type = (PyTypeObject *)make_type())) return NULL;
    PyObject *module = PyModule_Create(&definition), *mode = modes_setup();
    if (!module || !mode || PyModule_AddObjectRef(module, "Value", (PyObject *)Value_Type) < 0 ||
        PyModule_AddObjectRef(module, "Mode", mode) < 0)
        Py_CLEAR(module);
    Py_XDECREF(mode);
    return module;
}
