//! Values with commas between them.

use super::format::Precision;
use super::places::Mistakes;
use super::whole::repeated;
use crate::bodies::{Bodies, Column};
use std::fmt::Display;
use std::io::Write;
use std::ops::Range;

/// The columns, in the order in which they are written.
const COLUMNS: [&str; 8] = ["id", "mass", "x", "y", "z", "vx", "vy", "vz"];

/// A part of the text without the space around it.
fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let part = &bytes[range.clone()];
    let front = part.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let back = part[front..].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    range.start + front..range.end - back
}

/// The parts between bytes of a kind.
fn split(bytes: &[u8], range: Range<usize>, at: u8) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut next = Some(range.start);
    std::iter::from_fn(move || {
        let start = next?;
        let length = bytes[start..range.end].iter().position(|&byte| byte == at);
        let end = length.map_or(range.end, |length| start + length);
        next = length.map(|_| end + 1);
        Some(start..end)
    })
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The place of the time in a comment such as `# time = 1.5`.
fn time_in(bytes: &[u8], comment: Range<usize>) -> Option<Range<usize>> {
    let rest = trimmed(bytes, comment.start + 1..comment.end);
    let value = bytes[rest.clone()].strip_prefix(b"time")?;
    let equals = trimmed(bytes, rest.end - value.len()..rest.end);
    bytes[equals.clone()].strip_prefix(b"=")?;
    Some(trimmed(bytes, equals.start + 1..equals.end))
}

