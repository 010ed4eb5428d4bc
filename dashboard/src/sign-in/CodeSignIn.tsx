import { useEffect, useEffectEvent, useRef, useState } from "react"
import { useDo } from "../api/hooks.ts"
import { belongTo } from "../frame/leave.ts"
import { Button, ErrorNotice, Form, TextField } from "../parts/form.tsx"
import type { VerifyCodeMutation } from "./operations.ts"
import { requestCode, verifyCode } from "./operations.ts"

export type SignedIn = VerifyCodeMutation["verifyLoginCode"]

/** That a code was sent for by the page itself: a reload of it asks for no other. */
const ASKED = "code asked for"

/** Address, then code: pasting the six digits is enough. */
export const CodeSignIn = ({
  asksFor,
  email: known = "",
  isFixed = false,
  onDone
}: {
  readonly email?: string
  /** The code is sent for at once, once for each of these. */
  readonly asksFor?: string
  /** The address is given, and cannot be another. */
  readonly isFixed?: boolean
  readonly onDone: (signedIn: SignedIn) => void
}) => {
  const [email, setEmail] = useState(known)
  const [code, setCode] = useState("")
  const [isSent, setSent] = useState(false)
  const digits = useRef<HTMLInputElement>(null)
  const request = useDo(requestCode, () => {
    setSent(true)
    setCode("")
  })
  const verify = useDo(verifyCode, ({ verifyLoginCode }) => {
    belongTo(verifyLoginCode.account.id)
    onDone(verifyLoginCode)
  })
  const askAtOnce = useEffectEvent((reason: string) => {
    if (sessionStorage.getItem(ASKED) === reason) return setSent(true)
    sessionStorage.setItem(ASKED, reason)
    request.mutate({ email })
  })
  useEffect(() => {
    if (asksFor !== undefined) askAtOnce(asksFor)
  }, [asksFor])
  if (!isSent) {
    return (
      <Form error={request.error} onSubmit={() => request.mutate({ email })}>
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete="email"
          value={email}
          readOnly={isFixed}
          onChange={setEmail}
          required
          autoFocus
        />
        <ErrorNotice error={request.error} />
        <Button type="submit" kind="primary" isBusy={request.isPending}>
          Send me a code
        </Button>
        <Button kind="quiet" onClick={() => setSent(true)}>
          I have a code already
        </Button>
      </Form>
    )
  }
  const enter = (code: string): void => {
    if (/^\d{6}$/.test(code) && !verify.isPending) verify.mutate({ email, code })
  }
  return (
    <Form error={verify.error} onSubmit={() => enter(code)}>
      <p>
        A code of six digits is on its way to <strong>{email}</strong>. It is good for ten minutes.
      </p>
      <TextField
        ref={digits}
        label="Code"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        className="code-field"
        value={code}
        maxLength={12}
        autoFocus
        onChange={(text) => {
          const found = text.replace(/\D/g, "").slice(0, 6)
          setCode(found)
          enter(found)
        }}
      />
      <ErrorNotice error={verify.error} />
      <Button type="submit" kind="primary" isBusy={verify.isPending}>
        Sign in
      </Button>
      <Button
        kind="quiet"
        onClick={() => {
          verify.reset()
          setSent(false)
        }}
      >
        Send another code{isFixed ? "" : ", or change the address"}
      </Button>
    </Form>
  )
}
