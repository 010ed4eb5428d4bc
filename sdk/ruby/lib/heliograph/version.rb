# frozen_string_literal: true

module Heliograph
  VERSION = "0.1.0"
end
