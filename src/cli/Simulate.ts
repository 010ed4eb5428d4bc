import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"

const port = (name: string, what: string) =>
  Flag.Int(name).pipe(
    Flag.withDescription(`The port of ${what}; any free one by default`),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
    Flag.withDefault(0)
  )

export const simulate = Command.make(
  "simulate",
  {
    host: Flag.String("host").pipe(Flag.withDescription("The address to listen at"), Flag.withDefault("127.0.0.1")),
    folder: Flag.String("folder").pipe(
      Flag.withDescription("Keeps ca.pem and the credentials here, so that they are the same next time"),
      Flag.optional
    ),
    apns: port("apns-port", "APNs"),
    sandbox: port("apns-sandbox-port", "APNs's sandbox"),
    fcm: port("fcm-port", "FCM and its OAuth endpoint"),
    webpush: port("webpush-port", "the Web Push service"),
    smtp: port("smtp-port", "the SMTP server"),
    webhooks: port("webhooks-port", "the webhook receivers"),
    control: port("control-port", "the control API")
  },
  ({ apns, control, fcm, folder, host, sandbox, smtp, webhooks, webpush }) =>
    Effect.promise(async () => {
      // Not loaded by the service itself, which never needs them.
      const { runFleet } = await import("../../simulators/Fleet.ts")
      return runFleet({
        host,
        ports: { apns, "apns-sandbox": sandbox, fcm, webpush, smtp, webhooks, control },
        ...(folder._tag === "Some" ? { folder: folder.value } : {})
      })
    })
).pipe(
  Command.withDescription(
    "Stand in for APNs, FCM, a Web Push service, an SMTP server and customers' servers; prints their addresses and credentials as one line of JSON, then serves until it is told to stop"
  )
)
