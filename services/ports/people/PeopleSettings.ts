import { Context } from "effect"

/** The settings that accounts and organizations depend on. layers/config reads and checks them. */
export class PeopleSettings extends Context.Service<
  PeopleSettings,
  {
    /** `open`: whoever proves an address gets an account. `invite`: only those who were invited, or let in by an operator. */
    readonly registration: "open" | "invite"
    /** Where people reach this service; ends without a slash. */
    readonly baseUrl: string
  }
>()("heliograph/ports/PeopleSettings") {}
