# frozen_string_literal: true

require_relative "lib/heliograph/version"

Gem::Specification.new do |spec|
  spec.name = "heliograph"
  spec.version = Heliograph::VERSION
  spec.summary = "Client of the Heliograph API for servers, with retries and webhook verification"
  spec.authors = ["Heliograph"]
  spec.license = "Apache-2.0"
  spec.required_ruby_version = ">= 3.0"
  spec.files = Dir.chdir(__dir__) { Dir["lib/**/*.rb"] + ["README.md", "CHANGELOG.md", "REFERENCE.md"] }
  spec.require_paths = ["lib"]
  spec.metadata["rubygems_mfa_required"] = "true"
end
