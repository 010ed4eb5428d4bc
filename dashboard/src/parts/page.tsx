import type { ReactNode } from "react"
import { useEffect, useRef, useState } from "react"
import { Button } from "./form.tsx"
import { ago, moment } from "./time.ts"

interface PageProps {
  readonly title: string
  readonly children: ReactNode
  /** What leads to this page. */
  readonly above?: ReactNode
  readonly beside?: ReactNode
  readonly actions?: ReactNode
}

/** Coming to a page moves the focus to its heading, so that a screen reader says where one is. */
export const Page = ({ above, actions, beside, children, title }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Heliograph`
  }, [title])
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div className="page">
      {above && <p className="above">{above}</p>}
      <header className="page-head">
        <div className="page-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {beside}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export const Card = ({
  actions,
  children,
  className = "",
  title
}: {
  readonly title?: string
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}) => (
  <section className={`card ${className}`}>
    {title && (
      <div className="card-head">
        <h2>{title}</h2>
        {actions && <div className="actions">{actions}</div>}
      </div>
    )}
    {children}
  </section>
)

export type Tone = "good" | "bad" | "busy" | "waiting" | "still"

export const Chip = ({ children, tone }: { readonly children: ReactNode; readonly tone: Tone }) => (
  <span className={`chip ${tone}`}>{children}</span>
)

/** How long ago, kept true while it shows; the whole moment, with its zone, as a title. */
export const When = ({ at }: { readonly at: string | null }) => {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 20_000)
    return () => clearInterval(timer)
  }, [])
  if (at === null) return <>–</>
  return (
    <time dateTime={at} title={moment(at)}>
      {ago(at)}
    </time>
  )
}

/** An id, short where there is little room; a click copies the whole. */
export const Id = ({ label = "id", value }: { readonly value: string; readonly label?: string }) => {
  const [isCopied, setCopied] = useState(false)
  return (
    <button
      type="button"
      className="id"
      title={`Copy ${value}`}
      onClick={() => {
        void navigator.clipboard?.writeText(value).then(() => {
          setCopied(true)
          setTimeout(() => setCopied(false), 1_500)
        })
      }}
    >
      <span className="unseen">Copy the {label} </span>
      <code>{isCopied ? "copied" : `${value.slice(0, 4)}…${value.slice(-6)}`}</code>
    </button>
  )
}

/** A secret that is shown this once. */
export const Secret = ({ label, value }: { readonly label: string; readonly value: string }) => {
  const [isCopied, setCopied] = useState(false)
  return (
    <div className="secret">
      <span className="secret-label">{label}</span>
      <code>{value}</code>
      <Button
        aria-label={`Copy: ${label}`}
        onClick={() => void navigator.clipboard?.writeText(value).then(() => setCopied(true))}
      >
        {isCopied ? "Copied" : "Copy"}
      </Button>
    </div>
  )
}

export const Empty = ({ children, title }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className="empty">
    <p className="empty-title">{title}</p>
    {children}
  </div>
)

/** Grey lines in the place of what comes. */
export const Loading = ({ lines = 4 }: { readonly lines?: number }) => (
  <div className="loading" role="status">
    <span className="unseen">Loading</span>
    {Array.from({ length: lines }, (_, i) => (
      <span key={i} className="loading-line" />
    ))}
  </div>
)

/** A dialog that holds the page still. The browser traps the focus, closes it by Escape, and gives the focus back. */
export const Dialog = ({
  children,
  className = "",
  onClose,
  title
}: {
  readonly title: string
  readonly children: ReactNode
  readonly className?: string
  /** Left out: it cannot be left. */
  readonly onClose?: () => void
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const shown = dialog.current!
    shown.showModal()
    return () => shown.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <div className="card-head">
        <h2>{title}</h2>
        {onClose && (
          <Button kind="quiet" aria-label="Close" onClick={onClose}>
            ✕
          </Button>
        )}
      </div>
      {children}
    </dialog>
  )
}

/** A question before what cannot be undone. */
export const Confirm = ({
  children,
  doing,
  error,
  isBusy,
  onClose,
  onConfirm,
  title,
  words
}: {
  readonly title: string
  readonly words: string
  readonly doing?: "danger" | "primary"
  readonly children: ReactNode
  readonly isBusy: boolean
  readonly error?: ReactNode
  readonly onConfirm: () => void
  readonly onClose: () => void
}) => (
  <Dialog title={title} onClose={onClose}>
    <div className="stack">{children}</div>
    {error}
    <div className="dialog-actions">
      <Button onClick={onClose}>Go back</Button>
      <Button kind={doing ?? "danger"} isBusy={isBusy} onClick={onConfirm}>
        {words}
      </Button>
    </div>
  </Dialog>
)

/** Wide tables scroll in their own frame, which the keyboard reaches. */
export const TableFrame = ({ children, label }: { readonly children: ReactNode; readonly label: string }) => (
  <div className="table-frame" role="region" aria-label={label} tabIndex={0}>
    <table>{children}</table>
  </div>
)
