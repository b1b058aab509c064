//! Mathematical functions, with the bits of [`volvelle_kernel::math`].
//!
//! The algorithms are those of FreeBSD's `e_exp.c`, `e_log.c` and `e_pow.c` (Sun Microsystems, 1993 and 2004), which the
//! definition follows. Each operation on floats here stands for one there; what differs is how bits are taken apart, and the
//! special cases, which are described here.

use crate::constant::hex_f64;

/// Puts numbers in the place of names like `<A>`.
fn fill(text: &str, constants: &[(&str, u64)]) -> String {
    let named = |text: String, (name, bits): &(&str, u64)| {
        text.replace(&format!("<{name}>"), &hex_f64(f64::from_bits(*bits)))
    };
    constants.iter().fold(text.to_owned(), named)
}

/// `x = k ln 2 + r` with `|r| <= ln 2 / 2`; `e^r = 1 + r + r c / (2 - c)` with `c = r - r² P(r²)`; and `e^x = 2^k e^r`.
pub(super) fn exp(name: &str) -> String {
    const TEXT: &str = "\
// e^x.
FN f64 NAME(f64 x) {
    if (x != x) return x;
    if (x > <MOST>) return f64_of_bits(0x7ff0000000000000$UL);
    if (x < <LEAST>) return 0.0;
    const u32 high = (u32)(raw_bits_f64(x) >> 32) & 0x7fffffffu;
    if (high <= 0x3e300000u) return 1.0 + x;
    f64 k = 0.0;
    if (high >= 0x3ff0a2b2u) {
        k = trunc(<INVERSE_LN2> * x + (x < 0.0 ? -0.5 : 0.5));
    } else if (high > 0x3fd62e42u) {
        k = x < 0.0 ? -1.0 : 1.0;
    }
    const f64 main = x - k * <LN2_HIGH>;
    const f64 rest = k * <LN2_LOW>;
    const f64 r = main - rest;
    const f64 rr = r * r;
    const f64 c = r - rr * (<P1> + rr * (<P2> + rr * (<P3> + rr * (<P4> + rr * <P5>))));
    f64 y = 1.0 + (r * c / (2.0 - c) - rest + main);
    i32 exponent = (i32)k;
    if (exponent > 1023) {
        y *= 0x1p+1023;
        exponent -= 1023;
    } else if (exponent < -1022) {
        y *= 0x1p-969;
        exponent += 969;
    }
    return y * f64_of_bits((u64)(exponent + 1023) << 52);
}
";
    let text = fill(
        TEXT,
        &[
            ("MOST", 0x4086_2e42_fefa_39ef),
            ("LEAST", 0xc087_4910_d52d_3051),
            ("INVERSE_LN2", 0x3ff7_1547_652b_82fe),
            ("LN2_HIGH", 0x3fe6_2e42_fee0_0000),
            ("LN2_LOW", 0x3dea_39ef_3579_3c76),
            ("P1", 0x3fc5_5555_5555_553e),
            ("P2", 0xbf66_c16c_16be_bd93),
            ("P3", 0x3f11_566a_af25_de2c),
            ("P4", 0xbebb_bd41_c5d2_6bf1),
            ("P5", 0x3e66_3769_72be_a4d0),
        ],
    );
    text.replace("NAME", name)
}

/// `x = 2^k (1 + f)` with `1 + f` between √½ and √2; with `s = f / (2 + f)`,
/// `ln(1 + f) = f - f²/2 + s (f²/2 + R(s²))`; and `ln x = k ln 2 + ln(1 + f)`.
pub(super) fn log(name: &str) -> String {
    const TEXT: &str = "\
// The natural logarithm.
FN f64 NAME(f64 x) {
    if (!(x > 0.0)) return f64_of_bits(x == 0.0 ? 0xfff0000000000000$UL : 0x7ff8000000000000$UL);
    if (x > <LARGEST>) return x;
    i32 bias = 1023;
    if (x < 0x1p-1022) {
        x *= 0x1p+54;
        bias += 54;
    }
    // Mantissas from the square root of 2 on carry into the exponent.
    const u64 shifted = raw_bits_f64(x) + 0x00095f6200000000$UL;
    const f64 f = f64_of_bits((shifted & 0x000fffffffffffff$UL) + 0x3fe6a09e00000000$UL) - 1.0;
    const f64 k = (f64)((i32)(shifted >> 52) - bias);
    const f64 s = f / (2.0 + f);
    const f64 z = s * s;
    const f64 w = z * z;
    const f64 odd = z * (<R1> + w * (<R3> + w * (<R5> + w * <R7>)));
    const f64 even = w * (<R2> + w * (<R4> + w * <R6>));
    const f64 half_square = 0.5 * f * f;
    return s * (half_square + (odd + even)) + k * <LN2_LOW> - half_square + f + k * <LN2_HIGH>;
}
";
    let text = fill(
        TEXT,
        &[
            ("LARGEST", 0x7fef_ffff_ffff_ffff),
            ("LN2_HIGH", 0x3fe6_2e42_fee0_0000),
            ("LN2_LOW", 0x3dea_39ef_3579_3c76),
            ("R1", 0x3fe5_5555_5555_5593),
            ("R2", 0x3fd9_9999_9997_fa04),
            ("R3", 0x3fd2_4924_9422_9359),
            ("R4", 0x3fcc_71c5_1d8e_78af),
            ("R5", 0x3fc7_4664_96cb_03de),
            ("R6", 0x3fc3_9a09_d078_c69f),
            ("R7", 0x3fc2_f112_df3e_5244),
        ],
    );
    text.replace("NAME", name)
}

