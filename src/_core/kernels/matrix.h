/* Matrix products on rows of samples: out(r, j) = sum over k of a(r, k) x(k, j).
 *
 * A tile of results stays in registers while k runs; each row of x is loaded once for all rows of the
 * tile. The tile size is a compile-time constant wherever the function is inlined. */
#ifndef CHAINRULE_MATRIX_H
#define CHAINRULE_MATRIX_H

#include "simd.h"

enum { TILE_ROWS = LANES == 8 ? 8 : 4, TILE_VECS = LANES == 8 ? 3 : 2, WEIGHT_ROWS = 3 };

/* Goes before loops over a tile: without unrolling, the tile would not stay in registers. */
#define UNROLL _Pragma("GCC unroll 8")

#if defined(__x86_64__)
#define KEEP_IN_REGISTER(x) __asm__("" : "+v"(x))
#else
#define KEEP_IN_REGISTER(x) (void)0
#endif

typedef struct {
    const real *a;
    ptrdiff_t a_row, a_term; /* strides in r and in k */
    const real *x;
    ptrdiff_t x_term;
    real *out;
    ptrdiff_t out_row;
    ptrdiff_t rows, terms, columns;
    int assign; /* otherwise add to the output */
    const real *start; /* initial values b(r) of the sums, or NULL */
    ptrdiff_t start_row;
} Product;

/* weights(r, k) += sum over j of left(r, j) right(k, j) */
typedef struct {
    const real *left;
    ptrdiff_t left_row;
    const real *right;
    ptrdiff_t right_row;
    real *weights;
    ptrdiff_t weights_row, weights_term;
    ptrdiff_t rows, terms, columns;
} Outer;

/* Only `last` elements of the last vector are used: WIDE of them, or fewer at the end of a row. */
INLINE void product_tile(const Product *p, ptrdiff_t r, ptrdiff_t j, const int rows, const int vecs,
                         const ptrdiff_t last) {
    wide sum[TILE_ROWS][TILE_VECS];
    const real *a = p->a + r * p->a_row, *x = p->x + j;
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int v = 0; v < vecs; v++) sum[i][v] = w_splat(p->start ? p->start[(r + i) * p->start_row] : 0);
    for (ptrdiff_t k = 0; k < p->terms; k++, a += p->a_term, x += p->x_term) {
        wide row[TILE_VECS];
        UNROLL for (int v = 0; v < vecs; v++)
            row[v] = v == vecs - 1 && last < WIDE ? w_load_part(x + v * WIDE, last) : w_load(x + v * WIDE);
        UNROLL for (int i = 0; i < rows; i++) {
            const wide factor = w_splat(a[i * p->a_row]);
            UNROLL for (int v = 0; v < vecs; v++) sum[i][v] = w_fma(factor, row[v], sum[i][v]);
        }
    }
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int v = 0; v < vecs; v++) {
            real *out = p->out + (r + i) * p->out_row + j + v * WIDE;
            if (v == vecs - 1 && last < WIDE)
                w_store_part(out, p->assign ? sum[i][v] : sum[i][v] + w_load_part(out, last), last);
            else
                w_store(out, p->assign ? sum[i][v] : sum[i][v] + w_load(out));
        }
}

#define TILES(size) \
    for (; r + size <= p->rows; r += size) product_tile(p, r, j, size, vecs, last);

INLINE void product_columns(const Product *p, ptrdiff_t j, const int vecs, const ptrdiff_t last) {
    ptrdiff_t r = 0;
    if (TILE_ROWS == 8) TILES(8)
    TILES(4)
    TILES(2)
    TILES(1)
}

static void matrix_product(const Product *p) {
    ptrdiff_t j = 0;
    for (; j + TILE_VECS * WIDE <= p->columns; j += TILE_VECS * WIDE) product_columns(p, j, TILE_VECS, WIDE);
    for (; j + WIDE <= p->columns; j += WIDE) product_columns(p, j, 1, WIDE);
    if (j < p->columns) product_columns(p, j, 1, p->columns - j);
}

/* Sum each of LANES vectors, and return the sums as one vector. */
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

INLINE vec w_sums(const wide *a) {
    vec folded[LANES];
    UNROLL for (int q = 0; q < LANES; q++) folded[q] = v_folded(a[q]);
    return v_sums(folded);
}

/* Add to the weights of row r, starting at term k. */
INLINE void add_weights(const Outer *o, ptrdiff_t r, ptrdiff_t k, ptrdiff_t terms, vec total) {
    real *weights = o->weights + r * o->weights_row + k * o->weights_term;
    if (o->weights_term == 1 && terms == LANES)
        v_store(weights, v_load(weights) + total);
    else
        for (ptrdiff_t q = 0; q < terms; q++) weights[q * o->weights_term] += (real)total[q];
}

