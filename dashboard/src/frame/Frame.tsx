import { useQueryClient } from "@tanstack/react-query"
import { Link, Outlet, useLocation, useNavigate, useParams } from "@tanstack/react-router"
import { Suspense, useEffect, useMemo, useRef, useState } from "react"
import { useDo } from "../api/hooks.ts"
import { Refusal } from "../api/request.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Menu } from "../parts/menu.tsx"
import { Empty, Loading, Page } from "../parts/page.tsx"
import { Toasts } from "../parts/toasts.tsx"
import { ConnectionBanner, SessionDialog } from "./Interruptions.tsx"
import { NewApplication } from "./NewApplication.tsx"
import { isUnderWay } from "../imports/kept.ts"
import { belongTo, leave, leaveTogether } from "./leave.ts"
import { logout } from "./operations.ts"
import { useTheme } from "./theme.ts"
import type { CurrentApplication } from "./viewer.ts"
import { Current, lookAgain, useApplications, useNamedOrganization, useViewer } from "./viewer.ts"

const SECTIONS = [
  ["Home", "/apps/$appId"],
  ["Notifications", "/apps/$appId/notifications"],
  ["Contacts", "/apps/$appId/contacts"],
  ["Devices", "/apps/$appId/devices"],
  ["Segments", "/apps/$appId/segments"],
  ["Import, export", "/apps/$appId/imports"],
  ["Templates", "/apps/$appId/templates"],
  ["Workflows", "/apps/$appId/workflows"],
  ["Webhooks", "/apps/$appId/webhooks"],
  ["Dead letters", "/apps/$appId/dead-letters"],
  ["Settings", "/apps/$appId/settings"]
] as const

const LAST = "last application"

const Mark = () => (
  <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
    <circle cx="16" cy="16" r="6" />
    <path d="M16 3v5M16 24v5M3 16h5M24 16h5M7 7l3.4 3.4M21.6 21.6 25 25M7 25l3.4-3.4M21.6 10.4 25 7" />
  </svg>
)

const ThemeChoice = () => {
  const [theme, choose] = useTheme()
  const next = { system: "light", light: "dark", dark: "system" } as const
  const words = { system: "as the system has it", light: "light", dark: "dark" }
  return (
    <button type="button" onClick={() => choose(next[theme])}>
      Colours: {words[theme]}
    </button>
  )
}

type Groups = ReturnType<typeof useApplications>["groups"]

const Switcher = ({
  current,
  groups,
  onNew
}: {
  readonly groups: Groups
  readonly current: CurrentApplication | null
  readonly onNew: () => void
}) => (
  <Menu
    className="switcher"
    label="Application"
    button={
      <>
        <span className="switcher-name">{current?.application.name ?? "Choose an application"}</span>
        <span className="switcher-organization">{current?.organization.name ?? " "}</span>
      </>
    }
  >
    {groups.map(({ applications, organization }) => (
      <div key={organization.id} role="group" aria-label={organization.name}>
        <p className="menu-head">{organization.name}</p>
        {applications.map(({ id, name }) => (
          <Link
            key={id}
            to="/apps/$appId"
            params={{ appId: id }}
            aria-current={id === current?.application.id || undefined}
          >
            {name}
          </Link>
        ))}
        {applications.length === 0 && (
          <Link to="/organizations/$organizationId" params={{ organizationId: organization.id }}>
            Team and log
          </Link>
        )}
      </div>
    ))}
    {groups.some(({ organization }) => organization.may.includes("CREATE_APPLICATION")) && (
      <button type="button" onClick={onNew}>
        New application…
      </button>
    )}
  </Menu>
)

