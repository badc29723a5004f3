// SPDX-License-Identifier: MIT
//! The host's time per call of an empty kernel's launch and of a small product.
//!
//!     overhead [calls]        by default 100000
//!
//! Medians over batches of calls; what is submitted in a batch is waited for outside the time.

use std::time::Instant;

use isomat::module::Launch;
use isomat::workload::{median, random, Command, PROFILE};
use isomat::{Context, Result};

const MOST_CALLS: usize = 100_000_000;
const MOST_IN_BATCH: usize = 500; // few enough that the driver's queue does not fill up
const SIZE: usize = 64;
const EMPTY_PTX: &str =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry empty() { ret; }\n";

/// Nanoseconds.
fn per_call(gpu: &Context, calls: usize, mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    let batch = calls.min(MOST_IN_BATCH);
    let batches = (calls + batch - 1) / batch;
    let mut ns = Vec::with_capacity(batches + 1);
    for _ in 0..=batches {
        let began = Instant::now();
        for _ in 0..batch {
            call()?;
        }
        let took = began.elapsed();
        gpu.synchronize()?;
        ns.push(took.as_secs_f64() * 1e9 / batch as f64);
    }
    Ok(median(&ns[1..])) // the first is the warm-up
}

fn run(calls: usize) -> Result<String> {
    let gpu = Context::new(0)?;
    let empty = gpu.load(EMPTY_PTX.as_bytes())?.kernel("empty")?;
    let a = gpu.matrix(&random(SIZE, 1), SIZE, SIZE)?;
    let b = gpu.matrix(&random(SIZE, 2), SIZE, SIZE)?;
    let mut c = gpu.matrix(&[0.0; SIZE * SIZE], SIZE, SIZE)?;
    let launch = Launch {
        grid: [1; 3],
        block: [1; 3],
        shared_bytes: 0,
    };
    // SAFETY: the kernel takes nothing and does nothing.
    let launch_ns = per_call(&gpu, calls, || unsafe { empty.launch(&launch, &[]) })?;
    let product_ns = per_call(&gpu, calls, || c.set_product(&a, &b))?;
    Ok(format!(
        "rust {}: {} calls: empty launch {:.0} ns, {} x {} product {:.0} ns",
        PROFILE, calls, launch_ns, SIZE, SIZE, product_ns
    ))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = Command("overhead", "[calls]");
    if arguments.len() > 1 {
        command.usage();
    }
    match run(command.parse(arguments.first(), 100_000, MOST_CALLS)) {
        Ok(line) => println!("{}", line),
        Err(error) => {
            eprintln!("overhead: {}", error);
            std::process::exit(1);
        }
    }
}
