//! Force laws that users write as kernels in the text form of the IR.

use std::collections::BTreeMap;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};
use volvelle_kernel::text::{ParseError, parse};
use volvelle_kernel::verify::verify;
use volvelle_kernel::{Access, Kernel, LocalDecl, Type};

/// A force law: a text with two kernels, `acceleration` and `potential`.
///
/// Both run in a lane for each body, with these parameters: `lane: u64`, the number of the body;
/// `first: u64`, the first body that the device owns; `bodies: u64`, the number of bodies; `softening: f64`,
/// the length of [`crate::Physics`]; then any numbers (`f64`) of the law, found by name. The first buffer is
/// `position: read f64`: x, y, z and mass of all bodies, one body after the other. The second one is for the
/// bodies that the device owns, so the entry of the body `lane` has the index `lane - first`:
/// `acceleration: write f64` has three numbers for each body, `potential: write f64` one, the energy per
/// mass. Both must leave out the effect of a body on itself. Energy is conserved if the acceleration is the
/// negative gradient of the potential. The bits are the same on all devices.
///
/// ```text
/// // Springs between all bodies: attraction in proportion to the distance.
/// kernel acceleration(lane: u64, first: u64, bodies: u64, softening: f64, stiffness: f64) {
///     buffer position: read f64;
///     buffer acceleration: write f64;
///     local j: u64; local i: u64; local pull: f64;
///     for i in 0u64..3u64 {
///         pull = 0.0f64;
///         for j in 0u64..bodies {
///             pull = pull + (position[j * 4u64 + i] - position[lane * 4u64 + i]) * position[j * 4u64 + 3u64];
///         }
///         acceleration[(lane - first) * 3u64 + i] = stiffness * pull;
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    pub(crate) acceleration: Kernel,
    pub(crate) potential: Kernel,
    /// The numbers of the law.
    pub(crate) numbers: BTreeMap<String, f64>,
}

/// The parameters that all laws have.
const PARAMETERS: [(&str, Type); 4] =
    [("lane", Type::U64), ("first", Type::U64), ("bodies", Type::U64), ("softening", Type::F64)];

impl Law {
    /// Reads and checks a law. `numbers` are the values of its further parameters.
    ///
    /// # Errors
    /// All mistakes, with their places in the text.
    pub fn read(file: FileId, text: &str, numbers: &BTreeMap<String, f64>) -> Result<Self, Vec<Diagnostic>> {
        let mut kernels = match parse(text) {
            Ok(kernels) => kernels,
            Err(errors) => {
                let told = |error: ParseError| {
                    let at = offset(text, error.line, error.column);
                    let span = Span::within(file, text, at..at + 1);
                    Diagnostic::error(codes::KERNEL_SYNTAX, error.message).at(span, "")
                };
                return Err(errors.into_iter().map(told).collect());
            }
        };
        let mut found = Vec::new();
        let mut take = |name: &str| {
            let position = kernels.iter().position(|kernel| kernel.name == name);
            if position.is_none() {
                let message = format!("a force law has a kernel `{name}`, which is not here");
                found.push(
                    Diagnostic::error(codes::KERNEL_INVALID, message).at(Span::within(file, text, 0..1), ""),
                );
            }
            position.map(|position| kernels.swap_remove(position))
        };
        let (acceleration, potential) = (take("acceleration"), take("potential"));
        for kernel in &kernels {
            let message = format!("kernel `{}` is not a part of a force law", kernel.name);
            let span = place(file, text, &kernel.name);
            found.push(
                Diagnostic::error(codes::KERNEL_INVALID, message)
                    .at(span, "")
                    .help("the kernels of a force law are `acceleration` and `potential`, each once"),
            );
        }
        for kernel in [&acceleration, &potential].into_iter().flatten() {
            let span = place(file, text, &kernel.name);
            let wrong = wrong(kernel, numbers).into_iter();
            found.extend(wrong.map(|why| {
                Diagnostic::error(codes::KERNEL_INVALID, format!("kernel `{}`: {why}", kernel.name))
                    .at(span, "")
            }));
        }
        if let (Some(acceleration), Some(potential), true) = (&acceleration, &potential, found.is_empty()) {
            found.extend(unused(file, text, [acceleration, potential], numbers));
        }
        match (acceleration, potential) {
            (Some(acceleration), Some(potential)) if found.is_empty() => {
                Ok(Law { acceleration, potential, numbers: numbers.clone() })
            }
            _ => Err(found),
        }
    }

