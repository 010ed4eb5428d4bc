import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback } from "react"
import { useAsk } from "../api/hooks.ts"
import { Refusal } from "../api/request.ts"
import { Removal } from "../frame/Removal.tsx"
import { useApp, useId } from "../frame/viewer.ts"
import { ErrorNotice } from "../parts/form.tsx"
import { Empty, Id, Loading, Page } from "../parts/page.tsx"
import type { Template } from "./draft.ts"
import { useTemplateDraft } from "./draft.ts"
import { Editor } from "./Editor.tsx"
import { deleteTemplate, template } from "./operations.ts"
import { Versions } from "./Versions.tsx"

const Remove = ({ one }: { readonly one: Template }) => (
  <Removal
    document={deleteTemplate}
    id={one.id}
    list="templates"
    title={`Delete ${one.name}?`}
    words="Delete the template"
    said={`${one.name} is gone`}
  >
    <p>
      It goes with all its versions. Notifications that were accepted with it, scheduled ones too, are sent as they were
      accepted, and so are steps of workflows; nothing new can be sent with it.
    </p>
  </Removal>
)

const Whole = ({
  above,
  one,
  onOvertaken
}: {
  readonly one: Template
  readonly above: React.ReactNode
  readonly onOvertaken: () => void
}) => {
  const { appId, may } = useApp()
  const navigate = useNavigate()
  const { language, view } = useSearch({ strict: false }) as { readonly view?: string; readonly language?: string }
  const draft = useTemplateDraft(one)
  /** `exact`: whether it is the page without any more in its address. */
  const to = (words: string, search: object, exact: boolean) => (
    <li>
      <Link
        to="/apps/$appId/templates/$id"
        params={{ appId, id: one.id }}
        search={search as never}
        activeOptions={{ exact, includeSearch: true }}
      >
        {words}
      </Link>
    </li>
  )
  return (
    <Page
      title={one.name}
      above={above}
      beside={<Id value={one.id} label="id of the template" />}
      actions={may("CHANGE_TEMPLATES") && <Remove one={one} />}
    >
      <nav className="tabs" aria-label="Template">
        <ul>
          {to("Texts", view === "versions" ? {} : { language }, true)}
          {to("Versions", { view: "versions" }, false)}
        </ul>
      </nav>
      {view === "versions" ? (
        <Versions
          one={one}
          isTyped={draft.isChanged}
          onTake={(sources) => {
            draft.change(() => sources)
            void navigate({ to: "/apps/$appId/templates/$id", params: { appId, id: one.id } })
          }}
        />
      ) : (
        <Editor one={one} draft={draft} onOvertaken={onOvertaken} />
      )}
    </Page>
  )
}

/** A template: what it says in each language, how that looks for somebody, and what it said before. */
export const One = () => {
  const id = useId("id")
  const { appId } = useApp()
  const shown = useAsk(template, { id })
  const { refetch } = shown
  const again = useCallback(() => void refetch(), [refetch])
  const one = shown.data?.template ?? null
  const above = (
    <Link to="/apps/$appId/templates" params={{ appId }}>
      Templates
    </Link>
  )
  if (one !== null) return <Whole key={one.id} one={one} above={above} onOvertaken={again} />
  const isGone = shown.data !== undefined || (shown.error instanceof Refusal && shown.error.code === "not_found")
  return (
    <Page title={isGone ? "No such template" : "Template"} above={above}>
      {isGone ? (
        <Empty title="It was deleted, or the address is wrong." />
      ) : shown.error ? (
        <ErrorNotice error={shown.error} onRetry={again} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}
