import { describe, expect, it } from "vitest"
import { fileNameOf } from "../../../dashboard/src/imports/fileName.ts"
import type { Place, Row } from "../../../dashboard/src/imports/rows.ts"
import { csvLine, readRows, shapeOf } from "../../../dashboard/src/imports/rows.ts"

const readAll = async (text: string | Uint8Array<ArrayBuffer>) => {
  const file = new Blob([text])
  const { shape, start } = await shapeOf(file)
  const rows: Array<Row> = []
  for (let place: Place = start; ;) {
    const read = await readRows(file, place, shape)
    const last = read.at(-1)
    if (last === undefined) return { shape, rows }
    rows.push(...read)
    place = { position: last.end, line: last.nextLine }
  }
}

const valuesOf = async (text: string) => (await readAll(text)).rows.map(({ values }) => values)

describe("a file's name", () => {
  it("is shown by the log as it is written, and cut between characters", () => {
    expect(fileNameOf("people.csv")).toBe("people.csv")
    expect(fileNameOf("a\u202Evsc.exe\n\ud83d")).toBe("a\uFFFDvsc.exe\uFFFD\uFFFD")
    expect(fileNameOf("😀".repeat(201))).toBe("😀".repeat(200))
  })
})

describe("columns of a file", () => {
  it("are as many as a page can show", async () => {
    const columns = Array.from({ length: 301 }, (_, i) => `c${i}`)
    expect((await shapeOf(new Blob([columns.slice(1).join(",")]))).shape.columns).toHaveLength(300)
    for (const text of [columns.join(","), JSON.stringify(Object.fromEntries(columns.map((name) => [name, 1])))]) {
      await expect(shapeOf(new Blob([text]))).rejects.toThrow("It has 301 columns, and 300 are read")
    }
  })
})

describe("rows of CSV", () => {
  it("take quotation marks, line ends and delimiters within them, and the delimiter that the first line has", async () => {
    expect(await valuesOf('a,b\r\n"x, ""y""","1\n2"\r\n\r\nlast,')).toEqual([
      ['x, "y"', "1\n2"],
      ["last", ""]
    ])
    expect(await valuesOf("a;b\n1,5;2\n")).toEqual([["1,5", "2"]])
    expect(await valuesOf("\uFEFFa\tb\nx\ty")).toEqual([["x", "y"]])
  })

  it("say on which line they begin, also after cells of several lines", async () => {
    const { rows, shape } = await readAll('\uFEFFid,note\n1,"a\nb\nc"\n\n2,x\n3,x,too many\n')
    expect(shape.columns).toEqual(["id", "note"])
    expect(rows.map(({ fault, line }) => [line, fault])).toEqual([
      [2, null],
      [6, null],
      [7, "has 3 cells, and the first line 2"]
    ])
  })

  it("are at fault where a quotation mark is not closed, and whatever follows is in the cell", async () => {
    const { rows } = await readAll('id,note\n1,x\n2,"y\n3,z\n4,w\n')
    expect(rows.map(({ fault, line }) => [line, fault])).toEqual([
      [2, null],
      [3, "has a quotation mark that is not closed"]
    ])
    // Closed by the last character of the file.
    expect((await readAll('id,note\n1,"x"')).rows.map(({ fault }) => fault)).toEqual([null])
  })

  it("are read on from where any of them ends, whatever characters stand before it", async () => {
    const people = Array.from({ length: 30_000 }, (_, i) => `user-${i},"Zoë 😀\n${"é".repeat(i % 40)}"`)
    const text = `id,name\n${people.join("\n")}`
    const { rows, shape } = await readAll(text)
    expect(rows.map(({ values }) => values[0])).toEqual(people.map((_, i) => `user-${i}`))
    const file = new Blob([text])
    for (const at of [0, 7, 12_345, 29_998]) {
      const place = { position: rows[at]!.end, line: rows[at]!.nextLine }
      expect((await readRows(file, place, shape))[0]).toEqual(rows[at + 1])
    }
  })

  it("are refused where a file is not UTF-8, is empty, or a quotation mark never ends", async () => {
    await expect(readAll(Uint8Array.from([0x61, 0x0a, 0xe9, 0x0a]))).rejects.toThrow("not UTF-8")
    await expect(readAll(" \n")).rejects.toThrow("nothing in it")
    await expect(readAll(`a,b\n"x,${"y\n".repeat(5_000_000)}`)).rejects.toThrow("Line 2 does not end")
  })

  it("come back from a spreadsheet as they were written, and never as formulas", async () => {
    const values = ["=1+1", "a, b", 'say "x"', "two\nlines", -5, ["x"], null]
    const line = csvLine(values)
    expect(line.startsWith("'=1+1,")).toBe(true)
    expect(await valuesOf(`a,b,c,d,e,f,g\n${line}`)).toEqual([
      ["'=1+1", "a, b", 'say "x"', "two\nlines", "-5", '["x"]', ""]
    ])
  })
})

describe("rows of JSON lines", () => {
  it("have the keys of the first lines as columns, and say which line is no object", async () => {
    const { rows, shape } = await readAll('{"a": 1}\n\n{"b": ["x"]}\nnonsense\n[1]')
    expect(shape).toMatchObject({ format: "ndjson", columns: ["a", "b"] })
    expect(rows.map(({ fault, line, values }) => [line, values, fault])).toEqual([
      [1, [1, undefined], null],
      [3, [undefined, ["x"]], null],
      [4, [], "is not a JSON object"],
      [5, [], "is not a JSON object"]
    ])
  })

  it("are refused for a number that would become another, in the service's words", async () => {
    const { rows, shape } = await readAll(
      '{"external_id":"ND1","attributes":{"id":9007199254740993}}\n{"external_id":"ND2","attributes":{"id":1e400}}\n{"external_id":"ND3"}'
    )
    expect(shape.columns).toEqual(["external_id", "attributes"])
    expect(rows.map(({ fault, values }) => [values, fault])).toEqual([
      [[], "attributes.id is a number beyond 2^53, which would be changed; send it as a text"],
      [[], "attributes.id must be a number below 1.8e308"],
      [["ND3", undefined], null]
    ])
  })
})
