import { useEffect, useRef, useState } from "react"

/** Pixels: of a mail that says nothing, and of one that is scrolled. */
const LEAST = 80
const MOST = 640

/** A mail as it looks, in a frame of no origin (src/http/endpoints/MailFrame.ts): nothing in it is part of this page. */
export const MailFrame = ({ html, title }: { readonly html: string; readonly title: string }) => {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setReady] = useState(false)
  const [height, setHeight] = useState(LEAST)
  useEffect(() => {
    const listen = ({ data, source }: MessageEvent): void => {
      if (source === null || source !== frame.current?.contentWindow) return
      if (data === "ready") setReady(true)
      const said = (data as { readonly height?: unknown }).height
      if (typeof said === "number") setHeight(Math.min(MOST, Math.max(LEAST, said)))
    }
    addEventListener("message", listen)
    return () => removeEventListener("message", listen)
  }, [])
  useEffect(() => {
    // A frame of no origin has no name by which it could be meant.
    if (isReady) frame.current?.contentWindow?.postMessage(html, "*")
  }, [html, isReady])
  return (
    <iframe
      ref={frame}
      src="/mail-frame"
      title={title}
      sandbox="allow-scripts"
      className="mail-frame"
      height={height}
    />
  )
}
