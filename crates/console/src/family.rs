//! Families: commands that ask one of several questions, chosen by the options that were given and by what the model offers.
//!
//! Each question of a family is a type with the options that it has. The options of the command are those of all of them, and what does
//! not apply follows: an option that the chosen question does not have is refused, with the questions that have it. So an option without
//! effect cannot be written, and nothing lists options beside the types.

use crate::file_use::FileUse;
use crate::given::GivenOptions;
use crate::needs::{Need, without_effect};
use crate::opening::{self, Opening, values};
use crate::options::{LimitArgs, ModelArgs};
use crate::output::Output;
use crate::refusal::Refused;
use crate::suggestions::{Subject, Suggestion};
use crate::values::Values;
use crate::{cluster, of_language, packed};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use std::path::PathBuf;
use std::time::Instant;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::language::{Analysis, Offers};
use volvelle_session::{Model, Session};

/// How a question of a family is chosen.
#[derive(Clone, Copy)]
pub enum Chosen {
    /// If one of these options is given, by the names of their fields.
    ByOptions(&'static [&'static str]),
    /// By the values of options.
    ByValues(fn(&GivenOptions) -> bool),
    /// If no other is, by the model.
    ByModel,
    /// If one of these options is given, or by models of this kind.
    ByOptionsOrModel(&'static [&'static str], fn(&Offers) -> bool),
    /// The same, or if the path of the model is such: it may name a part of a file.
    ByPathOrModel(&'static [&'static str], fn(&str) -> bool, fn(&Offers) -> bool),
}

impl Chosen {
    /// Whether options choose it, before the model is read.
    fn by_options(self, given: &GivenOptions) -> bool {
        match self {
            Chosen::ByOptions(options) | Chosen::ByOptionsOrModel(options, _) => {
                options.iter().any(|option| given.has(option))
            }
            Chosen::ByPathOrModel(options, is_chosen, _) => {
                options.iter().any(|option| given.has(option)) || given.value("model").is_some_and(is_chosen)
            }
            Chosen::ByValues(is_chosen) => is_chosen(given),
            Chosen::ByModel => false,
        }
    }

    /// Whether a model of which it is asked chooses it.
    fn by_model(self, offers: Option<&Offers>) -> bool {
        match self {
            Chosen::ByOptions(_) | Chosen::ByValues(_) => false,
            Chosen::ByModel => true,
            Chosen::ByOptionsOrModel(_, is_chosen) | Chosen::ByPathOrModel(_, _, is_chosen) => {
                offers.is_none_or(is_chosen)
            }
        }
    }
}

/// A question of a family.
pub trait Member: Args + Send + Sync + 'static {
    /// What it asks, with an article where it has one: `a search`.
    const WHAT: &'static str;
    /// How it is chosen.
    const CHOSEN: Chosen;
    /// Of which models it is asked.
    const OF: fn(&Offers) -> bool;
    /// Why it is asked of these only: the note of a refusal.
    const WHY: &'static str;
    /// How it is asked: the way out for who gave one of its options with another question.
    const HELP: &'static str;
    /// The analysis that other models do not allow; they say themselves what applies instead.
    const ANALYSIS: Option<Analysis> = None;
    /// Reasons and ways out for some options of other questions of the family: field, note, help.
    const REFUSED: &'static [(&'static str, &'static str, &'static str)] = &[];
    /// The use of files that only this question has, by the names of fields.
    const FILES: &'static [(&'static str, FileUse)] = &[];
    /// Options that act only beside others.
    const NEEDS: &'static [Need] = &[];
    /// What the values of options are that only this question has.
    const VALUES: Values = &[];
    /// Whether processes of a launcher work on it together.
    const IS_SHARED: bool = false;
    /// Whether the model is wanted as a labelled transition system: a large file is read as it is parsed.
    const AS_SYSTEM: bool = false;

    /// What it would ask of a model.
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |_| Vec::new();

    /// Asks it: shows the answer, and gives the exit code.
    ///
    /// # Errors
    /// Why there is no answer; the family shows it.
    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused>;
}

