/* Modes: settings that change what operations do. The reference implementation is modes.py.
 *
 * A context variable holds the top entry, so each thread and asyncio task has its own modes. An entry lasts
 * until its manager exits or is destroyed. Entering and leaving run no Python code that a signal could
 * interrupt. */
#include "node.h"

typedef struct Entry Entry;
typedef struct Mode Mode;

struct Entry {
    PyObject_HEAD
    Entry *below;
    Mode *manager; /* borrowed; NULL once the entry has ended */
    Entry *older;  /* the next older entry of the same manager, borrowed */
};

struct Mode {
    PyObject_HEAD
    int mask, bits;                /* which modes it changes, and to what */
    PyObject *tracer, *arguments;  /* each may be NULL */
    PyObject *log;                 /* the tracer's list of results, if it has one */
    Py_ssize_t most;               /* how many results there may be before the tracer settles them */
    Entry *entries;                /* those that have not ended, newest first */
    Py_ssize_t entered;            /* number of entries minus number of exits */
};

int modes_in_use, differentiating;
static PyObject *top; /* the context variable */
static PyTypeObject *Entry_Type;

enum { ALL_MODES = NOT_RECORDING | ANOMALY | TRACING | DIFFERENTIATING };

static void count(const Mode *mode, int by) {
    if (mode->bits & (NOT_RECORDING | ANOMALY | TRACING)) modes_in_use += by;
    if (mode->bits & DIFFERENTIATING) differentiating += by;
}

static void end(Entry *entry) {
    Mode *mode = entry->manager;
    Entry **place = &mode->entries;
    while (*place != entry) place = &(*place)->older;
    *place = entry->older;
    entry->manager = NULL;
    count(mode, -1);
}

/* Also runs if the context ends before the manager, as the context of a thread may. */
static void entry_dealloc(PyObject *self) {
    Entry *entry = (Entry *)self, *below = entry->below;
    PyTypeObject *type = Py_TYPE(self);
    if (entry->manager) end(entry);
    type->tp_free(self);
    Py_DECREF(type);
    /* Iterative: a chain may be as long as a program's stack is deep. */
    while (below && Py_REFCNT(below) == 1) {
        Entry *next = below->below;
        below->below = NULL;
        Py_DECREF(below);
        below = next;
    }
    Py_XDECREF(below);
}

/* The top entry of this context, or NULL; borrowed, because the context holds it. */
static Entry *entry_on_top(void) {
    PyObject *entry = NULL;
    if (PyContextVar_Get(top, Py_None, &entry) < 0) return PyErr_Clear(), NULL;
    Py_XDECREF(entry);
    return entry == Py_None ? NULL : (Entry *)entry;
}

int current_modes(void) {
    int known = 0, modes = 0;
    for (Entry *entry = entry_on_top(); entry && known != ALL_MODES; entry = entry->below)
        if (entry->manager) {
            modes |= entry->manager->bits & ~known;
            known |= entry->manager->mask;
        }
    return modes;
}

/* The manager that turned a mode on in this context. */
static Mode *manager_of(int mode) {
    for (Entry *entry = entry_on_top(); entry; entry = entry->below)
        if (entry->manager && entry->manager->mask & mode)
            return entry->manager->bits & mode ? entry->manager : NULL;
    return NULL;
}

static PyObject *tracer_here(void) {
    Mode *mode = manager_of(TRACING);
    return mode ? mode->tracer : NULL;
}
static PyObject *arguments_here(void) {
    Mode *mode = manager_of(DIFFERENTIATING);
    return mode ? mode->arguments : NULL;
}

static int ask(PyObject *observer, const char *method, PyObject *value, PyObject *more) {
    if (!observer) return 0;
    Py_INCREF(observer);
    PyObject *answer = PyObject_CallMethod(observer, method, more ? "OO" : value ? "O" : NULL, value, more);
    Py_DECREF(observer);
    const int truth = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return truth;
}

int ask_tracer(const char *method, PyObject *value, PyObject *more) {
    return ask(tracer_here(), method, value, more);
}

