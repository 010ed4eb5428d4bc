import { count, percent } from "./time.ts"

export interface Part {
  readonly name: string
  readonly value: number
  /** A class of the style sheet, for its colour. */
  readonly colour: string
}

/** One bar whose parts add up to a whole; the same numbers stand beside it in words. */
export const PartsBar = ({
  label,
  parts,
  whole
}: {
  readonly parts: ReadonlyArray<Part>
  readonly whole: number
  readonly label: string
}) => {
  let from = 0
  return (
    <svg className="parts-bar" viewBox="0 0 1000 14" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect className="fill-track" width="1000" height="14" />
      {parts.map(({ colour, name, value }) => {
        const width = whole === 0 ? 0 : (1000 * value) / whole
        const x = from
        from += width
        return width === 0 ? null : <rect key={name} className={`fill-${colour}`} x={x} width={width} height="14" />
      })}
    </svg>
  )
}

/** Steps of one way, each a part of the one before it. */
export const Funnel = ({
  steps
}: {
  readonly steps: ReadonlyArray<{ readonly name: string; readonly value: number; readonly note?: string }>
}) => {
  const most = Math.max(1, steps[0]?.value ?? 1)
  return (
    <ol className="funnel">
      {steps.map(({ name, note, value }, i) => (
        <li key={name}>
          <span className="funnel-name">{name}</span>
          <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
            <rect className="fill-track" width="1000" height="10" />
            <rect className="fill-accent" width={(1000 * value) / most} height="10" />
          </svg>
          <span className="funnel-value">
            {count(value)} {i > 0 && <span className="muted">({percent(value, steps[0]!.value)})</span>}
            {note && <span className="muted"> {note}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}

/** Columns, each of parts that stand on one another; a table says the same to who does not see it. */
export const Columns = ({
  columns,
  label
}: {
  readonly label: string
  readonly columns: ReadonlyArray<{ readonly name: string; readonly parts: ReadonlyArray<Part> }>
}) => {
  const sums = columns.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0))
  const most = Math.max(1, ...sums)
  const width = 1000 / Math.max(1, columns.length)
  const names = columns[0]?.parts.map(({ name }) => name) ?? []
  return (
    <figure className="columns">
      <svg viewBox="0 0 1000 160" preserveAspectRatio="none" aria-hidden="true">
        {[40, 80, 120].map((y) => (
          <line key={y} className="grid" x1="0" x2="1000" y1={y} y2={y} />
        ))}
        {columns.map(({ name, parts }, i) => {
          let y = 160
          return (
            <g key={name}>
              <title>{`${name}: ${parts.map((part) => `${part.name} ${count(part.value)}`).join(", ")}`}</title>
              <rect className="hit" x={i * width} y="0" width={width} height="160" />
              {parts.map(({ colour, name, value }) => {
                const height = (150 * value) / most
                y -= height
                return height === 0 ? null : (
                  <rect
                    key={name}
                    className={`fill-${colour}`}
                    x={i * width + width * 0.15}
                    y={y}
                    width={width * 0.7}
                    height={height}
                  />
                )
              })}
            </g>
          )
        })}
        <line className="axis" x1="0" x2="1000" y1="160" y2="160" />
      </svg>
      <figcaption className="columns-ends" aria-hidden="true">
        <span>{columns[0]?.name}</span>
        <span>most: {count(most === 1 && sums.every((sum) => sum === 0) ? 0 : most)}</span>
        <span>{columns.at(-1)?.name}</span>
      </figcaption>
      <div className="unseen">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {names.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.map(({ name, parts }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {parts.map((part) => (
                  <td key={part.name}>{count(part.value)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

/** A line over time, in equal steps. */
export const Line = ({ label, values }: { readonly label: string; readonly values: ReadonlyArray<number> }) => {
  const most = Math.max(1, ...values)
  const points = values.map((value, i) => `${(1000 * i) / Math.max(1, values.length - 1)},${98 - (92 * value) / most}`)
  return (
    <svg className="line-chart" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label={label}>
      {[2, 50, 98].map((y) => (
        <line key={y} className="grid" x1="0" x2="1000" y1={y} y2={y} />
      ))}
      {points.length > 1 && <polygon className="area" points={`0,100 ${points.join(" ")} 1000,100`} />}
      {points.length > 1 && <polyline className="stroke" points={points.join(" ")} />}
    </svg>
  )
}
