import { ownOf } from "../parts/own.ts"

export type Reason = readonly [means: string, remedy: string]

const UNREACHED: Reason = [
  "The provider could not be reached",
  "Send again to those who failed once it can be; those who run the service see why in its log."
]

/** What a recipient's error means, and what helps. Others are shown as they are. */
const REASONS: Readonly<Record<string, Reason>> = {
  unregistered: ["The app was removed, or the token is old", "Nothing to do: such devices are not sent to again."],
  gone: ["The browser's subscription has ended", "Nothing to do: the browser registers anew when its page is visited."],
  not_found: [
    "The browser's subscription has ended",
    "Nothing to do: the browser registers anew when its page is visited."
  ],
  bad_device_token: [
    "The provider does not know the token",
    "Check that the app registers with the right environment and bundle id."
  ],
  invalid_token: ["The provider does not know the token", "Check that the app registers with the right project."],
  sender_id_mismatch: [
    "The token belongs to another project",
    "Use the credential of the project that the app is built with."
  ],
  invalid_keys: ["The browser's keys are not usable", "The browser registers anew when its page is visited."],
  recipient_gone: ["The device or channel was removed meanwhile", "Nothing to do."],
  unsubscribed: ["The person unsubscribed", "Nothing to do: that is their wish."],
  expired: ["Its time to live ended before it was sent", "Give a longer time to live, or look what kept it waiting."],
  payload_too_large: ["Larger than the provider takes", "Shorten body or data: the preview says how much fits."],
  empty_content: ["There was nothing to show", "Give a title, a body, or what an e-mail needs."],
  missing_variable: [
    "A variable of the template is missing",
    "Send it along, or let missing ones be empty in the template."
  ],
  template_unreadable: [
    "The template cannot be read any more",
    "Mend the template, then send again to those who failed."
  ],
  credential_missing: [
    "There is no credential for the provider",
    "Set it in Settings, Credentials, then send again to those who failed."
  ],
  throttled: ["The provider wanted fewer messages to this device", "Send less often to the same device."],
  quota_exceeded: ["The quota of the provider was used up", "Raise it there, then send again to those who failed."],
  possibly_delivered: [
    "The mail server broke off: it may have arrived",
    "Look at the server's log before you send again."
  ],
  outcome_unknown: ["Cancelled while it was under way", "They may have got it: the process that sent it had ended."],
  invalid_argument: [
    "Google cannot read the message or the token",
    "Look at what is given for Android alone, and whether the tokens are those of Firebase; then send again."
  ],
  bad_request: [
    "The browser's push service cannot read the request",
    "Tell those who run the service: its log says what was answered."
  ],
  device_token_not_for_topic: [
    "The token belongs to another app",
    "Check the bundle id in Settings, Credentials: it is that of the app whose devices these are."
  ],
  topic_disallowed: [
    "The key may not send to this app",
    "Check the bundle id in Settings, Credentials, and that the key was made in the team of the app."
  ],
  subscription_refused: [
    "The push service refuses the subscription",
    "It was made with another key: the browser registers anew when its page is visited."
  ],
  endpoint_refused: [
    "The address of the subscription may not be called",
    "Those who run the service can open private networks to it."
  ],
  redirect_refused: ["The push service led elsewhere", "The browser registers anew when its page is visited."],
  smtputf8_unsupported: [
    "The mail server takes no letters beyond a to z in addresses",
    "Use a server that knows SMTPUTF8, or another address of the person."
  ],
  server_unresolved: UNREACHED,
  timeout: UNREACHED,
  template_failed: [
    "The template could not be filled for this person",
    "Look at the template with this person's own data; then send again to those who failed."
  ],
  worker_ended: ["The process ended again and again with it", "Tell those who run the service: its log says why."]
}
/** `smtp_554_5.7.1`: what the mail server answered, and, where it says so, why (RFC 3463). */
const SMTP = /^smtp_(\d)\d\d(?:_\d\.(\d{1,3})\.\d{1,3})?$/

const ofMailServer = (error: string): Reason | null => {
  const found = SMTP.exec(error)
  if (found === null) return null
  const [, first, subject] = found
  if (subject === "1") {
    return [
      "The mail server does not know the address",
      "Ask the person for the right one: this one gets no mail any more."
    ]
  }
  if (subject === "2") {
    return ["The mailbox is full, or takes no mail", "Send again later, or reach the person in another way."]
  }
  if (subject === "7") {
    return [
      "The mail server refuses it by its rules",
      "Check that its domain's SPF, DKIM and DMARC allow your mail server, and that the text does not look like spam; then send again to those who failed."
    ]
  }
  return first === "4"
    ? ["The mail server put it off until its time had run out", "Send again to those who failed, some hours later."]
    : ["The mail server refuses the message", "Its log says why; then send again to those who failed."]
}

/** Failures of one kind whose names go on with what exactly it was: `connection_reset`, `status_500`. */
const ofKind = (error: string): Reason | null => {
  if (/^(connection|tls|starttls|oauth)_/.test(error)) return UNREACHED
  const status = /^status_(\d{3})$/.exec(error)?.[1]
  return status === undefined
    ? null
    : [`The provider answered ${status}`, "Send again to those who failed once the provider works again."]
}

/** Some say after a colon what the provider added: `expired: timeout`. */
export const reasonOf = (error: string): Reason | null => {
  const [name = ""] = error.split(": ")
  return ownOf(REASONS, error) ?? ownOf(REASONS, name) ?? ofMailServer(name) ?? ofKind(name)
}
