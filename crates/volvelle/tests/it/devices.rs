//! Devices: what there is, and that it does not matter which of them works.

use crate::common::schema::problems;
use crate::common::{Folder, examples, root, run_in};
use serde_json::Value;

const TANDEM: &str = "ctmc
const int c = 4;
module clients
  sc : [0..c] init 0;
  [] sc<c -> 4*c : (sc'=sc+1);
  [route] sc>0 -> 2 : (sc'=sc-1);
endmodule
module servers
  sm : [0..c] init 0;
  [route] sm<c -> 1 : (sm'=sm+1);
  [] sm>0 -> 3.7 : (sm'=sm-1);
endmodule
rewards \"jobs\" true : sc+sm; endrewards
";

fn properties() -> &'static str {
    "\"full\": P=? [ F<=0.7 sc=c & sm=c ]; \"jobs\": R=? [ I=1.3 ]; \"served\": P=? [ sm<2 U sm=2 ];"
}

/// Names of all devices here.
fn devices(folder: &Folder) -> Vec<String> {
    let document = folder.run(&["devices", "--json"]).exits(0).json();
    let schema = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let found = problems(&schema, &document);
    assert!(found.is_empty(), "{}\n{document:#}", found.join("\n"));
    let listed = document["devices"].as_array().expect("devices").iter();
    let services = listed.flat_map(|device| device["services"].as_array().expect("services"));
    services.map(|service| service["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_machine_is_listed() {
    let folder = Folder::new();
    let run = folder.run(&["devices"]).exits(0);
    assert!(run.err.is_empty(), "{}", run.err);
    for name in devices(&folder) {
        assert!(run.out.lines().any(|line| line.trim_start().starts_with(&name)), "{name}:\n{}", run.out);
    }
    // What is not there is told in one line each.
    for technology in ["opencl", "cuda"] {
        assert!(run.out.contains(technology), "{}", run.out);
    }
}

#[test]
fn it_does_not_matter_who_works() {
    let folder = Folder::with_model(TANDEM).file("model.props", properties());
    let simulate = |device: &str| {
        let arguments =
            ["simulate", "model.prism", "model.props", "--samples", "3000", "--json", "--device", device];
        let run = folder.run(&arguments).exits(0);
        assert!(run.err.is_empty(), "{device}: {}", run.err);
        let results = run.json()["results"].clone();
        let results = results.as_array().expect("results").clone();
        let told = |result: &Value| {
            (
                result["value"].clone(),
                result["lo"].clone(),
                result["hi"].clone(),
                result["statistics"]["steps"].clone(),
            )
        };
        (results.iter().map(told).collect::<Vec<_>>(), results[0]["statistics"]["tier"].clone())
    };
    let (expected, _) = simulate("threads");
    for device in devices(&folder) {
        let (found, tier) = simulate(&device);
        assert_eq!(found, expected, "{device}");
        if device.contains(':') {
            assert_eq!(tier, device.as_str());
        }
    }
    assert_eq!(simulate("auto").0, expected);
    let (everything, _) = simulate(&devices(&folder).join(","));
    assert_eq!(everything, expected);
}

/// Compilers of devices may take longer than all the time that verification has; it is the paths' alone.
#[test]
fn values_are_verified_on_devices() {
    let folder = Folder::with_model(TANDEM);
    for device in devices(&folder) {
        let check = ["check", "model.prism", "--prop", "R=? [ I=1.3 ]", "--json", "--device", &device];
        let run = folder
            .run(&[&check[..], &["--verify-time", "100", "--verify-samples", "20000", "--verify"]].concat())
            .exits(0);
        let verification = &run.json()["results"][0]["verification"];
        assert_eq!(verification["agrees"], true, "{device}: {verification}");
        if device.contains(':') {
            assert_eq!(verification["tier"], device.as_str());
        }
    }
}

/// What is told of the properties of a shipped model, except for times and tiers.
fn told_of_example(model: &str, device: &str) -> Value {
    let text = std::fs::read_to_string(examples().join(model)).expect("a model");
    let properties = model.replace(".prism", ".props");
    let mut arguments =
        vec!["simulate", model, &properties, "--samples", "600", "--json", "--device", device];
    if text.contains("mdp") {
        arguments.extend(["--scheduler", "uniform"]);
    }
    if model.starts_with("gambler") {
        arguments.extend(["--const", "start=4"]);
    }
    if model.starts_with("client_server") {
        arguments.extend(["--const", "T=5"]);
    }
    let mut results = run_in(&examples(), &arguments).json()["results"].clone();
    for result in results.as_array_mut().expect("results") {
        result["seconds"] = Value::Null;
        if let Some(statistics) = result.get_mut("statistics") {
            (statistics["seconds"], statistics["tier"]) = (Value::Null, Value::Null);
        }
    }
    results
}

#[test]
fn examples_are_the_same_on_every_device() {
    let folder = Folder::new();
    let devices = devices(&folder);
    let others: Vec<&String> = devices.iter().filter(|device| device.contains(':')).collect();
    let mut simulated = 0;
    for entry in std::fs::read_dir(examples()).expect("the examples") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if !name.ends_with(".prism") {
            continue;
        }
        let expected = told_of_example(&name, "threads");
        simulated +=
            expected.as_array().map_or(0, |all| all.iter().filter(|r| r.get("statistics").is_some()).count());
        for device in &others {
            assert_eq!(told_of_example(&name, device), expected, "{name} on {device}");
        }
    }
    assert!(simulated > 20, "{simulated} properties are simulated");
}

#[test]
fn names_that_mean_no_device_are_refused() {
    let folder = Folder::with_model(TANDEM);
    for (device, message) in [
        ("abacus", "there is no device `abacus`"),
        ("", "a device is missing"),
        ("threads,threads", "named twice"),
        ("opencl:99", "opencl:99"),
        ("cuda:99", "cuda:99"),
    ] {
        for command in ["simulate", "check"] {
            let run = folder
                .run(&[command, "model.prism", "--prop", "P=? [ F sm=3 ]", "--device", device])
                .exits(2);
            assert!(run.err.contains("V1010") && run.err.contains(message), "{device}: {}", run.err);
        }
    }
}

#[test]
fn configurations_select() {
    let folder = Folder::with_model(TANDEM)
        .file("good.toml", "network = \"single\"\n[context]\nskip = true\nCPU = \"threads\"\n")
        .file("slow.toml", "[context]\ndevices = \"interpreter\"\n")
        .file("bad.toml", "[context]\nCPU = \"abacus\"\n")
        .file("worse.toml", "[context]\nskip = 3\n");
    let run = |file: &str| {
        let property = "P=? [ F<=0.7 sm=3 ]";
        folder.run(&[
            "simulate",
            "model.prism",
            "--prop",
            property,
            "--samples",
            "900",
            "--json",
            "--device-config",
            file,
        ])
    };
    let tier = |file: &str| run(file).exits(0).json()["results"][0]["statistics"]["tier"].clone();
    assert!(tier("good.toml").as_str().expect("a tier").starts_with("native"));
    assert_eq!(tier("slow.toml"), "interpreter");
    let bad = run("bad.toml").exits(2);
    assert!(bad.err.contains("abacus") && bad.err.contains("bad.toml:2:7"), "{}", bad.err);
    // Numerical analyses follow it as well.
    let check = ["check", "model.prism", "--prop", "P=? [ F<=0.7 sm=3 ]", "--json", "--explain"];
    let document = folder.run(&[&check[..], &["--device-config", "slow.toml"]].concat()).exits(0).json();
    assert_eq!(document["results"][0]["explain"]["sweeps"][0]["value"], "interpreter", "{document:#}");
    let worse = run("worse.toml").exits(2);
    assert!(worse.err.contains("worse.toml:2:8"), "{}", worse.err);
    run("missing.toml").exits(2);
    let both = ["check", "model.prism", "--device", "threads", "--device-config", "good.toml"];
    folder.run(&both).exits(2);
}

#[test]
fn code_is_shown() {
    let folder = Folder::with_model(TANDEM);
    let emit = |form: &str| {
        folder.run(&["simulate", "model.prism", "--prop", "P=? [ F<=0.7 sm=3 ]", "--print-code", form])
    };
    for (form, words) in [
        ("kernel.cl", &["kernel void", "// sc : [0..4]", "Measured: P=? [ F<=0.7 sm=3 ]"][..]),
        ("kernel.cu", &["extern \"C\" __global__ void", "// sm : [0..4]", "atomicAdd"]),
        ("kernel.vk", &["kernel paths(", "site @0", "horizon0"]),
        ("asm", &["block0:"]),
    ] {
        let run = emit(form).exits(0);
        for word in words {
            assert!(run.out.contains(word), "{form}: {word}\n{}", run.out);
        }
        assert!(run.err.is_empty(), "{}", run.err);
    }
    assert!(emit("kernel.f90").exits(2).err.contains("kernel.cl"));
}
