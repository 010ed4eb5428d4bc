import { Link, Outlet } from "@tanstack/react-router"
import { Suspense } from "react"
import { useApp } from "../frame/viewer.ts"
import { Loading, Page } from "../parts/page.tsx"

const PARTS = [
  ["Application", "/apps/$appId/settings"],
  ["API keys", "/apps/$appId/settings/keys"],
  ["Credentials", "/apps/$appId/settings/credentials"],
  ["Team", "/apps/$appId/settings/team"],
  ["Audit log", "/apps/$appId/settings/audit"],
  ["Organization log", "/apps/$appId/settings/organization-log"]
] as const

export const Settings = () => {
  const { appId } = useApp()
  return (
    <Page title="Settings">
      <nav className="tabs" aria-label="Settings">
        <ul>
          {PARTS.map(([words, to]) => (
            <li key={to}>
              <Link to={to} params={{ appId }} activeOptions={{ exact: true, includeSearch: false }}>
                {words}
              </Link>
            </li>
          ))}
          <li>
            <Link to="/account">Security</Link>
          </li>
        </ul>
      </nav>
      <Suspense fallback={<Loading />}>
        <Outlet />
      </Suspense>
    </Page>
  )
}
