import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeCertificates, writeCa } from "../../simulators/Certificates.ts"
import type { Servant, Stage } from "../Child.ts"
import { lastingPort, listening, program } from "../Child.ts"
import type { SinkAnswer, SinkOrder } from "./Http2Sink.ts"

export interface Sink {
  readonly name: string
  readonly port: number
  readonly pid: number
}

export interface Identity {
  /** The authority that senders must trust, as a file. */
  readonly ca: string
  readonly key: string
  readonly cert: string
  readonly folder: string
}

export const identity = async (stage: Stage): Promise<Identity> => {
  const folder = stage.folder()
  const certificates = makeCertificates()
  const key = join(folder, "key.pem")
  const cert = join(folder, "cert.pem")
  writeFileSync(key, certificates.key)
  writeFileSync(cert, certificates.cert)
  return { ca: await writeCa(certificates, folder), key, cert, folder }
}

export const leanSink = async (stage: Stage, { cert, key }: Identity, body = "", mark = ""): Promise<AskedSink> => {
  const port = await lastingPort()
  const url = new URL("Http2Sink.ts", import.meta.url)
  const { ask, pid } = await stage.servant<SinkOrder, SinkAnswer>(url, [String(port), key, cert, body, mark])
  return { name: "lean sink", port, pid, ask }
}

/** nginx from Debian, one process, that answers 200 to every POST. */
export const nginxSink = async (stage: Stage, { cert, folder, key }: Identity): Promise<Sink> => {
  const port = await lastingPort()
  for (const name of ["body", "logs"]) mkdirSync(join(folder, name), { recursive: true })
  const configuration = join(folder, "nginx.conf")
  writeFileSync(
    configuration,
    `daemon off; pid ${folder}/nginx.pid; error_log stderr crit; master_process off;
events { worker_connections 256; }
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port} ssl http2; ssl_certificate ${cert}; ssl_certificate_key ${key};
    http2_max_concurrent_streams 1000; keepalive_requests 100000000; keepalive_time 1h;
    location / { return 200; }
  }
}
`
  )
  const { child } = stage.spawn(program("nginx", "nginx-light"), ["-c", configuration, "-p", folder])
  await listening(port, child)
  return { name: "nginx", port, pid: child.pid! }
}

type AskedSink = Sink & { readonly ask: Servant<SinkOrder, SinkAnswer>["ask"] }

const plainSink = async (stage: Stage, name: string, script: string): Promise<AskedSink> => {
  const port = await lastingPort()
  const { ask, pid } = await stage.servant<SinkOrder, SinkAnswer>(new URL(script, import.meta.url), [String(port)])
  return { name, port, pid, ask }
}

/** A webhook receiver: Node, bare sockets. */
export const webhookSink = (stage: Stage) => plainSink(stage, "lean receiver", "WebhookSink.ts")

/** A mail server: Node, bare sockets, no TLS. */
export const smtpSink = (stage: Stage) => plainSink(stage, "lean mail server", "SmtpSink.ts")
