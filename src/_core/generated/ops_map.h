/* Generated from src/chainrule/ops.py by tools/gen_ops.py: do not edit. */

/* The operations of ops_simd.h on arrays. */
VALUES(values_add, v_op_add(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_sub, v_op_sub(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_mul, v_op_mul(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_div, v_op_div(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_pow, v_op_pow(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_neg, v_op_neg(v_some(x + i, some)))
VALUES(values_pos, v_op_pos(v_some(x + i, some)))
VALUES(values_stop_gradient, v_op_stop_gradient(v_some(x + i, some)))
VALUES(values_with_partial, v_op_with_partial(v_some(x + i, some), v_some(y + i, some), v_some(z + i, some)))
VALUES(values_abs, v_op_abs(v_some(x + i, some)))
VALUES(values_less, v_op_less(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_less_equal, v_op_less_equal(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_equal, v_op_equal(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_where, v_op_where(v_some(x + i, some), v_some(y + i, some), v_some(z + i, some)))
VALUES(values_maximum, v_op_maximum(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_minimum, v_op_minimum(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_sign, v_op_sign(v_some(x + i, some)))
VALUES(values_floor, v_op_floor(v_some(x + i, some)))
VALUES(values_ceil, v_op_ceil(v_some(x + i, some)))
VALUES(values_trunc, v_op_trunc(v_some(x + i, some)))
VALUES(values_round, v_op_round(v_some(x + i, some)))
VALUES(values_fmod, v_op_fmod(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_remainder, v_op_remainder(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_floor_divide, v_op_floor_divide(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_exp, v_op_exp(v_some(x + i, some)))
VALUES(values_exp2, v_op_exp2(v_some(x + i, some)))
VALUES(values_expm1, v_op_expm1(v_some(x + i, some)))
VALUES(values_log, v_op_log(v_some(x + i, some)))
VALUES(values_log1p, v_op_log1p(v_some(x + i, some)))
VALUES(values_log2, v_op_log2(v_some(x + i, some)))
VALUES(values_log10, v_op_log10(v_some(x + i, some)))
VALUES(values_logaddexp, v_op_logaddexp(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_xlogy, v_op_xlogy(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_xlog1py, v_op_xlog1py(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_sqrt, v_op_sqrt(v_some(x + i, some)))
VALUES(values_cbrt, v_op_cbrt(v_some(x + i, some)))
VALUES(values_deg2rad, v_op_deg2rad(v_some(x + i, some)))
VALUES(values_rad2deg, v_op_rad2deg(v_some(x + i, some)))
VALUES(values_sin, v_op_sin(v_some(x + i, some)))
VALUES(values_cos, v_op_cos(v_some(x + i, some)))
VALUES(values_tan, v_op_tan(v_some(x + i, some)))
VALUES(values_asin, v_op_asin(v_some(x + i, some)))
VALUES(values_acos, v_op_acos(v_some(x + i, some)))
VALUES(values_atan, v_op_atan(v_some(x + i, some)))
VALUES(values_sinh, v_op_sinh(v_some(x + i, some)))
VALUES(values_cosh, v_op_cosh(v_some(x + i, some)))
VALUES(values_tanh, v_op_tanh(v_some(x + i, some)))
VALUES(values_asinh, v_op_asinh(v_some(x + i, some)))
VALUES(values_acosh, v_op_acosh(v_some(x + i, some)))
VALUES(values_atanh, v_op_atanh(v_some(x + i, some)))
VALUES(values_hypot, v_op_hypot(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_atan2, v_op_atan2(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_erf, v_op_erf(v_some(x + i, some)))
VALUES(values_erfc, v_op_erfc(v_some(x + i, some)))
VALUES(values_lgamma, v_op_lgamma(v_some(x + i, some)))
VALUES(values_digamma, v_op_digamma(v_some(x + i, some)))
VALUES(values_zeta, v_op_zeta(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_normal_pdf, v_op_normal_pdf(v_some(x + i, some)))
VALUES(values_normal_cdf, v_op_normal_cdf(v_some(x + i, some)))
VALUES(values_log_normal_cdf, v_op_log_normal_cdf(v_some(x + i, some)))
VALUES(values_sigmoid, v_op_sigmoid(v_some(x + i, some)))
VALUES(values_logit, v_op_logit(v_some(x + i, some)))
VALUES(values_softplus, v_op_softplus(v_some(x + i, some)))
VALUES(values_log_sigmoid, v_op_log_sigmoid(v_some(x + i, some)))
VALUES(values_relu, v_op_relu(v_some(x + i, some)))
VALUES(values_leaky_relu, v_op_leaky_relu(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_elu, v_op_elu(v_some(x + i, some), v_some(y + i, some)))
VALUES(values_silu, v_op_silu(v_some(x + i, some)))
VALUES(values_gelu, v_op_gelu(v_some(x + i, some)))
PULL(pull_add_d0, v_op_add_d0())
PULL(pull_add_d1, v_op_add_d1())
PULL(pull_sub_d0, v_op_sub_d0())
PULL(pull_sub_d1, v_op_sub_d1())
PULL(pull_mul_d0, v_op_mul_d0(v_some(y + i, some)))
PULL(pull_mul_d1, v_op_mul_d1(v_some(x + i, some)))
PULL(pull_div_d0, v_op_div_d0(v_some(y + i, some)))
PULL(pull_div_d1, v_op_div_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_pow_d0, v_op_pow_d0(v_some(x + i, some), v_some(y + i, some), v_some(out + i, some)))
PULL(pull_pow_d1, v_op_pow_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_neg_d0, v_op_neg_d0())
PULL(pull_pos_d0, v_op_pos_d0())
PULL(pull_with_partial_d0, v_op_with_partial_d0())
PULL(pull_with_partial_d1, v_op_with_partial_d1(v_some(z + i, some)))
PULL(pull_abs_d0, v_op_abs_d0(v_some(x + i, some)))
PULL_IF_NOT_0(pull_where_d1, v_op_where_d1(v_some(x + i, some)))
PULL_IF_NOT_0(pull_where_d2, v_op_where_d2(v_some(x + i, some)))
PULL(pull_maximum_d0, v_op_maximum_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_maximum_d1, v_op_maximum_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_minimum_d0, v_op_minimum_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_minimum_d1, v_op_minimum_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_sign_d0, v_op_sign_d0())
PULL(pull_floor_d0, v_op_floor_d0())
PULL(pull_ceil_d0, v_op_ceil_d0())
PULL(pull_trunc_d0, v_op_trunc_d0())
PULL(pull_round_d0, v_op_round_d0())
PULL(pull_fmod_d0, v_op_fmod_d0())
PULL(pull_fmod_d1, v_op_fmod_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_remainder_d0, v_op_remainder_d0())
PULL(pull_remainder_d1, v_op_remainder_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_floor_divide_d0, v_op_floor_divide_d0())
PULL(pull_floor_divide_d1, v_op_floor_divide_d1())
PULL(pull_exp_d0, v_op_exp_d0(v_some(out + i, some)))
PULL(pull_exp2_d0, v_op_exp2_d0(v_some(out + i, some)))
PULL(pull_expm1_d0, v_op_expm1_d0(v_some(x + i, some)))
PULL(pull_log_d0, v_op_log_d0(v_some(x + i, some)))
PULL(pull_log1p_d0, v_op_log1p_d0(v_some(x + i, some)))
PULL(pull_log2_d0, v_op_log2_d0(v_some(x + i, some)))
PULL(pull_log10_d0, v_op_log10_d0(v_some(x + i, some)))
PULL(pull_logaddexp_d0, v_op_logaddexp_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_logaddexp_d1, v_op_logaddexp_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_xlogy_d0, v_op_xlogy_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_xlogy_d1, v_op_xlogy_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_xlog1py_d0, v_op_xlog1py_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_xlog1py_d1, v_op_xlog1py_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_sqrt_d0, v_op_sqrt_d0(v_some(out + i, some)))
PULL(pull_cbrt_d0, v_op_cbrt_d0(v_some(out + i, some)))
PULL(pull_deg2rad_d0, v_op_deg2rad_d0())
PULL(pull_rad2deg_d0, v_op_rad2deg_d0())
PULL(pull_sin_d0, v_op_sin_d0(v_some(x + i, some)))
PULL(pull_cos_d0, v_op_cos_d0(v_some(x + i, some)))
PULL(pull_tan_d0, v_op_tan_d0(v_some(out + i, some)))
PULL(pull_asin_d0, v_op_asin_d0(v_some(x + i, some)))
PULL(pull_acos_d0, v_op_acos_d0(v_some(x + i, some)))
PULL(pull_atan_d0, v_op_atan_d0(v_some(x + i, some)))
PULL(pull_sinh_d0, v_op_sinh_d0(v_some(x + i, some)))
PULL(pull_cosh_d0, v_op_cosh_d0(v_some(x + i, some)))
PULL(pull_tanh_d0, v_op_tanh_d0(v_some(x + i, some)))
PULL(pull_asinh_d0, v_op_asinh_d0(v_some(x + i, some)))
PULL(pull_acosh_d0, v_op_acosh_d0(v_some(x + i, some)))
PULL(pull_atanh_d0, v_op_atanh_d0(v_some(x + i, some)))
PULL(pull_hypot_d0, v_op_hypot_d0(v_some(x + i, some), v_some(y + i, some), v_some(out + i, some)))
PULL(pull_hypot_d1, v_op_hypot_d1(v_some(x + i, some), v_some(y + i, some), v_some(out + i, some)))
PULL(pull_atan2_d0, v_op_atan2_d0(v_some(x + i, some), v_some(y + i, some), v_some(out + i, some)))
PULL(pull_atan2_d1, v_op_atan2_d1(v_some(x + i, some), v_some(y + i, some), v_some(out + i, some)))
PULL(pull_erf_d0, v_op_erf_d0(v_some(x + i, some)))
PULL(pull_erfc_d0, v_op_erfc_d0(v_some(x + i, some)))
PULL(pull_lgamma_d0, v_op_lgamma_d0(v_some(x + i, some)))
PULL(pull_digamma_d0, v_op_digamma_d0(v_some(x + i, some)))
PULL(pull_zeta_d1, v_op_zeta_d1(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_normal_pdf_d0, v_op_normal_pdf_d0(v_some(x + i, some)))
PULL(pull_normal_cdf_d0, v_op_normal_cdf_d0(v_some(x + i, some)))
PULL(pull_log_normal_cdf_d0, v_op_log_normal_cdf_d0(v_some(x + i, some)))
PULL(pull_sigmoid_d0, v_op_sigmoid_d0(v_some(x + i, some)))
PULL(pull_logit_d0, v_op_logit_d0(v_some(x + i, some)))
PULL(pull_softplus_d0, v_op_softplus_d0(v_some(x + i, some)))
PULL(pull_log_sigmoid_d0, v_op_log_sigmoid_d0(v_some(x + i, some)))
PULL(pull_relu_d0, v_op_relu_d0(v_some(x + i, some)))
PULL(pull_leaky_relu_d0, v_op_leaky_relu_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_leaky_relu_d1, v_op_leaky_relu_d1(v_some(x + i, some)))
PULL(pull_elu_d0, v_op_elu_d0(v_some(x + i, some), v_some(y + i, some)))
PULL(pull_elu_d1, v_op_elu_d1(v_some(x + i, some)))
PULL(pull_silu_d0, v_op_silu_d0(v_some(x + i, some), v_some(out + i, some)))
PULL(pull_gelu_d0, v_op_gelu_d0(v_some(x + i, some)))

static const Values VALUES_OF[OP_END] = {
    [OP_ADD] = values_add,
    [OP_SUB] = values_sub,
    [OP_MUL] = values_mul,
    [OP_DIV] = values_div,
    [OP_POW] = values_pow,
    [OP_NEG] = values_neg,
    [OP_POS] = values_pos,
    [OP_STOP_GRADIENT] = values_stop_gradient,
    [OP_WITH_PARTIAL] = values_with_partial,
    [OP_ABS] = values_abs,
    [OP_LESS] = values_less,
    [OP_LESS_EQUAL] = values_less_equal,
    [OP_EQUAL] = values_equal,
    [OP_WHERE] = values_where,
    [OP_MAXIMUM] = values_maximum,
    [OP_MINIMUM] = values_minimum,
    [OP_SIGN] = values_sign,
    [OP_FLOOR] = values_floor,
    [OP_CEIL] = values_ceil,
    [OP_TRUNC] = values_trunc,
    [OP_ROUND] = values_round,
    [OP_FMOD] = values_fmod,
    [OP_REMAINDER] = values_remainder,
    [OP_FLOOR_DIVIDE] = values_floor_divide,
    [OP_EXP] = values_exp,
    [OP_EXP2] = values_exp2,
    [OP_EXPM1] = values_expm1,
    [OP_LOG] = values_log,
    [OP_LOG1P] = values_log1p,
    [OP_LOG2] = values_log2,
    [OP_LOG10] = values_log10,
    [OP_LOGADDEXP] = values_logaddexp,
    [OP_XLOGY] = values_xlogy,
    [OP_XLOG1PY] = values_xlog1py,
    [OP_SQRT] = values_sqrt,
    [OP_CBRT] = values_cbrt,
    [OP_DEG2RAD] = values_deg2rad,
    [OP_RAD2DEG] = values_rad2deg,
    [OP_SIN] = values_sin,
    [OP_COS] = values_cos,
    [OP_TAN] = values_tan,
    [OP_ASIN] = values_asin,
    [OP_ACOS] = values_acos,
    [OP_ATAN] = values_atan,
    [OP_SINH] = values_sinh,
    [OP_COSH] = values_cosh,
    [OP_TANH] = values_tanh,
    [OP_ASINH] = values_asinh,
    [OP_ACOSH] = values_acosh,
    [OP_ATANH] = values_atanh,
    [OP_HYPOT] = values_hypot,
    [OP_ATAN2] = values_atan2,
    [OP_ERF] = values_erf,
    [OP_ERFC] = values_erfc,
    [OP_LGAMMA] = values_lgamma,
    [OP_DIGAMMA] = values_digamma,
    [OP_ZETA] = values_zeta,
    [OP_NORMAL_PDF] = values_normal_pdf,
    [OP_NORMAL_CDF] = values_normal_cdf,
    [OP_LOG_NORMAL_CDF] = values_log_normal_cdf,
    [OP_SIGMOID] = values_sigmoid,
    [OP_LOGIT] = values_logit,
    [OP_SOFTPLUS] = values_softplus,
    [OP_LOG_SIGMOID] = values_log_sigmoid,
    [OP_RELU] = values_relu,
    [OP_LEAKY_RELU] = values_leaky_relu,
    [OP_ELU] = values_elu,
    [OP_SILU] = values_silu,
    [OP_GELU] = values_gelu,
};

/* NULL where an operation is not differentiable. */
static const Pull PULL_OF[OP_END][3] = {
    [OP_ADD][0] = pull_add_d0,
    [OP_ADD][1] = pull_add_d1,
    [OP_SUB][0] = pull_sub_d0,
    [OP_SUB][1] = pull_sub_d1,
    [OP_MUL][0] = pull_mul_d0,
    [OP_MUL][1] = pull_mul_d1,
    [OP_DIV][0] = pull_div_d0,
    [OP_DIV][1] = pull_div_d1,
    [OP_POW][0] = pull_pow_d0,
    [OP_POW][1] = pull_pow_d1,
    [OP_NEG][0] = pull_neg_d0,
    [OP_POS][0] = pull_pos_d0,
    [OP_WITH_PARTIAL][0] = pull_with_partial_d0,
    [OP_WITH_PARTIAL][1] = pull_with_partial_d1,
    [OP_ABS][0] = pull_abs_d0,
    [OP_WHERE][1] = pull_where_d1,
    [OP_WHERE][2] = pull_where_d2,
    [OP_MAXIMUM][0] = pull_maximum_d0,
    [OP_MAXIMUM][1] = pull_maximum_d1,
    [OP_MINIMUM][0] = pull_minimum_d0,
    [OP_MINIMUM][1] = pull_minimum_d1,
    [OP_SIGN][0] = pull_sign_d0,
    [OP_FLOOR][0] = pull_floor_d0,
    [OP_CEIL][0] = pull_ceil_d0,
    [OP_TRUNC][0] = pull_trunc_d0,
    [OP_ROUND][0] = pull_round_d0,
    [OP_FMOD][0] = pull_fmod_d0,
    [OP_FMOD][1] = pull_fmod_d1,
    [OP_REMAINDER][0] = pull_remainder_d0,
    [OP_REMAINDER][1] = pull_remainder_d1,
    [OP_FLOOR_DIVIDE][0] = pull_floor_divide_d0,
    [OP_FLOOR_DIVIDE][1] = pull_floor_divide_d1,
    [OP_EXP][0] = pull_exp_d0,
    [OP_EXP2][0] = pull_exp2_d0,
    [OP_EXPM1][0] = pull_expm1_d0,
    [OP_LOG][0] = pull_log_d0,
    [OP_LOG1P][0] = pull_log1p_d0,
    [OP_LOG2][0] = pull_log2_d0,
    [OP_LOG10][0] = pull_log10_d0,
    [OP_LOGADDEXP][0] = pull_logaddexp_d0,
    [OP_LOGADDEXP][1] = pull_logaddexp_d1,
    [OP_XLOGY][0] = pull_xlogy_d0,
    [OP_XLOGY][1] = pull_xlogy_d1,
    [OP_XLOG1PY][0] = pull_xlog1py_d0,
    [OP_XLOG1PY][1] = pull_xlog1py_d1,
    [OP_SQRT][0] = pull_sqrt_d0,
    [OP_CBRT][0] = pull_cbrt_d0,
    [OP_DEG2RAD][0] = pull_deg2rad_d0,
    [OP_RAD2DEG][0] = pull_rad2deg_d0,
    [OP_SIN][0] = pull_sin_d0,
    [OP_COS][0] = pull_cos_d0,
    [OP_TAN][0] = pull_tan_d0,
    [OP_ASIN][0] = pull_asin_d0,
    [OP_ACOS][0] = pull_acos_d0,
    [OP_ATAN][0] = pull_atan_d0,
    [OP_SINH][0] = pull_sinh_d0,
    [OP_COSH][0] = pull_cosh_d0,
    [OP_TANH][0] = pull_tanh_d0,
    [OP_ASINH][0] = pull_asinh_d0,
    [OP_ACOSH][0] = pull_acosh_d0,
    [OP_ATANH][0] = pull_atanh_d0,
    [OP_HYPOT][0] = pull_hypot_d0,
    [OP_HYPOT][1] = pull_hypot_d1,
    [OP_ATAN2][0] = pull_atan2_d0,
    [OP_ATAN2][1] = pull_atan2_d1,
    [OP_ERF][0] = pull_erf_d0,
    [OP_ERFC][0] = pull_erfc_d0,
    [OP_LGAMMA][0] = pull_lgamma_d0,
    [OP_DIGAMMA][0] = pull_digamma_d0,
    [OP_ZETA][1] = pull_zeta_d1,
    [OP_NORMAL_PDF][0] = pull_normal_pdf_d0,
    [OP_NORMAL_CDF][0] = pull_normal_cdf_d0,
    [OP_LOG_NORMAL_CDF][0] = pull_log_normal_cdf_d0,
    [OP_SIGMOID][0] = pull_sigmoid_d0,
    [OP_LOGIT][0] = pull_logit_d0,
    [OP_SOFTPLUS][0] = pull_softplus_d0,
    [OP_LOG_SIGMOID][0] = pull_log_sigmoid_d0,
    [OP_RELU][0] = pull_relu_d0,
    [OP_LEAKY_RELU][0] = pull_leaky_relu_d0,
    [OP_LEAKY_RELU][1] = pull_leaky_relu_d1,
    [OP_ELU][0] = pull_elu_d0,
    [OP_ELU][1] = pull_elu_d1,
    [OP_SILU][0] = pull_silu_d0,
    [OP_GELU][0] = pull_gelu_d0,
};
