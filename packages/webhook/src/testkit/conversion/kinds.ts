import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { Conversion } from '../../conversion/conversion.ts'
import { UnconvertibleError } from '../../conversion/errors.ts'

/** The versions of each kind of random rounds, and how each writes a size. */
export const forms = {
  v1alpha1: { field: 'size', schema: { type: 'integer' }, written: (size: number): unknown => size },
  v1beta1: { field: 'measure', schema: { type: 'string' }, written: (size: number): unknown => `${size}` },
  v1: {
    field: 'board',
    schema: { type: 'object', properties: { size: { type: 'integer' } } },
    written: (size: number): unknown => ({ size }),
  },
} as const

export type Version = keyof typeof forms
export const versions = Object.keys(forms) as Version[]

/** An object of any version. */
export interface Sized extends KubernetesObject {
  spec?: { size?: number; measure?: string; board?: { size?: number }; word?: string } | undefined
}

/** Words that no converter takes. */
export const badWords = ['bad', 'throws'] as const

export const isBad = (word: string | undefined): boolean => badWords.some(one => one === word)

/** What an object has in its spec, whatever its version. */
export interface Content {
  readonly size?: number | undefined
  readonly word?: string | undefined
}

/** The spec of a content at a version, as an oracle writes it: without the converters. */
export function specOf({ size, word }: Content, version: Version): Record<string, unknown> {
  const { field, written } = forms[version]
  return { ...(size !== undefined && { [field]: written(size) }), ...(word !== undefined && { word }) }
}

/** One kind with three versions. */
export interface SizedKind {
  readonly plural: string
  readonly views: Readonly<Record<Version, Resource<Sized, 'namespaced'>>>
  readonly conversion: Conversion<Sized>
  definition(storage: Version, conversion: CustomResourceDefinition['spec']['conversion']): CustomResourceDefinition
}

export function sizedKind(kind: string): SizedKind {
  const plural = `${kind.toLowerCase()}s`
  const names = { group: 'arcade.example.com', kind, plural, namespaced: true } as const
  const view = (version: Version): Resource<Sized, 'namespaced'> => defineResource<Sized>({ ...names, version })
  const views = { v1alpha1: view('v1alpha1'), v1beta1: view('v1beta1'), v1: view('v1') }
  const rest = (spec: Sized['spec']): { word?: string } => {
    const { word } = spec ?? {}
    if (word === 'bad') throw new UnconvertibleError('bad has no counterpart', { field: 'spec.word' })
    if (word === 'throws') throw new TypeError('a secret: hunter2')
    return word === undefined ? {} : { word }
  }
  const conversion = new Conversion(views.v1)
    .version(views.v1alpha1, {
      toHub: ({ spec }) => ({
        spec: { ...rest(spec), ...(spec?.size !== undefined && { board: { size: spec.size } }) },
      }),
      fromHub: ({ spec }) => ({ spec: { ...rest(spec), ...(spec?.board && { size: spec.board.size as number }) } }),
    })
    .version(views.v1beta1, {
      toHub: async ({ spec }) => ({
        spec: { ...rest(spec), ...(spec?.measure !== undefined && { board: { size: Number(spec.measure) } }) },
      }),
      fromHub: async ({ spec }) => ({ spec: { ...rest(spec), ...(spec?.board && { measure: `${spec.board.size}` }) } }),
    })
  return {
    ...{ plural, views, conversion },
    definition: (storage, by) => ({
      metadata: { name: `${plural}.arcade.example.com` },
      spec: {
        group: 'arcade.example.com',
        scope: 'Namespaced',
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        ...(by !== undefined && { conversion: by }),
        versions: versions.map(name => {
          const { field, schema } = forms[name]
          const properties = { [field]: schema, word: { type: 'string' } }
          const spec = { type: 'object', properties }
          return {
            ...{ name, served: true, storage: name === storage },
            schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
          }
        }),
      },
    }),
  }
}
