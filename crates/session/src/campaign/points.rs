//! Points of a grid that are computed in parts.
//!
//! Points that share a state space are a group, and are computed together; groups are dealt out to shards one by one, so that points with
//! large state spaces, which are neighbours as a rule, go to different shards.

use super::Saver;
use crate::report::{ModelReport, PropertyReport};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use volvelle_campaign::{Body, PointRecord, Shard};
use volvelle_control::Stop;
use volvelle_diagnostics::Diagnostic;

/// Which points are computed, and which are known.
#[derive(Clone, Debug, Default)]
pub struct PointWork {
    /// The share that is computed; of none, everything has to be known.
    pub share: Option<Shard>,
    /// What is known.
    pub known: Vec<PointRecord>,
}

/// What was found at the points of a group.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GroupRecord {
    /// One for each property of each point, point by point.
    pub reports: Vec<PropertyReport>,
    /// The state space, if one was explored.
    pub model: Option<ModelReport>,
    /// Diagnostics beside the reports.
    pub diagnostics: Vec<Diagnostic>,
    /// The limit that ended the work.
    pub stop: Option<Stop>,
}

/// What becomes of a group.
pub enum GroupTask {
    /// It is computed here.
    Compute,
    /// It was computed elsewhere or before.
    Known(Box<GroupRecord>),
    /// It is computed elsewhere.
    Skip,
}

/// The work of a run on points, and how far it is.
pub struct PointCampaign {
    share: Option<Shard>,
    known: BTreeMap<u64, Vec<u8>>,
    records: Vec<PointRecord>,
    saver: Option<Box<dyn Saver>>,
    /// Groups of the share that were not done.
    left: bool,
    /// The last record, where another process is to get it.
    last: Option<Vec<u8>>,
}

impl Default for PointCampaign {
    fn default() -> Self {
        PointCampaign::new(PointWork { share: Some(Shard::ALL), known: Vec::new() }, None)
    }
}

impl PointCampaign {
    /// The points to be computed, and who is told of them.
    pub fn new(work: PointWork, saver: Option<Box<dyn Saver>>) -> Self {
        let known = work.known.into_iter().map(|record| (record.point, record.answers)).collect();
        PointCampaign { share: work.share, known, records: Vec::new(), saver, left: false, last: None }
    }

    /// Whether anything is recorded: a run of all points at once needs no records.
    fn is_recorded(&self) -> bool {
        self.saver.is_some()
    }

    /// What becomes of a group.
    pub fn task(&self, group: usize) -> GroupTask {
        let known = self.known.get(&(group as u64)).and_then(|bytes| postcard::from_bytes(bytes).ok());
        match known {
            Some(record) => GroupTask::Known(Box::new(record)),
            None if self.share.is_some_and(|share| share.is_dealt(group as u64)) => GroupTask::Compute,
            None => GroupTask::Skip,
        }
    }

    /// Adds what other processes computed.
    pub fn add_known(&mut self, records: BTreeMap<u64, Vec<u8>>) {
        self.known.extend(records);
    }

    /// Takes the record of the group that was computed last.
    pub fn take_last(&mut self) -> Option<Vec<u8>> {
        self.last.take()
    }

    /// Keeps what was found at a group, unless a limit ended it; `is_for_others` if another process is to get it.
    pub fn keep(&mut self, group: usize, record: &GroupRecord, is_for_others: bool) {
        if is_for_others {
            self.last = postcard::to_allocvec(record).ok().filter(|_| record.stop.is_none());
            return;
        }
        if !self.is_recorded() {
            return;
        }
        match postcard::to_allocvec(record) {
            Ok(answers) if record.stop.is_none() => {
                self.records.push(PointRecord { point: group as u64, answers });
            }
            _ => self.left = true,
        }
        self.save_if_due();
    }

    /// Notes that the work ended before all groups were looked at.
    pub fn end_early(&mut self) {
        self.left = true;
    }

    /// Saves what other processes computed as well, if it is time to.
    pub fn save_with(&mut self, others: &BTreeMap<u64, Vec<u8>>) {
        if let Some(saver) = &mut self.saver
            && saver.is_due()
        {
            let record =
                |(&point, answers): (&u64, &Vec<u8>)| PointRecord { point, answers: answers.clone() };
            let all: BTreeMap<u64, &Vec<u8>> =
                self.known.iter().chain(others).map(|(&point, answers)| (point, answers)).collect();
            let records = all.iter().map(|(point, answers)| record((point, answers))).collect();
            saver.save(Body::Points(records, false));
        }
    }

    fn save_if_due(&mut self) {
        if let Some(saver) = &mut self.saver
            && saver.is_due()
        {
            saver.save(Body::Points(self.records.clone(), false));
        }
    }

    /// What was computed.
    pub fn body(&self) -> Body {
        Body::Points(self.records.clone(), !self.left)
    }
}
