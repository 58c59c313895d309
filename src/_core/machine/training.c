/* Training: alternates batches and optimiser updates, without returning to Python. */
#include "machine.h"
#include <time.h>

typedef struct {
    Run whole, rest, rule; /* a full batch, the smaller one at the end of an epoch, the optimiser's update rule */
    const double *data;    /* one row per input, one column per sample */
    const int32_t *order;  /* sample indices in order of use, epoch after epoch; NULL if every batch has all samples */
    ptrdiff_t samples, batch, in_epoch; /* batches per epoch */
    int single;            /* whether the model stores floats (the rule never does) */
    double *gradients;     /* of the last step, at the end */
    double *numbers;       /* parameters and optimiser states, one row each, overwritten by the rule */
    double *rows;          /* parameters, gradients, states and the rule's intermediates, one row each; or NULL */
    ptrdiff_t stride;      /* distance between these rows */
    double *columns; /* the samples of a batch */
    double *seeds, *losses; /* of the samples of a batch; the seeds of the smaller batch come last */
    Source *whole_inputs, *rest_inputs, *rule_inputs;
    const int32_t *group; /* of each parameter, for gradient norms; -1 for none */
    double *norms;        /* at the end of each epoch, one per group */
    ptrdiff_t groups;
} Training;

static int all_finite(const double *x, ptrdiff_t n) {
    double sums[8] = {0}; /* 0 or NaN; several accumulators, so that no addition waits for the previous one */
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int q = 0; q < 8; q++) sums[q] += x[i + q] * 0.0;
    for (; i < n; i++) sums[0] += x[i] * 0.0;
    for (int q = 1; q < 8; q++) sums[0] += sums[q];
    return sums[0] == 0.0;
}

/* A small model shares memory with the rule, whose first rows are the model's parameters and gradients:
 * copying them back and forth would take longer than training. */
static void move_in(Training *t) {
    const Machine *model = t->whole.machine, *rule = t->rule.machine;
    const ptrdiff_t params = model->params, width = model->shared_rows;
    int fits = !t->single && t->rule.blocks == 1 && t->whole.chunks == 1 && t->rest.chunks == 1 && width <= 2 * params;
    for (ptrdiff_t i = 0; i < rule->n_outputs; i++) { /* results overwrite rows one at a time, so no result may be
                                                       * in a row that another one overwrites */
        const View *view = &rule->outputs[i];
        fits &= !view->shared && (view->start >= rule->inputs || view->start == (i ? i + 1 : 0));
    }
    if (!fits) return;
    t->stride = (width + 7) / 8 * 8;
    const size_t bytes = (size_t)(rule->each_rows * t->stride) * sizeof(double);
    if (!(t->rows = aligned_alloc(64, bytes))) return;
    memset(t->rows, 0, bytes);
    for (ptrdiff_t i = 0; i < rule->n_outputs; i++)
        memcpy(t->rows + (i ? i + 1 : 0) * t->stride, t->numbers + i * params, (size_t)params * sizeof(double));
    run_lend(&t->whole, t->rows, t->rows + t->stride);
    run_lend(&t->rest, t->rows, t->rows + t->stride);
}

static void move_out(Training *t) {
    const ptrdiff_t params = t->whole.machine->params;
    for (ptrdiff_t i = 0; t->rows && i < t->rule.machine->n_outputs; i++)
        memcpy(t->numbers + i * params, t->rows + (i ? i + 1 : 0) * t->stride, (size_t)params * sizeof(double));
}

/* The optimiser's update: new parameters and states from the old ones and the gradients. */
static int apply_rule(Training *t, const double *settings) {
    if (!t->rows) return run_batch(&t->rule, settings, NULL);
    const Machine *rule = t->rule.machine;
    const int failed = run_rows(&t->rule, settings);
    for (ptrdiff_t i = 0; !failed && i < rule->n_outputs; i++) {
        const ptrdiff_t from = rule->outputs[i].start, to = i ? i + 1 : 0;
        if (from != to)
            memcpy(t->rows + to * t->stride, t->rows + from * t->stride, (size_t)t->rule.samples * sizeof(double));
    }
    return failed;
}

/* The norm of a group of gradients that are so large or small that their squares overflow or underflow: they
 * are scaled by a power of two, which rounds nothing. */
static double scaled_norm(const Training *t, ptrdiff_t group, const double *gradients, ptrdiff_t params) {
    double largest = 0.0, squares = 0.0;
    int exponent;
    for (ptrdiff_t i = 0; i < params; i++)
        if (t->group[i] == group && fabs(gradients[i]) > largest) largest = fabs(gradients[i]);
    frexp(largest, &exponent);
    for (ptrdiff_t i = 0; i < params; i++)
        if (t->group[i] == group) {
            const double x = ldexp(gradients[i], -exponent);
            squares += x * x;
        }
    return ldexp(sqrt(squares), exponent);
}

