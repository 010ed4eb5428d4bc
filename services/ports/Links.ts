import type { Option } from "effect"
import { Context } from "effect"
import type { AppId, ChannelId, NotificationId } from "../domain/Ids.ts"

/** What an unsubscribe link was made for. */
export interface Unsubscribe {
  readonly appId: AppId
  readonly channelId: ChannelId
  readonly notificationId: NotificationId
}

/** Links that recipients of mail follow without signing in: what they may do is signed into them. */
export class Links extends Context.Service<
  Links,
  {
    /** `{baseUrl}/u/<token>`: RFC 8058 posts to it; a GET must not unsubscribe. */
    readonly unsubscribeUrl: (appId: AppId, channelId: ChannelId, notificationId: NotificationId) => string
    /** Reads the token of such a link. None: it was tampered with, or signed with another key. */
    readonly openUnsubscribe: (token: string) => Option.Option<Unsubscribe>
  }
>()("heliograph/ports/Links") {}
