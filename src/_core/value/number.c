/* Operators and methods: they turn Python arguments into a new node. */
#include "node.h"

/* Read a number; anything else is an error. */
int need_number(PyObject *o, double *x) {
    if (PyFloat_CheckExact(o) || (PyFloat_Check(o) && !strcmp(Py_TYPE(o)->tp_name, "numpy.float64"))) {
        *x = PyFloat_AS_DOUBLE(o);
        return 0;
    }
    if (PyLong_CheckExact(o) || PyBool_Check(o)) {
        *x = PyLong_AsDouble(o);
        return *x == -1.0 && PyErr_Occurred() ? -1 : 0;
    }
    PyObject *number = PyObject_CallOneArg(as_float, o);
    if (!number) return -1;
    *x = PyFloat_AS_DOUBLE(number);
    Py_DECREF(number);
    return 0;
}

/* Returns 1 on success, 0 (no exception set) if o is not a real number, -1 with an exception set. */
static int as_number(PyObject *o, double *x) {
    if (need_number(o, x) == 0) return 1;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    PyErr_Clear();
    return 0;
}

/* Fill a slot from an argument, as a borrowed reference. Returns 1 on success, 0 if the argument is neither a
 * Value nor a number, -1 with an exception set. */
static inline int as_slot(PyObject *o, Slot *slot, unsigned char *is_number) {
    if (IS_VALUE(o)) {
        slot->node = (Value *)o;
        *is_number = 0;
        return 1;
    }
    *is_number = 1;
    slot->number = 0.0;
    return as_number(o, &slot->number);
}

/* The same for n arguments; one that is neither a Value nor a number is an error. */
static int as_slots(PyObject *const *args, Py_ssize_t n, Slot *slots, unsigned char *is_number) {
    for (Py_ssize_t i = 0; i < n; i++) {
        int known = as_slot(args[i], &slots[i], &is_number[i]);
        if (known < 0 || (known == 0 && need_number(args[i], &slots[i].number) < 0)) return -1;
    }
    return 0;
}

/* Read the numbers in slots, after all arguments are converted: converting one may change another. */
static inline void read_slots(Py_ssize_t n, const Slot *slots, const unsigned char *is_number, double *a) {
    for (Py_ssize_t i = 0; i < n; i++) a[i] = is_number[i] ? slots[i].number : slots[i].node->data;
}

/* A tuple of floats. */
PyObject *floats(const double *a, Py_ssize_t n) {
    PyObject *numbers = PyTuple_New(n);
    for (Py_ssize_t i = 0; numbers && i < n; i++) {
        PyObject *number = PyFloat_FromDouble(a[i]);
        if (!number) Py_CLEAR(numbers);
        else PyTuple_SET_ITEM(numbers, i, number);
    }
    return numbers;
}

static int check_finite(const char *name, const double *a, Py_ssize_t n, double data) {
    if (isfinite(data)) return 0;
    PyObject *numbers = floats(a, n);
    raise_made(numbers ? PyObject_CallMethod(errors, "bad_value", "sOd", name, numbers, data) : NULL);
    Py_XDECREF(numbers);
    return -1;
}

/* Called in non-default modes: with anomaly detection on, records the source line. */
static Value *record_specially(Value *v, int modes) {
    if (!(modes & ANOMALY) || node_count(v) == 0) return v;
    Extra *extra = node_extra(v);
    PyObject *site = extra ? PyObject_CallMethod(errors, "user_line", NULL) : NULL;
    if (!site) {
        Py_DECREF(v);
        return NULL;
    }
    Py_XSETREF(extra->site, site);
    return v;
}

/* A result that is not recorded. Inside grad, the observer remembers the result's inputs. */
static Value *cut_off(Py_ssize_t n, const Slot *slots, const unsigned char *is_number, double data, int modes) {
    Value *leaf = node_new(data);
    if (!leaf) return NULL;
    leaf->word |= UNRECORDED;
    if (!(modes & DIFFERENTIATING)) return leaf;
    PyObject *inputs = PyList_New(0);
    int failed = !inputs;
    for (Py_ssize_t i = 0; i < n && !failed; i++)
        failed = !is_number[i] && PyList_Append(inputs, (PyObject *)slots[i].node) < 0;
    if (failed || observe_cut("cut", (PyObject *)leaf, inputs) < 0) Py_CLEAR(leaf);
    Py_XDECREF(inputs);
    return leaf;
}