/// `x^y` with the names of constants in angle brackets.
const POW: &str = "\
// A float without the lower half of its bits.
FN f64 upper_f64(f64 x) { return f64_of_bits(raw_bits_f64(x) & 0xffffffff00000000$UL); }

// x^y.
FN f64 NAME(f64 x, f64 y) {
    const u64 one = 0x3ff0000000000000$UL, infinite = 0x7ff0000000000000$UL;
    const u64 x_bits = raw_bits_f64(x), y_bits = raw_bits_f64(y);
    const u64 x_size = x_bits & 0x7fffffffffffffff$UL, y_size = y_bits & 0x7fffffffffffffff$UL;
    const bool x_negative = x_bits != x_size, y_negative = y_bits != y_size;
    if (y_size == 0 || x_bits == one) return 1.0;
    if (x_size > infinite || y_size > infinite) return x + y;

    // Whether y is an integer, and an odd one.
    bool integer = y_size >= 0x4340000000000000$UL, odd = false;
    if (!integer && y_size >= one) {
        const u32 behind = 1075u - (u32)(y_size >> 52);
        const u64 mantissa = (y_size & 0x000fffffffffffff$UL) | 0x0010000000000000$UL;
        integer = ((mantissa >> behind) << behind) == mantissa;
        odd = integer && ((mantissa >> behind) & 1u) != 0;
    }
    const f64 sign = (x_negative && odd) ? -1.0 : 1.0;

    if (y_size == infinite) {
        if (x_size == one) return 1.0;
        return (x_size > one) != y_negative ? f64_of_bits(infinite) : 0.0;
    }
    if (y_size == one) return y_negative ? 1.0 / x : x;
    if (y_bits == 0x4000000000000000$UL) return x * x;
    if (y_bits == 0x3fe0000000000000$UL && !x_negative) return sqrt(x);
    f64 size = fabs(x);
    if (x_size == infinite || x_size == 0 || x_size == one) {
        if (x_size == one && x_negative && !integer) return f64_of_bits(0x7ff8000000000000$UL);
        return sign * (y_negative ? 1.0 / size : size);
    }
    if (x_negative && !integer) return f64_of_bits(0x7ff8000000000000$UL);

    // log2 size as the sum of t1 and t2.
    f64 t1, t2;
    const u32 x_high = (u32)(x_size >> 32), y_high = (u32)(y_size >> 32);
    if (y_high > 0x41e00000u) {
        // |y| is beyond 2^31: too large or too small, unless x is close to 1.
        const bool certain = y_high > 0x43f00000u;
        if (x_high < 0x3fefffffu || (certain && x_high == 0x3fefffffu)) {
            return sign * (y_negative ? f64_of_bits(infinite) : 0.0);
        }
        if (x_high > 0x3ff00000u || (certain && x_high == 0x3ff00000u)) {
            return sign * (y_negative ? 0.0 : f64_of_bits(infinite));
        }
        const f64 t = size - 1.0;
        const f64 w = (t * t) * (0.5 - t * (<THIRD> - t * 0.25));
        const f64 u = <IVLN2_H> * t;
        const f64 v = t * <IVLN2_L> - w * <IVLN2>;
        t1 = upper_f64(u + v);
        t2 = v - (t1 - u);
    } else {
        i32 n = 0;
        u64 bits = x_size;
        if (bits < 0x0010000000000000$UL) {
            bits = raw_bits_f64(size * 0x1p+53);
            n = -53;
        }
        n += (i32)(bits >> 52) - 1023;
        bits = (bits & 0x000fffffffffffff$UL) | one;
        // size = 2^n a with a near 1 or near 3/2.
        const u32 fraction = (u32)(bits >> 32) & 0xfffffu;
        const bool upper = fraction > 0x3988eu && fraction < 0xbb67au;
        if (fraction >= 0xbb67au) {
            n += 1;
            bits -= 0x0010000000000000$UL;
        }
        const f64 a = f64_of_bits(bits);
        const f64 center = upper ? 1.5 : 1.0;
        // ss = (a - center) / (a + center), in two parts.
        const f64 top = a - center;
        const f64 inverse = 1.0 / (a + center);
        const f64 ss = top * inverse;
        const f64 s_h = upper_f64(ss);
        const u32 sum_high = ((((u32)(bits >> 32)) >> 1) | 0x20000000u) + 0x80000u + (upper ? 0x40000u : 0u);
        const f64 sum_h = f64_of_bits((u64)sum_high << 32);
        const f64 sum_l = a - (sum_h - center);
        const f64 s_l = inverse * ((top - s_h * sum_h) - s_h * sum_l);
        const f64 s2 = ss * ss;
        f64 r = s2 * s2 * (<L1> + s2 * (<L2> + s2 * (<L3> + s2 * (<L4> + s2 * (<L5> + s2 * <L6>)))));
        r += s_l * (s_h + ss);
        const f64 sh2 = s_h * s_h;
        const f64 t_h = upper_f64(3.0 + sh2 + r);
        const f64 t_l = r - ((t_h - 3.0) - sh2);
        const f64 u = s_h * t_h;
        const f64 v = s_l * t_h + t_l * ss;
        const f64 p_h = upper_f64(u + v);
        const f64 p_l = v - (p_h - u);
        const f64 z_h = <CP_H> * p_h;
        const f64 z_l = <CP_L> * p_h + p_l * <CP> + (upper ? <DP_L> : 0.0);
        const f64 center_h = upper ? <DP_H> : 0.0;
        t1 = upper_f64(((z_h + z_l) + center_h) + (f64)n);
        t2 = z_l - (((t1 - (f64)n) - center_h) - z_h);
    }

    // y log2 size.
    const f64 y1 = upper_f64(y);
    const f64 p_l = (y - y1) * t1 + y * t2;
    f64 p_h = y1 * t1;
    const f64 p = p_l + p_h;
    if (p >= 1024.0) {
        if (p > 1024.0 || p_l + <OVT> > p - p_h) return sign * f64_of_bits(infinite);
    } else if (p <= -1075.0) {
        if (p < -1075.0 || p_l <= p - p_h) return sign * 0.0;
    }
    i32 n = 0;
    if (((u32)(raw_bits_f64(p) >> 32) & 0x7fffffffu) > 0x3fe00000u) {
        const f64 whole = trunc(fabs(upper_f64(p)) + 0.5);
        const f64 nearest = p < 0.0 ? -whole : whole;
        n = (i32)nearest;
        p_h -= nearest;
    }
    const f64 t = upper_f64(p_l + p_h);
    const f64 u = t * <LG2_H>;
    const f64 v = (p_l - (t - p_h)) * <LG2> + t * <LG2_L>;
    const f64 z = u + v;
    const f64 w = v - (z - u);
    const f64 zz = z * z;
    const f64 c = z - zz * (<P1> + zz * (<P2> + zz * (<P3> + zz * (<P4> + zz * <P5>))));
    const f64 r = (z * c) / (c - 2.0) - (w + z * w);
    const f64 e = 1.0 - (r - z);
    const u64 e_bits = raw_bits_f64(e);
    if ((i32)(e_bits >> 52) + n > 0) return sign * f64_of_bits(e_bits + ((u64)(u32)n << 52));
    // Below the normal numbers: one rounding, in the last product.
    if (n < -1022) return sign * (e * 0x1p-969 * f64_of_bits((u64)(n + 969 + 1023) << 52));
    return sign * (e * f64_of_bits((u64)(n + 1023) << 52));
}
";

