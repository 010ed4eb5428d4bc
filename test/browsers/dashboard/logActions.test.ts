import { expect, it } from "vitest"
import { actionWords, APPLICATION_ACTIONS, ORGANIZATION_ACTIONS } from "../../../dashboard/src/settings/actions.ts"
import { AuditAction } from "../../../services/domain/access/Audit.ts"
import { PeopleAction } from "../../../services/domain/people/PeopleLogEntry.ts"

it("filters logs by every action that they can hold", () => {
  expect(APPLICATION_ACTIONS).toEqual(AuditAction.literals)
  // What concerns an account alone belongs to no organization, and of a deleted one nobody sees the log.
  const ofAccounts = /^(account|login_code|external_sign_in|session)\.|^organization\.deleted$/
  expect(ORGANIZATION_ACTIONS).toEqual(PeopleAction.literals.filter((action) => !ofAccounts.test(action)))
})

it("says an action in words", () => {
  expect(["api_key.revoked", "member.role_changed"].map(actionWords)).toEqual([
    "API key revoked",
    "Member role changed"
  ])
})
