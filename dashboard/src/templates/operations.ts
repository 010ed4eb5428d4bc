// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
export type ActorKind = "CLI" | "KEY" | "SYSTEM" | "USER"

export type ContentInput = {
  readonly body?: string | null | undefined
  readonly data?: unknown
  readonly html?: string | null | undefined
  readonly image?: string | null | undefined
  readonly subject?: string | null | undefined
  readonly title?: string | null | undefined
  readonly url?: string | null | undefined
}

export type MissingVariables =
  /** Leaves its place empty. */
  | "EMPTY"
  /** Fails the recipient for whom a variable is missing. */
  | "ERROR"

export type TemplateChanges = {
  readonly content?: ContentInput | null | undefined
  readonly locales?: unknown
  readonly missingVariables?: MissingVariables | null | undefined
  readonly name?: string | null | undefined
  /** The version that is changed. Where it is not the latest any more, nothing is changed, and the answer is a conflict. */
  readonly version?: number | null | undefined
}

export type TemplateInput = {
  readonly content: ContentInput
  readonly locales?: unknown
  readonly missingVariables?: MissingVariables | null | undefined
  readonly name: string
}

export type TemplateSourcesInput = {
  readonly contact?: unknown
  /** Somebody there is, in the place of `contact`; `device`, unless given, is the one of theirs that was seen last. */
  readonly contactId?: string | null | undefined
  readonly content: ContentInput
  readonly device?: unknown
  readonly locale?: string | null | undefined
  readonly locales?: unknown
  readonly missingVariables?: MissingVariables | null | undefined
  readonly variables?: unknown
}

export type TemplatesQueryVariables = Exact<{
  appId: string
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type TemplatesQuery = {
  readonly templates: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly version: number
      readonly updatedAt: string
      readonly content: { readonly title: string | null; readonly body: string | null; readonly subject: string | null }
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type TemplateQueryVariables = Exact<{
  id: string
}>

export type TemplateQuery = {
  readonly template: {
    readonly id: string
    readonly name: string
    readonly version: number
    readonly locales: unknown
    readonly missingVariables: MissingVariables
    readonly updatedAt: string
    readonly content: {
      readonly title: string | null
      readonly body: string | null
      readonly url: string | null
      readonly image: string | null
      readonly data: unknown
      readonly subject: string | null
      readonly html: string | null
    }
  } | null
}

export type WholeTemplateFragment = {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly locales: unknown
  readonly missingVariables: MissingVariables
  readonly updatedAt: string
  readonly content: {
    readonly title: string | null
    readonly body: string | null
    readonly url: string | null
    readonly image: string | null
    readonly data: unknown
    readonly subject: string | null
    readonly html: string | null
  }
}

export type SourcesFragment = {
  readonly title: string | null
  readonly body: string | null
  readonly url: string | null
  readonly image: string | null
  readonly data: unknown
  readonly subject: string | null
  readonly html: string | null
}

export type TryTemplateQueryVariables = Exact<{
  appId: string
  input: TemplateSourcesInput
}>

export type TryTemplateQuery = {
  readonly previewTemplateSources: {
    readonly language: string | null
    readonly content: {
      readonly title: string | null
      readonly body: string | null
      readonly url: string | null
      readonly image: string | null
      readonly data: unknown
      readonly subject: string | null
      readonly html: string | null
    }
  }
}

export type FindPersonQueryVariables = Exact<{
  appId: string
  text: string
  isAddress: boolean
}>

export type FindPersonQuery = {
  readonly byId: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly externalId: string
      readonly email: string | null
      readonly locale: string | null
    }>
  }
  readonly byAddress?: {
    readonly nodes: ReadonlyArray<{
      readonly contact: {
        readonly id: string
        readonly externalId: string
        readonly email: string | null
        readonly locale: string | null
      } | null
    }>
  }
}

export type SomePeopleQueryVariables = Exact<{
  appId: string
}>

export type SomePeopleQuery = {
  readonly contacts: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly externalId: string
      readonly email: string | null
      readonly locale: string | null
    }>
  }
}

export type PersonFragment = {
  readonly id: string
  readonly externalId: string
  readonly email: string | null
  readonly locale: string | null
}

export type TemplateVersionsQueryVariables = Exact<{
  id: string
}>

export type TemplateVersionsQuery = {
  readonly templateVersions: ReadonlyArray<{
    readonly id: string
    readonly version: number
    readonly name: string
    readonly createdAt: string
    readonly actor: { readonly kind: ActorKind; readonly email: string | null }
  }>
}

