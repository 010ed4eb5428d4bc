/* What the frame needs to know of imports before their code is loaded. */

/** The database of this browser with imports and exports. */
export const IMPORTS = "heliograph imports"

const FLAG = "imports under way"

/** Whether something goes on after a reload. */
export const isUnderWay = (): boolean => localStorage.getItem(FLAG) !== null
export const setUnderWay = (is: boolean): void => {
  if (is) localStorage.setItem(FLAG, "yes")
  else localStorage.removeItem(FLAG)
}
