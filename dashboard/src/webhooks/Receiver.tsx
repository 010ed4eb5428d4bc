import { Card } from "../parts/page.tsx"

/** What a server of theirs has to do. */
export const Receiver = () => (
  <Card title="What your server has to do">
    <ol className="rules">
      <li>
        Take a <code>POST</code> of JSON: <code>id</code>, <code>event</code>, <code>appId</code>,{" "}
        <code>timestamp</code> and the event's own <code>payload</code>.
      </li>
      <li>
        Check <code>X-Service-Signature: t=…, v1=…</code>: <code>v1</code> is the HMAC-SHA256 of <code>t</code>, a dot
        and the raw body, with the webhook's secret, in hexadecimal. Refuse what is older than five minutes.
      </li>
      <li>
        Answer <code>2xx</code> within 10 seconds. Anything else is tried again: six attempts in a quarter of an hour.
        After 50 missed deliveries in a row the webhook is disabled.
      </li>
      <li>
        Ignore an <code>id</code> that you have seen: an event can come twice, and events come in no particular order.
      </li>
    </ol>
    <p className="small">
      <a href="/docs#postWebhooks">The API's documentation</a> has the same for programs.
    </p>
  </Card>
)
