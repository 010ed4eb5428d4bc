import { parentPort, workerData } from "node:worker_threads"
import webpush from "web-push"

/* What the package web-push does for each message before it sends it: encryption and the VAPID header. */

export interface PeerData {
  readonly subscriptions: ReadonlyArray<{ readonly endpoint: string; readonly p256dh: string; readonly auth: string }>
  readonly vapid: { readonly publicKey: string; readonly privateKey: string; readonly subject: string }
  readonly text: string
}

/** Prepares the messages from number `from` up to `to`, going round the subscriptions. */
export const prepare = (data: PeerData, from: number, to: number): void => {
  for (let n = from; n < to; n++) {
    const { auth, endpoint, p256dh } = data.subscriptions[n % data.subscriptions.length]!
    webpush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, data.text, {
      TTL: 3600,
      vapidDetails: data.vapid
    })
  }
}

parentPort?.on("message", ({ from, to }: { readonly from: number; readonly to: number }) => {
  prepare(workerData as PeerData, from, to)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage(null)
})
