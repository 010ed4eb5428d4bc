/*
 * Puts tracked links and an open pixel into a customer's HTML. It scans tags and their attributes and touches nothing but
 * the values of `href` in `<a>` and `<area>`: whatever else stands there, well formed or not, leaves as it came. Where a
 * tag does not end, the scan ends too. Comments, and with them what only Outlook reads, stay as they are.
 */

/** Elements whose content is text to a browser, whatever it looks like. */
const RAW = /^(?:script|style|title|textarea|xmp|iframe|noembed|noframes|plaintext)$/i
const NAME = /<([a-z][^\s/>]*)/iy
const SPACE = /[\s/]*/y
const ATTRIBUTE = /([^\s/>][^\s/>=]*)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)))?/dy

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

/** The text of an attribute; null when it has a reference that is not understood here. */
const decode = (raw: string): string | null => {
  let isKnown = true
  const text = raw.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z0-9]*));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) {
      const character = ENTITIES[String(name).toLowerCase()]
      isKnown &&= character !== undefined
      return character ?? whole
    }
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    isKnown &&= code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return isKnown ? String.fromCodePoint(code) : whole
  })
  return isKnown ? text : null
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("'", "&#39;")

/** Characters of a destination, at most: longer ones are left alone. */
export const LONGEST_DESTINATION = 2048

/** An http or https address as it goes into a Location header; null for anything else. */
const destinationOf = (raw: string): string | null => {
  const text = decode(raw)
  const url = text === null ? null : URL.parse(text)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null
  return url.href.length <= LONGEST_DESTINATION ? url.href : null
}

interface Place {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
}

/**
 * Replaces where links lead. `link` is asked for each http or https address and answers the address to put there, or
 * null to leave it. A link with `data-track="off"` is left.
 */
export const trackLinks = (html: string, link: (destination: string) => string | null): string => {
  let out = ""
  let copied = 0
  let at = 0
  while (true) {
    const open = html.indexOf("<", at)
    if (open === -1) break
    if (html.startsWith("<!--", open)) {
      const end = html.indexOf("-->", open + 4)
      if (end === -1) break
      at = end + 3
      continue
    }
    NAME.lastIndex = open
    const name = NAME.exec(html)?.[1]
    if (name === undefined) {
      at = open + 1
      continue
    }
    const isLink = /^(?:a|area)$/i.test(name)
    let href: Place | null = null
    let isOff = false
    let hasHref = false
    at = open + 1 + name.length
    while (true) {
      SPACE.lastIndex = at
      SPACE.exec(html)
      at = SPACE.lastIndex
      ATTRIBUTE.lastIndex = at
      const attribute = html[at] === ">" ? null : ATTRIBUTE.exec(html)
      if (attribute === null) break
      at = ATTRIBUTE.lastIndex
      const key = attribute[1]!.toLowerCase()
      const places = (attribute as RegExpExecArray & { readonly indices: ReadonlyArray<[number, number] | undefined> })
        .indices
      const value = places[2] ?? places[3] ?? places[4]
      if (key === "data-track" && value !== undefined) isOff ||= /^off$/i.test(html.slice(...value))
      // Of two attributes with one name, the first counts.
      if (key === "href" && !hasHref) {
        hasHref = true
        if (value !== undefined) href = { start: value[0], end: value[1], isQuoted: places[4] === undefined }
      }
    }
    if (html[at] !== ">") break
    at++
    const destination = isLink && !isOff && href !== null ? destinationOf(html.slice(href.start, href.end)) : null
    const replacement = destination === null ? null : link(destination)
    if (href !== null && replacement !== null) {
      const text = escape(replacement)
      out += html.slice(copied, href.start) + (href.isQuoted ? text : `"${text}"`)
      copied = href.end
    }
    if (RAW.test(name)) {
      const closing = new RegExp(`</${name}(?=[\\s/>])`, "gi")
      closing.lastIndex = at
      const end = closing.exec(html)
      if (end === null) break
      at = end.index
    }
  }
  return out + html.slice(copied)
}

/** Adds an image that nobody sees at the end of the body. */
export const addPixel = (html: string, url: string): string => {
  const image = `<img src="${escape(url)}" width="1" height="1" alt="" style="display:block;border:0;width:1px;height:1px">`
  const end = Math.max(html.lastIndexOf("</body"), html.lastIndexOf("</BODY"))
  return end === -1 ? html + image : html.slice(0, end) + image + html.slice(end)
}
