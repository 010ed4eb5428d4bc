/**
 * The last line of defence: secrets are not logged in the first place, but an error of a library may quote what it was
 * given. Each pattern keeps what helps to find the place and drops what is worth stealing.
 */
const SECRETS: ReadonlyArray<readonly [RegExp, string]> = [
  // API keys keep their kind and the first characters, which lists show too.
  [/\b(sk|pk)_([0-9A-Za-z]{4})[0-9A-Za-z]{12,}/g, "$1_$2…"],
  [/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(-----END \1-----|$)/g, "[private key]"],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, "[token]"],
  [/\b(Bearer|Basic|ApiKey|vapid)(\s+)(?=\S*\d)[^\s"',;]{8,}/g, "$1$2[credential]"],
  // user:password@ of a URL: of a database, of NATS, of an SMTP server.
  [/:\/\/[^\s/@"']+@/g, "://[credential]@"],
  [/(\bv1=)[0-9a-f]{32,}/g, "$1[signature]"],
  // What others quote in their answers.
  [/\b(password|passwd|pwd|secret)=[^\s"',;)]+/gi, "$1=[credential]"]
]

/** Replaces whatever looks like a credential in a text that is about to be logged. */
export const mask = (text: string): string => {
  for (const [pattern, replacement] of SECRETS) text = text.replace(pattern, replacement)
  return text
}
