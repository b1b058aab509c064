//! Configurations as points: configurations with close values tend to have close times.

use crate::space::{ConfigurationId, Space, number};

/// The coordinates of the values of each parameter.
#[derive(Clone, Debug)]
pub(super) struct Coordinates {
    /// By parameter and value: the coordinates, from 0 to 1.
    values: Vec<Vec<Vec<f64>>>,
    pub(super) dimensions: usize,
}

impl Coordinates {
    /// Positive numbers that span more than a factor of 4 are placed by their logarithms, since sizes are
    /// chosen by factors; other numbers by their values. Texts are the corners of a simplex: all are equally
    /// far apart.
    pub(super) fn new(space: &Space) -> Self {
        let values: Vec<Vec<Vec<f64>>> = space
            .parameters()
            .iter()
            .filter(|parameter| parameter.values.len() > 1)
            .map(|parameter| {
                let numbers: Option<Vec<f64>> = parameter.values.iter().map(number).collect();
                match numbers {
                    Some(numbers) => line(&numbers),
                    None => corners(parameter.values.len()),
                }
            })
            .collect();
        let dimensions = values.iter().map(|all| all[0].len()).sum();
        Coordinates { values, dimensions }
    }

    /// The point of a configuration.
    pub(super) fn point(&self, space: &Space, configuration: ConfigurationId, point: &mut Vec<f64>) {
        point.clear();
        let varying = (0..space.parameters().len()).filter(|i| space.parameters()[*i].values.len() > 1);
        for (parameter, values) in varying.zip(&self.values) {
            point.extend(&values[space.index(configuration, parameter) as usize]);
        }
    }
}

fn line(numbers: &[f64]) -> Vec<Vec<f64>> {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let is_by_factors = least > 0.0 && most / least > 4.0;
    let scale = |value: f64| if is_by_factors { libm::log2(value) } else { value };
    let (start, end) = (scale(least), scale(most));
    let width = if end > start { end - start } else { 1.0 };
    numbers.iter().map(|value| vec![(scale(*value) - start) / width]).collect()
}

fn corners(count: usize) -> Vec<Vec<f64>> {
    let corner =
        |i: usize| (0..count).map(move |j| if i == j { std::f64::consts::FRAC_1_SQRT_2 } else { 0.0 });
    (0..count).map(|i| corner(i).collect()).collect()
}
