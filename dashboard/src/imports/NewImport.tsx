import { useState } from "react"
import { useApp } from "../frame/viewer.ts"
import { AreaField, Button, Choice, Field, useDraft } from "../parts/form.tsx"
import { Card, TableFrame } from "../parts/page.tsx"
import { bytes, counted } from "../parts/time.ts"
import { toast } from "../parts/toasts.tsx"
import { useBeginning } from "./begin.ts"
import type { Kind } from "./columns.ts"
import { FIELDS, guess, inputOf, obstacleOf } from "./columns.ts"
import type { Place, Row, Shape } from "./rows.ts"
import { readRows, shapeOf, Unreadable } from "./rows.ts"
import { run } from "./runner.ts"
import type { ImportJob } from "./store.ts"
import { addJob } from "./store.ts"

interface Chosen {
  readonly file: Blob
  readonly name: string
  readonly shape: Shape
  readonly start: Place
  /** Rows at the beginning. */
  readonly sample: ReadonlyArray<Row>
}

const SAMPLE = 100
const EXAMPLES = 3
const FAULTS = 3

const exampleOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Each column, what it becomes, and what stands in it. */
const Columns = ({
  chosen: { sample, shape },
  kind,
  onChange,
  targets
}: {
  readonly chosen: Chosen
  readonly kind: Kind
  readonly targets: ReadonlyArray<string>
  readonly onChange: (targets: ReadonlyArray<string>) => void
}) => (
  <TableFrame label="Columns">
    <thead>
      <tr>
        <th scope="col">Column</th>
        <th scope="col">Becomes</th>
        <th scope="col">For example</th>
      </tr>
    </thead>
    <tbody>
      {shape.columns.map((column, i) => (
        <tr key={i}>
          <th scope="row" className="details">
            {column}
          </th>
          <td>
            <select
              aria-label={`What ${column} becomes`}
              className="target"
              value={targets[i]}
              onChange={(event) => onChange(targets.map((target, j) => (j === i ? event.target.value : target)))}
            >
              <option value="">Left out</option>
              {FIELDS[kind].map(([target, words]) => (
                <option key={target} value={target}>
                  {words}
                </option>
              ))}
            </select>
          </td>
          <td className="details muted">
            {sample
              .map(({ values }) => values[i])
              .filter((value) => value !== undefined && value !== null && value !== "")
              .slice(0, EXAMPLES)
              .map(exampleOf)
              .join(" · ")}
          </td>
        </tr>
      ))}
    </tbody>
  </TableFrame>
)

/** What is wrong in the first rows, before anything is written. */
const Trial = ({
  chosen: { sample, shape },
  kind,
  targets
}: {
  readonly chosen: Chosen
  readonly kind: Kind
  readonly targets: ReadonlyArray<string>
}) => {
  const faults = sample.flatMap(({ fault, line, values }) => {
    const why = fault ?? inputOf(kind, shape.columns, targets, values).fault
    return why === null ? [] : [{ line, why }]
  })
  if (faults.length === 0) return <p className="muted">The first {counted(sample.length, "row")} can be read.</p>
  return (
    <div className="notice warning">
      <p>
        <strong>
          {faults.length} of the first {counted(sample.length, "row")} will be refused.
        </strong>{" "}
        The others are imported; a list by line comes with the result.
      </p>
      <ul>
        {faults.slice(0, FAULTS).map(({ line, why }) => (
          <li key={line}>
            Line {line}: {why}
          </li>
        ))}
      </ul>
    </div>
  )
}

const WORDS = { contacts: "Contacts", devices: "Devices" } as const

