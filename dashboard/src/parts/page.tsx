import { useBlocker } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { createContext, use, useEffect, useLayoutEffect, useRef, useState } from "react"
import { copy } from "./copy.ts"
import { Button, Form, TextField } from "./form.tsx"
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

/** An id, short where there is little room; a click copies the whole, or shows it where a browser lets nobody copy. */
export const Id = ({ label = "id", value }: { readonly value: string; readonly label?: string }) => {
  const [now, setNow] = useState<"copied" | "shown" | null>(null)
  return (
    <button
      type="button"
      className="id"
      title={`Copy ${value}`}
      onClick={() => {
        void copy(value).then((isCopied) => {
          setNow(isCopied ? "copied" : "shown")
          if (isCopied) setTimeout(() => setNow(null), 1_500)
        })
      }}
    >
      <span className="unseen">Copy the {label} </span>
      <code>{now === "copied" ? "copied" : now === "shown" ? value : `${value.slice(0, 4)}…${value.slice(-6)}`}</code>
    </button>
  )
}

/** A secret that is shown this once. */
export const Secret = ({ label, value }: { readonly label: string; readonly value: string }) => {
  const [words, setWords] = useState("Copy")
  return (
    <div className="secret">
      <span className="secret-label">{label}</span>
      <code>{value}</code>
      <Button
        aria-label={`${words}: ${label}`}
        onClick={() => void copy(value).then((isCopied) => setWords(isCopied ? "Copied" : "Not copied: mark it"))}
      >
        {words}
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

/** Leaves the dialog that it is asked for in, as Escape does. */
const Leave = createContext<() => void>(() => undefined)

/** The button that leads out of a dialog with nothing done. */
export const GoBack = ({ words = "Go back" }: { readonly words?: string }) => {
  const leave = use(Leave)
  return <Button onClick={leave}>{words}</Button>
}

/** Where one begins in a dialog that asks for something; in others it is what stands first. */
const FIRST_FIELD = "input:not([type=hidden]), select, textarea"

/**
 * A dialog that holds the page still. The browser traps the focus, closes it by Escape, and gives the focus back. What was
 * typed into it is dropped after a question alone, whichever way one leaves: Escape, a button, the way back, a reload.
 */
export const Dialog = ({
  children,
  className = "",
  isChanged = false,
  isKept = false,
  onClose,
  title
}: {
  readonly title: string
  readonly children: ReactNode
  readonly className?: string
  /** What is typed outlives a reload: it is kept elsewhere, as by `useDraft`. */
  readonly isKept?: boolean
  /** There is something typed from before a reload. */
  readonly isChanged?: boolean
  /** Left out: it cannot be left. */
  readonly onClose?: () => void
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const isTyped = useRef(false)
  const [isAsking, setAsking] = useState(false)
  // Before the dialog is out of the page: browsers give the focus back by closing alone.
  useLayoutEffect(() => {
    const shown = dialog.current!
    shown.showModal()
    shown.querySelector<HTMLElement>(FIRST_FIELD)?.focus()
    return () => shown.close()
  }, [])
  const leave = (): void => {
    if (isTyped.current || isChanged) setAsking(true)
    else onClose?.()
  }
  const mayAsk = isAsking && onClose !== undefined
  useBlocker({
    // What the dialog itself leads to is wanted.
    shouldBlockFn: ({ action }) => {
      if (!isTyped.current || action === "PUSH" || action === "REPLACE") return false
      setAsking(true)
      return true
    },
    enableBeforeUnload: () => isTyped.current && !isKept
  })
  return (
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-label={title}
      onInput={() => (isTyped.current = true)}
      onCancel={(event) => {
        event.preventDefault()
        leave()
      }}
      // Browsers let a page keep a dialog open once, and close it at the next Escape.
      onClose={(event) => {
        const { isConnected, open } = event.currentTarget
        if (event.target !== event.currentTarget || !isConnected || open) return
        event.currentTarget.showModal()
        leave()
      }}
    >
      <div className="card-head">
        <h2>{title}</h2>
        {onClose && (
          <Button kind="quiet" aria-label="Close" onClick={leave}>
            ✕
          </Button>
        )}
      </div>
      <Leave value={leave}>{children}</Leave>
      {mayAsk && (
        <div className="notice warning" role="alert">
          <p>What you typed here is not saved.</p>
          <div className="dialog-actions">
            <Button
              kind="danger"
              onClick={() => {
                isTyped.current = false
                onClose()
              }}
            >
              Drop it
            </Button>
            <Button autoFocus onClick={() => setAsking(false)}>
              Go on writing
            </Button>
          </div>
        </div>
      )}
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
  typed,
  words
}: {
  readonly title: string
  readonly words: string
  readonly doing?: "danger" | "primary"
  readonly children: ReactNode
  readonly isBusy: boolean
  readonly error?: ReactNode
  /** What has to be typed before: for what takes a great deal with it. */
  readonly typed?: string
  readonly onConfirm: () => void
  readonly onClose: () => void
}) => {
  const [text, setText] = useState("")
  const [wasTried, setTried] = useState(false)
  const isMeant = typed === undefined || text.trim() === typed.trim()
  const confirm = (): void => {
    setTried(true)
    if (isMeant && !isBusy) onConfirm()
  }
  return (
    <Dialog title={title} className={typed === undefined ? "" : "typed"} onClose={onClose}>
      <div className="stack">{children}</div>
      {typed !== undefined && (
        <Form onSubmit={confirm}>
          <TextField
            label={`Type ${typed} to go on`}
            value={text}
            onChange={setText}
            fault={wasTried && !isMeant ? "is to be typed as it stands here" : null}
            autoComplete="off"
            spellCheck={false}
          />
        </Form>
      )}
      {error}
      <div className="dialog-actions">
        <GoBack />
        <Button kind={doing ?? "danger"} isBusy={isBusy} onClick={confirm}>
          {words}
        </Button>
      </div>
    </Dialog>
  )
}

/** Wide tables scroll in their own frame, which the keyboard reaches. */
export const TableFrame = ({ children, label }: { readonly children: ReactNode; readonly label: string }) => (
  <div className="table-frame" role="region" aria-label={label} tabIndex={0}>
    <table>{children}</table>
  </div>
)
