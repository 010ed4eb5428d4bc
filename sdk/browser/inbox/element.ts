import { createClient } from "../page/client.ts"
import { safeAddress } from "../shared/addresses.ts"
import type { Inbox, InboxChange, InboxMessage } from "./inbox.ts"
import type { InboxLabels } from "./labels.ts"
import { ENGLISH } from "./labels.ts"
import { STYLES } from "./styles.ts"

export type { InboxLabels } from "./labels.ts"

/** What `open-message` carries. */
export type OpenedMessage = InboxMessage

type Child = Node | string | null

/** Texts become text nodes: whatever a message holds, none of it becomes markup. */
const node = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | null>>,
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value)
  element.append(...children.filter((child) => child !== null))
  return element
}

const BELL =
  "M12 3a6 6 0 0 0-6 6v3.6l-1.7 3.1a.9.9 0 0 0 .8 1.3h13.8a.9.9 0 0 0 .8-1.3L18 12.6V9a6 6 0 0 0-6-6Zm-2.4 15.5a2.5 2.5 0 0 0 4.8 0Z"

const bell = (): SVGElement => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg")
  svg.setAttribute("viewBox", "0 0 24 24")
  svg.setAttribute("aria-hidden", "true")
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path")
  path.setAttribute("d", BELL)
  path.setAttribute("fill", "currentColor")
  svg.append(path)
  return svg
}

const PAGE = 20
/** Announcements come at most so often. */
const ANNOUNCE_MS = 3000
/** Space between the panel and the window's edges. Pixels. */
const EDGE = 8

/** `<heliograph-inbox>`: a bell with the number of unread messages, and the list behind it. */
export class HeliographInboxElement extends HTMLElement {
  static readonly observedAttributes = ["app-id", "key", "api", "user-id"]

  /** For a component that is set up by attributes alone. */
  identityHash: ((userId: string) => string | Promise<string>) | undefined
  #inbox: Inbox | null = null
  #stop: ReadonlyArray<() => void> = []
  #labels = ENGLISH
  #messages: ReadonlyArray<InboxMessage> = []
  #waiting: ReadonlyArray<InboxMessage> = []
  #cursor: string | null = null
  #status: "idle" | "loading" | "loaded" | "failed" = "idle"
  #unread = 0
  #announcedAt = 0
  #bell!: HTMLButtonElement
  #badge!: HTMLElement
  #panel!: HTMLElement
  #content!: HTMLElement
  #list!: HTMLUListElement
  #heading!: HTMLElement
  #all!: HTMLButtonElement
  #close!: HTMLButtonElement
  #announcer!: HTMLElement

