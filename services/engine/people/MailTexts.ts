import type { CodePurpose } from "../../domain/people/SignInCode.ts"
import { CODE_LIFETIME_MS } from "../../domain/people/SignInCode.ts"
import { INVITATION_MS } from "../../domain/people/Organization.ts"
import type { ExternalProvider } from "../../domain/people/ExternalIdentity.ts"
import type { Role } from "../../domain/people/Role.ts"

/** What a mail is about. */
export type MailContent =
  | { readonly type: "code"; readonly purpose: CodePurpose; readonly code: string }
  | {
      readonly type: "invitation"
      readonly organization: string
      readonly inviter: string
      readonly role: Role
      readonly token: string
    }
  /** One of two. Only whoever has the account learns which address is to come. */
  | { readonly type: "old_address_code"; readonly code: string; readonly email: string }
  | { readonly type: "new_address_code"; readonly code: string }
  | { readonly type: "address_changed"; readonly email: string }
  | { readonly type: "external_sign_in"; readonly change: "bound" | "unbound"; readonly provider: ExternalProvider }

export interface WrittenMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** A notice that comes later is of no use. */
export const NOTICE_MS = 86_400_000

const MINUTES = CODE_LIFETIME_MS / 60_000
const DAYS = INVITATION_MS / 86_400_000

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]!)

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif"

/** So that no program makes a link of what people call a thing: as in `example.com`. U+2060 is drawn as nothing. */
const unlinked = (name: string): string => name.replace(/(?<=\S)[.:@](?=\S)/g, (sign) => `${sign}\u2060`)

/** A page that mail programs show alike: one column, no picture, nothing that is loaded. */
const page = (subject: string, body: ReadonlyArray<string>): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escape(subject)}</title></head>
<body style="margin:0;padding:24px;${FONT};font-size:16px;line-height:1.5">
<div style="max-width:480px;margin:0 auto">
${body.join("\n")}
</div>
</body>
</html>
`

const paragraph = (text: string): string => `<p>${escape(text)}</p>`
const note = (text: string): string => `<p style="font-size:14px;opacity:.75">${escape(text)}</p>`

const written = (subject: string, text: ReadonlyArray<string>, html: ReadonlyArray<string>): WrittenMail => ({
  subject,
  text: `${text.join("\n\n")}\n`,
  html: page(subject, html)
})

const CODES: Readonly<
  Record<CodePurpose, { readonly subject: string; readonly what: string; readonly otherwise: string }>
> = {
  sign_in: {
    subject: "Your Heliograph sign-in code",
    what: "This is your code to sign in:",
    otherwise:
      "If you did not ask for it, you can ignore this mail: without the code nobody gets in. Give it to nobody."
  },
  delete_account: {
    subject: "Your code to delete your Heliograph account",
    what: "This is your code to delete your account, with its sessions and sign-ins, and with every organization whose only member you are, its applications and all that they hold:",
    otherwise:
      "If you did not ask for it, somebody else may be signed in to your account: sign in, and end all sessions. Give the code to nobody."
  },
  link: {
    subject: "Your code to add a sign-in to your Heliograph account",
    what: "This is your code to sign in to your account by another service as well:",
    otherwise:
      "If you did not ask for it, somebody else may be signed in to your account: sign in, and end all sessions. Give the code to nobody."
  }
}

const codeMail = (subject: string, what: string, code: string, otherwise: string): WrittenMail => {
  const limits = `It is good for ${MINUTES} minutes, and once.`
  return written(
    subject,
    [what, `    ${code}`, limits, otherwise],
    [
      paragraph(what),
      `<p style="font-size:32px;font-weight:600;letter-spacing:.2em;font-family:ui-monospace,monospace">${code}</p>`,
      paragraph(limits),
      note(otherwise)
    ]
  )
}

const PROVIDERS: Readonly<Record<ExternalProvider, string>> = { google: "Google", github: "GitHub" }

/** The words of a mail. `baseUrl` leads to the dashboard; ends without a slash. */
export const writeMail = (content: MailContent, baseUrl: string): WrittenMail => {
  if (content.type === "code") {
    const { otherwise, subject, what } = CODES[content.purpose]
    return codeMail(subject, what, content.code, otherwise)
  }
  if (content.type === "old_address_code") {
    return codeMail(
      "Your code to change the address of your Heliograph account",
      `This is your code to change the address of your account to ${content.email}. It is one of two: the other was sent there.`,
      content.code,
      CODES.link.otherwise
    )
  }
  if (content.type === "new_address_code") {
    return codeMail(
      "Your code for a new address of a Heliograph account",
      "This is your code to make this the address of your account. It is one of two: the other was sent to the address that the account has.",
      content.code,
      "If you did not ask for it, you can ignore this mail: without the code nothing happens. Give it to nobody."
    )
  }
  if (content.type === "address_changed") {
    const what = `The address of your Heliograph account is ${content.email} from now on. All sessions have ended, and codes go there. Accounts with other services that signed in still do.`
    const otherwise = `If that was not you, ask those who run this service to disable the account: ${baseUrl}`
    return written(
      "The address of your Heliograph account was changed",
      [what, otherwise],
      [paragraph(what), note(otherwise)]
    )
  }
  if (content.type === "external_sign_in") {
    const provider = PROVIDERS[content.provider]
    const isBound = content.change === "bound"
    const subject = `Sign-in by ${provider} was ${isBound ? "added to" : "removed from"} your Heliograph account`
    const what = isBound
      ? `From now on, an account with ${provider} signs in to your Heliograph account.`
      : `An account with ${provider} no longer signs in to your Heliograph account. Codes by mail still do.`
    const otherwise = `If that was not you, sign in with a code, end all sessions${isBound ? ", and remove it from the external sign-ins of your account" : ""}: ${baseUrl}`
    return written(subject, [what, otherwise], [paragraph(what), note(otherwise)])
  }
  const { inviter, organization, role, token } = content
  // The words are those of whoever invites, for people who may know neither: they stand where it is said whose they are.
  const subject = "Invitation to an organization on Heliograph"
  const what = `${inviter} invites you to join the organization “${unlinked(organization)}” on Heliograph as ${role}.`
  // A page that changes nothing: programs that look into mail follow links.
  const link = `${baseUrl}/invitations/${token}`
  const how = `Follow the link to accept it, signed in with the address that this mail was sent to. The invitation is good for ${DAYS} days:`
  const otherwise = "If you do not know who that is, you can ignore this mail."
  return written(
    subject,
    [what, how, link, otherwise],
    [paragraph(what), paragraph(how), `<p><a href="${escape(link)}">${escape(link)}</a></p>`, note(otherwise)]
  )
}
