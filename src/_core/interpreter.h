/* The interpreter of steps, included once for each kind of SIMD. */
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

/* Whether the rows of all arguments lie one after another, so that one loop does all of them. */
INLINE int in_one(const Step *s) {
    int one = s->count == 1;
    if (!one) {
        one = 1;
        for (int i = 0; i < s->args; i++) one &= s->arg[i].step == 1;
    }
    return one;
}

static void run_map(const Step *s, const Memory *m) {
    const int one = in_one(s);
    const ptrdiff_t rows = one ? 1 : s->count, n = one ? s->count * m->stride : m->stride;
    real *out = m->each + s->out * m->stride;
    for (ptrdiff_t i = 0; i < rows; i++) {
        const real *x = value_at(s, 0, m, i);
        const real *y = s->args > 1 ? value_at(s, 1, m, i) : x;
        const real *z = s->args > 2 ? value_at(s, 2, m, i) : x;
        map_values(s->op, out + i * m->stride, x, y, z, n);
    }
}

static void pull_map(const Step *s, const Memory *m) {
    const int one = in_one(s);
    const ptrdiff_t rows = one ? 1 : s->count, n = one ? s->count * m->stride : m->stride;
    const real *out = m->each + s->out * m->stride, *adjoint = m->each_adjoint + s->out * m->stride;
    for (ptrdiff_t i = 0; i < rows; i++) {
        const real *x = value_at(s, 0, m, i);
        const real *y = s->args > 1 ? value_at(s, 1, m, i) : x;
        const real *z = s->args > 2 ? value_at(s, 2, m, i) : x;
        real *grad = adjoint_at(s, s->part, m, i);
        if (!s->masked) {
            map_pull(s->op, s->part, s->assign, grad, adjoint + i * m->stride, x, y, z, out + i * m->stride, n);
            continue;
        }
        const real *mask = at(&s->mask, m->each, m->shared, m, i);
        map_pull(s->op, s->part, 1, m->masked, adjoint + i * m->stride, x, y, z, out + i * m->stride, n);
        for (ptrdiff_t j = 0; j < n; j++)
            grad[j] = (s->assign ? 0.0 : grad[j]) + (mask[j] != 0.0 ? m->masked[j] : 0.0);
    }
}

INLINE ptrdiff_t rows_of(const Step *s) { return s->columns == 1 ? s->count : s->count / s->columns; } /* a division takes long */

/* One sample, one column, terms one after another: a matrix and a vector. */
INLINE int is_vector(const Step *s, const Memory *m) {
    return s->columns * m->stride == 1 && s->arg[0].term_step == 1 && s->arg[1].term_step == 1;
}

static void run_dense(const Step *s, const Memory *m) {
    const ptrdiff_t rows = rows_of(s), columns = s->columns * m->stride;
    real *out = m->each + s->out * m->stride;
    if (is_vector(s, m)) {
        for (ptrdiff_t r = 0; r < rows; r++)
            out[r] = dot(value_at(s, 0, m, r), value_at(s, 1, m, 0), s->terms) + (s->args > 2 ? *value_at(s, 2, m, r) : 0);
        return;
    }
    const Product p = {value_at(s, 0, m, 0), s->arg[0].step, s->arg[0].term_step, value_at(s, 1, m, 0),
                       term(s, 1, m), out, columns, rows, s->terms, columns, 1,
                       s->args > 2 ? value_at(s, 2, m, 0) : NULL, s->arg[2].step};
    matrix_product(&p);
}

static void pull_dense(const Step *s, const Memory *m) {
    const ptrdiff_t rows = rows_of(s), columns = s->columns * m->stride;
    const ptrdiff_t counted = columns - m->stride + m->lanes; /* what is beyond the samples does not count */
    const real *adjoint = m->each_adjoint + s->out * m->stride;
    if (s->part == 2)
        sum_rows(adjoint, columns, rows, counted, adjoint_at(s, 2, m, 0), NULL, s->arg[2].step);
    else if (is_vector(s, m)) {
        const real *x = value_at(s, 1, m, 0);
        for (ptrdiff_t r = 0; r < rows; r++) {
            if (s->part == 0)
                add_scaled(adjoint_at(s, 0, m, r), adjoint[r], x, s->terms, 0);
            else
                add_scaled(adjoint_at(s, 1, m, 0), adjoint[r], value_at(s, 0, m, r), s->terms, s->assign && !r);
        }
    } else if (s->part == 0) {
        const Outer o = {adjoint, columns, value_at(s, 1, m, 0), term(s, 1, m), adjoint_at(s, 0, m, 0),
                         s->arg[0].step, s->arg[0].term_step, rows, s->terms, counted};
        outer(&o);
    } else {
        const Product p = {value_at(s, 0, m, 0), s->arg[0].term_step, s->arg[0].step, adjoint, columns,
                           adjoint_at(s, 1, m, 0), term(s, 1, m), s->terms, rows, columns, s->assign, NULL, 0};
        matrix_product(&p);
    }
}

