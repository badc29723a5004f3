// SPDX-License-Identifier: MIT
//! One product, from arrays and back; copy it and go on from here.
const std = @import("std");
const isomat = @import("isomat.zig");

pub fn main() void {
    run() catch |err| {
        std.debug.print("ten_lines: {t}: {s}\n", .{ err, isomat.message() });
        std.process.exit(1);
    };
}

fn run() !void {
    var gpu = try isomat.Context.init(0);
    defer gpu.deinit();
    var a = try gpu.upload(&.{ 1, 2, 3, 4, 5, 6 }, 2, 3);
    defer a.deinit();
    var b = try gpu.upload(&.{ 1, 2, 3, 4, 5, 6 }, 3, 2);
    defer b.deinit();
    var product = try a.multiply(b);
    defer product.deinit();
    var c: [4]f32 = undefined;
    try product.toHost(&c);
    var stdout = std.fs.File.stdout().writer(&.{});
    try stdout.interface.print("{d} {d}\n{d} {d}\n", .{ c[0], c[1], c[2], c[3] });
}
