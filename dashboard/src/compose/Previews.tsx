import { MailFrame } from "../parts/mailFrame.tsx"
import type { PreviewQuery } from "./operations.ts"

type Sample = NonNullable<PreviewQuery["previewNotification"]["providers"][number]["sample"]>

const Push = ({
  app,
  kind,
  sample
}: {
  readonly kind: "ios" | "android" | "web"
  readonly sample: Sample
  readonly app: string
}) => (
  <figure className={`preview ${kind}`}>
    <figcaption>{{ ios: "iOS", android: "Android", web: "Chrome" }[kind]}</figcaption>
    <div className="preview-card">
      <p className="preview-app">
        <span className="preview-icon" aria-hidden="true">
          {app.slice(0, 1).toUpperCase()}
        </span>
        {app} <span>now</span>
      </p>
      <p className="preview-title">{sample.title}</p>
      <p className="preview-body">{sample.body}</p>
      {sample.image?.startsWith("https:") && (
        <img src={sample.image} alt="" loading="lazy" referrerPolicy="no-referrer" />
      )}
    </div>
  </figure>
)

const Mail = ({ app, sample }: { readonly sample: Sample; readonly app: string }) => (
  <figure className="preview mail">
    <figcaption>E-mail</figcaption>
    <div className="preview-card">
      <p className="preview-app">{app}</p>
      <p className="preview-title">{sample.subject ?? sample.title ?? "Without a subject"}</p>
      {sample.html === null || sample.html === "" ? (
        <p className="preview-body">{sample.body}</p>
      ) : (
        <MailFrame html={sample.html} title="The e-mail" />
      )}
    </div>
  </figure>
)

const Inbox = ({ sample }: { readonly sample: Sample }) => (
  <figure className="preview inbox">
    <figcaption>Inbox</figcaption>
    <div className="preview-card">
      <p className="preview-title">{sample.title}</p>
      <p className="preview-body">{sample.body}</p>
    </div>
  </figure>
)

/** How the message looks with the person's own things, more or less: each system cuts texts by its own measure. */
export const Previews = ({ app, samples }: { readonly app: string; readonly samples: ReadonlyMap<string, Sample> }) => {
  const [ios, android, web] = [samples.get("APNS"), samples.get("FCM"), samples.get("WEBPUSH")]
  const [mail, inbox] = [samples.get("SMTP"), samples.get("INBOX")]
  return (
    <div className="previews">
      {ios && <Push kind="ios" sample={ios} app={app} />}
      {android && <Push kind="android" sample={android} app={app} />}
      {web && <Push kind="web" sample={web} app={app} />}
      {mail && <Mail sample={mail} app={app} />}
      {inbox && <Inbox sample={inbox} />}
    </div>
  )
}
