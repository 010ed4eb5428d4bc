import type { Tone } from "../parts/page.tsx"

export const PLATFORM = { IOS: "iOS", ANDROID: "Android", WEB: "Web" } as const

export const DEVICE_STATUS = {
  ACTIVE: ["Active", "good"],
  INVALID: ["Inactive", "bad"]
} as const satisfies Readonly<Record<string, readonly [string, Tone]>>
