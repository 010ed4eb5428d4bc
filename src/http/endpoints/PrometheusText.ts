import type { Labels, Sample } from "../../../services/domain/operations/Metrics.ts"
import { BOUNDS, CATALOGUE } from "../../../services/domain/operations/Metrics.ts"

const escape = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const render = (labels: Labels): string =>
  Object.keys(labels)
    .sort()
    .map((label) => `${label}="${escape(labels[label]!)}"`)
    .join(",")

/** The text format of Prometheus, version 0.0.4. */
export const toText = (samples: ReadonlyArray<Sample>): string => {
  const lines: Array<string> = []
  for (const [name, [kind, help]] of Object.entries(CATALOGUE)) {
    const own = samples.filter((sample) => sample.name === name)
    if (own.length === 0) continue
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`)
    for (const { buckets, labels, value } of own) {
      const text = render(labels)
      const braced = text === "" ? "" : `{${text}}`
      if (buckets === undefined) {
        lines.push(`${name}${braced} ${value}`)
        continue
      }
      let count = 0
      buckets.forEach((more, i) => {
        count += more
        lines.push(`${name}_bucket{${text === "" ? "" : `${text},`}le="${BOUNDS[i] ?? "+Inf"}"} ${count}`)
      })
      lines.push(`${name}_sum${braced} ${value}`, `${name}_count${braced} ${count}`)
    }
  }
  return `${lines.join("\n")}\n`
}
