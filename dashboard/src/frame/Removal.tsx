import { useNavigate } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useState } from "react"
import { useDo } from "../api/hooks.ts"
import type { TypedDocument } from "../api/typedDocument.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Confirm } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import { useApp } from "./viewer.ts"

/** A button that asks, then takes something away for good, and leads to the list that it was in. */
export const Removal = <Answer,>({
  children,
  document,
  id,
  list,
  said,
  title,
  verb = "Delete",
  words
}: {
  readonly document: TypedDocument<Answer, { id: string }>
  readonly id: string
  readonly list: "contacts" | "devices" | "segments" | "templates" | "webhooks"
  readonly verb?: string
  /** What is asked, the words of the button that answers it, and what is said afterwards. */
  readonly title: string
  readonly words: string
  readonly said: string
  /** What goes with it, and what stays. */
  readonly children: ReactNode
}) => {
  const { appId } = useApp()
  const [isAsking, setAsking] = useState(false)
  const navigate = useNavigate()
  const remove = useDo(document, () => {
    toast(said)
    void navigate({ to: `/apps/$appId/${list}`, params: { appId } })
  })
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {verb}…
      </Button>
      {isAsking && (
        <Confirm
          title={title}
          words={words}
          isBusy={remove.isPending}
          error={<ErrorNotice error={remove.error} />}
          onClose={() => setAsking(false)}
          onConfirm={() => remove.mutate({ id })}
        >
          {children}
        </Confirm>
      )}
    </>
  )
}
