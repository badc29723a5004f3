// SPDX-License-Identifier: MIT
//! A library that is too old is refused. The only test of its process, since the library is the process's.

use std::process::Command;
use std::{env, fs};

#[test]
fn an_old_library_is_refused_with_both_versions() {
    let folder = env::temp_dir().join(format!("isomat-version-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (source, library) = (folder.join("old.c"), folder.join("old.so"));
    fs::write(&source, "int isomat_version(void) { return 7; }\n").unwrap();
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status();
    if !compiled.map_or(false, |status| status.success()) {
        println!("skipped: no compiler for the stand-in");
        return;
    }
    env::set_var("ISOMAT_LIBRARY", &library);
    let message = isomat::live_objects().unwrap_err().to_string();
    assert!(
        message.contains("version 0.0.7, this binding needs 0."),
        "{}",
        message
    );
    fs::remove_dir_all(&folder).unwrap();
}
