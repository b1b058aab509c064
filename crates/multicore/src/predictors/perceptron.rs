//! Perceptrons over histories.
//!
//! D. A. Jimenez, C. Lin, *Dynamic branch prediction with perceptrons*, HPCA 2001, doi:10.1109/HPCA.2001.903263; thresholds and the hash
//! of address and history as in J. Lee's task predictor, whose weights we take to be of 8 bits and to saturate.

use super::history::low;
use super::rule::{Moment, Rule};

/// Number of weights computed at once.
const LANES: usize = 8;

/// Inputs of eight outcomes: +1 for taken, -1 for not taken.
static INPUTS: [[i8; LANES]; 256] = {
    let mut inputs = [[-1; LANES]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < LANES {
            if byte >> bit & 1 == 1 {
                inputs[byte][bit] = 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    inputs
};

/// Sizes of a perceptron predictor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PerceptronShape {
    /// Outcomes that it sees, 1 to 64.
    pub history: u32,
    /// Vectors of weights.
    pub vectors: u32,
    /// Bits of a weight, 2 to 8.
    pub weight_bits: u32,
    /// Whether vectors are found by address alone, rather than by address and history.
    pub is_by_address: bool,
    /// It learns if the absolute value of the sum is at most this.
    pub threshold: i32,
}

impl PerceptronShape {
    /// The paper's: 4,096 vectors found by address and history, threshold 2n + 14.
    pub fn paper(history: u32) -> Self {
        PerceptronShape {
            history,
            vectors: 4096,
            weight_bits: 8,
            is_by_address: false,
            threshold: 2 * history as i32 + 14,
        }
    }

    /// Bits of all weights.
    pub fn bits(&self) -> u64 {
        u64::from(self.vectors) * u64::from(self.history + 1) * u64::from(self.weight_bits)
    }
}

/// Vectors of weights.
#[derive(Clone, Debug)]
pub(super) struct Perceptron {
    shape: PerceptronShape,
    /// For each vector, the weights of outcomes, the newest first, padded to whole groups of [`LANES`] with
    /// weights that stay 0.
    weights: Vec<[i8; LANES]>,
    /// Weights of the constant input.
    bias: Vec<i8>,
    /// Groups of a vector.
    groups: usize,
    /// Ones for the lanes of the last group that have a weight.
    last: [i8; LANES],
    largest: i8,
    /// The number of vectors minus one, if that number is a power of two.
    mask: Option<u64>,
}

impl Perceptron {
    pub fn new(shape: PerceptronShape) -> Self {
        let groups = (shape.history as usize).div_ceil(LANES);
        let vectors = shape.vectors as usize;
        let used = shape.history as usize - (groups - 1) * LANES;
        Perceptron {
            shape,
            weights: vec![[0; LANES]; groups * vectors],
            bias: vec![0; vectors],
            groups,
            last: std::array::from_fn(|lane| i8::from(lane < used)),
            largest: ((1i32 << (shape.weight_bits - 1)) - 1) as i8,
            mask: vectors.is_power_of_two().then(|| u64::from(shape.vectors) - 1),
        }
    }

    #[inline]
    fn index(&self, at: &Moment) -> usize {
        let seen = if self.shape.is_by_address { 0 } else { at.history.newest() & low(self.shape.history) };
        let hash = at.address ^ seen;
        (match self.mask {
            Some(mask) => hash & mask,
            None => hash % u64::from(self.shape.vectors),
        }) as usize
    }

    #[inline]
    fn sum(&self, index: usize, history: u64) -> i32 {
        let mut sum = i32::from(self.bias[index]);
        let vector = &self.weights[index * self.groups..(index + 1) * self.groups];
        let mut rest = history;
        for weights in vector {
            let inputs = &INPUTS[(rest & 255) as usize];
            let products: [i16; LANES] =
                std::array::from_fn(|lane| i16::from(weights[lane]) * i16::from(inputs[lane]));
            sum += i32::from(products.iter().sum::<i16>());
            rest >>= 8;
        }
        sum
    }

    #[inline]
    fn learn(&mut self, index: usize, history: u64, taken: bool) {
        let (largest, smallest) = (self.largest, -self.largest - 1);
        let sign = if taken { 1i8 } else { -1 };
        self.bias[index] = self.bias[index].saturating_add(sign).clamp(smallest, largest);
        let vector = &mut self.weights[index * self.groups..(index + 1) * self.groups];
        let mut rest = if taken { history } else { !history };
        let end = vector.len() - 1;
        for (place, weights) in vector.iter_mut().enumerate() {
            let mut steps = INPUTS[(rest & 255) as usize];
            if place == end {
                steps = std::array::from_fn(|lane| steps[lane] * self.last[lane]);
            }
            *weights = std::array::from_fn(|lane| {
                weights[lane].saturating_add(steps[lane]).clamp(smallest, largest)
            });
            rest >>= 8;
        }
    }
}

impl Rule for Perceptron {
    #[inline]
    fn predict(&self, at: &Moment) -> bool {
        self.sum(self.index(at), at.history.newest()) >= 0
    }

    #[inline]
    fn train(&mut self, at: &Moment, taken: bool, predicted: bool) {
        let (index, history) = (self.index(at), at.history.newest());
        if predicted != taken || self.sum(index, history).abs() <= self.shape.threshold {
            self.learn(index, history, taken);
        }
    }

    #[inline]
    fn step(&mut self, at: &Moment, taken: bool) -> bool {
        let (index, history) = (self.index(at), at.history.newest());
        let sum = self.sum(index, history);
        let predicted = sum >= 0;
        if predicted != taken || sum.abs() <= self.shape.threshold {
            self.learn(index, history, taken);
        }
        predicted
    }
}
