import { type Client, isApiError } from '@wherry/client'
import type { Webhooks } from '../../webhooks.ts'
import { games } from '../games.ts'
import { until } from '../on-a-server.ts'

/** Declares a webhook of either type that refuses its own object only. The function resolves when the server calls both. */
export function probed(webhooks: Webhooks, client: Client): () => Promise<void> {
  const when = (name: string): string => `request.name == '${name}'`
  webhooks
    .webhook('probe-mutating')
    .for(games, { operations: ['CREATE'], when: when('probe-mutating') })
    .mutate(({ name, deny }) => deny(`${name} is a probe`))
  webhooks
    .webhook('probe-validating')
    .for(games, { operations: ['CREATE'], when: when('probe-validating') })
    .validate(({ name, deny }) => deny(`${name} is a probe`))
  return async () => {
    for (const name of ['probe-mutating', 'probe-validating'])
      await until(async () => {
        try {
          await client.create(games, { metadata: { name, namespace: 'alpha' } }, { dryRun: true })
        } catch (error) {
          if (isApiError(error) && error.message.includes('is a probe')) return
          throw error
        }
        throw new Error(`${name} is not called yet`)
      })
  }
}
