import { describe, expect, it } from "vitest"
import { addPixel, LONGEST_DESTINATION, MOST_LINKS, trackLinks } from "../../../layers/mail/TrackedHtml.ts"

const follow = (html: string) => {
  const seen: Array<string> = []
  const out = trackLinks(html, (destination) => {
    seen.push(destination)
    return `T${seen.length}`
  })
  return { out, seen }
}

describe("tracked links", () => {
  it.each([
    ['<a href="https://e.org/">x</a>', '<a href="T1">x</a>', "https://e.org/"],
    ["<A CLASS=b HREF='http://e.org/a b'>", "<A CLASS=b HREF='T1'>", "http://e.org/a%20b"],
    ["<a\n href = https://e.org/x?a=1>", '<a\n href = "T1">', "https://e.org/x?a=1"],
    ['<a href="https://e.org/?a=1&amp;b=&#50;&#x33;">', '<a href="T1">', "https://e.org/?a=1&b=23"],
    ['<a href="https://e.org/?a=1&b=2&copy=3">', '<a href="T1">', "https://e.org/?a=1&b=2&copy=3"],
    ['<a href="\n https://bücher.example/ü ">', '<a href="T1">', "https://xn--bcher-kva.example/%C3%BC"],
    ['<area title="a > b" href="https://e.org/">', '<area title="a > b" href="T1">', "https://e.org/"],
    ['<a href="https://e.org/1" href="https://e.org/2">', '<a href="T1" href="https://e.org/2">', "https://e.org/1"],
    ['2 < 3 <a href="https://e.org/">', '2 < 3 <a href="T1">', "https://e.org/"],
    ['<a href="https://e.org/caf&eacute;?a=1&ampb=2">', '<a href="T1">', "https://e.org/caf%C3%A9?a=1&ampb=2"],
    ['<a href="https://e.org/?x=&unknown;">', '<a href="T1">', "https://e.org/?x=&unknown;"],
    ['<a href="https://e.org/?x=&#0;">', '<a href="T1">', "https://e.org/?x=%EF%BF%BD"],
    ["<a/href=https://e.org/a/>", '<a/href="T1">', "https://e.org/a/"],
    ['<a class="x"href="https://e.org/">', '<a class="x"href="T1">', "https://e.org/"],
    ['<a =x href="https://e.org/">', '<a =x href="T1">', "https://e.org/"],
    ['<base href="https://no.org/"><a href="https://e.org/">', null, "https://e.org/"],
    ['<!--> <a href="https://e.org/"> -->', '<!--> <a href="T1"> -->', "https://e.org/"],
    ['<!--[if !mso]><!--><a href="https://e.org/"><!--<![endif]-->', null, "https://e.org/"],
    ['<noscript><a href="https://e.org/"></noscript>', '<noscript><a href="T1"></noscript>', "https://e.org/"],
    ['<p title="<a href=https://no.org/>"><a href="https://e.org/">', null, "https://e.org/"],
    ['<textarea></textareas><a href="https://no.org/"></TEXTAREA ><a href="https://e.org/">', null, "https://e.org/"],
    ['<title><a href="https://no.org/"></title><a href="https://e.org/">', null, "https://e.org/"]
  ])("lead from %s", (html, expected, destination) => {
    const { out, seen } = follow(html)
    expect(seen).toEqual([destination])
    if (expected !== null) expect(out).toBe(expected)
  })

  it.each([
    '<a href="mailto:a@b.org">',
    '<a href="javascript:alert(1)">',
    '<a href="#top">',
    '<a href="/relative">',
    '<a href="ftp://e.org/">',
    "<a href>",
    '<a data-href="https://e.org/">',
    '<a href="https://e.org/" data-track="off">',
    '<a href="https://e.org/" data-track=OFF >',
    '<!DOCTYPE html PUBLIC "<a href=https://e.org/">',
    '<?php <a href="https://e.org/" ?>',
    '</a href="https://e.org/">',
    '<xmp><a href="https://e.org/"></xmp>',
    '<plaintext><a href="https://e.org/"></plaintext>',
    `<a href="https://e.org/${"x".repeat(LONGEST_DESTINATION)}">`,
    '<link href="https://e.org/">',
    '<base href="https://e.org/">',
    '<!-- <a href="https://e.org/"> -->',
    '<!--[if mso]><a href="https://e.org/">x</a><![endif]-->',
    "<script>x = '<a href=\"https://e.org/\">'</script>",
    '<style><a href="https://e.org/"></style>',
    '<textarea><a href="https://e.org/"></textarea>',
    "<p title=\"<a href='https://e.org/'>\">",
    '<a href="https://e.org/',
    '<a href="https://e.org/"',
    '<!-- <a href="https://e.org/">',
    '<style><a href="https://e.org/">'
  ])("leave %s as it is", (html) => {
    expect(follow(html)).toEqual({ out: html, seen: [] })
  })

  it("leave everything as it came when nothing is tracked, whatever it is, and take no longer for being broken", () => {
    const pieces = [
      "<a ",
      "href=",
      '"',
      "'",
      ">",
      "<",
      "/",
      "https://e.org/",
      "&amp;",
      "<!--",
      "-->",
      "<script>",
      "</script>",
      " ",
      "=",
      "é",
      "\n"
    ]
    let seed = 1
    const next = (limit: number) => (seed = (seed * 48_271) % 2_147_483_647) % limit
    for (let round = 0; round < 2000; round++) {
      const html = Array.from({ length: next(40) }, () => pieces[next(pieces.length)]).join("")
      expect(trackLinks(html, () => null)).toBe(html)
      const { out, seen } = follow(html)
      expect(seen.length === 0).toBe(out === html)
    }
    const broken = ["<", "<a ", "<!--", "<a href=", '<a href="', "<script>", "&", "<a x=1 ", "<a x", "</", "<!", "<b>"]
    for (const piece of [
      ...broken,
      "</i>",
      "<a href=x>",
      "<textarea>&amp;",
      "<![CDATA[",
      "<a href='https://e.org/&amp;'>"
    ]) {
      const html = piece.repeat(500_000 / piece.length)
      expect(trackLinks(html, () => null)).toBe(html)
    }
  })

  it("are the first thousand of a mail; the others stay as they came", () => {
    const link = '<a href="https://e.org/">'
    const { out, seen } = follow(link.repeat(1200))
    expect(seen).toHaveLength(MOST_LINKS)
    expect(out.endsWith(`<a href="T1000">${link.repeat(200)}`)).toBe(true)
  })

  it("are found however deep they stand, and among any number of attributes", () => {
    const deep = `${"<b>".repeat(50_000)}<a href="https://e.org/">x</a>${"</i>".repeat(50_000)}`
    const wide = `<a ${Array.from({ length: 50_000 }, (_, i) => `x${i}=1`).join(" ")} href="https://e.org/">`
    for (const html of [deep, wide]) {
      expect(follow(html)).toEqual({ out: html.replace("https://e.org/", "T1"), seen: ["https://e.org/"] })
    }
  })

  it("escape what is put there", () => {
    expect(trackLinks('<a href="https://e.org/">', () => "https://t.org/?a=1&b=\"'")).toBe(
      '<a href="https://t.org/?a=1&amp;b=&quot;&#39;">'
    )
  })
})

describe("the open pixel", () => {
  it("stands at the end of the body, or of what there is", () => {
    expect(addPixel("<body><p>x</p></body></html>", "https://t.org/o/1")).toMatch(
      /^<body><p>x<\/p><img src="https:\/\/t\.org\/o\/1"[^>]*><\/body><\/html>$/
    )
    expect(addPixel("<p>x</p>", "https://t.org/o/1")).toMatch(/^<p>x<\/p><img [^>]*>$/)
  })
})
