// SPDX-License-Identifier: MIT
//! Multiplies two matrices in a loop and times it.
//!
//!     loop [size [iterations]]        by default 4096 100
const std = @import("std");
const isomat = @import("isomat.zig");
const measure = @import("measure.zig");

const warm_up = 3;

const Product = struct { size: usize, a: []f32, b: []f32, c: []f32 };

/// An element may be off by what float32 arithmetic may lose in size additions.
fn checkElement(of: Product, i: usize, j: usize) error{AWrongElement}!void {
    var exact: f64 = 0;
    var magnitude: f64 = 0;
    for (0..of.size) |k| {
        const product = @as(f64, of.a[i * of.size + k]) * of.b[k * of.size + j];
        exact += product;
        magnitude += @abs(product);
    }
    const found: f64 = of.c[i * of.size + j];
    if (@abs(found - exact) <= @as(f64, @floatFromInt(of.size)) * 0x1p-24 * magnitude) return;
    std.debug.print("loop: element ({d}, {d}) is {d}, not {d}\n", .{ i, j, found, exact });
    return error.AWrongElement;
}

/// Compares elements with double-precision dot products.
fn check(of: Product) error{AWrongElement}!void {
    const places = 7; // the corners, the edges and points inside
    for (0..places) |i|
        for (0..places) |j|
            try checkElement(of, (of.size - 1) * i / (places - 1), (of.size - 1) * j / (places - 1));
}

fn run(size: u32, iterations: u32) !void {
    const count = @as(usize, size) * size;
    const data: Product = .{
        .size = size,
        .a = try measure.allocator.alloc(f32, count),
        .b = try measure.allocator.alloc(f32, count),
        .c = try measure.allocator.alloc(f32, count),
    };
    measure.fillRandom(data.a, 1);
    measure.fillRandom(data.b, 2);
    const device_ms = try measure.allocator.alloc(f64, iterations);
    const total_ms = try measure.allocator.alloc(f64, iterations);

    var gpu = try isomat.Context.init(0);
    defer gpu.deinit();
    var a = try gpu.upload(data.a, size, size);
    defer a.deinit();
    var b = try gpu.upload(data.b, size, size);
    defer b.deinit();
    var start = try gpu.event();
    defer start.deinit();
    var end = try gpu.event();
    defer end.deinit();

    var timer = try std.time.Timer.start();
    for (0..warm_up + iterations) |i| {
        timer.reset();
        try start.record();
        var c = try a.multiply(b);
        try end.record();
        try gpu.synchronize();
        c.deinit();
        const took = timer.read();
        if (i < warm_up) continue;
        total_ms[i - warm_up] = @as(f64, @floatFromInt(took)) * 1e-6;
        device_ms[i - warm_up] = try end.elapsedSince(start);
    }

    var c = try a.multiply(b);
    defer c.deinit();
    try c.toHost(data.c);
    try check(data);
    var name: [256]u8 = undefined;
    try measure.print("zig: {d} x {d}, {d} multiplications, {s}: device {d:.3} ms, with overhead {d:.3} ms\n", .{
        size,                      size,                     iterations, try isomat.deviceName(0, &name),
        measure.median(device_ms), measure.median(total_ms),
    });
}

pub fn main() !void {
    const arguments = try measure.Arguments.init("loop", "[size [iterations]]", 2);
    const size = arguments.number(0, 4096, 65536);
    const iterations = arguments.number(1, 100, 1000000);
    run(size, iterations) catch |err| {
        if (err == error.AWrongElement) std.process.exit(1); // it has been told
        measure.end("loop", err);
    };
}
