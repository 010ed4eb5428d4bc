import { Link } from "@tanstack/react-router"
import { PartsBar } from "../parts/charts.tsx"
import { count, percent } from "../parts/time.ts"
import { numbersOf } from "./List.tsx"
import type { NotificationQuery } from "./operations.ts"

const STATES: Readonly<Record<string, string>> = {
  sent: "SENT",
  failed: "FAILED",
  skipped: "SKIPPED",
  cancelled: "CANCELLED"
}

/** One bar whose parts add up to everybody; each leads to its people. */
export const Progress = ({
  appId,
  one
}: {
  readonly one: NonNullable<NotificationQuery["notification"]>
  readonly appId: string
}) => {
  const { accepted } = one.counts
  const parts = numbersOf(one.counts)
  if (accepted === 0 && one.status === "SCHEDULED") {
    return (
      <section className="card progress" aria-label="Progress">
        <p className="muted">Who gets it is seen when it begins: nobody is counted yet.</p>
      </section>
    )
  }
  return (
    <section className="card progress" aria-label="Progress">
      <PartsBar
        label={`Of ${count(accepted)}: ${parts.map(({ name, value }) => `${count(value)} ${name}`).join(", ")}`}
        whole={accepted}
        parts={parts}
      />
      <ul className="legend">
        {parts.map(({ colour, name, value }) => {
          const words = (
            <>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <rect className={`fill-${colour}`} width="10" height="10" rx="2" />
              </svg>
              <strong>{count(value)}</strong> {name}{" "}
              <span className="muted">{accepted > 0 && percent(value, accepted)}</span>
            </>
          )
          return (
            <li key={name}>
              {STATES[name] && value > 0 ? (
                <Link
                  to="/apps/$appId/notifications/$id"
                  params={{ appId, id: one.id }}
                  search={{ state: STATES[name] } as never}
                  hash="recipients"
                  resetScroll={false}
                >
                  {words}
                </Link>
              ) : (
                words
              )}
            </li>
          )
        })}
        <li>
          <strong>{count(accepted)}</strong> in all
        </li>
      </ul>
    </section>
  )
}
