/** The static table of RFC 7541, appendix A, at its indices 1 to 61. */
export const STATIC: ReadonlyArray<readonly [name: string, value: string]> = [
  ["", ""],
  [":authority", ""],
  [":method", "GET"],
  [":method", "POST"],
  [":path", "/"],
  [":path", "/index.html"],
  [":scheme", "http"],
  [":scheme", "https"],
  [":status", "200"],
  [":status", "204"],
  [":status", "206"],
  [":status", "304"],
  [":status", "400"],
  [":status", "404"],
  [":status", "500"],
  ["accept-charset", ""],
  ["accept-encoding", "gzip, deflate"],
  ["accept-language", ""],
  ["accept-ranges", ""],
  ["accept", ""],
  ["access-control-allow-origin", ""],
  ["age", ""],
  ["allow", ""],
  ["authorization", ""],
  ["cache-control", ""],
  ["content-disposition", ""],
  ["content-encoding", ""],
  ["content-language", ""],
  ["content-length", ""],
  ["content-location", ""],
  ["content-range", ""],
  ["content-type", ""],
  ["cookie", ""],
  ["date", ""],
  ["etag", ""],
  ["expect", ""],
  ["expires", ""],
  ["from", ""],
  ["host", ""],
  ["if-match", ""],
  ["if-modified-since", ""],
  ["if-none-match", ""],
  ["if-range", ""],
  ["if-unmodified-since", ""],
  ["last-modified", ""],
  ["link", ""],
  ["location", ""],
  ["max-forwards", ""],
  ["proxy-authenticate", ""],
  ["proxy-authorization", ""],
  ["range", ""],
  ["referer", ""],
  ["refresh", ""],
  ["retry-after", ""],
  ["server", ""],
  ["set-cookie", ""],
  ["strict-transport-security", ""],
  ["transfer-encoding", ""],
  ["user-agent", ""],
  ["vary", ""],
  ["via", ""],
  ["www-authenticate", ""]
]
export const STATIC_LAST = STATIC.length - 1

/** What an entry of the dynamic table counts for beyond its name and value. */
export const ENTRY_OVERHEAD = 32
export const DEFAULT_TABLE_SIZE = 4096

/** The first index of a name in the static table. */
export const staticNames: ReadonlyMap<string, number> = new Map(
  STATIC.map(([name], index) => [name, index] as const)
    .slice(1)
    .reverse()
)
/** The index of a name and value in the static table, by `name NUL value`. */
export const staticFields: ReadonlyMap<string, number> = new Map(
  STATIC.map(([name, value], index) => [`${name}\0${value}`, index] as const).slice(1)
)
