import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import * as http from "node:http"
import * as http2 from "node:http2"
import { type AddressInfo, connect, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lastingPort } from "../../Ports.ts"
import { program } from "../../Programs.ts"
import { certificates } from "./RawPeer.ts"

/* Servers that others wrote, as Debian has them, on loopback with certificates of the test's own. */

/** Resolves once something listens there; rejects with what the program said if it ended. */
const listening = async (port: number, child: ReturnType<typeof spawn>): Promise<void> => {
  let said = ""
  child.stderr?.on("data", (chunk) => (said += String(chunk)))
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${said}`)
    const up = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy()
        resolve(true)
      }).on("error", () => resolve(false))
    })
    if (up) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Where a server's files are: it listens at `port`, and hands on to `http1` or `http2` (cleartext), which echo. */
interface Place {
  readonly folder: string
  readonly key: string
  readonly cert: string
  /** Certificate and key in one file. */
  readonly pem: string
  readonly port: number
  readonly http1: number
  readonly http2: number
  readonly write: (name: string, text: string) => string
}

type Start = (place: Place) => readonly [program: string, ...args: ReadonlyArray<string>]

const SERVERS = {
  nghttpd: ({ folder, port, key, cert }) => [
    program("nghttpd", "nghttp2-server"),
    ..."-a 127.0.0.1 --echo-upload -m 50 -d".split(" "),
    folder,
    String(port),
    key,
    cert
  ],
  nginx: ({ folder, port, key, cert, write }) => {
    for (const name of ["body", "logs"]) mkdirSync(join(folder, name))
    const file = write(
      "nginx.conf",
      `daemon off; pid ${folder}/nginx.pid; error_log stderr crit; master_process off;
       events { worker_connections 64; }
       http {
         access_log off; client_body_temp_path ${folder}/body;
         proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
         uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
         server {
           listen 127.0.0.1:${port} ssl http2;
           ssl_certificate ${cert}; ssl_certificate_key ${key};
           http2_max_concurrent_streams 20; keepalive_requests 100;
           location /device/ { add_header x-path $uri; return 200 "path $uri agent $http_x_index"; }
           location /gone { return 410 "gone"; }
         }
       }`
    )
    return [program("nginx", "nginx-light"), "-c", file, "-p", folder]
  },
  apache: ({ folder, port, key, cert, http1, write }) => {
    const modules = "/usr/lib/apache2/modules"
    const apache = program("apache2", "apache2-bin")
    const file = write(
      "apache.conf",
      `ServerRoot ${folder}
       DefaultRuntimeDir ${folder}
       PidFile ${folder}/apache.pid
       ServerName localhost
       ErrorLog ${folder}/error.log
       LogLevel crit
       ${["mpm_event", "authz_core", "ssl", "http2", "proxy", "proxy_http"]
         .map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
         .join("\n")}
       ${process.getuid?.() === 0 ? "User www-data\nGroup www-data" : ""}
       StartServers 1
       Listen 127.0.0.1:${port}
       Protocols h2
       SSLEngine on
       SSLCertificateFile ${cert}
       SSLCertificateKeyFile ${key}
       ProxyPass / http://127.0.0.1:${http1}/`
    )
    return [apache, "-f", file, "-DFOREGROUND"]
  },
  h2o: ({ port, key, cert, http1, write }) => {
    const file = write(
      "h2o.conf",
      `listen:
  host: 127.0.0.1
  port: ${port}
  ssl:
    certificate-file: ${cert}
    key-file: ${key}
${process.getuid?.() === 0 ? "user: root" : ""}
num-threads: 1
hosts:
  default:
    paths:
      /:
        proxy.reverse.url: http://127.0.0.1:${http1}/
`
    )
    return [program("h2o", "h2o"), "-c", file]
  },
  caddy: ({ folder, port, key, cert, http1, write }) => {
    const file = write(
      "Caddyfile",
      `{
         admin off
         auto_https off
         storage file_system ${folder}
         log {
           level ERROR
         }
       }
       https://localhost:${port} {
         bind 127.0.0.1
         tls ${cert} ${key}
         reverse_proxy 127.0.0.1:${http1}
       }`
    )
    return [program("caddy", "caddy"), "run", "--config", file, "--adapter", "caddyfile"]
  },
  haproxy: ({ port, pem, http1, write }) => {
    const file = write(
      "haproxy.cfg",
      `defaults
         mode http
         timeout connect 10s
         timeout client 60s
         timeout server 60s
       frontend push
         bind 127.0.0.1:${port} ssl crt ${pem} alpn h2
         default_backend echo
       backend echo
         server node 127.0.0.1:${http1}
`
    )
    return [program("haproxy", "haproxy"), "-f", file]
  },
  lighttpd: ({ folder, port, key, cert, http1, write }) => {
    const lighttpd = program("lighttpd", "lighttpd")
    program("usr/lib/lighttpd/mod_openssl.so", "lighttpd-mod-openssl")
    const file = write(
      "lighttpd.conf",
      `server.modules = ("mod_openssl", "mod_proxy")
       server.document-root = "${folder}"
       server.bind = "127.0.0.1"
       server.port = ${port}
       server.upload-dirs = ("${folder}")
       ssl.engine = "enable"
       ssl.pemfile = "${cert}"
       ssl.privkey = "${key}"
       proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${http1})))`
    )
    return [lighttpd, "-D", "-f", file]
  },
  hitch: ({ port, pem, http2, write }) => {
    const file = write(
      "hitch.conf",
      `frontend = "[127.0.0.1]:${port}"
       backend = "[127.0.0.1]:${http2}"
       pem-file = "${pem}"
       alpn-protos = "h2"
       workers = 1
       daemon = off
       ${process.getuid?.() === 0 ? 'user = "nobody"' : ""}`
    )
    return [program("hitch", "hitch"), `--config=${file}`]
  }
} satisfies Record<string, Start>

