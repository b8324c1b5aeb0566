import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import { Conversion } from '../../conversion/conversion.ts'
import { UnconvertibleError } from '../../conversion/errors.ts'

const names = { group: 'arcade.example.com', kind: 'Level', plural: 'levels', namespaced: true } as const

/** A level as the first version has it. */
export interface LevelV1alpha1 extends KubernetesObject {
  spec?: { size?: number; word?: string }
}
/** A level with its size as text. */
export interface LevelV1beta1 extends KubernetesObject {
  spec?: { size?: string; word?: string }
}
/** A level, as it is stored. */
export interface LevelV1 extends KubernetesObject {
  spec?: { board?: { size?: number }; word?: string }
}

export const levelsV1alpha1: Resource<LevelV1alpha1, 'namespaced'> = defineResource<LevelV1alpha1>({
  ...names,
  version: 'v1alpha1',
})
export const levelsV1beta1: Resource<LevelV1beta1, 'namespaced'> = defineResource<LevelV1beta1>({
  ...names,
  version: 'v1beta1',
})
export const levels: Resource<LevelV1, 'namespaced'> = defineResource<LevelV1>({ ...names, version: 'v1' })

/** The conversion of levels. The word `bad` is refused, and the word `throws` meets an error with a secret. */
export function levelConversion(): Conversion<LevelV1> {
  const judged = (word: string | undefined): object => {
    if (word === 'bad') throw new UnconvertibleError('bad has no counterpart', { field: 'spec.word' })
    if (word === 'throws') throw new TypeError('a secret: hunter2')
    return word === undefined ? {} : { word }
  }
  const isSet = (size: number | string | undefined): boolean => size !== undefined
  return new Conversion(levels)
    .version(levelsV1alpha1, {
      toHub: ({ spec }) => ({
        spec: { ...judged(spec?.word), ...(isSet(spec?.size) && { board: { size: spec?.size as number } }) },
      }),
      fromHub: ({ spec }) => ({
        spec: { ...judged(spec?.word), ...(isSet(spec?.board?.size) && { size: spec?.board?.size as number }) },
      }),
    })
    .version(levelsV1beta1, {
      toHub: async ({ spec }) => ({
        spec: { ...judged(spec?.word), ...(isSet(spec?.size) && { board: { size: Number(spec?.size) } }) },
      }),
      fromHub: async ({ spec }) => ({
        spec: { ...judged(spec?.word), ...(isSet(spec?.board?.size) && { size: `${spec?.board?.size}` }) },
      }),
    })
}