/* A node for an operation whose value is known. */
static Value *apply(int op, Py_ssize_t n, const Slot *slots, const unsigned char *is_number, double data) {
    int modes = MODES();
    if (modes & NOT_RECORDING) return cut_off(n, slots, is_number, data, modes);
    PyObject *log = NULL;
    if (modes && find_log(modes, &log) < 0) return NULL;
    Value *v = node_new(data);
    if (!v) return NULL;
    v->op = (unsigned char)op;
    if (node_set_inputs(v, n, slots, is_number) < 0) {
        v->op = LEAF;
        Py_DECREF(v);
        return NULL;
    }
    if (log && PyList_Append(log, (PyObject *)v) < 0) Py_CLEAR(v);
    return v && modes ? record_specially(v, modes) : v;
}

/* --- operators ------------------------------------------------------------------------------- */

/* The general binary operator, for mixed operands and non-default modes. */
static PyObject *binary(int op, PyObject *left, PyObject *right) {
    Slot slots[2];
    unsigned char is_number[2];
    double a[3] = {0.0};
    int known = as_slot(left, &slots[0], &is_number[0]);
    if (known > 0) known = as_slot(right, &slots[1], &is_number[1]);
    if (known < 0) return NULL;
    if (known == 0) Py_RETURN_NOTIMPLEMENTED;
    read_slots(2, slots, is_number, a);
    double data = fixed_value(op, a);
    if (MODES() & ANOMALY && check_finite(ROWS[op].name, a, 2, data) < 0) return NULL;
    return (PyObject *)apply(op, 2, slots, is_number, data);
}

/* The fast paths: two Values, or a Value and a float, in the default modes. */
static inline PyObject *fast_binary(int op, PyObject *left, PyObject *right, double (*f)(double, double)) {
    if (__builtin_expect(modes_in_use, 0)) return binary(op, left, right);
    Value *v, *l = (Value *)left, *r = (Value *)right;
    if (Py_TYPE(left) == Value_Type) {
        if (Py_TYPE(right) == Value_Type) {
            if ((l->word | r->word) & TRACKED) return binary(op, left, right);
            if (!(v = node_new(f(l->data, r->data)))) return NULL;
            v->in[1].node = (Value *)Py_NewRef(right);
            v->flags = 0;
        } else if (PyFloat_CheckExact(right) && !(l->word & TRACKED)) {
            double x = PyFloat_AS_DOUBLE(right);
            if (!(v = node_new(f(l->data, x)))) return NULL;
            v->in[1].number = x;
            v->flags = NUMBER1;
        } else
            return binary(op, left, right);
        v->in[0].node = (Value *)Py_NewRef(left);
    } else if (PyFloat_CheckExact(left) && Py_TYPE(right) == Value_Type && !(r->word & TRACKED)) {
        double x = PyFloat_AS_DOUBLE(left);
        if (!(v = node_new(f(x, r->data)))) return NULL;
        v->in[0].number = x;
        v->flags = NUMBER0;
        v->in[1].node = (Value *)Py_NewRef(right);
    } else
        return binary(op, left, right);
    v->op = (unsigned char)op;
    return (PyObject *)v;
}

static PyObject *unary(int op, PyObject *self) {
    Slot slot = {.node = (Value *)self};
    unsigned char is_number = 0;
    double a[3] = {slot.node->data, 0.0, 0.0}, data = fixed_value(op, a);
    if (MODES() & ANOMALY && check_finite(ROWS[op].name, a, 1, data) < 0) return NULL;
    return (PyObject *)apply(op, 1, &slot, &is_number, data);
}

static PyObject *number_add(PyObject *a, PyObject *b) { return fast_binary(OP_ADD, a, b, op_add); }
static PyObject *number_sub(PyObject *a, PyObject *b) { return fast_binary(OP_SUB, a, b, op_sub); }
static PyObject *number_mul(PyObject *a, PyObject *b) { return fast_binary(OP_MUL, a, b, op_mul); }
static PyObject *number_div(PyObject *a, PyObject *b) { return fast_binary(OP_DIV, a, b, op_div); }
static PyObject *number_pow(PyObject *a, PyObject *b, PyObject *modulus) {
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return fast_binary(OP_POW, a, b, op_pow);
}
static PyObject *number_mod(PyObject *a, PyObject *b) { return binary(OP_REMAINDER, a, b); }
static PyObject *number_floordiv(PyObject *a, PyObject *b) { return binary(OP_FLOOR_DIVIDE, a, b); }
static PyObject *number_neg(PyObject *a) { return unary(OP_NEG, a); }
static PyObject *number_pos(PyObject *a) { return unary(OP_POS, a); }
static PyObject *number_abs(PyObject *a) { return unary(OP_ABS, a); }