export type TemplateVersionQueryVariables = Exact<{
  id: string
}>

export type TemplateVersionQuery = {
  readonly templateVersion: {
    readonly id: string
    readonly version: number
    readonly name: string
    readonly locales: unknown
    readonly missingVariables: MissingVariables
    readonly content: {
      readonly title: string | null
      readonly body: string | null
      readonly url: string | null
      readonly image: string | null
      readonly data: unknown
      readonly subject: string | null
      readonly html: string | null
    }
  } | null
}

export type CreateTemplateMutationVariables = Exact<{
  appId: string
  input: TemplateInput
}>

export type CreateTemplateMutation = { readonly createTemplate: { readonly id: string } }

export type ChangeTemplateMutationVariables = Exact<{
  id: string
  input: TemplateChanges
}>

export type ChangeTemplateMutation = {
  readonly updateTemplate: {
    readonly id: string
    readonly name: string
    readonly version: number
    readonly locales: unknown
    readonly missingVariables: MissingVariables
    readonly updatedAt: string
    readonly content: {
      readonly title: string | null
      readonly body: string | null
      readonly url: string | null
      readonly image: string | null
      readonly data: unknown
      readonly subject: string | null
      readonly html: string | null
    }
  }
}

export type DeleteTemplateMutationVariables = Exact<{
  id: string
}>

export type DeleteTemplateMutation = { readonly deleteTemplate: boolean }

export const templates: TypedDocument<TemplatesQuery, TemplatesQueryVariables> = typed(
  "query Templates($appId:ID!$first:Int$after:String){templates(appId:$appId first:$first after:$after){nodes{id name version content{title body subject}updatedAt}pageInfo{hasNextPage endCursor}}}"
)
export const template: TypedDocument<TemplateQuery, TemplateQueryVariables> = typed(
  "query Template($id:ID!){template(id:$id){...WholeTemplate}}fragment WholeTemplate on Template{id name version content{...Sources}locales missingVariables updatedAt}fragment Sources on Content{title body url image data subject html}"
)
export const tryTemplate: TypedDocument<TryTemplateQuery, TryTemplateQueryVariables> = typed(
  "query TryTemplate($appId:ID!$input:TemplateSourcesInput!){previewTemplateSources(appId:$appId input:$input){language content{...Sources}}}fragment Sources on Content{title body url image data subject html}"
)
export const findPerson: TypedDocument<FindPersonQuery, FindPersonQueryVariables> = typed(
  "query FindPerson($appId:ID!$text:String!$isAddress:Boolean!){byId:contacts(appId:$appId externalId:$text first:1){nodes{...Person}}byAddress:channels(appId:$appId address:$text first:1)@include(if:$isAddress){nodes{contact{...Person}}}}fragment Person on Contact{id externalId email locale}"
)
export const somePeople: TypedDocument<SomePeopleQuery, SomePeopleQueryVariables> = typed(
  "query SomePeople($appId:ID!){contacts(appId:$appId first:20){nodes{...Person}}}fragment Person on Contact{id externalId email locale}"
)
export const templateVersions: TypedDocument<TemplateVersionsQuery, TemplateVersionsQueryVariables> = typed(
  "query TemplateVersions($id:ID!){templateVersions(id:$id){id version name createdAt actor{kind email}}}"
)
export const templateVersion: TypedDocument<TemplateVersionQuery, TemplateVersionQueryVariables> = typed(
  "query TemplateVersion($id:ID!){templateVersion(id:$id){id version name content{...Sources}locales missingVariables}}fragment Sources on Content{title body url image data subject html}"
)
export const createTemplate: TypedDocument<CreateTemplateMutation, CreateTemplateMutationVariables> = typed(
  "mutation CreateTemplate($appId:ID!$input:TemplateInput!){createTemplate(appId:$appId input:$input){id}}"
)
export const changeTemplate: TypedDocument<ChangeTemplateMutation, ChangeTemplateMutationVariables> = typed(
  "mutation ChangeTemplate($id:ID!$input:TemplateChanges!){updateTemplate(id:$id input:$input){...WholeTemplate}}fragment WholeTemplate on Template{id name version content{...Sources}locales missingVariables updatedAt}fragment Sources on Content{title body url image data subject html}"
)
export const deleteTemplate: TypedDocument<DeleteTemplateMutation, DeleteTemplateMutationVariables> = typed(
  "mutation DeleteTemplate($id:ID!){deleteTemplate(id:$id)}"
)
