import type { ObjectMeta, Resource } from '@wherry/client'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import type { CustomResourceOptions } from './options.ts'

/** A custom resource's definition, and the view of it. `O` is the type of its options. */
export interface CustomResource<O extends CustomResourceOptions = CustomResourceOptions> {
  /** The manifest. */
  readonly definition: CustomResourceDefinition
  /** The view of its objects. An import of it loads the schema library, so an operator defines its own view, with {@link NamesOf}. */
  readonly resource: Resource<ReadObject<O>, ScopeOf<O['namespaced']>>
  /** The options of the definition, for types such as {@link ObjectOf}. */
  readonly options: O
}

/** The type of objects that are read, which have the server's defaults. */
export type ObjectOf<R extends { readonly options: CustomResourceOptions }> = ReadObject<R['options']>

/** The type of objects that users write. Fields with a default may be left out, and there is no status. */
export type WrittenOf<R extends { readonly options: CustomResourceOptions }> = Base & {
  spec: Before<R['options']['spec']>
}

/**
 * The names of a resource, each as a literal. An operator defines its view with them, and loads nothing of this package or of the schema library:
 *
 * ```ts
 * export const games = defineResource<ObjectOf<typeof game>>({ group: 'arcade.example.com', … } satisfies NamesOf<typeof game>)
 * ```
 */
export type NamesOf<R extends { readonly options: CustomResourceOptions }> = Readonly<
  Pick<R['options'], 'group' | 'version' | 'kind' | 'plural' | 'namespaced'> & ListKindOf<R['options']>
>

/** The kind of the list, which a view needs if it is not the kind and `List`. */
type ListKindOf<O extends CustomResourceOptions> = O extends { readonly listKind: infer L extends string }
  ? { listKind: L }
  : { listKind?: undefined }

type ReadObject<O extends CustomResourceOptions> = Base & { spec: After<O['spec']> } & (O extends {
    readonly status: infer S extends object
  }
    ? { status?: After<S> | undefined }
    : unknown)

/** The scope; both scopes for `boolean`, so that each definition is a {@link CustomResource}. */
type ScopeOf<N> = N extends true ? 'namespaced' : 'cluster'

interface Base {
  apiVersion?: string | undefined
  kind?: string | undefined
  metadata?: ObjectMeta | undefined
}

declare const types: unique symbol

/** A plain JSON Schema with types that are known from elsewhere, for example from typebox: `spec as Typed<Static<typeof spec>>`. */
export type Typed<Written, Read = Written> = object & {
  readonly [types]?: { readonly input: Written; readonly output: Read }
}

/** The types of a schema before and after defaults. */
type Sides<S> = typeof types extends keyof S
  ? NonNullable<S[typeof types]>
  : S extends { readonly '~standard': { readonly types?: infer T } }
    ? NonNullable<T>
    : unknown

type Before<S> = Sides<S> extends { readonly input: infer I } ? I : unknown

type After<S> = Sides<S> extends { readonly output: infer O } ? O : unknown
