//! The Python package from a clean environment: the wheel is built, installed, and judged by its tests, its docstrings, the
//! example of its README, and two type checkers.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

mod wheel;

use wheel::{environment, folder, install, requirements, root, run, target};

/// The Python between the fences after `<!-- example -->`.
fn example(page: &Path) -> String {
    let text = fs::read_to_string(page).expect("README.md");
    let (_, rest) = text.split_once("<!-- example -->\n```python\n").expect("the example");
    rest.split_once("```").expect("its end").0.to_owned()
}

#[test]
fn the_wheel_is_built_installed_and_tested() {
    let tests = root().join("python/tests");
    // Type checkers and docstrings need to know Spark, too.
    let python = environment("environment", &requirements(["requirements.txt", "requirements-spark.txt"]));
    install(&python);

    // In the root, where no folder hides the package that is installed.
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    let without_spark = [OsStr::new("--ignore-glob=*/test_spark_*")];
    run(&python, pytest.into_iter().map(OsStr::new).chain(without_spark).chain([tests.as_os_str()]), &root());
    run(&python, pytest.into_iter().chain(["--doctest-modules", "--pyargs", "recount"]), &root());
    run(&python, ["-c", &example(&root().join("python/README.md"))], &root());

    let settings = root().join("python/pyproject.toml");
    let sample = tests.join("typed_sample.py");
    for checked in [&[OsStr::new("-p"), OsStr::new("recount")][..], &[sample.as_os_str()]] {
        let mypy = ["-m", "mypy", "--strict", "--cache-dir", "/dev/null", "--config-file"].map(OsStr::new);
        let checked = checked.iter().copied();
        run(&python, mypy.into_iter().chain([settings.as_os_str()]).chain(checked), &root());
    }
    let project = root().join("python");
    let pyright = ["-m", "pyright", "--project", ".", "--pythonpath"].map(OsStr::new);
    run(&python, pyright.into_iter().chain([python.as_os_str()]), &project);
}

/// From the archive of sources alone, elsewhere: it has everything that a wheel takes.
#[test]
fn the_source_archive_is_whole() {
    let python = environment("environment-of-sources", &requirements(["requirements-build.txt"]));
    let out = folder().join("sources");
    let _ = fs::remove_dir_all(&out);
    let sdist = ["-m", "maturin", "sdist", "--out"].map(OsStr::new);
    run(&python, sdist.into_iter().chain([out.as_os_str()]), &root().join("python"));
    let archive =
        fs::read_dir(&out).expect("an archive").next().expect("an archive").expect("an archive").path();
    run(
        Path::new("tar"),
        [OsStr::new("-xmzf"), archive.as_os_str(), OsStr::new("-C"), out.as_os_str()],
        &root(),
    );
    let unpacked = fs::read_dir(&out).expect("a folder").map(|entry| entry.expect("an entry").path());
    let unpacked = unpacked.into_iter().find(|path| path.is_dir()).expect("a folder");
    let check = [
        "check",
        "--locked",
        "--offline",
        "--manifest-path",
        "crates/recount-python/Cargo.toml",
        "--target-dir",
    ];
    let target = target();
    run(Path::new("cargo"), check.map(OsStr::new).into_iter().chain([target.as_os_str()]), &unpacked);
}
