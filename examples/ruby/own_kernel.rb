#!/usr/bin/env ruby
# frozen_string_literal: true

# SPDX-License-Identifier: MIT
# Launches a kernel of one's own: y += alpha * x, from a fatbin, a cubin or PTX.
#
#   own_kernel.rb [module]            by default ../python/axpy.ptx

require_relative "isomat"

N = 1000
BLOCK = 128
ALPHA = 0.5

path = ARGV.fetch(0, File.expand_path("../python/axpy.ptx", __dir__))
begin
  Isomat::Context.open do |gpu|
    axpy = gpu.load(path)["axpy"]
    abort "own_kernel: the kernel was built with -G: see isomat inspect" unless axpy.info.debug.zero?
    x, y = gpu.matrix([[*0...N]]), gpu.full(1, N, 3.0)
    axpy.launch((N + BLOCK - 1) / BLOCK, BLOCK, [ALPHA].pack("e"), x, y, [N].pack("L"))
    abort "own_kernel: a wrong result" unless y.to_a == [Array.new(N) { |i| 3 + ALPHA * i }]
    puts "ruby: axpy, #{N} elements, #{axpy.info.registers} registers"
  end
rescue Isomat::Error => e
  abort "own_kernel: #{e.message}"
end
