//! Networks that configurations name. Those with several processes are tested in `tests/mpi`.

use volvelle_diagnostics::{Diagnostic, FileId, codes};
use volvelle_runtime::Error;
use volvelle_runtime::configuration::Configuration;
use volvelle_technologies::Connection;
use volvelle_technologies::mpi::{LIBRARY_VARIABLE, Launcher, Settings};

fn open(text: &str, variables: &[(&str, &str)]) -> Result<Connection, Diagnostic> {
    let (configuration, mistakes) = Configuration::read(FileId(0), text);
    assert_eq!(mistakes, []);
    let ask = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    Connection::open(&configuration, &Launcher::of(ask), Settings::default())
}

/// A library that is not there, so that nothing is initialised.
const NOWHERE: (&str, &str) = (LIBRARY_VARIABLE, "no-such-folder/libmpi.so");

#[test]
fn a_process_that_is_alone() {
    let launched = [("OMPI_COMM_WORLD_SIZE", "4"), NOWHERE];
    let one = [("PMI_SIZE", "1"), NOWHERE];
    for connection in [
        open("", &[]),
        open("", &one),
        open("network = 'single'", &launched),
        open("network = 'Single'", &[]),
    ] {
        let connection = connection.unwrap();
        assert_eq!((connection.network().name(), connection.network().size()), ("single", 1));
        assert_eq!(connection.run(|network| Ok::<_, Error>(network.size())), Ok(1));
    }
    let failing = open("", &[]).unwrap().run(|_| Err::<(), _>(Error::Refused("it is late".to_owned())));
    assert!(failing.is_err());
}

#[test]
fn networks_that_are_not_there() {
    let launched = [("OMPI_COMM_WORLD_SIZE", "4"), NOWHERE];
    // Some launchers do not tell how many processes there are.
    let unknown = [("PMIX_RANK", "0"), NOWHERE];
    for found in [
        open("network = 'mpi'", &[NOWHERE]),
        open("", &launched),
        open("network = 'MPI'", &launched),
        open("", &unknown),
    ] {
        let diagnostic = found.err().unwrap();
        assert_eq!(diagnostic.code, codes::NO_TECHNOLOGY);
        assert!(diagnostic.message.contains(NOWHERE.1), "{}", diagnostic.message);
    }
    let diagnostic = open("network = 'mpl'", &[]).err().unwrap();
    assert_eq!(diagnostic.code, codes::UNKNOWN_TECHNOLOGY);
    assert!(format!("{diagnostic:?}").contains("did you mean `mpi`?"), "{diagnostic:?}");
    let diagnostic = open("network = 'carrier pigeons'", &[]).err().unwrap();
    assert!(format!("{diagnostic:?}").contains("there are `single`, `mpi`"), "{diagnostic:?}");
}