/* math.floor(v) and np.floor(array) call these; the results are Values, which stay in the graph. */
PyObject *value_floor(PyObject *self, PyObject *unused) { return unary(OP_FLOOR, self); }
PyObject *value_ceil(PyObject *self, PyObject *unused) { return unary(OP_CEIL, self); }
PyObject *value_trunc(PyObject *self, PyObject *unused) { return unary(OP_TRUNC, self); }
PyObject *value_round(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    if (n > 1) return PyErr_Format(PyExc_TypeError, "round takes 2 arguments, got %zd", n + 1);
    if (n == 0 || args[0] == Py_None) return unary(OP_ROUND, self);
    PyObject *text = PyObject_GetAttrString(errors, "NO_DIGITS");
    if (text) PyErr_SetObject(PyExc_TypeError, text);
    Py_XDECREF(text);
    return NULL;
}

/* A Value is not a plain number: raise the tracer's error or, without a tracer, this advice from
 * chainrule.support.errors. */
static void refuse(const char *question, const char *advice) {
    if (MODES() & TRACING && ask_tracer(question, NULL, NULL) < 0) return;
    PyObject *text = PyObject_GetAttrString(errors, advice);
    if (text) PyErr_SetObject(PyExc_TypeError, text);
    Py_XDECREF(text);
}
/* Whether x can serve as a condition: a bool or, during compilation, a comparison, which is a Value. */
static int is_condition(PyObject *x) {
    if (!IS_VALUE(x)) return PyBool_Check(x);
    const int op = ((Value *)x)->op;
    return MODES() & TRACING && (op == OP_LESS || op == OP_LESS_EQUAL || op == OP_EQUAL);
}
static int number_bool(PyObject *self) {
    if (is_condition(self)) return ask_tracer("guard", self, ((Value *)self)->data != 0.0 ? Py_True : Py_False);
    refuse("truth", "NO_BOOL");
    return -1;
}
static PyObject *number_float(PyObject *self) { return refuse("number", "NO_FLOAT"), NULL; }
static PyObject *number_index(PyObject *self) { return refuse("number", "NO_INDEX"), NULL; }

/* Combine two conditions: apply `op` to them, then compare `number` with the result. */
static PyObject *join(PyObject *a, PyObject *b, int op, double number, int comparison) {
    if (!is_condition(a) || !is_condition(b)) Py_RETURN_NOTIMPLEMENTED;
    PyObject *limit = PyFloat_FromDouble(number), *both = limit ? binary(op, a, b) : NULL;
    PyObject *result = both ? binary(comparison, limit, both) : NULL;
    Py_XDECREF(limit);
    Py_XDECREF(both);
    return result;
}
static PyObject *number_and(PyObject *a, PyObject *b) { return join(a, b, OP_MUL, 1.0, OP_EQUAL); }
static PyObject *number_or(PyObject *a, PyObject *b) { return join(a, b, OP_ADD, 0.0, OP_LESS); }

/* During compilation, `==` and `!=` produce Values. */
static PyObject *trace_equal(PyObject *left, PyObject *right, int comparison) {
    PyObject *same = binary(OP_EQUAL, left, right);
    if (!same || same == Py_NotImplemented || comparison == Py_EQ) return same;
    PyObject *zero = PyFloat_FromDouble(0.0), *other = zero ? binary(OP_EQUAL, same, zero) : NULL;
    Py_DECREF(same);
    Py_XDECREF(zero);
    return other;
}

/* Two Values are equal if they are the same node, because nodes are kept in sets and lists. The exception
 * is a Value that stands for a number: a sample during compilation, a differentiated argument inside grad. A
 * Value and a plain number compare as numbers. */
static PyObject *compare_equal(PyObject *left, PyObject *right, int comparison) {
    const int modes = WATCHED();
    double b = 0.0;
    int known = 1;
    if (IS_VALUE(right)) {
        known = modes & (TRACING | DIFFERENTIATING) ? compare_as_numbers(left, right) : 0;
        b = ((Value *)right)->data;
    } else if ((known = as_number(right, &b)) < 0 && PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear(); /* an int too large for a double */
        return PyBool_FromLong(comparison == Py_NE);
    }
    if (known < 0) return NULL;
    if (!known) Py_RETURN_NOTIMPLEMENTED;
    if (modes & TRACING) return trace_equal(left, right, comparison);
    return PyBool_FromLong((((Value *)left)->data == b) == (comparison == Py_EQ));
}