static void find_norms(const Training *t, const double *gradients, ptrdiff_t params, double *norms) {
    for (ptrdiff_t i = 0; i < t->groups; i++) norms[i] = 0.0;
    for (ptrdiff_t i = 0; i < params; i++)
        if (t->group[i] >= 0) norms[t->group[i]] += gradients[i] * gradients[i];
    for (ptrdiff_t i = 0; i < t->groups; i++) {
        const int plain = norms[i] > 0x1p-900 && norms[i] < INFINITY; /* no square that counts was subnormal */
        norms[i] = plain ? sqrt(norms[i]) : scaled_norm(t, i, gradients, params);
    }
}

/* Run one batch. Returns 0; 1, leaving the parameters unchanged, if its loss or a gradient is not finite; or
 * an error code. */
static int train_step(Training *t, ptrdiff_t step, const double *settings, double *loss) {
    const ptrdiff_t epoch = t->in_epoch == 1 ? step : step / t->in_epoch, place = step - epoch * t->in_epoch;
    const int last = place == t->in_epoch - 1;
    Run *run = last && t->rest.samples ? &t->rest : &t->whole;
    const ptrdiff_t params = run->machine->params, inputs = run->machine->inputs, n = run->samples;
    if (t->order) {
        const int32_t *order = t->order + epoch * t->samples + place * t->batch;
        for (ptrdiff_t i = 0; i < inputs; i++)
            for (ptrdiff_t j = 0; j < n; j++) t->columns[i * n + j] = t->data[i * t->samples + order[j]];
    }
    const int failed = run_batch(run, t->rows ? t->rows : t->numbers, t->single ? t->gradients : NULL);
    if (failed) return failed;
    const double *gradients = t->single ? t->gradients : run->shared_adjoints;
    t->rule_inputs[1].start = (const char *)gradients;
    double total = 0.0;
    for (ptrdiff_t j = 0; j < n; j++) total += t->losses[j];
    *loss = total / (double)n;
    if (!isfinite(*loss) || !all_finite(gradients, params)) return 1;
    if (last && t->groups) find_norms(t, gradients, params, t->norms + epoch * t->groups);
    return apply_rule(t, settings);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Run at least one step, until all are done, the time is up, or a loss or gradient is not finite. */
static int train_steps(Training *t, ptrdiff_t *step, ptrdiff_t steps, const double *settings, double seconds,
                       double *losses) {
    const double end = now() + seconds;
    int status = 0;
    for (ptrdiff_t i = 0; *step < steps; i++) {
        status = train_step(t, *step, settings + *step * t->rule.machine->params, losses + *step);
        if (status) break;
        ++*step;
        /* Reading the clock would slow down the smallest steps: after 16 steps, read it only at every 16th. */
        if ((i < 16 || i % 16 == 0) && now() > end) break;
    }
    return status;
}

/* The rows of an array as the inputs of a program. */
static Source *rows_of(const double *array, ptrdiff_t rows, ptrdiff_t columns) {
    Source *sources = calloc((size_t)rows + 1, sizeof *sources);
    for (ptrdiff_t i = 0; sources && i < rows; i++)
        sources[i] = (Source){(const char *)(array + i * columns), {sizeof(double)}};
    return sources;
}

static double *numbers_for(ptrdiff_t n) { return malloc((size_t)(n + 1) * sizeof(double)); }

static int train(Training *t, const Machine *model, const Machine *rule, const Interpreter *interpreter,
                 const Interpreter *for_model, int threads, ptrdiff_t *step, ptrdiff_t steps, const double *settings, double seconds, double *losses) {
    int status = NO_MEMORY;
    t->columns = t->order ? numbers_for(model->inputs * t->batch) : NULL;
    t->seeds = numbers_for(t->batch + t->samples % t->batch);
    t->losses = numbers_for(t->batch);
    const ptrdiff_t rest = t->samples % t->batch;
    t->in_epoch = (t->samples + t->batch - 1) / t->batch;
    const double *from = t->order ? t->columns : t->data;
    t->whole_inputs = rows_of(from, model->inputs, t->batch);
    t->rest_inputs = rows_of(from, model->inputs, rest);
    t->rule_inputs = rows_of(t->numbers - model->params, rule->inputs, model->params);
    if (t->rule_inputs) {
        t->rule_inputs[0] = t->rule_inputs[1];
        t->rule_inputs[1].start = (const char *)t->gradients; /* each step puts its own gradients here */
    }
    t->whole = (Run){.machine = model, .single = t->single, .interpreter = for_model, .inputs = t->whole_inputs, .shape = &t->batch, .axes = 1,
                     .seed = t->seeds, .outputs = t->losses, .samples = t->batch, .threads = threads,
                     .same_inputs = !t->order};
    t->rest = t->whole;
    t->rest.seed = t->seeds + t->batch;
    t->rest.inputs = t->rest_inputs, t->rest.shape = &rest, t->rest.samples = rest;
    t->rule = (Run){.machine = rule, .interpreter = interpreter, .inputs = t->rule_inputs, .shape = &model->params,
                    .axes = 1, .outputs = t->numbers, .samples = model->params, .threads = threads};
    for (ptrdiff_t j = 0; t->seeds && j < t->batch + rest; j++) t->seeds[j] = 1.0 / (double)(j < t->batch ? t->batch : rest);
    const int begun = !run_begin(&t->whole) & !run_begin(&t->rest) & !run_begin(&t->rule);
    const int ready = t->seeds && t->losses && (t->columns || !t->order) && t->whole_inputs &&
                      t->rest_inputs && t->rule_inputs;
    if (begun && ready) {
        move_in(t);
        status = run_bind(&t->rule, t->rows, t->stride);
        if (!status && steps - *step > 1) status = run_bind(&t->whole, NULL, 0) | run_bind(&t->rest, NULL, 0);
        if (!status) status = train_steps(t, step, steps, settings, seconds, losses);
        memmove(t->gradients, t->rule_inputs[1].start, (size_t)model->params * sizeof(double));
        move_out(t);
    }
    run_end(&t->whole);
    run_end(&t->rest);
    run_end(&t->rule);
    void *parts[] = {t->whole_inputs, t->rest_inputs, t->rule_inputs, t->rows, t->columns, t->seeds, t->losses};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
    return status;
}

/* train_machine(model, rule, samples, data, order, batch, numbers, settings, made, seconds,
 * losses, group, norms, threads, single) -> whether all losses and gradients were finite
 *
 * `settings` and `losses` have an entry for each step. `made` counts the steps completed so far, including
 * those of earlier calls; the count stays valid if the next step fails. */
PyObject *machine_train(PyObject *module, PyObject *args) {
    PyObject *model_capsule, *rule_capsule;
    Py_ssize_t samples, batch;
    double seconds;
    int threads, single, status = NO_MEMORY;
    Py_buffer data, order, numbers, settings, made, losses, group, norms;
    if (!PyArg_ParseTuple(args, "OOny*y*nw*y*w*dw*y*w*ip", &model_capsule, &rule_capsule, &samples, &data, &order,
                          &batch, &numbers, &settings, &made, &seconds, &losses, &group, &norms, &threads,
                          &single))
        return NULL;
    const Machine *model = PyCapsule_GetPointer(model_capsule, MACHINE);
    const Machine *rule = model ? PyCapsule_GetPointer(rule_capsule, MACHINE) : NULL;
    const Interpreter *interpreter = rule ? interpreter_for(0) : NULL, *for_model = interpreter ? interpreter_for(single) : NULL;
    const Py_ssize_t size = sizeof(double), steps = losses.len / size;
    const Py_ssize_t in_epoch = batch > 0 ? (samples + batch - 1) / batch : 1;
    const Py_ssize_t epochs = steps / in_epoch, groups = epochs ? norms.len / size / epochs : 0;
    const Py_ssize_t places = (steps + in_epoch - 1) / in_epoch * samples * (Py_ssize_t)sizeof(int32_t);
    int64_t *const count = made.buf;
    int fits = for_model && batch > 0 && made.len == sizeof *count && *count >= 0 && model->n_outputs == 1 && !model->n_guards &&
               data.len == model->inputs * samples * size && (order.len ? order.len == places : batch == samples) &&
               rule->inputs >= 2 && numbers.len == rule->inputs * model->params * size &&
               rule->n_outputs == rule->inputs - 1 && settings.len == steps * rule->params * size &&
               (!groups || group.len == model->params * (Py_ssize_t)sizeof(int32_t));
    for (Py_ssize_t i = 0; fits && groups && i < model->params; i++) fits = ((int32_t *)group.buf)[i] < groups;
    for (Py_ssize_t i = 0; fits && i < order.len / (Py_ssize_t)sizeof(int32_t); i++)
        fits = ((int32_t *)order.buf)[i] >= 0 && ((int32_t *)order.buf)[i] < samples;
    if (fits) {
        Training t = {.data = data.buf, .order = order.len ? order.buf : NULL, .samples = samples, .batch = batch,
                      .gradients = numbers.buf,
                      .numbers = (double *)numbers.buf + model->params, .single = single, .group = group.buf, .norms = norms.buf, .groups = groups};
        ptrdiff_t step = (ptrdiff_t)*count;
        Py_BEGIN_ALLOW_THREADS
        status = train(&t, model, rule, interpreter, for_model, threads, &step, steps, settings.buf, seconds, losses.buf);
        Py_END_ALLOW_THREADS
        *count = step;
        const Run *runs[] = {&t.whole, &t.rest, &t.rule};
        int failed = 0;
        while (failed < 2 && !runs[failed]->wrong.things) failed++;
        if (status < 0) raise_failure(status, &runs[failed]->wrong);
    } else if (for_model)
        PyErr_SetString(PyExc_ValueError, "the arrays do not fit the program");
    Py_buffer *all[] = {&data, &order, &numbers, &settings, &made, &losses, &group, &norms};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) PyBuffer_Release(all[i]);
    if (PyErr_Occurred()) return NULL;
    return PyBool_FromLong(status == 0);
}
