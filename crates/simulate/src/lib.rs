//! Statistical simulation: from a program and properties to a kernel that runs paths, and from paths to samples.
