//! NEMO's ASCII format: numbers with space between them.

use super::format::Precision;
use super::places::Mistakes;
use crate::bodies::Bodies;
use std::fmt::Debug;
use std::io::Write;
use std::ops::Range;

/// The words of a text.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Words<'_> {
    /// The next word; an empty range at the end.
    fn next(&mut self) -> Range<usize> {
        let space = |byte: &u8| byte.is_ascii_whitespace();
        let start = self.at + self.bytes[self.at..].iter().take_while(|byte| space(byte)).count();
        self.at = start + self.bytes[start..].iter().take_while(|byte| !space(byte)).count();
        start..self.at
    }
}

/// A finite number; Fortran writes `1.0d0`.
fn number(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    let value: f64 = match text.parse() {
        Ok(value) => value,
        Err(_) => text.replacen(['d', 'D'], "e", 1).parse().ok()?,
    };
    value.is_finite().then_some(value)
}

/// Reads bodies, or reports mistakes.
pub fn parse(bytes: &[u8], mistakes: &mut Mistakes) -> Option<Bodies> {
    let mut words = Words { bytes, at: 0 };
    let place = words.next();
    let whole = |place: &Range<usize>| std::str::from_utf8(&bytes[place.clone()]).ok()?.parse::<u64>().ok();
    let Some(count) = whole(&place) else {
        mistakes.at(place, None, "the file begins with the number of bodies");
        return None;
    };
    // A body has seven numbers of at least one character and a blank each, so a file cannot hold more.
    if count > bytes.len() as u64 / 14 + 1 {
        mistakes.at(place, None, "more bodies than the file has room for");
        return None;
    }
    let count = count as usize;
    let place = words.next();
    if whole(&place) != Some(3) {
        mistakes.at(place, None, "the second number is the dimension, which must be 3");
        return None;
    }
    let mut bodies = Bodies { ids: (0..count as u64).collect(), ..Bodies::default() };
    let mut value = |what: &str, particle: Option<usize>| {
        let place = words.next();
        let ended = place.is_empty();
        let read = number(&bytes[place.clone()]);
        match read {
            Some(value) if value < 0.0 && what == "mass" => {
                mistakes.at(place, particle, "a mass is not negative")
            }
            Some(value) => return Some(value),
            None if ended => mistakes.at(place, particle, &format!("the file ends where a {what} should be")),
            None => mistakes.at(place, particle, &format!("a {what} should be here, as a finite number")),
        }
        // A wrong number counts as 0. After the end, or too many mistakes, nothing is read.
        (!ended && !mistakes.enough()).then_some(0.0)
    };
    bodies.time = value("time", None)?;
    for body in 0..count {
        bodies.masses.push(value("mass", Some(body + 1))?);
    }
    for (what, vectors) in [("position", &mut bodies.positions), ("velocity", &mut bodies.velocities)] {
        for body in 0..count {
            let mut vector = [0.0; 3];
            for component in &mut vector {
                *component = value(what, Some(body + 1))?;
            }
            vectors.push(vector);
        }
    }
    let rest = words.next();
    if !rest.is_empty() {
        mistakes.at(rest, None, "the snapshot should end here; each file has one");
    }
    (!mistakes.any()).then_some(bodies)
}

/// Writes bodies, with the shortest numbers that read the same.
pub fn write(bodies: &Bodies, precision: Precision, out: &mut dyn Write) -> std::io::Result<()> {
    write!(out, "{}\n3\n{:?}\n", bodies.len(), bodies.time)?;
    for &mass in &bodies.masses {
        match precision {
            Precision::Double => writeln!(out, "{mass:?}")?,
            Precision::Single => writeln!(out, "{:?}", mass as f32)?,
        }
    }
    for &vector in bodies.positions.iter().chain(&bodies.velocities) {
        match precision {
            Precision::Double => line(vector, out)?,
            Precision::Single => line(vector.map(|x| x as f32), out)?,
        }
    }
    Ok(())
}

fn line<T: Debug>([x, y, z]: [T; 3], out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{x:?} {y:?} {z:?}")
}
