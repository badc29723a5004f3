// SPDX-License-Identifier: MIT
//! The loops, at the size that ISOMAT_LOOP_SIZE gives.

use isomat::workload::{self, PROFILE};

fn size() -> usize {
    match std::env::var("ISOMAT_LOOP_SIZE") {
        Ok(text) => text.parse().expect("ISOMAT_LOOP_SIZE is not a number"),
        Err(_) => 96,
    }
}

#[test]
fn loop_with_isomat() {
    let line = workload::run(size(), 3).unwrap().to_string();
    println!("{}", line);
    assert!(line.starts_with(&format!("rust {}: {} x ", PROFILE, size())));
}

#[test]
fn loop_with_dropin_library() {
    let line = workload::run_dropin(size(), 3).unwrap().to_string();
    println!("{}", line);
    assert!(line.starts_with(&format!("rust {}: {} x ", PROFILE, size())));
}

#[test]
fn check_finds_a_wrong_element() {
    let (a, b) = (workload::random(8, 1), workload::random(8, 2));
    let mut c = vec![0.0f32; 64];
    for (index, element) in c.iter_mut().enumerate() {
        let (i, j) = (index / 8, index % 8);
        *element = (0..8).map(|k| a[i * 8 + k] * b[k * 8 + j]).sum();
    }
    assert!(workload::check(8, &a, &b, &c).is_ok());
    c[63] += 1e-3;
    assert!(workload::check(8, &a, &b, &c).is_err());
    c[63] = f32::NAN;
    assert!(workload::check(8, &a, &b, &c).is_err());
}
