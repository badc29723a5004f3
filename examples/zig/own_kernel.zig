// SPDX-License-Identifier: MIT
//! Launches a kernel of one's own, y += alpha * x, from a fatbin, a cubin or PTX.
//!
//!     own_kernel [module]        by default ../python/axpy.ptx
const std = @import("std");
const isomat = @import("isomat.zig");
const measure = @import("measure.zig");

fn run(path: [:0]const u8) !void {
    const n: u32 = 1000;
    const block = 128;
    const alpha: f32 = 0.5;
    var numbers: [n]f32 = undefined;
    for (&numbers, 0..) |*number, i| number.* = @floatFromInt(i);

    var gpu = try isomat.Context.init(0);
    defer gpu.deinit();
    var module = try gpu.loadFile(path);
    defer module.deinit();
    var axpy = try module.kernel("axpy");
    defer axpy.deinit();
    const info = try axpy.info();
    if (info.debug != 0) return error.BuiltWithG; // see isomat inspect
    var x = try gpu.upload(&numbers, 1, n);
    defer x.deinit();
    var y = try gpu.matrix(1, n, isomat.c.ISOMAT_TYPE_F32);
    defer y.deinit();
    try y.fill(3);
    try axpy.launch(.{ .x = (n + block - 1) / block }, .{ .x = block }, .{ alpha, try x.pointer(), try y.pointer(), n });
    var result: [n]f32 = undefined;
    try y.toHost(&result);
    for (result, numbers) |found, number|
        if (found != 3 + alpha * number) return error.AWrongResult;
    try measure.print("zig: axpy, {d} elements, {d} registers\n", .{ n, info.registers });
}

pub fn main() !void {
    const arguments = try std.process.argsAlloc(measure.allocator);
    run(if (arguments.len > 1) arguments[1] else "../python/axpy.ptx") catch |err| measure.end("own_kernel", err);
}
