import type { Socket } from "node:net"

/**
 * Resolves when a socket is closed, also by a reset: that is how a server's cut reaches a client whose bytes were on
 * their way. `once(socket, "close")` would reject then. Call it before the cut.
 */
export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => void socket.on("error", () => {}).once("close", () => resolve()))

/** More than the buffers of both ends of a connection hold. */
export const POURED = 32 << 20

const PIECE = Buffer.alloc(65_536, "b")

/** Writes the piece until so much has left (`POURED`) or the other end cuts it off. Answers how many bytes left. */
export const pour = async (socket: Socket, piece: Uint8Array = PIECE): Promise<number> => {
  const cut = closed(socket)
  for (let left = 0; ; left += piece.length) {
    if (left >= POURED) {
      socket.destroy()
      return left
    }
    const went = Promise.withResolvers<boolean>()
    socket.write(piece, (error) => went.resolve(error == null))
    if (!(await Promise.race([went.promise, cut.then(() => false)]))) return left
  }
}

/** Beginnings of answers over HTTP/1.1 with a part that may go on for ever by `pour`. */
export const ENDLESS: ReadonlyArray<readonly [part: string, begin: (status: string) => string]> = [
  ["a reason phrase", (status) => `HTTP/1.1 ${status} `],
  ["an extension of a chunk", (status) => `HTTP/1.1 ${status} Said\r\ntransfer-encoding: chunked\r\n\r\n1;`]
]

const NOT_HTTP = "the answer is not HTTP"
const SWITCHES = "the answer switches to another protocol, which was not asked for"
const OK = "HTTP/1.1 200 OK\r\n"
const CHUNKED = "transfer-encoding: chunked\r\n"

/** Answers over HTTP/1.1 that are none, and what customers are told of them. */
export const MALFORMED: ReadonlyArray<readonly [what: string, reason: string, answer: string]> = [
  ["is another protocol's", NOT_HTTP, "SSH-2.0-x\r\n\r\n"],
  ["is HTTP/2's", NOT_HTTP, "\0\0\x0c\x04\0\0\0\0\0\0\x03\0\0\0\x64\0\x04\0\0\xff\xff"],
  ["has its length twice", NOT_HTTP, `${OK}content-length: 2\r\ncontent-length: 2\r\n\r\nok`],
  ["has two lengths in one field", NOT_HTTP, `${OK}content-length: 2, 2\r\n\r\nok`],
  ["has a length that no number holds", NOT_HTTP, `${OK}content-length: 99999999999999999999999\r\n\r\nok`],
  ["has a length and chunks", NOT_HTTP, `${OK}content-length: 5\r\n${CHUNKED}\r\n2\r\nok\r\n0\r\n\r\n`],
  ["has chunks and a length", NOT_HTTP, `${OK}${CHUNKED}content-length: 5\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
  ["has a field without a name after its length", NOT_HTTP, `${OK}content-length: 2\r\nno name: x\r\n\r\nok`],
  ["has a status of two digits", NOT_HTTP, "HTTP/1.1 99 No\r\n\r\n"],
  ["has the status 000", NOT_HTTP, "HTTP/1.1 000 No\r\ncontent-length: 0\r\n\r\n"],
  ["switches protocols", SWITCHES, "HTTP/1.1 101 On\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"],
  ["switches protocols and names none", SWITCHES, "HTTP/1.1 101 On\r\n\r\n"]
]
