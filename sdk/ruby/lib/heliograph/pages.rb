# frozen_string_literal: true

module Heliograph
  # A part of a list; `next_cursor` is nil on the last.
  Page = Struct.new(:data, :next_cursor)

  # A list: goes through every item, through `pages`, or gives one `page`. It asks when it has to.
  class Pages
    include Enumerable

    def initialize(&load)
      @load = load
    end

    # The first page, or the one of the cursor that was given.
    def page
      @load.call(nil)
    end

    # @return [Enumerator<Page>]
    def pages
      return enum_for(:pages) unless block_given?

      cursor = nil
      loop do
        page = @load.call(cursor)
        yield page
        cursor = page.next_cursor
        break if cursor.nil?
      end
    end

    def each(&block)
      return enum_for(:each) unless block

      pages { |page| page.data.each(&block) }
    end
  end
end
