import type { ErrorComponentProps } from "@tanstack/react-router"
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Link, Outlet } from "@tanstack/react-router"
import { Refusal } from "./api/request.ts"
import { dropDrafts } from "./frame/leave.ts"
import { Button, ErrorNotice } from "./parts/form.tsx"
import { Empty, Loading, Page } from "./parts/page.tsx"
import { Frame } from "./frame/Frame.tsx"

/*
 * The addresses of the pages. Each page is a file of its own, loaded when it is first shown. The service knows the same
 * addresses (src/http/endpoints/Dashboard.ts): one that is missing there cannot be reloaded.
 */

const Lost = () => (
  <Page title="There is no such page">
    <Empty title="The address is wrong, or the page has moved.">
      <Link to="/" className="button plain">
        To the dashboard
      </Link>
    </Empty>
  </Page>
)

const Failed = ({ error, reset }: ErrorComponentProps) => (
  <Page title="This page did not load">
    <ErrorNotice error={error} onRetry={reset} />
    {!(error instanceof Refusal) && (
      <Empty title="If it stays so, what was typed and not sent may be in its way.">
        <Button onClick={dropDrafts}>Drop what was typed in this tab</Button>
      </Empty>
    )}
  </Page>
)

/** Texts of the address: filters, cursors, what a redirect says. */
const texts = (search: Readonly<Record<string, unknown>>): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)])
  )

const root = createRootRoute({ component: Outlet, notFoundComponent: Lost, validateSearch: texts })

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: lazyRouteComponent(() => import("./sign-in/SignIn.tsx"), "SignIn")
})
const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitations/$token",
  component: lazyRouteComponent(() => import("./sign-in/AcceptInvitation.tsx"), "AcceptInvitation")
})

const frame = createRoute({ getParentRoute: () => root, id: "frame", component: Frame })
const front = createRoute({ getParentRoute: () => frame, path: "/", component: Loading })
const account = createRoute({
  getParentRoute: () => frame,
  path: "/account",
  component: lazyRouteComponent(() => import("./account/Account.tsx"), "Account")
})

const app = createRoute({ getParentRoute: () => frame, path: "/apps/$appId" })
const home = createRoute({
  getParentRoute: () => app,
  path: "/",
  component: lazyRouteComponent(() => import("./home/Home.tsx"), "Home")
})
const notifications = createRoute({
  getParentRoute: () => app,
  path: "/notifications",
  component: lazyRouteComponent(() => import("./notifications/List.tsx"), "List")
})
const notification = createRoute({
  getParentRoute: () => app,
  path: "/notifications/$id",
  component: lazyRouteComponent(() => import("./notifications/One.tsx"), "One")
})
const compose = createRoute({
  getParentRoute: () => app,
  path: "/compose",
  component: lazyRouteComponent(() => import("./compose/Compose.tsx"), "Compose")
})
const webhooks = createRoute({
  getParentRoute: () => app,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("./webhooks/List.tsx"), "List")
})
const webhook = createRoute({
  getParentRoute: () => app,
  path: "/webhooks/$id",
  component: lazyRouteComponent(() => import("./webhooks/One.tsx"), "One")
})
const letters = createRoute({
  getParentRoute: () => app,
  path: "/dead-letters",
  component: lazyRouteComponent(() => import("./letters/List.tsx"), "List")
})

const templates = createRoute({
  getParentRoute: () => app,
  path: "/templates",
  component: lazyRouteComponent(() => import("./templates/List.tsx"), "List")
})
const template = createRoute({
  getParentRoute: () => app,
  path: "/templates/$id",
  component: lazyRouteComponent(() => import("./templates/One.tsx"), "One")
})

const workflows = createRoute({
  getParentRoute: () => app,
  path: "/workflows",
  component: lazyRouteComponent(() => import("./workflows/List.tsx"), "List")
})
const workflow = createRoute({
  getParentRoute: () => app,
  path: "/workflows/$id",
  component: lazyRouteComponent(() => import("./workflows/One.tsx"), "One")
})
const workflowVersions = createRoute({
  getParentRoute: () => app,
  path: "/workflows/$id/versions",
  component: lazyRouteComponent(() => import("./workflows/Versions.tsx"), "Versions")
})
const workflowRun = createRoute({
  getParentRoute: () => app,
  path: "/workflows/$id/runs/$run",
  component: lazyRouteComponent(() => import("./workflows/Run.tsx"), "Run")
})

