//! Options about labels: what is renamed and hidden.

use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_labels::{BadPattern, Hiding, Renaming};
use volvelle_lts::relabel;
use volvelle_space::Lts;

/// Renaming, then hiding.
#[derive(Clone, Debug, Default)]
pub struct Relabelling {
    renamings: Vec<(String, Renaming)>,
    hiding: Option<Hiding>,
}

impl Relabelling {
    /// Reads the texts of `--rename` and `--hide`.
    ///
    /// # Errors
    /// Diagnostics about texts that are not what they should be.
    pub fn read(renamings: &[String], hiding: Option<&str>) -> Result<Self, Vec<Diagnostic>> {
        let mut diagnostics = Vec::new();
        let mut bad = |option: &str, error: &BadPattern| {
            let message = format!("{option}: {error}");
            let help = match option {
                "--rename" => r"for example: --rename '/LATENCY !(.*)/\1; rate 2.5/'",
                _ => "for example: --hide 'all but START, STOP !.*'",
            };
            diagnostics.push(Diagnostic::error(codes::LABEL_PATTERN, message).help(help));
        };
        let mut rules = Vec::new();
        for text in renamings {
            match Renaming::read(text) {
                Ok(rule) => rules.push((text.clone(), rule)),
                Err(error) => bad("--rename", &error),
            }
        }
        let hiding = hiding.and_then(|text| Hiding::read(text).map_err(|error| bad("--hide", &error)).ok());
        if diagnostics.is_empty() { Ok(Relabelling { renamings: rules, hiding }) } else { Err(diagnostics) }
    }

    /// The system with other labels, and warnings about rules that match none of them.
    pub fn apply(&self, lts: Lts) -> (Lts, Vec<Diagnostic>) {
        let unused = self
            .renamings
            .iter()
            .filter(|(_, rule)| !lts.labels.texts().iter().any(|label| rule.apply(label).is_some()));
        let warnings = unused.map(|(text, _)| {
            Diagnostic::warning(codes::LABEL_UNUSED, format!("--rename {text} matches no label"))
                .note(format!("labels are {}", some_labels(&lts)))
                .help("a pattern has to match the whole label")
        });
        let mut warnings: Vec<Diagnostic> = warnings.collect();
        let hides =
            |hiding: &Hiding| lts.labels.texts().iter().skip(1).any(|label| hiding.apply(label) != *label);
        if self.renamings.is_empty() && self.hiding.as_ref().is_some_and(|hiding| !hides(hiding)) {
            warnings.push(
                Diagnostic::warning(codes::LABEL_UNUSED, "--hide hides no label")
                    .note(format!("labels are {}", some_labels(&lts)))
                    .help("a pattern has to match the whole label, or its gate"),
            );
        }
        let rules: Vec<Renaming> = self.renamings.iter().map(|(_, rule)| rule.clone()).collect();
        (relabel(lts, &rules, self.hiding.as_ref()), warnings)
    }
}

/// A few labels, for messages.
fn some_labels(lts: &Lts) -> String {
    const SHOWN: usize = 6;
    let texts = lts.labels.texts();
    let mut shown: Vec<String> = texts.iter().skip(1).take(SHOWN).map(|text| format!("`{text}`")).collect();
    if texts.len() > SHOWN + 1 {
        shown.push("...".to_owned());
    }
    if shown.is_empty() { "all internal".to_owned() } else { shown.join(", ") }
}