/* Ordering compares data. During compilation the result is a Value, so that `where(a < b, x, y)` stays a
 * formula. */
PyObject *value_compare(PyObject *left, PyObject *right, int comparison) {
    if (comparison == Py_EQ || comparison == Py_NE) return compare_equal(left, right, comparison);
    if (MODES() & TRACING) {
        const int less = comparison == Py_LT || comparison == Py_GT ? OP_LESS : OP_LESS_EQUAL;
        const int turned = comparison == Py_GT || comparison == Py_GE;
        return turned ? binary(less, right, left) : binary(less, left, right);
    }
    double a = ((Value *)left)->data, b;
    if (IS_VALUE(right))
        b = ((Value *)right)->data;
    else {
        int known = as_number(right, &b);
        if (known < 0) return NULL;
        if (known == 0) Py_RETURN_NOTIMPLEMENTED;
    }
    Py_RETURN_RICHCOMPARE(a, b, comparison);
}

PyType_Slot operator_slots[] = {
    {Py_nb_add, number_add},
    {Py_nb_subtract, number_sub},
    {Py_nb_multiply, number_mul},
    {Py_nb_true_divide, number_div},
    {Py_nb_power, number_pow},
    {Py_nb_remainder, number_mod},
    {Py_nb_floor_divide, number_floordiv},
    {Py_nb_negative, number_neg},
    {Py_nb_positive, number_pos},
    {Py_nb_absolute, number_abs},
    {Py_nb_and, number_and},
    {Py_nb_or, number_or},
    {Py_nb_bool, number_bool},
    {Py_nb_float, number_float},
    {Py_nb_int, number_float},
    {Py_nb_index, number_index},
    {0, NULL},
};

/* --- methods --------------------------------------------------------------------------------- */

static PyObject *wrong_count(const Row *row, Py_ssize_t n) {
    return PyErr_Format(PyExc_TypeError, "%s takes %d argument%s, got %zd", row->name, row->arity,
                        row->arity == 1 ? "" : "s", n);
}

/* Apply an operation of fixed arity to arguments of which at least one is a Value. */
static PyObject *apply_fixed(int op, PyObject *const *args, Py_ssize_t n) {
    const Row *row = &ROWS[op];
    Slot slots[3];
    unsigned char is_number[3];
    double a[3] = {0.0};
    Py_ssize_t missing = row->arity - n;
    if (missing && !(missing == 1 && row->defaults)) return wrong_count(row, n);
    if (as_slots(args, n, slots, is_number) < 0) return NULL;
    if (missing) {
        slots[n].number = row->default_value;
        is_number[n] = 1;
    }
    read_slots(row->arity, slots, is_number, a);
    double data = fixed_value(op, a);
    if (MODES() & ANOMALY && check_finite(row->name, a, row->arity, data) < 0) return NULL;
    return (PyObject *)apply(op, row->arity, slots, is_number, data);
}

static PyObject *fixed_method(int op, PyObject *self, PyObject *const *args, Py_ssize_t n) {
    if (n == 0 && ROWS[op].arity == 1) return unary(op, self);
    PyObject *all[4] = {self, NULL, NULL, NULL};
    if (n > 3) return wrong_count(&ROWS[op], n + 1);
    for (Py_ssize_t i = 0; i < n; i++) all[i + 1] = args[i];
    return apply_fixed(op, all, n + 1);
}

PyObject *where_method(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    if (n != 2) return PyErr_Format(PyExc_TypeError, "where takes 3 arguments, got %zd", n + 1);
    PyObject *all[3] = {args[0], self, args[1]};
    return apply_fixed(OP_WHERE, all, 3);
}