/// The exit code of a question that was answered, or why it was not.
type Answered = Result<u8, Refused>;

/// A question of a family, as an entry of its table.
pub struct Entry {
    /// What it asks.
    pub what: &'static str,
    /// The use of files that only this question has.
    pub files: &'static [(&'static str, FileUse)],
    /// Options that act only beside others.
    pub needs: &'static [Need],
    /// What the values of options are that only this question has.
    pub values: Values,
    chosen: Chosen,
    of: fn(&Offers) -> bool,
    why: &'static str,
    help: &'static str,
    analysis: Option<Analysis>,
    refused: &'static [(&'static str, &'static str, &'static str)],
    is_shared: bool,
    as_system: bool,
    suggests: fn(&Subject<'_>) -> Vec<Suggestion>,
    command: fn() -> Command,
    ask: fn(&ArgMatches, Asked<'_>, &Output) -> Result<Answered, clap::Error>,
}

impl Entry {
    /// The entry of a question.
    pub const fn of<T: Member>() -> Self {
        Entry {
            what: T::WHAT,
            files: T::FILES,
            needs: T::NEEDS,
            values: T::VALUES,
            chosen: T::CHOSEN,
            of: T::OF,
            why: T::WHY,
            help: T::HELP,
            analysis: T::ANALYSIS,
            refused: T::REFUSED,
            is_shared: T::IS_SHARED,
            as_system: T::AS_SYSTEM,
            suggests: T::SUGGESTS,
            command: || T::augment_args(Command::new(T::WHAT)),
            ask: |matches, asked, output| {
                Ok(Box::leak(Box::new(T::from_arg_matches(matches)?)).ask(asked, output))
            },
        }
    }

    /// Its options, as a command.
    pub fn command(&self) -> Command {
        (self.command)()
    }

    /// Whether the question has an option, by the name of its field.
    fn has(&self, option: &str) -> bool {
        (self.command)().get_arguments().any(|argument| argument.get_id() == option)
    }

    /// Why the question is not asked of this model, if it is not.
    fn refusal(&self, given: &GivenOptions, model: &Model) -> Option<Diagnostic> {
        let offers = model.offers().filter(|offers| !(self.of)(offers))?;
        if let Some(refusal) = self.analysis.and_then(|analysis| model.refusal(analysis)) {
            return Some(refusal);
        }
        let option = match self.chosen {
            Chosen::ByOptions(options)
            | Chosen::ByOptionsOrModel(options, _)
            | Chosen::ByPathOrModel(options, _, _) => options.iter().find(|option| given.has(option)),
            Chosen::ByValues(_) | Chosen::ByModel => None,
        };
        let option = option.and_then(|option| given.written(option));
        let models = offers.models();
        let message = match option {
            Some(option) => format!("{option} does not apply to {models}"),
            None => format!("`{}` is {models}: it is not asked for {}", &model.file, self.what),
        };
        Some(Diagnostic::error(codes::BAD_USAGE, message).note(self.why).help(self.help))
    }
}

/// A command that asks one of several questions.
pub struct Family {
    /// The word of the command line.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Examples.
    pub after_help: &'static str,
    /// Its questions. Help lists their options in this order; of those that the model chooses, the first that is asked of it counts.
    pub members: &'static [Entry],
    /// Whether the model may read the standard input.
    pub with_input: bool,
    /// Whether the model is wanted as a labelled transition system, if it is one, whatever is asked.
    pub as_system: bool,
}

impl Family {
    /// Its part of the command line: the options of all its questions.
    pub fn command(&self) -> Command {
        let mut all = Command::new(self.name).about(self.about).after_help(self.after_help);
        for member in self.members {
            let own = (member.command)();
            let known: Vec<String> =
                all.get_arguments().map(|argument| argument.get_id().to_string()).collect();
            let is_new = |argument: &&Arg| !known.iter().any(|known| argument.get_id() == known.as_str());
            all = all.args(own.get_arguments().filter(is_new).cloned());
            let known: Vec<String> = all.get_groups().map(|group| group.get_id().to_string()).collect();
            let groups =
                own.get_groups().filter(|group| !known.iter().any(|known| group.get_id() == known.as_str()));
            all = all.groups(groups.cloned());
        }
        all
    }

    /// The same, but that help has the options for models that offer one of these only.
    pub fn command_for(&self, offers: &[Offers]) -> Command {
        let of = |member: &&Entry| offers.iter().any(|offers| (member.of)(offers));
        let asked: Vec<&Entry> = self.members.iter().filter(of).collect();
        self.command().mut_args(|argument| {
            let id = argument.get_id().to_string();
            let is_taken = asked.iter().any(|member| member.has(&id)) && of_language::is_taken(&id, offers);
            if is_taken { argument } else { argument.hide(true) }
        })
    }

    /// Chooses the question and asks it.
    ///
    /// # Errors
    /// An option has a value that it does not take.
    pub fn ask(
        &'static self,
        matches: &ArgMatches,
        given: &GivenOptions,
        output: &Output,
    ) -> Result<u8, clap::Error> {
        let start = Instant::now();
        let as_json = matches.get_flag("json");
        let by_options = self.members.iter().find(|member| member.chosen.by_options(given));
        let asked = Asked { family: self, matches, given, start, member: by_options, session: None };
        let answered = match self.chosen(asked) {
            Ok((member, asked)) => (member.ask)(matches, asked, output)?,
            Err(refused) => Err(refused),
        };
        Ok(answered.unwrap_or_else(|refused| refused.show(as_json, output)))
    }

    /// The question that is meant, and what it is asked with: the model, too, if that is what chooses.
    fn chosen<'a>(&'static self, mut asked: Asked<'a>) -> Result<(&'static Entry, Asked<'a>), Refused> {
        let given = asked.given;
        let is_shared = match asked.member {
            Some(member) => {
                none_of(self.refused(member, given))?;
                member.is_shared
            }
            None => self.members.iter().any(|member| member.is_shared && member.chosen.by_model(None)),
        };
        if is_shared {
            cluster::join()?;
        }
        if given.has("shard") || given.has("checkpoint") {
            packed::note();
        }
        if let Some(member) = asked.member {
            return Ok((member, asked));
        }
        let session = asked.opened()?;
        let member = self.of_model(&session.model)?;
        none_of(of_language::refusals(given, &session.model))?;
        // What is wrong with a model that cannot be read is told first.
        if session.model.offers().is_some() {
            none_of(self.refused(member, given))?;
        }
        (asked.member, asked.session) = (Some(member), Some(session));
        Ok((member, asked))
    }

    /// The question that a model chooses.
    fn of_model(&self, model: &Model) -> Result<&'static Entry, Vec<Diagnostic>> {
        let offers = model.offers();
        let mut by_model = self.members.iter().filter(|member| member.chosen.by_model(offers.as_ref()));
        let first = by_model.clone().next();
        // A model that cannot be read chooses the first one, which tells what is wrong with it.
        let chosen = by_model.find(|member| offers.is_none_or(|offers| (member.of)(&offers)));
        chosen.ok_or_else(|| {
            first.and_then(|first| first.refusal(&GivenOptions::default(), model)).into_iter().collect()
        })
    }

    /// Options that the chosen question does not have, and options without effect beside the others.
    fn refused(&self, chosen: &Entry, given: &GivenOptions) -> Vec<Diagnostic> {
        let own: Vec<String> =
            (chosen.command)().get_arguments().map(|argument| argument.get_id().to_string()).collect();
        let foreign = given.written_options().filter(|(name, _)| !own.iter().any(|own| own == name));
        let refusals: Vec<Diagnostic> = foreign
            .filter_map(|(name, written)| {
                let owners: Vec<&Entry> = self.members.iter().filter(|member| member.has(name)).collect();
                let first = owners.first()?;
                let (note, help) = match chosen.refused.iter().find(|(refused, ..)| *refused == name) {
                    Some((_, note, help)) => ((*note).to_owned(), *help),
                    None => (format!("it applies to {}", listed(&owners)), first.help),
                };
                let message = format!("{written} does not apply to {}", chosen.what);
                Some(Diagnostic::error(codes::BAD_USAGE, message).note(note).help(help))
            })
            .collect();
        if refusals.is_empty() { without_effect(chosen.needs, given, Vec::new()) } else { refusals }
    }

    /// What its questions would ask of a model.
    pub fn suggestions(&self, subject: &Subject<'_>) -> Vec<Suggestion> {
        let asked = self.members.iter().filter(|member| subject.offers.as_ref().is_some_and(member.of));
        asked.flat_map(|member| (member.suggests)(subject)).collect()
    }

    /// The use of files that only its questions have.
    pub fn files(&self) -> Vec<(&'static str, FileUse)> {
        self.members.iter().flat_map(|member| member.files).copied().collect()
    }
}

