/* The step interpreter, included once for each instruction set and storage type. */
#include "steps.h"
#include "folds.h"
#include "matrix.h"

INLINE ptrdiff_t unit(const View *view, const Memory *m) { return view->shared ? 1 : m->stride; }
INLINE real *at(const View *view, real *each, real *shared, const Memory *m, ptrdiff_t i) {
    return (view->shared ? shared : each) + (view->start + i * view->step) * unit(view, m);
}
INLINE real *value_at(const Step *s, int part, const Memory *m, ptrdiff_t i) {
    return at(&s->arg[part], m->each, m->shared, m, i);
}
INLINE real *adjoint_at(const Step *s, int part, const Memory *m, ptrdiff_t i) {
    return at(&s->arg[part], m->each_adjoint, m->shared_adjoint, m, i);
}
INLINE ptrdiff_t term(const Step *s, int part, const Memory *m) {
    return s->arg[part].term_step * unit(&s->arg[part], m);
}

/* Whether the rows of all arguments are contiguous, so that one loop covers them. */
INLINE int in_one(const Step *s) {
    int one = 1;
    for (int i = 0; i < s->args; i++) one &= s->arg[i].step == 1;
    return one || s->count == 1;
}

/* A step with its addresses already computed, for steps that repeat on the same memory. */
typedef struct Call {
    void (*go)(const struct Call *);
    union {
        struct {
            Values of;
            real *out;
            const real *x, *y, *z;
            ptrdiff_t n;
        } map;
        struct {
            Pull of;
            real *grad;
            const real *adjoint, *x, *y, *z, *out;
            ptrdiff_t n;
            int assign;
        } pull;
        Product product;
        Outer outer;
        struct {
            const real *x;
            ptrdiff_t stride, count, columns;
            real *totals;
            ptrdiff_t step;
        } sums;
        struct { /* for steps that compute addresses themselves */
            const Step *step;
            const Memory *memory;
        };
    };
} Call;

