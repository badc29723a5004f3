// SPDX-License-Identifier: MIT
//! One product, from slices and back; copy it and go on from here.

use isomat::{Context, Result};

fn run() -> Result<()> {
    let gpu = Context::new(0)?;
    let a = gpu.matrix(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3)?;
    let b = gpu.matrix(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, 2)?;
    let c = a.multiply(&b)?.to_vec()?;
    println!("{} {}\n{} {}", c[0], c[1], c[2], c[3]);
    Ok(())
}

fn main() {
    if let Err(error) = run() {
        eprintln!("ten_lines: {}", error);
        std::process::exit(1);
    }
}
