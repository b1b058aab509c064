//! OpenCL.

use crate::devices::stand_in::StandIn;
use crate::devices::{Folder, differential, launches, lifetimes, storage, texts};
use std::path::Path;
use std::process::Command;
use volvelle_runtime::{Error, Place, Technology};
use volvelle_technologies::testing::first_device;
use volvelle_technologies::{Cache, OpenCl};

#[test]
fn memory() {
    if let Some(device) = first_device(&OpenCl::default()) {
        storage::check(&*device);
    }
}

#[test]
fn kernels() {
    if let Some(device) = first_device(&OpenCl::default()) {
        launches::check(&*device, 64);
    }
}

#[test]
fn kernels_of_the_ir() {
    if let Some(device) = first_device(&OpenCl::default()) {
        differential::check(&*device, 0..15);
    }
}

#[test]
fn nothing_is_left() {
    let technology = OpenCl::default();
    if let Some(device) = first_device(&technology) {
        lifetimes::check(device, &|| technology.alive());
    }
}

#[test]
fn devices_are_listed() {
    let technology = OpenCl::default();
    if first_device(&technology).is_none() {
        return;
    }
    let offers = technology.offers().unwrap();
    assert_eq!(offers, technology.offers().unwrap(), "in a fixed order");
    let device = technology.open(0).unwrap();
    assert_eq!((device.name(), device.offer()), ("opencl:0", &offers[0]));
    assert!(device.lanes() > 0);
    for offer in &offers {
        assert!(!offer.device.name.is_empty() && !offer.driver.is_empty() && !offer.driver.contains('\n'));
        assert_eq!(offer.device.architecture == "CPU", offer.device.place == Place::Host);
    }
    let missing = technology.open(offers.len()).map(|_| ()).unwrap_err();
    assert!(matches!(missing, Error::Unavailable(_)), "{missing}");
}

#[test]
fn kernels_are_kept() {
    let folder = Folder::new("kept");
    let cache = Cache::at(folder.path().join("kernels"));
    let built = || {
        let device = first_device(&OpenCl::new(cache.clone()))?;
        let kernel = device.build(&texts::scale_and_add()).unwrap();
        Some(kernel.built().clone())
    };
    let Some(first) = built() else { return };
    assert!(!first.from_cache);
    assert!(built().unwrap().from_cache);
    let files = || -> Vec<_> {
        std::fs::read_dir(folder.path().join("kernels")).unwrap().map(|f| f.unwrap().path()).collect()
    };
    assert_eq!(files().len(), 1);
    let kept = std::fs::read(&files()[0]).unwrap();
    // Torn, changed, empty: as if it were not there, and whole again afterwards.
    for broken in
        [&kept[..kept.len() / 2], &[&kept[..kept.len() - 1], &[!kept[kept.len() - 1]]].concat(), &[]]
    {
        std::fs::write(&files()[0], broken).unwrap();
        assert!(!built().unwrap().from_cache);
        assert!(built().unwrap().from_cache);
        assert_eq!(files().len(), 1);
    }
    // What is kept runs as what was built.
    let device = first_device(&OpenCl::new(cache.clone())).unwrap();
    launches::check(&*device, 8);
    launches::check(&*device, 8);
}

/// Set in a process that shall see another loader than this one.
const ASK: &str = "VOLVELLE_ASK_FOR_OPENCL";

/// Runs one of these tests in a process that sees another loader.
fn elsewhere(test: &str, variable: &str, value: &Path) {
    let test = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("devices::opencl::{test}"), "--nocapture"])
        .env(ASK, value)
        .env(variable, value)
        .output()
        .unwrap();
    assert!(test.status.success(), "{variable}: {}", String::from_utf8_lossy(&test.stderr));
}

/// A loader that is no library, and a loader that finds no driver.
#[test]
fn without_a_loader_or_a_driver() {
    if std::env::var_os(ASK).is_some() {
        let error = OpenCl::default().offers().unwrap_err();
        assert!(matches!(&error, Error::Unavailable(why) if !why.contains('\n')), "{error}");
        assert!(error.to_string().starts_with("no OpenCL: the loader "), "{error}");
        assert!(OpenCl::default().open(0).is_err());
        return;
    }
    let folder = Folder::new("loader");
    std::fs::write(folder.path().join("libOpenCL.so.1"), "not a library").unwrap();
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    elsewhere("without_a_loader_or_a_driver", "LD_LIBRARY_PATH", folder.path());
    elsewhere("without_a_loader_or_a_driver", "OCL_ICD_VENDORS", &empty);
}

/// A loader that passes calls on to the real one, and fails one of them.
#[test]
fn every_call_fails_once() {
    if let Some(library) = std::env::var_os(ASK) {
        let folder = Folder(Path::new(&library).parent().unwrap().to_owned());
        let stand_in = StandIn { folder };
        let technology = OpenCl::default();
        lifetimes::every_call_fails_once(
            &technology,
            &|| technology.alive(),
            &stand_in,
            "0 0 0 0 0 0",
            &["CL_"],
        );
        return;
    }
    if first_device(&OpenCl::default()).is_none() {
        return;
    }
    let text = include_str!("stand_in/opencl.cpp");
    if let Some(stand_in) = StandIn::new("opencl-failing", "loader.so", text, &[]) {
        elsewhere("every_call_fails_once", "OPENCL_DYLIB_PATH", &stand_in.folder.path().join("loader.so"));
    }
}
