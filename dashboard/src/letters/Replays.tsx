import { Link } from "@tanstack/react-router"
import { useAsk } from "../api/hooks.ts"
import { Card, Chip, When } from "../parts/page.tsx"
import { count, counted } from "../parts/time.ts"
import { replays } from "./operations.ts"
import { filterWords } from "./words.ts"

/** The latest times that many went again, each with how far it is. */
export const Replays = ({ appId }: { readonly appId: string }) => {
  const shown = useAsk(replays, { appId }, { every: 2_000 })
  const nodes = shown.data?.replays.nodes ?? []
  if (nodes.length === 0) return null
  return (
    <Card title="Sent again">
      <ul className="recent" role="status">
        {nodes.map(({ createdAt, filter, id, replayed, skipped, status }) => (
          <li key={id}>
            <span>
              {filterWords(filter)}
              {filter.notificationId && (
                <>
                  :{" "}
                  <Link to="/apps/$appId/notifications/$id" params={{ appId, id: filter.notificationId }}>
                    which
                  </Link>
                </>
              )}
            </span>
            <Chip tone={status === "RUNNING" ? "busy" : "good"}>{status === "RUNNING" ? "Going on" : "Done"}</Chip>
            <span>
              {counted(replayed, "person", "people")}
              {skipped > 0 && `, ${count(skipped)} could not go again`}
            </span>
            <When at={createdAt} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
