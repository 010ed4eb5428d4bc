import { Effect, Stream } from "effect"
import type { FileHandle } from "node:fs/promises"
import { mkdtemp, open, rm } from "node:fs/promises"
import type { IncomingHttpHeaders } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** What is held in memory; more goes to a file. */
const MEMORY_BYTES = 1 << 20
const READ_BYTES = 1 << 16

/**
 * Whether something stands between the client and this server that may read no more of a request once the answer to it
 * has begun: nginx passes on no more of a body then, and the sender waits for ever.
 */
export const isBehindProxy = (headers: IncomingHttpHeaders): boolean =>
  headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined || headers.via !== undefined

/** A file without a name, which is gone with its last handle, however that ends. */
const unnamedFile = async (): Promise<FileHandle> => {
  const folder = await mkdtemp(join(tmpdir(), "heliograph-answer-"))
  try {
    return await open(join(folder, "held"), "wx+", 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Bytes in the order in which they came: in a file but for the last of them. */
class Held {
  #file: FileHandle | null = null
  #written = 0
  #memory: Array<Uint8Array> = []
  #bytes = 0

  readonly add = async (bytes: Uint8Array): Promise<void> => {
    this.#memory.push(bytes)
    this.#bytes += bytes.length
    if (this.#bytes <= MEMORY_BYTES) return
    this.#file ??= await unnamedFile()
    await this.#file.appendFile(Buffer.concat(this.#memory))
    this.#written += this.#bytes
    this.#memory = []
    this.#bytes = 0
  }

  async *all(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.#written;) {
      const { buffer, bytesRead } = await this.#file!.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, at)
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
    yield* this.#memory
  }

  readonly close = async (): Promise<void> => {
    await this.#file?.close()
  }
}

/** The same answer, of which nothing is sent before all of it is there. A file that cannot be written ends it. */
export const heldBack = <E, R>(answer: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const held = yield* Effect.acquireRelease(
        Effect.sync(() => new Held()),
        ({ close }) => Effect.promise(close)
      )
      yield* Stream.runForEach(answer, (bytes) => Effect.promise(() => held.add(bytes)))
      return Stream.orDie(Stream.fromAsyncIterable(held.all(), (error) => error))
    })
  )
