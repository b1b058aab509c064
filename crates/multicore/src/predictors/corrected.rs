//! TAGE with a statistical corrector and a predictor of loops, in the manner of TAGE-SC-L.
//!
//! A. Seznec, *TAGE-SC-L branch predictors*, CBP-4, 2014. The parts are those of that text, the sizes are
//! ours, and nothing is random. A loop entry holds the length of runs of one outcome once that length
//! occurred twice. The corrector is a hashed perceptron with the prediction of TAGE as an input; it overrules
//! a prediction of TAGE that is not sure.

use super::hashed::{Hashed, HashedShape};
use super::history::low;
use super::rule::{Moment, Rule};
use super::tage::{Tage, TageShape};

/// Sizes of the three parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CorrectedShape {
    /// The tagged tables.
    pub tage: TageShape,
    /// The corrector.
    pub corrector: HashedShape,
    /// The number of loops is two to the power of this.
    pub loop_bits: u32,
}

impl CorrectedShape {
    /// Eight tagged tables, four of the corrector, 64 loops.
    pub fn usual() -> Self {
        let corrector =
            HashedShape { lengths: vec![0, 3, 10, 27], table_bits: 9, weight_bits: 6, threshold: 12 };
        CorrectedShape { tage: TageShape::long(), corrector, loop_bits: 6 }
    }

    /// Bits of all tables.
    pub fn bits(&self) -> u64 {
        self.tage.bits() + self.corrector.bits() + (Loop::BITS << self.loop_bits)
    }
}

/// A loop: a task that was taken as often as before, and then once not.
#[derive(Clone, Copy, Debug, Default)]
struct Loop {
    /// Ten bits of the address.
    tag: u16,
    /// How often it was taken before the last exit.
    length: u16,
    /// How often it was taken since.
    count: u16,
    /// How often the length came again, up to 3.
    confidence: u8,
}

impl Loop {
    /// A tag of 10 bits, two counts of 10, a confidence of 2.
    const BITS: u64 = 32;
    const LONGEST: u16 = 1023;
}

/// The three parts.
#[derive(Clone, Debug)]
pub(super) struct Corrected {
    tage: Tage,
    corrector: Hashed,
    loops: Vec<Loop>,
    loop_bits: u32,
}

impl Corrected {
    pub fn new(shape: &CorrectedShape) -> Self {
        Corrected {
            tage: Tage::new(&shape.tage),
            corrector: Hashed::new(&shape.corrector),
            loops: vec![Loop::default(); 1 << shape.loop_bits],
            loop_bits: shape.loop_bits,
        }
    }

    #[inline]
    fn slot(&self, at: &Moment) -> (usize, u16) {
        ((at.address & low(self.loop_bits)) as usize, (at.address >> self.loop_bits & 1023) as u16)
    }

    /// The input of the corrector: the prediction of TAGE becomes a part of the address.
    #[inline]
    fn asked(at: &Moment, predicted: bool) -> Moment {
        Moment { address: at.address << 1 | u64::from(predicted), history: at.history }
    }

    #[inline]
    fn loop_says(&self, at: &Moment) -> Option<bool> {
        let (slot, tag) = self.slot(at);
        let entry = &self.loops[slot];
        (entry.tag == tag && entry.confidence == 3).then_some(entry.count < entry.length)
    }

    #[inline]
    fn learn_loop(&mut self, at: &Moment, taken: bool) {
        let (slot, tag) = self.slot(at);
        let entry = &mut self.loops[slot];
        if entry.tag != tag {
            // Another branch replaces the entry of a known loop only after several attempts.
            match entry.confidence {
                0 => *entry = Loop { tag, ..Loop::default() },
                _ => entry.confidence -= 1,
            }
            return;
        }
        if taken {
            entry.count = (entry.count + 1).min(Loop::LONGEST);
            if entry.count > entry.length {
                entry.confidence = 0;
            }
            return;
        }
        let again = entry.count == entry.length && entry.count > 0 && entry.count < Loop::LONGEST;
        entry.confidence = if again { (entry.confidence + 1).min(3) } else { 0 };
        entry.length = entry.count;
        entry.count = 0;
    }
}

impl Rule for Corrected {
    #[inline]
    fn predict(&self, at: &Moment) -> bool {
        if let Some(says) = self.loop_says(at) {
            return says;
        }
        let found = self.tage.look(at);
        match found.is_sure {
            true => found.predicted,
            false => self.corrector.predict(&Self::asked(at, found.predicted)),
        }
    }

    #[inline]
    fn train(&mut self, at: &Moment, taken: bool, _: bool) {
        let found = self.tage.look(at);
        let asked = Self::asked(at, found.predicted);
        let corrected = self.corrector.predict(&asked);
        self.corrector.train(&asked, taken, corrected);
        // TAGE allocates entries for its own mispredictions, whatever the other parts predict.
        self.tage.learn(at, &found, taken, found.predicted);
        self.learn_loop(at, taken);
    }
}
