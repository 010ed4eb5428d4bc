import { Schema } from "effect"
import { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import { Content } from "../../../services/domain/sending/Notification.ts"
import { NAMED } from "../../../services/engine/sending/Named.ts"
import type { Preview, ProviderPreview } from "../../../services/engine/messages/Preview.ts"

const ProviderPreviewView = Schema.Struct({
  provider: ProviderKind,
  recipients: Schema.Int,
  credential: Schema.Literals(["ready", "refused", "missing"]).annotate({
    description: "Without a credential that is ready, these recipients get nothing."
  }),
  payload: Schema.NullOr(Schema.Struct({ bytes: Schema.Int, limit: Schema.Int, fits: Schema.Boolean })).annotate({
    description: "Of an inbox message it is `data` that has a limit. Null for e-mail, and where nothing can be filled."
  }),
  sample: Schema.NullOr(Content).annotate({
    description:
      "What somebody of the audience would get. Null where the template cannot be filled for them, or asks for the person and nobody was found."
  }),
  problem: Schema.NullOr(
    Schema.Struct({
      field: Schema.String,
      code: Schema.Literals(["missing_variable", "template_failed"]),
      message: Schema.String
    })
  ).annotate({ description: "Why the template cannot be filled for the sample: such a recipient fails." })
}).annotate({ identifier: "ProviderPreview" })

/** Ids in `to` that the application does not have. */
export const SkippedView = Schema.Struct({
  count: Schema.Int,
  ids: Schema.Array(Schema.String).annotate({ description: `The first ${NAMED} of them, as they were sent.` })
}).annotate({
  identifier: "SkippedIds",
  description:
    "Ids in `device_ids` or `channel_ids` that are none of the application's. They count nowhere: everybody else is reached."
})

export const PreviewView = Schema.Struct({
  recipients: Schema.Int,
  is_exact: Schema.Boolean.annotate({
    description: "False: counting took too long, and the numbers are what the database expects."
  }),
  providers: Schema.Array(ProviderPreviewView).annotate({ description: "Those with recipients." }),
  skipped: Schema.NullOr(SkippedView).annotate({ description: "Null when the application has all ids of `to`." })
}).annotate({ identifier: "NotificationPreview" })

const show = ({ payload, ...rest }: ProviderPreview): typeof ProviderPreviewView.Type => ({
  ...rest,
  payload: payload === null ? null : { ...payload, fits: payload.bytes <= payload.limit }
})

export const showPreview = ({ isExact, providers, skipped }: Preview): typeof PreviewView.Type => ({
  recipients: providers.reduce((sum, { recipients }) => sum + recipients, 0),
  is_exact: isExact,
  providers: providers.map(show),
  skipped
})

export const previewExample = {
  recipients: 12_000,
  is_exact: true,
  providers: [
    {
      provider: "apns",
      recipients: 12_000,
      credential: "ready",
      payload: { bytes: 214, limit: 4096, fits: true },
      sample: { title: "Hello", body: "The first light of the day" },
      problem: null
    }
  ],
  skipped: null
}
