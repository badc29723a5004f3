#!/usr/bin/env ruby
# frozen_string_literal: true

# SPDX-License-Identifier: MIT
# Errors, ends of objects, threads. Seconds of the last from ISOMAT_STRESS_SECONDS.

require "minitest/autorun"
require "open3"
require_relative "isomat"

class IsomatTest < Minitest::Test
  PTX = File.expand_path("../python/axpy.ptx", __dir__)

  def setup
    @gpu = Isomat::Context.new
  end

  def teardown
    @gpu.close
  end

  # A failure with that status and a line.
  def refused(name, text = "", &block)
    error = assert_raises(Isomat::Error, &block)
    assert_equal "ISOMAT_ERROR_#{name}", error.name
    assert_includes error.message, text
    refute_empty error.message
    refute_includes error.message, "\n"
  end

  def test_products
    a, b = @gpu.matrix([[1, 2, 3], [4, 5, 6]]), @gpu.matrix([[1, 2], [3, 4], [5, 6]])
    c = a * b
    assert_equal [[22, 28], [49, 64]], c.to_a
    assert_equal [[55, 70], [122.5, 160]], c.multiply(a, b, alpha: 2, beta: 0.5).to_a
    assert_equal [], @gpu.matrix([]).to_a
    assert_equal [[0, 0], [0, 0]], (@gpu.matrix([[], []]) * @gpu.matrix("", 0, 2)).to_a
  end

  def test_wrong_shapes
    a = @gpu.matrix([[1, 2, 3], [4, 5, 6]])
    refused("SHAPE_MISMATCH", "3") { a * a }
    refused("SHAPE_MISMATCH") { @gpu.full(2, 3, 0).multiply(a, @gpu.full(3, 2, 1)) }
    assert_raises(ArgumentError) { @gpu.matrix([[1, 2], [3]]) }
    assert_raises(ArgumentError) { @gpu.matrix("\0" * 8, 1, 3) }
    assert_raises(ArgumentError) { @gpu.matrix("\0" * 8, -1, -2) }
    refused("INVALID_ARGUMENT") { @gpu.full(-1, 1, 0) }
    assert_raises(RangeError) { @gpu.full(2**64, 1, 0) }
  end

  def test_wrong_types
    a = @gpu.matrix([[1]])
    assert_raises(TypeError) { a * 2 }
    assert_raises(TypeError) { a.multiply(a, @gpu) }
    assert_raises(TypeError) { @gpu.matrix(1) }
    assert_raises(TypeError) { @gpu.matrix([["one"]]) }
    assert_raises(TypeError) { a.fill(nil) }
    refused("WRONG_KIND") { Isomat::Library.check(:isomat_matrix_fill, @gpu.handle, 1, 0) }
    refused("INVALID_ARGUMENT") { Isomat::Context.new(-1) }
  end

  def test_closed_objects
    a, event = @gpu.matrix([[1]]), @gpu.event
    2.times { [a, event].each(&:close) }
    assert_predicate a, :closed?
    refused("STALE_HANDLE") { a.to_a }
    refused("STALE_HANDLE") { @gpu.full(1, 1, 1) * a }
    refused("STALE_HANDLE") { event.record }
    other = Isomat::Context.open { |gpu| gpu.tap { assert_equal [[4]], gpu.full(1, 1, 4).to_a } }
    refused("STALE_HANDLE") { other.full(1, 1, 1) }
  end

  def test_kernels
    axpy = @gpu.load(PTX)["axpy"]
    x, y = @gpu.matrix([[1, 2, 3]]), @gpu.full(1, 3, 10)
    launch = axpy.prepare([1, 1], [32, 1, 1], [2.0].pack("e"), x, y, [3].pack("L"))
    GC.start
    2.times { launch.call }
    assert_equal [[14, 18, 22]], y.to_a
    assert_equal 0, axpy.info.debug
    refused("ARGUMENT_COUNT") { axpy.launch(1, 32, x, y) }
    refused("ARGUMENT_SIZE") { axpy.launch(1, 32, [2.0].pack("E"), x, y, [3].pack("L")) }
    refused("INVALID_LAUNCH") { axpy.launch(0, 32, [2.0].pack("e"), x, y, [3].pack("L")) }
    assert_raises(TypeError) { axpy.launch(1, 32, 2.0, x, y, 3) }
    refused("NOT_FOUND", "fast") { @gpu.load(PTX)["fast"] }
    refused("FILE", "absent") { @gpu.load("absent.ptx") }
    refused("INVALID_IMAGE") { @gpu.load_data("no module") }
  end

  def test_close_leaves_nothing
    GC.disable
    before = Isomat.live_objects
    gpu = Isomat::Context.new
    a, event, mod = gpu.full(2, 2, 1), gpu.event, gpu.load(PTX)
    kernel = mod["axpy"]
    objects = [gpu, a, mod, event, kernel, a * a]
    assert_operator Isomat.live_objects, :>, before
    objects.each(&:close)
    assert_equal before, Isomat.live_objects
  ensure
    GC.enable
  end

  def test_the_collector_destroys
    GC.start
    before = Isomat.live_objects
    500.times { @gpu.full(2, 2, 1) }
    GC.start
    assert_operator Isomat.live_objects, :<, before + 100 # the stack may still seem to hold some
  end

  # With objects alive, in a cycle, in a thread that goes on, and closed by at_exit.
  LATE = <<~RUBY
    require ARGV[0]
    gpu = Isomat::Context.new
    $a = gpu.matrix([[1, 2], [3, 4]])
    cycle = [gpu.event, gpu.load(ARGV[1])["axpy"], $a * $a]
    cycle << cycle
    ObjectSpace.define_finalizer(Object.new, proc { $a.close; $a.close })
    at_exit { gpu.close; gpu.close }
    Thread.report_on_exception = false # the context is closed under it
    Thread.new { loop { ($a * $a).to_a } }
    sleep 0.05
    puts "end"
  RUBY

  def test_the_end_of_the_process
    5.times do
      out, err, status = Open3.capture3("ruby", "-W0", "-e", LATE, File.join(__dir__, "isomat"), PTX)
      assert_equal ["end\n", "", 0], [out, err, status.to_i]
    end
  end

  def test_threads
    seconds = Float(ENV.fetch("ISOMAT_STRESS_SECONDS", "2"))
    matrices = Array.new(32) { @gpu.full(8, 8, 1) }
    done = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    counts = Array.new(16) { |seed| Thread.new { work(Random.new(seed), matrices, done) } }.map(&:value)
    assert(counts.all?(&:positive?))
  end

  private

  # Random operations until then; gives how many.
  def work(chance, matrices, done)
    count = 0
    while Process.clock_gettime(Process::CLOCK_MONOTONIC) < done
      begin
        count += 1
        a, b = matrices.sample(random: chance), matrices.sample(random: chance)
        c = a * b
        case chance.rand(5)
        when 0 then c.close
        when 1 then a.close
        when 2 then c.to_a
        when 3 then b.fill(1)
        when 4 then GC.start if chance.rand(50).zero?
        end
        matrices[chance.rand(32)] = @gpu.full(8, 8, 1)
      rescue Isomat::Error => e
        raise unless e.name == "ISOMAT_ERROR_STALE_HANDLE" # closed by another thread
      end
    end
    count
  end
end
