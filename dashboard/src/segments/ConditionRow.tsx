import { PLATFORM } from "../devices/words.ts"
import { Button, Check, SelectField, TextField } from "../parts/form.tsx"
import type { Condition } from "./conditions.ts"
import { KINDS, OPERATORS, takesValue } from "./conditions.ts"
import type { AttributeOperator, EngagementType, Platform } from "./operations.ts"

interface Props {
  readonly one: Condition
  readonly change: (changes: Partial<Condition>) => void
}

const LISTS = {
  tagsAny: ["Tags", "news, beta", "Divided by commas. One of them is enough."],
  tagsAll: ["Tags", "customer, news", "Divided by commas. All of them have to be there."],
  tagsNone: ["Tags", "muted", "Divided by commas. None of them may be there."],
  locales: ["Languages", "de, pt-BR", "Divided by commas; de also stands for de-AT."],
  timezones: ["Time zones", "Europe/Berlin, Europe/Vienna", "Divided by commas."]
} as const

const Attribute = ({ change, one }: Props) => (
  <div className="condition-fields">
    <TextField label="Name" value={one.name} onChange={(name) => change({ name })} placeholder="plan" />
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

const Fields = (props: Props) => {
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

/** One condition, with what is wrong with it where it stands. */
export const ConditionRow = ({
  at,
  fault,
  onRemove,
  ...props
}: Props & { readonly at: number; readonly fault: string | null; readonly onRemove: () => void }) => (
  <fieldset className="condition">
    <legend>{KINDS[props.one.kind]}</legend>
    <Fields {...props} />
    {fault !== null && <p className="fault">{fault}</p>}
    <Button kind="quiet" className="condition-remove" onClick={onRemove}>
      Remove<span className="unseen"> condition {at + 1}</span>
    </Button>
  </fieldset>
)
