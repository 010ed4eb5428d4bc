import { useState } from "react"
import { Refusal } from "../../api/request.ts"
import { Button, SelectField } from "../../parts/form.tsx"
import { ConditionAdder, ConditionFields, ConditionFrame } from "../../segments/ConditionRow.tsx"
import type { MessageState, Rule, Rules } from "../conditions.ts"
import {
  gapOf,
  jsonOf,
  kindOf,
  kindsLeft,
  MESSAGE_STATES,
  newRule,
  pathsOf,
  RULE_KINDS,
  rulesOf
} from "../conditions.ts"
import type { Step } from "../steps.ts"
import { conditionWords } from "../words.ts"
import { nameIn } from "./fields.tsx"

interface RowProps {
  readonly rule: Rule
  /** Keys of the SEND steps that stand before. */
  readonly messages: ReadonlyArray<string>
  readonly change: (rule: Rule) => void
}

const RuleFields = ({ change, messages, rule }: RowProps) => {
  if (rule.about !== "steps") {
    return (
      <>
        <ConditionFields
          one={rule.one}
          change={(changes) => change({ ...rule, one: { ...rule.one, ...changes } })}
          {...(rule.about === "data" && { placeholder: "order.total" })}
        />
        {rule.about === "data" && (
          <p className="hint">
            By path: <code>order.total</code> of what the trigger brought, <code>steps.ask.body.price</code> of what a
            step did.
          </p>
        )}
      </>
    )
  }
  const keys = messages.includes(rule.key) || rule.key === "" ? messages : [...messages, rule.key]
  return (
    <div className="condition-fields">
      <SelectField
        label="The message of"
        value={rule.key}
        onChange={(key) => change({ ...rule, key })}
        options={[
          ...(rule.key === "" ? [["", "Choose a step"] as const] : []),
          ...keys.map((key) => [key, key] as const)
        ]}
      />
      <SelectField
        label="How"
        value={rule.isNot ? "not" : "is"}
        onChange={(how) => change({ ...rule, isNot: how === "not" })}
        options={[
          ["is", "was"],
          ["not", "was not"]
        ]}
      />
      <SelectField
        label="What"
        value={rule.is}
        onChange={(is: MessageState) => change({ ...rule, is })}
        options={MESSAGE_STATES.map((state) => [state, state])}
      />
    </div>
  )
}

/** What is said of the values at a path or below it, and of nothing else. */
const faultUnder = (error: unknown, path: string): string | null => {
  if (!(error instanceof Refusal)) return null
  const found = error.details.find(({ field }) => field === path || field.startsWith(`${path}.`))
  return found === undefined ? null : `It ${found.message}.`
}

interface ListProps {
  readonly rules: ReadonlyArray<Rule>
  readonly messages: ReadonlyArray<string>
  readonly error: unknown
  readonly path: string
  readonly onChange: (rules: ReadonlyArray<Rule>) => void
  readonly addWords: string
}

const RuleList = ({ addWords, error, messages, onChange, path, rules }: ListProps) => {
  const paths = pathsOf(rules)
  return (
    <>
      {rules.map((rule, at) => (
        <ConditionFrame
          key={at}
          at={at}
          legend={RULE_KINDS[kindOf(rule)]}
          fault={(error !== null ? gapOf(rule) : null) ?? faultUnder(error, `${path}.${paths[at]}`)}
          onRemove={() => onChange(rules.filter((_, i) => i !== at))}
        >
          <RuleFields
            rule={rule}
            messages={messages}
            change={(changed) => onChange(rules.map((other, i) => (i === at ? changed : other)))}
          />
        </ConditionFrame>
      ))}
      <ConditionAdder
        label={addWords}
        options={kindsLeft(rules).map((kind) => [kind, RULE_KINDS[kind]])}
        onAdd={(kind) => onChange([...rules, newRule(kind, messages)])}
      />
    </>
  )
}

interface ConditionsProps {
  readonly label: string
  /** Where they stand in the step. */
  readonly field: string
  readonly value: unknown
  readonly onChange: (conditions: unknown) => void
  readonly earlier: ReadonlyArray<Step>
  readonly error: unknown
}

/** The conditions of a step: all of them have to fit, and one of the groups, where there are any. */
export const Conditions = ({ earlier, error, field, label, onChange, value }: ConditionsProps) => {
  const [rules, setRules] = useState<Rules | null>(() => rulesOf(value))
  const messages = earlier.filter(({ type }) => type === "SEND").map(({ key }) => key)
  const path = nameIn(field)
  const set = (next: Rules): void => {
    setRules(next)
    onChange(jsonOf(next))
  }
  const whole = error instanceof Refusal ? error.details.find((detail) => detail.field === path) : undefined
  return (
    <fieldset className="conditions">
      <legend>{label}</legend>
      {rules === null ? (
        <p>
          {conditionWords(value)}
          <span className="hint">
            {" "}
            They say more than this form can show without losing some of it: change them as JSON.
          </span>
        </p>
      ) : (
        <>
          <RuleList
            rules={rules.all}
            messages={messages}
            error={error}
            path={path}
            addWords="Add a condition"
            onChange={(all) => set({ ...rules, all })}
          />
          {rules.any.map((group, at) => (
            <fieldset key={at} className="condition-group">
              <legend>{at === 0 ? "And one of these groups has to fit" : "Or"}</legend>
              <RuleList
                rules={group}
                messages={messages}
                error={error}
                path={`${path}.any[${at}]`}
                addWords={`Add a condition to group ${at + 1}`}
                onChange={(changed) =>
                  set({ ...rules, any: rules.any.map((other, i) => (i === at ? changed : other)) })
                }
              />
              <Button kind="quiet" onClick={() => set({ ...rules, any: rules.any.filter((_, i) => i !== at) })}>
                Remove group {at + 1}
              </Button>
            </fieldset>
          ))}
          <Button kind="quiet" onClick={() => set({ ...rules, any: [...rules.any, []] })}>
            {rules.any.length === 0 ? "Or: add groups of which one has to fit" : "Add another group"}
          </Button>
        </>
      )}
      {whole && <p className="fault">They {whole.message}.</p>}
    </fieldset>
  )
}
