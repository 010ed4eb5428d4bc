/** Characters of all queries that are remembered. An AST takes some hundred times as many bytes at worst. */
const CHARACTERS = 200_000
/** What the shortest query counts for, as it has a document, an operation and a field. */
const LEAST = 100

/**
 * Parsed queries by their text: clients send the same ones over and over. Bounded by length and not by number, so that
 * queries of 60 KB each take no more memory than short ones.
 */
export class DocumentCache<A> {
  readonly #known = new Map<string, A>()
  #characters = 0

  get size(): number {
    return this.#known.size
  }

  get(text: string): A | undefined {
    const found = this.#known.get(text)
    if (found === undefined) return undefined
    // Who was asked for last is forgotten last.
    this.#known.delete(text)
    this.#known.set(text, found)
    return found
  }

  set(text: string, document: A): void {
    if (text.length > CHARACTERS / 10) return
    if (this.#known.delete(text)) this.#characters -= LEAST + text.length
    this.#known.set(text, document)
    this.#characters += LEAST + text.length
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= CHARACTERS) return
      this.#known.delete(oldest)
      this.#characters -= LEAST + oldest.length
    }
  }
}
