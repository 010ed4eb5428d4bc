import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useDo } from "../api/hooks.ts"
import { Button, ErrorNotice, Form, SelectField, TextField } from "../parts/form.tsx"
import { Dialog, GoBack, Secret } from "../parts/page.tsx"
import type { CreateApplicationMutation } from "./operations.ts"
import { createApplication } from "./operations.ts"
import type { useApplications } from "./viewer.ts"

type Made = CreateApplicationMutation["createApplication"]

/** The three secrets of a new application, shown this once. */
export const NewSecrets = ({
  secretKey,
  publicKey,
  identitySecret
}: Pick<Made, "secretKey" | "publicKey" | "identitySecret">) => (
  <>
    <div className="notice warning">
      <p>
        <strong>Copy the secret key and the identity secret now.</strong> They are shown this once; afterwards there are
        only new ones.
      </p>
    </div>
    <Secret label="Secret key, for your servers" value={secretKey} />
    <Secret label="Public key, for browsers and apps" value={publicKey} />
    <Secret label="Identity secret, for your servers" value={identitySecret} />
  </>
)

export const NewApplication = ({
  groups,
  onClose
}: {
  readonly groups: ReturnType<typeof useApplications>["groups"]
  readonly onClose: () => void
}) => {
  const possible = groups.filter(({ organization }) => organization.may.includes("CREATE_APPLICATION"))
  const [name, setName] = useState("")
  const [organizationId, setOrganization] = useState(possible[0]?.organization.id ?? "")
  const [made, setMade] = useState<Made | null>(null)
  const navigate = useNavigate()
  const create = useDo(createApplication, ({ createApplication }) => setMade(createApplication))
  if (made !== null) {
    return (
      <Dialog title={`${made.application.name} is there`}>
        <NewSecrets {...made} />
        <div className="dialog-actions">
          <Button
            kind="primary"
            onClick={() => {
              onClose()
              void navigate({ to: "/apps/$appId", params: { appId: made.application.id } })
            }}
          >
            I have them
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title="New application" onClose={onClose}>
      <Form error={create.error} onSubmit={() => create.mutate({ organizationId, name })}>
        <TextField label="Name" name="name" value={name} onChange={setName} required autoFocus />
        {possible.length > 1 && (
          <SelectField
            label="Organization"
            value={organizationId}
            onChange={setOrganization}
            options={possible.map(({ organization }) => [organization.id, organization.name] as const)}
          />
        )}
        <ErrorNotice error={create.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={create.isPending}>
            Make it
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
