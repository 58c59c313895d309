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
    [OP_WITH_PARTIAL] = {"with_partial", 3, 0, 0x3, 0, 0, 0, 0.0},
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
    [OP_LGAMMA] = {"lgamma", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_DIGAMMA] = {"digamma", 1, 0, 0x1, 0, 0, 0, 0.0},
    [OP_ZETA] = {"zeta", 2, 0, 0x2, 0, 0, 0, 0.0},
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
    X(OP_WITH_PARTIAL, with_partial, "y itself, but its derivative with respect to x is larger by `partial`") \
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
    X(OP_LGAMMA, lgamma, "the logarithm of |Γ(x)|; inf at 0, -1, -2, ...") \
    X(OP_DIGAMMA, digamma, "the derivative of lgamma; NaN at -1, -2, ..., and at 0 infinite") \
    X(OP_ZETA, zeta, "Hurwitz's zeta function, the sum of 1 / (q + k)**x over k = 0, 1, 2, ..., for x > 1 and q > 0") \
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
static inline double op_with_partial(double x, double y, double z);
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
static inline double op_lgamma(double x);
static inline double op_digamma(double x);
static inline double op_zeta(double x, double y);
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

static inline double op_with_partial(double x, double y, double z) {
    const double t1 = x;
    return t1;
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
                    const double t75 = t74 + 0.0;
                    const double t76 = t64 * t75;
                    const double t77 = t64 + t76;
                    const double t78 = t65 * t77;
                    t12 = t78;
                } else {
                    const double t79 = x - 1.75;
                    const double t80 = x + 1.75;
                    const double t81 = t79 / t80;
                    const double t82 = (-1.3948238822037281e-09) * t81;
                    const double t83 = t82 + 5.109700928463397e-07;
                    const double t84 = t83 * t81;
                    const double t85 = t84 + (-1.5841199402994402e-06);
                    const double t86 = t85 * t81;
                    const double t87 = t86 + 4.070833795381134e-07;
                    const double t88 = t87 * t81;
                    const double t89 = t88 + 1.8586295887506923e-06;
                    const double t90 = t89 * t81;
                    const double t91 = t90 + 7.069160546743763e-07;
                    const double t92 = t91 * t81;
                    const double t93 = t92 + 2.454969588778001e-07;
                    const double t94 = t93 * t81;
                    const double t95 = t94 + (-3.4774483443329614e-06);
                    const double t96 = t95 * t81;
                    const double t97 = t96 + (-9.27425139523432e-06);
                    const double t98 = t97 * t81;
                    const double t99 = t98 + (-4.579518936004241e-06);
                    const double t100 = t99 * t81;
                    const double t101 = t100 + 2.4328581586716806e-05;
                    const double t102 = t101 * t81;
                    const double t103 = t102 + 6.039691058873441e-05;
                    const double t104 = t103 * t81;
                    const double t105 = t104 + 1.2791203764093609e-05;
                    const double t106 = t105 * t81;
                    const double t107 = t106 + (-0.0002179647924793206);
                    const double t108 = t107 * t81;
                    const double t109 = t108 + (-0.00038991252570686933);
                    const double t110 = t109 * t81;
                    const double t111 = t110 + 0.00040834971237136325;
                    const double t112 = t111 * t81;
                    const double t113 = t112 + 0.002330547550611729;
                    const double t114 = t113 * t81;
                    const double t115 = t114 + 0.00024020960085594035;
                    const double t116 = t115 * t81;
                    const double t117 = t116 + (-0.01283569824165594);
                    const double t118 = t117 * t81;
                    const double t119 = t118 + (-0.0032359378650534494);
                    const double t120 = t119 * t81;
                    const double t121 = t120 + 0.09778825221221718;
                    const double t122 = t121 * t81;
                    const double t123 = t122 + (-0.21385470725570538);
                    const double t124 = t123 * t81;
                    const double t125 = t124 + 0.19517270530480552;
                    const double t126 = t125 * t81;
                    const double t127 = t126 + 0.49870141079051367;
                    const double t128 = t127 / x;
                    const double t129 = -t11;
                    const double t130 = exp(t129);
                    const double t131 = x - t9;
                    const double t132 = (-1.0) * t131;
                    const double t133 = x + t9;
                    const double t134 = t132 * t133;
                    const double t135 = t134 * 0.16666666666666666;
                    const double t136 = 0.5 + t135;
                    const double t137 = t134 * t136;
                    const double t138 = 1.0 + t137;
                    const double t139 = t134 * t138;
                    const double t140 = t139 + 0.0;
                    const double t141 = t130 * t140;
                    const double t142 = t130 + t141;
                    const double t143 = t128 * t142;
                    t12 = t143;
                }
                t6 = t12;
            }
            t4 = t6;
        }
        t1 = t4;
    }
    return t1;
}

