import * as F from "./Frames.ts"
import { PeerError } from "./Frames.ts"

/** What a SETTINGS frame says that matters here; of a setting that it says twice, the last. */
export interface PeerSettings {
  readonly tableSize: number | undefined
  readonly streams: number | undefined
  readonly window: number | undefined
}

/** Reads the settings of a frame, and throws where RFC 9113 forbids one. */
export const readSettings = (bytes: Buffer, start: number, end: number): PeerSettings => {
  let tableSize: number | undefined
  let streams: number | undefined
  let window: number | undefined
  for (let at = start; at < end; at += 6) {
    const value = F.readUint32(bytes, at + 2)
    switch ((bytes[at]! << 8) | bytes[at + 1]!) {
      case F.HEADER_TABLE_SIZE:
        // The smallest is what counts: the table is emptied that far, and there is no use in growing it again.
        tableSize = tableSize === undefined ? value : Math.min(tableSize, value)
        break
      case F.ENABLE_PUSH:
        if (value !== 0) throw new PeerError(F.PROTOCOL_ERROR, "a server announces that it takes pushes")
        break
      case F.MAX_CONCURRENT_STREAMS:
        streams = value
        break
      case F.INITIAL_WINDOW_SIZE:
        if (value > F.WINDOW_MAX) throw new PeerError(F.FLOW_CONTROL_ERROR, "the initial window is too large")
        window = value
        break
      case F.MAX_FRAME_SIZE:
        if (value < F.FRAME_MAX || value > 0xff_ffff) {
          throw new PeerError(F.PROTOCOL_ERROR, "the peer's frame size is out of bounds")
        }
        break
    }
  }
  return { tableSize, streams, window }
}
