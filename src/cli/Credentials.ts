import type { Result } from "effect"
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readFileSync } from "node:fs"
import {
  ApnsCredential,
  FcmCredential,
  CredentialKind,
  SmtpCredential,
  WebPushCredential,
  wrapServiceAccount
} from "../../services/domain/sending/Credential.ts"
import { AppId } from "../../services/domain/Ids.ts"
import type { CredentialInput } from "../../services/engine/sending/Credentials.ts"
import { Credentials } from "../../services/engine/sending/Credentials.ts"
import { ApplicationStore } from "../../services/ports/access/ApplicationStore.ts"
import type { ApiError } from "../http/pipeline/ApiError.ts"
import { decoder } from "../http/pipeline/Validation.ts"
import { asCommand } from "./Actor.ts"
import { onDatabase } from "./Database.ts"
import { UnusableInput } from "./Failure.ts"
import { fileFault } from "./Files.ts"
import { id, jsonAnyway, text } from "./Flags.ts"

type Decode = (body: unknown) => Result.Result<CredentialInput["value"], ApiError>

/** As those of the API, so that both refuse in the same words. */
const decoders: Readonly<Record<CredentialKind, Decode>> = {
  apns: decoder(ApnsCredential),
  fcm: decoder(FcmCredential),
  webpush: decoder(WebPushCredential),
  smtp: decoder(SmtpCredential)
}

const parse = (content: string): unknown => {
  // What Apple hands out is a key alone, which does not say whose it is.
  if (content.trimStart().startsWith("-----BEGIN ")) {
    throw new Error(
      "this is a key by itself; put it into a JSON file, as private_key beside the credential's other fields"
    )
  }
  if (content.trim() === "") throw new Error("this is empty; it has to be the credential as JSON")
  try {
    return JSON.parse(content)
  } catch {
    // What the parser says of it may quote a secret.
    throw new Error("this is no JSON; it has to be the credential as JSON, whole")
  }
}

const read = (file: string) =>
  Effect.try({
    try: () => parse(readFileSync(file === "-" ? 0 : file, "utf8")),
    catch: (error) =>
      new UnusableInput({
        message: `${file === "-" ? "Standard input" : file}: ${fileFault(error) ?? (error as Error).message}`
      })
  })

const set = Command.make(
  "set",
  {
    kind: Argument.Literals("kind", CredentialKind.literals).pipe(
      Argument.withDescription(`Of which way out: ${CredentialKind.literals.join(", ")}`)
    ),
    app: id("app", AppId).pipe(Flag.withDescription("The application's id")),
    file: text("file", "the path of a JSON file, or - for standard input").pipe(
      Flag.withDescription(
        "A JSON file with the body of PUT /api/v1/credentials/<kind>, for fcm also the service account's file itself; - reads standard input, which keeps secrets out of the process list"
      ),
      Flag.withDefault("-")
    ),
    json: jsonAnyway
  },
  ({ app, file, kind }) =>
    Effect.gen(function* () {
      const body = yield* read(file)
      const value = yield* Effect.fromResult(decoders[kind](kind === "fcm" ? wrapServiceAccount(body) : body)).pipe(
        Effect.mapError(({ details }) => {
          const problems = details.map(({ field, message }) => `${field} ${message}`).join("; ")
          return new UnusableInput({ message: `The ${kind} credential is not usable: ${problems}.` })
        })
      )
      const store = yield* ApplicationStore
      const application = yield* store.find(app)
      if (application._tag === "None") return yield* new UnusableInput({ message: `There is no application ${app}.` })
      const credentials = yield* Credentials
      const summary = yield* asCommand(credentials.put(app, { kind, value } as CredentialInput)).pipe(
        Effect.catchTag("InvalidCredential", ({ field, message }) =>
          Effect.fail(new UnusableInput({ message: `${field} ${message}` }))
        )
      )
      yield* Console.log(JSON.stringify({ kind: summary.kind, ...summary.settings }))
    }).pipe(Effect.provide(onDatabase(process.env)))
).pipe(
  Command.withDescription("Set an application's credential for apns, fcm, webpush or smtp"),
  Command.withExamples([
    { command: "heliograph credentials set apns --app <id> --file apns.json", description: "From a file" },
    { command: "heliograph credentials set webpush --app <id> < webpush.json", description: "From standard input" }
  ])
)

export const credentials = Command.make("credentials").pipe(
  Command.withDescription("Provider credentials"),
  Command.withSubcommands([set])
)
