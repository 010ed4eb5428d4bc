# frozen_string_literal: true

require "json"
require "openssl"

module Heliograph
  # Whether a delivery is genuine, and its event.
  module Webhooks
    module_function

    # @param raw_body [String] as it came, before anything parsed it
    # @param header [String, nil] the value of X-Service-Signature
    # @param secret [String, Array<String>] the webhook's secret, or several, one of which has to fit; those that
    #   are empty or nil do not count
    # @param tolerance [Integer] seconds that the signature's time may differ from the clock, either way
    # @return [Boolean]
    def verify(raw_body, header, secret, tolerance: 300, now: Time.now.to_i)
      # Not false: nothing is wrong with the delivery, and its sender must not be told so for ever.
      raise ArgumentError, "secret is required" if secret.nil?

      parts = header.to_s.split(",").map { |part| part.strip.split("=", 2) }
      t = parts.find { |name, _| name == "t" }&.last.to_s
      return false unless t.match?(/\A[0-9]{1,12}\z/) && (now - t.to_i).abs <= tolerance

      signatures = parts.filter_map { |name, value| value if name == "v1" && value.to_s.bytesize == 64 }
      # An empty key would accept what anybody can sign.
      keys = Array(secret).reject { |key| key.to_s.empty? }
      keys.map { |key| OpenSSL::HMAC.hexdigest("SHA256", key, "#{t}.".b + raw_body.b) }
          .product(signatures)
          .map { |expected, signature| OpenSSL.fixed_length_secure_compare(expected, signature) }
          .any?
    end

    # The event of a delivery that is genuine; else a WebhookVerificationError.
    # @return [Hash] :id (the same on every attempt), :event, :appId, :timestamp, :payload
    def parse(raw_body, header, secret, **options)
      # Nothing is wrong with the delivery.
      raise ArgumentError, "secret is required, and is empty" if Array(secret).all? { |key| key.to_s.empty? }

      unless verify(raw_body, header, secret, **options)
        raise WebhookVerificationError, "The signature is missing, wrong, or too far from the clock"
      end

      JSON.parse(raw_body, symbolize_names: true)
    end
  end
end