/* Apply an operation to a flat list of arguments; if all are floats, so is the result. */
static PyObject *apply_variadic(int op, PyObject *const *args, Py_ssize_t n) {
    const Row *row = &ROWS[op];
    if (n < row->least * row->width) {
        PyObject *given = n < row->width ? PyUnicode_FromString("none") : PyUnicode_FromFormat("%zd", n / row->width);
        if (given) PyErr_Format(PyExc_TypeError, "%s needs at least %d value%s, got %U", row->name, row->least,
                                row->least == 1 ? "" : "s", given);
        Py_XDECREF(given);
        return NULL;
    }
    if (n % row->width)
        return PyErr_Format(PyExc_TypeError, "%s takes %d sequences of the same length", row->name,
                            row->width);
    Slot small_slots[64], *slots = small_slots;
    double small[64], *a = small;
    unsigned char small_is[64], *is_number = small_is;
    PyObject *result = NULL;
    if (n > 64) {
        slots = PyMem_Malloc((size_t)n * (sizeof(Slot) + sizeof(double) + 1));
        if (!slots) return PyErr_NoMemory();
        a = (double *)(slots + n);
        is_number = (unsigned char *)(a + n);
    }
    int values = 0;
    if (as_slots(args, n, slots, is_number) < 0) goto done;
    read_slots(n, slots, is_number, a);
    for (Py_ssize_t i = 0; i < n; i++) values |= !is_number[i];
    double data = variadic_value(op, a, n / row->width);
    if (!values)
        result = PyFloat_FromDouble(data);
    else if (!(MODES() & ANOMALY) || check_finite(row->name, a, n, data) == 0)
        result = (PyObject *)apply(op, n, slots, is_number, data);
done:
    if (slots != small_slots) PyMem_Free(slots);
    return result;
}

/* Raise an error that names the lengths of the sequences. */
static int raise_lengths(const char *name, PyObject *const *lists, Py_ssize_t n) {
    PyObject *text = PyUnicode_FromFormat("%zd", PyList_GET_SIZE(lists[0]));
    for (Py_ssize_t i = 1; text && i < n; i++)
        Py_SETREF(text, PyUnicode_FromFormat("%U and %zd", text, PyList_GET_SIZE(lists[i])));
    if (text) PyErr_Format(PyExc_ValueError, "%s takes sequences of the same length, got %U", name, text);
    Py_XDECREF(text);
    return -1;
}

/* `max(a, b)`, `max([a, b])`, `dot(xs, ys)`. */
static PyObject *variadic_method(int op, PyObject *const *args, Py_ssize_t n) {
    const Row *row = &ROWS[op];
    if (row->width == 1) {
        if (n != 1 || !(Py_TYPE(args[0])->tp_iter || PySequence_Check(args[0])))
            return apply_variadic(op, args, n);
        PyObject *list = PySequence_List(args[0]);
        if (!list) return NULL;
        PyObject *result = apply_variadic(op, ((PyListObject *)list)->ob_item, PyList_GET_SIZE(list));
        Py_DECREF(list);
        return result;
    }
    if (n != row->width)
        return PyErr_Format(PyExc_TypeError, "%s takes %d sequences, got %zd", row->name, row->width, n);
    PyObject *lists[3] = {NULL}, *result = NULL;
    int failed = 0, same = 1;
    for (Py_ssize_t i = 0; !failed && i < n; i++) {
        lists[i] = PySequence_List(args[i]);
        failed = !lists[i];
        same &= failed || PyList_GET_SIZE(lists[i]) == PyList_GET_SIZE(lists[0]);
    }
    if (!same && !failed) failed = raise_lengths(row->name, lists, n);
    for (Py_ssize_t i = 1; !failed && i < n; i++)
        failed = PyList_SetSlice(lists[0], PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, lists[i]);
    if (!failed) result = apply_variadic(op, ((PyListObject *)lists[0])->ob_item, PyList_GET_SIZE(lists[0]));
    for (Py_ssize_t i = 0; i < n; i++) Py_XDECREF(lists[i]);
    return result;
}

/* The value of an operation defined with custom_op, whose formulas are Python functions. */
int custom_value(PyObject *row, const double *a, Py_ssize_t n, double *data) {
    PyObject *numbers = floats(a, n), *forward = numbers ? PyObject_GetAttrString(row, "forward") : NULL;
    PyObject *value = forward ? PyObject_Call(forward, numbers, NULL) : NULL;
    const int failed = value ? need_number(value, data) : -1;
    Py_XDECREF(numbers);
    Py_XDECREF(forward);
    Py_XDECREF(value);
    return failed;
}

