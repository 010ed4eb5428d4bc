import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { CannotListen } from "../http/pipeline/Listening.ts"
import { cannotListen } from "../http/pipeline/Listening.ts"
import { UnusableInput, untilStopped } from "./Failure.ts"
import { fileFault, makeFolder } from "./Files.ts"
import { jsonAnyway, text, wholeNumber } from "./Flags.ts"

const port = (name: string, what: string) =>
  wholeNumber(name, { minimum: 0, maximum: 65_535 }).pipe(
    Flag.withDescription(`The port of ${what}; by default that of the last time in this folder, or any free one`),
    Flag.withDefault(0)
  )

export const simulate = Command.make(
  "simulate",
  {
    host: text("host", "an address of this machine, such as 127.0.0.1").pipe(
      Flag.withDescription("The address to listen at; 127.0.0.1 by default"),
      Flag.withDefault("127.0.0.1")
    ),
    folder: text("folder", "the path of a folder").pipe(
      Flag.withDescription("Keeps ca.pem, the credentials and the ports here, so that they are the same next time"),
      Flag.optional
    ),
    apns: port("apns-port", "APNs"),
    sandbox: port("apns-sandbox-port", "APNs's sandbox"),
    fcm: port("fcm-port", "FCM and its OAuth endpoint"),
    webpush: port("webpush-port", "the Web Push service"),
    browsers: port("browsers-port", "the Web Push service for browsers (dom.push.serverURL of Firefox)"),
    smtp: port("smtp-port", "the SMTP server"),
    webhooks: port("webhooks-port", "the webhook receivers"),
    control: port("control-port", "the control API"),
    json: jsonAnyway
  },
  ({ apns, browsers, control, fcm, folder, host, sandbox, smtp, webhooks, webpush }) =>
    untilStopped(
      Effect.suspend(() => {
        const ports = { apns, "apns-sandbox": sandbox, fcm, webpush, browsers, smtp, webhooks, control }
        const start = Effect.tryPromise({
          try: async () => {
            // Not loaded by the service itself, which never needs them.
            const { startFleet } = await import("../../simulators/Fleet.ts")
            if (folder._tag === "Some") makeFolder(folder.value)
            return startFleet({ host, ports, ...(folder._tag === "Some" ? { folder: folder.value } : {}) })
          },
          catch: (error) => error as NodeJS.ErrnoException & { readonly port?: number }
        }).pipe(
          Effect.catch((error): Effect.Effect<never, CannotListen | UnusableInput> => {
            if (folder._tag === "Some" && error.syscall !== "listen") {
              const why = fileFault(error)
              if (why !== null) {
                const message = `Nothing can be kept in --folder ${folder.value}: ${error.code === "ENOENT" ? "no folder can be made there" : why}. Choose another that this user may write to.`
                return Effect.fail(new UnusableInput({ message }))
              }
              if (error instanceof SyntaxError) {
                const message = `What was kept in --folder ${folder.value} is no JSON. Remove secrets.json and ports.json there, or choose another folder.`
                return Effect.fail(new UnusableInput({ message }))
              }
            }
            if (error.syscall !== "listen") return Effect.die(error)
            const port = error.port ?? 0
            const name = Object.entries(ports).find(([, given]) => given === port && given !== 0)?.[0]
            const flag = name === undefined ? "its flag" : `--${name}-port`
            return Effect.fail(cannotListen(error, { host, port }, { host: "--host", port: flag }))
          })
        )
        // A signal that comes while they start waits for that: what they have made is removed with them.
        return Effect.acquireUseRelease(
          start,
          ({ description }) => Effect.andThen(Console.log(JSON.stringify(description)), Effect.never),
          (fleet) => Effect.promise(fleet.close)
        )
      })
    )
).pipe(
  Command.withDescription(
    "Stand in for APNs, FCM, a Web Push service, an SMTP server and customers' servers; prints their addresses and credentials as one line of JSON, then serves until it is told to stop"
  )
)