    /// The numbers that a kernel has as parameters, with their values.
    pub(crate) fn numbers_of<'a>(&'a self, kernel: &'a Kernel) -> impl Iterator<Item = (&'a str, f64)> {
        let own = further(kernel).iter();
        own.filter_map(|local| self.numbers.get(&local.name).map(|value| (local.name.as_str(), *value)))
    }
}

/// The parameters of a kernel after those that all laws have.
fn further(kernel: &Kernel) -> &[LocalDecl] {
    kernel.locals.get(PARAMETERS.len()..kernel.params).unwrap_or_default()
}

/// What a kernel lacks or has in excess.
fn wrong(kernel: &Kernel, numbers: &BTreeMap<String, f64>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, (name, ty)) in PARAMETERS.iter().enumerate() {
        let found = kernel.locals.get(number).filter(|_| number < kernel.params);
        if found.is_none_or(|local| local.name != *name || local.ty != *ty) {
            wrong.push(format!("parameter number {} must be `{name}: {ty}`", number + 1));
        }
    }
    for local in further(kernel) {
        if local.ty != Type::F64 {
            wrong.push(format!("parameter `{}` must be of type `f64`, not `{}`", local.name, local.ty));
        } else if !numbers.contains_key(&local.name) {
            wrong.push(format!("there is no value for the parameter `{}`", local.name));
        }
    }
    let buffers = [("position", Access::Read), (kernel.name.as_str(), Access::Write)];
    for (number, (name, access)) in buffers.iter().enumerate() {
        let found = kernel.buffers.get(number);
        if found
            .is_none_or(|buffer| buffer.name != *name || buffer.access != *access || buffer.ty != Type::F64)
        {
            let access = if *access == Access::Read { "read" } else { "write" };
            wrong.push(format!("buffer number {} must be `{name}: {access} f64`", number + 1));
        }
    }
    if kernel.buffers.len() > buffers.len() {
        wrong.push(format!("it has {} buffers instead of 2", kernel.buffers.len()));
    }
    if let Err(errors) = verify(kernel) {
        wrong.extend(errors.iter().map(ToString::to_string));
    }
    wrong
}

/// Values for which there is no parameter.
fn unused(
    file: FileId,
    text: &str,
    kernels: [&Kernel; 2],
    numbers: &BTreeMap<String, f64>,
) -> Vec<Diagnostic> {
    let known: Vec<&str> = kernels.into_iter().flat_map(further).map(|local| local.name.as_str()).collect();
    let is_unused = |name: &&String| !known.contains(&name.as_str());
    let told = |name: &String| {
        let message = format!("no kernel of the force law has a parameter `{name}`");
        let diagnostic = Diagnostic::error(codes::KERNEL_INVALID, message);
        diagnostic.at_misspelt(place(file, text, "acceleration"), name, known.iter().copied())
    };
    numbers.keys().filter(is_unused).map(told).collect()
}

/// The offset in bytes of a line and a column.
fn offset(text: &str, line: u32, column: u32) -> usize {
    let start: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    let within = text[start..].char_indices().nth(column as usize - 1);
    within.map_or(text.len(), |(at, _)| start + at)
}

/// The name of a kernel in the text.
fn place(file: FileId, text: &str, name: &str) -> Span {
    let is_head = |at: &usize| text[..*at].trim_end().ends_with("kernel");
    let at = text.match_indices(name).map(|(at, _)| at).find(is_head).unwrap_or(0);
    Span::within(file, text, at..at + name.len())
}
