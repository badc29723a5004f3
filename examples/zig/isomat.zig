// SPDX-License-Identifier: MIT
//! isomat for Zig: objects with init and deinit, failures as errors. isomat.h is the manual; `c` is all of it.
const std = @import("std");

pub const c = @cImport(@cInclude("isomat.h"));

/// The statuses of isomat.h. `message()` has the library's line about the last one.
pub const Error = error{
    InvalidArgument,
    InvalidHandle,
    StaleHandle,
    WrongKind,
    OutOfHostMemory,
    OutOfDeviceMemory,
    ShapeMismatch,
    Alias,
    ContextMismatch,
    Unsupported,
    TypeMismatch,
    NoDriver,
    StubDriver,
    DriverTooOld,
    NoDevice,
    Driver,
    Forked,
    ContextLost,
    File,
    InvalidImage,
    NoImageForDevice,
    JitFailed,
    NotFound,
    ArgumentCount,
    ArgumentSize,
    InvalidLaunch,
    LaunchFailed,
    NotReady,
    Capture,
    Unknown,
};

pub fn errorOf(status: i32) Error {
    return switch (status) {
        c.ISOMAT_ERROR_INVALID_ARGUMENT => error.InvalidArgument,
        c.ISOMAT_ERROR_INVALID_HANDLE => error.InvalidHandle,
        c.ISOMAT_ERROR_STALE_HANDLE => error.StaleHandle,
        c.ISOMAT_ERROR_WRONG_KIND => error.WrongKind,
        c.ISOMAT_ERROR_OUT_OF_HOST_MEMORY => error.OutOfHostMemory,
        c.ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY => error.OutOfDeviceMemory,
        c.ISOMAT_ERROR_SHAPE_MISMATCH => error.ShapeMismatch,
        c.ISOMAT_ERROR_ALIAS => error.Alias,
        c.ISOMAT_ERROR_CONTEXT_MISMATCH => error.ContextMismatch,
        c.ISOMAT_ERROR_UNSUPPORTED => error.Unsupported,
        c.ISOMAT_ERROR_TYPE_MISMATCH => error.TypeMismatch,
        c.ISOMAT_ERROR_NO_DRIVER => error.NoDriver,
        c.ISOMAT_ERROR_STUB_DRIVER => error.StubDriver,
        c.ISOMAT_ERROR_DRIVER_TOO_OLD => error.DriverTooOld,
        c.ISOMAT_ERROR_NO_DEVICE => error.NoDevice,
        c.ISOMAT_ERROR_DRIVER => error.Driver,
        c.ISOMAT_ERROR_FORKED => error.Forked,
        c.ISOMAT_ERROR_CONTEXT_LOST => error.ContextLost,
        c.ISOMAT_ERROR_FILE => error.File,
        c.ISOMAT_ERROR_INVALID_IMAGE => error.InvalidImage,
        c.ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE => error.NoImageForDevice,
        c.ISOMAT_ERROR_JIT_FAILED => error.JitFailed,
        c.ISOMAT_ERROR_NOT_FOUND => error.NotFound,
        c.ISOMAT_ERROR_ARGUMENT_COUNT => error.ArgumentCount,
        c.ISOMAT_ERROR_ARGUMENT_SIZE => error.ArgumentSize,
        c.ISOMAT_ERROR_INVALID_LAUNCH => error.InvalidLaunch,
        c.ISOMAT_ERROR_LAUNCH_FAILED => error.LaunchFailed,
        c.ISOMAT_ERROR_NOT_READY => error.NotReady,
        c.ISOMAT_ERROR_CAPTURE => error.Capture,
        else => error.Unknown,
    };
}

/// One line about this thread's last failure, until its next.
pub fn message() []const u8 {
    return std.mem.span(c.isomat_error_message());
}

fn check(status: i32) Error!void {
    if (status != c.ISOMAT_OK) return errorOf(status);
}

/// A failure that is found here.
fn failed(status: i32, comptime format: []const u8, values: anytype) Error {
    var buffer: [200]u8 = undefined;
    const text = std.fmt.bufPrintZ(&buffer, format, values) catch "the message is too long";
    return errorOf(c.isomat_error_set(status, text.ptr));
}

/// Functions are only added within a major version, so an older library may lack some that were compiled in.
fn checkVersion() Error!void {
    const major = c.ISOMAT_VERSION_MAJOR;
    const wanted = major * 1000000 + c.ISOMAT_VERSION_MINOR * 1000 + c.ISOMAT_VERSION_PATCH;
    const found: u32 = @intCast(c.isomat_version());
    if (found / 1000000 == major and found >= wanted) return;
    return failed(
        c.ISOMAT_ERROR_UNSUPPORTED,
        "the library is version {d}.{d}.{d}, this program needs {d}.{d}.{d} or later, below {d}.0.0",
        .{ found / 1000000, found / 1000 % 1000, found % 1000, major, c.ISOMAT_VERSION_MINOR, c.ISOMAT_VERSION_PATCH, major + 1 },
    );
}

