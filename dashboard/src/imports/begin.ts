import { useRef, useState } from "react"

/** Why this browser keeps no file, and what helps. */
export const whyNotKept = (error: unknown): string => {
  const { message, name } = error instanceof Error ? error : { message: String(error), name: "" }
  if (name === "QuotaExceededError") {
    return "This browser has no room for it. Forget what is done below, make room on the device, or take a smaller file."
  }
  return `This browser does not keep it: ${message || name}`
}

/** Begins one import or export at a time: a second press may come before the button shows the first. */
export const useBeginning = <Given>(begin: (given: Given) => Promise<void>) => {
  const isUnderWay = useRef(false)
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const start = async (given: Given): Promise<void> => {
    if (isUnderWay.current) return
    isUnderWay.current = true
    setBusy(true)
    setFault(null)
    try {
      await begin(given)
    } catch (error) {
      setFault(whyNotKept(error))
    } finally {
      isUnderWay.current = false
      setBusy(false)
    }
  }
  return { start, isBusy, fault }
}