int compare_as_numbers(PyObject *left, PyObject *right) {
    PyObject *arguments = arguments_here();
    return ask(arguments ? arguments : tracer_here(), "compares", left, right);
}

static int ask_both(const char *method, PyObject *value, PyObject *more) {
    return ask(tracer_here(), method, value, more) < 0 || ask(arguments_here(), method, value, more) < 0 ? -1 : 0;
}

int observe_read(PyObject *value, const char *attribute) {
    PyObject *name = PyUnicode_FromString(attribute);
    const int failed = name ? ask_both("read", value, name) : -1;
    Py_XDECREF(name);
    return failed;
}

int observe_cut(const char *how, PyObject *leaf, PyObject *inputs) {
    return ask(arguments_here(), how, leaf, inputs) < 0 ? -1 : 0;
}

int observe_sweep(PyObject *root) { return ask_both("sweep", root, NULL); }

/* Find the list in which the tracer wants each new result, NULL if there is none. A full one is settled first,
 * but not inside grad, which still needs the graph. */
int find_log(int modes, PyObject **log) {
    Mode *mode = modes & TRACING ? manager_of(TRACING) : NULL;
    *log = mode ? mode->log : NULL;
    const int full = *log && PyList_GET_SIZE(*log) >= mode->most && !(modes & DIFFERENTIATING);
    return full ? ask(mode->tracer, "settle", NULL, NULL) : 0;
}

/* --- managers -------------------------------------------------------------------------------- */

/* Drop the entries of this context that have ended. */
static int tidy(void) {
    Entry *first = entry_on_top(), *live = first;
    while (live && !live->manager) live = live->below;
    for (Entry *entry = live; entry; entry = entry->below)
        while (entry->below && !entry->below->manager) {
            Entry *ended = entry->below;
            entry->below = (Entry *)Py_XNewRef((PyObject *)ended->below);
            Py_DECREF(ended);
        }
    if (live == first) return 0;
    PyObject *token = PyContextVar_Set(top, live ? (PyObject *)live : Py_None);
    Py_XDECREF(token);
    return token ? 0 : -1;
}

static PyObject *mode_enter(PyObject *self, PyObject *unused) {
    Mode *mode = (Mode *)self;
    if (mode->mask & mode->bits & NOT_RECORDING && ask_both("no_grad", NULL, NULL) < 0) return NULL;
    if (tidy() < 0) return NULL;
    Entry *entry = PyObject_New(Entry, Entry_Type);
    if (!entry) return NULL;
    entry->below = (Entry *)Py_XNewRef((PyObject *)entry_on_top());
    entry->manager = mode;
    entry->older = mode->entries;
    mode->entries = entry;
    count(mode, 1);
    PyObject *token = PyContextVar_Set(top, (PyObject *)entry);
    if (!token) end(entry);
    Py_DECREF(entry);
    if (!token) return NULL;
    Py_DECREF(token);
    mode->entered++;
    Py_RETURN_NONE;
}

static PyObject *mode_exit(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    Mode *mode = (Mode *)self;
    if (!mode->entered) return PyErr_Format(PyExc_RuntimeError, "the mode was not entered");
    mode->entered--;
    Entry *entry = entry_on_top();
    while (entry && entry->manager != mode) entry = entry->below;
    /* Not found: the mode was entered in a different context, such as that of a generator's previous
     * caller. That context may be gone by now, and the entry with it. */
    if (!entry) entry = mode->entries;
    if (entry) end(entry);
    if (tidy() < 0) return NULL;
    Py_RETURN_NONE;
}

static int flag(PyObject *given, int bit, int when, Mode *mode) {
    if (given == Py_None) return 0;
    const int truth = PyObject_IsTrue(given);
    if (truth < 0) return -1;
    mode->mask |= bit;
    mode->bits = truth == when ? mode->bits | bit : mode->bits & ~bit;
    return 0;
}

