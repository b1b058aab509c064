//! The header: numbers of states and propositions, initial state, aliases, and the acceptance condition.

use super::condition::{self, Alias, Aliases};
use super::token::{Kind, T, Tokens};
use super::{HoaError, MOST};
use std::ops::Range;
use volvelle_logic::Acceptance;
use volvelle_syntax::Parse;

/// Propositions, at most: letters are words of this many bits.
const MOST_PROPOSITIONS: u64 = 64;

/// Acceptance sets, at most.
const MOST_SETS: u64 = 64;

/// What a header says.
pub struct Header {
    /// The number of states, where it is given.
    pub states: Option<u64>,
    /// The state at the beginning, and where it is named; `None` if there is none.
    pub initial: Option<(u64, Range<usize>)>,
    /// The names of propositions.
    pub propositions: Vec<String>,
    /// Names of labels.
    pub aliases: Aliases,
    /// The number of acceptance sets.
    pub sets: u64,
    /// The condition.
    pub acceptance: Acceptance,
}

/// Reads the header up to `--BODY--`.
pub fn read(tokens: &mut Tokens) -> Result<Header, HoaError> {
    if !tokens.at_header("HOA") {
        return Err(tokens.unexpected("`HOA: v1`"));
    }
    tokens.advance();
    if !tokens.at_word("v1") {
        return Err(tokens.unexpected("`v1`, the version of the format"));
    }
    tokens.advance();
    let (mut states, mut initial, mut propositions, mut acceptance) = (None, None, None, None);
    let mut aliases = Aliases::default();
    // Aliases may come before the propositions that they use: they are read when these are known.
    let mut waiting = Vec::new();
    loop {
        let place = tokens.place();
        let name = match tokens.peek() {
            Kind::Header => tokens.word().trim_end_matches(':'),
            Kind::Body => break,
            Kind::Nothing => return Err(HoaError::new(place, "there is no `--BODY--`")),
            _ => return Err(tokens.unexpected("an item of the header or `--BODY--`")),
        };
        tokens.advance();
        let twice = |known: bool| {
            let message = format!("`{name}:` is given twice");
            if known { Err(HoaError::new(place.clone(), message)) } else { Ok(()) }
        };
        match name {
            "States" => {
                twice(states.is_some())?;
                let place = tokens.place();
                let number = tokens.take_number("the number of states")?;
                if number > MOST as u64 {
                    return Err(HoaError::new(place, format!("an automaton with more than {MOST} states")));
                }
                states = Some(number);
            }
            "Start" => {
                if initial.is_some() {
                    return Err(HoaError::new(place, "the automaton has several initial states")
                        .help("make it deterministic, for example with Spot: autfilt -D"));
                }
                let place = tokens.place();
                initial = Some((tokens.take_number("a state")?, place));
                refuse_conjunction(tokens)?;
            }
            "AP" => {
                twice(propositions.is_some())?;
                propositions = Some(self::propositions(tokens)?);
            }
            "Alias" => {
                let place = tokens.place();
                let alias = tokens.word();
                if !tokens.take(Kind::Alias) {
                    return Err(tokens.unexpected("the name of an alias, as in `@a`"));
                }
                match &propositions {
                    Some(names) => define(tokens, alias, place, names.len(), &mut aliases)?,
                    None => {
                        waiting.push((alias, place, tokens.number()));
                        skip(tokens);
                    }
                }
            }
            "Acceptance" => {
                twice(acceptance.is_some())?;
                let place = tokens.place();
                let sets = tokens.take_number("the number of acceptance sets")?;
                if sets > MOST_SETS {
                    let message = format!("an automaton with more than {MOST_SETS} acceptance sets");
                    return Err(HoaError::new(place, message));
                }
                acceptance = Some((sets, condition::acceptance(tokens, sets)?));
            }
            _ if name.starts_with(|first: char| first.is_ascii_uppercase()) => {
                // Such items may change the meaning.
                let message = format!("the header item `{name}:` is not supported");
                return Err(HoaError::new(place, message));
            }
            _ => skip(tokens),
        }
    }
    let propositions = propositions.unwrap_or_default();
    for (alias, place, mark) in waiting {
        let body = tokens.number();
        tokens.jump(mark);
        define(tokens, alias, place, propositions.len(), &mut aliases)?;
        tokens.jump(body);
    }
    let Some((sets, acceptance)) = acceptance else {
        return Err(tokens.unexpected("`Acceptance:` in the header, before the body"));
    };
    tokens.advance();
    Ok(Header { states, initial, propositions, aliases, sets, acceptance })
}

/// Refuses `1 & 2`.
pub fn refuse_conjunction(tokens: &Tokens) -> Result<(), HoaError> {
    if tokens.at(T!["&"]) {
        return Err(HoaError::new(
            tokens.place(),
            "the automaton is alternating: it is in several states at once",
        )
        .help("make it deterministic, for example with Spot: autfilt -D"));
    }
    Ok(())
}

fn propositions(tokens: &mut Tokens) -> Result<Vec<String>, HoaError> {
    let place = tokens.place();
    let number = tokens.take_number("the number of propositions")?;
    if number > MOST_PROPOSITIONS {
        let message = format!("an automaton with more than {MOST_PROPOSITIONS} propositions");
        return Err(HoaError::new(place, message));
    }
    let mut names: Vec<String> = Vec::new();
    for _ in 0..number {
        let place = tokens.place();
        let Some(name) = tokens.unquoted() else {
            return Err(tokens.unexpected(&format!("the name of proposition {} in quotes", names.len())));
        };
        tokens.advance();
        if names.contains(&name) {
            return Err(HoaError::new(
                place,
                format!("two propositions have the name \"{}\"", name.escape_debug()),
            ));
        }
        names.push(name);
    }
    if tokens.at(Kind::Text) {
        return Err(HoaError::new(
            tokens.place(),
            format!("`AP:` says that there are {number} propositions"),
        ));
    }
    Ok(names)
}

fn define(
    tokens: &mut Tokens,
    alias: &str,
    place: Range<usize>,
    propositions: usize,
    aliases: &mut Aliases,
) -> Result<(), HoaError> {
    let label = condition::label(tokens, propositions, aliases)?;
    if aliases.contains_key(alias) {
        return Err(HoaError::new(place, format!("the alias `{alias}` is given twice")));
    }
    aliases.insert(alias.to_owned(), Alias::new(label));
    Ok(())
}

/// Skips an item up to the next one.
fn skip(tokens: &mut Tokens) {
    tokens.skip_to(&[Kind::Header, Kind::Body, Kind::EndOfBody, Kind::Abort]);
}
