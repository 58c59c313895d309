/* The virtual machine: loads a program from Python and plans its runs; blocks.h executes them. */
#include "machine.h"
#include "elementwise.h"
#include "threads.h"

enum {
    CACHE = 2048 * 1024,   /* bytes per block: longer rows are worth it even if the block exceeds the L1 cache */
    MOST_LANES = 256,      /* longer rows do not make an instruction cheaper */
    LEAST_LANES = 8,
    MOST_CHUNKS = 32,      /* parts of a batch that accumulate separate gradients */
    MOST_GRADIENTS = 32 << 20, /* bytes of these, unless two parts need more */
    WORTH_SHARING = 20000  /* multiplications: for less work, a second thread costs more than it saves */
};

/* --- a run ---------------------------------------------------------------------------------------- */

static ptrdiff_t number_bytes(const Run *run) { return run->single ? sizeof(float) : sizeof(double); }

size_t block_bytes(const Run *run) {
    const ptrdiff_t rows = 2 * run->machine->each_rows + run->machine->masked;
    return terms_bytes(run->machine) + (size_t)(rows * stride_of(run, run->lanes) * number_bytes(run));
}

/* Choose the samples per block, and the number of chunks that the blocks are divided into. */
static void plan(Run *run) {
    const Machine *m = run->machine;
    const ptrdiff_t bytes = m->planned * number_bytes(run) * (run->seed ? 2 : 1);
    ptrdiff_t lanes = bytes ? CACHE / bytes / LEAST_LANES * LEAST_LANES : MOST_LANES;
    /* Every block reads all weights and adds to all their gradients. */
    const ptrdiff_t weights = run->seed ? m->shared_rows * number_bytes(run) : 0;
    if (weights > CACHE / 4 || lanes > MOST_LANES) lanes = MOST_LANES;
    if (lanes < LEAST_LANES) lanes = LEAST_LANES;
    const int share = m->cost * (double)run->samples > WORTH_SHARING;
    if (share) { /* at least two blocks, one per thread */
        const ptrdiff_t half = ((run->samples + 1) / 2 + LEAST_LANES - 1) / LEAST_LANES * LEAST_LANES;
        if (lanes > half) lanes = half;
        const ptrdiff_t blocks = (run->samples + lanes - 1) / lanes; /* of equal or nearly equal size */
        lanes = ((run->samples + blocks - 1) / blocks + LEAST_LANES - 1) / LEAST_LANES * LEAST_LANES;
    }
    if (lanes > run->samples) lanes = run->samples;
    run->lanes = lanes;
    run->blocks = lanes ? (run->samples + lanes - 1) / lanes : 0;
    ptrdiff_t most = weights ? MOST_GRADIENTS / weights : MOST_CHUNKS;
    most = !share ? 1 : most < 2 ? 2 : most > MOST_CHUNKS ? MOST_CHUNKS : most;
    run->chunks = run->blocks < most ? run->blocks : most;
    if (run->chunks < 1) run->chunks = 1;
}

/* Plan the run of a batch, and allocate the memory reused for all batches of this size. */
int run_begin(Run *run) {
    const Machine *m = run->machine;
    plan(run);
    const size_t size = (size_t)number_bytes(run);
    const size_t shared = ((size_t)m->shared_rows * size + 63) / 64 * 64, adjoints = run->seed ? (size_t)run->chunks * shared : 0;
    const size_t terms = (terms_bytes(m) + (size_t)m->masked * size + 63) / 64 * 64;
    if (!(run->memory = borrow(shared + adjoints + terms + (run->blocks == 1 ? block_bytes(run) : 0)))) return NO_MEMORY;
    run->shared = run->memory;
    run->shared_adjoints = (char *)run->shared + shared;
    run->terms = (double *)((char *)run->shared_adjoints + adjoints);
    run->masked = (char *)run->terms + terms_bytes(m);
    run->own = run->blocks == 1 ? (char *)run->terms + terms : NULL;
    for (ptrdiff_t i = 0; i < m->n_constants; i++)
        if (run->single)
            ((float *)run->shared)[m->params + i] = (float)m->constants[i];
        else
            ((double *)run->shared)[m->params + i] = m->constants[i];
    return 0;
}

int run_batch(Run *run, const double *params, double *param_adjoints) {
    return (run->single ? run_batch_single : run_batch_double)(run, params, param_adjoints);
}

