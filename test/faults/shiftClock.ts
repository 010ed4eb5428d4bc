/*
 * Loaded into a node before everything else (`node --import`): its calendar is wrong by CLOCK_SHIFT_MS, in every process
 * of it. Timers and `performance.now()` go on as they are, as on a machine whose clock was set wrong.
 */
const shift = Number(process.env["CLOCK_SHIFT_MS"] ?? 0)
const RealDate = Date

class ShiftedDate extends RealDate {
  constructor(...args: ReadonlyArray<unknown>) {
    if (args.length === 0) super(RealDate.now() + shift)
    else super(...(args as [number]))
  }
  static override now(): number {
    return RealDate.now() + shift
  }
}

globalThis.Date = ShiftedDate as DateConstructor