const Side = ({
  current,
  groups,
  email
}: {
  readonly groups: Groups
  readonly current: CurrentApplication | null
  readonly email: string
}) => {
  const [isOpen, setOpen] = useState(false)
  const [isNew, setNew] = useState(false)
  const client = useQueryClient()
  const { pathname } = useLocation()
  useEffect(() => setOpen(false), [pathname])
  const leaving = useDo(logout, () => leave(client))
  return (
    <header className="side" data-open={isOpen || undefined}>
      <div className="side-top">
        <Link to="/" className="brand">
          <Mark /> Heliograph
        </Link>
        <Button className="side-toggle" kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Menu
        </Button>
      </div>
      <div className="side-body">
        <Switcher groups={groups} current={current} onNew={() => setNew(true)} />
        {current && (
          <nav aria-label="Sections">
            <ul>
              {SECTIONS.map(([words, to]) => (
                <li key={to}>
                  <Link
                    to={to}
                    params={{ appId: current.application.id }}
                    activeOptions={{ exact: words === "Home", includeSearch: false }}
                  >
                    {words}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <div className="side-end">
          <Menu className="account-menu" label="Account" button={<span className="account-name">{email}</span>}>
            <Link to="/account">Account and security</Link>
            <ThemeChoice />
            <a href="/docs">API documentation</a>
            <button type="button" onClick={() => leaving.mutate({})}>
              Sign out
            </button>
          </Menu>
          <ErrorNotice error={leaving.error} />
        </div>
      </div>
      {isNew && <NewApplication groups={groups} onClose={() => setNew(false)} />}
    </header>
  )
}

const Nothing = ({ groups }: { readonly groups: Groups }) => {
  const [isNew, setNew] = useState(false)
  const canMake = groups.some(({ organization }) => organization.may.includes("CREATE_APPLICATION"))
  return (
    <Page title="No application yet">
      <Empty
        title={
          canMake || groups.length === 0
            ? "An application holds keys, devices, contacts and what is sent to them."
            : "Ask an admin of your organization to make one."
        }
      >
        {canMake && (
          <Button kind="primary" onClick={() => setNew(true)}>
            New application
          </Button>
        )}
        {groups.length === 0 && (
          <p>You belong to no organization. An owner of one can invite you, by the address that you signed in with.</p>
        )}
        {groups.map(({ organization: { id, name } }) => (
          <Link key={id} to="/organizations/$organizationId" params={{ organizationId: id }}>
            Team and log of {name}
          </Link>
        ))}
        <Link to="/account">Account and security</Link>
      </Empty>
      {isNew && <NewApplication groups={groups} onClose={() => setNew(false)} />}
    </Page>
  )
}

const Gone = ({ title }: { readonly title: string }) => (
  <Page title={title}>
    <Empty title="It was removed, or it belongs to an organization that you are not in.">
      <Link to="/" className="button plain">
        To your applications
      </Link>
    </Empty>
  </Page>
)

/** From the front to an application. */
const Onward = ({ appId }: { readonly appId: string }) => {
  const navigate = useNavigate()
  useEffect(() => void navigate({ to: "/apps/$appId", params: { appId }, replace: true }), [appId, navigate])
  return <Loading />
}

/** Everything around a page: who is signed in, which application it is about, and what interrupts it. */
export const Frame = () => {
  const who = useViewer()
  const { href, pathname } = useLocation()
  const { appId, organizationId } = useParams({ strict: false }) as {
    readonly appId?: string
    readonly organizationId?: string
  }
  const named = useNamedOrganization()
  const { error, groups, isPending } = useApplications(who.data?.organizations ?? [])
  const found = groups.flatMap(({ applications, organization }) =>
    applications.map((application) => ({ application, organization }))
  )
  const current = found.find(({ application }) => application.id === appId) ?? null
  useEffect(() => {
    if (current !== null) localStorage.setItem(LAST, current.application.id)
  }, [current])

  const accountId = who.data?.me?.id
  // Pages below read their drafts as they are first drawn.
  useMemo(() => accountId !== undefined && belongTo(accountId), [accountId])
  useEffect(() => {
    if (accountId !== undefined && isUnderWay()) void import("../imports/runner.ts").then(({ run }) => run(accountId))
  }, [accountId])

  const client = useQueryClient()
  useEffect(() => leaveTogether(client, () => void lookAgain(client)), [client])

  const isStranger = who.data === undefined && who.error instanceof Refusal && who.error.code === "unauthorized"
  const navigate = useNavigate()
  // Once: the address changes before the page there is loaded, while this one still shows.
  const wanted = useRef(href)
  useEffect(() => {
    const place = wanted.current
    if (isStranger)
      void navigate({ to: "/sign-in", search: (place === "/" ? {} : { return_to: place }) as never, replace: true })
  }, [isStranger, navigate])

  if (who.data === undefined) {
    return (
      <main className="alone">
        {who.error && !isStranger ? <ErrorNotice error={who.error} onRetry={() => void who.refetch()} /> : <Loading />}
      </main>
    )
  }
  // A page of no application, as that of the account, keeps the way back to the last one.
  const last = found.find(({ application }) => application.id === localStorage.getItem(LAST)) ?? found[0] ?? null
  const shown = appId === undefined ? last : current
  if (pathname === "/" && !isPending && last !== null) return <Onward appId={last.application.id} />
  const content = () => {
    if (organizationId !== undefined && named === undefined) return <Gone title="No such organization" />
    if (appId === undefined && pathname !== "/") return <Outlet />
    if (isPending) return <Loading />
    if (current !== null) return <Outlet />
    if (error) return <ErrorNotice error={error} />
    if (appId === undefined) return <Nothing groups={groups} />
    return <Gone title="No such application" />
  }
  return (
    <Current value={current}>
      <a href="#content" className="skip">
        Skip to the content
      </a>
      <div className="frame">
        <Side groups={groups} current={shown} email={who.data.me?.email ?? ""} />
        <main id="content" key={appId ?? organizationId}>
          <ConnectionBanner />
          <Suspense fallback={<Loading />}>{content()}</Suspense>
        </main>
      </div>
      <SessionDialog email={who.data.me?.email ?? ""} />
      <Toasts />
    </Current>
  )
}
