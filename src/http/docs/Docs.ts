import type { Json } from "./OpenApi.ts"

/** The documentation as one page, written from the OpenAPI document. It loads nothing and runs nothing. */

interface Media {
  readonly schema: Json
  readonly example?: Json
}
interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description?: string
  readonly security: ReadonlyArray<Record<string, Json>>
  readonly parameters?: ReadonlyArray<{ name: string; in: string; required: boolean; description?: string }>
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses: Record<string, { readonly description: string; readonly content?: Record<string, Media> }>
}
interface Document {
  readonly info: { readonly title: string; readonly description: string }
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, Json> }
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** Text of ours with `code` in it. */
const prose = (text: string): string => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>")

const json = (value: Json): string => `<pre>${escape(JSON.stringify(value, null, 2))}</pre>`

const keyOf = (operation: Operation): string => {
  const kinds = operation.security.flatMap((scheme) => Object.keys(scheme))
  if (kinds.length === 0) return "no key"
  return kinds.includes("publicKey") ? "public key" : "secret key"
}

const curl = (server: string, method: string, path: string, operation: Operation): string => {
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const header = { "no key": null, "public key": "Public $PUBLIC_KEY", "secret key": "ApiKey $SECRET_KEY" }[
    keyOf(operation)
  ]
  const parameters = operation.parameters ?? []
  const query = parameters.filter((one) => one.in === "query" && one.required)
  const queryText = query.map(({ name }) => `${name}=$${name.toUpperCase()}`).join("&")
  // Whose request it is has to be proven where the request says so.
  const isProven =
    query.some(({ name }) => name === "user_id") && parameters.some(({ name }) => name === "X-Identity-Hash")
  return [
    `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}"${server}${path}${queryText === "" ? "" : `?${queryText}`}"`,
    ...(header ? [`  -H "Authorization: ${header}"`] : []),
    ...(isProven ? [`  -H "X-Identity-Hash: $IDENTITY_HASH"`] : []),
    ...(type
      ? [
          `  -H "Content-Type: ${type}"`,
          // Of a file of lines, `-d @file` would take the ends of the lines away.
          `  ${type === "application/json" ? "-d" : "--data-binary"} '${JSON.stringify(body?.example).replaceAll("'", "'\\''")}'`
        ]
      : [])
  ].join(" \\\n")
}

/** A schema with a name is shown in full where it is used. */
const resolve = (schema: Json, schemas: Document["components"]["schemas"]): Json => {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String((schema as { readonly $ref?: Json }).$ref))?.[1]
  return (name === undefined ? undefined : schemas[name]) ?? schema
}

const section = ({ servers, components }: Document, path: string, method: string, operation: Operation): string => {
  const server = servers[0]?.url ?? ""
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const parameters = operation.parameters ?? []
  return `<section id="${operation.operationId}">
<h3><span class="${method}">${method.toUpperCase()}</span> ${escape(path)}</h3>
<p><strong>${prose(operation.summary)}.</strong> <em>${keyOf(operation)}</em></p>
${operation.description ? `<p>${prose(operation.description)}</p>` : ""}
${
  parameters.length === 0
    ? ""
    : `<ul>${parameters.map((p) => `<li><code>${escape(p.name)}</code> (${p.in})${p.description ? `: ${prose(p.description)}` : ""}</li>`).join("")}</ul>`
}
<pre>${escape(curl(server, method, path, operation))}</pre>
${body ? `<details><summary>Body: ${escape(type!)}</summary>${json(resolve(body.schema, components.schemas))}</details>` : ""}
${Object.entries(operation.responses)
  .map(([status, response]) => {
    const media = Object.values(response.content ?? {})[0]
    const isSuccess = status.startsWith("2")
    return `<details${isSuccess ? " open" : ""}><summary>${status} — ${prose(response.description)}</summary>${
      isSuccess && media?.example !== undefined ? json(media.example) : ""
    }</details>`
  })
  .join("\n")}
</section>`
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;color:#1b1f24;background:#fff}
pre{background:#f4f5f7;padding:.75rem;overflow:auto;border-radius:.4rem;font-size:.85rem}code{background:#f4f5f7;padding:0 .2rem}
h3{font-family:ui-monospace,monospace;margin-bottom:.2rem}section{border-top:1px solid #d9dce1;padding:.5rem 0}summary{cursor:pointer}
h3 span{color:#0b5cad}h3 .delete{color:#b42318}nav li{font-family:ui-monospace,monospace;font-size:.9rem}
@media (prefers-color-scheme:dark){body{color:#e6e8eb;background:#16181d}pre,code{background:#23262d}section{border-color:#3a3f48}a,h3 span{color:#7ab8ff}}`

/** What the examples leave to the reader's shell. */
const VARIABLES =
  'In the examples, `$PUBLIC_KEY` and `$SECRET_KEY` are keys of your application, `$USER_ID` is your own id of a person, written as URLs have it, and `$IDENTITY_HASH` is its proof, made on your server with the application\'s identity secret: `printf %s "$USER_ID" | openssl dgst -sha256 -hmac "$IDENTITY_SECRET" -r | cut -c1-64`. What stands in braces in a path is an id.'

export const docsPage = (api: unknown): string => {
  const document = api as Document
  const { info, paths, components } = document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  )
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))]
  const of = (tag: string) => operations.filter(({ operation }) => operation.tags.includes(tag))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(info.title)} API</title><style>${STYLE}</style></head><body>
<h1>${escape(info.title)} API</h1>
<p>${prose(info.description)} The same as an <a href="/api/v1/openapi.json">OpenAPI 3.1 document</a>.</p>
<p>${prose(VARIABLES)}</p>
<nav>${tags
    .map(
      (tag) =>
        `<h4>${escape(tag)}</h4><ul>${of(tag)
          .map(
            ({ path, method, operation }) =>
              `<li><a href="#${operation.operationId}">${method.toUpperCase()} ${escape(path)}</a></li>`
          )
          .join("")}</ul>`
    )
    .join("")}</nav>
${tags
  .map(
    (tag) =>
      `<h2>${escape(tag)}</h2>\n${of(tag)
        .map(({ path, method, operation }) => section(document, path, method, operation))
        .join("\n")}`
  )
  .join("\n")}
<h2>Schemas</h2>
${Object.entries(components.schemas)
  .map(
    ([name, schema]) =>
      `<details id="schema-${escape(name)}"><summary><code>${escape(name)}</code></summary>${json(schema)}</details>`
  )
  .join("\n")}
</body></html>
`
}
