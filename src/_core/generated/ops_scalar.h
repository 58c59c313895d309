/* Generated from src/chainrule/ops.py by tools/gen_ops.py: do not edit. */

#include "ops_codes.h"

/* name, arity, defaults, differentiable, selects, width, least, default */
static const Row ROWS[OP_END] = {
    [OP_ADD] = {"add", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_SUB] = {"sub", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_MUL] = {"mul", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_DIV] = {"div", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_POW] = {"pow", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_NEG] = {"neg", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_POS] = {"pos", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_STOP_GRADIENT] = {"stop_gradient", 1, 0, 0x0, 0, 0, 0, 0.0},
    [OP_ABS] = {"abs", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LESS] = {"less", 2, 0, 0x0, 0, 0, 0, 0.0},
    [OP_LESS_EQUAL] = {"less_equal", 2, 0, 0x0, 0, 0, 0, 0.0},
    [OP_EQUAL] = {"equal", 2, 0, 0x0, 0, 0, 0, 0.0},
    [OP_WHERE] = {"where", 3, 0, 0x6, 1, 0, 0, 0.0},
    [OP_MAXIMUM] = {"maximum", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_MINIMUM] = {"minimum", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_SIGN] = {"sign", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_FLOOR] = {"floor", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_CEIL] = {"ceil", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_TRUNC] = {"trunc", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ROUND] = {"round", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_FMOD] = {"fmod", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_REMAINDER] = {"remainder", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_FLOOR_DIVIDE] = {"floor_divide", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_EXP] = {"exp", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_EXP2] = {"exp2", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_EXPM1] = {"expm1", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LOG] = {"log", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LOG1P] = {"log1p", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LOG2] = {"log2", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LOG10] = {"log10", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LOGADDEXP] = {"logaddexp", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_XLOGY] = {"xlogy", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_XLOG1PY] = {"xlog1py", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_SQRT] = {"sqrt", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_CBRT] = {"cbrt", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_DEG2RAD] = {"deg2rad", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_RAD2DEG] = {"rad2deg", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_SIN] = {"sin", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_COS] = {"cos", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_TAN] = {"tan", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ASIN] = {"asin", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ACOS] = {"acos", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ATAN] = {"atan", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_SINH] = {"sinh", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_COSH] = {"cosh", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_TANH] = {"tanh", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ASINH] = {"asinh", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ACOSH] = {"acosh", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ATANH] = {"atanh", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_HYPOT] = {"hypot", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_ATAN2] = {"atan2", 2, 0, 0x3, 0, 0, 0, 0.0},
    [OP_ERF] = {"erf", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ERFC] = {"erfc", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_NORMAL_PDF] = {"normal_pdf", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_NORMAL_CDF] = {"normal_cdf", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LOG_NORMAL_CDF] = {"log_normal_cdf", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_SIGMOID] = {"sigmoid", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LOGIT] = {"logit", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_SOFTPLUS] = {"softplus", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LOG_SIGMOID] = {"log_sigmoid", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_RELU] = {"relu", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_LEAKY_RELU] = {"leaky_relu", 2, 1, 0x3, 0, 0, 0, 0.01},
    [OP_ELU] = {"elu", 2, 1, 0x3, 0, 0, 0, 1.0},
    [OP_SILU] = {"silu", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_GELU] = {"gelu", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_SUM] = {"sum", 0, 0, 0xff, 0, 1, 0, 0.0},
    [OP_MEAN] = {"mean", 0, 0, 0xff, 0, 1, 1, 0.0},
    [OP_PROD] = {"prod", 0, 0, 0xff, 0, 1, 0, 0.0},
    [OP_DOT] = {"dot", 0, 0, 0xff, 0, 2, 0, 0.0},
    [OP_LOGSUMEXP] = {"logsumexp", 0, 0, 0xff, 0, 1, 1, 0.0},
    [OP_NORM] = {"norm", 0, 0, 0xff, 0, 1, 0, 0.0},
    [OP_MAX] = {"max", 0, 0, 0xff, 0, 1, 1, 0.0},
    [OP_MIN] = {"min", 0, 0, 0xff, 0, 1, 1, 0.0},
};

/* The operations as methods and functions: (code, name, docstring). */
#define FIXED_METHODS(X) \
    X(OP_ADD, add, "x + y") \
    X(OP_SUB, sub, "x - y") \
    X(OP_MUL, mul, "x * y") \
    X(OP_DIV, div, "x / y; a zero divisor gives inf or NaN") \
    X(OP_POW, pow, "x to the power y over the reals") \
    X(OP_NEG, neg, "-x") \
    X(OP_POS, pos, "x itself, as a separate node") \
    X(OP_STOP_GRADIENT, stop_gradient, "x itself, as a constant: no gradient") \
    X(OP_ABS, abs, "the absolute value; the derivative at 0 is 0") \
    X(OP_LESS, less, "1 if x < y, else 0") \
    X(OP_LESS_EQUAL, less_equal, "1 if x <= y, else 0") \
    X(OP_EQUAL, equal, "1 if x == y, else 0") \
    X(OP_MAXIMUM, maximum, "the larger of two numbers; on a tie each gets half of the gradient") \
    X(OP_MINIMUM, minimum, "the smaller of two numbers; on a tie each gets half of the gradient") \
    X(OP_SIGN, sign, "-1, 0 or 1; the derivative is 0") \
    X(OP_FLOOR, floor, "the largest integer up to x; the derivative is 0") \
    X(OP_CEIL, ceil, "the smallest integer from x on; the derivative is 0") \
    X(OP_TRUNC, trunc, "x without its fraction; the derivative is 0") \
    X(OP_ROUND, round, "the nearest integer, the even one if two are equally near; the derivative is 0") \
    X(OP_ROUND, rint, "the nearest integer, the even one if two are equally near; the derivative is 0") \
    X(OP_FMOD, fmod, "the remainder of x / y with the sign of x, as in C") \
    X(OP_REMAINDER, remainder, "the remainder of x / y with the sign of y, as in Python") \
    X(OP_REMAINDER, mod, "the remainder of x / y with the sign of y, as in Python") \
    X(OP_FLOOR_DIVIDE, floor_divide, "the largest integer up to x / y; the derivatives are 0") \
    X(OP_EXP, exp, "e to the power x") \
    X(OP_EXP2, exp2, "2 to the power x") \
    X(OP_EXPM1, expm1, "exp(x) - 1, accurate near 0") \
    X(OP_LOG, log, "the natural logarithm") \
    X(OP_LOG1P, log1p, "log(1 + x), accurate near 0") \
    X(OP_LOG2, log2, "the logarithm to base 2") \
    X(OP_LOG10, log10, "the logarithm to base 10") \
    X(OP_LOGADDEXP, logaddexp, "log(exp(x) + exp(y)) without overflow") \
    X(OP_XLOGY, xlogy, "x * log(y), and 0 where x is 0; for y up to 0 the derivatives are then 0 too") \
    X(OP_XLOG1PY, xlog1py, "x * log(1 + y), and 0 where x is 0; for y up to -1 the derivatives are then 0 too") \
    X(OP_SQRT, sqrt, "the square root; the derivative at 0 is inf") \
    X(OP_CBRT, cbrt, "the cube root; the derivative at 0 is inf") \
    X(OP_DEG2RAD, deg2rad, "degrees as radians") \
    X(OP_DEG2RAD, radians, "degrees as radians") \
    X(OP_RAD2DEG, rad2deg, "radians as degrees") \
    X(OP_RAD2DEG, degrees, "radians as degrees") \
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
    X(OP_ERFC, erfc, "1 - erf(x), accurate in the tail") \
    X(OP_NORMAL_PDF, normal_pdf, "the density of the standard normal distribution") \
    X(OP_NORMAL_CDF, normal_cdf, "the distribution function of the standard normal distribution, accurate in the left tail") \
    X(OP_LOG_NORMAL_CDF, log_normal_cdf, "log(normal_cdf(x)) without underflow") \
    X(OP_SIGMOID, sigmoid, "1 / (1 + exp(-x)) without overflow") \
    X(OP_SIGMOID, expit, "1 / (1 + exp(-x)) without overflow") \
    X(OP_LOGIT, logit, "log(x / (1 - x)), the inverse of sigmoid") \
    X(OP_SOFTPLUS, softplus, "log(1 + exp(x)) without overflow") \
    X(OP_LOG_SIGMOID, log_sigmoid, "log(sigmoid(x)) without overflow") \
    X(OP_RELU, relu, "x if positive, else 0; the derivative at 0 is 0") \
    X(OP_LEAKY_RELU, leaky_relu, "x if positive, else negative_slope * x; the derivative at 0 is negative_slope") \
    X(OP_ELU, elu, "x if positive, else alpha * (exp(x) - 1)") \
    X(OP_SILU, silu, "x * sigmoid(x)") \
    X(OP_GELU, gelu, "x times the standard normal distribution function of x")

