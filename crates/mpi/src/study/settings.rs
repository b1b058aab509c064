//! Everything that a study says of one configuration.

use super::form::{CONTENTION, FROM, LATENCIES, LATENCY, MEASURE, TOPOLOGY};
use super::template::{Values, number, positive, positives, text, whole};
use super::topology::Topology;
use super::{HELP, reader};
use crate::machine::Atomicity;
use volvelle_declarations::{DeTable, Reader, Value, entries};
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes, has_errors};

/// The place of a process.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaceOf {
    /// This place.
    At(String),
    /// The first free one at some distance from that of another process.
    From {
        /// The other process.
        process: String,
        /// How far.
        distance: u32,
    },
    /// The first free one.
    Compact,
    /// The first free one in the part of the machine with the fewest processes.
    Spread,
}

/// The home of a variable, an array, or an element.
#[derive(Clone, Debug, PartialEq)]
pub struct HomeOf {
    /// Name.
    pub name: String,
    /// Process or place; of an array perhaps one for each element.
    pub homes: Vec<String>,
    /// The entry.
    pub span: Span,
}

/// Latency of a transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency {
    /// Name of the transfer.
    pub name: String,
    /// Mean by distance; the last one holds for all that are farther.
    pub means: Vec<f64>,
    /// The number of stages of an Erlang distribution.
    pub erlang: Option<u32>,
    /// Coefficient of variation by distance.
    pub variation: Option<Vec<f64>>,
    /// The entry.
    pub span: Span,
}

/// Service times of stations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contention {
    /// Of the memory at a home.
    pub memory: Option<f64>,
    /// How many transfers a memory serves at full speed.
    pub memory_servers: u32,
    /// Of a link between levels of the tree.
    pub link: Option<f64>,
    /// How many transfers a link serves at full speed.
    pub link_servers: u32,
    /// The table.
    pub span: Option<Span>,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// The mark at which a round begins.
    pub mark: Option<(String, Span)>,
    /// The process that passes it; `None`: the first that does.
    pub process: Option<(String, Span)>,
    /// How many things a round has.
    pub per_round: f64,
    /// What these are: `message`.
    pub what: String,
    /// Bytes of each, for bandwidth.
    pub bytes: Option<f64>,
}

/// A study in one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// When caches change.
    pub atomicity: Atomicity,
    /// Places and distances.
    pub topology: Topology,
    /// Places of processes by name; `*` stands for all others.
    pub processes: Vec<(String, PlaceOf, Span)>,
    /// The table of processes, or the beginning.
    pub processes_span: Span,
    /// Homes of variables.
    pub homes: Vec<HomeOf>,
    /// The unit of latencies.
    pub unit: String,
    /// Latencies.
    pub latencies: Vec<Latency>,
    /// The table of latencies, or the beginning.
    pub latencies_span: Span,
    /// Stations.
    pub contention: Contention,
    /// What is measured.
    pub measure: Measure,
}

impl Settings {
    /// Reads a study with values of its parameters; without errors there are settings.
    pub fn read(file: FileId, source: &str, values: &Values) -> (Option<Self>, Vec<Diagnostic>) {
        let mut reader = reader(file, source);
        let Some(table) = reader.parse(HELP) else { return (None, reader.found) };
        let table = table.get_ref();
        let beginning = Span::new(file, 0, 0);
        let span_of = |reader: &Reader<'_>, key: &str| {
            table.get_key_value(key).map_or(beginning, |(key, _)| reader.span(key.span()))
        };
        let (unit, latencies) = read_latencies(&mut reader, table, values);
        let settings = Settings {
            atomicity: read_atomicity(&mut reader, table, values),
            topology: read_topology(&mut reader, table, values),
            processes: read_processes(&mut reader, table, values),
            processes_span: span_of(&reader, "processes"),
            homes: read_homes(&mut reader, table, values),
            unit,
            latencies,
            latencies_span: span_of(&reader, "latencies"),
            contention: read_contention(&mut reader, table, values),
            measure: read_measure(&mut reader, table, values),
        };
        let is_broken = has_errors(&reader.found);
        ((!is_broken).then_some(settings), reader.found)
    }
}

