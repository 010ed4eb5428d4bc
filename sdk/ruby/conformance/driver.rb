# frozen_string_literal: true

# The conformance suite's command (sdk/conformance): a request a line in, an answer a line out.

require_relative "../lib/heliograph"

def problem_of(error)
  kind =
    case error
    when Heliograph::ApiError then "api"
    when Heliograph::TimeoutError then "timeout"
    when Heliograph::ConnectionError then "connection"
    when Heliograph::WebhookVerificationError then "webhook"
    when ArgumentError then "usage"
    else "other"
    end
  problem = { kind: kind, message: "#{error.class}: #{error.message}" }
  return problem unless error.is_a?(Heliograph::ApiError)

  problem.merge(status: error.status, code: error.code, details: error.details, request_id: error.request_id,
                retry_after_ms: error.retry_after && (error.retry_after * 1000).round)
end

def snake(name)
  name.gsub(/[A-Z]/) { |letter| "_#{letter.downcase}" }.to_sym
end

# Lines so long that those of a large import do not fit into the memory that a small one needs.
TAIL = "x" * 300

def made(count)
  return enum_for(:made, count) unless block_given?

  count.times { |i| yield({ token: "made-#{i}-#{TAIL}", platform: "android" }) }
end

def times(given)
  { timeout: given[:timeout_ms]&./(1000.0), deadline: given[:deadline_ms]&./(1000.0),
    max_retries: given[:max_retries] }.compact
end

def plain(value)
  value.is_a?(Heliograph::Page) ? value.to_h : value
end

ODD = { "nan" => Float::NAN, "infinity" => Float::INFINITY, "text" => "\xff", "other" => -Float::INFINITY }.freeze

def revive(value)
  case value
  when Hash
    return Time.iso8601(value[:$time]) if value.key?(:$time)
    return ODD.fetch(value[:$odd]) if value.key?(:$odd)
    return value[:$latin].encode(Encoding::ISO_8859_1) if value.key?(:$latin)

    value.transform_values { |one| revive(one) }
  when Array then value.map { |one| revive(one) }
  else value
  end
end

# What a process has for an answer that begins as a copy of this one.
def in_child
  reader, writer = IO.pipe
  child = fork do
    said =
      begin
        yield
      rescue StandardError => e
        problem_of(e)
      end
    writer.write(JSON.generate(said))
    writer.close
    # Not exit: what is half done in this copy is the parent's.
    exit!
  end
  writer.close
  JSON.parse(reader.read, symbolize_names: true)
ensure
  reader.close
  Process.wait(child)
end

def run(request, answer)
  if %w[verify parse].include?(request[:call])
    body = request[:body_base64].unpack1("m")
    given = [body, request[:header], request[:secrets]]
    how = { tolerance: request[:tolerance_seconds] }.compact.merge(request.slice(:now))
    answer[:value] = Heliograph::Webhooks.public_send(request[:call], *given, **how)
    return
  end
  settings = request[:client]
  client = Heliograph::Client.new(settings[:api_key], settings[:base_url], **times(settings))
  resource, name = request[:call].split(".")
  ids = request[:ids] || []
  ids += [request[:lines] || made(request[:generate])] if request[:lines] || request[:generate]
  options = request[:options] || {}
  options = times(options).merge(options.slice(:idempotency_key, :headers))
  keywords = (request[:query] || {}).merge(request[:body] || {})
  ask = -> { client.public_send(snake(resource)).public_send(snake(name), *ids, **keywords, options: options) }
  if request[:fork]
    answer[:items] = [ask.call, in_child(&ask), ask.call]
    return
  end
  result = ask.call
  case request[:as]
  when "count"
    answer.merge!(count: 0, errors: 0)
    result.each do |item|
      answer[:count] += 1
      answer[:errors] += 1 if item[:error]
    end
  when "items", "pages"
    answer[:items] = []
    (request[:as] == "pages" ? result.pages : result).each do |item|
      answer[:items] << plain(item)
      break if answer[:items].size == request[:take]
    end
  else
    answer[:value] = plain(result.is_a?(Heliograph::Pages) ? result.page : result)
  end
ensure
  client&.close
end

$stdout.sync = true
$stdin.set_encoding(Encoding::UTF_8)
$stdin.each_line do |line|
  answer = {}
  begin
    run(revive(JSON.parse(line, symbolize_names: true)), answer)
  rescue StandardError => e
    answer[:error] = problem_of(e)
  end
  puts JSON.generate(answer)
end
