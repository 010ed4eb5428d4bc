import { useState } from "react"
import { Button, Form, SelectField } from "../parts/form.tsx"
import { Dialog, GoBack } from "../parts/page.tsx"
import { waysOf } from "./Flow.tsx"
import type { Place, Step } from "./steps.ts"
import { listsFor } from "./steps.ts"

/** Where a list of steps is, in words; empty: it is the outermost. */
const whereOf = (steps: ReadonlyArray<Step>, list: Place["list"]): string => {
  const words: Array<string> = []
  let all = steps
  for (let at = 0; at < list.length;) {
    const index = list[at] as number
    const step = all[index]!
    const isElse = list[at + 1] === "else"
    const way = waysOf(step, { list: [], index }).at(isElse ? -1 : (list[at + 2] as number))!
    words.push(`${step.key}, ${way.words.toLowerCase()}`)
    all = way.steps
    at += isElse ? 2 : 3
  }
  return words.join(": ")
}

/** Moves a step to any other place, by one choice. */
export const MoveDialog = ({
  from,
  onClose,
  onMove,
  step,
  steps
}: {
  readonly step: Step
  readonly from: Place
  readonly steps: ReadonlyArray<Step>
  readonly onMove: (to: Place) => void
  readonly onClose: () => void
}) => {
  const places = listsFor(steps, from).flatMap(({ list, steps: all }) => {
    const where = whereOf(steps, list)
    const isOwn = list.join(" ") === from.list.join(" ")
    return [...all, null]
      .map((next, index) => ({
        place: { list, index },
        words: `${next === null ? "at the end" : `before ${next.name ?? next.key}`}${where === "" ? "" : ` (${where})`}`
      }))
      .filter(({ place }) => !isOwn || (place.index !== from.index && place.index !== from.index + 1))
  })
  const [chosen, choose] = useState("0")
  return (
    <Dialog title={`Move ${step.name ?? step.key}`} onClose={onClose}>
      {places.length === 0 ? (
        <p>There is no other place.</p>
      ) : (
        <Form onSubmit={() => onMove(places[Number(chosen)]!.place)}>
          <SelectField
            label="To"
            value={chosen}
            onChange={choose}
            options={places.map(({ words }, i) => [String(i), words])}
          />
          <div className="dialog-actions">
            <GoBack />
            <Button type="submit" kind="primary">
              Move it
            </Button>
          </div>
        </Form>
      )}
    </Dialog>
  )
}
