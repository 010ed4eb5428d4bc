/** What the demo found out, with the names that `--json` prints. */
export interface Report {
  readonly accepted: number
  readonly sent: number
  readonly failed: number
  readonly skipped: number
  readonly cancelled: number
  readonly pending: number
  /** Recipients that the totals call sent and no provider has seen. */
  readonly lost: number
  /** Messages that a provider has seen more than once, counted for each time too many. */
  readonly duplicates: number
  /** From the acceptance of the mailing to its last result. */
  readonly seconds: number
  readonly per_second: number
  readonly providers: Readonly<Record<string, { readonly sent: number; readonly per_second: number }>>
  readonly webhooks: {
    readonly expected: number
    readonly received: number
    readonly duplicates: number
    readonly per_second: number
  }
}

/** What is wrong with a report; empty when totals reconcile and every event arrived. */
export const problemsOf = (report: Report, isKilled: boolean): ReadonlyArray<string> => {
  const { accepted, sent, failed, skipped, cancelled, pending, webhooks } = report
  const ends = sent + failed + skipped + cancelled + pending
  return [
    ends === accepted ? null : `Totals do not reconcile: ${accepted} accepted, ${ends} in all states.`,
    pending === 0 ? null : `${pending} recipients have no final state.`,
    report.lost === 0 ? null : `${report.lost} messages are lost.`,
    failed === 0 ? null : `${failed} messages failed.`,
    // After a kill -9, what was in flight may go twice.
    report.duplicates === 0 || isKilled ? null : `${report.duplicates} messages went twice.`,
    webhooks.received === webhooks.expected
      ? null
      : `${webhooks.expected} webhooks were expected, ${webhooks.received} received.`,
    webhooks.duplicates === 0 || isKilled ? null : `${webhooks.duplicates} webhooks came twice.`
  ].filter((problem) => problem !== null)
}

const number = (value: number): string => Math.round(value).toLocaleString("en")

/** The report as a table for people. */
export const table = (report: Report): string => {
  const names: Readonly<Record<string, string>> = {
    apns: "APNs",
    fcm: "FCM",
    webpush: "Web Push",
    smtp: "SMTP"
  }
  const rows: Array<ReadonlyArray<string>> = [
    ["", "messages", "per second"],
    ...Object.entries(report.providers).map(([name, { per_second, sent }]) => [
      names[name] ?? name,
      number(sent),
      number(per_second)
    ]),
    ["All", number(report.sent), number(report.per_second)],
    ["Webhooks", number(report.webhooks.received), number(report.webhooks.per_second)]
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("   ")
  )
  const { accepted, cancelled, failed, pending, sent, skipped, webhooks } = report
  return [
    ...lines,
    "",
    `accepted ${number(accepted)} = sent ${number(sent)} + failed ${number(failed)} + skipped ${number(skipped)} + ` +
      `cancelled ${number(cancelled)} + pending ${number(pending)}`,
    `webhooks expected ${number(webhooks.expected)}, received ${number(webhooks.received)}, duplicates ${number(webhooks.duplicates)}`,
    `duplicates ${number(report.duplicates)}, lost ${number(report.lost)}, ${report.seconds.toFixed(2)} s`
  ].join("\n")
}

const WIDTH = 32

/** One line of progress: a bar, the share, what is done of all. */
export const bar = (label: string, done: number, all: number): string => {
  const share = all === 0 ? 0 : Math.min(1, done / all)
  const full = Math.round(share * WIDTH)
  return `${label.padEnd(10)} ${"█".repeat(full)}${"░".repeat(WIDTH - full)} ${String(Math.floor(share * 100)).padStart(3)} %  ${number(done)} / ${number(all)}`
}
