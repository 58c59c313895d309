"""Kernels: a program and its reverse program as the text of one C function.

The function runs a block of samples, one vector of samples at a time. Values and adjoints are local
variables; a loop stays a loop. It repeats the arithmetic of the interpreter step by step, so the bits
are the same. Of a loop, the forward pass stores what the reverse pass needs: the values that iterations
carry and those that are expensive. The reverse pass recomputes the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..backends.kernels import headers
from ..instructions import Dense, Fold, Loop
from ..program import Program
from ..reverse import LoopBack, Pull, Reverse
from .adjoints import Adjoints
from .values import Lanes, NoKernelError, instructions, moving

MOST_STATEMENTS = 20000
MOST_PRODUCTS = 2000  # of numbers in matrix products: the interpreter is faster at large ones

HEAD = """\
#include "kernel.h"
#include "steps.h"
#include "ops_codes.h"
#include "folds.h"

#if defined(ONE)
#define LOAD(p) v_splat(*(p))
#define STORE(p, x) (*(p) = (x)[0])
enum { STEP = 1, some = 1 };
#elif defined(FEW)
#define LOAD(p) v_some(p, some)
#define STORE(p, x) v_put(p, x, some)
enum { STEP = LANES };
#else
#define LOAD(p) v_load(p)
#define STORE(p, x) v_store(p, x)
enum { STEP = LANES, some = LANES };
#endif
#define KEPT(i) (kept + (i) * STEP)
#define ROW(r) (each + (r) * stride)
#define ADJOINT(r) (adjoints + (r) * stride)
#define SHARED(r) v_splat(shared[r])

INLINE vec dot_of(
    const real *a, ptrdiff_t a_step, const real *b, ptrdiff_t b_step, ptrdiff_t terms, ptrdiff_t some) {
    (void)some;
    vec sum = v_splat(0.0);
    for (ptrdiff_t k = 0; k < terms; k++) sum = v_fma(LOAD(a + k * a_step), LOAD(b + k * b_step), sum);
    return sum;
}

/* Whether an index is that of one of `things`. */
INLINE int is_index(double index, int32_t things) {
    return index >= 0.0 && index < things && index == (double)(ptrdiff_t)index;
}

/* These go through the samples one by one: functions, since they would be long where they are used. */
#define CALLED static __attribute__((noinline))

/* What each sample's index selects from shared numbers that are `step` apart. */
CALLED vec take_of(const real *from, ptrdiff_t step, vec index, int32_t things, ptrdiff_t samples) {
    vec found = v_splat(0.0);
    for (int i = 0; i < LANES && i < samples; i++)
        found[i] = is_index(index[i], things) ? from[(ptrdiff_t)index[i] * step] : NAN;
    return found;
}

CALLED void check_index(vec index, int32_t things, ptrdiff_t samples, Wrong *wrong) {
    for (int i = 0; i < LANES && i < samples; i++)
        if (!is_index(index[i], things) && !wrong->things) *wrong = (Wrong){index[i], things};
}

