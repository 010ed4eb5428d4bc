import { Schema } from "effect"

/** A server has no place to listen at. Says where, why, and which setting is the way out. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  message: Schema.String
}) {}

/** What to change, by its name: `PORT`, or `--fcm-port`. */
interface Names {
  readonly host: string
  readonly port: string
}

const causeOf = (error: unknown): NodeJS.ErrnoException => {
  const { cause } = error as { readonly cause?: unknown }
  return cause instanceof Error ? causeOf(cause) : (error as NodeJS.ErrnoException)
}

const wordsOf = ({ code, message }: NodeJS.ErrnoException, names: Names, isVersion6: boolean): string => {
  switch (code) {
    case "EADDRINUSE":
      return `another program has this port. Stop it, or choose another port with ${names.port}`
    case "EACCES":
      return `the system does not allow this port to this user. Choose another with ${names.port}, 1024 or higher`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `this machine does not have this address. Choose one of its own with ${names.host}, or ${isVersion6 ? "::" : "0.0.0.0"} for all of them`
    default:
      return message
  }
}

/** `error` is what `listen` failed with, or wraps it. */
export const cannotListen = (
  error: unknown,
  at: { readonly host: string; readonly port: number },
  names: Names = { host: "HOST", port: "PORT" }
): CannotListen => {
  const isVersion6 = at.host.includes(":")
  const place = isVersion6 ? `[${at.host}]:${at.port}` : `${at.host}:${at.port}`
  return new CannotListen({ message: `Cannot listen at ${place}: ${wordsOf(causeOf(error), names, isVersion6)}.` })
}
