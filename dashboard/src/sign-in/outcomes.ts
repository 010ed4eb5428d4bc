import { ownOf } from "../parts/own.ts"

/** What a redirect from another service may end with beside a session, in words: docs/graphql.md lists them. */
export const OUTCOMES: Readonly<Record<string, readonly [title: string, words: (provider: string) => string]>> = {
  code: [
    "One code is needed",
    (provider) =>
      `${provider} said who you are. A code to your address proves, this first time, that it is yours. It has to be entered in this browser within 15 minutes.`
  ],
  expired: [
    "That took too long",
    () => "It was begun more than ten minutes ago, in another browser, or was finished already. Begin again."
  ],
  cancelled: [
    "The sign-in was cancelled",
    (provider) => `${provider} was told not to sign you in. Begin again, or use a code.`
  ],
  refused: [
    "The sign-in did not succeed",
    (provider) =>
      `The answer of ${provider} does not prove who you are. Begin again, or use a code. The log of the service says why.`
  ],
  unavailable: [
    "There was no answer",
    (provider) => `${provider} does not answer this service at the moment. Use a code, or try again in a minute.`
  ],
  address_not_confirmed: [
    "The address is not confirmed",
    (provider) => `${provider} has no address of yours that it knows to be yours. Confirm it there, or use a code.`
  ],
  registration_closed: [
    "There is no account with this address",
    () => "New accounts are made by invitation alone. Ask for one to this address."
  ],
  account_disabled: ["This account is disabled", () => "Nobody signs in to it. Ask those who run this service."],
  session_ended: [
    "The session has ended",
    (provider) => `You are no longer signed in as when you began. Sign in and add ${provider} again.`
  ],
  another_address: [
    "The address is another",
    (provider) =>
      `Your account with ${provider} has another address than your account here. Choose the one with the same address.`
  ],
  bound_to_another: [
    "It signs in to another account",
    (provider) => `This account with ${provider} signs in to another account here. Remove it there first.`
  ],
  bound: ["The sign-in was added", (provider) => `From now on, your account with ${provider} signs in here.`]
}

export const PROVIDERS: Readonly<Record<string, string>> = {
  google: "Google",
  github: "GitHub",
  GOOGLE: "Google",
  GITHUB: "GitHub"
}
export const providerName = (name: string | undefined): string => ownOf(PROVIDERS, name ?? "") ?? "the other service"