static inline double op_lgamma(double x) {
    const double t1 = floor(x);
    double t2;
    if (x < 0.0 && x == t1) {
        t2 = INFINITY;
    } else {
        double t3;
        if ((-4.0) < x && x < (-1.0)) {
            double t4;
            if ((-4.0) < x && x < (-1.0)) {
                const double t5 = x - t1;
                const double t6 = 1.0 + t5;
                t4 = t6;
            } else {
                double t7;
                if (x < (-0.5)) {
                    const double t8 = 1.0 - x;
                    t7 = t8;
                } else {
                    t7 = x;
                }
                t4 = t7;
            }
            double t9;
            if (t4 < 0.5) {
                double t10;
                if (t4 < 0.5) {
                    const double t11 = 1.0 + t4;
                    t10 = t11;
                } else {
                    t10 = t4;
                }
                double t12;
                if (t10 < 4.0) {
                    double t13;
                    if (t4 < 0.5) {
                        t13 = t4;
                    } else {
                        const double t14 = t4 - 1.0;
                        t13 = t14;
                    }
                    double t15;
                    if (t4 < 0.5) {
                        const double t16 = t4 - 1.0;
                        t15 = t16;
                    } else {
                        const double t17 = t4 - 2.0;
                        t15 = t17;
                    }
                    const double t18 = t13 * t15;
                    const double t19 = t10 - 1.5;
                    const double t20 = t10 + 1.5;
                    const double t21 = t19 / t20;
                    const double t22 = 0.17376571220520606 * t21;
                    const double t23 = t22 + (-0.07512708145693324);
                    const double t24 = t23 * t21;
                    const double t25 = t24 + (-0.16158816917616745);
                    const double t26 = t25 * t21;
                    const double t27 = t26 + 0.019772108000672643;
                    const double t28 = t27 * t21;
                    const double t29 = t28 + 0.12247696290117395;
                    const double t30 = t29 * t21;
                    const double t31 = t30 + (-0.03943651924989051);
                    const double t32 = t31 * t21;
                    const double t33 = t32 + (-0.011295423590704654);
                    const double t34 = t33 * t21;
                    const double t35 = t34 + (-0.021762551904493905);
                    const double t36 = t35 * t21;
                    const double t37 = t36 + 0.03282642085961665;
                    const double t38 = t37 * t21;
                    const double t39 = t38 + (-0.02936010652458664);
                    const double t40 = t39 * t21;
                    const double t41 = t40 + 0.026941518603503932;
                    const double t42 = t41 * t21;
                    const double t43 = t42 + (-0.03234681580274781);
                    const double t44 = t43 * t21;
                    const double t45 = t44 + 0.03175404739410823;
                    const double t46 = t45 * t21;
                    const double t47 = t46 + (-0.037277483093243316);
                    const double t48 = t47 * t21;
                    const double t49 = t48 + 0.03620143389696575;
                    const double t50 = t49 * t21;
                    const double t51 = t50 + (-0.0438262922936162);
                    const double t52 = t51 * t21;
                    const double t53 = t52 + 0.042327242835901134;
                    const double t54 = t53 * t21;
                    const double t55 = t54 + (-0.053194700422982355);
                    const double t56 = t55 * t21;
                    const double t57 = t56 + 0.05091574030442064;
                    const double t58 = t57 * t21;
                    const double t59 = t58 + (-0.06769490415797559);
                    const double t60 = t59 * t21;
                    const double t61 = t60 + 0.06382812062113474;
                    const double t62 = t61 * t21;
                    const double t63 = t62 + (-0.09321052270151807);
                    const double t64 = t63 * t21;
                    const double t65 = t64 + 0.08530564281234779;
                    const double t66 = t65 * t21;
                    const double t67 = t66 + (-0.15080363092800778);
                    const double t68 = t67 * t21;
                    const double t69 = t68 + 0.12832292192817457;
                    const double t70 = t69 * t21;
                    const double t71 = t70 + (-0.4378796877429183);
                    const double t72 = t71 * t21;
                    const double t73 = t72 + 0.4831289505409809;
                    const double t74 = t18 * t73;
                    t12 = t74;
                } else {
                    const double t75 = t10 - 0.5;
                    const double t76 = log(t10);
                    const double t77 = t76 - 1.0;
                    const double t78 = t75 * t77;
                    const double t79 = 1.0 / t10;
                    const double t80 = t79 * t79;
                    const double t81 = 0.03686739114470535 * t80;
                    const double t82 = t81 + (-0.018529842349409912);
                    const double t83 = t82 * t80;
                    const double t84 = t83 + 0.005842830219816524;
                    const double t85 = t84 * t80;
                    const double t86 = t85 + (-0.0018988790775843355);
                    const double t87 = t86 * t80;
                    const double t88 = t87 + 0.0008413741438815142;
                    const double t89 = t88 * t80;
                    const double t90 = t89 + (-0.0005952337085914222);
                    const double t91 = t90 * t80;
                    const double t92 = t91 + 0.0007936507676291937;
                    const double t93 = t92 * t80;
                    const double t94 = t93 + (-0.0027777777777176055);
                    const double t95 = t94 * t80;
                    const double t96 = t95 + 0.08333333333333331;
                    const double t97 = t79 * t96;
                    const double t98 = 0.4189385332046727 + t97;
                    const double t99 = t78 + t98;
                    t12 = t99;
                }
                const double t100 = fabs(t4);
                const double t101 = log(t100);
                const double t102 = t12 - t101;
                t9 = t102;
            } else {
                double t103;
                if (t4 < 0.5) {
                    const double t104 = 1.0 + t4;
                    t103 = t104;
                } else {
                    t103 = t4;
                }
                double t105;
                if (t103 < 4.0) {
                    double t106;
                    if (t4 < 0.5) {
                        t106 = t4;
                    } else {
                        const double t107 = t4 - 1.0;
                        t106 = t107;
                    }
                    double t108;
                    if (t4 < 0.5) {
                        const double t109 = t4 - 1.0;
                        t108 = t109;
                    } else {
                        const double t110 = t4 - 2.0;
                        t108 = t110;
                    }
                    const double t111 = t106 * t108;
                    const double t112 = t103 - 1.5;
                    const double t113 = t103 + 1.5;
                    const double t114 = t112 / t113;
                    const double t115 = 0.17376571220520606 * t114;
                    const double t116 = t115 + (-0.07512708145693324);
                    const double t117 = t116 * t114;
                    const double t118 = t117 + (-0.16158816917616745);
                    const double t119 = t118 * t114;
                    const double t120 = t119 + 0.019772108000672643;
                    const double t121 = t120 * t114;
                    const double t122 = t121 + 0.12247696290117395;
                    const double t123 = t122 * t114;
                    const double t124 = t123 + (-0.03943651924989051);
                    const double t125 = t124 * t114;
                    const double t126 = t125 + (-0.011295423590704654);
                    const double t127 = t126 * t114;
                    const double t128 = t127 + (-0.021762551904493905);
                    const double t129 = t128 * t114;
                    const double t130 = t129 + 0.03282642085961665;
                    const double t131 = t130 * t114;
                    const double t132 = t131 + (-0.02936010652458664);
                    const double t133 = t132 * t114;
                    const double t134 = t133 + 0.026941518603503932;
                    const double t135 = t134 * t114;
                    const double t136 = t135 + (-0.03234681580274781);
                    const double t137 = t136 * t114;
                    const double t138 = t137 + 0.03175404739410823;
                    const double t139 = t138 * t114;
                    const double t140 = t139 + (-0.037277483093243316);
                    const double t141 = t140 * t114;
                    const double t142 = t141 + 0.03620143389696575;
                    const double t143 = t142 * t114;
                    const double t144 = t143 + (-0.0438262922936162);
                    const double t145 = t144 * t114;
                    const double t146 = t145 + 0.042327242835901134;
                    const double t147 = t146 * t114;
                    const double t148 = t147 + (-0.053194700422982355);
                    const double t149 = t148 * t114;
                    const double t150 = t149 + 0.05091574030442064;
                    const double t151 = t150 * t114;
                    const double t152 = t151 + (-0.06769490415797559);
                    const double t153 = t152 * t114;
                    const double t154 = t153 + 0.06382812062113474;
                    const double t155 = t154 * t114;
                    const double t156 = t155 + (-0.09321052270151807);
                    const double t157 = t156 * t114;
                    const double t158 = t157 + 0.08530564281234779;
                    const double t159 = t158 * t114;
                    const double t160 = t159 + (-0.15080363092800778);
                    const double t161 = t160 * t114;
                    const double t162 = t161 + 0.12832292192817457;
                    const double t163 = t162 * t114;
                    const double t164 = t163 + (-0.4378796877429183);
                    const double t165 = t164 * t114;
                    const double t166 = t165 + 0.4831289505409809;
                    const double t167 = t111 * t166;
                    t105 = t167;
                } else {
                    const double t168 = t103 - 0.5;
                    const double t169 = log(t103);
                    const double t170 = t169 - 1.0;
                    const double t171 = t168 * t170;
                    const double t172 = 1.0 / t103;
                    const double t173 = t172 * t172;
                    const double t174 = 0.03686739114470535 * t173;
                    const double t175 = t174 + (-0.018529842349409912);
                    const double t176 = t175 * t173;
                    const double t177 = t176 + 0.005842830219816524;
                    const double t178 = t177 * t173;
                    const double t179 = t178 + (-0.0018988790775843355);
                    const double t180 = t179 * t173;
                    const double t181 = t180 + 0.0008413741438815142;
                    const double t182 = t181 * t173;
                    const double t183 = t182 + (-0.0005952337085914222);
                    const double t184 = t183 * t173;
                    const double t185 = t184 + 0.0007936507676291937;
                    const double t186 = t185 * t173;
                    const double t187 = t186 + (-0.0027777777777176055);
                    const double t188 = t187 * t173;
                    const double t189 = t188 + 0.08333333333333331;
                    const double t190 = t172 * t189;
                    const double t191 = 0.4189385332046727 + t190;
                    const double t192 = t171 + t191;
                    t105 = t192;
                }
                t9 = t105;
            }
            const double t193 = x + 1.0;
            const double t194 = x * t193;
            const double t195 = x + 2.0;
            double t196;
            if (x < (-3.0)) {
                const double t197 = x + 3.0;
                const double t198 = x + 4.0;
                const double t199 = t197 * t198;
                t196 = t199;
            } else {
                double t200;
                if (x < (-2.0)) {
                    const double t201 = x + 3.0;
                    t200 = t201;
                } else {
                    t200 = 1.0;
                }
                t196 = t200;
            }
            const double t202 = t195 * t196;
            const double t203 = t194 * t202;
            const double t204 = fabs(t203);
            double t205;
            if ((-3.0) < x && x < (-2.0) && 0.5 < t204) {
                const double t206 = x + 1.5;
                const double t207 = t206 * t206;
                const double t208 = t207 - 1.25;
                const double t209 = -t208;
                const double t210 = t209 * t208;
                const double t211 = log1p(t210);
                t205 = t211;
            } else {
                const double t212 = log(t204);
                t205 = t212;
            }
            const double t213 = t9 - t205;
            t3 = t213;
        } else {
            double t214;
            if (x < (-0.5)) {
                const double t215 = op_round(x);
                const double t216 = t215;
                const double t217 = x - t216;
                const double t218 = 3.141592653589793 * t217;
                const double t219 = sin(t218);
                const double t220 = fabs(t219);
                const double t221 = 3.141592653589793 / t220;
                const double t222 = log(t221);
                double t223;
                if ((-4.0) < x && x < (-1.0)) {
                    const double t224 = x - t1;
                    const double t225 = 1.0 + t224;
                    t223 = t225;
                } else {
                    double t226;
                    if (x < (-0.5)) {
                        const double t227 = 1.0 - x;
                        t226 = t227;
                    } else {
                        t226 = x;
                    }
                    t223 = t226;
                }
                double t228;
                if (t223 < 0.5) {
                    double t229;
                    if (t223 < 0.5) {
                        const double t230 = 1.0 + t223;
                        t229 = t230;
                    } else {
                        t229 = t223;
                    }
                    double t231;
                    if (t229 < 4.0) {
                        double t232;
                        if (t223 < 0.5) {
                            t232 = t223;
                        } else {
                            const double t233 = t223 - 1.0;
                            t232 = t233;
                        }
                        double t234;
                        if (t223 < 0.5) {
                            const double t235 = t223 - 1.0;
                            t234 = t235;
                        } else {
                            const double t236 = t223 - 2.0;
                            t234 = t236;
                        }
                        const double t237 = t232 * t234;
                        const double t238 = t229 - 1.5;
                        const double t239 = t229 + 1.5;
                        const double t240 = t238 / t239;
                        const double t241 = 0.17376571220520606 * t240;
                        const double t242 = t241 + (-0.07512708145693324);
                        const double t243 = t242 * t240;
                        const double t244 = t243 + (-0.16158816917616745);
                        const double t245 = t244 * t240;
                        const double t246 = t245 + 0.019772108000672643;
                        const double t247 = t246 * t240;
                        const double t248 = t247 + 0.12247696290117395;
                        const double t249 = t248 * t240;
                        const double t250 = t249 + (-0.03943651924989051);
                        const double t251 = t250 * t240;
                        const double t252 = t251 + (-0.011295423590704654);
                        const double t253 = t252 * t240;
                        const double t254 = t253 + (-0.021762551904493905);
                        const double t255 = t254 * t240;
                        const double t256 = t255 + 0.03282642085961665;
                        const double t257 = t256 * t240;
                        const double t258 = t257 + (-0.02936010652458664);
                        const double t259 = t258 * t240;
                        const double t260 = t259 + 0.026941518603503932;
                        const double t261 = t260 * t240;
                        const double t262 = t261 + (-0.03234681580274781);
                        const double t263 = t262 * t240;
                        const double t264 = t263 + 0.03175404739410823;
                        const double t265 = t264 * t240;
                        const double t266 = t265 + (-0.037277483093243316);
                        const double t267 = t266 * t240;
                        const double t268 = t267 + 0.03620143389696575;
                        const double t269 = t268 * t240;
                        const double t270 = t269 + (-0.0438262922936162);
                        const double t271 = t270 * t240;
                        const double t272 = t271 + 0.042327242835901134;
                        const double t273 = t272 * t240;
                        const double t274 = t273 + (-0.053194700422982355);
                        const double t275 = t274 * t240;
                        const double t276 = t275 + 0.05091574030442064;
                        const double t277 = t276 * t240;
                        const double t278 = t277 + (-0.06769490415797559);
                        const double t279 = t278 * t240;
                        const double t280 = t279 + 0.06382812062113474;
                        const double t281 = t280 * t240;
                        const double t282 = t281 + (-0.09321052270151807);
                        const double t283 = t282 * t240;
                        const double t284 = t283 + 0.08530564281234779;
                        const double t285 = t284 * t240;
                        const double t286 = t285 + (-0.15080363092800778);
                        const double t287 = t286 * t240;
                        const double t288 = t287 + 0.12832292192817457;
                        const double t289 = t288 * t240;
                        const double t290 = t289 + (-0.4378796877429183);
                        const double t291 = t290 * t240;
                        const double t292 = t291 + 0.4831289505409809;
                        const double t293 = t237 * t292;
                        t231 = t293;
                    } else {
                        const double t294 = t229 - 0.5;
                        const double t295 = log(t229);
                        const double t296 = t295 - 1.0;
                        const double t297 = t294 * t296;
                        const double t298 = 1.0 / t229;
                        const double t299 = t298 * t298;
                        const double t300 = 0.03686739114470535 * t299;
                        const double t301 = t300 + (-0.018529842349409912);
                        const double t302 = t301 * t299;
                        const double t303 = t302 + 0.005842830219816524;
                        const double t304 = t303 * t299;
                        const double t305 = t304 + (-0.0018988790775843355);
                        const double t306 = t305 * t299;
                        const double t307 = t306 + 0.0008413741438815142;
                        const double t308 = t307 * t299;
                        const double t309 = t308 + (-0.0005952337085914222);
                        const double t310 = t309 * t299;
                        const double t311 = t310 + 0.0007936507676291937;
                        const double t312 = t311 * t299;
                        const double t313 = t312 + (-0.0027777777777176055);
                        const double t314 = t313 * t299;
                        const double t315 = t314 + 0.08333333333333331;
                        const double t316 = t298 * t315;
                        const double t317 = 0.4189385332046727 + t316;
                        const double t318 = t297 + t317;
                        t231 = t318;
                    }
                    const double t319 = fabs(t223);
                    const double t320 = log(t319);
                    const double t321 = t231 - t320;
                    t228 = t321;
                } else {
                    double t322;
                    if (t223 < 0.5) {
                        const double t323 = 1.0 + t223;
                        t322 = t323;
                    } else {
                        t322 = t223;
                    }
                    double t324;
                    if (t322 < 4.0) {
                        double t325;
                        if (t223 < 0.5) {
                            t325 = t223;
                        } else {
                            const double t326 = t223 - 1.0;
                            t325 = t326;
                        }
                        double t327;
                        if (t223 < 0.5) {
                            const double t328 = t223 - 1.0;
                            t327 = t328;
                        } else {
                            const double t329 = t223 - 2.0;
                            t327 = t329;
                        }
                        const double t330 = t325 * t327;
                        const double t331 = t322 - 1.5;
                        const double t332 = t322 + 1.5;
                        const double t333 = t331 / t332;
                        const double t334 = 0.17376571220520606 * t333;
                        const double t335 = t334 + (-0.07512708145693324);
                        const double t336 = t335 * t333;
                        const double t337 = t336 + (-0.16158816917616745);
                        const double t338 = t337 * t333;
                        const double t339 = t338 + 0.019772108000672643;
                        const double t340 = t339 * t333;
                        const double t341 = t340 + 0.12247696290117395;
                        const double t342 = t341 * t333;
                        const double t343 = t342 + (-0.03943651924989051);
                        const double t344 = t343 * t333;
                        const double t345 = t344 + (-0.011295423590704654);
                        const double t346 = t345 * t333;
                        const double t347 = t346 + (-0.021762551904493905);
                        const double t348 = t347 * t333;
                        const double t349 = t348 + 0.03282642085961665;
                        const double t350 = t349 * t333;
                        const double t351 = t350 + (-0.02936010652458664);
                        const double t352 = t351 * t333;
                        const double t353 = t352 + 0.026941518603503932;
                        const double t354 = t353 * t333;
                        const double t355 = t354 + (-0.03234681580274781);
                        const double t356 = t355 * t333;
                        const double t357 = t356 + 0.03175404739410823;
                        const double t358 = t357 * t333;
                        const double t359 = t358 + (-0.037277483093243316);
                        const double t360 = t359 * t333;
                        const double t361 = t360 + 0.03620143389696575;
                        const double t362 = t361 * t333;
                        const double t363 = t362 + (-0.0438262922936162);
                        const double t364 = t363 * t333;
                        const double t365 = t364 + 0.042327242835901134;
                        const double t366 = t365 * t333;
                        const double t367 = t366 + (-0.053194700422982355);
                        const double t368 = t367 * t333;
                        const double t369 = t368 + 0.05091574030442064;
                        const double t370 = t369 * t333;
                        const double t371 = t370 + (-0.06769490415797559);
                        const double t372 = t371 * t333;
                        const double t373 = t372 + 0.06382812062113474;
                        const double t374 = t373 * t333;
                        const double t375 = t374 + (-0.09321052270151807);
                        const double t376 = t375 * t333;
                        const double t377 = t376 + 0.08530564281234779;
                        const double t378 = t377 * t333;
                        const double t379 = t378 + (-0.15080363092800778);
                        const double t380 = t379 * t333;
                        const double t381 = t380 + 0.12832292192817457;
                        const double t382 = t381 * t333;
                        const double t383 = t382 + (-0.4378796877429183);
                        const double t384 = t383 * t333;
                        const double t385 = t384 + 0.4831289505409809;
                        const double t386 = t330 * t385;
                        t324 = t386;
                    } else {
                        const double t387 = t322 - 0.5;
                        const double t388 = log(t322);
                        const double t389 = t388 - 1.0;
                        const double t390 = t387 * t389;
                        const double t391 = 1.0 / t322;
                        const double t392 = t391 * t391;
                        const double t393 = 0.03686739114470535 * t392;
                        const double t394 = t393 + (-0.018529842349409912);
                        const double t395 = t394 * t392;
                        const double t396 = t395 + 0.005842830219816524;
                        const double t397 = t396 * t392;
                        const double t398 = t397 + (-0.0018988790775843355);
                        const double t399 = t398 * t392;
                        const double t400 = t399 + 0.0008413741438815142;
                        const double t401 = t400 * t392;
                        const double t402 = t401 + (-0.0005952337085914222);
                        const double t403 = t402 * t392;
                        const double t404 = t403 + 0.0007936507676291937;
                        const double t405 = t404 * t392;
                        const double t406 = t405 + (-0.0027777777777176055);
                        const double t407 = t406 * t392;
                        const double t408 = t407 + 0.08333333333333331;
                        const double t409 = t391 * t408;
                        const double t410 = 0.4189385332046727 + t409;
                        const double t411 = t390 + t410;
                        t324 = t411;
                    }
                    t228 = t324;
                }
                const double t412 = t222 - t228;
                t214 = t412;
            } else {
                double t413;
                if ((-4.0) < x && x < (-1.0)) {
                    const double t414 = x - t1;
                    const double t415 = 1.0 + t414;
                    t413 = t415;
                } else {
                    double t416;
                    if (x < (-0.5)) {
                        const double t417 = 1.0 - x;
                        t416 = t417;
                    } else {
                        t416 = x;
                    }
                    t413 = t416;
                }
                double t418;
                if (t413 < 0.5) {
                    double t419;
                    if (t413 < 0.5) {
                        const double t420 = 1.0 + t413;
                        t419 = t420;
                    } else {
                        t419 = t413;
                    }
                    double t421;
                    if (t419 < 4.0) {
                        double t422;
                        if (t413 < 0.5) {
                            t422 = t413;
                        } else {
                            const double t423 = t413 - 1.0;
                            t422 = t423;
                        }
                        double t424;
                        if (t413 < 0.5) {
                            const double t425 = t413 - 1.0;
                            t424 = t425;
                        } else {
                            const double t426 = t413 - 2.0;
                            t424 = t426;
                        }
                        const double t427 = t422 * t424;
                        const double t428 = t419 - 1.5;
                        const double t429 = t419 + 1.5;
                        const double t430 = t428 / t429;
                        const double t431 = 0.17376571220520606 * t430;
                        const double t432 = t431 + (-0.07512708145693324);
                        const double t433 = t432 * t430;
                        const double t434 = t433 + (-0.16158816917616745);
                        const double t435 = t434 * t430;
                        const double t436 = t435 + 0.019772108000672643;
                        const double t437 = t436 * t430;
                        const double t438 = t437 + 0.12247696290117395;
                        const double t439 = t438 * t430;
                        const double t440 = t439 + (-0.03943651924989051);
                        const double t441 = t440 * t430;
                        const double t442 = t441 + (-0.011295423590704654);
                        const double t443 = t442 * t430;
                        const double t444 = t443 + (-0.021762551904493905);
                        const double t445 = t444 * t430;
                        const double t446 = t445 + 0.03282642085961665;
                        const double t447 = t446 * t430;
                        const double t448 = t447 + (-0.02936010652458664);
                        const double t449 = t448 * t430;
                        const double t450 = t449 + 0.026941518603503932;
                        const double t451 = t450 * t430;
                        const double t452 = t451 + (-0.03234681580274781);
                        const double t453 = t452 * t430;
                        const double t454 = t453 + 0.03175404739410823;
                        const double t455 = t454 * t430;
                        const double t456 = t455 + (-0.037277483093243316);
                        const double t457 = t456 * t430;
                        const double t458 = t457 + 0.03620143389696575;
                        const double t459 = t458 * t430;
                        const double t460 = t459 + (-0.0438262922936162);
                        const double t461 = t460 * t430;
                        const double t462 = t461 + 0.042327242835901134;
                        const double t463 = t462 * t430;
                        const double t464 = t463 + (-0.053194700422982355);
                        const double t465 = t464 * t430;
                        const double t466 = t465 + 0.05091574030442064;
                        const double t467 = t466 * t430;
                        const double t468 = t467 + (-0.06769490415797559);
                        const double t469 = t468 * t430;
                        const double t470 = t469 + 0.06382812062113474;
                        const double t471 = t470 * t430;
                        const double t472 = t471 + (-0.09321052270151807);
                        const double t473 = t472 * t430;
                        const double t474 = t473 + 0.08530564281234779;
                        const double t475 = t474 * t430;
                        const double t476 = t475 + (-0.15080363092800778);
                        const double t477 = t476 * t430;
                        const double t478 = t477 + 0.12832292192817457;
                        const double t479 = t478 * t430;
                        const double t480 = t479 + (-0.4378796877429183);
                        const double t481 = t480 * t430;
                        const double t482 = t481 + 0.4831289505409809;
                        const double t483 = t427 * t482;
                        t421 = t483;
                    } else {
                        const double t484 = t419 - 0.5;
                        const double t485 = log(t419);
                        const double t486 = t485 - 1.0;
                        const double t487 = t484 * t486;
                        const double t488 = 1.0 / t419;
                        const double t489 = t488 * t488;
                        const double t490 = 0.03686739114470535 * t489;
                        const double t491 = t490 + (-0.018529842349409912);
                        const double t492 = t491 * t489;
                        const double t493 = t492 + 0.005842830219816524;
                        const double t494 = t493 * t489;
                        const double t495 = t494 + (-0.0018988790775843355);
                        const double t496 = t495 * t489;
                        const double t497 = t496 + 0.0008413741438815142;
                        const double t498 = t497 * t489;
                        const double t499 = t498 + (-0.0005952337085914222);
                        const double t500 = t499 * t489;
                        const double t501 = t500 + 0.0007936507676291937;
                        const double t502 = t501 * t489;
                        const double t503 = t502 + (-0.0027777777777176055);
                        const double t504 = t503 * t489;
                        const double t505 = t504 + 0.08333333333333331;
                        const double t506 = t488 * t505;
                        const double t507 = 0.4189385332046727 + t506;
                        const double t508 = t487 + t507;
                        t421 = t508;
                    }
                    const double t509 = fabs(t413);
                    const double t510 = log(t509);
                    const double t511 = t421 - t510;
                    t418 = t511;
                } else {
                    double t512;
                    if (t413 < 0.5) {
                        const double t513 = 1.0 + t413;
                        t512 = t513;
                    } else {
                        t512 = t413;
                    }
                    double t514;
                    if (t512 < 4.0) {
                        double t515;
                        if (t413 < 0.5) {
                            t515 = t413;
                        } else {
                            const double t516 = t413 - 1.0;
                            t515 = t516;
                        }
                        double t517;
                        if (t413 < 0.5) {
                            const double t518 = t413 - 1.0;
                            t517 = t518;
                        } else {
                            const double t519 = t413 - 2.0;
                            t517 = t519;
                        }
                        const double t520 = t515 * t517;
                        const double t521 = t512 - 1.5;
                        const double t522 = t512 + 1.5;
                        const double t523 = t521 / t522;
                        const double t524 = 0.17376571220520606 * t523;
                        const double t525 = t524 + (-0.07512708145693324);
                        const double t526 = t525 * t523;
                        const double t527 = t526 + (-0.16158816917616745);
                        const double t528 = t527 * t523;
                        const double t529 = t528 + 0.019772108000672643;
                        const double t530 = t529 * t523;
                        const double t531 = t530 + 0.12247696290117395;
                        const double t532 = t531 * t523;
                        const double t533 = t532 + (-0.03943651924989051);
                        const double t534 = t533 * t523;
                        const double t535 = t534 + (-0.011295423590704654);
                        const double t536 = t535 * t523;
                        const double t537 = t536 + (-0.021762551904493905);
                        const double t538 = t537 * t523;
                        const double t539 = t538 + 0.03282642085961665;
                        const double t540 = t539 * t523;
                        const double t541 = t540 + (-0.02936010652458664);
                        const double t542 = t541 * t523;
                        const double t543 = t542 + 0.026941518603503932;
                        const double t544 = t543 * t523;
                        const double t545 = t544 + (-0.03234681580274781);
                        const double t546 = t545 * t523;
                        const double t547 = t546 + 0.03175404739410823;
                        const double t548 = t547 * t523;
                        const double t549 = t548 + (-0.037277483093243316);
                        const double t550 = t549 * t523;
                        const double t551 = t550 + 0.03620143389696575;
                        const double t552 = t551 * t523;
                        const double t553 = t552 + (-0.0438262922936162);
                        const double t554 = t553 * t523;
                        const double t555 = t554 + 0.042327242835901134;
                        const double t556 = t555 * t523;
                        const double t557 = t556 + (-0.053194700422982355);
                        const double t558 = t557 * t523;
                        const double t559 = t558 + 0.05091574030442064;
                        const double t560 = t559 * t523;
                        const double t561 = t560 + (-0.06769490415797559);
                        const double t562 = t561 * t523;
                        const double t563 = t562 + 0.06382812062113474;
                        const double t564 = t563 * t523;
                        const double t565 = t564 + (-0.09321052270151807);
                        const double t566 = t565 * t523;
                        const double t567 = t566 + 0.08530564281234779;
                        const double t568 = t567 * t523;
                        const double t569 = t568 + (-0.15080363092800778);
                        const double t570 = t569 * t523;
                        const double t571 = t570 + 0.12832292192817457;
                        const double t572 = t571 * t523;
                        const double t573 = t572 + (-0.4378796877429183);
                        const double t574 = t573 * t523;
                        const double t575 = t574 + 0.4831289505409809;
                        const double t576 = t520 * t575;
                        t514 = t576;
                    } else {
                        const double t577 = t512 - 0.5;
                        const double t578 = log(t512);
                        const double t579 = t578 - 1.0;
                        const double t580 = t577 * t579;
                        const double t581 = 1.0 / t512;
                        const double t582 = t581 * t581;
                        const double t583 = 0.03686739114470535 * t582;
                        const double t584 = t583 + (-0.018529842349409912);
                        const double t585 = t584 * t582;
                        const double t586 = t585 + 0.005842830219816524;
                        const double t587 = t586 * t582;
                        const double t588 = t587 + (-0.0018988790775843355);
                        const double t589 = t588 * t582;
                        const double t590 = t589 + 0.0008413741438815142;
                        const double t591 = t590 * t582;
                        const double t592 = t591 + (-0.0005952337085914222);
                        const double t593 = t592 * t582;
                        const double t594 = t593 + 0.0007936507676291937;
                        const double t595 = t594 * t582;
                        const double t596 = t595 + (-0.0027777777777176055);
                        const double t597 = t596 * t582;
                        const double t598 = t597 + 0.08333333333333331;
                        const double t599 = t581 * t598;
                        const double t600 = 0.4189385332046727 + t599;
                        const double t601 = t580 + t600;
                        t514 = t601;
                    }
                    t418 = t514;
                }
                t214 = t418;
            }
            t3 = t214;
        }
        t2 = t3;
    }
    return t2;
}

