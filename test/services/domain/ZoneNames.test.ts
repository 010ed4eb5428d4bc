import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { TimeZone } from "../../../services/domain/Time.ts"
import { namesOfZones, storedZone, zoneOf } from "../../../services/domain/ZoneNames.ts"

const isTaken = Schema.is(TimeZone)

describe("the names of time zones", () => {
  it("are the same in any case, and kept as the zone database writes them", () => {
    for (const name of ["europe/berlin", "EUROPE/BERLIN", "Europe/Berlin"]) {
      expect([isTaken(name), storedZone(name)]).toEqual([true, "Europe/Berlin"])
    }
    expect(storedZone("asia/kolkata")).toBe("Asia/Kolkata")
    expect([storedZone(null), storedZone(undefined)]).toEqual([null, null])
  })

  it("are looked up once each, whatever else is asked for", () => {
    zoneOf("Europe/Berlin")
    let lookups = 0
    const format = Intl.DateTimeFormat
    Intl.DateTimeFormat = new Proxy(format, {
      construct: (target, given) => {
        lookups++
        return Reflect.construct(target, given) as object
      }
    })
    try {
      for (let n = 0; n < 3_000; n++) expect(zoneOf(`Europe/Nowhere${n}`)).toBeNull()
      lookups = 0
      for (const name of ["Africa/Lome", "Africa/LOME", "africa/lome"]) expect(zoneOf(name)?.name).toBeDefined()
      expect(lookups).toBe(1)
    } finally {
      Intl.DateTimeFormat = format
    }
  })

  it("are all meant where one is named", () => {
    for (const name of ["Asia/Kolkata", "Asia/Calcutta", "asia/calcutta"]) {
      expect(namesOfZones([name])).toEqual(["Asia/Calcutta", "Asia/Kolkata"])
    }
    expect(namesOfZones(["Europe/Kyiv", "Europe/Kiev", "Europe/Berlin"])).toEqual([
      "Europe/Kiev",
      "Europe/Kyiv",
      "Europe/Uzhgorod",
      "Europe/Zaporozhye",
      "Europe/Berlin"
    ])
  })

  it("are only those of one zone, wherever its clocks and borders are", () => {
    for (const [a, b] of [
      ["Europe/Berlin", "Europe/Vienna"],
      ["America/New_York", "America/Toronto"],
      ["Asia/Kolkata", "Asia/Colombo"]
    ] as const) {
      expect(namesOfZones([a])).not.toContain(b)
    }
  })

  it("are known to Intl as names of the zone that stands first", () => {
    for (const name of Intl.supportedValuesOf("timeZone")) {
      for (const other of namesOfZones([name])) {
        expect(new Intl.DateTimeFormat("en", { timeZone: other }).resolvedOptions().timeZone, other).toBe(name)
      }
    }
  })

  it("are no offsets, and nothing that Intl does not know", () => {
    for (const text of ["+02:00", "-0200", "Berlin", "UTC+2", ""]) expect([text, zoneOf(text)]).toEqual([text, null])
  })
})
