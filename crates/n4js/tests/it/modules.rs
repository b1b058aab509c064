//! Programs of several files: what one imports from another.

use crate::common::{System, system};

const SHOP: (&str, &str) = (
    "src/shop/Shop.n4js",
    "import {Item as Thing, price, limit} from \"goods/Item\";\n\
     import Till from \"./Till\";\n\
     import * as goods from \"goods/Item\";\n\
     export var first: Thing = new Thing(\"pen\");\n\
     export var cost: number = price(first);\n\
     export var sum: int = new Till().count;\n\
     export var other: goods.Item = new goods.Item(\"cup\");\n\
     export var name: string = goods.price(other) + limit.name;\n",
);

const ITEM: (&str, &str) = (
    "src/goods/Item.n4js",
    "export class Item {\n\
         public name: string;\n\
         constructor(name: string) { this.name = name; }\n\
     }\n\
     export function price(of: Item): number { return of.name.length; }\n\
     export let limit = new Item(\"limit\");\n\
     export type Items = Array<Item>;\n\
     export interface Sold { public item: Item }\n\
     export let [low, high]: number[] = [1, 2];\n\
     class Hidden {}\n\
     Hidden;\n",
);

const TILL: (&str, &str) = ("src/shop/Till.n4js", "export default class Till { public count: int = 0; }\n");

fn system_with<'s>(system: &'s System, program: &str) -> Vec<String> {
    system.told(&[("src/shop/Main.n4js", program), SHOP, ITEM, TILL])
}

#[test]
fn files_import_from_each_other() {
    let system = system();
    assert_eq!(system.told(&[SHOP, ITEM, TILL]), Vec::<String>::new());
    // The order does not count.
    assert_eq!(system.told(&[TILL, ITEM, SHOP]), Vec::<String>::new());
}

#[test]
fn what_is_imported_has_its_type() {
    let system = system();
    // With an empty word, by whatever rule.
    for (program, told) in [
        ("import {Item} from \"goods/Item\"; export var x: Item = 1;", "Fits"),
        ("import {Items} from \"goods/Item\"; export var x: Items = [1];", "Fits"),
        ("import {Sold} from \"goods/Item\"; export var x: Sold = new Sold();", ""),
        ("import {price} from \"goods/Item\"; price(\"a\");", "Fits"),
        ("import {low} from \"goods/Item\"; export var x: string = low;", "Fits"),
        ("import Till from \"./Till\"; export var x: string = new Till().count;", "Fits"),
        ("import * as g from \"goods/Item\"; export var x: string = g.limit;", "Fits"),
        ("import * as g from \"goods/Item\"; export var x: g.Item = \"a\";", "Fits"),
        ("import * as g from \"goods/Item\"; g.zork;", "UnknownMember"),
        ("import * as g from \"goods/Item\"; export var x: string = g;", "Fits"),
        ("import * as g from \"goods/Item\"; g();", ""),
        ("import * as g from \"goods/Item\"; new g();", ""),
        ("import * as g from \"goods/Item\"; export var x: g.Zork;", "QualifiedType"),
        ("import {price} from \"goods/Item\"; export var x: price;", "UnknownType"),
        ("import {Items} from \"goods/Item\"; Items;", "UnknownName"),
        ("import {limit} from \"goods/Item\"; limit = null;", "ImportKept"),
    ] {
        let found = system_with(&system, program);
        assert!(!found.is_empty(), "{program}");
        assert!(found.iter().any(|one| one.ends_with(told)), "{program}: {found:?} without {told}");
        assert!(found.iter().all(|one| one.starts_with("src/shop/Main.n4js")), "{program}: {found:?}");
    }
}

#[test]
fn what_is_not_there() {
    let system = system();
    for (program, told) in [
        ("import {x} from \"./Nowhere\"; x;", &["ModuleThere"][..]),
        ("import {x} from \"../goods/Items\"; x;", &["ModuleThere"]),
        ("import {x} from \"goods/Items\"; x;", &["ModuleThere"]),
        ("import {x} from \"react\"; x.y; new x();", &[]),
        ("import {Hidden} from \"goods/Item\"; Hidden;", &["Exported"]),
        ("import {Zork} from \"goods/Item\"; Zork;", &["Exported"]),
        ("import Zork from \"goods/Item\"; Zork;", &["Exported"]),
        ("export {zork};", &["ExportDeclared"]),
        ("export {zork} from \"goods/Item\";", &["ExportDeclared"]),
        ("export * from \"./Nowhere\";", &["ExportModuleThere"]),
    ] {
        let found = system_with(&system, program);
        let rules: Vec<&str> = found.iter().filter_map(|one| one.rsplit(' ').next()).collect();
        assert_eq!(rules, told, "{program}: {found:?}");
    }
}

#[test]
fn names_are_passed_on() {
    let system = system();
    let through =
        ("src/through.n4js", "export * from \"./goods/Item\"; export {Till as Desk} from \"shop/Shop\";");
    let named =
        ("src/named.n4js", "import {price as p} from \"./through\"; export {p as cost}; export default p;");
    let wrong =
        "import {Item, limit} from \"../through\"; export var x: Item = limit; export var y: string = limit;
        import {cost} from \"../named\"; cost(1);
        import c from \"../named\"; c(2);";
    let files = [("src/shop/Main.n4js", wrong), through, named, ITEM];
    let found = system.told(&files);
    let main: Vec<&String> = found.iter().filter(|one| one.starts_with("src/shop/Main.n4js")).collect();
    assert_eq!(main.len(), 3, "{found:?}");
    assert!(main.iter().all(|one| one.ends_with("Fits")), "{found:?}");
    // The other one is of a file that is not there, but its folder is.
    assert!(
        found.len() == 4 && found[3].starts_with("src/through") && found[3].ends_with("ModuleThere"),
        "{found:?}"
    );
}

/// Files that import from each other in circles, and exports of names that go round.
#[test]
fn circles_end() {
    let system = system();
    let one = (
        "a/One.n4js",
        "import {Two} from \"./Two\"; export class One { public two: Two; } export * from \"./Two\"; export {z} from \"./Two\";",
    );
    let two = (
        "a/Two.n4js",
        "import {One} from \"./One\"; export class Two extends One {} export * from \"./One\"; export {z} from \"./One\";",
    );
    let main = ("a/Main.n4js", "import {Two, z} from \"./One\"; export var x: string = new Two().two; z;");
    let found = system.told(&[one, two, main]);
    let fits: Vec<&String> =
        found.iter().filter(|one| one.starts_with("a/Main") && one.ends_with("Fits")).collect();
    assert_eq!(fits.len(), 1, "{found:?}");
    let values = ("a/V.n4js", "import {w} from \"./W\"; export let v = w;");
    let circle = ("a/W.n4js", "import {v} from \"./V\"; export let w = v;");
    assert_eq!(system.told(&[values, circle]), Vec::<String>::new());
}
