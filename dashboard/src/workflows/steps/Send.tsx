import { useRef } from "react"
import { useTemplates } from "../../compose/choices.ts"
import { useApp } from "../../frame/viewer.ts"
import { Check, Choice, ErrorNotice, SelectField } from "../../parts/form.tsx"
import type { StepFormProps } from "./fields.tsx"
import { AreaOf, JsonOf, nameIn, SpanOf, TextOf } from "./fields.tsx"

type Json = Readonly<Record<string, unknown>>

const WAYS = [
  ["push", "Push"],
  ["email", "E-mail"],
  ["inbox", "Inbox"]
] as const

const Channels = ({ change, step }: StepFormProps) => {
  const channels = (step["channels"] ?? []) as ReadonlyArray<string>
  const choose = (way: string, isIn: boolean): void => {
    const next = WAYS.map(([one]) => one).filter((one) => (one === way ? isIn : channels.includes(one)))
    change({ channels: next.length === 0 ? undefined : next })
  }
  return (
    <fieldset className="checks">
      <legend>By</legend>
      {WAYS.map(([way, words]) => (
        <Check key={way} label={words} isChecked={channels.includes(way)} onChange={(isIn) => choose(way, isIn)} />
      ))}
      {channels.length === 0 && <p className="hint">None chosen: push, and e-mail where it has a subject or HTML.</p>}
    </fieldset>
  )
}

/** The texts of each way that the message takes, or that are there already. */
const Written = ({ change, step }: StepFormProps) => {
  const content = (step["content"] ?? {}) as Json
  const channels = (step["channels"] ?? ["push", "email"]) as ReadonlyArray<string>
  const set = (name: string) => (value: unknown) => {
    const { [name]: _, ...rest } = content
    change({ content: value === undefined ? rest : { ...content, [name]: value } })
  }
  const has = (...names: ReadonlyArray<string>) => names.some((name) => content[name] !== undefined)
  const isShort = channels.includes("push") || channels.includes("inbox") || has("title", "url", "image")
  const isMail = channels.includes("email") || has("subject", "html")
  return (
    <>
      {isShort && (
        <fieldset className="condition-group">
          <legend>Push and inbox</legend>
          <TextOf label="Title" field="content.title" value={content["title"]} onChange={set("title")} />
          <AreaOf label="Body" field="content.body" rows={2} value={content["body"]} onChange={set("body")} />
          <div className="grid two">
            <TextOf label="Leads to" field="content.url" value={content["url"]} onChange={set("url")} />
            <TextOf label="Picture" field="content.image" value={content["image"]} onChange={set("image")} />
          </div>
        </fieldset>
      )}
      {isMail && (
        <fieldset className="condition-group">
          <legend>E-mail</legend>
          <TextOf label="Subject" field="content.subject" value={content["subject"]} onChange={set("subject")} />
          <AreaOf label="HTML" field="content.html" rows={5} value={content["html"]} onChange={set("html")} />
          {!isShort && <AreaOf label="Text" field="content.body" value={content["body"]} onChange={set("body")} />}
        </fieldset>
      )}
      <p className="hint">
        Texts are Liquid: <code>{"{{ data.name }}"}</code> is what the trigger brought,{" "}
        <code>{"{{ contact.attributes.name }}"}</code> what is known of the person.
      </p>
    </>
  )
}

const FromTemplate = ({ change, step }: StepFormProps) => {
  const { appId } = useApp()
  const shown = useTemplates(appId)
  const id = String(step["template_id"] ?? "")
  const templates = shown.data ?? []
  const isKnown = id === "" || templates.some((one) => one.id === id)
  return (
    <>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      <SelectField
        label="Template"
        name={nameIn("template_id")}
        value={id}
        onChange={(template_id) => change({ template_id })}
        options={[
          ["", templates.length === 0 && shown.data ? "There is no template yet" : "Choose a template"],
          ...templates.map((one) => [one.id, one.name] as const),
          ...(isKnown ? [] : [[id, id] as const])
        ]}
        hint="As it is when the workflow is saved."
      />
      <JsonOf
        label="Variables"
        field="variables"
        rows={2}
        value={step["variables"]}
        onChange={(variables) => change({ variables })}
        hint='JSON, as {"offer": "20 %"}. What the run carries is there by itself, under data and steps.'
      />
    </>
  )
}

export const SendForm = (props: StepFormProps) => {
  const { change, step } = props
  const isTemplate = step["template_id"] !== undefined
  /** What was chosen or written, for whoever comes back to it. */
  const left = useRef<Json>({})
  const choose = (source: "written" | "template"): void => {
    const { content, template_id, variables } = step
    left.current = { ...left.current, ...(isTemplate ? { template_id, variables } : { content }) }
    change(
      source === "template"
        ? {
            content: undefined,
            template_id: left.current["template_id"] ?? "",
            variables: left.current["variables"]
          }
        : { content: left.current["content"] ?? {}, template_id: undefined, variables: undefined }
    )
  }
  return (
    <>
      <Channels {...props} />
      <Choice
        label="What it says"
        value={isTemplate ? "template" : "written"}
        onChange={choose}
        options={[
          ["written", "Written here"],
          ["template", "A template"]
        ]}
      />
      {isTemplate ? <FromTemplate {...props} /> : <Written {...props} />}
      <Check
        label="Wait until it is known what became of it"
        isChecked={step["wait_for_outcome"] === true}
        onChange={(isWanted) => change({ wait_for_outcome: isWanted || undefined })}
        hint="A day at most; where all of it failed, the run fails. Otherwise the run goes on at once."
      />
      <details>
        <summary>Delivery</summary>
        <div className="grid two">
          <SelectField
            label="Priority"
            name={nameIn("priority")}
            value={String(step["priority"] ?? "")}
            onChange={(priority) => change({ priority: priority || undefined })}
            options={[
              ["", "As usual"],
              ["high", "High: ahead of mailings"],
              ["bulk", "With mailings"]
            ]}
          />
          <SpanOf
            label="Worthless after"
            field="ttl"
            value={step["ttl"]}
            onChange={(ttl) => change({ ttl })}
            hint="As 4 hours. Left empty: as the installation has it."
          />
          <TextOf
            label="Takes the place of others with the key"
            field="collapse_key"
            value={step["collapse_key"]}
            onChange={(collapse_key) => change({ collapse_key })}
            placeholder="cart"
          />
        </div>
      </details>
    </>
  )
}
