//! Values of JSON, with their places.

use volvelle_wks::structure::json_text::{Json, Value};

#[test]
fn places() {
    let json = Json(" { \"a\\\"]\" : [1.50, -2e3 ,\"x,\\\\\", {}, [[]] ] , \"b\":{\"c\":null}} ");
    let members: Vec<_> = json.members(json.root()).expect("an object").collect();
    let texts: Vec<_> = members.iter().map(|(name, value)| (json.text(*name), json.text(*value))).collect();
    assert_eq!(texts, [("\"a\\\"]\"", "[1.50, -2e3 ,\"x,\\\\\", {}, [[]] ]"), ("\"b\"", "{\"c\":null}")]);
    let items: Vec<_> = json.items(members[0].1).expect("an array").collect();
    let texts: Vec<_> = items.iter().map(|value| json.text(*value)).collect();
    assert_eq!(texts, ["1.50", "-2e3", "\"x,\\\\\"", "{}", "[[]]"]);
    assert_eq!(json.items(items[4]).expect("an array").count(), 1);
    assert_eq!(json.members(items[3]).expect("an object").count(), 0);
    assert!(json.items(items[0]).is_none() && json.members(items[4]).is_none());
    assert_eq!(json.string(members[0].0).as_deref(), Some("a\"]"));
    assert_eq!((json.string(items[0]), Json("\"\\ud800\"").string(Value { start: 0, end: 8 })), (None, None));
}
