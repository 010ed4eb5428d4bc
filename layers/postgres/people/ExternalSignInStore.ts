import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId } from "../../../services/domain/Ids.ts"
import type { ExternalSignIn } from "../../../services/domain/people/Account.ts"
import type { ExternalProvider } from "../../../services/domain/people/ExternalIdentity.ts"
import { AccountDisabled } from "../../../services/ports/people/AccountStore.ts"
import type { Binding } from "../../../services/ports/people/Binding.ts"
import type { PendingIdentity, Redirect } from "../../../services/ports/people/ExternalSignInStore.ts"
import { BoundToAnother, ExternalSignInStore } from "../../../services/ports/people/ExternalSignInStore.ts"
import { NotThere } from "../../../services/ports/people/OrganizationStore.ts"
import { milliseconds } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { storeError } from "../server/storeError.ts"
import { accountColumns } from "./accountRows.ts"
import type { ExternalSignInRow } from "./bindExternal.ts"
import { bindExternal, EXTERNAL_COLUMNS, externalOf } from "./bindExternal.ts"
import type { SignedInRow } from "./insertSession.ts"
import { insertSession } from "./insertSession.ts"
import { recordPeople } from "./peopleEntry.ts"
import { putMail } from "./ServiceMailStore.ts"
import { tryCode } from "./useCode.ts"

export const layer: Layer.Layer<ExternalSignInStore, never, SqlClient.SqlClient> = Layer.effect(
  ExternalSignInStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isOpen = ofRows(sql, sql`expires_at > now()`)

    const begin: ExternalSignInStore["Service"]["begin"] = ({ lifetimeMs, mode, provider, returnTo, ...redirect }) =>
      sql`
        INSERT INTO oauth_states (state_hash, provider, sealed, mode, session_id, return_to, expires_at)
        VALUES (${redirect.stateHash}, ${provider}, ${redirect.sealed}, ${mode}, ${redirect.sessionId}, ${returnTo},
          now() + ${milliseconds(lifetimeMs)} * interval '1 ms')`.pipe(
        Effect.asVoid,
        storeError("ExternalSignInStore.begin")
      )

    const take: ExternalSignInStore["Service"]["take"] = (provider, stateHash) =>
      sql<Redirect>`
        DELETE FROM oauth_states WHERE state_hash = ${stateHash} AND provider = ${provider} AND ${isOpen}
        RETURNING sealed, mode, session_id AS "sessionId", return_to AS "returnTo"`.pipe(
        Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
        storeError("ExternalSignInStore.take")
      )

    /** Accounts before their sign-ins: whoever deletes an account locks them in that order. */
    const lockAccount = (id: AccountId) =>
      Effect.map(
        sql<SignedInRow>`
          SELECT ${sql.literal(accountColumns("a"))}, a.epoch FROM accounts a WHERE a.id = ${id} FOR NO KEY UPDATE`,
        (rows) => rows[0]
      )

    const signIn: ExternalSignInStore["Service"]["signIn"] = Effect.fnUntraced(
      function* ({ provider, subject }, session) {
        const [bound] = yield* sql<{ readonly account_id: AccountId }>`
          SELECT account_id FROM external_sign_ins WHERE provider = ${provider} AND subject = ${subject}`
        if (bound === undefined) return Option.none()
        const row = yield* lockAccount(bound.account_id)
        if (row === undefined) return Option.none()
        // It may have been unbound before the lock was ours.
        const used = yield* sql`
          UPDATE external_sign_ins SET last_used_at = now()
          WHERE provider = ${provider} AND subject = ${subject} AND ${ofRows(sql, sql`account_id = ${row.account_id}`)} RETURNING 1 AS one`
        if (used.length === 0) return Option.none()
        if (row.disabled_at !== null) return yield* new AccountDisabled()
        return Option.some({ ...(yield* insertSession(sql, row, session)), organization: Option.none() })
      },
      (effect) => sql.withTransaction(effect),
      Effect.catchTag("SqlError", (error) => storeError("ExternalSignInStore.signIn")(Effect.fail(error)))
    )

    const hold: ExternalSignInStore["Service"]["hold"] = ({ email, lifetimeMs, provider, subject, tokenHash }) =>
      sql`
        INSERT INTO pending_sign_ins (token_hash, provider, subject, email, expires_at)
        VALUES (${tokenHash}, ${provider}, ${subject}, ${email},
          now() + ${milliseconds(lifetimeMs)} * interval '1 ms')`.pipe(
        Effect.asVoid,
        storeError("ExternalSignInStore.hold")
      )

    const findPending: ExternalSignInStore["Service"]["findPending"] = (tokenHash) =>
      sql<PendingIdentity>`
        SELECT provider, email FROM pending_sign_ins WHERE token_hash = ${tokenHash} AND ${isOpen}`.pipe(
        Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
        storeError("ExternalSignInStore.findPending")
      )

    /** To be run in a transaction. */
    const bindTo = Effect.fnUntraced(function* (
      account: AccountId,
      binding: Binding
    ): Effect.fn.Return<ExternalSignIn, NotThere | BoundToAnother | SqlError> {
      const row = yield* lockAccount(account)
      if (row === undefined) return yield* new NotThere({ what: "account" })
      const bound = yield* bindExternal(sql, { id: account, email: row.email }, binding)
      if (bound === "Taken") return yield* new BoundToAnother()
      if (bound === "Gone") return yield* new NotThere({ what: "external sign-in" })
      return bound
    })

    const bind: ExternalSignInStore["Service"]["bind"] = (account, binding) =>
      bindTo(account, binding).pipe(
        (effect) => sql.withTransaction(effect),
        Effect.catchTag("SqlError", (error) => storeError("ExternalSignInStore.bind")(Effect.fail(error)))
      )

    const bindByCode: ExternalSignInStore["Service"]["bindByCode"] = Effect.fnUntraced(
      function* (account, binding, code) {
        // A wrong one commits: it counts.
        if ((yield* tryCode(sql, code))?.isRight !== true) return Option.none()
        return Option.some(yield* bindTo(account, binding))
      },
      (effect) => sql.withTransaction(effect),
      Effect.catchTag("SqlError", (error) => storeError("ExternalSignInStore.bindByCode")(Effect.fail(error)))
    )

    const list: ExternalSignInStore["Service"]["list"] = (account) =>
      sql<ExternalSignInRow>`
        SELECT ${sql.literal(EXTERNAL_COLUMNS)} FROM external_sign_ins WHERE account_id = ${account} ORDER BY id`.pipe(
        Effect.map((rows) => rows.map(externalOf)),
        storeError("ExternalSignInStore.list")
      )

    const unbind: ExternalSignInStore["Service"]["unbind"] = Effect.fnUntraced(
      function* (account, id, notice) {
        const [row] = yield* sql<{ readonly provider: ExternalProvider }>`
          DELETE FROM external_sign_ins WHERE id = ${id} AND account_id = ${account} RETURNING provider`
        if (row === undefined) return false
        const details = { provider: row.provider }
        yield* recordPeople(sql, "external_sign_in.unbound", { account, target: id, details })
        yield* putMail(sql, notice(row.provider))
        return true
      },
      (effect) => sql.withTransaction(effect),
      storeError("ExternalSignInStore.unbind")
    )

    return ExternalSignInStore.of({ begin, take, signIn, hold, findPending, bind, bindByCode, list, unbind })
  })
)