fn read_atomicity(reader: &mut Reader<'_>, table: &DeTable<'_>, values: &Values) -> Atomicity {
    let Some(value) = table.get("access") else { return Atomicity::Atomic };
    let example = "`access = \"atomic\"`, `\"split\"` or `\"raced\"`";
    match text(reader, "access", value, example, values).as_deref() {
        Some("atomic") | None => Atomicity::Atomic,
        Some("split") => Atomicity::Split,
        Some("raced") => Atomicity::Raced,
        Some(other) => {
            let message = format!("`{other}` is no kind of access");
            let help = "`atomic`: caches change at the beginning of an access; `split`: in its middle; `raced`: in its middle, as it was decided at the beginning";
            reader.report(codes::MPI_VALUE, message, value.span(), help);
            Atomicity::Atomic
        }
    }
}

const TOPOLOGIES: &str = "`shape = [2, 2, 2]`, or `places` and `distances`";

fn read_topology(reader: &mut Reader<'_>, table: &DeTable<'_>, values: &Values) -> Topology {
    let fallback = Topology::Tree(vec![1, 1, 64]);
    let Some(value) = table.get("topology") else { return fallback };
    let Some(table) = reader.table("topology", value, "`[topology]`") else { return fallback };
    reader.all_known(table, TOPOLOGY);
    match (table.get("shape"), table.get("places"), table.get("distances")) {
        (Some(shape), None, None) => {
            let list = reader.list("shape", shape, "`shape = [2, 2, 2]`");
            let sizes: Vec<Option<u32>> =
                list.iter().map(|item| whole(reader, "shape", item, 1..=64, values)).collect();
            let sizes: Option<Vec<u32>> = sizes.into_iter().collect();
            let sizes = sizes.unwrap_or_default();
            let product = sizes.iter().try_fold(1u32, |all, &size| all.checked_mul(size));
            if sizes.is_empty() || sizes.len() > 8 || product.is_none_or(|product| product > 4096) {
                if reader.found.is_empty() {
                    let message = "a shape has 1 to 8 levels and at most 4,096 processors";
                    reader.report(codes::MPI_VALUE, message, shape.span(), "write `shape = [2, 2, 2]`");
                }
                return fallback;
            }
            Topology::Tree(sizes)
        }
        (None, Some(places), Some(distances)) => {
            let names: Vec<String> = reader
                .strings("places", places, "`places = [\"left\", \"right\"]`")
                .into_iter()
                .map(|(name, _)| name)
                .collect();
            let rows = reader.list("distances", distances, "`distances = [[0, 1], [1, 0]]`");
            let mut matrix = Vec::new();
            for row in rows {
                let row = reader.list("distances", row, "`distances = [[0, 1], [1, 0]]`");
                let row: Vec<Option<u32>> =
                    row.iter().map(|item| whole(reader, "distances", item, 0..=1000, values)).collect();
                matrix.push(row.into_iter().flatten().collect::<Vec<u32>>());
            }
            let size = names.len();
            if size == 0 || matrix.len() != size || matrix.iter().any(|row| row.len() != size) {
                let message = format!("{size} places need {size} rows of {size} distances");
                reader.report(codes::MPI_VALUE, message, distances.span(), "");
                return fallback;
            }
            Topology::Matrix { places: names, distances: matrix }
        }
        _ => {
            let message = "a topology has either a shape, or places and distances";
            reader.report(codes::MPI_KEY, message, value.span(), &format!("write {TOPOLOGIES}"));
            fallback
        }
    }
}

const PLACE: &str =
    "a place (`\"0.1.0\"`), `\"compact\"`, `\"spread\"`, or `{ from = \"P0\", distance = 1 }`";

