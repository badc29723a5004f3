# frozen_string_literal: true

# SPDX-License-Identifier: MIT
# isomat from Ruby: matrices on the GPU, with Fiddle and nothing compiled.
#
#   Isomat::Context.open do |gpu|
#     p (gpu.matrix([[1, 2], [3, 4]]) * gpu.matrix([[5, 6], [7, 8]])).to_a
#   end
#
# The library is opened by the first call that needs it. A failure is an Isomat::Error.

require "fiddle/import"
require_relative "isomat/api"

module Isomat
  # A call failed. The message is the library's one line; status is its ISOMAT_ERROR_...
  class Error < StandardError
    attr_reader :status

    def initialize(message, status = Api::ISOMAT_OK)
      super(message)
      @status = status
    end

    # The status by name: "ISOMAT_ERROR_ALIAS"; "" if the library did not get so far.
    def name
      status.zero? ? "" : Library.call(:isomat_status_name, status).to_s
    end
  end

  # The library could not be opened, or does not fit this binding.
  class LibraryError < Error; end

  # The shared library, opened once for the process and never closed.
  module Library
    extend Fiddle::Importer

    WRITTEN_FOR = [Api::ISOMAT_VERSION_MAJOR, Api::ISOMAT_VERSION_MINOR, Api::ISOMAT_VERSION_PATCH].freeze
    STRUCTS = Api::STRUCTS.transform_values { |fields| struct(fields) }.freeze
    FUNCTIONS = {} # rubocop:disable Style/MutableConstant -- filled by open
    LOCK = Mutex.new

    class << self
      # A function by its name. Others run while it does: Fiddle lets go of Ruby's lock.
      def function(name)
        FUNCTIONS[name] || LOCK.synchronize { FUNCTIONS.fetch(name) { open.fetch(name) } }
      end

      def call(name, *arguments)
        function(name).call(*arguments)
      end

      # Raises the calling thread's last failure if a status is one.
      def check_status(status)
        raise Error.new(message, status) unless status.zero?
      end

      # Calls a function that returns a status, and checks that.
      def check(name, *arguments)
        check_status(function(name).call(*arguments))
      end

      # Calls a function that writes a handle or an address first, and gives that.
      def new(name, *arguments)
        slot = "\0" * 8
        check(name, slot, *arguments)
        slot.unpack1("Q")
      end

      # Calls a function that fills a struct, and gives its fields.
      def fill(name, type, *arguments)
        info = STRUCTS.fetch(type).malloc(Fiddle::RUBY_FREE)
        info.struct_size = STRUCTS.fetch(type).size
        check(name, info, *arguments)
        info
      end

      def check_version(number, path)
        found = [number / 1_000_000, number / 1000 % 1000, number % 1000]
        return if found[0] == WRITTEN_FOR[0] && (found <=> WRITTEN_FOR) >= 0

        raise LibraryError, "#{path} is version #{found.join('.')}, this binding needs #{WRITTEN_FOR.join('.')}" \
                            " or later, below #{WRITTEN_FOR[0] + 1}.0.0"
      end

      private

      def message
        function(:isomat_error_message).call.to_s.force_encoding(Encoding::UTF_8).scrub
      end

      # Inside LOCK. FUNCTIONS stays empty if anything fails, so that the next call tries again.
      def open
        path = ENV.fetch("ISOMAT_LIBRARY", "")
        path = "libisomat.so.0" if path.empty?
        library = Fiddle.dlopen(path)
        check_version(bind(library, "int32_t isomat_version(void)").last.call, path)
        FUNCTIONS.update(Api::FUNCTIONS.to_h { |signature| bind(library, signature) })
      rescue Fiddle::DLError => e
        raise LibraryError, e.message.start_with?(path) ? e.message : "#{path}: #{e.message}"
      end

      def bind(library, signature)
        name, result, parameters = parse_signature(signature)
        [name.to_sym, Fiddle::Function.new(library[name], parameters, result, name: name)]
      end
    end
  end

  # The version of the library in use.
  def self.version
    Library.call(:isomat_version_string).to_s
  end

  # How many objects of isomat exist in this process.
  def self.live_objects
    Library.call(:isomat_live_objects)
  end

  # About a device: name, memory_bytes, multiprocessors, …
  def self.device_info(device = 0)
    Library.fill(:isomat_device_get_info, :isomat_device_info, device)
  end

  # A device's name.
  def self.device_name(device = 0)
    device_info(device).name.take_while(&:positive?).pack("c*")
  end

  # What every object of isomat has: a handle, and an end. Closed by close, at the end of a block, or when
  # it is collected; in any order and twice. A closed object keeps its handle: the library refuses it by name.
  class Object
    attr_reader :handle

    def initialize(handle)
      @handle = handle
      ObjectSpace.define_finalizer(self, Object.finalizer(destroyer, handle))
    end

    # As new; with a block, closes the object after it.
    def self.open(*arguments, &block)
      object = new(*arguments)
      block ? object.use(&block) : object
    end

    # A proc that does not hold the object.
    def self.finalizer(destroy, handle)
      proc { destroy.call(handle) }
    end

    # Gives itself to the block and closes itself then.
    def use
      yield self
    ensure
      close
    end

    # Destroys the handle; the library keeps what others still need.
    def close
      return if @closed

      @closed = true
      ObjectSpace.undefine_finalizer(self)
      Library.check(:"isomat_#{self.class::KIND}_destroy", @handle)
    end

    def closed?
      @closed ? true : false
    end

    def inspect
      format("#<%<class>s 0x%<handle>x%<state>s>", class: self.class, handle: @handle, state: closed? ? " closed" : "")
    end

    private

    def destroyer
      Library.function(:"isomat_#{self.class::KIND}_destroy")
    end
  end

  # A device in use, and the maker of everything else.
  class Context < Object
    KIND = "context"

    # The device's primary context, which other libraries of the process share.
    def initialize(device = 0)
      super(Library.new(:isomat_context_create, device, Api::ISOMAT_CONTEXT_PRIMARY))
    end

    # Waits for all of its work.
    def synchronize
      Library.check(:isomat_context_synchronize, @handle)
    end

    # A float32 matrix, from rows of numbers, or from a string of packed floats ("e*") with its sizes.
    def matrix(data, rows = nil, cols = nil)
      rows, cols, data = pack(data) if data.is_a?(Array)
      unless data.is_a?(String) && rows.is_a?(Integer) && cols.is_a?(Integer)
        raise TypeError, "rows of numbers, or a string of float32 with its rows and columns"
      end
      if rows.negative? || cols.negative? || rows * cols * 4 != data.bytesize
        raise ArgumentError, "#{data.bytesize} bytes are not #{rows} x #{cols} of float32"
      end

      Matrix.new(Library.new(:isomat_matrix_from_host, @handle, data, rows, cols, cols, Api::ISOMAT_TYPE_F32, 0),
                 rows, cols)
    end

    # A matrix whose elements are equal.
    def full(rows, cols, value)
      handle = Library.new(:isomat_matrix_create, @handle, rows, cols, Api::ISOMAT_TYPE_F32, 0)
      Matrix.new(handle, rows, cols).fill(value)
    end

    # An event that measures time.
    def event
      Event.new(Library.new(:isomat_event_create, @handle, 1))
    end

    # A module from a file: a fatbin, a cubin or PTX.
    def load(path)
      Module.new(Library.new(:isomat_module_load_file, @handle, path.to_s))
    end

    # The same from its bytes.
    def load_data(image)
      Module.new(Library.new(:isomat_module_load_data, @handle, image, image.bytesize))
    end

    private

    def pack(lists)
      cols = lists.empty? ? 0 : lists[0].size
      raise ArgumentError, "rows of different lengths" unless lists.all? { |row| row.size == cols }

      [lists.size, cols, lists.map { |row| row.pack("e*") }.join]
    end
  end

  # A point in the context's default stream.
  class Event < Object
    KIND = "event"

    # Marks the stream's present end.
    def record
      Library.check(:isomat_event_record, @handle, Api::ISOMAT_NONE)
    end

    # Milliseconds on the device's clock.
    def elapsed_since(start)
      slot = "\0" * 8
      Library.check(:isomat_event_elapsed, slot, start.handle, @handle)
      slot.unpack1("d")
    end
  end

  # A float32 matrix in device memory.
  class Matrix < Object
    KIND = "matrix"

    attr_reader :rows, :cols

    def initialize(handle, rows, cols)
      super(handle)
      @rows = rows
      @cols = cols
      @slot = [handle].pack("Q").freeze # for calls that take a handle's address, and only read it
    end

    # The product, a new matrix. Submitted, and not waited for.
    def *(other)
      Matrix.expect(other)
      Matrix.new(Library.new(:isomat_gemm, 1.0, @handle, Api::ISOMAT_OP_N, other.handle, Api::ISOMAT_OP_N, 0.0,
                             Api::ISOMAT_COMPUTE_F32, Api::ISOMAT_NONE), @rows, other.cols)
    end

    # Becomes alpha * left * right + beta * self. Submitted, and not waited for.
    def multiply(left, right, alpha: 1.0, beta: 0.0)
      Matrix.expect(left)
      Matrix.expect(right)
      Library.check(:isomat_gemm, @slot, alpha, left.handle, Api::ISOMAT_OP_N, right.handle, Api::ISOMAT_OP_N, beta,
                    Api::ISOMAT_COMPUTE_F32, Api::ISOMAT_NONE)
      self
    end

    def self.expect(other)
      raise TypeError, "#{other.class} is not a matrix of isomat" unless other.is_a?(Matrix)
    end

    # Sets every element.
    def fill(value)
      Library.check(:isomat_matrix_fill, @handle, value, Api::ISOMAT_NONE)
      self
    end

    # Its rows as a string of packed floats ("e*"). Waits for the matrix.
    def data
      buffer = "\0" * (4 * @rows * @cols)
      Library.check(:isomat_matrix_to_host, buffer, @cols, @handle, Api::ISOMAT_NONE)
      buffer
    end

    # Its rows, as Ruby's numbers. Waits for the matrix.
    def to_a
      flat = data.unpack("e*")
      Array.new(@rows) { |row| flat[row * @cols, @cols] }
    end

    # The device address of the first element, for kernels.
    def pointer
      Library.new(:isomat_matrix_get_pointer, @handle)
    end
  end

  # Device code that is loaded.
  class Module < Object
    KIND = "module"

    # A kernel by its name in the image: extern "C", or mangled.
    def [](name)
      Kernel.new(Library.new(:isomat_kernel_get, @handle, name))
    end
  end

  # Of a module, which it keeps.
  class Kernel < Object
    KIND = "kernel"

    # What it needs: registers, debug (1 if it was built with -G), …
    def info
      Library.fill(:isomat_kernel_get_info, :isomat_kernel_info, @handle)
    end

    # Submits it: grid of blocks, block of threads, and an argument for each parameter: a matrix, or a packed
    # value as [0.5].pack("e") and [n].pack("L").
    def launch(grid, block, *arguments)
      prepare(grid, block, *arguments).call
    end

    # A proc that launches it with these again and again, one call of the library each.
    def prepare(grid, block, *arguments)
      values = arguments.map { |each| cell(each) }
      pointers = values.map(&:to_i).pack("J*")
      sizes = values.map(&:size).pack("q*")
      call = [@handle, new_launch([*grid, 1, 1], [*block, 1, 1]), pointers, values.size, sizes]
      function = Library.function(:isomat_kernel_launch)
      lambda do
        Library.check_status(function.call(*call))
        values # kept as long as the lambda
      end
    end

    private

    def new_launch(grid, block)
      type = Library::STRUCTS.fetch(:isomat_launch)
      launch = type.malloc(Fiddle::RUBY_FREE)
      launch.to_ptr[0, type.size] = "\0" * type.size
      launch.struct_size = type.size
      launch.grid_x, launch.grid_y, launch.grid_z = grid
      launch.block_x, launch.block_y, launch.block_z = block
      launch
    end

    # An argument's value in memory that the collector does not move.
    def cell(argument)
      argument = [argument.pointer].pack("Q") if argument.is_a?(Matrix)
      unless argument.is_a?(String)
        raise TypeError, "#{argument.class} is no argument of a kernel: a matrix, or a packed value"
      end

      cell = Fiddle::Pointer.malloc([argument.bytesize, 1].max, Fiddle::RUBY_FREE)
      cell[0, argument.bytesize] = argument
      cell.size = argument.bytesize
      cell
    end
  end
end
