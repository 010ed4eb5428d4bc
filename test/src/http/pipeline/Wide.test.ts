import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

const ID = "01890a5d-ac96-774b-bcce-b302099a8057"
const SECRET_BYTES = 256 * 1024
/** What a public key may send, nearly. */
const PUBLIC_BYTES = 60_000

type Json = { readonly [name: string]: unknown }

const repeated = (item: string, bytes: number) => `[${item}${`,${item}`.repeat(bytes / (item.length + 1))}]`
const keyed = (value: string, bytes: number) =>
  `{${Array.from({ length: bytes / (value.length + 9) }, (_, i) => `"k${i}":${value}`).join(",")}}`

/** What may be put where anything may stand: as wide as a body can be, wrong in most places, and right in some. */
const wideOf = (bytes: number) => ({
  objects: repeated("{}", bytes),
  numbers: repeated("1", bytes),
  "empty texts": repeated('""', bytes),
  texts: repeated('"a"', bytes),
  ids: repeated(`"${ID}"`, bytes),
  "many fields": keyed("1", bytes),
  "many objects": keyed("{}", bytes),
  "nested lists": repeated(`${"[".repeat(24)}${"]".repeat(24)}`, bytes),
  text: `"${"a/".repeat(bytes / 2)}"`
})

let server: TestServer
beforeAll(async () => {
  server = await startServer({ bodyLimit: 1 << 20 })
})
afterAll(() => server.stop())

const cpu = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

const resolved = (schema: Json): Json => {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema["$ref"]))?.[1]
  return name === undefined ? schema : resolved(server.document.components.schemas[name] as Json)
}

/** The schema and everything inside it, by path; what may stand inside itself (steps, conditions) once. */
const within = (
  given: Json,
  path: string,
  around: ReadonlyArray<Json> = []
): ReadonlyArray<readonly [path: string, schema: Json]> => {
  const schema = resolved(given)
  if (around.includes(schema)) return []
  const inside = [...around, schema]
  const below = (value: unknown, name: string) =>
    typeof value === "object" && value !== null ? within(value as Json, `${path}.${name}`, inside) : []
  return [
    [path, schema],
    ...Object.entries((schema["properties"] ?? {}) as Json).flatMap(([name, value]) => below(value, name)),
    ...below(schema["items"], "[]"),
    ...below(schema["additionalProperties"], "*"),
    ...["anyOf", "oneOf", "allOf"].flatMap((key) =>
      ((schema[key] ?? []) as ReadonlyArray<Json>).flatMap((one) => within(one, path, inside))
    )
  ]
}

const bodies = () =>
  Object.entries(server.document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody, security }]) => {
      const media = requestBody?.content["application/json"]
      if (media === undefined) return []
      return [
        {
          name: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          path: path.replaceAll("{external_id}", "user-1").replaceAll(/\{[^}]+\}/g, ID),
          isSecret: !security.some((one) => "publicKey" in one),
          schema: media.schema as Json,
          example: media.example
        }
      ]
    })
  )

interface Form {
  /** With a mark where something wide comes. */
  readonly body: unknown
  /** What should stand there. */
  readonly schema: Json
}

/** The body with a mark in place of each of the fields that it may have. */
const formsOf = (given: Json, body: unknown, around: ReadonlyArray<Json> = []): ReadonlyArray<Form> => {
  const schema = resolved(given)
  if (around.includes(schema)) return []
  const inside = [...around, schema]
  const object = typeof body === "object" && body !== null && !Array.isArray(body) ? (body as Json) : {}
  const [item] = Array.isArray(body) ? body : []
  const shapes = [schema, ...["anyOf", "allOf"].flatMap((key) => ((schema[key] ?? []) as Array<Json>).map(resolved))]
  return [
    { body: "MARK", schema },
    ...shapes.flatMap(({ items, properties }) => [
      ...Object.entries((properties ?? {}) as Json).flatMap(([name, field]) =>
        formsOf(field as Json, object[name], inside).map((form) => ({
          ...form,
          body: { ...object, [name]: form.body }
        }))
      ),
      ...(items === undefined
        ? []
        : formsOf(items as Json, item, inside)
            .slice(1)
            .map((form) => ({ ...form, body: [form.body] })))
    ])
  ]
}

describe("a wide body", () => {
  it("can have no list and no map without a bound, in any operation", () => {
    const open = bodies().flatMap(({ name, schema }) => {
      const all = within(schema, name)
      // What is said of one value may stand in several schemas.
      const isBound = (path: string, by: "maxItems" | "maxProperties") =>
        all.some(([other, one]) => other === path && typeof one[by] === "number")
      return all
        .filter(
          ([path, { additionalProperties, items }]) =>
            (items !== undefined && !isBound(path, "maxItems")) ||
            (typeof additionalProperties === "object" && !isBound(path, "maxProperties"))
        )
        .map(([path]) => path)
    })
    expect(open).toEqual([])
  })

  it("costs about as much as to parse it, whatever is wide in it and whether that is right, in every operation", async () => {
    const seen = new Set<string>()
    const dear: Array<string> = []
    for (const { example, isSecret, method, name, path, schema } of bodies()) {
      const key = isSecret ? server.ours.secretKey : server.ours.publicKey
      const wide = wideOf(isSecret ? SECRET_BYTES : PUBLIC_BYTES)
      // A field of the same kind costs the same in every operation; a whole body is of its own.
      const forms = formsOf(schema, example).filter(({ body, schema: field }) => {
        const kind = `${isSecret} ${JSON.stringify(field)}`
        return !seen.has(kind) && seen.add(kind) && JSON.stringify(body).includes("MARK")
      })
      for (const form of forms) {
        for (const [kind, value] of Object.entries(wide)) {
          const raw = JSON.stringify(form.body).replace('"MARK"', () => value)
          /** Milliseconds of CPU beyond what is to be had for a body of this size. */
          const excess = async () => {
            const from = cpu()
            const { json, status } = await server.call(method, path, { key, raw })
            const cost = cpu() - from
            expect(status, `${name} ${kind}`).toBeLessThan(500)
            expect(json?.error?.details?.length ?? 0).toBeLessThanOrEqual(20)
            if (cost <= 60) return 0
            const parsing = cpu()
            JSON.parse(raw)
            return cost - 20 * (cpu() - parsing) - 60
          }
          // The collector of garbage, and the machine's other work, take their time whose ever request it is: what is dear
          // is dear each time.
          let over = await excess()
          for (let again = 0; over > 0 && again < 5; again++) over = Math.min(over, await excess())
          if (over > 0) dear.push(`${name} ${kind}: ${over} ms too many in ${JSON.stringify(form.body).slice(0, 300)}`)
        }
      }
    }
    expect(dear).toEqual([])
  }, 900_000)
})
