// SPDX-License-Identifier: MIT
//! Errors come back as values with isomat's message; handles may be shared, moved and dropped in
//! any order.

use std::thread;

use isomat::dropin::Kernels;
use isomat::{Context, DeviceInfo, Event, Matrix, INVALID_ARGUMENT, SHAPE_MISMATCH};

const A: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];

fn assert_send_and_sync<T: Send + Sync>() {}

#[test]
fn objects_may_go_to_other_threads() {
    assert_send_and_sync::<Context>();
    assert_send_and_sync::<Matrix>();
    assert_send_and_sync::<Event>();

    let context = Context::new(0).unwrap();
    let a = context.matrix(&A, 2, 3).unwrap();
    let b = context.matrix(&A, 3, 2).unwrap();
    let c = thread::spawn(move || a.multiply(&b).unwrap())
        .join()
        .unwrap();
    assert_eq!(c.to_vec().unwrap(), [22.0, 28.0, 49.0, 64.0]);
}

#[test]
fn shape_mismatch_is_an_error_with_a_message() {
    let context = Context::new(0).unwrap();
    let a = context.matrix(&A, 2, 3).unwrap();
    let error = a.multiply(&a).err().unwrap();
    assert_eq!(error.status, SHAPE_MISMATCH);
    assert!(
        error.message.contains('3') && error.message.contains('2'),
        "{}",
        error
    );
    assert!(!error.message.contains('\n'));

    // The matrix is as good as before.
    let b = context.matrix(&A, 3, 2).unwrap();
    let c = a.multiply(&b).unwrap();
    assert_eq!((c.rows(), c.cols()), (2, 2));
    assert_eq!(c.to_vec().unwrap(), [22.0, 28.0, 49.0, 64.0]);
}

#[test]
fn wrong_arguments_are_errors() {
    let context = Context::new(0).unwrap();
    assert_eq!(
        context.matrix(&A, 2, 2).err().unwrap().status,
        INVALID_ARGUMENT
    );
    assert_eq!(
        context.matrix(&A, usize::MAX, 2).err().unwrap().status,
        INVALID_ARGUMENT
    );
    assert_eq!(Context::new(-1).err().unwrap().status, INVALID_ARGUMENT);
    assert_eq!(DeviceInfo::of(-1).err().unwrap().status, INVALID_ARGUMENT);

    let event = context.event().unwrap();
    let error = event.elapsed_since(&event).unwrap_err();
    assert_eq!(error.status, INVALID_ARGUMENT);
    assert!(!error.message.is_empty());
}

#[test]
fn a_matrix_may_be_used_twice() {
    let context = Context::new(0).unwrap();
    let a = context.matrix(&A[..4], 2, 2).unwrap();
    let square = a.multiply(&a).unwrap();
    let cube = a.multiply(&square).unwrap();
    assert_eq!(square.to_vec().unwrap(), [7.0, 10.0, 15.0, 22.0]);
    assert_eq!(cube.to_vec().unwrap(), [37.0, 54.0, 81.0, 118.0]);
    assert_eq!(square.to_vec().unwrap(), [7.0, 10.0, 15.0, 22.0]);
}

#[test]
fn objects_may_be_dropped_in_any_order() {
    let context = Context::new(0).unwrap();
    let a = context.matrix(&A, 2, 3).unwrap();
    let b = context.matrix(&A, 3, 2).unwrap();
    let c = a.multiply(&b).unwrap();
    drop(context);
    drop(b);
    drop(a);
    assert_eq!(c.to_vec().unwrap(), [22.0, 28.0, 49.0, 64.0]);
}

#[test]
fn an_empty_matrix_multiplies() {
    let context = Context::new(0).unwrap();
    let a = context.matrix(&[], 2, 0).unwrap();
    let b = context.matrix(&[], 0, 2).unwrap();
    assert_eq!(a.multiply(&b).unwrap().to_vec().unwrap(), [0.0; 4]);
    assert!(b.multiply(&a).unwrap().to_vec().unwrap().is_empty());
}

#[test]
fn the_dropin_library_reports_errors() {
    let kernels = Kernels::open().unwrap();
    let a = kernels.register(&A, 2, 3).unwrap();
    for error in [
        kernels.multiply((a, 2, 3), (a, 2, 3)).unwrap_err(),
        kernels.multiply((a, 3, 2), (a, 2, 3)).unwrap_err(),
        kernels.data(a, 3, 3).unwrap_err(),
        kernels.unregister(1_000_000).unwrap_err(),
        kernels.register(&A, 3, 3).unwrap_err(),
    ] {
        assert!(
            !error.message.is_empty() && !error.message.contains('\n'),
            "{:?}",
            error
        );
    }
    assert_eq!(kernels.data(a, 2, 3).unwrap(), A);
    kernels.unregister(a).unwrap();
    assert!(kernels.unregister(a).is_err());
}