/// Reads bodies, or reports mistakes.
pub fn parse(bytes: &[u8], mistakes: &mut Mistakes) -> Option<Bodies> {
    let mut bodies = Bodies::default();
    let mut time: Option<Range<usize>> = None;
    // For each column of the file, which of COLUMNS it is.
    let mut columns: Option<Vec<Option<usize>>> = None;
    let mut with_ids = false;
    let mut id_places: Vec<usize> = Vec::new();
    // Some programs put the mark of UTF-8 in front.
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    for line in split(bytes, start..bytes.len(), b'\n') {
        let line = trimmed(bytes, line);
        if mistakes.enough() {
            return None;
        }
        match bytes.get(line.start) {
            _ if line.is_empty() => {}
            Some(b'#') => {
                let Some(place) = time_in(bytes, line) else { continue };
                if let Some(earlier) = &time {
                    mistakes.twice(place, None, "a second time", earlier.clone());
                    continue;
                }
                match text(&bytes[place.clone()]).and_then(finite) {
                    Some(value) => bodies.time = value,
                    None => mistakes.at(place.clone(), None, "the time is no finite number"),
                }
                time = Some(place);
            }
            _ => match &columns {
                None => {
                    let (found, others) = header(bytes, line, mistakes)?;
                    with_ids = found.contains(&Some(0));
                    bodies.others = others;
                    columns = Some(found);
                }
                Some(columns) => {
                    let particle = bodies.len() + 1;
                    let (id, values, place) =
                        body(bytes, line, columns, particle, &mut bodies.others, mistakes);
                    bodies.ids.push(id.unwrap_or(bodies.masses.len() as u64));
                    if with_ids {
                        id_places.push(place);
                    }
                    bodies.masses.push(values[1]);
                    bodies.positions.push([values[2], values[3], values[4]]);
                    bodies.velocities.push([values[5], values[6], values[7]]);
                }
            },
        }
    }
    if columns.is_none() {
        mistakes.at(bytes.len()..bytes.len(), None, "no line with the names of the columns");
    }
    let twice = if with_ids && !mistakes.any() { repeated(&bodies.ids) } else { None };
    if let Some((first, second)) = twice {
        let place = |body: usize| {
            let start = id_places[body];
            let digits = bytes[start..].iter().take_while(|b| b.is_ascii_digit() || **b == b'+').count();
            start..start + digits
        };
        mistakes.twice(place(second), Some(second + 1), "an id that occurs twice", place(first));
    }
    (!mistakes.any()).then_some(bodies)
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The known columns, and those without an effect.
fn header(
    bytes: &[u8],
    line: Range<usize>,
    mistakes: &mut Mistakes,
) -> Option<(Vec<Option<usize>>, Vec<Column>)> {
    let (mut found, mut others) = (Vec::new(), Vec::new());
    let mut places: [Option<Range<usize>>; 8] = Default::default();
    for place in split(bytes, line.clone(), b',') {
        let place = trimmed(bytes, place);
        let column =
            COLUMNS.iter().position(|name| name.as_bytes().eq_ignore_ascii_case(&bytes[place.clone()]));
        if let Some(column) = column {
            if let Some(earlier) = &places[column] {
                mistakes.twice(place.clone(), None, "a column that occurs twice", earlier.clone());
            }
            places[column] = Some(place);
        } else {
            let name = String::from_utf8_lossy(&bytes[place]).into_owned();
            others.push(Column { name, values: Vec::new() });
        }
        found.push(column);
    }
    let missing: Vec<&str> = (1..8).filter(|&column| places[column].is_none()).map(|c| COLUMNS[c]).collect();
    if !missing.is_empty() {
        let why = format!("no column {} in the line of the names", missing.join(", "));
        mistakes.at(line, None, &why);
    }
    (!mistakes.any()).then_some((found, others))
}

/// The values of a line by column, and the place of its id. Wrong numbers count as 0. Appends to the columns
/// without an effect.
fn body(
    bytes: &[u8],
    line: Range<usize>,
    columns: &[Option<usize>],
    particle: usize,
    others: &mut [Column],
    mistakes: &mut Mistakes,
) -> (Option<u64>, [f64; 8], usize) {
    let (mut id, mut values, mut id_place) = (None, [0.0; 8], line.start);
    let mut parts = split(bytes, line.clone(), b',');
    let mut others = others.iter_mut();
    for (at, column) in columns.iter().enumerate() {
        let Some(place) = parts.next() else {
            let why = format!("{at} values, but there are {} columns", columns.len());
            mistakes.at(line, Some(particle), &why);
            return (id, values, id_place);
        };
        let place = trimmed(bytes, place);
        let text = text(&bytes[place.clone()]);
        match column {
            None => {
                if let Some(other) = others.next() {
                    other.values.push(String::from_utf8_lossy(&bytes[place]).into());
                }
            }
            Some(0) => {
                id_place = place.start;
                id = text.and_then(|text| text.parse().ok());
                if id.is_none() {
                    mistakes.at(place, Some(particle), "an id is a whole number from 0 to 2^64 - 1");
                }
            }
            Some(column) => match text.and_then(finite) {
                Some(value) if *column == 1 && value < 0.0 => {
                    mistakes.at(place, Some(particle), "a mass is not negative");
                }
                Some(value) => values[*column] = value,
                None => {
                    let why = format!("`{}` is no finite number", COLUMNS[*column]);
                    mistakes.at(place, Some(particle), &why);
                }
            },
        }
    }
    if let Some(place) = parts.next() {
        let why = format!("more values than the {} columns", columns.len());
        mistakes.at(place.start..line.end, Some(particle), &why);
    }
    (id, values, id_place)
}

/// Writes bodies, with the shortest numbers that read the same.
pub fn write(bodies: &Bodies, precision: Precision, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "# time = {:?}", bodies.time)?;
    let others = bodies.others.iter().map(|column| column.name.as_str());
    writeln!(out, "{}", COLUMNS.into_iter().chain(others).collect::<Vec<&str>>().join(","))?;
    for body in 0..bodies.len() {
        let (x, v) = (bodies.positions[body], bodies.velocities[body]);
        let values = [bodies.masses[body], x[0], x[1], x[2], v[0], v[1], v[2]];
        match precision {
            Precision::Double => line(bodies.ids[body], values.map(Shortest), out)?,
            Precision::Single => line(bodies.ids[body], values.map(|value| Shortest(value as f32)), out)?,
        }
        for column in &bodies.others {
            write!(out, ",{}", column.values[body])?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn line<T: Display>(id: u64, [m, x, y, z, vx, vy, vz]: [T; 7], out: &mut dyn Write) -> std::io::Result<()> {
    write!(out, "{id},{m},{x},{y},{z},{vx},{vy},{vz}")
}

/// Writes a number as its shortest text, with an exponent if that is shorter.
struct Shortest<T>(T);

impl<T: std::fmt::Debug> Display for Shortest<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
