/** Characters, at most. */
const LONGEST = 2048

/**
 * The path that leads back into our own pages after a sign-in, or null when it might lead elsewhere. `origin` is ours.
 * Browsers take `//`, `\` and what decodes to them for another host's name, and leave out control characters.
 */
export const returnPath = (text: string, origin: string): string | null => {
  if (text.length > LONGEST || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return null
  if (/\\|%2f|%5c/i.test(text)) return null
  // `/..//host` is a path until somebody resolves it.
  if (text.split(/[?#]/, 1)[0]!.includes("//")) return null
  return URL.canParse(text, origin) && new URL(text, origin).origin === origin ? text : null
}