#define VARIADIC_METHODS(X) \
    X(OP_SUM, sum, "the sum, added from left to right") \
    X(OP_MEAN, mean, "the arithmetic mean") \
    X(OP_PROD, prod, "the product, multiplied from left to right") \
    X(OP_DOT, dot, "x1 * y1 + x2 * y2 + ..., added from left to right") \
    X(OP_LOGSUMEXP, logsumexp, "log(exp(x1) + exp(x2) + ...) without overflow; its gradient is the softmax") \
    X(OP_NORM, norm, "√(x1² + x2² + ...) without overflow; the derivatives at the origin are 0") \
    X(OP_MAX, max, "the largest number; ties share the gradient equally") \
    X(OP_MIN, min, "the smallest number; ties share the gradient equally")

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
static inline double op_sign(double x);
static inline double op_floor(double x);
static inline double op_ceil(double x);
static inline double op_trunc(double x);
static inline double op_round(double x);
static inline double op_fmod(double x, double y);
static inline double op_remainder(double x, double y);
static inline double op_floor_divide(double x, double y);
static inline double op_exp(double x);
static inline double op_exp2(double x);
static inline double op_expm1(double x);
static inline double op_log(double x);
static inline double op_log1p(double x);
static inline double op_log2(double x);
static inline double op_log10(double x);
static inline double op_logaddexp(double x, double y);
static inline double op_xlogy(double x, double y);
static inline double op_xlog1py(double x, double y);
static inline double op_sqrt(double x);
static inline double op_cbrt(double x);
static inline double op_deg2rad(double x);
static inline double op_rad2deg(double x);
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
static inline double op_normal_pdf(double x);
static inline double op_normal_cdf(double x);
static inline double op_log_normal_cdf(double x);
static inline double op_sigmoid(double x);
static inline double op_logit(double x);
static inline double op_softplus(double x);
static inline double op_log_sigmoid(double x);
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

static inline double op_sign(double x) {
    double t1;
    if (x < 0.0) {
        t1 = (-1.0);
    } else {
        double t2;
        if (0.0 < x) {
            t2 = 1.0;
        } else {
            const double t3 = x == 0.0 ? 0.0 : x;
            t2 = t3;
        }
        t1 = t2;
    }
    return t1;
}

static inline double op_floor(double x) {
    return floor(x);
}

static inline double op_ceil(double x) {
    const double t1 = -x;
    const double t2 = floor(t1);
    const double t3 = -t2;
    return t3;
}

static inline double op_trunc(double x) {
    double t1;
    if (x < 0.0) {
        const double t2 = -x;
        const double t3 = floor(t2);
        const double t4 = -t3;
        t1 = t4;
    } else {
        const double t5 = floor(x);
        t1 = t5;
    }
    return t1;
}

static inline double op_round(double x) {
    const double t1 = floor(x);
    const double t2 = x - t1;
    double t3;
    if (t2 < 0.5) {
        t3 = 0.0;
    } else {
        double t4;
        if (t2 == 0.5) {
            const double t5 = 0.5 * t1;
            const double t6 = floor(t5);
            const double t7 = 2.0 * t6;
            const double t8 = t1 - t7;
            t4 = t8;
        } else {
            t4 = 1.0;
        }
        t3 = t4;
    }
    const double t9 = t1 + t3;
    double t10;
    if (t9 == 0.0) {
        const double t11 = 0.0 * x;
        t10 = t11;
    } else {
        t10 = t9;
    }
    return t10;
}

static inline double op_fmod(double x, double y) {
    return fmod(x, y);
}

static inline double op_remainder(double x, double y) {
    const double t1 = fmod(x, y);
    double t2;
    if (t1 == 0.0) {
        const double t3 = y < 0.0 ? (-0.0) : 0.0;
        t2 = t3;
    } else {
        double t4;
        if (y < 0.0) {
            const double t5 = (0.0 < t1 ? 1.0 : 0.0);
            t4 = t5;
        } else {
            const double t6 = (t1 < 0.0 ? 1.0 : 0.0);
            t4 = t6;
        }
        double t7;
        if (t4 != 0.0) {
            const double t8 = t1 + y;
            t7 = t8;
        } else {
            t7 = t1;
        }
        t2 = t7;
    }
    return t2;
}

static inline double op_floor_divide(double x, double y) {
    double t1;
    if (y == 0.0) {
        const double t2 = x / y;
        t1 = t2;
    } else {
        const double t3 = fmod(x, y);
        const double t4 = x - t3;
        const double t5 = t4 / y;
        double t6;
        if (y < 0.0) {
            const double t7 = (0.0 < t3 ? 1.0 : 0.0);
            t6 = t7;
        } else {
            const double t8 = (t3 < 0.0 ? 1.0 : 0.0);
            t6 = t8;
        }
        const double t9 = t5 - t6;
        const double t10 = floor(t9);
        const double t11 = t9 - t10;
        const double t12 = (0.5 < t11 ? 1.0 : 0.0);
        const double t13 = t10 + t12;
        double t14;
        if (t13 == 0.0) {
            const double t15 = x / y;
            const double t16 = 0.0 * t15;
            t14 = t16;
        } else {
            t14 = t13;
        }
        t1 = t14;
    }
    return t1;
}

static inline double op_exp(double x) {
    return exp(x);
}

