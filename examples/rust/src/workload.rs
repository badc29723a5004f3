// SPDX-License-Identifier: MIT
//! The loop that every example runs: multiply, synchronize, unregister, many times.

use std::time::Instant;
use std::{env, fmt, process};

use crate::dropin::Kernels;
use crate::{Context, DeviceInfo, Error, Result};

const WARM_UP: usize = 3;
const LARGEST_SIZE: usize = 65536;
const MOST_ITERATIONS: usize = 1_000_000;

/// The profile of this build.
pub const PROFILE: &str = if cfg!(debug_assertions) {
    "debug"
} else {
    "release"
};

/// What was measured; displays as the line that the examples print.
pub struct Report {
    size: usize,
    iterations: usize,
    device: String,
    /// Milliseconds of each iteration: the multiplication alone.
    device_ms: Vec<f64>,
    /// And the whole iteration.
    total_ms: Vec<f64>,
}

impl Report {
    fn new(size: usize, iterations: usize) -> Report {
        Report {
            size,
            iterations,
            device: String::new(),
            device_ms: Vec::with_capacity(iterations),
            total_ms: Vec::with_capacity(iterations),
        }
    }

    /// Files the times of one multiplication; the first few are the warm-up and not kept.
    fn record(&mut self, i: usize, device_ms: f64, total_ms: f64) {
        if i >= WARM_UP {
            self.device_ms.push(device_ms);
            self.total_ms.push(total_ms);
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(
            formatter,
            "rust {}: {} x {}, {} multiplications, {}: device {:.3} ms, with overhead {:.3} ms",
            PROFILE,
            self.size,
            self.size,
            self.iterations,
            self.device,
            median(&self.device_ms),
            median(&self.total_ms)
        )
    }
}

/// The loop with isomat.h; device time by events.
pub fn run(size: usize, iterations: usize) -> Result<Report> {
    let (a_data, b_data) = (random(size, 1), random(size, 2));
    let context = Context::new(0)?;
    let a = context.matrix(&a_data, size, size)?;
    let b = context.matrix(&b_data, size, size)?;
    let (start, end) = (context.event()?, context.event()?);

    let mut report = Report::new(size, iterations);
    for i in 0..WARM_UP + iterations {
        let began = Instant::now();
        start.record()?;
        let c = a.multiply(&b)?;
        end.record()?;
        context.synchronize()?;
        drop(c);
        let total_ms = milliseconds(began);
        report.record(i, end.elapsed_since(&start)?, total_ms);
    }

    check(size, &a_data, &b_data, &a.multiply(&b)?.to_vec()?)?;
    report.device = DeviceInfo::of(0)?.name();
    Ok(report)
}

/// The loop with the drop-in library; device time until the return of `cuda_synchronize`.
pub fn run_dropin(size: usize, iterations: usize) -> Result<Report> {
    let (a_data, b_data) = (random(size, 1), random(size, 2));
    let kernels = Kernels::open()?;
    let a = kernels.register(&a_data, size, size)?;
    let b = kernels.register(&b_data, size, size)?;
    let multiply = || kernels.multiply((a, size, size), (b, size, size));

    let mut report = Report::new(size, iterations);
    for i in 0..WARM_UP + iterations {
        let began = Instant::now();
        let c = multiply()?;
        kernels.synchronize()?;
        let device_ms = milliseconds(began);
        kernels.unregister(c)?;
        report.record(i, device_ms, milliseconds(began));
    }

    let c = multiply()?;
    check(size, &a_data, &b_data, &kernels.data(c, size, size)?)?;
    for id in [c, b, a] {
        kernels.unregister(id)?;
    }
    report.device = DeviceInfo::of(0)?.name();
    Ok(report)
}

/// The main function of both programs: reads `[size [iterations]]`, runs, prints the line.
pub fn main(run: fn(usize, usize) -> Result<Report>) {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let command = Command("loop", "[size [iterations]]");
    if arguments.len() > 2 {
        command.usage();
    }
    let size = command.parse(arguments.first(), 4096, LARGEST_SIZE);
    let iterations = command.parse(arguments.get(1), 100, MOST_ITERATIONS);
    match run(size, iterations) {
        Ok(report) => println!("{}", report),
        Err(error) => {
            eprintln!("loop: {}", error);
            process::exit(1);
        }
    }
}

/// A program's name, and what it takes.
pub struct Command(pub &'static str, pub &'static str);

impl Command {
    /// Ends the program with status 2.
    pub fn usage(&self) -> ! {
        eprintln!("usage: {} {}", self.0, self.1);
        process::exit(2);
    }

    /// An argument as a number from 1 to most; ends the program if it is none.
    pub fn parse(&self, argument: Option<&String>, default: usize, most: usize) -> usize {
        let text = match argument {
            Some(text) => text,
            None => return default,
        };
        match text.parse() {
            Ok(value) if (1..=most).contains(&value) => value,
            _ => {
                eprintln!("{}: '{}' is not a number from 1 to {}", self.0, text, most);
                self.usage();
            }
        }
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
}

/// Random numbers, uniform in [-0.5, 0.5): the high bits of a 64-bit linear congruential
/// generator. The loops in every language use this one.
pub fn random(size: usize, mut state: u64) -> Vec<f32> {
    let mut data = Vec::with_capacity(size * size);
    for _ in 0..size * size {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        data.push((state >> 40) as f32 / 16777216.0 - 0.5);
    }
    data
}

/// Compares elements of c with double-precision dot products.
pub fn check(size: usize, a: &[f32], b: &[f32], c: &[f32]) -> Result<()> {
    const PLACES: usize = 7; // the corners, the edges and points inside
    let place = |index: usize| (size - 1) * index / (PLACES - 1);
    for i in (0..PLACES).map(place) {
        for j in (0..PLACES).map(place) {
            check_element(size, (i, j), a, b, f64::from(c[i * size + j]))?;
        }
    }
    Ok(())
}

/// The element may be off by what float32 arithmetic may lose in size additions.
fn check_element(
    size: usize,
    (i, j): (usize, usize),
    a: &[f32],
    b: &[f32],
    found: f64,
) -> Result<()> {
    let (mut exact, mut magnitude) = (0.0, 0.0);
    for k in 0..size {
        let product = f64::from(a[i * size + k]) * f64::from(b[k * size + j]);
        exact += product;
        magnitude += product.abs();
    }
    let allowed = size as f64 * f64::from(f32::EPSILON) / 2.0 * magnitude;
    if (found - exact).abs() <= allowed {
        return Ok(());
    }
    let message = format!("element ({}, {}) is {}, not {}", i, j, found, exact);
    Err(Error::new(0, message))
}