static PyObject *apply_custom(PyObject *row, PyObject *args) {
    PyObject *complete = PyObject_CallMethod(row, "complete", "(O)", args);
    PyObject *all = complete ? PySequence_Tuple(complete) : NULL;
    Py_XDECREF(complete);
    if (!all) return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(all);
    PyObject *result = NULL;
    Slot *slots = PyMem_Malloc((size_t)n * (sizeof(Slot) + sizeof(double) + 1) + 1);
    double *a = (double *)(slots + n), data;
    unsigned char *is_number = (unsigned char *)(a + n);
    if (!slots) PyErr_NoMemory();
    if (!slots || as_slots(((PyTupleObject *)all)->ob_item, n, slots, is_number) < 0) goto done;
    read_slots(n, slots, is_number, a);
    if (custom_value(row, a, n, &data) < 0) goto done;
    PyObject *name = PyObject_GetAttrString(row, "name");
    const char *text = name ? PyUnicode_AsUTF8(name) : NULL;
    if (text && (!(MODES() & ANOMALY) || check_finite(text, a, n, data) == 0)) {
        Value *v = apply(CUSTOM, n, slots, is_number, data);
        if (v && v->op == CUSTOM) v->in[0].extra->row = Py_NewRef(row);
        result = (PyObject *)v;
    }
    Py_XDECREF(name);
done:
    PyMem_Free(slots);
    Py_DECREF(all);
    return result;
}

/* The code of an Op of the table, 0 if it is not in the table, -1 with an exception set. */
static int code_of(PyObject *row) {
    PyObject *code = PyDict_GetItemWithError(codes, row);
    if (code) return (int)PyLong_AsLong(code);
    return PyErr_Occurred() ? -1 : 0;
}

/* Value._apply(op, args): called by Op.__call__ when an argument is a Value. */
PyObject *apply_static(PyObject *unused, PyObject *const *args, Py_ssize_t n) {
    if (n != 2) return PyErr_Format(PyExc_TypeError, "_apply takes 2 arguments, got %zd", n);
    int op = code_of(args[0]);
    PyObject *all = op < 0 ? NULL : PySequence_Tuple(args[1]);
    if (!all) return NULL;
    PyObject *result;
    if (op == 0)
        result = apply_custom(args[0], all);
    else if (ROWS[op].width)
        result = apply_variadic(op, ((PyTupleObject *)all)->ob_item, PyTuple_GET_SIZE(all));
    else
        result = apply_fixed(op, ((PyTupleObject *)all)->ob_item, PyTuple_GET_SIZE(all));
    Py_DECREF(all);
    return result;
}

/* Value.__result(row, args, data): a result whose value is already known. */
PyObject *node_static(PyObject *unused, PyObject *const *args, Py_ssize_t count) {
    double data;
    if (count != 3) return PyErr_Format(PyExc_TypeError, "a result takes 3 arguments, got %zd", count);
    if (need_number(args[2], &data) < 0) return NULL;
    int op = args[0] == Py_None ? LEAF : code_of(args[0]);
    PyObject *all = op < 0 ? NULL : PySequence_Tuple(args[1]);
    if (!all) return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(all);
    Value *v = NULL;
    Slot *slots = PyMem_Malloc((size_t)n * (sizeof(Slot) + 1) + 1);
    unsigned char *is_number = (unsigned char *)(slots + n);
    if (!slots) PyErr_NoMemory();
    if (!slots || as_slots(((PyTupleObject *)all)->ob_item, n, slots, is_number) < 0) goto done;
    if (op == LEAF && n) op = args[0] == Py_None ? BY_HAND : CUSTOM;
    if (n == 0 && op < CUSTOM && ROWS[op].width) op = LEAF;
    if (op > 0 && op < CUSTOM && !ROWS[op].width && n != ROWS[op].arity) {
        wrong_count(&ROWS[op], n);
        goto done;
    }
    if (!(v = node_new(data))) goto done;
    v->op = (unsigned char)op;
    if (op == LEAF) goto done;
    if (node_set_inputs(v, n, slots, is_number) < 0) {
        v->op = LEAF;
        Py_CLEAR(v);
    } else if (op == CUSTOM)
        v->in[0].extra->row = Py_NewRef(args[0]);
done:
    PyMem_Free(slots);
    Py_DECREF(all);
    return (PyObject *)v;
}

