import { randomBytes } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeCertificates } from "../../simulators/Certificates.ts"
import { lastingPort, listening, program, type Stage } from "../Child.ts"

/** A server written by others that answers 200 to `/3/device/<token>`, for the tokens it was given. */
export interface Sink {
  readonly port: number
  readonly pid: number
  /** Holds `ca.pem`, `tokens.json`, and `payload` with 311 bytes. */
  readonly folder: string
}

export const TOKENS = 1000

/** What all sinks of a run share. */
export const prepare = (stage: Stage): string => {
  const folder = stage.folder()
  const { ca, cert, key } = makeCertificates(["localhost", "127.0.0.1"])
  const tokens = Array.from({ length: TOKENS }, () => randomBytes(32).toString("hex"))
  const files = { "ca.pem": ca, "cert.pem": cert, "key.pem": key, "tokens.json": JSON.stringify(tokens) }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, "payload"), "x".repeat(311))
  mkdirSync(join(folder, "root/3/device"), { recursive: true })
  for (const token of tokens) writeFileSync(join(folder, "root/3/device", token), "")
  return folder
}

/** nghttpd, the leanest of Debian's: an empty file for each token, 100 bytes of headers in each answer. */
export const startNghttpd = async (stage: Stage, folder: string): Promise<Sink> => {
  const port = await lastingPort()
  const windows = ["-m", "1000", "-w", "20", "-W", "24"]
  const { child } = stage.spawn(
    program("nghttpd", "nghttp2-server"),
    [
      "-a",
      "127.0.0.1",
      "-d",
      join(folder, "root"),
      ...windows,
      String(port),
      `${folder}/key.pem`,
      `${folder}/cert.pem`
    ],
    { stdio: "ignore" }
  )
  await listening(port, child)
  return { port, pid: child.pid!, folder }
}

/** nginx answers as APNs does: no body, the request's apns-id among the headers, each answer in a record of its own. */
export const startNginx = async (stage: Stage, folder: string): Promise<Sink> => {
  const port = await lastingPort()
  for (const name of ["body", "logs"]) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; pid ${folder}/nginx.pid; error_log stderr crit; master_process off;
     events { worker_connections 64; }
     http {
       access_log off; http2_recv_buffer_size 256k; client_body_temp_path ${folder}/body;
       proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
       uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
       server {
         listen 127.0.0.1:${port} ssl http2;
         ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
         http2_max_concurrent_streams 1000; keepalive_requests 2000000000; keepalive_timeout 1h;
         location /3/device/ { add_header apns-id $http_apns_id; return 200; }
       }
     }`
  )
  const { child } = stage.spawn(program("nginx", "nginx-light"), ["-c", join(folder, "nginx.conf"), "-p", folder], {
    stdio: "ignore"
  })
  await listening(port, child)
  return { port, pid: child.pid!, folder }
}
