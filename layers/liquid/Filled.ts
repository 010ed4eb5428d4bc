import { Result, Schema, SchemaIssue } from "effect"
import { isStorable, UNSTORABLE } from "../../services/domain/Text.ts"
import { Content } from "../../services/domain/sending/Notification.ts"
import type { RenderProblem } from "../../services/ports/messages/TemplateEngine.ts"

const decode = Schema.decodeUnknownResult(Content)
const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Filters can make of a text what no request may send: the first character of an emoji is half of it. */
const isSound = (value: unknown): boolean =>
  typeof value === "string"
    ? isStorable(value)
    : typeof value !== "object" || value === null || Object.values(value).every(isSound)

/** Whether a filled template is a content as a request could have sent it: a link is a link, a subject one line. */
export const checkContent = (filled: Record<string, unknown>): Result.Result<Content, RenderProblem> => {
  const { image, subject, url } = filled
  const content = { ...filled }
  // Sources of several lines leave line breaks where conditions stood.
  if (typeof subject === "string") content["subject"] = subject.replace(/\p{Cc}+/gu, " ").trim()
  // A link that is filled with nothing is none.
  for (const [name, value] of Object.entries({ url, image })) {
    if (typeof value !== "string") continue
    if (value.trim() === "") delete content[name]
    else content[name] = value.trim()
  }
  for (const [name, part] of Object.entries(content)) {
    if (!isSound(part)) {
      return Result.fail({ field: `content.${name}`, code: "template_failed", message: UNSTORABLE })
    }
  }
  return Result.mapError(decode(content), ({ issue }): RenderProblem => {
    const [first] = format(issue).issues
    const name = String(first?.path?.[0] ?? "content")
    return {
      field: name === "content" ? name : `content.${name}`,
      code: "template_failed",
      message: first?.message.replace(/^Expected /, "must be ") ?? "is not valid"
    }
  })
}
