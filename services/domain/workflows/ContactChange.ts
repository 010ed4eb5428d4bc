import { isTooLarge, METADATA_BYTES, MOST_TAGS } from "../audience/Device.ts"
import type { Facts } from "./Conditions.ts"
import type { UpdateContactStep } from "./Steps.ts"

/** A person as an UPDATE_CONTACT leaves them. */
export const changed = (
  person: Facts,
  {
    attributes = {},
    tags_add = [],
    tags_remove = []
  }: Pick<UpdateContactStep, "attributes" | "tags_add" | "tags_remove">
): Facts => {
  const kept: Record<string, unknown> = { ...person.attributes }
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) delete kept[name]
    else kept[name] = value
  }
  const tags = new Set([...person.tags, ...tags_add])
  for (const tag of tags_remove) tags.delete(tag)
  return { ...person, tags: [...tags], attributes: kept }
}

/** What of a person would be more than a contact may have after a step; null: nothing. */
export const tooMuchOf = (
  { attributes, tags }: Pick<Facts, "attributes" | "tags">,
  step: Pick<UpdateContactStep, "attributes" | "tags_add">
): string | null => {
  if (step.tags_add !== undefined && tags.length > MOST_TAGS) return `tags must be at most ${MOST_TAGS}`
  return step.attributes !== undefined && isTooLarge(attributes)
    ? `attributes must be at most ${METADATA_BYTES} bytes as JSON`
    : null
}
