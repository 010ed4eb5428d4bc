import { Link, Outlet } from "@tanstack/react-router"
import { Suspense } from "react"
import { useOrganization } from "../frame/viewer.ts"
import { Loading, Page } from "../parts/page.tsx"

const PARTS = [
  ["Team", "/organizations/$organizationId"],
  ["Organization log", "/organizations/$organizationId/log"]
] as const

/** What an organization has beside its applications: those of one without any have no other way to it. */
export const Organization = () => {
  const { organization } = useOrganization()
  return (
    <Page title={organization.name} above={<Link to="/">To the applications</Link>}>
      <nav className="tabs" aria-label="Organization">
        <ul>
          {PARTS.map(([words, to]) => (
            <li key={to}>
              <Link
                to={to}
                params={{ organizationId: organization.id }}
                activeOptions={{ exact: true, includeSearch: false }}
              >
                {words}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Suspense fallback={<Loading />}>
        <Outlet />
      </Suspense>
    </Page>
  )
}
