import { Context } from "effect"

/** A file of the built dashboard, as it may be sent. */
export interface DashboardFile {
  /** Below the root of the service: `assets/main-Bq1x.js`. */
  readonly name: string
  readonly contentType: string
  readonly plain: Uint8Array
  /** The same compressed; null where that saves nothing. */
  readonly brotli: Uint8Array | null
  readonly gzip: Uint8Array | null
}

export interface BuiltDashboard {
  /** The document of every page. */
  readonly page: string
  /** Their names change with their contents. */
  readonly files: ReadonlyArray<DashboardFile>
}

/** The dashboard, as it was built before this process started. */
export class DashboardFiles extends Context.Service<
  DashboardFiles,
  {
    /** Null: it was not built. */
    readonly built: BuiltDashboard | null
  }
>()("heliograph/ports/DashboardFiles") {}