static void run_dots(const Step *s, const Memory *m) {
    dots(m->each + s->out * m->stride, value_at(s, 0, m, 0), term(s, 0, m), value_at(s, 1, m, 0), term(s, 1, m),
         s->terms, s->count * m->stride);
}

static void pull_dots(const Step *s, const Memory *m) {
    const int other = 1 - s->part;
    for (ptrdiff_t k = 0; k < s->terms; k++)
        add_product(adjoint_at(s, s->part, m, 0) + k * term(s, s->part, m), m->each_adjoint + s->out * m->stride,
                    value_at(s, other, m, 0) + k * term(s, other, m), s->count * m->stride, s->assign);
}

static void run_fold(const Step *s, const Memory *m) {
    real *out = m->each + s->out * m->stride;
    if (!fold_rows(s->op, out, value_at(s, 0, m, 0), term(s, 0, m), s->terms, s->count * m->stride)) fold_values(s, m);
}

static void pull_fold(const Step *s, const Memory *m) {
    const ptrdiff_t out = s->out * m->stride, n = s->count * m->stride;
    if (s->masked || !fold_rows_pull(s->op, s->assign, adjoint_at(s, 0, m, 0), m->each_adjoint + out, value_at(s, 0, m, 0),
                        m->each + out, term(s, 0, m), s->terms, n))
        fold_pull(s, m);
}

static void run_gather(const Step *s, const Memory *m) {
    real *out = m->each + s->out * m->stride;
    const int32_t *rows = m->rows + s->rows;
    if (m->stride == 1)
        for (ptrdiff_t i = 0; i < s->count; i++) out[i] = m->each[rows[i]];
    else
        for (ptrdiff_t i = 0; i < s->count; i++)
            memcpy(out + i * m->stride, m->each + rows[i] * m->stride, (size_t)m->stride * sizeof(real));
}

static void pull_gather(const Step *s, const Memory *m) {
    const real *adjoint = m->each_adjoint + s->out * m->stride;
    const int32_t *rows = m->rows + s->rows;
    for (ptrdiff_t i = 0; i < s->count; i++)
        add_rows(m->each_adjoint + rows[i] * m->stride, adjoint + i * m->stride, m->stride);
}

static void run_spread(const Step *s, const Memory *m) {
    const int32_t *rows = m->rows + s->rows;
    for (ptrdiff_t i = 0; i < s->count; i++) {
        real *out = m->each + (s->out + i) * m->stride;
        const real x = m->shared[rows[i]];
        for (ptrdiff_t j = 0; j < m->stride; j++) out[j] = x;
    }
}

/* The row that a sample takes from, or -1. */
INLINE ptrdiff_t taken(const Step *s, double index) {
    const View *table = &s->arg[1];
    const int whole = index >= 0.0 && index < s->terms && index == (double)(ptrdiff_t)index;
    return whole ? table->start + (ptrdiff_t)index * table->term_step : -1;
}

static void run_take(const Step *s, const Memory *m) {
    const View *table = &s->arg[1];
    const real *index = value_at(s, 0, m, 0), *from = table->shared ? m->shared : m->each;
    const ptrdiff_t width = unit(table, m);
    for (ptrdiff_t lane = 0; lane < m->lanes; lane++) {
        const ptrdiff_t row = taken(s, index[lane]);
        if (row < 0) *m->wrong_index = 1;
        for (ptrdiff_t i = 0; i < s->count; i++)
            m->each[(s->out + i) * m->stride + lane] =
                row < 0 ? NAN : from[(row + i * table->step) * width + (width > 1 ? lane : 0)];
    }
}

static void pull_take(const Step *s, const Memory *m) {
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

static void run(const Step *steps, ptrdiff_t n, const Memory *m) {
    for (const Step *s = steps; s < steps + n; s++) switch (s->kind) {
        case MAP: run_map(s, m); break;
        case GATHER: run_gather(s, m); break;
        case SPREAD: run_spread(s, m); break;
        case DENSE: run_dense(s, m); break;
        case DOTS: run_dots(s, m); break;
        case TAKE: run_take(s, m); break;
        default: run_fold(s, m);
        }
}

static void pull(const Step *steps, ptrdiff_t n, const Memory *m) {
    for (const Step *s = steps; s < steps + n; s++) switch (s->kind) {
        case MAP: pull_map(s, m); break;
        case GATHER: pull_gather(s, m); break;
        case SPREAD:
            sum_rows(m->each_adjoint + s->out * m->stride, m->stride, s->count, m->lanes, m->shared_adjoint, m->rows + s->rows, 0);
            break;
        case DENSE: pull_dense(s, m); break;
        case DOTS: pull_dots(s, m); break;
        case FOLD: pull_fold(s, m); break;
        case TAKE: pull_take(s, m); break;
        default:
            memset(m->each_adjoint + s->out * m->stride, 0, (size_t)(s->count * m->stride) * sizeof(real));
        }
}
