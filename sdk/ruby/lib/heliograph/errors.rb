# frozen_string_literal: true

module Heliograph
  # Everything that a call can fail with, but for a wrong argument (ArgumentError).
  class Error < StandardError; end

  # The service answered, and refused.
  class ApiError < Error
    # @return [Integer]
    attr_reader :status
    # @return [String] "unknown" for an answer that is not the service's own, such as a proxy's
    attr_reader :code
    # @return [Array<Hash>] what is wrong with which field, each with :field and :message
    attr_reader :details
    # @return [String, nil]
    attr_reader :request_id
    # @return [Float, nil] seconds that the service asks to wait
    attr_reader :retry_after

    def initialize(status:, code:, message:, details:, request_id:, retry_after:)
      super("#{status} #{code}: #{message}")
      @status = status
      @code = code
      @details = details
      @request_id = request_id
      @retry_after = retry_after
    end
  end

  # There was no whole answer: no connection, or one that broke.
  class ConnectionError < Error; end

  # An attempt took longer than `timeout`, or what was left of the deadline.
  class TimeoutError < Error; end

  # A webhook that is not genuine, or too old.
  class WebhookVerificationError < Error; end
end
