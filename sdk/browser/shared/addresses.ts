/** The address that a text is, if it is one. Safari knows `URL.canParse` from 17 on, and has push from 16 on. */
export const addressOf = (text: string, base?: string): URL | null => {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

export const isWeb = (url: URL | null): url is URL => /^https?:$/.test(url?.protocol ?? "")

/** An address that is safe to open or load, or null: what comes with a message must not be `javascript:` or `data:`. */
export const safeAddress = (text: unknown, base: string): string | null => {
  const url = typeof text === "string" ? addressOf(text, base) : null
  return isWeb(url) ? url.href : null
}
