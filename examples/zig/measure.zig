// SPDX-License-Identifier: MIT
//! What the programs need besides isomat: arguments, data, median, output.
const std = @import("std");
const isomat = @import("isomat.zig");

pub const allocator = std.heap.c_allocator;

/// A program's arguments, which are numbers from 1 on.
pub const Arguments = struct {
    program: []const u8,
    usage: []const u8,
    values: []const [:0]u8,

    /// Ends the program with status 2 if it was given more than most.
    pub fn init(program: []const u8, usage: []const u8, most: usize) !Arguments {
        const all = try std.process.argsAlloc(allocator);
        const self = Arguments{ .program = program, .usage = usage, .values = all[@min(1, all.len)..] };
        if (self.values.len > most) self.fail();
        return self;
    }

    /// An argument as a number from 1 to most; ends the program with status 2 if it is none.
    pub fn number(self: Arguments, index: usize, value_if_missing: u32, most: u32) u32 {
        if (index >= self.values.len) return value_if_missing;
        const value = std.fmt.parseInt(u32, self.values[index], 10) catch 0;
        if (value >= 1 and value <= most) return value;
        std.debug.print("{s}: '{s}' is not a number from 1 to {d}\n", .{ self.program, self.values[index], most });
        self.fail();
    }

    fn fail(self: Arguments) noreturn {
        std.debug.print("usage: {s} {s}\n", .{ self.program, self.usage });
        std.process.exit(2);
    }
};

/// Ends the program with status 1 and one line: the library's, if it is the library that failed.
pub fn end(program: []const u8, err: anyerror) noreturn {
    const of_isomat = inline for (@typeInfo(isomat.Error).error_set.?) |each| {
        if (err == @field(anyerror, each.name)) break true;
    } else false;
    std.debug.print("{s}: {s}\n", .{ program, if (of_isomat) isomat.message() else @errorName(err) });
    std.process.exit(1);
}

/// Writes to standard output.
pub fn print(comptime format: []const u8, values: anytype) !void {
    var buffer: [1024]u8 = undefined;
    try std.fs.File.stdout().writeAll(try std.fmt.bufPrint(&buffer, format, values));
}

/// Random numbers, uniform in [-0.5, 0.5): the high bits of a 64-bit linear congruential generator. The programs
/// in every language use this one.
pub fn fillRandom(values: []f32, seed: u64) void {
    var state = seed;
    for (values) |*value| {
        state = state *% 6364136223846793005 +% 1442695040888963407;
        value.* = @as(f32, @floatFromInt(state >> 40)) / 16777216 - 0.5;
    }
}

/// Sorts the values.
pub fn median(values: []f64) f64 {
    std.mem.sort(f64, values, {}, std.sort.asc(f64));
    return (values[(values.len - 1) / 2] + values[values.len / 2]) / 2;
}
