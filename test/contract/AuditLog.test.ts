import { Effect, Exit, Scope } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { Client } from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { AccountId, AppId } from "../../services/domain/Ids.ts"
import type { CodePurpose } from "../../services/domain/people/SignInCode.ts"
import { SignIn } from "../../services/engine/people/SignIn.ts"
import { OrganizationStore } from "../../services/ports/people/OrganizationStore.ts"
import { uuidv7 } from "../../services/ports/NewId.ts"
import { commands } from "../../src/app.ts"
import { bareSchema } from "../../src/graphql/Schema.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"
import type { Operation } from "./Document.ts"
import { readOperations } from "./Document.ts"
import { asInput, requestFor, restOperations } from "./GraphqlDocument.ts"
import type { Tenant } from "./Tenant.ts"
import { makeTenant, thingOf } from "./Tenant.ts"

/*
 * Who has written what: every mutation of the GraphQL schema is carried out by a person, and every write of the REST API
 * with a secret key, and the tables below say what is to be found in the logs afterwards. What is in a document and not in
 * its table fails.
 */

const scope = Effect.runSync(Scope.make())
const schema = bareSchema()
const mutations = Object.values(schema.getMutationType()!.getFields())
const restFields = restOperations(schema).filter(({ kind }) => kind === "mutation")
let system: System
let operations: ReadonlyArray<Operation>
let byName: ReadonlyMap<string, Operation>
let database: Client

const run = <A>(work: Effect.Effect<A, unknown, SignIn | OrganizationStore>): Promise<A> =>
  Effect.runPromise(work.pipe(Effect.provide(commands(system.env)), Effect.orDie) as Effect.Effect<A>)

const codeFor = (email: string, purpose: CodePurpose) =>
  run(Effect.flatMap(SignIn, (signIn) => signIn.codeForOperator(email, purpose)))

interface Somebody {
  readonly id: AccountId
  readonly email: string
  token: string
}

let people = 0
/** Somebody who has just signed in, for the first time unless named. */
const signIn = async (email = `person-${++people}@example.com`): Promise<Somebody> => {
  const code = await codeFor(email, "sign_in")
  const { account, token } = await run(
    Effect.flatMap(SignIn, (signIn) => signIn.verifyCode(email, code, { device: null, userAgent: "" }))
  )
  return { id: account.id as AccountId, email, token }
}

