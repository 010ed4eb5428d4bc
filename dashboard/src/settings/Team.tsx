import { useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import type { Role } from "../frame/operations.ts"
import { useLeaveHere, useOrganization, useViewer } from "../frame/viewer.ts"
import { Button, ErrorNotice, Form, SelectField, TextField, useDraft } from "../parts/form.tsx"
import { Card, Confirm, Loading, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { toast } from "../parts/toasts.tsx"
import type { TeamQuery } from "./operations.ts"
import {
  changeRole,
  deleteOrganization,
  invite,
  leaveOrganization,
  removeMember,
  renameOrganization,
  revokeInvitation,
  team,
  transferOwnership
} from "./operations.ts"

type Member = TeamQuery["members"]["nodes"][number]

const ROLES: ReadonlyArray<readonly [Role, string]> = [
  ["VIEWER", "Viewer: reads everything"],
  ["MEMBER", "Member: daily work"],
  ["ADMIN", "Admin: also keys, credentials, webhooks"],
  ["OWNER", "Owner: everything"]
]
const roleName = (role: string): string => role.charAt(0) + role.slice(1).toLowerCase()

const Invite = ({ organizationId }: { readonly organizationId: string }) => {
  const { change, forget, value } = useDraft<{ email: string; role: Role }>(`invite ${organizationId}`, {
    email: "",
    role: "MEMBER"
  })
  const inviting = useDo(
    invite,
    ({ inviteMember: { email } }) => {
      forget()
      toast(`The invitation to ${email} is on its way`)
    },
    { once: true }
  )
  return (
    <Form className="inline" error={inviting.error} onSubmit={() => inviting.mutate({ organizationId, ...value })}>
      <TextField
        label="Invite by e-mail"
        name="email"
        type="email"
        value={value.email}
        onChange={(email) => change({ email })}
      />
      <SelectField label="As" name="role" value={value.role} onChange={(role) => change({ role })} options={ROLES} />
      <Button type="submit" kind="primary" isBusy={inviting.isPending}>
        Invite
      </Button>
      <ErrorNotice error={inviting.error} />
    </Form>
  )
}

type Asking =
  | { readonly what: "remove" | "transfer" | "own"; readonly member: Member }
  | { readonly what: "leave" | "delete" }
  | null

export const Team = () => {
  const { may, organization } = useOrganization()
  const organizationId = organization.id
  const me = useViewer().data?.me?.id
  const { after = null } = useSearch({ strict: false }) as { readonly after?: string }
  const shown = useAsk(team, { organizationId, first: 100, after }, { keep: true })
  const [asking, setAsking] = useState<Asking>(null)
  const [name, setName] = useState(organization.name)
  const close = () => setAsking(null)
  const goToFront = useLeaveHere()
  const leaveHere = () => {
    close()
    void goToFront()
  }
  const change = useDo(changeRole, () => {
    close()
    toast("Changed")
  })
  const remove = useDo(removeMember, close)
  const transfer = useDo(transferOwnership, () => {
    close()
    change.reset()
    toast("Handed over: you are an admin now")
  })
  const leave = useDo(leaveOrganization, leaveHere)
  const erase = useDo(deleteOrganization, leaveHere)
  const revoke = useDo(revokeInvitation, () => toast("Taken back: its link is good for nothing"))
  const rename = useDo(renameOrganization, () => toast("Saved"))
  const canManage = may("CHANGE_MEMBERS")
  if (shown.data === undefined)
    return shown.error ? <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} /> : <Loading />
  const { invitations, members } = shown.data
  return (
    <>
      <Card title={`Members of ${organization.name}`}>
        {canManage && <Invite organizationId={organizationId} />}
        {asking === null && <ErrorNotice error={change.error} />}
        <TableFrame label="Members">
          <thead>
            <tr>
              <th scope="col">Person</th>
              <th scope="col">Role</th>
              <th scope="col">Since</th>
              <th scope="col">
                <span className="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.nodes.map((member) => {
              const isMe = member.accountId === me
              return (
                <tr key={member.accountId}>
                  <th scope="row">
                    {member.name || member.email} {isMe && <span className="muted">(you)</span>}
                    {member.name && <div className="muted small">{member.email}</div>}
                  </th>
                  <td>
                    {canManage ? (
                      <select
                        aria-label={`Role of ${member.email}`}
                        value={member.role}
                        onChange={(event) => {
                          const role = event.target.value as Role
                          // A slip of the hand in a list is not to give everything away.
                          if (role === "OWNER") return setAsking({ what: "own", member })
                          change.mutate({ organizationId, accountId: member.accountId, role })
                        }}
                      >
                        {ROLES.map(([role]) => (
                          <option key={role} value={role}>
                            {roleName(role)}
                          </option>
                        ))}
                      </select>
                    ) : (
                      roleName(member.role)
                    )}
                  </td>
                  <td>
                    <When at={member.joinedAt} />
                  </td>
                  <td className="number">
                    {isMe && (
                      <Button kind="quiet" onClick={() => setAsking({ what: "leave" })}>
                        Leave…
                      </Button>
                    )}
                    {!isMe && canManage && (
                      <>
                        <Button kind="quiet" onClick={() => setAsking({ what: "transfer", member })}>
                          Hand over…<span className="unseen"> to {member.email}</span>
                        </Button>
                        <Button kind="quiet" onClick={() => setAsking({ what: "remove", member })}>
                          Remove…<span className="unseen"> {member.email}</span>
                        </Button>
                      </>
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </TableFrame>
        <Pager page={members.pageInfo} words={["First", "More"]} isPart />
      </Card>
      {invitations.length > 0 && (
        <Card title="Open invitations">
          <ErrorNotice error={revoke.error} />
          <ul className="recent">
            {invitations.map(({ email, expiresAt, id, role }) => (
              <li key={id}>
                <span>{email}</span>
                <span className="muted">{roleName(role)}</span>
                <span className="muted small">
                  ends <When at={expiresAt} />
                </span>
                {canManage && (
                  <Button kind="quiet" isBusy={revoke.isPending} onClick={() => revoke.mutate({ id })}>
                    Take back<span className="unseen"> the invitation of {email}</span>
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {may("CHANGE_ORGANIZATION") && (
        <Card title="Organization">
          <Form className="inline" error={rename.error} onSubmit={() => rename.mutate({ id: organizationId, name })}>
            <TextField label="Name" name="name" value={name} onChange={setName} />
            <Button type="submit" isBusy={rename.isPending}>
              Save
            </Button>
          </Form>
          <ErrorNotice error={rename.error} />
          {may("DELETE_ORGANIZATION") && (
            <Button kind="danger" onClick={() => setAsking({ what: "delete" })}>
              Delete the organization…
            </Button>
          )}
        </Card>
      )}
      {asking?.what === "remove" && (
        <Confirm
          title={`Remove ${asking.member.email}?`}
          words="Remove"
          isBusy={remove.isPending}
          error={<ErrorNotice error={remove.error} />}
          onClose={close}
          onConfirm={() => remove.mutate({ organizationId, accountId: asking.member.accountId })}
        >
          <p>They see nothing of {organization.name} from then on. API keys that they made go on working.</p>
        </Confirm>
      )}
      {asking?.what === "own" && (
        <Confirm
          title={`Make ${asking.member.email} an owner as well?`}
          words="Make them an owner"
          isBusy={change.isPending}
          error={<ErrorNotice error={change.error} />}
          onClose={close}
          onConfirm={() => change.mutate({ organizationId, accountId: asking.member.accountId, role: "OWNER" })}
        >
          <p>
            Owners may do everything: change what others may, you included, and delete {organization.name}. You stay an
            owner.
          </p>
        </Confirm>
      )}
      {asking?.what === "transfer" && (
        <Confirm
          title={`Hand ${organization.name} over to ${asking.member.email}?`}
          words="Hand it over"
          isBusy={transfer.isPending}
          error={<ErrorNotice error={transfer.error} />}
          onClose={close}
          onConfirm={() => transfer.mutate({ organizationId, accountId: asking.member.accountId })}
        >
          <p>They become an owner, and you an admin. Only an owner can make you one again.</p>
        </Confirm>
      )}
      {asking?.what === "leave" && (
        <Confirm
          title={`Leave ${organization.name}?`}
          words="Leave"
          isBusy={leave.isPending}
          error={<ErrorNotice error={leave.error} />}
          onClose={close}
          onConfirm={() => leave.mutate({ organizationId })}
        >
          <p>You see nothing of it from then on, unless somebody invites you again.</p>
        </Confirm>
      )}
      {asking?.what === "delete" && (
        <Confirm
          title={`Delete ${organization.name}?`}
          words="Delete everything"
          typed={organization.name}
          isBusy={erase.isPending}
          error={<ErrorNotice error={erase.error} />}
          onClose={close}
          onConfirm={() => erase.mutate({ id: organizationId })}
        >
          <p>
            Its applications go with it: keys, contacts, devices, templates and everything that was sent. Nothing of it
            can be brought back.
          </p>
        </Confirm>
      )}
    </>
  )
}
