/*
 * What time it is for the service. A process has one clock, as it has one `Date`: ids are made in plain functions, to
 * which no service could be handed. What runs as an effect may as well ask Effect's `Clock`, which src/app.ts sets to
 * this one. The domain asks neither: rules that go by the time are told it. docs/decisions/0035
 */

/** A clock: epoch milliseconds, fractions included where it has them. */
export type Time = () => number

// Not `Date.now` itself: tests replace it.
const machine: Time = () => Date.now()
let current: Time = machine

/** Epoch milliseconds by the service's clock: the database's once this process has asked it, the machine's before. */
export const now = (): number => Math.floor(current())

/** The same with fractions. */
export const precisely = (): number => current()

/** Everything in this process goes by this clock from now on. Answers how to go back to the machine's. */
export const goBy = (time: Time): (() => void) => {
  current = time
  return () => {
    // Another one may have come since.
    if (current === time) current = machine
  }
}
