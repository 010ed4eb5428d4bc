/** What every contender sends; with the ids it makes payloads of about 311 bytes. */
export const CONTENT = {
  title: "Sale",
  body: "Everything must go. Come by until Saturday evening, bring your friends, and show this message at the entrance to get it."
}
