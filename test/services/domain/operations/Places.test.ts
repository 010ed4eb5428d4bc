import { describe, expect, it } from "vitest"
import type { Placed } from "../../../../services/domain/operations/Places.ts"
import { Places } from "../../../../services/domain/operations/Places.ts"

describe("places", () => {
  it("have those who have entered and not left, in whichever order they come and go", () => {
    const places = new Places<Placed & { readonly step: number }>()
    const there = new Map<number, ReturnType<typeof places.enter>>()
    // Steps that look random and are the same each time.
    for (let step = 0, seed = 1; step < 2000; step++) {
      seed = (seed * 48_271) % 2_147_483_647
      const leaving = [...there][seed % (there.size + 1)]
      if (leaving === undefined || seed % 9 < 5) there.set(step, places.enter({ step, place: -1 }))
      else {
        places.leave(leaving[1])
        there.delete(leaving[0])
      }
      expect(places.size).toBe(there.size)
    }
    expect(there.size).toBeGreaterThan(10)
    expect(
      places
        .all()
        .map(({ step }) => step)
        .toSorted((a, b) => a - b)
    ).toEqual([...there.keys()])
  })

  it("are left once: a second time takes nobody else's", () => {
    const places = new Places<Placed>()
    const [first, second] = [places.enter({ place: -1 }), places.enter({ place: -1 })]
    places.leave(first!)
    places.leave(first!)
    expect(places.all()).toEqual([second])
  })

  it("have those once who enter twice", () => {
    const places = new Places<Placed>()
    const one = places.enter(places.enter({ place: -1 }))
    expect(places.size).toBe(1)
    places.leave(one)
    expect(places.size).toBe(0)
  })
})
