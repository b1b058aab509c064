//! Options of the numerical engine for a space: they tell how far its numbers may be from those of the model.

use crate::observed::selection;
use volvelle_explore::Explored;
use volvelle_logic::Property;
use volvelle_markov::Options;
use volvelle_space::Accuracy;

/// The options with the errors of a space, as far as some properties observe its numbers.
pub fn accurate(options: &Options, explored: &Explored, properties: &[&Property]) -> Options {
    let observed = selection(properties).numbers;
    let mut number_error = [0.0f64; 2];
    for &number in &observed {
        let Some(accuracy) = explored.errors.numbers.get(number) else { continue };
        match accuracy {
            Accuracy::Exact => {}
            Accuracy::Relative(error) => number_error[0] = number_error[0].max(*error),
            Accuracy::Within { state, .. } => {
                // Where a number is infinite, or not a number, there is nothing that an error could be added to.
                let errors = state.iter().flat_map(|values| values.iter());
                let values = explored.numbers.get(number).into_iter().flatten();
                let errors =
                    errors.zip(values).filter(|(_, value)| value.is_finite()).map(|(error, _)| error);
                number_error[1] = errors.fold(number_error[1], f64::max);
            }
        }
    }
    let weights = explored.errors.weights;
    Options { number_error, exact_input: weights == 0.0, ..options.with_input(weights) }
}
