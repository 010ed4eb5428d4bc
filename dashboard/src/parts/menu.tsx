import type { KeyboardEvent, ReactNode } from "react"
import { useId, useRef } from "react"

/** A button that opens a list of links and buttons: a popover of the browser's own, above everything, closed by Escape. */
export const Menu = ({
  button,
  children,
  className = "",
  label
}: {
  readonly label: string
  readonly button: ReactNode
  readonly children: ReactNode
  readonly className?: string
}) => {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const items = () => [...list.current!.querySelectorAll<HTMLElement>("a, button")]
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const all = items()
    const at = all.indexOf(document.activeElement as HTMLElement)
    all[(at + step + all.length) % all.length]?.focus()
  }
  return (
    <div className={`menu ${className}`} onKeyDown={move}>
      <button type="button" className="menu-button" popoverTarget={id}>
        <span className="unseen">{label}: </span>
        {button}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        className="menu-list"
        onToggle={(event) => {
          if (event.newState === "open") items()[0]?.focus()
        }}
        onClick={(event) => {
          if ((event.target as Element).closest("a, button")) list.current?.hidePopover()
        }}
      >
        {children}
      </div>
    </div>
  )
}
