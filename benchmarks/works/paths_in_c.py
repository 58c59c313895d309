"""The path model of pricing.py in C: value and gradient in one pass over each vector of paths."""

from __future__ import annotations

import numpy as np
import programs
from measure import Work
from works import spelling

IN_C = """
#include "vmath.h"
#define STEPS %d
#define VOL_OF_VOL %r
#define CORRELATION %r
#define RATE %r
#define STRIKE %r

/* n paths, a multiple of LANES; shocks: one row per step for the spot, then for the volatility.
   result: the mean payoff and its derivatives. */
void paths(int n, const double *start, const double *shocks, double *result) {
    const double time = 1.0 / STEPS, root = sqrt(time), speed = start[2], level = start[3];
    const double own = VOL_OF_VOL * root * sqrt(1.0 - CORRELATION * CORRELATION);
    const double mixed = VOL_OF_VOL * root * CORRELATION;
    const double log_spot = log(start[0]), log_vol = log(start[1]);
    const double discount = exp(-RATE), *others = shocks + (size_t)STEPS * n;
    double total = 0.0, dspot = 0.0, dvol = 0.0, dspeed = 0.0, dlevel = 0.0;
#pragma omp parallel for num_threads(2) reduction(+ : total, dspot, dvol, dspeed, dlevel)
    for (int v = 0; v < n; v += LANES) {
        vec logs[STEPS], vols[STEPS], x = v_splat(log_spot), y = v_splat(log_vol);
        for (int t = 0; t < STEPS; t++) {
            const vec shock = v_load(shocks + (size_t)t * n + v), vol = v_exp(y);
            const vec other = v_load(others + (size_t)t * n + v);
            logs[t] = y, vols[t] = vol;
            x += (RATE - 0.5 * vol * vol) * time + vol * (root * shock);
            y += (speed * time) * (level - y) + (mixed * shock + own * other);
        }
        const vec spot = v_exp(x), zero = v_splat(0.0);
        const mask paid = v_less(v_splat(STRIKE), spot);
        const vec payoff = v_select(paid, discount * (spot - STRIKE), zero);
        const vec dx = v_select(paid, discount * spot, zero);
        vec dy = zero, dk = zero, dm = zero;
        for (int t = STEPS - 1; t >= 0; t--) {
            const vec shock = v_load(shocks + (size_t)t * n + v), vol = vols[t];
            dk += dy * (level - logs[t]);
            dm += dy;
            dy = dy * (1.0 - speed * time) + dx * vol * (root * shock - time * vol);
        }
        for (int i = 0; i < LANES; i++) {
            total += payoff[i], dspot += dx[i], dvol += dy[i], dspeed += dk[i] * time;
            dlevel += dm[i] * (speed * time);
        }
    }
    const double found[] = {total, dspot / start[0], dvol / start[1], dspeed, dlevel};
    for (int i = 0; i < 5; i++) result[i] = found[i] / n;
}
"""


def c_paths(shocks: np.ndarray) -> Work:
    """One row of shocks for each step, one column for each path."""
    constants = programs.VOL_OF_VOL, programs.CORRELATION, programs.RATE, programs.STRIKE
    source = IN_C % (len(shocks) // 2, *constants)
    function, start = spelling.built_with_vectors(source).paths, np.array(programs.START)
    return spelling.called(function, shocks.shape[1], [start, shocks], np.empty(5))
