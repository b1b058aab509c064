//! Packages and their dependencies, from `cargo metadata`.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package that the workspace is or depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Package {
    /// Name.
    pub name: String,
    /// Version.
    pub version: String,
    /// Licence expression, where the manifest has one.
    pub licence: Option<String>,
    /// Whether it belongs to the workspace.
    pub is_member: bool,
    /// Names of the packages that it is built with (normal and build dependencies).
    pub dependencies: BTreeSet<String>,
    /// Names of the packages that only its tests are built with.
    pub dev_dependencies: BTreeSet<String>,
}

/// For which platforms packages are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platforms {
    /// The one this runs on: needs no packages that the build has not fetched.
    Host,
    /// All.
    All,
}

/// All packages of the workspace that `manifest` belongs to, with `Cargo.lock` as it is.
pub fn packages(manifest: &Path, platforms: Platforms) -> Result<Vec<Package>, String> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version=1", "--locked", "--manifest-path"]).arg(manifest);
    if platforms == Platforms::Host {
        command.args(["--filter-platform", &host()?]);
    }
    let output = command.output().map_err(|e| format!("cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let json = serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    read(&json).ok_or_else(|| "cargo metadata: the answer has another shape than expected".to_owned())
}

/// The folder of what the workspace at `root` builds.
pub fn target_folder(root: &Path) -> Result<PathBuf, String> {
    let folder = workspace(root)?["target_directory"].as_str().map(PathBuf::from);
    folder.ok_or_else(|| "cargo metadata names no folder for what is built".to_owned())
}

/// The names of the packages of the workspace at `root`.
pub fn member_names(root: &Path) -> Result<Vec<String>, String> {
    let json = workspace(root)?;
    let names = json["packages"].as_array().into_iter().flatten().filter_map(|p| p["name"].as_str());
    Ok(names.map(str::to_owned).collect())
}

/// What `cargo metadata` says of the workspace at `root` alone.
fn workspace(root: &Path) -> Result<Value, String> {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root).args(["metadata", "--format-version=1", "--no-deps"]);
    let output = command.output().map_err(|e| format!("cargo metadata: {e}"))?;
    serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))
}

/// The target triple of the compiler.
pub fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|e| format!("rustc: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".to_owned())
}

fn read(json: &Value) -> Option<Vec<Package>> {
    let members: BTreeSet<&str> =
        json["workspace_members"].as_array()?.iter().filter_map(Value::as_str).collect();
    let mut packages = BTreeMap::new();
    for package in json["packages"].as_array()? {
        let id = package["id"].as_str()?;
        let read = Package {
            name: package["name"].as_str()?.to_owned(),
            version: package["version"].as_str()?.to_owned(),
            licence: package["license"].as_str().map(str::to_owned),
            is_member: members.contains(id),
            ..Package::default()
        };
        packages.insert(id, read);
    }
    let names: BTreeMap<&str, String> = packages.iter().map(|(id, p)| (*id, p.name.clone())).collect();
    for node in json["resolve"]["nodes"].as_array()? {
        let package = packages.get_mut(node["id"].as_str()?)?;
        for dependency in node["deps"].as_array()? {
            let name = names.get(dependency["pkg"].as_str()?)?;
            for kind in dependency["dep_kinds"].as_array()? {
                let into = match kind["kind"].as_str() {
                    Some("dev") => &mut package.dev_dependencies,
                    _ => &mut package.dependencies,
                };
                into.insert(name.clone());
            }
        }
    }
    // Packages that the filter by platform has removed have no node, and nothing depends on them.
    let resolved: BTreeSet<&str> =
        json["resolve"]["nodes"].as_array()?.iter().filter_map(|node| node["id"].as_str()).collect();
    packages.retain(|id, _| resolved.contains(id));
    Some(packages.into_values().collect())
}

/// Names of everything that is built for the tests of `package`: its own dependencies and dev-dependencies, and the
/// dependencies of those.
pub fn built_for_tests<'a>(packages: &'a [Package], package: &'a str) -> BTreeSet<&'a str> {
    let by_name: BTreeMap<&str, &Package> = packages.iter().map(|p| (p.name.as_str(), p)).collect();
    let mut seen = BTreeSet::new();
    let mut waiting = vec![package];
    if let Some(package) = by_name.get(package) {
        waiting.extend(package.dev_dependencies.iter().map(String::as_str));
    }
    while let Some(name) = waiting.pop() {
        if seen.insert(name)
            && let Some(package) = by_name.get(name)
        {
            waiting.extend(package.dependencies.iter().map(String::as_str));
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sample() -> Value {
        json!({
            "workspace_members": ["a"],
            "packages": [
                { "id": "a", "name": "a", "version": "1.0.0", "license": "MIT" },
                { "id": "b", "name": "b", "version": "2.0.0", "license": null },
                { "id": "c", "name": "c", "version": "3.0.0", "license": "ISC" },
                { "id": "w", "name": "w", "version": "4.0.0", "license": "GPL-3.0" },
            ],
            "resolve": { "nodes": [
                { "id": "a", "deps": [
                    { "pkg": "b", "dep_kinds": [{ "kind": null }] },
                    { "pkg": "c", "dep_kinds": [{ "kind": "dev" }] },
                ] },
                { "id": "b", "deps": [] },
                { "id": "c", "deps": [{ "pkg": "b", "dep_kinds": [{ "kind": "build" }] }] },
            ] },
        })
    }

    #[test]
    fn kinds_of_dependencies() {
        let packages = read(&sample()).unwrap();
        let names: Vec<&str> = packages.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"], "what no node mentions is not built");
        assert!(packages[0].is_member && !packages[1].is_member);
        assert_eq!(packages[0].dependencies, BTreeSet::from(["b".to_owned()]));
        assert_eq!(packages[0].dev_dependencies, BTreeSet::from(["c".to_owned()]));
        assert_eq!(packages[1].licence, None);
    }

    #[test]
    fn what_tests_need() {
        let packages = read(&sample()).unwrap();
        assert_eq!(built_for_tests(&packages, "a"), BTreeSet::from(["a", "b", "c"]));
        assert_eq!(built_for_tests(&packages, "b"), BTreeSet::from(["b"]));
    }
}
