/* Matrix products on rows of samples: out(r, j) = sum over k of a(r, k) x(k, j).
 *
 * A tile of results stays in registers while k runs; a row of x is read once for all rows of the
 * tile. The number of rows and vectors of a tile is a constant wherever it is inlined.
 */
#ifndef CHAINRULE_MATRIX_H
#define CHAINRULE_MATRIX_H

#include "simd.h"

enum { TILE_ROWS = LANES == 8 ? 8 : 4, TILE_VECS = LANES == 8 ? 3 : 2, WEIGHT_ROWS = 3 };

/* Before loops over a tile: only then does it stay in registers. */
#define UNROLL _Pragma("GCC unroll 8")

#if defined(__x86_64__)
#define KEEP_IN_REGISTER(x) __asm__("" : "+v"(x))
#else
#define KEEP_IN_REGISTER(x) (void)0
#endif

typedef struct {
    const double *a;
    ptrdiff_t a_row, a_term; /* from one r, and from one k, to the next */
    const double *x;
    ptrdiff_t x_term;
    double *out;
    ptrdiff_t out_row;
    ptrdiff_t rows, terms, columns;
    int assign; /* else add to what is there */
    const double *start; /* b(r) to start the sums from, or NULL */
    ptrdiff_t start_row;
} Product;

/* weights(r, k) += sum over j of left(r, j) right(k, j) */
typedef struct {
    const double *left;
    ptrdiff_t left_row;
    const double *right;
    ptrdiff_t right_row;
    double *weights;
    ptrdiff_t weights_row, weights_term;
    ptrdiff_t rows, terms, columns;
} Outer;

#if defined(SIMD_AVX512)
#include "matrix_four.h"
#else /* four columns need no care */
INLINE ptrdiff_t product_four(const Product *p) { return (void)p, 0; }
INLINE int outer_four(const Outer *o) { return (void)o, 0; }
#endif

/* `last` elements of the last vector count: LANES of them, or fewer at the end of a row. */
INLINE void product_tile(const Product *p, ptrdiff_t r, ptrdiff_t j, const int rows, const int vecs,
                         const ptrdiff_t last) {
    vec sum[TILE_ROWS][TILE_VECS];
    const double *a = p->a + r * p->a_row, *x = p->x + j;
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int v = 0; v < vecs; v++) sum[i][v] = v_splat(p->start ? p->start[(r + i) * p->start_row] : 0.0);
    for (ptrdiff_t k = 0; k < p->terms; k++, a += p->a_term, x += p->x_term) {
        vec row[TILE_VECS];
        UNROLL for (int v = 0; v < vecs; v++)
            row[v] = v == vecs - 1 && last < LANES ? v_load_part(x + v * LANES, last) : v_load(x + v * LANES);
        UNROLL for (int i = 0; i < rows; i++) {
            const vec factor = v_splat(a[i * p->a_row]);
            UNROLL for (int v = 0; v < vecs; v++) sum[i][v] = v_fma(factor, row[v], sum[i][v]);
        }
    }
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int v = 0; v < vecs; v++) {
            double *out = p->out + (r + i) * p->out_row + j + v * LANES;
            if (v == vecs - 1 && last < LANES)
                v_store_part(out, p->assign ? sum[i][v] : sum[i][v] + v_load_part(out, last), last);
            else
                v_store(out, p->assign ? sum[i][v] : sum[i][v] + v_load(out));
        }
}

#define TILES(size) \
    for (; r + size <= p->rows; r += size) product_tile(p, r, j, size, vecs, last);

/* From row r on. */
INLINE void product_columns(const Product *p, ptrdiff_t r, ptrdiff_t j, const int vecs, const ptrdiff_t last) {
    if (TILE_ROWS == 8) TILES(8)
    TILES(4)
    TILES(2)
    TILES(1)
}

static void matrix_product(const Product *p) {
    ptrdiff_t j = 0;
    for (; j + TILE_VECS * LANES <= p->columns; j += TILE_VECS * LANES) product_columns(p, 0, j, TILE_VECS, LANES);
    for (; j + LANES <= p->columns; j += LANES) product_columns(p, 0, j, 1, LANES);
    if (j < p->columns) product_columns(p, product_four(p), j, 1, p->columns - j);
}

