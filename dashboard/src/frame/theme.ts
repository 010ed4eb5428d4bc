import { useSyncExternalStore } from "react"

export type Theme = "system" | "light" | "dark"
const KEY = "theme"
const listeners = new Set<() => void>()

const kept = (): Theme => {
  const found = localStorage.getItem(KEY)
  return found === "light" || found === "dark" ? found : "system"
}

/** `light-dark()` of the style sheet follows `color-scheme`, which is the system's unless one is chosen here. */
export const applyTheme = (): void => {
  document.documentElement.dataset["theme"] = kept()
}

export const useTheme = (): readonly [Theme, (theme: Theme) => void] => {
  const theme = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, kept)
  const choose = (theme: Theme): void => {
    localStorage.setItem(KEY, theme)
    applyTheme()
    listeners.forEach((listener) => listener())
  }
  return [theme, choose]
}
