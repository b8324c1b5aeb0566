import type { KubernetesObject } from '@wherry/client'
import type { Path } from './path.ts'

/** The paths that no object of type `T` can have; never for an unknown type. */
export type UnknownPath<T, P extends Path> = P extends string
  ? string extends P
    ? never
    : Unless<Has<T, Keys<P>>, P>
  : P extends readonly string[]
    ? Unless<Has<T, P>, P>
    : never

type Unless<IsThere, P> = true extends IsThere ? never : P

type Keys<P extends string> = P extends `${infer Key}.${infer Rest}` ? readonly [Key, ...Keys<Rest>] : readonly [P]

/** `true` if the type may have the path. For a union, one member is enough; a list stands for each of its items. */
type Has<T, K extends readonly string[]> = [Known<T>] extends [never]
  ? true
  : K extends readonly [infer Key extends string, ...infer Rest extends readonly string[]]
    ? HasKey<Known<T>, Key, Rest>
    : true

type HasKey<T, Key extends string, Rest extends readonly string[]> = T extends readonly (infer Item)[]
  ? Has<Item, readonly [Key, ...Rest]>
  : T extends object
    ? Key extends keyof T
      ? Has<T[Key], Rest>
      : keyof T extends keyof KubernetesObject
        ? true
        : false
    : false

/** The type without `null` and `undefined`; `never` for `unknown` and `any`. */
type Known<T> = unknown extends T ? never : NonNullable<T>
