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
