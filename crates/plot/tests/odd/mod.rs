//! Numbers and texts that need care.

/// Numbers by a linear congruential generator (Knuth's MMIX): the same ones in every run.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Numbers(seed)
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    pub fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

pub const NUMBERS: &[f64] = &[
    0.0,
    1.0,
    -1.0,
    5e-324,
    1e-300,
    1e300,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    0.5,
    0.500_000_000_1,
    1e-9,
    123_456_789.0,
];

pub const TEXTS: &[&str] = &[
    "",
    " ",
    "T",
    "P=? [ F<=T \"full\" ]",
    "<g>&amp;\"'</g>",
    "Wahrscheinlichkeit_fuer_einen_Uebertragungsfehler_im_zweiten_Kanal_nach_dem_dritten_Versuch_in_Zelle_siebzehn",
    "вероятность потери λ·μ → ∞",
    "確率の上限と下限についての非常に長い名前の性質をここに書いてみる場合の例文です",
    "مرحبا \u{202e}reversed\u{202c} e\u{301}\u{301}\u{301}",
    "line\nbreak\ttab\u{0}\u{1b}[31m\u{ffff}",
    "🎲🎲🎲 MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM",
];