static int mode_init(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"recording", "anomaly", "tracer", "arguments", NULL};
    PyObject *recording = Py_None, *anomaly = Py_None, *tracer = Py_None, *arguments = Py_None;
    Mode *mode = (Mode *)self;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OOOO:Mode", names, &recording, &anomaly, &tracer,
                                     &arguments))
        return -1;
    if (mode->entered) return PyErr_SetString(PyExc_RuntimeError, "the mode is in use"), -1;
    mode->mask = mode->bits = 0;
    if (tracer == Py_False)
        mode->mask = TRACING;
    else if (tracer != Py_None)
        mode->mask = ALL_MODES, mode->bits = TRACING;
    if (flag(recording, NOT_RECORDING, 0, mode) < 0 || flag(anomaly, ANOMALY, 1, mode) < 0) return -1;
    if (arguments != Py_None) mode->mask |= DIFFERENTIATING, mode->bits |= DIFFERENTIATING;
    Py_XSETREF(mode->tracer, mode->bits & TRACING ? Py_NewRef(tracer) : NULL);
    Py_XSETREF(mode->arguments, arguments != Py_None ? Py_NewRef(arguments) : NULL);
    PyObject *log = mode->tracer ? PyObject_GetAttrString(mode->tracer, "log") : NULL;
    PyObject *most = log ? PyObject_GetAttrString(mode->tracer, "most") : NULL;
    PyErr_Clear();
    Py_XSETREF(mode->log, log && PyList_Check(log) && most ? Py_NewRef(log) : NULL);
    mode->most = most ? PyLong_AsSsize_t(most) : 0;
    Py_XDECREF(log);
    Py_XDECREF(most);
    return PyErr_Occurred() ? -1 : 0;
}

static void mode_dealloc(PyObject *self) {
    Mode *mode = (Mode *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    while (mode->entries) end(mode->entries);
    Py_XDECREF(mode->tracer);
    Py_XDECREF(mode->arguments);
    Py_XDECREF(mode->log);
    type->tp_free(self);
    Py_DECREF(type);
}

static int mode_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Mode *)self)->tracer);
    Py_VISIT(((Mode *)self)->arguments);
    Py_VISIT(((Mode *)self)->log);
    return 0;
}

/* modes(): (recording, anomaly, tracer, arguments) in this context. */
PyObject *modes_here(PyObject *module, PyObject *unused) {
    const int modes = WATCHED();
    PyObject *tracer = modes & TRACING ? tracer_here() : Py_None;
    PyObject *arguments = modes & DIFFERENTIATING ? arguments_here() : Py_None;
    return Py_BuildValue("(NNOO)", PyBool_FromLong(!(modes & NOT_RECORDING)), PyBool_FromLong(modes & ANOMALY),
                         tracer, arguments);
}

static PyMethodDef mode_methods[] = {
    {"__enter__", mode_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))mode_exit, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

/* Create the types; return the type of the managers. */
PyObject *modes_setup(void) {
    PyType_Slot entry_slots[] = {{Py_tp_dealloc, entry_dealloc}, {0, NULL}};
    PyType_Spec entry_spec = {"chainrule._Entry", sizeof(Entry), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, entry_slots};
    PyType_Slot mode_slots[] = {
        {Py_tp_doc, "Mode(recording=None, anomaly=None, tracer=None, arguments=None)\n--\n\n"
                    "A context manager that changes the given modes; `tracer=False` suspends tracing."},
        {Py_tp_init, mode_init},
        {Py_tp_dealloc, mode_dealloc},
        {Py_tp_traverse, mode_traverse},
        {Py_tp_methods, mode_methods},
        {0, NULL},
    };
    PyType_Spec mode_spec = {"chainrule.Mode", sizeof(Mode), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, mode_slots};
    if (!(top = PyContextVar_New("chainrule_modes", NULL))) return NULL;
    if (!(Entry_Type = (PyTypeObject *)PyType_FromSpec(&entry_spec))) return NULL;
    return PyType_FromSpec(&mode_spec);
}
