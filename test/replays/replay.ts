import type { Client, KubernetesObject } from '@wherry/client'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import type { Operator } from '@wherry/controller'
import type { GoPeer } from './harness/go-peer.ts'

/** What somebody has published: a case with its inputs and its figures. */
export interface Published {
  readonly id: string
  readonly title: string
  /** The thread that it is from. */
  readonly thread: string
  /** What happened, a line each. */
  readonly story: readonly string[]
  /** What the thread says of the inputs, in its units. */
  readonly inputs: string
  /** What the thread does not say, and how it is here. */
  readonly assumed: string
  readonly theirs: { readonly before: string; readonly after: string }
}

/** An operator on Wherry, one way to write it. */
export interface Way {
  readonly name: string
  /** What it holds, as a reader of the table should know it. */
  readonly holds: string
  /** Declares the controllers, as an operator's own code does. */
  readonly declare: (operator: Operator) => void
  /** What it may take above the same program in an empty cluster. None: the figure is for comparison. */
  readonly bar?: Bar | undefined
  /** One GET of what it reads, to compare its first reconcile with. */
  readonly oneGet?: ((client: Client) => Promise<unknown>) | undefined
  /** What it may receive and keep, of objects and bytes, at a tenth of the size. */
  readonly keeps: Kept
}

/** What a program may take at most. */
export interface Bar {
  readonly aboveIdleBytes: number
  /** Its peak, as a multiple of the settled RSS. */
  readonly peakTimes?: number | undefined
  /** Its first reconcile, as a multiple of one GET. */
  readonly firstTimesGet?: number | undefined
}

/** What an operator receives and keeps: counts of bytes and objects, which no machine changes. */
export interface Kept {
  /** Objects in its caches, its own ones among them: exactly so many. */
  readonly objects: number
  /** Bytes of objects that the server sends it, at most. */
  readonly receivedBytes: number
}

/** A case of memory: objects that others made, and an operator that needs none or few of them. */
export interface MemoryReplay extends Published {
  /** The numbers of objects to play it with, the published one among them; the last is the greatest. */
  readonly sizes: readonly number[]
  /** The definitions of the operator's own kinds. */
  readonly definitions: readonly CustomResourceDefinition[]
  /** The operator's own objects, which are there in each size but idle. */
  readonly own: readonly KubernetesObject[]
  /** Objects of others, the first `count` of them: a greater size has those of a smaller one. */
  objects(count: number): Iterable<KubernetesObject>
  readonly ways: readonly Way[]
  /** Programs of others, for comparison. */
  readonly peers: { readonly clientNode: readonly string[]; readonly go: readonly GoPeer[] }
}
