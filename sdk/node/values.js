/** @param {string} name @param {Date} time */
const written = (name, time) => {
  // JSON would make null of it, which is a value of its own.
  if (Number.isNaN(time.getTime())) throw new TypeError(`${name} is a Date that is no time`)
  return time.toISOString()
}

/** @param {string} name @param {unknown} value */
export const textOf = (name, value) => (value instanceof Date ? written(name, value) : String(value))

/** @param {unknown} value */
export const encode = (value) =>
  JSON.stringify(
    value,
    /** @this {any} @param {string} name @param {unknown} one */
    function (name, one) {
      // A Date has been made text of, or null, before this is asked.
      const given = this[name]
      return given instanceof Date ? written(name, given) : one
    }
  )
