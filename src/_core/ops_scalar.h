/* Generated from src/chainrule/ops.py by tools/gen_ops.py: do not edit. */

enum {
    OP_ADD = 1,
    OP_SUB = 2,
    OP_MUL = 3,
    OP_DIV = 4,
    OP_POW = 5,
    OP_NEG = 6,
    OP_POS = 7,
    OP_STOP_GRADIENT = 8,
    OP_ABS = 9,
    OP_LESS = 10,
    OP_LESS_EQUAL = 11,
    OP_EQUAL = 12,
    OP_WHERE = 13,
    OP_MAXIMUM = 14,
    OP_MINIMUM = 15,
    OP_EXP = 16,
    OP_EXPM1 = 17,
    OP_LOG = 18,
    OP_LOG1P = 19,
    OP_LOG2 = 20,
    OP_LOG10 = 21,
    OP_SQRT = 22,
    OP_CBRT = 23,
    OP_SIN = 24,
    OP_COS = 25,
    OP_TAN = 26,
    OP_ASIN = 27,
    OP_ACOS = 28,
    OP_ATAN = 29,
    OP_SINH = 30,
    OP_COSH = 31,
    OP_TANH = 32,
    OP_ASINH = 33,
    OP_ACOSH = 34,
    OP_ATANH = 35,
    OP_HYPOT = 36,
    OP_ATAN2 = 37,
    OP_ERF = 38,
    OP_ERFC = 39,
    OP_SIGMOID = 40,
    OP_SOFTPLUS = 41,
    OP_RELU = 42,
    OP_LEAKY_RELU = 43,
    OP_ELU = 44,
    OP_SILU = 45,
    OP_GELU = 46,
    OP_SUM = 47,
    OP_MEAN = 48,
    OP_PROD = 49,
    OP_DOT = 50,
    OP_LOGSUMEXP = 51,
    OP_MAX = 52,
    OP_MIN = 53,
    OP_END = 54
};

/* name, symbol, arity, defaults, differentiable, selects, width, least, default */
static const Row ROWS[OP_END] = {
    [OP_ADD] = {"add", "+", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_SUB] = {"sub", "-", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_MUL] = {"mul", "*", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_DIV] = {"div", "/", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_POW] = {"pow", "**", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_NEG] = {"neg", "neg", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_POS] = {"pos", "pos", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_STOP_GRADIENT] = {"stop_gradient", "stop_gradient", 1, 0, 0x0, 0, 0, 0, 0.0},
    [OP_ABS] = {"abs", "abs", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LESS] = {"less", "<", 2, 0, 0x0, 0, 0, 0, 0.0},
    [OP_LESS_EQUAL] = {"less_equal", "<=", 2, 0, 0x0, 0, 0, 0, 0.0},
    [OP_EQUAL] = {"equal", "==", 2, 0, 0x0, 0, 0, 0, 0.0},
    [OP_WHERE] = {"where", "where", 3, 0, 0x6, 1, 0, 0, 0.0},
    [OP_MAXIMUM] = {"maximum", "maximum", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_MINIMUM] = {"minimum", "minimum", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_EXP] = {"exp", "exp", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_EXPM1] = {"expm1", "expm1", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LOG] = {"log", "log", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LOG1P] = {"log1p", "log1p", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LOG2] = {"log2", "log2", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LOG10] = {"log10", "log10", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_SQRT] = {"sqrt", "sqrt", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_CBRT] = {"cbrt", "cbrt", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_SIN] = {"sin", "sin", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_COS] = {"cos", "cos", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_TAN] = {"tan", "tan", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ASIN] = {"asin", "asin", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ACOS] = {"acos", "acos", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ATAN] = {"atan", "atan", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_SINH] = {"sinh", "sinh", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_COSH] = {"cosh", "cosh", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_TANH] = {"tanh", "tanh", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ASINH] = {"asinh", "asinh", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ACOSH] = {"acosh", "acosh", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ATANH] = {"atanh", "atanh", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_HYPOT] = {"hypot", "hypot", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_ATAN2] = {"atan2", "atan2", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_ERF] = {"erf", "erf", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ERFC] = {"erfc", "erfc", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_SIGMOID] = {"sigmoid", "sigmoid", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_SOFTPLUS] = {"softplus", "softplus", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_RELU] = {"relu", "relu", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LEAKY_RELU] = {"leaky_relu", "leaky_relu", 2, 1, 0x3, 0, 0, 0, 0.01},
    [OP_ELU] = {"elu", "elu", 2, 1, 0x3, 0, 0, 0, 1.0},
    [OP_SILU] = {"silu", "silu", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_GELU] = {"gelu", "gelu", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_SUM] = {"sum", "sum", 0, 0, 0xff, 0, 1, 0, 0.0},
    [OP_MEAN] = {"mean", "mean", 0, 0, 0xff, 0, 1, 1, 0.0},
    [OP_PROD] = {"prod", "prod", 0, 0, 0xff, 0, 1, 0, 0.0},
    [OP_DOT] = {"dot", "dot", 0, 0, 0xff, 0, 2, 0, 0.0},
    [OP_LOGSUMEXP] = {"logsumexp", "logsumexp", 0, 0, 0xff, 0, 1, 1, 0.0},
    [OP_MAX] = {"max", "max", 0, 0, 0xff, 0, 1, 1, 0.0},
    [OP_MIN] = {"min", "min", 0, 0, 0xff, 0, 1, 1, 0.0},
};

/* The rows as methods and functions: (code, name, what it says). */
#define FIXED_METHODS(X) \
    X(OP_ADD, add, "x + y") \
    X(OP_SUB, sub, "x - y") \
    X(OP_MUL, mul, "x * y") \
    X(OP_DIV, div, "x / y; a zero divisor gives inf or NaN") \
    X(OP_POW, pow, "x to the power y over the reals") \
    X(OP_NEG, neg, "-x") \
    X(OP_POS, pos, "x itself, as a node of its own") \
    X(OP_STOP_GRADIENT, stop_gradient, "x itself, as a constant: no gradient") \
    X(OP_ABS, abs, "the absolute value; the derivative at 0 is 0") \
    X(OP_LESS, less, "1 if x < y, else 0") \
    X(OP_LESS_EQUAL, less_equal, "1 if x <= y, else 0") \
    X(OP_EQUAL, equal, "1 if x == y, else 0") \
    X(OP_MAXIMUM, maximum, "the larger of two; on a tie each gets half of the gradient") \
    X(OP_MINIMUM, minimum, "the smaller of two; on a tie each gets half of the gradient") \
    X(OP_EXP, exp, "e to the power x") \
    X(OP_EXPM1, expm1, "exp(x) - 1, exact near 0") \
    X(OP_LOG, log, "the natural logarithm") \
    X(OP_LOG1P, log1p, "log(1 + x), exact near 0") \
    X(OP_LOG2, log2, "the logarithm to base 2") \
    X(OP_LOG10, log10, "the logarithm to base 10") \
    X(OP_SQRT, sqrt, "the square root; the derivative at 0 is inf") \
    X(OP_CBRT, cbrt, "the cube root; the derivative at 0 is inf") \
    X(OP_SIN, sin, "the sine of x radians") \
    X(OP_COS, cos, "the cosine of x radians") \
    X(OP_TAN, tan, "the tangent of x radians") \
    X(OP_ASIN, asin, "the angle in radians whose sine is x") \
    X(OP_ASIN, arcsin, "the angle in radians whose sine is x") \
    X(OP_ACOS, acos, "the angle in radians whose cosine is x") \
    X(OP_ACOS, arccos, "the angle in radians whose cosine is x") \
    X(OP_ATAN, atan, "the angle in radians whose tangent is x") \
    X(OP_ATAN, arctan, "the angle in radians whose tangent is x") \
    X(OP_SINH, sinh, "the hyperbolic sine") \
    X(OP_COSH, cosh, "the hyperbolic cosine") \
    X(OP_TANH, tanh, "the hyperbolic tangent") \
    X(OP_ASINH, asinh, "the inverse hyperbolic sine") \
    X(OP_ASINH, arcsinh, "the inverse hyperbolic sine") \
    X(OP_ACOSH, acosh, "the inverse hyperbolic cosine") \
    X(OP_ACOSH, arccosh, "the inverse hyperbolic cosine") \
    X(OP_ATANH, atanh, "the inverse hyperbolic tangent") \
    X(OP_ATANH, arctanh, "the inverse hyperbolic tangent") \
    X(OP_HYPOT, hypot, "√(x² + y²) without overflow; the derivatives at the origin are 0") \
    X(OP_ATAN2, atan2, "the angle of the point (x, y), called as atan2(y, x); the derivatives at the origin are 0") \
    X(OP_ATAN2, arctan2, "the angle of the point (x, y), called as atan2(y, x); the derivatives at the origin are 0") \
    X(OP_ERF, erf, "the error function") \
    X(OP_ERFC, erfc, "1 - erf(x), exact in the tail") \
    X(OP_SIGMOID, sigmoid, "1 / (1 + exp(-x)) without overflow") \
    X(OP_SOFTPLUS, softplus, "log(1 + exp(x)) without overflow") \
    X(OP_RELU, relu, "x if positive, else 0; the derivative at 0 is 0") \
    X(OP_LEAKY_RELU, leaky_relu, "x if positive, else negative_slope * x; the derivative at 0 is negative_slope") \
    X(OP_ELU, elu, "x if positive, else alpha * (exp(x) - 1)") \
    X(OP_SILU, silu, "x * sigmoid(x)") \
    X(OP_GELU, gelu, "x times the normal distribution function of x")

