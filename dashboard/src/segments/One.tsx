import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { ask, Refusal } from "../api/request.ts"
import { Removal } from "../frame/Removal.tsx"
import { useApp, useId } from "../frame/viewer.ts"
import { Button, ErrorNotice, Form, keepInTab, TextField, useDraft } from "../parts/form.tsx"
import { Card, Empty, Id, Loading, Page } from "../parts/page.tsx"
import { useRested } from "../parts/rested.ts"
import { count, counted } from "../parts/time.ts"
import { toast } from "../parts/toasts.tsx"
import type { Condition, Filter, Kind } from "./conditions.ts"
import { conditionsOf, faultAt, filterOf, gapOf, isRepeatable, KINDS, newCondition } from "./conditions.ts"
import { ConditionAdder, ConditionRow } from "./ConditionRow.tsx"
import { Members } from "./Members.tsx"
import type { SegmentFilterInput, SegmentQuery } from "./operations.ts"
import { changeSegment, countSegment, createSegment, deleteSegment, segment } from "./operations.ts"
import { conditionWords } from "./words.ts"

type Segment = NonNullable<SegmentQuery["segment"]>

interface Draft {
  readonly name: string
  /** Null: as they are saved, which the form cannot say. */
  readonly conditions: ReadonlyArray<Condition> | null
  /** The segment's last change when the form was opened. */
  readonly basis: string
}

/** What is sent of it: conditions that the form cannot say stay as they are. */
const inputOf = ({ conditions, name }: Draft) => ({
  name: name.trim(),
  ...(conditions !== null && { filter: filterOf(conditions) })
})

/** How many recipients a notification to these conditions would have now. */
const Count = ({ appId, filter }: { readonly appId: string; readonly filter: SegmentFilterInput | null }) => {
  const rested = useRested(filter)
  const shown = useAsk(countSegment, { appId, filter: rested! }, { enabled: rested !== null, keep: true })
  const found = shown.data?.countSegment
  if (filter === null) return <p className="muted">Complete the conditions to see how many they are.</p>
  // What is wrong with a condition stands beside it.
  if (shown.error instanceof Refusal && shown.error.code === "validation_error")
    return <p className="muted">Not counted: a condition has a fault.</p>
  if (shown.error) return <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
  if (found === undefined) return <Loading lines={2} />
  return (
    <div aria-live="polite" aria-busy={shown.isFetching}>
      <p className="big-number">
        {!found.isExact && "About "}
        {count(found.recipients)} <span>{found.recipients === 1 ? "recipient" : "recipients"}</span>
      </p>
      <p className="muted">
        {counted(found.devices, "device")} and {counted(found.emails, "e-mail address", "e-mail addresses")}
      </p>
      {found.recipients === 0 && (
        <p className="small">
          Nobody yet. Conditions have to fit all at once; tags are those of devices, and of contacts for e-mail.
        </p>
      )}
    </div>
  )
}

const Remove = ({ one }: { readonly one: Segment }) => (
  <Removal
    document={deleteSegment}
    id={one.id}
    list="segments"
    title={`Delete ${one.name}?`}
    words="Delete the segment"
    said={`${one.name} is gone`}
  >
    <p>
      The people in it stay. Notifications that were accepted for it, scheduled ones too, keep its conditions. Nobody
      enters a workflow by it any more.
    </p>
  </Removal>
)

const ConditionList = ({ filter }: { readonly filter: Filter }) => (
  <ul className="timeline">
    {conditionWords(filter).map((words) => (
      <li key={words}>{words}</li>
    ))}
  </ul>
)

const Conditions = ({
  conditions,
  error,
  hasTried,
  onChange
}: {
  readonly conditions: ReadonlyArray<Condition>
  readonly error: unknown
  readonly hasTried: boolean
  readonly onChange: (conditions: ReadonlyArray<Condition>) => void
}) => {
  const left = (Object.keys(KINDS) as Array<Kind>).filter(
    (kind) => isRepeatable(kind) || !conditions.some((other) => other.kind === kind)
  )
  return (
    <>
      {conditions.length === 0 && (
        <p className={hasTried ? "fault" : "muted"}>
          A segment has one condition at least. For everybody, send to everyone.
        </p>
      )}
      {conditions.map((condition, at) => (
        <ConditionRow
          key={at}
          at={at}
          one={condition}
          fault={(hasTried ? gapOf(condition) : null) ?? faultAt(error, conditions, at)}
          change={(changes) => onChange(conditions.map((other, i) => (i === at ? { ...other, ...changes } : other)))}
          onRemove={() => onChange(conditions.filter((_, i) => i !== at))}
        />
      ))}
      <ConditionAdder
        options={left.map((kind) => [kind, KINDS[kind]])}
        onAdd={(kind) => onChange([...conditions, newCondition(kind)])}
      />
    </>
  )
}

