// SPDX-License-Identifier: MIT
//! Failures are errors, with isomat's line; nothing is lost or left over.
const std = @import("std");
const isomat = @import("isomat.zig");

const values = [_]f32{ 1, 2, 3, 4, 5, 6 };
const product = [_]f32{ 22, 28, 49, 64 };

fn expectError(expected: isomat.Error, text: []const u8, actual: anytype) !void {
    try std.testing.expectError(expected, actual);
    try std.testing.expect(isomat.message().len > 0);
    try std.testing.expect(std.mem.indexOfScalar(u8, isomat.message(), '\n') == null);
    try std.testing.expect(std.mem.indexOf(u8, isomat.message(), text) != null);
}

test "errors" {
    const before = isomat.c.isomat_live_objects();
    {
        var gpu = try isomat.Context.init(0);
        defer gpu.deinit();
        var a = try gpu.upload(&values, 2, 3);
        defer a.deinit();
        var b = try gpu.upload(&values, 3, 2);
        defer b.deinit();
        var half = try gpu.matrix(3, 2, isomat.c.ISOMAT_TYPE_F16);
        defer half.deinit();
        var room: [6]f32 = undefined;
        try expectError(error.ShapeMismatch, "2 x 3", a.multiply(a));
        try expectError(error.TypeMismatch, "", a.multiply(half));
        try expectError(error.TypeMismatch, "float32", half.toHost(&room));
        try expectError(error.InvalidArgument, "room for 5", a.toHost(room[0..5]));
        try expectError(error.InvalidArgument, "6 values", gpu.upload(&values, 2, 2));
        try expectError(error.InvalidArgument, "6 values", gpu.upload(&values, std.math.maxInt(usize), 2));
        try expectError(error.InvalidArgument, "", gpu.matrix(-1, 2, isomat.c.ISOMAT_TYPE_F32));
        try expectError(error.InvalidArgument, "", isomat.Context.init(-1));

        var c = try a.multiply(b);
        const copy = c;
        c.deinit();
        c.deinit(); // does nothing
        try expectError(error.InvalidHandle, "", c.toHost(room[0..4]));
        try expectError(error.InvalidHandle, "closed", c.setProduct(a, b));
        try expectError(error.StaleHandle, "", copy.toHost(room[0..4]));
        try expectError(error.StaleHandle, "", copy.setProduct(a, b));

        // All is as good as before.
        c = try a.multiply(b);
        defer c.deinit();
        try c.toHost(room[0..4]);
        try std.testing.expectEqualSlices(f32, &product, room[0..4]);
    }
    try std.testing.expectEqual(before, isomat.c.isomat_live_objects());
}

test "kernels" {
    const ptx =
        \\.version 7.0
        \\.target sm_75
        \\.address_size 64
        \\.visible .entry take(.param .u32 n) { ret; }
        \\
    ;
    var gpu = try isomat.Context.init(0);
    defer gpu.deinit();
    var module = try gpu.load(ptx);
    try expectError(error.NotFound, "no_such", module.kernel("no_such"));
    var take = try module.kernel("take");
    defer take.deinit();
    module.deinit(); // the kernel keeps it
    try take.launch(.{}, .{}, .{@as(u32, 5)});
    try expectError(error.ArgumentCount, "take", take.launch(.{}, .{}, .{}));
    try expectError(error.ArgumentSize, "take", take.launch(.{}, .{}, .{@as(u64, 5)}));
    try expectError(error.InvalidLaunch, "", take.launch(.{ .x = 0 }, .{}, .{@as(u32, 5)}));
    try gpu.synchronize();
}

test "objects end in any order" {
    var gpu = try isomat.Context.init(0);
    var a = try gpu.upload(&values, 2, 3);
    var b = try gpu.upload(&values, 3, 2);
    var c = try a.multiply(b);
    gpu.deinit();
    a.deinit();
    b.deinit();
    defer c.deinit();
    var room: [4]f32 = undefined;
    try c.toHost(&room);
    try std.testing.expectEqualSlices(f32, &product, &room);
}

test "each status of isomat.h is an error of its own" {
    var count: usize = 0;
    @setEvalBranchQuota(100000);
    inline for (@typeInfo(isomat.c).@"struct".decls) |each| {
        if (comptime std.mem.startsWith(u8, each.name, "ISOMAT_ERROR_")) {
            try std.testing.expect(isomat.errorOf(@field(isomat.c, each.name)) != error.Unknown);
            count += 1;
        }
    }
    try std.testing.expectEqual(@typeInfo(isomat.Error).error_set.?.len - 1, count);
}