/* The sums of LANES vectors, as one vector. */
INLINE vec v_sums(const vec *a) {
#if defined(SIMD_AVX512)
    vec b[4], c[2];
    for (int i = 0; i < 4; i++)
        b[i] = (vec)_mm512_unpacklo_pd((__m512d)a[2 * i], (__m512d)a[2 * i + 1]) +
               (vec)_mm512_unpackhi_pd((__m512d)a[2 * i], (__m512d)a[2 * i + 1]);
    for (int i = 0; i < 2; i++)
        c[i] = (vec)_mm512_shuffle_f64x2((__m512d)b[2 * i], (__m512d)b[2 * i + 1], 0x88) +
               (vec)_mm512_shuffle_f64x2((__m512d)b[2 * i], (__m512d)b[2 * i + 1], 0xdd);
    return (vec)_mm512_shuffle_f64x2((__m512d)c[0], (__m512d)c[1], 0x88) +
           (vec)_mm512_shuffle_f64x2((__m512d)c[0], (__m512d)c[1], 0xdd);
#elif defined(SIMD_AVX2)
    vec b[2];
    for (int i = 0; i < 2; i++) b[i] = (vec)_mm256_hadd_pd((__m256d)a[2 * i], (__m256d)a[2 * i + 1]);
    return (vec)_mm256_permute2f128_pd((__m256d)b[0], (__m256d)b[1], 0x20) +
           (vec)_mm256_permute2f128_pd((__m256d)b[0], (__m256d)b[1], 0x31);
#else
    return (vec){a[0][0] + a[0][1], a[1][0] + a[1][1]};
#endif
}

/* Add to the weights of row r from term k on. */
INLINE void add_weights(const Outer *o, ptrdiff_t r, ptrdiff_t k, ptrdiff_t terms, vec total) {
    double *weights = o->weights + r * o->weights_row + k * o->weights_term;
    if (o->weights_term == 1 && terms == LANES)
        v_store(weights, v_load(weights) + total);
    else
        for (ptrdiff_t q = 0; q < terms; q++) weights[q * o->weights_term] += total[q];
}

/* `terms` of the LANES right rows count; the others are computed in vain. */
INLINE void outer_tile(const Outer *o, ptrdiff_t r, ptrdiff_t k, const int rows, ptrdiff_t terms) {
    vec sum[WEIGHT_ROWS][LANES];
    const double *left = o->left + r * o->left_row, *right[LANES];
    UNROLL for (int q = 0; q < LANES; q++) right[q] = o->right + (k + (q < terms ? q : 0)) * o->right_row;
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int q = 0; q < LANES; q++) sum[i][q] = (vec){0};
    ptrdiff_t j = 0;
    for (; j + LANES <= o->columns; j += LANES) {
        vec row[WEIGHT_ROWS];
        UNROLL for (int i = 0; i < rows; i++) row[i] = v_load(left + i * o->left_row + j);
        UNROLL for (int q = 0; q < LANES; q++) {
            vec x = v_load(right[q] + j);
            KEEP_IN_REGISTER(x); /* else it is loaded for each row again */
            UNROLL for (int i = 0; i < rows; i++) sum[i][q] = v_fma(row[i], x, sum[i][q]);
        }
    }
    if (j < o->columns) {
        const ptrdiff_t last = o->columns - j;
        UNROLL for (int q = 0; q < LANES; q++) {
            const vec x = v_load_part(right[q] + j, last);
            UNROLL for (int i = 0; i < rows; i++)
                sum[i][q] = v_fma(v_load_part(left + i * o->left_row + j, last), x, sum[i][q]);
        }
    }
    UNROLL for (int i = 0; i < rows; i++) add_weights(o, r + i, k, terms, v_sums(sum[i]));
}

/* A vector of samples or less: the right rows stay in registers, and each left row gives LANES weights. */
INLINE void outer_few(const Outer *o, const ptrdiff_t some) {
    if (outer_four(o)) return;
    for (ptrdiff_t k = 0; k < o->terms; k += LANES) {
        const ptrdiff_t terms = o->terms - k < LANES ? o->terms - k : LANES;
        vec right[LANES], products[LANES];
        UNROLL for (int q = 0; q < LANES; q++)
            right[q] = v_some(o->right + (k + (q < terms ? q : 0)) * o->right_row, some);
        for (ptrdiff_t r = 0; r < o->rows; r++) {
            const vec left = v_some(o->left + r * o->left_row, some);
            UNROLL for (int q = 0; q < LANES; q++) products[q] = left * right[q];
            add_weights(o, r, k, terms, v_sums(products));
        }
    }
}

static void outer_many(const Outer *o) {
    for (ptrdiff_t k = 0; k < o->terms; k += LANES) {
        const ptrdiff_t terms = o->terms - k < LANES ? o->terms - k : LANES;
        ptrdiff_t r = 0;
        for (; r + WEIGHT_ROWS <= o->rows; r += WEIGHT_ROWS) outer_tile(o, r, k, WEIGHT_ROWS, terms);
        for (; r < o->rows; r++) outer_tile(o, r, k, 1, terms);
    }
}

