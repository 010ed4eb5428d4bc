import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { CreateSegment, SegmentFilter } from "../../services/domain/audience/Segment.ts"

const text = readFileSync(new URL("../../docs/templates-and-segments.md", import.meta.url), "utf8")

it("the example of a segment is one that the service takes, with each kind of condition", () => {
  const example = JSON.parse(/```json\n([^]*?)```/.exec(text.split("## Segments")[1]!)![1]!)
  const { filter } = Schema.decodeUnknownSync(CreateSegment)(example, { onExcessProperty: "error" })
  expect(Object.keys(filter).toSorted()).toEqual(Object.keys(SegmentFilter.fields).toSorted())
})
