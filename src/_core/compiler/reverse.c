/* The reverse program: which adjoints to accumulate, and in what order. See reverse.py. */
#include "flat.h"

/* All rows that an argument of a step reads: start + i step + k term_step. */
typedef struct {
    const int32_t *listed; /* for a copy: its explicit row list */
    int64_t start, step, term_step, count, terms;
} Rows;

static inline int64_t row_at(const Rows *rows, int64_t i, int64_t k) {
    return rows->listed ? rows->listed[i] : rows->start + i * rows->step + k * rows->term_step;
}

#define FOR_ROWS(row, rows)                                          \
    for (int64_t i_ = 0; i_ < (rows)->count; i_++)                   \
        for (int64_t k_ = 0, row; k_ < (rows)->terms && (row = row_at(rows, i_, k_), 1); k_++)

typedef struct {
    Machine *machine;
    uint8_t *active[2];  /* rows of `each` and `shared` that depend on anything whose gradient is needed */
    uint8_t *written;    /* adjoint rows of `each` written so far */
    uint8_t *reached;    /* adjoint rows of `shared` that receive a contribution */
    uint8_t *parts[2];   /* for each step, one bit per argument that receives a gradient */
    int32_t *fresh;      /* scratch space for rows to clear */
    int32_t fresh_capacity;
    int32_t capacity[2]; /* of the emitted steps */
} Reversal;

static int is_copy(const Step *s) { return s->kind == GATHER || s->kind == SPREAD; }

/* Every row that an argument reads; a row that all results read is listed once. */
static Rows rows_of(const Machine *m, const Step *s, int part) {
    if (is_copy(s)) return (Rows){m->rows + s->rows, 0, 0, 0, s->count, 1};
    const View *v = &s->arg[part];
    Rows rows = {NULL, v->start, v->step, v->term_step, s->count, s->terms};
    if (s->kind == DENSE) rows.count = part == 1 ? s->columns : s->count / s->columns;
    if (v->step == 0) rows.count = 1;
    if (s->kind == MAP || (s->kind == TAKE && part == 0) || (s->kind == DENSE && part == 2)) rows.terms = 1;
    return rows;
}

static int from_shared(const Step *s, int part) { return is_copy(s) ? s->kind == SPREAD || s->shared : s->arg[part].shared; }

static int some(const uint8_t *marks, const Rows *rows) {
    FOR_ROWS(row, rows) {
        if (marks[row]) return 1;
    }
    return 0;
}

static void mark(uint8_t *marks, const Rows *rows, uint8_t value) {
    FOR_ROWS(row, rows) marks[row] = value;
}

static Rows results_of(const Step *s) { return (Rows){NULL, s->out, 1, 0, s->count, 1}; }

static int passes_on(const Step *s, int part) {
    if (s->kind == TAKE) return part == 1;
    return s->kind != MAP || is_differentiable(s->op, part);
}

/* Find which arguments of which steps depend on anything whose gradient is needed. */
static void find_active(Reversal *r, int shared, const Steps *steps) {
    for (ptrdiff_t i = 0; i < steps->n; i++) {
        const Step *s = &steps->steps[i];
        const int args = is_copy(s) ? 1 : s->args;
        for (int part = 0; part < args; part++) {
            const Rows rows = rows_of(r->machine, s, part);
            if ((is_copy(s) || passes_on(s, part)) && some(r->active[from_shared(s, part)], &rows))
                r->parts[shared][i] |= (uint8_t)(1 << part);
        }
        const Rows results = results_of(s);
        if (r->parts[shared][i]) mark(r->active[shared], &results, 1);
    }
}

static int add_step(Reversal *r, int shared, const Step *step) {
    Steps *to = shared ? &r->machine->pull_once : &r->machine->pull_each;
    const int fault = make_room(&to->steps, &r->capacity[shared], to->n + 1, sizeof *step);
    if (!fault) to->steps[to->n++] = *step;
    return fault;
}

