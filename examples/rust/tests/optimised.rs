// SPDX-License-Identifier: MIT
//! The test that would have told at once why a kernel is slow: it asserts that the kernel in use was
//! built with optimisation. One's own test does the same with one's own module.

use isomat::module::Module;
use isomat::Context;

/// A kernel that does nothing, as nvcc -G marks it.
const DEBUG_PTX: &str = ".version 6.4\n.target sm_75, debug\n.address_size 64\n\
                         .visible .entry slow()\n{\nret;\n}\n";

fn is_optimised(module: &Module, kernel: &str) -> bool {
    module
        .kernel(kernel)
        .unwrap()
        .info()
        .unwrap()
        .is_optimised()
}

#[test]
fn the_kernels_of_isomat_are_optimised_in_every_profile() {
    let context = Context::new(0).unwrap();
    let module = context.load_embedded("gemm_f32").unwrap();
    assert_eq!(module.info().unwrap().debug, 0);
    assert!(is_optimised(&module, "isomat_gemm_f32_nn_64x64x16"));
}

#[test]
fn a_kernel_built_for_debugging_is_told() {
    let context = Context::new(0).unwrap();
    let module = context.load(DEBUG_PTX.as_bytes()).unwrap();
    assert_eq!(module.info().unwrap().debug, 1);
    assert!(!is_optimised(&module, "slow"));
    assert!(is_optimised(
        &context
            .load(DEBUG_PTX.replace(", debug", "").as_bytes())
            .unwrap(),
        "slow"
    ));
}

#[test]
fn kernels_that_are_not_there_are_errors() {
    let context = Context::new(0).unwrap();
    let module = context.load(DEBUG_PTX.as_bytes()).unwrap();
    let error = module.kernel("fast").err().unwrap();
    assert!(error.message.contains("fast"), "{}", error);
    assert!(context.load(b"no module").is_err());
    assert!(context.load_embedded("gemm\0f32").is_err());
}
