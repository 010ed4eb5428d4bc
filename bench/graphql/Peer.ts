import { createSchema, createYoga } from "graphql-yoga"
import { createServer } from "node:http"
import { uuidv7 } from "../../services/ports/NewId.ts"
import { PAGE } from "./Queries.ts"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/*
 * The peer of the GraphQL benchmark: graphql-yoga as its guide sets it up, on node:http, with the part of the schema that
 * is asked for and resolvers that do no work: no key, no limits, no rules, no database.
 */

const typeDefs = `
  type Query { contacts(appId: ID!, first: Int, after: String): ContactConnection! }
  type Mutation { createHook(appId: ID!, input: HookInput!): Hook! deleteHook(id: ID!): Boolean! }
  type ContactConnection { edges: [ContactEdge!]! pageInfo: PageInfo! }
  type ContactEdge { cursor: String! node: Contact! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type Contact { id: ID! externalId: String! email: String tags: [String!]! locale: String createdAt: String! }
  type Hook { id: ID! name: String! url: String! events: [String!]! isActive: Boolean! }
  input HookInput { name: String! url: String! secret: String events: [String!] isActive: Boolean }
`

const edges = Array.from({ length: PAGE }, (_, i) => ({
  cursor: Buffer.from(`contacts:${i}`).toString("base64url"),
  node: {
    id: uuidv7(),
    externalId: `user-${i}`,
    email: `user-${i}@example.com`,
    tags: ["news", "beta"],
    locale: "en-GB",
    createdAt: "2026-01-15T09:30:00.000Z"
  }
}))
const page = { edges, pageInfo: { hasNextPage: true, endCursor: edges.at(-1)!.cursor } }

const yoga = createYoga({
  graphqlEndpoint: "/api/graphql",
  logging: false,
  schema: createSchema({
    typeDefs,
    resolvers: {
      Query: { contacts: () => page },
      Mutation: {
        createHook: (_: unknown, { input }: { readonly input: object }) => ({
          id: uuidv7(),
          isActive: true,
          events: [],
          ...input
        }),
        deleteHook: () => true
      }
    }
  })
})
const server = createServer((request, response) => void yoga(request, response))
server.listen(0, "127.0.0.1", () => print(JSON.stringify(server.address())))
