import type { SenderParts } from "../../services/domain/sending/Sender.ts"

/** Bytes of UTF-8 in an encoded word: with what surrounds them, a line stays within the 76 characters of RFC 2047. */
const WORD = 39

/** The composer writes ASCII as it stands, and readers would decode what only looks as if it were encoded. */
const looksEncoded = (text: string): boolean => text.includes("=?")

/** Octets of a line, its CRLF not counted (RFC 5322). The composer folds at spaces, and keeps one before each part. */
const LINE = 998
/**
 * Of the first line: a longer first word the composer puts on a line of its own, and some readers take the space before it
 * for the beginning of the text.
 */
const FIRST_LINE = 75

/** Whether the composer may write a text as it stands, which it does with ASCII. `start` is what its first line begins with. */
const fits = (text: string, start: string): boolean =>
  text.split(" ").every((word, i) => (i === 0 ? start.length + word.length <= FIRST_LINE : word.length + 1 <= LINE))

/** Whether a text has to be in encoded words although it is ASCII. */
export const needsWords = (text: string, start: string): boolean => looksEncoded(text) || !fits(text, start)

/** A text as encoded words (RFC 2047), each on a line of its own, no character torn apart. */
export const encodedWords = (text: string): string => {
  const words: Array<string> = []
  let word = ""
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD) {
      words.push(word)
      word = ""
    }
    word += character
  }
  return [...words, word].map((part) => `=?UTF-8?B?${Buffer.from(part).toString("base64")}?=`).join("\r\n ")
}

/** A sender with the name as encoded words. */
export const encodedSender = ({ address, name }: SenderParts): string => `${encodedWords(name)}\r\n <${address}>`
