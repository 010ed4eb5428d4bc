import type { Effect } from "effect"
import { Context, Schema } from "effect"

/** A secret cannot be read: it was sealed with another master key, moved to another row, or changed. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  place: Schema.String
}) {}

/** Seals secrets at rest: AES-256-GCM under a key with an id, bound to the row that holds them. */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    /** `place` names the row and column, for example `webhooks.secret:<id>`: sealed bytes open nowhere else. */
    readonly seal: (place: string, plaintext: string) => Uint8Array
    /** The id of the key that seals: it tells keys apart and says nothing about them. Eight hexadecimal digits. */
    readonly keyId: string
    /** The ids of all keys that open something, this one among them. */
    readonly keyIds: ReadonlyArray<string>
    /**
     * Whether the key that seals may take the place of another: where it is a line of `master.key`, as one that is to do so
     * has to be. One that is given by MASTER_KEY alone may be there by mistake.
     */
    readonly mayReplace: boolean
    /** The id of the key that something was sealed with. */
    readonly keyIdOf: (sealed: Uint8Array) => string
    readonly open: (place: string, sealed: Uint8Array) => Effect.Effect<string, SecretUnreadable>
  }
>()("heliograph/ports/SecretBox") {}
