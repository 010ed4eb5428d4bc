# frozen_string_literal: true

require_relative "heliograph/version"
require_relative "heliograph/errors"
require_relative "heliograph/pages"
require_relative "heliograph/transport"
require_relative "heliograph/webhooks"
require_relative "heliograph/generated/resources"

# The Heliograph API for servers.
module Heliograph
  # The service, by resource and operation. One client serves any number of threads.
  class Client
    include Resources

    # @param api_key [String] a secret key (sk_…), or a public one for the few operations that take it
    # @param base_url [String] where the service is, such as https://push.example.com
    # @param timeout [Numeric] seconds that one attempt may take
    # @param deadline [Numeric] seconds that a call may take with all its attempts and the waiting between them
    # @param max_retries [Integer] attempts after the first
    def initialize(api_key, base_url, timeout: 30, deadline: 90, max_retries: 4)
      @transport = Transport.new(api_key, base_url, { timeout: timeout, deadline: deadline, max_retries: max_retries })
    end

    # Closes the connections that are kept.
    def close
      @transport.close
    end
  end
end