fn read_processes(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    values: &Values,
) -> Vec<(String, PlaceOf, Span)> {
    let Some(value) = table.get("processes") else { return Vec::new() };
    let Some(table) = reader.table("processes", value, "`[processes]`") else { return Vec::new() };
    let mut all = Vec::new();
    for (key, value) in entries(table) {
        let name = key.get_ref().to_string();
        let span = reader.span(key.span());
        let place = match value.get_ref().as_table() {
            Some(table) => from(reader, value, table, values),
            None => text(reader, &name, value, PLACE, values).map(|text| match text.as_str() {
                "compact" => PlaceOf::Compact,
                "spread" => PlaceOf::Spread,
                _ => PlaceOf::At(text),
            }),
        };
        all.extend(place.map(|place| (name, place, span)));
    }
    all
}

fn from(reader: &mut Reader<'_>, value: &Value<'_>, table: &DeTable<'_>, values: &Values) -> Option<PlaceOf> {
    reader.all_known(table, FROM);
    let (Some(process), Some(distance)) = (table.get("from"), table.get("distance")) else {
        let message = "a place from another process has `from` and `distance`";
        reader.report(codes::MPI_KEY, message, value.span(), "write `{ from = \"P0\", distance = 1 }`");
        return None;
    };
    let process = text(reader, "from", process, "`from = \"P0\"`", values)?;
    let distance = whole(reader, "distance", distance, 0..=1000, values)?;
    Some(PlaceOf::From { process, distance })
}

fn read_homes(reader: &mut Reader<'_>, table: &DeTable<'_>, values: &Values) -> Vec<HomeOf> {
    let Some(value) = table.get("homes") else { return Vec::new() };
    let Some(table) = reader.table("homes", value, "`[homes]`") else { return Vec::new() };
    let mut all = Vec::new();
    for (key, value) in entries(table) {
        let name = key.get_ref().to_string();
        let span = reader.span(key.span());
        let example = format!("`{name} = \"P0\"`, or a list with one for each element");
        let texts = reader.strings(&name, value, &example);
        let homes: Vec<Option<String>> = texts
            .into_iter()
            .map(|(text, at)| super::template::expanded(reader, &text, at, values))
            .collect();
        let homes = homes.into_iter().flatten().collect();
        all.push(HomeOf { name, homes, span });
    }
    all
}

fn read_latencies(reader: &mut Reader<'_>, table: &DeTable<'_>, values: &Values) -> (String, Vec<Latency>) {
    let mut unit = "ns".to_owned();
    let mut all: Vec<Latency> = Vec::new();
    let Some(value) = table.get("latencies") else { return (unit, all) };
    let Some(table) = reader.table("latencies", value, "`[latencies]`") else { return (unit, all) };
    let (mut erlang, mut variation) = (None, None);
    for (key, value) in entries(table) {
        let name = key.get_ref().to_string();
        let span = reader.span(key.span());
        match reader.known(key, LATENCIES).map_or("", |entry| entry.name) {
            "unit" => unit = text(reader, "unit", value, "`unit = \"ns\"`", values).unwrap_or(unit),
            "erlang" => erlang = whole(reader, "erlang", value, 1..=crate::phase::MOST_STAGES, values),
            "variation" => {
                variation =
                    positive(reader, "variation", value, "`variation = 0.5`", values).map(|v| vec![v]);
            }
            _ => all.extend(latency(reader, name, value, span, values)),
        }
    }
    if erlang.is_some() && variation.is_some() {
        let message = "a distribution has a number of stages (`erlang`) or a coefficient of variation (`variation`), not both";
        reader.report(codes::MPI_VALUE, message, value.span(), "");
    }
    for latency in &mut all {
        if latency.erlang.is_none() && latency.variation.is_none() {
            latency.erlang = erlang;
            latency.variation.clone_from(&variation);
        }
    }
    (unit, all)
}

