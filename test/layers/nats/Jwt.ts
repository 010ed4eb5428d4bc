import { nkeys } from "@nats-io/transport-node"

/* The JWTs of a NATS server in operator mode, as `nsc` would make them: just enough for one user. */

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

type KeyPair = ReturnType<typeof nkeys.createUser>

const sign = (issuer: KeyPair, subject: string, name: string, nats: object): string => {
  const head = encode({ typ: "JWT", alg: "ed25519-nkey" })
  const claims = {
    jti: subject,
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    sub: subject,
    name,
    nats
  }
  const text = `${head}.${encode(claims)}`
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString("base64url")}`
}

const seedOf = (pair: KeyPair): string => Buffer.from(pair.getSeed()).toString()

/** What a server's configuration needs to know an operator with one account, and the credentials of a user of it. */
export const makeOperator = () => {
  const [operator, system, account] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()]
  const unlimited = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
  const jetstream = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
  const accountOf = (pair: KeyPair, name: string, limits: object) =>
    sign(operator, pair.getPublicKey(), name, { type: "account", version: 2, limits })
  const operatorJwt = sign(operator, operator.getPublicKey(), "operator", {
    type: "operator",
    version: 2,
    system_account: system.getPublicKey()
  })
  const config = `
operator: ${operatorJwt}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: {
  ${system.getPublicKey()}: ${accountOf(system, "SYS", unlimited)}
  ${account.getPublicKey()}: ${accountOf(account, "heliograph", { ...unlimited, ...jetstream })}
}`
  const user = (issuer: KeyPair) => {
    const pair = nkeys.createUser()
    const jwt = sign(issuer, pair.getPublicKey(), "heliograph", {
      type: "user",
      version: 2,
      pub: {},
      sub: {},
      subs: -1,
      data: -1,
      payload: -1
    })
    return `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seedOf(pair)}\n------END USER NKEY SEED------\n`
  }
  return { config, creds: user(account), strangersCreds: user(nkeys.createAccount()) }
}

export const makeNkey = () => {
  const pair = nkeys.createUser()
  return { seed: seedOf(pair), publicKey: pair.getPublicKey() }
}
