#!/usr/bin/env ruby
# frozen_string_literal: true

# SPDX-License-Identifier: MIT
# Times the host's side of a call: an empty kernel, and a product of 64 x 64 into a matrix that is there.
#
#   overhead.rb [calls]               by default 100000

require_relative "isomat"

BATCH = 500
EMPTY = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry empty()\n{\nret;\n}\n"

# The median over batches of the nanoseconds of a call; what waits between batches is not counted.
def nanoseconds(gpu, calls)
  times = Array.new((calls + BATCH - 1) / BATCH) do
    began = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    BATCH.times { yield }
    took = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - began
    gpu.synchronize
    took / BATCH.to_f
  end
  sorted = times.sort
  (sorted[(sorted.size - 1) / 2] + sorted[sorted.size / 2]) / 2
end

text = ARGV.fetch(0, "100000")
unless ARGV.size < 2 && text.match?(/\A[0-9]{1,9}\z/) && text.to_i.positive?
  warn "usage: overhead [calls]"
  exit 2
end
begin
  Isomat::Context.open do |gpu|
    empty = gpu.load_data(EMPTY)["empty"].prepare(1, 1)
    a, b, c = gpu.full(64, 64, 1), gpu.full(64, 64, 1), gpu.full(64, 64, 0)
    launch = nanoseconds(gpu, text.to_i) { empty.call }
    product = nanoseconds(gpu, text.to_i) { c.multiply(a, b) }
    puts format("ruby: %d calls: empty launch %.0f ns, 64 x 64 product %.0f ns", text.to_i, launch, product)
  end
rescue Isomat::Error => e
  abort "overhead: #{e.message}"
end
