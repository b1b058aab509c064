//! What could be asked of a kernel, or with a platform.
//!
//! Only lines `// volvelle: ...` at the head of the text are looked at ([`volvelle_opencl::launch`] says what they mean): what is proposed
//! has to run, or to say what is missing.

use volvelle_console::suggestions::{Subject, Suggestion};

/// Commands for a kernel, or for a platform.
pub fn commands(subject: &Subject<'_>) -> Vec<Suggestion> {
    let file = &subject.head.word;
    match (subject.offers, subject.head.ending.as_str()) {
        (None, "cl") => kernel(file, &Launch::of(subject.head.text())),
        (None, "toml") => vec![Suggestion::new(
            "the fastest configuration of a kernel on it",
            format!("tune KERNEL.cl --platform {file} --size 1024"),
        )],
        _ => Vec::new(),
    }
}

/// What the comments of a kernel say of its launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Launch {
    /// How many work-items there are.
    has_items: bool,
    /// The data, which only measurements need.
    has_data: bool,
    /// The parameters have values.
    has_parameters: bool,
    /// Macros of the launch, which could be parameters.
    macros: Vec<String>,
}

impl Launch {
    fn of(text: &str) -> Self {
        let mut launch = Launch::default();
        for line in text.lines() {
            let Some(items) = line.trim_start().strip_prefix("//").map(str::trim_start) else { continue };
            let Some(items) = items.strip_prefix("volvelle:") else { continue };
            let is_launch = items.contains("global =") || items.contains("global=");
            launch.has_items |= is_launch;
            launch.has_data |= items.trim_start().starts_with("argument ");
            launch.has_parameters |= items.trim_start().starts_with("parameter ");
            if is_launch {
                launch.macros.extend(macros(items));
            }
        }
        launch.macros.sort();
        launch.macros.dedup();
        launch
    }
}

/// Names in capital letters.
fn macros(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_macro = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_uppercase()) && !word.contains(|c: char| c.is_ascii_lowercase())
    };
    words.filter(is_macro).map(str::to_owned)
}

fn kernel(file: &str, launch: &Launch) -> Vec<Suggestion> {
    let with = match (launch.has_parameters, &launch.macros[..]) {
        (true, _) | (false, []) => String::new(),
        (false, macros) => format!(" --parameters {}", macros.join(",")),
    };
    let predicted = format!("tune {file} --platform PLATFORM.toml --size 1024{with}");
    if !launch.has_items {
        let about = "its fastest configuration, once a comment says how it is launched: // volvelle: global = size, local = WG";
        return vec![Suggestion::new(about, format!("{predicted} --parameters WG"))];
    }
    let mut all = vec![Suggestion::new("its fastest configuration, with a proof", predicted)];
    if launch.has_data {
        let measured = format!("tune {file} --measure --size 1024{with}");
        all.push(Suggestion::new("the same, measured on a device with OpenCL", measured));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Launch, kernel};

    fn commands(text: &str) -> Vec<String> {
        kernel("k.cl", &Launch::of(text)).into_iter().map(|suggestion| suggestion.command).collect()
    }

    #[test]
    fn parameters_are_those_of_the_kernel() {
        let predicted = "volvelle tune k.cl --platform PLATFORM.toml --size 1024";
        assert_eq!(
            commands("// volvelle: parameter TILE = 1, 2\n// volvelle: global = size, local = TILE"),
            [predicted]
        );
        let measured =
            commands("// volvelle: global = size / PER, local = WG\n//volvelle: argument n = int size\n");
        assert_eq!(measured[0], format!("{predicted} --parameters PER,WG"));
        assert_eq!(measured[1], "volvelle tune k.cl --measure --size 1024 --parameters PER,WG");
        assert_eq!(commands("__kernel void f() {}"), [format!("{predicted} --parameters WG")]);
        assert_eq!(commands("// volvelle: global = size, local = 4"), [predicted]);
    }
}
