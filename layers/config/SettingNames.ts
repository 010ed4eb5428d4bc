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

/** Letters that a name may be off by its length: of short ones two are half of it, and HOME is no misspelt HOST. */
const farthestFor = ({ length }: string): number => (length <= 5 ? 1 : length < 12 ? 2 : 3)

const isLetterAway = (given: string, name: string): boolean =>
  Math.abs(name.length - given.length) <= farthestFor(name) && distanceOf(given, name) <= farthestFor(name)

/** A name without its last word, which often is a unit: ACCEPT_LINGER_MS. Empty where less than two words are left. */
const stemOf = (name: string): string => /^.+_.+(?=_[^_]+$)/.exec(name)?.[0] ?? ""

/** Of one word as much as can hardly be another's: RETENTION, and not MAIL, which shells set. */
const ONE_WORD = /^[^_]{8,}(?=_[^_]+$)/

/** Whether `given` is `name` with another last word, with one more, or without its last. */
const isOtherEnding = (given: string, name: string): boolean =>
  stemOf(given) === name ||
  (stemOf(name) !== "" && (given === stemOf(name) || stemOf(given) === stemOf(name))) ||
  given === ONE_WORD.exec(name)?.[0]

export interface Misspelt {
  readonly given: string
  /** The nearest setting. */
  readonly meant: string
}

/** Variables that are no settings, and look like one whose name was misspelt. */
export const misspelt = (env: Environment): ReadonlyArray<Misspelt> =>
  Object.keys(env)
    .filter((given) => !settingNames.has(given))
    .flatMap((given) => {
      // Names of the environment are told apart by their case.
      if (settingNames.has(given.toUpperCase())) return [{ given, meant: given.toUpperCase() }]
      const [nearest] = [...settingNames]
        .filter((name) => isLetterAway(given, name) || isOtherEnding(given, name))
        .map((name) => ({ name, distance: distanceOf(given, name) }))
        .toSorted((a, b) => a.distance - b.distance)
      return nearest === undefined ? [] : [{ given, meant: nearest.name }]
    })

/** What operators are told of one. */
export const askWhetherMeant = ({ given, meant }: Misspelt): string =>
  `${given} is no setting; perhaps ${meant} is meant${given === `${meant}_FILE` ? ", with what stands in the file" : ""}`
