/** Every text of the component, to be replaced for another language. */
export interface InboxLabels {
  /** The bell, and the panel's heading. */
  readonly notifications: string
  /** Added to the bell's name while there are any. */
  readonly unreadCount: (count: number) => string
  readonly unread: string
  readonly markRead: string
  readonly markAllRead: string
  readonly close: string
  readonly more: string
  readonly newMessages: (count: number) => string
  readonly loading: string
  readonly empty: string
  readonly failed: string
  readonly retry: string
  /** Of a message without a title. */
  readonly untitled: string
}

export const ENGLISH: InboxLabels = {
  notifications: "Notifications",
  unreadCount: (count) => `${count} unread`,
  unread: "Unread",
  markRead: "Mark as read",
  markAllRead: "Mark all as read",
  close: "Close",
  more: "Show older",
  newMessages: (count) => (count === 1 ? "1 new message" : `${count} new messages`),
  loading: "Loading…",
  empty: "No notifications yet",
  failed: "Notifications could not be loaded.",
  retry: "Try again",
  untitled: "Message"
}