/// `log2 |x|` as a sum of two numbers of which the first has short mantissa, its product with `y` as such a sum again,
/// `n + z` with integer `n`, and `2^n e^(z ln 2)`.
pub(super) fn pow(name: &str) -> String {
    let text = fill(
        POW,
        &[
            ("THIRD", 0x3fd5_5555_5555_5555),
            ("IVLN2_H", 0x3ff7_1547_6000_0000),
            ("IVLN2_L", 0x3e54_ae0b_f85d_df44),
            ("IVLN2", 0x3ff7_1547_652b_82fe),
            ("L1", 0x3fe3_3333_3333_3303),
            ("L2", 0x3fdb_6db6_db6f_abff),
            ("L3", 0x3fd5_5555_518f_264d),
            ("L4", 0x3fd1_7460_a91d_4101),
            ("L5", 0x3fcd_864a_93c9_db65),
            ("L6", 0x3fca_7e28_4a45_4eef),
            ("CP_H", 0x3fee_c709_e000_0000),
            ("CP_L", 0xbe3e_2fe0_145b_01f5),
            ("CP", 0x3fee_c709_dc3a_03fd),
            ("DP_H", 0x3fe2_b803_4000_0000),
            ("DP_L", 0x3e4c_fdeb_43cf_d006),
            ("OVT", 0x3c97_1547_652b_82fe),
            ("LG2_H", 0x3fe6_2e43_0000_0000),
            ("LG2_L", 0xbe20_5c61_0ca8_6c39),
            ("LG2", 0x3fe6_2e42_fefa_39ef),
            ("P1", 0x3fc5_5555_5555_553e),
            ("P2", 0xbf66_c16c_16be_bd93),
            ("P3", 0x3f11_566a_af25_de2c),
            ("P4", 0xbebb_bd41_c5d2_6bf1),
            ("P5", 0x3e66_3769_72be_a4d0),
        ],
    );
    text.replace("NAME", name)
}
