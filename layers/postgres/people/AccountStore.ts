import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId } from "../../../services/domain/Ids.ts"
import { SecretBox } from "../../../services/ports/access/SecretBox.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import type { ProvedSignIn, SignedIn } from "../../../services/ports/people/AccountStore.ts"
import { AccountDisabled, AccountStore, RegistrationClosed } from "../../../services/ports/people/AccountStore.ts"
import { insertApplication } from "../access/newApplication.ts"
import { ofRows } from "../server/ofRows.ts"
import { pageOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"
import { readAccountData } from "./accountData.ts"
import type { AccountRow } from "./accountRows.ts"
import { accountColumns, accountOf } from "./accountRows.ts"
import { bindExternal } from "./bindExternal.ts"
import { deleteAccount } from "./deleteAccount.ts"
import type { SignedInRow } from "./insertSession.ts"
import { insertSession } from "./insertSession.ts"
import type { OrganizationRow } from "./organizationRows.ts"
import { ORGANIZATION_COLUMNS, organizationOf } from "./organizationRows.ts"
import { recordPeople } from "./peopleEntry.ts"
import { tryCode } from "./useCode.ts"

export const layer: Layer.Layer<AccountStore, never, SqlClient.SqlClient | SecretBox> = Layer.effect(
  AccountStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const box = yield* SecretBox
    const columns = sql.literal(accountColumns("a"))

    /** The account with this address, locked until the transaction ends. */
    const locked = (email: string) => sql<SignedInRow>`
      SELECT ${columns}, a.epoch FROM accounts a WHERE a.email = ${email} FOR NO KEY UPDATE`

    const isInvited = (email: string) =>
      Effect.map(
        sql`SELECT 1 FROM invitations WHERE email = ${email} AND ${ofRows(sql, sql`expires_at > now()`)} LIMIT 1`,
        ({ length }) => length > 0
      )

    /** Of whoever has proved the address. To be run in a transaction. */
    const beginSession = Effect.fnUntraced(function* ({
      account,
      application,
      binding,
      email,
      mayRegister,
      organization,
      session
    }: ProvedSignIn): Effect.fn.Return<SignedIn, RegistrationClosed | AccountDisabled | SqlError> {
      let [row] = yield* locked(email)
      let made: Option.Option<ReturnType<typeof organizationOf>> = Option.none()
      if (row === undefined) {
        if (!mayRegister && !(yield* isInvited(email))) return yield* new RegistrationClosed()
        // Another sign-in with this address may have come first, which has made everything then.
        const inserted = yield* sql`
            INSERT INTO accounts (id, email) VALUES (${account}, ${email}) ON CONFLICT (email) DO NOTHING RETURNING 1 AS one`
        row = (yield* locked(email))[0]!
        if (inserted.length > 0) {
          const asPerson = Effect.provideService(CurrentActor, { kind: "user" as const, id: account })
          yield* asPerson(recordPeople(sql, "account.created", { account, target: account }))
          if (mayRegister) {
            const [own] = yield* sql<OrganizationRow>`
                INSERT INTO organizations AS o (id, name) VALUES (${organization.id}, ${organization.name})
                RETURNING ${sql.literal(ORGANIZATION_COLUMNS)}`
            yield* sql`
                INSERT INTO members (organization_id, account_id, role) VALUES (${organization.id}, ${account}, 'owner')`
            yield* asPerson(
              Effect.andThen(
                recordPeople(sql, "organization.created", {
                  organization: organization.id,
                  target: organization.id,
                  details: { name: organization.name }
                }),
                insertApplication(sql, box, { ...application, organizationId: organization.id })
              )
            )
            made = Option.some(organizationOf(own!))
          }
        }
      }
      if (row.disabled_at !== null) return yield* new AccountDisabled()
      // One that is another account's, or waits no longer, changes nothing: the address is proved.
      if (binding !== null) yield* bindExternal(sql, { id: row.account_id, email }, binding)
      return { ...(yield* insertSession(sql, row, session)), organization: made }
    })

    const signIn: AccountStore["Service"]["signIn"] = (signIn) =>
      beginSession(signIn).pipe(
        (effect) => sql.withTransaction(effect),
        Effect.catchTag("SqlError", (error) => storeError("AccountStore.signIn")(Effect.fail(error)))
      )

    const signInByCode: AccountStore["Service"]["signInByCode"] = Effect.fnUntraced(
      function* (signIn, code) {
        const used = yield* tryCode(sql, code)
        // Commits: it counts.
        if (used?.isRight !== true) return Option.none()
        const mayRegister = signIn.mayRegister || used.ofOperator
        return Option.some(yield* beginSession({ ...signIn, mayRegister }))
      },
      (effect) => sql.withTransaction(effect),
      Effect.catchTag("SqlError", (error) => storeError("AccountStore.signInByCode")(Effect.fail(error)))
    )

    const find: AccountStore["Service"]["find"] = (id) =>
      sql<AccountRow>`SELECT ${columns} FROM accounts a WHERE a.id = ${id}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), accountOf)),
        storeError("AccountStore.find")
      )

    const findByEmail: AccountStore["Service"]["findByEmail"] = (email) =>
      sql<AccountRow>`SELECT ${columns} FROM accounts a WHERE a.email = ${email}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), accountOf)),
        storeError("AccountStore.findByEmail")
      )

    const list: AccountStore["Service"]["list"] = (after, limit) =>
      sql<AccountRow>`
        SELECT ${columns} FROM accounts a ${after === null ? sql`` : sql`WHERE a.id > ${after}`}
        ORDER BY a.id LIMIT ${limit + 1}`.pipe(
        Effect.map((rows) => pageOf(rows.map(accountOf), limit)),
        storeError("AccountStore.list")
      )

    const rename: AccountStore["Service"]["rename"] = Effect.fnUntraced(
      function* (id, name) {
        const [row] = yield* sql<AccountRow>`
          UPDATE accounts a SET name = ${name} WHERE a.id = ${id} RETURNING ${columns}`
        if (row === undefined) return Option.none()
        yield* recordPeople(sql, "account.changed", { account: id, target: id, details: { fields: ["name"] } })
        return Option.some(accountOf(row))
      },
      (effect) => sql.withTransaction(effect),
      storeError("AccountStore.rename")
    )

    const setDisabled = (id: AccountId, isDisabled: boolean) =>
      Effect.gen(function* () {
        // Of another epoch: a session that begins at this moment does not outlast it either.
        const rows = yield* sql`
          UPDATE accounts SET epoch = epoch + 1, disabled_at = ${isDisabled ? sql`coalesce(disabled_at, now())` : sql`NULL`}
          WHERE id = ${id} RETURNING 1 AS one`
        if (rows.length === 0) return false
        yield* sql`DELETE FROM sessions WHERE account_id = ${id}`
        yield* recordPeople(sql, isDisabled ? "account.disabled" : "account.enabled", { account: id, target: id })
        return true
      }).pipe((effect) => sql.withTransaction(effect), storeError("AccountStore.disable"))

    return AccountStore.of({
      signIn,
      signInByCode,
      find,
      findByEmail,
      list,
      rename,
      disable: (id) => setDisabled(id, true),
      enable: (id) => setDisabled(id, false),
      data: readAccountData(sql),
      remove: deleteAccount(sql)
    })
  })
)
