import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"

const PLACES = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/"]

/**
 * The path of a program, or of another file of a package by its path from the root: from the usual places, else out of
 * Debian's package when this runs as root.
 */
export const program = (name: string, debian: string): string => {
  const find = () =>
    [...(process.env["PATH"] ?? "").split(":"), ...PLACES].map((p) => join(p, name)).find((p) => existsSync(p))
  const found = find()
  if (found !== undefined) return found
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    // Two test files must not run apt at once: it waits for its own lock.
    const wait = ["-o", "DPkg::Lock::Timeout=120"]
    execFileSync("apt-get", ["update", "-qq"], { stdio: "ignore" })
    execFileSync("apt-get", [...wait, "install", "-y", "-qq", "--no-install-recommends", debian], {
      stdio: "ignore",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
    })
  }
  const installed = find()
  if (installed === undefined) throw new Error(`${name} is missing: install it, on Debian by apt-get install ${debian}`)
  return installed
}
