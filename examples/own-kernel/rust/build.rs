// SPDX-License-Identifier: MIT
//! Compiles the kernels to a fatbin, with the same flags in every profile.
//!
//! The cc crate would pass -G to nvcc wherever cargo's DEBUG is set: in `cargo build`, `cargo test`,
//! and in release with `debug = true`. A kernel is then 10 to 100 times slower.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const SOURCE: &str = "../matmul.cu";

fn main() {
    println!("cargo:rerun-if-changed={}", SOURCE);
    println!("cargo:rerun-if-env-changed=NVCC");
    println!("cargo:rerun-if-env-changed=MATMUL_FATBIN");
    let out = Path::new(&env::var("OUT_DIR").unwrap()).join("matmul.fatbin");
    // One that was compiled elsewhere will do as well.
    if let Ok(made) = env::var("MATMUL_FATBIN") {
        println!("cargo:rerun-if-changed={}", made);
        fs::copy(made, out).expect("MATMUL_FATBIN cannot be copied");
        return;
    }
    let nvcc = env::var("NVCC").unwrap_or_else(|_| "nvcc".to_owned());
    let status = Command::new(&nvcc)
        .args(["-fatbin", "-O3", "-lineinfo"])
        .args(["-gencode", "arch=compute_75,code=[sm_75,compute_75]"])
        .args(["-gencode", "arch=compute_80,code=sm_80"])
        .args(["-gencode", "arch=compute_90,code=sm_90"])
        .arg(SOURCE)
        .arg("-o")
        .arg(&out)
        .status()
        .unwrap_or_else(|error| panic!("{} cannot be run: {}", nvcc, error));
    assert!(status.success(), "{} failed", nvcc);
}
