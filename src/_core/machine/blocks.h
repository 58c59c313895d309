/* Runs a program on blocks of samples. Included once for each storage type.
 *
 * The blocks, and the order in which their gradients are added, depend only on the program and the
 * batch, never on the number of threads, so the same call gives the same bits every time. */
#include "machine.h"
#include "threads.h"

/* --- variadic operations, one sample at a time --------------------------------------------------- */

static ptrdiff_t fold_row(const Step *s, const Memory *m, int part, ptrdiff_t i, ptrdiff_t k, ptrdiff_t lane) {
    const View *v = &s->arg[part];
    return (v->start + i * v->step + k * v->term_step) * m->stride + lane;
}

static void fetch_terms(const Step *s, const Memory *m, ptrdiff_t i, ptrdiff_t lane) {
    double *to = m->terms;
    for (int part = 0; part < s->args; part++)
        for (ptrdiff_t k = 0; k < s->terms; k++) *to++ = m->each[fold_row(s, m, part, i, k, lane)];
}

void fold_values(const Step *s, const Memory *m) {
    for (ptrdiff_t i = 0; i < s->count; i++)
        for (ptrdiff_t lane = 0; lane < m->lanes; lane++) {
            fetch_terms(s, m, i, lane);
            m->each[(s->out + i) * m->stride + lane] = (real)variadic_value(s->op, m->terms, s->terms);
        }
}

void fold_pull(const Step *s, const Memory *m) {
    double *partials = m->terms + s->args * (ptrdiff_t)s->terms;
    for (ptrdiff_t i = 0; i < s->count; i++)
        for (ptrdiff_t lane = 0; lane < m->lanes; lane++) {
            const ptrdiff_t out = (s->out + i) * m->stride + lane;
            const int wanted = !s->masked || m->each[(s->mask.start + i * s->mask.step) * m->stride + lane] != 0.0;
            fetch_terms(s, m, i, lane);
            variadic_partials(s->op, m->terms, s->terms, m->each[out], partials);
            for (ptrdiff_t k = 0; k < s->terms; k++) {
                real *adjoint = &m->each_adjoint[fold_row(s, m, s->part, i, k, lane)];
                const double share = m->each_adjoint[out] * partials[s->part * (ptrdiff_t)s->terms + k];
                *adjoint = (real)((s->assign ? 0.0 : *adjoint) + (wanted ? share : 0.0));
            }
        }
}

/* --- a block ------------------------------------------------------------------------------------- */

/* Convert between the caller's doubles and the storage type. */
static void take_in(real *to, const double *from, ptrdiff_t n) {
#if defined(SINGLE)
    for (ptrdiff_t i = 0; i < n; i++) to[i] = (real)from[i];
#else
    memcpy(to, from, (size_t)n * sizeof(real));
#endif
}
static void give_out(double *to, const real *from, ptrdiff_t n) {
#if defined(SINGLE)
    for (ptrdiff_t i = 0; i < n; i++) to[i] = from[i];
#else
    memcpy(to, from, (size_t)n * sizeof(real));
#endif
}

/* The gradient of a Value starts at 0, so it is never -0; an adjoint may be. */
static void give_gradient(double *to, const real *from, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) to[i] = from[i] + 0.0;
}

/* Copy `count` samples of an input, starting at `first`. */
static void fetch(const Run *run, const Source *source, ptrdiff_t first, ptrdiff_t count, real *to) {
    const int last = run->axes - 1;
    const ptrdiff_t row = run->shape[last], stride = source->strides[last];
    if (last == 0 && stride == sizeof(double)) {
        take_in(to, (const double *)(source->start + first * stride), count);
        return;
    }
    while (count > 0) {
        ptrdiff_t place = first % row, rest = first / row, n = row - place < count ? row - place : count;
        const char *from = source->start + place * stride;
        for (int axis = last - 1; axis >= 0; axis--) {
            from += rest % run->shape[axis] * source->strides[axis];
            rest /= run->shape[axis];
        }
        if (stride == sizeof(double))
            take_in(to, (const double *)from, n);
        else
            for (ptrdiff_t i = 0; i < n; i++) to[i] = (real) * (const double *)(from + i * stride);
        first += n, to += n, count -= n;
    }
}

/* The memory that the steps of a block work on. */
static Memory block_memory(const Run *run, char *memory, real *adjoints, Wrong *wrong) {
    const Machine *m = run->machine;
    const ptrdiff_t stride = stride_of(run, run->lanes), each = m->each_rows * stride;
    double *terms = (double *)memory; /* first; a whole number of vectors, so that the rows after it are aligned */
    real *rows = (real *)(memory + terms_bytes(m));
    return (Memory){rows,  run->shared, rows + each, adjoints, rows + 2 * each,
                    terms, m->rows,     run->lanes,  stride,   wrong};
}

