/*
 * The bytes of an HTTP/1.1 answer on their way from the socket to undici's parser.
 *
 * They are counted, whatever part of the answer they are of: the parser bounds header fields and the callers bound
 * bodies, but a reason phrase, an extension of a chunk or the spaces around them may go on without an end.
 *
 * HTTP lets any server say `100 Continue` before its answer (RFC 9110, 15.2), also unasked. Undici takes that for a fault
 * of the connection, while it passes over all other interim answers. Here a 100 becomes a 102: a digit is changed in
 * place, nothing is held back or moved.
 */

/**
 * The most bytes of an answer, with the interim ones before it: twice the largest body that is read (64 KB), so that
 * header, chunk sizes and trailers have as much again.
 */
const MOST_BYTES = 128 * 1024

/** The answer has more bytes than are read of any. */
export class AnswerTooLong extends Error {}

const SPACE = 0x20
const [ZERO, ONE, TWO] = [0x30, 0x31, 0x32]
const [LF, CR] = [0x0a, 0x0d]

/** What this needs of a socket, of TCP or TLS. */
interface Wire {
  read: (size?: number) => unknown
  // A method, so that a socket with its overloads is one.
  write(data: never): boolean
  destroy(error: Error): unknown
}

/** Where the reader of a connection's answers is. */
type At =
  /** In the version of a status line. */
  | "version"
  /** In its status, of which so many digits have come. */
  | 0
  | 1
  | 2
  /** In the head of an interim answer: within a line, or at the beginning of one. */
  | "line"
  | "lineBegin"
  /** In the answer itself, which is none of ours. */
  | "answer"

/**
 * Makes every 100 of the answers that are read from a socket a 102, and destroys it with `AnswerTooLong` in an answer of
 * more than 128 KB. Call it before a request is written.
 */
export const guardAnswers = <S extends Wire>(socket: S): S => {
  let at: At = "answer"
  let isHundred = true
  let received = 0

  const look = (chunk: Uint8Array): void => {
    for (let i = 0; i < chunk.length && at !== "answer"; i++) {
      const byte = chunk[i]!
      switch (at) {
        case "version":
          if (byte === SPACE) {
            at = 0
            isHundred = true
          } else if (byte === LF) at = "answer"
          break
        case 0:
          at = byte === ONE ? 1 : "answer"
          break
        case 1:
          isHundred = byte === ZERO
          at = 2
          break
        case 2:
          if (isHundred && byte === ZERO) chunk[i] = TWO
          at = "line"
          break
        case "line":
          if (byte === LF) at = "lineBegin"
          break
        case "lineBegin":
          if (byte === LF) at = "version"
          else if (byte !== CR) at = "line"
      }
    }
  }

  const wire = socket as unknown as { read: (size?: number) => unknown; write: (...args: Array<unknown>) => boolean }
  const { read, write } = wire
  wire.read = (size?: number): unknown => {
    const chunk: unknown = read.call(socket, size)
    if (!(chunk instanceof Uint8Array)) return chunk
    received += chunk.length
    if (received > MOST_BYTES) {
      socket.destroy(new AnswerTooLong("the answer is too long"))
      return null
    }
    if (at !== "answer") look(chunk)
    return chunk
  }
  // A connection has one request at a time: whatever is written is a request, and its answer is next.
  wire.write = (...args) => {
    at = "version"
    received = 0
    return write.apply(socket, args)
  }
  return socket
}