/** The conditions, one below the other, and how many people they mean. */
const Builder = ({ one }: { readonly one: Segment | null }) => {
  const { appId } = useApp()
  const [initial] = useState<Draft>(() => ({
    name: one?.name ?? "",
    conditions: one === null ? [] : conditionsOf(one.filter),
    basis: one?.updatedAt ?? ""
  }))
  const draft = useDraft(`segment ${one?.id ?? `new ${appId}`}`, initial)
  const { conditions, name } = draft.value
  const [hasTried, setTried] = useState(false)
  const [isOthers, setOthers] = useState(false)
  const navigate = useNavigate()
  const leave = () => {
    draft.forget()
    void navigate({ to: "/apps/$appId/segments", params: { appId } })
  }
  const isAhead = (sent: unknown): boolean => JSON.stringify(inputOf(draft.value)) !== JSON.stringify(sent)
  const create = useDo(
    createSegment,
    ({ createSegment: { id, updatedAt } }, { input }) => {
      toast(`${input.name} is there`)
      if (!isAhead(input)) return leave()
      // What was typed meanwhile is a change of it.
      keepInTab(`segment ${id}`, JSON.stringify({ ...draft.value, basis: updatedAt }))
      draft.forget()
      void navigate({ to: "/apps/$appId/segments/$id", params: { appId, id } })
    },
    { once: true }
  )
  const save = useDo(changeSegment, ({ updateSegment: { updatedAt } }, { input }) => {
    toast("Saved")
    if (!isAhead(input)) return leave()
    draft.change({ basis: updatedAt })
    setOthers(false)
  })
  const error = create.error ?? save.error
  const isWhole = conditions === null || (conditions.length > 0 && conditions.every((each) => gapOf(each) === null))
  const submit = async () => {
    setTried(true)
    if (!isWhole || name.trim() === "") return
    const input = inputOf(draft.value)
    if (one === null) return create.mutate({ appId, input: { ...input, filter: input.filter ?? {} } })
    const now = await ask(segment, { id: one.id }).catch(() => null)
    if (now?.segment && now.segment.updatedAt !== draft.value.basis) {
      draft.change({ basis: now.segment.updatedAt })
      return setOthers(true)
    }
    save.mutate({ id: one.id, input })
  }
  const isDrafted = one !== null && JSON.stringify(conditions) !== JSON.stringify(conditionsOf(one.filter))
  return (
    <>
      <div className="compose">
        <Form className="compose-form" error={error} onSubmit={() => void submit()}>
          <Card title="Name">
            <TextField
              label="What these people have in common"
              name="name"
              value={name}
              onChange={(name) => draft.change({ name })}
              placeholder="Pro customers who fell silent"
              fault={hasTried && name.trim() === "" ? "is missing: say how the segment is called" : null}
            />
          </Card>
          <Card title="Everybody for whom all of this is true">
            {conditions === null ? (
              <>
                <ConditionList filter={one!.filter} />
                <p className="hint">
                  They say more than this form can show without losing some of it: change them by the API.
                </p>
              </>
            ) : (
              <Conditions
                conditions={conditions}
                error={error}
                hasTried={hasTried}
                onChange={(conditions) => draft.change({ conditions })}
              />
            )}
          </Card>
          {isOthers && (
            <div className="notice warning" role="alert">
              <p>
                <strong>Somebody else has changed this segment since you opened it.</strong> Save again, and yours takes
                the place of theirs; or go back and look at it first.
              </p>
            </div>
          )}
          <ErrorNotice error={error} />
          <div className="actions">
            {draft.isChanged && <span className="muted small">Not saved yet; kept in this tab.</span>}
            <Button onClick={leave}>{draft.isChanged ? "Discard" : "Go back"}</Button>
            <Button type="submit" kind="primary" isBusy={create.isPending || save.isPending}>
              {one === null ? "Make the segment" : "Save"}
            </Button>
          </div>
        </Form>
        <aside className="compose-side" aria-label="Count">
          <Card title="Now">
            <Count appId={appId} filter={conditions === null ? one!.filter : isWhole ? filterOf(conditions) : null} />
          </Card>
        </aside>
      </div>
      {one !== null && <Members one={one} isDrafted={isDrafted} />}
    </>
  )
}

/** For those who read. */
const Reader = ({ appId, one }: { readonly one: Segment; readonly appId: string }) => (
  <>
    <div className="grid two">
      <Card title="Everybody for whom all of this is true">
        <ConditionList filter={one.filter} />
      </Card>
      <Card title="Now">
        <Count appId={appId} filter={one.filter} />
      </Card>
    </div>
    <Members one={one} />
  </>
)

/** A segment: its conditions, and whom they mean now. */
export const One = () => {
  const id = useId("id")
  const isNew = id === "new"
  const { appId, may } = useApp()
  const shown = useAsk(segment, { id }, { enabled: !isNew })
  const one = shown.data?.segment ?? null
  const canChange = may("CHANGE_SEGMENTS")
  const above = (
    <Link to="/apps/$appId/segments" params={{ appId }}>
      Segments
    </Link>
  )
  if (isNew && canChange) {
    return (
      <Page title="New segment" above={above}>
        <Builder one={null} />
      </Page>
    )
  }
  if (one === null) {
    const isGone =
      isNew || shown.data !== undefined || (shown.error instanceof Refusal && shown.error.code === "not_found")
    return (
      <Page title={isGone ? "No such segment" : "Segment"} above={above}>
        {isGone ? (
          <Empty
            title={
              isNew
                ? "Members of the organization make segments; your role reads."
                : "It was deleted, or the address is wrong."
            }
          />
        ) : shown.error ? (
          <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
        ) : (
          <Loading />
        )}
      </Page>
    )
  }
  return (
    <Page
      title={one.name}
      above={above}
      beside={<Id value={one.id} label="id of the segment" />}
      actions={
        <>
          {may("SEND_NOTIFICATIONS") && (
            <Link
              to="/apps/$appId/compose"
              params={{ appId }}
              search={{ segment: one.id } as never}
              className="button plain"
            >
              Write to them
            </Link>
          )}
          {canChange && <Remove one={one} />}
        </>
      }
    >
      {canChange ? <Builder key={one.id} one={one} /> : <Reader one={one} appId={appId} />}
    </Page>
  )
}