/* Only `terms` of the LANES right rows are used; the results of the others are discarded. */
INLINE void outer_tile(const Outer *o, ptrdiff_t r, ptrdiff_t k, const int rows, ptrdiff_t terms) {
    wide sum[WEIGHT_ROWS][LANES];
    const real *left = o->left + r * o->left_row, *right[LANES];
    UNROLL for (int q = 0; q < LANES; q++) right[q] = o->right + (k + (q < terms ? q : 0)) * o->right_row;
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int q = 0; q < LANES; q++) sum[i][q] = (wide){0};
    ptrdiff_t j = 0;
    for (; j + WIDE <= o->columns; j += WIDE) {
        wide row[WEIGHT_ROWS];
        UNROLL for (int i = 0; i < rows; i++) row[i] = w_load(left + i * o->left_row + j);
        UNROLL for (int q = 0; q < LANES; q++) {
            wide x = w_load(right[q] + j);
            KEEP_IN_REGISTER(x); /* otherwise it is reloaded for each row */
            UNROLL for (int i = 0; i < rows; i++) sum[i][q] = w_fma(row[i], x, sum[i][q]);
        }
    }
    if (j < o->columns) {
        const ptrdiff_t last = o->columns - j;
        UNROLL for (int q = 0; q < LANES; q++) {
            const wide x = w_load_part(right[q] + j, last);
            UNROLL for (int i = 0; i < rows; i++)
                sum[i][q] = w_fma(w_load_part(left + i * o->left_row + j, last), x, sum[i][q]);
        }
    }
    UNROLL for (int i = 0; i < rows; i++) add_weights(o, r + i, k, terms, w_sums(sum[i]));
}

