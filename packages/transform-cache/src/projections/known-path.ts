import type { KubernetesObject } from '@wherry/client'
import type { Path } from './path.ts'

/** Those of the paths that no object of type `T` can have. None of a type that is not known. */
export type UnknownPath<T, P extends Path> = P extends string
  ? string extends P
    ? never
    : Unless<Has<T, Keys<P>>, P>
  : P extends readonly string[]
    ? Unless<Has<T, P>, P>
    : never

type Unless<IsThere, P> = true extends IsThere ? never : P

type Keys<P extends string> = P extends `${infer Key}.${infer Rest}` ? readonly [Key, ...Keys<Rest>] : readonly [P]

/** `true` if the type may have what the keys lead to. Of a union one member is enough; lists mean each of their items. */
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

/** The type without `null` and `undefined`; `never` of a type that says nothing. */
type Known<T> = unknown extends T ? never : NonNullable<T>