static Memory shared_memory(const Run *run, Wrong *wrong) {
    real *shared = run->shared, *adjoints = run->shared_adjoints;
    return (Memory){shared, shared, adjoints, adjoints, run->masked, run->terms, run->machine->rows, 1, 1, wrong};
}

typedef struct {
    const void *calls;
    ptrdiff_t n;
} Calls;

/* The steps of a one-block run, bound to its memory. */
struct Bound {
    Wrong wrong; /* kept for the whole run: an invalid index ends it */
    Memory once, each;
    Calls run_once, run_each, pull_each, pull_once;
};

/* Execute the bound calls, or interpret the steps if they are not bound. */
static void do_steps(const Run *run, Interpret *interpret, const Steps *steps, const Memory *memory, const Calls *bound) {
    if (bound)
        run->interpreter->go(bound->calls, bound->n);
    else
        interpret(steps->steps, steps->n, memory);
}

enum { WORTH_BINDING = 16384 }; /* steps: more calls than this would evict the data they work on from the cache */

/* Bind steps to calls stored at `place`, and advance `place` past them. */
static Calls bind_steps(const Run *run, Bind *bind, const Steps *steps, const Memory *memory, char **place) {
    const Calls calls = {*place, bind(steps->steps, steps->n, memory, *place)};
    *place += (size_t)calls.n * run->interpreter->call_bytes;
    return calls;
}

int STORED(run_bind)(Run *run, double *rows, ptrdiff_t stride) {
    const Machine *m = run->machine;
    const Interpreter *interpreter = run->interpreter;
    if (!run->own) return 0;
    const ptrdiff_t n = m->once.n + m->each.n + (run->seed ? m->pull_each.n + m->pull_once.n : 0);
    if (!rows && n > WORTH_BINDING) return 0;
    struct Bound *bound = run->bound = calloc(1, sizeof *bound + (size_t)n * interpreter->call_bytes);
    if (!bound) return NO_MEMORY;
    bound->once = shared_memory(run, &bound->wrong);
    bound->each = block_memory(run, run->own, run->shared_adjoints, &bound->wrong);
    if (rows) bound->each.each = (real *)rows, bound->each.stride = stride;
    char *place = (char *)(bound + 1);
    bound->run_once = bind_steps(run, interpreter->bind, &m->once, &bound->once, &place);
    bound->run_each = bind_steps(run, interpreter->bind, &m->each, &bound->each, &place);
    if (!run->seed) return 0;
    bound->pull_each = bind_steps(run, interpreter->bind_pulls, &m->pull_each, &bound->each, &place);
    bound->pull_once = bind_steps(run, interpreter->bind_pulls, &m->pull_once, &bound->once, &place);
    return 0;
}

static void run_block(const Run *run, ptrdiff_t block, const Memory *given) {
    const Machine *m = run->machine;
    const ptrdiff_t first = block * run->lanes, left = run->samples - first;
    Memory memory = *given;
    const ptrdiff_t lanes = memory.lanes = left < run->lanes ? left : run->lanes;
    const ptrdiff_t stride = memory.stride = stride_of(run, lanes);
    if (!run->fetched)
        for (ptrdiff_t i = 0; i < m->inputs; i++) fetch(run, &run->inputs[i], first, lanes, memory.each + i * stride);
    if (run->seed && !m->outputs[0].shared)
        take_in(memory.each_adjoint + m->outputs[0].start * stride, run->seed + first, lanes);
    if (m->kernel)
        m->kernel(&memory);
    else
        do_steps(run, run->interpreter->run, &m->each, &memory, run->bound ? &run->bound->run_each : NULL);
    for (ptrdiff_t i = 0; i < m->n_outputs; i++)
        if (!m->outputs[i].shared)
            give_out(run->outputs + i * run->samples + first, memory.each + m->outputs[i].start * stride, lanes);
    for (ptrdiff_t i = 0; i < m->n_guards; i++)
        if (!m->guards[i].shared)
            give_out(run->guards + i * run->samples + first, memory.each + m->guards[i].start * stride, lanes);
    if (!run->seed) return;
    do_steps(run, run->interpreter->pull, &m->pull_each, &memory, run->bound ? &run->bound->pull_each : NULL);
    for (ptrdiff_t i = 0; i < run->n_wanted; i++)
        give_gradient(run->input_adjoints + i * run->samples + first, memory.each_adjoint + run->wanted[i] * stride, lanes);
}