static void outer(const Outer *o) {
    if (o->columns == LANES)
        outer_few(o, LANES);
    else if (o->columns < LANES)
        outer_few(o, o->columns);
    else if (o->terms < LANES && o->rows > o->terms) { /* the other way round less is computed in vain */
        const Outer other = {o->right,        o->right_row,   o->left,  o->left_row, o->weights,
                             o->weights_term, o->weights_row, o->terms, o->rows,     o->columns};
        outer_many(&other);
    } else
        outer_many(o);
}

/* Add the sum of row i to totals[rows[i]], or without `rows` to totals[i step]: LANES at a time. */
static void sum_rows(const double *x, ptrdiff_t stride, ptrdiff_t count, ptrdiff_t columns, double *totals,
                     const int32_t *rows, ptrdiff_t step) {
    ptrdiff_t i = 0;
#if defined(SIMD_AVX512)
    for (; columns == 4 && stride == 4 && i + 4 <= count; i += 4) {
        const __m256d total = sums_four(x + i * 4);
        for (int q = 0; q < 4; q++) totals[rows ? rows[i + q] : (i + q) * step] += total[q];
    }
#endif
    for (; i < count; i += LANES) {
        const ptrdiff_t some = count - i < LANES ? count - i : LANES;
        const double *row[LANES];
        vec sum[LANES];
        ptrdiff_t j = 0;
        UNROLL for (int q = 0; q < LANES; q++) row[q] = x + (i + (q < some ? q : 0)) * stride, sum[q] = (vec){0};
        for (; j + LANES <= columns; j += LANES)
            UNROLL for (int q = 0; q < LANES; q++) sum[q] += v_load(row[q] + j);
        if (j < columns)
            UNROLL for (int q = 0; q < LANES; q++) sum[q] += v_load_part(row[q] + j, columns - j);
        const vec total = v_sums(sum);
        for (ptrdiff_t q = 0; q < some; q++) totals[rows ? rows[i + q] : (i + q) * step] += total[q];
    }
}

/* --- one sample and one column: products of a matrix and a vector, terms one after another ----- */

INLINE double dot(const double *a, const double *x, ptrdiff_t n) {
    vec sum[4] = {{0}};
    ptrdiff_t k = 0;
    for (; k + 4 * LANES <= n; k += 4 * LANES)
        for (int q = 0; q < 4; q++) sum[q] = v_fma(v_load(a + k + q * LANES), v_load(x + k + q * LANES), sum[q]);
    for (; k + LANES <= n; k += LANES) sum[0] = v_fma(v_load(a + k), v_load(x + k), sum[0]);
    if (k < n) sum[1] = v_fma(v_load_part(a + k, n - k), v_load_part(x + k, n - k), sum[1]);
    const vec all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    double total = 0.0;
    for (int i = 0; i < LANES; i++) total += all[i];
    return total;
}

/* out[k] = factor x[k], or added to what is there */
INLINE void add_scaled(double *out, double factor, const double *x, ptrdiff_t n, int assign) {
    const vec f = v_splat(factor);
    ptrdiff_t k = 0;
    for (; k + LANES <= n; k += LANES)
        v_store(out + k, assign ? f * v_load(x + k) : v_fma(f, v_load(x + k), v_load(out + k)));
    if (k < n) {
        const vec share = v_load_part(x + k, n - k);
        v_store_part(out + k, assign ? f * share : v_fma(f, share, v_load_part(out + k, n - k)), n - k);
    }
}

/* --- dots that share nothing: out[j] = sum over k of a(k, j) b(k, j) --------------------------- */

static void dots(double *out, const double *a, ptrdiff_t a_term, const double *b, ptrdiff_t b_term,
                 ptrdiff_t terms, ptrdiff_t n) {
    ptrdiff_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        vec sum = {0};
        for (ptrdiff_t k = 0; k < terms; k++)
            sum = v_fma(v_load(a + k * a_term + j), v_load(b + k * b_term + j), sum);
        v_store(out + j, sum);
    }
    if (j < n) {
        vec sum = {0};
        for (ptrdiff_t k = 0; k < terms; k++)
            sum = v_fma(v_load_part(a + k * a_term + j, n - j), v_load_part(b + k * b_term + j, n - j), sum);
        v_store_part(out + j, sum, n - j);
    }
}

/* grad[j] = left[j] right[j], or added to what is there */
static void add_product(double *grad, const double *left, const double *right, ptrdiff_t n, int assign) {
    ptrdiff_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        const vec a = v_load(left + j), b = v_load(right + j);
        v_store(grad + j, assign ? a * b : v_fma(a, b, v_load(grad + j)));
    }
    for (; j < n; j++) grad[j] = (assign ? 0.0 : grad[j]) + left[j] * right[j];
}

static void add_rows(double *to, const double *from, ptrdiff_t n) {
    ptrdiff_t j = 0;
    for (; j + LANES <= n; j += LANES) v_store(to + j, v_load(to + j) + v_load(from + j));
    for (; j < n; j++) to[j] += from[j];
}

#endif
