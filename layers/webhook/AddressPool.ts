import type { buildConnector } from "undici"
import { Client } from "undici"
import type { Post } from "./Post.ts"

/** What is sent, in undici's words. */
export interface Request {
  readonly path: string
  readonly method: "POST"
  readonly headers: Array<string>
  readonly body: string
}

/**
 * Connections to one address of one origin, opened when they are needed, each for one post at a time. Undici's own pool
 * looks through all of its clients for every request and makes a resource of every request that waits: with as many
 * posts as connections that is a tenth of what a post costs.
 */
export class AddressPool {
  readonly origin: string
  readonly address: string
  readonly #connect: buildConnector.connector
  readonly #most: number
  readonly #onClosed: (pool: AddressPool) => void
  readonly #clients = new Set<Client>()
  /** The one that was used last comes first, so that those that are not needed are closed as idle. */
  readonly #idle: Array<Client> = []
  /** First come, first served. */
  #waiting: Array<{ readonly request: Request; readonly post: Post }> = []
  #isRetired = false

  /** `onClosed` is told when it was retired and its last connection is closed. */
  constructor(
    origin: string,
    address: string,
    connect: buildConnector.connector,
    most: number,
    onClosed: (pool: AddressPool) => void
  ) {
    this.origin = origin
    this.address = address
    this.#connect = connect
    this.#most = most
    this.#onClosed = onClosed
  }

  send(request: Request, post: Post): void {
    const client = this.#idle.pop() ?? (this.#clients.size < this.#most ? this.#open() : null)
    if (client === null) this.#waiting.push({ request, post })
    else this.#give(client, request, post)
  }

  /** What was given to it ends by itself, and then its connections. */
  retire(): void {
    this.#isRetired = true
    for (const client of this.#idle.splice(0)) this.#close(client)
    if (this.#clients.size === 0) this.#onClosed(this)
  }

  async destroy(): Promise<void> {
    this.#waiting = []
    await Promise.all([...this.#clients].map((client) => client.destroy()))
  }

  #open(): Client {
    const client = new Client(this.origin, {
      connect: this.#connect,
      allowH2: false,
      // The deadline of the post covers these.
      headersTimeout: 0,
      bodyTimeout: 0
    })
    this.#clients.add(client)
    return client
  }

  #give(client: Client, request: Request, post: Post): void {
    post.onRelease(() => this.#release(client))
    client.dispatch(request, post)
  }

  #release(client: Client): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!next.post.isAbandoned) return this.#give(client, next.request, next.post)
    }
    if (this.#isRetired) this.#close(client)
    else this.#idle.push(client)
  }

  #close(client: Client): void {
    const gone = () => {
      this.#clients.delete(client)
      if (this.#clients.size === 0) this.#onClosed(this)
    }
    // It refuses when `destroy` was faster, which is as good; unheard, the refusal would end the process.
    client.close().then(gone, gone)
  }
}