fn latency(
    reader: &mut Reader<'_>,
    name: String,
    value: &Value<'_>,
    span: Span,
    values: &Values,
) -> Option<Latency> {
    let example = format!("`\"{name}\" = [180, 300, 440]`, one for each distance");
    let Some(table) = value.get_ref().as_table() else {
        let means = positives(reader, &name, value, &example, values)?;
        return Some(Latency { name, means, erlang: None, variation: None, span });
    };
    reader.all_known(table, LATENCY);
    let Some(mean) = table.get("mean") else {
        reader.report(codes::MPI_KEY, format!("the latency of `{name}` has no `mean`"), value.span(), "");
        return None;
    };
    let means = positives(reader, "mean", mean, &example, values)?;
    let most = crate::phase::MOST_STAGES;
    let erlang = table.get("erlang").map(|value| whole(reader, "erlang", value, 1..=most, values));
    let variation = table
        .get("variation")
        .map(|value| positives(reader, "variation", value, "`variation = 0.5`", values));
    let deviation =
        table.get("deviation").map(|value| positives(reader, "deviation", value, "`deviation = 50`", values));
    let given = [erlang.is_some(), variation.is_some(), deviation.is_some()];
    if given.into_iter().filter(|&is_given| is_given).count() > 1 {
        let message = format!("the distribution of `{name}` is given twice");
        reader.report(
            codes::MPI_VALUE,
            message,
            value.span(),
            "keep one of `erlang`, `variation` and `deviation`",
        );
        return None;
    }
    let mut variation = variation.flatten();
    if let Some(deviations) = deviation.flatten() {
        let at = |place: usize| deviations[place.min(deviations.len() - 1)];
        variation = Some(means.iter().enumerate().map(|(place, mean)| at(place) / mean).collect());
    }
    if let Some(all) = &variation
        && all.iter().any(|&variation| crate::phase::with_variation(variation).is_none())
    {
        let message = format!("the coefficient of variation of `{name}` takes more than {most} stages");
        let help = "it is at least 1/8; take a larger one, or the deviation that goes with it";
        reader.report(codes::MPI_VALUE, message, value.span(), help);
        return None;
    }
    Some(Latency { name, means, erlang: erlang.flatten(), variation, span })
}

fn read_contention(reader: &mut Reader<'_>, table: &DeTable<'_>, values: &Values) -> Contention {
    let mut found = Contention { memory_servers: 1, link_servers: 1, ..Contention::default() };
    let Some(value) = table.get("contention") else { return found };
    let Some(table) = reader.table("contention", value, "`[contention]`") else { return found };
    found.span = Some(reader.span(value.span()));
    for (key, value) in entries(table) {
        match reader.known(key, CONTENTION).map_or("", |entry| entry.name) {
            "memory" => found.memory = positive(reader, "memory", value, "`memory = 60`", values),
            "link" => found.link = positive(reader, "link", value, "`link = 20`", values),
            "memory_servers" => {
                let servers = whole(reader, "memory_servers", value, 1..=1000, values);
                found.memory_servers = servers.unwrap_or(1);
            }
            "link_servers" => {
                let servers = whole(reader, "link_servers", value, 1..=1000, values);
                found.link_servers = servers.unwrap_or(1);
            }
            _ => {}
        }
    }
    found
}

fn read_measure(reader: &mut Reader<'_>, table: &DeTable<'_>, values: &Values) -> Measure {
    let what = "message".to_owned();
    let mut found = Measure { mark: None, process: None, per_round: 1.0, what, bytes: None };
    let Some(value) = table.get("measure") else { return found };
    let Some(table) = reader.table("measure", value, "`[measure]`") else { return found };
    for (key, value) in entries(table) {
        let span = reader.span(value.span());
        match reader.known(key, MEASURE).map_or("", |entry| entry.name) {
            "mark" => {
                let mark = text(reader, "mark", value, "`mark = \"START\"`", values);
                found.mark = mark.map(|mark| (mark, span));
            }
            "process" => {
                let process = text(reader, "process", value, "`process = \"P0\"`", values);
                found.process = process.map(|process| (process, span));
            }
            "what" => {
                found.what = text(reader, "what", value, "`what = \"message\"`", values).unwrap_or_default();
            }
            "per_round" => {
                let count = positive(reader, "per_round", value, "`per_round = 2`", values);
                found.per_round = count.unwrap_or(1.0);
            }
            "bytes" => found.bytes = number(reader, "bytes", value, "`bytes = 1024`", values),
            _ => {}
        }
    }
    found
}