static inline double op_digamma(double x) {
    const double t1 = floor(x);
    double t2;
    if (x < 0.0 && x == t1) {
        t2 = NAN;
    } else {
        double t3;
        if (x < 0.0) {
            double t4;
            if (x < 0.0) {
                const double t5 = 1.0 - x;
                t4 = t5;
            } else {
                double t6;
                if (x < 1.0) {
                    const double t7 = 1.0 + x;
                    t6 = t7;
                } else {
                    t6 = x;
                }
                t4 = t6;
            }
            double t8;
            if (t4 < 4.0) {
                const double t9 = t4 - 1.4616321449683622;
                const double t10 = t9 - 9.549995429965697e-17;
                const double t11 = t4 - 2.0;
                const double t12 = t4 + 2.0;
                const double t13 = t11 / t12;
                const double t14 = (-1.2961992760875918) * t13;
                const double t15 = t14 + 1.2942452439988197;
                const double t16 = t15 * t13;
                const double t17 = t16 + (-0.5042695952773063);
                const double t18 = t17 * t13;
                const double t19 = t18 + 0.5030955373909065;
                const double t20 = t19 * t13;
                const double t21 = t20 + (-0.713442970397327);
                const double t22 = t21 * t13;
                const double t23 = t22 + 0.7116445214134494;
                const double t24 = t23 * t13;
                const double t25 = t24 + (-0.6825045615261452);
                const double t26 = t25 * t13;
                const double t27 = t26 + 0.6802385731925122;
                const double t28 = t27 * t13;
                const double t29 = t28 + (-0.6857311757515434);
                const double t30 = t29 * t13;
                const double t31 = t30 + 0.6826984896609327;
                const double t32 = t31 * t13;
                const double t33 = t32 + (-0.6860976571407249);
                const double t34 = t33 * t13;
                const double t35 = t34 + 0.6818440940515491;
                const double t36 = t35 * t13;
                const double t37 = t36 + (-0.6870424842040613);
                const double t38 = t37 * t13;
                const double t39 = t38 + 0.680680105820702;
                const double t40 = t39 * t13;
                const double t41 = t40 + (-0.6890177886225417);
                const double t42 = t41 * t13;
                const double t43 = t42 + 0.67874747527837;
                const double t44 = t43 * t13;
                const double t45 = t44 + (-0.695067676631197);
                const double t46 = t45 * t13;
                const double t47 = t46 + 0.6777531349128925;
                const double t48 = t47 * t13;
                const double t49 = t48 + (-0.7262245808989884);
                const double t50 = t49 * t13;
                const double t51 = t50 + 0.7010428535500061;
                const double t52 = t51 * t13;
                const double t53 = t52 + (-1.0429558187320056);
                const double t54 = t53 * t13;
                const double t55 = t54 + 0.7853075386041053;
                const double t56 = t10 * t55;
                t8 = t56;
            } else {
                const double t57 = log(t4);
                const double t58 = 1.0 / t4;
                const double t59 = t58 * t58;
                const double t60 = (-2.7632461441771197) * t59;
                const double t61 = t60 + 1.317667749896685;
                const double t62 = t61 * t59;
                const double t63 = t62 + (-0.3487583555569305);
                const double t64 = t63 * t59;
                const double t65 = t64 + 0.07978585893797804;
                const double t66 = t65 * t59;
                const double t67 = t66 + (-0.021004729764303443);
                const double t68 = t67 * t59;
                const double t69 = t68 + 0.007574376314502456;
                const double t70 = t69 * t59;
                const double t71 = t70 + (-0.00416665393289541);
                const double t72 = t71 * t59;
                const double t73 = t72 + 0.003968253907681641;
                const double t74 = t73 * t59;
                const double t75 = t74 + (-0.00833333333322018);
                const double t76 = t75 * t59;
                const double t77 = t76 + 0.0833333333333333;
                const double t78 = t58 * t77;
                const double t79 = 0.5 + t78;
                const double t80 = t58 * t79;
                const double t81 = t57 - t80;
                t8 = t81;
            }
            const double t82 = op_round(x);
            const double t83 = t82;
            const double t84 = x - t83;
            double t85;
            if (t84 < 0.0) {
                double t86;
                if (t84 < 0.0) {
                    const double t87 = -t84;
                    t86 = t87;
                } else {
                    t86 = t84;
                }
                double t88;
                if (t86 < 0.25) {
                    t88 = 1.0;
                } else {
                    double t89;
                    if (t86 < 0.25) {
                        t89 = t86;
                    } else {
                        const double t90 = 0.5 - t86;
                        t89 = t90;
                    }
                    const double t91 = 3.141592653589793 * t89;
                    const double t92 = tan(t91);
                    t88 = t92;
                }
                double t93;
                if (t86 < 0.25) {
                    double t94;
                    if (t86 < 0.25) {
                        t94 = t86;
                    } else {
                        const double t95 = 0.5 - t86;
                        t94 = t95;
                    }
                    const double t96 = 3.141592653589793 * t94;
                    const double t97 = tan(t96);
                    t93 = t97;
                } else {
                    t93 = 1.0;
                }
                const double t98 = t88 / t93;
                const double t99 = -t98;
                t85 = t99;
            } else {
                double t100;
                if (t84 < 0.0) {
                    const double t101 = -t84;
                    t100 = t101;
                } else {
                    t100 = t84;
                }
                double t102;
                if (t100 < 0.25) {
                    t102 = 1.0;
                } else {
                    double t103;
                    if (t100 < 0.25) {
                        t103 = t100;
                    } else {
                        const double t104 = 0.5 - t100;
                        t103 = t104;
                    }
                    const double t105 = 3.141592653589793 * t103;
                    const double t106 = tan(t105);
                    t102 = t106;
                }
                double t107;
                if (t100 < 0.25) {
                    double t108;
                    if (t100 < 0.25) {
                        t108 = t100;
                    } else {
                        const double t109 = 0.5 - t100;
                        t108 = t109;
                    }
                    const double t110 = 3.141592653589793 * t108;
                    const double t111 = tan(t110);
                    t107 = t111;
                } else {
                    t107 = 1.0;
                }
                const double t112 = t102 / t107;
                t85 = t112;
            }
            const double t113 = 3.141592653589793 * t85;
            const double t114 = t8 - t113;
            t3 = t114;
        } else {
            double t115;
            if (x < 1.0) {
                double t116;
                if (x < 0.0) {
                    const double t117 = 1.0 - x;
                    t116 = t117;
                } else {
                    double t118;
                    if (x < 1.0) {
                        const double t119 = 1.0 + x;
                        t118 = t119;
                    } else {
                        t118 = x;
                    }
                    t116 = t118;
                }
                double t120;
                if (t116 < 4.0) {
                    const double t121 = t116 - 1.4616321449683622;
                    const double t122 = t121 - 9.549995429965697e-17;
                    const double t123 = t116 - 2.0;
                    const double t124 = t116 + 2.0;
                    const double t125 = t123 / t124;
                    const double t126 = (-1.2961992760875918) * t125;
                    const double t127 = t126 + 1.2942452439988197;
                    const double t128 = t127 * t125;
                    const double t129 = t128 + (-0.5042695952773063);
                    const double t130 = t129 * t125;
                    const double t131 = t130 + 0.5030955373909065;
                    const double t132 = t131 * t125;
                    const double t133 = t132 + (-0.713442970397327);
                    const double t134 = t133 * t125;
                    const double t135 = t134 + 0.7116445214134494;
                    const double t136 = t135 * t125;
                    const double t137 = t136 + (-0.6825045615261452);
                    const double t138 = t137 * t125;
                    const double t139 = t138 + 0.6802385731925122;
                    const double t140 = t139 * t125;
                    const double t141 = t140 + (-0.6857311757515434);
                    const double t142 = t141 * t125;
                    const double t143 = t142 + 0.6826984896609327;
                    const double t144 = t143 * t125;
                    const double t145 = t144 + (-0.6860976571407249);
                    const double t146 = t145 * t125;
                    const double t147 = t146 + 0.6818440940515491;
                    const double t148 = t147 * t125;
                    const double t149 = t148 + (-0.6870424842040613);
                    const double t150 = t149 * t125;
                    const double t151 = t150 + 0.680680105820702;
                    const double t152 = t151 * t125;
                    const double t153 = t152 + (-0.6890177886225417);
                    const double t154 = t153 * t125;
                    const double t155 = t154 + 0.67874747527837;
                    const double t156 = t155 * t125;
                    const double t157 = t156 + (-0.695067676631197);
                    const double t158 = t157 * t125;
                    const double t159 = t158 + 0.6777531349128925;
                    const double t160 = t159 * t125;
                    const double t161 = t160 + (-0.7262245808989884);
                    const double t162 = t161 * t125;
                    const double t163 = t162 + 0.7010428535500061;
                    const double t164 = t163 * t125;
                    const double t165 = t164 + (-1.0429558187320056);
                    const double t166 = t165 * t125;
                    const double t167 = t166 + 0.7853075386041053;
                    const double t168 = t122 * t167;
                    t120 = t168;
                } else {
                    const double t169 = log(t116);
                    const double t170 = 1.0 / t116;
                    const double t171 = t170 * t170;
                    const double t172 = (-2.7632461441771197) * t171;
                    const double t173 = t172 + 1.317667749896685;
                    const double t174 = t173 * t171;
                    const double t175 = t174 + (-0.3487583555569305);
                    const double t176 = t175 * t171;
                    const double t177 = t176 + 0.07978585893797804;
                    const double t178 = t177 * t171;
                    const double t179 = t178 + (-0.021004729764303443);
                    const double t180 = t179 * t171;
                    const double t181 = t180 + 0.007574376314502456;
                    const double t182 = t181 * t171;
                    const double t183 = t182 + (-0.00416665393289541);
                    const double t184 = t183 * t171;
                    const double t185 = t184 + 0.003968253907681641;
                    const double t186 = t185 * t171;
                    const double t187 = t186 + (-0.00833333333322018);
                    const double t188 = t187 * t171;
                    const double t189 = t188 + 0.0833333333333333;
                    const double t190 = t170 * t189;
                    const double t191 = 0.5 + t190;
                    const double t192 = t170 * t191;
                    const double t193 = t169 - t192;
                    t120 = t193;
                }
                const double t194 = 1.0 / x;
                const double t195 = t120 - t194;
                t115 = t195;
            } else {
                double t196;
                if (x < 0.0) {
                    const double t197 = 1.0 - x;
                    t196 = t197;
                } else {
                    double t198;
                    if (x < 1.0) {
                        const double t199 = 1.0 + x;
                        t198 = t199;
                    } else {
                        t198 = x;
                    }
                    t196 = t198;
                }
                double t200;
                if (t196 < 4.0) {
                    const double t201 = t196 - 1.4616321449683622;
                    const double t202 = t201 - 9.549995429965697e-17;
                    const double t203 = t196 - 2.0;
                    const double t204 = t196 + 2.0;
                    const double t205 = t203 / t204;
                    const double t206 = (-1.2961992760875918) * t205;
                    const double t207 = t206 + 1.2942452439988197;
                    const double t208 = t207 * t205;
                    const double t209 = t208 + (-0.5042695952773063);
                    const double t210 = t209 * t205;
                    const double t211 = t210 + 0.5030955373909065;
                    const double t212 = t211 * t205;
                    const double t213 = t212 + (-0.713442970397327);
                    const double t214 = t213 * t205;
                    const double t215 = t214 + 0.7116445214134494;
                    const double t216 = t215 * t205;
                    const double t217 = t216 + (-0.6825045615261452);
                    const double t218 = t217 * t205;
                    const double t219 = t218 + 0.6802385731925122;
                    const double t220 = t219 * t205;
                    const double t221 = t220 + (-0.6857311757515434);
                    const double t222 = t221 * t205;
                    const double t223 = t222 + 0.6826984896609327;
                    const double t224 = t223 * t205;
                    const double t225 = t224 + (-0.6860976571407249);
                    const double t226 = t225 * t205;
                    const double t227 = t226 + 0.6818440940515491;
                    const double t228 = t227 * t205;
                    const double t229 = t228 + (-0.6870424842040613);
                    const double t230 = t229 * t205;
                    const double t231 = t230 + 0.680680105820702;
                    const double t232 = t231 * t205;
                    const double t233 = t232 + (-0.6890177886225417);
                    const double t234 = t233 * t205;
                    const double t235 = t234 + 0.67874747527837;
                    const double t236 = t235 * t205;
                    const double t237 = t236 + (-0.695067676631197);
                    const double t238 = t237 * t205;
                    const double t239 = t238 + 0.6777531349128925;
                    const double t240 = t239 * t205;
                    const double t241 = t240 + (-0.7262245808989884);
                    const double t242 = t241 * t205;
                    const double t243 = t242 + 0.7010428535500061;
                    const double t244 = t243 * t205;
                    const double t245 = t244 + (-1.0429558187320056);
                    const double t246 = t245 * t205;
                    const double t247 = t246 + 0.7853075386041053;
                    const double t248 = t202 * t247;
                    t200 = t248;
                } else {
                    const double t249 = log(t196);
                    const double t250 = 1.0 / t196;
                    const double t251 = t250 * t250;
                    const double t252 = (-2.7632461441771197) * t251;
                    const double t253 = t252 + 1.317667749896685;
                    const double t254 = t253 * t251;
                    const double t255 = t254 + (-0.3487583555569305);
                    const double t256 = t255 * t251;
                    const double t257 = t256 + 0.07978585893797804;
                    const double t258 = t257 * t251;
                    const double t259 = t258 + (-0.021004729764303443);
                    const double t260 = t259 * t251;
                    const double t261 = t260 + 0.007574376314502456;
                    const double t262 = t261 * t251;
                    const double t263 = t262 + (-0.00416665393289541);
                    const double t264 = t263 * t251;
                    const double t265 = t264 + 0.003968253907681641;
                    const double t266 = t265 * t251;
                    const double t267 = t266 + (-0.00833333333322018);
                    const double t268 = t267 * t251;
                    const double t269 = t268 + 0.0833333333333333;
                    const double t270 = t250 * t269;
                    const double t271 = 0.5 + t270;
                    const double t272 = t250 * t271;
                    const double t273 = t249 - t272;
                    t200 = t273;
                }
                t115 = t200;
            }
            t3 = t115;
        }
        t2 = t3;
    }
    return t2;
}