/// `a search and sampled paths`
fn listed(members: &[&Entry]) -> String {
    let mut names: Vec<&str> = members.iter().map(|member| member.what).collect();
    names.dedup();
    match names.as_slice() {
        [] => String::new(),
        [only] => format!("{only} only"),
        [first @ .., last] => format!("{} and {last} only", first.join(", ")),
    }
}

/// Goes on if there are no refusals.
fn none_of(refusals: Vec<Diagnostic>) -> Result<(), Vec<Diagnostic>> {
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// What a question of a family is asked with.
pub struct Asked<'a> {
    family: &'static Family,
    matches: &'a ArgMatches,
    /// The options that were given.
    pub given: &'a GivenOptions,
    /// When the command began.
    pub start: Instant,
    member: Option<&'static Entry>,
    /// The model, where it chose the question.
    session: Option<Session>,
}

impl Asked<'_> {
    /// The model, if the question is asked of it and its language knows the options.
    ///
    /// # Errors
    /// What is wrong with the files or the options.
    pub fn session(&mut self) -> Result<Session, Vec<Diagnostic>> {
        match self.session.take() {
            Some(session) => Ok(session),
            None => {
                let session = self.opened()?;
                self.check(&session.model)?;
                Ok(session)
            }
        }
    }

    /// Whether the question, and each of its options, applies to a model that the question has opened.
    ///
    /// # Errors
    /// Why one does not.
    pub fn check(&self, model: &Model) -> Result<(), Vec<Diagnostic>> {
        let refusal = self.member.and_then(|member| member.refusal(self.given, model));
        none_of(refusal.map_or_else(|| of_language::refusals(self.given, model), |refusal| vec![refusal]))
    }

    /// Reads the files of the model.
    fn opened(&self) -> Result<Session, Vec<Diagnostic>> {
        let usage = |error: clap::Error| vec![Diagnostic::error(codes::BAD_USAGE, error.to_string())];
        let model = ModelArgs::from_arg_matches(self.matches).map_err(usage)?;
        let limits = LimitArgs::from_arg_matches(self.matches).map_err(usage)?;
        let properties: Vec<PathBuf> = values(self.matches, "properties");
        let defines: Vec<String> = values(self.matches, "define");
        let opening = Opening {
            properties: &properties,
            defines: &defines,
            exact: self.matches.try_get_one::<bool>("exact").ok().flatten().is_some_and(|exact| *exact),
            limits: Some(&limits),
            with_input: self.family.with_input,
            as_system: self.family.as_system || self.member.is_some_and(|member| member.as_system),
            record: None,
        };
        opening::open(&model, opening)
    }
}