const contacts = createRoute({
  getParentRoute: () => app,
  path: "/contacts",
  component: lazyRouteComponent(() => import("./contacts/List.tsx"), "List")
})
const contact = createRoute({
  getParentRoute: () => app,
  path: "/contacts/$id",
  component: lazyRouteComponent(() => import("./contacts/One.tsx"), "One")
})

const devices = createRoute({
  getParentRoute: () => app,
  path: "/devices",
  component: lazyRouteComponent(() => import("./devices/List.tsx"), "List")
})
const device = createRoute({
  getParentRoute: () => app,
  path: "/devices/$id",
  component: lazyRouteComponent(() => import("./devices/One.tsx"), "One")
})

const segments = createRoute({
  getParentRoute: () => app,
  path: "/segments",
  component: lazyRouteComponent(() => import("./segments/List.tsx"), "List")
})
const segment = createRoute({
  getParentRoute: () => app,
  path: "/segments/$id",
  component: lazyRouteComponent(() => import("./segments/One.tsx"), "One")
})

const imports = createRoute({
  getParentRoute: () => app,
  path: "/imports",
  component: lazyRouteComponent(() => import("./imports/Imports.tsx"), "Imports")
})

const settings = createRoute({
  getParentRoute: () => app,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings/Settings.tsx"), "Settings")
})
const general = createRoute({
  getParentRoute: () => settings,
  path: "/",
  component: lazyRouteComponent(() => import("./settings/General.tsx"), "General")
})
const keys = createRoute({
  getParentRoute: () => settings,
  path: "/keys",
  component: lazyRouteComponent(() => import("./settings/Keys.tsx"), "Keys")
})
const credentials = createRoute({
  getParentRoute: () => settings,
  path: "/credentials",
  component: lazyRouteComponent(() => import("./settings/Credentials.tsx"), "Credentials")
})
const team = createRoute({
  getParentRoute: () => settings,
  path: "/team",
  component: lazyRouteComponent(() => import("./settings/Team.tsx"), "Team")
})
const audit = createRoute({
  getParentRoute: () => settings,
  path: "/audit",
  component: lazyRouteComponent(() => import("./settings/Audit.tsx"), "Audit")
})
const organizationLog = createRoute({
  getParentRoute: () => settings,
  path: "/organization-log",
  component: lazyRouteComponent(() => import("./settings/OrganizationLog.tsx"), "OrganizationLog")
})

const organization = createRoute({
  getParentRoute: () => frame,
  path: "/organizations/$organizationId",
  component: lazyRouteComponent(() => import("./settings/Organization.tsx"), "Organization")
})
const itsTeam = createRoute({
  getParentRoute: () => organization,
  path: "/",
  component: lazyRouteComponent(() => import("./settings/Team.tsx"), "Team")
})
const itsLog = createRoute({
  getParentRoute: () => organization,
  path: "/log",
  component: lazyRouteComponent(() => import("./settings/OrganizationLog.tsx"), "OrganizationLog")
})

export const makeRouter = () =>
  createRouter({
    routeTree: root.addChildren([
      signIn,
      invitation,
      frame.addChildren([
        front,
        account,
        organization.addChildren([itsTeam, itsLog]),
        app.addChildren([
          home,
          notifications,
          notification,
          templates,
          template,
          workflows,
          workflow,
          workflowVersions,
          workflowRun,
          compose,
          webhooks,
          webhook,
          contacts,
          contact,
          devices,
          device,
          segments,
          segment,
          imports,
          letters,
          settings.addChildren([general, keys, credentials, team, audit, organizationLog])
        ])
      ])
    ]),
    // Cursors and filters as they are written, not as JSON.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "")
      const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
      return text === "" ? "" : `?${text}`
    },
    defaultPreload: "intent",
    defaultPendingComponent: Loading,
    defaultErrorComponent: Failed,
    scrollRestoration: true
  })
