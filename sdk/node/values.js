/**
 * What JSON has no form for: it would make null of it, which is a value of its own, or a text that nobody can read.
 *
 * @param {string} name
 * @param {unknown} value
 */
const check = (name, value) => {
  const is =
    value instanceof Date && Number.isNaN(value.getTime())
      ? "a Date that is no time"
      : typeof value === "number" && !Number.isFinite(value)
        ? "no number"
        : typeof value === "string" && !value.isWellFormed()
          ? "no Unicode"
          : null
  if (is !== null) throw new TypeError(`${name} is ${is}`)
}

/** @param {string} name @param {unknown} value */
export const textOf = (name, value) => {
  check(name, value)
  return value instanceof Date ? value.toISOString() : String(value)
}

/** @param {unknown} value */
export const encode = (value) =>
  JSON.stringify(
    value,
    /** @this {any} @param {string} name @param {unknown} one */
    function (name, one) {
      // Before it is asked, text has been made of a Date, or null.
      check(name, this[name])
      return one
    }
  )