static int compare_rows(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Clear the rows that have not been written yet, in ascending order. */
static int clear(Reversal *r, const Rows *rows) {
    int32_t n = 0, sorted = 1;
    FOR_ROWS(row, rows) {
        if (r->written[row]) continue;
        r->written[row] = 1;
        const int fault = make_room(&r->fresh, &r->fresh_capacity, (int64_t)n + 1, sizeof *r->fresh);
        if (fault) return fault;
        sorted &= !n || r->fresh[n - 1] < row;
        r->fresh[n++] = (int32_t)row;
    }
    if (!sorted) qsort(r->fresh, (size_t)n, sizeof *r->fresh, compare_rows);
    const Steps *steps = &r->machine->pull_each;
    for (int32_t i = 0; i < n; i++) {
        Step *last = steps->n ? &steps->steps[steps->n - 1] : NULL;
        if (last && last->kind == ZERO && last->out + last->count == r->fresh[i]) {
            last->count++;
            continue;
        }
        const int fault = add_step(r, 0, &(Step){.kind = ZERO, .out = r->fresh[i], .count = 1, .terms = 1, .columns = 1});
        if (fault) return fault;
    }
    return 0;
}

/* Mark rows as written. Returns 0 if one already was, or if one occurs twice. */
static int mark_fresh(uint8_t *written, const Rows *rows) {
    if (some(written, rows)) return 0;
    FOR_ROWS(row, rows) {
        if (written[row]) {
            mark(written, rows, 0);
            return 0;
        }
        written[row] = 1;
    }
    return 1;
}

/* Emit the step for one argument: it assigns if the adjoints are fresh, otherwise it adds. */
static int pull(Reversal *r, const Step *s, int part) {
    Step step = *s;
    step.part = part;
    const Rows rows = rows_of(r->machine, s, part);
    if (from_shared(s, part)) {
        mark(r->reached, &rows, 1);
        return add_step(r, 0, &step);
    }
    const int adds = is_copy(s) || s->kind == TAKE || (s->arg[part].step == 0 && s->count > 1);
    step.assign = !adds && mark_fresh(r->written, &rows);
    const int fault = step.assign ? 0 : clear(r, &rows);
    return fault ? fault : add_step(r, 0, &step);
}

static int reverse_each(Reversal *r, const int32_t *wanted, ptrdiff_t n_wanted) {
    const Machine *m = r->machine;
    int fault = 0;
    for (ptrdiff_t i = m->each.n - 1; !fault && i >= 0; i--) {
        const Step *s = &m->each.steps[i];
        const Rows results = results_of(s);
        if (!r->parts[0][i] || !some(r->written, &results)) continue;
        fault = clear(r, &results);
        for (int part = 0; !fault && part < 3; part++)
            if (r->parts[0][i] >> part & 1) fault = pull(r, s, part);
    }
    const Rows inputs = {wanted, 0, 0, 0, n_wanted, 1};
    return fault ? fault : clear(r, &inputs);
}

static int reverse_shared(Reversal *r) {
    const Machine *m = r->machine;
    int fault = 0;
    for (ptrdiff_t i = m->once.n - 1; !fault && i >= 0; i--) {
        const Step *s = &m->once.steps[i];
        const Rows results = results_of(s);
        if (!some(r->reached, &results)) continue;
        for (int part = 0; !fault && part < 3; part++) {
            if (!(r->parts[1][i] >> part & 1)) continue;
            const Rows rows = rows_of(m, s, part);
            Step step = *s;
            step.part = part;
            fault = add_step(r, 1, &step);
            mark(r->reached, &rows, 1);
        }
    }
    return fault;
}

int reverse(Machine *m, int params, const int32_t *wanted, ptrdiff_t n_wanted) {
    Reversal r = {.machine = m,
                  .active = {PyMem_Calloc((size_t)m->each_rows + 1, 1), PyMem_Calloc((size_t)m->shared_rows + 1, 1)},
                  .written = PyMem_Calloc((size_t)m->each_rows + 1, 1),
                  .reached = PyMem_Calloc((size_t)m->shared_rows + 1, 1),
                  .parts = {PyMem_Calloc((size_t)m->each.n + 1, 1), PyMem_Calloc((size_t)m->once.n + 1, 1)}};
    int fault = OUT_OF_MEMORY;
    if (!r.active[0] || !r.active[1] || !r.written || !r.reached || !r.parts[0] || !r.parts[1]) goto done;
    memset(r.active[1], params, (size_t)m->params);
    for (ptrdiff_t i = 0; i < n_wanted; i++) r.active[0][wanted[i]] = 1;
    find_active(&r, 1, &m->once);
    find_active(&r, 0, &m->each);
    for (ptrdiff_t i = 0; i < m->n_outputs; i++) (m->outputs[i].shared ? r.reached : r.written)[m->outputs[i].start] = 1;
    fault = reverse_each(&r, wanted, n_wanted);
    if (!fault) fault = reverse_shared(&r);
done:
    FREE_ALL(r.active[0], r.active[1], r.written, r.reached, r.parts[0], r.parts[1], r.fresh);
    return fault;
}
