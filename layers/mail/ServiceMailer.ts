import { Console, Context, Effect, Layer, Semaphore } from "effect"
import { join } from "node:path"
import { MailNotTaken, ServiceMailer } from "../../services/ports/people/ServiceMailer.ts"
import { Settings } from "../config/Settings.ts"
import { FOLDER, keep, shown, sweeping, whyNotKept } from "./KeptMails.ts"

/** Why the service's mails would be lost, where they are kept as files; null when they can be written. Makes nothing. */
export const unwritable = ({ dataDir }: Settings["Service"]): Effect.Effect<string | null> =>
  Effect.promise(() => whyNotKept(join(dataDir, FOLDER)))

/**
 * Keeps mails in a folder instead of sending them, and shows them on the console where the database is the embedded one: a
 * machine of somebody who tries the service out. Elsewhere a console is a log that others read.
 */
const keeper = (settings: Settings["Service"]): ServiceMailer["Service"] => ({
  send: (mail) =>
    Effect.gen(function* () {
      const { dataDir, databaseUrl } = settings
      const folder = join(dataDir, FOLDER)
      const path = yield* Effect.tryPromise({
        try: () => keep(folder, mail),
        catch: (error) => error as Error
      }).pipe(
        Effect.catch(({ message }) =>
          Effect.flatMap(unwritable(settings), (why) => {
            const reason = `there is no SMTP_URL, and the mail cannot be written to ${folder}: ${why ?? message}. It is tried again while it is good`
            return Effect.fail(new MailNotTaken({ reason, isFinal: false }))
          })
        )
      )
      if (databaseUrl === null) {
        yield* Console.log(`This mail would be sent if SMTP_URL were set (${path}):\n${shown(mail)}`)
      } else {
        yield* Effect.logWarning("There is no SMTP_URL: a mail of the service was written to a file").pipe(
          Effect.annotateLogs({ path })
        )
      }
    })
})

/** What posts mail is loaded with the first one: it costs each process some 12 MB. */
const sender = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const settings = yield* Settings
  const one = yield* Semaphore.make(1)
  let loaded: ServiceMailer["Service"] | undefined
  const load = Effect.gen(function* () {
    if (loaded !== undefined) return loaded
    const { layer } = yield* Effect.promise(() => import("./OwnMailSender.ts"))
    const built = yield* Layer.buildWithScope(Layer.provide(layer, Layer.succeed(Settings, settings)), scope)
    return (loaded = Context.get(built, ServiceMailer))
  }).pipe(one.withPermits(1))
  return ServiceMailer.of({ send: (mail) => Effect.flatMap(load, ({ send }) => send(mail)) })
})

/** Through SMTP_URL; without it into DATA_DIR/mail. */
export const layer: Layer.Layer<ServiceMailer, never, Settings> = Layer.effect(
  ServiceMailer,
  Effect.gen(function* () {
    const settings = yield* Settings
    yield* sweeping(join(settings.dataDir, FOLDER))
    return settings.smtpUrl === null ? ServiceMailer.of(keeper(settings)) : yield* sender
  })
)
