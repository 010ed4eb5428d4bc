import { describe, expect, it } from "vitest"
import { CHANGED, isChanged as isChangedThere } from "../../../services/domain/WrittenNumbers.ts"
import { isChanged, readJson, wrongAt, wrongWithin } from "../../../dashboard/src/parts/json.ts"

const ID = "9007199254740993"

describe("numbers of JSON that people write", () => {
  it("are taken and refused by the service's own rule", () => {
    const whole = ["9007199254740991", "9007199254740992", ID, "18446744073709551615", "18446744073709551616"]
    const long = [
      "100000000000000000000000",
      "123456789012345680000",
      "123456789012345678901234567890",
      "9".repeat(309)
    ]
    const doubles = [
      `${ID}.0`,
      "1e22",
      "1e400",
      "1.7976931348623157e308",
      "1.2345678901234568e29",
      "9007199254740993e0"
    ]
    const fractions = ["0.1", "12345678901234567.89", "0.10000000000000000000001", "1234567890123456.789e1", "5e-324"]
    // Powers of two, as whole numbers, with 17 digits and with as many as it takes.
    const powers = Array.from({ length: 1_000 }, (_, i) => 2 ** (i + 20))
    const written = [
      ...whole,
      ...long,
      ...doubles,
      ...fractions,
      ...powers.flatMap((n) => [String(n), n.toPrecision(17), String(BigInt(n)), String(BigInt(n) + 1n), `${n / 3}`])
    ]
    const other = [...written, ...written.map((one) => `-${one}`)].filter(
      (one) => isChanged(one) !== isChangedThere(one)
    )
    expect(other).toEqual([])
    expect([isChanged(ID), isChanged("9007199254740992"), isChanged("1e22")]).toEqual([true, false, false])
  })

  it("are named by their place in the service's words, and not taken for those in texts", () => {
    expect(readJson(`{"a\\\\": "${ID}", "b\\"": [1, "\\"${ID}", 9007199254740992, 1e22, -0.5]}`).wrong).toBeNull()
    const { broken, wrong } = readJson(`{"order": {"ids": ["x", {"id": -${ID}}]}}`)
    expect([broken, wrongAt(wrong!), wrongAt(wrong!, "data")]).toEqual([
      null,
      `order.ids[1].id ${CHANGED}`,
      `data.order.ids[1].id ${CHANGED}`
    ])
    expect(wrongWithin(wrong!)).toBe(`cannot be sent: order.ids[1].id ${CHANGED}`)
    expect(wrongWithin(readJson(ID).wrong!)).toBe(`cannot be sent: it ${CHANGED}`)
    expect(wrongAt(readJson("[-1e400]").wrong!)).toBe("[0] must be a number below 1.8e308")
    expect(readJson("{").broken).toMatch("JSON")
    expect(readJson('"abc').broken).toMatch("JSON")
    // Of two that are read as one, the wrong one; and whichever of them is wrong.
    expect(wrongAt(readJson(`{"9": 9007199254740992, "1": [${ID}, 1e400]}`).wrong!)).toBe(`1[0] ${CHANGED}`)
    expect(readJson("-1e999").wrong).toEqual({ path: [], message: "must be a number below 1.8e308" })
    // The last of two is the one that stays.
    expect(readJson(`{"id": ${ID}, "id": 1}`)).toEqual({ value: { id: 1 }, broken: null, wrong: null })
  })
})