export type ServerName = keyof typeof SERVERS

export interface OtherServer {
  readonly port: number
  readonly close: () => Promise<void>
}

/** Answers 410 to /gone, and to all else 200 with its path, index and body. */
const echo = (
  request: http.IncomingMessage | http2.Http2ServerRequest,
  response: http.ServerResponse | http2.Http2ServerResponse
) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const gone = request.url === "/gone"
    const body = gone ? Buffer.from("gone") : Buffer.concat(chunks)
    ;(response as http.ServerResponse)
      .writeHead(gone ? 410 : 200, {
        "x-path": request.url!,
        "x-index": String(request.headers["x-index"]),
        "content-length": body.length
      })
      .end(body)
  })
}

const open = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

export const startOtherServer = async (name: ServerName): Promise<OtherServer> => {
  const folder = mkdtempSync(join(tmpdir(), `heliograph-${name}-`))
  const write = (file: string, text: string): string => {
    writeFileSync(join(folder, file), text)
    return join(folder, file)
  }
  write("index.html", "hello")
  const backends = [http.createServer(echo), http2.createServer(echo)]
  const sessions = new Set<http2.ServerHttp2Session>()
  backends[1]!.on("session", (session: http2.ServerHttp2Session) => sessions.add(session.on("error", () => {})))
  const [http1, cleartext] = await Promise.all(backends.map((server) => open(server as Server)))
  const port = await Effect.runPromise(lastingPort)
  const [path, ...args] = SERVERS[name]({
    folder,
    key: write("key.pem", certificates.key),
    cert: write("cert.pem", certificates.cert),
    pem: write("both.pem", certificates.cert + certificates.key),
    port,
    http1: http1!,
    http2: cleartext!,
    write
  })
  const child = spawn(path, args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: folder } })
  await listening(port, child)
  return {
    port,
    close: async () => {
      const ended = once(child, "exit")
      if (child.exitCode === null && child.kill()) await ended
      for (const session of sessions) session.destroy()
      for (const server of backends) {
        if (server instanceof http.Server) server.closeAllConnections()
        server.close()
      }
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
