import type { Option } from "effect"
import { Context } from "effect"
import type { AppId, ChannelId, NotificationId } from "../../domain/Ids.ts"

/** What an unsubscribe link was made for. */
export interface Unsubscribe {
  readonly appId: AppId
  readonly channelId: ChannelId
  readonly notificationId: NotificationId
}

/** The mail that a tracked link or an open pixel was in. */
export interface MailRead extends Unsubscribe {
  /** When it was sent: epoch milliseconds, in whole seconds. */
  readonly sentAt: number
}

/** Links that recipients of mail follow without signing in: what they may do is signed into them. */
export class Links extends Context.Service<
  Links,
  {
    /** `{baseUrl}/u/<token>`: RFC 8058 posts to it; a GET must not unsubscribe. */
    readonly unsubscribeUrl: (appId: AppId, channelId: ChannelId, notificationId: NotificationId) => string
    /** Reads the token of such a link. None: it was tampered with, or signed with another key. */
    readonly openUnsubscribe: (token: string) => Option.Option<Unsubscribe>
    /** What stands for the recipient in the tracked links of their mail: always as long. */
    readonly mailToken: (mail: MailRead) => string
    readonly openMail: (token: string) => Option.Option<MailRead>
    /** The address of the open pixel, for a mail's token. */
    readonly pixelUrl: (mailToken: string) => string
    /**
     * The address that leads to a destination, for a mail's token: the destination is signed, once for all recipients of
     * the notification.
     */
    readonly linkUrl: (notificationId: NotificationId, destination: string) => (mailToken: string) => string
    /** Where a link of this notification leads. None: it was tampered with, or is another notification's. */
    readonly openLink: (notificationId: NotificationId, link: string) => Option.Option<string>
  }
>()("heliograph/ports/Links") {}
