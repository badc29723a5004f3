// SPDX-License-Identifier: MIT
//! Runs both kernels of matmul.cu from Rust: multiply [size [launches]], by default 512 20.

use isomat::module::{Argument, Launch};
use isomat::{Context, Error, Event, Result};

static FATBIN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/matmul.fatbin"));

/// Name, rows and columns that a block makes, threads of a block.
const KERNELS: [(&str, usize, [u32; 3]); 2] = [
    ("matmul_tiled", 32, [32, 32, 1]),
    ("matmul_registers", 128, [256, 1, 1]),
];

/// Multiples of 1/16 from -1 to 1: every sum of their products is exact in float32, in any order.
fn element(matrix: usize, i: usize, j: usize) -> f32 {
    ((i * 7 + j * 13 + matrix * 5) % 33) as f32 / 16.0 - 1.0
}

fn make(matrix: usize, n: usize) -> Vec<f32> {
    (0..n * n)
        .map(|at| element(matrix, at / n, at % n))
        .collect()
}

/// Compares some elements with dot products made here.
fn check_product(c: &[f32], n: usize) -> Result<()> {
    for sample in 0..64usize {
        let (i, j) = (sample * 7919 % n, n - 1 - sample * 104729 % n);
        let sum: f64 = (0..n)
            .map(|k| element(0, i, k) as f64 * element(1, k, j) as f64)
            .sum();
        if c[i * n + j] as f64 != sum {
            return Err(Error::from("a wrong product".to_owned()));
        }
    }
    Ok(())
}

fn time_launches(
    context: &Context,
    launches: usize,
    mut launch: impl FnMut() -> Result<()>,
) -> Result<f64> {
    let (start, end): (Event, Event) = (context.event()?, context.event()?);
    let mut times = Vec::new();
    for i in 0..launches + 1 {
        start.record()?;
        launch()?;
        end.record()?;
        context.synchronize()?;
        // The first is the warm-up.
        if i > 0 {
            times.push(end.elapsed_since(&start)?);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times[launches / 2])
}

fn run(n: usize, launches: usize) -> Result<()> {
    let context = Context::new(0)?;
    let module = context.load(FATBIN)?;
    let (a, b) = (context.buffer(&make(0, n))?, context.buffer(&make(1, n))?);
    let size = n as i32;
    let profile = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
    for (name, tile, block) in KERNELS {
        let c = context.buffer(&vec![f32::NAN; n * n])?;
        let kernel = module.kernel(name)?;
        let info = kernel.info()?;
        if info.debug != 0 {
            return Err(Error::from(
                "the kernels were built with -G: see isomat inspect".to_owned(),
            ));
        }
        let blocks = ((n + tile - 1) / tile) as u32;
        let launch = Launch {
            grid: [blocks, blocks, 1],
            block,
            shared_bytes: 0,
        };
        let arguments: [&dyn Argument; 6] = [&a, &b, &c, &size, &size, &size];
        // SAFETY: these are matmul.cu's parameters, and each matrix is n x n.
        let milliseconds = time_launches(&context, launches, || unsafe {
            kernel.launch(&launch, &arguments)
        })?;
        check_product(&c.to_vec()?, n)?;
        println!(
            "rust {}: {}, {} x {}, {} registers: {:.3} ms",
            profile, name, n, n, info.registers, milliseconds
        );
    }
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default| match arguments.get(index) {
        Some(text) => text.parse().ok(),
        None => Some(default),
    };
    match (number(0, 512), number(1, 20)) {
        (Some(n @ 1..=32768), Some(launches @ 1..=10000)) if arguments.len() <= 2 => {
            if let Err(error) = run(n, launches) {
                eprintln!("multiply: {}", error);
                std::process::exit(1);
            }
        }
        _ => {
            eprintln!("usage: multiply [size [launches]]");
            std::process::exit(2);
        }
    }
}
