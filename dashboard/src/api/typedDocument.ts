declare const SHAPE: unique symbol

/** The text of a GraphQL operation, with the types of its answer and its variables. */
export interface TypedDocument<Answer, Variables> {
  readonly text: string
  readonly [SHAPE]?: (variables: Variables) => Answer
}

export const typed = <Answer, Variables>(text: string): TypedDocument<Answer, Variables> => ({ text })

/** As `Notifications` of `query Notifications(…)`. */
export const nameOf = ({ text }: TypedDocument<never, never>): string => /^\w+ (\w+)/.exec(text)![1]!