int run_bind(Run *run, double *rows, ptrdiff_t stride) {
    return (run->single ? run_bind_single : run_bind_double)(run, rows, stride);
}

void run_lend(Run *run, double *shared, double *shared_adjoints) {
    const Machine *m = run->machine;
    run->shared = shared, run->shared_adjoints = shared_adjoints;
    memcpy(shared + m->params, m->constants, (size_t)m->n_constants * sizeof(double));
}

void run_end(Run *run) {
    give_back(run->memory);
    free(run->bound);
}

const Interpreter *interpreter_for(int single) {
    const Elementwise *best = elementwise_best();
    return best ? best->interpreters[single] : NULL;
}

/* --- for Python --------------------------------------------------------------------------------- */

void raise_failure(int failure, const Wrong *wrong) {
    char index[32];
    PyOS_snprintf(index, sizeof index, "%g", wrong->index);
    if (failure == WRONG_INDEX)
        PyErr_Format(PyExc_IndexError, "take needs a whole number from 0 to %d, got %s", wrong->things - 1, index);
    else
        PyErr_NoMemory();
}

void machine_drop(Machine *m) {
    FREE_ALL(m->once.steps, m->each.steps, m->pull_each.steps, m->pull_once.steps, m->rows, m->constants, m->outputs, m->guards, m);
}

static void machine_free(PyObject *capsule) { machine_drop(PyCapsule_GetPointer(capsule, MACHINE)); }

/* Copy the items of a buffer. */
static int take_items(Py_buffer *buffer, size_t size, void *to, ptrdiff_t *count) {
    if (buffer->len % (Py_ssize_t)size) return PyErr_SetString(PyExc_ValueError, "a part of a program has the wrong size"), -1;
    void *copy = PyMem_Malloc((size_t)buffer->len + 1);
    if (!copy) return PyErr_NoMemory(), -1;
    memcpy(copy, buffer->buf, (size_t)buffer->len);
    memcpy(to, &copy, sizeof copy); /* as bytes, because the pointer's type is unknown here */
    *count = buffer->len / (Py_ssize_t)size;
    return 0;
}

static int inside(ptrdiff_t row, ptrdiff_t rows) { return row >= 0 && row < rows; }

/* Whether a step has the operation and the number of arguments that its kind needs. */
static int is_complete(const Step *s) {
    const int row = s->op >= 1 && s->op < OP_END;
    switch (s->kind) {
    case MAP: return row && !ROWS[s->op].width && s->args == ROWS[s->op].arity;
    case FOLD: return row && ROWS[s->op].width && s->args == ROWS[s->op].width;
    case DENSE: return (s->args == 2 || s->args == 3) && s->count % s->columns == 0;
    case DOTS:
    case TAKE: return s->args == 2;
    default: return s->args == 0;
    }
}

/* How many rows of an argument a step reads. */
static ptrdiff_t rows_read(const Step *s, int i) {
    if (s->kind == TAKE && i == 0) return 1;
    return s->kind != DENSE ? s->count : i == 1 ? s->columns : s->count / s->columns;
}

/* Whether an argument is in the memory region that its kind of step reads, and contiguous where the
 * interpreter requires it. See `Argument` in instructions.py. */
static int is_placed(const Step *s, int i) {
    const View *v = &s->arg[i];
    const int own = v->shared == s->shared;
    if (s->kind == MAP) return own && v->step <= 1;
    if (s->kind == TAKE) return i == 0 ? own : v->shared || !s->shared;
    if (s->kind == DENSE && i != 1) return v->shared;
    return own && (v->step == 1 || rows_read(s, i) == 1);
}