beforeAll(async () => {
  system = await Effect.runPromise(
    Scope.provide(
      makeSystem({ ROLES: "api", OAUTH_GITHUB_CLIENT_ID: "a-client", OAUTH_GITHUB_CLIENT_SECRET: "a-secret" }),
      scope
    )
  )
  operations = readOperations(await (await fetch(`${system.url}/api/v1/openapi.json`)).json())
  byName = new Map(operations.map((operation) => [operation.name, operation]))
  database = new Client({ connectionString: system.env["DATABASE_URL"]! })
  await database.connect()
})
afterAll(async () => {
  await database?.end()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

interface Entry {
  readonly id: string
  readonly action: string
  readonly actor_kind: string
  readonly actor_id: string | null
  readonly target: string | null
  readonly app_id: string | null
}

const entries = async (): Promise<ReadonlyArray<Entry>> =>
  (
    await database.query<Entry>(`
      SELECT id, action, actor_kind, actor_id, target, app_id FROM audit_log
      UNION ALL SELECT id, action, actor_kind, actor_id, target, NULL FROM people_log`)
  ).rows

/** What the logs have afterwards that they did not have before. */
const writtenBy = async (work: () => Promise<unknown>): Promise<ReadonlyArray<Entry>> => {
  const before = new Set((await entries()).map(({ id }) => id))
  await work()
  return (await entries()).filter(({ id }) => !before.has(id))
}

/** A recipient that finally failed, and can be sent to once more. */
const deadLetter = async (appId: string): Promise<string> => {
  const [notification, batch, letter, recipient] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()]
  await database.query(
    `INSERT INTO notifications (id, app_id, status, priority, request, expires_at, plan_done, completed_at)
     VALUES ($1, $2, 'completed', 'bulk', '{"to":{"all":true},"content":{"title":"Hello"}}', now() + interval '1 h', true, now())`,
    [notification, appId]
  )
  await database.query(
    `INSERT INTO batches (id, notification_id, app_id, provider, priority, done, recipients, failed)
     VALUES ($1, $2, $3, 'apns', 'bulk', true, '{}', 1)`,
    [batch, notification, appId]
  )
  await database.query(
    `INSERT INTO devices (app_id, id, token_hash, platform, token) VALUES ($1, $2, uuid_send($2), 'ios', $2::text)`,
    [appId, recipient]
  )
  await database.query(
    `INSERT INTO dead_letters (id, app_id, kind, error, attempts, notification_id, recipient_id, batch_id, provider)
     VALUES ($1, $2, 'notification', 'expired', 9, $3, $4, $5, 'apns')`,
    [letter, appId, notification, recipient, batch]
  )
  return letter
}

/** Bodies that examples cannot be: what they name has to exist, or to be reachable. */
const bodyFor = ({ name, body, path }: Operation): unknown => {
  const kind = /credentials\/(\w+)$/.exec(path)?.[1]
  if (kind !== undefined && name.startsWith("PUT")) {
    return (system.fleet.description.credentials as Record<string, unknown>)[kind] ?? body!.example
  }
  if (name === "POST /api/v1/webhooks") {
    return { ...(body!.example as object), url: system.fleet.description.receivers[0]!.url }
  }
  if (name === "PATCH /api/v1/notifications/{id}") return { ttl: 60 }
  if (name === "POST /api/v1/dead-letters/replay") return { kind: "notification" }
  if (name === "POST /api/v1/webhooks/{id}/redeliver") return { status: "exhausted" }
  if (name === "PATCH /api/v1/templates/{id}") return { name: "Renamed" }
  return body?.example
}

const NOTHING: ReadonlyArray<string> = []

/** By the mutation: the actions of the entries that it leaves when a person does it. */
const BY_PERSON: Readonly<Record<string, ReadonlyArray<string>>> = {
  // Mail to an address, which may be nobody's: what comes of the code is written down.
  requestLoginCode: NOTHING,
  requestExternalSignInCode: NOTHING,
  verifyLoginCode: ["session.begun"],
  confirmExternalSignIn: ["external_sign_in.bound"],
  unbindExternalSignIn: ["external_sign_in.unbound"],
  renameAccount: ["account.changed"],
  requestEmailChange: ["account.address_change_requested"],
  changeEmail: ["account.address_changed", "session.begun"],
  createOrganization: ["organization.created"],
  renameOrganization: ["organization.changed"],
  createApplication: ["application.created", "application.created"],
  inviteMember: ["invitation.sent"],
  revokeInvitation: ["invitation.revoked"],
  acceptInvitation: ["invitation.accepted"],
  changeRole: ["member.role_changed"],
  // An invitation that is open was an owner's.
  transferOwnership: ["invitation.revoked", "ownership.transferred"],
  removeMember: ["member.removed"],
  leaveOrganization: ["member.left"],
  deleteApplication: ["application.deleted"],
  deleteOrganization: ["organization.deleted"],
  endSession: ["session.ended"],
  logout: ["session.ended"],
  signOutEverywhere: ["session.all_ended"],
  deleteAccount: ["account.deleted", "organization.deleted"],

  updateApplication: ["application.changed"],
  reissueIdentitySecret: ["identity_secret.issued"],
  createApiKey: ["api_key.created"],
  beginImport: ["contacts.imported"],
  // What is no part of an import that the person has begun is noted one by one.
  importContacts: ["contact.created"],
  registerDevices: ["device.registered", "device.registered"],
  updateDevice: ["device.changed"],
  upsertContact: ["contact.changed"],
  upsertContacts: ["contact.changed"],
  tagContacts: ["contact.changed"],
  updateContact: ["contact.changed"],
  changeContactTags: ["contact.changed"],
  updateContactPreferences: ["contact.changed"],
  updateContactByExternalId: ["contact.changed"],
  changeContactTagsByExternalId: ["contact.changed"],
  updateContactPreferencesByExternalId: ["contact.changed"],
  createChannel: ["channel.changed"],
  updateChannel: ["channel.changed"],
  createSegment: ["segment.created"],
  updateSegment: ["segment.changed"],
  postInboxMessages: ["inbox_messages.posted"],
  createTemplate: ["template.created"],
  updateTemplate: ["template.changed"],
  sendNotification: ["notification.created"],
  updateNotification: ["notification.changed"],
  pauseNotification: ["notification.paused"],
  resumeNotification: ["notification.resumed"],
  cancelNotification: ["notification.cancelled"],
  setApnsCredential: ["credential.set"],
  setFcmCredential: ["credential.set"],
  setWebPushCredential: ["credential.set"],
  setSmtpCredential: ["credential.set"],
  replayDeadLetter: ["dead_letter.replayed"],
  replayDeadLetters: ["dead_letters.replayed"],
  createHook: ["webhook.created"],
  updateHook: ["webhook.changed"],
  testHook: ["webhook.tested"],
  redeliverHook: ["webhook.redelivered"],
  createWorkflow: ["workflow.created"],
  updateWorkflow: ["workflow.changed"],
  activateWorkflow: ["workflow.activated"],
  triggerWorkflow: ["workflow.triggered"],
  raiseEvent: ["event.raised"],
  cancelExecution: ["execution.cancelled"],
  cancelExecutions: ["executions.cancelled"],
  archiveWorkflow: ["workflow.archived"],

  deleteDevice: ["device.deleted"],
  deleteContactByExternalId: ["contact.deleted"],
  deleteChannel: ["channel.deleted"],
  deleteContact: ["contact.deleted"],
  deleteSegment: ["segment.deleted"],
  deleteTemplate: ["template.deleted"],
  checkCredential: ["credential.checked"],
  deleteCredential: ["credential.removed"],
  deleteHook: ["webhook.deleted"],
  deleteWorkflow: ["workflow.deleted"],
  revokeApiKey: ["api_key.revoked"]
}

describe("what a person does", () => {
  let tenant: Tenant
  let ada: Somebody
  let bob: Somebody
  let carol: Somebody
  let own: string

  const ask = async (who: Somebody, request: object, headers: Record<string, string> = {}): Promise<any> => {
    const response = await fetch(`${system.url}/api/graphql`, {
      method: "POST",
      headers: { authorization: `Bearer ${who.token}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(request)
    })
    const { data, errors } = (await response.json()) as any
    if (errors !== undefined) throw new Error(`${JSON.stringify(request)} was answered ${JSON.stringify(errors)}`)
    return data
  }

  /** What the mail to an address says: there is no server, so it is kept as a file. */
  const mailedCode = async (email: string): Promise<string> => {
    const folder = join(system.env["DATA_DIR"]!, "mail")
    const look = async (): Promise<string | null> => {
      for (const name of existsSync(folder) ? await readdir(folder) : []) {
        const text = name.endsWith(".txt") ? await readFile(join(folder, name), "utf8") : ""
        const code = text.startsWith(`To: ${email}\n`) ? /^ {4}(\d{6})$/m.exec(text)?.[1] : undefined
        if (code !== undefined) return code
      }
      return null
    }
    return (await Effect.runPromise(eventually(Effect.promise(look), (code) => code !== null)))!
  }

  const inviteBob = async (): Promise<string> => {
    const id = uuidv7()
    await database.query("DELETE FROM members WHERE organization_id = $1 AND account_id = $2", [own, bob.id])
    await database.query(
      `INSERT INTO invitations (id, organization_id, email, role, token_hash, invited_by, expires_at)
       VALUES ($1::uuid, $2, $3, 'member', sha256($4), $5, now() + interval '1 h')
       ON CONFLICT (organization_id, email) DO UPDATE SET id = excluded.id, token_hash = excluded.token_hash`,
      [id, own, bob.email, Buffer.from(id), ada.id]
    )
    return id
  }
  const enrolBob = (role: string) =>
    database.query(
      `INSERT INTO members (organization_id, account_id, role) VALUES ($1, $2, $3)
       ON CONFLICT (organization_id, account_id) DO UPDATE SET role = excluded.role`,
      [own, bob.id, role]
    )
  const hold = async (): Promise<Record<string, string>> => {
    const token = randomBytes(32).toString("base64url")
    await database.query(
      `INSERT INTO pending_sign_ins (token_hash, provider, subject, email, expires_at)
       VALUES ($1, 'github', $2, $3, now() + interval '1 h')`,
      [createHash("sha256").update(token).digest(), uuidv7(), ada.email]
    )
    return { cookie: `service_pending_sign_in=${token}` }
  }

  interface Prepared {
    readonly args: Readonly<Record<string, unknown>>
    readonly headers?: Record<string, string>
    /** Who does it, if it is not Ada. */
    readonly who?: Somebody
  }
  /** What people do takes more than an example. */
  const PREPARED: Readonly<Record<string, () => Promise<Prepared>>> = {
    requestLoginCode: async () => ({ args: { email: ada.email } }),
    requestExternalSignInCode: async () => ({ args: {}, headers: await hold() }),
    verifyLoginCode: async () => ({ args: { email: ada.email, code: await codeFor(ada.email, "sign_in") } }),
    confirmExternalSignIn: async () => ({
      args: { code: await codeFor(ada.email, "link") },
      headers: await hold()
    }),
    unbindExternalSignIn: async () => {
      const { rows } = await database.query("SELECT id FROM external_sign_ins WHERE account_id = $1", [ada.id])
      return { args: { id: rows[0].id } }
    },
    renameAccount: async () => ({ args: { name: "Ada" } }),
    requestEmailChange: async () => ({ args: { email: "moved@example.com" }, who: carol }),
    changeEmail: async () => {
      const [code, newCode] = [await mailedCode(carol.email), await mailedCode("moved@example.com")]
      return { args: { code, newCode }, who: carol }
    },
    createOrganization: async () => ({ args: { name: "Another" } }),
    renameOrganization: async () => ({ args: { id: own, name: "Renamed" } }),
    createApplication: async () => ({ args: { organizationId: own, name: "Another" } }),
    inviteMember: async () => ({ args: { organizationId: own, email: "new@example.com", role: "MEMBER" } }),
    revokeInvitation: async () => ({ args: { id: await inviteBob() } }),
    acceptInvitation: async () => ({ args: { token: await inviteBob() }, who: bob }),
    changeRole: async () => ({ args: { organizationId: own, accountId: bob.id, role: "VIEWER" } }),
    transferOwnership: async () => {
      await enrolBob("admin")
      return { args: { organizationId: own, accountId: bob.id } }
    },
    removeMember: async () => {
      await database.query("UPDATE members SET role = 'owner' WHERE account_id = $1", [ada.id])
      return { args: { organizationId: own, accountId: bob.id } }
    },
    leaveOrganization: async () => {
      await enrolBob("member")
      return { args: { organizationId: own }, who: bob }
    },
    deleteApplication: async () => {
      const { rows } = await database.query("SELECT id FROM applications WHERE name = 'Another' LIMIT 1")
      return { args: { id: rows[0].id } }
    },
    deleteOrganization: async () => ({ args: { id: own } }),
    endSession: async () => {
      const other = await signIn(ada.email)
      const [, payload] = other.token.split(".")
      return { args: { id: JSON.parse(Buffer.from(payload!, "base64url").toString()).jti } }
    },
    logout: async () => ({ args: {}, who: await signIn(bob.email) }),
    signOutEverywhere: async () => ({ args: {}, who: await signIn(bob.email) }),
    deleteAccount: async () => {
      const gone = await signIn()
      return { args: { code: await codeFor(gone.email, "delete_account") }, who: gone }
    },
    beginImport: async () => ({ args: { appId: tenant.appId, kind: "CONTACTS", file: "people.csv" } }),
    importContacts: async () => ({
      args: { appId: tenant.appId, importId: uuidv7(), contacts: [{ externalId: "imported-by-itself" }] }
    }),
    registerDevices: async () => ({
      args: {
        appId: tenant.appId,
        devices: ["cd", "ef"].map((digits) => ({ token: digits.repeat(32), platform: "IOS" }))
      }
    }),
    replayDeadLetter: async () => ({ args: { id: await deadLetter(tenant.appId) } })
  }

  const prepare = async (name: string): Promise<Prepared> => {
    const own = PREPARED[name]
    if (own !== undefined) return own()
    const { choice, field, operation, rest } = restFields.find((one) => one.field.name === name)!
    const args: Record<string, unknown> = {}
    for (const { name: argument, type } of field.args) {
      if (argument === "appId" || (argument === "id" && !operation.includes("{"))) args[argument] = tenant.appId
      else if (argument === rest.id || argument === "externalId") {
        args[argument] = tenant.things.get(thingOf(operation.slice(operation.indexOf("/"))))
      } else if (argument === rest.choice) args[argument] = choice!.toUpperCase()
      else if (argument === "input") args[argument] = asInput(type, bodyFor(byName.get(operation)!) ?? {})
    }
    return { args }
  }

  beforeAll(async () => {
    tenant = await makeTenant(system, operations)
    ada = await signIn()
    bob = await signIn()
    carol = await signIn()
    const { rows } = await database.query("SELECT organization_id AS id FROM members WHERE account_id = $1", [ada.id])
    own = rows[0].id
    await run(
      Effect.gen(function* () {
        const organizations = yield* OrganizationStore
        const found = yield* organizations.ofApplication(tenant.appId as AppId)
        if (found._tag === "None") throw new Error("The application has no organization")
        yield* organizations.enrol(found.value, ada.id, "owner")
      })
    )
  })

  it("is told of every mutation of the schema, whatever it is", () => {
    expect(Object.keys(BY_PERSON).toSorted()).toEqual(mutations.map(({ name }) => name).toSorted())
  })

  it("is in the logs: each mutation leaves its entry, which names the person", async () => {
    const wrong: Array<unknown> = []
    for (const [name, actions] of Object.entries(BY_PERSON)) {
      const field = mutations.find((mutation) => mutation.name === name)!
      const { args, headers, who = ada } = await prepare(name)
      const written = await writtenBy(() => ask(who, requestFor({ kind: "mutation", field }, args), headers))
      const found = written.map(({ action }) => action).toSorted()
      const isTheirs = written.every(({ actor_id, actor_kind }) => actor_kind === "user" && actor_id === who.id)
      if (JSON.stringify(found) !== JSON.stringify(actions) || !isTheirs) wrong.push([name, actions, written])
    }
    expect(wrong).toEqual([])
  })

  it("is found by who, what, of what and when", async () => {
    const sent = await ask(ada, {
      query: `mutation($id: ID!, $input: NotificationInput!) { sendNotification(appId: $id, input: $input) { id } }`,
      variables: { id: tenant.appId, input: { to: { emails: ["one@example.com"] }, content: { title: "Hello" } } }
    })
    const { id } = sent.sendNotification
    const find = async (filter: string): Promise<ReadonlyArray<any>> => {
      const query = `query($id: ID!) { auditLog(appId: $id, ${filter}) { nodes { at action target details actor { kind id: actorId email } } } }`
      return (await ask(ada, { query, variables: { id: tenant.appId } })).auditLog.nodes
    }
    const [entry] = await find(`target: "${id}"`)
    expect(entry).toMatchObject({
      action: "notification.created",
      details: { to: ["emails"] },
      actor: { kind: "USER", id: ada.id, email: ada.email }
    })
    const [newest] = await find(`actorId: "${ada.id}", action: "notification.created", from: "${entry.at}", first: 1`)
    expect(newest).toEqual(entry)
    expect(await find(`target: "${id}", actorId: "${bob.id}"`)).toEqual([])
    expect(await find(`target: "${id}", to: "${entry.at}"`)).toEqual([])
  })

  it("is in the log once for an import: whose, which file, and how much, whoever else adds to it", async () => {
    const row = (externalId: string) => ({ externalId })
    const BEGIN = 'mutation($id: ID!) { beginImport(appId: $id, kind: CONTACTS, file: "customers.csv") }'
    const WRITE = `mutation($id: ID!, $importId: ID!, $contacts: [ContactInput!]!) {
      importContacts(appId: $id, importId: $importId, contacts: $contacts) { created error { message } } }`
    const id = tenant.appId
    let importId = ""
    const write = async (...contacts: ReadonlyArray<object>) =>
      (await ask(ada, { query: WRITE, variables: { id, importId, contacts } })).importContacts
    const written = await writtenBy(async () => {
      importId = (await ask(ada, { query: BEGIN, variables: { id } })).beginImport
      const results = await write(row("i-1"), row("i-2"), { externalId: "i-3", email: "nonsense" })
      expect(results.map(({ created }: any) => created)).toEqual([true, true, null])
      await write(row("i-2"), row("i-4"))
      // What a key writes with a person's import is not the person's.
      const byKey = await tenant.ask(byName.get("POST /api/v1/contacts")!, { ids: {}, body: '{"external_id":"i-5"}' })
      expect(byKey.status).toBe(201)
    })
    expect(written).toMatchObject([{ id: importId, action: "contacts.imported", actor_kind: "user", actor_id: ada.id }])
    const detailsOf = async () =>
      (await database.query("SELECT details FROM audit_log WHERE id = $1", [importId])).rows[0].details
    expect(await detailsOf()).toEqual({ file: "customers.csv", created: 3, changed: 1 })
    for (const name of ["a\u202Evsc.exe", "a\u0007b"]) {
      const query = BEGIN.replace("customers.csv", name)
      await expect(ask(ada, { query, variables: { id } })).rejects.toThrow("must not contain")
    }
    // Another's import takes nothing, nor does one that is long past: the row is noted by itself.
    await database.query("UPDATE audit_log SET at = now() - interval '8 days' WHERE id = $1", [importId])
    const late = await writtenBy(() => write(row("i-6")))
    expect(late).toMatchObject([{ action: "contact.created", actor_id: ada.id }])
    expect(await detailsOf()).toEqual({ file: "customers.csv", created: 3, changed: 1 })
    const DEVICES = `mutation($id: ID!, $importId: ID!, $devices: [RegisterDeviceInput!]!) {
      registerDevices(appId: $id, importId: $importId, devices: $devices) { created } }`
    const devices = ["ab", "cd"].map((digits) => ({ token: digits.repeat(40), platform: "IOS" }))
    const ofDevices = await writtenBy(async () => {
      const began = BEGIN.replace("CONTACTS", "DEVICES").replace("customers.csv", "phones.csv")
      importId = (await ask(ada, { query: began, variables: { id } })).beginImport
      await ask(ada, { query: DEVICES, variables: { id, importId, devices } })
    })
    expect(ofDevices).toMatchObject([{ id: importId, action: "devices.imported" }])
    expect(await detailsOf()).toEqual({ file: "phones.csv", created: 2, changed: 0 })
  })
})

/** Flows by the million: an entry for each would double what it costs. docs/decisions/0074-people.md. */
const FLOWS = NOTHING
/** A question, with a body. */
const ASKS = NOTHING

/** By the operation: the actions of the entries that it leaves when a key does it. */
const BY_KEY: Readonly<Record<string, ReadonlyArray<string> | null>> = {
  "PATCH /api/v1/application": ["application.changed"],
  "POST /api/v1/application/identity-secret": ["identity_secret.issued"],
  "POST /api/v1/api-keys": ["api_key.created"],
  "PUT /api/v1/credentials/apns": ["credential.set"],
  "PUT /api/v1/credentials/fcm": ["credential.set"],
  "PUT /api/v1/credentials/webpush": ["credential.set"],
  "PUT /api/v1/credentials/smtp": ["credential.set"],
  "POST /api/v1/credentials/apns/check": ["credential.checked"],
  "POST /api/v1/credentials/fcm/check": ["credential.checked"],
  "POST /api/v1/credentials/webpush/check": ["credential.checked"],
  "POST /api/v1/credentials/smtp/check": ["credential.checked"],
  "POST /api/v1/templates": ["template.created"],
  "PATCH /api/v1/templates/{id}": ["template.changed"],
  "POST /api/v1/templates/preview": ASKS,
  "POST /api/v1/templates/{id}/preview": ASKS,
  "POST /api/v1/segments": ["segment.created"],
  "POST /api/v1/segments/count": ASKS,
  "PATCH /api/v1/segments/{id}": ["segment.changed"],
  "POST /api/v1/webhooks": ["webhook.created"],
  "PATCH /api/v1/webhooks/{id}": ["webhook.changed"],
  "POST /api/v1/webhooks/{id}/test": ["webhook.tested"],
  "POST /api/v1/webhooks/{id}/redeliver": ["webhook.redelivered"],

  // A mailing. Messages to recipients that are named have a test of their own.
  "POST /api/v1/notifications": ["notification.created"],
  "POST /api/v1/notifications/preview": ASKS,
  "PATCH /api/v1/notifications/{id}": ["notification.changed"],
  "POST /api/v1/notifications/{id}/pause": ["notification.paused"],
  "POST /api/v1/notifications/{id}/resume": ["notification.resumed"],
  "POST /api/v1/notifications/{id}/cancel": ["notification.cancelled"],
  "POST /api/v1/dead-letters/{id}/replay": ["dead_letter.replayed"],
  "POST /api/v1/dead-letters/replay": ["dead_letters.replayed"],

  "POST /api/v1/workflows": ["workflow.created"],
  "PATCH /api/v1/workflows/{id}": ["workflow.changed"],
  "POST /api/v1/workflows/{id}/activate": ["workflow.activated"],
  // People who are named. A described audience has a test of its own.
  "POST /api/v1/workflows/{id}/trigger": FLOWS,
  "POST /api/v1/workflows/{id}/dry-run": ASKS,
  "POST /api/v1/executions/cancel": ["executions.cancelled"],
  "POST /api/v1/executions/{id}/cancel": FLOWS,
  "POST /api/v1/workflows/{id}/archive": ["workflow.archived"],
  "POST /api/v1/events/custom": FLOWS,

  "GET /api/v1/devices/export": ["devices.exported"],
  "POST /api/v1/devices/import": ["devices.imported"],
  "PATCH /api/v1/devices/{id}": FLOWS,
  "POST /api/v1/contacts": FLOWS,
  "POST /api/v1/contacts/bulk": FLOWS,
  "POST /api/v1/contacts/tags": FLOWS,
  "POST /api/v1/contacts/import": ["contacts.imported"],
  "PATCH /api/v1/contacts/{id}": FLOWS,
  "PATCH /api/v1/contacts/{id}/preferences": FLOWS,
  "POST /api/v1/contacts/{id}/tags": FLOWS,
  "PATCH /api/v1/contacts/by-external-id/{external_id}": FLOWS,
  "PATCH /api/v1/contacts/by-external-id/{external_id}/preferences": FLOWS,
  "POST /api/v1/contacts/by-external-id/{external_id}/tags": FLOWS,
  "POST /api/v1/channels": FLOWS,
  "PATCH /api/v1/channels/{id}": FLOWS,
  "POST /api/v1/inbox/messages": FLOWS,
  "POST /api/v1/public/devices": FLOWS,
  "DELETE /api/v1/public/devices": FLOWS,
  "POST /api/v1/events": FLOWS,
  "POST /api/v1/track": FLOWS,
  "POST /api/v1/public/inbox/{id}/read": FLOWS,
  "POST /api/v1/public/inbox/read_all": FLOWS,

  "DELETE /api/v1/devices/{id}": FLOWS,
  "DELETE /api/v1/channels/{id}": FLOWS,
  "DELETE /api/v1/contacts/by-external-id/{external_id}": ["contact.deleted"],
  "DELETE /api/v1/contacts/{id}": ["contact.deleted"],
  "DELETE /api/v1/segments/{id}": ["segment.deleted"],
  "DELETE /api/v1/templates/{id}": ["template.deleted"],
  "DELETE /api/v1/webhooks/{id}": ["webhook.deleted"],
  "DELETE /api/v1/workflows/{id}": ["workflow.deleted"],
  "DELETE /api/v1/credentials/apns": ["credential.removed"],
  "DELETE /api/v1/credentials/fcm": ["credential.removed"],
  "DELETE /api/v1/credentials/webpush": ["credential.removed"],
  "DELETE /api/v1/credentials/smtp": ["credential.removed"],
  "DELETE /api/v1/api-keys/{id}": ["api_key.revoked"],

  // By whoever has the link of the mail, and no key.
  "POST /u/{token}": null
}

describe("what a secret key does", () => {
  let tenant: Tenant
  let keyId: string
  beforeAll(async () => {
    tenant = await makeTenant(system, operations)
    const { rows } = await database.query(
      "SELECT id FROM api_keys WHERE app_id = $1 AND kind = 'secret' ORDER BY id LIMIT 1",
      [tenant.appId]
    )
    keyId = rows[0].id
  })

  it("is told of every write that the OpenAPI document has, and of what leaves the service at once", () => {
    const written = operations.filter(({ method, path }) => method !== "GET" || path.endsWith("/export"))
    expect(Object.keys(BY_KEY).toSorted()).toEqual(written.map(({ name }) => name).toSorted())
  })

  it("is in the log where it is no flow of data, and once for however many rows", async () => {
    const wrong: Array<unknown> = []
    for (const [name, actions] of Object.entries(BY_KEY)) {
      if (actions === null) continue
      const operation = byName.get(name)!
      const { body, path } = operation
      const id = path === "/api/v1/dead-letters/{id}/replay" ? await deadLetter(tenant.appId) : null
      const lines = (...items: ReadonlyArray<unknown>) => items.map((item) => `${JSON.stringify(item)}\n`).join("")
      const text = body?.isStream ? lines(body.example, body.example) : JSON.stringify(bodyFor(operation))
      const query = operation.query.flatMap(({ name, required }): Array<[string, string]> =>
        required || name === "user_id" ? [[name, "user-42"]] : []
      )
      const written = await writtenBy(async () => {
        const asked = await tenant.ask(operation, {
          ids: { id: id ?? tenant.things.get(thingOf(path)) ?? "" },
          query,
          ...(body === null ? {} : { body: text })
        })
        // Reports of recipients that were never sent to are refused; nothing else is.
        if (asked.status >= 300 && !/events|track/.test(path)) wrong.push([name, asked.status, asked.text])
      })
      const found = written.map(({ action }) => action).toSorted()
      const isOurs = written.every(
        ({ actor_id, actor_kind, app_id }) => actor_kind === "key" && actor_id === keyId && app_id === tenant.appId
      )
      if (JSON.stringify(found) !== JSON.stringify(actions) || !isOurs) wrong.push([name, actions, written])
    }
    expect(wrong).toEqual([])
  })

  it("is in the log once for an import of any length, with what it has created and changed", async () => {
    const lines = Array.from({ length: 2_500 }, (_, i) => `{"external_id":"line-${i % 2_400}"}\n`).join("")
    const written = await writtenBy(async () => {
      const { status, text } = await tenant.ask(byName.get("POST /api/v1/contacts/import")!, {
        ids: {},
        body: `${lines}nonsense\n`
      })
      expect([status, text.trim().split("\n").length]).toEqual([200, 2_501])
    })
    expect(written).toMatchObject([{ action: "contacts.imported", actor_kind: "key", actor_id: keyId }])
    const { rows } = await database.query("SELECT details FROM audit_log WHERE id = $1", [written[0]!.id])
    expect(rows[0].details).toEqual({ created: 2_400, changed: 100 })
  })

  it("is in the log where a described audience enters a workflow, once for however many people", async () => {
    const ask = async (name: string, ids: Record<string, string>, body: unknown) => {
      const { status, text } = await tenant.ask(byName.get(name)!, { ids, body: JSON.stringify(body) })
      if (status >= 300) throw new Error(`${name} was answered ${status}: ${text}`)
      return JSON.parse(text)
    }
    const { id } = await ask("POST /api/v1/workflows", {}, byName.get("POST /api/v1/workflows")!.body!.example)
    await ask("POST /api/v1/workflows/{id}/activate", { id }, undefined)
    const written = await writtenBy(() =>
      ask("POST /api/v1/workflows/{id}/trigger", { id }, { to: { tags_any: ["news"] } })
    )
    expect(written).toMatchObject([
      { action: "workflow.triggered", target: id, actor_kind: "key", actor_id: keyId, app_id: tenant.appId }
    ])
  })
})