#define VARIADIC_METHODS(X) \
    X(OP_SUM, sum, "the sum, added from left to right") \
    X(OP_MEAN, mean, "the arithmetic mean") \
    X(OP_PROD, prod, "the product, multiplied from left to right") \
    X(OP_DOT, dot, "x1 * y1 + x2 * y2 + ..., added from left to right") \
    X(OP_LOGSUMEXP, logsumexp, "log(exp(x1) + exp(x2) + ...) without overflow; its gradient is the softmax") \
    X(OP_MAX, max, "the largest; ties share the gradient equally") \
    X(OP_MIN, min, "the smallest; ties share the gradient equally")

static inline double op_add(double x, double y);
static inline double op_sub(double x, double y);
static inline double op_mul(double x, double y);
static inline double op_div(double x, double y);
static inline double op_pow(double x, double y);
static inline double op_neg(double x);
static inline double op_pos(double x);
static inline double op_stop_gradient(double x);
static inline double op_abs(double x);
static inline double op_less(double x, double y);
static inline double op_less_equal(double x, double y);
static inline double op_equal(double x, double y);
static inline double op_where(double x, double y, double z);
static inline double op_maximum(double x, double y);
static inline double op_minimum(double x, double y);
static inline double op_exp(double x);
static inline double op_expm1(double x);
static inline double op_log(double x);
static inline double op_log1p(double x);
static inline double op_log2(double x);
static inline double op_log10(double x);
static inline double op_sqrt(double x);
static inline double op_cbrt(double x);
static inline double op_sin(double x);
static inline double op_cos(double x);
static inline double op_tan(double x);
static inline double op_asin(double x);
static inline double op_acos(double x);
static inline double op_atan(double x);
static inline double op_sinh(double x);
static inline double op_cosh(double x);
static inline double op_tanh(double x);
static inline double op_asinh(double x);
static inline double op_acosh(double x);
static inline double op_atanh(double x);
static inline double op_hypot(double x, double y);
static inline double op_atan2(double x, double y);
static inline double op_erf(double x);
static inline double op_erfc(double x);
static inline double op_sigmoid(double x);
static inline double op_softplus(double x);
static inline double op_relu(double x);
static inline double op_leaky_relu(double x, double y);
static inline double op_elu(double x, double y);
static inline double op_silu(double x);
static inline double op_gelu(double x);

static inline double op_add(double x, double y) {
    return x + y;
}

static inline double op_sub(double x, double y) {
    return x - y;
}

static inline double op_mul(double x, double y) {
    return x * y;
}

static inline double op_div(double x, double y) {
    return x / y;
}

static inline double op_pow(double x, double y) {
    return pow(x, y);
}

static inline double op_neg(double x) {
    return -x;
}

static inline double op_pos(double x) {
    return x;
}

static inline double op_stop_gradient(double x) {
    return x;
}

static inline double op_abs(double x) {
    return fabs(x);
}

static inline double op_less(double x, double y) {
    return (x < y ? 1.0 : 0.0);
}

static inline double op_less_equal(double x, double y) {
    return (x <= y ? 1.0 : 0.0);
}

static inline double op_equal(double x, double y) {
    return (x == y ? 1.0 : 0.0);
}

static inline double op_where(double x, double y, double z) {
    return (x != 0.0 ? y : z);
}

static inline double op_maximum(double x, double y) {
    double t1;
    if (y < x) {
        t1 = x;
    } else {
        double t2;
        if (x < y) {
            t2 = y;
        } else {
            double t3;
            if (x == y) {
                t3 = x;
            } else {
                const double t4 = x + y;
                t3 = t4;
            }
            t2 = t3;
        }
        t1 = t2;
    }
    return t1;
}

static inline double op_minimum(double x, double y) {
    double t1;
    if (x < y) {
        t1 = x;
    } else {
        double t2;
        if (y < x) {
            t2 = y;
        } else {
            double t3;
            if (x == y) {
                t3 = x;
            } else {
                const double t4 = x + y;
                t3 = t4;
            }
            t2 = t3;
        }
        t1 = t2;
    }
    return t1;
}

static inline double op_exp(double x) {
    return exp(x);
}

static inline double op_expm1(double x) {
    return expm1(x);
}

static inline double op_log(double x) {
    return log(x);
}

static inline double op_log1p(double x) {
    return log1p(x);
}

static inline double op_log2(double x) {
    return log2(x);
}

static inline double op_log10(double x) {
    return log10(x);
}

static inline double op_sqrt(double x) {
    return sqrt(x);
}

static inline double op_cbrt(double x) {
    const double t1 = x < 0.0 ? (-1.0) : 1.0;
    double t2;
    if (x < 0.0) {
        const double t3 = -x;
        t2 = t3;
    } else {
        t2 = x;
    }
    double t4;
    if (0.0 < t2 && t2 < INFINITY) {
        double t5;
        if (t2 < 1e-200) {
            double t6;
            if (t2 < 1e-200) {
                const double t7 = t2 * 4.149515568880993e+180;
                t6 = t7;
            } else {
                t6 = t2;
            }
            const double t8 = pow(t6, 0.3333333333333333);
            const double t9 = t8 * 68719476737.0;
            const double t10 = t9 - t8;
            const double t11 = t9 - t10;
            const double t12 = t11 * t11;
            const double t13 = t12 * t11;
            const double t14 = t6 - t13;
            const double t15 = t14 / t13;
            const double t16 = t15 * 0.06172839506172839;
            const double t17 = 0.1111111111111111 - t16;
            const double t18 = t15 * t17;
            const double t19 = 0.3333333333333333 - t18;
            const double t20 = t15 * t19;
            const double t21 = t11 * t20;
            const double t22 = t11 + t21;
            const double t23 = t22 * 6.223015277861142e-61;
            t5 = t23;
        } else {
            double t24;
            if (t2 < 1e-200) {
                const double t25 = t2 * 4.149515568880993e+180;
                t24 = t25;
            } else {
                t24 = t2;
            }
            const double t26 = pow(t24, 0.3333333333333333);
            const double t27 = t26 * 68719476737.0;
            const double t28 = t27 - t26;
            const double t29 = t27 - t28;
            const double t30 = t29 * t29;
            const double t31 = t30 * t29;
            const double t32 = t24 - t31;
            const double t33 = t32 / t31;
            const double t34 = t33 * 0.06172839506172839;
            const double t35 = 0.1111111111111111 - t34;
            const double t36 = t33 * t35;
            const double t37 = 0.3333333333333333 - t36;
            const double t38 = t33 * t37;
            const double t39 = t29 * t38;
            const double t40 = t29 + t39;
            t5 = t40;
        }
        t4 = t5;
    } else {
        t4 = t2;
    }
    const double t41 = t1 * t4;
    return t41;
}

static inline double op_sin(double x) {
    return sin(x);
}

static inline double op_cos(double x) {
    return cos(x);
}

static inline double op_tan(double x) {
    return tan(x);
}

