/** Whether the service takes a text as an address, and does not refuse the question: half of one is typed before the whole. */
export const isAddress = (text: string): boolean =>
  /^[^\s@<>(),;:\\"[\]\p{Cc}]{1,64}@[^\s@<>(),;:\\"[\]\p{Cc}]{1,189}$/u.test(text) && text.length <= 254
