//! Which properties to check: `--prop` by name, by number, or as text.

use crate::language::Offers;
use crate::model::{Model, mentions};
use crate::pending::Pending;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes, has_errors};

/// A property to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// By place in the property files, from 0.
    Listed(usize),
    /// As text.
    Text(String),
}

impl Selector {
    /// Reads an argument of `--prop`: the name of a property of the files (with or without quotation marks),
    /// its number such as `3` or `#3`, or the text of a property.
    pub fn of(argument: &str, names: &[Option<&str>]) -> Result<Self, Diagnostic> {
        let argument = argument.trim();
        let unquoted = argument.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let named = |name: &str| names.iter().position(|n| *n == Some(name));
        if let Some(index) = unquoted.and_then(named).or_else(|| named(argument)) {
            return Ok(Selector::Listed(index));
        }
        if let Some(number) = argument.strip_prefix('#') {
            let index = number.trim().parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            return match index.filter(|&i| i < names.len()) {
                Some(index) => Ok(Selector::Listed(index)),
                None => Err(unknown(argument, names)),
            };
        }
        // A bare number is the number of a property, as for PRISM, and not the formula 1.
        if let Ok(number) = argument.parse::<usize>() {
            let index = number.checked_sub(1).filter(|&index| index < names.len());
            return index.map(Selector::Listed).ok_or_else(|| unknown(&format!("#{argument}"), names));
        }
        if argument.is_empty() {
            return Err(Diagnostic::error(codes::UNKNOWN_PROPERTY, "the property is empty")
                .help("give a name, a number such as '#3', or a text such as 'P=? [ F \"done\" ]'"));
        }
        Ok(Selector::Text(argument.to_owned()))
    }

    /// Whether a text may have been meant as a name.
    pub fn looks_like_a_name(text: &str) -> bool {
        let text = text.trim();
        text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && text != "true"
            && text != "false"
    }
}

/// What is said where no property was given.
fn nothing_asked(offers: Offers) -> Diagnostic {
    let example = match offers.is_labelled {
        true => "a formula about labels, for example --mcl '[true*] <true> true' (it can always go on)",
        false => "a property, for example --prop 'P=? [ F \"done\" ]'",
    };
    Diagnostic::error(codes::BAD_USAGE, "there is nothing to check")
        .note("no property file with properties and no --prop was given")
        .help(format!("add {example}; `volvelle MODEL` proposes some"))
}

impl Model {
    /// The properties asked for, lowered.
    pub fn select(&mut self, wanted: &[String], diagnostics: &mut Vec<Diagnostic>) -> Vec<Pending> {
        let Some(document) = &mut self.document else { return Vec::new() };
        let listed = document.listed().to_vec();
        let names: Vec<Option<&str>> = listed.iter().map(|p| p.name.as_deref()).collect();
        let selectors: Vec<Selector> = if wanted.is_empty() {
            (0..listed.len()).map(Selector::Listed).collect()
        } else {
            let parsed = wanted.iter().map(|argument| Selector::of(argument, &names));
            parsed.filter_map(|selector| selector.map_err(|d| diagnostics.push(d)).ok()).collect()
        };
        if selectors.is_empty() && !has_errors(diagnostics) {
            diagnostics.push(nothing_asked(document.offers()));
        }
        let mut pending = Vec::new();
        for selector in selectors {
            pending.push(match selector {
                Selector::Listed(index) => Pending {
                    point: String::new(),
                    number: Some(index + 1),
                    name: listed[index].name.clone(),
                    text: listed[index].text.clone(),
                    place: listed[index].span,
                    property: document.property(&self.sources, index),
                },
                Selector::Text(text) => {
                    let file = match self.texts.iter().find(|(known, _)| *known == text) {
                        Some(&(_, file)) => file,
                        None => {
                            let file: FileId = self.sources.add(self.property_texts_from, text.clone());
                            self.texts.push((text.clone(), file));
                            file
                        }
                    };
                    let mut property = document.text(&self.sources, file);
                    if let Err(complaints) = &mut property
                        && self.property_texts_from != "--by"
                        && Selector::looks_like_a_name(&text)
                        && mentions(complaints, codes::UNKNOWN_NAME)
                    {
                        *complaints = vec![unknown(&text, &names)];
                    }
                    let name = property.as_ref().ok().and_then(|p| p.name.clone());
                    let place = Span::new(file, 0, text.len());
                    Pending { number: None, name, text, place, property, point: String::new() }
                }
            });
        }
        diagnostics.extend(document.take_warnings());
        pending
    }

    /// A formula that all runs have to satisfy, lowered.
    pub fn formula(&mut self, text: &str) -> Pending {
        let file = self.sources.add("--ltl", text);
        let property = match &mut self.document {
            Some(document) => document.formula(&self.sources, file),
            None => Err(Vec::new()),
        };
        let place = Span::new(file, 0, text.len());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Pending { number: None, name: None, text, place, property, point: String::new() }
    }
}

/// The diagnostic about a name or number that no property has.
pub fn unknown(argument: &str, names: &[Option<&str>]) -> Diagnostic {
    let message = if argument.starts_with('#') {
        format!("there is no property {argument}")
    } else {
        format!("there is no property `{argument}`")
    };
    let mut diagnostic = Diagnostic::error(codes::UNKNOWN_PROPERTY, message);
    diagnostic = diagnostic.misspelt(argument, names.iter().copied().flatten());
    if !diagnostic.helps.is_empty() {
        return diagnostic;
    }
    const SHOWN: usize = 10;
    let shown: Vec<String> = (names.iter().enumerate().take(SHOWN))
        .map(|(i, name)| name.map_or_else(|| format!("#{}", i + 1), |n| format!("\"{n}\"")))
        .collect();
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    diagnostic = match names.len() {
        0 => diagnostic.help("no property file was given: add one after the model"),
        1 => diagnostic.help(format!("there is 1 property: {}", shown[0])),
        n => diagnostic.help(format!("there are {n} properties: {}{more}", shown.join(", "))),
    };
    diagnostic
}
