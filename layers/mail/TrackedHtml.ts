import { decodeHTMLAttribute } from "entities/decode"
import { QuoteType, Tokenizer } from "htmlparser2"

/*
 * Puts tracked links and an open pixel into a customer's HTML. A tokenizer finds the tags and their attributes as a
 * browser does, and nothing is touched but the values of `href` in `<a>` and `<area>`: whatever else stands there, well
 * formed or not, leaves as it came. No tree is built, which would cost more the deeper a stranger nests.
 */

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("'", "&#39;")

/** Characters of a destination, at most: longer ones are left alone. */
export const LONGEST_DESTINATION = 2048

/** An http or https address as it goes into a Location header; null for anything else. */
const destinationOf = (raw: string): string | null => {
  const url = URL.parse(decodeHTMLAttribute(raw))
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null
  return url.href.length <= LONGEST_DESTINATION ? url.href : null
}

/** Links of a mail that are tracked, at most: each makes it longer, and is written anew for each recipient. */
export const MOST_LINKS = 1000

interface Place {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
}

const ignore = (): void => {}

/**
 * Replaces where links lead. `link` is asked for each http or https address and answers the address to put there, or
 * null to leave it. A link with `data-track="off"` is left, and so is one whose tag does not end, and whatever comes after
 * the first `MOST_LINKS`.
 */
export const trackLinks = (html: string, link: (destination: string) => string | null): string => {
  let out = ""
  let copied = 0
  let tracked = 0
  // Of the tag that is being read, and of its attribute.
  let isLink = false
  let isOff = false
  /** Undefined: none yet. Null: one without a value. */
  let href: Place | null | undefined
  let name = ""
  let start = 0
  let end = 0

  const endOfTag = (): void => {
    const destination =
      !isLink || isOff || !href || tracked === MOST_LINKS ? null : destinationOf(html.slice(href.start, href.end))
    const replacement = destination === null ? null : link(destination)
    if (!href || replacement === null) return
    tracked++
    const text = escape(replacement)
    out += html.slice(copied, href.start) + (href.isQuoted ? text : `"${text}"`)
    copied = href.end
  }

  // References are of interest in few values: they are read there, and text is passed over.
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: (from, to) => {
        isLink = /^(?:a|area)$/i.test(html.slice(from, to))
        isOff = false
        href = undefined
      },
      onattribname: (from, to) => {
        if (isLink) name = html.slice(from, to).toLowerCase()
      },
      onattribdata: (from, to) => {
        start = from
        end = to
      },
      onattribend: (quote) => {
        if (!isLink) return
        const hasValue = quote !== QuoteType.NoValue
        if (name === "data-track") isOff ||= hasValue && /^off$/i.test(html.slice(start, end))
        // Of two attributes with one name, the first counts.
        if (name === "href" && href === undefined) {
          href = hasValue ? { start, end, isQuoted: quote !== QuoteType.Unquoted } : null
        }
      },
      onopentagend: endOfTag,
      onselfclosingtag: endOfTag,
      onattribentity: ignore,
      oncdata: ignore,
      onclosetag: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
      ontext: ignore,
      ontextentity: ignore
    }
  )
  tokenizer.write(html)
  tokenizer.end()
  return out + html.slice(copied)
}

/** Adds an image that nobody sees at the end of the body. */
export const addPixel = (html: string, url: string): string => {
  const image = `<img src="${escape(url)}" width="1" height="1" alt="" style="display:block;border:0;width:1px;height:1px">`
  const end = Math.max(html.lastIndexOf("</body"), html.lastIndexOf("</BODY"))
  return end === -1 ? html + image : html.slice(0, end) + image + html.slice(end)
}
