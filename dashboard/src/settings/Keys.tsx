import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, Choice, ErrorNotice, Form, TextField } from "../parts/form.tsx"
import { Card, Chip, Confirm, Dialog, Empty, GoBack, Loading, Secret, TableFrame, When } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import type { ApiKeysQuery } from "./operations.ts"
import { apiKeys, createApiKey, revokeApiKey } from "./operations.ts"

type Key = ApiKeysQuery["apiKeys"]["nodes"][number]

const NewKey = ({ appId, onClose }: { readonly appId: string; readonly onClose: () => void }) => {
  const [name, setName] = useState("")
  const [kind, setKind] = useState<Key["kind"]>("SECRET")
  const [key, setKey] = useState<string | null>(null)
  const create = useDo(createApiKey, ({ createApiKey: { key } }) => setKey(key))
  if (key !== null) {
    return (
      <Dialog title={`The ${kind.toLowerCase()} key ${name}`}>
        <div className="notice warning">
          <p>Copy it now: it is shown this once. Only a hash of it is kept.</p>
        </div>
        <Secret label={name} value={key} />
        <div className="dialog-actions">
          <Button kind="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title="New API key" onClose={onClose}>
      <Form error={create.error} onSubmit={() => create.mutate({ appId, input: { kind, name } })}>
        <Choice
          label="Kind"
          value={kind}
          onChange={setKind}
          options={[
            ["SECRET", "Secret, for servers"],
            ["PUBLIC", "Public, for browsers and apps"]
          ]}
        />
        <TextField label="Name" name="name" value={name} onChange={setName} placeholder="Where it is used" autoFocus />
        <ErrorNotice error={create.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={create.isPending}>
            Make the key
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

export const Keys = () => {
  const { appId, may } = useApp()
  const shown = useAsk(apiKeys, { appId, first: 100 })
  const [isNew, setNew] = useState(false)
  const [revoked, setRevoked] = useState<Key | null>(null)
  const revoke = useDo(revokeApiKey, () => {
    setRevoked(null)
    toast("Revoked: it is refused everywhere from now on")
  })
  const canChange = may("CHANGE_API_KEYS")
  const rows = shown.data?.apiKeys.nodes ?? []
  return (
    <Card
      title="API keys"
      actions={
        canChange && (
          <Button kind="primary" onClick={() => setNew(true)}>
            New key…
          </Button>
        )
      }
    >
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {shown.data === undefined && !shown.error && <Loading />}
      {shown.data && rows.length === 0 && <Empty title="No key yet." />}
      {rows.length > 0 && (
        <TableFrame label="API keys">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Kind</th>
              <th scope="col">Begins with</th>
              <th scope="col">Made</th>
              <th scope="col">Last used</th>
              {canChange && (
                <th scope="col">
                  <span className="unseen">Revoke</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((key) => (
              <tr key={key.id}>
                <th scope="row">{key.name}</th>
                <td>
                  <Chip tone={key.kind === "SECRET" ? "busy" : "still"}>
                    {key.kind === "SECRET" ? "Secret" : "Public"}
                  </Chip>
                </td>
                <td>
                  <code>{key.prefix}…</code>
                </td>
                <td>
                  <When at={key.createdAt} />
                </td>
                <td>{key.lastUsedAt === null ? "Never" : <When at={key.lastUsedAt} />}</td>
                {canChange && (
                  <td className="number">
                    <Button kind="quiet" onClick={() => setRevoked(key)}>
                      Revoke…<span className="unseen"> {key.name}</span>
                    </Button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
      {isNew && <NewKey appId={appId} onClose={() => setNew(false)} />}
      {revoked !== null && (
        <Confirm
          title={`Revoke ${revoked.name}?`}
          words="Revoke it"
          isBusy={revoke.isPending}
          error={<ErrorNotice error={revoke.error} />}
          onClose={() => setRevoked(null)}
          onConfirm={() => revoke.mutate({ id: revoked.id })}
        >
          <p>Whatever still uses it is answered 401 within a second. It cannot be brought back.</p>
        </Confirm>
      )}
    </Card>
  )
}
