//! Which generators there are.

use std::fmt;
use std::str::FromStr;

/// An algorithm that makes random bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Generator {
    /// xoshiro128++ 1.0 (Blackman and Vigna, *Scrambled linear pseudorandom number generators*, ACM TOMS 47, 2021,
    /// doi:10.1145/3460772): 128 bits of state, 32 bits a draw, a period of 2^128 − 1. The default by measurement
    /// (`examples/draws.rs`): a draw in machine code of a kernel takes 1.1 ns, against 1.5 (sfc32, which also needs a dozen
    /// steps before its first draw), 1.7 (PCG with 64 bits of state) and 10.5 (Philox); in vector lanes 0.3 ns, as sfc32.
    #[default]
    Xoshiro128PlusPlus,
    /// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, *Parallel random numbers: as easy as 1, 2, 3*, SC 2011,
    /// doi:10.1145/2063384.2063405): a keyed function of a counter, so that streams cannot overlap.
    Philox4x32,
}

impl Generator {
    /// All of them.
    pub const ALL: [Generator; 2] = [Generator::Xoshiro128PlusPlus, Generator::Philox4x32];

    /// The name under which users know it.
    pub fn name(self) -> &'static str {
        match self {
            Generator::Xoshiro128PlusPlus => "xoshiro128++",
            Generator::Philox4x32 => "philox",
        }
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no generator of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownGenerator(pub String);

impl fmt::Display for UnknownGenerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = Generator::ALL;
        write!(f, "there is no random number generator `{}`: available are `{first}` and `{second}`", self.0)
    }
}

impl std::error::Error for UnknownGenerator {}

impl FromStr for Generator {
    type Err = UnknownGenerator;

    fn from_str(name: &str) -> Result<Self, UnknownGenerator> {
        Generator::ALL.into_iter().find(|g| g.name() == name).ok_or_else(|| UnknownGenerator(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for generator in Generator::ALL {
            assert_eq!(generator.to_string().parse(), Ok(generator));
        }
        let error = "xoshiro".parse::<Generator>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no random number generator `xoshiro`: available are `xoshiro128++` and `philox`"
        );
    }
}
