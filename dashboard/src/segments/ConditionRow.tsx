import type { ReactNode } from "react"
import { PLATFORM } from "../devices/words.ts"
import { Button, Check, SelectField, TextField } from "../parts/form.tsx"
import type { Condition } from "./conditions.ts"
import { KINDS, OPERATORS, takesValue } from "./conditions.ts"
import type { AttributeOperator, EngagementType, Platform } from "./operations.ts"

interface Props {
  readonly one: Condition
  readonly change: (changes: Partial<Condition>) => void
  /** An example of an attribute's name. */
  readonly placeholder?: string
}

const LISTS = {
  tagsAny: ["Tags", "news, beta", "Divided by commas. One of them is enough."],
  tagsAll: ["Tags", "customer, news", "Divided by commas. All of them have to be there."],
  tagsNone: ["Tags", "muted", "Divided by commas. None of them may be there."],
  locales: ["Languages", "de, pt-BR", "Divided by commas; de also stands for de-AT."],
  timezones: ["Time zones", "Europe/Berlin, Europe/Vienna", "Divided by commas."]
} as const

const Attribute = ({ change, one, placeholder = "plan" }: Props) => (
  <div className="condition-fields">
    <TextField label="Name" value={one.name} onChange={(name) => change({ name })} placeholder={placeholder} />
    <SelectField
      label="How"
      value={one.op}
      onChange={(op) => change({ op })}
      options={Object.entries(OPERATORS) as ReadonlyArray<[AttributeOperator, string]>}
    />
    {takesValue(one.op) && (
      <TextField
        label={one.op === "IN" ? "Values" : "Value"}
        value={one.value}
        onChange={(value) => change({ value })}
        placeholder={one.op === "IN" ? "pro, team" : "pro"}
      />
    )}
  </div>
)

const Platforms = ({ change, one }: Props) => (
  <div className="checks">
    {(Object.entries(PLATFORM) as ReadonlyArray<[Platform, string]>).map(([platform, words]) => (
      <Check
        key={platform}
        label={words}
        isChecked={one.platforms.includes(platform)}
        onChange={(isIn) =>
          change({
            platforms: isIn ? [...one.platforms, platform] : one.platforms.filter((other) => other !== platform)
          })
        }
      />
    ))}
    <p className="hint">Devices alone: e-mail has no platform.</p>
  </div>
)

const LastSeen = ({ change, one }: Props) => (
  <div className="condition-fields">
    <TextField
      label="Seen in the last days"
      inputMode="numeric"
      value={one.days}
      onChange={(days) => change({ days })}
      placeholder="90"
    />
    <TextField
      label="And not in the last days"
      inputMode="numeric"
      value={one.notDays}
      onChange={(notDays) => change({ notDays })}
      placeholder="14"
    />
  </div>
)

const Engagement = ({ change, one }: Props) => (
  <div className="condition-fields">
    <SelectField
      label="A message"
      value={one.isNot ? "not" : "did"}
      onChange={(which) => change({ isNot: which === "not" })}
      options={[
        ["did", "was"],
        ["not", "was not"]
      ]}
    />
    <SelectField
      label="What"
      value={one.type}
      onChange={(type) => change({ type })}
      options={
        [
          ["DELIVERED", "delivered"],
          ["OPENED", "opened"],
          ["CLICKED", "clicked"]
        ] satisfies ReadonlyArray<[EngagementType, string]>
      }
    />
    <TextField
      label="In the last days"
      inputMode="numeric"
      value={one.days}
      onChange={(days) => change({ days })}
      placeholder="30"
    />
  </div>
)

/** What is typed of a condition; its kind says which fields there are. */
export const ConditionFields = (props: Props) => {
  const { change, one } = props
  switch (one.kind) {
    case "attributes":
      return <Attribute {...props} />
    case "platforms":
      return <Platforms {...props} />
    case "lastSeen":
      return <LastSeen {...props} />
    case "engagement":
      return <Engagement {...props} />
    default: {
      const [label, placeholder, hint] = LISTS[one.kind]
      return (
        <TextField
          label={label}
          value={one.list}
          onChange={(list) => change({ list })}
          placeholder={placeholder}
          hint={hint}
        />
      )
    }
  }
}

interface FrameProps {
  readonly at: number
  readonly fault: string | null
  readonly onRemove: () => void
}

/** One condition of a list, whatever it is about, with what is wrong with it where it stands. */
export const ConditionFrame = ({
  at,
  children,
  fault,
  legend,
  onRemove
}: FrameProps & { readonly legend: string; readonly children: ReactNode }) => (
  <fieldset className="condition">
    <legend>{legend}</legend>
    {children}
    {fault !== null && <p className="fault">{fault}</p>}
    <Button kind="quiet" className="condition-remove" onClick={onRemove}>
      Remove<span className="unseen"> condition {at + 1}</span>
    </Button>
  </fieldset>
)

export const ConditionRow = ({ at, fault, onRemove, ...props }: Props & FrameProps) => (
  <ConditionFrame at={at} fault={fault} onRemove={onRemove} legend={KINDS[props.one.kind]}>
    <ConditionFields {...props} />
  </ConditionFrame>
)

/** Chooses what one more condition is about. */
export const ConditionAdder = <Kind extends string>({
  label = "Add a condition",
  onAdd,
  options
}: {
  readonly label?: string
  readonly options: ReadonlyArray<readonly [kind: Kind, words: string]>
  readonly onAdd: (kind: Kind) => void
}) => (
  <label className="adder">
    {label}
    <select
      value=""
      onChange={(event) => {
        if (event.target.value !== "") onAdd(event.target.value as Kind)
      }}
    >
      <option value="">Choose what it is about</option>
      {options.map(([kind, words]) => (
        <option key={kind} value={kind}>
          {words}
        </option>
      ))}
    </select>
  </label>
)