static inline double op_exp2(double x) {
    const double t1 = pow(2.0, x);
    return t1;
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

static inline double op_logaddexp(double x, double y) {
    double t1;
    if (x == y) {
        const double t2 = x + 0.6931471805599453;
        t1 = t2;
    } else {
        double t3;
        if (x < y) {
            const double t4 = x - y;
            const double t5 = exp(t4);
            const double t6 = log1p(t5);
            const double t7 = y + t6;
            t3 = t7;
        } else {
            const double t8 = y - x;
            const double t9 = exp(t8);
            const double t10 = log1p(t9);
            const double t11 = x + t10;
            t3 = t11;
        }
        t1 = t3;
    }
    return t1;
}

static inline double op_xlogy(double x, double y) {
    double t1;
    if (x == 0.0 && y == y) {
        t1 = 0.0;
    } else {
        const double t2 = log(y);
        const double t3 = x * t2;
        t1 = t3;
    }
    return t1;
}

static inline double op_xlog1py(double x, double y) {
    double t1;
    if (x == 0.0 && y == y) {
        t1 = 0.0;
    } else {
        const double t2 = log1p(y);
        const double t3 = x * t2;
        t1 = t3;
    }
    return t1;
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
        if (t2 < 1e-140) {
            double t6;
            if (t2 < 1e-140) {
                const double t7 = t2 * 4.149515568880993e+180;
                t6 = t7;
            } else {
                t6 = t2;
            }
            const double t8 = pow(t6, 0.3333333333333333);
            const double t9 = 68719476737.0 * t8;
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
            if (t2 < 1e-140) {
                const double t25 = t2 * 4.149515568880993e+180;
                t24 = t25;
            } else {
                t24 = t2;
            }
            const double t26 = pow(t24, 0.3333333333333333);
            const double t27 = 68719476737.0 * t26;
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

static inline double op_deg2rad(double x) {
    const double t1 = x * 0.017453292519943295;
    return t1;
}

static inline double op_rad2deg(double x) {
    const double t1 = x * 57.29577951308232;
    return t1;
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
    const double t1 = fabs(x);
    double t2;
    if (t1 == INFINITY) {
        t2 = 1.0;
    } else {
        const double t3 = fabs(y);
        const double t4 = (t3 == INFINITY ? 1.0 : 0.0);
        t2 = t4;
    }
    double t5;
    if (t2 != 0.0) {
        t5 = INFINITY;
    } else {
        const double t6 = fabs(y);
        double t7;
        if (t1 < t6) {
            t7 = t6;
        } else {
            t7 = t1;
        }
        double t8;
        if (t7 == 0.0) {
            const double t9 = t1 + t6;
            t8 = t9;
        } else {
            double t10;
            if (t1 < t6) {
                t10 = t1;
            } else {
                t10 = t6;
            }
            const double t11 = t10 / t7;
            const double t12 = t11 * t11;
            const double t13 = 1.0 + t12;
            const double t14 = sqrt(t13);
            const double t15 = t7 * t14;
            t8 = t15;
        }
        t5 = t8;
    }
    return t5;
}

static inline double op_atan2(double x, double y) {
    return atan2(x, y);
}

static inline double op_erf(double x) {
    return erf(x);
}

static inline double op_erfc(double x) {
    double t1;
    if (x < 0.64) {
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
                    const double t13 = x - 1.75;
                    const double t14 = x + 1.75;
                    const double t15 = t13 / t14;
                    const double t16 = (-1.3948238822037281e-09) * t15;
                    const double t17 = t16 + 5.109700928463397e-07;
                    const double t18 = t17 * t15;
                    const double t19 = t18 + (-1.5841199402994402e-06);
                    const double t20 = t19 * t15;
                    const double t21 = t20 + 4.070833795381134e-07;
                    const double t22 = t21 * t15;
                    const double t23 = t22 + 1.8586295887506923e-06;
                    const double t24 = t23 * t15;
                    const double t25 = t24 + 7.069160546743763e-07;
                    const double t26 = t25 * t15;
                    const double t27 = t26 + 2.454969588778001e-07;
                    const double t28 = t27 * t15;
                    const double t29 = t28 + (-3.4774483443329614e-06);
                    const double t30 = t29 * t15;
                    const double t31 = t30 + (-9.27425139523432e-06);
                    const double t32 = t31 * t15;
                    const double t33 = t32 + (-4.579518936004241e-06);
                    const double t34 = t33 * t15;
                    const double t35 = t34 + 2.4328581586716806e-05;
                    const double t36 = t35 * t15;
                    const double t37 = t36 + 6.039691058873441e-05;
                    const double t38 = t37 * t15;
                    const double t39 = t38 + 1.2791203764093609e-05;
                    const double t40 = t39 * t15;
                    const double t41 = t40 + (-0.0002179647924793206);
                    const double t42 = t41 * t15;
                    const double t43 = t42 + (-0.00038991252570686933);
                    const double t44 = t43 * t15;
                    const double t45 = t44 + 0.00040834971237136325;
                    const double t46 = t45 * t15;
                    const double t47 = t46 + 0.002330547550611729;
                    const double t48 = t47 * t15;
                    const double t49 = t48 + 0.00024020960085594035;
                    const double t50 = t49 * t15;
                    const double t51 = t50 + (-0.01283569824165594);
                    const double t52 = t51 * t15;
                    const double t53 = t52 + (-0.0032359378650534494);
                    const double t54 = t53 * t15;
                    const double t55 = t54 + 0.09778825221221718;
                    const double t56 = t55 * t15;
                    const double t57 = t56 + (-0.21385470725570538);
                    const double t58 = t57 * t15;
                    const double t59 = t58 + 0.19517270530480552;
                    const double t60 = t59 * t15;
                    const double t61 = t60 + 0.49870141079051367;
                    const double t62 = t61 / x;
                    const double t63 = (-0.5) * t11;
                    const double t64 = exp(t63);
                    const double t65 = t62 * t64;
                    const double t66 = x - t9;
                    const double t67 = (-1.0) * t66;
                    const double t68 = x + t9;
                    const double t69 = t67 * t68;
                    const double t70 = t69 * 0.16666666666666666;
                    const double t71 = 0.5 + t70;
                    const double t72 = t69 * t71;
                    const double t73 = 1.0 + t72;
                    const double t74 = t69 * t73;
                    const double t75 = t64 * t74;
                    const double t76 = t64 + t75;
                    const double t77 = t65 * t76;
                    t12 = t77;
                } else {
                    const double t78 = x - 1.75;
                    const double t79 = x + 1.75;
                    const double t80 = t78 / t79;
                    const double t81 = (-1.3948238822037281e-09) * t80;
                    const double t82 = t81 + 5.109700928463397e-07;
                    const double t83 = t82 * t80;
                    const double t84 = t83 + (-1.5841199402994402e-06);
                    const double t85 = t84 * t80;
                    const double t86 = t85 + 4.070833795381134e-07;
                    const double t87 = t86 * t80;
                    const double t88 = t87 + 1.8586295887506923e-06;
                    const double t89 = t88 * t80;
                    const double t90 = t89 + 7.069160546743763e-07;
                    const double t91 = t90 * t80;
                    const double t92 = t91 + 2.454969588778001e-07;
                    const double t93 = t92 * t80;
                    const double t94 = t93 + (-3.4774483443329614e-06);
                    const double t95 = t94 * t80;
                    const double t96 = t95 + (-9.27425139523432e-06);
                    const double t97 = t96 * t80;
                    const double t98 = t97 + (-4.579518936004241e-06);
                    const double t99 = t98 * t80;
                    const double t100 = t99 + 2.4328581586716806e-05;
                    const double t101 = t100 * t80;
                    const double t102 = t101 + 6.039691058873441e-05;
                    const double t103 = t102 * t80;
                    const double t104 = t103 + 1.2791203764093609e-05;
                    const double t105 = t104 * t80;
                    const double t106 = t105 + (-0.0002179647924793206);
                    const double t107 = t106 * t80;
                    const double t108 = t107 + (-0.00038991252570686933);
                    const double t109 = t108 * t80;
                    const double t110 = t109 + 0.00040834971237136325;
                    const double t111 = t110 * t80;
                    const double t112 = t111 + 0.002330547550611729;
                    const double t113 = t112 * t80;
                    const double t114 = t113 + 0.00024020960085594035;
                    const double t115 = t114 * t80;
                    const double t116 = t115 + (-0.01283569824165594);
                    const double t117 = t116 * t80;
                    const double t118 = t117 + (-0.0032359378650534494);
                    const double t119 = t118 * t80;
                    const double t120 = t119 + 0.09778825221221718;
                    const double t121 = t120 * t80;
                    const double t122 = t121 + (-0.21385470725570538);
                    const double t123 = t122 * t80;
                    const double t124 = t123 + 0.19517270530480552;
                    const double t125 = t124 * t80;
                    const double t126 = t125 + 0.49870141079051367;
                    const double t127 = t126 / x;
                    const double t128 = -t11;
                    const double t129 = exp(t128);
                    const double t130 = x - t9;
                    const double t131 = (-1.0) * t130;
                    const double t132 = x + t9;
                    const double t133 = t131 * t132;
                    const double t134 = t133 * 0.16666666666666666;
                    const double t135 = 0.5 + t134;
                    const double t136 = t133 * t135;
                    const double t137 = 1.0 + t136;
                    const double t138 = t133 * t137;
                    const double t139 = t129 * t138;
                    const double t140 = t129 + t139;
                    const double t141 = t127 * t140;
                    t12 = t141;
                }
                t6 = t12;
            }
            t4 = t6;
        }
        t1 = t4;
    }
    return t1;
}

static inline double op_normal_pdf(double x) {
    const double t1 = x * x;
    double t2;
    if (1600.0 < t1) {
        t2 = 0.0;
    } else {
        const double t3 = 134217729.0 * x;
        const double t4 = t3 - x;
        const double t5 = t3 - t4;
        const double t6 = 0.5 * t5;
        const double t7 = t6 * t5;
        double t8;
        if (700.0 < t7) {
            const double t9 = (-0.5) * t7;
            const double t10 = exp(t9);
            const double t11 = 0.3989422804014327 * t10;
            const double t12 = x - t5;
            const double t13 = (-0.5) * t12;
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
            const double t27 = (-0.5) * t26;
            const double t28 = x + t5;
            const double t29 = t27 * t28;
            const double t30 = t29 * 0.16666666666666666;
            const double t31 = 0.5 + t30;
            const double t32 = t29 * t31;
            const double t33 = 1.0 + t32;
            const double t34 = t29 * t33;
            const double t35 = t25 * t34;
            const double t36 = t25 + t35;
            const double t37 = 0.3989422804014327 * t36;
            t8 = t37;
        }
        t2 = t8;
    }
    return t2;
}

