/* Generated from src/chainrule/support/formulas/rewrites.py by tools/gen_ops.py: do not edit. */

/* A cheaper node for an operation, or a fault; NO_REWRITE if there is none. */
static int32_t rewritten(Builder *r, int code, const int32_t *args) {
    switch (code) {
    case OP_MUL:
        if (is_number(r, args[0], 1.0)) {
            return args[1];
        }
        if (is_number(r, args[1], 1.0)) {
            return args[0];
        }
        break;
    case OP_DIV:
        if (is_number(r, args[1], 1.0)) {
            return args[0];
        }
        break;
    case OP_POW:
        if (is_number(r, args[1], 1.0)) {
            return args[0];
        }
        if (is_number(r, args[1], (-1.0))) {
            const int32_t t1 = constant(r, 1.0);
            const int32_t t2 = built(r, OP_DIV, 2, (int32_t[]){t1, args[0]});
            return t2;
        }
        if (is_number(r, args[1], 2.0)) {
            const int32_t t1 = built(r, OP_MUL, 2, (int32_t[]){args[0], args[0]});
            return t1;
        }
        if (is_number(r, args[1], 3.0)) {
            const int32_t t1 = built(r, OP_MUL, 2, (int32_t[]){args[0], args[0]});
            const int32_t t2 = built(r, OP_MUL, 2, (int32_t[]){t1, args[0]});
            return t2;
        }
        if (is_number(r, args[1], 4.0)) {
            const int32_t t1 = built(r, OP_MUL, 2, (int32_t[]){args[0], args[0]});
            const int32_t t2 = built(r, OP_MUL, 2, (int32_t[]){t1, t1});
            return t2;
        }
        break;
    case OP_POS:
        {
            return args[0];
        }
        break;
    default: break;
    }
    return NO_REWRITE;
}
