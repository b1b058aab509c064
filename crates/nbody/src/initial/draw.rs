//! Draws from the stream of a body.

use super::arithmetic::ln;
use volvelle_streams::plain::PlainStream;

/// A number above 0 and not above 1.
pub fn share(stream: &mut PlainStream) -> f64 {
    1.0 - stream.unit()
}

/// A vector of the given length in a random direction: that of a point in a ball, which needs no
/// trigonometric functions.
pub fn direction(stream: &mut PlainStream, length: f64) -> [f64; 3] {
    loop {
        let point = [(); 3].map(|()| 2.0 * stream.unit() - 1.0);
        let square = point[0] * point[0] + point[1] * point[1] + point[2] * point[2];
        if square > 1e-6 && square <= 1.0 {
            let scale = length / square.sqrt();
            return point.map(|x| x * scale);
        }
    }
}

/// Two independent numbers of the normal distribution with mean 0 and variance 1 (G. Marsaglia's polar method, 1964).
fn normal_pair(stream: &mut PlainStream) -> [f64; 2] {
    loop {
        let point = [(); 2].map(|()| 2.0 * stream.unit() - 1.0);
        let square = point[0] * point[0] + point[1] * point[1];
        if square > 0.0 && square < 1.0 {
            let scale = (-2.0 * ln(square) / square).sqrt();
            return point.map(|x| x * scale);
        }
    }
}

/// A vector whose components are normal with mean 0 and variance 1.
pub fn normal(stream: &mut PlainStream) -> [f64; 3] {
    let ([x, y], [z, _]) = (normal_pair(stream), normal_pair(stream));
    [x, y, z]
}

/// A number from 0 to 1 whose density is proportional to a function with at most that value.
pub fn by_rejection(stream: &mut PlainStream, most: f64, density: impl Fn(f64) -> f64) -> f64 {
    loop {
        let (x, level) = (stream.unit(), most * stream.unit());
        if level < density(x) {
            return x;
        }
    }
}
