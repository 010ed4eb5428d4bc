import { Link, useLocation, useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { ask } from "../api/request.ts"
import { NewSecrets } from "../frame/NewApplication.tsx"
import { applications } from "../frame/operations.ts"
import { useId, useViewer } from "../frame/viewer.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Loading } from "../parts/page.tsx"
import { moment } from "../parts/time.ts"
import type { SignedIn } from "./CodeSignIn.tsx"
import { CodeSignIn } from "./CodeSignIn.tsx"
import { acceptInvitation, invitation } from "./operations.ts"

/** Opening the page does nothing: programs that look into mail open every link. The button accepts. */
export const AcceptInvitation = () => {
  const token = useId("token")
  const { href } = useLocation()
  const shown = useAsk(invitation, { token })
  const who = useViewer()
  const navigate = useNavigate()
  const [first, setFirst] = useState<SignedIn["first"]>(null)
  // On to what they were invited to: an application of their own, if they have one, is another.
  const goOn = async (organizationId: string): Promise<void> => {
    const found = await ask(applications, { organizationId }).catch(() => null)
    const one = found?.applications.nodes[0]
    await (one === undefined ? navigate({ to: "/" }) : navigate({ to: "/apps/$appId", params: { appId: one.id } }))
  }
  const accept = useDo(acceptInvitation, ({ acceptInvitation: { id } }) => void goOn(id))
  useEffect(() => {
    document.title = "Invitation · Heliograph"
  }, [])
  const offer = shown.data?.invitation
  const email = who.data?.me?.email
  const content = () => {
    if (shown.isPending) return <Loading />
    if (!offer) {
      return (
        <>
          <h1>This invitation is not open</h1>
          <p>
            It was accepted already, taken back, or is more than seven days old. Ask whoever invited you for a new one.
          </p>
          <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
          <Link to="/">To the dashboard</Link>
        </>
      )
    }
    return (
      <>
        <h1>Join {offer.organizationName}</h1>
        <p>
          {offer.inviterEmail} invited <strong>{offer.email}</strong> as {offer.role.toLowerCase()}. The invitation is
          good until {moment(offer.expiresAt)}.
        </p>
        {!who.isFetched && <Loading lines={2} />}
        {who.isFetched && email === undefined && (
          <CodeSignIn
            email={offer.email}
            isFixed
            onDone={({ first }) => {
              setFirst(first)
              void who.refetch()
            }}
          />
        )}
        {email !== undefined && email !== offer.email && (
          <div className="notice warning">
            <p>
              You are signed in as {email}. Sign in with {offer.email} to accept:{" "}
              <Link to="/sign-in" search={{ return_to: href }}>
                change the account
              </Link>
              .
            </p>
          </div>
        )}
        <ErrorNotice error={accept.error} />
        {email === offer.email && (
          <Button kind="primary" isBusy={accept.isPending} onClick={() => accept.mutate({ token })}>
            Join {offer.organizationName}
          </Button>
        )}
        {first && (
          <details>
            <summary>An application of your own was made as well: its keys</summary>
            <NewSecrets {...first} />
          </details>
        )}
      </>
    )
  }
  return <main className="alone">{content()}</main>
}
