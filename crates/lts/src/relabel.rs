//! Renaming and hiding the labels of a system.

use volvelle_labels::{Hiding, Renaming};
use volvelle_space::{Labels, Lts};

/// The system with other labels: renamed by the first rule that matches, then hidden. The internal action stays what it is.
pub fn relabel(lts: Lts, renamings: &[Renaming], hiding: Option<&Hiding>) -> Lts {
    if renamings.is_empty() && hiding.is_none() {
        return lts;
    }
    let mut labels = Labels::new();
    let number: Vec<u32> = (0u32..)
        .zip(lts.labels.texts())
        .map(|(number, text)| {
            if number == Labels::INTERNAL {
                return Labels::INTERNAL;
            }
            let renamed = Renaming::first(renamings, text);
            let text = hiding.map_or(renamed.clone(), |hiding| hiding.apply(&renamed));
            labels.number(&text)
        })
        .collect();
    lts.relabelled(labels, &number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_space::Edge;

    #[test]
    fn labels_are_renamed_then_hidden() {
        let mut labels = Labels::new();
        let latency = labels.number("LATENCY !HIT");
        let start = labels.number("START");
        let other = labels.number("OTHER");
        let edges = [latency, start, other, 0].map(|label| Edge { label, target: 0 });
        let lts = Lts::new(0, labels, vec![0, 4], edges.to_vec());
        let renaming = Renaming::read(r"/LATENCY !(.*)/\1; rate 2.5/").unwrap();
        let hiding = Hiding::read("all but START.*").unwrap();
        let found = relabel(lts.clone(), std::slice::from_ref(&renaming), Some(&hiding));
        let texts: Vec<&str> = found.outgoing(0).iter().map(|e| found.labels.text(e.label)).collect();
        assert_eq!(texts, ["rate 2.5", "START", "i", "i"]);
        let found = relabel(lts, &[renaming], None);
        assert_eq!(found.labels.text(found.outgoing(0)[0].label), "HIT; rate 2.5");
    }
}