/* Defines the `go` of a step that computes addresses itself: a function of the step s and the memory m. */
#define STEP(go)                                                           \
    static void go##_in(const Step *s, const Memory *m);                   \
    static void go(const Call *c) { go##_in(c->step, c->memory); }         \
    static void go##_in(const Step *s, const Memory *m)

/* --- maps ------------------------------------------------------------------------------------------ */

static void go_map(const Call *c) { c->map.of(c->map.out, c->map.x, c->map.y, c->map.z, c->map.n); }

/* The call for `count` contiguous rows, starting at row i. */
INLINE Call map_call(const Step *s, const Memory *m, ptrdiff_t i, ptrdiff_t count) {
    const real *x = value_at(s, 0, m, i), *y = s->args > 1 ? value_at(s, 1, m, i) : x;
    const real *z = s->args > 2 ? value_at(s, 2, m, i) : x;
    return (Call){go_map, {.map = {VALUES_OF[s->op], m->each + (s->out + i) * m->stride, x, y, z, count * m->stride}}};
}

STEP(go_map_rows) {
    for (ptrdiff_t i = 0; i < s->count; i++) {
        const Call row = map_call(s, m, i, 1);
        go_map(&row);
    }
}

static void go_pull_map(const Call *c) {
    c->pull.of(c->pull.assign, c->pull.grad, c->pull.adjoint, c->pull.x, c->pull.y, c->pull.z, c->pull.out, c->pull.n);
}

INLINE Call map_pull_call(const Step *s, const Memory *m, ptrdiff_t i, ptrdiff_t count) {
    const ptrdiff_t out = (s->out + i) * m->stride;
    const real *x = value_at(s, 0, m, i), *y = s->args > 1 ? value_at(s, 1, m, i) : x;
    const real *z = s->args > 2 ? value_at(s, 2, m, i) : x;
    return (Call){go_pull_map, {.pull = {pull_of(s->op, s->part), adjoint_at(s, s->part, m, i), m->each_adjoint + out, x, y, z,
                                     m->each + out, count * m->stride, s->assign}}};
}

/* A pull with a mask, or for rows that are not contiguous. */
STEP(go_pull_rows) {
    const int one = in_one(s);
    for (ptrdiff_t i = 0; i < (one ? 1 : s->count); i++) {
        Call row = map_pull_call(s, m, i, one ? s->count : 1);
        if (!s->masked) {
            go_pull_map(&row);
            continue;
        }
        const real *wanted = at(&s->mask, m->each, m->shared, m, i);
        real *grad = row.pull.grad;
        row.pull.grad = m->masked, row.pull.assign = 1;
        go_pull_map(&row);
        for (ptrdiff_t j = 0; j < row.pull.n; j++)
            grad[j] = wanted[j] == 0.0 ? s->assign ? 0.0 : grad[j] + 0.0 : s->assign ? m->masked[j] : grad[j] + m->masked[j];
    }
}

/* --- products -------------------------------------------------------------------------------------- */

/* The rows of the matrix. The special case avoids a slow division. */
INLINE ptrdiff_t rows_of(const Step *s) { return s->columns == 1 ? s->count : s->count / s->columns; }

/* Whether this is a matrix-vector product: one sample, one column, contiguous terms. */
INLINE int is_vector(const Step *s, const Memory *m) {
    return s->columns * m->stride == 1 && s->arg[0].term_step == 1 && s->arg[1].term_step == 1;
}

static void go_product(const Call *c) { matrix_product(&c->product); }
static void go_outer(const Call *c) { outer(&c->outer); }
static void go_sums(const Call *c) {
    sum_rows(c->sums.x, c->sums.stride, c->sums.count, c->sums.columns, c->sums.totals, NULL, c->sums.step);
}

/* The vector cases: products with a matrix, with another vector, and with the transposed matrix. */
static void go_vector(const Call *c) {
    const Product *p = &c->product;
    for (ptrdiff_t r = 0; r < p->rows; r++)
        p->out[r] = dot(p->a + r * p->a_row, p->x, p->terms) + (p->start ? p->start[r * p->start_row] : 0);
}
static void go_vector_outer(const Call *c) {
    const Outer *o = &c->outer;
    for (ptrdiff_t r = 0; r < o->rows; r++) add_scaled(o->weights + r * o->weights_row, o->left[r], o->right, o->terms, 0);
}
static void go_vector_turned(const Call *c) {
    const Product *p = &c->product;
    for (ptrdiff_t k = 0; k < p->terms; k++)
        add_scaled(p->out, p->x[k], p->a + k * p->a_term, p->rows, p->assign && !k);
}

INLINE Call dense_call(const Step *s, const Memory *m) {
    const ptrdiff_t columns = s->columns * m->stride;
    return (Call){is_vector(s, m) ? go_vector : go_product,
                  {.product = {value_at(s, 0, m, 0), s->arg[0].step, s->arg[0].term_step, value_at(s, 1, m, 0),
                               term(s, 1, m), m->each + s->out * m->stride, columns, rows_of(s), s->terms, columns, 1,
                               s->args > 2 ? value_at(s, 2, m, 0) : NULL, s->arg[2].step}}};
}

INLINE Call dense_pull_call(const Step *s, const Memory *m) {
    const ptrdiff_t rows = rows_of(s), columns = s->columns * m->stride;
    const ptrdiff_t counted = columns - m->stride + m->lanes; /* padding beyond the samples is not counted */
    const real *adjoint = m->each_adjoint + s->out * m->stride;
    if (s->part == 2)
        return (Call){go_sums, {.sums = {adjoint, columns, rows, counted, adjoint_at(s, 2, m, 0), s->arg[2].step}}};
    if (s->part == 0)
        return (Call){is_vector(s, m) ? go_vector_outer : go_outer,
                      {.outer = {adjoint, columns, value_at(s, 1, m, 0), term(s, 1, m), adjoint_at(s, 0, m, 0),
                                 s->arg[0].step, s->arg[0].term_step, rows, s->terms, counted}}};
    return (Call){is_vector(s, m) ? go_vector_turned : go_product,
                  {.product = {value_at(s, 0, m, 0), s->arg[0].term_step, s->arg[0].step, adjoint, columns,
                               adjoint_at(s, 1, m, 0), term(s, 1, m), s->terms, rows, columns, s->assign, NULL, 0}}};
}

/* --- steps that compute addresses themselves -------------------------------------------------------- */

STEP(go_dots) {
    dots(m->each + s->out * m->stride, value_at(s, 0, m, 0), term(s, 0, m), value_at(s, 1, m, 0), term(s, 1, m),
         s->terms, s->count * m->stride);
}

STEP(go_pull_dots) {
    const int other = 1 - s->part;
    for (ptrdiff_t k = 0; k < s->terms; k++)
        add_product(adjoint_at(s, s->part, m, 0) + k * term(s, s->part, m), m->each_adjoint + s->out * m->stride,
                    value_at(s, other, m, 0) + k * term(s, other, m), s->count * m->stride, s->assign);
}

INLINE Elements elements(const Step *s, const Memory *m) {
    Elements e = {.terms = s->terms};
    for (int part = 0; part < s->args; part++) e.row[part] = value_at(s, part, m, 0), e.term[part] = term(s, part, m);
    return e;
}

STEP(go_fold) {
    const Elements e = elements(s, m);
    if (!fold_rows(s->op, m->each + s->out * m->stride, &e, s->count * m->stride)) fold_values(s, m);
}

STEP(go_pull_fold) {
    const Elements e = elements(s, m);
    const ptrdiff_t out = s->out * m->stride, n = s->count * m->stride;
    const real *wanted = s->masked ? at(&s->mask, m->each, m->shared, m, 0) : NULL;
    if (!fold_rows_pull(s->op, s->part, s->assign, adjoint_at(s, s->part, m, 0), m->each_adjoint + out, &e, m->each + out,
                        wanted, n))
        fold_pull(s, m);
}

STEP(go_gather) {
    const ptrdiff_t count = s->count, stride = m->stride;
    real *all = m->each + s->arg[0].start * stride, *out = m->each + s->out * stride;
    const int32_t *rows = m->rows + s->rows;
    if (stride == 1)
        for (ptrdiff_t i = 0; i < count; i++) out[i] = all[rows[i]];
    else
        for (ptrdiff_t i = 0; i < count; i++)
            memcpy(out + i * stride, all + rows[i] * stride, (size_t)stride * sizeof(real));
}

STEP(go_pull_gather) {
    const ptrdiff_t count = s->count, stride = m->stride;
    real *all = m->each_adjoint + s->arg[0].start * stride;
    const real *adjoint = m->each_adjoint + s->out * stride;
    const int32_t *rows = m->rows + s->rows;
    if (s->assign)
        for (ptrdiff_t i = 0; i < count; i++)
            memcpy(all + rows[i] * stride, adjoint + i * stride, (size_t)stride * sizeof(real));
    else if (stride == 1)
        for (ptrdiff_t i = 0; i < count; i++) all[rows[i]] += adjoint[i];
    else
        for (ptrdiff_t i = 0; i < count; i++) add_rows(all + rows[i] * stride, adjoint + i * stride, stride);
}

STEP(go_spread) {
    const int32_t *rows = m->rows + s->rows;
    for (ptrdiff_t i = 0; i < s->count; i++) {
        real *out = m->each + (s->out + i) * m->stride;
        const real x = m->shared[rows[i] + s->arg[0].start];
        for (ptrdiff_t j = 0; j < m->stride; j++) out[j] = x;
    }
}

/* The row that a sample's index selects, or -1. */
INLINE ptrdiff_t taken(const Step *s, double index) {
    const View *table = &s->arg[1];
    const int whole = index >= 0.0 && index < s->terms && index == (double)(ptrdiff_t)index;
    return whole ? table->start + (ptrdiff_t)index * table->term_step : -1;
}

STEP(go_take) {
    const View *table = &s->arg[1];
    const real *index = value_at(s, 0, m, 0), *from = table->shared ? m->shared : m->each;
    const ptrdiff_t width = unit(table, m);
    for (ptrdiff_t lane = 0; lane < m->lanes; lane++) {
        const ptrdiff_t row = taken(s, index[lane]);
        if (row < 0 && !m->wrong->things) *m->wrong = (Wrong){index[lane], s->terms};
        for (ptrdiff_t i = 0; i < s->count; i++)
            m->each[(s->out + i) * m->stride + lane] =
                row < 0 ? NAN : from[(row + i * table->step) * width + (width > 1 ? lane : 0)];
    }
}

STEP(go_pull_take) {
    const View *table = &s->arg[1];
    const real *index = value_at(s, 0, m, 0);
    real *to = table->shared ? m->shared_adjoint : m->each_adjoint;
    const ptrdiff_t width = unit(table, m);
    for (ptrdiff_t lane = 0; lane < m->lanes; lane++) {
        const ptrdiff_t row = taken(s, index[lane]);
        for (ptrdiff_t i = 0; row >= 0 && i < s->count; i++)
            to[(row + i * table->step) * width + (width > 1 ? lane : 0)] +=
                m->each_adjoint[(s->out + i) * m->stride + lane];
    }
}

STEP(go_pull_spread) {
    sum_rows(m->each_adjoint + s->out * m->stride, m->stride, s->count, m->lanes, m->shared_adjoint + s->arg[0].start,
             m->rows + s->rows, 0);
}

STEP(go_zero) {
    memset(m->each_adjoint + s->out * m->stride, 0, (size_t)(s->count * m->stride) * sizeof(real));
}

/* --- all steps --------------------------------------------------------------------------------------- */

INLINE Call looking(void (*go)(const Call *), const Step *s, const Memory *m) {
    return (Call){go, {.step = s, .memory = m}};
}

/* Execute a call now, or store it in `kept` for later. Inlined, so that immediate execution is a plain call. */
INLINE void settle(const Call call, Call *kept) {
    if (kept)
        *kept = call;
    else
        call.go(&call);
}

static void run(const Step *steps, ptrdiff_t n, const Memory *m);
static void pull(const Step *steps, ptrdiff_t n, const Memory *m);

/* How far away the next step is: the steps of a loop follow it. */
INLINE ptrdiff_t after(const Step *s) { return 1 + (s->kind == LOOP ? s->terms : 0); }

STEP(go_loop) {
    for (ptrdiff_t t = 0; t < s->count; t++)
        for (int i = 1; i <= s->terms; i++) {
            const Step now = step_at(s + i, t);
            run(&now, 1, m);
        }
}

STEP(go_pull_loop) {
    for (ptrdiff_t t = s->count - 1; t >= 0; t--)
        for (int i = 1; i <= s->terms; i++) {
            const Step now = step_at(s + i, t);
            pull(&now, 1, m);
        }
}

INLINE void settle_value(const Step *s, const Memory *m, Call *kept) {
    switch (s->kind) {
    case MAP:
        if (in_one(s))
            settle(map_call(s, m, 0, s->count), kept);
        else
            settle(looking(go_map_rows, s, m), kept);
        break;
    case GATHER: settle(looking(go_gather, s, m), kept); break;
    case SPREAD: settle(looking(go_spread, s, m), kept); break;
    case DENSE: settle(dense_call(s, m), kept); break;
    case DOTS: settle(looking(go_dots, s, m), kept); break;
    case TAKE: settle(looking(go_take, s, m), kept); break;
    case LOOP: settle(looking(go_loop, s, m), kept); break;
    default: settle(looking(go_fold, s, m), kept);
    }
}

INLINE void settle_pull(const Step *s, const Memory *m, Call *kept) {
    switch (s->kind) {
    case MAP:
        if (in_one(s) && !s->masked)
            settle(map_pull_call(s, m, 0, s->count), kept);
        else
            settle(looking(go_pull_rows, s, m), kept);
        break;
    case GATHER: settle(looking(go_pull_gather, s, m), kept); break;
    case SPREAD: settle(looking(go_pull_spread, s, m), kept); break;
    case DENSE: settle(dense_pull_call(s, m), kept); break;
    case DOTS: settle(looking(go_pull_dots, s, m), kept); break;
    case FOLD: settle(looking(go_pull_fold, s, m), kept); break;
    case TAKE: settle(looking(go_pull_take, s, m), kept); break;
    case LOOP: settle(looking(go_pull_loop, s, m), kept); break;
    default: settle(looking(go_zero, s, m), kept);
    }
}

static void run(const Step *steps, ptrdiff_t n, const Memory *m) {
    for (ptrdiff_t i = 0; i < n; i += after(&steps[i])) settle_value(&steps[i], m, NULL);
}
static void pull(const Step *steps, ptrdiff_t n, const Memory *m) {
    for (ptrdiff_t i = 0; i < n; i += after(&steps[i])) settle_pull(&steps[i], m, NULL);
}
static ptrdiff_t bind(const Step *steps, ptrdiff_t n, const Memory *m, void *calls) {
    ptrdiff_t made = 0;
    for (ptrdiff_t i = 0; i < n; i += after(&steps[i])) settle_value(&steps[i], m, (Call *)calls + made++);
    return made;
}
static ptrdiff_t bind_pulls(const Step *steps, ptrdiff_t n, const Memory *m, void *calls) {
    ptrdiff_t made = 0;
    for (ptrdiff_t i = 0; i < n; i += after(&steps[i])) settle_pull(&steps[i], m, (Call *)calls + made++);
    return made;
}
static void go(const void *calls, ptrdiff_t n) {
    for (const Call *c = calls, *end = c + n; c < end; c++) c->go(c);
}

#define INTERPRETER {run, pull, sizeof(Call), bind, bind_pulls, go}
