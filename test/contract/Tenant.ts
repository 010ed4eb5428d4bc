import { Effect } from "effect"
import { createApplication } from "../../services/engine/access/Applications.ts"
import { commands } from "../../src/app.ts"
import { Client } from "pg"
import { uuidv7 } from "../../services/ports/NewId.ts"
import type { System } from "../System.ts"
import type { Answer, Operation } from "./Document.ts"

/** An application with one of everything that has an id, and requests with its keys. */

export interface Asked {
  /** By their names in the path; `id` stands for one that has another name as well. */
  readonly ids?: Readonly<Record<string, string>>
  readonly query?: ReadonlyArray<readonly [string, string]>
  readonly body?: string | undefined
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Tenant {
  readonly appId: string
  readonly secretKey: string
  /** Paths that end in an id, such as `/api/v1/devices/{id}`, with an id of this application's; all of them are UUIDs. */
  readonly things: ReadonlyMap<string, string>
  readonly ask: (operation: Operation, asked?: Asked) => Promise<Answer>
}

/** Bodies that examples cannot be: what they name has to exist, or to be reachable. */
const bodyFor = (operation: Operation, system: System): unknown => {
  const example = operation.body?.example
  if (operation.path === "/api/v1/webhooks") {
    return { ...(example as object), url: system.fleet.description.receivers[0]!.url }
  }
  if (operation.path === "/api/v1/notifications") {
    // Scheduled, so that it can be changed.
    const send_at = new Date(Date.now() + 30 * 86_400_000).toISOString()
    return { to: { all: true }, content: { title: "Hello" }, send_at }
  }
  return example
}

const toUrl = (base: string, path: string, { ids = {}, query = [] }: Asked): string => {
  const search = new URLSearchParams(query.map(([name, value]) => [name, value])).toString()
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => ids[name] ?? ids["id"] ?? name)
  return `${base}${filled}${search === "" ? "" : `?${search}`}`
}

/** Reads an answer whole; of one that goes on for ever, as live updates do, its head. */
const read = async (response: Response): Promise<Answer> => {
  const { headers, status } = response
  if (headers.get("content-type")?.startsWith("text/event-stream") === true) {
    await response.body?.cancel()
    return { status, headers, text: "" }
  }
  return { status, headers, text: await response.text() }
}

export const makeTenant = async (system: System, operations: ReadonlyArray<Operation>): Promise<Tenant> => {
  const { appId, secretKey } = await Effect.runPromise(
    createApplication("A tenant").pipe(Effect.provide(commands(system.env)))
  )
  const ask: Tenant["ask"] = async (operation, asked = {}) => {
    const { body, headers, type = operation.body?.type ?? "application/json" } = asked
    const response = await fetch(toUrl(system.url, operation.path, asked), {
      method: operation.method,
      headers: {
        ...(operation.access === "open" ? {} : { authorization: `ApiKey ${secretKey}` }),
        ...(body === undefined ? {} : { "content-type": type }),
        ...headers
      },
      ...(body === undefined ? {} : { body }),
      redirect: "manual"
    })
    return read(response)
  }
  const find = (name: string): Operation => {
    const found = operations.find((operation) => operation.name === name)
    if (found === undefined) throw new Error(`There is no ${name}`)
    return found
  }
  const made = async (operation: Operation, body = bodyFor(operation, system)): Promise<any> => {
    const { status, text } = await ask(operation, { body: JSON.stringify(body) })
    if (status >= 300) throw new Error(`${operation.name} was answered ${status}: ${text}`)
    return JSON.parse(text)
  }

  for (const [kind, credential] of Object.entries(system.fleet.description.credentials)) {
    const put = operations.find(({ name }) => name === `PUT /api/v1/credentials/${kind}`)
    if (put !== undefined) await made(put, credential)
  }
  const things = new Map<string, string>([["/api/v1/public/apps/{id}", appId]])
  await made(find("POST /api/v1/public/devices"), { token: "ab".repeat(32), platform: "ios", user_id: "user-42" })
  const devices = await ask(find("GET /api/v1/devices"))
  things.set("/api/v1/devices/{id}", JSON.parse(devices.text).data[0].id)
  for (const operation of operations) {
    const thing = `${operation.path}/{id}`
    const isCollection = operation.method === "POST" && operation.body !== null && operation.ids.length === 0
    if (!isCollection || things.has(thing) || !operations.some(({ path }) => path.startsWith(thing))) continue
    if (operation.body?.isStream !== false) continue
    things.set(thing, (await made(operation)).id)
  }
  const externalId = uuidv7()
  await made(find("POST /api/v1/contacts"), { external_id: externalId })
  things.set("/api/v1/contacts/by-external-id/{external_id}", externalId)
  await made(find("POST /api/v1/inbox/messages"), { user_ids: ["user-42"], title: "Hello" })
  const inbox = await ask(find("GET /api/v1/public/inbox"), { query: [["user_id", "user-42"]] })
  things.set("/api/v1/public/inbox/{id}", JSON.parse(inbox.text).data[0].id)

  // What only time, or a failure, makes.
  const letter = uuidv7()
  const replay = uuidv7()
  const client = new Client({ connectionString: system.env["DATABASE_URL"]! })
  await client.connect()
  await client.query(
    `INSERT INTO dead_letters (id, app_id, kind, error, attempts, webhook_id, event_id, body)
     VALUES ($1, $2, 'webhook', 'answered 500', 6, $3, $1, '{}')`,
    [letter, appId, things.get("/api/v1/webhooks/{id}")]
  )
  await client.query("INSERT INTO replays (id, app_id, filter, status) VALUES ($1, $2, '{}', 'completed')", [
    replay,
    appId
  ])
  const execution = uuidv7()
  const workflow = things.get("/api/v1/workflows/{id}")
  await client.query(
    `INSERT INTO executions (app_id, id, workflow_id, version_id, contact_id, user_id, status, position)
     SELECT app_id, $1, id, version_id, $3, 'user-42', 'waiting', 0 FROM workflows WHERE id = $2`,
    [execution, workflow, things.get("/api/v1/contacts/{id}")]
  )
  await client.query(
    "INSERT INTO execution_timers (app_id, execution_id, due_at) VALUES ($1, $2, now() + interval '1 day')",
    [appId, execution]
  )
  const redelivery = uuidv7()
  await client.query(
    "INSERT INTO redeliveries (id, app_id, webhook_id, wanted, to_at, status) VALUES ($1, $2, $3, 'exhausted', now(), 'completed')",
    [redelivery, appId, things.get("/api/v1/webhooks/{id}")]
  )
  const { rows } = await client.query<{ version_id: string }>("SELECT version_id FROM templates WHERE id = $1", [
    things.get("/api/v1/templates/{id}")
  ])
  await client.end()
  things.set("/api/v1/templates/versions/{id}", rows[0]!.version_id)
  things.set("/api/v1/webhooks/redeliveries/{id}", redelivery)
  things.set("/api/v1/executions/{id}", execution)
  things.set("/api/v1/dead-letters/{id}", letter)
  things.set("/api/v1/dead-letters/replays/{id}", replay)

  return { appId, secretKey, things, ask }
}

/** The thing whose id a path asks for first, such as `/api/v1/webhooks/{id}` of `/api/v1/webhooks/{id}/deliveries`. */
export const thingOf = (path: string): string => path.slice(0, path.indexOf("}") + 1)