/* Record the first failure of any thread. */
static int fail(Run *run, const Wrong *wrong) {
    int none = 0;
    if (wrong->things && atomic_compare_exchange_strong(&run->failed, &none, WRONG_INDEX)) run->wrong = *wrong;
    return atomic_load(&run->failed);
}

static void run_chunk(void *context, int chunk) {
    Run *run = context;
    const Machine *m = run->machine;
    real *adjoints = (real *)run->shared_adjoints + chunk * m->shared_rows;
    if (run->seed) memset(adjoints, 0, (size_t)m->shared_rows * sizeof(real)); /* the pulls add to these */
    char *memory = run->own ? run->own : borrow(block_bytes(run));
    if (!memory) {
        atomic_store(&run->failed, NO_MEMORY);
        return;
    }
    Wrong wrong = {0};
    const Memory block = run->bound ? run->bound->each : block_memory(run, memory, adjoints, &wrong);
    const int only = run->chunks == 1;
    const ptrdiff_t first = only ? 0 : run->blocks * chunk / run->chunks;
    const ptrdiff_t end = only ? run->blocks : run->blocks * (chunk + 1) / run->chunks;
    for (ptrdiff_t i = first; i < end; i++) run_block(run, i, &block);
    if (run->own)
        run->fetched = run->same_inputs;
    else
        give_back(memory);
    fail(run, &wrong);
}

/* Add up the gradients of the chunks. Each row is summed in the same order on any thread. */
enum { SUMS = 8, WORTH_SHARING_SUMS = 50000 };
static int sums(const Run *run) { return run->machine->shared_rows * run->chunks > WORTH_SHARING_SUMS ? SUMS : 1; }

static void add_chunks(void *context, int part) {
    const Run *run = context;
    const ptrdiff_t n = run->machine->shared_rows, first = n * part / sums(run), end = n * (part + 1) / sums(run);
    real *adjoints = run->shared_adjoints;
    for (ptrdiff_t c = 1; c < run->chunks; c++)
        for (ptrdiff_t i = first; i < end; i++) adjoints[i] += adjoints[c * n + i];
}

static void spread_result(const Run *run, const View *view, double *to) {
    if (!view->shared) return;
    for (ptrdiff_t i = 0; i < run->samples; i++) to[i] = ((real *)run->shared)[view->start];
}

/* Run a batch, with the GIL released. */
int STORED(run_batch)(Run *run, const double *params, double *param_adjoints) {
    const Machine *m = run->machine;
    real *shared = run->shared, *adjoints = run->shared_adjoints;
    const struct Bound *bound = run->bound;
    Wrong wrong = {0};
    const Memory once = bound ? bound->once : shared_memory(run, &wrong);
    if ((void *)params != run->shared) take_in(shared, params, m->params);
    do_steps(run, run->interpreter->run, &m->once, &once, bound ? &bound->run_once : NULL);
    if (run->seed && !run->samples) memset(adjoints, 0, (size_t)(m->shared_rows * run->chunks) * sizeof(real));
    if (run->samples) share_out(run_chunk, run, (int)run->chunks, run->threads);
    for (ptrdiff_t i = 0; i < m->n_outputs; i++) spread_result(run, &m->outputs[i], run->outputs + i * run->samples);
    for (ptrdiff_t i = 0; i < m->n_guards; i++) spread_result(run, &m->guards[i], run->guards + i * run->samples);
    if (run->seed) {
        if (run->chunks > 1) share_out(add_chunks, run, sums(run), run->threads);
        for (ptrdiff_t i = 0; m->outputs[0].shared && i < run->samples; i++)
            adjoints[m->outputs[0].start] += (real)run->seed[i];
        do_steps(run, run->interpreter->pull, &m->pull_once, &once, bound ? &bound->pull_once : NULL);
        if (param_adjoints) give_out(param_adjoints, adjoints, m->params);
    }
    return fail(run, bound ? &bound->wrong : &wrong);
}

#if !defined(SINGLE)
/* Compute the values of the only block, bound to the caller's rows. */
int run_rows(Run *run, const double *params) {
    const struct Bound *bound = run->bound;
    take_in(run->shared, params, run->machine->params);
    run->interpreter->go(bound->run_once.calls, bound->run_once.n);
    run->interpreter->go(bound->run_each.calls, bound->run_each.n);
    return fail(run, &bound->wrong);
}
#endif
