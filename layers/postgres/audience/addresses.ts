/** Addresses are one when they differ in case only, in either part: no mail server in use tells `Ann@` from `ann@`. */
export const addressKey = (address: string): string => address.toLowerCase()