/* Called as a method, a variadic operation includes self: v.max(w). */
static PyObject *variadic_with_self(int op, PyObject *self, PyObject *const *args, Py_ssize_t n) {
    PyObject *all = PyTuple_New(n + 1);
    if (!all) return NULL;
    PyTuple_SET_ITEM(all, 0, Py_NewRef(self));
    for (Py_ssize_t i = 0; i < n; i++) PyTuple_SET_ITEM(all, i + 1, Py_NewRef(args[i]));
    PyObject *result = apply_variadic(op, ((PyTupleObject *)all)->ob_item, n + 1);
    Py_DECREF(all);
    return result;
}

#define FIXED(op, name, doc)                                                                 \
    static PyObject *method_##name(PyObject *self, PyObject *const *args, Py_ssize_t n) {    \
        return fixed_method(op, self, args, n);                                              \
    }
#define VARIADIC(op, name, doc)                                                              \
    static PyObject *method_##name(PyObject *self, PyObject *const *args, Py_ssize_t n) {    \
        return variadic_with_self(op, self, args, n);                                        \
    }                                                                                        \
    static PyObject *function_##name(PyObject *module, PyObject *const *args, Py_ssize_t n) { \
        return variadic_method(op, args, n);                                                 \
    }
FIXED_METHODS(FIXED)
VARIADIC_METHODS(VARIADIC)
#undef FIXED
#undef VARIADIC

#define METHOD(op, name, doc) {#name, (PyCFunction)(void (*)(void))method_##name, METH_FASTCALL, doc},
#define FUNCTION(op, name, doc) {#name, (PyCFunction)(void (*)(void))function_##name, METH_FASTCALL, doc},
PyMethodDef table_methods[] = {
    FIXED_METHODS(METHOD) VARIADIC_METHODS(METHOD){NULL, NULL, 0, NULL},
};
PyMethodDef module_functions[] = {
    VARIADIC_METHODS(FUNCTION){
        "modes", modes_here, METH_NOARGS, "(recording, anomaly, tracer, arguments) in the current context."},
    {"_simd_kernels", simd_kernels, METH_NOARGS, "The instruction sets this machine supports, fastest first, and addresses."},
    {"_simd_best", simd_best, METH_NOARGS, "The instruction set in use: the fastest, or the one in CHAINRULE_SIMD."},
    {"read_data", values_read_data, METH_O, "The numbers of many Values, as doubles in a bytes object."},
    {"write_numbers", values_write, METH_VARARGS, "Set .data of many Values, and .grad if gradients are given."},
    {"clock", clock_here, METH_NOARGS, "A number that changes whenever .data of any Value changes."},
    {"machine", machine_new, METH_VARARGS, "Load a compiled program."},
    {"machine_kernel", machine_kernel, METH_VARARGS, "Run a kernel in place of the steps for each sample."},
    {"train_machine", machine_train, METH_VARARGS, "Run training steps: a batch, then the optimiser's update."},
    {"run_machine", machine_run, METH_VARARGS, "Run a program on a batch."},
    {"machine_parts", machine_parts, METH_O, "The parts of a program, as `machine` takes them."},
    {"graph_extract", graph_extract, METH_VARARGS, "graph_extract(outputs, guards, inputs, params, made, check, tape)"},
    {"graph_settle", graph_settle, METH_VARARGS, "Turn results into nodes on a tape, which is returned."},
    {"graph_optimise", graph_optimise, METH_O, "The graph after all passes."},
    {"graph_reach", graph_reach, METH_O, "Which nodes the gradient reaches: 0 never, 1 always, 2 for some samples."},
    {"graph_simplify", graph_simplify, METH_O, "The graph with constants folded and equal nodes merged."},
    {"graph_forward", graph_forward, METH_VARARGS, "The graph followed by its derivatives along a direction."},
    {"graph_guards", graph_guards, METH_O, "The graph reduced to its guards and the nodes they depend on."},
    {"graph_pattern", graph_pattern, METH_VARARGS, "The places of the derivatives that may differ from 0."},
    {"columns_coloured", columns_coloured, METH_VARARGS, "A colour for each column; no row has two of one colour."},
    {"graph_machine", graph_machine, METH_VARARGS,
     "graph_machine(graph, params, inputs, narrow, differentiate_params, wanted)"},
    {"graph_parts", graph_parts, METH_O, "(codes, first, args, numbers, outputs, guards) of a graph, as bytes."},
    {"graph_of_parts", graph_of_parts, METH_VARARGS, "The graph with these parts."},
    {"graph_sizes", graph_sizes, METH_O, "(nodes, outputs, guards) of a graph."},
    {NULL, NULL, 0, NULL},
};