static inline double op_asin(double x) {
    return asin(x);
}

static inline double op_acos(double x) {
    return acos(x);
}

static inline double op_atan(double x) {
    return atan(x);
}

static inline double op_sinh(double x) {
    return sinh(x);
}

static inline double op_cosh(double x) {
    return cosh(x);
}

static inline double op_tanh(double x) {
    return tanh(x);
}

static inline double op_asinh(double x) {
    return asinh(x);
}

static inline double op_acosh(double x) {
    return acosh(x);
}

static inline double op_atanh(double x) {
    return atanh(x);
}

static inline double op_hypot(double x, double y) {
    double t1;
    if (x < 0.0) {
        const double t2 = -x;
        t1 = t2;
    } else {
        t1 = x;
    }
    double t3;
    if (t1 == INFINITY) {
        t3 = 1.0;
    } else {
        double t4;
        if (y < 0.0) {
            const double t5 = -y;
            t4 = t5;
        } else {
            t4 = y;
        }
        const double t6 = (t4 == INFINITY ? 1.0 : 0.0);
        t3 = t6;
    }
    double t7;
    if (t3 != 0.0) {
        t7 = INFINITY;
    } else {
        double t8;
        if (y < 0.0) {
            const double t9 = -y;
            t8 = t9;
        } else {
            t8 = y;
        }
        double t10;
        if (t1 < t8) {
            t10 = t8;
        } else {
            t10 = t1;
        }
        double t11;
        if (t10 == 0.0) {
            const double t12 = t1 + t8;
            t11 = t12;
        } else {
            double t13;
            if (t1 < t8) {
                t13 = t1;
            } else {
                t13 = t8;
            }
            const double t14 = t13 / t10;
            const double t15 = t14 * t14;
            const double t16 = 1.0 + t15;
            const double t17 = sqrt(t16);
            const double t18 = t10 * t17;
            t11 = t18;
        }
        t7 = t11;
    }
    return t7;
}

static inline double op_atan2(double x, double y) {
    return atan2(x, y);
}

static inline double op_erf(double x) {
    return erf(x);
}

static inline double op_erfc(double x) {
    double t1;
    if (x < 0.5) {
        const double t2 = erf(x);
        const double t3 = 1.0 - t2;
        t1 = t3;
    } else {
        double t4;
        if (28.0 < x) {
            t4 = 0.0;
        } else {
            const double t5 = x * x;
            double t6;
            if (1600.0 < t5) {
                t6 = 0.0;
            } else {
                const double t7 = 134217729.0 * x;
                const double t8 = t7 - x;
                const double t9 = t7 - t8;
                const double t10 = 1.0 * t9;
                const double t11 = t10 * t9;
                double t12;
                if (700.0 < t11) {
                    const double t13 = x - 4.0;
                    const double t14 = x + 4.0;
                    const double t15 = t13 / t14;
                    const double t16 = (-1.0370163708633023e-08) * t15;
                    const double t17 = t16 + (-1.2146017231394393e-08);
                    const double t18 = t17 * t15;
                    const double t19 = t18 + 1.0538783402645538e-07;
                    const double t20 = t19 * t15;
                    const double t21 = t20 + 6.681391766293257e-08;
                    const double t22 = t21 * t15;
                    const double t23 = t22 + (-8.222177429766234e-07);
                    const double t24 = t23 * t15;
                    const double t25 = t24 + 2.997989042668738e-07;
                    const double t26 = t25 * t15;
                    const double t27 = t26 + 5.70842077357379e-06;
                    const double t28 = t27 * t15;
                    const double t29 = t28 + (-1.1224884502901766e-05);
                    const double t30 = t29 * t15;
                    const double t31 = t30 + (-2.4398896135571015e-05);
                    const double t32 = t31 * t15;
                    const double t33 = t32 + 0.00015062255307153293;
                    const double t34 = t33 * t15;
                    const double t35 = t34 + (-0.00019925673508675788);
                    const double t36 = t35 * t15;
                    const double t37 = t36 + (-0.0007577734622789984);
                    const double t38 = t37 * t15;
                    const double t39 = t38 + 0.00503196997891833;
                    const double t40 = t39 * t15;
                    const double t41 = t40 + (-0.016197734036329785);
                    const double t42 = t41 * t15;
                    const double t43 = t42 + 0.03716751553789038;
                    const double t44 = t43 * t15;
                    const double t45 = t44 + (-0.0663303658137647);
                    const double t46 = t45 * t15;
                    const double t47 = t46 + 0.09373283499830203;
                    const double t48 = t47 * t15;
                    const double t49 = t48 + (-0.10103906603624727);
                    const double t50 = t49 * t15;
                    const double t51 = t50 + 0.06809705425469448;
                    const double t52 = t51 * t15;
                    const double t53 = t52 + 0.015379652102618923;
                    const double t54 = t53 * t15;
                    const double t55 = t54 + (-0.13962111684056253);
                    const double t56 = t55 * t15;
                    const double t57 = t56 + 1.2329951186255526;
                    const double t58 = 2.0 * x;
                    const double t59 = 1.0 + t58;
                    const double t60 = t57 / t59;
                    const double t61 = (-0.5) * t11;
                    const double t62 = exp(t61);
                    const double t63 = t60 * t62;
                    const double t64 = x - t9;
                    const double t65 = (-1.0) * t64;
                    const double t66 = x + t9;
                    const double t67 = t65 * t66;
                    const double t68 = t67 * 0.16666666666666666;
                    const double t69 = 0.5 + t68;
                    const double t70 = t67 * t69;
                    const double t71 = 1.0 + t70;
                    const double t72 = t67 * t71;
                    const double t73 = t62 * t72;
                    const double t74 = t62 + t73;
                    const double t75 = t63 * t74;
                    t12 = t75;
                } else {
                    const double t76 = x - 4.0;
                    const double t77 = x + 4.0;
                    const double t78 = t76 / t77;
                    const double t79 = (-1.0370163708633023e-08) * t78;
                    const double t80 = t79 + (-1.2146017231394393e-08);
                    const double t81 = t80 * t78;
                    const double t82 = t81 + 1.0538783402645538e-07;
                    const double t83 = t82 * t78;
                    const double t84 = t83 + 6.681391766293257e-08;
                    const double t85 = t84 * t78;
                    const double t86 = t85 + (-8.222177429766234e-07);
                    const double t87 = t86 * t78;
                    const double t88 = t87 + 2.997989042668738e-07;
                    const double t89 = t88 * t78;
                    const double t90 = t89 + 5.70842077357379e-06;
                    const double t91 = t90 * t78;
                    const double t92 = t91 + (-1.1224884502901766e-05);
                    const double t93 = t92 * t78;
                    const double t94 = t93 + (-2.4398896135571015e-05);
                    const double t95 = t94 * t78;
                    const double t96 = t95 + 0.00015062255307153293;
                    const double t97 = t96 * t78;
                    const double t98 = t97 + (-0.00019925673508675788);
                    const double t99 = t98 * t78;
                    const double t100 = t99 + (-0.0007577734622789984);
                    const double t101 = t100 * t78;
                    const double t102 = t101 + 0.00503196997891833;
                    const double t103 = t102 * t78;
                    const double t104 = t103 + (-0.016197734036329785);
                    const double t105 = t104 * t78;
                    const double t106 = t105 + 0.03716751553789038;
                    const double t107 = t106 * t78;
                    const double t108 = t107 + (-0.0663303658137647);
                    const double t109 = t108 * t78;
                    const double t110 = t109 + 0.09373283499830203;
                    const double t111 = t110 * t78;
                    const double t112 = t111 + (-0.10103906603624727);
                    const double t113 = t112 * t78;
                    const double t114 = t113 + 0.06809705425469448;
                    const double t115 = t114 * t78;
                    const double t116 = t115 + 0.015379652102618923;
                    const double t117 = t116 * t78;
                    const double t118 = t117 + (-0.13962111684056253);
                    const double t119 = t118 * t78;
                    const double t120 = t119 + 1.2329951186255526;
                    const double t121 = 2.0 * x;
                    const double t122 = 1.0 + t121;
                    const double t123 = t120 / t122;
                    const double t124 = -t11;
                    const double t125 = exp(t124);
                    const double t126 = x - t9;
                    const double t127 = (-1.0) * t126;
                    const double t128 = x + t9;
                    const double t129 = t127 * t128;
                    const double t130 = t129 * 0.16666666666666666;
                    const double t131 = 0.5 + t130;
                    const double t132 = t129 * t131;
                    const double t133 = 1.0 + t132;
                    const double t134 = t129 * t133;
                    const double t135 = t125 * t134;
                    const double t136 = t125 + t135;
                    const double t137 = t123 * t136;
                    t12 = t137;
                }
                t6 = t12;
            }
            t4 = t6;
        }
        t1 = t4;
    }
    return t1;
}

