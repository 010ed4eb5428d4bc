import { expect, it } from "vitest"
import { whyNotKept } from "../../../dashboard/src/imports/begin.ts"

it("says in words why a browser keeps no file", () => {
  expect(whyNotKept(new DOMException("Quota exceeded.", "QuotaExceededError"))).toMatch("no room")
  expect(whyNotKept(new DOMException("", "NotReadableError"))).toBe("This browser does not keep it: NotReadableError")
  expect(whyNotKept(new Error("It is locked."))).toBe("This browser does not keep it: It is locked.")
})
