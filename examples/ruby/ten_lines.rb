#!/usr/bin/env ruby
# frozen_string_literal: true

# SPDX-License-Identifier: MIT
# ten_lines.rb: one product, from numbers and back; copy it and go on from here.
require_relative "isomat"

Isomat::Context.open do |gpu|
  a = gpu.matrix([[1, 2, 3], [4, 5, 6]])
  b = gpu.matrix([[1, 2], [3, 4], [5, 6]])
  c = a * b
  c.to_a.each { |row| puts format("%g %g", *row) }
end
