/* Array kernels on two numbers at a time, for any machine. */
#include "map.h"
#include "interpreter.h"

const Interpreter STORED(interpreter_base) = INTERPRETER;
#if !defined(SINGLE)
const Elementwise elementwise_base = {
    "base", map_values, map_pull, {&interpreter_base_double, &interpreter_base_single}};
#endif