static inline double op_sigmoid(double x) {
    double t1;
    if (x < 0.0) {
        const double t2 = exp(x);
        const double t3 = 1.0 + t2;
        const double t4 = t2 / t3;
        t1 = t4;
    } else {
        const double t5 = -x;
        const double t6 = exp(t5);
        const double t7 = 1.0 + t6;
        const double t8 = 1.0 / t7;
        t1 = t8;
    }
    return t1;
}

static inline double op_softplus(double x) {
    double t1;
    if (0.0 < x) {
        const double t2 = -x;
        const double t3 = exp(t2);
        const double t4 = log1p(t3);
        const double t5 = x + t4;
        t1 = t5;
    } else {
        const double t6 = exp(x);
        const double t7 = log1p(t6);
        t1 = t7;
    }
    return t1;
}

static inline double op_relu(double x) {
    const double t1 = x < 0.0 ? 0.0 : x;
    return t1;
}

static inline double op_leaky_relu(double x, double y) {
    double t1;
    if (0.0 < x) {
        t1 = x;
    } else {
        const double t2 = y * x;
        t1 = t2;
    }
    return t1;
}

static inline double op_elu(double x, double y) {
    double t1;
    if (0.0 < x) {
        t1 = x;
    } else {
        const double t2 = expm1(x);
        const double t3 = y * t2;
        t1 = t3;
    }
    return t1;
}

static inline double op_silu(double x) {
    double t1;
    if (x < (-700.0)) {
        double t2;
        if (x < (-800.0)) {
            t2 = (-0.0);
        } else {
            double t3;
            if (x < (-700.0)) {
                const double t4 = 0.5 * x;
                const double t5 = exp(t4);
                const double t6 = x * t5;
                const double t7 = t6 * t5;
                t3 = t7;
            } else {
                const double t8 = exp(x);
                const double t9 = x * t8;
                t3 = t9;
            }
            t2 = t3;
        }
        t1 = t2;
    } else {
        const double t10 = op_sigmoid(x);
        const double t11 = x * t10;
        t1 = t11;
    }
    return t1;
}

static inline double op_gelu(double x) {
    double t1;
    if (x < (-0.71)) {
        double t2;
        if (x < (-40.0)) {
            t2 = (-0.0);
        } else {
            const double t3 = x * x;
            double t4;
            if (1600.0 < t3) {
                t4 = 0.0;
            } else {
                const double t5 = 134217729.0 * x;
                const double t6 = t5 - x;
                const double t7 = t5 - t6;
                const double t8 = 0.5 * t7;
                const double t9 = t8 * t7;
                double t10;
                if (700.0 < t9) {
                    const double t11 = 0.5 * x;
                    const double t12 = -x;
                    const double t13 = t12 * 0.7071067811865476;
                    const double t14 = t13 - 4.0;
                    const double t15 = t13 + 4.0;
                    const double t16 = t14 / t15;
                    const double t17 = (-1.0370163708633023e-08) * t16;
                    const double t18 = t17 + (-1.2146017231394393e-08);
                    const double t19 = t18 * t16;
                    const double t20 = t19 + 1.0538783402645538e-07;
                    const double t21 = t20 * t16;
                    const double t22 = t21 + 6.681391766293257e-08;
                    const double t23 = t22 * t16;
                    const double t24 = t23 + (-8.222177429766234e-07);
                    const double t25 = t24 * t16;
                    const double t26 = t25 + 2.997989042668738e-07;
                    const double t27 = t26 * t16;
                    const double t28 = t27 + 5.70842077357379e-06;
                    const double t29 = t28 * t16;
                    const double t30 = t29 + (-1.1224884502901766e-05);
                    const double t31 = t30 * t16;
                    const double t32 = t31 + (-2.4398896135571015e-05);
                    const double t33 = t32 * t16;
                    const double t34 = t33 + 0.00015062255307153293;
                    const double t35 = t34 * t16;
                    const double t36 = t35 + (-0.00019925673508675788);
                    const double t37 = t36 * t16;
                    const double t38 = t37 + (-0.0007577734622789984);
                    const double t39 = t38 * t16;
                    const double t40 = t39 + 0.00503196997891833;
                    const double t41 = t40 * t16;
                    const double t42 = t41 + (-0.016197734036329785);
                    const double t43 = t42 * t16;
                    const double t44 = t43 + 0.03716751553789038;
                    const double t45 = t44 * t16;
                    const double t46 = t45 + (-0.0663303658137647);
                    const double t47 = t46 * t16;
                    const double t48 = t47 + 0.09373283499830203;
                    const double t49 = t48 * t16;
                    const double t50 = t49 + (-0.10103906603624727);
                    const double t51 = t50 * t16;
                    const double t52 = t51 + 0.06809705425469448;
                    const double t53 = t52 * t16;
                    const double t54 = t53 + 0.015379652102618923;
                    const double t55 = t54 * t16;
                    const double t56 = t55 + (-0.13962111684056253);
                    const double t57 = t56 * t16;
                    const double t58 = t57 + 1.2329951186255526;
                    const double t59 = 2.0 * t13;
                    const double t60 = 1.0 + t59;
                    const double t61 = t58 / t60;
                    const double t62 = t11 * t61;
                    const double t63 = (-0.5) * t9;
                    const double t64 = exp(t63);
                    const double t65 = t62 * t64;
                    const double t66 = x - t7;
                    const double t67 = (-0.5) * t66;
                    const double t68 = x + t7;
                    const double t69 = t67 * t68;
                    const double t70 = t69 * 0.16666666666666666;
                    const double t71 = 0.5 + t70;
                    const double t72 = t69 * t71;
                    const double t73 = 1.0 + t72;
                    const double t74 = t69 * t73;
                    const double t75 = t64 * t74;
                    const double t76 = t64 + t75;
                    const double t77 = t65 * t76;
                    t10 = t77;
                } else {
                    const double t78 = 0.5 * x;
                    const double t79 = -x;
                    const double t80 = t79 * 0.7071067811865476;
                    const double t81 = t80 - 4.0;
                    const double t82 = t80 + 4.0;
                    const double t83 = t81 / t82;
                    const double t84 = (-1.0370163708633023e-08) * t83;
                    const double t85 = t84 + (-1.2146017231394393e-08);
                    const double t86 = t85 * t83;
                    const double t87 = t86 + 1.0538783402645538e-07;
                    const double t88 = t87 * t83;
                    const double t89 = t88 + 6.681391766293257e-08;
                    const double t90 = t89 * t83;
                    const double t91 = t90 + (-8.222177429766234e-07);
                    const double t92 = t91 * t83;
                    const double t93 = t92 + 2.997989042668738e-07;
                    const double t94 = t93 * t83;
                    const double t95 = t94 + 5.70842077357379e-06;
                    const double t96 = t95 * t83;
                    const double t97 = t96 + (-1.1224884502901766e-05);
                    const double t98 = t97 * t83;
                    const double t99 = t98 + (-2.4398896135571015e-05);
                    const double t100 = t99 * t83;
                    const double t101 = t100 + 0.00015062255307153293;
                    const double t102 = t101 * t83;
                    const double t103 = t102 + (-0.00019925673508675788);
                    const double t104 = t103 * t83;
                    const double t105 = t104 + (-0.0007577734622789984);
                    const double t106 = t105 * t83;
                    const double t107 = t106 + 0.00503196997891833;
                    const double t108 = t107 * t83;
                    const double t109 = t108 + (-0.016197734036329785);
                    const double t110 = t109 * t83;
                    const double t111 = t110 + 0.03716751553789038;
                    const double t112 = t111 * t83;
                    const double t113 = t112 + (-0.0663303658137647);
                    const double t114 = t113 * t83;
                    const double t115 = t114 + 0.09373283499830203;
                    const double t116 = t115 * t83;
                    const double t117 = t116 + (-0.10103906603624727);
                    const double t118 = t117 * t83;
                    const double t119 = t118 + 0.06809705425469448;
                    const double t120 = t119 * t83;
                    const double t121 = t120 + 0.015379652102618923;
                    const double t122 = t121 * t83;
                    const double t123 = t122 + (-0.13962111684056253);
                    const double t124 = t123 * t83;
                    const double t125 = t124 + 1.2329951186255526;
                    const double t126 = 2.0 * t80;
                    const double t127 = 1.0 + t126;
                    const double t128 = t125 / t127;
                    const double t129 = t78 * t128;
                    const double t130 = -t9;
                    const double t131 = exp(t130);
                    const double t132 = x - t7;
                    const double t133 = (-0.5) * t132;
                    const double t134 = x + t7;
                    const double t135 = t133 * t134;
                    const double t136 = t135 * 0.16666666666666666;
                    const double t137 = 0.5 + t136;
                    const double t138 = t135 * t137;
                    const double t139 = 1.0 + t138;
                    const double t140 = t135 * t139;
                    const double t141 = t131 * t140;
                    const double t142 = t131 + t141;
                    const double t143 = t129 * t142;
                    t10 = t143;
                }
                t4 = t10;
            }
            t2 = t4;
        }
        t1 = t2;
    } else {
        const double t144 = 0.5 * x;
        const double t145 = x * 0.7071067811865476;
        const double t146 = erf(t145);
        const double t147 = 1.0 + t146;
        const double t148 = t144 * t147;
        t1 = t148;
    }
    return t1;
}

