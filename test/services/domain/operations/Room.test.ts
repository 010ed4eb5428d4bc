import { describe, expect, it } from "vitest"
import { Room } from "../../../../services/domain/operations/Room.ts"

/** Who comes into a room of 160, and how they leave it. */
const make = () => {
  const room = new Room(160)
  const there: Array<string> = []
  const come = (name: string, size: number, owner = name) => room.enter(owner, size, () => void there.push(name))
  return { come, room, there }
}

describe("a room", () => {
  it("lets in what it has room for, and the others in order as soon as somebody leaves", () => {
    const { come, room, there } = make()
    const leave = ["a", "b"].map((name) => come(name, 80))
    for (const name of ["c", "d", "e"]) come(name, 40)
    expect(there).toEqual(["a", "b"])
    leave[1]!()
    expect(there).toEqual(["a", "b", "c", "d"])
    leave[0]!()
    leave[0]!()
    expect([there.at(-1), room.taken]).toEqual(["e", 120])
  })

  it("has half of it for one owner, and the rest for others, who need not wait behind the first one's", () => {
    const { come, there } = make()
    for (const name of ["a1", "a2", "a3", "a4"]) come(name, 40, "a")
    come("b", 40)
    expect(there).toEqual(["a1", "a2", "b"])
  })

  it("takes a little of whoever has nothing in it, however full it is and whoever waits", () => {
    const { come, there } = make()
    come("a", 160)
    come("b", 20)
    come("c", 10)
    come("c2", 10, "c")
    expect(there).toEqual(["a", "c"])
  })

  it("takes what is larger than all of it when nobody is there, and lets nobody overtake it who would keep it out", () => {
    const { come, there } = make()
    const leave = [come("a", 100), come("b", 20)]
    come("large", 500)
    come("c", 20)
    expect(there).toEqual(["a", "b"])
    leave[0]!()
    expect(there).toEqual(["a", "b"])
    leave[1]!()
    expect(there).toEqual(["a", "b", "large"])
  })

  it("forgets who gives up waiting, and lets those in whom it held up", () => {
    const { come, there } = make()
    come("a", 100)
    const giveUp = come("b", 100)
    come("c", 40)
    expect(there).toEqual(["a"])
    giveUp()
    expect(there).toEqual(["a", "c"])
  })

  it("says to who does not wait whether there is room", () => {
    const { come, room } = make()
    const leave = room.enterNow("a", 80)!
    expect(room.enterNow("a", 20)).toBe(null)
    come("b", 100)
    // Somebody waits: not even what would fit.
    expect(room.enterNow("c", 60)).toBe(null)
    leave()
    expect([room.taken, room.enterNow("c", 60) === null]).toEqual([100, false])
  })
})
