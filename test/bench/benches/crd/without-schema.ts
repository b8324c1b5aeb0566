/** The smallest operator of a kind with a type written by hand. */
import { defineResource, type KubernetesObject } from '@wherry/client'
import { runOperator } from './run-operator.ts'

interface Game extends KubernetesObject {
  readonly spec?: { readonly players: number; readonly title?: string }
  readonly status?: { readonly ready?: number }
}

await runOperator(
  defineResource<Game>({
    group: 'bench.example.com',
    version: 'v1',
    kind: 'Game',
    plural: 'games',
    namespaced: true,
  }),
)
