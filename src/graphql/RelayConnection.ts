import type { ListPage } from "../http/pipeline/Page.ts"
import { LIST, writeCursor } from "../http/pipeline/Page.ts"

/*
 * Relay connections over the keyset pages of the stores. A cursor is that of the REST API, for any item of the page: what
 * either surface handed out, both take.
 */

/** By which id a list goes on; `id` of what it shows, unless named here. */
const KEYS: Readonly<Record<string, (node: any) => string>> = {
  members: ({ accountId }) => accountId,
  deliveries: ({ channel_id, device_id }) => device_id ?? channel_id,
  "webhook-deliveries": ({ event_id }) => event_id
}

class Edge<A> {
  readonly node: A
  readonly #page: ListPage<A>

  constructor(page: ListPage<A>, node: A) {
    this.#page = page
    this.node = node
  }

  get cursor(): string {
    const list = this.#page[LIST]
    const keyOf = KEYS[list.split("/", 1)[0]!]
    return writeCursor(list, keyOf === undefined ? (this.node as { readonly id: string }).id : keyOf(this.node))
  }
}

class PageInfo<A> {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly #page: ListPage<A>

  constructor(page: ListPage<A>, hasPrevious: boolean) {
    this.hasNextPage = page.next_cursor !== null
    this.hasPreviousPage = hasPrevious
    this.#page = page
  }

  get startCursor(): string | null {
    const first = this.#page.data.at(0)
    return first === undefined ? null : new Edge(this.#page, first).cursor
  }

  // A page may end behind its last node, or have none, where others were looked through.
  get endCursor(): string | null {
    const last = this.#page.data.at(-1)
    return this.#page.next_cursor ?? (last === undefined ? null : new Edge(this.#page, last).cursor)
  }
}

/** A page as the Relay cursor specification has it. Cursors are written for those who ask for them. */
export class Connection<A> {
  readonly nodes: ReadonlyArray<A>
  readonly #page: ListPage<A>
  readonly #hasPrevious: boolean

  constructor(page: ListPage<A>, hasPrevious: boolean) {
    this.nodes = page.data
    this.#page = page
    this.#hasPrevious = hasPrevious
  }

  get edges(): ReadonlyArray<Edge<A>> {
    return this.nodes.map((node) => new Edge(this.#page, node))
  }

  get pageInfo(): PageInfo<A> {
    return new PageInfo(this.#page, this.#hasPrevious)
  }
}

export const connectionOf = <A>(page: ListPage<A>, hasPrevious: boolean): Connection<A> =>
  new Connection(page, hasPrevious)
