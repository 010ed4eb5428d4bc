import { read } from "./Settings.ts"
import type { Environment } from "./SettingFiles.ts"

/** The name of every setting: those that reading asks for, so that there is no list to forget one in. */
export const settingNames: ReadonlySet<string> = (() => {
  const asked = new Set<string>()
  read(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }))
  return asked
})()

/** Letters to leave out, put in, replace or exchange with their neighbour, to make one text of another. */
const distanceOf = (one: string, other: string): number => {
  let before: Array<number> = []
  let row = Array.from({ length: other.length + 1 }, (_, j) => j)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1))
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      if (isExchanged) next[j] = Math.min(next[j]!, before[j - 2]! + 1)
    }
    before = row
    row = next
  }
  return row[other.length]!
}

/** Of short names two letters are half of them: HOME is no misspelt HOST. */
const SHORT = 5
const farthestFor = (name: string): number => (name.length <= SHORT ? 1 : 2)

/** Variables that are no settings, and look like one whose name was misspelt; with the nearest. */
export const misspelt = (env: Environment): ReadonlyArray<{ readonly given: string; readonly meant: string }> =>
  Object.keys(env)
    .filter((given) => !settingNames.has(given))
    .flatMap((given) => {
      const [nearest] = [...settingNames]
        .filter((name) => Math.abs(name.length - given.length) <= farthestFor(name))
        .map((name) => ({ name, distance: distanceOf(given, name) }))
        .filter(({ distance, name }) => distance <= farthestFor(name))
        .toSorted((a, b) => a.distance - b.distance)
      return nearest === undefined ? [] : [{ given, meant: nearest.name }]
    })