// In what follows deinit destroys the object, and leaves the handle of none, which every call refuses.

pub const Context = struct {
    handle: c.isomat_context,

    /// The device's primary context, which other libraries in the process share.
    pub fn init(device: i32) Error!Context {
        try checkVersion();
        var handle: c.isomat_context = c.ISOMAT_NONE;
        try check(c.isomat_context_create(&handle, device, c.ISOMAT_CONTEXT_PRIMARY));
        return .{ .handle = handle };
    }

    pub fn deinit(self: *Context) void {
        _ = c.isomat_context_destroy(self.handle);
        self.handle = c.ISOMAT_NONE;
    }

    /// Waits for all work that was submitted.
    pub fn synchronize(self: Context) Error!void {
        return check(c.isomat_context_synchronize(self.handle));
    }

    /// Copies a row-major matrix to the device.
    pub fn upload(self: Context, data: []const f32, rows: usize, cols: usize) Error!Matrix {
        const count = std.math.mul(usize, rows, cols) catch std.math.maxInt(usize);
        if (count != data.len)
            return failed(c.ISOMAT_ERROR_INVALID_ARGUMENT, "{d} values are not a matrix of {d} x {d}", .{ data.len, rows, cols });
        var handle: c.isomat_matrix = c.ISOMAT_NONE;
        const width: i64 = @intCast(cols);
        try check(c.isomat_matrix_from_host(&handle, self.handle, data.ptr, @intCast(rows), width, width, c.ISOMAT_TYPE_F32, c.ISOMAT_NONE));
        return .{ .handle = handle };
    }

    /// A matrix of an ISOMAT_TYPE_..., its elements undefined.
    pub fn matrix(self: Context, rows: i64, cols: i64, element: i32) Error!Matrix {
        var handle: c.isomat_matrix = c.ISOMAT_NONE;
        try check(c.isomat_matrix_create(&handle, self.handle, rows, cols, element, c.ISOMAT_NONE));
        return .{ .handle = handle };
    }

    /// An event that measures time.
    pub fn event(self: Context) Error!Event {
        var handle: c.isomat_event = c.ISOMAT_NONE;
        try check(c.isomat_event_create(&handle, self.handle, 1));
        return .{ .handle = handle };
    }

    /// Takes a fatbin, a cubin or PTX text.
    pub fn load(self: Context, image: []const u8) Error!Module {
        var handle: c.isomat_module = c.ISOMAT_NONE;
        try check(c.isomat_module_load_data(&handle, self.handle, image.ptr, @intCast(image.len)));
        return .{ .handle = handle };
    }

    /// The same from a file.
    pub fn loadFile(self: Context, path: [:0]const u8) Error!Module {
        var handle: c.isomat_module = c.ISOMAT_NONE;
        try check(c.isomat_module_load_file(&handle, self.handle, path.ptr));
        return .{ .handle = handle };
    }
};

pub const Matrix = struct {
    handle: c.isomat_matrix,

    pub fn deinit(self: *Matrix) void {
        _ = c.isomat_matrix_destroy(self.handle);
        self.handle = c.ISOMAT_NONE;
    }

    /// Submits the product, into a new matrix.
    pub fn multiply(self: Matrix, other: Matrix) Error!Matrix {
        var handle: c.isomat_matrix = c.ISOMAT_NONE;
        try check(c.isomat_gemm(&handle, 1, self.handle, c.ISOMAT_OP_N, other.handle, c.ISOMAT_OP_N, 0, c.ISOMAT_COMPUTE_F32, c.ISOMAT_NONE));
        return .{ .handle = handle };
    }

    /// Submits self = a * b.
    pub fn setProduct(self: Matrix, a: Matrix, b: Matrix) Error!void {
        var handle = self.handle;
        if (handle == c.ISOMAT_NONE)
            return failed(c.ISOMAT_ERROR_INVALID_HANDLE, "the matrix of the result is closed", .{});
        return check(c.isomat_gemm(&handle, 1, a.handle, c.ISOMAT_OP_N, b.handle, c.ISOMAT_OP_N, 0, c.ISOMAT_COMPUTE_F32, c.ISOMAT_NONE));
    }

    pub fn fill(self: Matrix, value: f64) Error!void {
        return check(c.isomat_matrix_fill(self.handle, value, c.ISOMAT_NONE));
    }

    pub fn info(self: Matrix) Error!c.isomat_matrix_info {
        var result = std.mem.zeroes(c.isomat_matrix_info);
        result.struct_size = @sizeOf(c.isomat_matrix_info);
        try check(c.isomat_matrix_get_info(&result, self.handle));
        return result;
    }

    /// Waits for a float32 matrix and copies it, row-major; data has just the room for it.
    pub fn toHost(self: Matrix, data: []f32) Error!void {
        const of = try self.info();
        if (of.type != c.ISOMAT_TYPE_F32)
            return failed(c.ISOMAT_ERROR_TYPE_MISMATCH, "the matrix is not float32", .{});
        if (data.len != of.rows * of.cols)
            return failed(c.ISOMAT_ERROR_INVALID_ARGUMENT, "room for {d} values, the matrix is {d} x {d}", .{ data.len, of.rows, of.cols });
        return check(c.isomat_matrix_to_host(data.ptr, of.cols, self.handle, c.ISOMAT_NONE));
    }

    /// The device address of the first element, to give to a kernel.
    pub fn pointer(self: Matrix) Error!u64 {
        var address: u64 = 0;
        try check(c.isomat_matrix_get_pointer(&address, self.handle));
        return address;
    }
};

