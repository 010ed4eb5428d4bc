import { Context } from "effect"

/** A file of the browsers' SDK, as it may be sent. */
export interface BrowserFile {
  readonly name: string
  readonly contentType: string
  readonly plain: Uint8Array
  /** The same compressed; null where that saves nothing. */
  readonly brotli: Uint8Array | null
  readonly gzip: Uint8Array | null
  /** Strong, of the plain bytes, with its quotation marks. */
  readonly etag: string
}

/** The SDK and the service worker for browsers, as they were built before this process started. */
export class BrowserFiles extends Context.Service<
  BrowserFiles,
  {
    /** By name (`browser.js`, `sw.js`, …). Empty: they were not built. */
    readonly files: ReadonlyMap<string, BrowserFile>
  }
>()("heliograph/ports/BrowserFiles") {}
