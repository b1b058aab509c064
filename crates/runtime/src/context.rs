//! Contexts: the opened devices of a configuration, and the network to the contexts of other processes.

use crate::configuration::{Configuration, Distribution, Placed, Selection, Sizes};
use crate::error::Error;
use crate::failover::{Failover, Roster};
use crate::network::{Network, Single, parts};
use crate::node::{Node, NodeDevice, Served};
use crate::partition::Partition;
use crate::technology::Executor;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// Devices that work together.
pub struct Context {
    devices: Vec<Arc<dyn Executor>>,
    network: Arc<dyn Network>,
    /// Number of devices of each rank.
    counts: Vec<usize>,
    /// The partition over the devices of all ranks; of no elements, here.
    shares: Partition,
    /// The device that does the work of each device of this process.
    roster: Roster,
    passed: Vec<Passed>,
    distributions: BTreeMap<String, Distribution>,
}

/// A device of the configuration that is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Its name.
    pub device: String,
    /// Why it is not used.
    pub why: String,
}

impl Context {
    /// A context of these devices, in this process alone.
    ///
    /// # Errors
    /// There are no devices.
    pub fn of(devices: Vec<Arc<dyn Executor>>) -> Result<Arc<Self>, Error> {
        Self::among(devices, Arc::new(Single))
    }

    /// A context of these devices and those of other ranks. All ranks call it.
    ///
    /// # Errors
    /// There are no devices, or a rank is gone.
    pub fn among(devices: Vec<Arc<dyn Executor>>, network: Arc<dyn Network>) -> Result<Arc<Self>, Error> {
        Self::weighted(devices.into_iter().map(|device| (device, 1)).collect(), network)
    }

    /// A context of these devices with weights, and those of other ranks. A device of twice the weight gets
    /// parts of twice the size. A device of weight zero gets no part, unless all weights are zero; it is the
    /// first to take over from a failed one. All ranks call it.
    ///
    /// # Errors
    /// There are no devices, or a rank is gone.
    pub fn weighted(
        devices: Vec<(Arc<dyn Executor>, u64)>,
        network: Arc<dyn Network>,
    ) -> Result<Arc<Self>, Error> {
        Self::new(devices, network, Vec::new(), BTreeMap::new()).map(Arc::new)
    }

    fn new(
        devices: Vec<(Arc<dyn Executor>, u64)>,
        network: Arc<dyn Network>,
        passed: Vec<Passed>,
        distributions: BTreeMap<String, Distribution>,
    ) -> Result<Self, Error> {
        // A rank without devices notifies the others before it leaves, so that none waits for it.
        let ranks = network.size();
        let counts = gathered(&*network, &vec![1; ranks], &[devices.len() as u64])?;
        let counts: Vec<usize> = counts.into_iter().map(|count| count as usize).collect();
        match counts.iter().position(|&count| count == 0) {
            None => {}
            Some(rank) if ranks > 1 => {
                return Err(Error::Unavailable(format!("rank {rank} has no device to work on")));
            }
            Some(_) => return Err(Error::Unavailable("there is no device to work on".to_owned())),
        }
        let (devices, weights): (Vec<_>, Vec<u64>) = devices.into_iter().unzip();
        let shares = Partition::new(0, &gathered(&*network, &counts, &weights)?);
        let roster = Roster::new(weights);
        Ok(Context { devices, network, counts, shares, roster, passed, distributions })
    }