/* Whether a step passes the checks of Instruction.faults in instructions.py, and all its rows exist. */
static int is_sound(const Machine *m, const Step *s) {
    const ptrdiff_t own = s->shared ? m->shared_rows : m->each_rows;
    if (s->kind < MAP || s->kind > ZERO || s->count < 1 || s->terms < 1 || s->columns < 1 || !is_complete(s)) return 0;
    if (!inside(s->out, own) || !inside(s->out + (ptrdiff_t)s->count - 1, own)) return 0;
    if (s->kind == GATHER || s->kind == SPREAD) {
        if (s->rows < 0 || s->rows + (ptrdiff_t)s->count > m->n_rows) return 0;
        for (ptrdiff_t i = 0; i < s->count; i++)
            if (!inside((ptrdiff_t)m->rows[s->rows + i] + s->arg[0].start, s->kind == SPREAD ? m->shared_rows : own)) return 0;
    }
    for (int i = 0; i < s->args; i++) {
        const View *v = &s->arg[i];
        const ptrdiff_t last = v->start + (rows_read(s, i) - 1) * v->step + (s->terms - 1) * (ptrdiff_t)v->term_step;
        if (v->step < 0 || v->term_step < 0 || v->start < 0 || !inside(last, v->shared ? m->shared_rows : m->each_rows)) return 0;
        if (!is_placed(s, i)) return 0;
    }
    if (!s->masked) return 1;
    const ptrdiff_t last = s->mask.start + s->count - 1;
    return (s->kind == MAP || s->kind == FOLD) && s->mask.start >= 0 && s->mask.shared == s->shared &&
           (s->mask.step == 1 || s->count == 1) && inside(last, own);
}

/* Whether a step of a reverse program has a derivative with respect to its argument `part`, and assigns only
 * adjoints that get a single contribution per sample. */
static int can_pull(const Step *s) {
    if (s->part < 0 || s->part >= (s->args ? s->args : 1)) return 0;
    if (s->kind == MAP && !(ROWS[s->op].differentiable >> s->part & 1)) return 0;
    if (s->kind == TAKE && s->part != 1) return 0;
    const View *v = &s->arg[s->part];
    return !s->assign || s->kind == GATHER || (s->args && s->kind != TAKE && !v->shared && (v->step || s->count == 1));
}

/* Whether outputs or guards are valid rows. */
static int are_sound(const Machine *m, const View *views, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++)
        if (!inside(views[i].start, views[i].shared ? m->shared_rows : m->each_rows)) return 0;
    return 1;
}

/* Whether a step is sound in iteration t of its loop, as in all between 0 and t if it is in both. */
static int is_sound_at(const Machine *m, const Step *s, ptrdiff_t t) {
    const int32_t moves[] = {s->move, s->move_arg[0], s->move_arg[1], s->move_arg[2], s->move_mask};
    for (int i = 0; i < 5; i++)
        if (t && (moves[i] > INT32_MAX / 2 / t || moves[i] < -INT32_MAX / 2 / t)) return 0;
    const Step now = step_at(s, t);
    return is_sound(m, &now);
}

static int check_steps(Machine *m, const Steps *steps, int shared, int pulls) {
    ptrdiff_t times = 1, end = 0; /* of the loop, and where it ends */
    for (ptrdiff_t i = 0; i < steps->n; i++) {
        const Step *s = &steps->steps[i];
        if (i >= end) times = 1;
        if (s->kind == LOOP && i >= end && s->count > 0 && s->terms > 0 && s->terms < steps->n - i) {
            times = s->count, end = i + 1 + s->terms;
            continue;
        }
        const int here = s->shared == shared && (s->kind == ZERO ? pulls && !shared : s->kind != SPREAD || !shared);
        if (!here || !is_sound_at(m, s, 0) || !is_sound_at(m, s, times - 1) || (pulls && !can_pull(s))) {
            PyErr_Format(PyExc_ValueError, "step %zd of a program is malformed", i);
            return -1;
        }
        if (s->kind == FOLD && (ptrdiff_t)s->args * s->terms > m->terms) m->terms = (ptrdiff_t)s->args * s->terms;
        if (s->masked && s->count > m->masked) m->masked = s->count;
        if (!shared && !pulls) m->cost += (double)times * s->count * s->terms;
    }
    return 0;
}

PyObject *machine_ready(Machine *m) {
    PyObject *capsule = PyCapsule_New(m, MACHINE, machine_free);
    if (!capsule) machine_drop(m);
    if (!capsule || check_steps(m, &m->once, 1, 0) < 0 || check_steps(m, &m->each, 0, 0) < 0 ||
        check_steps(m, &m->pull_each, 0, 1) < 0 || check_steps(m, &m->pull_once, 1, 1) < 0) {
        Py_XDECREF(capsule);
        return NULL;
    }
    const int fits = m->params >= 0 && m->inputs >= 0 && m->inputs <= m->each_rows && m->params + m->n_constants <= m->shared_rows;
    if (!fits || !are_sound(m, m->outputs, m->n_outputs) || !are_sound(m, m->guards, m->n_guards)) {
        Py_DECREF(capsule);
        PyErr_SetString(PyExc_ValueError, "a program is malformed: it refers to missing rows");
        return NULL;
    }
    m->planned = m->each_rows;
    return capsule;
}

