import { expect, it } from "vitest"
import { returnPath } from "../../../../services/domain/people/ReturnAddress.ts"

const ORIGIN = "https://push.example.com"

it("leads back to paths of our own, with their query and place, as they were given", () => {
  for (const path of ["/", "/settings/security?tab=sign-ins#github", "/a/b/", "/?next=1&x=http://elsewhere.example"]) {
    expect(returnPath(path, ORIGIN)).toBe(path)
  }
})

it("leads nowhere else, however that is written", () => {
  for (const text of [
    "",
    "settings",
    "//elsewhere.example",
    "///elsewhere.example",
    "/\\elsewhere.example",
    "\\\\elsewhere.example",
    "/a\\b",
    "/..//elsewhere.example",
    "/.//elsewhere.example/",
    "/\t/elsewhere.example",
    "/\n/elsewhere.example",
    "/a\r\nSet-Cookie: a=b",
    "/\u0000",
    "/ /elsewhere.example",
    "/%2f/elsewhere.example",
    "/%2Felsewhere.example",
    "/%5celsewhere.example",
    "/%5Celsewhere.example",
    "https://elsewhere.example/",
    "https:elsewhere.example",
    "javascript:alert(1)",
    " /",
    "/é",
    `/${"a".repeat(2048)}`
  ]) {
    expect([text, returnPath(text, ORIGIN)]).toEqual([text, null])
  }
})
