import { expect, it } from "vitest"
import { greetingOf } from "../../../layers/mail/smtpServerOf.ts"

it("greets mail servers with its name, or with its address as mail writes it", () => {
  expect(greetingOf("https://push.example.com")).toBe("push.example.com")
  expect(greetingOf("http://127.0.0.1:8080")).toBe("[127.0.0.1]")
  expect(greetingOf("http://[::1]:8080")).toBe("[IPv6:::1]")
})
