/**
 * Who has begun the FETCH that a run is at: a holder (the table `holders`). When that one has ended, the FETCH is done again at
 * once, and not when its time is over.
 */
export const fetchHolders = `
ALTER TABLE execution_timers ADD COLUMN holder integer;
CREATE INDEX execution_timers_held ON execution_timers (holder) WHERE holder IS NOT NULL;
`
