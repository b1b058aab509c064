//! Distances and links of topologies.

use volvelle_mpi::study::Topology;

#[test]
fn distances_in_a_tree() {
    let tree = Topology::Tree(vec![2, 2, 2]);
    let at = |name| tree.place(name, true).expect(name);
    let distance = |a, b| tree.distance(&at(a), &at(b));
    assert_eq!([distance("0.0.0", "0.0.0"), distance("0.0.0", "0.0.1")], [0, 0]);
    assert_eq!([distance("0.0.0", "0.1.0"), distance("0.1.1", "1.1.1")], [1, 2]);
    assert_eq!(tree.distance(&at("0.0.1"), &tree.place("0.0", false).unwrap()), 0);
    assert_eq!(tree.distance(&at("0.0.1"), &tree.place("0.1", false).unwrap()), 1);
    assert_eq!(tree.place("0.2.0", true), None);
    assert_eq!(tree.place("0.0", true), None);
    assert_eq!(tree.processors().len(), 8);
    assert_eq!(tree.links(&at("0.0.0"), &at("1.0.1")), ["0.0", "0", "1", "1.0"]);
    assert_eq!(tree.links(&at("0.0.0"), &at("0.1.1")), ["0.0", "0.1"]);
    assert_eq!(tree.links(&at("0.0.0"), &at("0.0.1")), [""; 0]);
}
