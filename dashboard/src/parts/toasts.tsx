import { useSyncExternalStore } from "react"

/* Short words at the edge that something was done. What went wrong is never said here alone: it stands where it happened. */

interface Toast {
  readonly id: number
  readonly words: string
}

let toasts: ReadonlyArray<Toast> = []
let last = 0
const listeners = new Set<() => void>()
const set = (after: ReadonlyArray<Toast>): void => {
  toasts = after
  listeners.forEach((listener) => listener())
}

export const toast = (words: string): void => {
  const id = ++last
  set([...toasts, { id, words }].slice(-3))
  setTimeout(() => set(toasts.filter((one) => one.id !== id)), 5_000)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const Toasts = () => {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, words }) => (
        <p key={id}>{words}</p>
      ))}
    </div>
  )
}
