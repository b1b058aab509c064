use super::*;
use volvelle_opencl::processor::KINDS;
use volvelle_random::Random;

fn device(is_cpu: bool) -> Device {
    Device {
        name: "ideal".to_owned(),
        driver: String::new(),
        is_cpu,
        units: 2,
        work_group_max: 4096,
        local_memory_bytes: 1 << 19,
        cache_line_bytes: 64,
        warp: 1,
        caches: vec![[32 << 10, 8, 64], [1 << 20, 16, 64]],
    }
}

/// All launches of the calibration, with times that `cost` gives them.
fn rows(device: &Device, cost: impl Fn(&[f64], &([f64; KIND_COUNT], i64)) -> f64) -> Vec<Row> {
    let mut all = Vec::new();
    for (number, (name, text)) in kernels(device).iter().enumerate() {
        let (found, diagnostics) = described(FileId(0), text, None, None);
        assert_eq!(diagnostics, [], "{name}");
        let task = Task::from_launch(&found.unwrap(), text, &[]).unwrap();
        let Value::Int(size) = task.sizes[0].1 else { panic!("a size") };
        let subject = Subject { size: Some(size), ..Subject::default() };
        let predictor = Predictor::new(FileId(0), text, subject, &described_platform(device)).unwrap();
        let space = task.space(1).unwrap();
        for id in (0..space.len()).map(volvelle_tune::space::ConfigurationId) {
            let names = task.parameters.iter().map(|parameter| parameter.name.clone());
            let named: Vec<(String, Value)> = names.zip(Task::values(&space, id)).collect();
            let features = predictor.features(&named).unwrap();
            let work = predictor.work(&named, &caches(device)).unwrap();
            let nanoseconds = cost(&features, &work);
            all.push(Row { kernel: number, features, work, nanoseconds });
        }
    }
    all
}

/// A device that costs exactly what the coefficients say is found again, up to what the kernels cannot tell apart.
#[test]
fn costs_of_an_ideal_device_are_found() {
    let ideal = [5000.0, 40.0, 3.0, 0.4, 0.2, 0.5, 2.0, 0.3, 15.0, 0.0];
    let device = device(false);
    let all = rows(&device, |features, _| features.iter().zip(ideal).map(|(f, c)| f * c).sum());
    let found = fitted(described_platform(&device), &device, &all, 0);
    assert!(found.platform.processor.is_none());
    checked(&found, 3);
}

/// The same for a processor, whose costs differ from one size of groups to the next.
#[test]
fn costs_of_an_ideal_processor_are_found() {
    let mut random = Random(3);
    let device = device(true);
    let sizes = [1, 2, 4, 8, 16, 32, 64, 256, 1024];
    let costs = sizes.map(|_| [(); KIND_COUNT].map(|()| 0.05 + random.below(100) as f64 / 100.0)).to_vec();
    let ideal = Processor { caches: caches(&device), groups: sizes.to_vec(), costs };
    let all = rows(&device, |_, work| ideal.predict(&work.0, work.1));
    assert!(all.iter().all(|row| sizes.map(i64::from).contains(&row.work.1)));
    // Each kind of work occurs, for some size of a group.
    let used = |kind: usize| all.iter().any(|row| row.work.0[kind] > 0.0);
    let unused: Vec<&str> = (0..KIND_COUNT).filter(|kind| !used(*kind)).map(|kind| KINDS[kind]).collect();
    assert_eq!(unused, [""; 0]);
    let found = fitted(described_platform(&device), &device, &all, 0);
    assert_eq!(found.platform.processor.as_ref().map(|found| &found.groups[..]), Some(&sizes[..]));
    checked(&found, 10);
}

/// The costs explain all launches, and a platform file keeps them.
fn checked(found: &Calibration, least: usize) {
    assert!(found.correlation.unwrap() > 0.999, "{:?}", found.correlation);
    let is_explained = |launches: usize, worst: f64| launches > least && worst < 0.01;
    let all = found.kernels.iter().all(|(_, launches, _, worst)| is_explained(*launches, *worst));
    assert!(all, "{:?}", found.kernels);
    let text = found.platform.write();
    let (back, diagnostics) = Platform::read(FileId(0), &text);
    assert_eq!(diagnostics, []);
    assert_eq!(back, found.platform);
}

#[test]
fn four_digits() {
    assert_eq!(rounded(0.123_456), 0.1235);
    assert_eq!(rounded(123_456.0), 123_500.0);
    assert_eq!((rounded(0.0), rounded(-1.0), rounded(f64::NAN)), (0.0, 0.0, 0.0));
}
