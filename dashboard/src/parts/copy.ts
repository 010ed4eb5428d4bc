/**
 * Puts a text on the clipboard. Answers whether it is there now: pages over plain http have no Clipboard API, and there the
 * older way stands in for it, which a browser may refuse as well.
 */
export const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyByEvent(text)
  }
}

const copyByEvent = (text: string): boolean => {
  let isCopied = false
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text)
    isCopied = event.clipboardData !== null
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener("copy", put, { capture: true })
  try {
    return document.execCommand("copy") && isCopied
  } finally {
    document.removeEventListener("copy", put, { capture: true })
  }
}
