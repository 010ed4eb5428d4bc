import type { PropType } from "vue"
import { defineComponent, h } from "vue"
import type { OpenedMessage } from "./element.ts"
import type { Inbox } from "./inbox.ts"
import "./element.ts"

/** `<heliograph-inbox>` as a component of Vue 3: `<HeliographInbox :inbox="inbox" @open-message="…" />`. */
export const HeliographInbox = defineComponent({
  name: "HeliographInbox",
  props: { inbox: { type: Object as PropType<Inbox>, required: true } },
  emits: { openMessage: (_event: CustomEvent<OpenedMessage>) => true },
  setup: (props, { emit }) => {
    const onOpenMessage = (event: CustomEvent<OpenedMessage>) => emit("openMessage", event)
    // A dot before the name: a property, not an attribute.
    return () => h("heliograph-inbox", { ".inbox": props.inbox, onOpenMessage })
  }
})