static inline double op_normal_cdf(double x) {
    double t1;
    if (x < (-0.91)) {
        double t2;
        if (x < (-40.0)) {
            t2 = 0.0;
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
                    const double t11 = -x;
                    const double t12 = t11 - 2.5;
                    const double t13 = t11 + 2.5;
                    const double t14 = t12 / t13;
                    const double t15 = (-3.781977220946943e-08) * t14;
                    const double t16 = t15 + 4.642175737039127e-07;
                    const double t17 = t16 * t14;
                    const double t18 = t17 + (-1.0887306719833636e-06);
                    const double t19 = t18 * t14;
                    const double t20 = t19 + 5.222203352569594e-08;
                    const double t21 = t20 * t14;
                    const double t22 = t21 + 1.2799883631680893e-06;
                    const double t23 = t22 * t14;
                    const double t24 = t23 + 5.952843746139928e-07;
                    const double t25 = t24 * t14;
                    const double t26 = t25 + 4.0156195214973863e-07;
                    const double t27 = t26 * t14;
                    const double t28 = t27 + (-1.9370786659147376e-06);
                    const double t29 = t28 * t14;
                    const double t30 = t29 + (-6.452093869750818e-06);
                    const double t31 = t30 * t14;
                    const double t32 = t31 + (-4.76865240222145e-06);
                    const double t33 = t32 * t14;
                    const double t34 = t33 + 1.4319316112632404e-05;
                    const double t35 = t34 * t14;
                    const double t36 = t35 + 4.2958184365097303e-05;
                    const double t37 = t36 * t14;
                    const double t38 = t37 + 1.908768067646918e-05;
                    const double t39 = t38 * t14;
                    const double t40 = t39 + (-0.00014039187243244702);
                    const double t41 = t40 * t14;
                    const double t42 = t41 + (-0.00029338317028938164);
                    const double t43 = t42 * t14;
                    const double t44 = t43 + 0.000217489184138791;
                    const double t45 = t44 * t14;
                    const double t46 = t45 + 0.0016486801344341574;
                    const double t47 = t46 * t14;
                    const double t48 = t47 + 0.0004565742670093648;
                    const double t49 = t48 * t14;
                    const double t50 = t49 + (-0.009007517699530638);
                    const double t51 = t50 * t14;
                    const double t52 = t51 + (-0.0035754253874364537);
                    const double t53 = t52 * t14;
                    const double t54 = t53 + 0.0706132265594008;
                    const double t55 = t54 * t14;
                    const double t56 = t55 + (-0.15085243167224832);
                    const double t57 = t56 * t14;
                    const double t58 = t57 + 0.13648225752794654;
                    const double t59 = t58 * t14;
                    const double t60 = t59 + 0.3533283284514383;
                    const double t61 = t60 / x;
                    const double t62 = -t61;
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
                    const double t78 = -x;
                    const double t79 = t78 - 2.5;
                    const double t80 = t78 + 2.5;
                    const double t81 = t79 / t80;
                    const double t82 = (-3.781977220946943e-08) * t81;
                    const double t83 = t82 + 4.642175737039127e-07;
                    const double t84 = t83 * t81;
                    const double t85 = t84 + (-1.0887306719833636e-06);
                    const double t86 = t85 * t81;
                    const double t87 = t86 + 5.222203352569594e-08;
                    const double t88 = t87 * t81;
                    const double t89 = t88 + 1.2799883631680893e-06;
                    const double t90 = t89 * t81;
                    const double t91 = t90 + 5.952843746139928e-07;
                    const double t92 = t91 * t81;
                    const double t93 = t92 + 4.0156195214973863e-07;
                    const double t94 = t93 * t81;
                    const double t95 = t94 + (-1.9370786659147376e-06);
                    const double t96 = t95 * t81;
                    const double t97 = t96 + (-6.452093869750818e-06);
                    const double t98 = t97 * t81;
                    const double t99 = t98 + (-4.76865240222145e-06);
                    const double t100 = t99 * t81;
                    const double t101 = t100 + 1.4319316112632404e-05;
                    const double t102 = t101 * t81;
                    const double t103 = t102 + 4.2958184365097303e-05;
                    const double t104 = t103 * t81;
                    const double t105 = t104 + 1.908768067646918e-05;
                    const double t106 = t105 * t81;
                    const double t107 = t106 + (-0.00014039187243244702);
                    const double t108 = t107 * t81;
                    const double t109 = t108 + (-0.00029338317028938164);
                    const double t110 = t109 * t81;
                    const double t111 = t110 + 0.000217489184138791;
                    const double t112 = t111 * t81;
                    const double t113 = t112 + 0.0016486801344341574;
                    const double t114 = t113 * t81;
                    const double t115 = t114 + 0.0004565742670093648;
                    const double t116 = t115 * t81;
                    const double t117 = t116 + (-0.009007517699530638);
                    const double t118 = t117 * t81;
                    const double t119 = t118 + (-0.0035754253874364537);
                    const double t120 = t119 * t81;
                    const double t121 = t120 + 0.0706132265594008;
                    const double t122 = t121 * t81;
                    const double t123 = t122 + (-0.15085243167224832);
                    const double t124 = t123 * t81;
                    const double t125 = t124 + 0.13648225752794654;
                    const double t126 = t125 * t81;
                    const double t127 = t126 + 0.3533283284514383;
                    const double t128 = t127 / x;
                    const double t129 = -t128;
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
        const double t144 = x * 0.7071067811865476;
        const double t145 = erf(t144);
        const double t146 = 1.0 + t145;
        const double t147 = 0.5 * t146;
        t1 = t147;
    }
    return t1;
}

static inline double op_log_normal_cdf(double x) {
    double t1;
    if (x < (-0.91)) {
        const double t2 = -x;
        double t3;
        if (t2 < 40.0) {
            const double t4 = t2 - 2.5;
            const double t5 = t2 + 2.5;
            const double t6 = t4 / t5;
            const double t7 = (-3.781977220946943e-08) * t6;
            const double t8 = t7 + 4.642175737039127e-07;
            const double t9 = t8 * t6;
            const double t10 = t9 + (-1.0887306719833636e-06);
            const double t11 = t10 * t6;
            const double t12 = t11 + 5.222203352569594e-08;
            const double t13 = t12 * t6;
            const double t14 = t13 + 1.2799883631680893e-06;
            const double t15 = t14 * t6;
            const double t16 = t15 + 5.952843746139928e-07;
            const double t17 = t16 * t6;
            const double t18 = t17 + 4.0156195214973863e-07;
            const double t19 = t18 * t6;
            const double t20 = t19 + (-1.9370786659147376e-06);
            const double t21 = t20 * t6;
            const double t22 = t21 + (-6.452093869750818e-06);
            const double t23 = t22 * t6;
            const double t24 = t23 + (-4.76865240222145e-06);
            const double t25 = t24 * t6;
            const double t26 = t25 + 1.4319316112632404e-05;
            const double t27 = t26 * t6;
            const double t28 = t27 + 4.2958184365097303e-05;
            const double t29 = t28 * t6;
            const double t30 = t29 + 1.908768067646918e-05;
            const double t31 = t30 * t6;
            const double t32 = t31 + (-0.00014039187243244702);
            const double t33 = t32 * t6;
            const double t34 = t33 + (-0.00029338317028938164);
            const double t35 = t34 * t6;
            const double t36 = t35 + 0.000217489184138791;
            const double t37 = t36 * t6;
            const double t38 = t37 + 0.0016486801344341574;
            const double t39 = t38 * t6;
            const double t40 = t39 + 0.0004565742670093648;
            const double t41 = t40 * t6;
            const double t42 = t41 + (-0.009007517699530638);
            const double t43 = t42 * t6;
            const double t44 = t43 + (-0.0035754253874364537);
            const double t45 = t44 * t6;
            const double t46 = t45 + 0.0706132265594008;
            const double t47 = t46 * t6;
            const double t48 = t47 + (-0.15085243167224832);
            const double t49 = t48 * t6;
            const double t50 = t49 + 0.13648225752794654;
            const double t51 = t50 * t6;
            const double t52 = t51 + 0.3533283284514383;
            const double t53 = 2.5066282746310002 * t52;
            t3 = t53;
        } else {
            const double t54 = 1.0 / t2;
            const double t55 = t54 * t54;
            const double t56 = 1.0 * t55;
            const double t57 = 3.0 * t55;
            const double t58 = 5.0 * t55;
            const double t59 = 7.0 * t55;
            const double t60 = 9.0 * t55;
            const double t61 = 11.0 * t55;
            const double t62 = t61 * 1.0;
            const double t63 = 1.0 - t62;
            const double t64 = t60 * t63;
            const double t65 = 1.0 - t64;
            const double t66 = t59 * t65;
            const double t67 = 1.0 - t66;
            const double t68 = t58 * t67;
            const double t69 = 1.0 - t68;
            const double t70 = t57 * t69;
            const double t71 = 1.0 - t70;
            const double t72 = t56 * t71;
            const double t73 = 1.0 - t72;
            t3 = t73;
        }
        const double t74 = t3 / t2;
        const double t75 = log(t74);
        const double t76 = t75 - 0.9189385332046728;
        const double t77 = 0.5 * x;
        const double t78 = t77 * x;
        const double t79 = t76 - t78;
        t1 = t79;
    } else {
        double t80;
        if (x < 0.0) {
            const double t81 = op_normal_cdf(x);
            const double t82 = log(t81);
            t80 = t82;
        } else {
            const double t83 = -x;
            const double t84 = op_normal_cdf(t83);
            const double t85 = -t84;
            const double t86 = log1p(t85);
            t80 = t86;
        }
        t1 = t80;
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

static inline double op_logit(double x) {
    double t1;
    if (0.25 < x && x < 0.75) {
        const double t2 = x - 0.5;
        const double t3 = 2.0 * t2;
        const double t4 = 1.0 - x;
        const double t5 = t3 / t4;
        const double t6 = log1p(t5);
        t1 = t6;
    } else {
        const double t7 = 1.0 - x;
        const double t8 = x / t7;
        const double t9 = log(t8);
        t1 = t9;
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

static inline double op_log_sigmoid(double x) {
    const double t1 = -x;
    const double t2 = op_softplus(t1);
    const double t3 = -t2;
    return t3;
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
    if (x < (-0.91)) {
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
                    const double t11 = -x;
                    const double t12 = t11 - 2.5;
                    const double t13 = t11 + 2.5;
                    const double t14 = t12 / t13;
                    const double t15 = (-3.781977220946943e-08) * t14;
                    const double t16 = t15 + 4.642175737039127e-07;
                    const double t17 = t16 * t14;
                    const double t18 = t17 + (-1.0887306719833636e-06);
                    const double t19 = t18 * t14;
                    const double t20 = t19 + 5.222203352569594e-08;
                    const double t21 = t20 * t14;
                    const double t22 = t21 + 1.2799883631680893e-06;
                    const double t23 = t22 * t14;
                    const double t24 = t23 + 5.952843746139928e-07;
                    const double t25 = t24 * t14;
                    const double t26 = t25 + 4.0156195214973863e-07;
                    const double t27 = t26 * t14;
                    const double t28 = t27 + (-1.9370786659147376e-06);
                    const double t29 = t28 * t14;
                    const double t30 = t29 + (-6.452093869750818e-06);
                    const double t31 = t30 * t14;
                    const double t32 = t31 + (-4.76865240222145e-06);
                    const double t33 = t32 * t14;
                    const double t34 = t33 + 1.4319316112632404e-05;
                    const double t35 = t34 * t14;
                    const double t36 = t35 + 4.2958184365097303e-05;
                    const double t37 = t36 * t14;
                    const double t38 = t37 + 1.908768067646918e-05;
                    const double t39 = t38 * t14;
                    const double t40 = t39 + (-0.00014039187243244702);
                    const double t41 = t40 * t14;
                    const double t42 = t41 + (-0.00029338317028938164);
                    const double t43 = t42 * t14;
                    const double t44 = t43 + 0.000217489184138791;
                    const double t45 = t44 * t14;
                    const double t46 = t45 + 0.0016486801344341574;
                    const double t47 = t46 * t14;
                    const double t48 = t47 + 0.0004565742670093648;
                    const double t49 = t48 * t14;
                    const double t50 = t49 + (-0.009007517699530638);
                    const double t51 = t50 * t14;
                    const double t52 = t51 + (-0.0035754253874364537);
                    const double t53 = t52 * t14;
                    const double t54 = t53 + 0.0706132265594008;
                    const double t55 = t54 * t14;
                    const double t56 = t55 + (-0.15085243167224832);
                    const double t57 = t56 * t14;
                    const double t58 = t57 + 0.13648225752794654;
                    const double t59 = t58 * t14;
                    const double t60 = t59 + 0.3533283284514383;
                    const double t61 = -t60;
                    const double t62 = (-0.5) * t9;
                    const double t63 = exp(t62);
                    const double t64 = t61 * t63;
                    const double t65 = x - t7;
                    const double t66 = (-0.5) * t65;
                    const double t67 = x + t7;
                    const double t68 = t66 * t67;
                    const double t69 = t68 * 0.16666666666666666;
                    const double t70 = 0.5 + t69;
                    const double t71 = t68 * t70;
                    const double t72 = 1.0 + t71;
                    const double t73 = t68 * t72;
                    const double t74 = t63 * t73;
                    const double t75 = t63 + t74;
                    const double t76 = t64 * t75;
                    t10 = t76;
                } else {
                    const double t77 = -x;
                    const double t78 = t77 - 2.5;
                    const double t79 = t77 + 2.5;
                    const double t80 = t78 / t79;
                    const double t81 = (-3.781977220946943e-08) * t80;
                    const double t82 = t81 + 4.642175737039127e-07;
                    const double t83 = t82 * t80;
                    const double t84 = t83 + (-1.0887306719833636e-06);
                    const double t85 = t84 * t80;
                    const double t86 = t85 + 5.222203352569594e-08;
                    const double t87 = t86 * t80;
                    const double t88 = t87 + 1.2799883631680893e-06;
                    const double t89 = t88 * t80;
                    const double t90 = t89 + 5.952843746139928e-07;
                    const double t91 = t90 * t80;
                    const double t92 = t91 + 4.0156195214973863e-07;
                    const double t93 = t92 * t80;
                    const double t94 = t93 + (-1.9370786659147376e-06);
                    const double t95 = t94 * t80;
                    const double t96 = t95 + (-6.452093869750818e-06);
                    const double t97 = t96 * t80;
                    const double t98 = t97 + (-4.76865240222145e-06);
                    const double t99 = t98 * t80;
                    const double t100 = t99 + 1.4319316112632404e-05;
                    const double t101 = t100 * t80;
                    const double t102 = t101 + 4.2958184365097303e-05;
                    const double t103 = t102 * t80;
                    const double t104 = t103 + 1.908768067646918e-05;
                    const double t105 = t104 * t80;
                    const double t106 = t105 + (-0.00014039187243244702);
                    const double t107 = t106 * t80;
                    const double t108 = t107 + (-0.00029338317028938164);
                    const double t109 = t108 * t80;
                    const double t110 = t109 + 0.000217489184138791;
                    const double t111 = t110 * t80;
                    const double t112 = t111 + 0.0016486801344341574;
                    const double t113 = t112 * t80;
                    const double t114 = t113 + 0.0004565742670093648;
                    const double t115 = t114 * t80;
                    const double t116 = t115 + (-0.009007517699530638);
                    const double t117 = t116 * t80;
                    const double t118 = t117 + (-0.0035754253874364537);
                    const double t119 = t118 * t80;
                    const double t120 = t119 + 0.0706132265594008;
                    const double t121 = t120 * t80;
                    const double t122 = t121 + (-0.15085243167224832);
                    const double t123 = t122 * t80;
                    const double t124 = t123 + 0.13648225752794654;
                    const double t125 = t124 * t80;
                    const double t126 = t125 + 0.3533283284514383;
                    const double t127 = -t126;
                    const double t128 = -t9;
                    const double t129 = exp(t128);
                    const double t130 = x - t7;
                    const double t131 = (-0.5) * t130;
                    const double t132 = x + t7;
                    const double t133 = t131 * t132;
                    const double t134 = t133 * 0.16666666666666666;
                    const double t135 = 0.5 + t134;
                    const double t136 = t133 * t135;
                    const double t137 = 1.0 + t136;
                    const double t138 = t133 * t137;
                    const double t139 = t129 * t138;
                    const double t140 = t129 + t139;
                    const double t141 = t127 * t140;
                    t10 = t141;
                }
                t4 = t10;
            }
            t2 = t4;
        }
        t1 = t2;
    } else {
        const double t142 = 0.5 * x;
        const double t143 = x * 0.7071067811865476;
        const double t144 = erf(t143);
        const double t145 = 1.0 + t144;
        const double t146 = t142 * t145;
        t1 = t146;
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
        const double t1 = (a[i] == fold0 ? 1.0 : 0.0);
        const double t2 = fold1 + t1;
        fold1 = t2;
    }
    double fold2 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        double t1;
        if (a[i] == fold0) {
            t1 = 0.0;
        } else {
            const double t2 = a[i] - fold0;
            const double t3 = exp(t2);
            t1 = t3;
        }
        const double t4 = fold2 + t1;
        fold2 = t4;
    }
    const double t1 = fabs(fold0);
    double t2;
    if (t1 == INFINITY) {
        t2 = fold0;
    } else {
        const double t3 = log(fold1);
        const double t4 = fold2 / fold1;
        const double t5 = log1p(t4);
        const double t6 = t3 + t5;
        const double t7 = fold0 + t6;
        t2 = t7;
    }
    return t2;
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
        const double t1 = (a[i] == fold0 ? 1.0 : 0.0);
        const double t2 = fold1 + t1;
        fold1 = t2;
    }
    double fold2 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        double t1;
        if (a[i] == fold0) {
            t1 = 0.0;
        } else {
            const double t2 = a[i] - fold0;
            const double t3 = exp(t2);
            t1 = t3;
        }
        const double t4 = fold2 + t1;
        fold2 = t4;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = fabs(fold0);
        double t2;
        if (t1 == INFINITY) {
            double t3;
            if (fold0 < 0.0) {
                t3 = 0.0;
            } else {
                const double t4 = (a[i] == fold0 ? 1.0 : 0.0);
                const double t5 = t4 / fold1;
                t3 = t5;
            }
            t2 = t3;
        } else {
            const double t6 = a[i] - fold0;
            const double t7 = exp(t6);
            const double t8 = fold1 + fold2;
            const double t9 = t7 / t8;
            t2 = t9;
        }
        p[i] = t2;
    }
}

