import { Layer, Tracer } from "effect"

/** Every statement that is sent to the database, in order: whatever the stores make of a call. */
export class StatementLog {
  readonly #spans: Array<Tracer.Span> = []

  /** Their texts, once they were sent. */
  get texts(): ReadonlyArray<string> {
    return this.#spans.flatMap(({ attributes }) => {
      const text = attributes.get("db.query.text")
      return typeof text === "string" ? [text] : []
    })
  }

  readonly layer = Layer.succeed(
    Tracer.Tracer,
    Tracer.make({
      span: (options) => {
        const span = Tracer.nativeTracer.span(options)
        if (options.kind === "client") this.#spans.push(span)
        return span
      }
    })
  )
}
