/** Values that the documentation's examples share. */
export const ID = "01941b2e-7c10-7d3a-9f00-3b1f6d0c5a11"
export const NOW = "2026-01-15T09:30:00.000Z"
