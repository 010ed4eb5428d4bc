# frozen_string_literal: true

require "erb"
require "json"
require "net/http"
require "openssl"
require "securerandom"
require "time"
require "uri"

module Heliograph
  # Left out, which is not nil: nil is sent as null.
  NOT_GIVEN = Object.new.freeze

  # How calls are made, tried again, and read.
  class Transport
    FIRST_WAIT = 0.25
    LONGEST_WAIT = 20.0
    JSON_TYPE = "application/json"
    LINES_TYPE = "application/x-ndjson"
    # A part of an import has at most so many lines, and about so many bytes.
    LINES_OF_A_PART = 2000
    BYTES_OF_A_PART = 1024 * 1024
    METHODS = {
      "GET" => Net::HTTP::Get, "POST" => Net::HTTP::Post, "PUT" => Net::HTTP::Put,
      "PATCH" => Net::HTTP::Patch, "DELETE" => Net::HTTP::Delete
    }.freeze
    BROKEN = [
      EOFError, IOError, SystemCallError, SocketError, OpenSSL::SSL::SSLError, Net::HTTPBadResponse,
      Net::ProtocolError, Zlib::Error
    ].freeze
    LATE = [Net::OpenTimeout, Net::ReadTimeout, Net::WriteTimeout].freeze
    # What names of headers are made of.
    TOKEN = /\A[!#-'*+.^-z|~0-9A-Z-]+\z/
    OPTIONS = %i[timeout deadline max_retries idempotency_key headers].freeze

    # An id as one part of a path.
    def self.segment(name, value)
      # Left out, it would make another address of it, that of the list; dots lead elsewhere, percent-encoded too.
      unless value.is_a?(String) && !["", ".", ".."].include?(value)
        raise ArgumentError, "#{name} must be a text that is not empty, \".\" or \"..\""
      end

      ERB::Util.url_encode(utf8(name, value))
    end

    # As JSON writes texts, also where nothing would make UTF-8 of them: in paths and queries.
    def self.utf8(name, value)
      text = value.encoding == Encoding::BINARY ? value.dup.force_encoding(Encoding::UTF_8) : value.encode(Encoding::UTF_8)
      return text if text.valid_encoding?

      raise ArgumentError, "#{name} must be #{value.encoding}"
    rescue EncodingError
      raise ArgumentError, "#{name} must be #{value.encoding}, and of characters that UTF-8 has"
    end

    def initialize(api_key, base_url, defaults)
      unless api_key.is_a?(String) && api_key.match?(/\A[!-~]+\z/)
        raise ArgumentError, "api_key must be a key as it was shown: sk_… or pk_…"
      end

      @base = parse(base_url)
      @authorization = "#{api_key.start_with?("pk_") ? "Public" : "ApiKey"} #{api_key}"
      @defaults = defaults
      @idle = Queue.new
    end

    def value(method, path, **given)
      call = prepare(method, path, accept: JSON_TYPE, **given)
      attempts(call) { |timeout| decode(whole(call, timeout)) }
    end

    def pages(method, path, query: {}, options: {})
      Pages.new do |cursor|
        asked = cursor.nil? ? query : query.merge(cursor: cursor)
        answer = value(method, path, query: asked, options: options)
        unless answer[:data].is_a?(Array) && [NilClass, String].include?(answer.fetch(:next_cursor, false).class)
          raise ConnectionError, "The answer is not the service's: it is no page of a list"
        end

        Page.new(answer[:data], answer[:next_cursor])
      end
    end

    def lines(method, path, query: {}, options: {})
      Enumerator.new do |out|
        call = prepare(method, path, accept: LINES_TYPE, query: query, options: options)
        begun = false
        attempts(call) do |timeout|
          rest = +""
          # Only the beginning has to come in time: the lines take as long as they are many.
          receive(call, timeout, nil) do |chunk|
            begun = true
            *found, rest = (rest << chunk).split("\n", -1)
            found.each { |line| out << decode(line) unless line.empty? }
          end
          raise ConnectionError, "The answer broke off in the middle of a line" unless rest.empty?
        rescue Error => e
          # What was given cannot be taken back.
          raise begun ? Final.new(e) : e
        end
      rescue Final => e
        raise e.error
      end
    end

    # Each part is a call of its own, which can be repeated; results are numbered on from part to part.
    def send_lines(method, path, lines, takes_key: false, options: {})
      Enumerator.new do |out|
        sent = 0
        parts(lines) do |content, count|
          call = prepare(
            method, path,
            accept: LINES_TYPE, content: content, content_type: LINES_TYPE, takes_key: takes_key, options: options
          )
          results = attempts(call) { |timeout| results_of(whole(call, timeout)) }
          results.each { |result| out << result.merge(line: result[:line] + sent) }
          sent += count
        end
      end
    end

    def close
      while (http = idle)
        http.finish
      end
    rescue IOError
      nil
    end

    # An error after which nothing is tried again.
    class Final < StandardError
      attr_reader :error

      def initialize(error)
        super(error.message)
        @error = error
      end
    end

    private

    Call = Struct.new(:method, :path, :headers, :content, :timeout, :deadline, :max_retries)

    def parse(base_url)
      url = URI.parse(base_url.to_s)
      return url if url.is_a?(URI::HTTP) && !url.host.to_s.empty? && url.userinfo.nil?

      raise URI::InvalidURIError
    rescue URI::InvalidURIError
      raise ArgumentError, "base_url must be the address of the service, such as https://push.example.com"
    end

    def prepare(method, path, accept:, query: {}, body: nil, content: nil, content_type: JSON_TYPE, takes_key: false,
                options: {})
      unknown = options.keys - OPTIONS
      raise ArgumentError, "unknown options: #{unknown.join(", ")}" unless unknown.empty?

      content = encode(body.reject { |_, value| value.equal?(NOT_GIVEN) }) unless body.nil?
      headers = { "authorization" => @authorization, "accept" => accept, "accept-encoding" => "identity",
                  "user-agent" => "heliograph-ruby/#{VERSION}" }
      headers["content-type"] = content_type unless content.nil?
      headers["idempotency-key"] = key_of(options) if takes_key
      (options[:headers] || {}).each do |name, value|
        raise ArgumentError, "#{name.inspect} is no name of a header" unless name.to_s.match?(TOKEN)

        headers[name.to_s.downcase] = value.to_s
      end
      settings = @defaults.merge(options.compact)
      Call.new(method, @base.path.chomp("/") + path + query_of(query), headers, content,
               settings[:timeout], settings[:deadline], settings[:max_retries])
    end

    def key_of(options)
      key = options[:idempotency_key] || SecureRandom.uuid
      return key if key.match?(/\A[!-~]{1,255}\z/)

      raise ArgumentError, "idempotency_key must be 1 to 255 printable ASCII characters without spaces"
    end

    def query_of(query)
      pairs = query.flat_map do |name, value|
        # Not Array(value), which makes ten numbers of a Time.
        values = value.is_a?(Array) ? value : [value]
        values.reject { |one| one.nil? || one.equal?(NOT_GIVEN) }.map { |one| [name, self.class.utf8(name, text_of(one))] }
      end
      pairs.empty? ? "" : "?#{URI.encode_www_form(pairs)}"
    end

    # A Time, or what is like one; a Date has no hour.
    def time?(value)
      value.respond_to?(:iso8601) && value.respond_to?(:hour)
    end

    def text_of(value)
      time?(value) ? value.iso8601(3) : value.to_s
    end

    def encode(value)
      JSON.generate(plain(value))
    rescue JSON::GeneratorError => e
      raise ArgumentError, "no JSON: #{e.message}"
    end

    # With times as the service writes them, wherever they are.
    def plain(value)
      case value
      when Hash then value.transform_values { |one| plain(one) }
      when Array then value.map { |one| plain(one) }
      else time?(value) ? text_of(value) : value
      end
    end

    def attempts(call)
      finish = clock + call.deadline
      tries = 0
      begin
        yield [call.timeout, [finish - clock, 0.001].max].min
      rescue Error => e
        wait = wait_after(e, tries)
        raise if wait.nil? || tries >= call.max_retries || clock + wait >= finish

        sleep wait
        tries += 1
        retry
      end
    end

    # Seconds until another attempt; nil where it would not help.
    def wait_after(error, tries)
      if error.is_a?(ApiError)
        again = [408, 429].include?(error.status) || error.status >= 500
        # A conflict that says when to come again: the first try of the same call is still at work.
        return nil unless again || (error.status == 409 && error.retry_after)
        # A little more, so that not all clients come back at the same moment.
        return error.retry_after + (rand * [1.0, 0.1 + (error.retry_after / 4)].min) if error.retry_after
      end
      (0.5 + (rand / 2)) * [LONGEST_WAIT, FIRST_WAIT * (2**tries)].min
    end

    def whole(call, timeout)
      body = +""
      receive(call, timeout, clock + timeout) { |chunk| body << chunk }
      body
    end

    # One attempt; the pieces of a successful answer go to the block.
    def receive(call, timeout, finish)
      request = METHODS.fetch(call.method).new(call.path, call.headers)
      request.body = call.content unless call.content.nil?
      connected(timeout) do |http|
        http.request(request) do |response|
          raise api_error(response) unless response.is_a?(Net::HTTPSuccess)

          length = response.content_length
          response.read_body do |chunk|
            yield chunk
            length -= chunk.bytesize if length
            raise TimeoutError, "No whole answer within #{timeout.round(3)} s" if finish && clock > finish
          end
          raise EOFError, "the body is not whole" if length&.positive?
        end
      end
    rescue *LATE
      raise TimeoutError, "No answer within #{timeout.round(3)} s"
    rescue *BROKEN => e
      raise ConnectionError, "No whole answer: #{e.message}"
    end

    # Connections are kept when all went well, and left alone by a process that was forked meanwhile.
    def connected(timeout)
      pid = Process.pid
      http = take
      http.open_timeout = http.read_timeout = http.write_timeout = timeout
      http.start unless http.started?
      well = false
      result = yield http
      well = true
      result
    ensure
      if well
        @idle << [pid, http]
      elsif http&.started? && pid == Process.pid
        begin
          http.finish
        rescue IOError
          nil
        end
      end
    end

    # A connection that is kept, and is this process's alone: two that ask on the same one get each other's answers.
    # Those of before a fork are forgotten. To finish one would take leave of the service in the parent's name.
    def idle
      loop do
        pid, http = @idle.pop(true)
        return http if pid == Process.pid
      end
    rescue ThreadError
      nil
    end

    def take
      idle || fresh
    end

    def fresh
      http = Net::HTTP.new(@base.host, @base.port)
      http.use_ssl = @base.scheme == "https"
      # Attempts are counted here.
      http.max_retries = 0
      http
    end

    def api_error(response)
      body =
        begin
          JSON.parse(response.body.to_s, symbolize_names: true)
        rescue JSON::ParserError
          # A proxy's page.
          nil
        end
      error = body.is_a?(Hash) && body[:error].is_a?(Hash) ? body[:error] : {}
      ApiError.new(
        status: response.code.to_i, code: error[:code].is_a?(String) ? error[:code] : "unknown",
        message: error[:message] || response.message, details: error[:details].is_a?(Array) ? error[:details] : [],
        request_id: error[:request_id] || response["x-request-id"], retry_after: retry_after(response["retry-after"])
      )
    end

    # Seconds, or a date: both are allowed in HTTP.
    def retry_after(header)
      return nil if header.nil?
      return header.to_f if header.match?(/\A[0-9]+\z/)

      [0.0, Time.httpdate(header) - Time.now].max
    rescue ArgumentError
      nil
    end

    # An answer, or a line of one: each of the service's is an object.
    def decode(text)
      value = JSON.parse(text.force_encoding(Encoding::UTF_8), symbolize_names: true)
      return value if value.is_a?(Hash)

      raise ConnectionError, "The answer is not the service's: it is no object"
    rescue JSON::ParserError
      raise ConnectionError, "The answer is not JSON"
    end

    def results_of(content)
      raise ConnectionError, "The answer broke off in the middle of a line" unless content.empty? || content.end_with?("\n")

      results = content.each_line(chomp: true).reject(&:empty?).map { |line| decode(line) }
      return results if results.all? { |result| result[:line].is_a?(Integer) }

      raise ConnectionError, "The answer is not the service's: a result has no line"
    end

    def parts(lines)
      content = +""
      count = 0
      lines.each do |line|
        content << (line.is_a?(String) ? line.strip : encode(line)) << "\n"
        count += 1
        next if count < LINES_OF_A_PART && content.bytesize < BYTES_OF_A_PART

        yield content, count
        content = +""
        count = 0
      end
      yield content, count if count.positive?
    end

    def clock
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
