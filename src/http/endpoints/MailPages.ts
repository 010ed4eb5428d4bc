/** The pages that readers of mail see, and people who sign in. They load nothing and run nothing. */

export const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** `content` is HTML. */
export const layout = (title: string, content: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.1rem}button{font:inherit;padding:.5rem 1rem}
pre{padding:.5rem;background:#8882;white-space:pre-wrap;overflow-wrap:anywhere}</style></head>
<body>${content}</body></html>`

/** The form posts to the page's own address. */
const button = (action: "unsubscribe" | "resubscribe", label: string): string =>
  `<form method="post"><button name="action" value="${action}">${escape(label)}</button></form>`

export const message = (text: string): string => layout("E-mail", `<p>${escape(text)}</p>`)

export const unsubscribe = (sender: string, address: string): string =>
  layout(
    "Unsubscribe",
    `<p>Stop e-mail from <strong>${escape(sender)}</strong> to ${escape(address)}?</p>${button("unsubscribe", "Unsubscribe")}`
  )

export const unsubscribed = (sender: string, address: string): string =>
  layout(
    "Unsubscribed",
    `<p>${escape(address)} gets no more e-mail from <strong>${escape(sender)}</strong>.</p>${button("resubscribe", "Subscribe again")}`
  )

export const subscribed = (sender: string, address: string): string =>
  layout(
    "Subscribed",
    `<p>${escape(address)} gets e-mail from <strong>${escape(sender)}</strong> again.</p>${button("unsubscribe", "Unsubscribe")}`
  )
