import fastify from "fastify"
import { createServer } from "node:http"
import { uuidv7 } from "../../services/ports/NewId.ts"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/*
 * The peers of the ingress benchmark: servers that read a JSON body, parse it, and answer like ours, without any work in
 * between. No key is checked, nothing is validated, nothing is stored.
 */
const kind = process.argv[2]
const answer = () => ({ id: uuidv7(), created: true })

if (kind === "fastify") {
  const app = fastify()
  app.post("/api/v1/public/devices", (_, reply) => reply.code(201).send(answer()))
  app.post("/api/v1/notifications", (_, reply) => reply.code(202).send({ id: uuidv7(), status: "queued" }))
  await app.listen({ port: 0, host: "127.0.0.1" })
  print(JSON.stringify(app.server.address()))
} else {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString())
      const isDevice = request.url === "/api/v1/public/devices"
      const text = JSON.stringify(isDevice ? answer() : { id: uuidv7(), status: "queued" })
      response.writeHead(isDevice ? 201 : 202, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text)
      })
      response.end(text)
    })
  })
  server.listen(0, "127.0.0.1", () => print(JSON.stringify(server.address())))
}