export const NewImport = ({
  accountId,
  kinds,
  onStart
}: {
  readonly accountId: string
  readonly kinds: ReadonlyArray<Kind>
  readonly onStart: () => void
}) => {
  const { appId } = useApp()
  const draft = useDraft(`import ${appId}`, { kind: kinds[0]!, source: "file" as "file" | "paste", text: "" })
  const { kind, source, text } = draft.value
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [targets, setTargets] = useState<ReadonlyArray<string>>([])
  const [fault, setFault] = useState<string | null>(null)
  const choose = async (file: Blob, name: string) => {
    setFault(null)
    setChosen(null)
    try {
      const { shape, start } = await shapeOf(file)
      const rows = await readRows(file, start, shape)
      if (rows.length === 0) throw new Unreadable("There are no rows below its first line.")
      setTargets(guess(kind, shape.columns))
      setChosen({ file, name, shape, start, sample: rows.slice(0, SAMPLE) })
    } catch (error) {
      setFault(error instanceof Unreadable ? error.message : `It cannot be read: ${String(error)}`)
    }
  }
  const obstacle = chosen === null ? null : obstacleOf(kind, targets)
  const beginning = useBeginning(async () => {
    if (chosen === null || obstacle !== null) return
    await addJob<ImportJob>({
      type: "import",
      importId: null,
      accountId,
      appId,
      kind,
      name: chosen.name,
      state: "running",
      startedAt: new Date().toISOString(),
      endedAt: null,
      error: null,
      waiting: null,
      file: chosen.file,
      size: chosen.file.size,
      shape: chosen.shape,
      targets,
      ...chosen.start,
      created: 0,
      changed: 0,
      refused: 0
    })
    run(accountId)
    setChosen(null)
    draft.forget()
    toast("The import has begun")
    onStart()
  })
  return (
    <Card title="Import">
      <Choice
        label="What"
        value={kind}
        onChange={(kind) => {
          draft.change({ kind })
          if (chosen !== null) setTargets(guess(kind, chosen.shape.columns))
        }}
        options={kinds.map((one) => [one, WORDS[one]] as const)}
      />
      <Choice
        label="From"
        value={source}
        onChange={(source) => {
          draft.change({ source })
          setChosen(null)
          setFault(null)
        }}
        options={[
          ["file", "A file"],
          ["paste", "Pasted text"]
        ]}
      />
      {source === "file" ? (
        <Field
          label="CSV, or JSON lines"
          hint="The first line of CSV names the columns. Nothing is written before you have seen what becomes of them."
        >
          {(attributes) => (
            <input
              {...attributes}
              type="file"
              accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
              onChange={(event) => {
                const file = event.target.files?.[0]
                if (file !== undefined) void choose(file, file.name)
              }}
            />
          )}
        </Field>
      ) : (
        <>
          <AreaField
            label="Rows, the first with the names of the columns"
            value={text}
            onChange={(text) => draft.change({ text })}
            rows={6}
            spellCheck={false}
            placeholder={
              kind === "contacts"
                ? "external_id,email,tags\nuser-42,ada@example.com,news"
                : "platform,token,user_id\nandroid,…,user-42"
            }
          />
          <Button onClick={() => void choose(new Blob([text]), "pasted rows")}>Look at it</Button>
        </>
      )}
      {fault !== null && (
        <p className="notice danger" role="alert">
          {fault}
        </p>
      )}
      {chosen !== null && (
        <>
          <h3>
            {chosen.name}, {bytes(chosen.file.size)}, {chosen.shape.format === "csv" ? "CSV" : "JSON lines"}
          </h3>
          <Columns chosen={chosen} kind={kind} targets={targets} onChange={setTargets} />
          {obstacle === null ? (
            <Trial chosen={chosen} kind={kind} targets={targets} />
          ) : (
            <p className="notice warning" role="status">
              {obstacle}
            </p>
          )}
          {targets.includes("emailAsId") && (
            <p className="notice info">
              People are known by their addresses then: your apps and servers have to name them so, too.
            </p>
          )}
          <p className="small muted">
            {kind === "contacts"
              ? "Whoever is there already, by your own id, is changed: empty cells leave a field as it is, tags and attributes take the place of those that were there. Tags are divided by commas."
              : "A token that is there already is registered anew: what is left out of its row is forgotten. Tags are divided by commas."}
          </p>
          {beginning.fault !== null && (
            <p className="notice danger" role="alert">
              {beginning.fault}
            </p>
          )}
          <div className="actions">
            <Button
              kind="primary"
              isBusy={beginning.isBusy}
              aria-disabled={obstacle !== null || undefined}
              onClick={() => void beginning.start(undefined)}
            >
              Import {chosen.name}
            </Button>
          </div>
        </>
      )}
    </Card>
  )
}
