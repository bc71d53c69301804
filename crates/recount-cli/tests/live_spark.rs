//! The Python package on Spark, with a JVM: `python/tests/test_spark_*.py` in a clean environment. It needs Java 17.

use std::ffi::{OsStr, OsString};
use std::fs;

mod wheel;

use wheel::{environment, install, requirements, root, run};

#[test]
fn captures_are_read_by_spark() {
    let needed = requirements(["requirements.txt", "requirements-spark.txt"]);
    let python = environment("environment-of-spark", &needed);
    install(&python);
    let tests = root().join("python/tests");
    let names = fs::read_dir(&tests).expect("python/tests").map(|entry| entry.expect("a file").path());
    let is_of_spark = |name: &OsStr| name.to_string_lossy().starts_with("test_spark_");
    let files: Vec<OsString> = names
        .filter(|path| path.file_name().is_some_and(is_of_spark))
        .map(std::path::PathBuf::into_os_string)
        .collect();
    assert!(files.len() >= 5, "{files:?}");
    // In the root, where no folder hides the package that is installed.
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"].map(OsString::from);
    run(&python, pytest.into_iter().chain(files), &root());
}
