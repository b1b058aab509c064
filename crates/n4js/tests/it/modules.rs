//! Programs of several files: what one imports from another.

use crate::common::{System, system};
use std::collections::BTreeSet;
use std::path::Path;

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

fn system_with(system: &System, program: &str) -> Vec<String> {
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

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// What a file of a random program exports: by declarations, from others under other names, and all of others.
#[derive(Default)]
struct Exports {
    own: BTreeSet<String>,
    renamed: Vec<(usize, String, String)>,
    all: Vec<usize>,
}

impl Exports {
    fn random(number: usize, files: usize, numbers: &mut Numbers) -> Self {
        let mut exports = Exports::default();
        for name in 0..numbers.below(3) {
            exports.own.insert(format!("C{number}{name}"));
        }
        for name in 0..numbers.below(3) {
            let letter = ["C", "R"][numbers.below(2)];
            let local = format!("{letter}{}{}", numbers.below(files), numbers.below(3));
            exports.renamed.push((numbers.below(files), local, format!("R{number}{name}")));
        }
        exports.all = (0..numbers.below(3)).map(|_| numbers.below(files)).collect();
        exports
    }

    fn text(&self) -> String {
        let own = self.own.iter().map(|name| format!("export class {name} {{}}\n"));
        let renamed = self
            .renamed
            .iter()
            .map(|(from, local, name)| format!("export {{{local} as {name}}} from \"./F{from}\";\n"));
        let all = self.all.iter().map(|from| format!("export * from \"./F{from}\";\n"));
        own.chain(renamed).chain(all).collect()
    }
}

/// The names that files export, by going on until nothing changes; with `is_told`, names that a file gets from another one count
/// whether they are there or not.
fn names_of(all: &[Exports], is_told: bool) -> Vec<BTreeSet<String>> {
    let mut names: Vec<BTreeSet<String>> = all.iter().map(|one| one.own.clone()).collect();
    loop {
        let before = names.clone();
        for (number, exports) in all.iter().enumerate() {
            for (from, local, name) in &exports.renamed {
                if *from != number && before[*from].contains(local) || is_told {
                    names[number].insert(name.clone());
                }
            }
            for from in exports.all.iter().filter(|&&from| from != number) {
                names[number].extend(before[*from].iter().cloned());
            }
        }
        if names == before {
            return names;
        }
    }
}

/// An import of a name is right where the file exports it, over however many others, and told where no file has it or says it has.
#[test]
fn exports_are_those_of_the_slow_way() {
    let system = system();
    let mut numbers = Numbers(7);
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..60 {
        let files = 2 + numbers.below(4);
        let all: Vec<Exports> =
            (0..files).map(|number| Exports::random(number, files, &mut numbers)).collect();
        // A file that exports from itself or all of itself means nothing that is there.
        if all
            .iter()
            .enumerate()
            .any(|(at, one)| one.all.contains(&at) || one.renamed.iter().any(|of| of.0 == at))
        {
            continue;
        }
        let (there, told) = (names_of(&all, false), names_of(&all, true));
        let mut main = String::new();
        let mut expected = Vec::new();
        for from in 0..files {
            for name in (0..files * 6).map(|at| format!("{}{}{}", ["C", "R"][at % 2], at / 6, at / 2 % 3)) {
                let line = main.lines().count() + 1;
                main += &format!(
                    "import {{{name} as N{line}}} from \"./F{from}\"; var v{line}: N{line} = null;\n"
                );
                if there[from].contains(&name) {
                    right += 1;
                } else if !told[from].contains(&name) {
                    expected.push(line);
                }
            }
        }
        wrong += expected.len();
        let texts: Vec<(String, String)> =
            all.iter().enumerate().map(|(at, one)| (format!("d/F{at}.n4js"), one.text())).collect();
        let mut given = vec![("d/Main.n4js", main.as_str())];
        given.extend(texts.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        let found = system.told(&given);
        let line = |one: &String| one.strip_prefix("d/Main.n4js:")?.split(':').next()?.parse::<usize>().ok();
        let imports: Vec<usize> =
            found.iter().filter(|one| one.ends_with(" Exported")).filter_map(line).collect();
        assert_eq!(imports, expected, "{main}\n{texts:?}\n{found:?}");
    }
    assert!(right > 50 && wrong > 50, "{right} {wrong}");
}

/// The examples of the documents: a shop without a mistake, and an order with two.
#[test]
fn examples_are_told_as_they_are_meant() {
    let system = system();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/n4js");
    let read = |name: &'static str| {
        (name, std::fs::read_to_string(folder.join(name)).expect("the example is there"))
    };
    let texts = [read("order.n4js"), read("shop/Basket.n4js"), read("shop/Item.n4js")];
    let files: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    assert_eq!(system.told(&files[1..]), Vec::<String>::new());
    let found = system.told(&files);
    assert!(found.len() == 2 && found.iter().all(|one| one.ends_with("Fits")), "{found:#?}");
}
