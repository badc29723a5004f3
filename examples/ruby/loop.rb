#!/usr/bin/env ruby
# frozen_string_literal: true

# SPDX-License-Identifier: MIT
# Multiplies two matrices in a loop and times it.
#
#   loop.rb [size [iterations]]       by default 4096 100

require_relative "isomat"

WARM_UP = 3
LARGEST_SIZE = 65_536
MOST_ITERATIONS = 1_000_000
MASK = 2**64 - 1

# Random float32 in a string, uniform in [-0.5, 0.5): the high bits of a 64-bit linear congruential generator.
# The loops in every language use this one.
def random(count, state)
  chunks = (0...count).step(65_536).map do |first|
    Array.new([65_536, count - first].min) do
      state = (state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) & MASK
      (state >> 40) / 16_777_216.0 - 0.5
    end.pack("e*")
  end
  chunks.join
end

# Compares elements of c with double-precision dot products. An element may be off by what float32 arithmetic
# may lose in size additions.
def check(size, a_data, b_data, c_data)
  places = Array.new(7) { |index| (size - 1) * index / 6 } # the corners, the edges and points inside
  columns = places.to_h { |j| [j, Array.new(size) { |k| b_data.unpack1("e", offset: 4 * (k * size + j)) }] }
  places.product(places) do |i, j|
    row = a_data.unpack("e#{size}", offset: 4 * i * size)
    products = row.zip(columns[j]).map { |x, y| x * y }
    exact = products.sum
    found = c_data.unpack1("e", offset: 4 * (i * size + j))
    next if (found - exact).abs <= size * 2.0**-24 * products.sum(&:abs)

    abort format("loop: element (%d, %d) is %.9g, not %.9g", i, j, found, exact)
  end
end

def median(values)
  sorted = values.sort
  (sorted[(sorted.size - 1) / 2] + sorted[sorted.size / 2]) / 2
end

def clock_ms
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_millisecond)
end

# Multiplies, synchronizes and closes the result, again and again; gives [device, total] times.
def measure(gpu, a, b, iterations)
  started, ended = gpu.event, gpu.event
  times = Array.new(WARM_UP + iterations) do
    began = clock_ms
    started.record
    c = a * b
    ended.record
    gpu.synchronize
    c.close
    total = clock_ms - began
    [ended.elapsed_since(started), total]
  end
  times.drop(WARM_UP).transpose.map { |each| median(each) }
end

# Gives the line to print.
def run(size, iterations)
  device, total = Isomat::Context.open do |gpu|
    a_data, b_data = random(size * size, 1), random(size * size, 2)
    a, b = gpu.matrix(a_data, size, size), gpu.matrix(b_data, size, size)
    times = measure(gpu, a, b, iterations)
    check(size, a_data, b_data, (a * b).data)
    times
  end
  format("ruby: %<size>d x %<size>d, %<iterations>d multiplications, %<name>s:" \
         " device %<device>.3f ms, with overhead %<total>.3f ms",
         size: size, iterations: iterations, name: Isomat.device_name, device: device, total: total)
end

def usage(problem = "")
  warn "#{problem}usage: loop [size [iterations]]"
  exit 2
end

# An argument as a number from 1 to most.
def parse(text, most)
  return text.to_i if text.match?(/\A[0-9]{1,9}\z/) && text.to_i.between?(1, most)

  usage("loop: '#{text}' is not a number from 1 to #{most}\n")
end

if __FILE__ == $PROGRAM_NAME
  usage if ARGV.size > 2
  size = parse(ARGV.fetch(0, "4096"), LARGEST_SIZE)
  iterations = parse(ARGV.fetch(1, "100"), MOST_ITERATIONS)
  begin
    puts run(size, iterations)
  rescue Isomat::Error => e
    abort "loop: #{e.message}"
  end
end
