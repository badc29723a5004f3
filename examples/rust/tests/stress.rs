// SPDX-License-Identifier: MIT
//! Threads share matrices, multiply, replace and drop them in any order; and the process ends while a static
//! still holds some. ISOMAT_STRESS_SECONDS tells how long, by default 2.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use isomat::{Context, Matrix};

const VALUES: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
const PRODUCT: [f32; 4] = [22.0, 28.0, 49.0, 64.0];
const THREADS: usize = 16;
const SLOTS: usize = 8;

// Never dropped: Rust runs no destructors of statics, and isomat minds it as little.
static KEPT: Mutex<Option<(Context, Matrix)>> = Mutex::new(None);

/// Random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end
    }
}

fn work(gpu: &Context, shared: &[Mutex<Option<Arc<Matrix>>>], seed: usize, end: Instant) -> usize {
    let mut random = Random(seed as u64);
    let a = gpu.matrix(&VALUES, 2, 3).unwrap();
    let b = gpu.matrix(&VALUES, 3, 2).unwrap();
    let mut done = 0;
    while Instant::now() < end {
        let slot = &shared[random.below(SLOTS)];
        let taken = slot.lock().unwrap().clone();
        match (random.below(4), taken) {
            (0, _) | (_, None) => {
                let made = Arc::new(a.multiply(&b).unwrap());
                *slot.lock().unwrap() = Some(made);
            }
            (1, _) => *slot.lock().unwrap() = None,
            (2, Some(taken)) => {
                let product = taken.multiply(&a).unwrap().to_vec().unwrap();
                assert_eq!(product[0], 22.0 * 1.0 + 28.0 * 4.0);
            }
            (_, Some(taken)) => assert_eq!(taken.to_vec().unwrap(), PRODUCT),
        }
        done += 1;
    }
    done
}

#[test]
fn threads_share_and_drop_matrices() {
    let seconds = match std::env::var("ISOMAT_STRESS_SECONDS") {
        Ok(text) => text.parse().expect("ISOMAT_STRESS_SECONDS is not a number"),
        Err(_) => 2.0,
    };
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let gpu = Context::new(0).unwrap();
    let shared: Vec<Mutex<Option<Arc<Matrix>>>> = (0..SLOTS).map(|_| Mutex::new(None)).collect();
    let done = AtomicUsize::new(0);
    thread::scope(|scope| {
        for seed in 0..THREADS {
            let (gpu, shared, done) = (&gpu, &shared, &done);
            scope.spawn(move || {
                done.fetch_add(work(gpu, shared, seed, end), Ordering::Relaxed);
            });
        }
    });
    let done = done.into_inner();
    println!("{} operations in {} threads", done, THREADS);
    assert!(done >= THREADS);

    let last = gpu.matrix(&VALUES, 2, 3).unwrap();
    *KEPT.lock().unwrap() = Some((gpu, last));
    // One more thread is at work when the process ends.
    thread::spawn(|| {
        let gpu = Context::new(0).unwrap();
        loop {
            let a = gpu.matrix(&VALUES, 2, 3).unwrap();
            a.multiply(&gpu.matrix(&VALUES, 3, 2).unwrap()).unwrap();
        }
    });
    thread::sleep(Duration::from_millis(20));
}
