//! PRISM as trees.

use crate::common::{corpus, read};
use crate::edits::edited;
use volvelle_diagnostics::has_errors;
use volvelle_metamodels::Prism;
use volvelle_rules::language::Language;

const FOLDERS: &[&str] = &["examples/prism", "../shared/corpus/prism"];
const ENDINGS: &[&str] = &["prism", "pm", "sm", "nm"];

#[test]
fn the_corpus_is_read_with_its_places() {
    let language = Prism::new();
    for (path, text) in corpus(FOLDERS, ENDINGS) {
        let read = read(&language, &text);
        assert!(!has_errors(&read.found), "{}", path.display());
        assert!(read.tree.len() > 1, "{}", path.display());
    }
}

#[test]
fn damaged_texts_have_trees_too() {
    let language = Prism::new();
    for (seed, (_, text)) in (0..).zip(corpus(FOLDERS, ENDINGS)) {
        // Large ones take long, and have nothing that small ones lack.
        if text.len() < 20_000 {
            for edited in edited(&text, seed) {
                read(&language, &edited);
            }
        }
    }
}

/// What a node's place has is read as the same node again.
#[test]
fn texts_of_nodes_are_those_of_the_constructs() {
    let language = Prism::new();
    let classes = language.classes();
    let find = |name: &str| classes.find(name).expect("a class of the table");
    let [expression, command, variable, item] = ["Expression", "Command", "Variable", "RewardItem"].map(find);
    let alone = ["Constant", "Formula", "Label", "Module", "Rewards", "Init", "ModelType"].map(find);
    let mut seen = std::collections::HashSet::new();
    for (path, text) in corpus(FOLDERS, ENDINGS) {
        if text.len() > 20_000 {
            continue;
        }
        let whole = read(&language, &text);
        for node in whole.tree.nodes() {
            let class = whole.tree.class(node);
            let is = |of| classes.is_kind(class, of);
            let span = whole.tree.span(node);
            let own = &text[span.start as usize..span.end as usize];
            let wrapped = match () {
                () if is(expression) => format!("const double z = {own};"),
                () if is(command) || is(variable) => format!("module m\n{own} endmodule"),
                () if is(item) => format!("rewards {own} endrewards"),
                () if alone.into_iter().any(is) => own.to_owned(),
                () => continue,
            };
            if !seen.insert(wrapped.clone()) {
                continue;
            }
            let again = read(&language, &wrapped);
            assert!(!has_errors(&again.found), "{}: {wrapped}", path.display());
            // What stands outside is made last.
            let mut found = again.tree.nodes().rev().filter(|&node| again.tree.class(node) == class);
            let found = found.next().unwrap_or_else(|| panic!("{}: {wrapped}", path.display()));
            let shown = again.shown_but(classes, found, "comments").replace(" isGlobal", "");
            let wanted = whole.shown_but(classes, node, "comments").replace(" isGlobal", "");
            assert_eq!(shown, wanted, "{}: {wrapped}", path.display());
        }
    }
}

fn shown(text: &str) -> String {
    let language = Prism::new();
    let read = read(&language, text);
    assert!(read.found.is_empty(), "{:?}", read.found);
    read.shown(language.classes(), read.root)
}

#[test]
fn declarations_and_their_parts() {
    let text = "ctmc const double mu = 1/3; formula f = min(mu, 2) > 1 ? mu : -mu; \
                module m x : [0..2] init 1; [a] !(x=1) & true -> mu : (x'=x+1); endmodule \
                module n = m [x=y] endmodule \
                rewards \"r\" x>0 : 2; [a] true : x; endrewards";
    assert_eq!(
        shown(text),
        "Model(type=ModelType(kind=ctmc) \
         constants=[Constant(name=mu type=double value=Quotient(left=IntegerLiteral(value=1) operator=/ right=IntegerLiteral(value=3)))] \
         formulas=[Formula(name=f value=Conditional(condition=Relation(left=Call(function=min arguments=[NameUse(name=mu) \
         IntegerLiteral(value=2)]) operator=> right=IntegerLiteral(value=1)) then=NameUse(name=mu) \
         otherwise=Negation(operand=NameUse(name=mu))))] \
         modules=[PlainModule(name=m variables=[Variable(name=x low=IntegerLiteral(value=0) high=IntegerLiteral(value=2) \
         initial=IntegerLiteral(value=1))] \
         commands=[Command(action=a guard=Logical(left=Not(operand=Paren(operand=Equality(left=NameUse(name=x) operator== \
         right=IntegerLiteral(value=1)))) operator=& right=BooleanLiteral(value)) updates=[Update(weight=NameUse(name=mu) \
         assignments=[Assignment(name=x value=Additive(left=NameUse(name=x) operator=+ right=IntegerLiteral(value=1)))])])]) \
         RenamedModule(name=n base=m renamings=[Renaming(name=y original=x)])] \
         rewards=[Rewards(name=r items=[StateReward(guard=Relation(left=NameUse(name=x) operator=> right=IntegerLiteral(value=0)) \
         value=IntegerLiteral(value=2)) TransitionReward(guard=BooleanLiteral(value) value=NameUse(name=x) action=a)])])"
    );
}

#[test]
fn comments_are_those_above_within_and_behind() {
    let text = "// a header\n\nctmc // one\n// two\n// three\nconst int a = 1; // four\nconst int b = 2; const int c = 3; // five\n\
                // six\n\nmodule m // seven\n  // eight\n  x : [0 .. // nine\n 1]; // ten\n  [] x=0 -> 1 : // eleven\n    true; // twelve\n\
                endmodule\nrewards // thirteen\n  true : 1; // fourteen\nendrewards // fifteen";
    let language = Prism::new();
    let read = read(&language, text);
    let shown = read.shown(language.classes(), read.root);
    let comments: Vec<&str> =
        shown.split("comments=[").skip(1).filter_map(|part| part.split(']').next()).collect();
    assert_eq!(
        comments,
        [
            "// one",
            "// two // three // four",
            "// five",
            "// seven",
            "// eight // nine // ten",
            "// eleven // twelve",
            "// thirteen",
            "// fourteen"
        ]
    );
}

#[test]
fn depth_and_length_use_no_stack() {
    let chain = format!("dtmc const int a = {}1; ", "1+".repeat(100_000));
    read(&Prism::new(), &chain);
    let deep = format!("dtmc const int a = {}1{};", "(".repeat(50_000), ")".repeat(50_000));
    read(&Prism::new(), &deep);
}
