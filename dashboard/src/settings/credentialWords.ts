/* What providers' credentials are called, as their settings name them, and what a refusal means. */

const SETTINGS: Readonly<Record<string, string>> = {
  team_id: "Team id",
  key_id: "Key id",
  bundle_id: "Bundle id",
  private_key: "Private key",
  endpoint: "Other address",
  sandbox_endpoint: "Other address of the sandbox",
  project_id: "Project",
  client_email: "Service account",
  token_uri: "Where its tokens come from",
  subject: "Contact",
  public_key: "Public key",
  url: "Server",
  from: "Sender"
}

export const settingWords = (name: string): string => SETTINGS[name] ?? name.replaceAll("_", " ")

/** Settings as they are shown: a service account by its parts. */
export const shownSettings = (settings: unknown): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries((settings ?? {}) as Readonly<Record<string, unknown>>).flatMap(([name, value]) =>
    typeof value === "object" && value !== null
      ? shownSettings(value)
      : [[name, typeof value === "string" ? value : JSON.stringify(value)] as const]
  )

/** Why a provider refuses a credential, with what helps where its own words do not say so. */
export const suspensionWords = (reason: string): string => {
  const named = reason.replace(/\b[a-z]+_[a-z_]+\b/g, (name) => (SETTINGS[name] ? `“${SETTINGS[name]}”` : name))
  return /^Web Push 40[013]/.test(reason)
    ? `${named}: the browsers' push services refuse these keys. Browsers that subscribed with other keys have to visit your site again, or bring those keys back with PUT /api/v1/credentials/webpush.`
    : `${named}.`
}