static inline double op_sum(const double *a, Py_ssize_t n) {
    const double count = (double)n;
    (void)count;
    double fold0 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = fold0 + a[i];
        fold0 = t1;
    }
    return fold0;
}

static inline void op_sum_partials(const double *a, Py_ssize_t n, double out, double *p) {
    const double count = (double)n;
    (void)count, (void)out, (void)a;
    for (Py_ssize_t i = 0; i < n; i++) {
        p[i] = 1.0;
    }
}

static inline double op_mean(const double *a, Py_ssize_t n) {
    const double count = (double)n;
    (void)count;
    double fold0 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = fold0 + a[i];
        fold0 = t1;
    }
    const double t1 = fold0 / count;
    return t1;
}

static inline void op_mean_partials(const double *a, Py_ssize_t n, double out, double *p) {
    const double count = (double)n;
    (void)count, (void)out, (void)a;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = 1.0 / count;
        p[i] = t1;
    }
}

static inline double op_prod(const double *a, Py_ssize_t n) {
    const double count = (double)n;
    (void)count;
    double fold0 = 1.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = fold0 * a[i];
        fold0 = t1;
    }
    return fold0;
}

static inline void op_prod_partials(const double *a, Py_ssize_t n, double out, double *p) {
    (void)out;
    double before = 1.0, after = 1.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        p[i] = before;
        const double t1 = before * a[i];
        before = t1;
    }
    for (Py_ssize_t i = n - 1; i >= 0; i--) {
        const double t1 = p[i] * after;
        const double t2 = after * a[i];
        p[i] = t1;
        after = t2;
    }
}

static inline double op_dot(const double *a, Py_ssize_t n) {
    const double count = (double)n;
    (void)count;
    double fold0 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = a[i] * a[i + n];
        const double t2 = fold0 + t1;
        fold0 = t2;
    }
    return fold0;
}

static inline void op_dot_partials(const double *a, Py_ssize_t n, double out, double *p) {
    const double count = (double)n;
    (void)count, (void)out, (void)a;
    for (Py_ssize_t i = 0; i < n; i++) {
        p[i] = a[i + n];
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        p[i + n] = a[i];
    }
}

static inline double op_logsumexp(const double *a, Py_ssize_t n) {
    const double count = (double)n;
    (void)count;
    double fold0 = -INFINITY;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = op_maximum(fold0, a[i]);
        fold0 = t1;
    }
    double fold1 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = fabs(fold0);
        const double t2 = t1 == INFINITY ? 0.0 : fold0;
        const double t3 = a[i] - t2;
        const double t4 = exp(t3);
        const double t5 = fold1 + t4;
        fold1 = t5;
    }
    const double t1 = fabs(fold0);
    const double t2 = t1 == INFINITY ? 0.0 : fold0;
    const double t3 = log(fold1);
    const double t4 = t2 + t3;
    return t4;
}

static inline void op_logsumexp_partials(const double *a, Py_ssize_t n, double out, double *p) {
    const double count = (double)n;
    (void)count, (void)out, (void)a;
    double fold0 = -INFINITY;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = op_maximum(fold0, a[i]);
        fold0 = t1;
    }
    double fold1 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = fabs(fold0);
        const double t2 = t1 == INFINITY ? 0.0 : fold0;
        const double t3 = a[i] - t2;
        const double t4 = exp(t3);
        const double t5 = fold1 + t4;
        fold1 = t5;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        double t1;
        if (fold1 == 0.0) {
            t1 = 0.0;
        } else {
            const double t2 = fabs(fold0);
            const double t3 = t2 == INFINITY ? 0.0 : fold0;
            const double t4 = a[i] - t3;
            const double t5 = exp(t4);
            const double t6 = t5 / fold1;
            t1 = t6;
        }
        p[i] = t1;
    }
}

static inline double op_max(const double *a, Py_ssize_t n) {
    const double count = (double)n;
    (void)count;
    double fold0 = -INFINITY;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = op_maximum(fold0, a[i]);
        fold0 = t1;
    }
    double fold1 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = (a[i] == fold0 ? 1.0 : 0.0);
        const double t2 = fold1 + t1;
        fold1 = t2;
    }
    return fold0;
}

static inline void op_max_partials(const double *a, Py_ssize_t n, double out, double *p) {
    const double count = (double)n;
    (void)count, (void)out, (void)a;
    double fold0 = -INFINITY;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = op_maximum(fold0, a[i]);
        fold0 = t1;
    }
    double fold1 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = (a[i] == fold0 ? 1.0 : 0.0);
        const double t2 = fold1 + t1;
        fold1 = t2;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = (a[i] == fold0 ? 1.0 : 0.0);
        const double t2 = t1 / fold1;
        p[i] = t2;
    }
}

static inline double op_min(const double *a, Py_ssize_t n) {
    const double count = (double)n;
    (void)count;
    double fold0 = INFINITY;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = op_minimum(fold0, a[i]);
        fold0 = t1;
    }
    double fold1 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = (a[i] == fold0 ? 1.0 : 0.0);
        const double t2 = fold1 + t1;
        fold1 = t2;
    }
    return fold0;
}

static inline void op_min_partials(const double *a, Py_ssize_t n, double out, double *p) {
    const double count = (double)n;
    (void)count, (void)out, (void)a;
    double fold0 = INFINITY;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = op_minimum(fold0, a[i]);
        fold0 = t1;
    }
    double fold1 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = (a[i] == fold0 ? 1.0 : 0.0);
        const double t2 = fold1 + t1;
        fold1 = t2;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = (a[i] == fold0 ? 1.0 : 0.0);
        const double t2 = t1 / fold1;
        p[i] = t2;
    }
}

