const NAME = /^[!-9;-@[-~]+$/
/** RFC 9113, 8.2.1: no space at either end. */
const TEXT = /^(?:[!-~](?:[ -~]*[!-~])?)?$/

/**
 * Fields are checked before they are written, so that no value can smuggle anything behind a proxy that speaks
 * HTTP/1.1 further on. One that cannot be written is the defect of whoever made the batch.
 */
export const assertField = (name: string, value: string): void => {
  if (!NAME.test(name)) throw new TypeError("a header's name is not lower-case printable ASCII")
  assertText(name, value)
}

export const assertText = (name: string, value: string): void => {
  if (!TEXT.test(value)) throw new TypeError(`the value of ${name} is not printable ASCII without spaces around it`)
}
