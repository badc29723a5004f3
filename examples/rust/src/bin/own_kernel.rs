// SPDX-License-Identifier: MIT
//! Launches a kernel of one's own, y += alpha * x, from a fatbin, a cubin or PTX.
//!
//!     own_kernel [module]        by default ../python/axpy.ptx

use isomat::module::Launch;
use isomat::{Context, Error, Result};

const N: u32 = 1000;
const BLOCK: u32 = 128;
const ALPHA: f32 = 0.5;

fn run(path: &str) -> Result<String> {
    let gpu = Context::new(0)?;
    let axpy = gpu.load_file(path)?.kernel("axpy")?;
    let info = axpy.info()?;
    if info.debug != 0 {
        let message = "the kernel was built with -G: see isomat inspect";
        return Err(Error::from(message.to_owned()));
    }
    let numbers: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let x = gpu.buffer(&numbers)?;
    let y = gpu.buffer(&[3.0; N as usize])?;
    let launch = Launch {
        grid: [(N + BLOCK - 1) / BLOCK, 1, 1],
        block: [BLOCK, 1, 1],
        shared_bytes: 0,
    };
    // SAFETY: axpy(float, const float *, float *, unsigned), and both have N values.
    unsafe { axpy.launch(&launch, &[&ALPHA, &x, &y, &N])? };
    let expected: Vec<f32> = numbers.iter().map(|x| 3.0 + ALPHA * x).collect();
    if y.to_vec()? != expected {
        return Err(Error::from("a wrong result".to_owned()));
    }
    Ok(format!(
        "rust: axpy, {} elements, {} registers",
        N, info.registers
    ))
}

fn main() {
    let path = std::env::args().nth(1);
    match run(path.as_deref().unwrap_or("../python/axpy.ptx")) {
        Ok(line) => println!("{}", line),
        Err(error) => {
            eprintln!("own_kernel: {}", error);
            std::process::exit(1);
        }
    }
}
