// SPDX-License-Identifier: MIT
//! Drop gives everything back. The only test of its process, since the count is the process's.

use isomat::workload;

#[test]
fn nothing_is_left_after_the_loop() {
    let before = isomat::live_objects().unwrap();
    workload::run(16, 3).unwrap();
    assert_eq!(isomat::live_objects().unwrap(), before);
}