/* At most one vector of samples: the right rows stay in registers, and each left row yields LANES weights. */
INLINE void outer_few(const Outer *o, const ptrdiff_t some) {
    for (ptrdiff_t k = 0; k < o->terms; k += LANES) {
        const ptrdiff_t terms = o->terms - k < LANES ? o->terms - k : LANES;
        wide right[LANES], products[LANES];
        UNROLL for (int q = 0; q < LANES; q++)
            right[q] = w_some(o->right + (k + (q < terms ? q : 0)) * o->right_row, some);
        for (ptrdiff_t r = 0; r < o->rows; r++) {
            const wide left = w_some(o->left + r * o->left_row, some);
            UNROLL for (int q = 0; q < LANES; q++) products[q] = left * right[q];
            add_weights(o, r, k, terms, w_sums(products));
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

#if defined(SINGLE)
/* A plain product with the right rows turned into columns, for many rows: otherwise adding up 16 floats for each
 * weight takes longer than the products. */
static void outer_turned(const Outer *o) {
    enum { WIDTH = TILE_VECS * WIDE, DEPTH = 128 };
    real turned[DEPTH * WIDTH];
    for (ptrdiff_t k = 0; k < o->terms; k += WIDTH)
        for (ptrdiff_t j = 0; j < o->columns; j += DEPTH) {
            const ptrdiff_t width = o->terms - k < WIDTH ? o->terms - k : WIDTH;
            const ptrdiff_t depth = o->columns - j < DEPTH ? o->columns - j : DEPTH;
            for (ptrdiff_t i = 0; i < depth; i++)
                for (ptrdiff_t q = 0; q < width; q++) turned[i * WIDTH + q] = o->right[(k + q) * o->right_row + j + i];
            const Product p = {o->left + j, o->left_row, 1, turned, WIDTH, o->weights + k, o->weights_row, o->rows, depth, width, 0, NULL, 0};
            matrix_product(&p);
        }
}
#endif

static void outer(const Outer *o) {
    if (o->columns == WIDE)
        outer_few(o, WIDE);
    else if (o->columns < WIDE)
        outer_few(o, o->columns);
#if defined(SINGLE)
    else if (o->rows >= 32 && o->weights_term == 1)
        outer_turned(o);
#endif
    else if (o->terms < LANES && o->rows > o->terms) { /* swapping the roles wastes fewer lanes */
        const Outer other = {o->right,        o->right_row,   o->left,  o->left_row, o->weights,
                             o->weights_term, o->weights_row, o->terms, o->rows,     o->columns};
        outer_many(&other);
    } else
        outer_many(o);
}

/* Add the sum of row i to totals[rows[i]], or to totals[i step] if `rows` is NULL, LANES at a time. */
static void sum_rows(const real *x, ptrdiff_t stride, ptrdiff_t count, ptrdiff_t columns, real *totals,
                     const int32_t *rows, ptrdiff_t step) {
    for (ptrdiff_t i = 0; i < count; i += LANES) {
        const ptrdiff_t some = count - i < LANES ? count - i : LANES;
        const real *row[LANES];
        wide sum[LANES];
        ptrdiff_t j = 0;
        UNROLL for (int q = 0; q < LANES; q++) row[q] = x + (i + (q < some ? q : 0)) * stride, sum[q] = (wide){0};
        for (; j + WIDE <= columns; j += WIDE)
            UNROLL for (int q = 0; q < LANES; q++) sum[q] += w_load(row[q] + j);
        if (j < columns)
            UNROLL for (int q = 0; q < LANES; q++) sum[q] += w_load_part(row[q] + j, columns - j);
        const vec total = w_sums(sum);
        for (ptrdiff_t q = 0; q < some; q++) totals[rows ? rows[i + q] : (i + q) * step] += (real)total[q];
    }
}

/* --- one sample and one column: matrix-vector products with contiguous terms -------------------- */

INLINE double dot(const real *a, const real *x, ptrdiff_t n) {
    wide sum[4] = {{0}};
    ptrdiff_t k = 0;
    for (; k + 4 * WIDE <= n; k += 4 * WIDE)
        for (int q = 0; q < 4; q++) sum[q] = w_fma(w_load(a + k + q * WIDE), w_load(x + k + q * WIDE), sum[q]);
    for (; k + WIDE <= n; k += WIDE) sum[0] = w_fma(w_load(a + k), w_load(x + k), sum[0]);
    if (k < n) sum[1] = w_fma(w_load_part(a + k, n - k), w_load_part(x + k, n - k), sum[1]);
    const vec all = v_folded((sum[0] + sum[1]) + (sum[2] + sum[3]));
    double total = 0.0;
    for (int i = 0; i < LANES; i++) total += all[i];
    return total;
}

/* out[k] = factor x[k], or out[k] += factor x[k] */
INLINE void add_scaled(real *out, real factor, const real *x, ptrdiff_t n, int assign) {
    const wide f = w_splat(factor);
    ptrdiff_t k = 0;
    for (; k + WIDE <= n; k += WIDE)
        w_store(out + k, assign ? f * w_load(x + k) : w_fma(f, w_load(x + k), w_load(out + k)));
    if (k < n) {
        const wide share = w_load_part(x + k, n - k);
        w_store_part(out + k, assign ? f * share : w_fma(f, share, w_load_part(out + k, n - k)), n - k);
    }
}

/* --- dot products without a shared operand: out[j] = sum over k of a(k, j) b(k, j) ------------- */

static void dots(real *out, const real *a, ptrdiff_t a_term, const real *b, ptrdiff_t b_term,
                 ptrdiff_t terms, ptrdiff_t n) {
    ptrdiff_t j = 0;
    for (; j + WIDE <= n; j += WIDE) {
        wide sum = {0};
        for (ptrdiff_t k = 0; k < terms; k++)
            sum = w_fma(w_load(a + k * a_term + j), w_load(b + k * b_term + j), sum);
        w_store(out + j, sum);
    }
    if (j < n) {
        wide sum = {0};
        for (ptrdiff_t k = 0; k < terms; k++)
            sum = w_fma(w_load_part(a + k * a_term + j, n - j), w_load_part(b + k * b_term + j, n - j), sum);
        w_store_part(out + j, sum, n - j);
    }
}

/* grad[j] = left[j] right[j], or grad[j] += left[j] right[j] */
static void add_product(real *grad, const real *left, const real *right, ptrdiff_t n, int assign) {
    ptrdiff_t j = 0;
    for (; j + WIDE <= n; j += WIDE) {
        const wide a = w_load(left + j), b = w_load(right + j);
        w_store(grad + j, assign ? a * b : w_fma(a, b, w_load(grad + j)));
    }
    if (j < n) {
        const wide a = w_load_part(left + j, n - j), b = w_load_part(right + j, n - j);
        w_store_part(grad + j, assign ? a * b : w_fma(a, b, w_load_part(grad + j, n - j)), n - j);
    }
}

static void add_rows(real *to, const real *from, ptrdiff_t n) {
    ptrdiff_t j = 0;
    for (; j + WIDE <= n; j += WIDE) w_store(to + j, w_load(to + j) + w_load(from + j));
    for (; j < n; j++) to[j] += from[j];
}

#endif
