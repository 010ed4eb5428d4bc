/** 256 random bits, as text that can stand anywhere. Made in the browser: it is sent once, and never asked for again. */
export const newSecret = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
