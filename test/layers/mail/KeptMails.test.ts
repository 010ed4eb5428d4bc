import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"
import { KEPT_MAILS, KEPT_MS, keep, sweep, sweeping } from "../../../layers/mail/KeptMails.ts"
import type { AccountAddress } from "../../../services/domain/people/AccountAddress.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-mails-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

/** The name of a mail that was kept so long ago, without what ends it. */
const named = (ageMs: number, id: string = uuidv7()): string =>
  `${new Date(Date.now() - ageMs).toISOString().replace(/[:.]/g, "-")}-${id}`

const put = async (path: string, names: ReadonlyArray<string>): Promise<void> => {
  for (const name of names) for (const end of ["txt", "html"]) await writeFile(join(path, `${name}.${end}`), "x")
}

const mail = () => ({
  id: uuidv7(),
  to: "ada@example.com" as AccountAddress,
  subject: "Your code",
  text: "012345",
  html: "<p>012345</p>"
})

/** What somebody may have put there, by names that are like ours and are not. */
const FOREIGN = [
  "notes.txt",
  ".hidden",
  `${named(2 * KEPT_MS)}.pdf`,
  `${named(2 * KEPT_MS)}.txt.bak`,
  `copy of ${named(2 * KEPT_MS)}.txt`,
  `${named(2 * KEPT_MS, "not-an-id")}.txt`
]

describe("mails that are kept as files", () => {
  it.live("are the newest thousand, however many come", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const old = Array.from({ length: KEPT_MAILS + 500 }, (_, i) => named(1_000_000 - i))
      yield* Effect.promise(() => put(path, old))
      const kept = yield* Effect.promise(() => keep(path, mail()))
      const names = yield* Effect.promise(() => readdir(path))
      const expected = old.slice(-(KEPT_MAILS - 1)).flatMap((name) => [`${name}.txt`, `${name}.html`])
      expect(names.toSorted()).toEqual(
        [...expected.map((name) => join(path, name)), kept, kept.replace(/txt$/, "html")]
          .map((name) => name.slice(path.length + 1))
          .toSorted()
      )
      // At once, as several nodes with one folder would.
      yield* Effect.promise(() => Promise.all(Array.from({ length: 50 }, () => keep(path, mail()))))
      expect(yield* Effect.promise(() => readdir(path))).toHaveLength(2 * KEPT_MAILS)
    })
  )

  it.live("go after a week, and nothing that is not ours goes with them", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const [young, old] = [named(KEPT_MS - 60_000), named(KEPT_MS + 60_000)]
      const [half, directory, link] = [named(KEPT_MS * 2), named(KEPT_MS * 3), named(KEPT_MS * 4)]
      yield* Effect.promise(async () => {
        await put(path, [young, old])
        await writeFile(join(path, `${half}.txt`), "x")
        for (const name of FOREIGN) await writeFile(join(path, name), "x")
        await mkdir(join(path, `${directory}.txt`))
        await symlink(join(path, "notes.txt"), join(path, `${link}.txt`))
        await sweep(path)
      })
      expect((yield* Effect.promise(() => readdir(path))).toSorted()).toEqual(
        [...FOREIGN, `${young}.txt`, `${young}.html`, `${directory}.txt`, `${link}.txt`].toSorted()
      )
    })
  )

  it.live("leave nothing behind that was not written to its end, also of a process that died meanwhile", () =>
    Effect.gen(function* () {
      const path = yield* folder
      // A process that may write no file of more than 4 KiB, as if the disk were full then.
      const module = new URL("../../../layers/mail/KeptMails.ts", import.meta.url).href
      const script = `import { keep } from ${JSON.stringify(module)}
        const mail = (html) => ({ ...${JSON.stringify(mail())}, html })
        const refused = await keep(process.argv[1], mail("x".repeat(100_000))).then(() => "kept", ({ code }) => code)
        console.log(refused, await keep(process.argv[1], mail("<p>012345</p>")))`
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)("sh", [
          "-c",
          `trap '' XFSZ; ulimit -f 8; exec "$@"`,
          "sh",
          process.execPath,
          "--input-type=module",
          "--eval",
          script,
          path
        ])
      )
      const [refused, kept] = stdout.trim().split(" ")
      expect(refused).toBe("EFBIG")
      const own = [kept!, kept!.replace(/txt$/, "html")].map((file) => basename(file))
      expect((yield* Effect.promise(() => readdir(path))).toSorted()).toEqual(own.toSorted())
      expect(readFileSync(kept!, "utf8")).toContain("012345")
      // One that was killed leaves the part that it had written, until its time is over.
      yield* Effect.promise(() => writeFile(join(path, `${named(KEPT_MS + 60_000)}.txt.part`), "To:"))
      yield* Effect.promise(() => sweep(path))
      expect((yield* Effect.promise(() => readdir(path))).toSorted()).toEqual(own.toSorted())
    })
  )

  it.effect("go also where none is added any more: at the start, and every hour", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const gone = Effect.fnUntraced(function* (name: string, meanwhile: Effect.Effect<void>) {
        while (existsSync(join(path, `${name}.txt`))) {
          yield* meanwhile
          yield* Effect.promise(() => setTimeout(5))
        }
      })
      const [first, second] = [named(2 * KEPT_MS), named(3 * KEPT_MS)]
      yield* Effect.promise(() => put(path, [first]))
      yield* sweeping(path)
      yield* gone(first, Effect.void)
      yield* Effect.promise(() => put(path, [second]))
      yield* gone(second, TestClock.adjust("1 hour"))
      // A folder that is not there is swept as well.
      yield* sweeping(join(path, "nothing"))
    })
  )
})