static inline double op_norm(const double *a, Py_ssize_t n) {
    const double count = (double)n;
    (void)count;
    double fold0 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = fabs(a[i]);
        const double t2 = op_maximum(fold0, t1);
        fold0 = t2;
    }
    double fold1 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = fabs(a[i]);
        const double t2 = (t1 == INFINITY ? 1.0 : 0.0);
        const double t3 = fold1 + t2;
        fold1 = t3;
    }
    double fold2 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        double t1;
        if (fold0 < 1e-140) {
            t1 = 4.149515568880993e+180;
        } else {
            const double t2 = 1e+140 < fold0 ? 2.409919865102884e-181 : 1.0;
            t1 = t2;
        }
        const double t3 = a[i] * t1;
        const double t4 = t3 * t3;
        const double t5 = fold2 + t4;
        fold2 = t5;
    }
    const double t1 = sqrt(fold2);
    double t2;
    if (fold0 < 1e-140) {
        t2 = 4.149515568880993e+180;
    } else {
        const double t3 = 1e+140 < fold0 ? 2.409919865102884e-181 : 1.0;
        t2 = t3;
    }
    const double t4 = t1 / t2;
    return t4;
}

static inline void op_norm_partials(const double *a, Py_ssize_t n, double out, double *p) {
    const double count = (double)n;
    (void)count, (void)out, (void)a;
    double fold0 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = fabs(a[i]);
        const double t2 = op_maximum(fold0, t1);
        fold0 = t2;
    }
    double fold1 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double t1 = fabs(a[i]);
        const double t2 = (t1 == INFINITY ? 1.0 : 0.0);
        const double t3 = fold1 + t2;
        fold1 = t3;
    }
    double fold2 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        double t1;
        if (fold0 < 1e-140) {
            t1 = 4.149515568880993e+180;
        } else {
            const double t2 = 1e+140 < fold0 ? 2.409919865102884e-181 : 1.0;
            t1 = t2;
        }
        const double t3 = a[i] * t1;
        const double t4 = t3 * t3;
        const double t5 = fold2 + t4;
        fold2 = t5;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        double t1;
        if (fold2 == 0.0) {
            t1 = 0.0;
        } else {
            const double t2 = fabs(a[i]);
            double t3;
            if (t2 == INFINITY) {
                double t4;
                if (fold1 == 1.0) {
                    const double t5 = op_sign(a[i]);
                    t4 = t5;
                } else {
                    t4 = NAN;
                }
                t3 = t4;
            } else {
                double t6;
                if (fold0 < 1e-140) {
                    t6 = 4.149515568880993e+180;
                } else {
                    const double t7 = 1e+140 < fold0 ? 2.409919865102884e-181 : 1.0;
                    t6 = t7;
                }
                const double t8 = a[i] * t6;
                const double t9 = sqrt(fold2);
                const double t10 = t8 / t9;
                t3 = t10;
            }
            t1 = t3;
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
    case OP_SIGN: return op_sign(a[0]);
    case OP_FLOOR: return op_floor(a[0]);
    case OP_CEIL: return op_ceil(a[0]);
    case OP_TRUNC: return op_trunc(a[0]);
    case OP_ROUND: return op_round(a[0]);
    case OP_FMOD: return op_fmod(a[0], a[1]);
    case OP_REMAINDER: return op_remainder(a[0], a[1]);
    case OP_FLOOR_DIVIDE: return op_floor_divide(a[0], a[1]);
    case OP_EXP: return op_exp(a[0]);
    case OP_EXP2: return op_exp2(a[0]);
    case OP_EXPM1: return op_expm1(a[0]);
    case OP_LOG: return op_log(a[0]);
    case OP_LOG1P: return op_log1p(a[0]);
    case OP_LOG2: return op_log2(a[0]);
    case OP_LOG10: return op_log10(a[0]);
    case OP_LOGADDEXP: return op_logaddexp(a[0], a[1]);
    case OP_XLOGY: return op_xlogy(a[0], a[1]);
    case OP_XLOG1PY: return op_xlog1py(a[0], a[1]);
    case OP_SQRT: return op_sqrt(a[0]);
    case OP_CBRT: return op_cbrt(a[0]);
    case OP_DEG2RAD: return op_deg2rad(a[0]);
    case OP_RAD2DEG: return op_rad2deg(a[0]);
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
    case OP_NORMAL_PDF: return op_normal_pdf(a[0]);
    case OP_NORMAL_CDF: return op_normal_cdf(a[0]);
    case OP_LOG_NORMAL_CDF: return op_log_normal_cdf(a[0]);
    case OP_SIGMOID: return op_sigmoid(a[0]);
    case OP_LOGIT: return op_logit(a[0]);
    case OP_SOFTPLUS: return op_softplus(a[0]);
    case OP_LOG_SIGMOID: return op_log_sigmoid(a[0]);
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
    case OP_NORM: return op_norm(a, n);
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
            const double t1 = (y == 0.0 ? 1.0 : 0.0);
            const double t2 = fabs(x);
            const double t3 = 0.0 < t2 ? 0.0 : 1.0;
            const double t4 = t1 * t3;
            double t5;
            if (t4 != 0.0) {
                t5 = 0.0;
            } else {
                const double t6 = fabs(y);
                const double t7 = y - 1.0;
                const double t8 = pow(x, t7);
                const double t9 = fabs(t8);
                double t10;
                if (0.0 < t2 && t2 < INFINITY && t6 < INFINITY && t9 < 1e-290) {
                    const double t11 = x < 0.0 ? (-1.0) : 1.0;
                    const double t12 = pow(t11, t7);
                    const double t13 = 0.5 * t7;
                    const double t14 = pow(t2, t13);
                    const double t15 = y * t14;
                    const double t16 = t12 * t15;
                    const double t17 = t16 * t14;
                    t10 = t17;
                } else {
                    double t18;
                    if (0.0 < t2 && t2 < INFINITY && t6 < INFINITY && t9 == INFINITY) {
                        const double t19 = y * out;
                        const double t20 = t19 / x;
                        t18 = t20;
                    } else {
                        double t21;
                        if (t6 == INFINITY && t8 == 0.0) {
                            t21 = 0.0;
                        } else {
                            const double t22 = y * t8;
                            t21 = t22;
                        }
                        t18 = t21;
                    }
                    t10 = t18;
                }
                t5 = t10;
            }
            p[0] = t5;
        }
        if (wanted & 2) {
            double t1;
            if (x < 0.0) {
                t1 = NAN;
            } else {
                const double t2 = y < 0.0 ? INFINITY : 0.0;
                double t3;
                if (x == t2 && y == y) {
                    t3 = 0.0;
                } else {
                    const double t4 = 0.5 * y;
                    const double t5 = pow(x, t4);
                    double t6;
                    if (t5 == 0.0) {
                        t6 = 0.0;
                    } else {
                        const double t7 = log(x);
                        const double t8 = t5 * t7;
                        const double t9 = t8 * t5;
                        t6 = t9;
                    }
                    t3 = t6;
                }
                t1 = t3;
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
    case OP_SIGN: {
        const double x = a[0];
        (void)x;
        p[0] = 0.0;
        break;
    }
    case OP_FLOOR: {
        const double x = a[0];
        (void)x;
        p[0] = 0.0;
        break;
    }
    case OP_CEIL: {
        const double x = a[0];
        (void)x;
        p[0] = 0.0;
        break;
    }
    case OP_TRUNC: {
        const double x = a[0];
        (void)x;
        p[0] = 0.0;
        break;
    }
    case OP_ROUND: {
        const double x = a[0];
        (void)x;
        p[0] = 0.0;
        break;
    }
    case OP_FMOD: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        p[0] = 1.0;
        if (wanted & 2) {
            const double t1 = op_sign(x);
            const double t2 = -t1;
            const double t3 = op_sign(y);
            const double t4 = t2 * t3;
            const double t5 = fabs(x);
            const double t6 = fabs(y);
            const double t7 = op_floor_divide(t5, t6);
            const double t8 = t4 * t7;
            p[1] = t8;
        }
        break;
    }
    case OP_REMAINDER: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        p[0] = 1.0;
        if (wanted & 2) {
            const double t1 = op_floor_divide(x, y);
            const double t2 = -t1;
            p[1] = t2;
        }
        break;
    }
    case OP_FLOOR_DIVIDE: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        p[0] = 0.0;
        p[1] = 0.0;
        break;
    }
    case OP_EXP: {
        const double x = a[0];
        (void)x;
        p[0] = out;
        break;
    }
    case OP_EXP2: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = out * 0.6931471805599453;
            p[0] = t1;
        }
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
    case OP_LOGADDEXP: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        if (wanted & 1) {
            const double t1 = fabs(x);
            double t2;
            if (x == y && t1 == INFINITY) {
                const double t3 = x < 0.0 ? 0.0 : 0.5;
                t2 = t3;
            } else {
                const double t4 = x - y;
                const double t5 = op_sigmoid(t4);
                t2 = t5;
            }
            p[0] = t2;
        }
        if (wanted & 2) {
            const double t1 = fabs(y);
            double t2;
            if (y == x && t1 == INFINITY) {
                const double t3 = y < 0.0 ? 0.0 : 0.5;
                t2 = t3;
            } else {
                const double t4 = y - x;
                const double t5 = op_sigmoid(t4);
                t2 = t5;
            }
            p[1] = t2;
        }
        break;
    }
    case OP_XLOGY: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        if (wanted & 1) {
            double t1;
            if (x == 0.0 && y <= 0.0) {
                t1 = 0.0;
            } else {
                const double t2 = log(y);
                t1 = t2;
            }
            p[0] = t1;
        }
        if (wanted & 2) {
            double t1;
            if (x == 0.0 && y <= 0.0) {
                t1 = 0.0;
            } else {
                double t2;
                if (y < 0.0) {
                    t2 = NAN;
                } else {
                    const double t3 = x / y;
                    t2 = t3;
                }
                t1 = t2;
            }
            p[1] = t1;
        }
        break;
    }
    case OP_XLOG1PY: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        if (wanted & 1) {
            const double t1 = 1.0 + y;
            double t2;
            if (x == 0.0 && t1 <= 0.0) {
                t2 = 0.0;
            } else {
                const double t3 = log1p(y);
                t2 = t3;
            }
            p[0] = t2;
        }
        if (wanted & 2) {
            const double t1 = 1.0 + y;
            double t2;
            if (x == 0.0 && t1 <= 0.0) {
                t2 = 0.0;
            } else {
                double t3;
                if (y < (-1.0)) {
                    t3 = NAN;
                } else {
                    const double t4 = x / t1;
                    t3 = t4;
                }
                t2 = t3;
            }
            p[1] = t2;
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
    case OP_DEG2RAD: {
        const double x = a[0];
        (void)x;
        p[0] = 0.017453292519943295;
        break;
    }
    case OP_RAD2DEG: {
        const double x = a[0];
        (void)x;
        p[0] = 57.29577951308232;
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
    case OP_NORMAL_PDF: {
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
                const double t6 = 0.5 * t5;
                const double t7 = t6 * t5;
                double t8;
                if (700.0 < t7) {
                    const double t9 = (-0.3989422804014327) * x;
                    const double t10 = (-0.5) * t7;
                    const double t11 = exp(t10);
                    const double t12 = t9 * t11;
                    const double t13 = x - t5;
                    const double t14 = (-0.5) * t13;
                    const double t15 = x + t5;
                    const double t16 = t14 * t15;
                    const double t17 = t16 * 0.16666666666666666;
                    const double t18 = 0.5 + t17;
                    const double t19 = t16 * t18;
                    const double t20 = 1.0 + t19;
                    const double t21 = t16 * t20;
                    const double t22 = t11 * t21;
                    const double t23 = t11 + t22;
                    const double t24 = t12 * t23;
                    t8 = t24;
                } else {
                    const double t25 = (-0.3989422804014327) * x;
                    const double t26 = -t7;
                    const double t27 = exp(t26);
                    const double t28 = x - t5;
                    const double t29 = (-0.5) * t28;
                    const double t30 = x + t5;
                    const double t31 = t29 * t30;
                    const double t32 = t31 * 0.16666666666666666;
                    const double t33 = 0.5 + t32;
                    const double t34 = t31 * t33;
                    const double t35 = 1.0 + t34;
                    const double t36 = t31 * t35;
                    const double t37 = t27 * t36;
                    const double t38 = t27 + t37;
                    const double t39 = t25 * t38;
                    t8 = t39;
                }
                t2 = t8;
            }
            p[0] = t2;
        }
        break;
    }
    case OP_NORMAL_CDF: {
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
                const double t6 = 0.5 * t5;
                const double t7 = t6 * t5;
                double t8;
                if (700.0 < t7) {
                    const double t9 = (-0.5) * t7;
                    const double t10 = exp(t9);
                    const double t11 = 0.3989422804014327 * t10;
                    const double t12 = x - t5;
                    const double t13 = (-0.5) * t12;
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
                    const double t27 = (-0.5) * t26;
                    const double t28 = x + t5;
                    const double t29 = t27 * t28;
                    const double t30 = t29 * 0.16666666666666666;
                    const double t31 = 0.5 + t30;
                    const double t32 = t29 * t31;
                    const double t33 = 1.0 + t32;
                    const double t34 = t29 * t33;
                    const double t35 = t25 * t34;
                    const double t36 = t25 + t35;
                    const double t37 = 0.3989422804014327 * t36;
                    t8 = t37;
                }
                t2 = t8;
            }
            p[0] = t2;
        }
        break;
    }
    case OP_LOG_NORMAL_CDF: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            double t1;
            if (x < (-0.91)) {
                const double t2 = -x;
                double t3;
                if (t2 < 40.0) {
                    const double t4 = t2 - 2.5;
                    const double t5 = t2 + 2.5;
                    const double t6 = t4 / t5;
                    const double t7 = (-3.781977220946943e-08) * t6;
                    const double t8 = t7 + 4.642175737039127e-07;
                    const double t9 = t8 * t6;
                    const double t10 = t9 + (-1.0887306719833636e-06);
                    const double t11 = t10 * t6;
                    const double t12 = t11 + 5.222203352569594e-08;
                    const double t13 = t12 * t6;
                    const double t14 = t13 + 1.2799883631680893e-06;
                    const double t15 = t14 * t6;
                    const double t16 = t15 + 5.952843746139928e-07;
                    const double t17 = t16 * t6;
                    const double t18 = t17 + 4.0156195214973863e-07;
                    const double t19 = t18 * t6;
                    const double t20 = t19 + (-1.9370786659147376e-06);
                    const double t21 = t20 * t6;
                    const double t22 = t21 + (-6.452093869750818e-06);
                    const double t23 = t22 * t6;
                    const double t24 = t23 + (-4.76865240222145e-06);
                    const double t25 = t24 * t6;
                    const double t26 = t25 + 1.4319316112632404e-05;
                    const double t27 = t26 * t6;
                    const double t28 = t27 + 4.2958184365097303e-05;
                    const double t29 = t28 * t6;
                    const double t30 = t29 + 1.908768067646918e-05;
                    const double t31 = t30 * t6;
                    const double t32 = t31 + (-0.00014039187243244702);
                    const double t33 = t32 * t6;
                    const double t34 = t33 + (-0.00029338317028938164);
                    const double t35 = t34 * t6;
                    const double t36 = t35 + 0.000217489184138791;
                    const double t37 = t36 * t6;
                    const double t38 = t37 + 0.0016486801344341574;
                    const double t39 = t38 * t6;
                    const double t40 = t39 + 0.0004565742670093648;
                    const double t41 = t40 * t6;
                    const double t42 = t41 + (-0.009007517699530638);
                    const double t43 = t42 * t6;
                    const double t44 = t43 + (-0.0035754253874364537);
                    const double t45 = t44 * t6;
                    const double t46 = t45 + 0.0706132265594008;
                    const double t47 = t46 * t6;
                    const double t48 = t47 + (-0.15085243167224832);
                    const double t49 = t48 * t6;
                    const double t50 = t49 + 0.13648225752794654;
                    const double t51 = t50 * t6;
                    const double t52 = t51 + 0.3533283284514383;
                    const double t53 = 2.5066282746310002 * t52;
                    t3 = t53;
                } else {
                    const double t54 = 1.0 / t2;
                    const double t55 = t54 * t54;
                    const double t56 = 1.0 * t55;
                    const double t57 = 3.0 * t55;
                    const double t58 = 5.0 * t55;
                    const double t59 = 7.0 * t55;
                    const double t60 = 9.0 * t55;
                    const double t61 = 11.0 * t55;
                    const double t62 = t61 * 1.0;
                    const double t63 = 1.0 - t62;
                    const double t64 = t60 * t63;
                    const double t65 = 1.0 - t64;
                    const double t66 = t59 * t65;
                    const double t67 = 1.0 - t66;
                    const double t68 = t58 * t67;
                    const double t69 = 1.0 - t68;
                    const double t70 = t57 * t69;
                    const double t71 = 1.0 - t70;
                    const double t72 = t56 * t71;
                    const double t73 = 1.0 - t72;
                    t3 = t73;
                }
                const double t74 = x / t3;
                const double t75 = -t74;
                t1 = t75;
            } else {
                const double t76 = op_normal_pdf(x);
                const double t77 = op_normal_cdf(x);
                const double t78 = t76 / t77;
                t1 = t78;
            }
            p[0] = t1;
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
    case OP_LOGIT: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = 1.0 - x;
            const double t2 = x * t1;
            double t3;
            if (t2 < 0.0) {
                t3 = NAN;
            } else {
                const double t4 = 1.0 / x;
                const double t5 = 1.0 / t1;
                const double t6 = t4 + t5;
                t3 = t6;
            }
            p[0] = t3;
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
    case OP_LOG_SIGMOID: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = -x;
            const double t2 = op_sigmoid(t1);
            p[0] = t2;
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
            if (x < 0.0) {
                double t2;
                if (x < (-800.0)) {
                    t2 = 0.0;
                } else {
                    double t3;
                    if (x < (-700.0)) {
                        const double t4 = exp(x);
                        const double t5 = 1.0 + t4;
                        const double t6 = x + t5;
                        const double t7 = 2.0 + t4;
                        const double t8 = t4 * t7;
                        const double t9 = 1.0 + t8;
                        const double t10 = t6 / t9;
                        const double t11 = 0.5 * x;
                        const double t12 = exp(t11);
                        const double t13 = t10 * t12;
                        const double t14 = t13 * t12;
                        t3 = t14;
                    } else {
                        const double t15 = exp(x);
                        const double t16 = 1.0 + t15;
                        const double t17 = x + t16;
                        const double t18 = 2.0 + t15;
                        const double t19 = t15 * t18;
                        const double t20 = 1.0 + t19;
                        const double t21 = t17 / t20;
                        const double t22 = t21 * t15;
                        t3 = t22;
                    }
                    t2 = t3;
                }
                t1 = t2;
            } else {
                double t23;
                if (800.0 < x) {
                    t23 = 1.0;
                } else {
                    const double t24 = op_sigmoid(x);
                    const double t25 = -x;
                    const double t26 = op_sigmoid(t25);
                    const double t27 = out * t26;
                    const double t28 = t24 + t27;
                    t23 = t28;
                }
                t1 = t23;
            }
            p[0] = t1;
        }
        break;
    }
    case OP_GELU: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            double t1;
            if (x < (-0.91)) {
                const double t2 = x * x;
                double t3;
                if (1600.0 < t2) {
                    t3 = 0.0;
                } else {
                    const double t4 = 134217729.0 * x;
                    const double t5 = t4 - x;
                    const double t6 = t4 - t5;
                    const double t7 = 0.5 * t6;
                    const double t8 = t7 * t6;
                    double t9;
                    if (700.0 < t8) {
                        const double t10 = 0.3989422804014327 * x;
                        const double t11 = -x;
                        const double t12 = t11 - 2.5;
                        const double t13 = t11 + 2.5;
                        const double t14 = t12 / t13;
                        const double t15 = (-3.781977220946943e-08) * t14;
                        const double t16 = t15 + 4.642175737039127e-07;
                        const double t17 = t16 * t14;
                        const double t18 = t17 + (-1.0887306719833636e-06);
                        const double t19 = t18 * t14;
                        const double t20 = t19 + 5.222203352569594e-08;
                        const double t21 = t20 * t14;
                        const double t22 = t21 + 1.2799883631680893e-06;
                        const double t23 = t22 * t14;
                        const double t24 = t23 + 5.952843746139928e-07;
                        const double t25 = t24 * t14;
                        const double t26 = t25 + 4.0156195214973863e-07;
                        const double t27 = t26 * t14;
                        const double t28 = t27 + (-1.9370786659147376e-06);
                        const double t29 = t28 * t14;
                        const double t30 = t29 + (-6.452093869750818e-06);
                        const double t31 = t30 * t14;
                        const double t32 = t31 + (-4.76865240222145e-06);
                        const double t33 = t32 * t14;
                        const double t34 = t33 + 1.4319316112632404e-05;
                        const double t35 = t34 * t14;
                        const double t36 = t35 + 4.2958184365097303e-05;
                        const double t37 = t36 * t14;
                        const double t38 = t37 + 1.908768067646918e-05;
                        const double t39 = t38 * t14;
                        const double t40 = t39 + (-0.00014039187243244702);
                        const double t41 = t40 * t14;
                        const double t42 = t41 + (-0.00029338317028938164);
                        const double t43 = t42 * t14;
                        const double t44 = t43 + 0.000217489184138791;
                        const double t45 = t44 * t14;
                        const double t46 = t45 + 0.0016486801344341574;
                        const double t47 = t46 * t14;
                        const double t48 = t47 + 0.0004565742670093648;
                        const double t49 = t48 * t14;
                        const double t50 = t49 + (-0.009007517699530638);
                        const double t51 = t50 * t14;
                        const double t52 = t51 + (-0.0035754253874364537);
                        const double t53 = t52 * t14;
                        const double t54 = t53 + 0.0706132265594008;
                        const double t55 = t54 * t14;
                        const double t56 = t55 + (-0.15085243167224832);
                        const double t57 = t56 * t14;
                        const double t58 = t57 + 0.13648225752794654;
                        const double t59 = t58 * t14;
                        const double t60 = t59 + 0.3533283284514383;
                        const double t61 = t60 / x;
                        const double t62 = t10 - t61;
                        const double t63 = (-0.5) * t8;
                        const double t64 = exp(t63);
                        const double t65 = t62 * t64;
                        const double t66 = x - t6;
                        const double t67 = (-0.5) * t66;
                        const double t68 = x + t6;
                        const double t69 = t67 * t68;
                        const double t70 = t69 * 0.16666666666666666;
                        const double t71 = 0.5 + t70;
                        const double t72 = t69 * t71;
                        const double t73 = 1.0 + t72;
                        const double t74 = t69 * t73;
                        const double t75 = t64 * t74;
                        const double t76 = t64 + t75;
                        const double t77 = t65 * t76;
                        t9 = t77;
                    } else {
                        const double t78 = 0.3989422804014327 * x;
                        const double t79 = -x;
                        const double t80 = t79 - 2.5;
                        const double t81 = t79 + 2.5;
                        const double t82 = t80 / t81;
                        const double t83 = (-3.781977220946943e-08) * t82;
                        const double t84 = t83 + 4.642175737039127e-07;
                        const double t85 = t84 * t82;
                        const double t86 = t85 + (-1.0887306719833636e-06);
                        const double t87 = t86 * t82;
                        const double t88 = t87 + 5.222203352569594e-08;
                        const double t89 = t88 * t82;
                        const double t90 = t89 + 1.2799883631680893e-06;
                        const double t91 = t90 * t82;
                        const double t92 = t91 + 5.952843746139928e-07;
                        const double t93 = t92 * t82;
                        const double t94 = t93 + 4.0156195214973863e-07;
                        const double t95 = t94 * t82;
                        const double t96 = t95 + (-1.9370786659147376e-06);
                        const double t97 = t96 * t82;
                        const double t98 = t97 + (-6.452093869750818e-06);
                        const double t99 = t98 * t82;
                        const double t100 = t99 + (-4.76865240222145e-06);
                        const double t101 = t100 * t82;
                        const double t102 = t101 + 1.4319316112632404e-05;
                        const double t103 = t102 * t82;
                        const double t104 = t103 + 4.2958184365097303e-05;
                        const double t105 = t104 * t82;
                        const double t106 = t105 + 1.908768067646918e-05;
                        const double t107 = t106 * t82;
                        const double t108 = t107 + (-0.00014039187243244702);
                        const double t109 = t108 * t82;
                        const double t110 = t109 + (-0.00029338317028938164);
                        const double t111 = t110 * t82;
                        const double t112 = t111 + 0.000217489184138791;
                        const double t113 = t112 * t82;
                        const double t114 = t113 + 0.0016486801344341574;
                        const double t115 = t114 * t82;
                        const double t116 = t115 + 0.0004565742670093648;
                        const double t117 = t116 * t82;
                        const double t118 = t117 + (-0.009007517699530638);
                        const double t119 = t118 * t82;
                        const double t120 = t119 + (-0.0035754253874364537);
                        const double t121 = t120 * t82;
                        const double t122 = t121 + 0.0706132265594008;
                        const double t123 = t122 * t82;
                        const double t124 = t123 + (-0.15085243167224832);
                        const double t125 = t124 * t82;
                        const double t126 = t125 + 0.13648225752794654;
                        const double t127 = t126 * t82;
                        const double t128 = t127 + 0.3533283284514383;
                        const double t129 = t128 / x;
                        const double t130 = t78 - t129;
                        const double t131 = -t8;
                        const double t132 = exp(t131);
                        const double t133 = x - t6;
                        const double t134 = (-0.5) * t133;
                        const double t135 = x + t6;
                        const double t136 = t134 * t135;
                        const double t137 = t136 * 0.16666666666666666;
                        const double t138 = 0.5 + t137;
                        const double t139 = t136 * t138;
                        const double t140 = 1.0 + t139;
                        const double t141 = t136 * t140;
                        const double t142 = t132 * t141;
                        const double t143 = t132 + t142;
                        const double t144 = t130 * t143;
                        t9 = t144;
                    }
                    t3 = t9;
                }
                t1 = t3;
            } else {
                const double t145 = -x;
                const double t146 = t145 * 0.7071067811865476;
                const double t147 = op_erfc(t146);
                const double t148 = 0.5 * t147;
                const double t149 = x * x;
                double t150;
                if (1600.0 < t149) {
                    t150 = 0.0;
                } else {
                    const double t151 = 134217729.0 * x;
                    const double t152 = t151 - x;
                    const double t153 = t151 - t152;
                    const double t154 = 0.5 * t153;
                    const double t155 = t154 * t153;
                    double t156;
                    if (700.0 < t155) {
                        const double t157 = 0.3989422804014327 * x;
                        const double t158 = (-0.5) * t155;
                        const double t159 = exp(t158);
                        const double t160 = t157 * t159;
                        const double t161 = x - t153;
                        const double t162 = (-0.5) * t161;
                        const double t163 = x + t153;
                        const double t164 = t162 * t163;
                        const double t165 = t164 * 0.16666666666666666;
                        const double t166 = 0.5 + t165;
                        const double t167 = t164 * t166;
                        const double t168 = 1.0 + t167;
                        const double t169 = t164 * t168;
                        const double t170 = t159 * t169;
                        const double t171 = t159 + t170;
                        const double t172 = t160 * t171;
                        t156 = t172;
                    } else {
                        const double t173 = 0.3989422804014327 * x;
                        const double t174 = -t155;
                        const double t175 = exp(t174);
                        const double t176 = x - t153;
                        const double t177 = (-0.5) * t176;
                        const double t178 = x + t153;
                        const double t179 = t177 * t178;
                        const double t180 = t179 * 0.16666666666666666;
                        const double t181 = 0.5 + t180;
                        const double t182 = t179 * t181;
                        const double t183 = 1.0 + t182;
                        const double t184 = t179 * t183;
                        const double t185 = t175 * t184;
                        const double t186 = t175 + t185;
                        const double t187 = t173 * t186;
                        t156 = t187;
                    }
                    t150 = t156;
                }
                const double t188 = t148 + t150;
                t1 = t188;
            }
            p[0] = t1;
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
    case OP_NORM: op_norm_partials(a, n, out, p); break;
    case OP_MAX: op_max_partials(a, n, out, p); break;
    case OP_MIN: op_min_partials(a, n, out, p); break;
    default: break;
    }
}
