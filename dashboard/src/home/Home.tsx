import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useEffect, useEffectEvent, useRef, useState } from "react"
import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Titled } from "../notifications/Titled.tsx"
import { PROVIDER, STATUS } from "../notifications/words.ts"
import { Columns } from "../parts/charts.tsx"
import { ErrorNotice } from "../parts/form.tsx"
import { Card, Chip, Empty, Loading, Page, TableFrame, When } from "../parts/page.tsx"
import { count, counted, lasting, percent } from "../parts/time.ts"
import { suspensionWords } from "../settings/credentialWords.ts"
import { disabledWords } from "../webhooks/words.ts"
import type { AttentionQuery, DaysQuery, NowQuery } from "./operations.ts"
import type { Standing } from "./figures.ts"
import { CLOSE_MS, oldestWait, speedBetween, standingOf, waits } from "./figures.ts"
import { FirstSteps } from "./FirstSteps.tsx"
import { attention, days, now } from "./operations.ts"

type Going = NowQuery["recent"]["nodes"][number]

const Figure = ({
  children,
  name,
  note
}: {
  readonly name: string
  readonly children: ReactNode
  readonly note?: ReactNode
}) => (
  <div className="figure">
    <dt>{name}</dt>
    <dd>
      {children}
      {note && <span className="muted small">{note}</span>}
    </dd>
  </div>
)

/** People a second, by what two answers a while apart say. */
const useSpeed = (going: ReadonlyArray<Going>, at: number): number => {
  const before = useRef<Standing | null>(null)
  const [speed, setSpeed] = useState(0)
  const answered = useEffectEvent(() => {
    const now = standingOf(going, at)
    if (before.current !== null && at - before.current.at < CLOSE_MS) return
    setSpeed(before.current === null ? 0 : speedBetween(before.current, now))
    before.current = now
  })
  useEffect(answered, [at])
  return going.length === 0 ? 0 : speed
}

const NowCard = ({ at, data: { queued, sending } }: { readonly data: NowQuery; readonly at: number }) => {
  const going = [...sending.nodes, ...queued.nodes]
  const isPart = sending.pageInfo.hasNextPage || queued.pageInfo.hasNextPage
  const least = (words: string) => (isPart ? `at least ${words}` : words)
  const speed = useSpeed(going, at)
  const waiting = going.reduce((sum, { counts }) => sum + counts.pending, 0)
  const oldest = oldestWait(going, at)
  return (
    <Card title="Now">
      <dl className="figures">
        <Figure name="A second">{least(count(Math.round(speed)))}</Figure>
        <Figure name="Waiting">{least(count(waiting))}</Figure>
        <Figure name="Oldest waits for">{oldest === null ? "–" : least(lasting(oldest))}</Figure>
      </dl>
    </Card>
  )
}

type Day = DaysQuery["stats"]["data"][number]
const sum = (rows: ReadonlyArray<Day>) =>
  rows.reduce(
    (all, one) => ({
      sent: all.sent + one.sent,
      failed: all.failed + one.failed,
      delivered: all.delivered + one.delivered,
      opened: all.opened + one.opened - one.machineOpened,
      clicked: all.clicked + one.clicked - one.machineClicked
    }),
    { sent: 0, failed: 0, delivered: 0, opened: 0, clicked: 0 }
  )

const DAY_MS = 86_400_000
const daysBetween = (from: string, to: string): ReadonlyArray<string> =>
  Array.from({ length: (Date.parse(to) - Date.parse(from)) / DAY_MS + 1 }, (_, i) =>
    new Date(Date.parse(from) + i * DAY_MS).toISOString().slice(0, 10)
  )

