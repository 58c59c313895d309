/* Array kernels on two numbers at a time, for any machine. */
#include "map.h"
#include "interpreter.h"

const Interpreter interpreter_base_double = INTERPRETER;
const Elementwise elementwise_base = {"base", map_values, map_pull};
