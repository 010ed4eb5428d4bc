import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { AppId, TemplateId, TemplateVersionId } from "../../domain/Ids.ts"
import type { Template, TemplateBody, TemplateVersion, TemplateVersionSummary } from "../../domain/messages/Template.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"

/**
 * Templates and their versions. A version never changes; it is shown while it is one of the `VERSIONS_KEPT` latest of its
 * template, and stays while a notification that is kept was made of it.
 */
export class TemplateStore extends Context.Service<
  TemplateStore,
  {
    readonly create: (appId: AppId, name: string, body: TemplateBody) => Effect.Effect<Template, StoreError>
    readonly find: (appId: AppId, id: TemplateId) => Effect.Effect<Option.Option<Template>, StoreError>
    /** In the order of ids, newest last. A page of large ones has fewer than `limit`. */
    readonly list: (appId: AppId, after: string | null, limit: number) => Effect.Effect<Page<Template>, StoreError>
    /** Makes a new version, if `version` is still the latest one. None when it is not, or the template is gone. */
    readonly update: (
      appId: AppId,
      id: TemplateId,
      version: number,
      name: string,
      body: TemplateBody
    ) => Effect.Effect<Option.Option<Template>, StoreError>
    readonly remove: (appId: AppId, id: TemplateId) => Effect.Effect<boolean, StoreError>
    /** The id of the latest version. */
    readonly latest: (appId: AppId, id: TemplateId) => Effect.Effect<Option.Option<TemplateVersionId>, StoreError>
    /** Newest first, `VERSIONS_KEPT` at most; none for a template that the application does not have. */
    readonly versions: (
      appId: AppId,
      id: TemplateId
    ) => Effect.Effect<ReadonlyArray<TemplateVersionSummary>, StoreError>
    /** One of those. */
    readonly version: (appId: AppId, id: TemplateVersionId) => Effect.Effect<Option.Option<TemplateVersion>, StoreError>
    /** What it says, shown or not. */
    readonly body: (version: TemplateVersionId) => Effect.Effect<Option.Option<TemplateBody>, StoreError>
  }
>()("heliograph/ports/TemplateStore") {}
