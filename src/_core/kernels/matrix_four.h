/* Matrix products with four columns, such as the four samples of XOR: two rows per vector of eight.
 *
 * A row of four would leave half of each vector empty. Storing two halves and then loading the whole
 * vector would stall until both stores reach the cache, which takes longer than the arithmetic. */
#ifndef CHAINRULE_MATRIX_FOUR_H
#define CHAINRULE_MATRIX_FOUR_H

/* Four numbers, twice; and two numbers, four times each. */
INLINE vec v_twice(const double *p) { return (vec)_mm512_broadcast_f64x4(_mm256_loadu_pd(p)); }
INLINE vec v_pair(double low, double high) {
    return (vec)_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_set1_pd(low)), _mm256_set1_pd(high), 1);
}

/* Two adjacent rows of a product. */
INLINE void product_two_rows(const Product *p, ptrdiff_t r) {
    const double *a = p->a + r * p->a_row, *start = p->start ? p->start + r * p->start_row : NULL;
    double *out = p->out + r * 4;
    vec sum = start ? v_pair(start[0], start[p->start_row]) : (vec){0};
    for (ptrdiff_t k = 0; k < p->terms; k++, a += p->a_term)
        sum = v_fma(v_pair(a[0], a[p->a_row]), v_twice(p->x + k * p->x_term), sum);
    v_store(out, p->assign ? sum : sum + v_load(out));
}

/* The weights of two rows: multiply, then sum the four columns of each. */
INLINE void outer_two_rows(const Outer *o, ptrdiff_t r, ptrdiff_t k, const vec right[4], ptrdiff_t terms) {
    const vec left = v_load(o->left + r * 4);
    __m512d both[2];
    for (int i = 0; i < 2; i++) {
        const __m512d first = (__m512d)(left * right[2 * i]), second = (__m512d)(left * right[2 * i + 1]);
        both[i] = _mm512_add_pd(_mm512_unpacklo_pd(first, second), _mm512_unpackhi_pd(first, second));
    }
    const __m512d sums = _mm512_add_pd(_mm512_shuffle_f64x2(both[0], both[1], 0x88), _mm512_shuffle_f64x2(both[0], both[1], 0xdd));
    const vec total = (vec)_mm512_shuffle_f64x2(sums, sums, 0xd8); /* four for each row */
    double *weights = o->weights + r * o->weights_row + k * o->weights_term;
    for (int i = 0; i < 2; i++, weights += o->weights_row)
        if (terms == 4 && o->weights_term == 1) {
            const __m256d part = i ? _mm512_extractf64x4_pd((__m512d)total, 1) : _mm512_castpd512_pd256((__m512d)total);
            _mm256_storeu_pd(weights, _mm256_add_pd(_mm256_loadu_pd(weights), part));
        } else
            for (ptrdiff_t q = 0; q < terms; q++) weights[q * o->weights_term] += total[4 * i + q];
}

/* The weights of the last row, if the number of rows is odd. */
INLINE void outer_one_row(const Outer *o, ptrdiff_t r, ptrdiff_t k, const vec right[4], ptrdiff_t terms) {
    const __m256d left = _mm256_loadu_pd(o->left + r * 4);
    __m256d product[4];
    for (int q = 0; q < 4; q++) product[q] = _mm256_mul_pd(left, _mm512_castpd512_pd256((__m512d)right[q]));
    const __m256d first = _mm256_hadd_pd(product[0], product[1]), second = _mm256_hadd_pd(product[2], product[3]);
    const __m256d total = _mm256_add_pd(_mm256_permute2f128_pd(first, second, 0x20), _mm256_permute2f128_pd(first, second, 0x31));
    double *weights = o->weights + r * o->weights_row + k * o->weights_term;
    for (ptrdiff_t q = 0; q < terms; q++) weights[q * o->weights_term] += total[q];
}

/* Computes pairs of rows, and returns how many rows it computed. */
static ptrdiff_t product_four(const Product *p) {
    if (p->columns != 4 || p->out_row != 4) return 0;
    ptrdiff_t r = 0;
    for (; r + 2 <= p->rows; r += 2) product_two_rows(p, r);
    return r;
}

/* Returns whether it applied. */
static int outer_four(const Outer *o) {
    if (o->columns != 4 || o->left_row != 4) return 0;
    for (ptrdiff_t k = 0; k < o->terms; k += 4) {
        const ptrdiff_t terms = o->terms - k < 4 ? o->terms - k : 4;
        vec right[4];
        for (int q = 0; q < 4; q++) right[q] = v_twice(o->right + (k + (q < terms ? q : 0)) * o->right_row);
        ptrdiff_t r = 0;
        for (; r + 2 <= o->rows; r += 2) outer_two_rows(o, r, k, right, terms);
        if (r < o->rows) outer_one_row(o, r, k, right, terms);
    }
    return 1;
}

/* The sums of four adjacent rows of four. */
INLINE __m256d sums_four(const double *x) {
    const __m512d first = _mm512_loadu_pd(x), second = _mm512_loadu_pd(x + 8);
    const __m512d pairs = _mm512_add_pd(_mm512_unpacklo_pd(first, second), _mm512_unpackhi_pd(first, second));
    const __m512d all = _mm512_add_pd(pairs, _mm512_shuffle_f64x2(pairs, pairs, 0xb1)); /* 0 2 0 2 1 3 1 3 */
    return _mm512_castpd512_pd256(_mm512_permutexvar_pd(_mm512_set_epi64(0, 0, 0, 0, 5, 1, 4, 0), all));
}

#endif