/* machine(params, inputs, shared_rows, each_rows, constants, rows, once, each, pull_each, pull_once,
 *         outputs, guards) */
PyObject *machine_new(PyObject *module, PyObject *args) {
    Py_buffer b[8];
    Machine *m = PyMem_Calloc(1, sizeof(Machine));
    if (!m) return PyErr_NoMemory();
    if (!PyArg_ParseTuple(args, "nnnny*y*y*y*y*y*y*y*", &m->params, &m->inputs, &m->shared_rows, &m->each_rows, &b[0],
                          &b[1], &b[2], &b[3], &b[4], &b[5], &b[6], &b[7])) {
        PyMem_Free(m);
        return NULL;
    }
    int failed = take_items(&b[0], sizeof(double), &m->constants, &m->n_constants) < 0 ||
                 take_items(&b[1], sizeof(int32_t), &m->rows, &m->n_rows) < 0 ||
                 take_items(&b[2], sizeof(Step), &m->once.steps, &m->once.n) < 0 ||
                 take_items(&b[3], sizeof(Step), &m->each.steps, &m->each.n) < 0 ||
                 take_items(&b[4], sizeof(Step), &m->pull_each.steps, &m->pull_each.n) < 0 ||
                 take_items(&b[5], sizeof(Step), &m->pull_once.steps, &m->pull_once.n) < 0 ||
                 take_items(&b[6], sizeof(View), &m->outputs, &m->n_outputs) < 0 ||
                 take_items(&b[7], sizeof(View), &m->guards, &m->n_guards) < 0;
    for (int i = 0; i < 8; i++) PyBuffer_Release(&b[i]);
    if (failed) machine_drop(m);
    return failed ? NULL : machine_ready(m);
}

/* machine_kernel(machine, address, kept, padded, other): run a kernel, which keeps so many doubles for each block and
 * may need padded rows, in place of the steps for each sample. Batches are split as for the other machine, which the
 * kernel stands for. */
PyObject *machine_kernel(PyObject *module, PyObject *args) {
    PyObject *capsule, *other;
    Py_ssize_t address, kept;
    int padded;
    if (!PyArg_ParseTuple(args, "OnnpO", &capsule, &address, &kept, &padded, &other)) return NULL;
    Machine *m = PyCapsule_GetPointer(capsule, MACHINE);
    const Machine *from = m ? PyCapsule_GetPointer(other, MACHINE) : NULL;
    if (!from) return NULL;
    m->kernel = (Kernel *)(intptr_t)address;
    if (m->terms < (kept + 1) / 2) m->terms = (kept + 1) / 2;
    m->padded = padded, m->planned = from->planned, m->cost = from->cost;
    Py_RETURN_NONE;
}

static PyObject *bytes_of(const void *items, ptrdiff_t count, size_t size) {
    return PyBytes_FromStringAndSize(items, count * (Py_ssize_t)size);
}

/* machine_parts(machine): the arguments that `machine` was created from. */
PyObject *machine_parts(PyObject *module, PyObject *capsule) {
    const Machine *m = PyCapsule_GetPointer(capsule, MACHINE);
    if (!m) return NULL;
    return Py_BuildValue("nnnnNNNNNNNN", m->params, m->inputs, m->shared_rows, m->each_rows,
                         bytes_of(m->constants, m->n_constants, sizeof(double)),
                         bytes_of(m->rows, m->n_rows, sizeof(int32_t)), bytes_of(m->once.steps, m->once.n, sizeof(Step)),
                         bytes_of(m->each.steps, m->each.n, sizeof(Step)),
                         bytes_of(m->pull_each.steps, m->pull_each.n, sizeof(Step)),
                         bytes_of(m->pull_once.steps, m->pull_once.n, sizeof(Step)),
                         bytes_of(m->outputs, m->n_outputs, sizeof(View)), bytes_of(m->guards, m->n_guards, sizeof(View)));
}

/* The rows of the blocks as the inputs of a program: NULL with an error if they do not fit. A block is an array of
 * doubles whose first axis numbers the inputs; the others are those of `shape`. */
