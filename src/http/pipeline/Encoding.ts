import type { Incoming } from "./Incoming.ts"

/** A file that is kept in several forms; null: that form saves nothing. */
interface Forms {
  readonly plain: Uint8Array
  readonly brotli: Uint8Array | null
  readonly gzip: Uint8Array | null
}

const takes = (request: Incoming, encoding: string): boolean =>
  new RegExp(`(?:^|[,\\s])${encoding}(?:\\s*(?:,|$)|\\s*;\\s*q=(?!0(?:\\.0*)?\\s*(?:,|$)))`, "i").test(
    String(request.headers["accept-encoding"] ?? "")
  )

/** The smallest form that whoever asks can read, with the header that says which; none for the plain one. */
export const encodedFor = (
  { brotli, gzip, plain }: Forms,
  request: Incoming
): { readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> } => {
  if (brotli !== null && takes(request, "br")) return { bytes: brotli, headers: { "content-encoding": "br" } }
  if (gzip !== null && takes(request, "gzip")) return { bytes: gzip, headers: { "content-encoding": "gzip" } }
  return { bytes: plain, headers: {} }
}
