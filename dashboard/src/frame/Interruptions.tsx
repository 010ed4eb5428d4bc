import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { onOutcome, tell } from "../api/request.ts"
import { Dialog } from "../parts/page.tsx"
import { CodeSignIn } from "../sign-in/CodeSignIn.tsx"

const AGAIN_MS = 3_000

/** Says that there is no connection, since when, and asks again until there is one. */
export const ConnectionBanner = () => {
  const [lostAt, setLostAt] = useState<Date | null>(null)
  const client = useQueryClient()
  useEffect(
    () => onOutcome((outcome) => setLostAt((before) => (outcome === "unreachable" ? (before ?? new Date()) : null))),
    []
  )
  useEffect(() => {
    if (lostAt === null) return
    // What is under way is left to come: on a slow network nothing would, if it were begun anew each time.
    const again = () => void client.refetchQueries({ type: "active" }, { cancelRefetch: false })
    const timer = setInterval(again, AGAIN_MS)
    return () => clearInterval(timer)
  }, [lostAt, client])
  return lostAt === null ? null : (
    <div className="notice warning banner" role="status">
      <p>
        <strong>No connection to the service since {lostAt.toLocaleTimeString("en-GB")}.</strong> What you see is from
        before; what you typed is kept. Trying again…
      </p>
    </div>
  )
}

/** A session that ended while a page was open is begun again above it: nothing on the page is lost. */
export const SessionDialog = ({ email }: { readonly email: string }) => {
  const [isEnded, setEnded] = useState(false)
  const client = useQueryClient()
  useEffect(
    () =>
      onOutcome((outcome) => {
        if (outcome === "session_ended") setEnded(true)
      }),
    []
  )
  if (!isEnded) return null
  return (
    <Dialog title="Your session has ended" isKept>
      <p>Sign in again to go on where you are. Nothing on this page is lost.</p>
      <CodeSignIn
        email={email}
        isFixed
        onDone={() => {
          setEnded(false)
          tell("signed_in")
          void client.invalidateQueries()
        }}
      />
      <p className="small">
        <a href="/sign-in">Sign in as somebody else</a>, which leaves this page.
      </p>
    </Dialog>
  )
}