static inline double op_zeta(double x, double y) {
    double t1;
    if (x < 1.0) {
        t1 = 1.0;
    } else {
        const double t2 = (y < 0.0 ? 1.0 : 0.0);
        t1 = t2;
    }
    double t3;
    if (t1 != 0.0) {
        t3 = NAN;
    } else {
        const double t4 = fabs(y);
        const double t5 = x + 8.0;
        double t6;
        if (t4 < t5) {
            const double t7 = t4 + 0.0;
            const double t8 = -x;
            const double t9 = pow(t7, t8);
            const double t10 = t4 + 1.0;
            const double t11 = pow(t10, t8);
            const double t12 = t4 + 2.0;
            const double t13 = pow(t12, t8);
            const double t14 = t4 + 3.0;
            const double t15 = pow(t14, t8);
            const double t16 = t4 + 4.0;
            const double t17 = pow(t16, t8);
            const double t18 = t4 + 5.0;
            const double t19 = pow(t18, t8);
            const double t20 = t4 + 6.0;
            const double t21 = pow(t20, t8);
            const double t22 = t4 + 7.0;
            const double t23 = pow(t22, t8);
            double t24;
            if (t4 < t5) {
                const double t25 = t4 + 8.0;
                t24 = t25;
            } else {
                t24 = t4;
            }
            const double t26 = x * 0.03333333333333333;
            double t27;
            if (t24 < t26) {
                t27 = 0.0;
            } else {
                const double t28 = 1.0 - x;
                const double t29 = pow(t24, t28);
                const double t30 = x - 1.0;
                const double t31 = 1.0 / t30;
                const double t32 = 1.0 / t24;
                const double t33 = x * t32;
                const double t34 = x + 1.0;
                const double t35 = t34 * t32;
                const double t36 = x + 2.0;
                const double t37 = t36 * t32;
                const double t38 = t35 * t37;
                const double t39 = x + 3.0;
                const double t40 = t39 * t32;
                const double t41 = x + 4.0;
                const double t42 = t41 * t32;
                const double t43 = t40 * t42;
                const double t44 = x + 5.0;
                const double t45 = t44 * t32;
                const double t46 = x + 6.0;
                const double t47 = t46 * t32;
                const double t48 = t45 * t47;
                const double t49 = x + 7.0;
                const double t50 = t49 * t32;
                const double t51 = t5 * t32;
                const double t52 = t50 * t51;
                const double t53 = x + 9.0;
                const double t54 = t53 * t32;
                const double t55 = x + 10.0;
                const double t56 = t55 * t32;
                const double t57 = t54 * t56;
                const double t58 = x + 11.0;
                const double t59 = t58 * t32;
                const double t60 = x + 12.0;
                const double t61 = t60 * t32;
                const double t62 = t59 * t61;
                const double t63 = x + 13.0;
                const double t64 = t63 * t32;
                const double t65 = x + 14.0;
                const double t66 = t65 * t32;
                const double t67 = t64 * t66;
                const double t68 = x + 15.0;
                const double t69 = t68 * t32;
                const double t70 = x + 16.0;
                const double t71 = t70 * t32;
                const double t72 = t69 * t71;
                const double t73 = x + 17.0;
                const double t74 = t73 * t32;
                const double t75 = x + 18.0;
                const double t76 = t75 * t32;
                const double t77 = t74 * t76;
                const double t78 = x + 19.0;
                const double t79 = t78 * t32;
                const double t80 = x + 20.0;
                const double t81 = t80 * t32;
                const double t82 = t79 * t81;
                const double t83 = x + 21.0;
                const double t84 = t83 * t32;
                const double t85 = x + 22.0;
                const double t86 = t85 * t32;
                const double t87 = t84 * t86;
                const double t88 = t87 * (-1.3954464685812522e-19);
                const double t89 = 5.5090028283602295e-18 + t88;
                const double t90 = t82 * t89;
                const double t91 = (-2.174868698558062e-16) + t90;
                const double t92 = t77 * t91;
                const double t93 = 8.586062056277845e-15 + t92;
                const double t94 = t72 * t93;
                const double t95 = (-3.3896802963225827e-13) + t94;
                const double t96 = t67 * t95;
                const double t97 = 1.3382536530684679e-11 + t96;
                const double t98 = t62 * t97;
                const double t99 = (-5.284190138687493e-10) + t98;
                const double t100 = t57 * t99;
                const double t101 = 2.08767569878681e-08 + t100;
                const double t102 = t52 * t101;
                const double t103 = (-8.267195767195768e-07) + t102;
                const double t104 = t48 * t103;
                const double t105 = 3.306878306878307e-05 + t104;
                const double t106 = t43 * t105;
                const double t107 = (-0.001388888888888889) + t106;
                const double t108 = t38 * t107;
                const double t109 = 0.08333333333333333 + t108;
                const double t110 = t33 * t109;
                const double t111 = 0.5 + t110;
                const double t112 = t32 * t111;
                const double t113 = t31 + t112;
                const double t114 = t29 * t113;
                t27 = t114;
            }
            const double t115 = t23 + t27;
            const double t116 = t21 + t115;
            const double t117 = t19 + t116;
            const double t118 = t17 + t117;
            const double t119 = t15 + t118;
            const double t120 = t13 + t119;
            const double t121 = t11 + t120;
            const double t122 = t9 + t121;
            t6 = t122;
        } else {
            double t123;
            if (t4 < t5) {
                const double t124 = t4 + 8.0;
                t123 = t124;
            } else {
                t123 = t4;
            }
            const double t125 = x * 0.03333333333333333;
            double t126;
            if (t123 < t125) {
                t126 = 0.0;
            } else {
                const double t127 = 1.0 - x;
                const double t128 = pow(t123, t127);
                const double t129 = x - 1.0;
                const double t130 = 1.0 / t129;
                const double t131 = 1.0 / t123;
                const double t132 = x * t131;
                const double t133 = x + 1.0;
                const double t134 = t133 * t131;
                const double t135 = x + 2.0;
                const double t136 = t135 * t131;
                const double t137 = t134 * t136;
                const double t138 = x + 3.0;
                const double t139 = t138 * t131;
                const double t140 = x + 4.0;
                const double t141 = t140 * t131;
                const double t142 = t139 * t141;
                const double t143 = x + 5.0;
                const double t144 = t143 * t131;
                const double t145 = x + 6.0;
                const double t146 = t145 * t131;
                const double t147 = t144 * t146;
                const double t148 = x + 7.0;
                const double t149 = t148 * t131;
                const double t150 = t5 * t131;
                const double t151 = t149 * t150;
                const double t152 = x + 9.0;
                const double t153 = t152 * t131;
                const double t154 = x + 10.0;
                const double t155 = t154 * t131;
                const double t156 = t153 * t155;
                const double t157 = x + 11.0;
                const double t158 = t157 * t131;
                const double t159 = x + 12.0;
                const double t160 = t159 * t131;
                const double t161 = t158 * t160;
                const double t162 = x + 13.0;
                const double t163 = t162 * t131;
                const double t164 = x + 14.0;
                const double t165 = t164 * t131;
                const double t166 = t163 * t165;
                const double t167 = x + 15.0;
                const double t168 = t167 * t131;
                const double t169 = x + 16.0;
                const double t170 = t169 * t131;
                const double t171 = t168 * t170;
                const double t172 = x + 17.0;
                const double t173 = t172 * t131;
                const double t174 = x + 18.0;
                const double t175 = t174 * t131;
                const double t176 = t173 * t175;
                const double t177 = x + 19.0;
                const double t178 = t177 * t131;
                const double t179 = x + 20.0;
                const double t180 = t179 * t131;
                const double t181 = t178 * t180;
                const double t182 = x + 21.0;
                const double t183 = t182 * t131;
                const double t184 = x + 22.0;
                const double t185 = t184 * t131;
                const double t186 = t183 * t185;
                const double t187 = t186 * (-1.3954464685812522e-19);
                const double t188 = 5.5090028283602295e-18 + t187;
                const double t189 = t181 * t188;
                const double t190 = (-2.174868698558062e-16) + t189;
                const double t191 = t176 * t190;
                const double t192 = 8.586062056277845e-15 + t191;
                const double t193 = t171 * t192;
                const double t194 = (-3.3896802963225827e-13) + t193;
                const double t195 = t166 * t194;
                const double t196 = 1.3382536530684679e-11 + t195;
                const double t197 = t161 * t196;
                const double t198 = (-5.284190138687493e-10) + t197;
                const double t199 = t156 * t198;
                const double t200 = 2.08767569878681e-08 + t199;
                const double t201 = t151 * t200;
                const double t202 = (-8.267195767195768e-07) + t201;
                const double t203 = t147 * t202;
                const double t204 = 3.306878306878307e-05 + t203;
                const double t205 = t142 * t204;
                const double t206 = (-0.001388888888888889) + t205;
                const double t207 = t137 * t206;
                const double t208 = 0.08333333333333333 + t207;
                const double t209 = t132 * t208;
                const double t210 = 0.5 + t209;
                const double t211 = t131 * t210;
                const double t212 = t130 + t211;
                const double t213 = t128 * t212;
                t126 = t213;
            }
            t6 = t126;
        }
        t3 = t6;
    }
    return t3;
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
            const double t21 = t20 + 0.0;
            const double t22 = t10 * t21;
            const double t23 = t10 + t22;
            const double t24 = t11 * t23;
            t8 = t24;
        } else {
            const double t25 = -t7;
            const double t26 = exp(t25);
            const double t27 = x - t5;
            const double t28 = (-0.5) * t27;
            const double t29 = x + t5;
            const double t30 = t28 * t29;
            const double t31 = t30 * 0.16666666666666666;
            const double t32 = 0.5 + t31;
            const double t33 = t30 * t32;
            const double t34 = 1.0 + t33;
            const double t35 = t30 * t34;
            const double t36 = t35 + 0.0;
            const double t37 = t26 * t36;
            const double t38 = t26 + t37;
            const double t39 = 0.3989422804014327 * t38;
            t8 = t39;
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
            const double t3 = -x;
            const double t4 = t3 * t3;
            double t5;
            if (1600.0 < t4) {
                t5 = 0.0;
            } else {
                const double t6 = 134217729.0 * t3;
                const double t7 = t6 - t3;
                const double t8 = t6 - t7;
                const double t9 = 0.5 * t8;
                const double t10 = t9 * t8;
                double t11;
                if (700.0 < t10) {
                    const double t12 = t3 - 2.5;
                    const double t13 = t3 + 2.5;
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
                    const double t61 = t60 / t3;
                    const double t62 = (-0.5) * t10;
                    const double t63 = exp(t62);
                    const double t64 = t61 * t63;
                    const double t65 = t3 - t8;
                    const double t66 = (-0.5) * t65;
                    const double t67 = t3 + t8;
                    const double t68 = t66 * t67;
                    const double t69 = t68 * 0.16666666666666666;
                    const double t70 = 0.5 + t69;
                    const double t71 = t68 * t70;
                    const double t72 = 1.0 + t71;
                    const double t73 = t68 * t72;
                    const double t74 = 134217729.0 * t61;
                    const double t75 = t74 - t61;
                    const double t76 = t74 - t75;
                    const double t77 = t76 * t8;
                    const double t78 = t60 - t77;
                    const double t79 = t76 * t65;
                    const double t80 = t78 - t79;
                    const double t81 = t61 - t76;
                    const double t82 = t81 * t3;
                    const double t83 = t80 - t82;
                    const double t84 = t83 / t60;
                    const double t85 = t73 + t84;
                    const double t86 = t63 * t85;
                    const double t87 = t63 + t86;
                    const double t88 = t64 * t87;
                    t11 = t88;
                } else {
                    const double t89 = t3 - 2.5;
                    const double t90 = t3 + 2.5;
                    const double t91 = t89 / t90;
                    const double t92 = (-3.781977220946943e-08) * t91;
                    const double t93 = t92 + 4.642175737039127e-07;
                    const double t94 = t93 * t91;
                    const double t95 = t94 + (-1.0887306719833636e-06);
                    const double t96 = t95 * t91;
                    const double t97 = t96 + 5.222203352569594e-08;
                    const double t98 = t97 * t91;
                    const double t99 = t98 + 1.2799883631680893e-06;
                    const double t100 = t99 * t91;
                    const double t101 = t100 + 5.952843746139928e-07;
                    const double t102 = t101 * t91;
                    const double t103 = t102 + 4.0156195214973863e-07;
                    const double t104 = t103 * t91;
                    const double t105 = t104 + (-1.9370786659147376e-06);
                    const double t106 = t105 * t91;
                    const double t107 = t106 + (-6.452093869750818e-06);
                    const double t108 = t107 * t91;
                    const double t109 = t108 + (-4.76865240222145e-06);
                    const double t110 = t109 * t91;
                    const double t111 = t110 + 1.4319316112632404e-05;
                    const double t112 = t111 * t91;
                    const double t113 = t112 + 4.2958184365097303e-05;
                    const double t114 = t113 * t91;
                    const double t115 = t114 + 1.908768067646918e-05;
                    const double t116 = t115 * t91;
                    const double t117 = t116 + (-0.00014039187243244702);
                    const double t118 = t117 * t91;
                    const double t119 = t118 + (-0.00029338317028938164);
                    const double t120 = t119 * t91;
                    const double t121 = t120 + 0.000217489184138791;
                    const double t122 = t121 * t91;
                    const double t123 = t122 + 0.0016486801344341574;
                    const double t124 = t123 * t91;
                    const double t125 = t124 + 0.0004565742670093648;
                    const double t126 = t125 * t91;
                    const double t127 = t126 + (-0.009007517699530638);
                    const double t128 = t127 * t91;
                    const double t129 = t128 + (-0.0035754253874364537);
                    const double t130 = t129 * t91;
                    const double t131 = t130 + 0.0706132265594008;
                    const double t132 = t131 * t91;
                    const double t133 = t132 + (-0.15085243167224832);
                    const double t134 = t133 * t91;
                    const double t135 = t134 + 0.13648225752794654;
                    const double t136 = t135 * t91;
                    const double t137 = t136 + 0.3533283284514383;
                    const double t138 = t137 / t3;
                    const double t139 = -t10;
                    const double t140 = exp(t139);
                    const double t141 = t3 - t8;
                    const double t142 = (-0.5) * t141;
                    const double t143 = t3 + t8;
                    const double t144 = t142 * t143;
                    const double t145 = t144 * 0.16666666666666666;
                    const double t146 = 0.5 + t145;
                    const double t147 = t144 * t146;
                    const double t148 = 1.0 + t147;
                    const double t149 = t144 * t148;
                    const double t150 = 134217729.0 * t138;
                    const double t151 = t150 - t138;
                    const double t152 = t150 - t151;
                    const double t153 = t152 * t8;
                    const double t154 = t137 - t153;
                    const double t155 = t152 * t141;
                    const double t156 = t154 - t155;
                    const double t157 = t138 - t152;
                    const double t158 = t157 * t3;
                    const double t159 = t156 - t158;
                    const double t160 = t159 / t137;
                    const double t161 = t149 + t160;
                    const double t162 = t140 * t161;
                    const double t163 = t140 + t162;
                    const double t164 = t138 * t163;
                    t11 = t164;
                }
                t5 = t11;
            }
            t2 = t5;
        }
        t1 = t2;
    } else {
        const double t165 = x * 0.7071067811865476;
        const double t166 = erf(t165);
        const double t167 = 1.0 + t166;
        const double t168 = 0.5 * t167;
        t1 = t168;
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
                    const double t74 = t73 + 0.0;
                    const double t75 = t63 * t74;
                    const double t76 = t63 + t75;
                    const double t77 = t64 * t76;
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
                    const double t128 = -t127;
                    const double t129 = -t9;
                    const double t130 = exp(t129);
                    const double t131 = x - t7;
                    const double t132 = (-0.5) * t131;
                    const double t133 = x + t7;
                    const double t134 = t132 * t133;
                    const double t135 = t134 * 0.16666666666666666;
                    const double t136 = 0.5 + t135;
                    const double t137 = t134 * t136;
                    const double t138 = 1.0 + t137;
                    const double t139 = t134 * t138;
                    const double t140 = t139 + 0.0;
                    const double t141 = t130 * t140;
                    const double t142 = t130 + t141;
                    const double t143 = t128 * t142;
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
        double t1;
        if (a[i] == fold0) {
            const double t2 = fabs(a[i]);
            double t3;
            if (t2 == INFINITY) {
                t3 = 0.0;
            } else {
                const double t4 = fold0;
                const double t5 = a[i] - t4;
                t3 = t5;
            }
            const double t6 = exp(t3);
            t1 = t6;
        } else {
            t1 = 0.0;
        }
        const double t7 = fold1 + t1;
        fold1 = t7;
    }
    double fold2 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        double t1;
        if (a[i] == fold0) {
            t1 = 0.0;
        } else {
            const double t2 = fold0;
            const double t3 = a[i] - t2;
            const double t4 = exp(t3);
            t1 = t4;
        }
        const double t5 = fold2 + t1;
        fold2 = t5;
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
        double t1;
        if (a[i] == fold0) {
            const double t2 = fabs(a[i]);
            double t3;
            if (t2 == INFINITY) {
                t3 = 0.0;
            } else {
                const double t4 = fold0;
                const double t5 = a[i] - t4;
                t3 = t5;
            }
            const double t6 = exp(t3);
            t1 = t6;
        } else {
            t1 = 0.0;
        }
        const double t7 = fold1 + t1;
        fold1 = t7;
    }
    double fold2 = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        double t1;
        if (a[i] == fold0) {
            t1 = 0.0;
        } else {
            const double t2 = fold0;
            const double t3 = a[i] - t2;
            const double t4 = exp(t3);
            t1 = t4;
        }
        const double t5 = fold2 + t1;
        fold2 = t5;
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
            const double t6 = fold0;
            const double t7 = a[i] - t6;
            const double t8 = exp(t7);
            const double t9 = fold1 + fold2;
            const double t10 = t8 / t9;
            t2 = t10;
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
    case OP_WITH_PARTIAL: return op_with_partial(a[0], a[1], a[2]);
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
    case OP_LGAMMA: return op_lgamma(a[0]);
    case OP_DIGAMMA: return op_digamma(a[0]);
    case OP_ZETA: return op_zeta(a[0], a[1]);
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
    case OP_WITH_PARTIAL: {
        const double x = a[0], y = a[1], z = a[2];
        (void)x; (void)y; (void)z;
        p[0] = 1.0;
        p[1] = z;
        p[2] = 0.0;
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
                    const double t21 = t20 + 0.0;
                    const double t22 = t10 * t21;
                    const double t23 = t10 + t22;
                    const double t24 = t11 * t23;
                    t8 = t24;
                } else {
                    const double t25 = -t7;
                    const double t26 = exp(t25);
                    const double t27 = x - t5;
                    const double t28 = (-1.0) * t27;
                    const double t29 = x + t5;
                    const double t30 = t28 * t29;
                    const double t31 = t30 * 0.16666666666666666;
                    const double t32 = 0.5 + t31;
                    const double t33 = t30 * t32;
                    const double t34 = 1.0 + t33;
                    const double t35 = t30 * t34;
                    const double t36 = t35 + 0.0;
                    const double t37 = t26 * t36;
                    const double t38 = t26 + t37;
                    const double t39 = 1.1283791670955126 * t38;
                    t8 = t39;
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
                    const double t21 = t20 + 0.0;
                    const double t22 = t10 * t21;
                    const double t23 = t10 + t22;
                    const double t24 = t11 * t23;
                    t8 = t24;
                } else {
                    const double t25 = -t7;
                    const double t26 = exp(t25);
                    const double t27 = x - t5;
                    const double t28 = (-1.0) * t27;
                    const double t29 = x + t5;
                    const double t30 = t28 * t29;
                    const double t31 = t30 * 0.16666666666666666;
                    const double t32 = 0.5 + t31;
                    const double t33 = t30 * t32;
                    const double t34 = 1.0 + t33;
                    const double t35 = t30 * t34;
                    const double t36 = t35 + 0.0;
                    const double t37 = t26 * t36;
                    const double t38 = t26 + t37;
                    const double t39 = (-1.1283791670955126) * t38;
                    t8 = t39;
                }
                t2 = t8;
            }
            p[0] = t2;
        }
        break;
    }
    case OP_LGAMMA: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            const double t1 = op_digamma(x);
            p[0] = t1;
        }
        break;
    }
    case OP_DIGAMMA: {
        const double x = a[0];
        (void)x;
        if (wanted & 1) {
            double t1;
            if (x < 0.0) {
                const double t2 = x < 0.0 ? x : 0.5;
                const double t3 = op_round(t2);
                const double t4 = t3;
                const double t5 = t2 - t4;
                const double t6 = 3.141592653589793 * t5;
                const double t7 = sin(t6);
                const double t8 = t7 * t7;
                const double t9 = 9.869604401089358 / t8;
                double t10;
                if (x < 0.0) {
                    const double t11 = 1.0 - x;
                    t10 = t11;
                } else {
                    t10 = x;
                }
                const double t12 = op_zeta(2.0, t10);
                const double t13 = t9 - t12;
                t1 = t13;
            } else {
                double t14;
                if (x < 0.0) {
                    const double t15 = 1.0 - x;
                    t14 = t15;
                } else {
                    t14 = x;
                }
                const double t16 = op_zeta(2.0, t14);
                t1 = t16;
            }
            p[0] = t1;
        }
        break;
    }
    case OP_ZETA: {
        const double x = a[0], y = a[1];
        (void)x; (void)y;
        p[0] = 0.0;
        if (wanted & 2) {
            double t1;
            if (x < 1.0) {
                t1 = NAN;
            } else {
                const double t2 = -x;
                const double t3 = x + 1.0;
                const double t4 = op_zeta(t3, y);
                const double t5 = t2 * t4;
                t1 = t5;
            }
            p[1] = t1;
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
                    const double t22 = t21 + 0.0;
                    const double t23 = t11 * t22;
                    const double t24 = t11 + t23;
                    const double t25 = t12 * t24;
                    t8 = t25;
                } else {
                    const double t26 = (-0.3989422804014327) * x;
                    const double t27 = -t7;
                    const double t28 = exp(t27);
                    const double t29 = x - t5;
                    const double t30 = (-0.5) * t29;
                    const double t31 = x + t5;
                    const double t32 = t30 * t31;
                    const double t33 = t32 * 0.16666666666666666;
                    const double t34 = 0.5 + t33;
                    const double t35 = t32 * t34;
                    const double t36 = 1.0 + t35;
                    const double t37 = t32 * t36;
                    const double t38 = t37 + 0.0;
                    const double t39 = t28 * t38;
                    const double t40 = t28 + t39;
                    const double t41 = t26 * t40;
                    t8 = t41;
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
                    const double t21 = t20 + 0.0;
                    const double t22 = t10 * t21;
                    const double t23 = t10 + t22;
                    const double t24 = t11 * t23;
                    t8 = t24;
                } else {
                    const double t25 = -t7;
                    const double t26 = exp(t25);
                    const double t27 = x - t5;
                    const double t28 = (-0.5) * t27;
                    const double t29 = x + t5;
                    const double t30 = t28 * t29;
                    const double t31 = t30 * 0.16666666666666666;
                    const double t32 = 0.5 + t31;
                    const double t33 = t30 * t32;
                    const double t34 = 1.0 + t33;
                    const double t35 = t30 * t34;
                    const double t36 = t35 + 0.0;
                    const double t37 = t26 * t36;
                    const double t38 = t26 + t37;
                    const double t39 = 0.3989422804014327 * t38;
                    t8 = t39;
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
            if (x < 0.0) {
                double t2;
                if (x < (-0.91)) {
                    const double t3 = -x;
                    double t4;
                    if (t3 < 40.0) {
                        const double t5 = t3 - 2.5;
                        const double t6 = t3 + 2.5;
                        const double t7 = t5 / t6;
                        const double t8 = (-3.781977220946943e-08) * t7;
                        const double t9 = t8 + 4.642175737039127e-07;
                        const double t10 = t9 * t7;
                        const double t11 = t10 + (-1.0887306719833636e-06);
                        const double t12 = t11 * t7;
                        const double t13 = t12 + 5.222203352569594e-08;
                        const double t14 = t13 * t7;
                        const double t15 = t14 + 1.2799883631680893e-06;
                        const double t16 = t15 * t7;
                        const double t17 = t16 + 5.952843746139928e-07;
                        const double t18 = t17 * t7;
                        const double t19 = t18 + 4.0156195214973863e-07;
                        const double t20 = t19 * t7;
                        const double t21 = t20 + (-1.9370786659147376e-06);
                        const double t22 = t21 * t7;
                        const double t23 = t22 + (-6.452093869750818e-06);
                        const double t24 = t23 * t7;
                        const double t25 = t24 + (-4.76865240222145e-06);
                        const double t26 = t25 * t7;
                        const double t27 = t26 + 1.4319316112632404e-05;
                        const double t28 = t27 * t7;
                        const double t29 = t28 + 4.2958184365097303e-05;
                        const double t30 = t29 * t7;
                        const double t31 = t30 + 1.908768067646918e-05;
                        const double t32 = t31 * t7;
                        const double t33 = t32 + (-0.00014039187243244702);
                        const double t34 = t33 * t7;
                        const double t35 = t34 + (-0.00029338317028938164);
                        const double t36 = t35 * t7;
                        const double t37 = t36 + 0.000217489184138791;
                        const double t38 = t37 * t7;
                        const double t39 = t38 + 0.0016486801344341574;
                        const double t40 = t39 * t7;
                        const double t41 = t40 + 0.0004565742670093648;
                        const double t42 = t41 * t7;
                        const double t43 = t42 + (-0.009007517699530638);
                        const double t44 = t43 * t7;
                        const double t45 = t44 + (-0.0035754253874364537);
                        const double t46 = t45 * t7;
                        const double t47 = t46 + 0.0706132265594008;
                        const double t48 = t47 * t7;
                        const double t49 = t48 + (-0.15085243167224832);
                        const double t50 = t49 * t7;
                        const double t51 = t50 + 0.13648225752794654;
                        const double t52 = t51 * t7;
                        const double t53 = t52 + 0.3533283284514383;
                        const double t54 = 2.5066282746310002 * t53;
                        t4 = t54;
                    } else {
                        const double t55 = 1.0 / t3;
                        const double t56 = t55 * t55;
                        const double t57 = 1.0 * t56;
                        const double t58 = 3.0 * t56;
                        const double t59 = 5.0 * t56;
                        const double t60 = 7.0 * t56;
                        const double t61 = 9.0 * t56;
                        const double t62 = 11.0 * t56;
                        const double t63 = t62 * 1.0;
                        const double t64 = 1.0 - t63;
                        const double t65 = t61 * t64;
                        const double t66 = 1.0 - t65;
                        const double t67 = t60 * t66;
                        const double t68 = 1.0 - t67;
                        const double t69 = t59 * t68;
                        const double t70 = 1.0 - t69;
                        const double t71 = t58 * t70;
                        const double t72 = 1.0 - t71;
                        const double t73 = t57 * t72;
                        const double t74 = 1.0 - t73;
                        t4 = t74;
                    }
                    const double t75 = x / t4;
                    const double t76 = -t75;
                    t2 = t76;
                } else {
                    const double t77 = x + 0.46;
                    const double t78 = 3.70500422395657e-07 * t77;
                    const double t79 = t78 + 1.5046273884716127e-06;
                    const double t80 = t79 * t77;
                    const double t81 = t80 + 5.617952618042915e-06;
                    const double t82 = t81 * t77;
                    const double t83 = t82 + 2.1227279250434854e-05;
                    const double t84 = t83 * t77;
                    const double t85 = t84 + 7.725246962203065e-05;
                    const double t86 = t85 * t77;
                    const double t87 = t86 + 0.00026928239912239613;
                    const double t88 = t87 * t77;
                    const double t89 = t88 + 0.0008963845642750712;
                    const double t90 = t89 * t77;
                    const double t91 = t90 + 0.0028358459520623257;
                    const double t92 = t91 * t77;
                    const double t93 = t92 + 0.008475566375400659;
                    const double t94 = t93 * t77;
                    const double t95 = t94 + 0.023749684386373305;
                    const double t96 = t95 * t77;
                    const double t97 = t96 + 0.061778253044454744;
                    const double t98 = t97 * t77;
                    const double t99 = t98 + 0.14716641826288893;
                    const double t100 = t99 * t77;
                    const double t101 = t100 + 0.3148095645791247;
                    const double t102 = t101 * t77;
                    const double t103 = t102 + 0.5863116544958794;
                    const double t104 = t103 * t77;
                    const double t105 = t104 + 0.8993224902263525;
                    const double t106 = 1.0 / t105;
                    t2 = t106;
                }
                t1 = t2;
            } else {
                const double t107 = op_normal_pdf(x);
                const double t108 = op_normal_cdf(x);
                const double t109 = t107 / t108;
                t1 = t109;
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
                        const double t75 = t74 + 0.0;
                        const double t76 = t64 * t75;
                        const double t77 = t64 + t76;
                        const double t78 = t65 * t77;
                        t9 = t78;
                    } else {
                        const double t79 = 0.3989422804014327 * x;
                        const double t80 = -x;
                        const double t81 = t80 - 2.5;
                        const double t82 = t80 + 2.5;
                        const double t83 = t81 / t82;
                        const double t84 = (-3.781977220946943e-08) * t83;
                        const double t85 = t84 + 4.642175737039127e-07;
                        const double t86 = t85 * t83;
                        const double t87 = t86 + (-1.0887306719833636e-06);
                        const double t88 = t87 * t83;
                        const double t89 = t88 + 5.222203352569594e-08;
                        const double t90 = t89 * t83;
                        const double t91 = t90 + 1.2799883631680893e-06;
                        const double t92 = t91 * t83;
                        const double t93 = t92 + 5.952843746139928e-07;
                        const double t94 = t93 * t83;
                        const double t95 = t94 + 4.0156195214973863e-07;
                        const double t96 = t95 * t83;
                        const double t97 = t96 + (-1.9370786659147376e-06);
                        const double t98 = t97 * t83;
                        const double t99 = t98 + (-6.452093869750818e-06);
                        const double t100 = t99 * t83;
                        const double t101 = t100 + (-4.76865240222145e-06);
                        const double t102 = t101 * t83;
                        const double t103 = t102 + 1.4319316112632404e-05;
                        const double t104 = t103 * t83;
                        const double t105 = t104 + 4.2958184365097303e-05;
                        const double t106 = t105 * t83;
                        const double t107 = t106 + 1.908768067646918e-05;
                        const double t108 = t107 * t83;
                        const double t109 = t108 + (-0.00014039187243244702);
                        const double t110 = t109 * t83;
                        const double t111 = t110 + (-0.00029338317028938164);
                        const double t112 = t111 * t83;
                        const double t113 = t112 + 0.000217489184138791;
                        const double t114 = t113 * t83;
                        const double t115 = t114 + 0.0016486801344341574;
                        const double t116 = t115 * t83;
                        const double t117 = t116 + 0.0004565742670093648;
                        const double t118 = t117 * t83;
                        const double t119 = t118 + (-0.009007517699530638);
                        const double t120 = t119 * t83;
                        const double t121 = t120 + (-0.0035754253874364537);
                        const double t122 = t121 * t83;
                        const double t123 = t122 + 0.0706132265594008;
                        const double t124 = t123 * t83;
                        const double t125 = t124 + (-0.15085243167224832);
                        const double t126 = t125 * t83;
                        const double t127 = t126 + 0.13648225752794654;
                        const double t128 = t127 * t83;
                        const double t129 = t128 + 0.3533283284514383;
                        const double t130 = t129 / x;
                        const double t131 = t79 - t130;
                        const double t132 = -t8;
                        const double t133 = exp(t132);
                        const double t134 = x - t6;
                        const double t135 = (-0.5) * t134;
                        const double t136 = x + t6;
                        const double t137 = t135 * t136;
                        const double t138 = t137 * 0.16666666666666666;
                        const double t139 = 0.5 + t138;
                        const double t140 = t137 * t139;
                        const double t141 = 1.0 + t140;
                        const double t142 = t137 * t141;
                        const double t143 = t142 + 0.0;
                        const double t144 = t133 * t143;
                        const double t145 = t133 + t144;
                        const double t146 = t131 * t145;
                        t9 = t146;
                    }
                    t3 = t9;
                }
                t1 = t3;
            } else {
                const double t147 = -x;
                const double t148 = t147 * 0.7071067811865476;
                const double t149 = op_erfc(t148);
                const double t150 = 0.5 * t149;
                const double t151 = x * x;
                double t152;
                if (1600.0 < t151) {
                    t152 = 0.0;
                } else {
                    const double t153 = 134217729.0 * x;
                    const double t154 = t153 - x;
                    const double t155 = t153 - t154;
                    const double t156 = 0.5 * t155;
                    const double t157 = t156 * t155;
                    double t158;
                    if (700.0 < t157) {
                        const double t159 = 0.3989422804014327 * x;
                        const double t160 = (-0.5) * t157;
                        const double t161 = exp(t160);
                        const double t162 = t159 * t161;
                        const double t163 = x - t155;
                        const double t164 = (-0.5) * t163;
                        const double t165 = x + t155;
                        const double t166 = t164 * t165;
                        const double t167 = t166 * 0.16666666666666666;
                        const double t168 = 0.5 + t167;
                        const double t169 = t166 * t168;
                        const double t170 = 1.0 + t169;
                        const double t171 = t166 * t170;
                        const double t172 = t171 + 0.0;
                        const double t173 = t161 * t172;
                        const double t174 = t161 + t173;
                        const double t175 = t162 * t174;
                        t158 = t175;
                    } else {
                        const double t176 = 0.3989422804014327 * x;
                        const double t177 = -t157;
                        const double t178 = exp(t177);
                        const double t179 = x - t155;
                        const double t180 = (-0.5) * t179;
                        const double t181 = x + t155;
                        const double t182 = t180 * t181;
                        const double t183 = t182 * 0.16666666666666666;
                        const double t184 = 0.5 + t183;
                        const double t185 = t182 * t184;
                        const double t186 = 1.0 + t185;
                        const double t187 = t182 * t186;
                        const double t188 = t187 + 0.0;
                        const double t189 = t178 * t188;
                        const double t190 = t178 + t189;
                        const double t191 = t176 * t190;
                        t158 = t191;
                    }
                    t152 = t158;
                }
                const double t192 = t150 + t152;
                t1 = t192;
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
