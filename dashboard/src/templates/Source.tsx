import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language"
import type { Extension } from "@codemirror/state"
import { Annotation, Compartment, EditorState, StateEffect, StateField } from "@codemirror/state"
import type { DecorationSet } from "@codemirror/view"
import { Decoration, drawSelection, EditorView, keymap, lineNumbers, placeholder as hintOf } from "@codemirror/view"
import { tags } from "@lezer/highlight"
import type { RefObject } from "react"
import { useEffect, useImperativeHandle, useRef } from "react"
import { liquidParser } from "./liquid.ts"
import type { Fault } from "./sources.ts"

/*
 * An editor for one source. It lives in a shadow root: the editor writes its styles as sheets there, where it would put a
 * style element into the page, which the policy forbids. Tab is not taken: it leads out, as of every field.
 */

const COLOURS = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.brace, color: "var(--accent)", fontWeight: "600" },
    { tag: tags.keyword, color: "var(--accent)" },
    { tag: tags.variableName, color: "var(--busy)" },
    { tag: tags.function(tags.variableName), color: "var(--waiting)" },
    { tag: [tags.string, tags.number], color: "var(--good)" },
    { tag: tags.tagName, color: "var(--bad)" },
    { tag: tags.attributeName, color: "var(--waiting)" },
    { tag: [tags.comment, tags.operator], color: "var(--muted)" }
  ])
)

const MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"

const LOOKS = EditorView.theme({
  "&": { backgroundColor: "var(--card)", color: "var(--ink)", fontSize: "0.92rem", borderRadius: "8px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "1.5", maxHeight: "60vh", overflow: "auto" },
  ".cm-content": { padding: "7px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 11px" },
  "&.cm-focused .cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft)"
  },
  ".cm-placeholder": { color: "var(--muted)", whiteSpace: "pre-wrap" },
  ".cm-gutters": {
    backgroundColor: "var(--ground)",
    color: "var(--muted)",
    borderRight: "1px solid var(--line)",
    borderRadius: "8px 0 0 8px"
  },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 10px" },
  ".cm-wrong-line": { backgroundColor: "var(--bad-soft)" },
  ".cm-wrong": { textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" }
})

const setFaults = StateEffect.define<ReadonlyArray<Fault>>()

/** Where a fault is, as far as the text still has the place. */
const startOf = (state: EditorState, { column, line }: Fault): number | null => {
  if (line === null || line < 1 || line > state.doc.lines) return null
  const { from, to } = state.doc.line(line)
  return Math.min(to, from + (column ?? 1) - 1)
}

const marksOf = (state: EditorState, faults: ReadonlyArray<Fault>): DecorationSet =>
  Decoration.set(
    faults.flatMap((fault) => {
      const from = startOf(state, fault)
      if (from === null) return []
      const line = state.doc.lineAt(from)
      const [whole = ""] = /^\{\{.*?\}\}|^\{%.*?%\}|^\S+/.exec(line.text.slice(from - line.from)) ?? []
      const marks = [Decoration.line({ class: "cm-wrong-line" }).range(line.from)]
      if (whole !== "") marks.push(Decoration.mark({ class: "cm-wrong" }).range(from, from + whole.length))
      return marks
    }),
    true
  )

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, { changes, effects, state }) => {
    const found = effects.findLast((effect) => effect.is(setFaults))
    return found === undefined ? before.map(changes) : marksOf(state, found.value)
  },
  provide: (field) => EditorView.decorations.from(field)
})

/** A change that the page made, and knows of. */
const fromPage = Annotation.define<boolean>()

/** Enter and pasted ends of lines make no second line. */
const ONE_LINE: Extension = [
  keymap.of([{ key: "Enter", run: () => true }]),
  EditorView.clipboardInputFilter.of((text) => text.replace(/\s*\n\s*/g, " "))
]

/**
 * What is typed over a selection takes its looks along in Chromium, as an inline style, which the policy forbids. So the
 * editor writes it, and not the browser.
 */
const REPLACING = EditorView.domEventHandlers({
  beforeinput: ({ data, inputType }, view) => {
    const { readOnly, selection } = view.state
    if (inputType !== "insertText" || data === null || readOnly || view.composing) return false
    if (selection.ranges.every(({ empty }) => empty)) return false
    view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true })
    return true
  }
})

export interface SourceHandle {
  readonly show: (fault: Fault) => void
}

export interface SourceProps {
  readonly label: string
  readonly value: string
  readonly kind: "line" | "text" | "html"
  readonly isReadOnly: boolean
  readonly placeholder: string
  readonly faults: ReadonlyArray<Fault>
  readonly onChange: (value: string) => void
  readonly handle?: RefObject<SourceHandle | null>
}

export const Source = ({ faults, handle, isReadOnly, kind, label, onChange, placeholder, value }: SourceProps) => {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const said = useRef(new Compartment())
  const changed = useRef(onChange)
  useEffect(() => {
    changed.current = onChange
  })
  const words = faults.map(({ message }) => message).join("; ")
  const attributes = {
    "aria-label": label,
    ...(faults.length > 0 && { "aria-invalid": "true", "aria-description": words }),
    ...(isReadOnly && { "aria-readonly": "true" }),
    "aria-multiline": String(kind !== "line")
  }
  const dressed = (): Extension => [EditorView.contentAttributes.of(attributes), hintOf(placeholder)]
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" })
    const editor = new EditorView({
      root,
      parent: root,
      doc: value,
      extensions: [
        kind === "line" ? ONE_LINE : lineNumbers(),
        history(),
        drawSelection(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorState.readOnly.of(isReadOnly),
        StreamLanguage.define(liquidParser(kind === "html")),
        COLOURS,
        LOOKS,
        EditorView.theme({
          ".cm-content": { fontFamily: kind === "html" ? MONO : "inherit" },
          ...(kind !== "line" && { ".cm-content, .cm-gutter": { minHeight: kind === "html" ? "220px" : "84px" } })
        }),
        marks,
        REPLACING,
        said.current.of(dressed()),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          if (docChanged && !transactions.some((one) => one.annotation(fromPage))) changed.current(state.doc.toString())
        })
      ]
    })
    view.current = editor
    return () => editor.destroy()
    // What else may change is told to the editor below.
  }, [isReadOnly, kind])
  useEffect(() => {
    const { state } = view.current!
    if (state.doc.toString() === value) return
    view.current!.dispatch({
      changes: { from: 0, to: state.doc.length, insert: value },
      annotations: fromPage.of(true)
    })
  }, [value])
  useEffect(
    () => view.current!.dispatch({ effects: said.current.reconfigure(dressed()) }),
    [label, placeholder, words, isReadOnly, kind]
  )
  // Told again, they would stand where they were before the text changed.
  const places = JSON.stringify(faults)
  useEffect(
    () => view.current!.dispatch({ effects: setFaults.of(JSON.parse(places) as ReadonlyArray<Fault>) }),
    [places, isReadOnly, kind]
  )
  useImperativeHandle(handle, () => ({
    show: (fault) => {
      const at = startOf(view.current!.state, fault)
      view.current!.dispatch({ ...(at !== null && { selection: { anchor: at } }), scrollIntoView: true })
      view.current!.focus()
    }
  }))
  return <div ref={host} className="source" data-invalid={faults.length > 0 || undefined} />
}