static inline double fixed_value(int op, const double *a) {
    switch (op) {
    case OP_ADD: return op_add(a[0], a[1]);
    case OP_SUB: return op_sub(a[0], a[1]);
    case OP_MUL: return op_mul(a[0], a[1]);
    case OP_DIV: return op_div(a[0], a[1]);
    case OP_POW: return op_pow(a[0], a[1]);
    case OP_NEG: return op_neg(a[0]);
    case OP_POS: return op_pos(a[0]);
    case OP_STOP_GRADIENT: return op_stop_gradient(a[0]);
    case OP_ABS: return op_abs(a[0]);
    case OP_LESS: return op_less(a[0], a[1]);
    case OP_LESS_EQUAL: return op_less_equal(a[0], a[1]);
    case OP_EQUAL: return op_equal(a[0], a[1]);
    case OP_WHERE: return op_where(a[0], a[1], a[2]);
    case OP_MAXIMUM: return op_maximum(a[0], a[1]);
    case OP_MINIMUM: return op_minimum(a[0], a[1]);
    case OP_EXP: return op_exp(a[0]);
    case OP_EXPM1: return op_expm1(a[0]);
    case OP_LOG: return op_log(a[0]);
    case OP_LOG1P: return op_log1p(a[0]);
    case OP_LOG2: return op_log2(a[0]);
    case OP_LOG10: return op_log10(a[0]);
    case OP_SQRT: return op_sqrt(a[0]);
    case OP_CBRT: return op_cbrt(a[0]);
    case OP_SIN: return op_sin(a[0]);
    case OP_COS: return op_cos(a[0]);
    case OP_TAN: return op_tan(a[0]);
    case OP_ASIN: return op_asin(a[0]);
    case OP_ACOS: return op_acos(a[0]);
    case OP_ATAN: return op_atan(a[0]);
    case OP_SINH: return op_sinh(a[0]);
    case OP_COSH: return op_cosh(a[0]);
    case OP_TANH: return op_tanh(a[0]);
    case OP_ASINH: return op_asinh(a[0]);
    case OP_ACOSH: return op_acosh(a[0]);
    case OP_ATANH: return op_atanh(a[0]);
    case OP_HYPOT: return op_hypot(a[0], a[1]);
    case OP_ATAN2: return op_atan2(a[0], a[1]);
    case OP_ERF: return op_erf(a[0]);
    case OP_ERFC: return op_erfc(a[0]);
    case OP_SIGMOID: return op_sigmoid(a[0]);
    case OP_SOFTPLUS: return op_softplus(a[0]);
    case OP_RELU: return op_relu(a[0]);
    case OP_LEAKY_RELU: return op_leaky_relu(a[0], a[1]);
    case OP_ELU: return op_elu(a[0], a[1]);
    case OP_SILU: return op_silu(a[0]);
    case OP_GELU: return op_gelu(a[0]);
    default: return NAN;
    }
}

static inline double variadic_value(int op, const double *a, Py_ssize_t n) {
    switch (op) {
    case OP_SUM: return op_sum(a, n);
    case OP_MEAN: return op_mean(a, n);
    case OP_PROD: return op_prod(a, n);
    case OP_DOT: return op_dot(a, n);
    case OP_LOGSUMEXP: return op_logsumexp(a, n);
    case OP_MAX: return op_max(a, n);
    case OP_MIN: return op_min(a, n);
    default: return NAN;
    }
}

