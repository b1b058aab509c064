//! Fields of states with processes.

use volvelle_model::{
    Choice, Component, ComponentId, Domain, Field, FieldId, NetworkLayout, Origin, Pool, PoolId, Program,
    Shape,
};

fn field(name: &str, lo: i64, hi: i64, length: u32, component: Option<ComponentId>) -> Field {
    Field { name: name.into(), domain: Domain::Int { lo, hi }, component, length, origin: Origin(0) }
}

#[test]
fn fields_do_not_touch_each_other() {
    let mut p = Program::new(Choice::Nondeterministic);
    for name in ["header", "a", "b"] {
        p.components.push(Component { name: name.into() });
    }
    let (header, a, b) = (ComponentId(0), ComponentId(1), ComponentId(2));
    p.fields = vec![
        field("count", 0, 255, 1, None),
        field("xs", -5, 5, 100, None),
        field("wide", i64::from(i32::MIN), i64::from(i32::MAX), 1, None),
        field("nothing", 3, 3, 4, None),
        field("location", 0, 37, 1, Some(header)),
        field("flags", 0, 1, 7, Some(a)),
        field("v", 0, 6, 20, Some(a)),
        field("w", -1, 1, 1, Some(b)),
    ];
    let (count, members) = (FieldId(0), vec![a, b]);
    p.network.pools.push(Pool { name: "processes".into(), header, members, count, kind: None });
    let shape = Shape { slots: vec![vec![256, 64, 256]].into() };
    let layout = NetworkLayout::new(&p, shape);
    assert!(layout.component_bits(a) <= 256 && layout.component_bits(b) == 8);
    let mut random = volvelle_random::Random(7);
    let mut state = vec![0; layout.words()];
    let mut known = std::collections::HashMap::new();
    for _ in 0..20_000 {
        let f = FieldId(random.below(p.fields.len()) as u32);
        let slot = random.below(3);
        if !layout.has(f, slot) || (f.0 == 7 && slot != 1) || (matches!(f.0, 5 | 6) && slot == 1) {
            continue;
        }
        let info = &p.fields[f.index()];
        let element = random.below(info.length as usize);
        let (lo, hi) = info.domain.bounds();
        let value = lo + random.below((hi - lo) as usize + 1) as i64;
        let slot = if info.component.is_none() { 0 } else { slot };
        layout.set(&mut state, f, slot, element, value);
        known.insert((f, slot, element), value);
        // Slots 0 and 2 have equal sizes, so one can hold the contents of the other.
        let mut copy = state.clone();
        layout.copy_record(&state, &mut copy, PoolId(0), a, 0, 2);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        layout.read_record(&state, PoolId(0), 0, a, &mut first);
        layout.read_record(&copy, PoolId(0), 2, a, &mut second);
        assert_eq!(first, second);
        layout.read_record(&state, PoolId(0), 1, b, &mut first);
        layout.read_record(&copy, PoolId(0), 1, b, &mut second);
        assert_eq!(first, second, "the others are as they were");
        for (&(f, slot, element), &value) in &known {
            assert_eq!(layout.get(&state, f, slot, element), value, "{f:?} {slot} {element}");
        }
    }
}
