import type { HTMLAttributes } from "react"
import { createElement, useEffect, useRef } from "react"
import type { HeliographInboxElement, OpenedMessage } from "./element.ts"
import type { Inbox } from "./inbox.ts"
import "./element.ts"

export interface HeliographInboxProps extends HTMLAttributes<HTMLElement> {
  /** Of `heliograph.inbox({ userId })`: keep the same one from render to render. */
  readonly inbox: Inbox
  /** Called with a message that was opened; `preventDefault` keeps the page from going to its address. */
  readonly onOpenMessage?: (event: CustomEvent<OpenedMessage>) => void
}

/** `<heliograph-inbox>` as a component of React 18 and newer. */
export const HeliographInbox = ({ inbox, onOpenMessage, ...rest }: HeliographInboxProps) => {
  const element = useRef<HeliographInboxElement>(null)
  useEffect(() => {
    element.current!.inbox = inbox
    return () => void (element.current && (element.current.inbox = null))
  }, [inbox])
  useEffect(() => {
    const { current } = element
    const listener = (event: Event) => onOpenMessage?.(event as CustomEvent<OpenedMessage>)
    current?.addEventListener("open-message", listener)
    return () => current?.removeEventListener("open-message", listener)
  }, [onOpenMessage])
  return createElement("heliograph-inbox", { ...rest, ref: element })
}