pub const Event = struct {
    handle: c.isomat_event,

    pub fn deinit(self: *Event) void {
        _ = c.isomat_event_destroy(self.handle);
        self.handle = c.ISOMAT_NONE;
    }

    /// Marks the present end of the context's default stream.
    pub fn record(self: Event) Error!void {
        return check(c.isomat_event_record(self.handle, c.ISOMAT_NONE));
    }

    /// Milliseconds; both must have happened.
    pub fn elapsedSince(self: Event, start: Event) Error!f64 {
        var milliseconds: f64 = 0;
        try check(c.isomat_event_elapsed(&milliseconds, start.handle, self.handle));
        return milliseconds;
    }
};

pub const Module = struct {
    handle: c.isomat_module,

    pub fn deinit(self: *Module) void {
        _ = c.isomat_module_destroy(self.handle);
        self.handle = c.ISOMAT_NONE;
    }

    /// Looks a kernel up: extern "C", or as C++ mangles its name. The kernel keeps its module alive.
    pub fn kernel(self: Module, name: [:0]const u8) Error!Kernel {
        var handle: c.isomat_kernel = c.ISOMAT_NONE;
        try check(c.isomat_kernel_get(&handle, self.handle, name.ptr));
        return .{ .handle = handle };
    }
};

pub const Dim = struct { x: u32 = 1, y: u32 = 1, z: u32 = 1 };

pub const Kernel = struct {
    handle: c.isomat_kernel,

    pub fn deinit(self: *Kernel) void {
        _ = c.isomat_kernel_destroy(self.handle);
        self.handle = c.ISOMAT_NONE;
    }

    pub fn info(self: Kernel) Error!c.isomat_kernel_info {
        var result = std.mem.zeroes(c.isomat_kernel_info);
        result.struct_size = @sizeOf(c.isomat_kernel_info);
        try check(c.isomat_kernel_get_info(&result, self.handle));
        return result;
    }

    /// Submits the kernel. arguments is a tuple of numbers with their types, .{ alpha, x, @as(u32, 5) }, addresses
    /// as u64; their number and sizes are checked.
    pub fn launch(self: Kernel, grid: Dim, block: Dim, arguments: anytype) Error!void {
        var how = std.mem.zeroes(c.isomat_launch);
        how.struct_size = @sizeOf(c.isomat_launch);
        how.grid_x = grid.x;
        how.grid_y = grid.y;
        how.grid_z = grid.z;
        how.block_x = block.x;
        how.block_y = block.y;
        how.block_z = block.z;
        const count = arguments.len;
        comptime var types: [count]type = undefined;
        inline for (0..count) |i| types[i] = @TypeOf(arguments[i]);
        var copies: std.meta.Tuple(&types) = undefined; // a tuple may hold constants, which lie nowhere
        var pointers: [count + 1]?*const anyopaque = undefined; // never empty
        var sizes: [count + 1]i64 = undefined;
        inline for (0..count) |i| {
            if (@sizeOf(@TypeOf(arguments[i])) == 0) @compileError("an argument without a size: @as(u32, ...)");
            copies[i] = arguments[i];
            pointers[i] = &copies[i];
            sizes[i] = @sizeOf(@TypeOf(arguments[i]));
        }
        return check(c.isomat_kernel_launch(self.handle, &how, &pointers, count, &sizes));
    }
};

/// The name of a device; name is where it is put.
pub fn deviceName(device: i32, name: *[256]u8) Error![]const u8 {
    var info = std.mem.zeroes(c.isomat_device_info);
    info.struct_size = @sizeOf(c.isomat_device_info);
    try check(c.isomat_device_get_info(&info, device));
    name.* = info.name;
    return std.mem.sliceTo(name, 0);
}