INLINE vec where_wanted(vec wanted, vec share) {
    return v_select(v_unequal(wanted, v_splat(0.0)), share, v_splat(0.0));
}
"""


@dataclass
class Kernel:
    """A text, and how its memory is laid out."""

    text: str
    each_rows: int
    outputs: list[int]  # rows
    guards: list[int]
    kept: int  # numbers kept for the reverse pass
    padded: bool  # whether its rows must be padded to whole vectors
    # To shared numbers: what the machine does after the kernel, for the whole block.
    pulls: list[Pull | LoopBack]


def kernel(program: Program, reverse: Reverse | None, lanes: Lanes) -> Kernel:
    """The kernel of a program; raises NoKernelError if there is none."""
    for each in instructions(program.each):
        if isinstance(each, Fold) and each.op.name not in headers.folds():
            raise NoKernelError(f"it has {each.op.name}")
    if any(
        isinstance(own, Dense) for each in program.each if isinstance(each, Loop) for own in each.body
    ):
        raise NoKernelError("its loops have matrix products")
    sizes = [len(each.writes) * each.terms for each in program.each if isinstance(each, Dense)]
    if sum(sizes) > MOST_PRODUCTS:
        raise NoKernelError("its matrix products are large")
    return _Printer(program, reverse, lanes).kernel()


class _Printer(Adjoints):
    def kernel(self) -> Kernel:
        own = [view for view in self.program.outputs if not view.shared]
        results = [*self.program.outputs, *self.program.guards]
        rows = sorted({view.start for view in results if not view.shared}, key=self.place_of)
        out_rows = {row: self.each_rows + k for k, row in enumerate(rows)}
        self.each_rows += len(rows)
        self.outputs = [
            view.start if view.shared else out_rows[view.start] for view in self.program.outputs
        ]
        self.guards = [
            view.start if view.shared else out_rows[view.start] for view in self.program.guards
        ]
        pulls = self.place_adjoints()
        while True:
            known = len(self.kept), len(self.arrays)
            lines = self.forward()
            for begin, count, step in self.runs(rows):
                text = self.value(rows[begin], step, None)
                line = f"STORE(ROW({moving(out_rows[rows[begin]], min(step, 1))}) + v, {text});"
                lines.append(f"for (ptrdiff_t t = 0; t < {count}; t++) {line}" if step else line)
            for row, place in self.left:
                lines.append(f"STORE(ROW({place}) + v, {self.value(row, 0, None)});")
            if self.reverse is not None:
                lines += self.backward(out_rows, [view.start for view in own[:1]])
            if known == (len(self.kept), len(self.arrays)):
                break
        lines = [*self.offsets(), *self.declared, *lines]
        if len(lines) > MOST_STATEMENTS:
            raise NoKernelError("it is too large")
        if self.lanes is Lanes.FEW:
            lines.insert(0, "const ptrdiff_t some = m->lanes - v < LANES ? m->lanes - v : LANES;")
        text = "\n".join(f"        {line}" for line in lines)
        body = (
            "KERNEL void block(const Memory *m) {\n"
            "    real *const restrict each = m->each, *const restrict adjoints = m->each_adjoint;\n"
            "    real *const restrict kept = m->terms;\n"
            "    const real *const restrict shared = m->shared;\n"
            "    const int32_t *const restrict rows = m->rows;\n"
            "    const ptrdiff_t stride = m->stride;\n"
            "    (void)each, (void)adjoints, (void)kept, (void)shared, (void)rows;\n"
            f"    for (ptrdiff_t v = 0; v < m->lanes; v += STEP) {{\n{text}\n    }}\n}}\n"
        )
        kept = self.total * (1 if self.lanes is Lanes.ONE else 8)
        text = self.lanes.value[1] + HEAD + "\n" + body
        if any(self.is_vector(each) for each in self.program.each if isinstance(each, Dense)):
            text = text.replace('#include "folds.h"\n', '#include "folds.h"\n#include "matrix.h"\n')
        elif self.lanes is Lanes.ONE:  # products with a vector add up in the order of whole vectors
            text = "#define SIMD_ONE\n" + text
        padded = self.lanes is Lanes.MANY
        return Kernel(text, self.each_rows, self.outputs, self.guards, kept, padded, pulls)

    def offsets(self) -> list[str]:
        """Where the numbers of each loop are kept."""
        lines, total = [], 0
        for number, loop in enumerate(self.loops):
            for name, places in (("K", self.kept), ("E", self.arrays)):
                own = [key for key in places if key[0] == number]
                if own:
                    lines.append(f"enum {{ {name}{number} = {total}, N{name}{number} = {len(own)} }};")
                    total += len(own) * loop.count
        for out, count in self.packed.items():
            lines.append(f"enum {{ G{out} = {total}, P{out} = {total + count} }};")
            total += 2 * count
        self.total = total
        return lines
