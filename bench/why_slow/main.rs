// SPDX-License-Identifier: MIT
//! The host in Rust: the same as main.c.

use std::ffi::CStr;
use std::os::raw::{c_char, c_int};

const RESULT_COUNT: usize = 6;

extern "C" {
    fn matmul_run(n: c_int, launches: c_int, results: *mut f64) -> *const c_char;
}

fn main() {
    let numbers: Vec<c_int> = std::env::args()
        .skip(1)
        .map(|text| text.parse().expect("main N LAUNCHES"))
        .collect();
    let mut results = [0.0f64; RESULT_COUNT];
    // SAFETY: results has room for all of them; the text is static or the library's.
    let wrong = unsafe {
        let text = matmul_run(numbers[0], numbers[1], results.as_mut_ptr());
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    };
    if let Some(wrong) = wrong {
        eprintln!("{}", wrong);
        std::process::exit(1);
    }
    let line: Vec<String> = results.iter().map(|each| format!("{:.3}", each)).collect();
    println!("{}", line.join(" "));
}
