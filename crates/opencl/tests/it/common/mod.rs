//! Reading kernels and platforms for tests.

use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_opencl::{Model, Platform, Request, read, table};

/// The text of an example.
pub fn example(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    std::fs::read_to_string(format!("{folder}{name}")).expect("an example")
}

/// A platform that ships.
pub fn platform(name: &str) -> Platform {
    let mut sources = Sources::new();
    let text = example(&format!("platforms/{name}.toml"));
    let file = sources.add(name, text.clone());
    let (platform, found) = Platform::read(file, &text);
    assert!(found.is_empty(), "{}", render_all(&found, &sources, RenderOptions::default()));
    platform
}

/// The model of a kernel.
pub fn model(text: &str, platform: &Platform) -> Model {
    let mut sources = Sources::new();
    let file = sources.add("kernel.cl", text);
    let (kernel, found) = read(file, text, &Request::default());
    assert!(kernel.is_some(), "{}", render_all(&found, &sources, RenderOptions::default()));
    match Model::new(&kernel.unwrap(), platform) {
        Ok(model) => model,
        Err(found) => panic!("{}", render_all(&found, &sources, RenderOptions::default())),
    }
}

/// The table of a model for a size.
pub fn table(model: &Model, size: i64) -> Vec<table::Row> {
    let mut names = vec![0; model.names.len()];
    names[model.names.find("size").unwrap().0 as usize] = size;
    let choices = table::choices(&model.launch, model.names.find("size"), &names).unwrap();
    let configurations = table::configurations(&model.launch, &names, &choices).unwrap();
    configurations.iter().map(|values| table::row(model, &names, values)).collect()
}
