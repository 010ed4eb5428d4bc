import { useEffect, useState } from "react"

/** A value as it was when it last stayed the same for so many milliseconds: what is typed is asked about when typing rests. */
export const useRested = <Value>(value: Value, milliseconds = 400): Value => {
  const [rested, setRested] = useState(value)
  const key = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(JSON.parse(key) as Value), milliseconds)
    return () => clearTimeout(timer)
  }, [key, milliseconds])
  return rested
}
