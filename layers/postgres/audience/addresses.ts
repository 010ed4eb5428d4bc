import { asciiAddress, asciiDomain, isAscii } from "../../../services/domain/audience/EmailAddress.ts"

/**
 * What makes addresses one: the mailbox that a mail server is told, in lower case. So `ada@exämple.com` is
 * `ada@xn--exmple-cua.com`, as DNS has one domain of both; and no mail server in use tells `Ann@` from `ann@`.
 */
export const addressKey = (address: string): string => asciiAddress(address).toLowerCase()

/**
 * The key that nodes of the release before give an address, and by which they have noted erasures: they write it until
 * the last of them has ended. Removed in the release after this one.
 */
export const formerKey = (address: string): string => address.toLowerCase()

const DOTS = /[.\u3002\uff0e\uff61]/

/**
 * How keys begin of addresses that begin so. An ASCII label of a domain has the letters of ASCII first, in their order:
 * who has typed `ada@exä` is led to `ada@xn--ex`, and finds `ada@exöt.com` too until the label is whole.
 */
export const keyBeginnings = (prefix: string): ReadonlyArray<string> => {
  const typed = prefix.toLowerCase()
  const at = typed.indexOf("@")
  if (at === -1) return [typed]
  const labels = typed.slice(at + 1).split(DOTS)
  const last = labels.pop()!.normalize("NFKC").toLowerCase()
  const whole = labels.length === 0 ? "" : asciiDomain(labels.join("."))
  // No domain begins so.
  if (whole === null) return [typed]
  const before = `${typed.slice(0, at + 1)}${whole === "" ? "" : `${whole}.`}`
  const beyond = `${before}xn--${last.replace(/\P{ASCII}/gu, "")}`
  // With nothing typed of the label, all that there are.
  return last === "" ? [before] : isAscii(last) ? [before + last, beyond] : [beyond]
}
