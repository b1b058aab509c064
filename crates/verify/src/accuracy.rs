//! Options of the numerical engine for a space: they tell how far its numbers may be from those of the model.

use crate::observed::selection;
use volvelle_explore::Explored;
use volvelle_logic::Property;
use volvelle_markov::Options;
use volvelle_space::Accuracy;

/// The options with the errors of a space, as far as some properties observe its numbers.
pub(crate) fn accurate(options: &Options, explored: &Explored, properties: &[&Property]) -> Options {
    let observed = selection(properties).numbers;
    let mut number_error = [0.0f64; 2];
    for accuracy in observed.iter().filter_map(|&number| explored.errors.numbers.get(number)) {
        match accuracy {
            Accuracy::Exact => {}
            Accuracy::Relative(error) => number_error[0] = number_error[0].max(*error),
            Accuracy::Within { state, .. } => {
                let errors = state.iter().flat_map(|values| values.iter());
                number_error[1] = errors.fold(number_error[1], f64::max);
            }
        }
    }
    Options { number_error, ..options.with_input(explored.errors.weights) }
}
