// SPDX-License-Identifier: MIT
//! The host's time per call of an empty kernel's launch and of a small product.
//!
//!     overhead [calls]        by default 100000
//!
//! Medians over batches of calls; what is submitted in a batch is waited for outside the time.
const std = @import("std");
const isomat = @import("isomat.zig");
const measure = @import("measure.zig");

const most_calls = 100000000;
const most_in_batch = 500; // few enough that the driver's queue does not fill up
const size = 64;
const empty_ptx =
    \\.version 7.0
    \\.target sm_75
    \\.address_size 64
    \\.visible .entry empty() { ret; }
    \\
;

const Calls = struct {
    gpu: isomat.Context,
    empty: isomat.Kernel,
    a: isomat.Matrix,
    b: isomat.Matrix,
    c: isomat.Matrix,

    fn launch(self: Calls) isomat.Error!void {
        return self.empty.launch(.{}, .{}, .{});
    }

    fn multiply(self: Calls) isomat.Error!void {
        return self.c.setProduct(self.a, self.b);
    }

    /// Nanoseconds per call.
    fn perCall(self: Calls, calls: u32, comptime call: fn (Calls) isomat.Error!void) !f64 {
        const batch = @min(calls, most_in_batch);
        const ns = try measure.allocator.alloc(f64, (calls + batch - 1) / batch);
        defer measure.allocator.free(ns);
        var timer = try std.time.Timer.start();
        for (0..ns.len + 1) |i| { // the first is the warm-up
            timer.reset();
            for (0..batch) |_| try call(self);
            const took = timer.read();
            try self.gpu.synchronize();
            if (i > 0) ns[i - 1] = @as(f64, @floatFromInt(took)) / @as(f64, @floatFromInt(batch));
        }
        return measure.median(ns);
    }
};

fn randomMatrix(gpu: isomat.Context, seed: u64) isomat.Error!isomat.Matrix {
    var values: [size * size]f32 = undefined;
    measure.fillRandom(&values, seed);
    return gpu.upload(&values, size, size);
}

fn run(calls: u32) !void {
    var gpu = try isomat.Context.init(0);
    defer gpu.deinit();
    var module = try gpu.load(empty_ptx);
    defer module.deinit();
    var empty = try module.kernel("empty");
    defer empty.deinit();
    var a = try randomMatrix(gpu, 1);
    defer a.deinit();
    var b = try randomMatrix(gpu, 2);
    defer b.deinit();
    var c = try gpu.matrix(size, size, isomat.c.ISOMAT_TYPE_F32);
    defer c.deinit();
    const of = Calls{ .gpu = gpu, .empty = empty, .a = a, .b = b, .c = c };
    const launch_ns = try of.perCall(calls, Calls.launch);
    const product_ns = try of.perCall(calls, Calls.multiply);
    try measure.print("zig: {d} calls: empty launch {d:.0} ns, {d} x {d} product {d:.0} ns\n", .{ calls, launch_ns, size, size, product_ns });
}

pub fn main() !void {
    const arguments = try measure.Arguments.init("overhead", "[calls]", 1);
    run(arguments.number(0, 100000, most_calls)) catch |err| measure.end("overhead", err);
}