    /// Selects and opens the devices of a configuration.
    ///
    /// # Errors
    /// Names are unknown, a device has no technology (without `skip`) or does not answer, or no device is
    /// left. Errors have places in the text of the configuration if possible.
    pub fn open(
        node: &Node,
        configuration: &Configuration,
        network: Arc<dyn Network>,
    ) -> Result<Arc<Self>, Vec<Diagnostic>> {
        let mut selector = Selector { node, skip: configuration.skip, found: Vec::new(), passed: Vec::new() };
        let is_other = |name: &str| !name.eq_ignore_ascii_case(network.name());
        if let Some(asked) = configuration.network.as_ref().filter(|asked| is_other(&asked.it)) {
            let message = format!("there is no network `{}`", asked.it);
            let help = format!("this program runs on `{}`", network.name());
            selector
                .report(Diagnostic::error(codes::UNKNOWN_TECHNOLOGY, message).at(asked.span, "").help(help));
        }
        for (entry, _) in configuration.distributions.values().flat_map(|d| &d.entries) {
            selector.expect_device_or_architecture(entry);
        }
        let devices = selector.select(&configuration.selection);
        let Selector { mut found, passed, .. } = selector;
        if found.is_empty() && devices.is_empty() {
            let mut diagnostic = Diagnostic::error(codes::NO_TECHNOLOGY, "there is no device to work on");
            for Passed { device, why } in &passed {
                diagnostic = diagnostic.note(format!("{device}: {why}"));
            }
            found.push(
                diagnostic
                    .help("write `CPU = \"threads\"` into `[context]`: processors are always available"),
            );
        }
        if !found.is_empty() {
            // Other ranks wait for the number of devices of this process. The original error is reported even
            // if they cannot be reached.
            let _ = gathered(&*network, &vec![1; network.size()], &[0]);
            return Err(found);
        }
        let devices = devices.into_iter().map(|device| (device, 1)).collect();
        let context = Self::new(devices, network, passed, configuration.distributions.clone());
        let tell = |error: Error| vec![Diagnostic::error(codes::NO_TECHNOLOGY, error.to_string())];
        context.map(Arc::new).map_err(tell)
    }

    /// The devices of this process, including failed ones.
    pub fn devices(&self) -> &[Arc<dyn Executor>] {
        &self.devices
    }

    /// The number of the device that does the work of `device`: the same, unless it failed.
    pub fn acting(&self, device: usize) -> usize {
        self.roster.acting(device)
    }

    /// Failed devices of this process with the devices that took over, in the order of the failures.
    pub fn failovers(&self) -> Vec<Failover> {
        self.roster.failovers()
    }

    pub(crate) fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The network to the contexts of other processes.
    pub fn network(&self) -> &Arc<dyn Network> {
        &self.network
    }

    /// Number of devices of each rank; at least one.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The owners of `elements` elements: parts in the order of the devices of all ranks.
    pub fn partition(&self, elements: u64) -> Partition {
        self.shares.of(elements)
    }

    /// Settings of the configuration that have no effect.
    pub fn passed(&self) -> &[Passed] {
        &self.passed
    }

    /// The distribution of a name.
    pub fn distribution(&self, name: &str) -> Option<&Distribution> {
        self.distributions.get(name)
    }

    /// The sizes of launches on a device of this process. Without a distribution, those of the one called
    /// `default`, if it exists.
    pub fn sizes(&self, device: usize, distribution: Option<&Distribution>) -> Sizes {
        let distribution = distribution.or_else(|| self.distribution("default"));
        let device = &self.devices[device];
        let sizes = |d: &Distribution| d.sizes(device.name(), &device.offer().device.architecture);
        distribution.map(sizes).unwrap_or_default()
    }
}

/// Gathers numbers of all ranks. `counts` says how many each rank has.
fn gathered(network: &dyn Network, counts: &[usize], own: &[u64]) -> Result<Vec<u64>, Error> {
    let bytes: Vec<usize> = counts.iter().map(|count| 8 * count).collect();
    let parts = parts(&bytes);
    let mut all = vec![0; bytes.iter().sum()];
    let own: Vec<u8> = own.iter().flat_map(|number| number.to_le_bytes()).collect();
    all[parts[network.rank()].clone()].copy_from_slice(&own);
    network.all_gather(&bytes, &mut all)?;
    Ok(all.chunks(8).map(|bytes| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte))).collect())
}

/// Selection of the devices of a node.
struct Selector<'a> {
    node: &'a Node,
    skip: bool,
    found: Vec<Diagnostic>,
    passed: Vec<Passed>,
}