  constructor() {
    super()
    const root = this.attachShadow({ mode: "open" })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(STYLES)
    root.adoptedStyleSheets = [sheet]
    this.#badge = node("span", { class: "badge", part: "badge", "aria-hidden": "true", hidden: "" })
    this.#bell = node("button", { class: "bell", part: "bell", type: "button", "aria-haspopup": "dialog" })
    const icon = node("slot", { name: "icon" })
    icon.append(bell())
    this.#bell.append(icon, this.#badge)
    this.#heading = node("h2", { id: "heading", part: "heading" })
    this.#all = node("button", { class: "text", part: "mark-all", type: "button" })
    this.#close = node("button", { class: "text", part: "close", type: "button" })
    this.#content = node("div", { part: "content" })
    // It scrolls, so the keyboard has to reach it, also when nothing in it can be focused.
    this.#list = node("ul", { part: "list", tabindex: "0", "aria-labelledby": "heading" })
    this.#announcer = node("div", { class: "hidden", role: "status" })
    this.#panel = node(
      "div",
      { class: "panel", part: "panel", role: "dialog", "aria-labelledby": "heading", tabindex: "-1" },
      node("header", { part: "header" }, this.#heading, this.#all, this.#close),
      this.#content,
      this.#list
    )
    if ("popover" in this.#panel) this.#panel.popover = "auto"
    root.append(this.#bell, this.#panel, this.#announcer)
    this.#bell.addEventListener("click", () => (this.isOpen ? this.hide() : this.show()))
    this.#close.addEventListener("click", () => this.hide())
    this.#all.addEventListener("click", () => void this.#act(async (inbox) => void (await inbox.readAll())))
    this.#panel.addEventListener("toggle", () => this.#toggled())
    root.addEventListener("keydown", (event) => {
      if ((event as KeyboardEvent).key === "Escape" && this.isOpen) this.hide()
    })
    this.#list.addEventListener("scroll", () => {
      if (this.#list.scrollTop === 0 && this.#waiting.length > 0) this.#showWaiting()
    })
  }

  /** The inbox to show: `heliograph.inbox({ userId })`. Null shows an empty bell, as after sign-out. */
  get inbox(): Inbox | null {
    return this.#inbox
  }
  set inbox(inbox: Inbox | null) {
    if (inbox === this.#inbox) return
    this.#leave()
    this.#inbox = inbox
    this.#messages = this.#waiting = []
    this.#cursor = null
    this.#status = "idle"
    this.#unread = 0
    if (this.isConnected) this.#join()
    this.#render()
  }

  get labels(): InboxLabels {
    return this.#labels
  }
  set labels(labels: Partial<InboxLabels>) {
    this.#labels = { ...ENGLISH, ...labels }
    this.#render()
  }

  get isOpen(): boolean {
    return this.#bell.getAttribute("aria-expanded") === "true"
  }

  connectedCallback(): void {
    // A property that was set before this class was known hides the setter.
    for (const name of ["inbox", "labels"] as const) {
      if (!Object.hasOwn(this, name)) continue
      const value = this[name]
      delete (this as Record<string, unknown>)[name]
      Object.assign(this, { [name]: value })
    }
    this.#fromAttributes()
    if (this.#stop.length === 0) this.#join()
    this.#render()
  }

  disconnectedCallback(): void {
    this.#leave()
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#fromAttributes()
  }

  show(): void {
    if (this.#panel.showPopover === undefined) this.#panel.classList.add("open")
    else this.#panel.showPopover()
    this.#toggled(true)
    this.#panel.focus()
    if (this.#status === "idle" || this.#status === "failed") void this.#load(null)
  }

  hide(): void {
    const hadFocus = this.shadowRoot!.activeElement !== null
    if (this.#panel.hidePopover === undefined) this.#panel.classList.remove("open")
    else if (this.#panel.matches(":popover-open")) this.#panel.hidePopover()
    this.#toggled(false)
    if (hadFocus) this.#bell.focus()
  }

  #fromAttributes(): void {
    const [appId, key, api, userId] = HeliographInboxElement.observedAttributes.map((name) => this.getAttribute(name))
    if (!appId || !key || !api || !userId) return
    const options = { appId, key, api, ...(this.identityHash === undefined ? {} : { identityHash: this.identityHash }) }
    this.inbox = createClient(options).inbox({ userId })
  }

  #join(): void {
    const inbox = this.#inbox
    if (inbox === null) return
    this.#stop = [
      inbox.on("change", (change) => this.#changed(change)),
      inbox.on("error", () => {
        if (this.#status === "loading") this.#status = "failed"
        this.#render()
      })
    ]
  }

  #leave(): void {
    for (const stop of this.#stop) stop()
    this.#stop = []
  }

  #toggled(isOpen = this.#panel.matches(":popover-open, .open")): void {
    this.#bell.setAttribute("aria-expanded", String(isOpen))
    if (!isOpen) return
    // At the bell, within the window.
    const { bottom, right } = this.#bell.getBoundingClientRect()
    const { height, width } = this.#panel.getBoundingClientRect()
    const left = Math.max(EDGE, Math.min(right - width, innerWidth - width - EDGE))
    const top = Math.max(EDGE, Math.min(bottom + EDGE, innerHeight - height - EDGE))
    this.#panel.style.left = `${left}px`
    this.#panel.style.top = `${top}px`
  }

  #changed({ message, read, reset, unreadCount }: InboxChange): void {
    this.#unread = unreadCount
    if (reset && this.#status === "loaded") void this.#load(null)
    if (read !== undefined) {
      const now = new Date().toISOString()
      const mark = (one: InboxMessage) =>
        read === null || one.id === read ? { ...one, read_at: one.read_at ?? now } : one
      this.#messages = this.#messages.map(mark)
      this.#waiting = this.#waiting.map(mark)
    }
    if (message !== undefined) this.#arrived(message)
    this.#render()
  }

  #arrived(message: InboxMessage): void {
    const isKnown = [...this.#messages, ...this.#waiting].some(({ id }) => id === message.id)
    if (isKnown || message.read_at !== null) return
    this.#announce(1)
    if (this.#status !== "loaded") return
    // Nothing jumps under somebody's eyes.
    if (this.isOpen && this.#list.scrollTop > 0) this.#waiting = [message, ...this.#waiting]
    else this.#messages = [message, ...this.#messages]
  }

  #showWaiting(): void {
    this.#messages = [...this.#waiting, ...this.#messages]
    this.#waiting = []
    this.#render()
    this.#list.scrollTop = 0
  }

  #unannounced = 0
  #announce(count: number): void {
    this.#unannounced += count
    const wait = this.#announcedAt + ANNOUNCE_MS - Date.now()
    if (wait > 0) {
      if (this.#unannounced === count) setTimeout(() => this.#announce(0), wait)
      return
    }
    this.#announcedAt = Date.now()
    this.#announcer.textContent = this.#labels.newMessages(this.#unannounced)
    this.#unannounced = 0
  }

  async #load(cursor: string | null): Promise<void> {
    const inbox = this.#inbox
    if (inbox === null) return
    this.#status = "loading"
    this.#render()
    try {
      const page = await inbox.list({ cursor, limit: PAGE })
      if (inbox !== this.#inbox) return
      const known = new Set(cursor === null ? [] : this.#messages.map(({ id }) => id))
      const before = cursor === null ? [] : this.#messages
      this.#messages = [...before, ...page.messages.filter(({ id }) => !known.has(id))]
      if (cursor === null) this.#waiting = []
      this.#cursor = page.nextCursor
      this.#status = "loaded"
    } catch {
      if (inbox === this.#inbox) this.#status = "failed"
    }
    this.#render()
  }

  async #act(work: (inbox: Inbox) => Promise<void>): Promise<void> {
    const inbox = this.#inbox
    if (inbox === null) return
    try {
      await work(inbox)
    } catch {
      this.#announcer.textContent = this.#labels.failed
    }
  }

  #markRead(message: InboxMessage): Promise<void> {
    if (message.read_at !== null) return Promise.resolve()
    return this.#act(async (inbox) => void (await inbox.read(message.id)))
  }

  #openMessage(message: InboxMessage, event: Event): void {
    const opened = new CustomEvent<OpenedMessage>("open-message", {
      detail: message,
      bubbles: true,
      composed: true,
      cancelable: true
    })
    if (!this.dispatchEvent(opened)) event.preventDefault()
    void this.#markRead(message)
  }

  #item(message: InboxMessage): HTMLLIElement {
    const isUnread = message.read_at === null
    const words = message.title ?? this.#labels.untitled
    const url = safeAddress(message.url, location.href)
    const title =
      url === null
        ? node("button", { class: "title", part: "title", type: "button" }, words)
        : node("a", { class: "title", part: "title", href: url, rel: "noopener" }, words)
    title.dataset["id"] = message.id
    title.addEventListener("click", (event) => this.#openMessage(message, event))
    const at = new Date(message.created_at)
    const moment = at.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })
    const item = node(
      "li",
      { class: isUnread ? "unread" : "read", part: isUnread ? "item unread" : "item" },
      node("div", {}, isUnread ? node("span", { class: "hidden" }, `${this.#labels.unread}: `) : null, title),
      node("time", { part: "time", datetime: message.created_at }, moment),
      message.body === null ? null : node("p", { class: "body", part: "body" }, message.body)
    )
    if (isUnread) {
      const name = `${this.#labels.markRead}: ${words}`
      const mark = node("button", { class: "text mark", part: "mark", type: "button", "aria-label": name })
      mark.append(this.#labels.markRead)
      mark.addEventListener("click", async () => {
        await this.#markRead(message)
        // The button is gone with the state: the keyboard goes on from the message.
        this.#list.querySelector<HTMLElement>(`[data-id="${CSS.escape(message.id)}"]`)?.focus()
      })
      item.append(node("span", {}), mark)
    }
    return item
  }

  #render(): void {
    const labels = this.#labels
    const count = this.#unread
    this.#badge.hidden = count === 0
    this.#badge.textContent = count > 99 ? "99+" : String(count)
    const name = count === 0 ? labels.notifications : `${labels.notifications}, ${labels.unreadCount(count)}`
    this.#bell.setAttribute("aria-label", name)
    if (!this.#bell.hasAttribute("aria-expanded")) this.#bell.setAttribute("aria-expanded", "false")
    this.#heading.textContent = labels.notifications
    this.#all.textContent = labels.markAllRead
    this.#all.hidden = count === 0
    this.#close.textContent = labels.close

    const note = (...children: ReadonlyArray<Child>) => node("p", { class: "note", part: "note" }, ...children)
    const button = (part: string, words: string, act: () => void) => {
      const element = node("button", { class: `text ${part}`, part, type: "button" }, words)
      element.addEventListener("click", act)
      return element
    }
    const top = []
    if (this.#waiting.length > 0) {
      top.push(button("new", labels.newMessages(this.#waiting.length), () => this.#showWaiting()))
    }
    if (this.#status === "failed") {
      top.push(
        note(labels.failed),
        button("more", labels.retry, () => void this.#load(null))
      )
    } else if (this.#messages.length === 0) {
      top.push(note(this.#status === "loading" ? labels.loading : labels.empty))
    }
    this.#content.replaceChildren(...top)

    const focused = (this.shadowRoot!.activeElement as HTMLElement | null)?.dataset["id"]
    const { scrollTop } = this.#list
    const items: Array<Node> = this.#messages.map((message) => this.#item(message))
    if (this.#cursor !== null && this.#status !== "failed") {
      const more = button("more", labels.more, () => void this.#load(this.#cursor))
      items.push(node("li", { class: "read", part: "item" }, more))
    }
    this.#list.hidden = this.#messages.length === 0
    this.#list.replaceChildren(...items)
    this.#list.scrollTop = scrollTop
    if (focused !== undefined) {
      this.#list.querySelector<HTMLElement>(`[data-id="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true })
    }
  }
}

if (customElements.get("heliograph-inbox") === undefined) {
  customElements.define("heliograph-inbox", HeliographInboxElement)
}

declare global {
  interface HTMLElementTagNameMap {
    "heliograph-inbox": HeliographInboxElement
  }
}