/* Inlined where it is used, so that partials stay in registers. */
static inline __attribute__((always_inline)) void
fixed_partials(int op, const double *a, double out, unsigned wanted, double *p) {
    (void)out;
    switch (op) {
    case OP_ADD: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        p[0] = 1.0;
        p[1] = 1.0;
        break;
    }
    case OP_SUB: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        p[0] = 1.0;
        p[1] = (-1.0);
        break;
    }
    case OP_MUL: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        p[0] = y;
        p[1] = x;
        break;
    }
    case OP_DIV: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        if (wanted & 1) {
            const double t1 = 1.0 / y;
            p[0] = t1;
        }
        if (wanted & 2) {
            const double t1 = x / y;
            const double t2 = fabs(t1);
            double t3;
            if (0.0 < t2 && t2 < 1e-290) {
                const double t4 = y * y;
                const double t5 = x / t4;
                t3 = t5;
            } else {
                const double t6 = t1 / y;
                t3 = t6;
            }
            const double t7 = -t3;
            p[1] = t7;
        }
        break;
    }
    case OP_POW: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        if (wanted & 1) {
            double t1;
            if (y == 0.0) {
                t1 = 0.0;
            } else {
                const double t2 = y - 1.0;
                const double t3 = pow(x, t2);
                const double t4 = fabs(t3);
                const double t5 = fabs(x);
                double t6;
                if (t4 == INFINITY && 0.0 < t5 && t5 < INFINITY) {
                    const double t7 = y * out;
                    const double t8 = t7 / x;
                    t6 = t8;
                } else {
                    const double t9 = fabs(y);
                    double t10;
                    if (t9 == INFINITY && t3 == 0.0) {
                        t10 = 0.0;
                    } else {
                        const double t11 = y * t3;
                        t10 = t11;
                    }
                    t6 = t10;
                }
                t1 = t6;
            }
            p[0] = t1;
        }
        if (wanted & 2) {
            double t1;
            if (x < 0.0) {
                t1 = NAN;
            } else {
                double t2;
                if (x == 0.0 && 0.0 <= y) {
                    t2 = 0.0;
                } else {
                    const double t3 = 0.5 * y;
                    const double t4 = pow(x, t3);
                    double t5;
                    if (t4 == 0.0) {
                        t5 = 0.0;
                    } else {
                        const double t6 = log(x);
                        const double t7 = t4 * t6;
                        const double t8 = t7 * t4;
                        t5 = t8;
                    }
                    t2 = t5;
                }
                t1 = t2;
            }
            p[1] = t1;
        }
        break;
    }
    case OP_NEG: {
        const double x = a[0];
        (void)x;
        p[0] = (-1.0);
        break;
    }
    case OP_POS: {
        const double x = a[0];
        (void)x;
        p[0] = 1.0;
        break;
    }
    case OP_STOP_GRADIENT: {
        const double x = a[0];
        (void)x;
        p[0] = 0.0;
        break;
    }
    case OP_ABS: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            double t1;
            if (x < 0.0) {
                t1 = (-1.0);
            } else {
                double t2;
                if (0.0 < x) {
                    t2 = 1.0;
                } else {
                    const double t3 = 0.0 * x;
                    t2 = t3;
                }
                t1 = t2;
            }
            p[0] = t1;
        }
        break;
    }
    case OP_LESS: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        p[0] = 0.0;
        p[1] = 0.0;
        break;
    }
    case OP_LESS_EQUAL: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        p[0] = 0.0;
        p[1] = 0.0;
        break;
    }
    case OP_EQUAL: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        p[0] = 0.0;
        p[1] = 0.0;
        break;
    }
    case OP_WHERE: {
        const double x = a[0], y = a[1], z = a[2];
        (void)x; (void)y; (void)z;
        p[0] = 0.0;
        if (wanted & 2) {
            const double t1 = x != 0.0 ? 1.0 : 0.0;
            p[1] = t1;
        }
        if (wanted & 4) {
            const double t1 = x != 0.0 ? 0.0 : 1.0;
            p[2] = t1;
        }
        break;
    }
    case OP_MAXIMUM: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        if (wanted & 1) {
            double t1;
            if (x < y) {
                t1 = 0.0;
            } else {
                double t2;
                if (y < x) {
                    t2 = 1.0;
                } else {
                    const double t3 = x == y ? 0.5 : NAN;
                    t2 = t3;
                }
                t1 = t2;
            }
            p[0] = t1;
        }
        if (wanted & 2) {
            double t1;
            if (y < x) {
                t1 = 0.0;
            } else {
                double t2;
                if (x < y) {
                    t2 = 1.0;
                } else {
                    const double t3 = x == y ? 0.5 : NAN;
                    t2 = t3;
                }
                t1 = t2;
            }
            p[1] = t1;
        }
        break;
    }
    case OP_MINIMUM: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        if (wanted & 1) {
            double t1;
            if (y < x) {
                t1 = 0.0;
            } else {
                double t2;
                if (x < y) {
                    t2 = 1.0;
                } else {
                    const double t3 = x == y ? 0.5 : NAN;
                    t2 = t3;
                }
                t1 = t2;
            }
            p[0] = t1;
        }
        if (wanted & 2) {
            double t1;
            if (x < y) {
                t1 = 0.0;
            } else {
                double t2;
                if (y < x) {
                    t2 = 1.0;
                } else {
                    const double t3 = x == y ? 0.5 : NAN;
                    t2 = t3;
                }
                t1 = t2;
            }
            p[1] = t1;
        }
        break;
    }
    case OP_EXP: {
        const double x = a[0];
        (void)x;
        p[0] = out;
        break;
    }
    case OP_EXPM1: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = exp(x);
            p[0] = t1;
        }
        break;
    }
    case OP_LOG: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            double t1;
            if (x < 0.0) {
                t1 = NAN;
            } else {
                const double t2 = 1.0 / x;
                t1 = t2;
            }
            p[0] = t1;
        }
        break;
    }
    case OP_LOG1P: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            double t1;
            if (x < (-1.0)) {
                t1 = NAN;
            } else {
                const double t2 = 1.0 + x;
                const double t3 = 1.0 / t2;
                t1 = t3;
            }
            p[0] = t1;
        }
        break;
    }
    case OP_LOG2: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            double t1;
            if (x < 0.0) {
                t1 = NAN;
            } else {
                const double t2 = 1.4426950408889634 / x;
                t1 = t2;
            }
            p[0] = t1;
        }
        break;
    }
    case OP_LOG10: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            double t1;
            if (x < 0.0) {
                t1 = NAN;
            } else {
                const double t2 = 0.43429448190325176 / x;
                t1 = t2;
            }
            p[0] = t1;
        }
        break;
    }
    case OP_SQRT: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = 0.5 / out;
            p[0] = t1;
        }
        break;
    }
    case OP_CBRT: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = 3.0 * out;
            const double t2 = t1 * out;
            const double t3 = 1.0 / t2;
            p[0] = t3;
        }
        break;
    }
    case OP_SIN: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = cos(x);
            p[0] = t1;
        }
        break;
    }
    case OP_COS: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = sin(x);
            const double t2 = -t1;
            p[0] = t2;
        }
        break;
    }
    case OP_TAN: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = out * out;
            const double t2 = 1.0 + t1;
            p[0] = t2;
        }
        break;
    }
    case OP_ASIN: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = 1.0 - x;
            const double t2 = 1.0 + x;
            const double t3 = t1 * t2;
            const double t4 = sqrt(t3);
            const double t5 = 1.0 / t4;
            p[0] = t5;
        }
        break;
    }
    case OP_ACOS: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = 1.0 - x;
            const double t2 = 1.0 + x;
            const double t3 = t1 * t2;
            const double t4 = sqrt(t3);
            const double t5 = 1.0 / t4;
            const double t6 = -t5;
            p[0] = t6;
        }
        break;
    }
    case OP_ATAN: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = x * x;
            double t2;
            if (1e+16 < t1) {
                const double t3 = 1.0 / x;
                const double t4 = t3 / x;
                t2 = t4;
            } else {
                const double t5 = 1.0 + t1;
                const double t6 = 1.0 / t5;
                t2 = t6;
            }
            p[0] = t2;
        }
        break;
    }
    case OP_SINH: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = cosh(x);
            p[0] = t1;
        }
        break;
    }
    case OP_COSH: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = sinh(x);
            p[0] = t1;
        }
        break;
    }
    case OP_TANH: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = 2.0 * x;
            double t2;
            if (t1 < 0.0) {
                t2 = t1;
            } else {
                const double t3 = -t1;
                t2 = t3;
            }
            const double t4 = exp(t2);
            const double t5 = 2.0 + t4;
            const double t6 = t4 * t5;
            const double t7 = 1.0 + t6;
            const double t8 = t4 / t7;
            const double t9 = 4.0 * t8;
            p[0] = t9;
        }
        break;
    }
    case OP_ASINH: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = op_hypot(1.0, x);
            const double t2 = 1.0 / t1;
            p[0] = t2;
        }
        break;
    }
    case OP_ACOSH: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = x - 1.0;
            const double t2 = sqrt(t1);
            const double t3 = x + 1.0;
            const double t4 = sqrt(t3);
            const double t5 = t2 * t4;
            const double t6 = 1.0 / t5;
            p[0] = t6;
        }
        break;
    }
    case OP_ATANH: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = x * x;
            double t2;
            if (1.0 < t1) {
                t2 = NAN;
            } else {
                const double t3 = 1.0 - x;
                const double t4 = 1.0 + x;
                const double t5 = t3 * t4;
                const double t6 = 1.0 / t5;
                t2 = t6;
            }
            p[0] = t2;
        }
        break;
    }
    case OP_HYPOT: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        if (wanted & 1) {
            double t1;
            if (out == 0.0) {
                t1 = 0.0;
            } else {
                const double t2 = fabs(x);
                const double t3 = (t2 == INFINITY ? 1.0 : 0.0);
                const double t4 = fabs(y);
                const double t5 = (t4 == INFINITY ? 1.0 : 0.0);
                const double t6 = t3 - t5;
                const double t7 = fabs(t6);
                double t8;
                if (out == INFINITY && 0.0 < t7) {
                    double t9;
                    if (t2 == INFINITY) {
                        const double t10 = x < 0.0 ? (-1.0) : 1.0;
                        t9 = t10;
                    } else {
                        t9 = 0.0;
                    }
                    t8 = t9;
                } else {
                    double t11;
                    if (out < 1e-290) {
                        t11 = 4.149515568880993e+180;
                    } else {
                        const double t12 = 1e+290 < out ? 2.409919865102884e-181 : 1.0;
                        t11 = t12;
                    }
                    const double t13 = x * t11;
                    const double t14 = y * t11;
                    const double t15 = op_hypot(t13, t14);
                    const double t16 = t13 / t15;
                    t8 = t16;
                }
                t1 = t8;
            }
            p[0] = t1;
        }
        if (wanted & 2) {
            double t1;
            if (out == 0.0) {
                t1 = 0.0;
            } else {
                const double t2 = fabs(y);
                const double t3 = (t2 == INFINITY ? 1.0 : 0.0);
                const double t4 = fabs(x);
                const double t5 = (t4 == INFINITY ? 1.0 : 0.0);
                const double t6 = t3 - t5;
                const double t7 = fabs(t6);
                double t8;
                if (out == INFINITY && 0.0 < t7) {
                    double t9;
                    if (t2 == INFINITY) {
                        const double t10 = y < 0.0 ? (-1.0) : 1.0;
                        t9 = t10;
                    } else {
                        t9 = 0.0;
                    }
                    t8 = t9;
                } else {
                    double t11;
                    if (out < 1e-290) {
                        t11 = 4.149515568880993e+180;
                    } else {
                        const double t12 = 1e+290 < out ? 2.409919865102884e-181 : 1.0;
                        t11 = t12;
                    }
                    const double t13 = y * t11;
                    const double t14 = x * t11;
                    const double t15 = op_hypot(t13, t14);
                    const double t16 = t13 / t15;
                    t8 = t16;
                }
                t1 = t8;
            }
            p[1] = t1;
        }
        break;
    }
    case OP_ATAN2: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        if (wanted & 1) {
            const double t1 = fabs(y);
            const double t2 = fabs(x);
            double t3;
            if (t1 < t2) {
                t3 = t2;
            } else {
                t3 = t1;
            }
            double t4;
            if (0.0 < t3 && t3 < INFINITY) {
                double t5;
                if (t3 < 1e-140) {
                    t5 = 4.149515568880993e+180;
                } else {
                    const double t6 = 1e+140 < t3 ? 2.409919865102884e-181 : 1.0;
                    t5 = t6;
                }
                const double t7 = y * t5;
                const double t8 = t7 * t7;
                const double t9 = x * t5;
                const double t10 = t9 * t9;
                const double t11 = t8 + t10;
                const double t12 = t7 / t11;
                const double t13 = t12 * t5;
                t4 = t13;
            } else {
                const double t14 = 0.0 * out;
                t4 = t14;
            }
            p[0] = t4;
        }
        if (wanted & 2) {
            const double t1 = fabs(x);
            const double t2 = fabs(y);
            double t3;
            if (t1 < t2) {
                t3 = t2;
            } else {
                t3 = t1;
            }
            double t4;
            if (0.0 < t3 && t3 < INFINITY) {
                double t5;
                if (t3 < 1e-140) {
                    t5 = 4.149515568880993e+180;
                } else {
                    const double t6 = 1e+140 < t3 ? 2.409919865102884e-181 : 1.0;
                    t5 = t6;
                }
                const double t7 = x * t5;
                const double t8 = t7 * t7;
                const double t9 = y * t5;
                const double t10 = t9 * t9;
                const double t11 = t8 + t10;
                const double t12 = t7 / t11;
                const double t13 = t12 * t5;
                t4 = t13;
            } else {
                const double t14 = 0.0 * out;
                t4 = t14;
            }
            const double t15 = -t4;
            p[1] = t15;
        }
        break;
    }
    case OP_ERF: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = x * x;
            double t2;
            if (1600.0 < t1) {
                t2 = 0.0;
            } else {
                const double t3 = 134217729.0 * x;
                const double t4 = t3 - x;
                const double t5 = t3 - t4;
                const double t6 = 1.0 * t5;
                const double t7 = t6 * t5;
                double t8;
                if (700.0 < t7) {
                    const double t9 = (-0.5) * t7;
                    const double t10 = exp(t9);
                    const double t11 = 1.1283791670955126 * t10;
                    const double t12 = x - t5;
                    const double t13 = (-1.0) * t12;
                    const double t14 = x + t5;
                    const double t15 = t13 * t14;
                    const double t16 = t15 * 0.16666666666666666;
                    const double t17 = 0.5 + t16;
                    const double t18 = t15 * t17;
                    const double t19 = 1.0 + t18;
                    const double t20 = t15 * t19;
                    const double t21 = t10 * t20;
                    const double t22 = t10 + t21;
                    const double t23 = t11 * t22;
                    t8 = t23;
                } else {
                    const double t24 = -t7;
                    const double t25 = exp(t24);
                    const double t26 = x - t5;
                    const double t27 = (-1.0) * t26;
                    const double t28 = x + t5;
                    const double t29 = t27 * t28;
                    const double t30 = t29 * 0.16666666666666666;
                    const double t31 = 0.5 + t30;
                    const double t32 = t29 * t31;
                    const double t33 = 1.0 + t32;
                    const double t34 = t29 * t33;
                    const double t35 = t25 * t34;
                    const double t36 = t25 + t35;
                    const double t37 = 1.1283791670955126 * t36;
                    t8 = t37;
                }
                t2 = t8;
            }
            p[0] = t2;
        }
        break;
    }
    case OP_ERFC: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = x * x;
            double t2;
            if (1600.0 < t1) {
                t2 = 0.0;
            } else {
                const double t3 = 134217729.0 * x;
                const double t4 = t3 - x;
                const double t5 = t3 - t4;
                const double t6 = 1.0 * t5;
                const double t7 = t6 * t5;
                double t8;
                if (700.0 < t7) {
                    const double t9 = (-0.5) * t7;
                    const double t10 = exp(t9);
                    const double t11 = (-1.1283791670955126) * t10;
                    const double t12 = x - t5;
                    const double t13 = (-1.0) * t12;
                    const double t14 = x + t5;
                    const double t15 = t13 * t14;
                    const double t16 = t15 * 0.16666666666666666;
                    const double t17 = 0.5 + t16;
                    const double t18 = t15 * t17;
                    const double t19 = 1.0 + t18;
                    const double t20 = t15 * t19;
                    const double t21 = t10 * t20;
                    const double t22 = t10 + t21;
                    const double t23 = t11 * t22;
                    t8 = t23;
                } else {
                    const double t24 = -t7;
                    const double t25 = exp(t24);
                    const double t26 = x - t5;
                    const double t27 = (-1.0) * t26;
                    const double t28 = x + t5;
                    const double t29 = t27 * t28;
                    const double t30 = t29 * 0.16666666666666666;
                    const double t31 = 0.5 + t30;
                    const double t32 = t29 * t31;
                    const double t33 = 1.0 + t32;
                    const double t34 = t29 * t33;
                    const double t35 = t25 * t34;
                    const double t36 = t25 + t35;
                    const double t37 = (-1.1283791670955126) * t36;
                    t8 = t37;
                }
                t2 = t8;
            }
            p[0] = t2;
        }
        break;
    }
    case OP_SIGMOID: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            double t1;
            if (x < 0.0) {
                t1 = x;
            } else {
                const double t2 = -x;
                t1 = t2;
            }
            const double t3 = exp(t1);
            const double t4 = 2.0 + t3;
            const double t5 = t3 * t4;
            const double t6 = 1.0 + t5;
            const double t7 = t3 / t6;
            p[0] = t7;
        }
        break;
    }
    case OP_SOFTPLUS: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = op_sigmoid(x);
            p[0] = t1;
        }
        break;
    }
    case OP_RELU: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = x <= 0.0 ? 0.0 : 1.0;
            p[0] = t1;
        }
        break;
    }
    case OP_LEAKY_RELU: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        if (wanted & 1) {
            const double t1 = 0.0 < x ? 1.0 : y;
            p[0] = t1;
        }
        if (wanted & 2) {
            const double t1 = 0.0 < x ? 0.0 : x;
            p[1] = t1;
        }
        break;
    }
    case OP_ELU: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        if (wanted & 1) {
            double t1;
            if (0.0 < x) {
                t1 = 1.0;
            } else {
                double t2;
                if (x < (-700.0)) {
                    const double t3 = 0.5 * x;
                    const double t4 = exp(t3);
                    const double t5 = y * t4;
                    const double t6 = t5 * t4;
                    t2 = t6;
                } else {
                    const double t7 = exp(x);
                    const double t8 = y * t7;
                    t2 = t8;
                }
                t1 = t2;
            }
            p[0] = t1;
        }
        if (wanted & 2) {
            double t1;
            if (0.0 < x) {
                t1 = 0.0;
            } else {
                const double t2 = expm1(x);
                t1 = t2;
            }
            p[1] = t1;
        }
        break;
    }
    case OP_SILU: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            double t1;
            if (800.0 < x) {
                t1 = 1.0;
            } else {
                const double t2 = op_sigmoid(x);
                const double t3 = -x;
                const double t4 = op_sigmoid(t3);
                const double t5 = out * t4;
                const double t6 = t2 + t5;
                t1 = t6;
            }
            p[0] = t1;
        }
        break;
    }
    case OP_GELU: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = -x;
            const double t2 = t1 * 0.7071067811865476;
            const double t3 = op_erfc(t2);
            const double t4 = 0.5 * t3;
            const double t5 = x * x;
            double t6;
            if (1600.0 < t5) {
                t6 = 0.0;
            } else {
                const double t7 = 134217729.0 * x;
                const double t8 = t7 - x;
                const double t9 = t7 - t8;
                const double t10 = 0.5 * t9;
                const double t11 = t10 * t9;
                double t12;
                if (700.0 < t11) {
                    const double t13 = 0.3989422804014327 * x;
                    const double t14 = (-0.5) * t11;
                    const double t15 = exp(t14);
                    const double t16 = t13 * t15;
                    const double t17 = x - t9;
                    const double t18 = (-0.5) * t17;
                    const double t19 = x + t9;
                    const double t20 = t18 * t19;
                    const double t21 = t20 * 0.16666666666666666;
                    const double t22 = 0.5 + t21;
                    const double t23 = t20 * t22;
                    const double t24 = 1.0 + t23;
                    const double t25 = t20 * t24;
                    const double t26 = t15 * t25;
                    const double t27 = t15 + t26;
                    const double t28 = t16 * t27;
                    t12 = t28;
                } else {
                    const double t29 = 0.3989422804014327 * x;
                    const double t30 = -t11;
                    const double t31 = exp(t30);
                    const double t32 = x - t9;
                    const double t33 = (-0.5) * t32;
                    const double t34 = x + t9;
                    const double t35 = t33 * t34;
                    const double t36 = t35 * 0.16666666666666666;
                    const double t37 = 0.5 + t36;
                    const double t38 = t35 * t37;
                    const double t39 = 1.0 + t38;
                    const double t40 = t35 * t39;
                    const double t41 = t31 * t40;
                    const double t42 = t31 + t41;
                    const double t43 = t29 * t42;
                    t12 = t43;
                }
                t6 = t12;
            }
            const double t44 = t4 + t6;
            p[0] = t44;
        }
        break;
    }
    default: break;
    }
}

static inline void
variadic_partials(int op, const double *a, Py_ssize_t n, double out, double *p) {
    switch (op) {
    case OP_SUM: op_sum_partials(a, n, out, p); break;
    case OP_MEAN: op_mean_partials(a, n, out, p); break;
    case OP_PROD: op_prod_partials(a, n, out, p); break;
    case OP_DOT: op_dot_partials(a, n, out, p); break;
    case OP_LOGSUMEXP: op_logsumexp_partials(a, n, out, p); break;
    case OP_MAX: op_max_partials(a, n, out, p); break;
    case OP_MIN: op_min_partials(a, n, out, p); break;
    default: break;
    }
}