static Source *sources_of(PyObject *blocks, const Run *run) {
    const ptrdiff_t inputs = run->machine->inputs;
    Source *sources = PyMem_Calloc((size_t)inputs + 1, sizeof *sources);
    ptrdiff_t n = 0;
    int fits = sources != NULL;
    if (!sources) PyErr_NoMemory();
    for (Py_ssize_t k = 0; fits && k < PyTuple_GET_SIZE(blocks); k++) {
        Py_buffer block; /* the caller holds the array, so its memory stays after the release */
        if (!(fits = !PyObject_GetBuffer(PyTuple_GET_ITEM(blocks, k), &block, PyBUF_STRIDED_RO))) break;
        fits = block.ndim == 1 + run->axes && block.itemsize == sizeof(double) && n + block.shape[0] <= inputs;
        for (int axis = 0; fits && axis < run->axes; axis++) fits = block.shape[1 + axis] == run->shape[axis];
        for (Py_ssize_t i = 0; fits && i < block.shape[0]; i++, n++) {
            sources[n].start = (const char *)block.buf + i * block.strides[0];
            for (int axis = 0; axis < run->axes; axis++) sources[n].strides[axis] = block.strides[1 + axis];
        }
        PyBuffer_Release(&block);
    }
    if (fits && n == inputs) return sources;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the arrays do not fit the program");
    PyMem_Free(sources);
    return NULL;
}

/* run_machine(machine, shape, params, blocks, seed, outputs, guards, param_adjoints, wanted,
 * input_adjoints, threads, single). Pass empty buffers for results that are not needed. */
PyObject *machine_run(PyObject *module, PyObject *args) {
    PyObject *capsule, *blocks;
    int threads, single, failed = 0;
    Py_buffer shape, params, seed, outputs, guards, param_adjoints, wanted, input_adjoints;
    if (!PyArg_ParseTuple(args, "Oy*y*O!y*w*w*w*y*w*ip", &capsule, &shape, &params, &PyTuple_Type, &blocks, &seed,
                          &outputs, &guards, &param_adjoints, &wanted, &input_adjoints, &threads, &single))
        return NULL;
    const Machine *m = PyCapsule_GetPointer(capsule, MACHINE);
    const Interpreter *interpreter = m ? interpreter_for(single) : NULL;
    if (interpreter) {
        const Py_ssize_t size = sizeof(double), axes = shape.len / (Py_ssize_t)sizeof(int64_t);
        ptrdiff_t lengths[MOST_AXES] = {0}, samples = 1;
        for (int i = 0; i < axes && i < MOST_AXES; i++) samples *= lengths[i] = (ptrdiff_t)((int64_t *)shape.buf)[i];
        Run run = {.machine = m, .single = single, .interpreter = interpreter, .shape = lengths, .axes = (int)axes,
                   .seed = seed.len ? seed.buf : NULL, .outputs = outputs.buf, .guards = guards.buf,
                   .wanted = wanted.buf, .n_wanted = wanted.len / (Py_ssize_t)sizeof(int32_t),
                   .input_adjoints = input_adjoints.buf, .samples = samples, .threads = threads};
        int fits = axes >= 1 && axes <= MOST_AXES && params.len == m->params * size &&
                   outputs.len == m->n_outputs * samples * size && guards.len == m->n_guards * samples * size &&
                   input_adjoints.len == run.n_wanted * samples * size;
        if (run.seed) fits &= seed.len == samples * size && m->n_outputs == 1 && param_adjoints.len == m->params * size;
        for (ptrdiff_t i = 0; fits && i < run.n_wanted; i++) fits = inside(run.wanted[i], m->inputs);
        Source *sources = fits ? sources_of(blocks, &run) : NULL;
        if (!fits) PyErr_SetString(PyExc_ValueError, "the arrays do not fit the program");
        if (sources) {
            run.inputs = sources;
            Py_BEGIN_ALLOW_THREADS
            failed = run_begin(&run);
            if (!failed) failed = run_batch(&run, params.buf, param_adjoints.buf);
            run_end(&run);
            Py_END_ALLOW_THREADS
            if (failed) raise_failure(failed, &run.wrong);
        }
        PyMem_Free(sources);
    }
    Py_buffer *all[] = {&shape, &params, &seed, &outputs, &guards, &param_adjoints, &wanted, &input_adjoints};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) PyBuffer_Release(all[i]);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}