const Sums = ({ stats }: { readonly stats: DaysQuery["stats"] }) => {
  const { data, from, to } = stats
  const today = sum(data.filter(({ day }) => day === to))
  const providers = [...new Set(data.map(({ provider }) => provider))].filter((one) => one !== null).toSorted()
  return (
    <>
      <Card title="Today">
        <dl className="figures">
          <Figure name="Sent">{count(today.sent)}</Figure>
          <Figure name="Delivered">{count(today.delivered)}</Figure>
          <Figure name="Opened by people">{count(today.opened)}</Figure>
          <Figure name="Failed">
            {today.failed > 0 ? <span className="bad-text">{count(today.failed)}</span> : "0"}
          </Figure>
        </dl>
        <p className="small muted">Days are those of UTC.</p>
      </Card>
      <Card title="The last 30 days" className="whole">
        <Columns
          label="Sent and failed by day"
          columns={daysBetween(from, to).map((day) => {
            const all = sum(data.filter((one) => one.day === day))
            return {
              name: day,
              parts: [
                { name: "Sent", value: all.sent, colour: "good" },
                { name: "Failed", value: all.failed, colour: "bad" }
              ]
            }
          })}
        />
        {providers.length > 0 && (
          <TableFrame label="By provider, 30 days">
            <thead>
              <tr>
                {["Provider", "Sent", "Delivered", "Opened by people", "Clicked by people", "Failed"].map((name, i) => (
                  <th key={name} scope="col" className={i === 0 ? "" : "number"}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {providers.map((provider) => {
                const all = sum(data.filter((one) => one.provider === provider))
                return (
                  <tr key={provider}>
                    <th scope="row">{PROVIDER[provider] ?? provider}</th>
                    <td className="number">{count(all.sent)}</td>
                    <td className="number">
                      {count(all.delivered)} <span className="muted small">{percent(all.delivered, all.sent)}</span>
                    </td>
                    <td className="number">
                      {count(all.opened)} <span className="muted small">{percent(all.opened, all.sent)}</span>
                    </td>
                    <td className="number">
                      {count(all.clicked)} <span className="muted small">{percent(all.clicked, all.sent)}</span>
                    </td>
                    <td className="number">{count(all.failed)}</td>
                  </tr>
                )
              })}
            </tbody>
          </TableFrame>
        )}
      </Card>
    </>
  )
}

/** What waits for somebody, each with the way to mend it. */
const Attention = ({
  appId,
  at,
  data
}: {
  readonly data: AttentionQuery
  readonly at: number
  readonly appId: string
}) => {
  const suspended = data.credentials.filter(({ suspendedReason }) => suspendedReason !== null)
  const disabled = data.hooks.nodes.filter(({ disabledReason, isActive }) => !isActive && disabledReason !== null)
  const letters = data.deadLetters.nodes.filter((letter) => waits(letter, at))
  const items: Array<{
    readonly key: string
    readonly title: string
    readonly words: ReactNode
    readonly to?: string
    /** Of the thing that the address names. */
    readonly id?: string
    readonly link?: string
  }> = [
    ...suspended.map(({ kind, suspendedReason }) => ({
      key: kind,
      title: `${PROVIDER[kind] ?? kind}: the provider refuses the credential`,
      words: `${suspensionWords(suspendedReason!)} Messages wait, and go out by themselves once it is mended.`,
      to: "/apps/$appId/settings/credentials",
      link: "Mend the credential"
    })),
    ...disabled.map(({ disabledReason, id, name }) => ({
      key: id,
      title: `Webhook ${name} is disabled`,
      words: disabledWords(disabledReason!),
      to: "/apps/$appId/webhooks/$id",
      id,
      link: "Mend the webhook"
    })),
    ...(letters.length > 0
      ? [
          {
            key: "letters",
            title: data.deadLetters.pageInfo.hasNextPage
              ? `${count(letters.length)} or more dead letters`
              : counted(letters.length, "dead letter"),
            words: "Messages that can be sent again, and what webhooks missed during the last day.",
            to: "/apps/$appId/dead-letters",
            link: "Look at them"
          }
        ]
      : []),
    ...(data.application?.identityVerification === false
      ? [
          {
            key: "verification",
            title: "Identity verification is off",
            words: "Whoever knows a user's id can read their inbox and register devices in their name.",
            to: "/apps/$appId/settings",
            link: "Switch it on"
          }
        ]
      : []),
    ...(data.credentials.length === 0
      ? [
          {
            key: "credentials",
            title: "No provider is set up",
            words: "Without a credential nothing goes out by push or e-mail.",
            to: "/apps/$appId/settings/credentials",
            link: "Set one up"
          }
        ]
      : [])
  ]
  return (
    <Card title="Needs attention" className="whole">
      {items.length === 0 ? (
        <p className="muted">Nothing: credentials work, webhooks answer, and nothing waits to be sent again.</p>
      ) : (
        <ul className="attention">
          {items.map(({ id, key, link, title, to, words }) => (
            <li key={key}>
              <div>
                <strong>{title}</strong>
                <p>{words}</p>
              </div>
              {to && (
                <Link to={to} params={{ appId, id } as never} className="button plain">
                  {link}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const Recent = ({ appId, nodes }: { readonly nodes: ReadonlyArray<Going>; readonly appId: string }) => (
  <Card
    title="Latest notifications"
    className="whole"
    actions={
      <Link to="/apps/$appId/notifications" params={{ appId }}>
        All of them
      </Link>
    }
  >
    {nodes.length === 0 ? (
      <Empty title="Nothing was sent yet." />
    ) : (
      <ul className="recent">
        {nodes.map((one) => (
          <li key={one.id}>
            <Link to="/apps/$appId/notifications/$id" params={{ appId, id: one.id }} className="row-link">
              <Titled one={one} />
            </Link>
            <Chip tone={STATUS[one.status][1]}>{STATUS[one.status][0]}</Chip>
            <span className="number">{count(one.counts.accepted)}</span>
            <When at={one.createdAt} />
          </li>
        ))}
      </ul>
    )}
  </Card>
)

/** What is going on, what was, and what needs somebody. */
export const Home = () => {
  const { appId, application, may } = useApp()
  const going = useAsk(now, { appId }, { every: 2_000 })
  const sums = useAsk(days, { appId }, { every: 15_000 })
  const wrong = useAsk(attention, { appId }, { every: 15_000 })
  return (
    <Page
      title={application.name}
      actions={
        may("SEND_NOTIFICATIONS") && (
          <Link to="/apps/$appId/compose" params={{ appId }} className="button primary">
            Write a notification
          </Link>
        )
      }
    >
      <ErrorNotice error={going.error ?? sums.error ?? wrong.error} />
      <div className="grid two home">
        <FirstSteps />
        {wrong.data && <Attention data={wrong.data} at={wrong.dataUpdatedAt} appId={appId} />}
        {going.data ? (
          <NowCard data={going.data} at={going.dataUpdatedAt} />
        ) : (
          <Card title="Now">{!going.error && <Loading lines={2} />}</Card>
        )}
        {sums.data ? (
          <Sums stats={sums.data.stats} />
        ) : (
          <Card title="Today">{!sums.error && <Loading lines={2} />}</Card>
        )}
        {going.data && <Recent nodes={going.data.recent.nodes} appId={appId} />}
      </div>
    </Page>
  )
}
