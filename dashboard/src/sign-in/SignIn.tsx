import { useQueryClient } from "@tanstack/react-query"
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { useAsk } from "../api/hooks.ts"
import { Button } from "../parts/form.tsx"
import { NewSecrets } from "../frame/NewApplication.tsx"
import type { SignedIn } from "./CodeSignIn.tsx"
import { CodeSignIn } from "./CodeSignIn.tsx"
import { signInOptions } from "./operations.ts"
import { OUTCOMES, providerName } from "./outcomes.ts"

/** A place in this service, or its front: whatever else the address names leads nowhere. */
const placeOf = (text: string | undefined): string => {
  if (!text?.startsWith("/") || /[\\\s]|^\/\//.test(text)) return "/"
  return new URL(text, location.origin).origin === location.origin ? text : "/"
}

export const SignIn = () => {
  const { external_sign_in, provider, return_to } = useSearch({ strict: false }) as Readonly<
    Record<string, string | undefined>
  >
  const options = useAsk(signInOptions, {})
  const [first, setFirst] = useState<NonNullable<SignedIn["first"]> | null>(null)
  const router = useRouter()
  const navigate = useNavigate()
  const client = useQueryClient()
  useEffect(() => {
    document.title = "Sign in · Heliograph"
  }, [])
  const place = placeOf(return_to)
  const done = ({ first }: SignedIn): void => {
    // Whoever was signed in before left nothing behind.
    client.clear()
    if (first) setFirst(first)
    else router.history.push(place)
  }
  if (first !== null) {
    return (
      <main className="alone wide">
        <h1>Welcome to Heliograph</h1>
        <p>An application was made for you. These are its keys.</p>
        <NewSecrets {...first} />
        <Button kind="primary" onClick={() => void navigate({ to: "/apps/$appId", params: { appId: first.appId } })}>
          I have them, go on
        </Button>
      </main>
    )
  }
  const outcome = Object.hasOwn(OUTCOMES, external_sign_in ?? "") ? OUTCOMES[external_sign_in!]! : null
  const pending = options.data?.signInOptions.pending ?? null
  const { providers = [], registration } = options.data?.signInOptions ?? {}
  return (
    <main className="alone">
      <h1>Sign in to Heliograph</h1>
      {outcome && (
        <div
          className={`notice ${external_sign_in === "code" || external_sign_in === "bound" ? "info" : "warning"}`}
          role="status"
        >
          <p>
            <strong>{outcome[0]}.</strong> {outcome[1](providerName(provider))}
          </p>
        </div>
      )}
      {registration === "INVITE" && (
        <div className="notice info">
          <p>New accounts are made by invitation alone. Sign in with an address that has an account, or was invited.</p>
        </div>
      )}
      {!options.isPending && (
        <CodeSignIn
          key={pending?.email}
          {...(pending ? { email: pending.email } : {})}
          {...(pending && external_sign_in === "code" ? { asksFor: `${provider} ${pending.email}` } : {})}
          onDone={done}
        />
      )}
      {providers.length > 0 && (
        <div className="providers">
          <p className="or">or</p>
          {providers.map((one) => (
            <a
              key={one}
              className="button plain"
              href={`/api/auth/oauth/${one.toLowerCase()}/start?return_to=${encodeURIComponent(place)}`}
            >
              Go on with {providerName(one)}
            </a>
          ))}
        </div>
      )}
      <p className="small muted">
        No mail? Those who run this service make a code where it runs:{" "}
        <code>npm run cli -- user login-code --email you@example.com</code>
      </p>
    </main>
  )
}