impl<'a> Selector<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Ignores a device, or reports an error.
    fn pass(&mut self, device: String, why: String, at: Option<Span>) {
        if self.skip {
            return self.passed.push(Passed { device, why });
        }
        let message = format!("{device} cannot be used: {why}");
        let diagnostic = Diagnostic::error(codes::NO_TECHNOLOGY, message);
        let diagnostic = at.into_iter().fold(diagnostic, |diagnostic, at| diagnostic.at(at, ""));
        self.report(diagnostic.help("`skip = true` in `[context]` ignores devices without a technology"));
    }

    fn select(&mut self, selection: &Selection) -> Vec<Arc<dyn Executor>> {
        let mut chosen: Vec<(&'a Served, Option<Span>)> = Vec::new();
        match selection {
            Selection::Automatic => {
                chosen.extend(self.node.automatic().into_iter().map(|served| (served, None)));
            }
            Selection::Devices(list) => match self.node.select(&list.it) {
                Ok(served) => chosen.extend(served.into_iter().map(|served| (served, Some(list.span)))),
                Err(error) => {
                    let span = inside(list, &error.span);
                    let known = format!("available are `{}`, `auto`", error.known.join("`, `"));
                    self.report(
                        Diagnostic::error(codes::UNKNOWN_TECHNOLOGY, error.why).at(span, "").help(known),
                    );
                }
            },
            Selection::Architectures(entries) => {
                for (architecture, technologies) in entries {
                    self.architecture(architecture, technologies, &mut chosen);
                }
            }
        }
        let mut devices = Vec::new();
        for (served, at) in chosen {
            match self.node.open(served) {
                Ok(device) => devices.push(device),
                Err(error) => self.pass(format!("`{}`", served.name), error.to_string(), at),
            }
        }
        devices
    }

    fn architecture(
        &mut self,
        architecture: &Placed<String>,
        technologies: &[Placed<String>],
        chosen: &mut Vec<(&'a Served, Option<Span>)>,
    ) {
        let node = self.node;
        let known = node.architectures();
        if !known.contains(&architecture.it) {
            let all = known.iter().map(String::as_str).chain(["skip", "devices"]);
            return self.unknown("architecture", architecture, all);
        }
        let names: Vec<&str> = node.technologies().iter().map(|technology| technology.name()).collect();
        let mut asked = Vec::new();
        for technology in technologies {
            match names.contains(&technology.it.as_str()) {
                true => asked.push(technology.it.as_str()),
                false => self.unknown("technology", technology, names.iter().copied()),
            }
        }
        if asked.len() < technologies.len() {
            return;
        }
        let here = |found: &&NodeDevice| found.device.architecture == architecture.it;
        let of_it: Vec<&NodeDevice> = node.devices().iter().filter(here).collect();
        if of_it.is_empty() {
            let why = "this machine has none".to_owned();
            self.pass(format!("architecture `{}`", architecture.it), why, Some(architecture.span));
        }
        for found in of_it {
            let best = asked.iter().find_map(|name| found.served.iter().find(|s| s.technology == *name));
            if let Some(served) = best {
                // The technology's place in the text is more precise than that of the architecture.
                let at = technologies.iter().find(|t| t.it == served.technology).map(|t| t.span);
                chosen.push((served, at));
                continue;
            }
            let absent = node.absent().iter().find(|absent| absent.technology == asked[0]);
            let why = match absent {
                Some(absent) => format!("{}: {}", absent.technology, absent.why),
                None => format!("`{}` does not support it", asked.join("`, `")),
            };
            self.pass(
                format!("{} ({})", found.device.name, found.device.place),
                why,
                Some(technologies[0].span),
            );
        }
    }

    fn unknown<'k>(
        &mut self,
        what: &str,
        name: &Placed<String>,
        known: impl Iterator<Item = &'k str> + Clone,
    ) {
        let message = format!("unknown {what} `{}`", name.it);
        let unknown = Diagnostic::error(codes::UNKNOWN_TECHNOLOGY, message).at(name.span, "");
        let all = || format!("there are `{}`", known.clone().collect::<Vec<_>>().join("`, `"));
        self.report(unknown.misspelt_or(&name.it, known.clone(), all));
    }

    /// Checks that an entry of a distribution names an architecture, or a device of a known technology. The
    /// device need not be on this machine.
    fn expect_device_or_architecture(&mut self, entry: &Placed<String>) {
        let technology = entry.it.split_once(':').map_or(entry.it.as_str(), |(technology, _)| technology);
        let node = self.node;
        let mut known: Vec<&str> = node.architectures().iter().map(String::as_str).collect();
        known.extend(node.technologies().iter().map(|technology| technology.name()));
        if !known.contains(&entry.it.as_str()) && !known.contains(&technology) {
            self.unknown("architecture or device", entry, known.into_iter());
        }
    }
}

/// The place of a piece of a string in the text; that of the whole string if it contains escapes.
fn inside(string: &Placed<String>, piece: &Range<usize>) -> Span {
    let Span { file, start, end } = string.span;
    let is_plain = (end - start) as usize == string.it.len() + 2;
    match is_plain {
        true => Span::new(file, start as usize + 1 + piece.start, start as usize + 1 + piece.end),
        false => string.span,
    }
}
