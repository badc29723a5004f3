// SPDX-License-Identifier: MIT
// isomat.hpp: isomat for C++17 and later. Objects own their handles and can be moved, failures are
// exceptions. isomat.h is the manual.
#ifndef ISOMAT_HPP
#define ISOMAT_HPP

#include <isomat.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace isomat
{

// What failed: the library's line, and its ISOMAT_ERROR_...
class Error : public std::runtime_error
{
  public:
    Error(std::int32_t status, const std::string &message) : std::runtime_error(message), status_(status)
    {
    }

    std::int32_t status() const noexcept
    {
        return status_;
    }
    const char *name() const noexcept
    {
        return isomat_status_name(status_);
    }

  private:
    std::int32_t status_;
};

namespace detail
{

inline void check(std::int32_t status)
{
    if (status != ISOMAT_OK)
        throw Error(status, isomat_error_message());
}

inline std::string version_text(int number)
{
    return std::to_string(number / 1000000) + "." + std::to_string(number / 1000 % 1000) + "." +
           std::to_string(number % 1000);
}

// Functions are only added within a major version, so an older library may lack some that were compiled in.
inline void check_version()
{
    const int wanted = ISOMAT_VERSION_MAJOR * 1000000 + ISOMAT_VERSION_MINOR * 1000 + ISOMAT_VERSION_PATCH;
    const int found = isomat_version();
    if (found / 1000000 == ISOMAT_VERSION_MAJOR && found >= wanted)
        return;
    throw Error(ISOMAT_ERROR_UNSUPPORTED, "the library is version " + version_text(found) +
                                              ", this program needs " + version_text(wanted) +
                                              " or later, below " +
                                              version_text((ISOMAT_VERSION_MAJOR + 1) * 1000000));
}

// A handle that is destroyed with its object.
template <std::int32_t (*Destroy)(std::uint64_t)> class Handle
{
  public:
    explicit Handle(std::uint64_t value = ISOMAT_NONE) noexcept : value_(value)
    {
    }
    Handle(Handle &&other) noexcept : value_(std::exchange(other.value_, ISOMAT_NONE))
    {
    }
    Handle &operator=(Handle &&other) noexcept
    {
        Handle(std::move(other)).swap(*this);
        return *this;
    }
    ~Handle()
    {
        Destroy(value_);
    } // a failure is of no use to anyone here

    void swap(Handle &other) noexcept
    {
        std::swap(value_, other.value_);
    }

    // Destroys it now. The object can then be assigned to; its other uses throw.
    void close()
    {
        check(Destroy(std::exchange(value_, ISOMAT_NONE)));
    }

    // For the functions of isomat.h that have no method here.
    std::uint64_t get() const noexcept
    {
        return value_;
    }

  private:
    std::uint64_t value_;
};

} // namespace detail

class Stream : public detail::Handle<isomat_stream_destroy>
{
  public:
    using Handle::Handle;

    void synchronize() const
    {
        detail::check(isomat_stream_synchronize(get()));
    }
};

class Event : public detail::Handle<isomat_event_destroy>
{
  public:
    using Handle::Handle;

    // Marks the present end of the stream, by default the context's own.
    void record(isomat_stream stream = ISOMAT_NONE)
    {
        detail::check(isomat_event_record(get(), stream));
    }

    // Milliseconds; both must have happened.
    double elapsed_since(const Event &start) const
    {
        double milliseconds;
        detail::check(isomat_event_elapsed(&milliseconds, start.get(), get()));
        return milliseconds;
    }
};

class Matrix : public detail::Handle<isomat_matrix_destroy>
{
  public:
    using Handle::Handle;

    isomat_matrix_info info() const
    {
        isomat_matrix_info info{};
        info.struct_size = sizeof info;
        detail::check(isomat_matrix_get_info(&info, get()));
        return info;
    }

    // The device address of the first element, to give to a kernel.
    std::uint64_t pointer() const
    {
        std::uint64_t pointer;
        detail::check(isomat_matrix_get_pointer(&pointer, get()));
        return pointer;
    }

    // Waits for a float32 matrix and copies it to the host, row-major.
    std::vector<float> to_host() const
    {
        const isomat_matrix_info of = info();
        if (of.type != ISOMAT_TYPE_F32)
            throw Error(ISOMAT_ERROR_TYPE_MISMATCH, "the matrix is not float32");
        std::vector<float> data(static_cast<std::size_t>(of.rows) * static_cast<std::size_t>(of.cols));
        detail::check(isomat_matrix_to_host(data.data(), of.cols, get(), ISOMAT_NONE));
        return data;
    }

    void fill(double value)
    {
        detail::check(isomat_matrix_fill(get(), value, ISOMAT_NONE));
    }

    // Shares the elements.
    Matrix view(std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) const
    {
        isomat_matrix view;
        detail::check(isomat_matrix_view(&view, get(), row, col, rows, cols));
        return Matrix(view);
    }
};

// Submits c = alpha * op(a) * op(b) + beta * c.
inline void gemm(Matrix &c, double alpha, const Matrix &a, std::int32_t op_a, const Matrix &b,
                 std::int32_t op_b, double beta, std::int32_t compute = ISOMAT_COMPUTE_F32,
                 isomat_stream stream = ISOMAT_NONE)
{
    isomat_matrix handle = c.get();
    if (handle == ISOMAT_NONE)
        throw Error(ISOMAT_ERROR_INVALID_HANDLE, "the matrix of the result is closed");
    detail::check(isomat_gemm(&handle, alpha, a.get(), op_a, b.get(), op_b, beta, compute, stream));
}

// Submits c = a * b.
inline void multiply(Matrix &c, const Matrix &a, const Matrix &b)
{
    gemm(c, 1, a, ISOMAT_OP_N, b, ISOMAT_OP_N, 0);
}

// Submits the product, into a new matrix.
inline Matrix operator*(const Matrix &a, const Matrix &b)
{
    isomat_matrix c = ISOMAT_NONE;
    detail::check(
        isomat_gemm(&c, 1, a.get(), ISOMAT_OP_N, b.get(), ISOMAT_OP_N, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    return Matrix(c);
}

struct Dim {
    std::uint32_t x = 1, y = 1, z = 1;
};

class Kernel : public detail::Handle<isomat_kernel_destroy>
{
  public:
    using Handle::Handle;

    isomat_kernel_info info() const
    {
        isomat_kernel_info info{};
        info.struct_size = sizeof info;
        detail::check(isomat_kernel_get_info(&info, get()));
        return info;
    }

    // Submits the kernel. Arguments are passed as they are: std::uint32_t for unsigned, an address as
    // std::uint64_t; their number and sizes are checked.
    template <typename... Arguments> void launch(Dim grid, Dim block, const Arguments &...arguments) const
    {
        static_assert((std::is_arithmetic_v<Arguments> && ...), "numbers, and addresses as numbers");
        isomat_launch launch{};
        launch.struct_size = sizeof launch;
        launch.grid_x = grid.x;
        launch.grid_y = grid.y;
        launch.grid_z = grid.z;
        launch.block_x = block.x;
        launch.block_y = block.y;
        launch.block_z = block.z;
        const void *const pointers[] = {&arguments..., nullptr};
        const std::int64_t sizes[] = {sizeof arguments..., 0};
        detail::check(isomat_kernel_launch(get(), &launch, pointers, sizeof...(arguments), sizes));
    }
};

class Module : public detail::Handle<isomat_module_destroy>
{
  public:
    using Handle::Handle;

    Kernel kernel(const char *name) const
    {
        isomat_kernel kernel;
        detail::check(isomat_kernel_get(&kernel, get(), name));
        return Kernel(kernel);
    }
};

class Context : public detail::Handle<isomat_context_destroy>
{
  public:
    // The device's primary context, which other libraries in the process share.
    explicit Context(std::int32_t device = 0) : Handle(create(device))
    {
    }

    // Waits for all work that was submitted.
    void synchronize() const
    {
        detail::check(isomat_context_synchronize(get()));
    }

    // Copies a row-major matrix to the device.
    Matrix matrix(const std::vector<float> &data, std::int64_t rows, std::int64_t cols) const
    {
        if (rows < 0 || cols < 0 || (cols > 0 && rows > INT64_MAX / cols) ||
            static_cast<std::uint64_t>(rows * cols) != data.size())
            throw Error(ISOMAT_ERROR_INVALID_ARGUMENT,
                        std::to_string(data.size()) + " values are not a matrix of " + std::to_string(rows) +
                            " x " + std::to_string(cols));
        isomat_matrix matrix;
        detail::check(isomat_matrix_from_host(&matrix, get(), data.data(), rows, cols, cols, ISOMAT_TYPE_F32,
                                              ISOMAT_NONE));
        return Matrix(matrix);
    }

    // A matrix of an ISOMAT_TYPE_..., its elements undefined.
    Matrix matrix(std::int64_t rows, std::int64_t cols, std::int32_t type = ISOMAT_TYPE_F32) const
    {
        isomat_matrix matrix;
        detail::check(isomat_matrix_create(&matrix, get(), rows, cols, type, ISOMAT_NONE));
        return Matrix(matrix);
    }

    Stream stream() const
    {
        isomat_stream stream;
        detail::check(isomat_stream_create(&stream, get(), 0));
        return Stream(stream);
    }

    // An event that measures time.
    Event event() const
    {
        isomat_event event;
        detail::check(isomat_event_create(&event, get(), 1));
        return Event(event);
    }

    // A module from a fatbin, a cubin or PTX: a file, or the image itself.
    Module load_file(const std::string &path) const
    {
        isomat_module module;
        detail::check(isomat_module_load_file(&module, get(), path.c_str()));
        return Module(module);
    }

    Module load(const std::string &image) const
    {
        isomat_module module;
        detail::check(
            isomat_module_load_data(&module, get(), image.data(), static_cast<std::int64_t>(image.size())));
        return Module(module);
    }

  private:
    static isomat_context create(std::int32_t device)
    {
        detail::check_version();
        isomat_context context;
        detail::check(isomat_context_create(&context, device, ISOMAT_CONTEXT_PRIMARY));
        return context;
    }
};

inline isomat_device_info device_info(std::int32_t device = 0)
{
    isomat_device_info info{};
    info.struct_size = sizeof info;
    detail::check(isomat_device_get_info(&info, device));
    return info;
}

} // namespace isomat

#endif // ISOMAT_HPP
